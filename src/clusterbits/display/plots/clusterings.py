"""The figures of a clustering, and of several side by side."""

from __future__ import annotations

import math
from collections.abc import Iterable
from itertools import product
from typing import TYPE_CHECKING, Any

import numpy as np

from clusterbits.display.plots.canvas import DARK, LINE, LINEAR, WARM, new_figure
from clusterbits.display.tables import brief, counted, percent, short
from clusterbits.errors import MeasureError

if TYPE_CHECKING:
    from clusterbits.core.table import Contingency
    from clusterbits.explanation.results import Explanation
    from clusterbits.scoring.pairwise import Pairwise
    from clusterbits.scoring.ranks import Ranks
    from clusterbits.scoring.scores import Scores

# Bars and rows past this many are left out, and the figure says so.
_MOST = 40


def contingency_heatmap(table: Contingency) -> Any:
    """Draw classes down, clusters across, ordered so that the matching shows as a staircase.

    A cell is as dark as its share of its cluster. Of large tables, the largest clusters and the
    classes they hold most of are drawn.
    """
    excerpt = table.excerpt(_MOST, _MOST)
    height, width = excerpt.counts.shape
    figure, (axis,) = new_figure(1, 1, (min(2.2 + 0.34 * width, 14), min(1.6 + 0.3 * height, 12)))
    image = axis.imshow(excerpt.shares, cmap="Blues", vmin=0, vmax=1, aspect="auto")
    axis.set_xticks(range(width), _short(excerpt.clusters), rotation=90, fontsize=8)
    axis.set_yticks(range(height), _short(excerpt.classes), fontsize=8)
    axis.tick_params(length=0)
    axis.spines[:].set_visible(False)
    axis.set_xlabel("cluster")
    axis.set_ylabel("class")
    figure.colorbar(image, ax=axis, shrink=0.8).set_label("share of the cluster")
    if height * width <= 400:
        counts = excerpt.counts.tolist()
        for i, j in np.argwhere(excerpt.counts).tolist():
            colour = "white" if excerpt.dark[i, j] else "black"
            text = brief(counts[i][j])
            axis.text(j, i, text, ha="center", va="center", color=colour, fontsize=7)
    axis.set_title(excerpt.caption, fontsize=10, loc="left")
    return figure


def bits_per_cluster(why: Explanation) -> Any:
    """Draw what each cluster costs, label and table bits stacked, the costliest first."""
    shown = why.costliest[:_MOST]
    names = _short(part.cluster for part in shown)
    labels = [part.label_bits for part in shown]
    columns = [part.table_bits for part in shown]
    figure, (axis,) = new_figure(1, 1, (7, 1.4 + 0.24 * len(names)))
    places = range(len(names))
    axis.barh(places, labels, color=DARK, label="labels")
    axis.barh(places, columns, left=labels, color=WARM, label="table")
    for place, part in enumerate(shown):
        note = f"{part.kind}, {part.purity:.0%} {_short([part.majority])[0]}"
        axis.annotate(
            note, (part.bits, place), xytext=(4, 0), textcoords="offset points", fontsize=7,
            va="center", color="0.35",
        )  # fmt: skip
    axis.set_yticks(places, names, fontsize=8)
    axis.invert_yaxis()
    axis.margins(y=0.01, x=0.22)
    axis.set_xlabel("part of q0, bits per object")
    axis.set_ylabel("cluster")
    title = why.title
    if len(shown) < len(why.clusters):
        share = math.fsum(part.share for part in shown)
        title += (
            f"\nthe costliest {len(shown)} of {len(why.clusters):,} clusters, {share:.1%} of it"
        )
    axis.set_title(title, fontsize=10, loc="left")
    if not why.q0:
        axis.set_xlim(0, 1)
    figure.legend(frameon=False, loc="outside lower right", ncols=2)
    return figure


def leaderboard(scores: Scores, measure: str | None = None) -> Any:
    """Draw the values of one measure, the best on top, with their intervals where computed.

    By default the first measure that ranks clusterings.
    """
    if measure is None:
        if not scores.ranking_measures:
            raise MeasureError("none of the measures ranks clusterings; add one, such as q0.")
        measure = scores.ranking_measures[0]
    rows = scores.ranked(measure)
    shown = rows[:_MOST]
    places = range(len(shown))
    figure, (axis,) = new_figure(1, 1, (7, 1.3 + 0.27 * len(shown)))
    for place, row in enumerate(shown):
        if row.low is not None:
            axis.plot([row.low, row.high], [place, place], color=LINE, linewidth=2.5, zorder=1)
    axis.scatter([row.value for row in shown], places, color=DARK, s=26, zorder=2)
    best = shown[0]
    if best.low is not None:
        axis.axvspan(best.low, best.high, color=WARM, alpha=0.18, linewidth=0)
    axis.set_yticks(places, _short(row.clustering for row in shown), fontsize=8)
    axis.invert_yaxis()
    axis.grid(axis="x", color="0.9", linewidth=0.6)
    axis.set_axisbelow(True)
    level = scores.level
    interval = "" if level is None else f", with {percent(level)} confidence intervals"
    axis.set_xlabel(f"{best.measure} ({scores.better(measure)} is better){interval}")
    if len(rows) > _MOST:
        title = f"the best {_MOST} of {counted(len(rows), 'clustering')}"
        axis.set_title(title, fontsize=10, loc="left")
    return figure


