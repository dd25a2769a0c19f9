"""Classes in one file, clusters in another, joined on the ids of the objects by DuckDB.

Ids are compared as they are written if a side is text, as CSV has no types, else by value. Both
files are read once: a full join finds what both have and what only one has. That no id is repeated
is proved by counting: if every row of a file met at most one row of the other, the join has as many
rows as the file. Only where that proof fails are the ids grouped, which takes longer than the join.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from clusterbits.errors import FileError, LabelError
from clusterbits.labels.labeling import MISSING, UNMATCHED, status_or_none
from clusterbits.labels.options import LabelPolicy
from clusterbits.labels.tally import Tally
from clusterbits.reading.files.readers import open_relations
from clusterbits.reading.files.relations import (
    INTEGERS,
    Answer,
    column_types,
    group_by_count,
    select,
    with_weights,
)
from clusterbits.reading.files.sources import find_sources, name_together
from clusterbits.reading.label_columns import exact_below
from clusterbits.reading.request import Reader, Request, as_list, tally_rows
from clusterbits.text.tables import counted

_FLOATS = {"FLOAT": exact_below("float32"), "DOUBLE": exact_below("float64")}
# Which files have the object of a row of the full join.
_BOTH, _TRUTH_ONLY, _PRED_ONLY = 0, 1, 2


class _Side(NamedTuple):
    """One side of the join: its columns are id0, id1, ...; c or k0, k1, ...; w and b if any.

    `where` are its files in errors, `view` is its name in SQL, and `only` the status of objects
    that the other side does not have.
    """

    where: str
    view: str
    only: int
    read: Reader
    columns: Any
    names: dict[str, str]

    @property
    def ids(self) -> list[str]:
        """The ids in SQL."""
        return [name for name in self.names if name.startswith("id")]

    def describe(self, values: Sequence[Any]) -> str:
        """Return the ids of an object as errors show them."""
        names = [self.names[name] for name in self.ids]
        return ", ".join(f"{name} {value!r}" for name, value in zip(names, values, strict=True))


class Join(NamedTuple):
    """Two sides, the one with the classes first."""

    connection: Any
    truth: _Side
    pred: _Side

    @property
    def types(self) -> dict[str, set[str]]:
        """DuckDB's types of each id: one, or two if the sides differ."""
        truth, pred = (column_types(side.columns) for side in (self.truth, self.pred))
        return {name: {truth[name], pred[name]} for name in self.truth.ids}

    @property
    def sql(self) -> str:
        """The full join."""
        return f"{self.truth.view} full join {self.pred.view} on {self.conditions}"

    @property
    def conditions(self) -> str:
        """When objects are the same; ids of two types are compared as text, numbers by value."""
        truth, pred = self.truth.view, self.pred.view
        conditions = []
        for name, types in self.types.items():
            exact = {"DECIMAL" if kind.startswith("DECIMAL") else kind for kind in types} - INTEGERS
            if len(types) == 1 or types <= INTEGERS | {*_FLOATS} or exact <= {"DECIMAL"}:
                conditions.append(f"{truth}.{name} = {pred}.{name}")
            else:
                conditions.append(f"{truth}.{name}::varchar = {pred}.{name}::varchar")
        return " and ".join(conditions)

    def rows(self) -> Any:
        """Return the labels of all objects, and s, their status."""
        columns = [
            f"{side.view}.{name}"
            for side in (self.truth, self.pred)
            for name in side.names
            if name not in side.ids
        ]
        status = (
            f"(case when {self.pred.view}.present is null then {_TRUTH_ONLY} "
            f"when {self.truth.view}.present is null then {_PRED_ONLY} else {_BOTH} end)::tinyint"
        )
        return self.connection.sql(f"select {', '.join(columns)}, {status} as s from {self.sql}")

    def ask(self, query: str) -> list[tuple[Any, ...]]:
        """Return the rows of a query."""
        rows: list[tuple[Any, ...]] = self.connection.sql(query).fetchall()
        return rows


@contextmanager
def joining(request: Request) -> Iterator[Join]:
    """Yield the two sides that a request joins, as views of DuckDB."""
    if len(request.data) != 2:
        raise FileError(
            "on= joins two sources, the one with the classes first, not "
            f"{len(request.data)}. Several files of one side can be named by a folder or a quoted "
            "pattern."
        )
    sources = list(map(find_sources, request.data))
    shared = [*request.ids, *request.extras.values()]
    wanted = ([*shared, *as_list(labels)] for labels in (request.truth, request.pred))
    opened = open_relations(request, *zip(sources, wanted, strict=True))
    with opened as (connection, (truth, pred)):
        # Weights and groups may be in either file.
        of_truth = {role: name for role, name in request.extras.items() if name in truth[0].names}
        of_pred = {role: name for role, name in request.extras.items() if role not in of_truth}
        classes = select(truth, partial(request.choose_side, "c", of_truth))
        clusters = select(pred, partial(request.choose_side, "k", of_pred))
        join = Join(
            connection,
            _Side(name_together(sources[0]), "t", _TRUTH_ONLY, truth[0].read, *classes),
            _Side(name_together(sources[1]), "p", _PRED_ONLY, pred[0].read, *clusters),
        )
        for side in (join.truth, join.pred):
            _create_view(side)
            _refuse_large_floats(join, side)
        yield join


