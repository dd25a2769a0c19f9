r"""What two columns of a sparse table share, and the pairs of columns that share most.

Putting two columns x and y of counts together spares

.. math:: S(x, y) = \sum_i \varphi(x_i, y_i), \qquad
          \varphi(u, v) = u \log_2 \tfrac{u+v}{u} + v \log_2 \tfrac{u+v}{v},

bits for telling their objects apart row by row; rows where either is empty add nothing. The value
of a pair is S plus some `base` that does not depend on the single counts. For merging clusters
the columns are clusters; for confused classes they are classes.

Small tables try every pair. Large ones walk only the pairs that share a row, and of those only
columns whose `reach`, an upper bound of any value, still passes the best pairs found so far.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from clusterbits.core.cells import sum_by_key
from clusterbits.core.combinatorics import BITS_PER_NAT, FloatArray
from clusterbits.core.table import Contingency

Index = NDArray[np.intp]
# Of two columns (one or many each): what their value has beside S.
Base = Callable[[Any, Any], FloatArray]

# A dense copy of at most so many cells, and additions of cells for all pairs: some seconds.
_DENSE_CELLS = 4 * 10**6
_DENSE_WORK = 4 * 10**9
# What a pair of columns costs besides, in such additions.
_PAIR_WORK = 16
# Pairs of cells in one row that are walked for an exact answer: some seconds.
_WALK = 3 * 10**7
# For candidates: the greatest cells of a column, and neighbours of each within its row.
_LEADING, _NEIGHBOURS = 2, 3
# Cells of named pairs that are looked up together: some hundred megabytes.
_LOOKED_UP = 5 * 10**6
# Dense rows are added in blocks that stay in the cache.
_BLOCK = 2**15
# Up to so many columns the S of all pairs are kept: 32 MB.
_REMEMBERED = 2000
# Columns whose bounds are computed together.
_ROWS = 64
# Keeps 0·log 0 at zero, and is nothing beside any count.
_TINY = 1e-300


def shared_bits(u: FloatArray, v: FloatArray) -> FloatArray:
    """Return φ(u, v) for u, v > 0, in bits: both terms positive, no digits lost."""
    return np.asarray((u * np.log1p(v / u) + v * np.log1p(u / v)) * BITS_PER_NAT)


def summed(index: Index, values: FloatArray, size: int) -> FloatArray:
    """Return the sum of the values at each index."""
    return np.bincount(index, weights=values, minlength=size).astype(np.float64, copy=False)


class Pairs(NamedTuple):
    """The best pairs of columns, best first; `proven` where no other pair can be better."""

    first: Index
    second: Index
    proven: bool


@dataclass(frozen=True)
class SparseColumns:
    """Sparse columns of positive counts; the cells stand row by row, columns ascending."""

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
        """Whether every pair may be tried on a dense copy."""
        height, width = self._shared.shape
        pairs = width * width * (height + _PAIR_WORK)
        return height * width <= _DENSE_CELLS and pairs <= _DENSE_WORK

    @cached_property
    def _shared(self) -> SparseColumns:
        """The same without the rows that only one column has: those add nothing to any S."""
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
    def dense(self) -> Dense:
        """The columns as rows of a dense array, rows that no two share left out."""
        shared = self._shared
        array = np.zeros(shared.shape[::-1])
        array[shared.columns, shared.rows] = shared.counts
        return Dense(array)

    # --- pairs that are named --------------------------------------------------------------------

    @cached_property
    def _by_column(self) -> tuple[Index, Index]:
        """Positions of the cells column by column, and where each column begins."""
        order = np.argsort(self.columns, kind="stable")
        lengths = np.bincount(self.columns, minlength=self.shape[1])
        return order, np.concatenate([[0], np.cumsum(lengths)])

    @cached_property
    def _keys(self) -> Index:
        return self.rows * self.shape[1] + self.columns

    def overlap(self, first: Index, second: Index) -> FloatArray:
        """Return S for each pair of columns."""
        order, start = self._by_column
        length = np.diff(start)
        if len(first) > 1 and np.minimum(length[first], length[second]).sum() > _LOOKED_UP:
            half = len(first) // 2
            parts = slice(None, half), slice(half, None)
            return np.concatenate([self.overlap(first[part], second[part]) for part in parts])
        # The shorter column of a pair is looked up in the longer one.
        swap = length[first] > length[second]
        short, long = np.where(swap, second, first), np.where(swap, first, second)
        pair = np.repeat(np.arange(len(short)), length[short])
        cells = order[_ranges(start[short], length[short])]
        wanted = self.rows[cells] * self.shape[1] + long[pair]
        place = np.minimum(np.searchsorted(self._keys, wanted), len(self._keys) - 1)
        hit = self._keys[place] == wanted
        bits = shared_bits(self.counts[cells[hit]], self.counts[place[hit]])
        return summed(pair[hit], bits, len(short))

    def candidates(self) -> tuple[Index, Index]:
        """Return pairs that are likely to share much, a few for each column.

        Columns led by the same row are neighbours there, ordered by the share that it has in
        them and by size. The work grows with the cells only.
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
        keys = np.unique(np.minimum(first, second) * self.shape[1] + np.maximum(first, second))
        low, high = np.divmod(keys, self.shape[1])
        return low, high

    # --- the best pairs --------------------------------------------------------------------------

    def best_pairs(self, top: int, base: Base, reach: Base, key: FloatArray) -> Pairs:
        """Return the pairs of the greatest base + S.

        `reach` bounds the value of a pair from above and grows with the `key` of either column.
        Small tables look at all pairs, large ones only at pairs that share a row.
        """
        first, second = self.candidates()
        found = _Best(top)
        found.offer(first, second, base(first, second) + self.overlap(first, second))
        if self.fits:
            return self._best_of_all(top, base, _just_below(found.bar))
        most = reach(np.arange(self.shape[1]), np.argmax(key))
        if _just_below(most.max()) <= found.bar:
            return found.pairs(proven=True)
        # The candidates are met again, and may then differ in the last digit.
        bar = _just_below(found.bar)
        cells = (most >= bar)[self.columns]
        walk = _Walk(
            SparseColumns(self.rows[cells], self.columns[cells], self.counts[cells], self.shape)
        )
        return walk.best(top, base, bar) if walk.steps <= _WALK else found.pairs(proven=False)

    def _best_of_all(self, top: int, base: Base, bar: float) -> Pairs:
        found, everyone = _Best(top, bar), np.arange(self.shape[1])
        for at in range(0, len(everyone), _ROWS):
            rows = everyone[at : at + _ROWS]
            values = base(rows[:, None], everyone)
            upper = values + self.dense.bounds(at, at + _ROWS)
            for i, value, bound in zip(rows.tolist(), values, upper, strict=True):
                others = i + 1 + np.flatnonzero(bound[i + 1 :] >= found.bar)
                value = value[others] + self.dense.overlap(i, others)
                found.offer(np.full_like(others, i), others, value)
        return found.pairs(proven=True)


