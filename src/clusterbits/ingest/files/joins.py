"""Classes in one file, clusters in another, joined on the ids of the objects by DuckDB.

Ids are compared as they are written where a side is text, else by value. Both files are read
once: a full join tells what both have and what only one has. That no id stands twice is proved
by counting: if every row of a file met at most one row of the other, the join has as many rows
as the file. Only where that proof fails are the ids grouped, which takes longer than the join.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from clusterbits.core.cells import Cells, Coverage
from clusterbits.core.counting import rank
from clusterbits.core.labels import GroupedColumn
from clusterbits.core.policy import LabelPolicy
from clusterbits.errors import FileError, LabelError, check_choice
from clusterbits.ingest.arrays import count_read, missing_labels
from clusterbits.ingest.files.readers import FileRows, Resources, connected, open_part, reading
from clusterbits.ingest.files.relations import Answer, counts_of, group_by_count
from clusterbits.ingest.files.sources import find_sources
from clusterbits.ingest.groups import Reader
from clusterbits.ingest.selection import as_list, matching_columns, one_column, only_column

UNMATCHED = ("error", "drop", "class")
_NUMBERS = {
    *("TINYINT", "SMALLINT", "INTEGER", "BIGINT", "HUGEINT", "FLOAT", "DOUBLE"),
    *("UTINYINT", "USMALLINT", "UINTEGER", "UBIGINT"),
}
# Where a row of the full join comes from.
_BOTH, _TRUTH_ONLY, _PRED_ONLY = 0, 1, 2


class _Side(NamedTuple):
    """One side of the join: its rows, where its ids are, and what it is called as a view."""

    part: FileRows
    ids: list[int]
    view: str


def count_joined(
    paths: Any,
    on: Any,
    truth: Any,
    pred: Any,
    policy: LabelPolicy,
    unmatched: str,
    weight: Any,
    delimiter: str | None,
    resources: Resources,
) -> dict[str, Cells]:
    """Count classes of one source against clusters of another, object by object."""
    policy.check()
    check_choice("unmatched", unmatched, UNMATCHED)
    if isinstance(paths, str) or not isinstance(paths, Sequence) or len(paths) != 2:
        given = len(paths) if isinstance(paths, Sequence) and not isinstance(paths, str) else 1
        raise FileError(
            f"on={on!r} joins two sources, the one with the classes first; {given} were given. "
            "Several files of one side can be named by a folder or a quoted pattern."
        )
    ids = as_list(on)
    with connected(resources) as connection:
        parts = [open_part(connection, find_sources(path), delimiter, ids) for path in paths]
        left, right = (
            _Side(part, [one_column(part.where, part.names, name, "on") for name in ids], view)
            for part, view in zip(parts, ("truth_side", "pred_side"), strict=True)
        )
        with reading(*(part.sources for part in parts)):
            return _count(connection, left, right, truth, pred, weight, policy, unmatched)


def _count(
    connection: Any,
    left: _Side,
    right: _Side,
    truth: Any,
    pred: Any,
    weight: Any,
    policy: LabelPolicy,
    unmatched: str,
) -> dict[str, Cells]:
    ids = [left.part.names[i] for i in left.ids]
    others = [*ids, weight]
    at = only_column(left.part.where, left.part.names, truth, "truth", others)
    if pred is None:
        preds = [only_column(right.part.where, right.part.names, None, "pred", others)]
    else:
        preds = matching_columns(right.part.where, right.part.names, pred, others)
    weights = [_weight_at(side, weight) for side in (left, right)]
    if weight is not None and weights == [None, None]:
        one_column(right.part.where, right.part.names, weight, "weight")

    _create_view(left, [f"#{at + 1} as c"], weights[0])
    # A weight that both files have is taken from the one with the classes.
    k = [f"#{i + 1} as k{j}" for j, i in enumerate(preds)]
    _create_view(right, k, weights[1] if weights[0] is None else None)
    joined = _full_join(connection, left, right, len(preds), weights, unmatched == "class")
    answers = group_by_count(joined, len(preds))
    rows = _rows_by_status(answers[0])
    if not sum(rows):
        raise LabelError(f"{left.part.where}, {right.part.where}: there are no rows to count.")
    _refuse_repeated_ids(connection, left, right, rows)
    if unmatched == "error" and (rows[_TRUTH_ONLY] or rows[_PRED_ONLY]):
        raise _unmatched(connection, left, right, rows)
    counted = {}
    for i, answer in zip(preds, answers, strict=True):
        names = left.part.names[at], right.part.names[i]
        readers = left.part.read, right.part.read
        counted[names[1]] = _cells(answer, names, readers, weight, policy, unmatched)
    return counted


def _weight_at(side: _Side, weight: Any) -> int | None:
    if weight is None or weight not in side.part.names:
        return None
    return one_column(side.part.where, side.part.names, weight, "weight")


def _create_view(side: _Side, columns: list[str], weight: int | None) -> None:
    types = [str(kind) for kind in side.part.relation.types]
    chosen = [
        # JSON ids are compared without their quotes.
        f"(#{i + 1} ->> '$') as id{j}" if types[i] == "JSON" else f"#{i + 1} as id{j}"
        for j, i in enumerate(side.ids)
    ]
    if weight is not None:
        chosen.append(f"#{weight + 1} as w")
    side.part.relation.project(", ".join([*chosen, *columns, "true as here"])).create_view(
        side.view, replace=True
    )


def _full_join(
    connection: Any,
    left: _Side,
    right: _Side,
    preds: int,
    weights: list[int | None],
    with_status: bool,
) -> Any:
    """Return classes, clusters and weights of all objects, and which side has each.

    With status, objects of one side form groups of their own. Without, which is faster, they are
    only counted (t and p are null where a side lacks the object) and weigh nothing.
    """
    columns = ["t.c", *(f"p.k{j}" for j in range(preds))]
    if weights != [None, None]:
        weight = "t.w" if weights[0] is not None else "p.w"
        if not with_status:
            weight = f"case when t.here and p.here then {weight}::varchar else '0' end"
        columns.append(f"{weight} as w")
    if with_status:
        columns.append(
            f"(case when p.here is null then {_TRUTH_ONLY} when t.here is null then {_PRED_ONLY} "
            f"else {_BOTH} end)::tinyint as s"
        )
    else:
        columns += ["t.here as t", "p.here as p"]
    return connection.sql(
        f"select {', '.join(columns)} "
        f"from {left.view} t full join {right.view} p on {_same_ids(left, right)}"
    )


def _same_ids(left: _Side, right: _Side) -> str:
    """Return the join condition; ids of two types are compared as text, numbers by value."""
    conditions = []
    for j, (i, k) in enumerate(zip(left.ids, right.ids, strict=True)):
        kinds = {str(left.part.relation.types[i]), str(right.part.relation.types[k])}
        if len(kinds) == 1 or kinds <= _NUMBERS:
            conditions.append(f"t.id{j} = p.id{j}")
        else:
            conditions.append(f"t.id{j}::varchar = p.id{j}::varchar")
    return " and ".join(conditions)


def _rows_by_status(answer: Answer) -> list[int]:
    """Return how many objects both sides have, only the one with classes, only the other."""
    if "s" in answer:
        return [int(answer["n"][answer["s"] == status].sum()) for status in range(3)]
    n, t, p = (int(answer[key].sum()) for key in ("n", "t", "p"))
    return [t + p - n, n - p, n - t]


# --- ids that stand twice, or on one side only ---------------------------------------------------


def _refuse_repeated_ids(connection: Any, left: _Side, right: _Side, rows: list[int]) -> None:
    for side, alone in ((left, rows[_TRUTH_ONLY]), (right, rows[_PRED_ONLY])):
        other = right if side is left else left
        # As many rows as the other file has: no row of it met two of this side. Rows that met
        # none say nothing of each other, so a side with such rows is looked at as well.
        proven = rows[_BOTH] + (rows[_PRED_ONLY] if side is left else rows[_TRUTH_ONLY])
        if alone == 0 and proven == _row_count(connection, other):
            continue
        ids = ", ".join(f"id{j}" for j in range(len(side.ids)))
        known = " and ".join(f"id{j} is not null" for j in range(len(side.ids)))
        repeated = connection.sql(
            f"select {ids}, count(*) from {side.view} where {known} group by {ids} "
            "having count(*) > 1 order by all limit 1"
        ).fetchall()
        if repeated:
            *values, times = repeated[0]
            raise LabelError(
                f"{side.part.where}: {_named(side, values)} stands in {times} rows; each object "
                "must have one row. Leave repeated rows out first."
            )


def _row_count(connection: Any, side: _Side) -> int:
    """Return how many rows a side has, by looking at line ends where those tell."""
    sources = side.part.sources
    if all(source.form == "csv" and source.compression == "none" for source in sources):
        counts = [_record_count(source.path) for source in sources]
        if None not in counts:
            return sum(count for count in counts if count is not None) - len(sources)
    return int(connection.sql(f"select count(*) from {side.view}").fetchall()[0][0])


def _record_count(path: Path) -> int | None:
    """Return the number of lines of a text file, header included; None where lines may lie.

    They lie where a quoted field may hold a line end, and where a line is empty.
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
    names = [side.part.names[i] for i in side.ids]
    return ", ".join(f"{name} {value!r}" for name, value in zip(names, values, strict=True))