def count_joined(request: Request, policy: LabelPolicy) -> list[Tally]:
    """Count classes of one source against clusters of another, object by object."""
    with joining(request) as join:
        answers = group_by_count(join.rows(), request.jointly, join.connection)
        status, n_rows = answers[0]["s"], answers[0]["n"]
        matches = [int(n_rows[status == value].sum()) for value in range(3)]
        _refuse_missing_ids(join, matches)
        _refuse_repeated_ids(join, matches)
        if policy.unmatched == "error" and matches[_BOTH] < sum(matches):
            raise _unmatched(join, matches)
        return [_tally(join, answer, request.weights, policy) for answer in answers]


def _tally(join: Join, answer: Answer, weights: str | None, policy: LabelPolicy) -> Tally:
    """Return the rows of an answer; labels of objects that a side does not have are UNMATCHED."""
    matched = answer["s"] == _BOTH
    if policy.unmatched == "drop" and weights is not None:
        # Objects without a partner need no weight: they are excluded.
        rows = {key: column[matched] for key, column in answer.items()}
        sums = with_weights(rows, weights)["w"]
        answer = answer | {"w": np.zeros(len(matched), dtype=sums.dtype)}
        answer["w"][matched] = sums
    else:
        answer = with_weights(answer, weights)
    names, labels = {}, {}
    for side in (join.truth, join.pred):
        elsewhere = ~matched & (answer["s"] != side.only)
        # In the order of the columns: a gate takes the first for the baseline.
        for role in (role for role in side.names if role in answer and role != "w"):
            column = side.read(answer[role], f"column {side.names[role]!r}")
            status = np.where(column.known, 0, MISSING).astype(np.int8)
            status[elsewhere] = UNMATCHED
            labels[role] = replace(column, status=status_or_none(status))
            names[role] = side.names[role]
    return tally_rows(labels, names, answer["n"].astype(np.int64), answer.get("w"), joined=True)


def _create_view(side: _Side) -> None:
    # JSON ids are compared without their quotes.
    columns = [
        f"({name} ->> '$') as {name}" if name in side.ids and kind == "JSON" else name
        for name, kind in column_types(side.columns).items()
    ]
    relation = side.columns.project(", ".join([*columns, "true as present"]))
    relation.create_view(side.view, replace=True)


def _refuse_large_floats(join: Join, side: _Side) -> None:
    """Raise if an id is a float that stands for several integers, or for none."""
    types = column_types(side.columns)
    for name in side.ids:
        if types[name] not in _FLOATS:
            continue
        [(largest,)] = join.ask(f"select max(abs({name})) from {side.view}")
        if largest is not None and (math.isnan(largest) or largest >= _FLOATS[types[name]]):
            raise LabelError(
                f"{side.where}: {side.names[name]} has the id {largest!r}: no number, "
                "or a float so large that it stands for several. Write ids as integers or text."
            )


def _refuse_missing_ids(join: Join, matches: list[int]) -> None:
    """Raise if a row has no id; such a row is unmatched."""
    for side in (join.truth, join.pred):
        missing = " or ".join(f"{name} is null" for name in side.ids)
        if not matches[side.only]:
            continue
        [(n_missing,)] = join.ask(f"select count(*) from {side.view} where {missing}")
        if n_missing:
            raise LabelError(
                f"{side.where} has {counted(n_missing, 'row')} with a missing id. Leave such "
                "rows out of the file first."
            )


def _refuse_repeated_ids(join: Join, matches: list[int]) -> None:
    """Raise if an id is in two rows of one side."""
    for side, other in ((join.truth, join.pred), (join.pred, join.truth)):
        # As many rows as the other file has: no row of it met two of this side. Rows that met
        # none say nothing of each other, so a side with such rows is looked at as well.
        if not matches[side.only]:
            [(n_rows,)] = join.ask(f"select count(*) from {other.view}")
            if matches[_BOTH] + matches[other.only] == n_rows:
                continue
        ids = ", ".join(side.ids)
        repeated = join.ask(
            f"select {ids}, count(*) from {side.view} group by {ids} having "
            " count(*) > 1 order by all limit 1"
        )
        if repeated:
            *values, times = repeated[0]
            raise LabelError(
                f"{side.where}: {side.describe(values)} stands in {times} rows; each object "
                "must have one row."
            )


def _unmatched(join: Join, matches: list[int]) -> LabelError:
    parts = []
    for side, other in ((join.truth, join.pred), (join.pred, join.truth)):
        if matches[side.only]:
            ids = ", ".join(f"{side.view}.{name}" for name in side.ids)
            rows = f"{join.sql} where {other.view}.present is null"
            example = side.describe(join.ask(f"select {ids} from {rows} order by all limit 1")[0])
            parts.append(f"{matches[side.only]:,} only in {side.where} (such as {example})")
    advice = "Pass unmatched='drop', or unmatched='class' to count the others as a class."
    mixed = [types for types in join.types.values() if len(types) > 1]
    if mixed and not matches[_BOTH]:
        advice = f"Their types are {' and '.join(sorted(mixed[0]))}: write them alike."
    return LabelError(
        f"the ids do not match: {' and '.join(parts)}; {matches[_BOTH]:,} in both. {advice}"
    )
