"""Bits over the number of clusters: the picture that chooses among clusterings of several sizes."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from clusterbits.display.plots.canvas import (
    AMBER,
    BLUE,
    add_legend,
    add_room,
    drawable,
    drawable_names,
    font_size,
    ink,
    point_up,
    points_of,
    set_title,
    small,
    take_axes,
    text_width,
)

if TYPE_CHECKING:
    from clusterbits.scoring.bits import BitsBar, BitsOverClusters
    from clusterbits.scoring.sweeps import Sweep

# Bars are at least this share of the axes wide; else the axis is logarithmic, or has even steps.
_NARROWEST = 0.016
# More bars than this become areas.
_MOST_BARS = 60
# Bars up to this many can have their names below.
_MOST_NAMES = 12
# How strong the bars of each series are, and the dashes of its line.
_STRENGTHS = (1.0, 0.6, 0.38, 0.24)
_DASHES = ("-", "--", "-.", ":")


class _Places(NamedTuple):
    """Where bars stand along the axis, how wide they are, and the ticks below them."""

    x: Sequence[float]
    width: float
    ticks: Sequence[tuple[str, float]]
    along: str


def draw_bits(bits: BitsOverClusters, title: str = "", ax: Any = None) -> Any:
    """Draw label and table bits stacked over the number of clusters, and the fewest by its name.

    Intervals are error bars. Dashed lines are the levels of no clusters and of a perfect
    clustering. The axis is logarithmic, or has even steps, where bars would overlap; very many
    clusterings are areas, of the fewest bits at each number of clusters. A sweep has its values
    below, and the adjusted Rand index on an axis to the right.
    """
    ax = take_axes(ax)
    places = _place_bars(bits)
    if places is None:
        x, width = _draw_areas(ax, bits), 0.0
    else:
        x, width = places.x, places.width
        _draw_bars(ax, bits, places)
        if bits.sweep is not None:
            _draw_agreement(ax, bits, bits.sweep, x)
    ax.set_ylim(0, max(_tops(bits)) * 1.04 or 1)
    ax.set_ylabel("bits per object (q0)")
    ax.set_axisbelow(True)
    ax.grid(visible=False, axis="x")
    if places is not None:
        _set_ticks(ax, places.ticks)
    set_title(ax, drawable(title, 300))
    add_legend(ax)
    far_above = _draw_levels(ax, bits)
    _mark_fewest(ax, bits, x, width)
    if far_above:
        add_room(ax, top=1.8 * font_size())
    return ax


def _place_bars(bits: BitsOverClusters) -> _Places | None:
    """Return the places of the bars; None where there are too many."""
    bars, sweep = bits.bars, bits.sweep
    if (sweep is not None and len(bars) <= _MOST_BARS) or _names_needed(bits):
        if sweep is None:
            texts, along = drawable_names((bar.clustering for bar in bars), 14), "clustering"
        else:
            texts = [f"{sweep.values[bar.clustering]:g}" for bar in bars]
            along = f"{drawable(sweep.pattern)}: value of *"
        names = [f"{text}\n{bar.clusters:,}" for text, bar in zip(texts, bars, strict=True)]
        everywhere = np.arange(len(bars), dtype=float).tolist()
        ticks = list(zip(names, everywhere, strict=True))
        return _Places(everywhere, 0.7, ticks, f"{along}, number of clusters")
    slots = _slots(bits)
    side = 1 + max(slots)
    counts = sorted({bar.clusters for bar in bars})
    scale = _find_scale(counts, side)
    if scale is None or len(bars) > _MOST_BARS:
        return None
    at = dict(zip(counts, scale[0], strict=True))
    gap = min(np.diff(list(at.values())), default=1.0)
    extent = max(at.values()) - min(at.values()) + gap
    width = min(0.84 * gap, 0.16 * extent) / side
    x = [at[bar.clusters] + (slot - (side - 1) / 2) * width
         for bar, slot in zip(bars, slots, strict=True)]  # fmt: skip
    ticks = [(f"{k:,}", at[k]) for k in counts]
    return _Places(x, width * (0.94 if side > 1 else 1), ticks, f"number of clusters{scale[1]}")


def _names_needed(bits: BitsOverClusters) -> bool:
    """Return whether the number of clusters does not tell which clustering a bar is."""
    few = len(bits.bars) <= _MOST_NAMES and bits.series == ("",)
    return few and not all(re.search(r"\d", str(bar.clustering)) for bar in bits.bars)


def _slots(bits: BitsOverClusters) -> list[int]:
    """Return the place of each bar among those of the same number of clusters, by series."""
    bars = bits.bars
    many = Counter((bar.series, bar.clusters) for bar in bars)
    start: dict[str, int] = {}
    for name in bits.series:  # each is as wide as its most clusterings of one size
        start[name] = sum(
            max(count for (other, _), count in many.items() if other == earlier)
            for earlier in start
        )
    taken: Counter[tuple[str, int]] = Counter()
    slots = []
    for bar in bars:
        key = (bar.series, bar.clusters)
        slots.append(start[bar.series] + taken[key])
        taken[key] += 1
    return slots


def _find_scale(counts: Sequence[int], side: int) -> tuple[Sequence[float], str] | None:
    """Return places on which bars neither overlap nor vanish, and what to call their scale."""
    k = np.array(counts, dtype=float)
    widths = {}
    for name, x in (("", k), (" (logarithmic)", np.log2(k))):
        gap = min(np.diff(x), default=1.0)
        widths[name] = gap / (x[-1] - x[0] + gap) / side
        if widths[name] >= _NARROWEST * (1 if name else 2):
            return x.tolist(), name
    if widths[""] >= _NARROWEST:
        return k.tolist(), ""
    if len(counts) * side <= _MOST_BARS:
        return np.arange(len(k), dtype=float).tolist(), " (not to scale)"
    return None


def _draw_bars(ax: Any, bits: BitsOverClusters, places: _Places) -> None:
    colour = ink(ax)
    for name, strength in zip(bits.series, _STRENGTHS, strict=False):
        some = [(x, bar) for x, bar in zip(places.x, bits.bars, strict=True) if bar.series == name]
        x = [at for at, _ in some]
        labels = [bar.label_bits for _, bar in some]
        tables = [bar.table_bits for _, bar in some]
        first = name == bits.series[0]
        ax.bar(
            x, labels, places.width, color=BLUE, alpha=strength,
            label="classes, given the clusters" if first else None,
        )  # fmt: skip
        ax.bar(
            x, tables, places.width, bottom=labels, color=AMBER, alpha=strength,
            label="table of counts" if first else None,
        )  # fmt: skip
    _draw_intervals(ax, places.x, bits.bars, colour)
    ax.set_xlim(min(places.x) - places.width, max(places.x) + places.width)
    series = drawable_names(name for name in bits.series if name)
    order = f"; bars from the left: {', '.join(series)}" if series else ""
    ax.set_xlabel(f"{places.along}{order}")


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


def _draw_areas(ax: Any, bits: BitsOverClusters) -> Sequence[float]:
    """Draw the fewest bits at each number of clusters as areas; several series as lines."""
    counts = sorted({bar.clusters for bar in bits.bars})
    if counts[-1] >= 30 * counts[0] and counts[-1] > 100:
        ax.set_xscale("log")
        ax.xaxis.set_major_formatter("{x:,.0f}")
    else:
        ax.xaxis.get_major_locator().set_params(integer=True)
    several = len(bits.series) > 1
    names = drawable_names(bits.series)
    for name, text, dash in zip(bits.series, names, _DASHES, strict=False):
        best: dict[int, BitsBar] = {}
        for bar in sorted(bits.bars, key=lambda bar: bar.clusters):  # a sweep has another order
            if bar.series == name and bar.bits <= best.get(bar.clusters, bar).bits:
                best[bar.clusters] = bar
        lowest = list(best.values())
        x = list(best)
        labels, total = [bar.label_bits for bar in lowest], [bar.bits for bar in lowest]
        if several:
            ax.plot(x, total, dash, color=BLUE, label=text)
        else:
            ax.fill_between(x, 0, labels, color=BLUE, label="classes, given the clusters", lw=0)
            ax.fill_between(x, labels, total, color=AMBER, label="table of counts", lw=0)
            _draw_others(ax, bits.bars, lowest)
        _draw_intervals(ax, x, lowest, ink(ax), cap=0)
    ax.set_xlim(counts[0], counts[-1])
    ax.set_xlabel("number of clusters")
    return [bar.clusters for bar in bits.bars]


def _draw_others(ax: Any, bars: Sequence[BitsBar], lowest: Sequence[BitsBar]) -> None:
    """Draw the clusterings above the fewest of their number as dots."""
    others = [bar for bar in bars if bar not in lowest]
    if others:
        ax.plot(
            [bar.clusters for bar in others], [bar.bits for bar in others], ".", color=ink(ax),
            alpha=0.4, markersize=3, label="others", clip_on=False,
        )  # fmt: skip


def _draw_intervals(
    ax: Any, x: Sequence[float], bars: Sequence[BitsBar], colour: Any, cap: float = 2
) -> None:
    known = [
        (at, bar.bits, bar.low, bar.high)
        for at, bar in zip(x, bars, strict=True)
        if bar.low is not None and bar.high is not None
    ]
    if known:
        at, value, low, high = np.array(known, dtype=float).T
        errors = [np.maximum(value - low, 0), np.maximum(high - value, 0)]
        ax.errorbar(
            at, value, errors, fmt="none", ecolor=colour, elinewidth=1, capsize=cap, alpha=0.8
        )


def _draw_levels(ax: Any, bits: BitsOverClusters) -> bool:
    """Draw the levels of perfect and of no clusters; return whether the latter is far above."""
    if bits.no_clusters is None or bits.perfect is None:
        return False
    top, size = ax.get_ylim()[1], font_size()
    levels = {"no clusters": bits.no_clusters, "perfect": bits.perfect}
    if bits.no_clusters == bits.perfect:  # there is one class
        levels = {"no clusters,\nperfect": bits.perfect}
    far_above = bool(bits.no_clusters > 1.35 * top)
    if far_above:
        point_up(ax, f"no clusters {levels.pop('no clusters'):.2f}")
    ax.set_ylim(0, max([top, *(1.06 * level for level in levels.values())]))
    add_room(ax, right=max(text_width(name, size) for name in levels) + 4)
    line = 1.3 * size * ax.get_ylim()[1] / points_of(ax)[1]
    close = bits.no_clusters - bits.perfect < 2 * line
    for name, level in levels.items():
        ax.axhline(level, color=ink(ax), linewidth=1, linestyle="--", alpha=0.8)
        # The name is above the line and the number below it, where there is room.
        above, below = name, f"{level:.2f}"
        if level < line or (close and name != "perfect"):
            above, below = f"{name}\n{level:.2f}", ""
        elif close:
            above, below = "", f"{name}\n{level:.2f}"
        for text, away, side in ((above, 2, "bottom"), (below, -2, "top")):
            ax.annotate(
                text, (1, level), xycoords=("axes fraction", "data"), xytext=(0, away),
                textcoords="offset points", ha="right", va=side, color=ink(ax), fontsize=small(),
            )  # fmt: skip
    return far_above


def _mark_fewest(ax: Any, bits: BitsOverClusters, x: Sequence[float], width: float) -> None:
    """Write the name of the clustering with the fewest bits above its bar and its neighbours.

    Those that tie with it are named too; where all do, none is the best.
    """
    tied = [math.isclose(bar.bits, bits.fewest.bits, rel_tol=1e-12) for bar in bits.bars]
    if len(tied) > 1 and (all(tied) or bits.no_clusters == bits.perfect is not None):
        return
    place = bits.bars.index(bits.fewest)
    size = font_size()
    names = drawable_names(bar.clustering for bar in bits.bars)
    best = [name for name, ties in zip(names, tied, strict=True) if ties]
    more = [f"{len(best) - 3} more"] * (len(best) > 3)
    text = f"{', '.join([*best[:3], *more])}: {bits.fewest.bits:.2f}"
    scale = ax.xaxis.get_transform().transform
    first, last = scale(ax.get_xlim())
    along, height = points_of(ax)
    half = (0.6 * text_width(text, size) + 2) / along * (last - first)
    at = float(scale([x[place]])[0])
    centre = min(max(at, first + half), last - half)
    reach = half + (width if width else 0)
    tops = _tops(bits)
    near = [top for one, top in zip(scale(x), tops, strict=True) if abs(one - centre) <= reach]
    levels = [level for level in (bits.perfect, bits.no_clusters) if level is not None]
    point = ax.get_ylim()[1] / height
    y = max(near) + 6 * point
    for level in sorted(levels):  # a line through the name would strike it out
        if y - 3 * point <= level <= y + 1.5 * size * point:
            y = level + 4 * point
    inverse = ax.xaxis.get_transform().inverted().transform
    ax.annotate(
        text, (x[place], tops[place]), xytext=(float(inverse([centre])[0]), y), ha="center",
        va="bottom", color=ink(ax), fontweight="bold", fontsize=small(),
    )  # fmt: skip
    line = {"arrowstyle": "-", "color": ink(ax), "shrinkA": 0, "shrinkB": 1}
    ax.annotate("", (x[place], tops[place]), xytext=(x[place], y), arrowprops=line)
    ax.set_ylim(0, max(ax.get_ylim()[1], y + 1.6 * size * point))


def _tops(bits: BitsOverClusters) -> list[float]:
    """Return where each bar ends, its interval included."""
    return [bar.bits if bar.high is None else max(bar.bits, bar.high) for bar in bits.bars]


def _set_ticks(ax: Any, ticks: Sequence[tuple[str, float]]) -> None:
    """Set as many ticks as fit, from the left; names are all set, and turned where long."""
    size = font_size()
    first, last = ax.get_xlim()
    point = (last - first) / points_of(ax)[0]
    if any("\n" in text for text, _ in ticks):
        turned = any(text_width(text, size) * point > 1 for text, _ in ticks)
        texts = [text.replace("\n", ", ") if turned else text for text, _ in ticks]
        ax.set_xticks([x for _, x in ticks], texts, rotation=90 if turned else 0)
        return
    kept: list[tuple[float, str]] = []
    end = -math.inf
    for text, x in ticks:
        half = (0.5 * text_width(text, size) + 2) * point
        if x - half >= end:
            kept.append((x, text))
            end = x + half
    ax.set_xticks(*zip(*kept, strict=True))
