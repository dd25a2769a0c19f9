"""The table, column by column: each as one of the C(h(k) + |C| - 1, |C| - 1) that are possible.

A column of |C| counts with sum h(k) is a row of h(k) stars with |C| - 1 bars between the classes:
counts 2, 0, 1 are `**||*`. Drawn from an urn with these stars and bars, without replacement, all
rows are equally likely and cost what equation (3) of the paper says. If stars or bars are few in
a long row, their positions are sent instead, as one number: the same bits in fewer steps.
"""

from __future__ import annotations

import math
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterator
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from clusterbits.codec.urns import Coder
from clusterbits.table.cells import count_sorted
from clusterbits.table.numbering import Integers, concat_ranges

# A row is sent as a number if it is longer than this times the square of its stars or bars:
# about where that takes less time. Part of the format.
_SPARSE = 64
# Stars and bars that are drawn at a time, which bounds the memory.
_BLOCK = 1 << 20


class SentTable(NamedTuple):
    """The non-zero cells, in the order in which they are sent: by cluster, then class."""

    columns: Integers
    classes: Integers
    counts: Integers

    def subset(self, columns: Integers) -> SentTable:
        """The cells of these columns, which ascend."""
        begins = np.searchsorted(self.columns, columns)
        widths = np.searchsorted(self.columns, columns, side="right") - begins
        cells = concat_ranges(begins, widths)
        return SentTable(*(part[cells] for part in self))


def code_table(coder: Coder, sizes: Integers, n_classes: int, table: SentTable | None) -> SentTable:
    """Code the table with these column sums, and return it; `table` is None when decoding."""
    bars = n_classes - 1
    if bars == 0:
        columns = np.arange(len(sizes))
        return SentTable(columns, np.zeros_like(columns), sizes)
    # The square of 2^20 is larger than any row.
    n_fewer = np.minimum(np.minimum(sizes, bars), 1 << 20)
    sparse = sizes + bars > _SPARSE * n_fewer**2
    parts = [_code_numbers(coder, np.flatnonzero(sparse), sizes, bars, table)]
    columns = np.flatnonzero(~sparse)
    blocks = np.cumsum(sizes[columns] + bars) // _BLOCK
    for block in np.split(columns, np.flatnonzero(np.diff(blocks)) + 1):
        parts.append(_draw_rows(coder, block, sizes[block], bars, table))
    cells = SentTable(*(np.concatenate(column) for column in zip(*parts, strict=True)))
    order = np.argsort(cells.columns, kind="stable")
    return SentTable(*(column[order] for column in cells))


def _draw_rows(
    coder: Coder, columns: Integers, sizes: Integers, bars: int, table: SentTable | None
) -> SentTable:
    """Code columns as rows of stars and bars, each drawn from a separate urn."""
    urns = np.repeat(np.arange(len(sizes)), sizes + bars)
    owner = np.repeat(np.arange(len(sizes)), sizes)
    # A star comes after all stars before it, the bars of all rows before, and those of its class.
    first = np.arange(len(owner)) + owner * bars
    balls = None
    if table is not None:
        cells = table.subset(columns)
        balls = 2 * urns + 1
        balls[first + np.repeat(cells.classes, cells.counts)] -= 1
    counts = np.column_stack([sizes, np.full_like(sizes, bars)]).ravel()
    begins = np.arange(0, len(counts) + 1, 2)
    kinds = coder.draw(urns, begins, counts, balls, replacement=False)
    classes = np.flatnonzero(kinds % 2 == 0) - first
    keys, counts = count_sorted(owner * (bars + 1) + classes)
    rows, classes = np.divmod(keys, bars + 1)
    return SentTable(columns[rows], classes, counts)


def _code_numbers(
    coder: Coder, columns: Integers, sizes: Integers, bars: int, table: SentTable | None
) -> SentTable:
    """Code columns as numbers: the ranks of their stars' or bars' positions."""
    if table is not None:
        cells = table.subset(columns)
        pairs = zip(cells.classes.tolist(), cells.counts.tolist(), strict=True)
        for size in sizes[columns].tolist():
            total = math.comb(size + bars, min(size, bars))
            coder.number(total, _rank(_positions(pairs, size, bars)))
        return cells
    decoded: list[tuple[int, int, int]] = []
    for column, size in zip(columns.tolist(), sizes[columns].tolist(), strict=True):
        n_fewer = min(size, bars)
        number = coder.number(math.comb(size + bars, n_fewer))
        counts = _count_stars(_unrank(number, size + bars, n_fewer), size, bars)
        decoded += ((column, *cell) for cell in counts.items())
    return SentTable(*np.array(decoded, dtype=np.int64).reshape(-1, 3).T)


def _positions(cells: Iterator[tuple[int, int]], size: int, bars: int) -> list[int]:
    """Positions of a column's stars, or of its bars if these are not more.

    >>> _positions(iter([(0, 2), (2, 1)]), 3, 2)  # **||*
    [2, 3]
    """
    positions: list[int] = []
    end = previous = 0
    while end < size + previous:
        row, count = next(cells)
        start, first_star = end, end + row - previous
        end, previous = first_star + count, row
        positions += range(first_star, end) if size < bars else range(start, first_star)
    return positions if size < bars else [*positions, *range(end, size + bars)]


def _count_stars(positions: list[int], size: int, bars: int) -> dict[int, int]:
    """Classes and counts of a column: the inverse of `_positions`.

    >>> _count_stars([2, 3], 3, 2)
    {0: 2, 2: 1}
    """
    if size < bars:
        return Counter(position - i for i, position in enumerate(positions))
    edges = pairwise([-1, *positions, size + bars])
    return {row: end - bar - 1 for row, (bar, end) in enumerate(edges) if end - bar > 1}


def _rank(positions: list[int]) -> int:
    """Rank of an ascending subset among those of its size.

    >>> _rank([2, 3, 7])  # C(2, 1) + C(3, 2) + C(7, 3)
    40
    """
    return sum(math.comb(position, i) for i, position in enumerate(positions, 1))


def _unrank(number: int, n: int, size: int) -> list[int]:
    """The subset of range(n) with this rank: the inverse of `_rank`.

    >>> _unrank(40, 10, 3)
    [2, 3, 7]
    """
    positions = []
    for i in range(size, 0, -1):
        # The last n with C(n, i) <= number: of 40 = 35 + 3 + 2, first 7, as C(7, 3) = 35.
        n = bisect_right(range(n), number, key=lambda n: math.comb(n, i)) - 1
        number -= math.comb(n, i)
        positions.append(n)
    return positions[::-1]
