"""Columns of DuckDB relations: chosen from one or many, and counted in one pass by DuckDB.

Columns are called by position and never by name in SQL: what they are called is only data.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from clusterbits.errors import ColumnError, CostError, LabelError
from clusterbits.labels.tally import Tally
from clusterbits.reading.engine_rows import Reader, tally_rows
from clusterbits.reading.request import Request, by_type
from clusterbits.reading.weights import WeightSums
from clusterbits.table.label_names import as_names, name_datetimes

# Cluster columns counted at a time by grouping sets: each has a hash table of its own, and GROUPING
# a bit. DuckDB reads and plans all columns of a file in each pass, so more than a few times as many
# are stacked to one long column, which is slower for each row, but takes one pass for thousands.
_AT_A_TIME, _STACKED, _MANY = 32, 4096, 256
# Labels that are fetched of clusterings that are counted together.
_MOST_LABELS = 1 << 24
INTEGERS = {f"{sign}{size}INT" for sign in ("", "U") for size in ("TINY", "SMALL", "BIG")}
INTEGERS |= {"INTEGER", "UINTEGER", "HUGEINT"}
# They are numbers together: whole floats are integers, and too large ones are refused.
_NUMBERS = INTEGERS | {"FLOAT", "DOUBLE"}
# Types that numpy holds without loss; labels of others are fetched as Python objects.
_PLAIN = _NUMBERS - {"HUGEINT"} | {"BOOLEAN", "VARCHAR", "JSON"}
# The type of a column without any value; it goes with all types.
_EMPTY = '"NULL"'
# Dates and timestamps, fetched as integers: Python's own have no nanoseconds, end in the year 9999,
# and need pytz for time zones. For each its unit, whether it is aware, and the integer in SQL.
_TIMES = {
    "DATE": ("D", False, "{0} - date '1970-01-01'"),
    "TIMESTAMP_S": ("s", False, "epoch_ms({0}) // 1000"),
    "TIMESTAMP_MS": ("ms", False, "epoch_ms({0})"),
    "TIMESTAMP": ("us", False, "epoch_us({0})"),
    "TIMESTAMP_NS": ("ns", False, "epoch_ns({0})"),
    "TIMESTAMP WITH TIME ZONE": ("us", True, "epoch_us({0})"),
    "TIMESTAMPTZ_NS": ("ns", True, "epoch_ns({0})"),
}
# Infinite ones are the largest integers in DuckDB's files, but no integer to its functions.
_INTEGER = (
    "case when {0} is not null then coalesce({1}, "
    "case when {0} > '2000-01-01' then 1 else -1 end * 9223372036854775807) end as {0}"
)

Answer = dict[str, NDArray[Any]]
# The position of each column that is chosen, by the name that it gets in SQL.
Chosen = dict[str, int]


class Relation(NamedTuple):
    """Columns that DuckDB reads: of one file, of several alike, or of a query.

    Attributes
    ----------
    where : str
        The source in errors.
    names : list of str
        The names of the columns.
    project : function
        Returns chosen columns as a relation of DuckDB, each by the name that it gets in SQL.
    read : function
        Reads a column as labels.
    """

    where: str
    names: list[str]
    project: Callable[[Chosen], Any]
    read: Reader


def by_position(relation: Any) -> Callable[[Chosen], Any]:
    """Return a function that chooses columns of a relation of DuckDB."""
    return lambda chosen: _project(relation, {name: f"#{i + 1}" for name, i in chosen.items()})


def _project(relation: Any, columns: dict[str, str]) -> Any:
    return relation.project(", ".join(f"{sql} as {name}" for name, sql in columns.items()))


def column_types(relation: Any) -> dict[str, str]:
    """Return DuckDB's types of the columns, by their names in SQL."""
    return dict(zip(relation.columns, map(str, relation.types), strict=True))


