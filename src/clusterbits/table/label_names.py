"""The names of classes and clusters: one label as every reader names it, and many in order."""

from __future__ import annotations

import datetime
import math
import re
from collections.abc import Collection, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from itertools import count
from numbers import Number
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from clusterbits.errors import LabelError

# The name of a run. Numbers stay numbers, so that they sort and print as such.
Name = str | int | float
# Numbers that are labels only if they are integers.
FRACTIONAL = (float, np.floating, Decimal, Fraction)
# An integer that is written as a float.
_INTEGER_FLOAT = re.compile(r"(-?[0-9]+)\.0+")


class NoiseSingleton(NamedTuple):
    """The name of a noise object that is a cluster of its own: its label, and a number.

    The number means nothing outside the table: tables that are added up number them anew.
    """

    label: Any
    number: int

    def __repr__(self) -> str:
        return f"({self.label!r}, {self.number})"


@dataclass(frozen=True, order=True)
class NoiseCluster:
    """The name of all noise objects of one label while tables are added."""

    label: Any


def as_label(name: Any) -> Any:
    """Return a label as every reader names it: numpy's and pandas's scalars as Python's.

    Integer floats, decimals and fractions become integers, dates and times follow `name_datetimes`.

    >>> as_label(np.int64(3)), as_label(3.0), as_label(np.str_("a"))
    (3, 3, 'a')
    """
    if type(name) in (int, str, bool):
        return name
    if isinstance(name, FRACTIONAL):
        finite = isinstance(name, Fraction) or (not is_missing(name) and math.isfinite(name))
        return math.floor(name) if finite and name == math.floor(name) else name
    if isinstance(name, np.datetime64 | np.timedelta64):
        return name_datetimes(np.array([name]))[0]
    if isinstance(name, np.str_ | np.bytes_):  # others would lose trailing NULs
        return str.__str__(name) if isinstance(name, str) else b"".join([name])
    if isinstance(name, np.generic):
        return name.item()
    aware = getattr(name, "tzinfo", None) is not None
    for method in ("to_datetime64", "to_timedelta64"):  # those of pandas
        if hasattr(name, method):
            return name_datetimes(np.array([getattr(name, method)()]), aware)[0]
    if isinstance(name, datetime.datetime) and aware:
        with suppress(OverflowError):  # it is within a day of the year 1 or 10000
            return name.astimezone(datetime.UTC)
    return name


def is_label(value: Any) -> bool:
    """Whether a value can be hashed and compared; lists, arrays and expressions cannot."""
    try:
        hash(value)
        bool(value == value)
    except Exception:  # of any library
        return False
    return True


def is_missing(key: Any) -> bool:
    """Whether a value stands for a missing one: None, NaN, NaT, NA."""
    if key is None or type(key).__name__ in ("NAType", "NaTType"):  # pandas's, without pandas
        return True
    try:
        return bool(key != key)
    except ArithmeticError:  # Decimal's signaling NaN
        return True
    except (TypeError, ValueError):
        return False


def name_datetimes(times: NDArray[Any], aware: bool = False) -> list[Any]:
    """Return the labels of dates, timestamps and durations: Python's own types, NaT as None.

    Every reader names them by this rule, so that tables from any two of them add up:

    - Resolution does not matter: noon is one label in seconds and in nanoseconds.
    - An aware timestamp is an instant and is named in UTC: one instant is one label in all zones.
      Here `aware` ones come as numpy's, in UTC.
    - A naive timestamp never equals an aware one, nor does a date equal its midnight.
    - What Python's types cannot hold is an error.

    >>> name_datetimes(np.array(["2024-05-01T12", "NaT"], dtype="M8[ns]"))
    [datetime.datetime(2024, 5, 1, 12, 0), None]
    """
    kind, unit = times.dtype.kind, np.datetime_data(times.dtype)[0]
    exact = times.astype("M8[D]" if kind == "M" and unit in "YMWD" else f"{kind}8[us]")
    names: list[Any] = exact.tolist()
    lost = exact.astype(times.dtype).view(np.int64) != times.view(np.int64)
    lost |= [isinstance(name, int) for name in names]
    if lost.any():
        raise LabelError(
            f"{times[lost][0]!r} is not a label: timestamps and durations have microseconds and "
            "are in the years 1 to 9999; round them to microseconds first, or write them as text."
        )
    return [name and name.replace(tzinfo=datetime.UTC) for name in names] if aware else names


