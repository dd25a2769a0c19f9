"""Measures and numbers as the report writes them."""

from __future__ import annotations

import math
from collections.abc import Iterable
from html import escape
from typing import Any

from clusterbits.measures.catalogue import get_measure
from clusterbits.text.shortened import listed
from clusterbits.text.tables import short, show


def write_label(name: Any, width: int = 44) -> str:
    """Return a name that came with the data as HTML, for a sentence.

    Written from right to left, it leaves the words around it alone.

    >>> write_label("<b>")
    '<bdi>&lt;b&gt;</bdi>'
    """
    return f"<bdi>{escape(short(name, width))}</bdi>"


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


def shown(value: float) -> str:
    """Return a value as tables show it, and – for nan."""
    return "–" if math.isnan(value) else show(value)
