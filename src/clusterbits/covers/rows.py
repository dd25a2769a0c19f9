"""Objects with equal memberships, grouped: measures look at each kind of object once."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from clusterbits.core.coding import rank
from clusterbits.core.margins import sum_by_place
from clusterbits.covers.memberships import Memberships


class ObjectKinds(NamedTuple):
    """One object of each kind, and how many there are; the order is that of their contents."""

    examples: NDArray[np.int64]
    counts: NDArray[np.int64]


def group_objects(
    *codes: NDArray[np.int64], weights: NDArray[np.int64] | None = None
) -> ObjectKinds:
    """Return the kinds of objects that several codes tell apart, and their weights added up.

    >>> group_objects(np.array([0, 1, 0, 0]), np.array([5, 5, 5, 6]))
    ObjectKinds(examples=array([0, 3, 1]), counts=array([2, 1, 1]))
    """
    kinds = rank(codes[0])[0]
    for code in codes[1:]:
        kinds = _pair(kinds, code)
    weights = np.ones_like(kinds) if weights is None else weights
    counts = sum_by_place(kinds, weights, int(kinds.max()) + 1)
    examples = np.empty(len(counts), dtype=np.int64)
    examples[kinds[::-1]] = np.arange(len(kinds))[::-1]
    return ObjectKinds(examples, counts)


def code_rows(memberships: Memberships) -> NDArray[np.int64]:
    """Return a code for each object: equal codes for equal memberships, in order of contents."""
    starts, counts = memberships.starts, memberships.counts
    codes = rank(counts)[0].copy()
    levels = np.unique(memberships.degrees, return_inverse=True)[1]
    held = np.arange(len(codes))
    for place in range(int(counts.max())):
        # Objects in more clusters have higher codes, so only those at the end are told apart.
        held = held[counts[held] > place]
        at = starts[held] + place
        entry = memberships.columns[at] * (int(levels.max()) + 1) + levels[at]
        base = int(codes[held].min())
        told = _pair(codes[held] - base, entry)
        codes[held] = base + told
        if int(told.max()) + 1 == len(held):  # all differ already
            break
    return codes


def _pair(codes: NDArray[np.int64], others: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return a code for each pair of codes."""
    others = rank(others)[0]
    return rank(codes * (int(others.max()) + 1) + others)[0]
