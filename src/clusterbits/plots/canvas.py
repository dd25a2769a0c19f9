"""What all plots share: the axes to draw on, colours, names, room for text, saved files."""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from functools import partial
from html import escape
from io import StringIO
from os import PathLike
from pathlib import Path
from textwrap import wrap
from typing import Any

from clusterbits.errors import import_extra
from clusterbits.system.atomic_files import write_file
from clusterbits.text.palette import GREEN, GREY, PINK, colour, follow_theme
from clusterbits.text.shortened import distinct_texts
from clusterbits.text.tables import short

# More rows than this are not all drawn, and the title says so.
MAX_ROWS = 40


def take_axes(
    ax: Any,
    rows: float = 0,
    columns: float = 0,
    beside: Iterable[str] = (),
    below: Iterable[str] = (),
) -> Any:
    """Return `ax`, or the axes of a new pyplot figure, which notebooks show.

    The new figure has the size of the user's style, or room for these rows and columns of text.
    It grows with the font, and with long texts beside the rows and turned below the columns.
    The figure of `ax` gets a layout if it has none, so that texts do not overlap.
    """
    if ax is not None:
        if ax.get_subplotspec() is not None and ax.figure.get_layout_engine() is None:
            ax.figure.canvas.figure.set_layout_engine("constrained")
        return ax
    plt = import_extra("matplotlib.pyplot", "drawing figures", "plot")
    size = plt.rcParams["font.size"]
    line = size / 72  # inches
    # The sizes of matplotlib's own style, 6.4 and 4.8, are made for a font of 10 points.
    width, height = (
        max(inches, min(inches, default) * size / 10)
        for inches, default in zip(plt.rcParams["figure.figsize"], (6.4, 4.8), strict=True)
    )
    longest = max(map(text_width, beside), default=0) / 72
    if columns:
        width = (2.5 * columns + 8) * line + max(longest, 6 * line)
    else:
        width += max(longest - 12 * line, 0)
    if rows:
        height = (1.6 * rows + 7) * line
    height += max(max(map(text_width, below), default=0) / 72 - 3 * line, 0)
    ax = plt.subplots(figsize=(width, height), layout="constrained")[1]
    ax.spines[["top", "right"]].set_visible(False)
    return ax


def rows_that_fit(ax: Any) -> int:
    """Return the number of rows of text that fit into the axes, at most `MAX_ROWS`.

    The room is their part of the figure, without the title, the legend and the labels below.
    """
    if ax is None:
        return MAX_ROWS
    line, height, taken = 1.35 * font_size(), points_of(ax)[1], 2
    if (subplot := ax.get_subplotspec()) is not None:  # the layout will change their height
        subplot, taken = subplot.get_topmost_subplotspec(), 6
        part = len(subplot.rowspan) / subplot.get_gridspec().nrows
        height = part * ax.figure.bbox.height * 72 / ax.figure.dpi
    return min(MAX_ROWS, max(int(height / line) - taken, 3))


def hue(ax: Any, name: str) -> str:
    """Return a colour of the palette as it is seen best on these axes.

    That of label bits ("labels") is the usual one, that of table bits ("table") is for emphasis.
    """
    return colour(name, is_dark(ax.get_facecolor()))


def hues(ax: Any) -> tuple[str, ...]:
    """Return colours that tell lines and markers apart."""
    return hue(ax, "labels"), hue(ax, "table"), GREEN, PINK, GREY


def ink(ax: Any) -> Any:
    """Return the colour of text and lines on these axes, whatever the style."""
    return ax.title.get_color()


def is_dark(shade: Any) -> bool:
    """Whether text on this colour should be light."""
    from matplotlib.colors import to_rgb

    red, green, blue = to_rgb(shade)
    return bool(0.299 * red + 0.587 * green + 0.114 * blue < 0.55)


