"""Labels and ids as integers: codes of integers, strings and objects, numbers of ids.

Every compiled kernel has a reference implementation in numpy or Python, with the same result.
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
Integers = NDArray[np.int64]
# Python objects in a list, or in a one-dimensional array, which compiled kernels read as fast.
ObjectLabels = list[Any] | NDArray[np.object_]
# Ids of objects: integers, or objects that can be hashed.
IdNames = NDArray[np.int64] | list[Any]

# Labels of up to this span are looked up in an array, however few they are.
_SMALL_SPAN = 1 << 10
# Past this span the array itself would be large.
_LARGE_SPAN = 1 << 24


def concat_ranges(starts: NDArray[np.int64], counts: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return runs of positions, one after the other: `counts` positions from each of `starts` on.

    >>> concat_ranges(np.array([7, 0, 3]), np.array([2, 0, 3])).tolist()
    [7, 8, 3, 4, 5]
    """
    before = np.cumsum(counts) - counts
    return np.asarray(np.arange(int(counts.sum())) + np.repeat(starts - before, counts))


# --- codes of integers ---------------------------------------------------------------------------


def factorize_integers(labels: NDArray[Any]) -> tuple[NDArray[np.int64], NDArray[Any]]:
    """Return the code of each label, its index among the distinct labels, and these, ascending.

    Labels of a small span are looked up in an array, others in a hash table. The codes may share
    the labels' memory.
    """
    low, high = find_range(labels)
    if high - low < max(_SMALL_SPAN, min(4 * len(labels), _LARGE_SPAN)):
        offsets = offsets_from(labels, low).view(np.int64)
        codes, present = compress_codes(offsets, high - low + 1)
        return codes, shifted(present, low, high + 1)
    codes, distinct = _factorize_unordered(labels)
    order = np.argsort(distinct)
    return inverse(order)[codes], distinct[order]


def first_occurrences(codes: NDArray[Any], n_codes: int) -> NDArray[np.int64]:
    """Return the index of the first occurrence of each code in range(n_codes).

    >>> first_occurrences(np.array([1, 0, 1]), 2).tolist()
    [1, 0]
    """
    first = np.empty(n_codes, dtype=np.int64)
    first[codes[::-1]] = np.arange(len(codes))[::-1]
    return first


class UniqueRows(NamedTuple):
    """Unique label rows: index of one object and number of objects per row, sorted by label."""

    examples: NDArray[np.int64]
    counts: NDArray[np.int64]


def group_objects(
    *labelings: NDArray[np.int64], weights: NDArray[np.int64] | None = None
) -> UniqueRows:
    """Return the unique rows of several labelings, with weights added up if there are any.

    >>> group_objects(np.array([0, 1, 0, 0]), np.array([5, 5, 5, 6]))
    UniqueRows(examples=array([0, 3, 1]), counts=array([2, 1, 1]))
    """
    codes = factorize_integers(labelings[0])[0]
    for labels in labelings[1:]:
        codes = pair_codes(codes, labels)
    weights = np.ones_like(codes) if weights is None else weights
    counts = sum_by_code(codes, weights, int(codes.max()) + 1)
    return UniqueRows(first_occurrences(codes, len(counts)), counts)


def pair_codes(codes: NDArray[np.int64], second: IntArray) -> NDArray[np.int64]:
    """Return a code for each pair of codes."""
    second = factorize_integers(second)[0]
    return factorize_integers(codes * (int(second.max()) + 1) + second)[0]


