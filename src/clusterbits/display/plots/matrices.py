"""Tables as heat maps: counts, pairs of labelings, and marks of report cards."""

from __future__ import annotations

from itertools import product
from typing import TYPE_CHECKING, Any

import numpy as np

from clusterbits.display.plots.canvas import (
    AMBER,
    BLUE,
    RED,
    drawable,
    drawable_names,
    ink,
    is_dark,
    set_title,
    small,
    take_axes,
)
from clusterbits.display.tables import brief

if TYPE_CHECKING:
    from clusterbits.core.excerpt import Excerpt
    from clusterbits.desiderata.card import Card
    from clusterbits.scoring.square import Pairwise

# Squares up to this side have their values written in the cells.
_MOST_WRITTEN = 15
# Names that fit on a side.
_MOST_NAMES = 40
# Marks and tints of a card's outcomes: they differ by sign, by colour and by strength.
_MARKS = {"pass": "✓", "fail": "✗", "ties": "=", "n/a": "–"}
_TINTS = {"pass": (BLUE, 0.18), "fail": (RED, 0.65), "ties": (AMBER, 0.55)}


def draw_excerpt(excerpt: Excerpt, ax: Any = None) -> Any:
    """Draw classes down, clusters across, ordered so that the matching shows as a staircase.

    The larger its share of the cluster, the stronger the colour of a cell.
    """
    height, width = excerpt.counts.shape
    written = height * width <= 400
    ax = take_axes(ax, height + 3, max(width if written else 0.7 * width, 7))
    image = ax.imshow(excerpt.shares, cmap=_palette(ax), vmin=0, vmax=1, aspect="auto")
    _name_sides(ax, drawable_names(excerpt.classes), drawable_names(excerpt.clusters))
    ax.set_xlabel("cluster")
    ax.set_ylabel("class")
    ax.figure.colorbar(image, ax=ax, shrink=0.8).set_label("share of the cluster")
    if written:
        counts = excerpt.counts.tolist()
        for i, j in np.argwhere(excerpt.counts).tolist():
            _write(ax, image, i, j, excerpt.shares[i, j], brief(counts[i][j]))
    set_title(ax, excerpt.caption)
    return ax


def draw_pairwise(square: Pairwise, ax: Any = None) -> Any:
    """Draw the square of `clusterbits.pairwise`: the better a value, the stronger its colour.

    Up to 15 labelings have their values written in the cells. Where the order of a pair matters,
    the truth is down and the clustering across.
    """
    values, many = square.values, len(square.names)
    side = max(many, 6) if many <= _MOST_WRITTEN else 0.5 * min(max(many, 28), _MOST_NAMES)
    ax = take_axes(ax, 1.6 * side, side)
    lower = square.better == "lower"
    palette = _palette(ax)
    image = ax.imshow(values, cmap=palette.reversed() if lower else palette)
    names = drawable_names(square.names)
    _name_sides(ax, names, names)
    if not square.symmetric:
        ax.set_xlabel("clustering")
        ax.set_ylabel("truth")
    bar = ax.figure.colorbar(image, ax=ax, shrink=0.8)
    if lower:
        bar.ax.invert_yaxis()
    direction = f" ({square.better} is better)" if square.better else ""
    bar.set_label(f"{square.measure}{direction}")
    if many <= _MOST_WRITTEN:
        for i, j in product(range(many), repeat=2):
            value = values[i, j]
            _write(ax, image, i, j, value, "–" if np.isnan(value) else f"{value:.2f}")
    return ax


def draw_cards(cards: tuple[Card, ...], title: str, ax: Any = None) -> Any:
    """Draw criteria down, measures across: ✓ passes, ✗ fails, = ties, – does not apply.

    A single card has its counts written out. Where there are more measures than criteria, measures
    go down.
    """
    criteria = [verdict.criterion for verdict in cards[0].verdicts]
    measures = [drawable(card.measure, 36) for card in cards]
    grid = [[card[name] for card in cards] for name in criteria]
    down, across = criteria, measures
    if len(measures) > len(criteria):
        grid, down, across = [list(row) for row in zip(*grid, strict=True)], measures, criteria
    rows, columns = len(down), len(across)
    single = len(cards) == 1
    ax = take_axes(ax, rows + 8, 6 if single else max(1.6 * columns, 6))
    for i, j in product(range(rows), range(columns)):
        verdict = grid[i][j]
        colour, alpha = _TINTS.get(verdict.outcome, (ink(ax), 0.0))
        ax.barh(i, 0.94, left=j - 0.47, height=0.9, color=colour, alpha=alpha)
        mark = _MARKS.get(verdict.outcome, verdict.finding)
        ax.text(
            j, i, verdict.mark if single else mark, ha="center", va="center", color=ink(ax),
            fontsize=small() if verdict.outcome != "found" or single else "x-small",
            # matplotlib's own font has these signs.
            fontfamily="DejaVu Sans",
        )  # fmt: skip
    ax.set_xlim(-0.5, columns - 0.5)
    ax.set_ylim(rows - 0.5, -0.5)
    _name_sides(ax, down, across, most=max(rows, columns))
    ax.set_xlabel("✓ passes   ✗ fails   = ties\n– does not apply", fontfamily="DejaVu Sans")
    if single:
        ax.set_xticks([])
    set_title(ax, title)
    return ax


def _palette(ax: Any) -> Any:
    """Return the colours from weak to strong: darker on light backgrounds, lighter on dark ones."""
    from matplotlib import colormaps

    return colormaps["Blues_r" if is_dark(ax.get_facecolor()[:3]) else "Blues"]


def _name_sides(ax: Any, rows: list[str], columns: list[str], most: int = _MOST_NAMES) -> None:
    """Name rows and columns; of very many, every so manieth."""
    for names, ticks, options in (
        (rows, ax.set_yticks, {}),
        (columns, ax.set_xticks, {"rotation": 90 if max(map(len, columns)) > 3 else 0}),
    ):
        step = -(-len(names) // most)
        ticks(range(0, len(names), step), names[::step], **options)
    ax.tick_params(length=0)
    ax.spines[:].set_visible(False)
    ax.grid(visible=False)


def _write(ax: Any, image: Any, i: int, j: int, value: float, text: str) -> None:
    """Write a text into a cell, light on dark colours."""
    cell = ink(ax) if np.isnan(value) else None
    if cell is None:
        cell = "white" if is_dark(image.cmap(image.norm(value))[:3]) else "black"
    ax.text(j, i, text, ha="center", va="center", color=cell, fontsize=small())