def find_mixed_numbers(labels: Iterable[Any]) -> tuple[Any, Any] | None:
    """Return the first boolean and the first other number, or None if one of them is absent.

    >>> find_mixed_numbers(["a", 2, True]), find_mixed_numbers([True, math.nan])
    ((True, 2), None)
    """
    numbers = [label for label in labels if isinstance(label, Number | np.bool_)]
    booleans = [label for label in numbers if isinstance(label, bool | np.bool_)]
    numbers_only = [x for x in numbers if not isinstance(x, bool | np.bool_) and not is_missing(x)]
    return (booleans[0], numbers_only[0]) if booleans and numbers_only else None


def carry_names(
    labels: Iterable[Any],
    old: Collection[Any],
    matched: Mapping[Any, Any],
    suffix: str = " (unmatched)",
) -> dict[Any, Any]:
    """Return a name for each label: the name it is matched with, or a new one.

    If all old names are integers, new names are the integers after all labels and old names, in the
    order of the labels. Otherwise a label keeps its name, as text, with the suffix appended if a
    name that is taken is written like it.

    >>> carry_names([0, 1, 7], [3, 5], {0: 5})
    {0: 5, 1: 8, 7: 9}
    >>> carry_names(["x", "y", "z", 1], ["x", "w", 1], {"y": "w"})
    {'y': 'w', 'x': 'x (unmatched)', 'z': 'z', 1: '1 (unmatched)'}
    """
    labels, known = list(labels), [*old, *matched.values()]
    all_integers = all(name is None or type(name) is int for name in old)
    taken = set(map(as_written, known))
    integers = (name for name in (*labels, *known) if type(name) is int)
    free = count(1 + max(integers, default=-1))
    names = dict(matched)
    for label in labels:
        if label not in names:
            name: Any = next(free) if all_integers else str(label)
            while as_written(name) in taken:
                name += suffix
            names[label] = name
            taken.add(as_written(name))
    return names


def as_names(names: list[Any]) -> NDArray[Any]:
    """Return a one-dimensional array of names, tuples included."""
    array = np.empty(len(names), dtype=object)
    array[:] = names
    return array


def name_order(names: list[Any]) -> NDArray[np.intp]:
    """Return the order that sorts the names: by value, else by type and value; None, then noise."""

    def group(name: Any) -> int:
        return 2 if isinstance(name, NoiseSingleton | NoiseCluster) else int(name is None)

    def by_value(i: int) -> tuple[int, Any]:
        return group(names[i]), 0 if names[i] is None else names[i]

    def by_type(i: int) -> tuple[int, str, Any]:
        return group(names[i]), type(names[i]).__name__, names[i]

    if len(set(map(type, names))) == 1:  # the usual case, without a tuple for each name
        with suppress(TypeError):
            return np.array(sorted(range(len(names)), key=names.__getitem__), dtype=np.intp)
    for key in (by_value, by_type):
        with suppress(TypeError):
            return np.array(sorted(range(len(names)), key=key), dtype=np.intp)
    return np.arange(len(names))  # values without an order stay as they came


def as_written(label: Any) -> str | None:
    """Return the text of a label, as files have it; "True" is not 1.

    A column of numbers with one text among them is text, in which programs write -1 as -1.0.

    >>> as_written(-1), as_written("-1"), as_written("-1.0"), as_written("v1.0")
    ('-1', '-1', '-1', 'v1.0')
    """
    if label is None:
        return None
    text = str(label)
    integer = _INTEGER_FLOAT.fullmatch(text)
    return integer[1] if integer else text
