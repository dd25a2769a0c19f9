"""Values in rows, the best on top: leaderboards, measures, groups, intervals and tests."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from clusterbits.plots.canvas import (
    add_legend,
    add_room,
    amber,
    blue,
    drawable,
    drawable_names,
    font_size,
    hues,
    ink,
    note,
    rows_that_fit,
    set_title,
    take_axes,
)
from clusterbits.text.tables import counted, percent, show

if TYPE_CHECKING:
    from clusterbits.coreference.coref_scores import CorefScores, DocumentScores
    from clusterbits.inference.comparison import Comparison
    from clusterbits.inference.intervals import Interval
    from clusterbits.inference.permutation import PermutationTest
    from clusterbits.scoring.scores import Score, Scores

# Clusterings of one picture of groups, which are told apart by colour and marker.
_MARKERS = "osD^v"
# How wide a number beside a point is, in letters.
_NUMBER = 4.5


class Point(NamedTuple):
    """A value of a row, and its interval; filled or open."""

    value: float
    low: float | None = None
    high: float | None = None
    filled: bool = True


def draw_leaderboard(
    scores: Scores, rows: Sequence[Score], better: str | None, ax: Any = None
) -> Any:
    """Draw the rows of one measure, the best on top, with their intervals where computed."""
    sizes = {name: table.shape[1] for name, table in scores.tables.items()}
    shown = rows[: rows_that_fit(ax)]
    names = [
        f"{name} ({sizes.get(row.clustering, 0):,})"
        for name, row in zip(drawable_names(row.clustering for row in shown), shown, strict=True)
    ]
    along, best = f"{rows[0].measure} ({better} is better)", rows[0]
    if scores.confidence_level is not None:
        along += f", with {percent(scores.confidence_level)} confidence intervals"
    if best.low is not None:
        along += "\nband: the interval of the best"
    points = [Point(*row[2:]) for row in shown]
    title = [drawable(scores.verdict, 200)] if rows[0].measure == scores.primary else []
    title += [_left_out("best", shown, rows, "clustering")]
    ax = draw_points(names, points, along, "\n".join(filter(None, title)), ax)
    ax.set_ylabel("clustering (clusters)")
    if best.low is not None:
        ax.axvspan(best.low, best.high, color=amber(ax), alpha=0.2, linewidth=0, zorder=0)
    return ax


def draw_comparison(comparison: Comparison, ax: Any = None) -> Any:
    """Draw the differences from the best: filled if a clustering is in the confidence set."""
    shown = comparison.rows[: rows_that_fit(ax)]
    points = [Point(*row[3:7]) for row in shown]
    along = (
        f"{comparison.measure}: difference from the best, with its "
        f"{percent(comparison.confidence_level)} confidence interval\n"
        "filled: in the model confidence set"
    )
    title = [drawable(comparison.verdict, 200)]
    title += [_left_out("best", shown, comparison.rows, "clustering")]
    names = drawable_names(row.clustering for row in shown)
    return draw_points(names, points, along, "\n".join(filter(None, title)), ax)


def draw_documents(scores: DocumentScores, ax: Any = None) -> Any:
    """Draw the first score of each document, the worst on top."""
    rows = scores.list_documents()
    shown = rows[: rows_that_fit(ax)]
    points = [Point(row[scores.measures[0]]) for row in shown]
    names = drawable_names(row["document"] for row in shown)
    along = f"{scores.score_name} (higher is better)"
    return draw_points(names, points, along, _left_out("worst", shown, rows, "document"), ax)


def draw_interval(interval: Interval, ax: Any = None) -> Any:
    """Draw a value and its confidence interval, and zero where it is near."""
    along = f"{interval.measure}, with its {percent(interval.confidence_level)} confidence interval"
    point = Point(interval.value, interval.low, interval.high)
    ax = draw_points([""], [point], along, interval.title, ax)
    if min(abs(interval.low), abs(interval.high)) <= 5 * (interval.high - interval.low):
        ax.axvline(0, color=ink(ax), linewidth=1, linestyle="--")
    return ax


def draw_permutation_test(test: PermutationTest, ax: Any = None) -> Any:
    """Draw the value beside those of random clusterings: their mean, and two deviations around."""
    low, high = test.null_mean - 2 * test.null_sd, test.null_mean + 2 * test.null_sd
    points = [Point(test.value), Point(test.null_mean, low, high, filled=False)]
    names = ["this clustering", "random clusters\nof these sizes"]
    along = f"{test.measure}; random clusters: mean ± 2 standard deviations"
    return draw_points(names, points, along, test.title, ax)


def _left_out(which: str, shown: Sequence[Any], rows: Sequence[Any], noun: str) -> str:
    """Return which of very many rows are drawn."""
    cut = len(shown) < len(rows)
    return f"the {which} {len(shown)} of {counted(len(rows), noun)}" if cut else ""


def draw_points(
    names: Sequence[str], points: Sequence[Point], along: str, title: str, ax: Any
) -> Any:
    """Draw values with their intervals, from the top down, each with its number beside it."""
    ax = take_axes(ax, max(len(names) + 1, 6 if len(names) > 2 else 0), beside=names)
    _draw_series(ax, points)
    _finish(ax, names, along, title)
    _mark_undefined(ax, [point.value for point in points])
    return ax


def _draw_series(
    ax: Any, points: Sequence[Point], label: str = "", colour: Any = None, **look: Any
) -> None:
    """Draw a value in each row, and its interval; those of a series without a label as numbers."""
    colour = colour or blue(ax)
    for place, point in enumerate(points):
        _draw_limits(ax, place, point.low, point.high, colour)
        if not label and not math.isnan(point.value):
            end = point.value if point.high is None else max(point.high, point.value)
            note(ax, show(point.value), (end, place), (7, 0))
    faces = [colour if point.filled else ax.get_facecolor() for point in points]
    usual = {"edgecolors": colour, "s": 36, "zorder": 3, "label": label or None}
    ax.scatter([point.value for point in points], range(len(points)), c=faces, **usual | look)


def _finish(ax: Any, names: Sequence[str], along: str, title: str) -> None:
    """Name the rows and the axis; ticks go to the first one past the values, a bound at most."""
    _name_rows(ax, names)
    ax.grid(visible=True, axis="x", alpha=0.4)
    ax.margins(x=0.06)
    ax.set_xlabel(along)
    set_title(ax, title)
    ticks = ax.get_xticks()
    low, high = ax.dataLim.intervalx
    step = (1 - 1e-9) * (ticks[1] - ticks[0])
    ax.set_xticks([tick for tick in ticks if low - step < tick < high + step])
    add_room(ax, _NUMBER * font_size() if ax.texts else 0)


class MeasureRow(NamedTuple):
    """A measure of one clustering: its value and interval, its bounds, and which is better."""

    measure: str
    value: float
    low: float | None
    high: float | None
    bounds: tuple[float, float]
    better: str | None


def draw_measures(rows: Sequence[MeasureRow], title: str, ax: Any = None) -> Any:
    """Draw every measure of one clustering as a bar in its range.

    A measure without an upper bound, such as one in bits, has its value written and no bar. A bar
    that goes on below −1 has an arrow at its value.
    """
    shown = rows if ax is None else rows[: rows_that_fit(ax)]
    names = [row.measure + " (lower is better)" * (row.better == "lower") for row in shown]
    ax = take_axes(ax, len(shown), beside=names)
    least = -0.02
    for place, row in enumerate(shown):
        low, high = row.bounds
        if math.isnan(row.value) or math.isinf(high):
            note(
                ax, "not defined" if math.isnan(row.value) else show(row.value), (0, place), (4, 0)
            )
            continue
        start = 0.0 if math.isinf(low) else low
        least = min(least, start, max(row.value, -1.0))
        ax.barh(place, high - start, left=start, height=0.7, color=ink(ax), alpha=0.08)
        ax.barh(place, max(row.value, -1.0), height=0.7, color=blue(ax))
        if row.low is not None and row.high is not None:
            ax.plot([max(row.low, -1), max(row.high, -1)], [place, place], color=ink(ax))
        note(ax, "← " * (row.value < -1) + show(row.value), (1, place), (5, 0))
    ax.axvline(0, color=ink(ax), linewidth=0.8)
    ax.set_xlim(least, 1)
    ax.set_xticks([tick for tick in (-1, -0.5, 0, 0.5, 1) if tick >= least])
    _name_rows(ax, names)
    ax.grid(visible=False, axis="y")
    ax.set_xlabel("value, in the range of the measure")
    said = [title, _left_out("first", shown, rows, "measure")]
    set_title(ax, "\n".join(filter(None, said)))
    add_room(ax, _NUMBER * font_size())
    return ax


def draw_groups(scores: Scores, lead: Sequence[Score], better: str | None, ax: Any = None) -> Any:
    """Draw one measure by group: the pooled value and the mean on top, then the worst groups.

    `lead` has its rows, the best first.
    """
    clusterings = [row.clustering for row in lead[: len(_MARKERS)]]
    values: dict[Any, dict[Any, dict[str, Any]]] = {}
    for row in scores.to_dicts():
        if row["measure"] == lead[0].measure and row["clustering"] in clusterings:
            key = row["scope"] if row["scope"] != "group" else ("group", row["group"])
            values.setdefault(key, {})[row["clustering"]] = row
    groups = [key for key in values if isinstance(key, tuple)]
    sign = 1 if better == "higher" else -1

    def standing(key: Any) -> tuple[bool, float]:
        value = values[key][clusterings[0]]["value"]
        return math.isnan(value), sign * value

    worst = sorted(groups, key=standing)[: rows_that_fit(ax)]
    shown = ["pooled", "mean", *worst]
    names = ["pooled", "mean of the groups", *drawable_names(key[1] for key in worst)]
    several = len(clusterings) > 1
    ax = take_axes(ax, len(shown) + 2 * several, beside=names)
    looks = zip(clusterings, drawable_names(clusterings), _MARKERS, hues(ax), strict=False)
    for name, text, marker, colour in looks:
        rows = [values[key][name] for key in shown]
        points = [Point(row["value"], row.get("low"), row.get("high")) for row in rows]
        _draw_series(ax, points, text if several else "", colour, marker=marker)
    ax.axhline(1.5, color=ink(ax), linewidth=0.8, alpha=0.5)
    said = [_left_out("worst", worst, groups, "group")]
    said += [_left_out("best", clusterings, lead, "clustering")]
    along = f"{lead[0].measure} ({better} is better)"
    _finish(ax, names, along, ", ".join(filter(None, said)))
    known = [[values[key][name]["value"] for name in clusterings] for key in shown]
    _mark_undefined(ax, [next((x for x in some if x == x), math.nan) for some in known])
    if several:
        add_legend(ax)
    return ax


def draw_coreference(scores: CorefScores, ax: Any = None) -> Any:
    """Draw precision, recall and F1 of each measure of coreference."""
    rows = scores.to_dicts()
    ax = take_axes(ax, len(rows) + 2)
    for place, row in enumerate(rows):
        _draw_limits(ax, place, row["precision"], row["recall"], ink(ax))
    looks = zip(("f1", "precision", "recall"), "os^", (4, 3, 3), hues(ax), strict=False)
    for field, marker, layer, colour in looks:
        points = [Point(row[field]) for row in rows]
        _draw_series(ax, points, field, colour, marker=marker, zorder=layer)
    title = scores.title.partition(",")[0]
    _finish(ax, [row["measure"] for row in rows], "score (higher is better)", title)
    add_legend(ax)
    return ax


def _draw_limits(ax: Any, place: int, low: float | None, high: float | None, colour: Any) -> None:
    if low is not None:
        look = {"color": colour, "alpha": 0.55, "linewidth": 3, "zorder": 2}
        ax.plot([low, high], [place, place], solid_capstyle="butt", **look)


def _name_rows(ax: Any, names: Sequence[str]) -> None:
    """Name the rows, the first on top, half a row from the frame."""
    ax.set_yticks(range(len(names)), names)
    ax.tick_params(axis="y", length=0)
    ax.set_ylim(len(names) - 0.3, -0.7)
    ax.set_axisbelow(True)


def _mark_undefined(ax: Any, values: Sequence[float]) -> None:
    for place, value in enumerate(values):
        if math.isnan(value):
            note(ax, "not defined", (0, place), (4, 0), xycoords=("axes fraction", "data"))
    if all(map(math.isnan, values)):
        ax.set_xlim(0, 1)
