"""What all figures share: axes without clutter or global state, and reproducible files."""

from __future__ import annotations

import warnings
from functools import partial
from os import PathLike
from typing import Any

from clusterbits.atomic import write_file
from clusterbits.errors import MissingExtraError, as_path

# Colours of different lightness, told apart in greyscale too.
DARK, WARM, LINE = "#20466b", "#e8b04a", "0.6"
# Merge paths from more clusters than this have a logarithmic axis.
LINEAR = 60


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
            # A label in a script that the font lacks shows as boxes; we cannot help that.
            warnings.filterwarnings("ignore", message="Glyph .* missing from")
            write_file(target.with_name(f"{name}.{kind}"), write)
