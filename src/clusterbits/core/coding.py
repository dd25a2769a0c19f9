"""Labels and ids as integers: ranks of integers, codes of strings and objects, numbers of ids.

Every way has a compiled kernel and a twin in numpy or Python, with the same result.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import repeat
from typing import Any

import numpy as np
from numpy.typing import NDArray

from clusterbits.core import kernels
from clusterbits.core.cells import count_sorted

IntArray = NDArray[np.integer[Any]]
# Python objects in a list, or in a one-dimensional array, which compiled kernels read as fast.
Objects = list[Any] | NDArray[np.object_]
# Ids of objects: integers, or objects that can be hashed.
IdNames = NDArray[np.int64] | list[Any]
# The number of each object in each labeling, and how many objects there are.
Numbers = tuple[list[NDArray[np.int64]], int]

# Long enough that numpy's overhead vanishes, short enough to stay in a core's cache.
SMALL_CHUNK = 1 << 17
LARGE_CHUNK = 1 << 21
# Labels of up to this span are looked up in an array, however few they are.
SMALL_SPAN = 1 << 10
# Past this span the array itself would be large.
_LARGE_SPAN = 1 << 24
# A look-up table of labels may have up to this many slots (as a power of two).
_HASH_BITS = 18


# --- ranks of integers ---------------------------------------------------------------------------


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
        return positions, shifted(seen.nonzero()[0], low, high + 1)
    if is_readable(labels):
        return rank_hashed(labels)
    known = distinct_labels(labels)
    position = finder(known)
    ranks = np.empty(len(labels), dtype=np.int64)
    for begin in range(0, len(labels), SMALL_CHUNK):
        part = slice(begin, begin + SMALL_CHUNK)
        ranks[part] = position(labels[part])
    return ranks, known


def is_readable(labels: NDArray[Any]) -> bool:
    """Whether compiled kernels read these: integers in the machine's byte order."""
    return kernels.native is not None and labels.dtype.isnative


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


def number_labels(labels: NDArray[Any]) -> tuple[NDArray[np.int64], NDArray[Any]]:
    """Return each label's number among the distinct labels, and those labels, in any order.

    They are integers in the machine's byte order.
    """
    if kernels.native is None:
        known, numbers = np.unique(labels, return_inverse=True)
        return numbers, known
    numbers, found = np.empty((2, len(labels)), dtype=np.int64)
    count = kernels.native.number_integers(labels, numbers, found)
    return numbers, found[:count].view(np.uint64 if labels.dtype == np.uint64 else np.int64)


def rank_hashed(labels: NDArray[Any]) -> tuple[NDArray[np.int64], NDArray[Any]]:
    """Return each label's position among the distinct labels, and those labels, ascending.

    Only the distinct labels are sorted. Labels are integers in the machine's byte order.
    """
    ranks, known = number_labels(labels)
    order = np.argsort(known)
    place = np.empty(len(known), dtype=np.int64)
    place[order] = np.arange(len(known))
    for begin in range(0, len(ranks), SMALL_CHUNK):
        part = ranks[begin : begin + SMALL_CHUNK]
        part[:] = place[part]
    return ranks, known[order]


# --- codes of strings and objects ----------------------------------------------------------------