def _unmatched(connection: Any, left: _Side, right: _Side, rows: list[int]) -> LabelError:
    said = []
    for side, other, count in (
        (left, right, rows[_TRUTH_ONLY]),
        (right, left, rows[_PRED_ONLY]),
    ):
        if count:
            t, p = (side.view, other.view) if side is left else (other.view, side.view)
            mine, theirs = ("t", "p") if side is left else ("p", "t")
            ids = ", ".join(f"{mine}.id{j}" for j in range(len(side.ids)))
            example = connection.sql(
                f"select {ids} from {t} t full join {p} p on {_same_ids(left, right)} "
                f"where {theirs}.here is null order by all limit 1"
            ).fetchall()[0]
            said.append(f"{count:,} only in {side.part.where} (such as {_named(side, example)})")
    return LabelError(
        f"the ids do not match: {' and '.join(said)}; {rows[_BOTH]:,} in both. Pass "
        "unmatched='drop' (--unmatched drop) to judge those in both, or 'class' to let the others "
        "form a class (or cluster) of their own."
    )


# --- cells ---------------------------------------------------------------------------------------


def _cells(
    answer: Answer,
    names: tuple[str, str],
    readers: tuple[Reader, Reader],
    weight: Any,
    policy: LabelPolicy,
    unmatched: str,
) -> Cells:
    """Return the cells of one cluster column, and how many objects they leave out."""
    if unmatched == "class":
        mine, matched = answer, answer["s"] == _BOTH
    else:
        in_both = answer["t"] + answer["p"] - answer["n"]
        mine = {key: column[in_both > 0] for key, column in (answer | {"n": in_both}).items()}
        matched = np.ones(len(mine["n"]), dtype=np.bool_)
    if len(mine["n"]) == 0:
        raise LabelError("no id is in both files: nothing to count.")
    counts = counts_of(mine, None if weight is None else str(weight))
    classes, clusters = (
        read(mine[key], GroupedColumn(f"column {name!r}"))
        for key, name, read in zip(("c", "k"), names, readers, strict=True)
    )
    lacks = {
        name: labels.absent & matched
        for name, labels in zip(names, (classes, clusters), strict=True)
    }
    for name, absent in lacks.items():
        if policy.missing == "error" and absent.any():
            raise missing_labels(f"column {name!r}", sum(counts[absent].tolist()))
    if unmatched == "class":
        # What has no partner forms a class of its own; what lacks a label is treated as asked.
        keep = np.ones_like(matched)
        if policy.missing == "drop":
            keep = ~np.logical_or(*lacks.values())
        as_class = policy._replace(missing="class")
        return count_read(classes.only(keep), clusters.only(keep), counts[keep], as_class)
    cells = count_read(classes, clusters, counts, policy)
    if unmatched == "error":
        return cells
    judged = ~(classes.absent | clusters.absent)
    every = readers[1](answer["k"], GroupedColumn("clusters"))
    coverage = Coverage(
        int(mine["n"][judged].sum()),
        int(answer["n"].sum()),
        len(rank(clusters.codes[judged])[1]),
        len(rank(every.codes[~every.absent])[1]),
    )
    return cells._replace(coverage=None if coverage.whole else coverage)
