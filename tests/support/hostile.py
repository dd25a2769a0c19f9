"""Labels that trip readers, drawn by hypothesis, and how many to try.

`make test` tries a few of them, always the same; `make fuzz` many more, always others.
"""

from __future__ import annotations

import datetime as dt
import math
from typing import Any, NamedTuple

import pyarrow as pa
from hypothesis import settings
from hypothesis import strategies as st

import clusterbits as cb
from clusterbits.errors import ClusterbitsError

# Examples of a long run for each of `few`; the usual run tries a tenth of them.
TIMES = max(0.1, settings.default.max_examples // 100)


def examples(few: float) -> settings:
    """Return settings that try a tenth of `few` examples, or many times as many in a long run."""
    return settings(max_examples=math.ceil(few * TIMES))


TEXTS = [
    *("", " ", " a", "a ", "a", "A", "NA", "N/A", "null", "NULL", "None", "nan", "NaN", "inf"),
    *("true", "False", "0", "1", "01", "1.0", "+1", "-1", "-0", "1e3", "0x10", "1_000", "½", "٣"),
    *("a,b", "a;b", "a|b", "a\tb", '"', '""', 'say "x"', "'", "\\", "\\N", "\\n", "%s", "=1+1"),
    *("a\nb", "a\r\nb", "a\rb", "\n", "\r", "\x00", "a\x00b", "\x1b[31m", "\x7f", "\x85", "\u2028"),
    *("é", "e\u0301", "ß", "😀", "\u202e", "\ufeff", "2024-01-31", "12:30", "{}", "[1]", "#", "--"),
]
INT64 = [0, 1, -1, 2, 10, 2**31, 2**53, 2**53 + 1, 2**62, 2**63 - 1, -(2**63)]
# JSON, CSV and SQLite hold all Python texts but lone surrogates.
text = st.sampled_from(TEXTS) | st.text(st.characters(exclude_categories=["Cs"]), max_size=6)

VALUES: dict[str, st.SearchStrategy[Any]] = {
    "integers": st.sampled_from(INT64) | st.integers(-(2**63), 2**63 - 1),
    "unsigned": st.sampled_from([0, 1, 2**63, 2**63 + 1, 2**64 - 1]) | st.integers(0, 2**64 - 1),
    "huge": st.sampled_from([2**64, 2**64 + 1, -(2**70), 10**40]) | st.integers(),
    "booleans": st.booleans(),
    "floats": st.sampled_from([0.0, -0.0, 1.0, -1.0, 2.0**53, 2.0**63, 1e300, float("nan")])
    | st.integers(-9, 9).map(float)
    | st.sampled_from([0.5, 1e-300, float("inf"), -float("inf")]),
    "text": text,
    "dates": st.dates(),
    "mixed": st.sampled_from([0, 1, True, 1.0, -0.0, "1", "1.0", "", "true", "null", 2**70, "a"]),
}
TYPES = {
    "integers": pa.int64(),
    "unsigned": pa.uint64(),
    "booleans": pa.bool_(),
    "floats": pa.float64(),
    "text": pa.string(),
    "dates": pa.date32(),
}


class Column(NamedTuple):
    """Labels of one kind, None where one is missing."""

    kind: str
    values: list[Any]

    def to_arrow(self) -> pa.Array:
        return pa.array(self.values, TYPES[self.kind])


@st.composite
def columns(draw: Any, kinds: tuple[str, ...] = tuple(VALUES)) -> tuple[Column, Column]:
    """Draw classes and clusters of the same objects."""
    n = draw(st.integers(1, 8))
    drawn = []
    for _ in range(2):
        kind = draw(st.sampled_from(kinds))
        pool = draw(st.lists(VALUES[kind], min_size=1, max_size=4))
        label = st.sampled_from(pool)
        if draw(st.integers(0, 3)) == 0:
            label |= st.none()
        drawn.append(Column(kind, draw(st.lists(label, min_size=n, max_size=n))))
    return drawn[0], drawn[1]


policies = st.fixed_dictionaries(
    {
        "missing": st.sampled_from(["error", "drop", "class"]),
        "noise": st.sampled_from([None, None, "drop", "singletons"]),
    }
)


def outcome(count: Any) -> Any:
    """Return all there is to know of a table, or the kind of error that refused it."""
    try:
        table: cb.Contingency = count()
    except ClusterbitsError as error:
        return type(error).__name__
    names = [[(type(name).__name__, name) for name in ns] for ns in (table.classes, table.clusters)]
    return names, table.to_dense().tolist(), table.coverage


def as_written(column: Column) -> Column:
    """Return what a text file says: integers where all labels are such, else text.

    Numbers that are not whole stay numbers, to be refused. An empty field is a missing label.
    """
    texts = [None if value in (None, "") else str(value) for value in column.values]
    known = [t for t in texts if t is not None]
    if all(_is_integer(t) for t in known):
        return Column("integers", [None if t is None else int(t.split(".")[0]) for t in texts])
    if all(_is_number(t) for t in known) and not all(float(t).is_integer() for t in known):
        return Column("floats", [None if t is None else float(t) for t in texts])
    return Column("text", texts)


def _is_number(text: str) -> bool:
    digits = text.removeprefix("-").replace(".", "", 1)
    return digits.isascii() and digits.isdigit() and text[-1] != "." and text.strip("-")[0] != "."


def _is_integer(text: str) -> bool:
    """Whether a program would write an integer so: no 01, no -0, but 1.0 as frames do."""
    whole, _, fraction = text.partition(".")
    return _is_number(text) and not fraction.strip("0") and whole == str(int(whole))


def dates_as_text(column: Column) -> Column:
    return Column(
        column.kind,
        [value.isoformat() if isinstance(value, dt.date) else value for value in column.values],
    )
