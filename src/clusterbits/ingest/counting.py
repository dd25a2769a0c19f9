"""Counting pairs of integer labels: one streamed pass, bounded memory.

A pair (c, k) becomes one key, ``(c - low_c) * width + (k - low_k)``, within a box that holds all
labels. Small boxes are counted into an array; large ones by sorting keys a chunk at a time. The
box is guessed from the first chunk, so that labels are read once; only when a later label falls
outside is the rest looked at as a whole, once.

Keys are computed in wrapping 64-bit arithmetic: a box of fewer than 2^63 cells gives right keys
whatever the labels' dtype, even where an intermediate product wraps.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from clusterbits.ingest.cells import run_starts, sum_by_key

IntArray = NDArray[np.integer[Any]]

# Long enough that numpy's overhead vanishes, short enough to stay in a core's cache.
_SMALL_CHUNK = 1 << 16
_LARGE_CHUNK = 1 << 20
# Up to this many cells a plain array of counts is cheaper than sorting.
_DENSE_CELLS = 1 << 22


class Counted(NamedTuple):
    """Distinct pairs of labels in ascending order, and how often (or how heavily) each occurs."""

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

    def holds(self, c: IntArray, k: IntArray) -> bool:
        return bool(
            c.min() >= self.low_c
            and k.min() >= self.low_k
            and c.max() < self.low_c + self.height
            and k.max() < self.low_k + self.width
        )

    def join(self, other: _Box) -> _Box:
        low_c, low_k = min(self.low_c, other.low_c), min(self.low_k, other.low_k)
        high_c = max(self.low_c + self.height, other.low_c + other.height)
        high_k = max(self.low_k + self.width, other.low_k + other.width)
        return _Box(low_c, low_k, high_c - low_c, high_k - low_k)

    @property
    def cells(self) -> int:
        return self.height * self.width

    def keys(self, c: IntArray, k: IntArray, out: NDArray[np.int64]) -> NDArray[np.int64]:
        out = out[: len(c)]
        np.multiply(c, self.width, out=out, dtype=np.int64, casting="unsafe")
        np.add(out, k, out=out, dtype=np.int64, casting="unsafe")
        if offset := _wrapped(self.low_c * self.width + self.low_k):
            out -= offset
        return out

    def pairs(self, keys: NDArray[np.int64]) -> tuple[NDArray[Any], NDArray[Any]]:
        rows, columns = np.divmod(keys, self.width)
        return _shifted(rows, self.low_c), _shifted(columns, self.low_k)


def count_pairs(c: IntArray, k: IntArray, weights: NDArray[Any] | None = None) -> Counted:
    """Count how often each pair of labels occurs, or add up the weights of each.

    Integer weights are added exactly, whatever their size; the caller passes them as an object
    array where int64 would overflow.
    """
    box = _Box.around(c[:_SMALL_CHUNK], k[:_SMALL_CHUNK])
    if not box.holds(c[-1:], k[-1:]):  # sorted labels: do not even start with the first guess
        box = _Box.around(c, k)
    if box.cells >= 2**63:
        return _count_ranks(c, k, weights)
    merged = _Partials()
    start = 0
    while True:
        start = _count_inside(box, c, k, weights, start, merged)
        if start == len(c):
            keys, counts = merged.total()
            present = counts != 0
            return Counted(*box.pairs(keys[present]), counts[present])
        larger = box.join(_Box.around(c[start:], k[start:]))
        if larger.cells >= 2**63:
            return _count_ranks(c, k, weights)
        merged.move(box, larger)
        box = larger


class _Partials:
    """Counts of chunks, added up whenever they have grown to twice their last total."""

    def __init__(self) -> None:
        self._parts: list[tuple[NDArray[np.int64], NDArray[Any]]] = []
        self._waiting = 0
        self._limit = 1 << 21

    def add(self, keys: NDArray[np.int64], counts: NDArray[Any]) -> None:
        self._parts.append((keys, counts))
        self._waiting += len(keys)
        if self._waiting > self._limit:
            self._limit = max(self._limit, 2 * len(self.total()[0]))

    def total(self) -> tuple[NDArray[np.int64], NDArray[Any]]:
        if len(self._parts) > 1:
            keys, counts = zip(*self._parts, strict=True)
            self._parts = [sum_by_key(np.concatenate(keys), np.concatenate(counts))]
        self._waiting = len(self._parts[0][0])
        return self._parts[0]

    def move(self, old: _Box, new: _Box) -> None:
        if self._parts:
            keys, counts = self.total()
            self._parts = [(new.keys(*old.pairs(keys), out=np.empty_like(keys)), counts)]


def _count_inside(
    box: _Box,
    c: IntArray,
    k: IntArray,
    weights: NDArray[Any] | None,
    start: int,
    merged: _Partials,
) -> int:
    """Count from `start` until a chunk leaves the box; return where that chunk begins."""
    dense = box.cells <= _DENSE_CELLS and (weights is None or weights.dtype == np.float64)
    # np.bincount makes an array of all cells for every chunk: no more often than it is filled.
    size = _LARGE_CHUNK if box.cells > _SMALL_CHUNK else _SMALL_CHUNK
    buffer = np.empty(min(size, len(c) - start), dtype=np.int64)
    table: NDArray[Any] | None = None
    for stop, chunk_c, chunk_k in _chunks(c, k, start, size):
        if not box.holds(chunk_c, chunk_k):
            break
        keys = box.keys(chunk_c, chunk_k, buffer)
        chunk_weights = None if weights is None else weights[start:stop]
        if dense:
            counts = np.bincount(keys, weights=chunk_weights, minlength=box.cells)
            table = counts if table is None else np.add(table, counts, out=table)
        elif chunk_weights is None:
            keys.sort()
            starts = run_starts(keys)
            merged.add(keys[starts], np.diff(starts, append=len(keys)))
        else:
            merged.add(*sum_by_key(keys, chunk_weights))
        start = stop
    if table is not None:
        present = np.flatnonzero(table)
        merged.add(present, table[present])
    return start


def _chunks(
    c: IntArray, k: IntArray, start: int, size: int
) -> Iterator[tuple[int, IntArray, IntArray]]:
    for begin in range(start, len(c), size):
        stop = min(begin + size, len(c))
        yield stop, c[begin:stop], k[begin:stop]


def _count_ranks(c: IntArray, k: IntArray, weights: NDArray[Any] | None) -> Counted:
    """Count labels so far apart that no 64-bit key holds a pair: by rank among those present."""
    (ranks_c, labels_c), (ranks_k, labels_k) = rank(c), rank(k)
    counted = count_pairs(ranks_c, ranks_k, weights)
    return Counted(labels_c[counted.classes], labels_k[counted.clusters], counted.counts)


def rank(labels: NDArray[Any]) -> tuple[NDArray[np.int64], NDArray[Any]]:
    """Return each label's position among the distinct labels, and those labels, ascending."""
    known = labels[:0]
    for begin in range(0, len(labels), _LARGE_CHUNK):
        chunk = np.sort(labels[begin : begin + _LARGE_CHUNK])
        known = np.union1d(known, chunk[run_starts(chunk)])
    ranks = np.empty(len(labels), dtype=np.int64)
    for begin in range(0, len(labels), _SMALL_CHUNK):
        part = slice(begin, begin + _SMALL_CHUNK)
        ranks[part] = np.searchsorted(known, labels[part])
    return ranks, known


def _wrapped(value: int) -> int:
    """Return the int64 that `value` is congruent to modulo 2^64."""
    return (value + 2**63) % 2**64 - 2**63


def _shifted(positions: NDArray[np.int64], low: int) -> NDArray[Any]:
    """Return positions + low: int64, or uint64 for labels past it."""
    past_int64 = len(positions) > 0 and low + int(positions.max()) >= 2**63
    dtype = np.uint64 if past_int64 else np.int64
    return np.asarray(positions.astype(dtype, copy=False) + dtype(low))