def set_title(ax: Any, *lines: str) -> None:
    """Set a title of all lines with text; fold it and the label below to the width of the axes.

    To know it, the axes must have all their labels by now. What needs room comes later. Above one
    of several subplots a title is small and has at most two rows.
    """
    lay_out(ax)
    rows = _folded(ax, "\n".join(lines), _title_size(ax))
    if len(rows) > 2 and _is_subplot(ax):
        rows = [rows[0], f"{rows[1]} …"]
    ax.set_title("\n".join(rows), loc="left", fontsize=_title_size(ax))
    below = _folded(ax, ax.get_xlabel(), ax.xaxis.label.get_fontsize())
    ax.xaxis.label.set_text("\n".join(below))


def _folded(ax: Any, text: str, size: float) -> list[str]:
    """Return the rows of a text as wide as the axes."""
    width = max(int(points_of(ax)[0] / (0.54 * size)), 12)
    return [row for line in text.splitlines() for row in wrap(line, width)]


def _title_size(ax: Any) -> float:
    return font_size() if _is_subplot(ax) else float(ax.title.get_fontsize())


def _is_subplot(ax: Any) -> bool:
    """Whether the axes share the figure with others."""
    subplot = ax.get_subplotspec()
    return subplot is not None and (
        subplot.get_topmost_subplotspec().get_gridspec().get_geometry() != (1, 1)
    )


def lay_out(ax: Any) -> None:
    """Give the axes their final size next to their labels, if the figure has a layout."""
    figure = ax.figure
    if hasattr(figure, "get_layout_engine") and figure.get_layout_engine() is not None:
        # Like matplotlib when it draws, leave the axes as they are if there is no room at all.
        with warnings.catch_warnings(), suppress(ValueError):
            warnings.simplefilter("ignore")  # what is wrong in the end is said when it is drawn
            figure.get_layout_engine().execute(figure.canvas.figure)
    ax.apply_aspect()


def points_of(ax: Any) -> tuple[float, float]:
    """Return the width and height of the axes in points."""
    box, dpi = ax.get_window_extent(), ax.figure.dpi
    return box.width * 72 / dpi, box.height * 72 / dpi


def text_width(text: str) -> float:
    """Return the approximate width of a note of one or more lines in points."""
    return 0.6 * font_size() * max(map(len, text.splitlines()), default=0)


def font_size() -> float:
    """Return the font size of notes in points: that of tick labels in the user's style."""
    from matplotlib import rcParams
    from matplotlib.font_manager import FontProperties

    return float(FontProperties(size=rcParams["xtick.labelsize"]).get_size_in_points())


