"""Where the lines and bars of the report's figures go."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

from clusterbits.display.names import label_text
from clusterbits.display.tables import counted
from clusterbits.report.content import MergePath
from clusterbits.report.words import figures
from clusterbits.scoring.bits import BitsBar, BitsOverClusters

# The drawing of a path, in its own units.
_WIDTH, _HEIGHT, _EDGE = 600, 220, 14
# Margins of the bits over clusters: values on the left, levels on the right.
_LEFT, _RIGHT, _TOP, _BOTTOM = 34, 74, 22, 20
# The widest bar, the numbers of clusters with bars of their own, and the width of a tick's text.
_WIDEST, _MOST_SLOTS, _TICK = 22, 60, 22
# Characters of the best clustering's name, and their width.
_NAME, _CHARACTER = 28, 8
# "No clusters" is drawn as a line where it is at most so many times the highest bar.
_IN_SIGHT = 1.25


class Rectangle(NamedTuple):
    """A part of a bar."""

    y: float
    height: float


class DrawnBar(NamedTuple):
    """A bar: the bits of the classes below those of the table, and the interval of both."""

    x: float
    width: float
    labels: Rectangle
    table: Rectangle
    interval: tuple[float, float] | None
    series: int
    title: str


class BitsChart(NamedTuple):
    """Bits over the number of clusters, in the units of its view box.

    `ticks` and `grid` are places and their texts; `levels` are the levels of "perfect" and
    "no clusters", each with its text and whether it is in sight. `best` is the mark of the fewest
    bits: its name, where it stands, where its line starts and ends.
    """

    width: int
    height: int
    left: int
    right: int
    bars: tuple[DrawnBar, ...]
    ticks: tuple[tuple[float, str], ...]
    grid: tuple[tuple[float, str], ...]
    levels: tuple[tuple[float, str, str, bool], ...]
    best: tuple[str, float, float, float, float]


def make_bits_chart(bits: BitsOverClusters, width: int, height: int) -> BitsChart:
    """Return the chart of this size; of each series and number of clusters the fewest bits."""
    slots = _slots(bits)
    top = max(max(bar.bits, bar.high or 0.0) for some in slots for bar in some)
    if bits.no_clusters is not None and bits.no_clusters <= _IN_SIGHT * top:
        top = max(top, bits.no_clusters)
    top = max(top, bits.perfect or 0.0) or 1.0
    floor, room = height - _BOTTOM, height - _BOTTOM - _TOP
    right = width - _RIGHT

    def across(value: float) -> float:
        return round(floor - value / top * room, 1)

    slot = (right - _LEFT) / len(slots)
    side = max(len(bits.series), 1)
    wide = round(min(_WIDEST, slot * 0.8 / side), 2)
    bars, ticks, every = [], [], math.ceil(_TICK / slot)
    for place, some in enumerate(slots):
        centre = _LEFT + (place + 0.5) * slot
        left = centre - wide * len(some) / 2
        bars += [
            _bar(bar, left + i * wide, wide, bits.series.index(bar.series), across)
            for i, bar in enumerate(some)
        ]
        ticks.append((round(centre, 1), f"{some[0].clusters:,}" if place % every == 0 else ""))
    flat = [bar for some in slots for bar in some]
    return BitsChart(
        width,
        height,
        _LEFT,
        right,
        tuple(bars),
        tuple(ticks),
        tuple((across(value), f"{value:g}") for value in _round_values(top)),
        _levels(bits, top, across),
        _best(bits, bars[flat.index(bits.fewest)], bars, right),
    )


def describe_drawn(bits: BitsOverClusters) -> str:
    """Return what the chart leaves out; nothing where every clustering has a bar of its own."""
    places = {(bar.clusters, bar.series) for bar in bits.bars}
    sizes = len({bar.clusters for bar in bits.bars})
    said = ""
    if len(places) < len(bits.bars):
        said = "Of several clusterings with the same number of clusters, the best is drawn."
    if (drawn := len(_slots(bits))) < sizes:
        said += f" {drawn} of {sizes:,} numbers of clusters are drawn."
    return said.strip()


def _slots(bits: BitsOverClusters) -> list[list[BitsBar]]:
    """Return the bars by number of clusters, and of each series the one with the fewest bits."""
    best: dict[tuple[int, int], BitsBar] = {}
    for bar in sorted(bits.bars, key=lambda bar: bar.bits):
        best.setdefault((bar.clusters, bits.series.index(bar.series)), bar)
    if bits.fewest not in best.values():  # of equal ones, another came first
        best[bits.fewest.clusters, bits.series.index(bits.fewest.series)] = bits.fewest
    slots: dict[int, list[BitsBar]] = {}
    for (clusters, _), bar in sorted(best.items()):
        slots.setdefault(clusters, []).append(bar)
    if len(slots) <= _MOST_SLOTS:
        return list(slots.values())
    step = (len(slots) - 1) / (_MOST_SLOTS - 1)
    kept = {list(slots)[round(i * step)] for i in range(_MOST_SLOTS)} | {bits.fewest.clusters}
    return [some for clusters, some in slots.items() if clusters in kept]


def _bar(bar: BitsBar, x: float, wide: float, series: int, across: Any) -> DrawnBar:
    zero, middle, top = across(0.0), across(bar.label_bits), across(bar.bits)
    title = (
        f"{label_text(bar.clustering)}: {counted(bar.clusters, 'cluster')}, {figures(bar.bits)} "
        f"bits, {figures(bar.label_bits)} for the classes, given the clusters, "
        f"{figures(bar.table_bits)} for the table of counts"
    )
    interval = None
    if bar.low is not None and bar.high is not None:
        interval = (across(max(bar.low, 0.0)), across(bar.high))
        title += f"; interval {figures(bar.low)} … {figures(bar.high)}"
    return DrawnBar(
        round(x, 1),
        round(max(wide - 1.5, wide / 2), 2),
        Rectangle(middle, round(zero - middle, 1)),
        Rectangle(top, round(middle - top, 1)),
        interval,
        series,
        title,
    )


def _round_values(top: float) -> list[float]:
    """Return about four round values from 0 up to the top."""
    size = 10.0 ** math.floor(math.log10(top / 3))
    step = next(size * times for times in (1, 2, 5, 10) if top / (size * times) <= 5)
    return [round(i * step, 12) for i in range(math.floor(top / step) + 1)]


def _levels(
    bits: BitsOverClusters, top: float, across: Any
) -> tuple[tuple[float, str, str, bool], ...]:
    found = []
    for text, value in (("perfect", bits.perfect), ("no clusters", bits.no_clusters)):
        if value is not None:
            seen = value <= top
            y = across(value) if seen else float(_TOP)
            found.append((y, text, figures(value) + ("" if seen else " ↑"), seen))
    return tuple(found)


def _best(
    bits: BitsOverClusters, own: DrawnBar, bars: Sequence[DrawnBar], right: int
) -> tuple[str, float, float, float, float]:
    """Return the name of the fewest bits, and its place above all bars that it would cover."""
    name = f"fewest bits: {label_text(bits.fewest.clustering, _NAME)}"
    half = len(name) * _CHARACTER / 2
    centre = own.x + own.width / 2
    x = min(max(centre, half), right + _RIGHT - half)

    def peak(bar: DrawnBar) -> float:
        return bar.interval[1] if bar.interval else bar.table.y

    near = [peak(bar) for bar in bars if bar.x < x + half and bar.x + bar.width > x - half]
    y = max(min(near) - 10, 11)
    return name, round(x, 1), round(y, 1), round(centre, 1), round(peak(own) - 3, 1)


def draw_path(path: MergePath) -> dict[str, Any]:
    """Return the coordinates of a path and the ends of its axes."""
    clusters, bits = zip(*path.points, strict=True)

    def scaled(value: float, low: float, high: float, size: int) -> float:
        share = (value - low) / (high - low) if high > low else 0.5
        return round(_EDGE + share * (size - 2 * _EDGE), 1)

    def across(k: int) -> float:
        if path.logarithmic:
            return scaled(math.log(k), math.log(clusters[-1]), math.log(clusters[0]), _WIDTH)
        return scaled(k, clusters[-1], clusters[0], _WIDTH)

    top, bottom = max(bits), min(bits)
    points = [
        (across(k), round(_HEIGHT - scaled(b, bottom, top, _HEIGHT), 1))
        for k, b in zip(clusters, bits, strict=True)
    ]
    return {
        "points": " ".join(f"{x:g},{y:g}" for x, y in points),
        "start": points[0],
        "best": points[path.best],
        "width": _WIDTH,
        "height": _HEIGHT,
        "top": top,
        "bottom": bottom,
        "first": clusters[0],
        "last": clusters[-1],
    }
