"""A second decoder, written from docs/reference/code_format.md: plain Python, one ball at a time.

It checks that the page describes what `decode` does, and that neither depends on numpy.
"""

import hashlib
import json
import math


def digest(data):
    return hashlib.blake2b(data, digest_size=6).digest()


class Urns:
    def __init__(self, payload):
        self.payload, self.at, self.range = payload, 8, 2**64 - 1
        self.offset = int.from_bytes((payload + bytes(8))[:8], "big")

    def draw(self, counts):
        """Return the kind of the next ball from an urn with these counts."""
        if max(counts) == sum(counts):
            return counts.index(sum(counts))
        place = self.offset // (self.range // sum(counts))
        kind = 0
        while sum(counts[: kind + 1]) <= place:
            kind += 1
        self.narrow(sum(counts[:kind]), counts[kind], sum(counts))
        return kind

    def digit(self, total):
        """Return the next ball from an urn with one ball of each kind."""
        place = self.offset // (self.range // total)
        self.narrow(place, 1, total)
        return place

    def narrow(self, before, count, total):
        each = self.range // total
        self.offset, self.range = self.offset - before * each, count * each
        while self.range < 2**56:
            byte = self.payload[self.at] if self.at < len(self.payload) else 0
            self.offset, self.range, self.at = (
                self.offset * 256 + byte,
                self.range * 256,
                self.at + 1,
            )

    def number(self, total):
        below = max(0, (total - 1).bit_length() - 31)
        found = self.digit((total - 1 >> below) + 1)
        while below:
            bits = min(below, 31)
            found, below = found << bits | self.digit(1 << bits), below - bits
        return found


def column_as_number(urns, size, bars):
    few = min(size, bars)
    number, places = urns.number(math.comb(size + bars, few)), set()
    place = size + bars
    for i in range(few, 0, -1):
        place -= 1
        while math.comb(place, i) > number:
            place -= 1
        number -= math.comb(place, i)
        places.add(place)
    return ["*" if (place in places) == (size < bars) else "|" for place in range(size + bars)]


def column_as_draws(urns, size, bars):
    left, row = [size, bars], []
    while sum(left):
        kind = urns.draw(left)
        left[kind] -= 1
        row.append("*|"[kind])
    return row


def decode(code, pred):
    assert code[:4] == b"\x8eclb"
    assert digest(code[:-6]) == code[-6:]
    numbers = {name: k for k, name in enumerate(dict.fromkeys(pred))}
    clusters = [numbers[name] for name in pred]
    assert int.from_bytes(code[5:9], "little") == len(pred)
    assert code[9:15] == digest(b"".join(k.to_bytes(4, "little") for k in clusters))
    names, _, payload = code[15:-6].partition(b"\0")
    names = json.loads(names.decode("utf-8", "surrogatepass"))
    bars, sizes = len(names) - 1, [clusters.count(k) for k in numbers.values()]

    urns, rows = Urns(payload), {}
    if bars:
        sparse = [size + bars > 64 * min(size, bars) ** 2 for size in sizes]
        for kind, read in ((True, column_as_number), (False, column_as_draws)):
            for k, size in enumerate(sizes):
                if sparse[k] == kind:
                    rows[k] = read(urns, size, bars)
    counts = [
        list(map(len, "".join(rows[k]).split("|"))) if bars else [size]
        for k, size in enumerate(sizes)
    ]

    found = []
    for k in clusters:
        c = urns.draw(counts[k])
        counts[k][c] -= code[4]
        found.append(names[c])
    assert urns.at == len(payload) + 7
    assert urns.offset < 2**56
    return found
