"""Scattered integers numbered, or ranked, by a compiled hash table."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from clusterbits.core import kernels

# Numbers that are exchanged for ranks together: they stay in the cache.
_CHUNK = 1 << 17


def number_labels(labels: NDArray[Any]) -> tuple[NDArray[np.int64], NDArray[Any]]:
    """Return each label's number among the distinct labels, and those labels, in any order.

    They are integers in the machine's byte order.
    """
    if kernels.native is None:
        known, numbers = np.unique(labels, return_inverse=True)
        return numbers, known
    numbers, found = np.empty((2, len(labels)), dtype=np.int64)
    count = kernels.native.number_integers(labels, numbers, found)
    return numbers, found[:count].view(np.uint64 if labels.dtype == np.uint64 else np.int64)


def rank_hashed(labels: NDArray[Any]) -> tuple[NDArray[np.int64], NDArray[Any]]:
    """Return each label's position among the distinct labels, and those labels, ascending.

    Only the distinct labels are sorted. Labels are integers in the machine's byte order.
    """
    ranks, known = number_labels(labels)
    order = np.argsort(known)
    place = np.empty(len(known), dtype=np.int64)
    place[order] = np.arange(len(known))
    for begin in range(0, len(ranks), _CHUNK):
        part = ranks[begin : begin + _CHUNK]
        part[:] = place[part]
    return ranks, known[order]
