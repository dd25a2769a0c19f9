"""Values in rows, the best on top: leaderboards, measures, groups, intervals and tests."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from clusterbits.plots import canvas
from clusterbits.scoring.group_scores import worst_groups
from clusterbits.text.tables import counted, percent, short, show

if TYPE_CHECKING:
    from clusterbits.coreference.coref_scores import CorefScores, DocumentScores
    from clusterbits.inference.confidence_set import ConfidenceSet
    from clusterbits.inference.intervals import Interval
    from clusterbits.inference.permutation import PermutationTest
    from clusterbits.inference.task_comparison import TaskComparison
    from clusterbits.records.estimation import Estimates
    from clusterbits.scoring.isolated import IsolatedLabels
    from clusterbits.scoring.scores import Score, Scores

# Clusterings of one plot of groups, each with a colour and marker.
_MARKERS = "osD^v"
# The width of the number next to a point, in letters.
_NUMBER = 4.5
# How far below a mean the values on single tasks are drawn, in rows.
_BELOW = 0.25


class Point(NamedTuple):
    """A value of a row, and its interval; filled or open."""

    value: float
    low: float | None = None
    high: float | None = None
    filled: bool = True


def draw_leaderboard(
    scores: Scores, rows: Sequence[Score], better: str | None, ax: Any = None
) -> Any:
    """Draw the rows of one measure, the best on top, with their intervals if computed."""
    sizes = {name: table.shape[1] for name, table in scores.tables.items()}
    shown = rows[: canvas.rows_that_fit(ax)]
    names = [
        f"{name} ({sizes.get(row.clustering, 0):,})"
        for name, row in zip(
            canvas.drawable_names(row.clustering for row in shown), shown, strict=True
        )
    ]
    along, best = f"{rows[0].measure} ({better} is better)", rows[0]
    if scores.confidence_level is not None:
        along += f", with {percent(scores.confidence_level)} confidence intervals"
    if best.low is not None:
        along += "\nband: the interval of the best"
    points = [Point(*row[2:]) for row in shown]
    verdict = canvas.drawable(scores.verdict, 200) if rows[0].measure == scores.primary else ""
    title = verdict, _left_out("best", shown, rows, "clustering")
    ax = draw_points(ax, names, points, along, *title)
    ax.set_ylabel("clustering (clusters)")
    if best.low is not None:
        ax.axvspan(
            best.low, best.high, color=canvas.hue(ax, "table"), alpha=0.2, linewidth=0, zorder=0
        )
    return ax


def draw_comparison(comparison: ConfidenceSet, ax: Any = None) -> Any:
    """Draw the differences from the best: filled if a clustering is in the confidence set."""
    shown = comparison.rows[: canvas.rows_that_fit(ax)]
    points = [Point(*row[3:7]) for row in shown]
    along = (
        f"{comparison.measure}: difference from the best, with its "
        f"{percent(comparison.confidence_level)} confidence interval\n"
        "filled: in the model confidence set"
    )
    names = canvas.drawable_names(row.clustering for row in shown)
    left_out = _left_out("best", shown, comparison.rows, "clustering")
    verdict = canvas.drawable(comparison.verdict, 200)
    return draw_points(ax, names, points, along, verdict, left_out)


def draw_task_comparison(comparison: TaskComparison, ax: Any = None) -> Any:
    """Draw the differences from the best mean, and a dot for the difference on each task."""
    ax = draw_comparison(comparison, ax)
    best, *others = comparison.rows[: canvas.rows_that_fit(ax)]
    for y, row in enumerate(others, 1):
        differences = comparison.task_differences(row.clustering, best.clustering)
        heights = [y + _BELOW] * len(differences)
        ax.scatter([*differences.values()], heights, color=canvas.ink(ax), s=5, alpha=0.5)
    ax.set_xlabel(f"{ax.get_xlabel()}; dots: the difference on each task")
    return ax


def draw_documents(scores: DocumentScores, ax: Any = None) -> Any:
    """Draw the first score of each document, the worst on top."""
    rows = scores.list_documents()
    shown = rows[: canvas.rows_that_fit(ax)]
    points = [Point(row[scores.pooled.measures[0]]) for row in shown]
    names = canvas.drawable_names(row["document"] for row in shown)
    along = f"{scores.score_name} (higher is better)"
    return draw_points(ax, names, points, along, _left_out("worst", shown, rows, "document"))


def draw_interval(interval: Interval, ax: Any = None) -> Any:
    """Draw a value and its confidence interval, and zero if it is near."""
    along = f"{interval.measure}, with its {percent(interval.confidence_level)} confidence interval"
    point = Point(interval.value, interval.low, interval.high)
    ax = draw_points(ax, [""], [point], along, interval.title)
    if min(abs(interval.low), abs(interval.high)) <= 5 * (interval.high - interval.low):
        ax.axvline(0, color=canvas.ink(ax), linewidth=1, linestyle="--")
    return ax


def draw_permutation_test(test: PermutationTest, ax: Any = None) -> Any:
    """Draw the value next to those of random clusterings: mean and two standard deviations."""
    low, high = test.null_mean - 2 * test.null_sd, test.null_mean + 2 * test.null_sd
    points = [Point(test.value), Point(test.null_mean, low, high, filled=False)]
    names = ["this clustering", "random clusters\nof these sizes"]
    along = f"{test.measure}; random clusters: mean ± 2 standard deviations"
    return draw_points(ax, names, points, along, test.title)


def _left_out(which: str, shown: Sequence[Any], rows: Sequence[Any], noun: str) -> str:
    """Return a line on the rows that are drawn, if not all are."""
    cut = len(shown) < len(rows)
    return f"the {which} {len(shown)} of {counted(len(rows), noun)}" if cut else ""


def draw_points(
    ax: Any, names: Sequence[str], points: Sequence[Point], along: str, *title: str
) -> Any:
    """Draw values with their intervals, from the top down, each with its number."""
    ax = canvas.take_axes(ax, max(len(names) + 1, 6 if len(names) > 2 else 0), beside=names)
    _draw_series(ax, points)
    _finish(ax, names, along, *title)
    _mark_undefined(ax, [point.value for point in points])
    return ax


def _draw_series(
    ax: Any, points: Sequence[Point], label: str = "", colour: Any = None, **look: Any
) -> None:
    """Draw a value in each row, and its interval; those of a series without a label as numbers."""
    colour = colour or canvas.hue(ax, "labels")
    for y, point in enumerate(points):
        _draw_limits(ax, y, point.low, point.high, colour)
        if not label and not math.isnan(point.value):
            end = point.value if point.high is None else max(point.high, point.value)
            canvas.note(ax, show(point.value), (end, y), (7, 0))
    faces = [colour if point.filled else ax.get_facecolor() for point in points]
    usual = {"edgecolors": colour, "s": 36, "zorder": 3, "label": label or None}
    ax.scatter([point.value for point in points], range(len(points)), c=faces, **usual | look)


def _finish(ax: Any, names: Sequence[str], along: str, *title: str) -> None:
    """Name the rows and the axis; ticks go to the first one past the values, a bound at most."""
    _name_rows(ax, names)
    ax.grid(visible=True, axis="x", alpha=0.4)
    ax.margins(x=0.06)
    ax.set_xlabel(along)
    canvas.set_title(ax, *title)
    ticks = ax.get_xticks()
    low, high = ax.dataLim.intervalx
    step = (1 - 1e-9) * (ticks[1] - ticks[0])
    ax.set_xticks([tick for tick in ticks if low - step < tick < high + step])
    canvas.add_room(ax, _NUMBER * canvas.font_size() if ax.texts else 0)


class MeasureRow(NamedTuple):
    """A measure of one clustering: its value and interval, its bounds, and which is better."""

    measure: str
    value: float
    low: float | None = None
    high: float | None = None
    bounds: tuple[float, float] = (0.0, 1.0)
    better: str | None = None


def draw_measures(rows: Sequence[MeasureRow], ax: Any, title: str) -> Any:
    """Draw every measure of one clustering as a bar in its range.

    A measure without an upper bound, such as one in bits, has its value written and no bar. A bar
    that goes on below −1 has an arrow at its value.
    """
    shown = rows if ax is None else rows[: canvas.rows_that_fit(ax)]
    names = [row.measure + " (lower is better)" * (row.better == "lower") for row in shown]
    ax = canvas.take_axes(ax, len(shown), beside=names)
    left = -0.02
    for y, row in enumerate(shown):
        low, high = row.bounds
        if math.isnan(row.value) or math.isinf(high):
            text = "not defined" if math.isnan(row.value) else show(row.value)
            canvas.note(ax, text, (0, y), (4, 0))
            continue
        start = 0.0 if math.isinf(low) else low
        left = min(left, start, max(row.value, -1.0))
        ax.barh(y, high - start, left=start, height=0.7, color=canvas.ink(ax), alpha=0.08)
        ax.barh(y, max(row.value, -1.0), height=0.7, color=canvas.hue(ax, "labels"))
        if row.low is not None and row.high is not None:
            ax.plot([max(row.low, -1), max(row.high, -1)], [y, y], color=canvas.ink(ax))
        canvas.note(ax, "← " * (row.value < -1) + show(row.value), (1, y), (5, 0))
    ax.axvline(0, color=canvas.ink(ax), linewidth=0.8)
    ax.set_xlim(left, 1)
    ax.set_xticks([tick for tick in (-1, -0.5, 0, 0.5, 1) if tick >= left])
    _name_rows(ax, names)
    ax.grid(visible=False, axis="y")
    ax.set_xlabel("value, in the range of the measure")
    canvas.set_title(ax, title, _left_out("first", shown, rows, "measure"))
    canvas.add_room(ax, _NUMBER * canvas.font_size())
    return ax


def draw_estimates(estimates: Estimates, ax: Any = None) -> Any:
    """Draw the estimates with their confidence intervals."""
    rows = [
        MeasureRow(row.measure, row.value, row.low, row.high, better="higher")
        for row in estimates.rows
    ]
    return draw_measures(rows, ax, estimates.title)


def draw_isolated_labels(labels: IsolatedLabels, ax: Any = None) -> Any:
    """Draw the best F1 of each isolated label."""
    rows = [MeasureRow(short(row.label), row.f1, better="higher") for row in labels.rows]
    ax = draw_measures(rows, ax, labels.title)
    ax.set_xlabel("F1 of the cluster that finds the label best")
    return ax


def draw_groups(scores: Scores, lead: Sequence[Score], better: str | None, ax: Any = None) -> Any:
    """Draw one measure by group: the pooled value and the mean on top, then the worst groups.

    `lead` has its rows, the best first.
    """
    measure, clusterings = lead[0].measure, [row.clustering for row in lead[: len(_MARKERS)]]
    rows = {
        (row["scope"], row["group"], row["clustering"]): row
        for row in scores.to_dicts()
        if row["measure"] == measure
    }
    worst = worst_groups(scores, measure)[: canvas.rows_that_fit(ax)]
    keys = [("pooled", None), ("mean", None), *(("group", group) for group in worst)]
    names = ["pooled", "mean of the groups", *canvas.drawable_names(worst)]
    several = len(clusterings) > 1
    ax = canvas.take_axes(ax, len(keys) + 2 * several, beside=names)
    looks = zip(
        clusterings, canvas.drawable_names(clusterings), _MARKERS, canvas.hues(ax), strict=False
    )
    for clustering, text, marker, colour in looks:
        series = [rows[*key, clustering] for key in keys]
        points = [Point(row["value"], row.get("low"), row.get("high")) for row in series]
        _draw_series(ax, points, text if several else "", colour, marker=marker)
    ax.axhline(1.5, color=canvas.ink(ax), linewidth=0.8, alpha=0.5)
    groups = _left_out("worst", worst, [*scores.groups], "group")
    runs = _left_out("best", clusterings, lead, "clustering")
    _finish(ax, names, f"{measure} ({better} is better)", groups, runs)
    values = [[rows[*key, clustering]["value"] for clustering in clusterings] for key in keys]
    _mark_undefined(ax, np.fmax.reduce(values, axis=1).tolist())
    if several:
        canvas.add_legend(ax)
    return ax


def draw_coreference(scores: CorefScores, ax: Any = None) -> Any:
    """Draw precision, recall and F1 of each measure of coreference."""
    rows = scores.to_dicts()
    ax = canvas.take_axes(ax, len(rows) + 2)
    for y, row in enumerate(rows):
        _draw_limits(ax, y, row["precision"], row["recall"], canvas.ink(ax))
    looks = zip(("f1", "precision", "recall"), "os^", (4, 3, 3), canvas.hues(ax), strict=False)
    for field, marker, layer, colour in looks:
        points = [Point(row[field]) for row in rows]
        _draw_series(ax, points, field, colour, marker=marker, zorder=layer)
    title = scores.title.partition(",")[0]
    _finish(ax, [row["measure"] for row in rows], "score (higher is better)", title)
    canvas.add_legend(ax)
    return ax


def _draw_limits(ax: Any, y: int, low: float | None, high: float | None, colour: Any) -> None:
    if low is not None:
        look = {"color": colour, "alpha": 0.55, "linewidth": 3, "zorder": 2}
        ax.plot([low, high], [y, y], solid_capstyle="butt", **look)


def _name_rows(ax: Any, names: Sequence[str]) -> None:
    """Name the rows, the first on top, half a row from the frame."""
    ax.set_yticks(range(len(names)), names)
    ax.tick_params(axis="y", length=0)
    ax.set_ylim(len(names) - 0.3, -0.7)
    ax.set_axisbelow(True)


def _mark_undefined(ax: Any, values: Sequence[float]) -> None:
    for y, value in enumerate(values):
        if math.isnan(value):
            canvas.note(ax, "not defined", (0, y), (4, 0), xycoords=("axes fraction", "data"))
    if all(map(math.isnan, values)):
        ax.set_xlim(0, 1)
