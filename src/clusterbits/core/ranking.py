"""Labels as ranks: their range, the distinct ones, and the position of each among those."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from clusterbits.core import kernels
from clusterbits.core.cells import count_sorted
from clusterbits.core.hashing import rank_hashed

IntArray = NDArray[np.integer[Any]]

# Long enough that numpy's overhead vanishes, short enough to stay in a core's cache.
SMALL_CHUNK = 1 << 17
LARGE_CHUNK = 1 << 21
# Labels of up to this span are looked up in an array, however few they are.
SMALL_SPAN = 1 << 10
# Past this span the array itself would be large.
_LARGE_SPAN = 1 << 24
# A look-up table of labels may have up to this many slots (as a power of two).
_HASH_BITS = 18


def rank(labels: NDArray[Any]) -> tuple[NDArray[np.int64], NDArray[Any]]:
    """Return each label's position among the distinct labels, and those labels, ascending.

    Labels of a small span are counted, others hashed or sorted. The positions may share the labels'
    memory.
    """
    low, high = find_range(labels)
    if _is_narrow(high - low + 1, len(labels)):
        seen = find_present(labels, low, high)
        offsets = offsets_from(labels, low, np.empty(len(labels), dtype=np.uint64)).view(np.int64)
        positions = offsets if seen.all() else (np.cumsum(seen) - 1)[offsets]
        return positions, shifted(np.flatnonzero(seen), low, high + 1)
    if is_readable(labels):
        return rank_hashed(labels)
    known = distinct_labels(labels)
    position = finder(known)
    ranks = np.empty(len(labels), dtype=np.int64)
    for begin in range(0, len(labels), SMALL_CHUNK):
        part = slice(begin, begin + SMALL_CHUNK)
        ranks[part] = position(labels[part])
    return ranks, known


def is_readable(*labels: NDArray[Any]) -> bool:
    """Whether compiled kernels read these: integers in the machine's byte order."""
    return kernels.native is not None and all(some.dtype.isnative for some in labels)


def find_range(labels: NDArray[Any]) -> tuple[int, int]:
    """Return the smallest and the largest label; an empty range, 0 to -1, where there are none."""
    if len(labels) == 0:
        return 0, -1
    if is_readable(labels):
        low, high = kernels.native.find_range(labels)
        return low, high
    return int(labels.min()), int(labels.max())


def find_present(labels: NDArray[Any], low: int, high: int) -> NDArray[np.bool_]:
    """Return which of the labels from `low` to `high` occur."""
    seen = np.zeros(high - low + 1, dtype=np.bool_)
    if is_readable(labels):
        if not kernels.native.mark_present(labels, low % 2**64, seen):
            raise IndexError(f"a label lies outside {low} to {high}")
        return seen
    spare = np.empty(min(len(labels), SMALL_CHUNK), dtype=np.uint64)
    for begin in range(0, len(labels), SMALL_CHUNK):
        chunk = labels[begin : begin + SMALL_CHUNK]
        seen[offsets_from(chunk, low, spare[: len(chunk)])] = True
    return seen


def distinct_labels(labels: NDArray[Any]) -> NDArray[Any]:
    """Return the distinct labels, ascending, looking at a chunk at a time."""
    low, high = find_range(labels)
    if _is_narrow(high - low + 1, len(labels)):
        return shifted(np.flatnonzero(find_present(labels, low, high)), low, high + 1)
    known = labels[:0]
    for begin in range(0, len(labels), LARGE_CHUNK):
        chunk = count_sorted(np.sort(labels[begin : begin + LARGE_CHUNK]))[0]
        # Two sorted runs merge in one pass; np.unique hashes, which takes twenty times as long.
        known = count_sorted(np.sort(np.concatenate([known, chunk]), kind="stable"))[0]
    return known if known.dtype == np.uint64 else known.astype(np.int64)


def finder(known: NDArray[Any]) -> Callable[[NDArray[Any]], NDArray[np.int64]]:
    """Return a function that finds positions among these labels, of labels that are there."""
    low, span = int(known[0]), int(known[-1]) - int(known[0]) + 1

    def offsets(some: NDArray[Any]) -> NDArray[np.int64]:
        return offsets_from(some, low, np.empty(len(some), dtype=np.uint64)).view(np.int64)

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
    return span <= max(SMALL_SPAN, min(4 * labels, _LARGE_SPAN))


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


def offsets_from(labels: IntArray, low: int, out: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Return labels - low modulo 2^64, in `out` or, where nothing has to be done, as they are."""
    if low == 0 and labels.dtype in (np.int64, np.uint64):
        return labels.view(np.uint64)
    # Wrapping arithmetic in int64 is right for every dtype, uint64 included.
    wrapped = (low + 2**63) % 2**64 - 2**63
    np.subtract(labels, wrapped, out=out.view(np.int64), dtype=np.int64, casting="unsafe")
    return out


def shifted(positions: NDArray[np.int64], low: int, end: int) -> NDArray[Any]:
    """Return positions + low: int64, or uint64 where labels reach past it."""
    if low == 0 and end <= 2**63:
        return positions
    dtype = np.int64 if end <= 2**63 else np.uint64
    return np.asarray(positions.astype(dtype, copy=False) + dtype(low))