def merge_path(why: Explanation) -> Any:
    """Draw q0 along the merge path, from the clustering itself to a single cluster."""
    figure, (axis,) = new_figure(1, 1, (7, 3.8))
    clusters = [step.clusters for step in why.path]
    bits = [step.q0 for step in why.path]
    marker = "o" if len(clusters) <= LINEAR else None
    axis.plot(clusters, bits, color=DARK, marker=marker, markersize=3, linewidth=1.4)
    best = why.best_step
    axis.scatter([best.clusters], [best.q0], color=WARM, edgecolor="black", s=60, zorder=3)
    axis.annotate(
        f"fewest bits: {best.q0:.4f}, {counted(best.clusters, 'cluster')}",
        (best.clusters, best.q0),
        xytext=(0, -16), textcoords="offset points", fontsize=9, ha="center", va="top",
    )  # fmt: skip
    axis.scatter([clusters[0]], [bits[0]], color="white", edgecolor=DARK, s=40, zorder=3)
    axis.annotate(
        f"as given: {counted(clusters[0], 'cluster')}", (clusters[0], bits[0]), xytext=(0, 8),
        textcoords="offset points", fontsize=9, ha="right", va="bottom",
    )  # fmt: skip
    if clusters[0] > LINEAR:
        axis.set_xscale("log")
        axis.xaxis.set_major_formatter("{x:,.0f}")
    else:
        axis.xaxis.get_major_locator().set_params(integer=True)
    axis.set_xlabel("number of clusters")
    axis.set_ylabel("q0, bits per object")
    axis.margins(x=0.06, y=0.2)
    return figure


def measure_ranks(ranks: Ranks) -> Any:
    """Draw the ranks of the clusterings by every measure against those by the first."""
    lead, *rivals = ranks.measures
    if not rivals:
        raise MeasureError(f"only {lead} ranks these clusterings; compute another to compare with.")
    columns = min(len(rivals), 5)
    rows = -(-len(rivals) // columns)
    size = (2.5 * columns + 0.4, 2.9 * rows + 0.3)
    figure, axes = new_figure(rows, columns, size, sharex=True, sharey=True)
    count = len(ranks.clusterings)
    for axis, rival in zip(axes, rivals, strict=False):
        axis.plot([1, count], [1, count], color=LINE, linewidth=0.8)
        axis.scatter(ranks.of(lead), ranks.of(rival), s=22, color=DARK, linewidths=0, alpha=0.8)
        tau = ranks.tau(lead, rival)
        axis.set_title(f"{rival}\nτ = {'–' if math.isnan(tau) else f'{tau:.2f}'}", fontsize=8)
        axis.set_box_aspect(1)
        axis.xaxis.get_major_locator().set_params(integer=True)
        axis.yaxis.get_major_locator().set_params(integer=True)
    for axis in axes[len(rivals) :]:
        axis.set_visible(False)
    figure.supxlabel(f"rank by {lead} (1 is best)", fontsize=9)
    figure.supylabel("rank by the other measure", fontsize=9)
    return figure


def pairwise_heatmap(square: Pairwise) -> Any:
    """Draw the square of `clusterbits.pairwise`: darker is higher, in greyscale too.

    Up to 15 labelings have their values written in the cells. Where the order of a pair matters,
    the truth is down and the clustering across.
    """
    names, values = square.names, square.values
    side = min(max(0.5 * len(names) + 1.5, 3.5), 14)
    figure, (axis,) = new_figure(1, 1, (side + 1, side))
    image = axis.imshow(values, cmap="cividis_r")
    size = min(9.0, 60 * side / len(names))
    places = range(len(names))
    axis.set_xticks(places, _short(names), rotation=90, fontsize=size)
    axis.set_yticks(places, _short(names), fontsize=size)
    axis.tick_params(length=0)
    axis.spines[:].set_visible(False)
    if not square.symmetric:
        axis.set_xlabel("clustering")
        axis.set_ylabel("truth")
    figure.colorbar(image, ax=axis, shrink=0.8).set_label(square.measure)
    if len(names) <= 15:
        for i, j in product(places, places):
            dark = image.norm(values[i, j]) > 0.5
            colour = "white" if dark else "black"
            text = f"{values[i, j]:.2f}"
            axis.text(j, i, text, ha="center", va="center", color=colour, fontsize=8)
    return figure


def _short(names: Iterable[Any]) -> list[str]:
    """Return names that matplotlib can draw: no formulas between dollar signs, no surrogates."""
    texts = (short(name, 24).encode("utf-8", "replace").decode() for name in names)
    return [text.replace("$", r"\$") for text in texts]
