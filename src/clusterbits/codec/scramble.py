"""A fixed pseudo-random permutation of 0 … n - 1, the same on every machine.

Real data have an order; a code that suits nearly all subsets or arrangements suits them too, once
their places are permuted. The permutation is a Feistel network of four rounds on the two halves of
a number's bits; numbers that fall outside 0 … n - 1 go through it again (cycle walking).
"""

from __future__ import annotations

import numpy as np

from clusterbits.codec.rans import Ints, Slots

_KEYS = tuple(np.uint64(key) for key in (0x243F6A88, 0x85A308D3, 0x13198A2E, 0x03707344))
_SPREAD = np.uint64(0x9E3779B97F4A7C15)
_MIX = np.uint64(0xBF58476D1CE4E5B9)


def scrambled(places: Ints, n: Ints, salt: Ints) -> Ints:
    """Return where each place of range(n) goes; every salt gives another permutation.

    >>> scrambled(np.arange(6), np.full(6, 6), np.zeros(6, dtype=int)).tolist()
    [0, 1, 2, 5, 3, 4]
    """
    return _walk(places, n, salt, forward=True)


def unscrambled(places: Ints, n: Ints, salt: Ints) -> Ints:
    """Return where each place came from: the inverse of `scrambled`."""
    return _walk(places, n, salt, forward=False)


def _walk(places: Ints, n: Ints, salt: Ints, forward: bool) -> Ints:
    # Half of the bits of n - 1, rounded up, found without rounding a logarithm.
    half = np.ones(len(places), dtype=np.uint64)
    for bits in range(2, 32, 2):
        half += n > 1 << bits
    keys = salt.astype(np.uint64) << np.uint64(32)
    result = _rounds(places.astype(np.uint64), half, keys, forward)
    size = n.astype(np.uint64)
    outside = np.flatnonzero(result >= size)
    while len(outside):
        result[outside] = _rounds(result[outside], half[outside], keys[outside], forward)
        outside = outside[result[outside] >= size[outside]]
    return result.astype(np.int64)


def _rounds(numbers: Slots, half: Slots, salt: Slots, forward: bool) -> Slots:
    left, right = numbers >> half, numbers & ((np.uint64(1) << half) - np.uint64(1))
    if not forward:
        left, right = right, left
    for key in _KEYS if forward else reversed(_KEYS):
        mixed = (right + key ^ salt) * _SPREAD
        mixed ^= mixed >> np.uint64(29)
        mixed *= _MIX
        left, right = right, left ^ (mixed >> np.uint64(64) - half)
    if not forward:
        left, right = right, left
    return left << half | right
