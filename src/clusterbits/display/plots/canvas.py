"""What all pictures share: the axes to draw on, colours, names, room for text, saved files."""

from __future__ import annotations

import warnings
from collections.abc import Iterable
from functools import partial
from os import PathLike
from textwrap import fill
from typing import Any

from clusterbits.atomic import write_file
from clusterbits.display.tables import short
from clusterbits.errors import MeasureError, MissingExtraError, as_path

# Two colours that stand out on white and on black, and differ in greyscale; and one for failures.
BLUE, AMBER, RED = "#3b76b5", "#e0a53a", "#c8502d"
# The figures of the paper, on white.
DARK, LINE = "#20466b", "0.6"
# Merge paths from more clusters than this have a logarithmic axis.
LINEAR = 60
# Rows past this many are left out, and the picture says so.
MOST = 40


def take_axes(ax: Any, rows: float = 0, columns: float = 0) -> Any:
    """Return the axes given, or those of a new pyplot figure, which notebooks show.

    The new figure has the size of the user's style, or room for so many rows and columns of text.
    """
    if ax is not None:
        if not hasattr(ax, "get_xlim"):
            raise MeasureError(f"ax={ax!r}: one matplotlib Axes, such as that of plt.subplots().")
        return ax
    try:
        import matplotlib.pyplot as plt
    except ImportError:
        raise MissingExtraError("drawing figures", "report") from None
    line = plt.rcParams["font.size"] / 72  # inches
    width, height = plt.rcParams["figure.figsize"]
    if rows:
        height = (1.6 * rows + 7) * line
    if columns:
        width = (2.5 * columns + 14) * line
    ax = plt.subplots(figsize=(width, height), layout="constrained")[1]
    ax.spines[["top", "right"]].set_visible(False)
    return ax


def rows_that_fit(ax: Any) -> int:
    """Return how many rows of text to draw: as many as given axes are high, at most `MOST`."""
    if not hasattr(ax, "get_window_extent"):
        return MOST
    return min(MOST, max(int(points_of(ax)[1] / (1.35 * font_size())) - 2, 3))


def new_figure(
    rows: int, columns: int, size: tuple[float, float], **options: Any
) -> tuple[Any, Any]:
    """Return a figure and its axes, without matplotlib's global state."""
    try:
        from matplotlib.figure import Figure
    except ImportError:
        raise MissingExtraError("drawing figures", "report") from None
    ratios = options.pop("width_ratios", None)
    figure = Figure(figsize=size, layout="constrained")
    axes = figure.subplots(rows, columns, squeeze=False, width_ratios=ratios, **options).ravel()
    for axis in axes:
        axis.spines[["top", "right"]].set_visible(False)
    return figure, axes


def ink(ax: Any) -> Any:
    """Return the colour of text and lines on these axes, whatever the style."""
    return ax.title.get_color()


def small() -> Any:
    """Return the font size of notes: that of tick labels in the user's style."""
    import matplotlib

    return matplotlib.rcParams["xtick.labelsize"]


def is_dark(colour: Any) -> bool:
    """Return whether text on this colour should be light."""
    from matplotlib.colors import to_rgb

    red, green, blue = to_rgb(colour)
    return bool(0.299 * red + 0.587 * green + 0.114 * blue < 0.55)


def set_title(ax: Any, text: str) -> None:
    """Set a title of one or more lines; fold it and the label below to the width of the axes.

    To know it, the axes must have all their labels by now. What needs room comes later.
    """
    _lay_out(ax)
    ax.set_title(_folded(ax, text, ax.title.get_fontsize()), loc="left")
    ax.xaxis.label.set_text(_folded(ax, ax.get_xlabel(), ax.xaxis.label.get_fontsize()))


def _folded(ax: Any, text: str, size: float) -> str:
    width = max(int(points_of(ax)[0] / (0.54 * size)), 12)
    return "\n".join(fill(line, width) for line in text.splitlines())


def _lay_out(ax: Any) -> None:
    """Give the axes the size they will have beside their labels, where the figure has a layout."""
    figure = ax.figure
    if hasattr(figure, "get_layout_engine") and figure.get_layout_engine() is not None:
        with warnings.catch_warnings():
            _allow_missing_letters()
            figure.canvas.figure.draw_without_rendering()


