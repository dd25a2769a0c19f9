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

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from clusterbits.core.cells import count_sorted, sum_by_key
from clusterbits.core.coding import number_labels
from clusterbits.core.combinatorics import BITS_PER_NAT, FloatArray
from clusterbits.core.spans import list_spans
from clusterbits.core.table import Contingency
from clusterbits.explanation.dense import DenseColumns, Index

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
# Pairs of cells that are added together: they stay in the cache.
_BLOCK = 2**15
# Bits per object that rounding may change: Σ x log2 x loses some hundred units in the last place.
_ROUNDING = 1e-12


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
        cells = list_spans(start[short], length[short])
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
        # The likely pairs are met again, and may then differ by what is rounded off S and the base.
        # That grows with the objects, and is all there is where merges save nothing.
        rounding = _ROUNDING * self.counts.sum()
        bar = likely.bar - rounding
        if self.fits:
            return self._best_of_all(top, base, bar)
        highest = upper(np.arange(self.shape[1]), np.argmax(key))
        if highest.max() - rounding <= likely.bar:
            return likely.pairs(proven=True)
        cells = (highest >= bar)[self.columns]
        left = SparseColumns(self.rows[cells], self.columns[cells], self.counts[cells], self.shape)
        if left._followers.sum() > _WALK:
            return likely.pairs(proven=False)
        return left._best_in_common_rows(top, base, bar)

    def _best_of_all(self, top: int, base: PairValue, bar: float) -> Pairs:
        """Return the best of all pairs: S is computed where its upper bound reaches the bar."""
        found, everyone = _TopPairs(top, bar), np.arange(self.shape[1])
        for start, shared in self.dense.bound_blocks():
            block = everyone[start : start + len(shared)]
            bases = base(block[:, None], everyone)
            for i, own, bounds in zip(block.tolist(), bases, bases + shared, strict=True):
                others = i + 1 + np.flatnonzero(bounds[i + 1 :] >= found.bar)
                if len(others):
                    value = own[others] + self.dense.overlap(i, others)
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
            mine, theirs = np.repeat(cells, lengths), list_spans(cells + 1, lengths)
            at, keys = number_labels(self.columns[mine] * self.shape[1] + self.columns[theirs])
            first, second = np.divmod(keys, self.shape[1])
            bits = summed(at, shared_bits(self.counts[mine], self.counts[theirs]), len(keys))
            value = base(first, second) + bits
            (good,) = (value >= found.bar).nonzero()
            good = good[np.argsort(keys[good])]
            found.offer(first[good], second[good], value[good])
        return found.pairs(proven=True)


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
