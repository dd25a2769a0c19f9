"""What kind of object an input is, without importing the library it comes from."""

from __future__ import annotations

import sys
from typing import Any

from clusterbits.errors import ColumnError
from clusterbits.labels.labeling import Ids, is_array_type

# Packages whose columns and frames are read.
_PACKAGES = ("pandas", "polars", "pyarrow")


def library_type(value: Any) -> tuple[str, str]:
    """Return the package and the name of a dataframe library's type, also of a subclass's base.

    >>> import pandas as pd
    >>> class Measured(pd.Series): pass
    >>> library_type(Measured([1, 2])), library_type([1, 2])
    (('pandas', 'Series'), ('', ''))
    """
    for base in type(value).__mro__:
        package = base.__module__.partition(".")[0]
        if package in _PACKAGES:
            return package, base.__name__
    return "", ""


# --- arrays and columns --------------------------------------------------------------------------


def is_array(value: Any) -> bool:
    """Whether a value is an array, a tensor or a column, and not a single number."""
    return is_array_type(type(value)) and shape_of(value) != ()


def shape_of(value: Any) -> tuple[Any, ...] | None:
    """Return the shape of an array, a tensor or a frame; None of anything else."""
    try:
        shape = value.shape
    except Exception:  # torch's nested tensors say that they have none
        return None
    return tuple(shape) if isinstance(shape, tuple) else None


def index_of(column: Any) -> Ids | None:
    """Return the index of a pandas Series; None for anything else."""
    series = library_type(column) == ("pandas", "Series")
    return Ids(column.index, implicit=True) if series else None


def names_objects(index: Any) -> bool:
    """Whether the index of a pandas frame has ids: a name of its own, or no integers.

    >>> import pandas as pd
    >>> names_objects(pd.Index(["ann", "bob"])), names_objects(pd.Index([4, 2]))
    (True, False)
    """
    return index.name is not None or index.dtype.kind not in "iu"


def column_type(column: Any) -> str:
    """Return the type of the values in a column or array, as its library calls it."""
    return str(getattr(column, "dtype", getattr(column, "type", ""))).casefold()


def to_list(column: Any) -> list[Any]:
    """Return a column, a list or a set as a list of Python's own objects."""
    for method in ("tolist", "to_list", "to_pylist"):
        if hasattr(column, method):
            values: list[Any] = getattr(column, method)()
            return values
    return list(column)


# --- clusterings ---------------------------------------------------------------------------------


def is_estimator(value: Any) -> bool:
    """Whether a value is like an estimator of scikit-learn."""
    return hasattr(type(value), "fit")  # an id in a pandas index is an attribute of the Series


# --- frames --------------------------------------------------------------------------------------


def is_frame(value: Any) -> bool:
    """Whether a value is a dataframe, in memory or lazy."""
    return is_duckdb(value) or as_narwhals(value) is not None


def is_own_frame(value: Any) -> bool:
    """Whether a value is a frame in memory of a library whose columns are read."""
    return library_type(value)[1] in ("DataFrame", "Table", "RecordBatch")


def as_narwhals(frame: Any) -> Any:
    """Return the frame as one of narwhals; None if it is no frame."""
    import narwhals as nw

    if library_type(frame) == ("pyarrow", "RecordBatch"):  # which narwhals does not know
        frame = sys.modules["pyarrow"].Table.from_batches([frame])
    try:
        narwhal = nw.from_native(frame, pass_through=True)
    except nw.exceptions.DuplicateError as error:
        message = " ".join(str(error).split())
        raise ColumnError(f"two columns have one name: {message}") from None
    return narwhal if isinstance(narwhal, nw.DataFrame | nw.LazyFrame) else None


def is_duckdb(frame: Any) -> bool:
    """Whether a frame is a relation of DuckDB.

    Through GROUPING SETS it counts many columns in one pass, which narwhals cannot ask for.
    """
    return type(frame).__name__ == "DuckDBPyRelation"


def is_in_memory(frame: Any) -> bool:
    """Whether the rows of a frame are in memory."""
    import narwhals as nw

    return isinstance(as_narwhals(frame), nw.DataFrame)
