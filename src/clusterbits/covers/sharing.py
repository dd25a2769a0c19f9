r"""Numbers of clusters that pairs of objects share in two covers at once.

For object i, let :math:`N_i(s, t)` be the number of objects that share s clusters with it in the
first cover and t in the second, itself included. Two algorithms give the same integers:

*By subsets.* Objects that have all clusters of a set S of the first and T of the second cover are
counted once for each pair (S, T). Over the sets of j and l clusters that object i is in, these
counts add up to :math:`\sum_{s,t} \binom sj \binom tl N_i(s, t)`; binomial inversion gives N. An
object with a and b clusters takes part in :math:`2^{a+b}` pairs of sets, however large clusters
are.

*By pairs.* The sparse product of each cover with itself, block by block: as many steps as there
are pairs that share a cluster, however many clusters an object has.

The cheaper one is chosen, and counts each unique row of memberships once.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from clusterbits.covers.memberships import Memberships
from clusterbits.system.limits import fits_memory
from clusterbits.table.margins import sum_by_code
from clusterbits.table.numbering import UniqueRows, concat_ranges, factorize_integers, group_objects

# Time per pair of subsets and per pair of objects in one cluster, relative to that per entry of
# N_i(s, t); peak bytes per pair of subsets and per entry.
_SUBSET_STEPS, _PAIR_STEPS = 50, 20
_SUBSET_BYTES, _CELL_BYTES = 40, 24
# Pairs of objects in one block.
_BLOCK = 4_000_000


class Sharing(NamedTuple):
    """The entries N_i(s, t) above 0 of a range of unique rows, in order.

    Row `rows[m]` shares `first[m]` and `second[m]` clusters with `counts[m]` objects; `weights` are
    the numbers of objects with rows 0, 1, ... of the range.
    """

    rows: NDArray[np.int64]
    first: NDArray[np.int64]
    second: NDArray[np.int64]
    counts: NDArray[np.int64]
    weights: NDArray[np.int64]


def count_shared(a: Memberships, b: Memberships) -> Iterator[Sharing]:
    """Yield the counts of shared clusters, by the cheaper algorithm."""
    unique = group_objects(a.row_codes, b.row_codes)
    a, b = a.subset(unique.examples), b.subset(unique.examples)
    by_pairs = _PAIR_STEPS * float(pairs_of_rows(a).sum() + pairs_of_rows(b).sum())
    by_subsets, memory = _cost_of_subsets(a, b)
    if by_subsets <= by_pairs and fits_memory(memory):
        yield count_by_subsets(a, b, unique)
    else:
        yield from count_by_pairs(a, b, unique)


def _cost_of_subsets(a: Memberships, b: Memberships) -> tuple[float, float]:
    """Return the steps and the bytes that counting by subsets takes."""
    with np.errstate(over="ignore"):
        pairs = float(np.exp2((a.counts + b.counts).astype(np.float64)).sum())
    width = float(a.counts.max()) + 1, float(b.counts.max()) + 1
    cells = len(a) * width[0] * width[1]
    steps = pairs * _SUBSET_STEPS + cells * sum(width)
    return steps, pairs * _SUBSET_BYTES + cells * _CELL_BYTES


# --- by subsets ----------------------------------------------------------------------------------


def count_by_subsets(a: Memberships, b: Memberships, unique: UniqueRows) -> Sharing:
    """Return the counts of all rows, from the numbers of objects with each pair of subsets."""
    subsets_a, subsets_b = (
        [_list_subsets(cover, size) for size in range(cover.counts.max() + 1)] for cover in (a, b)
    )
    sums = np.zeros((len(a), len(subsets_a), len(subsets_b)), dtype=np.int64)
    for j, first in enumerate(subsets_a):
        for k, second in enumerate(subsets_b):
            sums[:, j, k] = _sum_over_subsets(first, second, unique.counts)
    counts = _invert_binomial(_invert_binomial(sums, 1), 2)
    rows, s, t = np.nonzero(counts)
    return Sharing(rows, s, t, counts[rows, s, t], unique.counts)


class _Subsets(NamedTuple):
    """Subsets of the clusters of each object, and their codes."""

    objects: NDArray[np.int64]
    codes: NDArray[np.int64]


def _list_subsets(cover: Memberships, size: int) -> _Subsets:
    """Return the subsets of one size of the clusters of each object."""
    objects, members = [], []
    for n_clusters in np.unique(cover.counts[cover.counts >= size]).tolist():
        rows = np.flatnonzero(cover.counts == n_clusters)
        columns = cover.columns[cover.starts[rows][:, None] + np.arange(n_clusters)]
        for subset in combinations(range(n_clusters), size):
            objects.append(rows)
            members.append(columns[:, subset])
    clusters = np.concatenate(members)
    codes = np.zeros(len(clusters), dtype=np.int64)
    for column in clusters.T:
        codes = factorize_integers(codes * len(cover.clusters) + column)[0]
    return _Subsets(np.concatenate(objects), codes)


def _sum_over_subsets(
    first: _Subsets, second: _Subsets, weights: NDArray[np.int64]
) -> NDArray[np.int64]:
    """Return, per object, the sum over its pairs of subsets of the objects that have both."""
    # All pairs of subsets of the same object, one of each cover.
    order = np.argsort(second.objects, kind="stable")
    counts = np.bincount(second.objects, minlength=len(weights))
    starts, repeats = np.cumsum(counts) - counts, counts[first.objects]
    in_first = np.repeat(np.arange(len(first.objects)), repeats)
    in_second = order[concat_ranges(starts[first.objects], repeats)]
    objects, width = first.objects[in_first], int(second.codes.max(initial=0)) + 1
    codes, distinct = factorize_integers(first.codes[in_first] * width + second.codes[in_second])
    objects_with_both = sum_by_code(codes, weights[objects], len(distinct))
    return sum_by_code(objects, objects_with_both[codes], len(weights))


def _invert_binomial(sums: NDArray[np.int64], axis: int) -> NDArray[np.int64]:
    """Return N from the sums Σ_s C(s, j) N(s) along an axis."""
    from scipy.linalg import invpascal

    matrix = invpascal(sums.shape[axis], kind="upper").astype(np.int64)
    return np.asarray(np.moveaxis(np.tensordot(matrix, sums, axes=(1, axis)), 0, axis))


# --- by pairs ------------------------------------------------------------------------------------


def count_by_pairs(a: Memberships, b: Memberships, unique: UniqueRows) -> Iterator[Sharing]:
    """Yield the counts block by block, from pairs of objects that share a cluster."""
    in_a, in_b = a.indicator, b.indicator
    width, n = int(b.counts.max()) + 1, int(unique.counts.sum())
    for block in split_work(pairs_of_rows(a) + pairs_of_rows(b), _BLOCK):
        # Both numbers in one, so that one sparse matrix has them.
        shared = ((in_a[block] @ in_a.T) * width + in_b[block] @ in_b.T).tocoo()
        weights, partners = unique.counts[block], unique.counts[shared.col]
        # The rest of the n objects share no cluster.
        rows, rest = np.arange(len(weights)), n - sum_by_code(shared.row, partners, len(weights))
        # Codes only of the numbers that occur: one object may be in very many clusters.
        codes, numbers = factorize_integers(np.concatenate([0 * rows, shared.data]))
        entries, keys = factorize_integers(
            np.concatenate([rows, shared.row]) * len(numbers) + codes
        )
        counts = sum_by_code(entries, np.concatenate([rest, partners]), len(keys))
        keys, counts = keys[counts > 0], counts[counts > 0]
        first, second = np.divmod(numbers[keys % len(numbers)], width)
        yield Sharing(keys // len(numbers), first, second, counts, weights)


def pairs_of_rows(cover: Memberships) -> NDArray[np.int64]:
    """Return the sum of the sizes of the clusters of each object."""
    sizes = np.bincount(cover.columns)
    return np.asarray(np.add.reduceat(sizes[cover.columns], cover.starts[:-1]))


def split_work(work: NDArray[np.int64], block: int) -> Iterator[slice]:
    """Yield ranges of rows whose work adds up to about a block, at least one row each.

    >>> list(split_work(np.array([3, 1, 1, 9, 1]), 5))
    [slice(0, 3, None), slice(3, 4, None), slice(4, 5, None)]
    """
    done, start = np.cumsum(work), 0
    while start < len(work):
        before = done[start - 1] if start else 0
        end = max(int(np.searchsorted(done, before + block, side="right")), start + 1)
        yield slice(start, end)
        start = end
