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
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from clusterbits.core import kernels
from clusterbits.core.cells import Cells, count_sorted, sum_by_key
from clusterbits.core.hashing import rank_hashed
from clusterbits.parallel import run_in_threads

IntArray = NDArray[np.integer[Any]]

# Long enough that numpy's overhead vanishes, short enough to stay in a core's cache.
_SMALL_CHUNK = 1 << 17
_LARGE_CHUNK = 1 << 21
# Up to this many cells a plain array of counts is cheaper than sorting, if objects are not few.
DENSE_CELLS = 1 << 22
DENSE_CELLS_PER_OBJECT = 16
# What the threads' tables and buffers may take together.
_THREAD_MEMORY = 100 * 2**20
# Labels of up to this span are looked up in an array, however few they are.
_SMALL_SPAN = 1 << 10
# Past this span the array itself would be large.
_LARGE_SPAN = 1 << 24
# From here on scipy counts faster than numpy; below, importing it costs more than counting.
_MANY_OBJECTS = 1 << 16
# A look-up table of labels may have up to this many slots (as a power of two).
_HASH_BITS = 18


class Counted(NamedTuple):
    """Distinct pairs of labels in ascending order, and the count or weight of each."""

    classes: NDArray[Any]
    clusters: NDArray[Any]
    counts: NDArray[Any]


class _Box(NamedTuple):
    """A rectangle of labels: `height` classes from `low_c`, `width` clusters from `low_k`."""

    low_c: int
    low_k: int
    height: int
    width: int

    @classmethod
    def around(cls, c: IntArray, k: IntArray) -> _Box:
        low_c, low_k = int(c.min()), int(k.min())
        return cls(low_c, low_k, int(c.max()) - low_c + 1, int(k.max()) - low_k + 1)

    def join(self, other: _Box) -> _Box:
        low_c, low_k = min(self.low_c, other.low_c), min(self.low_k, other.low_k)
        high_c = max(self.low_c + self.height, other.low_c + other.height)
        high_k = max(self.low_k + self.width, other.low_k + other.width)
        return _Box(low_c, low_k, high_c - low_c, high_k - low_k)

    @property
    def cells(self) -> int:
        return self.height * self.width

    @property
    def unsigned(self) -> tuple[int, int, int, int]:
        """The box with its lows modulo 2^64, as the compiled kernels take it."""
        return self.low_c % 2**64, self.low_k % 2**64, self.height, self.width

    def keys(self, c: IntArray, k: IntArray, buffer: NDArray[np.int64]) -> NDArray[np.int64] | None:
        """Return the keys of these labels, in the buffer; None where some lie outside the box."""
        spare = np.empty(min(_SMALL_CHUNK, len(c)), dtype=np.uint64)
        for begin in range(0, len(c), _SMALL_CHUNK):
            piece = slice(begin, min(begin + _SMALL_CHUNK, len(c)))
            out = buffer[piece].view(np.uint64)
            rows = _offsets(c[piece], self.low_c, out)
            columns = _offsets(k[piece], self.low_k, spare[: len(out)])
            if rows.max() >= self.height or columns.max() >= self.width:
                return None
            np.multiply(rows, np.uint64(self.width), out=out)
            np.add(out, columns, out=out)
        return buffer[: len(c)]

    def pairs(self, keys: NDArray[np.int64]) -> tuple[NDArray[Any], NDArray[Any]]:
        rows = keys // self.width
        columns = keys - rows * self.width
        return (
            _shifted(rows, self.low_c, self.low_c + self.height),
            _shifted(columns, self.low_k, self.low_k + self.width),
        )


