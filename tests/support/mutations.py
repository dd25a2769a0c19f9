"""Codes that were changed: at random, and by someone who puts the checksum right again."""

import random

from support.plain_decoder import digest


def sealed(body: bytes) -> bytes:
    """Return a code with the right checksum for whatever it says."""
    return body + digest(body)


def mutated(code: bytes, rng: random.Random) -> bytes:
    """Flip, overwrite, insert, delete, repeat or cut a few bytes."""
    out = bytearray(code)
    for _ in range(rng.choice((1, 1, 1, 2, 4, 16))):
        at = rng.randrange(len(out) + 1)
        kind = rng.randrange(6)
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
        else:
            del out[at:]
    return bytes(out)
