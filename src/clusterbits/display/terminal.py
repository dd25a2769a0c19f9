"""Rows as text: a table for the terminal, or JSON, CSV or Markdown for what comes next."""

from __future__ import annotations

import csv
import io
import json
import math
import shutil
from typing import Any, Literal

from clusterbits.display.tables import Records, show

Format = Literal["table", "json", "csv", "markdown"]

# A column with longer cells holds prose.
_PROSE = 40
# Characters between two columns.
_FRAME = 3


def render_rows(rows: Records, form: Format, title: str = "") -> str:
    """Return rows in the chosen format; only the terminal table has a title and rounds numbers."""
    if form == "table":
        return _table(rows, title)
    return {"json": _json, "csv": _csv, "markdown": _markdown}[form](rows)


def _table(rows: Records, title: str) -> str:
    from rich.box import SIMPLE_HEAD
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    names = list(rows[0]) if rows else []
    widths = _widths(rows, names)
    table = Table(box=SIMPLE_HEAD, title=Text(title) if title else None, title_justify="left")
    for name in names:
        right = isinstance(rows[0][name], int | float)
        justify = "right" if right else "left"
        table.add_column(Text(name), justify=justify, width=widths[name])  # type: ignore[arg-type]
    for row in rows:
        table.add_row(*(Text(show(row.get(name))) for name in names))
    target = io.StringIO()
    width = sum(widths.values()) + _FRAME * len(names) + 2
    room = min(len(title), shutil.get_terminal_size((100, 24)).columns)
    Console(file=target, width=max(width, room)).print(table)
    return "\n".join(line.rstrip() for line in target.getvalue().splitlines()).strip("\n")


def _widths(rows: Records, names: list[str]) -> dict[str, int]:
    """Return column widths: prose is wrapped to fit the terminal, nothing else is.

    A truncated number is a wrong number, so a table may be wider than the terminal.
    """
    widths = {
        name: max(len(show(row.get(name))) for row in [*rows, {name: name}]) for name in names
    }
    prose = [name for name in names if widths[name] > _PROSE]
    room = shutil.get_terminal_size((100, 24)).columns - _FRAME * len(names) - 2
    room -= sum(widths[name] for name in names if name not in prose)
    for name in prose:
        widths[name] = min(widths[name], max(room // len(prose), _PROSE // 2))
    return widths


def _json(rows: Records) -> str:
    # JSON has no NaN and no infinity.
    clean = [{key: _finite(value) for key, value in row.items()} for row in rows]
    return json.dumps(clean, indent=2, ensure_ascii=False, default=str)


def _finite(value: Any) -> Any:
    return None if isinstance(value, float) and not math.isfinite(value) else value


def _csv(rows: Records) -> str:
    target = io.StringIO()
    writer = csv.DictWriter(target, list(rows[0]) if rows else [], lineterminator="\n")
    writer.writeheader()
    writer.writerows({key: _flat(value) for key, value in row.items()} for row in rows)
    return target.getvalue().rstrip("\n")


def _flat(value: Any) -> Any:
    return " ".join(map(str, value)) if isinstance(value, list | tuple) else value


def _markdown(rows: Records) -> str:
    names = list(rows[0]) if rows else []
    lines = [names, ["---"] * len(names)]
    lines += [[str(_flat(row.get(name))).replace("|", "\\|") for name in names] for row in rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)
