"""Tables on disk: a small JSON or Parquet file that can be added to others another day.

JSON needs nothing but Python. Parquet is smaller, and any tool can read its columns: class, cluster
and count. Both have a header, with the names, the coverage, the version of the format and a
checksum of everything, so that a file that was cut, changed or comes from elsewhere is refused. A
checksum is not a signature: whoever forges it can save any table, but nothing else.
"""

from __future__ import annotations

import datetime
import json
import operator
import os
import re
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from clusterbits.errors import (
    FileError,
    TableError,
    import_extra,
    refuse_device,
    translating,
)
from clusterbits.system.atomic_files import write_file
from clusterbits.table.cells import Cells, Coverage
from clusterbits.table.label_names import as_names
from clusterbits.table.noise_singletons import NoiseSingleton

_VERSION = 5
_MARK = "clusterbits"
# Every header begins with this.
_START = b'{"clusterbits":'


def save_cells(path: str | os.PathLike[str], cells: Cells) -> None:
    """Write cells to a .json or .parquet file, whole or not at all."""
    target = Path(path)
    if target.suffix.lower() not in (".json", ".parquet"):
        raise FileError(f"{target}: tables are saved as .json or .parquet.")
    header = {
        _MARK: _VERSION,
        "coverage": cells.coverage,
        "weighted": cells.weighted,
        "balanced": cells.balanced,
        "classes": [label_to_json(name) for name in cells.classes.tolist()],
        "clusters": [label_to_json(name) for name in cells.clusters.tolist()],
    }
    header["digest"] = _digest(header, [cells.rows, cells.columns, cells.counts])
    write = _write_parquet if target.suffix.lower() == ".parquet" else _write_json
    write(target, header, cells)


def load_cells(path: str | os.PathLike[str]) -> Cells:
    """Read cells that were saved."""
    source = Path(path)
    refuse_device(source)
    with translating(f"{source} cannot be read"):
        saved = is_saved(source)
    if not saved:
        raise FileError(f"{source} is not a table saved by clusterbits, or it was cut.")
    with translating(f"{source} is damaged or incomplete"):
        with source.open("rb") as stream:
            in_parquet = stream.read(4) == b"PAR1"
        header, cells = _read_parquet(source) if in_parquet else _read_json(source)
        if header[_MARK] != _VERSION:
            raise FileError(
                f"{source} has version {header[_MARK]} of the format; this clusterbits reads "
                f"version {_VERSION}."
            )
        rows, columns, counts = map(_as_numbers, cells)
        if header["digest"] != _digest(header, [rows, columns, counts]):
            raise ValueError("its content differs from what was saved")
        classes, clusters = (
            as_names([label_from_json(name) for name in header[side]])
            for side in ("classes", "clusters")
        )
        coverage = None if header["coverage"] is None else Coverage(*header["coverage"])
        marks = header["weighted"], header["balanced"]
        return Cells(classes, clusters, rows, columns, counts, False, coverage, *marks)


def is_saved(path: str | os.PathLike[str]) -> bool:
    """Whether a file is a saved table, by its beginning or its metadata."""
    with open(path, "rb") as stream:
        start = stream.read(len(_START))
        if not start.startswith(b"PAR1"):
            return start == _START
        try:
            stream.seek(-8, os.SEEK_END)
            stream.seek(-8 - int.from_bytes(stream.read(4), "little"), os.SEEK_END)
        except OSError:  # cut
            return False
        return _START in stream.read()


def _as_numbers(values: Any) -> NDArray[Any]:
    """Return int64 or float64 numbers in a row; a ValueError for anything else."""
    array = np.asarray(values).ravel()
    return array.astype(np.float64 if array.dtype.kind == "f" else np.int64)


def _digest(header: dict[str, Any], arrays: list[NDArray[Any]]) -> int:
    """Return a checksum of the names, the coverage, the marks of weights and the cells."""
    keys = ("coverage", "weighted", "balanced", "classes", "clusters")
    known = [header[key] for key in keys]
    digest = zlib.crc32(json.dumps(known).encode())
    for array in arrays:
        kind = f"<{array.dtype.kind}8"
        digest = zlib.crc32(kind.encode() + array.astype(kind).tobytes(), digest)
    return digest


# --- JSON ----------------------------------------------------------------------------------------