def points_of(ax: Any) -> tuple[float, float]:
    """Return the width and height of the axes in points."""
    box, dpi = ax.get_window_extent(), ax.figure.dpi
    return box.width * 72 / dpi, box.height * 72 / dpi


def text_width(text: str, size: float) -> float:
    """Return about how many points a text is wide, rather more than less."""
    return 0.56 * size * max(map(len, text.splitlines()), default=0)


def font_size() -> float:
    """Return the size of notes in points."""
    from matplotlib.font_manager import FontProperties

    return float(FontProperties(size=small()).get_size_in_points())


def add_room(ax: Any, *, right: float = 0, bottom: float = 0, top: float = 0) -> None:
    """Move the limits of the axes outward by so many points, to make room for text."""
    width, height = points_of(ax)
    ax.set_xlim(_widened(ax.get_xlim(), ax.xaxis.get_transform(), width, 0, right))
    ax.set_ylim(_widened(ax.get_ylim(), ax.yaxis.get_transform(), height, bottom, top))


def _widened(
    limits: tuple[float, float], scale: Any, size: float, before: float, after: float
) -> list[float]:
    if not before and not after:
        return list(limits)
    first, last = scale.transform(limits)
    point = (last - first) / max(size - before - after, 0.3 * size)
    found: list[float] = scale.inverted().transform([first - before * point, last + after * point])
    return list(found)


def add_legend(ax: Any, side: str = "right", beside: float = 0) -> None:
    """Put a legend above all that is drawn, in as few lines as fit beside so many points."""
    size = font_size()
    widths = [text_width(name, size) + 3 * size for name in ax.get_legend_handles_labels()[1]]
    room = points_of(ax)[0] - beside
    columns = len(widths) if sum(widths) <= room else max(int(room / max(widths)), 1)
    below = 1.5 if beside and max(widths) > room else 0.1  # in lines
    add_room(ax, top=(1.4 * -(-len(widths) // columns) + 0.6 + below) * size)
    ax.legend(
        loc=f"upper {side}", ncols=columns, frameon=False, borderaxespad=below, fontsize=size,
        columnspacing=1, handlelength=1.2,
    )  # fmt: skip


def point_up(ax: Any, text: str) -> None:
    """Write a note with an arrow at the top left: what lies above the axes."""
    options = {"xycoords": "axes fraction", "textcoords": "offset points"}
    size = font_size()
    ax.annotate(
        text, (0.02, 1), xytext=(7, -0.2 * size), va="top", color=ink(ax), fontsize=size, **options
    )
    arrow = {"arrowstyle": "->", "color": ink(ax)}
    ax.annotate("", (0.02, 1), xytext=(0, -1.6 * size), arrowprops=arrow, **options)


def drawable(name: Any, width: int = 24) -> str:
    """Return a name that matplotlib can draw: no formulas between dollar signs, no surrogates."""
    text = short(name, width).encode("utf-8", "replace").decode()
    return text.replace("$", r"\$")


def drawable_names(names: Iterable[Any]) -> list[str]:
    """Return the names as matplotlib can draw them."""
    return [drawable(name) for name in names]


def save_figure(figure: Any, path: str | PathLike[str]) -> None:
    """Write the figure as PNG and SVG; the same figure gives the same bytes.

    The path needs no suffix; .png or .svg at its end is replaced.
    """
    import matplotlib

    target = as_path(path)
    # Only these two are suffixes: the .5 of "k=1.5" is part of the name.
    name = target.stem if target.suffix.lower() in (".png", ".svg") else target.name
    for kind, metadata in (("png", {"Software": None}), ("svg", {"Date": None})):
        write = partial(figure.savefig, format=kind, dpi=160, metadata=metadata)
        with matplotlib.rc_context({"svg.hashsalt": "clusterbits"}), warnings.catch_warnings():
            _allow_missing_letters()
            write_file(target.with_name(f"{name}.{kind}"), write)


def _allow_missing_letters() -> None:
    # A label in a script that the font lacks shows as boxes; we cannot help that.
    warnings.filterwarnings("ignore", message="Glyph .* missing from")
