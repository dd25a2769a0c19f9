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

from collections.abc import Iterator
from itertools import combinations
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from clusterbits.covers.memberships import Memberships
from clusterbits.covers.objects import code_rows
from clusterbits.system.limits import fits_memory
from clusterbits.table.margins import sum_by_code
from clusterbits.table.numbering import UniqueRows, factorize_integers, group_objects
from clusterbits.table.ranges import concat_ranges

# How long a pair of subsets takes, a pair of objects in one cluster, and a pair of numbers (s, t)
# for a kind of object, in units of the last; and their bytes.
_SUBSET_STEPS, _PAIR_STEPS = 50, 20
_SUBSET_BYTES, _CELL_BYTES = 40, 24
# Pairs of objects in one block.
_BLOCK = 4_000_000


class Sharing(NamedTuple):
    """N_i(s, t) above 0 of some kinds of objects, in order, and how many objects of each kind.

    `kinds[m]` shares `first[m]` and `second[m]` clusters with `counts[m]` objects; `weights` are
    the numbers of objects of kinds 0, 1, ...
    """

    kinds: NDArray[np.int64]
    first: NDArray[np.int64]
    second: NDArray[np.int64]
    counts: NDArray[np.int64]
    weights: NDArray[np.int64]


def count_shared(a: Memberships, b: Memberships) -> Iterator[Sharing]:
    """Yield, kind by kind of object, how many objects share how many clusters with it."""
    kinds = group_objects(code_rows(a), code_rows(b))
    some = a.subset(kinds.examples), b.subset(kinds.examples)
    by_pairs = _PAIR_STEPS * float(sum(pairs_of_rows(side).sum() for side in some))
    steps, memory = _cost_of_subsets(*some)
    if steps <= by_pairs and fits_memory(memory):
        yield count_by_subsets(*some, kinds)
    else:
        yield from count_by_pairs(*some, kinds)


def _cost_of_subsets(a: Memberships, b: Memberships) -> tuple[float, float]:
    """Return the steps and the bytes that counting by subsets takes."""
    with np.errstate(over="ignore"):
        pairs = float(np.exp2((a.counts + b.counts).astype(np.float64)).sum())
    width = float(a.counts.max()) + 1, float(b.counts.max()) + 1
    cells = len(a) * width[0] * width[1]
    steps = pairs * _SUBSET_STEPS + cells * sum(width)
    return steps, pairs * _SUBSET_BYTES + cells * _CELL_BYTES


# --- by subsets ----------------------------------------------------------------------------------


def count_by_subsets(a: Memberships, b: Memberships, kinds: UniqueRows) -> Sharing:
    """Return the counts of all kinds, from how many objects have each pair of subsets."""
    of_a, of_b = ([_subsets(x, size) for size in range(x.counts.max() + 1)] for x in (a, b))
    sums = np.zeros((len(a), len(of_a), len(of_b)), dtype=np.int64)
    for j, one in enumerate(of_a):
        for k, two in enumerate(of_b):
            sums[:, j, k] = _sum_over_subsets(one, two, kinds.counts)
    counts = _inverted(_inverted(sums, 1), 2)
    of, first, second = np.nonzero(counts)
    return Sharing(of, first, second, counts[of, first, second], kinds.counts)


class _Chosen(NamedTuple):
    """Subsets of the clusters of each object: whose they are, and their numbers."""

    objects: NDArray[np.int64]
    numbers: NDArray[np.int64]


def _subsets(side: Memberships, size: int) -> _Chosen:
    """Return the subsets of one size of the clusters of each object, numbered across objects."""
    objects, members = [], []
    for many in np.unique(side.counts[side.counts >= size]).tolist():
        owners = np.flatnonzero(side.counts == many)
        columns = side.columns[side.starts[owners][:, None] + np.arange(many)]
        for chosen in combinations(range(many), size):
            objects.append(owners)
            members.append(columns[:, chosen])
    clusters = np.concatenate(members)
    numbers = np.zeros(len(clusters), dtype=np.int64)
    for column in clusters.T:
        numbers = factorize_integers(numbers * len(side.clusters) + column)[0]
    return _Chosen(np.concatenate(objects), numbers)


def _sum_over_subsets(
    first: _Chosen, second: _Chosen, weights: NDArray[np.int64]
) -> NDArray[np.int64]:
    """Return, for each object, over its pairs of subsets, how many objects have both."""
    one, two = _pair_within_objects(first, second, len(weights))
    objects = first.objects[one]
    width = int(second.numbers.max(initial=0)) + 1
    numbers, distinct = factorize_integers(first.numbers[one] * width + second.numbers[two])
    having = sum_by_code(numbers, weights[objects], len(distinct))
    return sum_by_code(objects, having[numbers], len(weights))


def _pair_within_objects(
    first: _Chosen, second: _Chosen, n: int
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return all pairs of subsets, one of each cover, of the same object."""
    order = np.argsort(second.objects, kind="stable")
    many = np.bincount(second.objects, minlength=n)
    starts = np.cumsum(many) - many
    repeats = many[first.objects]
    one = np.repeat(np.arange(len(first.objects)), repeats)
    return one, order[concat_ranges(starts[first.objects], repeats)]


def _inverted(sums: NDArray[np.int64], axis: int) -> NDArray[np.int64]:
    """Return N where sums are Σ_s C(s, j) N(s) along an axis."""
    from scipy.linalg import invpascal

    matrix = invpascal(sums.shape[axis], kind="upper").astype(np.int64)
    return np.asarray(np.moveaxis(np.tensordot(matrix, sums, axes=(1, axis)), 0, axis))


# --- by pairs ------------------------------------------------------------------------------------


def count_by_pairs(a: Memberships, b: Memberships, kinds: UniqueRows) -> Iterator[Sharing]:
    """Yield the counts block by block, from pairs of objects that share a cluster."""
    one, two = a.indicator, b.indicator
    width, n = int(b.counts.max()) + 1, int(kinds.counts.sum())
    for rows in split_work(pairs_of_rows(a) + pairs_of_rows(b), _BLOCK):
        # Both numbers in one, so that one sparse matrix has them.
        shared = ((one[rows] @ one.T) * width + two[rows] @ two.T).tocoo()
        weights, others = kinds.counts[rows], kinds.counts[shared.col]
        # The rest of the n objects share no cluster.
        every, none = np.arange(len(weights)), n - sum_by_code(shared.row, others, len(weights))
        # Of the numbers only those that occur: one object may be in very many clusters.
        numbers, known = factorize_integers(np.concatenate([0 * every, shared.data]))
        places, keys = factorize_integers(
            np.concatenate([every, shared.row]) * len(known) + numbers
        )
        counts = sum_by_code(places, np.concatenate([none, others]), len(keys))
        keys, counts = keys[counts > 0], counts[counts > 0]
        first, second = np.divmod(known[keys % len(known)], width)
        yield Sharing(keys // len(known), first, second, counts, weights)


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