def count_pairs(c: IntArray, k: IntArray, weights: NDArray[Any] | None = None) -> Counted:
    """Count how often each pair of labels occurs, or add up the weights of each.

    Integer weights are added exactly, whatever their size; the caller passes them as an object
    array where int64 would overflow.
    """
    guess = _Box.around(c[:_SMALL_CHUNK], k[:_SMALL_CHUNK])
    if guess.join(_Box.around(c[-1:], k[-1:])) == guess:  # sorted labels are not worth a try
        table = _count_dense(guess, c, k, weights)
        if table is not None:
            return _read_off(guess, table)
    box = _Box.around(c, k)
    if box.cells >= 2**63:
        return _count_ranks(c, k, weights)
    table = _count_dense(box, c, k, weights)
    if table is not None:
        return _read_off(box, table)
    return _count_sparse(box, c, k, weights)


def _read_off(box: _Box, table: NDArray[Any]) -> Counted:
    present = np.flatnonzero(table)
    return Counted(*box.pairs(present), table[present])


def _count_dense(
    box: _Box, c: IntArray, k: IntArray, weights: NDArray[Any] | None
) -> NDArray[Any] | None:
    """Count into an array of all cells; None where it would be large or labels leave the box."""
    few_enough = min(DENSE_CELLS, max(_SMALL_CHUNK, DENSE_CELLS_PER_OBJECT * len(c)))
    if box.cells > few_enough or (weights is not None and weights.dtype != np.float64):
        return None
    # np.bincount makes an array of all cells each time, so many cells want many keys at once.
    chunk = _LARGE_CHUNK if box.cells > _SMALL_CHUNK else _SMALL_CHUNK
    # numpy lets go of the interpreter for most of this; each thread has a table of its own.
    memory = 8 * (min(chunk, len(c)) + 2 * box.cells)
    threads = max(1, min(os.cpu_count() or 1, len(c) // _LARGE_CHUNK, _THREAD_MEMORY // memory))
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
    if _compiled(c, k, weights):
        whole = np.zeros(box.cells, dtype=np.int64)
        return whole if kernels.native.count_dense(c, k, *box.unsigned, whole) else None
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


def _compiled(c: IntArray, k: IntArray, weights: NDArray[Any] | None) -> bool:
    """Whether a compiled kernel counts these: they read integers in the machine's byte order."""
    return kernels.native is not None and weights is None and c.dtype.isnative and k.dtype.isnative


def _count_sparse(box: _Box, c: IntArray, k: IntArray, weights: NDArray[Any] | None) -> Counted:
    """Sort keys a chunk at a time; add up the chunks' counts whenever they have doubled."""
    parts: list[tuple[NDArray[np.int64], NDArray[Any]]] = []
    waiting, limit = 0, _LARGE_CHUNK
    buffer = np.empty(min(_LARGE_CHUNK, len(c)), dtype=np.int64)
    for begin in range(0, len(c), _LARGE_CHUNK):
        part = slice(begin, begin + _LARGE_CHUNK)
        own = None if weights is None else weights[part]
        parts.append(_count_chunk(box, c[part], k[part], own, buffer))
        waiting += len(parts[-1][0])
        if waiting > 2 * limit:
            parts = [_added(parts)]
            waiting = limit = len(parts[0][0])
    keys, counts = _added(parts)
    present = counts != 0
    return Counted(*box.pairs(keys[present]), counts[present])


def _count_chunk(
    box: _Box,
    c: IntArray,
    k: IntArray,
    weights: NDArray[Any] | None,
    buffer: NDArray[np.int64],
) -> tuple[NDArray[np.int64], NDArray[Any]]:
    """Return the distinct keys of a chunk, ascending, and the count or weight of each."""
    if _compiled(c, k, weights):
        keys, counts = np.empty(len(c), dtype=np.int64), np.empty(len(c), dtype=np.int64)
        found = kernels.native.count_sparse(c, k, *box.unsigned, keys, counts)
        return keys[:found], counts[:found]
    made = box.keys(c, k, buffer)
    assert made is not None  # the box holds all labels
    if weights is not None:
        return sum_by_key(made, weights)
    made.sort()
    return count_sorted(made)


def _added(
    parts: list[tuple[NDArray[np.int64], NDArray[Any]]],
) -> tuple[NDArray[np.int64], NDArray[Any]]:
    if len(parts) == 1:
        return parts[0]
    keys, counts = zip(*parts, strict=True)
    return sum_by_key(np.concatenate(keys), np.concatenate(counts))


def _count_ranks(c: IntArray, k: IntArray, weights: NDArray[Any] | None) -> Counted:
    """Count labels so far apart that no 64-bit key holds a pair: by rank among those present."""
    (ranks_c, labels_c), (ranks_k, labels_k) = rank(c), rank(k)
    counted = count_pairs(ranks_c, ranks_k, weights)
    return Counted(labels_c[counted.classes], labels_k[counted.clusters], counted.counts)


def rank(labels: NDArray[Any]) -> tuple[NDArray[np.int64], NDArray[Any]]:
    """Return each label's position among the distinct labels, and those labels, ascending.

    Labels of a small span are counted, others hashed or sorted. The positions may share the
    labels' memory.
    """
    low = int(labels.min()) if len(labels) else 0
    end = int(labels.max()) + 1 if len(labels) else 0
    if _is_narrow(end - low, len(labels)):
        offsets = _offsets(labels, low, np.empty(len(labels), dtype=np.uint64)).view(np.int64)
        seen = np.zeros(end - low, dtype=np.bool_)
        seen[offsets] = True
        positions = offsets if seen.all() else (np.cumsum(seen) - 1)[offsets]
        return positions, _shifted(np.flatnonzero(seen), low, end)
    if kernels.native is not None and labels.dtype.isnative:
        return rank_hashed(labels)
    known = distinct_labels(labels)
    position = finder(known)
    ranks = np.empty(len(labels), dtype=np.int64)
    for begin in range(0, len(labels), _SMALL_CHUNK):
        part = slice(begin, begin + _SMALL_CHUNK)
        ranks[part] = position(labels[part])
    return ranks, known


def distinct_labels(labels: NDArray[Any]) -> NDArray[Any]:
    """Return the distinct labels, ascending, looking at a chunk at a time."""
    low = int(labels.min()) if len(labels) else 0
    end = int(labels.max()) + 1 if len(labels) else 0
    if _is_narrow(end - low, len(labels)):
        seen = np.zeros(end - low, dtype=np.bool_)
        spare = np.empty(min(len(labels), _SMALL_CHUNK), dtype=np.uint64)
        for begin in range(0, len(labels), _SMALL_CHUNK):
            chunk = labels[begin : begin + _SMALL_CHUNK]
            seen[_offsets(chunk, low, spare[: len(chunk)])] = True
        return _shifted(np.flatnonzero(seen), low, end)
    known = labels[:0]
    for begin in range(0, len(labels), _LARGE_CHUNK):
        chunk = count_sorted(np.sort(labels[begin : begin + _LARGE_CHUNK]))[0]
        # Two sorted runs merge in one pass; np.unique hashes, which takes twenty times as long.
        known = count_sorted(np.sort(np.concatenate([known, chunk]), kind="stable"))[0]
    return known if known.dtype == np.uint64 else known.astype(np.int64)


def finder(known: NDArray[Any]) -> Callable[[NDArray[Any]], NDArray[np.int64]]:
    """Return a function that finds positions among these labels, of labels that are there."""
    low, span = int(known[0]), int(known[-1]) - int(known[0]) + 1

    def offsets(some: NDArray[Any]) -> NDArray[np.int64]:
        return _offsets(some, low, np.empty(len(some), dtype=np.uint64)).view(np.int64)

    if span == len(known):
        return offsets
    if hashed := _perfect_hash(known):
        return hashed
    if _is_narrow(span, len(known)):
        table = np.zeros(span, dtype=np.int64)
        table[offsets(known)] = np.arange(len(known))
        return lambda some: table[offsets(some)]
    return lambda some: _search(known, some.astype(known.dtype, copy=False))


def _search(known: NDArray[Any], some: NDArray[Any]) -> NDArray[np.int64]:
    """Return positions among many known labels: in order, neighbours are looked up together."""
    order = np.argsort(some)
    found = np.empty(len(some), dtype=np.int64)
    found[order] = np.searchsorted(known, some[order])
    return found


def _is_narrow(span: int, labels: int) -> bool:
    """Whether an array of this span is not much larger than the labels themselves."""
    return span <= max(_SMALL_SPAN, min(4 * labels, _LARGE_SPAN))


def _perfect_hash(known: NDArray[Any]) -> Callable[[NDArray[Any]], NDArray[np.int64]] | None:
    """Return a table look-up of positions among few known labels, or None for many.

    Each label's slot is the first bits of a product; the table grows until no two share one.
    """
    for bits in range(max(len(known), 2).bit_length(), _HASH_BITS + 1):
        slots = _slots(known, bits)
        table = np.full(1 << bits, -1, dtype=np.int64)
        table[slots] = np.arange(len(known))
        if (table[slots] == np.arange(len(known))).all():
            return lambda some: table[_slots(some, bits)]
    return None


def _slots(labels: NDArray[Any], bits: int) -> NDArray[np.int64]:
    product = labels.astype(np.uint64) * np.uint64(0x9E3779B97F4A7C15)
    return (product >> np.uint64(64 - bits)).view(np.int64)


def _offsets(labels: IntArray, low: int, out: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Return labels - low modulo 2^64, in `out` or, where nothing has to be done, as they are."""
    if low == 0 and labels.dtype in (np.int64, np.uint64):
        return labels.view(np.uint64)
    # Wrapping arithmetic in int64 is right for every dtype, uint64 included.
    wrapped = (low + 2**63) % 2**64 - 2**63
    np.subtract(labels, wrapped, out=out.view(np.int64), dtype=np.int64, casting="unsafe")
    return out


def _shifted(positions: NDArray[np.int64], low: int, end: int) -> NDArray[Any]:
    """Return positions + low: int64, or uint64 where labels reach past it."""
    if low == 0 and end <= 2**63:
        return positions
    dtype = np.int64 if end <= 2**63 else np.uint64
    return np.asarray(positions.astype(dtype, copy=False) + dtype(low))


# --- many labelings in pairs ---------------------------------------------------------------------


class RankedCodes(NamedTuple):
    """Codes as ranks 0, 1, … size - 1, to be counted against many others."""

    codes: NDArray[Any]
    size: int

    @classmethod
    def of(cls, codes: IntArray) -> RankedCodes:
        """Rank the codes, as int32 while that will do, which scipy counts fastest."""
        ranks, distinct = rank(codes)
        dtype = np.int32 if len(ranks) < 2**31 else np.int64
        return cls(ranks.astype(dtype), len(distinct))


def count_ranked(c: RankedCodes, k: RankedCodes, ones: NDArray[Any]) -> Cells:
    """Count two labelings of the same objects; `ones` has a one of the codes' type for each."""
    n, cells = len(ones), c.size * k.size
    dense = cells <= min(DENSE_CELLS, DENSE_CELLS_PER_OBJECT * n)
    if dense and kernels.native is not None:
        counts = np.zeros(cells, dtype=np.int64)
        kernels.native.count_dense(c.codes, k.codes, 0, 0, c.size, k.size, counts)
    elif dense and n >= _MANY_OBJECTS:
        # scipy adds up the entries of a sparse array without making keys of them, and lets other
        # threads run meanwhile, which np.bincount hardly does.
        from scipy.sparse import coo_array

        entries = coo_array((c.size, k.size), dtype=ones.dtype)
        # Given to the constructor, they would be looked through for positions out of bounds.
        entries.data, entries.coords = ones, (c.codes, k.codes)
        counts = entries.toarray().ravel()
    else:
        keys = np.multiply(c.codes, k.size, dtype=np.int32 if dense else np.int64)
        keys += k.codes
        if dense:
            counts = np.bincount(keys, minlength=cells)
    if dense:
        present = np.flatnonzero(counts)
        counts = counts[present].astype(np.int64, copy=False)
    else:
        keys.sort()
        present, counts = count_sorted(keys)
    return Cells.from_keys(present, counts, np.arange(c.size), np.arange(k.size))
