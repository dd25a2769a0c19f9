"""The first rows of CSV files: the names of the columns, and what stands between them."""

from __future__ import annotations

import csv
import gzip
import io
import zlib
from itertools import islice
from threading import Event
from typing import NamedTuple

from clusterbits.core.duckdb import checked_utf8, import_duckdb
from clusterbits.errors import FileError
from clusterbits.ingest.files.failures import not_utf8, translating
from clusterbits.ingest.files.integrity import check_files
from clusterbits.ingest.files.sources import Source

_DELIMITERS = (",", ";", "\t", "|")
# The most characters a header can have.
_HEADER_LIMIT = 1 << 22
# Rows from which the delimiter is detected.
_LOOKED_AT = 20


class Header(NamedTuple):
    """The names of the columns, what stands between them, and how DuckDB has to read lines."""

    names: tuple[str, ...]
    delimiter: str
    line_end: str
    strict: bool


def read_header(source: Source, delimiter: str | None) -> Header:
    """Return the header of a CSV file; the columns of one without are called 1, 2, ..."""
    given = delimiter if isinstance(delimiter, str | None) else ""
    if given is not None and (len(checked_utf8(given)) != 1 or given in '"\r\n'):
        raise FileError(f"delimiter={delimiter!r}: one character between columns, such as ';'.")
    choices = _DELIMITERS if delimiter is None else (delimiter,)
    start = _beginning(source)
    if start[:1] in ("", "\r", "\n"):
        if source.compression != "none":
            check_files([source], Event())
        raise FileError(f"{source} does not begin with a header: its first line is empty.")
    try:
        rows = {choice: _first_rows(start, choice) for choice in choices}
    except csv.Error as error:
        raise FileError(f"{source} does not begin with a CSV header: {error}.") from None
    headers = {choice: some[0] for choice, some in rows.items()}
    # Names and labels may hold delimiters, too: the right one cuts all rows alike.
    even = [choice for choice, some in rows.items() if len({len(row) for row in some}) == 1]
    wide = [choice for choice in even if len(headers[choice]) > 1]
    found = max(wide or choices, key=lambda choice: len(headers[choice]))
    first = headers[found]
    if source.header and not any(first):
        raise FileError(f"{source} does not begin with a header: its first line is empty.")
    names = first if source.header else [str(i + 1) for i in range(len(first))]
    # Of zstd, which DuckDB reads, the line ends are not known: they may be these.
    line_end = "\r\n" if "\r\n" in start or source.compression == "zstd" else "\n"
    # In strict mode a line end in a quoted name sets the line end of the whole file.
    strict = line_end != "\r\n" or not any("\n" in field for field in first)
    return Header(tuple(names), found, line_end, strict)


def _first_rows(start: str, delimiter: str) -> list[list[str]]:
    """Return the first rows of a text, without the last of many, which may be cut."""
    csv.field_size_limit(max(csv.field_size_limit(), _HEADER_LIMIT))
    lines = csv.reader(io.StringIO(start, newline=""), delimiter=delimiter)
    rows = [row for row in islice(lines, _LOOKED_AT) if row]
    return rows[: _LOOKED_AT - 1] or [[]]


def _beginning(source: Source) -> str:
    """Return the first characters of a text file, enough for any header."""
    try:
        if source.compression == "zstd":
            return _beginning_of_zstd(source)
        opened = gzip.open if source.compression == "gzip" else open
        with opened(source.path, "rt", encoding="utf-8-sig", newline="") as stream:
            start: str = stream.read(_HEADER_LIMIT)
    except UnicodeDecodeError:
        raise not_utf8(str(source)) from None
    except (OSError, EOFError, zlib.error) as error:
        raise FileError(f"{source} cannot be read: {error}.") from None
    return start


def _beginning_of_zstd(source: Source) -> str:
    """Return the first lines, read by DuckDB: Python 3.11 has no zstd."""
    # The connection that counts does not keep rows in order: its first lines may be any.
    with translating([source]), import_duckdb("reading files").connect() as connection:
        lines = connection.read_csv(
            source.literal,
            auto_detect=False,
            header=False,
            columns={"line": "VARCHAR"},
            delimiter="\x1f\x1e\x1d\x1c",  # no file has this
            quotechar="",
            escapechar="",
            compression="zstd",
            strict_mode=False,  # without quotes, line ends inside them are lines of another kind
        )
        return "\n".join(line or "" for (line,) in lines.limit(100).fetchall())
