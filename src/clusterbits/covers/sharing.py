r"""How many clusters pairs of objects share in two covers at once, without a look at all pairs.

For object i, let :math:`N_i(s, t)` be the number of objects that share s clusters with it in the
first cover and t in the second, itself included. Two ways give the same integers:

*By subsets.* Objects that have all clusters of a set S of the first and T of the second cover are
counted once for each pair (S, T). Over the sets of j and l clusters that object i is in, these
counts add up to :math:`\sum_{s,t} \binom sj \binom tl N_i(s, t)`; binomial inversion gives N. An
object with a and b clusters takes part in :math:`2^{a+b}` pairs of sets, however large clusters
are.

*By pairs.* The sparse product of each cover with itself, block by block: as many steps as there
are pairs that share a cluster, however many clusters an object has.

The cheaper is taken. Objects with the same clusters are looked at once.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from itertools import combinations
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from clusterbits.core.ranking import rank
from clusterbits.covers.memberships import Memberships
from clusterbits.covers.rows import ObjectKinds, code_rows, group_objects
from clusterbits.limits import MOST_SECONDS, check_cost, is_affordable

# What a pair of subsets takes, and a pair of objects in one cluster: measured with 6e7 and 9e7.
_SUBSET_SECONDS, _PAIR_SECONDS = 2.5e-7, 1e-7
# Bytes that a pair of subsets takes.
_SUBSET_BYTES = 40
# Pairs of objects in one block.
_BLOCK = 4_000_000


class Sharing(NamedTuple):
    """N_i(s, t) of some kinds of objects, i by s by t, and how many objects of each kind."""

    counts: NDArray[np.int64]
    weights: NDArray[np.int64]


def count_shared(a: Memberships, b: Memberships, what: str) -> Iterator[Sharing]:
    """Yield, kind by kind of object, how many objects share how many clusters with it."""
    kinds = group_objects(code_rows(a), code_rows(b))
    some = a.only(kinds.examples), b.only(kinds.examples)
    by_subsets, by_pairs = _seconds_by_subsets(*some), _seconds_by_pairs(*some)
    small = is_affordable(memory=_SUBSET_BYTES * by_subsets / _SUBSET_SECONDS)
    seconds = min(by_subsets, by_pairs) if small else by_pairs
    check_cost(
        f"{what} of {len(a):,} objects of {len(kinds.examples):,} kinds",
        f"score about {int(len(a) * math.sqrt(MOST_SECONDS / seconds)):,} of them, drawn at random",
        seconds=seconds,
    )
    if small and by_subsets <= by_pairs:
        yield from count_by_subsets(*some, kinds)
    else:
        yield from count_by_pairs(*some, kinds)


def _seconds_by_subsets(a: Memberships, b: Memberships) -> float:
    with np.errstate(over="ignore"):
        return float(np.exp2((a.counts + b.counts).astype(np.float64)).sum()) * _SUBSET_SECONDS


def _seconds_by_pairs(a: Memberships, b: Memberships) -> float:
    sizes = (np.bincount(side.columns).astype(np.float64) for side in (a, b))
    return sum(float((size * size).sum()) for size in sizes) * _PAIR_SECONDS


# --- by subsets ----------------------------------------------------------------------------------


def count_by_subsets(a: Memberships, b: Memberships, kinds: ObjectKinds) -> Iterator[Sharing]:
    """Yield the counts of all kinds at once, from how many objects have each pair of subsets."""
    most = int(a.counts.max()), int(b.counts.max())
    sums = np.zeros((len(a), most[0] + 1, most[1] + 1), dtype=np.int64)
    subsets = _Subsets(a), _Subsets(b)
    for j in range(most[0] + 1):
        for k in range(most[1] + 1):
            sums[:, j, k] = _sum_over_subsets(subsets[0].of(j), subsets[1].of(k), kinds.counts)
    yield Sharing(_inverted(_inverted(sums, 1), 2), kinds.counts)


class _Chosen(NamedTuple):
    """Subsets of the clusters of each object: whose they are, and their numbers."""

    objects: NDArray[np.int64]
    numbers: NDArray[np.int64]


class _Subsets:
    """The subsets of the clusters of each object, numbered across objects."""

    def __init__(self, side: Memberships) -> None:
        self._side = side
        self._known: dict[int, _Chosen] = {}

    def of(self, size: int) -> _Chosen:
        """Return the subsets of one size."""
        if size not in self._known:
            self._known[size] = self._number(size)
        return self._known[size]

    def _number(self, size: int) -> _Chosen:
        side, objects, members = self._side, [], []
        for many in np.unique(side.counts[side.counts >= size]).tolist():
            owners = np.flatnonzero(side.counts == many)
            columns = side.columns[side.starts[owners][:, None] + np.arange(many)]
            for chosen in combinations(range(many), size):
                objects.append(owners)
                members.append(columns[:, chosen])
        clusters = np.concatenate(members)
        numbers = np.zeros(len(clusters), dtype=np.int64)
        for column in clusters.T:
            numbers = rank(numbers * len(side.clusters) + column)[0]
        return _Chosen(np.concatenate(objects), numbers)


def _sum_over_subsets(
    first: _Chosen, second: _Chosen, weights: NDArray[np.int64]
) -> NDArray[np.int64]:
    """Return, for each object, over its pairs of subsets, how many objects have both."""
    one, two = _pair_within_objects(first, second, len(weights))
    objects = first.objects[one]
    width = int(second.numbers.max(initial=0)) + 1
    numbers, distinct = rank(first.numbers[one] * width + second.numbers[two])
    having = np.zeros(len(distinct), dtype=np.int64)
    np.add.at(having, numbers, weights[objects])
    sums = np.zeros(len(weights), dtype=np.int64)
    np.add.at(sums, objects, having[numbers])
    return sums


def _pair_within_objects(
    first: _Chosen, second: _Chosen, n: int
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return all pairs of subsets, one of each cover, of the same object."""
    order = np.argsort(second.objects, kind="stable")
    many = np.bincount(second.objects, minlength=n)
    starts = np.cumsum(many) - many
    repeats = many[first.objects]
    one = np.repeat(np.arange(len(first.objects)), repeats)
    within = np.arange(len(one)) - np.repeat(np.cumsum(repeats) - repeats, repeats)
    return one, order[np.repeat(starts[first.objects], repeats) + within]


