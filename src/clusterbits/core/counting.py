"""Counting pairs of integer labels: one streamed pass, bounded memory.

A pair (c, k) becomes one key, ``(c - low_c) * width + (k - low_k)``, within a box that holds all
labels. Small boxes are counted into an array, by all cores; large ones by sorting keys a chunk at
a time. A small box is guessed from the first chunk, so that labels are read once; only where a
later label falls outside are they looked at as a whole and counted again.

Keys are computed modulo 2^64: a box of fewer than 2^63 cells gives right keys whatever the labels'
dtype, even where an intermediate value wraps. With classes from low_c = -2 and 4 clusters from
low_k = 7, the pair (3, 8) has the offsets 3 - (2^64 - 2) = 5 and 1, and the key 5 · 4 + 1 = 21. A
label below the box, -3, has the offset 2^64 - 1: too large, like that of a label above it.
"""

from __future__ import annotations

import os
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from clusterbits.core import kernels
from clusterbits.core.cells import Cells, count_sorted, sum_by_key
from clusterbits.core.coding import (
    LARGE_CHUNK,
    SMALL_CHUNK,
    IntArray,
    find_range,
    is_readable,
    offsets_from,
    rank,
    shifted,
)
from clusterbits.core.margins import Margin
from clusterbits.parallel import run_in_threads

# Up to this many cells a plain array of counts is cheaper than sorting, if objects are not few.
DENSE_CELLS = 1 << 22
DENSE_CELLS_PER_OBJECT = 16
# What the threads' tables and buffers may take together.
_THREAD_MEMORY = 100 * 2**20
# What a compiled kernel counts between checks for Ctrl-C.
_INTERRUPTIBLE = 1 << 26


class Counted(NamedTuple):
    """Distinct pairs of labels in ascending order, and the count or weight of each."""

    classes: NDArray[Any]
    clusters: NDArray[Any]
    counts: NDArray[Any]


# The rows and columns of cells, counted from the lowest labels, in order; and their counts.
_Positions = tuple[NDArray[np.int64], NDArray[np.int64], NDArray[Any]]


class _Box(NamedTuple):
    """A rectangle of labels: `height` classes from `low_c`, `width` clusters from `low_k`."""

    low_c: int
    low_k: int
    height: int
    width: int

    @classmethod
    def around(cls, c: IntArray, k: IntArray) -> _Box:
        (low_c, high_c), (low_k, high_k) = find_range(c), find_range(k)
        return cls(low_c, low_k, high_c - low_c + 1, high_k - low_k + 1)

    def join(self, other: _Box) -> _Box:
        low_c, low_k = min(self.low_c, other.low_c), min(self.low_k, other.low_k)
        high_c = max(self.low_c + self.height, other.low_c + other.height)
        high_k = max(self.low_k + self.width, other.low_k + other.width)
        return _Box(low_c, low_k, high_c - low_c, high_k - low_k)

    @property
    def cells(self) -> int:
        return self.height * self.width

    @property
    def lows(self) -> tuple[int, int]:
        """The lowest labels modulo 2^64, as the compiled kernels take them."""
        return self.low_c % 2**64, self.low_k % 2**64

    @property
    def bits(self) -> tuple[int, int]:
        """How many bits rows and columns have: at most 64 together, for cells below 2^63."""
        return max(1, (self.height - 1).bit_length()), max(1, (self.width - 1).bit_length())

    def keys(self, c: IntArray, k: IntArray, buffer: NDArray[np.int64]) -> NDArray[np.int64] | None:
        """Return the keys of these labels, in the buffer; None where some lie outside the box."""
        spare = np.empty(min(SMALL_CHUNK, len(c)), dtype=np.uint64)
        for begin in range(0, len(c), SMALL_CHUNK):
            piece = slice(begin, min(begin + SMALL_CHUNK, len(c)))
            out = buffer[piece].view(np.uint64)
            rows = offsets_from(c[piece], self.low_c, out)
            columns = offsets_from(k[piece], self.low_k, spare[: len(out)])
            if rows.max() >= self.height or columns.max() >= self.width:
                return None
            np.multiply(rows, np.uint64(self.width), out=out)
            np.add(out, columns, out=out)
        return buffer[: len(c)]

    def split(self, keys: NDArray[np.int64], counts: NDArray[Any]) -> _Positions:
        """Return the rows and columns of these keys."""
        return *split_keys(keys, self.width), counts

    def name(self, cells: _Positions) -> Counted:
        """Return the labels of rows and columns."""
        rows, columns, counts = cells
        return Counted(
            shifted(rows, self.low_c, self.low_c + self.height),
            shifted(columns, self.low_k, self.low_k + self.width),
            counts,
        )


