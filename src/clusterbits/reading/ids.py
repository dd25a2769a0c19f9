"""Ids of objects, of whatever form, as integers or a list of names that can be compared."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Set
from itertools import chain, islice
from typing import Any

import numpy as np
from numpy.typing import NDArray

from clusterbits.errors import LabelError
from clusterbits.labels.labeling import Ids
from clusterbits.reading.label_columns import exact_below, read_sequence, refuse_inexact
from clusterbits.reading.type_checks import column_type, to_list
from clusterbits.table.numbering import IdNames, as_int64, factorize_integers, number_objects
from clusterbits.text.tables import short


def read_ids(ids: Ids | None, input_name: str) -> IdNames:
    """Return the ids of objects to be compared: integers as an array, others as a list."""
    assert ids is not None
    return by_value(ids.values, f"the ids of {input_name}")


def by_value(ids: Any, input_name: str) -> IdNames:
    """Return ids as every reader names them, so that those that mean the same are equal.

    They are read as labels are; a tuple is that of its parts.

    >>> by_value([("ann", np.array(3)), ("bob", 4.0)], "ids")
    [('ann', 3), ('bob', 4)]
    """
    listed = ids if type(ids) is list else None
    if listed is None and not column_type(ids).startswith(("int", "uint")):
        listed = to_list(ids)
    if listed is not None and (integers := as_int64(listed)) is not None:
        return integers
    types = set() if listed is None else set(map(type, listed))
    if listed is not None and types == {str}:
        return listed
    refuse_large_floats(ids, input_name)
    if listed is not None and any(issubclass(kind, tuple) for kind in types):
        parts = chain.from_iterable(x if isinstance(x, tuple) else (x,) for x in listed)
        read = iter(to_list(by_value(list(parts), f"{input_name} (in tuples)")))
        return [tuple(islice(read, len(x))) if isinstance(x, tuple) else next(read) for x in listed]
    labels = read_sequence(ids if listed is None else listed, input_name)
    if labels.status is not None:
        position = int(np.flatnonzero(labels.status)[0])
        raise LabelError(f"{input_name}: a missing value, at position {position}.")
    if labels.names is None and (labels.codes.dtype != np.uint64 or labels.codes.max() < 2**63):
        return labels.codes.astype(np.int64, copy=False)
    positions, present = factorize_integers(labels.codes)
    names = labels.name(present).tolist()
    return [names[position] for position in positions.tolist()]


def refuse_large_floats(ids: Any, input_name: str) -> None:
    """Raise if an id is a float that stands for several integers."""
    if column_type(ids).startswith(("float", "double", "halffloat", "object")):
        limit = exact_below(getattr(ids, "dtype", np.float64))
        refuse_inexact(to_list(ids), input_name, limit)
    elif isinstance(ids, list) and any(issubclass(kind, float) for kind in set(map(type, ids))):
        refuse_inexact(ids, input_name, exact_below(np.float64))


def show_id(ids: IdNames, position: int) -> str:
    """Return an id as errors write it."""
    value = ids[position]
    return short(repr(value.item() if isinstance(value, np.generic) else value))


def find_repeated(numbers: NDArray[Any]) -> tuple[int, int] | None:
    """Return the first two positions of a repeated number; None if none is repeated.

    >>> find_repeated(np.array([4, 2, 4, 2]))
    (1, 3)
    """
    order = np.argsort(numbers, kind="stable")
    repeated = np.flatnonzero(np.diff(numbers[order]) == 0)
    return (int(order[repeated[0]]), int(order[repeated[0] + 1])) if len(repeated) else None


def name_repeated(ids: Ids, input_name: str) -> str:
    """Return an id of several objects, as errors show it; "" if there is none."""
    names = read_ids(ids, input_name)
    repeated = find_repeated(number_objects([names])[0][0])
    return show_id(names, repeated[0]) if repeated else ""


def read_names(names: Any, what: str, of: str) -> list[Any]:
    """Return ids or names of clusters as a list; raise for a single name or one without an order.

    >>> read_names(("ann", "bob"), "ids", "row")
    ['ann', 'bob']
    """
    shaped = len(getattr(names, "shape", (0,))) == 1
    listed = isinstance(names, Iterable) and not isinstance(names, Mapping | Set | str | bytes)
    if not shaped or not listed:
        raise LabelError(
            f"{what} is a {type(names).__name__}; pass a list, in the order of the {of}s, with one "
            f"{'id' if what == 'ids' else 'name'} for each {of}."
        )
    refuse_mask(names, what)
    return to_list(names)


def refuse_mask(values: Any, what: str) -> None:
    """Raise if values of an array are masked: numpy would read what lies below the mask."""
    rows = values if isinstance(values, list | tuple) else [values]
    if any(map(np.ma.is_masked, rows)):
        raise LabelError(
            f"{what} has masked values. Fill them, as in .filled(0), if 0 is meant, or leave "
            "these objects out."
        )
