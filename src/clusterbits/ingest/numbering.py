"""Ids of objects, read and numbered, so that labelings can be joined by arrays."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Set
from contextlib import suppress
from itertools import repeat
from operator import eq
from typing import Any

import numpy as np
from numpy.typing import NDArray

from clusterbits.core import kernels
from clusterbits.core.coding import types_of
from clusterbits.core.labels import Ids, themselves
from clusterbits.core.ranking import rank
from clusterbits.display.tables import short
from clusterbits.errors import LabelError
from clusterbits.ingest.columns import exact_below, read_sequence, refuse_inexact
from clusterbits.ingest.kinds import column_type, to_list

# Ids that are read: integers, or objects that can be hashed.
IdNames = NDArray[np.int64] | list[Any]
# The number of each object in each labeling, and how many objects there are.
Numbers = tuple[list[NDArray[np.int64]], int]


def read_ids(ids: Any, who: str) -> IdNames:
    """Return ids to be compared: integers as an array, others as a list."""
    listed = ids if type(ids) is list else None
    if listed is None and not column_type(ids).startswith(("int", "uint")):
        listed = to_list(ids)
    if listed is not None and (types := types_of(listed)) in ({str}, {int}):
        with suppress(OverflowError):  # too large for int64
            return listed if types == {str} else np.array(listed, dtype=np.int64)
    refuse_large_floats(ids, f"the ids of {who}")
    if listed is not None:
        ids = listed
    found = read_sequence(ids, f"the ids of {who}")
    if found.missing is not None:
        position = int(np.flatnonzero(found.missing)[0])
        raise LabelError(f"{who} has no id at position {position}: each object needs one.")
    if found.name is themselves and (found.codes.dtype != np.uint64 or found.codes.max() < 2**63):
        return found.codes.astype(np.int64, copy=False)
    positions, present = rank(found.codes)
    names = found.name(present).tolist()
    return [names[position] for position in positions.tolist()]


def refuse_large_floats(ids: Any, who: str) -> None:
    """Raise where an id is a float that stands for several whole numbers."""
    if column_type(ids).startswith(("float", "double", "halffloat", "object")):
        limit = exact_below(getattr(ids, "dtype", np.float64))
        refuse_inexact(to_list(ids), who, limit)
    elif isinstance(ids, list) and any(issubclass(kind, float) for kind in set(map(type, ids))):
        refuse_inexact(ids, who, exact_below(np.float64))


def show_id(ids: IdNames, place: int) -> str:
    """Return an id as errors write it."""
    value = ids[place]
    return short(repr(value.item() if isinstance(value, np.generic) else value))


def find_repeated(numbers: NDArray[Any]) -> tuple[int, int] | None:
    """Return the first two places of a number that stands twice; None where none does.

    >>> find_repeated(np.array([4, 2, 4, 2]))
    (1, 3)
    """
    order = np.argsort(numbers, kind="stable")
    twice = np.flatnonzero(np.diff(numbers[order]) == 0)
    return (int(order[twice[0]]), int(order[twice[0] + 1])) if len(twice) else None


def read_names(names: Any, what: str, of: str) -> list[Any]:
    """Return ids or names of clusters as a list; refuse what has no order, or is no list of them.

    >>> read_names(("ann", "bob"), "ids", "row")
    ['ann', 'bob']
    """
    shaped = len(getattr(names, "shape", (0,))) == 1
    listed = isinstance(names, Iterable) and not isinstance(names, Mapping | Set | str | bytes)
    if not shaped or not listed:
        raise LabelError(
            f"{what} is {_described(names)}; pass a list, in the order of the {of}s, with one "
            f"{'id' if what == 'ids' else 'name'} for each {of}."
        )
    refuse_mask(names, what)
    return to_list(names)


def name_repeated(ids: Ids, who: str) -> str:
    """Return an id that several objects have, as errors show it; "" where there is none."""
    names = read_ids(ids.values, who)
    twice = find_repeated(number_objects([names])[0][0])
    return show_id(names, twice[0]) if twice else ""


def _described(given: Any) -> str:
    kind = type(given).__name__
    return f"a {kind}" if isinstance(given, Iterable) else repr(given)


def refuse_mask(given: Any, what: str) -> None:
    """Raise where values of an array are masked: numpy would read what lies below the mask."""
    rows = given if isinstance(given, list | tuple) else [given]
    if any(map(np.ma.is_masked, rows)):
        raise LabelError(
            f"{what} has masked values. Fill them, as in .filled(0), where 0 is meant, or leave "
            "these objects out."
        )


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
    return _number_texts(lists) or _number_hashes(lists) or _number_names(lists)


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


def _number_hashes(ids: list[list[Any]]) -> Numbers | None:
    """Number ids by their hashes, twice as fast as by a dict; None where two ids share a hash."""
    hashes = [np.fromiter(map(hash, some), dtype=np.int64, count=len(some)) for some in ids]
    numbers, total = _match_sorted(hashes) or _number_integers(hashes)
    n = len(ids[0])
    names = list(ids[0])
    appeared = np.append(np.arange(n), np.full(total - n, -1))
    for places, some in zip(numbers, ids, strict=True):
        for i in np.flatnonzero(places >= n).tolist():
            if appeared[places[i]] < 0:
                appeared[places[i]] = len(names)
                names.append(some[i])
    numbers = [appeared[places] for places in numbers]
    certain = (
        all(map(eq, map(names.__getitem__, places.tolist()), some))
        for places, some in zip(numbers, ids, strict=True)
    )
    return (numbers, total) if all(certain) else None


def _match_sorted(ids: list[Any]) -> Numbers | None:
    """Number scattered integers where all labelings have the same, and none repeats; else None."""
    orders = [np.argsort(some) for some in ids]
    ascending = ids[0][orders[0]]
    if (ascending[1:] == ascending[:-1]).any() or not all(
        np.array_equal(some[order], ascending) for some, order in zip(ids, orders, strict=True)
    ):
        return None
    numbers = [np.empty_like(order) for order in orders]
    for some, order in zip(numbers, orders, strict=True):
        some[order] = orders[0]
    return numbers, len(ascending)


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
