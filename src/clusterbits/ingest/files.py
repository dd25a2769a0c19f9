"""Label columns of a CSV file, counted by DuckDB; only the table comes into Python.

Labels are compared as they are written: ``01`` and ``1`` are two labels. Where all labels of a
column are integers (``1`` or ``1.0``) they are named as integers, as in a label array. An empty
field is a missing label.
"""

from __future__ import annotations

import csv
import gzip
import io
import os
import re
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from clusterbits.errors import FileError, LabelError, MissingExtraError, check_choice, did_you_mean
from clusterbits.ingest.cells import MISSING, Cells, cells_of, without_noise
from clusterbits.ingest.codes import CodeBook, Labels, read_codes

_DELIMITERS = (",", ";", "\t", "|")
# A header longer than this is no header.
_HEADER_LIMIT = 1 << 22
# Rows taken into Python together.
_ROWS = 1 << 16
# Integers, also as frame libraries write them where a label is missing: 1.0.
_INTEGER = re.compile(r"(?:0|-?[1-9][0-9]*)(?:\.0+)?")
_NUMBER = re.compile(r"-?[0-9]+(?:\.[0-9]+)?")


def count_file(
    path: str | os.PathLike[str],
    truth: str | None,
    pred: str | None,
    *,
    noise: str | None = None,
    noise_label: Any = -1,
    missing: str = "error",
) -> Cells:
    """Count two label columns of a CSV file, plain or gzip-compressed."""
    check_choice("missing", missing, MISSING)
    duckdb = _import_duckdb()
    source = _checked_path(path)
    header, delimiter = _read_header(source)
    chosen = _chosen_columns(source, header, truth, pred)
    with duckdb.connect() as connection:
        try:
            rows = _rows(connection, source, len(header), delimiter)
            columns = ", ".join(f"c{i}" for i in chosen)
            counted = rows.aggregate(f"{columns}, count(*)", columns).fetchall()
            if missing == "error":
                _refuse_missing(source, rows, counted, [(i, header[i]) for i in chosen])
        except duckdb.Error as error:
            raise _readable(source, error) from None
    if not counted:
        raise FileError(f"{source}: there are no rows below the header.")
    names = header[chosen[0]], header[chosen[1]]
    kept = counted
    if missing == "drop":
        kept = [row for row in counted if row[0] is not None and row[1] is not None]
        if not kept:
            raise LabelError(f"{source}: no row has both labels.")
    name_class = _naming(names[0], {row[0] for row in kept})
    name_cluster = _naming(names[1], {row[1] for row in kept})
    cells = cells_of(
        (name_class(row[0]) for row in kept),
        (name_cluster(row[1]) for row in kept),
        np.array([row[2] for row in kept], dtype=np.int64),
    )
    return without_noise(cells, noise, noise_label)


def read_file(path: str | os.PathLike[str], **wanted: str | None) -> list[Labels]:
    """Read whole label columns of a CSV file in the order of its rows: truth and pred, or one."""
    duckdb = _import_duckdb()
    source = _checked_path(path)
    header, delimiter = _read_header(source)
    if len(wanted) == 2:
        chosen: tuple[int, ...] = _chosen_columns(source, header, *wanted.values())
    elif len(header) == 1 and set(wanted.values()) == {None}:
        chosen = (0,)
    else:
        chosen = tuple(_column(source, header, role, name) for role, name in wanted.items())
    books = [CodeBook() for _ in chosen]
    codes: list[list[NDArray[np.int32]]] = [[] for _ in chosen]
    with duckdb.connect() as connection:
        try:
            _rows(connection, source, len(header), delimiter).create_view("labels")
            connection.execute(f"select {', '.join(f'c{i}' for i in chosen)} from labels")
            while some := connection.fetchmany(_ROWS):
                for column, book, part in zip(zip(*some, strict=True), books, codes, strict=True):
                    part.append(np.fromiter(map(book.__getitem__, column), np.int32, len(some)))
        except duckdb.Error as error:
            raise _readable(source, error) from None
    if not codes[0]:
        raise FileError(f"{source}: there are no rows below the header.")
    found = []
    for i, role, book, part in zip(chosen, wanted, books, codes, strict=True):
        name = _naming(header[i], set(book))
        names = [name(label) for label in book]
        found.append(read_codes(np.concatenate(part), names, role, in_order=False))
    return found


def _rows(connection: Any, source: Path, width: int, delimiter: str) -> Any:
    # Nothing is guessed, and the columns are called by number: names are only data.
    return connection.read_csv(
        _escape_glob(str(source)),
        auto_detect=False,
        header=True,
        columns={f"c{i}": "VARCHAR" for i in range(width)},
        delimiter=delimiter,
        quotechar='"',
        escapechar='"',
        compression="gzip" if _is_gzip(source) else "none",
    )


def _import_duckdb() -> Any:
    try:
        import duckdb
    except ImportError:
        raise MissingExtraError("reading files", "cli") from None
    return duckdb


