"""Scores by group beside the pooled ones: their means, and the rows to print."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from clusterbits.core.table import Contingency
from clusterbits.display.tables import counted

if TYPE_CHECKING:
    from clusterbits.scoring.scores import Score, Scores

# Groups that a printed table shows.
_SHOWN = 20


def mean_scores(scores: Scores) -> tuple[Score, ...]:
    """Return the mean of each score over the groups that have one, all groups weighing the same."""
    found: dict[Any, list[float]] = {}
    for group in scores.groups.values():
        for row in group.rows:
            found.setdefault(row[:2], []).append(row.value)
    return tuple(
        row._replace(value=_mean(found[row[:2]]), low=None, high=None) for row in scores.rows
    )


def _mean(values: Iterable[float]) -> float:
    known = [value for value in values if not math.isnan(value)]
    return float(np.mean(known)) if known else math.nan


def tidy_rows(scores: Scores, fields: Iterable[str]) -> list[dict[str, Any]]:
    """Return one dictionary per scope (pooled, mean, group), group, clustering and measure."""
    parts = [("pooled", None, scores.rows), ("mean", None, scores.means)]
    parts += [("group", name, group.rows) for name, group in scores.groups.items()]
    return [
        {"scope": scope, "group": name, **{key: getattr(row, key) for key in fields}}
        for scope, name, rows in parts
        for row in rows
    ]


def shown_rows(scores: Scores) -> list[dict[str, Any]]:
    """Return the rows to print: pooled, the mean over groups, then the worst groups."""
    groups = [(name, scores.groups[name]) for name in _worst_first(scores)[:_SHOWN]]
    rows = _board("pooled", scores.rows, scores.tables) + _board("mean", scores.means, {})
    rows += [row for name, group in groups for row in _board(name, group.rows, group.tables)]
    several = len(scores.clusterings) > 1
    return [
        {key: row.get(key) for key in rows[0] if several or key != "clustering"} for row in rows
    ]


def _board(
    group: Any, rows: Iterable[Score], tables: Mapping[Any, Contingency]
) -> list[dict[str, Any]]:
    """Return one row per clustering, with a column for each measure."""
    found: dict[Any, dict[str, Any]] = {}
    for row in rows:
        table = tables.get(row.clustering)
        sizes = (None, None) if table is None else (table.n, table.shape[1])
        start = {"group": group, "clustering": row.clustering}
        start |= zip(("objects", "clusters"), sizes, strict=True)
        found.setdefault(row.clustering, start).update(columns_of(row))
    return list(found.values())


def columns_of(row: Score) -> dict[str, Any]:
    """Return the columns of a score: its value, and its limits where it has any."""
    if row.low is None:
        return {row.measure: row.value}
    name = row.measure
    return {name: row.value, f"{name}_low": row.low, f"{name}_high": row.high}


def _worst_first(scores: Scores) -> list[Any]:
    """Return the groups by the first measure that ranks, the worst first, nan last."""
    if not scores.ranking_measures:
        return list(scores.groups)
    lead = scores.ranking_measures[0]
    sign = 1 if scores.better(lead) == "higher" else -1
    values = {
        name: sign * _mean(row.value for row in group.rows if row.measure == lead)
        for name, group in scores.groups.items()
    }
    return sorted(values, key=lambda name: (math.isnan(values[name]), values[name]))


def describe_groups(scores: Scores) -> str:
    """Return what to know of the groups, in one line."""
    groups = scores.groups.values()
    said = [counted(len(groups), "group")]
    if len(groups) > 1:
        said[0] += ", which weigh the same in the mean"
    if scores.level is not None:
        said.append("intervals by resampling whole groups, for pooled values")
    tables = [[*group.tables.values()] for group in groups]
    if single := sum(any(table.shape[0] == 1 for table in some) for some in tables):
        said.append(f"{single:,} with one class, where values are conventions")
    if lacking := sum(any(math.isnan(row.value) for row in group.rows) for group in groups):
        said.append(f"{lacking:,} without some value, which the mean leaves out")
    if len(groups) > _SHOWN:
        said.append(f"the {_SHOWN} worst are shown")
    return "; ".join(said) + "."
