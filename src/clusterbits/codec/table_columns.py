"""The table, column by column: each as one of the C(h(k) + |C| - 1, |C| - 1) that are possible.

A column of |C| counts with sum h(k) is a row of h(k) stars with |C| - 1 bars between the classes:
counts 2, 0, 1 are `**||*`. Drawn from an urn with these stars and bars, without putting back, all
rows are equally likely and cost what equation (3) of the paper says. Where stars or bars are few in
a long row, their places are sent instead, as one number: the same bits in fewer steps.
"""

from __future__ import annotations

import math
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterator
from functools import partial
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from clusterbits.codec.urns import Coder, Ints
from clusterbits.table.cells import count_sorted
from clusterbits.table.ranges import concat_ranges

# A row is sent as a number if it has more places than this times the square of its stars or
# bars: about where that takes less time. Part of the format.
_SPARSE = 64
# Stars and bars that are drawn together, which bounds the memory.
_BLOCK = 1 << 20


class SentTable(NamedTuple):
    """The cells that are not zero, in the order in which they are sent: by cluster, then class."""

    columns: Ints
    classes: Ints
    counts: Ints

    def subset(self, columns: Ints) -> SentTable:
        """Return the cells of some columns, given in ascending order."""
        begins = np.searchsorted(self.columns, columns)
        widths = np.searchsorted(self.columns, columns, side="right") - begins
        cells = concat_ranges(begins, widths)
        return SentTable(*(part[cells] for part in self))


def code_table(coder: Coder, sizes: Ints, n_classes: int, table: SentTable | None) -> SentTable:
    """Code the table with these column sums, and return it; None is given when decoding."""
    bars = n_classes - 1
    if bars == 0:
        columns = np.arange(len(sizes))
        return SentTable(columns, np.zeros_like(columns), sizes)
    # The square of 2^20 is larger than any row.
    few = np.minimum(np.minimum(sizes, bars), 1 << 20)
    sparse = sizes + bars > _SPARSE * few**2
    parts = [_code_numbers(coder, np.flatnonzero(sparse), sizes, bars, table)]
    columns = np.flatnonzero(~sparse)
    block = np.cumsum(sizes[columns] + bars) // _BLOCK
    for some in np.split(columns, np.flatnonzero(np.diff(block)) + 1):
        parts.append(_draw_rows(coder, some, sizes[some], bars, table))
    found = [np.concatenate(column) for column in zip(*parts, strict=True)]
    order = np.argsort(found[0], kind="stable")
    return SentTable(*(column[order] for column in found))


def _draw_rows(
    coder: Coder, columns: Ints, sizes: Ints, bars: int, table: SentTable | None
) -> SentTable:
    """Code columns as rows of stars and bars, each drawn from an urn of its own."""
    urns = np.repeat(np.arange(len(sizes)), sizes + bars)
    owner = np.repeat(np.arange(len(sizes)), sizes)
    # A star stands behind all stars before it, the bars of all rows before, and those of its class.
    first = np.arange(len(owner)) + owner * bars
    balls = None
    if table is not None:
        cells = table.subset(columns)
        balls = 2 * urns + 1
        balls[first + np.repeat(cells.classes, cells.counts)] -= 1
    counts = np.column_stack([sizes, np.full_like(sizes, bars)]).ravel()
    begins = np.arange(0, len(counts) + 1, 2)
    drawn = coder.draw(urns, begins, counts, balls, putting_back=False)
    classes = np.flatnonzero(drawn % 2 == 0) - first
    keys, counts = count_sorted(owner * (bars + 1) + classes)
    rows, classes = np.divmod(keys, bars + 1)
    return SentTable(columns[rows], classes, counts)


def _code_numbers(
    coder: Coder, columns: Ints, sizes: Ints, bars: int, table: SentTable | None
) -> SentTable:
    """Code columns as numbers: those of their stars' or bars' places among all such subsets."""
    cells = None if table is None else table.subset(columns)
    sent = (
        None if cells is None else zip(cells.classes.tolist(), cells.counts.tolist(), strict=True)
    )
    found: list[tuple[int, int, int]] = []
    for column, size in zip(columns.tolist(), sizes[columns].tolist(), strict=True):
        few = min(size, bars)
        total = math.comb(size + bars, few)
        if sent is not None:
            coder.number(total, _rank(_places(sent, size, bars)))
        else:
            places = _unrank(coder.number(total), size + bars, few)
            found += ((column, *cell) for cell in _cells(places, size, bars).items())
    return cells or SentTable(*np.array(found, dtype=np.int64).reshape(-1, 3).T)


def _places(cells: Iterator[tuple[int, int]], size: int, bars: int) -> list[int]:
    """Return the places of a column's stars, or of its bars where they are not more.

    >>> _places(iter([(0, 2), (2, 1)]), 3, 2)  # **||*
    [2, 3]
    """
    places: list[int] = []
    at = before = 0
    while at < size + before:
        row, count = next(cells)
        first_star = at + row - before
        end = first_star + count
        places += range(first_star, end) if size < bars else range(at, first_star)
        at, before = end, row
    return places if size < bars else [*places, *range(at, size + bars)]


def _cells(places: list[int], size: int, bars: int) -> dict[int, int]:
    """Return the classes and counts of a column: the inverse of `_places`.

    >>> _cells([2, 3], 3, 2)
    {0: 2, 2: 1}
    """
    if size < bars:
        return Counter(place - i for i, place in enumerate(places))
    edges = pairwise([-1, *places, size + bars])
    return {row: end - bar - 1 for row, (bar, end) in enumerate(edges) if end - bar > 1}


def _rank(places: list[int]) -> int:
    """Return the number of an ascending subset among those of its size.

    >>> _rank([2, 3, 7])  # C(2, 1) + C(3, 2) + C(7, 3)
    40
    """
    return sum(math.comb(place, i) for i, place in enumerate(places, 1))


def _unrank(number: int, n: int, size: int) -> list[int]:
    """Return the subset of range(n) with this number: the inverse of `_rank`.

    >>> _unrank(40, 10, 3)
    [2, 3, 7]
    """
    places = []
    for i in range(size, 0, -1):
        # The last place with C(place, i) <= number: of 40 = 35 + 3 + 2, first 7, as C(7, 3) = 35.
        n = bisect_right(range(n), number, key=partial(_choose, i)) - 1
        number -= math.comb(n, i)
        places.append(n)
    return places[::-1]


def _choose(size: int, n: int) -> int:
    return math.comb(n, size)