def refuse_cut_times(where: str, names: list[str], positions: set[int]) -> None:
    """Raise where columns hold nanoseconds that DuckDB would cut, so that two became one label."""
    for i in positions:
        raise ColumnError(
            f"{where}: column {names[i]!r} holds times or durations with nanoseconds, which DuckDB "
            "cuts off; round them to microseconds first."
        )


def select(
    parts: list[Relation], choose: Callable[[str, list[str]], Chosen]
) -> tuple[Any, dict[str, str]]:
    """Return the chosen columns of all parts as one relation of DuckDB, and their names there.

    The parts may have their columns in any order: they are put together by name.
    Each column has one type in all of them, or is refused. DuckDB would promote the types:
    timestamps without a time zone would get the machine's, and 1 beside text be ``1`` or ``1.0``.
    """
    union: Any = None
    names: dict[str, str] = {}
    known: dict[str, tuple[str, str]] = {}
    for part in parts:
        chosen = choose(part.where, part.names)
        own = {name: part.names[i] for name, i in chosen.items()}
        names = names or own
        if {*own.values()} != {*names.values()}:
            odd = next(iter({*own.values()} ^ {*names.values()}))
            raise ColumnError(
                f"{parts[0].where} and {part.where} differ in their columns: {odd!r}."
            )
        if own != names:
            chosen = {name: part.names.index(given) for name, given in names.items()}
        projected = part.project(chosen)
        for name, kind in column_types(projected).items():
            if kind == _EMPTY:
                continue
            first, where = known.setdefault(name, (kind, part.where))
            if kind != first and not {kind, first} <= _NUMBERS:
                raise ColumnError(
                    f"column {names[name]!r} is {first} in {where} and {kind} in {part.where}; in "
                    "files that are read as one it has one type."
                )
        union = projected if union is None else union.union(projected)
    return union, names


def count_rows(parts: list[Relation], request: Request) -> list[Tally]:
    """Return the tally of each cluster column, or of all; in groups if there are any."""
    relation, names = select(parts, request.choose)
    read = parts[0].read
    labels = {role: name for role, name in names.items() if role != "w"}
    weights = names.get("w")
    if request.jointly:
        answer = group_together(relation)
        return [tally_rows(answer, labels, read)]
    return [
        tally_rows(
            with_weights(answer, weights),
            {role: name for role, name in labels.items() if role in ("c", "b", key)},
            read,
        )
        for key, answer in group_by_count(relation).items()
    ]


def group_by_count(relation: Any) -> dict[str, Answer]:
    """Group a relation by c and each of k0, k1, ...; one answer for each.

    Columns of an answer: c, its own k, and n, the number of rows. If there are weights w, also
    their sums and checks. Columns s and b are grouped by as well.
    """
    types = column_types(relation)
    preds = [name for name in types if name.startswith("k")]
    others = [name for name in types if not name.startswith("k")]
    at_a_time = _AT_A_TIME if len(preds) <= _MANY else _STACKED
    answers: dict[str, Answer] = {}
    for same in by_type(preds, types):
        for begin in range(0, len(same), at_a_time):
            some = same[begin : begin + at_a_time]
            rows = fetched(_grouped(_exactly(relation, types, {*some, *others}), some))
            places = rows.pop("g").astype(np.intp)
            order = np.argsort(places, kind="stable")
            ends = np.cumsum(np.bincount(places, minlength=len(some)))[:-1]
            columns = {name: np.split(column[order], ends) for name, column in rows.items()}
            for place, key in enumerate(some):
                answer = {name: column[place] for name, column in columns.items()}
                answers[key] = answer | {key: answer.pop("k")}
    return {key: answers[key] for key in preds}


def group_together(relation: Any) -> Answer:
    """Group a relation by all labels at once."""
    keys = relation.columns
    most = _MOST_LABELS // len(keys)
    names = ", ".join(keys)
    counted = _exactly(relation, column_types(relation), keys).aggregate(
        f"{names}, count(*) as n", names
    )
    answer = fetched(counted.limit(most + 1))
    if len(answer["n"]) > most:
        raise CostError(
            f"more than {most:,} kinds of objects, by their class and all their clusters; compare "
            "fewer clusterings at once."
        )
    return answer


