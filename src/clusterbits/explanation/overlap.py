r"""What two columns of a sparse table have in common, and the pairs that have most.

Putting two columns x and y of counts together saves

.. math:: S(x, y) = \sum_i \varphi(x_i, y_i), \qquad
          \varphi(u, v) = u \log_2 \tfrac{u+v}{u} + v \log_2 \tfrac{u+v}{v},

bits for telling their objects apart row by row; a row adds nothing if either is empty. The value
of a pair is S plus a `base` that does not depend on the single counts. For merges the columns are
clusters; for confused classes they are classes.

As φ(u, v) ≤ 2√(uv), the product of the table of roots with itself bounds S for all pairs that
share a row. S itself is computed from the highest bounds down. The search is exact for up to
`_MAX_PAIRS` pairs; beyond, it takes the columns first that can be worth most.
"""

from __future__ import annotations

from collections.abc import Callable
from copy import copy
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from clusterbits.table.cells import count_sorted, sum_by_key
from clusterbits.table.contingency import Contingency
from clusterbits.table.log_factorials import BITS_PER_NAT, FloatArray
from clusterbits.table.numbering import concat_ranges, inverse

Index = NDArray[np.intp]
# The values of pairs of columns without S, and upper bounds of their values with it.
PairBounds = Callable[[Index, Index], tuple[FloatArray, FloatArray]]

# Pairs of columns that are bounded: those of 14,000 columns, or more if they share few rows.
_MAX_PAIRS = 10**8
# Pairs of columns that are bounded together: 200 MB.
_PORTION = 2**21
# A dense copy of a table has at most this many cells (80 MB) and columns.
_MAX_CELLS, _MAX_COLUMNS = 10**7, 2000
# Pairs of columns whose S is computed together.
_AT_ONCE = 2**9
# Likely pairs: the largest cells of a column, and the neighbors of each within its row.
_LEADING, _NEIGHBORS = 2, 3
# Keeps 0·log 0 at zero, and is nothing next to any count.
_TINY = 1e-300
# Cells that are looked up together: 100 MB, and Ctrl-C waits for less than a second.
_LOOKED_UP = 2 * 10**6


