"""Rows as text: a table or bars for the terminal, or JSON, CSV or Markdown for what comes next."""

from __future__ import annotations

import csv
import io
import json
import math
import os
import shutil
import sys
import textwrap
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any, Literal, NamedTuple

from clusterbits.display.tables import Records, escape_unseen, short, show

Format = Literal["table", "json", "csv", "markdown"]

# A column with longer cells holds prose.
_PROSE = 40
# Characters between two columns.
_GAP = 2


# Our own signs, for terminals that lack them.
_PLAIN = str.maketrans(
    {
        "─": "-",
        "→": "->",
        "←": "<-",
        "×": "x",
        "…": "...",
        "–": "-",
        "−": "-",
        "∞": "inf",
        "█": "#",
        "░": ".",
        "⁻": "^-",  # 2⁻⁴³: digits follow
        **dict(zip("⁰¹²³⁴⁵⁶⁷⁸⁹", "0123456789", strict=True)),
    }
)


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


def drop_output() -> None:
    """Keep Python from writing at exit what could not be written."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def terminal_width() -> int:
    """Return the columns of the terminal, or COLUMNS; 80 where the output is piped."""
    return shutil.get_terminal_size((80, 24)).columns


def render_rows(
    rows: Records,
    form: Format,
    title: str = "",
    facts: Mapping[str, Any] | None = None,
    columns: Sequence[str] = (),
) -> str:
    """Return rows in the chosen format; only the terminal table has a title and rounds numbers.

    JSON is one object: the `facts`, such as the version, and the rows. `columns` are the names of
    the columns where there are no rows.
    """
    if form == "table":
        return _table(rows, title)
    if form == "json":
        return _json(rows, facts or {})
    names = list(rows[0]) if rows else list(columns)
    lines: list[list[Any]] = [names, *([row.get(name) for name in names] for row in rows)]
    return _csv(lines) if form == "csv" else _markdown(lines)


class _Heading(NamedTuple):
    """The heading of a column, and how wide the column is at least and at most."""

    name: str
    lines: list[str]
    right: bool
    least: int
    most: int


def _table(rows: Records, title: str) -> str:
    """Return a table that fits the terminal; where it cannot, several with the same first column.

    Prose is wrapped, then headings. A truncated number is a wrong number: none is ever cut.
    """
    room = terminal_width()
    headings = [_heading(rows, name) for name in (rows[0] if rows else ())]
    if _width(headings) > room:
        headings = [_heading(rows, heading.name, folded=True) for heading in headings]
    parts: list[list[_Heading]] = [headings[:1]]
    for heading in headings[1:]:
        if len(parts[-1]) > 1 and _width([*parts[-1], heading]) > room:
            parts.append(headings[:1])
        parts[-1].append(heading)
    title = textwrap.fill(show(title), room)
    return "\n\n".join(filter(None, [title, *(_draw(rows, part, room) for part in parts)]))


def _heading(rows: Records, name: str, folded: bool = False) -> _Heading:
    """Return a column's heading; a folded one is broken at its underscores and spaces."""
    from rich.cells import cell_len

    most = max((cell_len(show(row.get(name))) for row in rows), default=0)
    words = [show(name)]
    if folded:
        words = textwrap.wrap(words[0].replace("_", "_ "), max(most, 1), break_long_words=False)
        words = [word.replace("_ ", "_") for word in words]
    most = max([most, *map(cell_len, words)])
    least = min(most, _PROSE // 2) if most > _PROSE else most
    return _Heading(name, words, isinstance(rows[0][name], int | float), least, most)


def _width(headings: list[_Heading]) -> int:
    return sum(heading.least for heading in headings) + _GAP * (len(headings) - 1)


def _draw(rows: Records, headings: list[_Heading], room: int) -> str:
    from rich.box import SIMPLE_HEAD
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    prose = [heading for heading in headings if heading.least < heading.most]
    spare = max(room - _width(headings), 0) // max(len(prose), 1)
    deepest = max((len(heading.lines) for heading in headings), default=0)
    table = Table(box=SIMPLE_HEAD, show_edge=False, pad_edge=False, padding=(0, 1, 0, 0))
    for heading in headings:
        table.add_column(
            Text("\n".join([""] * (deepest - len(heading.lines)) + heading.lines)),
            justify="right" if heading.right else "left",
            width=min(heading.least + spare, heading.most),
            overflow="fold",
        )
    for row in rows:
        table.add_row(*(Text(show(row.get(heading.name))) for heading in headings))
    target = io.StringIO()
    Console(file=target, width=sum(heading.most for heading in headings) + 2 * room).print(table)
    return "\n".join(line.rstrip() for line in target.getvalue().splitlines()).strip("\n")


def _json(rows: Records, facts: Mapping[str, Any]) -> str:
    # JSON has no NaN and no infinity.
    clean = [{key: _finite(value) for key, value in row.items()} for row in rows]
    # ASCII with JSON's own escapes: exact in every encoding, and nothing acts on a terminal.
    return json.dumps({**facts, "rows": clean}, indent=2, default=str)


def _finite(value: Any) -> Any:
    return None if isinstance(value, float) and not math.isfinite(value) else value


def _csv(lines: list[list[Any]]) -> str:
    target = io.StringIO()
    writer = csv.writer(target, lineterminator="\n")
    for line in lines:
        # CSV quotes line breaks; other controls are escaped here, too.
        writer.writerow(["" if x is None else escape_unseen(_flat(x), keep="\n\t") for x in line])
    return target.getvalue().rstrip("\n")


def _flat(value: Any) -> str:
    return " ".join(map(str, value)) if isinstance(value, list | tuple) else str(value)


# What would end a cell of a Markdown table, or become markup, a link or an image.
_MARKUP = str.maketrans({character: f"\\{character}" for character in "|`*<["})


def _markdown(lines: list[list[Any]]) -> str:
    cells = [[escape_unseen(_flat(x)).translate(_MARKUP) for x in line] for line in lines]
    cells.insert(1, ["---"] * len(cells[0]))
    return "\n".join("| " + " | ".join(line) + " |" for line in cells)


# The two parts of a bar.
_BLOCKS = "█░"


class StackedBar(NamedTuple):
    """A bar: its name, its two parts, and what to write behind it."""

    name: str
    parts: tuple[float, float]
    note: str = ""


def draw_bars(bars: Sequence[StackedBar], names: tuple[str, str], width: int) -> str:
    """Return one line per bar, with its parts and their sum, below a line that names the parts.

    >>> print(draw_bars([StackedBar("a", (3, 1)), StackedBar("b", (1, 0.5), "least")],
    ...                 ("x", "y"), 46))
    █ x  ░ y
    a  ████████████░░░░  3.0000 + 1.0000 = 4.0000
    b  ████░░            1.0000 + 0.5000 = 1.5000  least
    """
    heads = [short(bar.name, 20) for bar in bars]
    head = max(map(len, heads))
    sums = [f"{bar.parts[0]:.4f} + {bar.parts[1]:.4f} = {sum(bar.parts):.4f}" for bar in bars]
    room = max(width - head - max(map(len, sums)) - 5, 1)
    scale = room / max(sum(bar.parts) for bar in bars)
    lines = ["  ".join(f"{block} {name}" for block, name in zip(_BLOCKS, names, strict=True))]
    for name, bar, text in zip(heads, bars, sums, strict=True):
        ends = round(bar.parts[0] * scale), round(sum(bar.parts) * scale)
        drawn = _BLOCKS[0] * ends[0] + _BLOCKS[1] * (ends[1] - ends[0])
        lines.append(f"{name:{head}}  {drawn:{room}}  {text}  {bar.note}".rstrip())
    return "\n".join(lines)
