"""Columns of DuckDB relations: chosen from one or many, and counted in one pass by DuckDB.

Columns are called by position and never by name in SQL: what they are called is only data.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from clusterbits.errors import ColumnError, CostError
from clusterbits.labels.tally import Tally
from clusterbits.reading.label_columns import nanoseconds_error
from clusterbits.reading.request import Chosen, Reader, Request, by_type, run_roles, tally_groups
from clusterbits.reading.weights import SUMS, checked_sums
from clusterbits.table.label_names import as_names, name_datetimes

# Cluster columns counted in one pass by grouping sets: each has a hash table of its own, and
# GROUPING a bit.
_AT_A_TIME = 32
# DuckDB plans all columns of a file in each pass, so more than these are copied to a table first.
_MANY = 256
# Labels fetched of clusterings that are counted jointly.
_MAX_LABELS = 1 << 24
INTEGERS = {f"{sign}{size}INT" for sign in ("", "U") for size in ("TINY", "SMALL", "BIG")}
INTEGERS |= {"INTEGER", "UINTEGER", "HUGEINT"}
# They are numbers together: integer-valued floats are integers, and too large ones are errors.
_NUMBERS = INTEGERS | {"FLOAT", "DOUBLE"}
# Types that numpy holds without loss; labels of others are fetched as Python objects.
_PLAIN = _NUMBERS - {"HUGEINT"} | {"BOOLEAN", "VARCHAR", "JSON"}
# The type of a column without any value; it goes with all types.
_EMPTY = '"NULL"'
# Dates and timestamps, fetched as integers: Python's own have no nanoseconds, end in the year 9999,
# and need pytz for time zones. For each its unit, whether it has a time zone, and the integer in
# SQL.
_TIMES = {
    "DATE": ("D", False, "{0} - date '1970-01-01'"),
    "TIMESTAMP_S": ("s", False, "epoch_ms({0}) // 1000"),
    "TIMESTAMP_MS": ("ms", False, "epoch_ms({0})"),
    "TIMESTAMP": ("us", False, "epoch_us({0})"),
    "TIMESTAMP_NS": ("ns", False, "epoch_ns({0})"),
    "TIMESTAMP WITH TIME ZONE": ("us", True, "epoch_us({0})"),
    "TIMESTAMPTZ_NS": ("ns", True, "epoch_ns({0})"),
}
# Infinite ones are no integer to DuckDB's functions; the largest integer is no timestamp.
_INTEGER = "case when {0} is not null then coalesce({1}, 9223372036854775807) end as {0}"

Answer = dict[str, NDArray[Any]]


class Relation(NamedTuple):
    """Columns that DuckDB reads: of one file, of several alike, or of a query."""

    # The source in errors, and the names of its columns.
    where: str
    names: list[str]
    # Returns chosen columns as a relation of DuckDB, each called by its role.
    project: Callable[[Chosen], Any]
    # Reads a column as labels.
    read: Reader
    # Columns with nanoseconds that DuckDB would cut off, so that two labels became one.
    rounded: Collection[int] = ()


def by_position(relation: Any) -> Callable[[Chosen], Any]:
    """Return a function that chooses columns of a relation of DuckDB."""
    return lambda chosen: _project(relation, {name: f"#{i + 1}" for name, i in chosen.items()})


def _project(relation: Any, columns: dict[str, str]) -> Any:
    return relation.project(", ".join(f"{sql} as {name}" for name, sql in columns.items()))


def column_types(relation: Any) -> dict[str, str]:
    """Return DuckDB's types of the columns, by their names in SQL."""
    return dict(zip(relation.columns, map(str, relation.types), strict=True))


