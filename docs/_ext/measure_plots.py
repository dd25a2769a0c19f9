"""A small plot of every measure on the paper's family, as SVG in the colours of the page.

Left the number of clusters varies, right the share of misplaced objects. The drawing has no
colours of its own: `measures.css` takes them from the theme, light or dark.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from html import escape
from typing import NamedTuple

import numpy as np

from clusterbits import Contingency
from clusterbits.measures.declaration import Measure
from clusterbits.paper import Model

OBJECTS, CLASSES = 500, 5
CLUSTERS = range(2, 13)
SHARES = [step / 20 for step in range(15)]  # up to 70 per cent
ERRORS = 0.2  # of the second line of the left plot
NOISE_CLUSTERS = 2

CAPTION = (
    f"{OBJECTS} objects in {CLASSES} equal classes, the "
    "[family of models](../../explanation/theory.md) of Dom's paper. Left: {left} to {right} "
    "clusters, all pure (solid) or with "
    f"{ERRORS:.0%} of the objects in wrong clusters (dashed); the vertical line marks as many "
    "clusters as classes. Right: one cluster for each class, and a growing share of the objects "
    f"in wrong clusters (solid) or in {NOISE_CLUSTERS} noise clusters (dashed)."
).format(left=CLUSTERS[0], right=CLUSTERS[-1])

Points = list[tuple[float, float]]

# Of the drawing, in its own units.
WIDTH, HEIGHT = 660, 250
PANEL_WIDTH, PANEL_HEIGHT, TOP = 250, 170, 26
LEFTS = (56, 392)


class Curves(NamedTuple):
    """What the plot of a measure shows: two lines in each panel."""

    pure: Points
    mixed: Points
    wrong: Points
    noise: Points


def follow(measure: Measure) -> Curves:
    """Return a measure's values over the number of clusters and over the share of errors."""

    def value(useful: int, noise: int = 0, epsilon1: float = 0, epsilon2: float = 0) -> float:
        table = Model(CLASSES, useful, noise, epsilon1, epsilon2).expected(OBJECTS)
        if measure.weights != "any":
            table = Contingency.from_counts(np.rint(table.to_dense()).astype(int))
        return measure.score_table(table)

    return Curves(
        [(k, value(useful=k)) for k in CLUSTERS],
        [(k, value(useful=k, epsilon1=ERRORS)) for k in CLUSTERS],
        [(share, value(useful=CLASSES, epsilon1=share)) for share in SHARES],
        [
            (share, value(useful=CLASSES, noise=NOISE_CLUSTERS if share else 0, epsilon2=share))
            for share in SHARES
        ],
    )


def describe(curves: Curves) -> str:
    """Return the plot in words, for those who do not see it."""
    pure, mixed = dict(curves.pure), dict(curves.mixed)
    few, many = CLUSTERS[0], CLUSTERS[-1]

    def course(values: dict[float, float]) -> str:
        return (
            f"{values[few]:.3g} with {few} clusters, {values[CLASSES]:.3g} with {CLASSES} and "
            f"{values[many]:.3g} with {many}"
        )

    last = f"{SHARES[-1]:.0%}"
    return (
        f"Pure clusters: {course(pure)}. With {ERRORS:.0%} errors: {course(mixed)}. "
        f"One cluster for each class: {curves.wrong[0][1]:.3g} without errors, "
        f"{curves.wrong[-1][1]:.3g} with {last} of the objects in wrong clusters, "
        f"{curves.noise[-1][1]:.3g} with {last} in noise clusters."
    )


def draw(measure: Measure) -> str:
    """Return the plot of a measure as SVG."""
    curves = follow(measure)
    values = [y for points in curves for _, y in points]
    ticks = choose_ticks(min(values), max(values))
    direction = f", {measure.better} is better" if measure.better else ""
    left = Panel(LEFTS[0], CLUSTERS[0], CLUSTERS[-1], ticks)
    right = Panel(LEFTS[1], 0, SHARES[-1], ticks)
    name = escape(measure.name)
    label = escape(f"{measure.name} over clusters and errors. {describe(curves)}", quote=True)
    box = f"0 0 {WIDTH} {HEIGHT}"
    parts = [
        f'<svg class="measure-plot" viewBox="{box}" role="img" aria-label="{label}">',
        f'<text x="{LEFTS[0]}" y="14">{name}{direction}</text>',
        left.frame("number of clusters", [2, 5, 8, 11], "{:g}"),
        left.mark(CLASSES),
        left.line(curves.pure, "first"),
        left.line(curves.mixed, "second"),
        right.frame("share of objects misplaced", [0, 0.2, 0.4, 0.6], "{:.0%}"),
        right.line(curves.wrong, "first"),
        right.line(curves.noise, "second"),
        "</svg>",
    ]
    return "".join(parts)


class Panel(NamedTuple):
    """One of the two plots: where it is, and the ranges of its axes."""

    left: int
    low: float
    high: float
    ticks: Sequence[float]

    def x(self, value: float) -> str:
        return f"{self.left + PANEL_WIDTH * (value - self.low) / (self.high - self.low):.1f}"

    def y(self, value: float) -> str:
        low, high = self.ticks[0], self.ticks[-1]
        return f"{TOP + PANEL_HEIGHT * (high - value) / (high - low):.1f}"

    def frame(self, title: str, marks: Sequence[float], form: str) -> str:
        """Return the grid, the axes' numbers and the title below."""
        right, bottom = self.left + PANEL_WIDTH, TOP + PANEL_HEIGHT
        decimals = max(0, -math.floor(math.log10(self.ticks[1] - self.ticks[0])))
        rows = (
            f'<path class="grid" d="M{self.left} {self.y(tick)}H{right}"/>'
            f'<text class="number" x="{self.left - 6}" y="{self.y(tick)}" dy="0.35em">'
            f"{tick + 0.0:.{decimals}f}</text>"
            for tick in self.ticks
        )
        columns = (
            f'<text class="middle" x="{self.x(mark)}" y="{bottom + 18}">{form.format(mark)}</text>'
            for mark in marks
        )
        middle = self.left + PANEL_WIDTH / 2
        below = f'<text class="middle" x="{middle}" y="{bottom + 40}">{title}</text>'
        return "".join((*rows, *columns, below))

    def mark(self, value: float) -> str:
        """Return a vertical line."""
        return f'<path class="mark" d="M{self.x(value)} {TOP}v{PANEL_HEIGHT}"/>'

    def line(self, points: Points, kind: str) -> str:
        """Return a line through the points."""
        path = " ".join(f"{self.x(x)},{self.y(y)}" for x, y in points)
        return f'<polyline class="{kind}" points="{path}"/>'


def choose_ticks(low: float, high: float) -> list[float]:
    """Return up to seven round numbers, the first and the last around the values.

    >>> choose_ticks(0.31, 1)
    [0.2, 0.4, 0.6, 0.8, 1.0]
    """
    if high - low < 1e-9 * max(1.0, abs(high)):  # the same everywhere
        low, high = low - 0.5, high + 0.5
    rough = (high - low) / 5
    unit = 10.0 ** math.floor(math.log10(rough))
    step = unit * next(factor for factor in (1, 2, 5, 10) if factor * unit >= rough * (1 - 1e-9))
    first, last = math.floor(low / step + 1e-9), math.ceil(high / step - 1e-9)
    return [round(step * i, 12) for i in range(first, last + 1)]
