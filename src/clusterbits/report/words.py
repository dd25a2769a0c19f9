"""Measures and numbers as the report writes them."""

from __future__ import annotations

import math
from collections.abc import Iterable
from html import escape
from typing import Any

from clusterbits.measures.catalogue import get_measure
from clusterbits.text.shortened import label_text, listed
from clusterbits.text.tables import percent

# As wide as a digit, so that decimal points stay below each other.
_FIGURE_SPACE = "\u2007"


def write_label(name: Any, width: int = 44) -> str:
    """Return a name that came with the data as HTML, for a sentence.

    Written from right to left, it leaves the words around it alone.

    >>> write_label("<b>")
    '<bdi>&lt;b&gt;</bdi>'
    """
    return f"<bdi>{escape(label_text(name, width))}</bdi>"


def spoken(measure: str) -> str:
    """Return the name of a measure as words."""
    return measure.replace("_", " ")


def short_name(measure: str) -> str:
    """Return the name of a measure for a narrow column.

    >>> [short_name(name) for name in ("q0", "adjusted_rand", "fowlkes_mallows", "purity")]
    ['q0', 'ARI', 'FM', 'purity']
    """
    return spoken(get_measure(measure).short_name)


def linked(names: Iterable[str]) -> str:
    """Return measures by their short names, linked to what they are, as HTML for a sentence.

    >>> linked(["adjusted_rand"])
    '<a href="#m-adjusted_rand" title="adjusted rand">ARI</a>'
    """
    links = (
        f'<a href="#m-{escape(name)}" title="{escape(spoken(name))}">{escape(short_name(name))}</a>'
        for name in names
    )
    return listed([*links], "measure")


def figures(value: float, measure: str = "") -> str:
    """Return a value in two or three significant digits; a share of the bits as percents.

    Only 1 is shown as 1: a value just below it has more digits.

    >>> figures(0.66148), figures(12.345), figures(0.0035), figures(0.87472, "share_saved")
    ('0.661', '12.3', '0.0035', '87.5 %')
    >>> figures(0.9996), figures(1.0)
    ('0.9996', '1.00')
    """
    if math.isnan(value):
        return "–"
    if measure == "share_saved":
        return percent(value, 1)
    size = abs(value)
    if 0.9995 <= size < 1:
        return f"{math.copysign(math.floor(size * 1e4) / 1e4, value)}".replace("-", "−")
    if value == 0 or 1e-3 <= size < 1e5:
        exponent = math.floor(math.log10(size)) if size else -1
        decimals = max(0, 2 - exponent) if exponent >= 0 else 3 if exponent > -3 else 4
        return f"{value:.{decimals}f}".replace("-", "−")
    return f"{value:.3g}".replace("-", "−")


def aligned(value: float, measure: str = "") -> str:
    """Return `figures`, padded so that the decimal points of a column stand in one line."""
    text = figures(value, measure)
    _, point, decimals = text.partition(".")
    if measure == "share_saved" or "e" in text or not point:
        return text
    return text + _FIGURE_SPACE * max(0, 3 - len(decimals))
