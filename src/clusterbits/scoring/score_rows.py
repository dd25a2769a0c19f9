"""Rows of scores: tidy, or one for each clustering with its measures as columns."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from clusterbits.scoring.group_scores import SHOWN_GROUPS, worst_groups
from clusterbits.table.contingency import Contingency
from clusterbits.text.tables import ValueWithLimits, decimals_of

if TYPE_CHECKING:
    from clusterbits.scoring.scores import Score, Scores


def tidy_rows(scores: Scores, fields: Sequence[str]) -> list[dict[str, Any]]:
    """Return these fields of each score; with groups also its scope, and the means over groups."""
    if not scores.groups:
        return [{key: getattr(row, key) for key in fields} for row in scores.rows]
    parts = [("pooled", None, scores.rows), ("mean", None, scores.means)]
    parts += [("group", name, group.rows) for name, group in scores.groups.items()]
    return [
        {"scope": scope, "group": name, **{key: getattr(row, key) for key in fields}}
        for scope, name, rows in parts
        for row in rows
    ]


def board_rows(
    scores: Scores, columns: Callable[[Score], dict[str, Any]], size: str = "clusters"
) -> list[dict[str, Any]]:
    """Return a row for each clustering: its number of clusters, and columns of its scores."""
    starts = {
        name: {"clustering": name, size: table.shape[1]} for name, table in scores.tables.items()
    }
    return _join_columns(scores.rows, starts, columns)


def group_rows(
    scores: Scores, pooled_columns: Mapping[tuple[Any, str], Mapping[str, Any]] | None = None
) -> list[dict[str, Any]]:
    """Return the rows to print: pooled, the mean over groups, then the groups, the worst first.

    `pooled_columns` are more columns for the pooled value of a clustering and a measure.
    """
    limits = shown_columns(scores.rows)

    def pooled(row: Score) -> dict[str, Any]:
        columns = (pooled_columns or {}).get(row[:2], {}).items()
        return limits(row) | {
            f"{row.measure}_{key}": value for key, value in columns if value is not None
        }

    names = worst_groups(scores, scores.primary) if scores.primary else list(scores.groups)
    rows = _rows_of_group("pooled", scores.rows, scores.tables, pooled)
    rows += _rows_of_group("mean", scores.means, {}, columns_of)
    for name in names[:SHOWN_GROUPS]:
        group = scores.groups[name]
        rows += _rows_of_group(name, group.rows, group.tables, columns_of)
    several = len(scores.clusterings) > 1
    return [
        {key: row.get(key) for key in rows[0] if several or key != "clustering"} for row in rows
    ]


def _rows_of_group(
    group: Any,
    rows: Sequence[Score],
    tables: Mapping[Any, Contingency],
    columns: Callable[[Score], dict[str, Any]],
) -> list[dict[str, Any]]:
    starts = {}
    for name in (row.clustering for row in rows):
        table = tables.get(name)
        starts[name] = {
            "group": group,
            "clustering": name,
            "objects": None if table is None else table.n,
            "clusters": None if table is None else table.shape[1],
        }
    return _join_columns(rows, starts, columns)


def _join_columns(
    rows: Iterable[Score],
    starts: Mapping[Any, dict[str, Any]],
    columns: Callable[[Score], dict[str, Any]],
) -> list[dict[str, Any]]:
    """Return one row per clustering: how it `starts`, then the columns of each of its scores."""
    board = {name: dict(start) for name, start in starts.items()}
    for row in rows:
        if row.clustering in board:  # in a group without counted objects, it is not
            board[row.clustering] |= columns(row)
    return list(board.values())


def columns_of(row: Score) -> dict[str, Any]:
    """Return the columns of a score: its value, and its limits if it has any."""
    name = row.measure
    limits = {} if row.low is None else {f"{name}_low": row.low, f"{name}_high": row.high}
    return {name: row.value} | limits


def shown_columns(rows: Iterable[Score]) -> Callable[[Score], dict[str, Any]]:
    """Return a function to the shown columns of a score, with equal decimals for each measure."""
    widths: dict[str, float] = {}
    for row in rows:
        if row.low is not None and row.high is not None and row.high > row.low:
            widths[row.measure] = min(row.high - row.low, widths.get(row.measure, math.inf))

    def shown(row: Score) -> dict[str, Any]:
        if row.low is None or row.high is None:
            return {row.measure: row.value}
        decimals = decimals_of(widths.get(row.measure, 0))
        return {row.measure: ValueWithLimits(row.value, row.low, row.high, decimals)}

    return shown
