"""Rows as text: a table for the terminal, or JSON, CSV or Markdown for what comes next."""

from __future__ import annotations

import csv
import io
import json
import math
import shutil
from collections.abc import Mapping, Sequence
from typing import Any, Literal

from clusterbits.tidy import show

Format = Literal["table", "json", "csv", "markdown"]
Rows = Sequence[Mapping[str, Any]]

# A column with longer cells holds prose.
_PROSE = 40


def render_rows(rows: Rows, form: Format, title: str = "") -> str:
    """Return rows in the chosen format; only the terminal table rounds numbers."""
    return {"table": _table, "json": _json, "csv": _csv, "markdown": _markdown}[form](rows, title)


def _table(rows: Rows, title: str) -> str:
    from rich.box import SIMPLE_HEAD
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    names = list(rows[0]) if rows else []
    table = Table(box=SIMPLE_HEAD, title=Text(title) if title else None, title_justify="left")
    needed = 2  # the edges
    for name in names:
        cells = [show(row.get(name)) for row in rows]
        longest = max(map(len, [name, *cells]))
        # Prose folds; names and numbers never do, because a cut number is a wrong number.
        width = longest if longest <= _PROSE else _PROSE // 2
        right = isinstance(rows[0][name], int | float)
        table.add_column(Text(name), justify="right" if right else "left", min_width=width)
        needed += width + 3
    for row in rows:
        table.add_row(*(Text(show(row.get(name))) for name in names))
    target = io.StringIO()
    terminal = shutil.get_terminal_size((100, 24)).columns
    Console(file=target, width=max(terminal, needed)).print(table)
    return "\n".join(line.rstrip() for line in target.getvalue().splitlines()).strip("\n")


def _json(rows: Rows, title: str) -> str:
    # NaN and infinity are no JSON.
    clean = [{key: _finite(value) for key, value in row.items()} for row in rows]
    return json.dumps(clean, indent=2, ensure_ascii=False, default=str)


def _finite(value: Any) -> Any:
    return None if isinstance(value, float) and not math.isfinite(value) else value


def _csv(rows: Rows, title: str) -> str:
    target = io.StringIO()
    writer = csv.DictWriter(target, list(rows[0]) if rows else [], lineterminator="\n")
    writer.writeheader()
    writer.writerows({key: _flat(value) for key, value in row.items()} for row in rows)
    return target.getvalue().rstrip("\n")


def _flat(value: Any) -> Any:
    return " ".join(map(str, value)) if isinstance(value, list | tuple) else value


def _markdown(rows: Rows, title: str) -> str:
    names = list(rows[0]) if rows else []
    lines = [names, ["---"] * len(names)]
    lines += [[str(_flat(row.get(name))).replace("|", "\\|") for name in names] for row in rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)
