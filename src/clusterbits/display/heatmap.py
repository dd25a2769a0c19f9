"""A table as a small HTML heatmap, for notebooks."""

from __future__ import annotations

import sys
from html import escape
from typing import TYPE_CHECKING, Any

from clusterbits.display.excerpt import excerpt_of
from clusterbits.display.tables import fold_html, short, with_commas

if TYPE_CHECKING:
    from clusterbits.core.table import Contingency

# A notebook cell shows at most so many classes and clusters.
_SHOWN = 15
# Characters of a class or cluster: 15 of them side by side.
_WIDEST = 16


def table_html(table: Contingency) -> str:
    """Return classes × clusters; a cell is as dark as its share of its cluster."""
    excerpt = excerpt_of(table, _SHOWN, _SHOWN)
    cut = f"; {excerpt.caption}" if excerpt.counts.shape != table.shape else ""
    coverage = "" if table.coverage is None else f"; {table.coverage}"
    title = f"{table.description}{coverage}{cut}"
    head = "".join(f"<th scope='col'>{_name(name)}</th>" for name in excerpt.clusters)
    lines = (
        f"<tr><th scope='row'>{_name(name)}</th>{''.join(map(_cell, counts, shares))}</tr>"
        for name, counts, shares in zip(
            excerpt.classes, excerpt.counts.tolist(), excerpt.shares.tolist(), strict=True
        )
    )
    return (
        f"<table style='border-collapse:collapse;font-variant-numeric:tabular-nums'>"
        f"<caption style='text-align:left;color:inherit'>{escape(title)}</caption>"
        f"<thead><tr><th>class \\ cluster</th>{head}</tr></thead>"
        f"<tbody>{''.join(lines)}</tbody></table>"
    )


def _name(label: Any) -> str:
    return fold_html(short(label, sys.maxsize), _WIDEST)


def _cell(count: Any, share: float) -> str:
    # The tint is translucent, so the text stays readable on light and dark pages alike.
    tint = f"background:rgba(66,133,244,{0.65 * share:.2f})"
    text = with_commas(count) if count else ""
    return f"<td style='text-align:right;padding:2px 6px;{tint}'>{text}</td>"