def code_strings(labels: NDArray[Any]) -> tuple[NDArray[np.int64] | None, NDArray[np.int64]]:
    """Return codes of fixed-width strings, and where each code first occurs, ascending.

    The codes are None where two different strings share a hash: each is compared with the first.
    """
    if kernels.native is not None:
        codes, first = (np.empty(len(labels), dtype=np.int64) for _ in range(2))
        found = kernels.native.code_items(labels.view(np.uint8), labels.itemsize, codes, first)
        return codes, first[:found].copy()
    characters = labels.view(np.uint32).reshape(len(labels), labels.itemsize // 4)
    hashes = np.zeros(len(labels), dtype=np.uint64)
    for piece in _pieces(len(labels)):
        some = hashes[piece]
        for column in characters[piece].T:
            some += column
            some *= np.uint64(0x9E3779B97F4A7C15)
            some ^= some >> np.uint64(32)
    ranks, distinct = rank(hashes)
    first = np.empty(len(distinct), dtype=np.int64)
    first[ranks[::-1]] = np.arange(len(ranks))[::-1]  # the last that is written stays
    order = np.argsort(first)
    place = np.empty(len(order), dtype=np.int64)
    place[order] = np.arange(len(order))
    codes, first = place[ranks], first[order]
    names = labels[first]
    same = all(np.array_equal(names[codes[p]], labels[p]) for p in _pieces(len(labels)))
    return codes if same else None, first


def _pieces(n: int, size: int = 1 << 14) -> Iterator[slice]:
    """Yield slices short enough for their strings to stay in a core's cache."""
    return (slice(begin, begin + size) for begin in range(0, n, size))


def code_arrow(column: Any) -> tuple[NDArray[np.int64], list[str]] | None:
    """Return the codes of a column of strings in Arrow's memory, -1 for missing, and the strings.

    None where the column holds something else, its library does not share its memory, or there are
    no compiled kernels. Only the distinct strings become Python objects.
    """
    if kernels.native is None:
        return None
    for method in ("__arrow_c_stream__", "__arrow_c_array__"):
        if hasattr(column, method):
            codes = np.empty(len(column), dtype=np.int64)
            names = kernels.native.code_arrow(getattr(column, method)(), codes)
            return None if names is None else (codes, names)
    return None


def as_objects(labels: Any) -> Objects:
    """Return an array or pandas column of objects: without a copy for the kernels, else a list."""
    if kernels.native is None or isinstance(labels, np.ma.MaskedArray):  # a mask means None
        found: list[Any] = labels.tolist()
        return found
    return np.asarray(labels)


def code_objects(labels: Objects, book: dict[Any, int]) -> NDArray[np.int64]:
    """Return the codes of hashable objects; `book` gives each new one the next code."""
    if kernels.native is not None:
        codes = np.empty(len(labels), dtype=np.int64)
        kernels.native.code_objects(labels, book, codes)
        return codes
    return np.fromiter(map(book.__getitem__, labels), dtype=np.int64, count=len(labels))


def types_of(values: Objects) -> set[type]:
    """Return the types of the values."""
    if kernels.native is not None:
        found: set[type] = kernels.native.types_of(values)
        return found
    return set(map(type, values))


def as_int64(labels: list[int]) -> NDArray[np.int64] | None:
    """Return Python's integers as an array; None where one is too large."""
    if kernels.native is not None:
        found = np.empty(len(labels), dtype=np.int64)
        return found if kernels.native.read_integers(labels, found) else None
    try:
        return np.array(labels, dtype=np.int64)
    except OverflowError:
        return None


# --- numbers of ids ------------------------------------------------------------------------------


def number_objects(ids: list[IdNames]) -> Numbers:
    """Number the objects of several labelings, the first one's in their order; count them all."""
    same = [_are_equal(some, ids[0]) for some in ids]
    others = [some for some, equal in zip(ids, same, strict=True) if not equal]
    (first, *found), total = _number_distinct([ids[0], *others])
    rest = iter(found)
    return [first if equal else next(rest) for equal in same], total


def _are_equal(ids: IdNames, other: IdNames) -> bool:
    if isinstance(ids, list) or isinstance(other, list):
        return type(ids) is type(other) and ids == other
    return np.array_equal(ids, other)


def _number_distinct(ids: list[IdNames]) -> Numbers:
    if all(isinstance(some, np.ndarray) for some in ids):
        return _number_integers(ids)
    lists = [some.tolist() if isinstance(some, np.ndarray) else some for some in ids]
    return _number_texts(lists) or _number_names(lists)


def _number_integers(ids: list[Any]) -> Numbers:
    n = len(ids[0])
    ranks, distinct = rank(np.concatenate(ids))
    numbers = np.full(len(distinct), -1)
    numbers[ranks[:n]] = np.arange(n)
    new = np.flatnonzero(numbers < 0)
    numbers[new] = n + np.arange(len(new))
    ends = np.cumsum([len(some) for some in ids])[:-1]
    return np.split(numbers[ranks], ends), n + len(new)


def _number_texts(ids: list[list[Any]]) -> Numbers | None:
    """Number ids that are all text, where that is compiled; None where the first ones repeat."""
    if kernels.native is None:
        return None
    ends = np.cumsum([len(some) for some in ids])
    numbers = np.empty(ends[-1], dtype=np.int64)
    total = kernels.native.number_texts(tuple(ids), numbers)
    first, *others = np.split(numbers, ends[:-1])
    if total is None or (len(first) and first[-1] != len(first) - 1):
        return None
    return [first, *others], total


def _number_names(ids: list[list[Any]]) -> Numbers:
    book = dict(zip(ids[0], range(len(ids[0])), strict=True))
    end, found = len(ids[0]), []
    for names in ids:
        places = np.fromiter(map(book.get, names, repeat(-1)), dtype=np.int64, count=len(names))
        for i in np.flatnonzero(places < 0).tolist():
            places[i] = book.setdefault(names[i], end)
            end += int(places[i] == end)
        found.append(places)
    return found, end
