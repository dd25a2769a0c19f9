"""A labelled table of counts as a small HTML heatmap, for notebooks."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from typing import Any

# A notebook cell shows this many classes and clusters; the rest is counted, not drawn.
SHOWN = 15


def heatmap_html(
    title: str, classes: Sequence[Any], clusters: Sequence[Any], counts: Sequence[Sequence[Any]]
) -> str:
    """Draw classes × clusters; a cell is as dark as its share of its cluster."""
    rows, columns = classes[:SHOWN], clusters[:SHOWN]
    sizes = [sum(row[j] for row in counts) for j in range(len(columns))]
    head = "".join(f"<th scope='col'>{escape(str(name))}</th>" for name in columns)
    more_columns = "<th>…</th>" if len(clusters) > SHOWN else ""
    lines = [
        f"<tr><th scope='row'>{escape(str(name))}</th>"
        + "".join(_cell(row[j], sizes[j]) for j in range(len(columns)))
        + "</tr>"
        for name, row in zip(rows, counts, strict=False)
    ]
    if len(classes) > SHOWN:
        lines.append("<tr><th>…</th></tr>")
    return (
        f"<table style='border-collapse:collapse;font-variant-numeric:tabular-nums'>"
        f"<caption style='text-align:left'>{escape(title)}</caption>"
        f"<thead><tr><th>class \\ cluster</th>{head}{more_columns}</tr></thead>"
        f"<tbody>{''.join(lines)}</tbody></table>"
    )


def _cell(count: Any, size: Any) -> str:
    share = float(count / size) if size else 0.0
    text = "" if not count else f"{count:,}" if isinstance(count, int) else f"{count:.4g}"
    # The tint is translucent, so the text stays readable on light and dark pages alike.
    return (
        f"<td style='text-align:right;padding:2px 6px;"
        f"background:rgba(66,133,244,{0.65 * share:.2f})'>{text}</td>"
    )
