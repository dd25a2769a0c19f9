"""Values in rows, the best on top: leaderboards, measures, groups, intervals and tests."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from clusterbits.display.plots.canvas import (
    add_legend,
    amber,
    blue,
    drawable,
    drawable_names,
    hues,
    ink,
    note,
    rows_that_fit,
    set_title,
    take_axes,
)
from clusterbits.display.tables import counted, percent, show

if TYPE_CHECKING:
    from clusterbits.coreference.scores import CorefScores, DocumentScores
    from clusterbits.inference.comparison import Comparison
    from clusterbits.inference.intervals import Interval
    from clusterbits.inference.permutation import PermutationTest
    from clusterbits.scoring.scores import Score, Scores

# Clusterings of one picture of groups, which are told apart by colour and marker.
_MARKERS = "osD^v"


class ValueRow(NamedTuple):
    """A row of a picture: a name, a value and its interval; filled or open."""

    name: Any
    value: float
    low: float | None = None
    high: float | None = None
    filled: bool = True


def draw_leaderboard(
    scores: Scores, rows: Sequence[Score], better: str | None, ax: Any = None
) -> Any:
    """Draw the rows of one measure, the best on top, with their intervals where computed."""
    sizes = {name: table.shape[1] for name, table in scores.tables.items()}
    names = drawable_names(row.clustering for row in rows)
    values = [
        ValueRow(f"{name} ({sizes.get(row.clustering, 0):,})", *row[2:])
        for name, row in zip(names, rows, strict=True)
    ]
    along, best = f"{rows[0].measure} ({better} is better)", rows[0]
    if scores.confidence_level is not None:
        along += f", with {percent(scores.confidence_level)} confidence intervals"
    if best.low is not None:
        along += "\nband: the interval of the best"
    ax = _draw_values(values, along, "", ax, many="the best {} of {}", noun="clustering")
    ax.set_ylabel("clustering (clusters)")
    if best.low is not None:
        ax.axvspan(best.low, best.high, color=amber(ax), alpha=0.2, linewidth=0, zorder=0)
    return ax


def draw_comparison(comparison: Comparison, ax: Any = None) -> Any:
    """Draw the clusterings, the best on top: filled where one may be the best."""
    names = drawable_names(row.clustering for row in comparison.rows)
    values = [
        ValueRow(name, *row[2:5], row.may_be_best)
        for name, row in zip(names, comparison.rows, strict=True)
    ]
    along = (
        f"{comparison.measure}, with {percent(comparison.confidence_level)} confidence intervals\n"
        "filled: may be the best; open: worse than the best"
    )
    title = drawable(comparison.title, 200)
    return _draw_values(values, along, title, ax, many="the best {} of {}", noun="clustering")


def draw_documents(scores: DocumentScores, ax: Any = None) -> Any:
    """Draw the first score of each document, the worst on top."""
    rows = scores.list_documents()
    names = drawable_names(row["document"] for row in rows)
    values = [
        ValueRow(name, row[scores.measures[0]]) for name, row in zip(names, rows, strict=True)
    ]
    along = f"{scores.score_name} (higher is better)"
    return _draw_values(values, along, "", ax, many="the worst {} of {}", noun="document")


def draw_interval(interval: Interval, ax: Any = None) -> Any:
    """Draw a value and its confidence interval, and zero where it is near."""
    row = ValueRow("", interval.value, interval.low, interval.high)
    along = f"{interval.measure}, with its {percent(interval.confidence_level)} confidence interval"
    near = min(abs(interval.low), abs(interval.high)) <= 5 * (interval.high - interval.low)
    return _draw_values([row], along, interval.title, ax, zero=near)


def draw_permutation_test(test: PermutationTest, ax: Any = None) -> Any:
    """Draw the value beside those of random clusterings: their mean, and two deviations around."""
    low, high = test.null_mean - 2 * test.null_sd, test.null_mean + 2 * test.null_sd
    rows = [
        ValueRow("this clustering", test.value),
        ValueRow("random clusters\nof these sizes", test.null_mean, low, high, filled=False),
    ]
    along = f"{test.measure}; random clusters: mean ± 2 standard deviations"
    return _draw_values(rows, along, test.title, ax)


def _draw_values(
    rows: Sequence[ValueRow],
    along: str,
    title: str,
    ax: Any,
    *,
    zero: bool = False,
    many: str = "",
    noun: str = "",
) -> Any:
    """Draw values with their intervals, from the top down, each with its number beside it.

    `many` says in the title which of very many rows are drawn; `zero` draws a line there.
    """
    shown = rows[: rows_that_fit(ax)]
    ax = take_axes(ax, max(len(shown) + 1, 6 if many else 0), beside=[row.name for row in shown])
    for place, row in enumerate(shown):
        _draw_limits(ax, place, row.low, row.high)
        _write_value(ax, place, row.value, row.high)
    values = [row.value for row in shown]
    faces = [blue(ax) if row.filled else ax.get_facecolor() for row in shown]
    ax.scatter(values, range(len(shown)), c=faces, edgecolors=blue(ax), s=36, zorder=3)
    if zero:
        ax.axvline(0, color=ink(ax), linewidth=1, linestyle="--")
    _mark_undefined(ax, values)
    _name_rows(ax, [row.name for row in shown])
    ax.grid(visible=True, axis="x", alpha=0.4)
    ax.margins(x=0.06)
    ax.set_xlabel(along)
    left_out = many.format(len(shown), counted(len(rows), noun))
    set_title(ax, "\n".join(filter(None, [title, left_out if len(shown) < len(rows) else ""])))
    _end_ticks(ax)
    return ax


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
    left_out = f"\nthe first {len(shown)} of {counted(len(rows), 'measure')}"
    set_title(ax, title + left_out * (len(shown) < len(rows)))
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
        for place, row in enumerate(rows):
            _draw_limits(ax, place, row.get("low"), row.get("high"), colour)
            if not several:
                _write_value(ax, place, row["value"], row.get("high"))
        x = [row["value"] for row in rows]
        ax.scatter(x, range(len(x)), color=colour, marker=marker, label=text, zorder=3)
    _name_rows(ax, names)
    ax.axhline(1.5, color=ink(ax), linewidth=0.8, alpha=0.5)
    known = [[values[key][name]["value"] for name in clusterings] for key in shown]
    _mark_undefined(ax, [next((x for x in some if x == x), math.nan) for some in known])
    ax.grid(visible=True, axis="x", alpha=0.4)
    ax.set_xlabel(f"{lead[0].measure} ({better} is better)")
    said = [f"the worst {len(worst)} of {len(groups):,} groups"] * (len(groups) > len(worst))
    more = len(lead) > len(clusterings)
    said += [f"the best {len(clusterings)} of {len(lead):,} clusterings"] * more
    set_title(ax, ", ".join(said))
    _end_ticks(ax)
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
        values = [row[field] for row in rows]
        ax.scatter(values, range(len(rows)), color=colour, marker=marker, label=field, zorder=layer)
    _name_rows(ax, [row["measure"] for row in rows])
    ax.grid(visible=True, axis="x", alpha=0.4)
    ax.set_xlim(-0.02, 1.02)
    ax.set_xlabel("score (higher is better)")
    set_title(ax, scores.title.partition(",")[0])
    add_legend(ax)
    return ax


def _draw_limits(
    ax: Any, place: int, low: float | None, high: float | None, colour: Any = None
) -> None:
    if low is not None:
        look = {"color": colour or blue(ax), "alpha": 0.55, "linewidth": 3, "zorder": 2}
        ax.plot([low, high], [place, place], solid_capstyle="butt", **look)


def _write_value(ax: Any, place: int, value: float, high: float | None) -> None:
    """Write a value beside its point, or beside the upper end of its interval."""
    if not math.isnan(value):
        note(ax, show(value), (value if high is None else max(high, value), place), (7, 0))


def _end_ticks(ax: Any) -> None:
    """Set no tick past the last value, which may be past a bound."""
    first, last = ax.get_xlim()[0], ax.dataLim.x1 + 1e-9
    ax.set_xticks([tick for tick in ax.get_xticks() if first <= tick <= last])


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
