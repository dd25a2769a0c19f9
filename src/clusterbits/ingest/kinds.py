"""What kind of object was given, without importing the library it comes from."""

from __future__ import annotations

from typing import Any

from clusterbits.core.labels import Ids

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


def index_of(column: Any) -> Ids | None:
    """Return the index of a pandas Series; None for anything else."""
    series = library_type(column) == ("pandas", "Series")
    return Ids(column.index, soft=True) if series else None


def is_array(value: Any) -> bool:
    """Whether a value is an array, a tensor or a column, and no single number."""
    offered = hasattr(value, "__array__") or hasattr(value, "__dlpack__")
    return offered and getattr(value, "shape", None) != ()
