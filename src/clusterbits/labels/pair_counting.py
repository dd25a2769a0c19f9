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

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from clusterbits.system import kernels
from clusterbits.system.threads import count_threads, run_in_threads
from clusterbits.table.cells import (
    DENSE_CELLS,
    DENSE_CELLS_PER_KEY,
    Cells,
    compress_codes,
    count_sorted,
    split_keys,
    sum_by_key,
)
from clusterbits.table.margins import Margin
from clusterbits.table.numbering import (
    IntArray,
    factorize_integers,
    find_range,
    offsets_from,
    shifted,
)

# Long enough that numpy's overhead vanishes, short enough to stay in a core's cache.
SMALL_CHUNK = 1 << 17
LARGE_CHUNK = 1 << 21
# What the threads' tables and buffers may take together.
_THREAD_MEMORY = 100 * 2**20
# What a compiled kernel counts between checks for Ctrl-C.
_INTERRUPTIBLE = 1 << 26

# Keys in ascending order, and the count or weight of each.
_Sums = tuple[NDArray[np.int64], NDArray[Any]]


class Box(NamedTuple):
    """A rectangle of labels: `height` classes from `low_c`, `width` clusters from `low_k`."""

    low_c: int
    low_k: int
    height: int
    width: int

    @classmethod
    def around(cls, c: IntArray, k: IntArray) -> Box:
        (low_c, high_c), (low_k, high_k) = find_range(c), find_range(k)
        return cls(low_c, low_k, high_c - low_c + 1, high_k - low_k + 1)

    def holds(self, c: int, k: int) -> bool:
        return 0 <= c - self.low_c < self.height and 0 <= k - self.low_k < self.width

    @property
    def lows(self) -> tuple[int, int]:
        """The lowest labels modulo 2^64, as the compiled kernels take them."""
        return self.low_c % 2**64, self.low_k % 2**64

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

    def cells(self, keys: NDArray[np.int64], counts: NDArray[Any], stride: int) -> Cells:
        """Return the cells of ascending keys, row · stride + column, named by their labels."""
        rows, columns = split_keys(keys, stride)
        rows, classes = _present(rows, self.low_c, self.height)
        columns, clusters = _present(columns, self.low_k, self.width)
        return Cells(classes, clusters, rows, columns, counts, canonical=True)


def _present(offsets: NDArray[Any], low: int, size: int) -> tuple[NDArray[np.int64], NDArray[Any]]:
    """Return each offset's position among those that occur, and the labels of these."""
    few = size <= max(SMALL_CHUNK, DENSE_CELLS_PER_KEY * len(offsets))
    positions, present = compress_codes(offsets, size) if few else factorize_integers(offsets)
    return positions, shifted(present, low, low + size)


def count_pairs(c: IntArray, k: IntArray, weights: NDArray[Any] | None = None) -> Cells:
    """Count how often each pair of labels occurs, or add up the weights of each.

    Labels are the names of the cells. Integer weights are added exactly; float64 ones are faster.
    """
    if len(c) > SMALL_CHUNK:
        guess = Box.around(c[:SMALL_CHUNK], k[:SMALL_CHUNK])
        # Sorted labels are not worth a try.
        if guess.holds(int(c[-1]), int(k[-1])):
            found = _count_dense(guess, c, k, weights)
            if found is not None:
                return guess.cells(*found, guess.width)
    return _count_box(Box.around(c, k), c, k, weights)


def _count_box(box: Box, c: IntArray, k: IntArray, weights: NDArray[Any] | None) -> Cells:
    """Count labels that all lie in a box."""
    found = _count_dense(box, c, k, weights)
    if found is not None:
        return box.cells(*found, box.width)
    # The bits of a key that are its row, and its column.
    bits = (box.height - 1).bit_length(), (box.width - 1).bit_length()
    if sum(bits) > 62:  # labels that far apart are counted by their ranks
        (rows, classes), (columns, clusters) = factorize_integers(c), factorize_integers(k)
        cells = count_pairs(rows, columns, weights)
        return cells._replace(classes=classes[cells.classes], clusters=clusters[cells.clusters])
    wide = box._replace(width=1 << bits[1])
    return box.cells(*_count_sparse(wide, bits, c, k, weights), wide.width)


