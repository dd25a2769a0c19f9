"""Counts that are ready, read into cells: dense arrays, nested lists, sparse arrays, crosstabs."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from clusterbits.errors import ClusterbitsError, TableError, translating
from clusterbits.reading.on_device import copy_to_host
from clusterbits.table.cells import MAX_OBJECTS, Cells, checked_counts
from clusterbits.table.label_names import as_label, as_names, is_missing
from clusterbits.text.tables import counted


def read_counts(
    counts: Any, classes: Sequence[Any] | None, clusters: Sequence[Any] | None
) -> Cells:
    """Read a classes × clusters table of counts."""
    if hasattr(counts, "columns") and hasattr(counts, "index"):  # a pandas crosstab
        _refuse_margins(counts)
        classes = counts.index.tolist() if classes is None else classes
        clusters = counts.columns.tolist() if clusters is None else clusters
        counts = counts.to_numpy()
    plain = isinstance(counts, np.ma.MaskedArray) and counts.dtype.names is None
    if plain and np.ma.getmaskarray(counts).any():
        raise TableError("the table holds masked cells; .filled(0) makes them empty.")
    if hasattr(counts, "tocoo"):
        shape = counts.shape
        if len(shape) != 2:
            raise TableError(f"the table has shape {shape}; counts are 2-D.")
        counts = check_sparse(counts, TableError)
        cells = counts.tocoo()
        rows, columns, values = cells.row, cells.col, np.asarray(cells.data)
        _refuse_other_than_numbers(values)
    else:
        array = _as_array(counts)
        shape = array.shape
        rows, columns = np.nonzero(array)
        values = array[rows, columns]
    return Cells(
        _axis_names(classes, shape[0], "classes"),
        _axis_names(clusters, shape[1], "clusters"),
        rows.astype(np.intp),
        columns.astype(np.intp),
        checked_counts(values),
    )


def check_sparse(matrix: Any, kind: type[ClusterbitsError]) -> Any:
    """Return a matrix of scipy without unused entries behind its last one.

    Raise for indices outside of it: scipy would read other memory.
    """
    with translating("the sparse matrix is damaged", kind):
        if hasattr(matrix, "check_format"):  # which changes arrays, but not those that are shared
            parts = matrix.data, matrix.indices, matrix.indptr
            matrix = type(matrix)(parts, shape=matrix.shape)
            matrix.check_format()
            matrix.prune()
        elif hasattr(matrix, "row"):
            type(matrix)((matrix.data, (matrix.row, matrix.col)), shape=matrix.shape)
    return matrix


def _refuse_margins(crosstab: Any) -> None:
    """Raise for a crosstab whose last row and column are the sums of the others."""
    row, column = crosstab.index[-1:].tolist(), crosstab.columns[-1:].tolist()
    # Two rows and columns may be equal by chance, but margins are called alike, and not by number.
    alike = row == column and isinstance(row[0], str)
    if min(crosstab.shape) < 2 or (crosstab.shape == (2, 2) and not alike):
        return
    try:
        cells = crosstab.to_numpy().astype(np.float64)
    except (TypeError, ValueError):  # not a table of numbers: an error later
        return
    if all(
        np.allclose(table[:-1].sum(axis=0), table[-1], rtol=1e-12) for table in (cells, cells.T)
    ):
        raise TableError(
            f"the last row and column are margins, {row[0]!r} and {column[0]!r}: the sums of the "
            "others. Leave them out, counts.iloc[:-1, :-1]; if they are a class and a cluster, "
            "pass counts.to_numpy()."
        )


def read_probabilities(p: Any, n: float) -> Cells:
    """Read a joint distribution p(c,k) as the float counts n·p(c,k)."""
    if not (isinstance(n, int | float | np.number) and 0 < n <= MAX_OBJECTS):
        raise TableError(f"n is {n!r}; the number of objects is above 0 and below 2^63.")
    cells = read_counts(p, None, None)
    shares = cells.counts.astype(np.float64)
    if not math.isclose(total := math.fsum(shares.tolist()), 1, abs_tol=1e-9):
        raise TableError(
            f"p sums to {total:.12g}; probabilities sum to 1. For counts use from_counts()."
        )
    return cells._replace(counts=shares * float(n))


def _as_array(counts: Any) -> NDArray[Any]:
    """Return a 2-D array; nested lists as objects, so that large integers stay exact."""
    counts = copy_to_host(counts, "the table")
    try:
        ready = isinstance(counts, np.ndarray) or hasattr(counts, "__array__")
        array = np.asarray(counts) if ready else np.array(counts, dtype=object)
        ragged = array.ndim == 1 and any(isinstance(row, list | tuple) for row in array)
    except ValueError:
        ragged = True
    except Exception:  # of any library
        raise TableError(f"a {type(counts).__name__} is not a table; counts are 2-D.") from None
    if ragged:
        raise TableError("the rows of the table differ in length.")
    _refuse_other_than_numbers(array)
    if array.ndim != 2:
        raise TableError(
            f"the table has {counted(array.ndim, 'dimension')}; counts are 2-D: one "
            "row per class, one column per cluster. For two label sequences use from_labels()."
        )
    return array


def _refuse_other_than_numbers(values: NDArray[Any]) -> None:
    """Raise for None, NA, text and complex numbers, even if they would pass for empty cells."""
    if values.dtype.kind not in "biuf":
        for value in values.ravel().tolist():
            if not isinstance(value, int | float | np.number):
                raise TableError(f"the table holds {value!r}; counts are numbers, empty cells 0.")


def _axis_names(names: Sequence[Any] | None, size: int, what: str) -> NDArray[Any]:
    if names is None:
        return np.arange(size)
    try:
        values = names.to_pylist() if hasattr(names, "to_pylist") else list(names)
        labels = [None if is_missing(name) else as_label(name) for name in values]
        distinct = set(labels)
    except (TypeError, NotImplementedError):
        raise TableError(f"{what} is {names!r}, not a sequence of labels.") from None
    if len(labels) != size:
        raise TableError(f"{what} has {counted(len(labels), 'name')} for {size} in the table.")
    if len(distinct) != size:
        repeated = next(label for label in labels if labels.count(label) > 1)
        raise TableError(f"{what} names {repeated!r} twice.")
    return as_names(labels)
