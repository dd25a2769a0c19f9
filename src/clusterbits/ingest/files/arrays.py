"""Label columns in files of arrays: NumPy's .npy and .npz, Arrow IPC and Feather.

The columns of a 2-D array are called 1, 2, ...; those of a structured array by its fields, those
of an .npz archive by its arrays.
"""

from __future__ import annotations

import tokenize
import zipfile
import zlib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from itertools import count
from typing import Any

import numpy as np
from numpy.typing import NDArray

from clusterbits.errors import ClusterbitsError, ColumnError, FileError, first_line
from clusterbits.ingest.files.schemas import FINE_DURATION, FINE_TIME, Schema
from clusterbits.ingest.files.sources import Source
from clusterbits.limits import check_memory

# What numpy raises where a file of arrays is cut, changed or forged.
_DAMAGED = (
    *(ValueError, OSError, EOFError, KeyError, MemoryError, SyntaxError, NotImplementedError),
    *(zlib.error, zipfile.BadZipFile, tokenize.TokenError),
)
_NUMBERS = count()
# Arrow's types of times that hold nanoseconds.
_NANOSECONDS = ("timestamp[ns", "time64[ns")


def open_arrays(connection: Any, sources: list[Source]) -> tuple[Any, list[Schema]]:
    """Return the rows of all files as a relation, and what columns each file has."""
    union, schemas = None, []
    for source in sources:
        cut: dict[int, str] = {}
        if source.form == "arrow":
            relation, names, cut = _open_arrow(connection, source)
        else:
            columns = _read_numpy(source)
            names = list(columns)
            by_number = {f"c{i}": column for i, column in enumerate(columns.values())}
            relation = connection.table(register_columns(connection, by_number))
        types = [cut.get(i, str(kind)) for i, kind in enumerate(relation.types)]
        schemas.append(Schema(str(source), names, types))
        if names != schemas[0].names:
            raise ColumnError(f"{sources[0]} and {source} differ in their columns.")
        union = relation if union is None else union.union(relation)
    return union, schemas


def register_columns(connection: Any, columns: Mapping[str, NDArray[Any]]) -> str:
    """Return the name of a new view of columns.

    No two have one name: the second side of a join would take the place of the first.
    """
    view = f"arrays{next(_NUMBERS)}"
    connection.register(view, dict(columns))
    return view


def _open_arrow(connection: Any, source: Source) -> tuple[Any, list[str], dict[int, str]]:
    """Return the rows, the names of the columns, and which columns DuckDB would cut."""
    try:
        import pyarrow
        from pyarrow import ipc
    except ImportError:
        raise FileError(
            f"{source} is an Arrow file, which needs pyarrow: pip install pyarrow, or save it as "
            "Parquet."
        ) from None
    try:
        stream = pyarrow.memory_map(str(source.path))
        is_file = stream.read(6) == b"ARROW1"
        stream.seek(0)
        table = (ipc.open_file if is_file else ipc.open_stream)(stream).read_all()
        names = list(table.column_names)
        # Columns are called by number: their names are only data.
        numbered = table.rename_columns([f"c{i}" for i in range(len(names))])
        relation = connection.from_arrow(numbered)
        cut = {}
        for i, (column, kind) in enumerate(zip(table.columns, relation.types, strict=True)):
            if _has_fine_durations(column):
                cut[i] = FINE_DURATION
            elif "_NS" not in str(kind) and str(column.type).startswith(_NANOSECONDS):
                cut[i] = FINE_TIME
        return relation, names, cut
    except (pyarrow.ArrowException, OSError) as error:
        raise FileError(f"{source} is damaged or incomplete: {first_line(error)}") from None


def _has_fine_durations(column: Any) -> bool:
    if str(column.type) != "duration[ns]":
        return False
    return bool((column.cast("int64").drop_null().to_numpy() % 1000).any())


@contextmanager
def refusing_damage(source: object) -> Iterator[None]:
    """Refuse in words what numpy cannot load, whatever it raises."""
    try:
        yield
    except ClusterbitsError:
        raise
    except _DAMAGED as error:
        if "allow_pickle" in str(error) or "Python objects" in str(error):
            raise FileError(
                f"{source} holds Python objects, which can run any code and are never read; save "
                "labels.astype(str)."
            ) from None
        raise FileError(f"{source} is damaged or incomplete: {first_line(error)}") from None


def _read_numpy(source: Source) -> dict[str, NDArray[Any]]:
    """Return the columns of an array or of an archive of arrays."""
    with refusing_damage(source):
        columns = _columns(source)
    if len({len(column) for column in columns.values()}) > 1:
        lengths = ", ".join(f"{name!r} {len(column):,}" for name, column in columns.items())
        raise FileError(f"{source}: its arrays differ in length: {lengths}.")
    return {name: checked_column(source, name, column) for name, column in columns.items()}


def _columns(source: Source) -> dict[str, NDArray[Any]]:
    if zipfile.is_zipfile(source.path):
        return _columns_of_archive(source)
    array = np.load(source.path, mmap_mode="r", allow_pickle=False)
    if array.dtype.names is not None and array.ndim == 1:
        return {name: array[name] for name in array.dtype.names}
    if array.ndim == 1:
        return {"1": array}
    if array.ndim == 2:
        return {str(i + 1): array[:, i] for i in range(array.shape[1])}
    raise FileError(
        f"{source} holds an array of shape {array.shape}; two columns are needed, or a second "
        "label image of that shape."
    )


def _columns_of_archive(source: Source) -> dict[str, NDArray[Any]]:
    with zipfile.ZipFile(source.path) as archive:
        size = sum(info.file_size for info in archive.infolist())
    check_memory(size, f"{source}: its arrays")
    with np.load(source.path, allow_pickle=False) as archive:
        # Two arrays are classes and clusters, in whatever order they were saved.
        names = sorted(archive.files, key=lambda name: {"truth": 0, "pred": 1}.get(name, 2))
        columns = {name: archive[name] for name in names}
    for name, column in columns.items():
        if column.ndim != 1 or column.dtype.names is not None:
            raise FileError(
                f"{source}: {name!r} has the shape {column.shape}; the arrays of an archive are "
                "columns: np.savez('labels.npz', truth=truth, pred=pred). Label images are named "
                f"one by one: {source}:truth {source}:pred."
            )
    return columns


def checked_column(source: Source, name: str, column: NDArray[Any]) -> NDArray[Any]:
    """Return a column as DuckDB reads it: numbers in the machine's order, others as objects."""
    kind = column.dtype.kind
    if kind in "US":
        return column.astype(object)
    if kind not in "biuf" or column.dtype.itemsize > 8:
        raise FileError(f"{source}: {name!r} holds {column.dtype}; labels are integers or text.")
    # Not ascontiguousarray, which keeps a subclass that DuckDB does not know.
    return np.array(column, dtype=column.dtype.newbyteorder("="), order="C", subok=False)
