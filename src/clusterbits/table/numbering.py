"""Labels and ids as integers: ranks of integers, codes of strings and objects, numbers of ids.

Every compiled kernel has a twin in numpy or Python, with the same result.
"""

from __future__ import annotations

from contextlib import suppress
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from clusterbits.system import kernels
from clusterbits.table.cells import compress_codes
from clusterbits.table.margins import sum_by_code

IntArray = NDArray[np.integer[Any]]
# Python objects in a list, or in a one-dimensional array, which compiled kernels read as fast.
ObjectLabels = list[Any] | NDArray[np.object_]
# Ids of objects: integers, or objects that can be hashed.
IdNames = NDArray[np.int64] | list[Any]
# The number of each object in each labeling, and how many objects there are.
Numbers = tuple[list[NDArray[np.int64]], int]

# Labels of up to this span are looked up in an array, however few they are.
_SMALL_SPAN = 1 << 10
# Past this span the array itself would be large.
_LARGE_SPAN = 1 << 24


# --- ranks of integers ---------------------------------------------------------------------------


def factorize_integers(labels: NDArray[Any]) -> tuple[NDArray[np.int64], NDArray[Any]]:
    """Return each label's position among the distinct labels, and those labels, ascending.

    Labels of a small span are looked up in an array, others in a hash table. The positions may
    share the labels' memory.
    """
    low, high = find_range(labels)
    if high - low < max(_SMALL_SPAN, min(4 * len(labels), _LARGE_SPAN)):
        offsets = offsets_from(labels, low).view(np.int64)
        ranks, present = compress_codes(offsets, high - low + 1)
        return ranks, shifted(present, low, high + 1)
    numbers, known = number_labels(labels)
    order = np.argsort(known)
    return inverse(order)[numbers], known[order]


def first_occurrences(ranks: NDArray[Any], many: int) -> NDArray[np.int64]:
    """Return where each of the ranks below `many` stands first.

    >>> first_occurrences(np.array([1, 0, 1]), 2).tolist()
    [1, 0]
    """
    first = np.empty(many, dtype=np.int64)
    first[ranks[::-1]] = np.arange(len(ranks))[::-1]
    return first


class UniqueRows(NamedTuple):
    """One object of each kind, and how many there are; the order is that of their contents."""

    examples: NDArray[np.int64]
    counts: NDArray[np.int64]


def group_objects(
    *codes: NDArray[np.int64], weights: NDArray[np.int64] | None = None
) -> UniqueRows:
    """Return the kinds of objects that several codes tell apart, and their weights added up.

    >>> group_objects(np.array([0, 1, 0, 0]), np.array([5, 5, 5, 6]))
    UniqueRows(examples=array([0, 3, 1]), counts=array([2, 1, 1]))
    """
    kinds = factorize_integers(codes[0])[0]
    for code in codes[1:]:
        kinds = pair_codes(kinds, code)
    weights = np.ones_like(kinds) if weights is None else weights
    counts = sum_by_code(kinds, weights, int(kinds.max()) + 1)
    return UniqueRows(first_occurrences(kinds, len(counts)), counts)