def select(
    parts: list[Relation], choose: Callable[[str, list[str]], Chosen]
) -> tuple[Any, dict[str, str]]:
    """Return the chosen columns of all parts as one relation of DuckDB, and their names there.

    The parts may have their columns in any order: they are put together by name.
    Each column must have one type in all of them. DuckDB would promote the types: timestamps
    without a time zone would get the machine's, and 1 next to text be ``1`` or ``1.0``.
    """
    union: Any = None
    names: dict[str, str] = {}
    types: dict[str, tuple[str, str]] = {}
    for part in parts:
        chosen = choose(part.where, part.names)
        part_names = {role: part.names[i] for role, i in chosen.items()}
        names = names or part_names
        if different := {*part_names.values()} ^ {*names.values()}:
            raise ColumnError(
                f"{parts[0].where} and {part.where} differ in their columns: {min(different)!r}."
            )
        if part_names != names:
            chosen = {role: part.names.index(name) for role, name in names.items()}
        for i in chosen.values():
            if i in part.rounded:
                raise nanoseconds_error(f"{part.where}: column {part.names[i]!r}")
        projected = part.project(chosen)
        for role, kind in column_types(projected).items():
            if kind == _EMPTY:
                continue
            first, where = types.setdefault(role, (kind, part.where))
            if kind != first and not {kind, first} <= _NUMBERS:
                raise ColumnError(
                    f"column {names[role]!r} is {first} in {where} and {kind} in {part.where}; in "
                    "files that are read as one it has one type."
                )
        union = projected if union is None else union.union(projected)
    return union, names


def count_rows(parts: list[Relation], request: Request, connection: Any = None) -> list[Tally]:
    """Return the tally of each cluster column, or of all: see `group_by_count`."""
    relation, names = select(parts, request.choose)
    weights = names.pop("w", None)
    return [
        tally_groups(
            with_weights(answer, weights),
            {role: name for role, name in names.items() if role in answer},
            parts[0].read,
        )
        for answer in group_by_count(relation, request.jointly, connection)
    ]


def group_by_count(relation: Any, jointly: bool, connection: Any = None) -> list[Answer]:
    """Group a relation by c and each of k0, k1, ..., one answer for each; or by all `jointly`.

    Columns of an answer: c, its own k, and n, the number of rows. If there are weights w, also
    their sums and checks. Columns s and b are grouped by as well. Many columns are read once, into
    a table, if there is a `connection` to a database of our own.
    """
    if jointly:
        return [_group_jointly(relation)]
    types = column_types(relation)
    preds = run_roles(types)
    shared = types.keys() - {*preds}
    if connection is not None and len(preds) > _MANY:
        relation.create("many_columns")
        relation = connection.table("many_columns")
    answers: dict[str, Answer] = {}
    for alike in by_type(preds, types):
        for begin in range(0, len(alike), _AT_A_TIME):
            batch = alike[begin : begin + _AT_A_TIME]
            rows = fetched(_grouped(_exactly(relation, types, {*batch, *shared}), batch))
            numbers = rows.pop("g").astype(np.intp)
            order = np.argsort(numbers, kind="stable")
            ends = np.cumsum(np.bincount(numbers, minlength=len(batch)))[:-1]
            columns = {name: np.split(column[order], ends) for name, column in rows.items()}
            for i, key in enumerate(batch):
                answer = {name: parts[i] for name, parts in columns.items()}
                answers[key] = answer | {key: answer.pop("k")}
    return [answers[key] for key in preds]


def _group_jointly(relation: Any) -> Answer:
    keys = relation.columns
    max_rows = _MAX_LABELS // len(keys)
    names = ", ".join(keys)
    counted = _exactly(relation, column_types(relation), keys).aggregate(
        f"{names}, count(*) as n", names
    )
    answer = fetched(counted.limit(max_rows + 1))
    if len(answer["n"]) > max_rows:
        raise CostError(
            f"more than {max_rows:,} distinct combinations of a class and clusters; compare fewer "
            "clusterings at once."
        )
    return answer


def _exactly(relation: Any, types: dict[str, str], used: Collection[str]) -> Any:
    """Return columns with binary collation, so that 'A' and 'a' stay distinct."""
    text = {name for name, kind in types.items() if kind == "VARCHAR" and name != "w"}
    columns = (name for name in types if name in used)
    return _project(
        relation, {name: f'{name} collate "binary"' if name in text else name for name in columns}
    )


