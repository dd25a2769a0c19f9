"""Rows as text: a table for the terminal, or JSON, CSV or Markdown for what comes next."""

from __future__ import annotations

import csv
import io
import json
import math
import os
import shutil
import sys
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from itertools import chain, zip_longest
from typing import Any, Literal, NamedTuple

from clusterbits.text.tables import (
    Records,
    are_numbers,
    cell_width,
    escape_unseen,
    fold,
    show,
)

Format = Literal["table", "json", "csv", "markdown"]

# A column with longer cells, or wider than half the terminal, may be wrapped to half of that.
_PROSE = 40
# Columns of prose: longer lines are hard to read.
_WIDEST = 80
# Between two columns.
_GAP = "  "


def folded(text: str) -> str:
    """Return prose as lines for a terminal."""
    width = min(terminal_width(), _WIDEST)
    lines = escape_unseen(text, keep="\n").split("\n")
    return "\n".join(part for line in lines for part in fold(line, width))


def print_error(message: object) -> None:
    """Print an error as one line on stderr."""
    print_note(f"clusterbits: {message}")


def print_note(text: str) -> None:
    """Print one line on stderr, if it is open."""
    with suppress(OSError):
        print(escape_unseen(text), file=sys.stderr, flush=True)


def drop_output() -> None:
    """Keep Python from writing at exit what could not be written."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def terminal_width() -> int:
    """Return the columns of the terminal, or COLUMNS; 80 if the output is piped."""
    return shutil.get_terminal_size((80, 24)).columns


def render_rows(
    rows: Records,
    form: Format,
    title: str = "",
    facts: Mapping[str, Any] | None = None,
    columns: Sequence[str] = (),
) -> str:
    """Return rows in the chosen format: titled and rounded for people, exact for programs.

    JSON is one object: the `facts`, such as the version, and the rows. `columns` are the names of
    the columns if there are no rows.
    """
    if form == "table":
        return "\n\n".join(filter(None, [folded(title), fitted_table(rows, rule=True)]))
    if form == "json":
        return _json(rows, facts or {})
    names = list(rows[0]) if rows else list(columns)
    lines: list[list[Any]] = [names, *([row.get(name) for name in names] for row in rows)]
    return _csv(lines) if form == "csv" else _markdown(title, lines)


class _Column(NamedTuple):
    """A column: its heading, its cells, and its bounds of width.

    Only text is broken: part of a number is a wrong number.
    """

    heading: str
    cells: list[str]
    is_number: bool
    min_width: int
    max_width: int


def fitted_table(rows: Records, rule: bool = False) -> str:
    """Return rows as a table of the terminal's width, with a `rule` below its heading if asked for.

    Long text is wrapped between words, then it and headings after underscores, too. If that is
    still too wide, there are several tables, each beginning with the columns that name the rows.

    >>> print(fitted_table([{"measure": "q0", "value": 0.5}, {"measure": "rand", "value": 1.0}]))
    measure   value
    q0       0.5000
    rand     1.0000
    """
    if not rows:
        return "(no rows)"
    line_width = terminal_width()
    columns = [_column(rows, name, line_width) for name in rows[0]]
    if _width(columns) > line_width:
        columns = [_column(rows, name, line_width, broken=True) for name in rows[0]]
    names = _names(columns, len(rows))
    parts = [names]
    for column in columns[len(names) :]:
        if len(parts[-1]) > len(names) and _width([*parts[-1], column]) > line_width:
            parts.append(names)
        parts[-1] = [*parts[-1], column]
    return "\n\n".join(_draw(part, line_width, rule) for part in parts)


def _column(rows: Records, name: str, line_width: int, broken: bool = False) -> _Column:
    values = [row.get(name) for row in rows]
    heading, *cells = map(show, [name, *values])
    width, prose, is_number = _longest(cells), min(_PROSE, line_width // 2), are_numbers(values)
    min_width = width
    if width > prose and not is_number:
        min_width = max(prose // 2, _longest(_words(cells, broken)))
    head = _longest(_words([heading], broken) if broken else [heading])
    return _Column(heading, cells, is_number, max(min_width, head), max(width, head))


def _words(texts: Iterable[str], broken: bool) -> list[str]:
    joined = "\n".join(texts)
    return (joined.replace("_", "_ ") if broken else joined).split()


def _longest(texts: Iterable[str]) -> int:
    return max(map(cell_width, texts), default=0)


def _names(columns: list[_Column], n: int) -> list[_Column]:
    """Return the first columns, as many as tell the rows apart."""
    for end in range(1, len(columns)):
        if len({*zip(*(column.cells for column in columns[:end]), strict=True)}) == n:
            return columns[:end]
    return columns[:1]


def _width(columns: list[_Column]) -> int:
    return sum(column.min_width for column in columns) + len(_GAP) * (len(columns) - 1)


def _draw(columns: list[_Column], line_width: int, rule: bool) -> str:
    """Return the lines of a table: cells folded, numbers flush right, headings at the bottom."""
    folded_columns = []
    for column, width in zip(columns, _share(columns, line_width), strict=True):
        folded_columns.append([fold(text, width) for text in (column.heading, *column.cells)])
    deepest = max(len(heading) for heading, *_ in folded_columns)
    for heading, *_ in folded_columns:
        heading[:0] = [""] * (deepest - len(heading))
    used = [_longest(chain(*cells)) for cells in folded_columns]
    right = [column.is_number for column in columns]
    rows = (zip_longest(*row, fillvalue="") for row in zip(*folded_columns, strict=True))
    lines = [_GAP.join(map(_pad, line, used, right)).rstrip() for row in rows for line in row]
    if rule:
        lines.insert(deepest, "─" * _longest(lines))
    return "\n".join(lines)


def _pad(text: str, width: int, right: bool) -> str:
    blank = " " * (width - cell_width(text))
    return blank + text if right else text + blank


def _share(columns: list[_Column], line_width: int) -> list[int]:
    """Return the width of each column: the narrowest prose gets what is left."""
    widths = [column.min_width for column in columns]
    spare = line_width - _width(columns)
    texts = [i for i, column in enumerate(columns) if not column.is_number]
    while spare > 0 and (short := [i for i in texts if widths[i] < columns[i].max_width]):
        widths[min(short, key=widths.__getitem__)] += 1
        spare -= 1
    while spare < 0 and (long := [i for i in texts if widths[i] > 1]):  # the widest gives way
        widths[max(long, key=widths.__getitem__)] -= 1
        spare += 1
    return widths


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
        texts = ("" if value is None else str(_flat(value)) for value in line)
        writer.writerow([escape_unseen(text, keep="\n\t") for text in texts])
    return target.getvalue().rstrip("\n")


def _flat(value: Any) -> Any:
    return " ".join(map(str, value)) if isinstance(value, list | tuple) else value


# What would end a cell of a Markdown table, or become markup, a link or an image.
_MARKUP = str.maketrans({character: f"\\{character}" for character in "|`*<["})


def _markdown(title: str, lines: list[list[Any]]) -> str:
    cells = [[show(_flat(value)) for value in line] for line in lines]
    cells.insert(1, ["---"] * len(cells[0]))
    table = "\n".join("| " + " | ".join(map(_inert, line)) + " |" for line in cells)
    return "\n\n".join(filter(None, [_inert(escape_unseen(title, keep="\n")), table]))


def _inert(text: str) -> str:
    return text.translate(_MARKUP)
