"""Tables as heat maps: counts, pairs of labelings, and marks of report cards."""

from __future__ import annotations

from itertools import product
from typing import TYPE_CHECKING, Any

import numpy as np

from clusterbits.plots import canvas
from clusterbits.table.contingency import Contingency
from clusterbits.table.excerpt import Excerpt, excerpt_of, part_of
from clusterbits.text.tables import brief

if TYPE_CHECKING:
    from clusterbits.explanation.matches import Match
    from clusterbits.paper.cards.card import Card, Cards
    from clusterbits.scoring.pairwise_scores import Pairwise

# Squares up to this side have their values written in the cells.
_MAX_WRITTEN = 15
# Letters are made smaller down to these shares of their size: names, and texts in cells.
_SMALLEST_NAME, _SMALLEST_TEXT = 0.65, 0.5
# Marks and tints of a card's outcomes: they differ by sign, by colour and by strength.
_MARKS = {"pass": "✓", "fail": "✗", "ties": "=", "n/a": "–"}
_TINTS = {"pass": ("labels", 0.18), "fail": ("bad", 0.65), "ties": ("table", 0.55)}


def draw_table(table: Contingency, ax: Any = None) -> Any:
    """Draw classes down, clusters across, ordered so that the matching shows as a staircase.

    The larger its share of the cluster, the stronger the colour of a cell. If the table is large,
    its largest clusters are drawn.
    """
    return _draw_excerpt(excerpt_of(table, canvas.MAX_ROWS, canvas.MAX_ROWS), ax)


def draw_match(match: Match, ax: Any = None) -> Any:
    """Draw the confusion matrix, matched clusters on the diagonal; of the largest classes."""
    table = match.table
    largest = np.argsort(-table.class_sizes, kind="stable")[: canvas.MAX_ROWS]
    cells = match.cells[np.isin(table.rows[match.cells], largest)]
    classes, clusters = table.rows[cells], table.columns[cells]
    excerpt = part_of(
        table,
        np.append(classes, np.setdiff1d(largest, classes)),
        np.append(clusters, np.setdiff1d(np.arange(table.shape[1]), clusters))[: canvas.MAX_ROWS],
    )
    return _draw_excerpt(excerpt, ax)


def _draw_excerpt(excerpt: Excerpt, ax: Any) -> Any:
    height, width = excerpt.counts.shape
    written = height * width <= 400
    classes, clusters = map(canvas.drawable_names, (excerpt.classes, excerpt.clusters))
    columns = max(width if written else 0.7 * width, 7)
    ax = canvas.take_axes(ax, height + 3, columns, beside=classes, below=_turned(clusters))
    image = ax.imshow(excerpt.shares, cmap=_palette(ax), vmin=0, vmax=1, aspect="auto")
    _name_sides(ax, classes, clusters)
    ax.set_xlabel("cluster")
    ax.set_ylabel("class")
    _add_scale(ax, image).set_label("share of the cluster")
    canvas.set_title(ax, excerpt.caption)
    _fit_names(ax)
    if written:
        counts = excerpt.counts.tolist()
        cells = {(i, j): brief(counts[i][j]) for i, j in np.argwhere(excerpt.counts).tolist()}
        _write(ax, cells, lambda i, j: _contrast(ax, image, excerpt.shares.item(i, j)))
    return ax


def draw_pairwise(square: Pairwise, ax: Any = None) -> Any:
    """Draw the square of `clusterbits.pairwise`: the better a value, the stronger its colour.

    Up to 15 labelings have their values written in the cells, if they fit. If the order of a
    pair matters, the truth is down and the clustering across.
    """
    values, n = square.values, len(square.names)
    side = max(n, 6) if n <= _MAX_WRITTEN else 0.5 * min(max(n, 28), canvas.MAX_ROWS)
    names = canvas.drawable_names(square.names)
    ax = canvas.take_axes(ax, 1.6 * side, side, beside=names, below=_turned(names))
    lower = square.better == "lower"
    palette = _palette(ax)
    image = ax.imshow(values, cmap=palette.reversed() if lower else palette)
    _name_sides(ax, names, names)
    if not square.symmetric:
        ax.set_xlabel("clustering")
        ax.set_ylabel("truth")
    bar = _add_scale(ax, image)
    if lower:
        bar.ax.invert_yaxis()
    direction = f" ({square.better} is better)" if square.better else ""
    bar.set_label(f"{square.measure}{direction}")
    _fit_names(ax)
    if n <= _MAX_WRITTEN:
        cells = {
            (i, j): "–" if np.isnan(values[i, j]) else f"{values[i, j]:.2f}"
            for i, j in product(range(n), repeat=2)
        }
        _write(ax, cells, lambda i, j: _contrast(ax, image, values.item(i, j)))
    return ax


