"""Scores by group next to the pooled ones: their means, the worst groups, and a line on them."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import numpy as np

from clusterbits.text.tables import counted

if TYPE_CHECKING:
    from clusterbits.scoring.scores import Score, Scores

# Groups that a printed table shows.
SHOWN_GROUPS = 20


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
    if len(groups) > SHOWN_GROUPS:
        parts.append(f"the {SHOWN_GROUPS} worst are shown")
    elif len(groups) > 1 and scores.primary is not None:
        parts.append(f"groups with the worst {scores.primary} first")
    return "; ".join(parts) + "."
