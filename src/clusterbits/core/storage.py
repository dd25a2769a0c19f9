"""Tables on disk: a small JSON or Parquet file that can be added to others another day.

JSON needs nothing but Python. Parquet is smaller, and any tool can read its columns: class,
cluster and count, with the positions of the names beside them. Both hold the version of the format
and a checksum of everything else, so that a file that was cut, changed or comes from elsewhere is
refused. A checksum is no signature: whoever forges it can save any table, but nothing else.
"""

from __future__ import annotations

import json
import math
import os
import re
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from clusterbits.atomic import write_file
from clusterbits.core.cells import MOST_OBJECTS, Cells, Coverage, as_names, checked_counts
from clusterbits.core.json_labels import label_from_json, label_to_json, parse_json
from clusterbits.errors import (
    FileError,
    TableError,
    as_path,
    import_extra,
    refuse_device,
    translating,
)
from clusterbits.interrupts import creating

# Version 1 is that of clusterbits 0.1: its checksum leaves out n and the coverage.
VERSION = 2
_MARK = "clusterbits"
# Saved JSON files begin with this.
_JSON_START = b'{"clusterbits":'
_SUFFIXES = (".json", ".parquet")


def save_cells(path: str | os.PathLike[str], cells: Cells) -> None:
    """Write cells to a .json or .parquet file, whole or not at all."""
    target = as_path(path)
    _write = {".json": _write_json, ".parquet": _write_parquet}.get(target.suffix.lower())
    if _write is None:
        raise FileError(f"{target}: tables are saved as {' or '.join(_SUFFIXES)}.")
    try:
        _write(target, cells, _names_to_json(cells))
    except RecursionError:
        raise TableError("a label is nested too deeply to be saved.") from None


def load_cells(path: str | os.PathLike[str]) -> Cells:
    """Read cells that were saved."""
    source = as_path(path)
    refuse_device(source)
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
    except (KeyError, IndexError, TypeError, ValueError, OverflowError, RecursionError):
        raise _damaged(source) from None


def _names_to_json(cells: Cells) -> list[list[Any]]:
    """Return the names of classes and of clusters as JSON can hold them."""
    return [
        [label_to_json(name) for name in side.tolist()] for side in (cells.classes, cells.clusters)
    ]


def _header(cells: Cells, names: list[list[Any]], version: int = VERSION) -> dict[str, Any]:
    counts = cells.counts.tolist()
    facts = {
        "cells": len(counts),
        "n": math.fsum(counts) if cells.counts.dtype == np.float64 else sum(counts),
        "coverage": None if cells.coverage is None else list(cells.coverage),
    }
    digest = _digest(cells, names)
    if version > 1:
        digest = zlib.crc32(json.dumps(facts).encode(), digest)
    return {_MARK: version, "digest": digest, **facts}


def _digest(cells: Cells, names: list[list[Any]]) -> int:
    """Return a checksum of names, positions and counts."""
    digest = zlib.crc32(json.dumps(names).encode())
    for index in (cells.rows, cells.columns):
        digest = zlib.crc32(index.astype("<i8").tobytes(), digest)
    counts = cells.counts
    return zlib.crc32(counts.astype("<i8" if counts.dtype.kind == "i" else "<f8").tobytes(), digest)


def _checked(source: Path, header: dict[str, Any], cells: Cells) -> Cells:
    """Refuse a table that does not match its header."""
    cells = cells._replace(coverage=_checked_coverage(header["coverage"]))
    bad = len({len(cells.rows), len(cells.columns), len(cells.counts)}) > 1
    for index, names in ((cells.rows, cells.classes), (cells.columns, cells.clusters)):
        bad = bad or len(index) == 0 or index.min() < 0 or index.max() >= len(names)
        bad = bad or len(set(names.tolist())) < len(names)
    expected = _header(cells, _names_to_json(cells), header[_MARK])
    if header[_MARK] == 1:
        expected["n"] = header["n"]  # sum() of floats compensates from Python 3.12 on
    if bad or not cells.counts.any() or header != expected:
        raise _damaged(source, "its counts differ from those that were saved.")
    return cells


def _checked_coverage(given: Any) -> Coverage | None:
    if given is None:
        return None
    coverage = Coverage(*given)
    of_clusters = coverage.clusters if coverage.of_clusters is None else coverage.of_clusters
    known = (*coverage[:3], of_clusters)
    numbers = all(type(x) in (int, float) and 0 < x <= MOST_OBJECTS for x in known)
    if not isinstance(given, list) or not numbers or coverage.clusters > of_clusters:
        raise ValueError(given)
    return coverage


def _checked_version(source: Path, header: Any) -> dict[str, Any]:
    if not isinstance(header, dict) or _MARK not in header:
        raise _foreign(source)
    version = header[_MARK]
    if type(version) is not int or not 0 < version < 1000:
        raise _damaged(source)
    if version > VERSION:
        raise FileError(
            f"{source} has version {version} of the format; this clusterbits reads versions up to "
            f"{VERSION}. Update clusterbits."
        )
    return header


# --- JSON ----------------------------------------------------------------------------------------


def _write_json(target: Path, cells: Cells, names: list[list[Any]]) -> None:
    content = {
        **_header(cells, names),
        "classes": names[0],
        "clusters": names[1],
        "rows": cells.rows.tolist(),
        "columns": cells.columns.tolist(),
        "counts": cells.counts.tolist(),
    }
    text = json.dumps(content, separators=(",", ":"), allow_nan=False)
    write_file(target, lambda stream: stream.write(text.encode()))