def draw_cards(result: Card | Cards, ax: Any = None) -> Any:
    """Draw criteria down, measures across: ✓ passes, ✗ fails, = ties, – does not apply.

    A single card has its counts written out.
    """
    cards: list[Any] = [result] if hasattr(result, "measure") else list(result)
    criteria = list(cards[0].keys())
    measures = [canvas.drawable(card.measure, 36) for card in cards]
    rows, columns, single = len(criteria), len(measures), len(cards) == 1
    below = [] if single else _turned(measures)
    ax = canvas.take_axes(ax, rows + 4, max(1.6 * columns, 6), beside=criteria, below=below)
    cells = {}
    for i, j in product(range(rows), range(columns)):
        verdict = cards[j][criteria[i]]
        name, alpha = _TINTS.get(verdict.outcome, ("labels", 0.0))
        ax.barh(i, 0.94, left=j - 0.47, height=0.9, color=canvas.hue(ax, name), alpha=alpha)
        mark = _MARKS.get(verdict.outcome, verdict.finding)
        cells[i, j] = verdict.mark if single else mark
    ax.set_xlim(-0.5, columns - 0.5)
    ax.set_ylim(rows - 0.5, -0.5)
    _name_sides(ax, criteria, measures)
    ax.set_xlabel("✓ passes   ✗ fails   = ties\n– does not apply", fontfamily="DejaVu Sans")
    if single:
        ax.set_xticks([])
    canvas.set_title(ax, result.title)
    _fit_names(ax)
    # matplotlib's own font has these signs.
    _write(ax, cells, lambda i, j: canvas.ink(ax), fontfamily="DejaVu Sans")
    return ax


def _palette(ax: Any) -> Any:
    """Return the colours from weak to strong: darker on light backgrounds, lighter on dark ones."""
    from matplotlib import colormaps

    return colormaps["Blues_r" if canvas.is_dark(ax.get_facecolor()[:3]) else "Blues"]


def _add_scale(ax: Any, image: Any) -> Any:
    """Draw the scale of the colours next to the axes, as part of them, so that any layout fits."""
    return ax.figure.colorbar(image, cax=ax.inset_axes((1.04, 0.1, 0.05, 0.8)))


def _turned(names: list[str]) -> list[str]:
    """Return the names below columns if they are turned, as long ones are."""
    return names if max(map(len, names)) > 3 else []


def _name_sides(ax: Any, rows: list[str], columns: list[str]) -> None:
    """Name rows and columns."""
    ax.set_yticks(range(len(rows)), rows)
    ax.set_xticks(range(len(columns)), columns, rotation=90 if _turned(columns) else 0)
    ax.tick_params(length=0)
    ax.spines[:].set_visible(False)
    ax.grid(visible=False)


def _fit_names(ax: Any) -> None:
    """Make names smaller, then fewer, if they would overlap."""
    canvas.lay_out(ax)
    size = canvas.font_size()
    for axis, limits, extent in zip(
        (ax.xaxis, ax.yaxis), (ax.get_xlim(), ax.get_ylim()), canvas.points_of(ax), strict=True
    ):
        ticks, names = axis.get_ticklocs(), [label.get_text() for label in axis.get_ticklabels()]
        if len(ticks) < 2:
            continue
        flat = axis is ax.xaxis and not _turned(names)
        need = max(map(canvas.text_width, names)) + 0.5 * size if flat else 1.15 * size
        room = extent * (ticks[1] - ticks[0]) / abs(limits[1] - limits[0])
        scale = max(min(room / need, 1), _SMALLEST_NAME)
        step = int(-(-scale * need // room))
        axis.set_ticks(ticks[::step], names[::step], fontsize=scale * size)


def _write(ax: Any, cells: dict[tuple[int, int], str], colour: Any, **font: Any) -> None:
    """Write texts into cells, in letters that fit; none if they would be too small."""
    width, height = canvas.points_of(ax)
    across, down = (abs(b - a) for a, b in (ax.get_xlim(), ax.get_ylim()))
    size = canvas.font_size()
    widest = max(map(canvas.text_width, set(cells.values()))) + 0.3 * size
    scale = min(width / across / widest, height / down / (1.05 * size), 1)
    if scale >= _SMALLEST_TEXT:
        for (i, j), text in cells.items():
            ax.text(
                j, i, text, ha="center", va="center", color=colour(i, j), fontsize=scale * size,
                in_layout=False, **font,  # inside the axes, and slow to measure
            )  # fmt: skip


def _contrast(ax: Any, image: Any, value: float) -> Any:
    """Return the colour of text in a cell of this value: light on dark colours."""
    if np.isnan(value):
        return canvas.ink(ax)
    return "white" if canvas.is_dark(image.cmap(image.norm(value))[:3]) else "black"
