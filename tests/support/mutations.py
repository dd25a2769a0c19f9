"""Codes that were changed: at random, and by someone who puts the checksum right again."""

import hashlib
import random

import clusterbits as cb
from clusterbits.codec.varint import put_varint
from clusterbits.errors import CodeError


def samples() -> list[tuple[bytes, list, list]]:
    """Return codes of every kind, small enough to be changed often: (code, truth, pred)."""
    rng = random.Random(7)
    pairs = [
        ([5], ["x"]),
        (["a"] * 6, [1, 1, 2, 2, 3, 3]),
        (list(range(40)), [0] * 40),
        ([rng.choice("abcde") for _ in range(60)], [rng.randrange(4) for _ in range(60)]),
        ([rng.randrange(200) - 7 for _ in range(700)], [rng.randrange(3) for _ in range(700)]),
        ([rng.randrange(3) * 2**70 for _ in range(500)], [rng.randrange(2) for _ in range(500)]),
        ([rng.random() < 0.5 for _ in range(90)], [rng.randrange(9) for _ in range(90)]),
    ]
    return [
        (cb.codec.encode(truth, pred, labels), truth, pred)
        for truth, pred in pairs
        for labels in ("entropy", "enumerative")
    ]


def sealed(body: bytes) -> bytes:
    """Return a code with the right checksum for whatever it says."""
    return body + hashlib.blake2b(body, digest_size=8).digest()


def mutated(code: bytes, rng: random.Random, others: list[bytes]) -> bytes:
    """Flip, overwrite, insert, delete, repeat or cut a few bytes, or splice in another code."""
    out = bytearray(code)
    for _ in range(rng.choice((1, 1, 1, 2, 4, 16))):
        at = rng.randrange(len(out) + 1)
        kind = rng.randrange(8)
        if kind == 0 and at < len(out):
            out[at] ^= 1 << rng.randrange(8)
        elif kind == 1 and at < len(out):
            out[at] = rng.choice((0, 1, 127, 128, 255, rng.randrange(256)))
        elif kind == 2:
            out[at:at] = rng.randbytes(rng.randrange(1, 9))
        elif kind == 3:
            del out[at : at + rng.randrange(1, 9)]
        elif kind == 4:
            out[at:at] = out[at : at + rng.randrange(1, 33)]
        elif kind == 5:
            del out[at:]
        elif kind == 6:
            other = rng.choice(others)
            begin = rng.randrange(len(other))
            out[at : at + rng.randrange(16)] = other[begin : begin + rng.randrange(32)]
        else:
            out[at : at + rng.randrange(1, 4)] = put_varint(1 << rng.randrange(62))
    return bytes(out)


def try_decoding(code: bytes, sample: tuple[bytes, list, list], honest: bool) -> bool:
    """Decode; return whether it was refused. Anything but CodeError or a right answer is a bug.

    A code with a repaired checksum may be the code of other labels; an honest one may not.
    """
    original, truth, pred = sample
    try:
        found = cb.codec.decode(code, pred)
    except CodeError:
        return True
    if len(found) != len(truth):
        raise AssertionError("a label list of the wrong length")
    if honest and (code != original or found.tolist() != truth):
        raise AssertionError("a changed code was decoded")
    return False
