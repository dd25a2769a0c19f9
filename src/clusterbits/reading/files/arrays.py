"""Label columns in files of arrays: NumPy's .npy and .npz, Arrow IPC and Feather.

The columns of a 2-D array are called 1, 2, ...; those of a structured array by its fields, those
of an .npz archive by its arrays.
"""

from __future__ import annotations

import zipfile
from itertools import count
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from clusterbits.errors import FileError
from clusterbits.reading.files.relations import Relation, by_position
from clusterbits.reading.files.sources import Source
from clusterbits.reading.label_columns import read_stored
from clusterbits.system.limits import check_memory

_NUMBERS = count()


def open_numpy(connection: Any, source: Source) -> Relation:
    """Return the columns of an array or of an archive of arrays."""
    columns = _columns_of_archive(source) if source.form == "npz" else _columns(source)
    if len({len(column) for column in columns.values()}) > 1:
        lengths = ", ".join(f"{name!r} {len(column):,}" for name, column in columns.items())
        raise FileError(f"{source}: its arrays differ in length: {lengths}.")
    checked = [checked_column(source, name, column) for name, column in columns.items()]
    relation = as_relation(connection, {f"c{i}": column for i, column in enumerate(checked)})
    return Relation(str(source), list(columns), by_position(relation), read_stored)


def as_relation(connection: Any, columns: dict[str, NDArray[Any]]) -> Any:
    """Return columns by name as a relation."""
    # No two views have one name: the second side of a join would take the place of the first.
    view = f"arrays{next(_NUMBERS)}"
    connection.register(view, columns)
    return connection.table(view)


def map_array(path: Path) -> NDArray[Any]:
    """Return the array of a .npy file, which is as long as its header says, or it is damaged."""
    array: np.memmap[Any, Any] = np.load(path, mmap_mode="r", allow_pickle=False)
    if array.offset + array.nbytes != path.stat().st_size:
        raise FileError(f"{path} holds more than the array that its header describes.")
    return array


def read_member(archive: Any, name: str) -> NDArray[Any]:
    """Return an array of an archive, read to its end, where its checksum is compared."""
    with archive.zip.open(f"{name}.npy") as stream:
        array: NDArray[Any] = np.lib.format.read_array(stream, allow_pickle=False)
        if stream.read(1):
            raise FileError(f"{name!r} holds more than the array that its header describes.")
    return array


def _columns(source: Source) -> dict[str, NDArray[Any]]:
    array = map_array(source.path)
    if array.dtype.names is not None and array.ndim == 1:
        return {name: array[name] for name in array.dtype.names}
    if array.ndim == 1:
        return {"1": array}
    if array.ndim == 2:
        return {str(i + 1): array[:, i] for i in range(array.shape[1])}
    raise FileError(f"{source} holds an array of shape {array.shape}; two columns are needed.")


def _columns_of_archive(source: Source) -> dict[str, NDArray[Any]]:
    with zipfile.ZipFile(source.path) as archive:
        check_memory(sum(info.file_size for info in archive.infolist()), f"{source}: its arrays")
    with np.load(source.path, allow_pickle=False) as archive:
        # Two arrays are classes and clusters, in whatever order they were saved.
        names = sorted(archive.files, key=lambda name: {"truth": 0, "pred": 1}.get(name, 2))
        columns = {name: read_member(archive, name) for name in names}
    for name, column in columns.items():
        if column.ndim != 1 or column.dtype.names is not None:
            raise FileError(
                f"{source}: {name!r} has the shape {column.shape}; the arrays of an archive are "
                "columns, each with a label for each object."
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


def open_arrow(connection: Any, source: Source) -> Relation:
    """Return the columns of an Arrow file or stream."""
    try:
        import pyarrow
        from pyarrow import ipc
    except ImportError:
        raise FileError(f"{source} is an Arrow file, which needs pyarrow.") from None
    stream = pyarrow.memory_map(str(source.path))
    is_file = stream.read(6) == b"ARROW1"
    stream.seek(0)
    table = (ipc.open_file if is_file else ipc.open_stream)(stream).read_all()
    names = list(table.column_names)
    # Columns are called by number: their names are only data.
    relation = connection.from_arrow(table.rename_columns([f"c{i}" for i in range(len(names))]))
    kinds = zip(table.columns, map(str, relation.types), strict=True)
    rounded = [i for i, (column, kind) in enumerate(kinds) if _is_rounded(column, kind)]
    return Relation(str(source), names, by_position(relation), read_stored, rounded)


def _is_rounded(column: Any, kind: str) -> bool:
    """Whether DuckDB would cut the values of a column to microseconds when it makes them `kind`."""
    if str(column.type) == "duration[ns]":
        return bool((column.cast("int64").drop_null().to_numpy() % 1000).any())
    return str(column.type).startswith(("timestamp[ns", "time64[ns")) and "_NS" not in kind
