"""Bits over the number of clusters: the picture that chooses among clusterings of several sizes."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from clusterbits.plots.canvas import (
    add_legend,
    amber,
    blue,
    count_along,
    drawable,
    drawable_names,
    font_size,
    hue,
    ink,
    note,
    note_above,
    points_of,
    set_title,
    take_axes,
    text_width,
)
from clusterbits.scoring.bits_by_size import BitsBar, BitsOverClusters, Sweep

# Bars are at least this share of the axes wide; else they stand in even steps.
_NARROWEST = 0.016
# More bars than this become areas.
_MOST_BARS = 60
# Bars up to this many can have their names below.
_MOST_NAMES = 16
# A level up to this many times the highest bar is a line; a higher one is only named.
_IN_SIGHT = 1.35
_LABELS, _TABLE = "classes, given the clusters", "table of counts"


class _Places(NamedTuple):
    """Where bars stand along the axis, how wide they are, and the ticks below them."""

    x: Sequence[float]
    width: float
    ticks: Sequence[tuple[str, float]]
    along: str


def draw_bits(bits: BitsOverClusters, ax: Any = None, title: str = "") -> Any:
    """Draw label and table bits stacked over the number of clusters, and name the best.

    Intervals are error bars. Dashed lines are the levels of no clusters and of a perfect
    clustering. Bars stand in even steps where they would overlap; very many clusterings are areas,
    of the fewest bits at each number of clusters. A sweep has its values below, and the adjusted
    Rand index on an axis to the right.
    """
    ax = take_axes(ax)
    places = _place_bars(bits)
    if places is None:
        x: Sequence[float] = [bar.clusters for bar in bits.bars]
        _draw_areas(ax, bits)
    else:
        x = places.x
        _draw_bars(ax, bits, places)
        if bits.sweep is not None:
            _draw_agreement(ax, bits, bits.sweep, x)
    ax.set_ylim(0, max(_tops(bits)) * 1.04 or 1)
    ax.set_ylabel("bits per object (q0)")
    ax.set_axisbelow(True)
    ax.grid(visible=False, axis="x")
    _draw_levels(ax, bits)
    set_title(ax, drawable(title, 300) if title else "")
    add_legend(ax)
    if places is not None:
        _set_ticks(ax, places.ticks)
    _mark_best(ax, bits, x)
    return ax


def _place_bars(bits: BitsOverClusters) -> _Places | None:
    """Return the places of the bars; None where there are too many."""
    bars, sweep = bits.bars, bits.sweep
    if len(bars) > _MOST_BARS:
        return None
    if sweep is not None or _names_needed(bits):
        if sweep is None:
            texts, along = drawable_names((bar.clustering for bar in bars), 14), "clustering"
        else:
            texts = [f"{sweep.values[bar.clustering]:g}" for bar in bars]
            along = f"{drawable(sweep.pattern)}: value of *"
        if sweep is not None or not _names_tell(bits):
            texts = [f"{text}\n{bar.clusters:,}" for text, bar in zip(texts, bars, strict=True)]
            along = f"{along}, number of clusters"
        steps = [float(i) for i in range(len(bars))]
        return _Places(steps, 0.7, list(zip(texts, steps, strict=True)), along)
    slots = _slots(bits)
    side = 1 + max(slots)
    counts = sorted({bar.clusters for bar in bars})
    gap = min(np.diff(counts), default=1)
    to_scale = gap / (counts[-1] - counts[0] + gap) / side >= _NARROWEST
    at = {k: float(k if to_scale else i) for i, k in enumerate(counts)}
    gap = gap if to_scale else 1
    extent = at[counts[-1]] - at[counts[0]] + gap
    width = min(0.84 * gap, 0.16 * extent) / side
    x = [at[bar.clusters] + (slot - (side - 1) / 2) * width
         for bar, slot in zip(bars, slots, strict=True)]  # fmt: skip
    along = "number of clusters" if to_scale else "number of clusters (not to scale)"
    return _Places(x, width * (0.94 if side > 1 else 1), [(f"{k:,}", at[k]) for k in counts], along)


def _names_needed(bits: BitsOverClusters) -> bool:
    """Return whether the number of clusters does not tell which clustering a bar is."""
    shared = len({bar.clusters for bar in bits.bars}) < len(bits.bars)
    return len(bits.bars) <= _MOST_NAMES and (shared or not _names_tell(bits))


def _names_tell(bits: BitsOverClusters) -> bool:
    """Return whether every name has the number of clusters in it."""
    names = (str(bar.clustering).replace(",", "") for bar in bits.bars)
    return all(str(bar.clusters) in name for name, bar in zip(names, bits.bars, strict=True))


def _slots(bits: BitsOverClusters) -> list[int]:
    """Return the place of each bar among those of the same number of clusters."""
    taken: Counter[int] = Counter()
    slots = []
    for bar in bits.bars:
        slots.append(taken[bar.clusters])
        taken[bar.clusters] += 1
    return slots


def _draw_bars(ax: Any, bits: BitsOverClusters, places: _Places) -> None:
    labels = [bar.label_bits for bar in bits.bars]
    tables = [bar.table_bits for bar in bits.bars]
    ax.bar(places.x, labels, places.width, color=blue(ax), label=_LABELS)
    ax.bar(places.x, tables, places.width, bottom=labels, color=amber(ax), label=_TABLE)
    _draw_intervals(ax, places.x, bits.bars)
    ax.set_xlim(min(places.x) - places.width, max(places.x) + places.width)
    ax.set_xlabel(places.along)


def _draw_agreement(ax: Any, bits: BitsOverClusters, sweep: Sweep, x: Sequence[float]) -> None:
    """Draw the adjusted Rand index of each run on an axis to the right, a star at the highest."""
    right, colour = ax.twinx(), ink(ax)
    values = [sweep.adjusted_rand[bar.clustering] for bar in bits.bars]
    look = {"color": colour, "markeredgecolor": ax.get_facecolor()}
    right.plot(x, values, "o-", linewidth=1, markersize=5, **look)
    place = [bar.clustering for bar in bits.bars].index(sweep.highest)
    right.plot(x[place], values[place], "*", markersize=14, **look)
    right.set_ylim(min(0, *values), 1.04)
    right.set_ylabel("adjusted Rand index")
    right.spines["top"].set_visible(False)
    right.grid(visible=False)
    # For the legend, which is that of the bars.
    ax.plot([], [], "*-", color=colour, label="adjusted Rand index, right; star: the highest")


def _draw_areas(ax: Any, bits: BitsOverClusters) -> None:
    """Draw the fewest bits at each number of clusters as areas."""
    best: dict[int, BitsBar] = {}
    for bar in sorted(bits.bars, key=lambda bar: bar.clusters):  # a sweep has another order
        if bar.bits <= best.get(bar.clusters, bar).bits:
            best[bar.clusters] = bar
    x, lowest = list(best), list(best.values())
    labels, total = [bar.label_bits for bar in lowest], [bar.bits for bar in lowest]
    ax.fill_between(x, 0, labels, color=blue(ax), label=_LABELS, lw=0)
    ax.fill_between(x, labels, total, color=amber(ax), label=_TABLE, lw=0)
    _draw_intervals(ax, x, lowest)
    count_along(ax, x)
    ax.margins(x=0)
    ax.set_xlabel("number of clusters")


def _draw_intervals(ax: Any, x: Sequence[float], bars: Sequence[BitsBar]) -> None:
    known = [
        (at, bar.bits, bar.low, bar.high)
        for at, bar in zip(x, bars, strict=True)
        if bar.low is not None and bar.high is not None
    ]
    if known:
        at, value, low, high = np.array(known, dtype=float).T
        errors = [np.maximum(value - low, 0), np.maximum(high - value, 0)]
        ax.errorbar(at, value, errors, fmt="none", ecolor=ink(ax), elinewidth=1, alpha=0.8)


def _draw_levels(ax: Any, bits: BitsOverClusters) -> None:
    """Draw the levels of perfect and of no clusters; the latter is only named if far above."""
    if bits.no_clusters is None or bits.perfect is None:
        return
    top = ax.get_ylim()[1]
    levels = {"no clusters": bits.no_clusters, "perfect": bits.perfect}
    if bits.no_clusters == bits.perfect:  # nothing can be saved
        levels = {"no clusters,\nperfect": bits.perfect}
    beside = bits.sweep is None  # where a sweep has an axis of its own
    if bits.no_clusters > _IN_SIGHT * top:
        level = levels.pop("no clusters")
        if beside:
            note_above(ax, "no clusters", level)
    top = max([top, *(1.04 * level for level in levels.values())])
    close = bits.no_clusters - bits.perfect < 0.25 * top
    edge = {"xycoords": ("axes fraction", "data"), "annotation_clip": False}
    for name, level in levels.items():
        label = None if beside else f"{name} {level:.2f}"
        ax.axhline(level, color=hue(ax, "good"), linewidth=1, linestyle="--", label=label)
        if beside:
            side = "center" if not close else "top" if name == "perfect" else "bottom"
            note(ax, f"{name}\n{level:.2f}", (1, level), (4, 0), va=side, **edge)
    ax.set_ylim(0, top)


def _mark_best(ax: Any, bits: BitsOverClusters, x: Sequence[float]) -> None:
    """Write the name of the best clustering above the bars, with those that tie with it.

    If all do, or nothing can be saved, none is named.
    """
    n, can_save = len(bits.bars), bits.no_clusters is None or bits.no_clusters != bits.perfect
    if not bits.best or (n > 1 and (len(bits.best) == n or not can_save)):
        return
    names = dict(zip((bar.clustering for bar in bits.bars),
                     drawable_names(bar.clustering for bar in bits.bars), strict=True))  # fmt: skip
    best = [names[clustering] for clustering in bits.best]
    more = [f"{len(best) - 3} more"] * (len(best) > 3)
    place, tops = [*names].index(bits.best[0]), _tops(bits)
    text = f"{', '.join([*best[:3], *more])}: {bits.bars[place].bits:.2f}"
    # Above all bars: those beside the lowest are higher.
    y, line = 1.04 * max(tops), 2 * font_size() / points_of(ax)[1]
    ax.set_ylim(0, max(ax.get_ylim()[1], y / max(1 - line, 0.5)))
    along = (ax.transData + ax.transAxes.inverted()).transform((x[place], 0))[0]
    side = "left" if along < 0.3 else "right" if along > 0.7 else "center"
    paper = {"facecolor": ax.get_facecolor(), "edgecolor": "none", "pad": 1}  # hides lines
    note(ax, text, (x[place], y), (0, 1), ha=side, va="bottom", fontweight="bold", bbox=paper)
    # Dots, as intervals are lines.
    ax.vlines(x[place], tops[place], y, color=ink(ax), linewidth=1, linestyles="dotted")


def _tops(bits: BitsOverClusters) -> list[float]:
    """Return where each bar ends, its interval included."""
    return [bar.bits if bar.high is None else max(bar.bits, bar.high) for bar in bits.bars]


def _set_ticks(ax: Any, ticks: Sequence[tuple[str, float]]) -> None:
    """Set as many numbers as fit, from the left; names are all set, and turned where long."""
    first, last = ax.get_xlim()
    point = (last - first) / points_of(ax)[0]
    if not all(text.replace(",", "").isdecimal() for text, _ in ticks):
        turned = any(text_width(line) * point > 1 for text, _ in ticks for line in text.split("\n"))
        texts = [text.replace("\n", ", ") if turned else text for text, _ in ticks]
        ax.set_xticks([x for _, x in ticks], texts, rotation=90 if turned else 0)
        return
    kept: list[tuple[float, str]] = []
    end = -math.inf
    for text, x in ticks:
        half = (0.5 * text_width(text) + 2) * point
        if x - half >= end:
            kept.append((x, text))
            end = x + half
    ax.set_xticks(*zip(*kept, strict=True))