def _inverted(sums: NDArray[np.int64], axis: int) -> NDArray[np.int64]:
    """Return N where sums are Σ_s C(s, j) N(s) along an axis."""
    most = sums.shape[axis]
    matrix = np.zeros((most, most), dtype=np.int64)
    for s in range(most):
        for j in range(s, most):
            matrix[s, j] = (-1) ** (j - s) * math.comb(j, s)
    return np.asarray(np.moveaxis(np.tensordot(matrix, sums, axes=(1, axis)), 0, axis))


# --- by pairs ------------------------------------------------------------------------------------


def count_by_pairs(a: Memberships, b: Memberships, kinds: ObjectKinds) -> Iterator[Sharing]:
    """Yield the counts block by block, from pairs of objects that share a cluster."""
    one, two = (_indicator(side) for side in (a, b))
    width = int(a.counts.max()) + 1, int(b.counts.max()) + 1
    n = int(kinds.counts.sum())
    for rows in _blocks(a, b):
        # Both counts in one number, so that one sparse matrix has them.
        shared = (one[rows] @ one.T + (two[rows] @ two.T) * width[0]).tocsr()
        many = shared.shape[0]
        counts = np.zeros(many * width[0] * width[1], dtype=np.int64)
        of = np.repeat(np.arange(many), np.diff(shared.indptr))
        place = of * (width[0] * width[1]) + shared.data
        np.add.at(counts, place, kinds.counts[shared.indices])
        counts = counts.reshape(many, width[1], width[0])
        counts[:, 0, 0] = n - counts.sum(axis=(1, 2))
        yield Sharing(counts.transpose(0, 2, 1), kinds.counts[rows])


def _indicator(side: Memberships) -> Any:
    from scipy.sparse import csr_array

    ones = np.ones(len(side.columns), dtype=np.int64)
    return csr_array((ones, side.columns, side.starts), shape=side.shape)


def _blocks(*sides: Memberships) -> Iterator[slice]:
    """Yield runs of rows that share clusters with about as many objects as one block has."""
    work = sum((pairs_of_rows(side) for side in sides), np.zeros(len(sides[0]), dtype=np.int64))
    return split_work(work, _BLOCK)


def pairs_of_rows(side: Memberships) -> NDArray[np.int64]:
    """Return, for each object, how many objects its clusters have, added up."""
    sizes = np.bincount(side.columns)
    return np.asarray(np.add.reduceat(sizes[side.columns], side.starts[:-1]))


def split_work(work: NDArray[np.int64], block: int) -> Iterator[slice]:
    """Yield runs of rows whose work adds up to about a block, at least one row each.

    >>> list(split_work(np.array([3, 1, 1, 9, 1]), 5))
    [slice(0, 3, None), slice(3, 4, None), slice(4, 5, None)]
    """
    done, start = np.cumsum(work), 0
    while start < len(work):
        before = done[start - 1] if start else 0
        end = max(int(np.searchsorted(done, before + block, side="right")), start + 1)
        yield slice(start, end)
        start = end
