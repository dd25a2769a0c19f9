r"""What two columns of a sparse table have in common, and the pairs that have most.

Putting two columns x and y of counts together saves

.. math:: S(x, y) = \sum_i \varphi(x_i, y_i), \qquad
          \varphi(u, v) = u \log_2 \tfrac{u+v}{u} + v \log_2 \tfrac{u+v}{v},

bits for telling their objects apart row by row; a row adds nothing where either is empty. The
value of a pair is S plus a `base` that does not depend on the single counts. For merges the
columns are clusters; for confused classes they are classes.

Tables with a small dense copy try every pair: a matrix product bounds S, and S itself is computed
from the highest bounds down. Other tables add up S for all pairs that share a row, exactly for as
many columns as `_MAX_PRODUCTS` allows, those that can be worth most first.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from copy import copy
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from clusterbits.table.cells import count_sorted, sum_by_key
from clusterbits.table.contingency import Contingency
from clusterbits.table.log_factorials import BITS_PER_NAT, FloatArray
from clusterbits.table.numbering import inverse
from clusterbits.table.ranges import concat_ranges

Index = NDArray[np.intp]
# What pairs of columns are worth without S, and the most they can be worth with it.
PairBounds = Callable[[Index, Index], tuple[FloatArray, FloatArray]]

# Small tables have at most this many cells and columns in a dense copy: 32 MB.
_DENSE_CELLS = 4 * 10**6
_MOST_COLUMNS = 2000
# Pairs of cells in one row that are compared for an exact answer: half a minute.
_MAX_PRODUCTS = 10**8
# Pairs of cells that are compared together: 100 MB. A column is not divided; it has fewer such
# pairs than the table has cells.
_PORTION = 2**20
# Pairs whose S is computed together from a dense copy.
_AT_ONCE = 2**9
# Up to this count, logarithms are tabulated: 8 MB.
_MOST_TABULATED = 2**20
# Keeps 0·log 0 at zero, and is nothing beside any count.
_TINY = 1e-300
# Likely pairs: the largest cells of a column, and the neighbours of each within its row.
_LEADING, _NEIGHBOURS = 2, 3
# Cells that are looked up together: a hundred megabytes, and Ctrl-C waits for less than a second.
_LOOKED_UP = 2 * 10**6
# Bits per object that rounding may change: Σ x log2 x loses some hundred units in the last place.
_ROUNDING = 1e-12


def shared_bits(u: FloatArray, v: FloatArray) -> FloatArray:
    """Return φ(u, v) for u, v > 0, in bits: both terms positive, no digits lost."""
    return np.asarray((u * np.log1p(v / u) + v * np.log1p(u / v)) * BITS_PER_NAT)


def summed(index: Index, values: FloatArray, size: int) -> FloatArray:
    """Return the sum of the values at each index."""
    return np.bincount(index, weights=values, minlength=size).astype(np.float64, copy=False)


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
    def is_small(self) -> bool:
        """Whether a dense copy is small enough to try every pair."""
        height, width = self._shared.shape
        return height * width <= _DENSE_CELLS and width <= _MOST_COLUMNS

    @cached_property
    def dense(self) -> DenseColumns:
        """A dense copy of a small table, without the rows of a single cell."""
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
        cells = concat_ranges(start[short], length[short])
        keys, counts = self._keys
        wanted = keys[cells] + (long - short)[pair] * self.shape[0]
        place = np.minimum(np.searchsorted(keys, wanted), len(keys) - 1)
        hit = keys[place] == wanted
        return summed(pair[hit], shared_bits(counts[cells[hit]], counts[place[hit]]), len(first))

    def _find_leading_cells(self) -> Index:
        """Return the largest cells of each column, the largest first; of equal ones the first."""
        order, start = self._by_column
        length = np.diff(start)
        (filled,) = length.nonzero()
        counts = self.counts[order]
        column = np.repeat(np.arange(len(filled)), length[filled])
        found = np.full((len(filled), _LEADING), -1)
        for rank in range(_LEADING):
            largest = np.maximum.reduceat(counts, start[filled])[column]
            (places,) = ((counts == largest) & (counts > 0)).nonzero()
            # The first of each column.
            places = places[np.append(True, np.diff(column[places]) > 0)[: len(places)]]
            found[column[places], rank] = places
            counts[places] = 0
        return np.asarray(order[found[found >= 0]])

    @cached_property
    def likely_pairs(self) -> tuple[Index, Index]:
        """Pairs that probably share much, a few for each column.

        Columns with the same leading row are sorted by the share it has in them, then by size;
        neighbours in that order are likely pairs. The work grows only with the cells.
        """
        cells = self._find_leading_cells()
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

    @cached_property
    def all_pairs(self) -> tuple[Index, Index, FloatArray]:
        """All pairs of columns of a small table, and upper bounds of S: φ(u, v) ≤ 2√(uv)."""
        roots = np.sqrt(self.dense.array)
        first, second = np.triu_indices(len(roots), 1)
        return first, second, 2 * (roots @ roots.T)[first, second]

    def best_pairs(self, top: int, bounds: PairBounds, key: FloatArray) -> BestPairs:
        """Return the pairs that are worth most; the upper bound grows with the `key` of either."""
        return self._try_all(top, bounds) if self.is_small else self._try_rows(top, bounds, key)

    def _try_all(self, top: int, bounds: PairBounds) -> BestPairs:
        """Return the best of all pairs of a small table.

        Take merges of clusters a = (30, 0), b = (28, 1), c = (0, 40), d = (1, 2). The savings of
        a, b are at most 2.93 bits, of c, d 1.90. So a, b comes first; it saves 2.92, and for
        top = 1 no other pair is computed.
        """
        first, second, shared = self.all_pairs
        base, most = bounds(first, second)
        # What is rounded off grows with the objects, and is all there is if merges save nothing.
        most = np.minimum(most, base + shared) + _ROUNDING * self.counts.sum()
        best = BestPairs(top)
        order = np.argsort(-most, kind="stable")
        for start in range(0, len(order), _AT_ONCE):
            part = order[start : start + _AT_ONCE]
            if most[part[0]] < best.bar:
                break
            i, j = first[part], second[part]
            best.offer(i, j, base[part] + self.dense.overlap(i, j))
        return best

    def _try_rows(self, top: int, bounds: PairBounds, key: FloatArray) -> BestPairs:
        """Return the best of the pairs that share a row, among the columns of the highest key."""
        order = np.argsort(-key, kind="stable")
        by_key = SparseColumns(
            self.rows, inverse(order)[self.columns], self.counts, self.shape
        ).merged(np.arange(self.shape[1]))
        best = BestPairs(top)
        for n_tried, first, second, shared in by_key._shared._add_rows():
            i, j = order[first], order[second]
            i, j = np.minimum(i, j), np.maximum(i, j)
            best.offer(i, j, bounds(i, j)[0] + shared)
            # The most that a pair with a column that was not tried can be worth.
            highest = bounds(order[:1], order[n_tried : n_tried + 1])[1]
            best.proven = bool((highest <= best.bar).all())
            if best.proven:
                break
        return best

    def _add_rows(self) -> Iterator[tuple[int, Index, Index, FloatArray]]:
        """Yield S of pairs that share a row, in portions, and how many columns are done.

        A column is paired with those before it. The last columns are left out if there are more
        than `_MAX_PRODUCTS` pairs of cells.
        """
        first_cell = np.searchsorted(self.rows, np.arange(self.shape[0]))[self.rows]
        cells, starts = self._by_column
        before = cells - first_cell[cells]
        products = np.append(0, np.cumsum(before))[starts]
        end = int(np.searchsorted(products, _MAX_PRODUCTS, side="right")) - 1
        start = 0
        while start < end:
            stop = int(np.searchsorted(products, products[start] + _PORTION, side="right")) - 1
            stop = min(max(stop, start + 1), end)
            part = slice(starts[start], starts[stop])
            other = concat_ranges(first_cell[cells[part]], before[part])
            cell = np.repeat(cells[part], before[part])
            keys, shared = sum_by_key(
                self.columns[cell] * self.shape[1] + self.columns[other],
                shared_bits(self.counts[cell], self.counts[other]),
            )
            yield stop, *np.divmod(keys, self.shape[1]), shared
            start = stop


class DenseColumns:
    """Columns as the rows of an array: S for pairs of them, with one logarithm per cell.

    S(x, y) = L(x + y) - L(x) - L(y), where L(x) = Σ x log2 x is known for single columns. That
    loses digits, so it ranks pairs only; their final bits are computed from φ.
    """

    def __init__(self, array: FloatArray) -> None:
        self.array: NDArray[Any] = array
        # x log2 x of whole counts x, up to what the columns add up to; None for others.
        self._logs: FloatArray | None = None
        most = array.sum(axis=0).max(initial=0)
        if most <= _MOST_TABULATED and (array == np.floor(array)).all():
            self.array = array.astype(np.intp)
            counts = np.arange(int(most) + 1)
            self._logs = np.asarray(counts * np.log2(np.maximum(counts, 1)), dtype=np.float64)
        self._log_sums = self._sum_logs(self.array)

    def copy(self) -> DenseColumns:
        """Return a copy to add columns in."""
        other = copy(self)
        other.array, other._log_sums = self.array.copy(), self._log_sums.copy()
        return other

    def add(self, i: int, j: int) -> None:
        """Add column j to column i."""
        self.array[i] += self.array[j]
        self._log_sums[i] = self._sum_logs(self.array[i : i + 1])[0]

    def overlap(self, i: int | Index, j: Index) -> FloatArray:
        """Return S of each pair of columns, or of one with many others."""
        both = self._sum_logs(self.array[j] + self.array[i])
        return both - (self._log_sums[i] + self._log_sums[j])

    def _sum_logs(self, counts: NDArray[Any]) -> FloatArray:
        """Return L of each row."""
        if self._logs is not None:
            return np.asarray(np.take(self._logs, counts, mode="clip").sum(axis=1))
        return np.asarray(np.einsum("ij,ij->i", counts, np.log2(counts + _TINY)))


class BestPairs:
    """The `top` best pairs offered so far, best first; of equal ones, those of the first columns.

    A pair must reach the `bar` to get in. With top = 2, after values 5, 3 and 4 were offered,
    5 and 4 are left, and the bar is 4. `proven` tells whether no other pair can be better.
    """

    def __init__(self, top: int) -> None:
        self.top, self.bar, self.proven = top, -np.inf, True
        self.first = self.second = np.empty(0, dtype=np.intp)
        self.value = np.empty(0)

    def offer(self, first: Index, second: Index, value: FloatArray) -> None:
        """Take the pairs that are among the best."""
        good = value >= self.bar
        value = np.concatenate([self.value, value[good]])
        first = np.concatenate([self.first, first[good]])
        second = np.concatenate([self.second, second[good]])
        kept = np.lexsort((second, first, -value))[: self.top]
        self.first, self.second, self.value = first[kept], second[kept], value[kept]
        if len(kept) == self.top:
            self.bar = float(self.value[-1])
