"""Counting pairs of integer labels: one streamed pass, bounded memory.

A pair (c, k) becomes one key, ``(c - low_c) * width + (k - low_k)``, within a box that holds all
labels. Small boxes are counted into an array, by all cores; large ones by sorting keys a chunk at
a time. The box is guessed from the first chunk, so that labels are read once, and counted again
only if a later label is outside.

Keys are computed modulo 2^64, which is right for any dtype if the box has fewer than 2^63 cells,
even if an intermediate value wraps. With classes from low_c = -2 and 4 clusters from low_k = 7, the
pair (3, 8) has the offsets 3 - (2^64 - 2) = 5 and 1, and the key 5 · 4 + 1 = 21. A label below the
box, -3, has the offset 2^64 - 1: too large, like that of a label above it.
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
# Bytes that the tables and buffers of all threads may take.
_THREAD_MEMORY = 100 * 2**20
# Labels that a compiled kernel counts between checks for Ctrl-C.
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
        """The lowest labels modulo 2^64, for the compiled kernels."""
        return self.low_c % 2**64, self.low_k % 2**64

    def keys(self, c: IntArray, k: IntArray, buffer: NDArray[np.int64]) -> NDArray[np.int64] | None:
        """Return the keys of these labels, in the buffer, or None if some are outside the box."""
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
    """Return the code of each offset among those that occur, and the labels of these."""
    few = size <= max(SMALL_CHUNK, DENSE_CELLS_PER_KEY * len(offsets))
    codes, present = compress_codes(offsets, size) if few else factorize_integers(offsets)
    return codes, shifted(present, low, low + size)


def count_pairs(c: IntArray, k: IntArray, weights: NDArray[Any] | None = None) -> Cells:
    """Count how often each pair of labels occurs, or add up the weights of each.

    Labels are the names of the cells. Integer weights are added exactly; float64 ones are faster.
    """
    if len(c) > SMALL_CHUNK:
        guess = Box.around(c[:SMALL_CHUNK], k[:SMALL_CHUNK])
        if guess.holds(int(c[-1]), int(k[-1])):  # not if labels are sorted
            sums = _count_dense(guess, c, k, weights)
            if sums is not None:
                return guess.cells(*sums, guess.width)
    return _count_box(Box.around(c, k), c, k, weights)


def _count_box(box: Box, c: IntArray, k: IntArray, weights: NDArray[Any] | None) -> Cells:
    """Count labels that are all in a box."""
    sums = _count_dense(box, c, k, weights)
    if sums is not None:
        return box.cells(*sums, box.width)
    # The bits of a key that are its row, and its column.
    bits = (box.height - 1).bit_length(), (box.width - 1).bit_length()
    if sum(bits) > 62:  # labels that far apart are factorized
        (rows, classes), (columns, clusters) = factorize_integers(c), factorize_integers(k)
        cells = count_pairs(rows, columns, weights)
        return cells._replace(classes=classes[cells.classes], clusters=clusters[cells.clusters])
    wide = box._replace(width=1 << bits[1])
    return box.cells(*_count_sparse(wide, bits, c, k, weights), wide.width)


def _in_shares(n: int, memory: int, count: Callable[[slice], Any]) -> list[Any]:
    """Return the counts of shares of n objects, by threads that take this many bytes each.

    numpy and the kernels release the GIL for most of the time.
    """
    threads = max(1, min(count_threads(n, LARGE_CHUNK), _THREAD_MEMORY // memory))
    counts: list[Any] = [None] * threads

    def work(i: int) -> None:
        counts[i] = count(slice(n * i // threads, n * (i + 1) // threads))

    run_in_threads(work, range(threads), threads, iter)
    return counts


def _count_dense(box: Box, c: IntArray, k: IntArray, weights: NDArray[Any] | None) -> _Sums | None:
    """Count into an array of all cells; None if it would be large or labels are outside the box."""
    cells = box.height * box.width
    max_cells = min(DENSE_CELLS, max(SMALL_CHUNK, DENSE_CELLS_PER_KEY * len(c)))
    if cells > max_cells or (weights is not None and weights.dtype != np.float64):
        return None
    # np.bincount makes an array of all cells each time, so many cells need many keys at once.
    chunk = LARGE_CHUNK if cells > SMALL_CHUNK else SMALL_CHUNK

    def count(share: slice) -> NDArray[Any] | None:
        part_weights = None if weights is None else weights[share]
        return _count_share(box, c[share], k[share], part_weights, chunk)

    if len(c) < 2 * LARGE_CHUNK:
        tables = [count(slice(None))]
    else:
        tables = _in_shares(len(c), 8 * (chunk + 2 * cells), count)
    complete = [table for table in tables if table is not None]
    if len(complete) < len(tables):
        return None
    total = complete[0]
    for table in complete[1:]:
        total += table
    keys = total.nonzero()[0]
    return keys, total[keys]


def _count_share(
    box: Box, c: IntArray, k: IntArray, weights: NDArray[Any] | None, chunk: int
) -> NDArray[Any] | None:
    cells = box.height * box.width
    table = np.zeros(cells, dtype=np.int64 if weights is None else np.float64)
    if weights is None and kernels.native is not None:
        for begin in range(0, len(c), _INTERRUPTIBLE):
            part = slice(begin, begin + _INTERRUPTIBLE)
            target = *box.lows, box.height, box.width, table
            if not kernels.native.count_dense(c[part], k[part], *target):
                return None
        return table
    buffer = np.empty(min(chunk, len(c)), dtype=np.int64)
    for begin in range(0, len(c), chunk):
        part = slice(begin, begin + chunk)
        keys = box.keys(c[part], k[part], buffer)
        if keys is None:
            return None
        part_weights = None if weights is None else weights[part]
        table += np.bincount(keys, weights=part_weights, minlength=cells)
    return table


def _count_sparse(
    box: Box, bits: tuple[int, int], c: IntArray, k: IntArray, weights: NDArray[Any] | None
) -> _Sums:
    """Sort keys a chunk at a time; add up the counts of chunks whenever they have doubled."""

    def count(share: slice) -> _Sums:
        sums: list[_Sums] = []
        pending, limit = 0, LARGE_CHUNK
        for begin in range(share.start, share.stop, LARGE_CHUNK):
            part = slice(begin, min(begin + LARGE_CHUNK, share.stop))
            part_weights = None if weights is None else weights[part]
            sums.append(_count_chunk(box, bits, c[part], k[part], part_weights))
            pending += len(sums[-1][0])
            if pending > 2 * limit:
                sums = [_added(sums)]
                pending = limit = len(sums[0][0])
        return _added(sums)

    if weights is None:
        return _added(_in_shares(len(c), 24 * LARGE_CHUNK, count))
    keys, sums = count(slice(0, len(c)))  # sums of floats depend on the order: no threads
    present = sums != 0
    return keys[present], sums[present]


def _count_chunk(
    box: Box, bits: tuple[int, int], c: IntArray, k: IntArray, weights: NDArray[Any] | None
) -> _Sums:
    if weights is None and kernels.native is not None:
        keys, counts = np.empty((2, len(c)), dtype=np.int64)
        n_keys = kernels.native.count_sparse(c, k, *box.lows, *bits, keys, counts)
        return _first(keys, counts, n_keys)
    unsorted = box.keys(c, k, np.empty(len(c), dtype=np.int64))
    assert unsorted is not None  # the box holds all labels
    if weights is not None:
        return sum_by_key(unsorted, weights)
    unsorted.sort()
    return count_sorted(unsorted)


def _first(keys: NDArray[np.int64], counts: NDArray[np.int64], n_used: int) -> _Sums:
    """Return the first `n_used` keys and counts, copied if they fill less than half the buffer."""
    if 2 * n_used > len(keys):
        return keys[:n_used], counts[:n_used]
    return keys[:n_used].copy(), counts[:n_used].copy()


def _added(sums: list[_Sums]) -> _Sums:
    """Return the keys of all sums once, their counts added up."""
    if len(sums) == 1:
        return sums[0]
    if kernels.native is not None and all(counts.dtype == np.int64 for _, counts in sums):
        middle = len(sums) // 2
        first, second = _added(sums[:middle]), _added(sums[middle:])
        keys, counts = np.empty((2, len(first[0]) + len(second[0])), dtype=np.int64)
        return _first(keys, counts, kernels.native.merge_counts(*first, *second, keys, counts))
    return sum_by_key(*(np.concatenate(arrays) for arrays in zip(*sums, strict=True)))


# --- many labelings, counted in pairs ------------------------------------------------------------


class DenseCodes(NamedTuple):
    """Codes 0, 1, … size - 1 of a labeling, to be counted against many others.

    `names` are these codes, and `margin` their frequencies: every table shares them.
    """

    codes: NDArray[Any]
    names: NDArray[np.int64]
    margin: Margin

    @classmethod
    def from_codes(cls, codes: IntArray) -> DenseCodes:
        """Factorize the codes into the smallest integer type."""
        dense, distinct = factorize_integers(codes)
        margin = Margin(np.bincount(dense, minlength=len(distinct)), len(dense))
        dtype = np.min_scalar_type(len(distinct))
        return cls(dense.astype(dtype), np.arange(len(distinct)), margin)


def count_dense_codes(c: DenseCodes, k: DenseCodes) -> Cells:
    """Count two labelings of the same objects."""
    cells = _count_box(Box(0, 0, len(c.names), len(k.names)), c.codes, k.codes, None)
    return cells._replace(classes=c.names, clusters=k.names)  # which all tables share