def _read_json(source: Path, text: str) -> Cells:
    try:
        content = parse_json(text)
    except ValueError:
        raise (
            _damaged(source) if text.startswith(_JSON_START.decode()) else _foreign(source)
        ) from None
    header = _checked_version(source, content)
    with _reading(source):
        content = {key: header.pop(key) for key in _LISTS}
        if not all(isinstance(values, list) for values in content.values()):
            raise TypeError
        if not {type(count) for count in content["counts"]} <= {int, float}:
            raise TypeError
        cells = Cells(
            as_names([label_from_json(name) for name in content["classes"]]),
            as_names([label_from_json(name) for name in content["clusters"]]),
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


# --- Parquet -------------------------------------------------------------------------------------


def _write_parquet(target: Path, cells: Cells, names: list[list[Any]]) -> None:
    duckdb = import_extra("duckdb", "Parquet", "cli")
    kinds: dict[str, str] = {}
    columns: dict[str, NDArray[Any]] = {}
    for key, own, index in zip(
        ("class", "cluster"), names, (cells.rows, cells.columns), strict=True
    ):
        kinds[key], values = _plain(own)
        columns[key] = values[index]
        columns[f"{key}_position"] = index
    kinds["count"] = "plain"
    columns["count"] = cells.counts
    header = json.dumps({**_header(cells, names), "kinds": kinds}).replace("'", "''")

    def write(stream: Any) -> None:
        # DuckDB writes files, not streams: into the new file's own place, before it is renamed.
        place = stream.name
        with duckdb.connect() as connection:
            connection.register("cells", columns)
            # It opens the file by its name, and would make it anew.
            with creating:
                connection.execute(
                    f"copy cells to '{place.replace(chr(39), chr(39) * 2)}' (format parquet, "
                    f"compression zstd, use_tmp_file false, kv_metadata {{{_MARK}: '{header}'}})"
                )

    with translating(f"{target} cannot be written"):
        write_file(target, write)


def literal_path(path: Path) -> str:
    """Return a path as DuckDB expects it: nothing in it is a pattern or a home folder."""
    return re.sub(r"([*?\[])", r"[\1]", str(path.absolute()))


# Lone surrogates are no UTF-8.
_SURROGATES = re.compile(r"[\ud800-\udfff]")


def _plain(names: list[Any]) -> tuple[str, NDArray[Any]]:
    """Return names as a column: integers or text as they are, anything else as JSON."""
    kinds = {type(name) for name in names}
    if kinds == {int} and all(-(2**63) <= name < 2**63 for name in names):
        return "plain", np.array(names, dtype=np.int64)
    if kinds == {str} and not any(map(_SURROGATES.search, names)):
        return "plain", as_names(names)
    return "json", as_names([json.dumps(name) for name in names])


@contextmanager
def _connected(source: Path) -> Iterator[Any]:
    """Yield a connection to read one file, which is damaged where DuckDB cannot."""
    with (
        translating(f"{source} is damaged or incomplete"),
        import_extra("duckdb", "Parquet", "cli").connect() as connection,
    ):
        yield connection


def _parquet_header(source: Path) -> Any:
    """Return the header in the metadata of a saved Parquet table, or None."""
    with _connected(source) as connection:
        found = connection.execute(
            "select value from parquet_kv_metadata(?) where key = ?",
            [literal_path(source), _MARK.encode()],
        ).fetchall()
    try:
        return parse_json(found[0][0]) if len(found) == 1 else None
    except ValueError:
        return None


def _read_parquet(source: Path) -> Cells:
    header = _checked_version(source, _parquet_header(source))
    with _reading(source):
        columns = _fetch_columns(source, header["cells"])
        kinds = header.pop("kinds")
        rows, classes = _names_at(columns, "class", kinds)
        indexes, clusters = _names_at(columns, "cluster", kinds)
        cells = Cells(classes, clusters, rows, indexes, checked_counts(columns["count"]))
        return _checked(source, header, cells)


_TYPES = {
    "class": ("BIGINT", "VARCHAR"),
    "class_position": ("BIGINT",),
    "cluster": ("BIGINT", "VARCHAR"),
    "cluster_position": ("BIGINT",),
    "count": ("BIGINT", "DOUBLE", "VARCHAR"),
}


def _fetch_columns(source: Path, cells: Any) -> dict[str, NDArray[Any]]:
    """Return the columns; refuse others than were saved, and more rows, before they are read."""
    path = literal_path(source)
    with _connected(source) as connection:
        relation = connection.read_parquet(path, hive_partitioning=False)
        types = dict(zip(relation.columns, map(str, relation.types), strict=True))
        sql = "select num_rows from parquet_file_metadata(?)"
        length = connection.execute(sql, [path]).fetchall()
        if length != [(cells,)] or types.keys() != _TYPES.keys():
            raise _damaged(source)
        if not all(types[name] in allowed for name, allowed in _TYPES.items()):
            raise _damaged(source)
        columns: dict[str, NDArray[Any]] = relation.fetchnumpy()
    if any(isinstance(column, np.ma.MaskedArray) for column in columns.values()):
        raise _damaged(source)
    return columns


def _names_at(
    columns: dict[str, NDArray[Any]], key: str, kinds: dict[str, str]
) -> tuple[NDArray[np.intp], NDArray[Any]]:
    index = columns[f"{key}_position"].astype(np.intp)
    distinct, first, place = np.unique(index, return_index=True, return_inverse=True)
    found = columns[key][first]
    if distinct[-1] != len(distinct) - 1 or not (found[place] == columns[key]).all():
        raise ValueError(key)
    names = found.tolist()
    if kinds[key] == "json":
        names = [label_from_json(parse_json(name)) for name in names]
    return index, as_names(names)