def _grouped(relation: Any, preds: list[str]) -> Any:
    """Return all groups, in one pass over the rows; g is the number of their cluster column."""
    names = relation.columns
    extras = "".join(f", {x}" for x in ("s", "b") if x in names)
    sums = "count(*) as n" + (_WEIGHTS if "w" in names else "")
    if len(preds) == 1:
        # Without grouping sets DuckDB can index small tables of counts directly.
        (k,) = preds
        return relation.aggregate(f"c, {k} as k, 0 as g{extras}, {sums}", f"c, {k}{extras}")
    keys = ", ".join(preds)
    sets = ", ".join(f"(c, {k}{extras})" for k in preds)
    # Columns outside a row's own grouping set are null in it, so coalesce finds the one inside.
    # GROUPING has a bit for each of them, the first one's the highest.
    number = f"{len(preds) - 1} - log2({2 ** len(preds) - 1} - grouping({keys}))::int"
    return relation.aggregate(
        f"c, coalesce({keys}) as k, {number} as g{extras}, {sums}", f"grouping sets ({sets})"
    )


# Weights may be text.
_WEIGHTS = """,
    coalesce(sum(try_cast(w as double)), 0) as total, sum(try_cast(w as double) % 1) as fraction,
    min(try_cast(w as double)) as minimum, count(*) - count(try_cast(w as double)) as absent"""


def fetched(relation: Any) -> Answer:
    """Return the columns of a result, missing values masked or None."""
    types = column_types(relation)
    raw = fetchable(relation)
    if {*types.values()} <= _PLAIN | {*_TIMES}:
        answer: Answer = raw.fetchnumpy()
        times = {
            name: as_column(answer[name].tolist(), kind)
            for name, kind in types.items()
            if kind in _TIMES
        }
        return answer | times
    columns = list(zip(*raw.fetchall(), strict=True)) or [()] * len(types)
    return {
        name: as_column(list(values), kind)
        for (name, kind), values in zip(types.items(), columns, strict=True)
    }


def fetchable(relation: Any) -> Any:
    """Return a relation whose values Python can hold: see `as_column`."""
    types = column_types(relation)
    _refuse_rounded_times(relation, [name for name, kind in types.items() if kind == "TIME_NS"])
    if not {*types.values()} & {*_TIMES}:
        return relation
    return relation.project(
        ", ".join(
            _INTEGER.format(name, _TIMES[kind][2].format(name)) if kind in _TIMES else name
            for name, kind in types.items()
        )
    )


def as_column(values: list[Any], kind: str) -> NDArray[Any]:
    """Return fetched values, None for missing, as a column of one of DuckDB's types."""
    absent = [value is None for value in values]
    if kind == "FLOAT":  # single precision has its own limit of exact integers
        filled = [0 if value is None else value for value in values]
        return np.ma.array(filled, dtype=np.float32, mask=absent)
    if kind in _TIMES:
        unit, aware, _ = _TIMES[kind]
        integers = np.array([0 if value is None else value for value in values], dtype=np.int64)
        times = integers.view(f"M8[{unit}]")
        times[absent] = "NaT"
        return as_names(name_datetimes(times, aware))
    return as_names(values)


def _refuse_rounded_times(relation: Any, times: list[str]) -> None:
    """Raise for times of day that Python's own type would round, so that two became one label."""
    rounded = " or ".join(f"epoch_ns({name}) % 1000 <> 0" for name in times)
    if times and relation.filter(rounded).limit(1).fetchall():
        raise nanoseconds_error("a column")


def with_weights(answer: Answer, name: str | None) -> Answer:
    """Return an answer with w, the sums of the column of weights of that name, if there is one."""
    if name is None:
        return answer
    return answer | {"w": checked_sums(name, **{part: answer[part].tolist() for part in SUMS})}