def _checked_path(path: str | os.PathLike[str]) -> Path:
    if not isinstance(path, str | os.PathLike):
        raise FileError(f"{path!r} is no path; name one CSV file.")
    source = Path(path)
    try:
        source.exists()
    except (OSError, ValueError) as error:
        raise FileError(f"{str(source)[:80]}… cannot be a file: {error}.") from None
    if source.is_dir():
        raise FileError(f"{source} is a directory; name one CSV file in it.")
    if not source.exists():
        neighbours = [p.name for p in source.parent.iterdir()] if source.parent.is_dir() else []
        raise FileError(f"there is no file {source}.{did_you_mean(source.name, neighbours)}")
    try:
        with source.open("rb") as stream:
            empty = not stream.read(1)
    except OSError as error:
        raise FileError(f"{source} cannot be read: {error.strerror}.") from None
    if empty:
        raise FileError(f"{source} is empty; a header and at least one row are needed.")
    return source


def _is_gzip(source: Path) -> bool:
    with source.open("rb") as stream:
        return stream.read(2) == b"\x1f\x8b"


def _read_header(source: Path) -> tuple[list[str], str]:
    """Return the column names and the delimiter: the one that divides the header most."""
    opened = gzip.open if _is_gzip(source) else open
    try:
        with opened(source, "rt", encoding="utf-8-sig", newline="") as stream:
            start = stream.read(_HEADER_LIMIT)
    except UnicodeDecodeError:
        raise _not_utf8(source) from None
    except (OSError, EOFError, zlib.error) as error:
        raise FileError(f"{source} cannot be read: {error}.") from None
    try:
        headers = {
            delimiter: next(csv.reader(io.StringIO(start, newline=""), delimiter=delimiter))
            for delimiter in _DELIMITERS
        }
    except (csv.Error, StopIteration) as error:
        raise FileError(f"{source} does not begin with a CSV header: {error}.") from None
    delimiter = max(_DELIMITERS, key=lambda d: len(headers[d]))
    return headers[delimiter], delimiter


def _not_utf8(source: Path) -> FileError:
    return FileError(f"{source} is not UTF-8 text; convert it first, e.g. with iconv.")


def _escape_glob(path: str) -> str:
    """Let a file named like a glob mean itself."""
    return re.sub(r"([*?\[])", r"[\1]", path)


def _chosen_columns(
    source: Path, columns: list[str], truth: str | None, pred: str | None
) -> tuple[int, int]:
    """Return the positions of the two columns."""
    if not any(columns):
        raise FileError(f"{source} does not begin with a header: its first line is empty.")
    if len(columns) < 2:
        raise FileError(
            f"{source} has one column, {columns[0]!r}; two are needed, classes and clusters, "
            "separated by commas, semicolons, tabs or bars."
        )
    if truth is None and pred is None and len(columns) == 2:
        return 0, 1
    return _column(source, columns, "truth", truth), _column(source, columns, "pred", pred)


def _column(source: Path, columns: list[str], role: str, name: str | None) -> int:
    names = ", ".join(repr(name) for name in columns[:20]) + ", …" * (len(columns) > 20)
    if name is None:
        raise FileError(f"{source}: which column is {role}? It has {names}.")
    if name not in columns:
        hint = did_you_mean(str(name), columns)
        raise FileError(f"{source} has no column {name!r}.{hint} It has {names}.")
    if columns.count(name) > 1:
        raise FileError(f"{source} has {columns.count(name)} columns called {name!r}.")
    return columns.index(name)


def _readable(source: Path, error: Exception) -> FileError:
    """Say in one line what DuckDB says in many."""
    text = str(error)
    if "utf-8" in text.lower() or "unicode" in text.lower():
        return _not_utf8(source)
    line = re.search(r"CSV Error on Line: (\d+)", text)
    where = f" (line {line.group(1)})" if line else ""
    what = re.search(r"Expected Number of Columns.*|Value with unterminated quote.*", text)
    reason = what.group() if what else text.strip().partition("\n")[0]
    return FileError(f"{source} cannot be read as CSV{where}: {reason}")


def _refuse_missing(
    source: Path, rows: Any, counted: list[tuple[Any, Any, int]], columns: list[tuple[int, str]]
) -> None:
    for position, (i, name) in enumerate(columns):
        if lacking := sum(row[2] for row in counted if row[position] is None):
            numbered = rows.project(f"row_number() over () as number, c{i} as label")
            first = numbered.filter("label is null").aggregate("min(number)").fetchall()[0][0]
            many = f"{lacking} missing labels" if lacking > 1 else "1 missing label"
            raise LabelError(
                f"{source}: column {name!r} has {many}, the first in row {first}. Choose missing "
                "'drop' to leave such rows out, or 'class' to let them form a class (or cluster) "
                "of their own."
            )


def _naming(column: str, labels: set[str | None]) -> Callable[[str | None], Any]:
    """Return how this column's labels are named: as integers where all of them are."""
    given = [label for label in labels if label is not None]
    if all(_INTEGER.fullmatch(label) for label in given):
        return lambda label: None if label is None else int(label.partition(".")[0])
    if all(_NUMBER.fullmatch(label) for label in given):
        for label in given:
            if label.partition(".")[2].strip("0"):
                raise LabelError(
                    f"column {column!r} holds {label}: labels name classes or clusters, and "
                    "numbers that are not whole look like distances or probabilities."
                )
    return lambda label: label
