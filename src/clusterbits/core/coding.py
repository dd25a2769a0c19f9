"""Strings and objects as integer codes, by their hashes."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from clusterbits.core import kernels
from clusterbits.core.ranking import rank

# Python objects in a list, or in a one-dimensional array, which compiled kernels read as fast.
Objects = list[Any] | NDArray[np.object_]


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