def shared_bits(u: FloatArray, v: FloatArray) -> FloatArray:
    """Return φ(u, v) for u, v > 0, in bits: both terms are positive, so it keeps its precision."""
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
    def from_table(cls, table: Contingency) -> SparseColumns:
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

    @property
    def is_small(self) -> bool:
        """Whether a dense copy, and a matrix of all pairs, are small enough."""
        height, width = self.shape
        return height * width <= _MAX_CELLS and width <= _MAX_COLUMNS

    @cached_property
    def dense(self) -> DenseColumns:
        """A dense copy of a small table."""
        array = np.zeros(self.shape[::-1])
        array[self.columns, self.rows] = self.counts
        return DenseColumns(array)

    @cached_property
    def _by_column(self) -> tuple[Index, Index]:
        """The cells in order of their columns, and the start of each column."""
        order = np.argsort(self.columns, kind="stable")
        lengths = np.bincount(self.columns, minlength=self.shape[1])
        return order, np.concatenate([[0], np.cumsum(lengths)])

    @cached_property
    def _keys(self) -> tuple[Index, FloatArray]:
        """A number for each cell, ascending by column and row, and the counts in that order."""
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
        position = np.minimum(np.searchsorted(keys, wanted), len(keys) - 1)
        hit = keys[position] == wanted
        bits = shared_bits(counts[cells[hit]], counts[position[hit]])
        return summed(pair[hit], bits, len(first))

    @cached_property
    def likely_pairs(self) -> tuple[Index, Index]:
        """Pairs that probably share much, a few for each column.

        Columns with the same leading row are sorted by the share it has in them, then by size;
        neighbors in that order are likely pairs. The work grows only with the cells.
        """
        largest_first = np.lexsort((-self.counts, self.columns))
        rank = np.arange(len(self.columns)) - self._by_column[1][self.columns[largest_first]]
        cells = largest_first[rank < _LEADING]
        rows, columns, counts = self.rows[cells], self.columns[cells], self.counts[cells]
        sizes = self.sizes[columns]
        order = np.lexsort((-sizes, -counts / sizes, rows))
        rows, columns = rows[order], columns[order]
        keys = []
        for step in range(1, _NEIGHBORS + 1):
            same = rows[:-step] == rows[step:]
            first, second = columns[:-step][same], columns[step:][same]
            keys.append(np.minimum(first, second) * self.shape[1] + np.maximum(first, second))
        # Sorting is far faster than np.unique's hash table.
        distinct, _ = count_sorted(np.sort(np.concatenate(keys)))
        low, high = np.divmod(distinct, self.shape[1])
        return low, high

    def best_pairs(self, top: int, bounds: PairBounds, key: FloatArray) -> BestPairs:
        """Return the best of the pairs that share a row, among the columns of the highest key.

        The upper bound of a pair grows with the key of either column.

        Take merges of clusters a = (30, 0), b = (28, 1), c = (0, 40), d = (1, 2). The savings of
        a, b are at most 2.93 bits, of c, d 1.90. So a, b comes first; it saves 2.92, and for
        top = 1 no other pair is computed.
        """
        from scipy.sparse import coo_array, csc_array

        order = np.argsort(-key, kind="stable")
        positions = inverse(order)[self.columns]
        roots = csc_array((np.sqrt(self.counts), (self.rows, positions)), shape=self.shape)
        n_pairs = _count_pairs(roots)
        if self.is_small:
            roots = roots.toarray()
        end = int(np.searchsorted(n_pairs, _MAX_PAIRS, side="right"))
        best, start = BestPairs(top), 0
        while start < end:
            stop = int(np.searchsorted(n_pairs, n_pairs[start] + _PORTION, side="right"))
            stop = min(stop, end)
            product = coo_array(roots[:, start:stop].T @ roots[:, :stop])
            earlier = product.col < product.row + start
            i, j = order[product.col[earlier]], order[start + product.row[earlier]]
            shared = 2 * product.data[earlier]
            self._offer_all(best, bounds, np.minimum(i, j), np.maximum(i, j), shared)
            # The most that a pair with a column that was not tried can be worth.
            highest = bounds(order[:1], order[stop : stop + 1])[1]
            best.proven = bool((highest <= best.bar).all())
            if best.proven:
                break
            start = stop
        return best

    def _offer_all(
        self, best: BestPairs, bounds: PairBounds, first: Index, second: Index, shared: FloatArray
    ) -> None:
        """Offer pairs, the highest upper bounds first; `shared` holds upper bounds of S."""
        overlap = self.dense.overlap if self.is_small else self.overlap
        base, upper = bounds(first, second)
        upper = np.minimum(upper, base + shared)
        candidates = np.flatnonzero(upper >= best.bar)
        candidates = candidates[np.argsort(-upper[candidates], kind="stable")]
        for start in range(0, len(candidates), _AT_ONCE):
            part = candidates[start : start + _AT_ONCE]
            if upper[part[0]] < best.bar:
                break
            i, j = first[part], second[part]
            best.offer(i, j, base[part] + overlap(i, j))


def _count_pairs(columns: Any) -> Index:
    """Return upper bounds of the pairs of columns that share a row, among the first of them."""
    by_row = columns.tocsr()
    earlier = np.arange(by_row.nnz) - np.repeat(by_row.indptr[:-1], np.diff(by_row.indptr))
    width = columns.shape[1]
    partners = np.bincount(by_row.indices, weights=earlier, minlength=width)
    return np.cumsum(np.minimum(partners.astype(np.int64), np.arange(width)))


class DenseColumns:
    """Columns as the rows of an array: S for pairs of them, with one logarithm per cell.

    S(x, y) = L(x + y) - L(x) - L(y), where L(x) = Σ x log2 x is known for single columns. That
    loses precision, so it ranks pairs only; their final bits are computed from φ.
    """

    def __init__(self, array: FloatArray) -> None:
        self.array = array
        self._log_sums = _sum_logs(array)

    def copy(self) -> DenseColumns:
        """Return a copy to add columns in."""
        dense = copy(self)
        dense.array, dense._log_sums = self.array.copy(), self._log_sums.copy()
        return dense

    def add(self, i: int, j: int) -> None:
        """Add column j to column i."""
        self.array[i] += self.array[j]
        self._log_sums[i] = _sum_logs(self.array[i : i + 1])[0]

    def overlap(self, i: int | Index, j: Index) -> FloatArray:
        """Return S of each pair of columns, or of one with many others."""
        merged = _sum_logs(self.array[j] + self.array[i])
        return merged - (self._log_sums[i] + self._log_sums[j])


def _sum_logs(counts: FloatArray) -> FloatArray:
    """Return L of each row."""
    logs = counts + _TINY
    return np.asarray(np.einsum("ij,ij->i", counts, np.log2(logs, out=logs)))


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
        order = np.lexsort((second, first, -value))[: self.top]
        self.first, self.second, self.value = first[order], second[order], value[order]
        if len(order) == self.top:
            self.bar = float(self.value[-1])