def inverse(order: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the inverse of a permutation."""
    inverted = np.empty_like(order)
    inverted[order] = np.arange(len(order))
    return inverted


def find_range(labels: NDArray[Any]) -> tuple[int, int]:
    """Return the smallest and the largest label; an empty range, 0 to -1, if there are none."""
    if len(labels) == 0:
        return 0, -1
    return int(np.minimum.reduce(labels)), int(np.maximum.reduce(labels))


def offsets_from(
    labels: IntArray, low: int, out: NDArray[np.uint64] | None = None
) -> NDArray[np.uint64]:
    """Return labels - low modulo 2^64, in `out`; labels are returned as they are if low is 0."""
    if low == 0 and labels.dtype in (np.int64, np.uint64):
        return labels.view(np.uint64)
    # Wrapping arithmetic in int64 is right for every dtype, uint64 included.
    wrapped = (low + 2**63) % 2**64 - 2**63
    offsets = np.empty(len(labels), dtype=np.uint64) if out is None else out
    np.subtract(labels, wrapped, out=offsets.view(np.int64), dtype=np.int64, casting="unsafe")
    return offsets


def shifted(offsets: NDArray[np.int64], low: int, end: int) -> NDArray[Any]:
    """Return offsets + low: int64, or uint64 if labels exceed it."""
    if low == 0 and end <= 2**63:
        return offsets
    dtype = np.int64 if end <= 2**63 else np.uint64
    return np.asarray(offsets.astype(dtype, copy=False) + dtype(low))


def _factorize_unordered(labels: NDArray[Any]) -> tuple[NDArray[np.int64], NDArray[Any]]:
    """Return the code of each label, its index among the distinct labels, in any order."""
    wide = np.uint64 if labels.dtype == np.uint64 else np.int64
    labels = np.ascontiguousarray(labels, dtype=wide)
    if kernels.native is None:
        distinct, codes = np.unique(labels, return_inverse=True)
        return codes, distinct
    return _code_items(labels)


def _code_items(items: NDArray[Any]) -> tuple[NDArray[np.int64], NDArray[Any]]:
    """Return the code of each item, and the distinct items in the order of their codes."""
    codes, first = np.empty((2, len(items)), dtype=np.int64)
    n_distinct = kernels.native.code_items(items.view(np.uint8), items.itemsize, codes, first)
    return codes, items[first[:n_distinct]]


# --- codes of strings and objects ----------------------------------------------------------------


class CodeBook(dict[Any, int]):
    """Codes by label; a new label gets the next code."""

    def __missing__(self, key: Any) -> int:
        code = self[key] = len(self)
        return code


def code_strings(labels: NDArray[Any]) -> tuple[NDArray[np.int64], list[Any]]:
    """Return codes of fixed-width strings, in the machine's byte order, and the strings."""
    if kernels.native is None:
        book = CodeBook()
        return code_objects(labels.tolist(), book), list(book)
    codes, distinct = _code_items(labels)
    return codes, distinct.tolist()


def as_objects(labels: Any) -> ObjectLabels:
    """Return an array or pandas column of objects: without a copy for the kernels, else a list."""
    if kernels.native is None or isinstance(labels, np.ma.MaskedArray):  # a mask means None
        items: list[Any] = labels.tolist()
        return items
    return np.asarray(labels)


def code_objects(labels: ObjectLabels, book: CodeBook) -> NDArray[np.int64]:
    """Return the codes of hashable objects by `book`, which gets the new ones."""
    if kernels.native is not None:
        codes = np.empty(len(labels), dtype=np.int64)
        kernels.native.code_objects(labels, book, codes)
        return codes
    return np.fromiter(map(book.__getitem__, labels), dtype=np.int64, count=len(labels))


def as_int64(labels: list[Any]) -> NDArray[np.int64] | None:
    """Return Python's integers as an array; None if a label is something else, or too large."""
    if kernels.native is not None:
        integers = np.empty(len(labels), dtype=np.int64)
        return integers if kernels.native.read_integers(labels, integers) else None
    if set(map(type, labels)) <= {int}:
        with suppress(OverflowError):
            return np.array(labels, dtype=np.int64)
    return None


# --- numbers of ids ------------------------------------------------------------------------------


def number_objects(ids: list[IdNames]) -> tuple[list[NDArray[np.int64]], int]:
    """Return the number of each object in each labeling, and how many objects there are.

    Those of the first labeling are numbered in their order.
    """
    is_first = [_are_equal(labeling_ids, ids[0]) for labeling_ids in ids]
    different = [ids[i] for i, equal in enumerate(is_first) if not equal]
    (first, *rest), total = _number_distinct([ids[0], *different])
    remaining = iter(rest)
    return [first if equal else next(remaining) for equal in is_first], total


def _are_equal(ids: IdNames, other: IdNames) -> bool:
    if isinstance(ids, list) or isinstance(other, list):
        return type(ids) is type(other) and ids == other
    return np.array_equal(ids, other)


def _number_distinct(ids: list[IdNames]) -> tuple[list[NDArray[np.int64]], int]:
    ends = np.cumsum([len(labeling_ids) for labeling_ids in ids])
    arrays = [labeling_ids for labeling_ids in ids if isinstance(labeling_ids, np.ndarray)]
    if len(arrays) == len(ids):
        codes, distinct = factorize_integers(np.concatenate(arrays))
        numbers = np.full(len(distinct), -1)
        numbers[codes[: ends[0]]] = np.arange(ends[0])
        new = np.flatnonzero(numbers < 0)
        numbers[new] = ends[0] + np.arange(len(new))
        return np.split(numbers[codes], ends[:-1]), int(ends[0]) + len(new)
    lists = [x.tolist() if isinstance(x, np.ndarray) else x for x in ids]
    if kernels.native is not None:
        numbers = np.empty(ends[-1], dtype=np.int64)
        total = kernels.native.number_texts(tuple(lists), numbers)
        if total is not None:  # all are text
            return np.split(numbers, ends[:-1]), total
    book = CodeBook()
    return [code_objects(labels, book) for labels in lists], len(book)
