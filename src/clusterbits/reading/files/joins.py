"""Classes in one file, clusters in another, joined on the ids of the objects by DuckDB.

Ids are compared as they are written if a side is text, as CSV has no types, else by value. Both
files are read once: a full join finds what both have and what only one has. That no id is repeated
is proved by counting: if every row of a file met at most one row of the other, the join has as many
rows as the file. Only where that proof fails are the ids grouped, which takes longer than the join.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from clusterbits.errors import FileError, LabelError, NothingToCountError
from clusterbits.labels.labeling import MISSING, UNMATCHED, Labels, status_or_none
from clusterbits.labels.options import LabelPolicy
from clusterbits.labels.tally import Tally
from clusterbits.reading.engine_rows import Reader, tally_rows
from clusterbits.reading.files.readers import (
    connected,
    open_files,
    reading,
)
from clusterbits.reading.files.relations import (
    INTEGERS,
    Answer,
    Chosen,
    Relation,
    column_types,
    group_by_count,
    group_together,
    select,
    with_weights,
)
from clusterbits.reading.files.sources import Source, find_sources, name_together
from clusterbits.reading.label_columns import exact_below
from clusterbits.reading.request import (
    Request,
    as_list,
    matching_columns,
    one_column,
    only_column,
)
from clusterbits.text.tables import counted

_FLOATS = {"FLOAT": exact_below("float32"), "DOUBLE": exact_below("float64")}
# Where a row of the full join comes from.
_BOTH, _TRUTH_ONLY, _PRED_ONLY = 0, 1, 2


class _Side(NamedTuple):
    """One side of the join: its columns are id0, id1, ...; c or k0, k1, ...; w and b if any."""

    sources: list[Source]
    read: Reader
    columns: Any
    names: dict[str, str]
    view: str

    @property
    def where(self) -> str:
        """The files in errors."""
        return name_together(self.sources)

    @property
    def ids(self) -> list[str]:
        """The ids in SQL."""
        return [name for name in self.names if name.startswith("id")]


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
        return f"{self.truth.view} t full join {self.pred.view} p on {self.conditions}"

    @property
    def conditions(self) -> str:
        """When objects are the same; ids of two types are compared as text, numbers by value."""
        conditions = []
        for name, kinds in self.types.items():
            exact = {"DECIMAL" if kind.startswith("DECIMAL") else kind for kind in kinds} - INTEGERS
            if len(kinds) == 1 or kinds <= INTEGERS | {*_FLOATS} or exact <= {"DECIMAL"}:
                conditions.append(f"t.{name} = p.{name}")
            else:
                conditions.append(f"t.{name}::varchar = p.{name}::varchar")
        return " and ".join(conditions)


def count_joined(request: Request, policy: LabelPolicy) -> list[Tally]:
    """Count classes of one source against clusters of another, object by object."""
    with joining(request) as join:
        return _count(join, request, policy)


@contextmanager
def joining(request: Request) -> Iterator[Join]:
    """Yield the two sides that a request joins, as views of DuckDB."""
    sides = request.data
    if len(sides) != 2:
        raise FileError(
            f"on= joins two sources, the one with the classes first, not {len(sides)}. "
            "Several files of one side can be named by a folder or a quoted pattern."
        )
    ids = as_list(request.on)
    sources = list(map(find_sources, sides))
    with ExitStack() as files, connected(request) as connection, reading(*sources):
        truth, pred = (
            open_files(
                connection, side, request.delimiter, [*ids, *request.others, *as_list(own)], files
            )
            for side, own in zip(sources, (request.truth, request.pred), strict=True)
        )
        chosen = _select(truth, pred, ids, request)
        join = Join(
            connection,
            _Side(sources[0], truth[0].read, *chosen[0], "truth_side"),
            _Side(sources[1], pred[0].read, *chosen[1], "pred_side"),
        )
        for side in (join.truth, join.pred):
            _create_view(side)
            _refuse_large_floats(connection, side)
        yield join


def _select(
    truth: list[Relation], pred: list[Relation], ids: list[Any], request: Request
) -> list[tuple[Any, dict[str, str]]]:
    """Return the columns of both sides, and their names; weights and groups may be on either."""
    others = {"w": request.weights, "b": request.groups}
    others = {role: name for role, name in others.items() if name is not None}
    of_truth = {role: name for role, name in others.items() if name in truth[0].names}
    of_pred = {role: name for role, name in others.items() if role not in of_truth}
    named = [*ids, *others.values()]

    def choose_shared(where: str, names: list[str], own: dict[str, Any]) -> Chosen:
        chosen = {f"id{j}": one_column(where, names, name, "on") for j, name in enumerate(ids)}
        return chosen | {role: one_column(where, names, name, role) for role, name in own.items()}

    def choose_truth(where: str, names: list[str]) -> Chosen:
        shared = choose_shared(where, names, of_truth)
        return {"c": only_column(where, names, request.truth, "truth", named), **shared}

    def choose_pred(where: str, names: list[str]) -> Chosen:
        shared = choose_shared(where, names, of_pred)
        if request.pred is None:
            preds = [only_column(where, names, None, "pred", named)]
        else:
            preds = matching_columns(where, names, request.pred, [*named, request.truth])
        return {f"k{j}": i for j, i in enumerate(preds)} | shared

    return [select(truth, choose_truth), select(pred, choose_pred)]


def _count(join: Join, request: Request, policy: LabelPolicy) -> list[Tally]:
    truth, pred = join.truth, join.pred
    joined = _full_join(join)
    answers = [group_together(joined)] if request.jointly else [*group_by_count(joined).values()]
    status, n_rows = answers[0]["s"], answers[0]["n"]
    matches = [int(n_rows[status == value].sum()) for value in range(3)]
    if not sum(matches):
        raise NothingToCountError(f"{truth.where}, {pred.where}: there are no rows.")
    _refuse_missing_ids(join, matches)
    _refuse_repeated_ids(join, matches)
    if policy.unmatched == "error" and matches[_BOTH] < sum(matches):
        raise _unmatched(join, matches)
    if policy.unmatched == "drop" and not matches[_BOTH]:
        raise NothingToCountError("no id is in both files: nothing to count.")
    return [_tally(join, answer, request.weights, policy) for answer in answers]


def _tally(join: Join, answer: Answer, weights: str | None, policy: LabelPolicy) -> Tally:
    """Return the rows of an answer; labels of objects that a side does not have are UNMATCHED."""
    sides = {role: side for side in (join.truth, join.pred) for role in side.names}
    names = {role: side.names[role] for role, side in sides.items() if role in answer}
    if policy.unmatched == "drop" and weights is not None:
        # Objects without a partner need no weight: they are excluded.
        both = answer["s"] == _BOTH
        own = with_weights({key: column[both] for key, column in answer.items()}, weights)["w"]
        answer = answer | {"w": np.zeros(len(both), dtype=own.dtype)}
        answer["w"][both] = own
    else:
        answer = with_weights(answer, weights)
    tally = tally_rows(answer, names, {role: sides[role].read for role in names})

    def mark(labels: Labels, side: _Side) -> Labels:
        """Return labels that are UNMATCHED where only the other side has the object."""
        alone = answer["s"] == (_PRED_ONLY if side is join.truth else _TRUTH_ONLY)
        status = np.where(alone, UNMATCHED, np.where(labels.known, 0, MISSING)).astype(np.int8)
        return replace(labels, status=status_or_none(status))

    return tally._replace(
        truth=mark(tally.truth, join.truth),
        runs={name: mark(labels, join.pred) for name, labels in tally.runs.items()},
        groups=None if tally.groups is None else mark(tally.groups, sides["b"]),
        joined=True,
    )


def _create_view(side: _Side) -> None:
    # JSON ids are compared without their quotes.
    chosen = [
        f"({name} ->> '$') as {name}" if name in side.ids and kind == "JSON" else name
        for name, kind in column_types(side.columns).items()
    ]
    relation = side.columns.project(", ".join([*chosen, "true as here"]))
    relation.create_view(side.view, replace=True)


def _full_join(join: Join) -> Any:
    """Return the labels of all objects, and s, which side has each."""
    chosen = [
        f"{t}.{name}"
        for t, side in (("t", join.truth), ("p", join.pred))
        for name in side.names
        if name not in side.ids
    ]
    status = (
        f"(case when p.here is null then {_TRUTH_ONLY} when t.here is null then {_PRED_ONLY} "
        f"else {_BOTH} end)::tinyint as s"
    )
    return join.connection.sql(f"select {', '.join([*chosen, status])} from {join.sql}")


def _refuse_large_floats(connection: Any, side: _Side) -> None:
    """Raise where an id is a float that stands for several whole numbers, or for none."""
    types = column_types(side.columns)
    for name in side.ids:
        limit = _FLOATS.get(types[name])
        if limit is None:
            continue
        largest = connection.sql(f"select max(abs({name})) from {side.view}").fetchall()[0][0]
        if largest is not None and (math.isnan(largest) or largest >= limit):
            raise LabelError(
                f"{side.where}: {side.names[name]} has the id {largest!r}: no number, "
                "or a float so large that it stands for several. Write ids as integers or text."
            )


def _refuse_missing_ids(join: Join, matches: list[int]) -> None:
    """Raise if a row has no id; such a row is unmatched."""
    for side, alone in ((join.truth, matches[_TRUTH_ONLY]), (join.pred, matches[_PRED_ONLY])):
        missing = " or ".join(f"{name} is null" for name in side.ids)
        rows = f"select count(*) from {side.view} where {missing}"
        if alone and (n_missing := join.connection.sql(rows).fetchall()[0][0]):
            raise LabelError(
                f"{side.where} has {counted(n_missing, 'row')} with a missing id. Leave such "
                "rows out of the file first."
            )


def _refuse_repeated_ids(join: Join, matches: list[int]) -> None:
    """Raise where an id is in two rows of one side."""
    for side, alone, other, others_alone in (
        (join.truth, matches[_TRUTH_ONLY], join.pred, matches[_PRED_ONLY]),
        (join.pred, matches[_PRED_ONLY], join.truth, matches[_TRUTH_ONLY]),
    ):
        # As many rows as the other file has: no row of it met two of this side. Rows that met
        # none say nothing of each other, so a side with such rows is looked at as well.
        if alone == 0 and matches[_BOTH] + others_alone == _row_count(join.connection, other):
            continue
        ids = ", ".join(side.ids)
        repeated = join.connection.sql(
            f"select {ids}, count(*) from {side.view} group by {ids} having "
            " count(*) > 1 order by all limit 1"
        ).fetchall()
        if repeated:
            *values, times = repeated[0]
            raise LabelError(
                f"{side.where}: {_named(side, values)} stands in {times} rows; each object "
                "must have one row."
            )


def _row_count(connection: Any, side: _Side) -> int:
    """Return how many rows a side has, from the number of lines where that is enough."""
    if all(
        source.form == "csv" and source.compression == "uncompressed" for source in side.sources
    ):
        counts = [_record_count(source.path) for source in side.sources]
        if None not in counts:
            headers = sum(source.header for source in side.sources)
            return sum(count for count in counts if count is not None) - headers
    return int(connection.sql(f"select count(*) from {side.view}").fetchall()[0][0])


def _record_count(path: Path) -> int | None:
    """Return the number of lines of a text file, header included; None where rows may differ.

    They differ where a quoted field may hold a line end, and where a line is empty.
    """
    lines, last = 0, 10
    with path.open("rb") as stream:
        while block := stream.read(1 << 18):
            if b'"' in block or b"\r" in block:
                return None
            ends = np.frombuffer(block, dtype=np.uint8) == 10
            if (ends[0] and last == 10) or (ends[1:] & ends[:-1]).any():
                return None
            lines += int(np.count_nonzero(ends))
            last = block[-1]
    return lines + (last != 10)


def _named(side: _Side, values: Sequence[Any]) -> str:
    names = [side.names[name] for name in side.ids]
    return ", ".join(f"{name} {value!r}" for name, value in zip(names, values, strict=True))


def _unmatched(join: Join, matches: list[int]) -> LabelError:
    found = []
    for side, mine, theirs, alone in (
        (join.truth, "t", "p", matches[_TRUTH_ONLY]),
        (join.pred, "p", "t", matches[_PRED_ONLY]),
    ):
        if alone:
            ids = ", ".join(f"{mine}.{name}" for name in side.ids)
            example = join.connection.sql(
                f"select {ids} from {join.sql} where {theirs}.here is null order by all limit 1"
            ).fetchall()[0]
            found.append(f"{alone:,} only in {side.where} (such as {_named(side, example)})")
    advice = "Pass unmatched='drop', or unmatched='class' to count the others as a class."
    if not matches[_BOTH] and (odd := [kinds for kinds in join.types.values() if len(kinds) > 1]):
        advice = f"Their types are {' and '.join(sorted(odd[0]))}: write them alike."
    return LabelError(
        f"the ids do not match: {' and '.join(found)}; {matches[_BOTH]:,} in both. {advice}"
    )
