"""Rows as text: a table for the terminal, or JSON, CSV or Markdown for what comes next."""

from __future__ import annotations

import csv
import io
import json
import math
import shutil
import sys
from contextlib import suppress
from typing import Any, Literal

from clusterbits.display.tables import Records, escape_unseen, show

Format = Literal["table", "json", "csv", "markdown"]

# A column with longer cells holds prose.
_PROSE = 40
# Characters between two columns.
_FRAME = 3


# Our own signs, for terminals that lack them.
_PLAIN = str.maketrans({"─": "-", "→": "->", "×": "x", "…": "...", "–": "-", "∞": "inf"})


def spell_out(error: UnicodeError) -> tuple[str | bytes, int]:
    """Return what a stream writes instead of a letter that its encoding lacks."""
    if not isinstance(error, UnicodeEncodeError):
        raise error
    letters = error.object[error.start : error.end].translate(_PLAIN)
    return letters.encode("ascii", "backslashreplace").decode(), error.end


def print_error(message: object) -> None:
    """Print an error as one line on stderr."""
    print_note(f"clusterbits: {message}")


def print_note(text: str) -> None:
    """Print one line on stderr, where somebody reads it."""
    with suppress(OSError):
        print(escape_unseen(text), file=sys.stderr, flush=True)


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

    names, title = list(rows[0]) if rows else [], show(title)
    widths = _widths(rows, names)
    table = Table(box=SIMPLE_HEAD, title=Text(title) if title else None, title_justify="left")
    for name in names:
        right = isinstance(rows[0][name], int | float)
        justify = "right" if right else "left"
        table.add_column(Text(show(name)), justify=justify, width=widths[name])  # type: ignore[arg-type]
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
    # ASCII with JSON's own escapes: exact in every encoding, and nothing acts on a terminal.
    return json.dumps(clean, indent=2, default=str)


def _finite(value: Any) -> Any:
    return None if isinstance(value, float) and not math.isfinite(value) else value


def _csv(rows: Records) -> str:
    target = io.StringIO()
    writer = csv.writer(target, lineterminator="\n")
    for line in _lines(rows):
        # CSV quotes line breaks; other controls are escaped here, too.
        writer.writerow(["" if x is None else escape_unseen(_flat(x), keep="\n\t") for x in line])
    return target.getvalue().rstrip("\n")


def _lines(rows: Records) -> list[list[Any]]:
    """Return the names of the columns, then the values of each row."""
    names = list(rows[0]) if rows else []
    return [names, *([row.get(name) for name in names] for row in rows)]


def _flat(value: Any) -> str:
    return " ".join(map(str, value)) if isinstance(value, list | tuple) else str(value)


# What would end a cell of a Markdown table, or become markup, a link or an image.
_MARKUP = str.maketrans({character: f"\\{character}" for character in "|`*<["})


def _markdown(rows: Records) -> str:
    cells = [[escape_unseen(_flat(x)).translate(_MARKUP) for x in line] for line in _lines(rows)]
    cells.insert(1, ["---"] * len(cells[0]))
    return "\n".join("| " + " | ".join(line) + " |" for line in cells)
