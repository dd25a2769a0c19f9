"""A second decoder, written from docs/reference/code_format.md: plain Python, one symbol at a time.

It checks that the page describes what `decode` does, and that neither depends on numpy.
"""

import hashlib
import math

KEYS = (0x243F6A88, 0x85A308D3, 0x13198A2E, 0x03707344)
MASK = 2**64 - 1


def varint(code, at):
    value = shift = 0
    while True:
        byte = code[at]
        value |= (byte & 127) << shift
        at, shift = at + 1, shift + 7
        if byte < 128:
            return value, at


def scramble(place, n, salt):
    half = max(1, ((n - 1).bit_length() + 1) // 2)
    while True:
        left, right = place >> half, place & (1 << half) - 1
        for key in KEYS:
            y = ((right + key) ^ (salt << 32)) * 0x9E3779B97F4A7C15 & MASK
            y = (y ^ y >> 29) * 0xBF58476D1CE4E5B9 & MASK
            left, right = right, left ^ y >> 64 - half
        place = left << half | right
        if place < n:
            return place


class Coder:
    def __init__(self, payload):
        self.lanes, at = 1 << payload[0], 1
        if self.lanes == 1:
            words = (len(payload) - 6) // 4
            self.states, self.in_lanes = [int.from_bytes(payload[1 + 4 * words :], "little")], 0
        else:
            self.in_lanes, at = varint(payload, at)
            bits, self.states, begin = int.from_bytes(payload[at:], "little"), [], 8 * at
            for _ in range(self.lanes):
                length = (bits & 31) + 33
                self.states.append(bits >> 5 & (1 << length - 1) - 1 | 1 << length - 1)
                bits >>= length + 4
                begin += length + 4
            at = (begin + 7) // 8
            words = (len(payload) - at) // 4
        self.stack = [int.from_bytes(payload[at + 4 * i :][:4], "little") for i in range(words)]

    def symbol(self, starts):
        """Decode one symbol of a list of first slots, which ends with 2^28."""
        lane = self.lanes - 1 - (self.in_lanes - 1) % self.lanes if self.in_lanes else 0
        slot = self.states[lane] % 2**28
        found = max(i for i, start in enumerate(starts) if start <= slot)
        freq = starts[found + 1] - starts[found]
        state = (self.states[lane] >> 28) * freq + slot - starts[found]
        self.states[lane] = state << 32 | self.stack.pop() if state < 2**32 else state
        if self.in_lanes:
            self.in_lanes -= 1
            if self.in_lanes == 0:
                assert not self.stack
                self.stack = [x - 2**32 for x in self.states[1:]]
        return found

    def uniform(self, total):
        if total == 1:
            return 0
        # A list of all values would be long: the slot says which are near.
        lane = self.lanes - 1 - (self.in_lanes - 1) % self.lanes if self.in_lanes else 0
        slot = self.states[lane] % 2**28
        low = max(0, slot * total // 2**28 - 2)
        values = range(low, min(total, low + 5) + 1)
        starts = [v * 2**28 // total for v in values]
        return low + self.symbol(starts)

    def cell(self, counts):
        total = sum(counts) or 1
        sums = [sum(counts[:i]) for i in range(len(counts) + 1)]
        shared = 2**28 - len(counts)
        starts = [sums[i] * shared // total + i for i in range(len(counts))]
        return self.symbol([*starts, 2**28])

    def bit(self, ones):
        return self.symbol([0, 2**28 - min(max(ones, 1), 2**28 - 1), 2**28])


def numbers(coder, totals):
    found, low = [], []
    for total in totals:
        length = (total - 1).bit_length()
        low.append(length - 18 if length > 20 else 0)
        found.append(coder.uniform((total - 1 >> low[-1]) + 1))
    while any(low):
        for i in [i for i, bits in enumerate(low) if bits]:
            width = min(16, low[i])
            low[i] -= width
            found[i] = found[i] << width | coder.uniform(1 << width)
    return found


def subsets(coder, places, sizes, first):
    """Decode one block of subsets."""
    room, left, found = list(places), list(sizes), [[] for _ in sizes]
    while some := [k for k in range(len(sizes)) if left[k] > 64]:
        gaps = [(k, i) for k in some for i in range(left[k] // 64)]
        value = dict.fromkeys(gaps, 0)
        ratio = {k: (room[k] - left[k] << 32) // room[k] for k in some}
        digits = {k: (room[k] // left[k]).bit_length() for k in some}
        for place in range(max(digits.values())):
            for k, i in gaps:
                if digits[k] > place:
                    ones = (ratio[k] << 28) // (2**32 + ratio[k])
                    value[k, i] |= coder.bit(ones) << place
            for k in some:
                if digits[k] > place:
                    ratio[k] = ratio[k] ** 2 >> 32
        waiting = gaps
        while waiting := [gap for gap in waiting if coder.bit(ratio[gap[0]] >> 4)]:
            for k, i in waiting:
                value[k, i] += 1 << digits[k]
        for k, i in gaps:
            found[k].append((found[k][-1] if found[k] else -1) + 1 + value[k, i])
            room[k] -= value[k, i] + 1
            left[k] -= 1
    totals = {k: math.comb(room[k], left[k]) for k in range(len(sizes)) if left[k]}
    single = [k for k in totals if left[k] == 1 and room[k] > 1]
    small = [k for k in totals if left[k] > 1 and totals[k] < 2**62]
    large = [k for k in totals if left[k] > 1 and totals[k] >= 2**62]
    index = {k: 0 for k in totals if left[k] == 1}
    for kind in (single, small, large):
        index |= dict(zip(kind, numbers(coder, [totals[k] for k in kind]), strict=True))
    for k, rank in index.items():
        begin, tail = (found[k][-1] if found[k] else -1) + 1, []
        for i in range(left[k], 0, -1):
            element = i - 1
            while math.comb(element + 1, i) <= rank:
                element += 1
            rank -= math.comb(element, i)
            tail.append(begin + element)
        found[k] += reversed(tail)
    for k, n in enumerate(places):
        if sizes[k] > 64:
            back = {scramble(place, n, first + k): place for place in range(n)}
            found[k] = sorted(back[place] for place in found[k])
    return found


def decode(code, pred):
    assert code[:5] == b"\x8eclb\x01"
    assert hashlib.blake2b(code[:-8], digest_size=8).digest() == code[-8:]
    n, at = varint(code, 6)
    numbering = {name: k for k, name in enumerate(dict.fromkeys(pred))}
    clusters = [numbering[name] for name in pred]
    known = b"".join(k.to_bytes(4, "little") for k in clusters)
    assert hashlib.blake2b(known, digest_size=8).digest() == code[at : at + 8]
    assert n == len(pred)
    width, at = varint(code, at + 8)
    names = []
    for _ in range(width):
        v, at = varint(code, at)
        kind, v = v & 3, v >> 2
        text = code[at : at + v] if kind in (1, 2) else b""
        at += len(text)
        if kind == 2:
            names.append(text.decode("utf-8", "surrogatepass"))
        else:
            names.append([v, int.from_bytes(text, "little", signed=True), None, bool(v)][kind])
    coder = Coder(code[at:-8])

    sizes = [clusters.count(k) for k in range(len(numbering))]
    table = [[size] for size in sizes]
    bars = width - 1
    first = 0 if bars else len(sizes)
    while first < len(sizes):
        last = first + 1
        while last < len(sizes) and sum(min(m, bars) for m in sizes[first : last + 1]) <= 2**18:
            last += 1
        block = sizes[first:last]
        sent = subsets(coder, [m + bars for m in block], [min(m, bars) for m in block], first)
        for k, (m, places) in enumerate(zip(block, sent, strict=True), start=first):
            is_bar = [(place in places) != (m < bars) for place in range(m + bars)]
            column = "".join("|" if bar else "*" for bar in is_bar)
            table[k] = [len(stars) for stars in column.split("|")]
        first = last

    rows = [[c for c, count in enumerate(column) if count] for column in table]
    left = [[count for count in column if count] for column in table]
    found = [names[row[0]] for k in clusters for row in [rows[k]]]
    if code[5] == 0:
        for i, k in enumerate(clusters):
            if len(rows[k]) > 1:
                found[i] = names[rows[k][coder.cell(left[k])]]
    else:
        for begin in range(0, n, 2**20):
            waiting = [[] for _ in sizes]
            for j in range(begin, min(n, begin + 2**20)):
                i = scramble(j, n, 0)
                if len(rows[clusters[i]]) > 1:
                    waiting[clusters[i]].append(i)
            while any(waiting):
                counts = [list(column) for column in left]
                for k, objects in enumerate(waiting):
                    share = max(1, sum(counts[k]) // 64)
                    for i in objects[:share]:
                        cell = coder.cell(counts[k])
                        left[k][cell] -= 1
                        found[i] = names[rows[k][cell]]
                    waiting[k] = objects[share:]
    assert (coder.in_lanes, coder.stack, coder.states[0]) == (0, [], 2**32)
    return found