def count_pairs(c: IntArray, k: IntArray, weights: NDArray[Any] | None = None) -> Counted:
    """Count how often each pair of labels occurs, or add up the weights of each.

    Integer weights are added exactly; float64 ones are faster.
    """
    if len(c) > SMALL_CHUNK:
        guess = _Box.around(c[:SMALL_CHUNK], k[:SMALL_CHUNK])
        if guess.join(_Box.around(c[-1:], k[-1:])) == guess:  # sorted labels are not worth a try
            table = _count_dense(guess, c, k, weights)
            if table is not None:
                return guess.name(find_cells(table, guess.width))
    box = _Box.around(c, k)
    if box.cells >= 2**63:
        return _count_ranks(c, k, weights)
    return box.name(_count_box(box, c, k, weights))


def _count_box(box: _Box, c: IntArray, k: IntArray, weights: NDArray[Any] | None) -> _Positions:
    """Return the cells of labels that all lie in a box."""
    table = _count_dense(box, c, k, weights)
    if table is not None:
        return find_cells(table, box.width)
    return _count_sparse(box, c, k, weights)


def find_cells(table: NDArray[Any], width: int) -> _Positions:
    """Return the rows, columns and counts of the cells of a table that are not empty."""
    if kernels.native is not None and table.dtype == np.int64:
        cells = _room_for(int(np.count_nonzero(table)))
        kernels.native.find_cells(table, width, *cells)
        return cells
    present = np.flatnonzero(table)
    return *split_keys(present, width), table[present]


