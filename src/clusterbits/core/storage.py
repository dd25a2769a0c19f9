"""Tables on disk: a small JSON or Parquet file that can be added to others another day.

JSON needs nothing but Python. Parquet is smaller, and any tool can read its columns: class,
cluster and count, with the positions of the names beside them. Both hold the version of the format,
the number of objects and a checksum, so that a file that was cut, changed or comes from elsewhere
is refused.
"""

from __future__ import annotations

import datetime
import json
import os
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from clusterbits.atomic import write_file
from clusterbits.core.cells import Cells, Coverage, as_names, checked_counts
from clusterbits.core.duckdb import checked_utf8, import_duckdb, literal_path
from clusterbits.core.policy import NoiseSingleton
from clusterbits.errors import FileError, TableError, first_line

VERSION = 1
_MARK = "clusterbits"
# Saved JSON files begin with this.
_JSON_START = b'{"clusterbits":'
_SUFFIXES = (".json", ".parquet")


def save_cells(path: str | os.PathLike[str], cells: Cells) -> None:
    """Write cells to a .json or .parquet file, whole or not at all."""
    target = Path(path)
    _write = {".json": _write_json, ".parquet": _write_parquet}.get(target.suffix.lower())
    if _write is None:
        raise FileError(f"{target}: tables are saved as {' or '.join(_SUFFIXES)}.")
    _write(target, cells)


def load_cells(path: str | os.PathLike[str]) -> Cells:
    """Read cells that were saved."""
    source = Path(path)
    try:
        with source.open("rb") as stream:
            parquet = stream.read(4) == b"PAR1"
        text = "" if parquet else source.read_text(encoding="utf-8")
    except UnicodeDecodeError:
        raise _foreign(source) from None
    except ValueError as error:  # a name that no file can have
        raise FileError(f"{str(source)!r} cannot be a file: {error}.") from None
    except OSError as error:
        raise FileError(f"{source} cannot be read: {error.strerror}.") from None
    return _read_parquet(source) if parquet else _read_json(source, text)


def is_saved(path: str | os.PathLike[str]) -> bool:
    """Whether a file is a saved table, by its beginning or its metadata."""
    try:
        with open(path, "rb") as stream:
            start = stream.read(len(_JSON_START))
            if not start.startswith(b"PAR1"):
                return start == _JSON_START
            # DuckDB is asked only where the footer has our mark.
            stream.seek(-8, os.SEEK_END)
            stream.seek(-8 - int.from_bytes(stream.read(4), "little"), os.SEEK_END)
            if _MARK.encode() not in stream.read():
                return False
        return _parquet_header(Path(path)) is not None
    except (OSError, ValueError):  # unreadable, cut or damaged
        return False


def _foreign(source: Path) -> FileError:
    return FileError(
        f"{source} is not a table saved by clusterbits. To count label columns use from_file()."
    )


def _damaged(source: Path, reason: str = "its content is not that of a saved table.") -> FileError:
    return FileError(f"{source} is damaged or incomplete: {reason}")


@contextmanager
def _reading(source: Path) -> Iterator[None]:
    """Call a file damaged where its content has the wrong keys, types or lengths."""
    try:
        yield
    except FileError:
        raise
    except (KeyError, IndexError, TypeError, ValueError, OverflowError):
        raise _damaged(source) from None


def _header(cells: Cells) -> dict[str, Any]:
    coverage = None if cells.coverage is None else list(cells.coverage)
    return {
        _MARK: VERSION,
        "cells": len(cells.counts),
        "n": sum(cells.counts.tolist()),
        "digest": _digest(cells),
        "coverage": coverage,
    }


def _digest(cells: Cells) -> int:
    """Return a checksum of names, places and counts."""
    names = [[_as_json(name) for name in side.tolist()] for side in (cells.classes, cells.clusters)]
    digest = zlib.crc32(json.dumps(names).encode())
    for index in (cells.rows, cells.columns):
        digest = zlib.crc32(index.astype("<i8").tobytes(), digest)
    counts = cells.counts
    if counts.dtype == object:
        return zlib.crc32(repr(counts.tolist()).encode(), digest)
    return zlib.crc32(counts.astype("<i8" if counts.dtype.kind == "i" else "<f8").tobytes(), digest)