def pair_codes(codes: NDArray[np.int64], others: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return a code for each pair of codes."""
    others = factorize_integers(others)[0]
    return factorize_integers(codes * (int(others.max()) + 1) + others)[0]


def inverse(order: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the place of each number in a permutation."""
    place = np.empty_like(order)
    place[order] = np.arange(len(order))
    return place


def find_range(labels: NDArray[Any]) -> tuple[int, int]:
    """Return the smallest and the largest label; an empty range, 0 to -1, where there are none."""
    if len(labels) == 0:
        return 0, -1
    return int(np.minimum.reduce(labels)), int(np.maximum.reduce(labels))


def offsets_from(
    labels: IntArray, low: int, out: NDArray[np.uint64] | None = None
) -> NDArray[np.uint64]:
    """Return labels - low modulo 2^64, in `out` or, where nothing has to be done, as they are."""
    if low == 0 and labels.dtype in (np.int64, np.uint64):
        return labels.view(np.uint64)
    # Wrapping arithmetic in int64 is right for every dtype, uint64 included.
    wrapped = (low + 2**63) % 2**64 - 2**63
    room = np.empty(len(labels), dtype=np.uint64) if out is None else out
    np.subtract(labels, wrapped, out=room.view(np.int64), dtype=np.int64, casting="unsafe")
    return room


def shifted(positions: NDArray[np.int64], low: int, end: int) -> NDArray[Any]:
    """Return positions + low: int64, or uint64 where labels reach past it."""
    if low == 0 and end <= 2**63:
        return positions
    dtype = np.int64 if end <= 2**63 else np.uint64
    return np.asarray(positions.astype(dtype, copy=False) + dtype(low))


def number_labels(labels: NDArray[Any]) -> tuple[NDArray[np.int64], NDArray[Any]]:
    """Return each label's number among the distinct labels, and those labels, in any order."""
    wide = np.uint64 if labels.dtype == np.uint64 else np.int64
    if kernels.native is None:
        known, numbers = np.unique(labels, return_inverse=True)
        return numbers, known.astype(wide, copy=False)
    numbers, found = np.empty((2, len(labels)), dtype=np.int64)
    count = kernels.native.number_integers(labels, numbers, found)
    return numbers, found[:count].view(wide)


# --- codes of strings and objects ----------------------------------------------------------------


class CodeBook(dict[Any, int]):
    """Gives each new key the next code."""

    def __missing__(self, key: Any) -> int:
        code = self[key] = len(self)
        return code


def code_strings(labels: NDArray[Any]) -> tuple[NDArray[np.int64], list[Any]]:
    """Return codes of fixed-width strings, in the machine's byte order, and the strings."""
    if kernels.native is None:
        book = CodeBook()
        return code_objects(labels.tolist(), book), list(book)
    codes, first = np.empty((2, len(labels)), dtype=np.int64)
    found = kernels.native.code_items(labels.view(np.uint8), labels.itemsize, codes, first)
    return codes, labels[first[:found]].tolist()


def as_objects(labels: Any) -> ObjectLabels:
    """Return an array or pandas column of objects: without a copy for the kernels, else a list."""
    if kernels.native is None or isinstance(labels, np.ma.MaskedArray):  # a mask means None
        found: list[Any] = labels.tolist()
        return found
    return np.asarray(labels)


def code_objects(labels: ObjectLabels, book: CodeBook) -> NDArray[np.int64]:
    """Return the codes of hashable objects; `book` gives each new one the next code."""
    if kernels.native is not None:
        codes = np.empty(len(labels), dtype=np.int64)
        kernels.native.code_objects(labels, book, codes)
        return codes
    return np.fromiter(map(book.__getitem__, labels), dtype=np.int64, count=len(labels))


def as_int64(labels: list[Any]) -> NDArray[np.int64] | None:
    """Return Python's own integers as an array; None where one is something else, or too large."""
    if kernels.native is not None:
        found = np.empty(len(labels), dtype=np.int64)
        return found if kernels.native.read_integers(labels, found) else None
    if set(map(type, labels)) <= {int}:
        with suppress(OverflowError):
            return np.array(labels, dtype=np.int64)
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
    ends = np.cumsum([len(some) for some in ids])
    if all(isinstance(some, np.ndarray) for some in ids):
        ranks, distinct = factorize_integers(np.concatenate(ids))
        numbers = np.full(len(distinct), -1)
        numbers[ranks[: ends[0]]] = np.arange(ends[0])
        new = np.flatnonzero(numbers < 0)
        numbers[new] = ends[0] + np.arange(len(new))
        return np.split(numbers[ranks], ends[:-1]), int(ends[0]) + len(new)
    lists = [some.tolist() if isinstance(some, np.ndarray) else some for some in ids]
    if kernels.native is not None:
        numbers = np.empty(ends[-1], dtype=np.int64)
        total = kernels.native.number_texts(tuple(lists), numbers)
        if total is not None:  # all are text
            return np.split(numbers, ends[:-1]), total
    book = CodeBook()
    return [code_objects(some, book) for some in lists], len(book)
