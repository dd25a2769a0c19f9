"""What scores are of: notes that stand below the verdict in every output."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

from clusterbits.scoring.group_scores import describe_groups
from clusterbits.table.contingency import Contingency
from clusterbits.table.label_names import Name
from clusterbits.table.noise import describe_noise
from clusterbits.text.tables import percent, short

if TYPE_CHECKING:
    from clusterbits.scoring.scores import Scores


def list_notes(scores: Scores) -> tuple[str, ...]:
    """Return lines on intervals, noise, exclusions and groups."""
    intervals = describe_intervals(scores.confidence_level, scores.methods.values())
    coverages = describe_coverages(scores.tables)
    lines = [intervals, describe_noise(scores.tables), *coverages]
    return tuple(filter(None, [*lines, describe_groups(scores)]))


def describe_coverages(tables: Mapping[Name, Contingency]) -> list[str]:
    """Return lines on the clusterings that were scored on part of the objects.

    >>> part = Contingency.from_labels([0, 0, 1], [1, None, 2], missing="drop")
    >>> describe_coverages({"k2": part})
    ['Scored 2 of 3 objects (0.667) in 2 of 2 clusters']
    """
    several = len(tables) > 1
    lines = [
        f"{short(name)}: {table.coverage}" if several else f"{table.coverage}".capitalize()
        for name, table in tables.items()
        if table.coverage is not None
    ]
    more = [f"... and {len(lines) - 5} more on part of the objects"] if lines[5:] else []
    return lines[:5] + more


def describe_intervals(level: float | None, methods: Iterable[str]) -> str:
    """Return the level of confidence intervals, and which are by the jackknife; "" without any.

    >>> describe_intervals(0.95, ["centred"]), describe_intervals(0.9, ["jackknife"])
    ('95 % intervals', '90 % intervals, jackknife')
    >>> describe_intervals(0.95, ["centred", "jackknife", "centred"])
    '95 % intervals, jackknife for 1 of 3 clusterings'
    """
    if level is None:
        return ""
    methods = list(methods)
    n_jackknife = methods.count("jackknife")
    how = ", jackknife" if n_jackknife else ""
    if 0 < n_jackknife < len(methods):
        how += f" for {n_jackknife:,} of {len(methods):,} clusterings"
    return f"{percent(level)} intervals{how}"