def _checked(source: Path, header: dict[str, Any], cells: Cells) -> Cells:
    """Refuse a table that does not match its header."""
    bad = {len(cells.rows), len(cells.columns), len(cells.counts)} != {header.get("cells")}
    for index, names in ((cells.rows, cells.classes), (cells.columns, cells.clusters)):
        bad = bad or index.ndim != 1 or len(index) == 0
        bad = bad or index.min() < 0 or index.max() >= len(names)
        bad = bad or len(set(names.tolist())) < len(names)
    if bad or header.get("digest") != _digest(cells):
        raise _damaged(source, "its counts differ from those that were saved.")
    coverage = header.get("coverage")
    if coverage is None:
        return cells
    if not isinstance(coverage, list) or not all(type(x) in (int, float) for x in coverage):
        raise _damaged(source)
    return cells._replace(coverage=Coverage(*coverage))


def _checked_version(source: Path, header: Any) -> dict[str, Any]:
    if not isinstance(header, dict) or _MARK not in header:
        raise _foreign(source)
    if header[_MARK] != VERSION:
        raise FileError(
            f"{source} has version {header[_MARK]!r} of the format; this clusterbits reads "
            f"version {VERSION}."
        )
    return header


# --- JSON ----------------------------------------------------------------------------------------


def _write_json(target: Path, cells: Cells) -> None:
    content = {
        **_header(cells),
        "classes": [_as_json(name) for name in cells.classes.tolist()],
        "clusters": [_as_json(name) for name in cells.clusters.tolist()],
        "rows": cells.rows.tolist(),
        "columns": cells.columns.tolist(),
        "counts": cells.counts.tolist(),
    }
    text = json.dumps(content, separators=(",", ":"), allow_nan=False)
    write_file(target, lambda stream: stream.write(text.encode()))


def _read_json(source: Path, text: str) -> Cells:
    try:
        content = json.loads(text)
    except (ValueError, RecursionError):
        if text.startswith(_JSON_START.decode()):
            raise _damaged(source, "its end is missing.") from None
        raise _foreign(source) from None
    header = _checked_version(source, content)
    with _reading(source):
        if not all(isinstance(content[key], list) for key in _LISTS):
            raise TypeError
        if not {type(count) for count in content["counts"]} <= {int, float}:
            raise TypeError
        cells = Cells(
            as_names([_from_json(name) for name in content["classes"]]),
            as_names([_from_json(name) for name in content["clusters"]]),
            _positions(content["rows"]),
            _positions(content["columns"]),
            checked_counts(as_names(content["counts"])),
        )
        return _checked(source, header, cells)


_LISTS = ("classes", "clusters", "rows", "columns", "counts")


def _positions(values: list[Any]) -> NDArray[np.intp]:
    found = np.array(values)
    if found.ndim != 1 or found.dtype.kind != "i":
        raise ValueError(values)
    return found.astype(np.intp)


# Labels of types that JSON lacks are objects with one key.
_WORDS: dict[type, tuple[str, Callable[[Any], Any], Callable[[Any], Any]]] = {
    datetime.datetime: ("datetime", datetime.datetime.isoformat, datetime.datetime.fromisoformat),
    datetime.date: ("date", datetime.date.isoformat, datetime.date.fromisoformat),
    bytes: ("bytes", bytes.hex, bytes.fromhex),
    NoiseSingleton: (
        "alone",
        lambda name: [_as_json(name.label), name.number],
        lambda name: NoiseSingleton(_from_json(name[0]), int(name[1])),
    ),
    tuple: (
        "tuple",
        lambda names: [_as_json(name) for name in names],
        lambda names: tuple(_from_json(name) for name in names),
    ),
}


_READ = {word: read for word, _, read in _WORDS.values()}


