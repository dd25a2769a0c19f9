"""Scores by group next to the pooled ones: their means, and the rows to print."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from clusterbits.table.contingency import Contingency
from clusterbits.text.tables import ValueWithLimits, counted, decimals_of

if TYPE_CHECKING:
    from clusterbits.scoring.scores import Score, Scores

# Groups that a printed table shows.
_SHOWN = 20


def mean_scores(scores: Scores) -> tuple[Score, ...]:
    """Return the mean of each score over the groups that have one, all groups weighing the same."""
    values: dict[Any, list[float]] = {}
    for group in scores.groups.values():
        for row in group.rows:
            values.setdefault(row[:2], []).append(row.value)
    return tuple(
        row._replace(value=_mean(values[row[:2]]), low=None, high=None) for row in scores.rows
    )


def _mean(values: Iterable[float]) -> float:
    defined = [value for value in values if not math.isnan(value)]
    return float(np.mean(defined)) if defined else math.nan


def tidy_rows(scores: Scores, fields: Iterable[str]) -> list[dict[str, Any]]:
    """Return one dictionary per scope (pooled, mean, group), group, clustering and measure."""
    parts = [("pooled", None, scores.rows), ("mean", None, scores.means)]
    parts += [("group", name, group.rows) for name, group in scores.groups.items()]
    return [
        {"scope": scope, "group": name, **{key: getattr(row, key) for key in fields}}
        for scope, name, rows in parts
        for row in rows
    ]


def shown_rows(
    scores: Scores,
    beside: Mapping[tuple[Any, str], Mapping[str, Any]] | None = None,
) -> list[dict[str, Any]]:
    """Return the rows to print: pooled, the mean over groups, then the groups, the worst first.

    `beside` has more columns for the pooled value of a clustering and a measure.
    """
    limits = shown_columns(scores.rows)

    def pooled(row: Score) -> dict[str, Any]:
        more = (beside or {}).get(row[:2], {}).items()
        return limits(row) | {
            f"{row.measure}_{key}": value for key, value in more if value is not None
        }

    names = worst_groups(scores, scores.primary) if scores.primary else list(scores.groups)
    rows = _board("pooled", scores.rows, scores.tables, pooled) + _board("mean", scores.means, {})
    for name in names[:_SHOWN]:
        rows += _board(name, scores.groups[name].rows, scores.groups[name].tables)
    several = len(scores.clusterings) > 1
    return [
        {key: row.get(key) for key in rows[0] if several or key != "clustering"} for row in rows
    ]


def _board(
    group: Any,
    rows: Sequence[Score],
    tables: Mapping[Any, Contingency],
    columns: Callable[[Score], dict[str, Any]] | None = None,
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
    return spread_rows(rows, starts, columns or columns_of)


def spread_rows(
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


def worst_groups(scores: Scores, measure: str) -> list[Any]:
    """Return the groups by their mean value of a measure, the worst first, nan last."""
    sign = scores.scales[measure].sign()
    values = {
        name: sign * _mean(row.value for row in group.rows if row.measure == measure)
        for name, group in scores.groups.items()
    }
    return sorted(values, key=lambda name: (math.isnan(values[name]), values[name]))


def describe_groups(scores: Scores) -> str:
    """Return one line about the groups; "" without any."""
    if not (groups := scores.groups.values()):
        return ""
    parts = [counted(len(groups), "group")]
    if len(groups) > 1:
        parts[0] += ", which weigh the same in the mean"
    if scores.confidence_level is not None:
        parts.append("intervals by resampling whole groups, for pooled values")
    uniform = sum(any(table.shape[0] == 1 for table in group.tables.values()) for group in groups)
    if uniform:
        parts.append(f"{uniform:,} with one class, where values are conventions")
    if undefined := sum(any(math.isnan(row.value) for row in group.rows) for group in groups):
        parts.append(f"{undefined:,} without some value, which the mean excludes")
    if len(groups) > _SHOWN:
        parts.append(f"the {_SHOWN} worst are shown")
    elif len(groups) > 1 and scores.primary is not None:
        parts.append(f"groups with the worst {scores.primary} first")
    return "; ".join(parts) + "."