def _exactly(relation: Any, types: dict[str, str], used: Collection[str]) -> Any:
    """Return some columns; where a database compares text without capitals, labels are two."""
    text = {name for name, kind in types.items() if kind == "VARCHAR" and name != "w"}
    chosen = {name: f'{name} collate "binary"' if name in text else name for name in types}
    return _project(relation, {name: sql for name, sql in chosen.items() if name in used})


def _grouped(relation: Any, preds: list[str]) -> Any:
    """Return all groups, in one pass over the rows; g is the place of their cluster column."""
    names = relation.columns
    kept = "".join(f", {x}" for x in ("s", "b") if x in names)
    sums = "count(*) as n" + (_WEIGHTS if "w" in names else "")
    if len(preds) == 1:
        # Without grouping sets DuckDB can index small tables of counts directly.
        (k,) = preds
        return relation.aggregate(f"c, {k} as k, 0 as g{kept}, {sums}", f"c, {k}{kept}")
    keys = ", ".join(preds)
    if len(preds) > _AT_A_TIME:
        others = ", ".join(x for x in names if not x.startswith("k"))
        long = relation.project(
            f"{others}, unnest([{keys}]) as k, unnest(range({len(preds)})) as g"
        )
        return long.aggregate(f"c, k, g{kept}, {sums}", f"c, k, g{kept}")
    sets = ", ".join(f"(c, {k}{kept})" for k in preds)
    # Columns outside a row's own grouping set are null in it, so coalesce finds the one inside.
    # GROUPING has a bit for each of them, the first one's the highest.
    place = f"{len(preds) - 1} - log2({2 ** len(preds) - 1} - grouping({keys}))::int"
    return relation.aggregate(
        f"c, coalesce({keys}) as k, {place} as g{kept}, {sums}", f"grouping sets ({sets})"
    )


# Weights may come as text, too. Whole ones are added up exactly, where all are 128-bit integers.
_WEIGHTS = """,
    case when count(*) = count(try_cast(w as hugeint)) then sum(try_cast(w as hugeint)) end
    as whole, sum(try_cast(w as double)) as total,
    sum(try_cast(w as double) % 1) as fraction, min(try_cast(w as double)) as least,
    count(*) - count(try_cast(w as double)) as absent"""


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
    """Return a relation whose values come into Python as they are: see `as_column`."""
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
    """Return values that were fetched, None for missing, as a column of one of DuckDB's types."""
    absent = [value is None for value in values]
    if kind == "FLOAT":  # single precision has its own limit of exact whole numbers
        known = [0 if value is None else value for value in values]
        return np.ma.array(known, dtype=np.float32, mask=absent)
    if kind in _TIMES:
        unit, aware, _ = _TIMES[kind]
        integers = np.array([0 if value is None else value for value in values], dtype=np.int64)
        times = integers.view(f"M8[{unit}]")
        times[absent] = "NaT"
        return as_names(name_datetimes(times, aware))
    return as_names(values)


def _refuse_rounded_times(relation: Any, times: list[str]) -> None:
    """Refuse times of day that Python's own type would round, so that two became one label."""
    rounded = " or ".join(f"epoch_ns({name}) % 1000 <> 0" for name in times)
    if times and relation.filter(rounded).limit(1).fetchall():
        raise LabelError("a column holds times with nanoseconds; round them to microseconds first.")


def with_weights(answer: Answer, name: str | None) -> Answer:
    """Return an answer with w, the sums of the column of weights of that name, if there is one."""
    if name is None:
        return answer
    fraction = answer["fraction"].tolist()
    columns = zip(answer["whole"].tolist(), answer["total"].tolist(), fraction, strict=True)
    sums = WeightSums(
        [float(y or 0) if part or x is None else int(x) for x, y, part in columns],
        fraction,
        [value for value in answer["least"].tolist() if value is not None],
        answer["absent"].tolist(),
    )
    return answer | {"w": sums.checked(name)}