def _as_json(name: Any) -> Any:
    if name is None or type(name) in (str, int, bool):
        return name
    if isinstance(name, np.integer | np.bool_ | np.str_):
        return name.item()
    for kind, (word, write, read) in _WORDS.items():
        # Subclasses may hold more than their kind, such as nanoseconds.
        if isinstance(name, kind) and read(written := write(name)) == name:
            return {word: written}
    raise TableError(
        f"the label {name!r} is a {type(name).__name__}; a saved table has labels that are text, "
        "integers, booleans, dates, bytes or None."
    )


def _from_json(value: Any) -> Any:
    if not isinstance(value, dict):
        if isinstance(value, list | float):
            raise ValueError(value)
        return value
    ((word, content),) = value.items()
    return _READ[word](content)


# --- Parquet -------------------------------------------------------------------------------------


def _write_parquet(target: Path, cells: Cells) -> None:
    duckdb = import_duckdb("Parquet")
    kinds: dict[str, str] = {}
    columns: dict[str, NDArray[Any]] = {}
    for key, names, index in (
        ("class", cells.classes, cells.rows),
        ("cluster", cells.clusters, cells.columns),
    ):
        kinds[key], values = _plain(names)
        columns[key] = values[index]
        columns[f"{key}_position"] = index
    counts = cells.counts
    kinds["count"] = "plain" if counts.dtype != object else "json"
    columns["count"] = counts if counts.dtype != object else as_names([str(c) for c in counts])
    header = json.dumps({**_header(cells), "kinds": kinds}).replace("'", "''")

    def write(stream: Any) -> None:
        # DuckDB writes files, not streams: into the new file's own place, before it is renamed.
        place = checked_utf8(stream.name)
        with duckdb.connect() as connection:
            connection.register("cells", columns)
            connection.execute(
                f"copy cells to '{place.replace(chr(39), chr(39) * 2)}' (format parquet, "
                f"compression zstd, use_tmp_file false, kv_metadata {{{_MARK}: '{header}'}})"
            )

    try:
        write_file(target, write)
    except duckdb.Error as error:
        raise FileError(f"{target} cannot be written: {first_line(error)}") from None


def _plain(names: NDArray[Any]) -> tuple[str, NDArray[Any]]:
    """Return names as a column: integers or text as they are, anything else as JSON."""
    given = names.tolist()
    kinds = {type(name) for name in given}
    if kinds == {int} and all(-(2**63) <= name < 2**63 for name in given):
        return "plain", np.array(given, dtype=np.int64)
    if kinds == {str}:
        return "plain", as_names(given)
    return "json", as_names([json.dumps(_as_json(name)) for name in given])


def _parquet_header(source: Path) -> Any:
    """Return the header in the metadata of a saved Parquet table, or None."""
    duckdb = import_duckdb("Parquet")
    with duckdb.connect() as connection:
        try:
            found = connection.execute(
                "select value from parquet_kv_metadata(?) where key = ?",
                [literal_path(source), _MARK.encode()],
            ).fetchall()
        except duckdb.Error as error:
            raise _damaged(source, first_line(error)) from None
    try:
        return json.loads(found[0][0]) if found else None
    except ValueError:
        return None


def _read_parquet(source: Path) -> Cells:
    duckdb = import_duckdb("Parquet")
    header = _checked_version(source, _parquet_header(source))
    with duckdb.connect() as connection:
        try:
            columns = connection.read_parquet(literal_path(source)).fetchnumpy()
        except duckdb.Error as error:
            raise _damaged(source, first_line(error)) from None
    with _reading(source):
        kinds = header["kinds"]
        rows, classes = _names_at(columns, "class", kinds)
        indexes, clusters = _names_at(columns, "cluster", kinds)
        counts = columns["count"]
        counts = as_names([int(c) for c in counts]) if kinds["count"] == "json" else counts
        cells = Cells(classes, clusters, rows, indexes, checked_counts(counts))
        return _checked(source, header, cells)


def _names_at(
    columns: dict[str, NDArray[Any]], key: str, kinds: dict[str, str]
) -> tuple[NDArray[np.intp], NDArray[Any]]:
    index = columns[f"{key}_position"].astype(np.intp)
    first = np.unique(index, return_index=True)[1]
    names = columns[key][first].tolist()
    if kinds[key] == "json":
        names = [_from_json(json.loads(name)) for name in names]
    return index, as_names(names)