def split_keys(keys: NDArray[np.int64], width: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the rows and columns of keys; np.divmod takes three times as long."""
    rows = keys // width
    return rows, keys - rows * width


def _room_for(cells: int) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    rows, columns, counts = np.empty((3, cells), dtype=np.int64)  # one piece of memory is cheaper
    return rows, columns, counts


def _count_dense(
    box: _Box, c: IntArray, k: IntArray, weights: NDArray[Any] | None
) -> NDArray[Any] | None:
    """Count into an array of all cells; None where it would be large or labels leave the box."""
    few_enough = min(DENSE_CELLS, max(SMALL_CHUNK, DENSE_CELLS_PER_OBJECT * len(c)))
    cells = box.cells
    if cells > few_enough or (weights is not None and weights.dtype != np.float64):
        return None
    # np.bincount makes an array of all cells each time, so many cells want many keys at once.
    chunk = LARGE_CHUNK if cells > SMALL_CHUNK else SMALL_CHUNK
    # numpy releases the GIL for most of this; each thread has a table of its own.
    memory = 8 * (min(chunk, len(c)) + 2 * cells)
    threads = max(1, min(os.cpu_count() or 1, len(c) // LARGE_CHUNK, _THREAD_MEMORY // memory))
    if threads == 1:
        return _count_share(box, c, k, weights, chunk)
    tables: list[NDArray[Any] | None] = [None] * threads

    def count(i: int) -> None:
        share = slice(len(c) * i // threads, len(c) * (i + 1) // threads)
        own = None if weights is None else weights[share]
        tables[i] = _count_share(box, c[share], k[share], own, chunk)

    run_in_threads(count, range(threads), threads, iter)
    total = tables[0]
    for table in tables[1:]:
        if total is None or table is None:
            return None
        total += table
    return total


def _count_share(
    box: _Box, c: IntArray, k: IntArray, weights: NDArray[Any] | None, chunk: int
) -> NDArray[Any] | None:
    if weights is None and is_readable(c) and is_readable(k):
        whole, place = np.zeros(box.cells, dtype=np.int64), (*box.lows, box.height, box.width)
        for begin in range(0, len(c), _INTERRUPTIBLE):
            part = slice(begin, begin + _INTERRUPTIBLE)
            if not kernels.native.count_dense(c[part], k[part], *place, whole):
                return None
        return whole
    table: NDArray[Any] | None = None
    buffer = np.empty(min(chunk, len(c)), dtype=np.int64)
    for begin in range(0, len(c), chunk):
        part = slice(begin, begin + chunk)
        keys = box.keys(c[part], k[part], buffer)
        if keys is None:
            return None
        own = None if weights is None else weights[part]
        counts = np.bincount(keys, weights=own, minlength=box.cells)
        table = counts if table is None else np.add(table, counts, out=table)
    return table


def _count_sparse(box: _Box, c: IntArray, k: IntArray, weights: NDArray[Any] | None) -> _Positions:
    """Sort keys a chunk at a time; add up the chunks' counts whenever they have doubled.

    Threads count shares of the objects, but not weights, whose sums depend on the order.
    """
    threads = 1 if weights is not None else len(c) // LARGE_CHUNK
    threads = max(1, min(os.cpu_count() or 1, threads, _THREAD_MEMORY // (24 * LARGE_CHUNK)))
    found: list[_Positions | None] = [None] * threads

    def count(i: int) -> None:
        begin, end = len(c) * i // threads, len(c) * (i + 1) // threads
        parts: list[_Positions] = []
        waiting, limit = 0, LARGE_CHUNK
        for start in range(begin, end, LARGE_CHUNK):
            part = slice(start, min(start + LARGE_CHUNK, end))
            own = None if weights is None else weights[part]
            parts.append(_count_chunk(box, c[part], k[part], own))
            waiting += len(parts[-1][0])
            if waiting > 2 * limit:
                parts = [_added(box, parts)]
                waiting = limit = len(parts[0][0])
        found[i] = _added(box, parts)

    run_in_threads(count, range(threads), threads, iter)
    rows, columns, counts = _added(box, [part for part in found if part is not None])
    if weights is None:
        return rows, columns, counts
    present = counts != 0
    return rows[present], columns[present], counts[present]


def _count_chunk(box: _Box, c: IntArray, k: IntArray, weights: NDArray[Any] | None) -> _Positions:
    """Return the distinct pairs of a chunk, in order, and the count or weight of each."""
    if weights is None and is_readable(c) and is_readable(k):
        cells = _room_for(len(c))
        found = kernels.native.count_sparse(c, k, *box.lows, *box.bits, *cells)
        return _first(cells, found)
    keys = box.keys(c, k, np.empty(len(c), dtype=np.int64))
    assert keys is not None  # the box holds all labels
    if weights is not None:
        return box.split(*sum_by_key(keys, weights))
    keys.sort()
    return box.split(*count_sorted(keys))


def _first(cells: _Positions, found: int) -> _Positions:
    """Return the first cells, without the memory of the others where those are many."""
    rows, columns, counts = (
        some[:found] if 2 * found > len(some) else some[:found].copy() for some in cells
    )
    return rows, columns, counts


def _added(box: _Box, parts: list[_Positions]) -> _Positions:
    """Return the cells of all parts, their counts added up."""
    if len(parts) == 1:
        return parts[0]
    if kernels.native is not None and all(part[2].dtype == np.int64 for part in parts):
        middle = len(parts) // 2
        some, others = _added(box, parts[:middle]), _added(box, parts[middle:])
        cells = _room_for(len(some[0]) + len(others[0]))
        return _first(cells, kernels.native.merge_cells(*some, *others, *cells))
    rows, columns, counts = (np.concatenate(arrays) for arrays in zip(*parts, strict=True))
    return box.split(*sum_by_key(rows * box.width + columns, counts))


def _count_ranks(c: IntArray, k: IntArray, weights: NDArray[Any] | None) -> Counted:
    """Count labels so far apart that no 64-bit key holds a pair: by rank among those present."""
    (ranks_c, labels_c), (ranks_k, labels_k) = rank(c), rank(k)
    counted = count_pairs(ranks_c, ranks_k, weights)
    return Counted(labels_c[counted.classes], labels_k[counted.clusters], counted.counts)


# --- many labelings, counted in pairs ------------------------------------------------------------


class RankedCodes(NamedTuple):
    """Codes as ranks 0, 1, … size - 1, to be counted against many others.

    `names` are those ranks, and `margin` says how often each occurs: every table shares them.
    """

    codes: NDArray[Any]
    names: NDArray[np.int64]
    margin: Margin

    @classmethod
    def of(cls, codes: IntArray) -> RankedCodes:
        """Rank the codes, as short as they can be."""
        ranks, distinct = rank(codes)
        margin = Margin(np.bincount(ranks, minlength=len(distinct)), len(ranks))
        short = np.min_scalar_type(len(distinct))
        return cls(ranks.astype(short), np.arange(len(distinct)), margin)


def count_ranked(c: RankedCodes, k: RankedCodes) -> Cells:
    """Count two labelings of the same objects."""
    box = _Box(0, 0, len(c.names), len(k.names))
    return Cells(c.names, k.names, *_count_box(box, c.codes, k.codes, None), canonical=True)