class Dense:
    """Columns laid out as the rows of an array, for S of one column with many others.

    S of up to `_REMEMBERED` columns is remembered.
    """

    def __init__(self, array: FloatArray) -> None:
        self.array = array
        self._log_sums = _log_sums(array + _TINY)
        self._root = np.sqrt(array)
        self._sizes = array.sum(axis=1)
        width = len(array) if len(array) <= _REMEMBERED else 0
        self._known = np.full((width, width), np.nan)

    def copy(self) -> Dense:
        """Return a copy that may be merged."""
        other = Dense(self.array.copy())
        other._known = self._known.copy()
        return other

    def bounds(self, start: int, stop: int) -> FloatArray:
        """Return upper bounds of S of some columns with all; S itself where it is known.

        φ(u, v) ≤ 2√(uv), which a product of matrices adds up; and S ≤ φ of the sums.
        """
        a, b = self._sizes[start:stop, None] + _TINY, self._sizes + _TINY
        of_sums = (a + b) * np.log2(a + b) - a * np.log2(a) - b * np.log2(b)
        upper = np.minimum(2 * (self._root[start:stop] @ self._root.T), of_sums)
        if len(self._known):
            known = self._known[start:stop]
            upper = np.where(np.isnan(known), upper, known)
        return np.asarray(upper)

    def overlap(self, i: int, others: Index) -> FloatArray:
        """Return S of column i with each of the others."""
        if not len(self._known):
            return self._overlap(i, others)
        known = self._known[i, others]
        new = np.isnan(known)
        known[new] = self._overlap(i, others[new])
        self._known[i, others] = self._known[others, i] = known
        return np.asarray(known)

    def _overlap(self, i: int, others: Index) -> FloatArray:
        one = self.array[i] + _TINY
        total = np.empty(len(others))
        step = max(_BLOCK // max(len(one), 1), 1)
        for at in range(0, len(others), step):
            both = self.array[others[at : at + step]]
            both += one
            total[at : at + step] = _log_sums(both)
        return np.asarray(total - self._log_sums[i] - self._log_sums[others])

    def merge(self, i: int, j: int) -> None:
        """Add column j to column i; `bounds` are no longer those of column i."""
        self.array[i] += self.array[j]
        self._log_sums[i] = _log_sums(self.array[i : i + 1] + _TINY)[0]
        self._known[i] = self._known[:, i] = np.nan


def _log_sums(counts: FloatArray) -> FloatArray:
    """Return Σ x log2 x of each row of numbers above zero."""
    return np.asarray(np.einsum("ij,ij->i", counts, np.log2(counts)))


class _Walk:
    """All pairs of cells in the same row, column by column."""

    def __init__(self, cells: SparseColumns) -> None:
        self.cells = cells
        ends = np.searchsorted(cells.rows, np.arange(cells.shape[0]), side="right")
        self.later = ends[cells.rows] - np.arange(len(cells.rows)) - 1
        self.steps = int(self.later.sum())

    def best(self, top: int, base: Base, bar: float) -> Pairs:
        order, start = self.cells._by_column
        found = _Best(top, bar)
        for i in np.unique(self.cells.columns[self.later > 0]).tolist():
            mine = order[start[i] : start[i + 1]]
            lengths = self.later[mine]
            theirs = _ranges(mine + 1, lengths)
            bits = shared_bits(
                np.repeat(self.cells.counts[mine], lengths), self.cells.counts[theirs]
            )
            others, at = np.unique(self.cells.columns[theirs], return_inverse=True)
            value = base(i, others) + summed(at, bits, len(others))
            found.offer(np.full_like(others, i), others, value)
        return found.pairs(proven=True)


class _Best:
    """The best pairs offered so far; of equal ones, those offered first."""

    def __init__(self, top: int, bar: float = -np.inf) -> None:
        self.top, self.bar = top, bar
        self.first = self.second = np.empty(0, dtype=np.intp)
        self.value = np.empty(0)

    def offer(self, first: Index, second: Index, value: FloatArray) -> None:
        good = value >= self.bar
        if not good.any():
            return
        self.first = np.concatenate([self.first, first[good]])
        self.second = np.concatenate([self.second, second[good]])
        self.value = np.concatenate([self.value, value[good]])
        if len(self.value) > self.top:
            kept = np.argsort(-self.value, kind="stable")[: self.top]
            self.first, self.second, self.value = (
                self.first[kept],
                self.second[kept],
                self.value[kept],
            )
            self.bar = max(self.bar, float(self.value[-1]))

    def pairs(self, proven: bool) -> Pairs:
        order = np.argsort(-self.value, kind="stable")
        return Pairs(self.first[order], self.second[order], proven)


def _just_below(value: float) -> float:
    return value - 1e-9 * abs(value) if np.isfinite(value) else value


def _ranges(start: Index, length: Index) -> Index:
    """Return start, start + 1, ... of each length, one after the other.

    >>> _ranges(np.array([5, 0]), np.array([2, 3])).tolist()
    [5, 6, 0, 1, 2]
    """
    ends = np.cumsum(length)
    total = int(ends[-1]) if len(ends) else 0
    return np.asarray(np.arange(total) + np.repeat(start - (ends - length), length))
