"""Labels in JSON, for saved tables: text, integers, booleans, None, dates, times, bytes, tuples."""

from __future__ import annotations

import datetime
import operator
from collections.abc import Callable
from typing import Any

import numpy as np

from clusterbits.core.policy import NoiseSingleton
from clusterbits.errors import TableError

# Labels of types that JSON lacks are objects with one key.
_WORDS: dict[type, tuple[str, Callable[[Any], Any], Callable[[Any], Any]]] = {
    datetime.datetime: ("datetime", datetime.datetime.isoformat, datetime.datetime.fromisoformat),
    datetime.date: ("date", datetime.date.isoformat, datetime.date.fromisoformat),
    datetime.time: ("time", datetime.time.isoformat, datetime.time.fromisoformat),
    datetime.timedelta: (
        "duration",
        lambda span: [span.days, span.seconds, span.microseconds],
        lambda parts: datetime.timedelta(*map(operator.index, parts)),
    ),
    bytes: ("bytes", bytes.hex, bytes.fromhex),
    NoiseSingleton: (
        "alone",
        lambda name: [label_to_json(name.label), name.number],
        lambda name: NoiseSingleton(label_from_json(name[0]), operator.index(name[1])),
    ),
    tuple: (
        "tuple",
        lambda names: [label_to_json(name) for name in names],
        lambda names: tuple(label_from_json(name) for name in names),
    ),
}


_READ = {word: read for word, _, read in _WORDS.values()}


def label_to_json(name: Any) -> Any:
    """Return a label as JSON can hold it; refuse a label that would not come back."""
    if name is None or type(name) in (str, int, bool):
        return name
    if isinstance(name, np.integer | np.bool_ | np.str_):
        return name.item()
    for kind, (word, write, read) in _WORDS.items():
        # Subclasses may hold more than their kind, such as nanoseconds.
        if isinstance(name, kind) and read(written := write(name)) == name:
            return {word: written}
    raise TableError(
        f"the label {name!r} is a {type(name).__name__}; a saved table has labels that are text, "
        "integers, booleans, dates, times, bytes, None or tuples of these."
    )


def label_from_json(value: Any) -> Any:
    """Return the label that `label_to_json` wrote."""
    if not isinstance(value, dict):
        if isinstance(value, list | float):
            raise ValueError(value)
        return value
    ((word, content),) = value.items()
    return _READ[word](content)
