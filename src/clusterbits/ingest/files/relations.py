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
# Timestamps fetched as integers: Python's own have no nanoseconds, and need pytz for time zones.
_TIMESTAMPS = {
    "TIMESTAMP_NS": ("ns", False),
    "TIMESTAMP WITH TIME ZONE": ("us", True),
    "TIMESTAMPTZ_NS": ("ns", True),
}


def count_relation(
    relation: Any,
    columns: ColumnChoice,
    policy: LabelPolicy,
    read: Reader,
    count: Count[T],
) -> dict[str, T]:
    """Count the class column against each of the cluster columns, in each group if there are any.

    What DuckDB has grouped is made cells, or tables by group, by `count`.
    """
    names, truth = columns.names, columns.truth
    types = [str(kind) for kind in relation.types]
    # Where a database compares text without capitals, labels are still two.
    exact = [
        f'#{i} collate "binary"' if t == "VARCHAR" else f"#{i}" for i, t in enumerate(types, 1)
    ]
    chosen = [f"{exact[truth]} as c", *(f"{exact[i]} as k{j}" for j, i in enumerate(columns.preds))]
    if columns.weights is not None:
        chosen.append(f"#{columns.weights + 1} as w")
    if columns.by is not None:
        chosen.append(f"{exact[columns.by]} as b")
    # Columns are called by their positions from here on: their names are only data.
    answers = group_by_count(relation.project(", ".join(chosen)), len(columns.preds))
    counted = {}
    for i, answer in zip(columns.preds, answers, strict=True):
        labels = [answer[key] for key in ("c", "k", "b") if key in answer]
        counts = counts_of(answer, columns.weights_name)
        groups = Groups.read(labels, counts, columns.labels_of(i), repeat(read))
        counted[names[i]] = count(groups, policy, None)
    return counted


Answer = dict[str, NDArray[Any]]


def group_by_count(relation: Any, preds: int) -> list[Answer]:
    """Group a relation with columns c and k0, k1, ... by c and each of the k; one answer for each.

    Columns of an answer: c, k, and n, how many rows. Where the relation has weights w, also their
    sums and checks. Columns s and b are grouped by as well. For columns t and p the rows are
    counted in which they are not null.
    """
    types = dict(zip(relation.columns, map(str, relation.types), strict=True))
    answers: dict[int, Answer] = {}
    for same in by_type(list(range(preds)), [types[f"k{j}"] for j in range(preds)]):
        for begin in range(0, len(same), _AT_A_TIME):
            some = same[begin : begin + _AT_A_TIME]
            rows = _fetched(_grouped(relation, types, some))
            which = rows.pop("g")
            for place, j in enumerate(some):
                mine = which == _grouping_mask(place, len(some))
                answers[j] = {name: column[mine] for name, column in rows.items()}
    return [answers[j] for j in range(preds)]


def _grouped(relation: Any, types: dict[str, str], preds: list[int]) -> Any:
    """Return the relation of all groups, in one pass over the rows."""
    others = "".join(f", {x}" for x in ("s", "b") if x in types)
    sums = "count(*) as n" + "".join(f", count({x}) as {x}" for x in ("t", "p") if x in types)
    sums += _WEIGHTS if "w" in types else ""
    if len(preds) == 1:
        # Without grouping sets DuckDB can index small tables of counts directly.
        (k,) = (f"k{j}" for j in preds)
        mask = _grouping_mask(0, 1)
        return relation.aggregate(f"c, {k} as k, {mask} as g{others}, {sums}", f"c, {k}{others}")
    keys = ", ".join(f"k{j}" for j in preds)
    sets = ", ".join(f"(c, k{j}{others})" for j in preds)
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
    _refuse_nanoseconds(relation, [name for name, kind in types.items() if kind == "TIME_NS"])
    times = {name: _TIMESTAMPS[kind] for name, kind in types.items() if kind in _TIMESTAMPS}
    if not times:
        return _fetched_plainly(relation)
    chosen = (f"epoch_{times[x][0]}({x}) as {x}" if x in times else x for x in types)
    answer = _fetched_plainly(relation.project(", ".join(chosen)))
    for name, (unit, aware) in times.items():
        known = ["NaT" if value is None else value for value in answer[name].tolist()]
        answer[name] = as_names(name_datetimes(np.array(known, dtype=f"M8[{unit}]"), aware))
    return answer


def _refuse_nanoseconds(relation: Any, times: list[str]) -> None:
    """Refuse times of day that Python's own type would round, so that two became one label."""
    rounded = " or ".join(f"epoch_ns({name}) % 1000 <> 0" for name in times)
    if times and relation.filter(rounded).limit(1).fetchall():
        raise LabelError("a column holds times with nanoseconds; round them to microseconds first.")


def _fetched_plainly(relation: Any) -> Answer:
    if {str(kind) for kind in relation.types} <= _PLAIN:
        answer: Answer = relation.fetchnumpy()
        return answer
    columns = zip(*relation.fetchall(), strict=True)
    found = [as_names(list(column)) for column in columns]
    found = found or [as_names([]) for _ in relation.columns]
    return dict(zip(relation.columns, found, strict=True))


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