def add_legend(ax: Any) -> None:
    """Put a legend between the title and the axes, in as many columns as fit their width."""
    lay_out(ax)
    names = ax.get_legend_handles_labels()[1]
    size = font_size()
    widths, room = [text_width(name) + 3 * size for name in names], points_of(ax)[0]
    columns = len(names) if sum(widths) <= room else max(int(room / max(widths)), 1)
    ax.legend(
        loc="lower left", bbox_to_anchor=(0, 1), ncols=columns, frameon=False, fontsize=size,
        borderaxespad=0.2, borderpad=0.2, columnspacing=1, handlelength=1.2,
    )  # fmt: skip
    lines = -(-len(names) // columns)
    look = {"pad": (1.6 * lines + 0.5) * size, "fontsize": _title_size(ax)}
    ax.set_title(ax.get_title(loc="left"), loc="left", **look)


def add_room(ax: Any, points: float) -> None:
    """Move the right limit so that a note of this width in points fits next to the drawing."""
    width, (first, last) = points_of(ax)[0], ax.get_xlim()
    ax.set_xlim(first, first + (last - first) * width / max(width - points, 0.4 * width))


def count_along(ax: Any, counts: Sequence[int]) -> None:
    """Make the x axis one of these counts, logarithmic if their sizes differ much."""
    if max(counts) >= 30 * min(counts) and max(counts) > 100:
        ax.set_xscale("log")
        ax.xaxis.set_major_formatter("{x:,.0f}")
    else:
        ax.xaxis.get_major_locator().set_params(integer=True)


def note(
    ax: Any, text: str, point: tuple[float, float], offset: tuple[float, float], **look: Any
) -> Any:
    """Write a note a few points away from a point, in the style of tick labels."""
    usual = {
        "va": "center",
        "color": ink(ax),
        "fontsize": font_size(),
        "textcoords": "offset points",
    }
    return ax.annotate(text, point, xytext=offset, **usual | look)


def inner_side(ax: Any, x: float) -> str:
    """Return the alignment of a note at x that keeps it inside the axes."""
    share = (ax.transData + ax.transAxes.inverted()).transform((x, ax.get_ylim()[1]))[0]
    return "left" if share < 0.3 else "right" if share > 0.7 else "center"


def note_above(ax: Any, name: str, value: float) -> None:
    """Write at the upper right what lies above the axes."""
    edge = {"xycoords": "axes fraction", "annotation_clip": False}
    note(ax, f"{name}\n{value:.2f} ↑", (1, 1), (4, 0), va="top", **edge)


def drawable(name: Any, width: int = 24) -> str:
    """Return a name that matplotlib can draw: no formulas between dollar signs, no surrogates."""
    return _escaped(short(name, width))


def drawable_names(names: Iterable[Any], width: int = 24) -> list[str]:
    """Return the names as matplotlib can draw them; long ones are told apart."""
    return list(map(_escaped, distinct_texts(list(names), width)))


def _escaped(text: str) -> str:
    # Legends leave out names that begin with an underscore.
    text = f" {text}" if text.startswith("_") else text
    return text.encode("utf-8", "replace").decode().replace("$", r"\$")


def save_figure(figure: Any, path: str | PathLike[str]) -> None:
    """Write the figure to path.png and path.svg; the same figure gives the same bytes."""
    import matplotlib

    target = Path(path)
    for kind, metadata in (("png", {"Software": None}), ("svg", {"Date": None})):
        write = partial(figure.savefig, format=kind, dpi=160, metadata=metadata)
        with matplotlib.rc_context({"svg.hashsalt": "clusterbits"}), warnings.catch_warnings():
            _allow_missing_letters()
            write_file(target.with_name(f"{target.name}.{kind}"), write)


# Plots of a page look as its text and tables do, in the light theme.
_PAGE = {
    "font.size": 12,
    "text.color": colour("ink"),
    "axes.labelcolor": colour("quiet"),
    "axes.labelsize": 12,
    "axes.edgecolor": colour("line"),
    "axes.facecolor": colour("paper"),
    "axes.grid": True,
    "axes.grid.axis": "y",
    "axes.spines.left": False,
    "axes.spines.right": False,
    "axes.spines.top": False,
    "figure.facecolor": colour("paper"),
    "grid.color": colour("line"),
    "xtick.color": colour("quiet"),
    "xtick.major.size": 0,
    "ytick.color": colour("quiet"),
    "ytick.major.size": 0,
    "svg.fonttype": "none",
}


def draw_on_page(
    draw: Callable[[Any], Any], size: tuple[int, int], name: str, describe: str
) -> str:
    """Return the plot of `draw`, a function of axes, as an ``svg`` element of a size in pixels.

    It follows the theme and the font of its page, and has the same bytes each time. Its `name`, a
    class of the element, is unique on the page.
    """
    figures = import_extra("matplotlib.figure", "the report", "report")
    from matplotlib import style

    target = StringIO()
    with style.context(["default", _PAGE | {"svg.hashsalt": name}]), warnings.catch_warnings():
        _allow_missing_letters()
        inches = size[0] / 72, size[1] / 72  # SVG measures in points
        figure = figures.Figure(figsize=inches, dpi=72, layout="constrained")
        draw(figure.subplots())
        figure.savefig(target, format="svg", metadata={"Date": None})
    svg = target.getvalue()
    svg = svg[svg.index("<g id=") :]
    svg = re.sub('<(g|use) id="[^"]*"', r"<\1", svg)  # other plots have the same ids
    svg = re.sub('font-family: [^;"]*;? ?', "", svg).replace("xlink:href", "href")
    box = f'viewBox="0 0 {size[0]} {size[1]}" role="img" aria-label="{escape(describe)}"'
    return f'<svg class="{name}" {box}>{follow_theme(svg)}'


def _allow_missing_letters() -> None:
    # A label in a script that the font lacks shows as boxes; we cannot help that.
    warnings.filterwarnings("ignore", message="Glyph .* missing from")
