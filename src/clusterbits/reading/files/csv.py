"""CSV files, plain or compressed: read by DuckDB, every field as it is written.

Nothing is guessed but the delimiter, from the first rows. An empty field is a missing label.
"""

from __future__ import annotations

import csv
import gzip
import io
import re
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import islice
from typing import Any, NamedTuple

from clusterbits.errors import ColumnError, FileError, translating
from clusterbits.reading.files.relations import Relation, by_position
from clusterbits.reading.files.sources import Source, name_together
from clusterbits.reading.label_columns import read_text

_DELIMITERS = (",", ";", "\t", "|")
# The most characters a header can have.
_HEADER_LIMIT = 1 << 22
# Rows from which the delimiter is detected.
_SAMPLE_ROWS = 20
# No name of a column, unless the user names it.
_NUMBER = re.compile(r"\s*[-+]?[0-9.]+(?:[eE][-+]?[0-9]+)?\s*")


class _Layout(NamedTuple):
    """The properties that files share if they are read in one go."""

    names: tuple[str, ...]
    delimiter: str
    header: bool
    line_end: str
    strict: bool
    compressed: bool


def open_csv(connection: Any, sources: list[Source], wanted: list[Any]) -> list[Relation]:
    """Return the rows of CSV files; without a header, their columns are called 1, 2, ..."""
    alike: dict[_Layout, list[Source]] = {}
    for source in sources:
        alike.setdefault(_read_layout(source), []).append(source)
    parts = []
    for layout, files in alike.items():
        if layout.header and None in wanted and not any(name in wanted for name in layout.names):
            _refuse_data_as_header(files[0], layout.names)
        relation = connection.read_csv(
            [source.literal for source in files],
            auto_detect=False,
            header=layout.header,
            columns={f"c{i}": "VARCHAR" for i in range(len(layout.names))},
            delimiter=layout.delimiter,
            quotechar='"',
            escapechar='"',
            compression="gzip" if layout.compressed else "uncompressed",
            hive_partitioning=False,
            strict_mode=layout.strict,
        )
        where, names = name_together(files), list(layout.names)
        parts.append(Relation(where, names, by_position(relation), read_text))
    return parts


@contextmanager
def naming_line_ends(where: str) -> Iterator[None]:
    """Explain DuckDB's error for files that are not CSV by its rules."""
    try:
        yield
    except FileError as error:
        if "state machine" not in str(error):
            raise
        raise FileError(
            f"{where}: either some lines end with \\r\\n and others with \\n, or a quote is out of "
            "place. For lines of one kind, write sed 's/\\r$//' FILE > NEW, and read that."
        ) from None


def _refuse_data_as_header(source: Source, names: tuple[str, ...]) -> None:
    """Raise if columns were not named and the first line has numbers instead of names."""
    if any(_NUMBER.fullmatch(name) for name in names):
        raise ColumnError(
            f"{source} may lack a header: its first line is {', '.join(map(repr, names[:5]))}. If "
            "these are names of columns, pass the names of those to read; if they are labels, pass "
            "header=False."
        )


def _read_layout(source: Source) -> _Layout:
    delimiter = source.delimiter
    if delimiter is not None and (
        not isinstance(delimiter, str) or len(delimiter) != 1 or delimiter in '"\r\n'
    ):
        raise FileError(f"delimiter={delimiter!r} must be one character, such as ';'.")
    choices = _DELIMITERS if delimiter is None else (delimiter,)
    start = _beginning(source)
    with translating(f"{source} does not begin with a CSV header"):
        rows = {choice: _first_rows(start, choice) for choice in choices}
    # Names and labels may hold delimiters, too: the right one cuts all rows alike.
    widths = {choice: {len(row) for row in lines} for choice, lines in rows.items()}
    even = [choice for choice in choices if len(widths[choice]) == 1 < max(widths[choice])]
    detected = max(even or choices, key=lambda choice: len(rows[choice][0]))
    first = rows[detected][0]
    if start[:1] in ("", "\r", "\n") or (source.header and not any(first)):
        raise FileError(f"{source} does not begin with a header: its first line is empty.")
    names = first if source.header else [str(i + 1) for i in range(len(first))]
    line_end = "\r\n" if "\r\n" in start else "\n"
    # In strict mode a line end in a quoted name sets the line end of the whole file.
    strict = line_end != "\r\n" or not any("\n" in field for field in first)
    return _Layout(tuple(names), detected, source.header, line_end, strict, source.compressed)


def _first_rows(start: str, delimiter: str) -> list[list[str]]:
    """Return the first rows of a text, without the last, which may be truncated."""
    csv.field_size_limit(max(csv.field_size_limit(), _HEADER_LIMIT))
    lines = csv.reader(io.StringIO(start, newline=""), delimiter=delimiter)
    rows = [row for row in islice(lines, _SAMPLE_ROWS) if row]
    return rows[: _SAMPLE_ROWS - 1] or [[]]


def _beginning(source: Source) -> str:
    """Return the first characters of a text file, enough for any header."""
    opened = gzip.open if source.compressed else open
    try:
        with (
            translating(f"{source} cannot be read"),
            opened(source.path, "rt", encoding="utf-8-sig", newline="") as stream,
        ):
            start: str = stream.read(_HEADER_LIMIT)
    except FileError as error:
        if isinstance(error.__cause__, UnicodeDecodeError):
            raise _no_text(source) from None
        raise
    if "\0" in start:
        raise _no_text(source)
    return start


def _no_text(source: Source) -> FileError:
    return FileError(
        f"{source} is not UTF-8 text, nor another format that is read (Parquet, JSON, NumPy, "
        "Arrow, AnnData). If it is text, pass encoding='latin-1', encoding='utf-16' or "
        "whichever it has."
    )
