"""Bits over the number of clusters: the plot that chooses among clusterings of several sizes."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from clusterbits.plots import canvas
from clusterbits.scoring.bits_over_clusters import BitsBar, BitsOverClusters
from clusterbits.text.tables import counted
from clusterbits.trees.choosing import BestCut
from clusterbits.trees.cutting import Cuts

# More bars than this become areas.
_MAX_BARS = 60
# Bars up to this many can have their names below.
_MAX_NAMES = 16
# A level up to this many times the highest bar is a line; a higher one is only named.
_IN_SIGHT = 1.35
_LABELS, _TABLE = "classes, given the clusters", "table of counts"


def draw_bits(bits: BitsOverClusters, ax: Any = None, title: str = "") -> Any:
    """Draw label and table bits stacked over the number of clusters, and name the best.

    Intervals are error bars. Dashed lines are the levels of no clusters and of a perfect
    clustering. Very many clusterings are areas, of the fewest bits at each number of clusters.
    """
    ax = canvas.take_axes(ax)
    few = len(bits.bars) <= _MAX_BARS
    x: Sequence[float] = range(len(bits.bars)) if few else [bar.clusters for bar in bits.bars]
    texts, ax_label = _tick_texts(bits) if few else ([], "number of clusters")
    ax.set_xlabel(ax_label)
    (_draw_bars if few else _draw_areas)(ax, bits)
    ax.set_ylim(0, max(_tops(bits)) * 1.04 or 1)
    ax.set_ylabel("bits per object (q0)")
    ax.set_axisbelow(True)
    ax.grid(visible=False, axis="x")
    _draw_levels(ax, bits)
    canvas.set_title(ax, canvas.drawable(title, 300) if title else "")
    canvas.add_legend(ax)
    if few:
        _set_ticks(ax, texts)
    _mark_best(ax, bits, x)
    return ax


def _tick_texts(bits: BitsOverClusters) -> tuple[list[str], str]:
    """Return the texts below the bars and the label of the axis.

    Clusterings are named unless their number of clusters tells which is which.
    """
    bars = bits.bars
    sizes = [f"{bar.clusters:,}" for bar in bars]
    sized = all(str(bar.clusters) in str(bar.clustering).replace(",", "") for bar in bars)
    if bits.over:
        names = [f"{bar.number:g}" for bar in bars]
        name_label, sized = f"{canvas.drawable(bits.over)}: value of *", False
    elif len(bars) > _MAX_NAMES or (sized and len({*sizes}) == len(bars)):
        return sizes, "number of clusters"
    else:
        names = canvas.drawable_names((bar.clustering for bar in bars), 14)
        name_label = "clustering"
    if sized:
        return names, name_label
    texts = [f"{name}\n{size}" for name, size in zip(names, sizes, strict=True)]
    return texts, f"{name_label}, number of clusters"


def _draw_bars(ax: Any, bits: BitsOverClusters) -> None:
    """Draw a bar for each clustering, in even steps."""
    x, width = range(len(bits.bars)), 0.7
    labels = [bar.label_bits for bar in bits.bars]
    tables = [bar.table_bits for bar in bits.bars]
    ax.bar(x, labels, width, color=canvas.hue(ax, "labels"), label=_LABELS)
    ax.bar(x, tables, width, bottom=labels, color=canvas.hue(ax, "table"), label=_TABLE)
    _draw_intervals(ax, x, bits.bars)
    ax.set_xlim(-width, len(bits.bars) - 1 + width)


def _draw_areas(ax: Any, bits: BitsOverClusters) -> None:
    """Draw the fewest bits at each number of clusters as areas."""
    best: dict[int, BitsBar] = {}
    for bar in sorted(bits.bars, key=lambda bar: bar.clusters):  # `over` has another order
        if bar.bits <= best.get(bar.clusters, bar).bits:
            best[bar.clusters] = bar
    x, lowest = list(best), list(best.values())
    labels, total = [bar.label_bits for bar in lowest], [bar.bits for bar in lowest]
    ax.fill_between(x, 0, labels, color=canvas.hue(ax, "labels"), label=_LABELS, lw=0)
    ax.fill_between(x, labels, total, color=canvas.hue(ax, "table"), label=_TABLE, lw=0)
    _draw_intervals(ax, x, lowest)
    canvas.count_along(ax, x)
    ax.margins(x=0)


def _draw_intervals(ax: Any, x: Sequence[float], bars: Sequence[BitsBar]) -> None:
    limits = [
        (position, bar.bits, bar.low, bar.high)
        for position, bar in zip(x, bars, strict=True)
        if bar.low is not None and bar.high is not None
    ]
    if limits:
        positions, values, low, high = np.array(limits, dtype=float).T
        errors = [np.maximum(values - low, 0), np.maximum(high - values, 0)]
        look = {"ecolor": canvas.ink(ax), "elinewidth": 1, "alpha": 0.8}
        ax.errorbar(positions, values, errors, fmt="none", **look)


def _draw_levels(ax: Any, bits: BitsOverClusters) -> None:
    """Draw the levels of perfect and of no clusters; the latter is only named if far above."""
    if bits.no_clusters is None or bits.perfect is None:
        return
    top = ax.get_ylim()[1]
    levels = {"no clusters": bits.no_clusters, "perfect": bits.perfect}
    if bits.no_clusters == bits.perfect:  # nothing can be saved
        levels = {"no clusters,\nperfect": bits.perfect}
    elif bits.no_clusters > _IN_SIGHT * top:
        canvas.note_above(ax, "no clusters", levels.pop("no clusters"))
    top = max([top, *(1.04 * level for level in levels.values())])
    close = bits.no_clusters - bits.perfect < 0.25 * top
    edge = {"xycoords": ("axes fraction", "data"), "annotation_clip": False}
    for name, level in levels.items():
        ax.axhline(level, color=canvas.hue(ax, "good"), linewidth=1, linestyle="--")
        side = "center" if not close else "top" if name == "perfect" else "bottom"
        canvas.note(ax, f"{name}\n{level:.2f}", (1, level), (4, 0), va=side, **edge)
    ax.set_ylim(0, top)


def _mark_best(ax: Any, bits: BitsOverClusters, x: Sequence[float]) -> None:
    """Write the name of the best clustering above the bars, with those that tie with it.

    If all do, or nothing can be saved, none is named.
    """
    n, can_save = len(bits.bars), bits.no_clusters is None or bits.no_clusters != bits.perfect
    if not bits.best or (n > 1 and (len(bits.best) == n or not can_save)):
        return
    clusterings = [bar.clustering for bar in bits.bars]
    names = dict(zip(clusterings, canvas.drawable_names(clusterings), strict=True))
    best = [names[clustering] for clustering in bits.best]
    more = [f"{len(best) - 3} more"] * (len(best) > 3)
    i, tops = clusterings.index(bits.best[0]), _tops(bits)
    text = f"{', '.join([*best[:3], *more])}: {bits.bars[i].bits:.2f}"
    # Above all bars: the neighbours of the lowest are higher.
    y, line = 1.04 * max(tops), 2 * canvas.font_size() / canvas.points_of(ax)[1]
    ax.set_ylim(0, max(ax.get_ylim()[1], y / max(1 - line, 0.5)))
    look = {"ha": canvas.inner_side(ax, x[i]), "va": "bottom", "fontweight": "bold"}
    paper = {"facecolor": ax.get_facecolor(), "edgecolor": "none", "pad": 1}  # hides lines
    canvas.note(ax, text, (x[i], y), (0, 1), bbox=paper, **look)
    # Dots, as intervals are lines.
    ax.vlines(x[i], tops[i], y, color=canvas.ink(ax), linewidth=1, linestyles="dotted")


def _tops(bits: BitsOverClusters) -> list[float]:
    """Return the upper end of each bar, its interval included."""
    return [bar.bits if bar.high is None else max(bar.bits, bar.high) for bar in bits.bars]


def _set_ticks(ax: Any, texts: Sequence[str]) -> None:
    """Set as many numbers as fit, from the left; names are all set, and turned if too long."""
    step = canvas.points_of(ax)[0] / (ax.get_xlim()[1] - ax.get_xlim()[0])
    if not all(text.replace(",", "").isdecimal() for text in texts):
        turned = max(map(canvas.text_width, texts)) > step
        texts = [text.replace("\n", ", ") for text in texts] if turned else texts
        ax.set_xticks(range(len(texts)), texts, rotation=90 if turned else 0)
        return
    stride = max(math.ceil((max(map(canvas.text_width, texts)) + 4) / step), 1)
    ax.set_xticks(range(0, len(texts), stride), texts[::stride])


def draw_cuts(cuts: Cuts, ax: Any = None) -> Any:
    """Draw bits per object over the number of clusters, the best marked."""
    return draw_bits(cuts.bits_over_clusters(), ax, "Horizontal cuts of the tree")


def draw_best_cut(best: BestCut, ax: Any = None) -> Any:
    """Draw the bits of the horizontal cuts, and the level of the free cut, its name included."""
    ax = draw_bits(best.cuts.bits_over_clusters(), ax, "Cuts of the tree")
    text = f"free cut, {counted(best.clusters, 'cluster')}: {best.bits:.2f}"
    ax.axhline(best.bits, color=canvas.ink(ax), linestyle=":", linewidth=1.5, label=text)
    canvas.add_legend(ax)
    return ax
