r"""What two columns of a sparse table have in common, and the pairs that have most.

Putting two columns x and y of counts together saves

.. math:: S(x, y) = \sum_i \varphi(x_i, y_i), \qquad
          \varphi(u, v) = u \log_2 \tfrac{u+v}{u} + v \log_2 \tfrac{u+v}{v},

bits for telling their objects apart row by row; a row adds nothing where either is empty. The
value of a pair is S plus a `base` that does not depend on the single counts. For merges the
columns are clusters; for confused classes they are classes.

Small tables try every pair. Large ones try only pairs that share a row, and only columns whose
upper bound still passes the best pairs found so far.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from copy import copy
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from clusterbits.core import kernels
from clusterbits.core.cells import count_sorted, sum_by_key
from clusterbits.core.combinatorics import BITS_PER_NAT, FloatArray
from clusterbits.core.table import Contingency

Index = NDArray[np.intp]
# A number for each pair of columns (one or many on either side).
PairValue = Callable[[Any, Any], FloatArray]

# A dense copy has at most this many cells, and all its pairs take this many additions: seconds.
_DENSE_CELLS = 4 * 10**6
_DENSE_WORK = 4 * 10**9
# The overhead of a pair of columns, in such additions.
_PAIR_WORK = 16
# Pairs of cells in one row that are walked for an exact answer: seconds.
_WALK = 3 * 10**7
# Likely pairs: the largest cells of a column, and the neighbours of each within its row.
_LEADING, _NEIGHBOURS = 2, 3
# Cells that are looked up together: a hundred megabytes, and Ctrl-C waits for less than a second.
_LOOKED_UP = 2 * 10**6
# Cells of dense rows, or pairs of cells, that are added together: they stay in the cache.
_BLOCK = 2**15
# Up to this many columns the S of all pairs are kept: 32 MB.
_REMEMBERED = 2000
# Columns whose upper bounds are computed together.
_ROWS = 64
# Up to this count, logarithms are tabulated: 8 MB.
_MOST_TABULATED = 2**20
# Keeps 0·log 0 at zero, and is nothing beside any count.
_TINY = 1e-300


def shared_bits(u: FloatArray, v: FloatArray) -> FloatArray:
    """Return φ(u, v) for u, v > 0, in bits: both terms positive, no digits lost."""
    return np.asarray((u * np.log1p(v / u) + v * np.log1p(u / v)) * BITS_PER_NAT)


def summed(index: Index, values: FloatArray, size: int) -> FloatArray:
    """Return the sum of the values at each index."""
    return np.bincount(index, weights=values, minlength=size).astype(np.float64, copy=False)


class Pairs(NamedTuple):
    """The best pairs of columns, best first, and whether it is proven that no other is better."""

    first: Index
    second: Index
    proven: bool


@dataclass(frozen=True)
class SparseColumns:
    """Columns of positive counts; the cells are sorted by row, then by column."""

    rows: Index
    columns: Index
    counts: FloatArray
    shape: tuple[int, int]

    @classmethod
    def of(cls, table: Contingency) -> SparseColumns:
        """Return the clusters of a table as columns of float counts."""
        return cls(table.rows, table.columns, table.counts.astype(np.float64), table.shape)

    def merged(self, group: Index) -> SparseColumns:
        """Return the columns added up by group; groups are numbered without gaps."""
        width = int(group.max()) + 1
        keys, counts = sum_by_key(self.rows * width + group[self.columns], self.counts)
        rows, columns = np.divmod(keys, width)
        return SparseColumns(rows, columns, counts, (self.shape[0], width))

    @cached_property
    def sizes(self) -> FloatArray:
        """The sum of each column."""
        return summed(self.columns, self.counts, self.shape[1])

    @cached_property
    def fits(self) -> bool:
        """Whether a dense copy is small enough to try every pair."""
        height, width = self._shared.shape
        pairs = width * width * (height + _PAIR_WORK)
        return height * width <= _DENSE_CELLS and pairs <= _DENSE_WORK

    @cached_property
    def _shared(self) -> SparseColumns:
        """The same without the rows of a single cell: they add nothing to any S."""
        shared = np.bincount(self.rows, minlength=self.shape[0]) > 1
        kept = shared[self.rows]
        place = np.cumsum(shared) - 1
        return SparseColumns(
            place[self.rows[kept]],
            self.columns[kept],
            self.counts[kept],
            (int(shared.sum()), self.shape[1]),
        )

    @cached_property
    def dense(self) -> DenseColumns:
        """A dense copy, without the rows of a single cell."""
        shared = self._shared
        array = np.zeros(shared.shape[::-1])
        array[shared.columns, shared.rows] = shared.counts
        return DenseColumns(array)

    @cached_property
    def _by_column(self) -> tuple[Index, Index]:
        """The cells in order of their columns, and where each column begins."""
        order = np.argsort(self.columns, kind="stable")
        lengths = np.bincount(self.columns, minlength=self.shape[1])
        return order, np.concatenate([[0], np.cumsum(lengths)])

    @cached_property
    def _keys(self) -> tuple[Index, FloatArray]:
        """A number for each cell, ascending by column and row, and the counts in that order.

        What is looked up for one pair is near together: in the cache.
        """
        order = self._by_column[0]
        return self.columns[order] * self.shape[0] + self.rows[order], self.counts[order]

    def overlap(self, first: Index, second: Index) -> FloatArray:
        """Return S for each pair of columns."""
        start = self._by_column[1]
        length = np.diff(start)
        if len(first) > 1 and np.minimum(length[first], length[second]).sum() > _LOOKED_UP:
            half = len(first) // 2
            parts = slice(None, half), slice(half, None)
            return np.concatenate([self.overlap(first[part], second[part]) for part in parts])
        # The cells of the shorter column are looked up in the longer one.
        swap = length[first] > length[second]
        short, long = np.where(swap, second, first), np.where(swap, first, second)
        pair = np.repeat(np.arange(len(short)), length[short])
        keys, counts = self._keys
        cells = _ranges(start[short], length[short])
        wanted = keys[cells] + (long - short)[pair] * self.shape[0]
        place = np.minimum(np.searchsorted(keys, wanted), len(keys) - 1)
        hit = keys[place] == wanted
        bits = shared_bits(counts[cells[hit]], counts[place[hit]])
        return summed(pair[hit], bits, len(short))

    @cached_property
    def likely_pairs(self) -> tuple[Index, Index]:
        """Pairs that probably share much, a few for each column.

        Columns with the same leading row are sorted by the share it has in them, then by size;
        neighbours in that order are likely pairs. The work grows only with the cells.
        """
        order = np.lexsort((-self.counts, self.columns))
        column = self.columns[order]
        rank = np.arange(len(order)) - self._by_column[1][column]
        cells = order[rank < _LEADING]
        rows, columns, counts = self.rows[cells], self.columns[cells], self.counts[cells]
        sizes = self.sizes[columns]
        order = np.lexsort((-sizes, -counts / sizes, rows))
        rows, columns = rows[order], columns[order]
        near = [
            (columns[:-step][same], columns[step:][same])
            for step in range(1, _NEIGHBOURS + 1)
            for same in [rows[:-step] == rows[step:]]
        ]
        first, second = (np.concatenate(side) for side in zip(*near, strict=True))
        keys = np.minimum(first, second) * self.shape[1] + np.maximum(first, second)
        # Sorting is far faster than np.unique's hash table.
        keys, _ = count_sorted(np.sort(keys))
        low, high = np.divmod(keys, self.shape[1])
        return low, high

    def best_pairs(self, top: int, base: PairValue, upper: PairValue, key: FloatArray) -> Pairs:
        """Return the pairs with the greatest base + S.

        `upper` is an upper bound of that value, which grows with the `key` of either column. On
        large tables the best of the likely pairs set a bar, and columns that cannot reach it are
        left out. Take merges of clusters a = (30, 0), b = (28, 1), c = (0, 40), d = (1, 2), and
        top = 1: the likely pair a, b saves 2.92 bits, and nothing merged with d saves more than
        1.90. So d is left out, and only a, b and b, c, which share a class, are computed.
        """
        first, second = self.likely_pairs
        likely = _TopPairs(top)
        likely.offer(first, second, base(first, second) + self.overlap(first, second))
        # The likely pairs are met again, and may then differ in the last digits.
        bar = _just_below(likely.bar)
        if self.fits:
            return self._best_of_all(top, base, bar)
        highest = upper(np.arange(self.shape[1]), np.argmax(key))
        if _just_below(highest.max()) <= likely.bar:
            return likely.pairs(proven=True)
        cells = (highest >= bar)[self.columns]
        left = SparseColumns(self.rows[cells], self.columns[cells], self.counts[cells], self.shape)
        if left._followers.sum() > _WALK:
            return likely.pairs(proven=False)
        return left._best_in_common_rows(top, base, bar)

    def _best_of_all(self, top: int, base: PairValue, bar: float) -> Pairs:
        """Return the best of all pairs: S is computed where its upper bound reaches the bar."""
        found, everyone = _TopPairs(top, bar), np.arange(self.shape[1])
        for start in range(0, len(everyone), _ROWS):
            block = everyone[start : start + _ROWS]
            bases = base(block[:, None], everyone)
            bounds = bases + self.dense.bounds(start, start + _ROWS)
            bounds[everyone <= block[:, None]] = -np.inf
            for at in np.flatnonzero(bounds.max(axis=1) >= found.bar).tolist():
                i = start + at
                others = i + 1 + np.flatnonzero(bounds[at, i + 1 :] >= found.bar)
                value = bases[at, others] + self.dense.overlap(i, others)
                found.offer(np.full_like(others, i), others, value)
        return found.pairs(proven=True)

    @cached_property
    def _followers(self) -> Index:
        """How many cells of its row follow each cell: 2, 1, 0 in a row of three cells.

        Their sum is the number of pairs of cells that share a row.
        """
        ends = np.searchsorted(self.rows, np.arange(self.shape[0]), side="right")
        return np.asarray(ends[self.rows] - np.arange(len(self.rows)) - 1)

    def _best_in_common_rows(self, top: int, base: PairValue, bar: float) -> Pairs:
        """Return the best of the pairs that share a row: each cell meets its followers."""
        order, start = self._by_column
        found = _TopPairs(top, bar)
        walked = np.concatenate([[0], np.cumsum(self._followers[order])])[start[:-1]]
        blocks = np.unique(walked // _BLOCK, return_index=True)[1]
        for cells in np.split(order, start[blocks[1:]]):
            lengths = self._followers[cells]
            mine, theirs = np.repeat(cells, lengths), _ranges(cells + 1, lengths)
            keys, at = np.unique(
                self.columns[mine] * self.shape[1] + self.columns[theirs], return_inverse=True
            )
            first, second = np.divmod(keys, self.shape[1])
            bits = summed(at, shared_bits(self.counts[mine], self.counts[theirs]), len(keys))
            found.offer(first, second, base(first, second) + bits)
        return found.pairs(proven=True)


class DenseColumns:
    """Columns stored as the rows of an array, for S of one column with many others.

    S(x, y) = L(x + y) - L(x) - L(y), where L(x) = Σ x log2 x is known for single columns: one
    logarithm per cell. That loses digits, so it ranks pairs only; their final bits are computed
    from φ.

    For up to `_REMEMBERED` columns, `shared` holds upper bounds of S for all pairs, and `exact`
    says which of them are S itself.
    """

    def __init__(self, array: FloatArray) -> None:
        self._logs = _CountLogs.of(array)
        self.array: NDArray[Any] = array if self._logs is None else array.astype(np.int32)
        self._log_sums = self._sum_logs(self.array)
        self._root = np.sqrt(array)
        self._sizes = array.sum(axis=1)
        width = len(array) if len(array) <= _REMEMBERED else 0
        self.shared = np.empty((width, width))
        self.exact = np.zeros((width, width), dtype=np.bool_)
        for start in range(0, width, _ROWS):
            self.shared[start : start + _ROWS] = self._bounds(start, start + _ROWS)

    def copy(self) -> DenseColumns:
        """Return a copy to merge columns in."""
        other = copy(self)
        other.array, other._log_sums = self.array.copy(), self._log_sums.copy()
        other.shared = self.bounds(0, len(self.array)).copy()
        known = len(self.exact) > 0
        other.exact = self.exact.copy() if known else np.zeros(other.shared.shape, np.bool_)
        return other

    def bounds(self, start: int, stop: int) -> FloatArray:
        """Return upper bounds of S of some columns with all; S itself where it is known."""
        return self.shared[start:stop] if len(self.shared) else self._bounds(start, stop)

    def _bounds(self, start: int, stop: int) -> FloatArray:
        """Return upper bounds: φ(u, v) ≤ 2√(uv), which a product sums, and S ≤ φ of the sizes."""
        a, b = self._sizes[start:stop, None] + _TINY, self._sizes + _TINY
        of_sums = (a + b) * np.log2(a + b) - a * np.log2(a) - b * np.log2(b)
        return np.asarray(np.minimum(2 * (self._root[start:stop] @ self._root.T), of_sums))

    def overlap(self, i: int, others: Index) -> FloatArray:
        """Return S of column i with each of the others."""
        if not len(self.shared):
            return self._overlap(i, others)
        new = others[~self.exact[i, others]]
        self.shared[i, new] = self.shared[new, i] = self._overlap(i, new)
        self.exact[i, new] = self.exact[new, i] = True
        return np.asarray(self.shared[i, others])

    def _overlap(self, i: int, others: Index) -> FloatArray:
        logs = self._logs
        if logs is not None and kernels.native is not None:
            found = np.empty(len(others), dtype=np.int64)
            kernels.native.overlap_columns(
                self.array, self.array.shape[1], logs.table, self._log_sums, i, others, found
            )
            return np.ldexp(found, -logs.digits)
        total = np.empty(len(others), dtype=self._log_sums.dtype)
        step = max(_BLOCK // max(self.array.shape[1], 1), 1)
        for at in range(0, len(others), step):
            both = self.array[others[at : at + step]]
            both += self.array[i]
            total[at : at + step] = self._sum_logs(both)
        total -= self._log_sums[i] + self._log_sums[others]
        return total if logs is None else np.ldexp(total, -logs.digits)

    def common_counts(self, i: int, j: int) -> NDArray[Any]:
        """Return the counts of both columns in the rows that they share."""
        both = self.array[[i, j]]
        return np.asarray(both[:, (both > 0).all(axis=0)])

    def merge(self, i: int, j: int, others: Index, most: FloatArray) -> FloatArray:
        """Add column j to i; return upper bounds of S with others, where that is at most `most`.

        φ(·, v) is concave and zero at zero, so S is at most what i and j shared with the other.
        """
        self.array[i] += self.array[j]
        self._log_sums[i] = self._sum_logs(self.array[i : i + 1])[0]
        shared = np.minimum(most, self.shared[i, others] + self.shared[j, others])
        self.shared[i, others] = self.shared[others, i] = shared
        self.exact[i] = self.exact[:, i] = False
        return np.asarray(shared)

    def _sum_logs(self, counts: NDArray[Any]) -> NDArray[Any]:
        """Return L of each row."""
        if self._logs is not None:
            return np.asarray(self._logs.table[counts].sum(axis=1))
        return np.asarray(np.einsum("ij,ij->i", counts, np.log2(counts + _TINY)))


class _CountLogs(NamedTuple):
    """x log2 x of whole counts x, with this many binary digits after the point.

    Such sums are exact, so that a pair has one S however it is added up.
    """

    table: NDArray[np.int64]
    digits: int

    @classmethod
    def of(cls, array: FloatArray) -> _CountLogs | None:
        """Return the logarithms of what columns can add up to; None for real or large counts."""
        most = array.sum(axis=0).max(initial=0)
        if most > _MOST_TABULATED or not (array == np.floor(array)).all():
            return None
        counts = np.arange(1 << int(most).bit_length())
        logs = counts * np.log2(np.maximum(counts, 1))
        # No column's sum reaches 2^61, nor a difference of three 2^63.
        digits = 61 - math.ceil(array.sum() * np.log2(most + 2) + 1).bit_length()
        return cls(np.rint(np.ldexp(logs, digits)).astype(np.int64), digits)


class _TopPairs:
    """The `top` best pairs offered so far, best first; of equal ones, those offered first.

    A pair must reach the `bar` to get in. With top = 2, after values 5, 3 and 4 were offered,
    5 and 4 are left, and the bar is 4.
    """

    def __init__(self, top: int, bar: float = -np.inf) -> None:
        self.top, self.bar = top, bar
        self.first = self.second = np.empty(0, dtype=np.intp)
        self.value = np.empty(0)

    def offer(self, first: Index, second: Index, value: FloatArray) -> None:
        good = value >= self.bar
        if not good.any():
            return
        value = np.concatenate([self.value, value[good]])
        kept = np.argsort(-value, kind="stable")[: self.top]
        self.value = value[kept]
        self.first = np.concatenate([self.first, first[good]])[kept]
        self.second = np.concatenate([self.second, second[good]])[kept]
        if len(value) > self.top:
            self.bar = float(self.value[-1])

    def pairs(self, proven: bool) -> Pairs:
        return Pairs(self.first, self.second, proven)


def _just_below(value: float) -> float:
    return value - 1e-9 * abs(value) if np.isfinite(value) else value


def _ranges(start: Index, length: Index) -> Index:
    """Return start, start + 1, ..., as many as each length says, one range after the other.

    >>> _ranges(np.array([5, 0]), np.array([2, 3])).tolist()
    [5, 6, 0, 1, 2]
    """
    ends = np.cumsum(length)
    total = int(ends[-1]) if len(ends) else 0
    return np.asarray(np.arange(total) + np.repeat(start - (ends - length), length))
