"""Columns of a DuckDB relation, counted by DuckDB in one pass for many cluster columns."""

from __future__ import annotations

from itertools import repeat
from typing import Any

import numpy as np
from numpy.typing import NDArray

from clusterbits.core.cells import as_names
from clusterbits.core.labels import name_datetimes
from clusterbits.core.policy import LabelPolicy
from clusterbits.errors import LabelError
from clusterbits.ingest.groups import Count, Groups, Reader, T, WeightSums
from clusterbits.ingest.selection import ColumnChoice, by_type

# Cluster columns counted at a time: each has a hash table of its own, and GROUPING a bit.
_AT_A_TIME = 32
# Types that numpy holds without loss; labels of others are fetched as Python objects.
_PLAIN = {
    *(f"{sign}{size}INT" for sign in ("", "U") for size in ("TINY", "SMALL", "BIG")),
    *("INTEGER", "UINTEGER", "BOOLEAN", "FLOAT", "DOUBLE", "VARCHAR", "JSON"),
}
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


def count_relation(
    relation: Any,
    columns: ColumnChoice,
    policy: LabelPolicy,
    read: Reader,
    count_one: Count[T],
) -> dict[str, T]:
    """Count the class column against each of the cluster columns, in each group if there are any.

    What DuckDB has grouped is made cells, or tables by group, by `count_one`.
    """
    names, truth = columns.names, columns.truth
    types = [str(kind) for kind in relation.types]
    # Where a database compares text without capitals, labels are still two.
    exact = [
        f'#{i} collate "binary"' if t == "VARCHAR" else f"#{i}" for i, t in enumerate(types, 1)
    ]
    # Columns are called by their positions from here on: their names are only data.
    chosen = {"c": exact[truth], **{f"k{j}": exact[i] for j, i in enumerate(columns.preds)}}
    if columns.weights is not None:
        chosen["w"] = f"#{columns.weights + 1}"
    if columns.groups is not None:
        chosen["b"] = exact[columns.groups]
    answers = group_by_count(relation, chosen)
    counted = {}
    for i, answer in zip(columns.preds, answers, strict=True):
        labels = [answer[key] for key in ("c", "k", "b") if key in answer]
        counts = counts_of(answer, columns.weights_name)
        groups = Groups.read(labels, counts, columns.labels_of(i), repeat(read))
        counted[names[i]] = count_one(groups, policy, None)
    return counted


Answer = dict[str, NDArray[Any]]


def group_by_count(relation: Any, columns: dict[str, str]) -> list[Answer]:
    """Group a relation by c and each of k0, k1, ...; one answer for each. `columns` has their SQL.

    Columns of an answer: c, k, and n, how many rows. Where there are weights w, also their sums and
    checks. Columns s and b are grouped by as well. For columns t and p, the rows in which they are
    not null are counted.
    """
    types = dict(zip(columns, map(str, _project(relation, columns).types), strict=True))
    preds = sum(name.startswith("k") for name in columns)
    answers: dict[int, Answer] = {}
    for same in by_type(list(range(preds)), [types[f"k{j}"] for j in range(preds)]):
        for begin in range(0, len(same), _AT_A_TIME):
            some = same[begin : begin + _AT_A_TIME]
            keys = [f"k{j}" for j in some]
            # DuckDB plans what it is given: all of 4,000 columns in each pass would take a minute.
            used = {x: sql for x, sql in columns.items() if x in keys or not x.startswith("k")}
            rows = _fetched(_grouped(_project(relation, used), keys))
            which = rows.pop("g")
            for place, j in enumerate(some):
                mine = which == _grouping_mask(place, len(some))
                answers[j] = {name: column[mine] for name, column in rows.items()}
    return [answers[j] for j in range(preds)]


def _project(relation: Any, columns: dict[str, str]) -> Any:
    return relation.project(", ".join(f"{sql} as {name}" for name, sql in columns.items()))


def _grouped(relation: Any, preds: list[str]) -> Any:
    """Return the relation of all groups, in one pass over the rows."""
    names = relation.columns
    others = "".join(f", {x}" for x in ("s", "b") if x in names)
    sums = "count(*) as n" + "".join(f", count({x}) as {x}" for x in ("t", "p") if x in names)
    sums += _WEIGHTS if "w" in names else ""
    if len(preds) == 1:
        # Without grouping sets DuckDB can index small tables of counts directly.
        (k,) = preds
        mask = _grouping_mask(0, 1)
        return relation.aggregate(f"c, {k} as k, {mask} as g{others}, {sums}", f"c, {k}{others}")
    keys = ", ".join(preds)
    sets = ", ".join(f"(c, {k}{others})" for k in preds)
    # Columns outside a row's own grouping set are null in it, so coalesce finds the one inside.
    return relation.aggregate(
        f"c, coalesce({keys}) as k, grouping({keys}) as g{others}, {sums}",
        f"grouping sets ({sets})",
    )


# Weights may come as text, too. Whole ones are added up exactly, where all are 128-bit integers.
_WEIGHTS = """,
    case when count(*) = count(try_cast(w as hugeint)) then sum(try_cast(w as hugeint)) end
    as whole, sum(try_cast(w as double)) as total,
    sum(try_cast(w as double) % 1) as fraction, min(try_cast(w as double)) as least,
    count(*) - count(try_cast(w as double)) as absent"""


def _grouping_mask(place: int, width: int) -> int:
    """Return GROUPING's value where only the column at this place is grouped by."""
    return (1 << width) - 1 - (1 << (width - 1 - place))


def _fetched(relation: Any) -> Answer:
    """Return the columns of a result, missing values masked or None."""
    types = dict(zip(relation.columns, map(str, relation.types), strict=True))
    raw = fetchable(relation)
    if {*types.values()} <= _PLAIN | {*_TIMES}:
        answer: Answer = raw.fetchnumpy()
        times = {
            name: as_column(answer[name].tolist(), types[name])
            for name in types
            if types[name] in _TIMES
        }
        return answer | times
    columns = list(zip(*raw.fetchall(), strict=True)) or [()] * len(types)
    return {
        name: as_column(list(values), kind)
        for (name, kind), values in zip(types.items(), columns, strict=True)
    }


def fetchable(relation: Any) -> Any:
    """Return a relation whose values come into Python as they are: see `as_column`."""
    types = dict(zip(relation.columns, map(str, relation.types), strict=True))
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


def counts_of(answer: Answer, weights: str | None) -> NDArray[Any]:
    """Return how much each group counts: its rows, or the sum of the column called `weights`."""
    if weights is None:
        return answer["n"].astype(np.int64)
    total, whole = answer["total"].tolist(), answer["whole"].tolist()
    fraction = answer["fraction"].tolist()
    exact = not any(fraction) and all(value is not None for value in whole)
    return WeightSums(
        [int(value) for value in whole] if exact else [float(value or 0) for value in total],
        fraction,
        [value for value in answer["least"].tolist() if value is not None],
        answer["absent"].tolist(),
    ).checked(weights)
