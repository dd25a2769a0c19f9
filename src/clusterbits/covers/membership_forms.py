"""Readers of memberships: matrices, clusters that may overlap, sets of labels.

Each returns a sparse matrix, objects × clusters. No library of clusterings is imported: its objects
are recognized by their attributes.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence, Set
from itertools import chain
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from clusterbits.errors import LabelError, NothingToCountError, translating
from clusterbits.labels.labeling import Ids, Labels
from clusterbits.labels.settle import refuse_missing
from clusterbits.reading.forms import read_labels
from clusterbits.reading.given_counts import check_sparse
from clusterbits.reading.ids import read_ids, refuse_mask
from clusterbits.reading.label_columns import read_sequence
from clusterbits.reading.on_device import copy_to_host
from clusterbits.reading.type_checks import index_of, library_type, to_list
from clusterbits.table.numbering import factorize_integers, first_occurrences, number_objects
from clusterbits.text.tables import short

# Degrees may be this far below 0, as a share of the highest: single precision.
_ROUNDING = 1e-7
_REQUIRED = (
    "pass a matrix of numbers, objects × clusters. Memberships.from_clusters() takes clusters "
    "of ids, and labels"
)


class Matrix(NamedTuple):
    """Degrees as a ``csr_array``, objects × clusters, with the names of clusters and objects."""

    rows: Any
    clusters: Sequence[Any]
    ids: Ids | None


def read_matrix(matrix: Any) -> Matrix:
    """Read a dense or sparse matrix, or a DataFrame; degrees must be finite and not negative."""
    from scipy.sparse import csr_array

    names, ids = None, None
    if library_type(matrix)[1] == "DataFrame":
        names = list(matrix.columns)
        ids = Ids(matrix.index, implicit=True) if hasattr(matrix, "index") else None
        matrix = matrix.to_numpy()
    if hasattr(matrix, "tocsr"):
        rows = check_sparse(matrix, LabelError).tocsr()
    else:
        refuse_mask(matrix, "the matrix")
        with translating(f"memberships: {_REQUIRED}", LabelError):
            rows = np.asarray(copy_to_host(matrix, "the matrix"))
            if rows.dtype.kind not in "biuc":  # scipy: no sparse objects, no half precision
                rows = rows.astype(np.float64)
    if rows.ndim != 2 or rows.dtype.kind == "c":
        raise LabelError(f"memberships of shape {rows.shape} and type {rows.dtype}: {_REQUIRED}.")
    rows = csr_array(rows, dtype=np.float64, copy=True)
    rows.sum_duplicates()
    _check_degrees(rows)
    rows.eliminate_zeros()
    return Matrix(rows, range(rows.shape[1]) if names is None else names, ids)


def _check_degrees(rows: Any) -> None:
    """Raise if a degree is nan, infinite or negative; set those below 0 by rounding to 0."""
    if (rows.data < 0).any():
        highest = np.repeat(rows.max(axis=1).toarray().ravel(), np.diff(rows.indptr))
        rows.data[(rows.data < 0) & (rows.data >= -_ROUNDING * highest)] = 0
    wrong = np.flatnonzero(~np.isfinite(rows.data) | (rows.data < 0))
    if len(wrong):
        row = int(np.searchsorted(rows.indptr, wrong[0], side="right")) - 1
        raise LabelError(
            f"row {row} holds {rows.data[wrong[0]]}; a degree of membership must be a number from "
            "0 to 1. Pass 0 if an object is not in a cluster."
        )


def read_clusters(clusters: Any, input_name: str) -> Matrix:
    """Read clusters of ids that may overlap, or any labeling, as a matrix of 0 and 1."""
    membership = getattr(clusters, "membership", None)
    if isinstance(membership, list) and any(isinstance(labels, list) for labels in membership):
        matrix = read_label_sets(membership)  # a cover of igraph
        vertices = clusters.graph.vs
        named = "name" in vertices.attributes()
        return matrix._replace(ids=Ids(list(vertices["name"]), implicit=True) if named else None)
    is_list = isinstance(clusters, list) and all(isinstance(ids, list | Set) for ids in clusters)
    labels = Labels.from_clusters(clusters) if is_list else read_labels(clusters, input_name)
    refuse_missing(labels, input_name, "Give each object a cluster.")
    if not labels.has_explicit_ids:
        return _as_matrix(np.arange(len(labels)), labels, len(labels), labels.ids)
    ids = read_ids(labels.ids, input_name)
    (numbers,), n = number_objects([ids])
    objects, first = factorize_integers(first_occurrences(numbers, n)[numbers])
    distinct = ids[first] if isinstance(ids, np.ndarray) else [ids[i] for i in first.tolist()]
    return _as_matrix(objects, labels, len(first), Ids(distinct))


def read_label_sets(label_sets: Any) -> Matrix:
    """Read the set of clusters of each object as a matrix of 0 and 1."""
    ids = index_of(label_sets)
    if isinstance(label_sets, Mapping):
        ids, label_sets = Ids(list(label_sets)), label_sets.values()
    if isinstance(label_sets, Set) or getattr(label_sets, "ndim", 1) != 1:
        raise LabelError(
            f"label_sets is a {type(label_sets).__name__}: pass a list of sets, or a mapping of "
            "ids to sets. A matrix is for Memberships(matrix, normalize=True)."
        )
    sets = list(label_sets)
    for i, labels in enumerate(sets):
        if isinstance(labels, str | bytes | Mapping) or not isinstance(labels, Iterable):
            raise LabelError(
                f"label_sets holds {short(repr(labels))} at position {i}: each object has a set "
                "of clusters. For one label each use from_clusters(), for degrees a matrix."
            )
    sets = [to_list(labels) for labels in sets]
    counts = np.fromiter(map(len, sets), dtype=np.int64, count=len(sets))
    labels = read_sequence(list(chain.from_iterable(sets)), "label_sets")
    refuse_missing(labels, "label_sets", "Leave it out of the set.")
    return _as_matrix(np.repeat(np.arange(len(sets)), counts), labels, len(sets), ids)


def _as_matrix(objects: NDArray[np.int64], labels: Labels, n: int, ids: Ids | None) -> Matrix:
    """Return the matrix with 1 for each object and label, however often the pair occurs."""
    from scipy.sparse import csr_array

    if len(labels) == 0:
        raise NothingToCountError("the memberships are empty: no object is in a cluster.")
    columns, names = labels.named()
    rows = csr_array((np.ones(len(columns)), (objects, columns)), shape=(n, len(names)))
    rows.data[:] = 1
    return Matrix(rows, names.tolist(), ids)