def _in_shares(n: int, memory: int, count: Callable[[slice], Any]) -> list[Any]:
    """Return the counts of shares of n objects, by threads that each take this much memory.

    numpy and the kernels release the GIL for most of the time.
    """
    threads = max(1, min(count_threads(n, LARGE_CHUNK), _THREAD_MEMORY // memory))
    found: list[Any] = [None] * threads

    def work(i: int) -> None:
        found[i] = count(slice(n * i // threads, n * (i + 1) // threads))

    run_in_threads(work, range(threads), threads, iter)
    return found


def _count_dense(box: Box, c: IntArray, k: IntArray, weights: NDArray[Any] | None) -> _Sums | None:
    """Count into an array of all cells; None where it would be large or labels leave the box."""
    cells = box.height * box.width
    few_enough = min(DENSE_CELLS, max(SMALL_CHUNK, DENSE_CELLS_PER_KEY * len(c)))
    if cells > few_enough or (weights is not None and weights.dtype != np.float64):
        return None
    # np.bincount makes an array of all cells each time, so many cells want many keys at once.
    chunk = LARGE_CHUNK if cells > SMALL_CHUNK else SMALL_CHUNK

    def count(share: slice) -> NDArray[Any] | None:
        own = None if weights is None else weights[share]
        return _count_share(box, c[share], k[share], own, chunk)

    if len(c) < 2 * LARGE_CHUNK:
        tables = [_count_share(box, c, k, weights, chunk)]
    else:
        tables = _in_shares(len(c), 8 * (chunk + 2 * cells), count)
    total = tables[0]
    for table in tables[1:]:
        if total is None or table is None:
            return None
        total += table
    if total is None:
        return None
    keys = total.nonzero()[0]
    return keys, total[keys]


def _count_share(
    box: Box, c: IntArray, k: IntArray, weights: NDArray[Any] | None, chunk: int
) -> NDArray[Any] | None:
    cells = box.height * box.width
    table = np.zeros(cells, dtype=np.int64 if weights is None else np.float64)
    if weights is None and kernels.native is not None:
        place = *box.lows, box.height, box.width, table
        for begin in range(0, len(c), _INTERRUPTIBLE):
            part = slice(begin, begin + _INTERRUPTIBLE)
            if not kernels.native.count_dense(c[part], k[part], *place):
                return None
        return table
    buffer = np.empty(min(chunk, len(c)), dtype=np.int64)
    for begin in range(0, len(c), chunk):
        part = slice(begin, begin + chunk)
        keys = box.keys(c[part], k[part], buffer)
        if keys is None:
            return None
        own = None if weights is None else weights[part]
        table += np.bincount(keys, weights=own, minlength=cells)
    return table


def _count_sparse(
    box: Box, bits: tuple[int, int], c: IntArray, k: IntArray, weights: NDArray[Any] | None
) -> _Sums:
    """Sort keys a chunk at a time; add up the chunks' counts whenever they have doubled."""

    def count(share: slice) -> _Sums:
        parts: list[_Sums] = []
        waiting, limit = 0, LARGE_CHUNK
        for begin in range(share.start, share.stop, LARGE_CHUNK):
            part = slice(begin, min(begin + LARGE_CHUNK, share.stop))
            own = None if weights is None else weights[part]
            parts.append(_count_chunk(box, bits, c[part], k[part], own))
            waiting += len(parts[-1][0])
            if waiting > 2 * limit:
                parts = [_added(parts)]
                waiting = limit = len(parts[0][0])
        return _added(parts)

    if weights is None:
        return _added(_in_shares(len(c), 24 * LARGE_CHUNK, count))
    keys, sums = count(slice(0, len(c)))  # which depend on the order, so there are no threads
    present = sums != 0
    return keys[present], sums[present]


def _count_chunk(
    box: Box, bits: tuple[int, int], c: IntArray, k: IntArray, weights: NDArray[Any] | None
) -> _Sums:
    if weights is None and kernels.native is not None:
        keys, counts = np.empty((2, len(c)), dtype=np.int64)
        found = kernels.native.count_sparse(c, k, *box.lows, *bits, keys, counts)
        return _first(keys, counts, found)
    found_keys = box.keys(c, k, np.empty(len(c), dtype=np.int64))
    assert found_keys is not None  # the box holds all labels
    if weights is not None:
        return sum_by_key(found_keys, weights)
    found_keys.sort()
    return count_sorted(found_keys)


def _first(keys: NDArray[np.int64], counts: NDArray[np.int64], found: int) -> _Sums:
    """Return the first of them, without the memory of the others where those are many."""
    if 2 * found > len(keys):
        return keys[:found], counts[:found]
    return keys[:found].copy(), counts[:found].copy()


def _added(parts: list[_Sums]) -> _Sums:
    """Return the keys of all parts once, their counts added up."""
    if len(parts) == 1:
        return parts[0]
    if kernels.native is not None and all(counts.dtype == np.int64 for _, counts in parts):
        middle = len(parts) // 2
        some, others = _added(parts[:middle]), _added(parts[middle:])
        keys, counts = np.empty((2, len(some[0]) + len(others[0])), dtype=np.int64)
        return _first(keys, counts, kernels.native.merge_counts(*some, *others, keys, counts))
    return sum_by_key(*(np.concatenate(arrays) for arrays in zip(*parts, strict=True)))


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
        ranks, distinct = factorize_integers(codes)
        margin = Margin(np.bincount(ranks, minlength=len(distinct)), len(ranks))
        short = np.min_scalar_type(len(distinct))
        return cls(ranks.astype(short), np.arange(len(distinct)), margin)


def count_ranked(c: RankedCodes, k: RankedCodes) -> Cells:
    """Count two labelings of the same objects."""
    cells = _count_box(Box(0, 0, len(c.names), len(k.names)), c.codes, k.codes, None)
    return cells._replace(classes=c.names, clusters=k.names)  # which all tables share
