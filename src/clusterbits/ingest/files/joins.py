"""Classes in one file, clusters in another, joined on the ids of the objects by DuckDB.

Ids are compared as they are written where a side is text, else by value. Both files are read
once: a full join finds what both have and what only one has. That no id is repeated is proved by
counting: if every row of a file met at most one row of the other, the join has as many rows as
the file. Only where that proof fails are the ids grouped, which takes longer than the join.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from clusterbits.core.labels import Labels, if_any
from clusterbits.core.policy import LabelPolicy
from clusterbits.errors import ColumnError, FileError, LabelError, NothingToCountError
from clusterbits.ingest.arrays import coverage_of
from clusterbits.ingest.columns import exact_below
from clusterbits.ingest.files.readers import FileRows, Request, connected, open_files, reading
from clusterbits.ingest.files.relations import Answer, counts_of, group_by_count
from clusterbits.ingest.files.schemas import INTEGERS
from clusterbits.ingest.files.sources import Source, find_sources
from clusterbits.ingest.groups import Groups, Reader, T
from clusterbits.ingest.selection import as_list, matching_columns, one_column, only_column

_FLOATS = {"FLOAT": exact_below("float32"), "DOUBLE": exact_below("float64")}
# Where a row of the full join comes from.
_BOTH, _TRUTH_ONLY, _PRED_ONLY = 0, 1, 2


class _Side(NamedTuple):
    """One side of the join: its rows, the positions of its columns, and the name of its view."""

    rows: FileRows
    ids: list[int]
    labels: list[int]
    weights: int | None
    groups: int | None
    view: str

    @property
    def chosen(self) -> list[int]:
        """The positions of all columns that are read."""
        others = [i for i in (self.weights, self.groups) if i is not None]
        return [*self.ids, *self.labels, *others]


class _Join(NamedTuple):
    """Two sides, the one with the classes first."""

    connection: Any
    truth: _Side
    pred: _Side


class _Matches(NamedTuple):
    """How many rows of the join both sides have, only the one with the classes, only the other."""

    both: int
    truth_only: int
    pred_only: int


def count_joined(sides: list[list[Source]], on: Any, request: Request[T]) -> dict[str, T]:
    """Count classes of one source against clusters of another, object by object."""
    if len(sides) != 2:
        raise FileError(
            f"on={on!r} joins two sources, the one with the classes first; {len(sides)} were "
            "given. Several files of one side can be named by a folder or a quoted pattern."
        )
    ids = as_list(on)
    with connected(request.resources) as connection:
        others = [*ids, *request.others]
        truth, pred = (
            open_files(connection, find_sources(side), request.delimiter, [*others, *as_list(own)])
            for side, own in zip(sides, (request.truth, request.pred), strict=True)
        )
        with reading(truth.sources, pred.sources):
            join = _Join(connection, *_choose_columns(truth, pred, ids, request))
            for side in (join.truth, join.pred):
                side.rows.refuse_mixed_types(side.chosen)
            return _count(join, request)


def _count(join: _Join, request: Request[T]) -> dict[str, T]:
    truth, pred, unmatched = join.truth.rows, join.pred.rows, request.policy.unmatched
    joined = _full_join(join, unmatched == "class")
    answers = group_by_count(joined, {name: name for name in joined.columns})
    matches = _matches(answers[0])
    if not sum(matches):
        raise NothingToCountError(f"{truth.where}, {pred.where}: there are no rows to count.")
    _refuse_repeated_ids(join, matches)
    if unmatched == "error" and matches.both < sum(matches):
        raise _unmatched(join, matches)
    counted = {}
    for i, answer in zip(join.pred.labels, answers, strict=True):
        found = answer if unmatched == "class" else _only_matched(answer)
        groups = Groups.read(
            [found[key] for key in ("c", "k", "b") if key in found],
            counts_of(found, request.weights),
            [truth.names[join.truth.labels[0]], pred.names[i], request.groups],
            [truth.read, pred.read, truth.read if join.truth.groups is not None else pred.read],
        )
        if join.truth.groups is not None and unmatched == "drop":
            groups = _with_every_member(groups, answer, truth.read)
        rows, policy, coverage = found["n"], request.policy, None
        if unmatched == "class":
            keep = _with_own_labels(groups, found["s"], policy)
            groups, rows, policy = groups.only(keep), rows[keep], replace(policy, missing="class")
        if unmatched != "error":
            every = pred.read(answer["k"], "clusters").distinct
            of = int(answer["n"].sum()), every
            coverage = coverage_of(groups.classes, groups.clusters, rows, of, policy)
        counted[pred.names[i]] = request.count_one(groups, policy, coverage)
    return counted


def _id_column(rows: FileRows, name: Any) -> int:
    try:
        return one_column(rows.where, rows.names, name, "on")
    except ColumnError as error:
        index = rows.schemas[0].cell_names if rows.schemas else None
        hint = "" if index is None else f" Its cells are named by {index!r}."
        raise ColumnError(f"{error}{hint}") from None


def _choose_columns(
    truth: FileRows, pred: FileRows, ids: list[Any], request: Request[T]
) -> tuple[_Side, _Side]:
    truth_ids, pred_ids = ([_id_column(rows, name) for name in ids] for rows in (truth, pred))
    others = [*ids, *request.others]
    at = only_column(truth.where, truth.names, request.truth, "truth", others)
    if request.pred is None:
        preds = [only_column(pred.where, pred.names, None, "pred", others)]
    else:
        preds = matching_columns(pred.where, pred.names, request.pred, others)
    weights, groups = (
        _on_one_side(truth, pred, name, role)
        for role, name in (("weights", request.weights), ("groups", request.groups))
    )
    return (
        _Side(truth, truth_ids, [at], weights[0], groups[0], "truth_side"),
        _Side(pred, pred_ids, preds, weights[1], groups[1], "pred_side"),
    )


def _on_one_side(
    truth: FileRows, pred: FileRows, name: Any, role: str
) -> tuple[int | None, int | None]:
    """Return where a column is: in the file with the classes, or in the other if that lacks it."""
    if name is None:
        return None, None
    if name in truth.names:
        return one_column(truth.where, truth.names, name, role), None
    return None, one_column(pred.where, pred.names, name, role)


def _create_view(side: _Side, name: str) -> None:
    """Name the columns of a side: its ids id0, id1, ...; its labels c0 or k0, k1, ...; w; b."""
    types = [str(kind) for kind in side.rows.relation.types]
    chosen = [
        # JSON ids are compared without their quotes.
        f"(#{i + 1} ->> '$') as id{j}" if types[i] == "JSON" else f"#{i + 1} as id{j}"
        for j, i in enumerate(side.ids)
    ]
    chosen += [f"#{i + 1} as {name}{j}" for j, i in enumerate(side.labels)]
    others = {"w": side.weights, "b": side.groups}
    chosen += [f"#{i + 1} as {name}" for name, i in others.items() if i is not None]
    relation = side.rows.relation.project(", ".join([*chosen, "true as here"]))
    relation.create_view(side.view, replace=True)


def _full_join(join: _Join, with_status: bool) -> Any:
    """Return classes, clusters and weights of all objects, and which side has each.

    With status, objects of one side form groups of their own. Without, which is faster, they are
    only counted (t and p are null where a side lacks the object) and weigh nothing.
    """
    _create_view(join.truth, "c")
    _create_view(join.pred, "k")
    for side in (join.truth, join.pred):
        _refuse_large_floats(join.connection, side)
    chosen = ["t.c0 as c", *(f"p.k{j}" for j in range(len(join.pred.labels)))]
    if join.truth.weights is not None or join.pred.weights is not None:
        weights = "p.w" if join.truth.weights is None else "t.w"
        if not with_status:
            weights = f"case when t.here and p.here then {weights}::varchar else '0' end"
        chosen.append(f"{weights} as w")
    chosen += [
        f"{t}.b" for t, side in (("t", join.truth), ("p", join.pred)) if side.groups is not None
    ]
    if with_status:
        chosen.append(
            f"(case when p.here is null then {_TRUTH_ONLY} when t.here is null then {_PRED_ONLY} "
            f"else {_BOTH} end)::tinyint as s"
        )
    else:
        chosen += ["t.here as t", "p.here as p"]
    return join.connection.sql(f"select {', '.join(chosen)} from {_joined(join)}")


def _refuse_large_floats(connection: Any, side: _Side) -> None:
    """Raise where an id is a float that stands for several whole numbers."""
    for j, i in enumerate(side.ids):
        limit = _FLOATS.get(str(side.rows.relation.types[i]))
        if limit is None:
            continue
        largest = connection.sql(f"select max(abs(id{j})) from {side.view}").fetchall()[0][0]
        if largest is not None and math.isnan(largest):
            raise LabelError(
                f"{side.rows.where}: {side.rows.names[i]} has a missing id, nan; give each object "
                "an id, or leave those rows out."
            )
        if largest is not None and not largest < limit:
            raise LabelError(
                f"{side.rows.where}: {side.rows.names[i]} has the id {largest!r}, a float so large "
                "that different whole numbers become the same float. Write ids as integers or text."
            )


def _joined(join: _Join) -> str:
    """Return the full join in SQL; ids of two types are compared as text, numbers by value."""
    conditions = []
    for j, (i, k) in enumerate(zip(join.truth.ids, join.pred.ids, strict=True)):
        kinds = {str(join.truth.rows.relation.types[i]), str(join.pred.rows.relation.types[k])}
        exact = {"DECIMAL" if kind.startswith("DECIMAL") else kind for kind in kinds} - INTEGERS
        if len(kinds) == 1 or kinds <= INTEGERS | {*_FLOATS} or exact <= {"DECIMAL"}:
            conditions.append(f"t.id{j} = p.id{j}")
        else:
            conditions.append(f"t.id{j}::varchar = p.id{j}::varchar")
    sides = f"{join.truth.view} t full join {join.pred.view} p"
    return f"{sides} on {' and '.join(conditions)}"


def _matches(answer: Answer) -> _Matches:
    if "s" in answer:
        return _Matches(*(int(answer["n"][answer["s"] == status].sum()) for status in range(3)))
    n, t, p = (int(answer[key].sum()) for key in ("n", "t", "p"))
    return _Matches(t + p - n, n - p, n - t)


def _only_matched(answer: Answer) -> Answer:
    """Return the groups with objects that both files have, and how many those are.

    Of n = 5 rows of the full join t = 4 are in one file and p = 3 in the other: t + p - n = 2 are
    in both.
    """
    both = answer["t"] + answer["p"] - answer["n"]
    if not both.any():
        raise NothingToCountError("no id is in both files: nothing to count.")
    return {key: column[both > 0] for key, column in (answer | {"n": both}).items()}


def _with_every_member(groups: Groups, answer: Answer, read: Reader) -> Groups:
    """Return groups that know the members of all objects with a class, as `evaluate` does."""
    here = answer["t"] > 0
    both = (answer["t"] + answer["p"] - answer["n"])[here] > 0
    every = read(answer["b"][here], f"column {groups.names[2]!r}")
    return groups._replace(members=every.only(both), every_member=(every, answer["t"][here]))


def _with_own_labels(
    groups: Groups, status: NDArray[np.int8], policy: LabelPolicy
) -> NDArray[np.bool_]:
    """Return which groups to count: those without a label of their own file's are refused or not.

    Objects of one file only have the class (or cluster) None.
    """
    own = groups._replace(
        classes=_mark_missing(groups.classes, status != _PRED_ONLY),
        clusters=_mark_missing(groups.clusters, status != _TRUTH_ONLY),
    )
    if policy.missing == "error":
        own.refuse_missing()
    return ~own.lacking if policy.missing == "drop" else np.ones_like(own.lacking)


def _mark_missing(labels: Labels, here: NDArray[np.bool_]) -> Labels:
    """Return labels that are missing only for objects which their file has."""
    return replace(labels, missing=if_any(labels.absent & here))


def _refuse_repeated_ids(join: _Join, matches: _Matches) -> None:
    """Raise where an id is in two rows of one side."""
    for side, alone, other, others_alone in (
        (join.truth, matches.truth_only, join.pred, matches.pred_only),
        (join.pred, matches.pred_only, join.truth, matches.truth_only),
    ):
        # As many rows as the other file has: no row of it met two of this side. Rows that met
        # none say nothing of each other, so a side with such rows is looked at as well.
        if alone == 0 and matches.both + others_alone == _row_count(join.connection, other):
            continue
        ids = ", ".join(f"id{j}" for j in range(len(side.ids)))
        known = " and ".join(f"id{j} is not null" for j in range(len(side.ids)))
        repeated = join.connection.sql(
            f"select {ids}, count(*) from {side.view} where {known} group by {ids} "
            "having count(*) > 1 order by all limit 1"
        ).fetchall()
        if repeated:
            *values, times = repeated[0]
            raise LabelError(
                f"{side.rows.where}: {_named(side, values)} stands in {times} rows; each object "
                "must have one row. Leave repeated rows out first; for clusters that overlap use "
                "q0_soft or omega in Python."
            )


def _row_count(connection: Any, side: _Side) -> int:
    """Return how many rows a side has, from the number of lines where that is enough."""
    sources = side.rows.sources
    if all(source.form == "csv" and source.compression == "none" for source in sources):
        counts = [_record_count(source.path) for source in sources]
        if None not in counts:
            headers = sum(source.header for source in sources)
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
    names = [side.rows.names[i] for i in side.ids]
    return ", ".join(f"{name} {value!r}" for name, value in zip(names, values, strict=True))


def _unmatched(join: _Join, matches: _Matches) -> LabelError:
    found = []
    for side, mine, theirs, alone in (
        (join.truth, "t", "p", matches.truth_only),
        (join.pred, "p", "t", matches.pred_only),
    ):
        if alone:
            ids = ", ".join(f"{mine}.id{j}" for j in range(len(side.ids)))
            example = join.connection.sql(
                f"select {ids} from {_joined(join)} where {theirs}.here is null "
                "order by all limit 1"
            ).fetchall()[0]
            found.append(f"{alone:,} only in {side.rows.where} (such as {_named(side, example)})")
    return LabelError(
        f"the ids do not match: {' and '.join(found)}; {matches.both:,} in both. Pass "
        "unmatched='drop' to score those in both, or 'class' to let the others "
        "form a class (or cluster) of their own."
    )
