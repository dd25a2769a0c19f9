"""The page of `diff`: what changed, in the look of the report."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

from clusterbits.changes.changed import Changes
from clusterbits.changes.fates import Clusters
from clusterbits.changes.judgements import JudgedChanges
from clusterbits.plots.canvas import draw_on_page
from clusterbits.plots.change_plots import draw_changes
from clusterbits.report.report_page import Report, fill_page, make_environment
from clusterbits.text.tables import show

# Pixels of the flows, and rows of a table.
_SIZE, _ROWS = (900, 560), 200


def make_changes_page(
    changes: Changes,
    title: str,
    facts: Mapping[str, str],
    judged: JudgedChanges | None = None,
) -> Report:
    """Return a page of what changed: one self-contained HTML file."""
    from markupsafe import Markup

    environment = make_environment()
    environment.filters["shown"] = _show
    lines = changes.title.splitlines() + ([] if judged is None else [judged.verdict])
    draw = partial(draw_changes, changes, titled=False)
    flows = Markup(draw_on_page(draw, _SIZE, "flows", f"Flows of objects. {lines[0]}"))
    return fill_page(
        environment,
        "changes",
        title=title,
        n=changes.table.n,
        weighted=changes.table.weighted,
        lines=lines,
        flows=flows,
        judged=judged,
        rates=rate_rows(changes, judged),
        parts=[_describe_clusters("old", changes.old), _describe_clusters("new", changes.new)],
        made=list(facts.items()),
    )


def rate_rows(changes: Changes, judged: JudgedChanges | None) -> list[dict[str, Any]]:
    """Return a row for each number: its name, its value, and limits if pairs were judged."""
    (numbers,) = changes.to_dicts()
    rows = [{"measure": name, "value": value} for name, value in numbers.items()]
    if judged is not None:
        rows = [row | {"low": None, "high": None} for row in rows]
        rows += [
            {"measure": name, "value": value, "low": low, "high": high}
            for name, value, low, high in judged.rows
        ]
    return rows


def _describe_clusters(name: str, clusters: Clusters) -> dict[str, Any]:
    return {
        "name": name,
        "heading": f"{name.capitalize()} clusters",
        "summary": clusters.title,
        "rows": clusters.largest_changed(_ROWS),
        "shown": _ROWS if len(clusters.changed) > _ROWS else 0,
    }


def _show(value: Any) -> str:
    return f"{value:,}" if isinstance(value, int) else show(value)