def _write_json(target: Path, header: dict[str, Any], cells: Cells) -> None:
    arrays = {key: getattr(cells, key).tolist() for key in ("rows", "columns", "counts")}
    text = json.dumps({**header, **arrays}, separators=(",", ":"), allow_nan=False)
    write_file(target, lambda stream: stream.write(text.encode()))


def _read_json(source: Path) -> tuple[dict[str, Any], list[Any]]:
    header = json.loads(source.read_bytes())
    return header, [header[key] for key in ("rows", "columns", "counts")]


# --- Parquet -------------------------------------------------------------------------------------


def _write_parquet(target: Path, header: dict[str, Any], cells: Cells) -> None:
    duckdb = import_extra("duckdb", "Parquet", "files")
    columns = {
        "class": _as_column(cells.classes)[cells.rows],
        "class_position": cells.rows,
        "cluster": _as_column(cells.clusters)[cells.columns],
        "cluster_position": cells.columns,
        "count": cells.counts,
    }
    metadata = json.dumps(header, separators=(",", ":")).replace("'", "''")

    def write(stream: Any) -> None:
        # DuckDB writes files, not streams: into the new file's own place, before it is renamed.
        place = stream.name.replace("'", "''")
        with duckdb.connect() as connection:
            connection.register("cells", columns)
            connection.execute(
                f"copy cells to '{place}' (format parquet, compression zstd, use_tmp_file false, "
                f"kv_metadata {{{_MARK}: '{metadata}'}})"
            )

    with translating(f"{target} cannot be written"):
        write_file(target, write)


def literal_path(path: Path) -> str:
    """Return a path as DuckDB expects it: nothing in it is a pattern or a home folder."""
    return re.sub(r"([*?\[])", r"[\1]", str(path.absolute()))


def _as_column(names: NDArray[Any]) -> NDArray[Any]:
    """Return names for other tools to read: integers as they are, anything else as text."""
    if names.dtype.kind == "i" or {type(name) for name in names.tolist()} == {int}:
        try:
            return names.astype(np.int64)
        except OverflowError:
            pass
    return as_names([str(name).encode(errors="replace").decode() for name in names.tolist()])


def _read_parquet(source: Path) -> tuple[dict[str, Any], list[Any]]:
    path = literal_path(source)
    with import_extra("duckdb", "Parquet", "files").connect() as connection:
        ((metadata,),) = connection.execute(
            "select value from parquet_kv_metadata(?) where key = ?", [path, _MARK.encode()]
        ).fetchall()
        columns = connection.read_parquet(path, hive_partitioning=False).fetchnumpy()
    keys = ("class_position", "cluster_position", "count")
    return json.loads(metadata), [columns[key] for key in keys]


# --- labels in JSON ------------------------------------------------------------------------------

# Labels of types that JSON lacks are objects with one key.
_WORDS: dict[type, tuple[str, Callable[[Any], Any], Callable[[Any], Any]]] = {
    datetime.datetime: ("datetime", datetime.datetime.isoformat, datetime.datetime.fromisoformat),
    datetime.date: ("date", datetime.date.isoformat, datetime.date.fromisoformat),
    datetime.time: ("time", datetime.time.isoformat, datetime.time.fromisoformat),
    datetime.timedelta: (
        "duration",
        lambda span: [span.days, span.seconds, span.microseconds],
        lambda parts: datetime.timedelta(*map(operator.index, parts)),
    ),
    bytes: ("bytes", bytes.hex, bytes.fromhex),
    NoiseSingleton: (
        "alone",
        lambda name: [label_to_json(name.label), name.number],
        lambda name: NoiseSingleton(label_from_json(name[0]), operator.index(name[1])),
    ),
    tuple: (
        "tuple",
        lambda names: [label_to_json(name) for name in names],
        lambda names: tuple(label_from_json(name) for name in names),
    ),
}


_READ = {word: read for word, _, read in _WORDS.values()}


def label_to_json(name: Any) -> Any:
    """Return a label as JSON can hold it; refuse a label that would not come back."""
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
        "integers, booleans, dates, times, bytes, None or tuples of these."
    )


def label_from_json(value: Any) -> Any:
    """Return the label that `label_to_json` wrote."""
    if not isinstance(value, dict):
        if isinstance(value, list | float):
            raise ValueError(value)
        return value
    ((word, content),) = value.items()
    return _READ[word](content)
