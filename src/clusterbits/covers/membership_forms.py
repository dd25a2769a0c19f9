"""What memberships are read from: matrices, clusters that may overlap, sets of labels.

Each becomes a sparse matrix, objects × clusters. No library of clusterings is ever imported: its
objects are known by their attributes.
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
from clusterbits.reading.on_device import copy_to_host, is_on_device
from clusterbits.reading.type_checks import index_of, library_type, to_list
from clusterbits.table.numbering import factorize_integers, first_occurrences, number_objects
from clusterbits.text.tables import short

# Degrees may be this far below 0, as a share of the highest: single precision.
_ROUNDING = 1e-7


class Matrix(NamedTuple):
    """Degrees as a ``csr_array``, objects × clusters, and the names of both, if they have some."""

    rows: Any
    clusters: Sequence[Any]
    ids: Ids | None


def read_matrix(matrix: Any) -> Matrix:
    """Read a dense or sparse matrix, or a frame; all degrees are finite and none is below 0."""
    from scipy.sparse import csr_array

    names, ids = None, None
    if library_type(matrix)[1] == "DataFrame":
        names = list(matrix.columns)
        ids = Ids(matrix.index, implicit=True) if hasattr(matrix, "index") else None
        matrix = matrix.to_numpy()
    if hasattr(matrix, "tocsr"):
        matrix = check_sparse(matrix, LabelError)
        rows = matrix.tocsr()
    else:
        refuse_mask(matrix, "the matrix")
        with translating(
            "memberships are a matrix of numbers, objects × clusters; Memberships.from_clusters() "
            "takes clusters of ids, and labels",
            LabelError,
        ):
            array = (
                copy_to_host(matrix, "the matrix") if is_on_device(matrix) else np.asarray(matrix)
            )
            # scipy has no sparse matrices of objects, or of half precision.
            rows = array if array.dtype.kind in "biuc" else array.astype(np.float64)
    if rows.ndim != 2 or rows.dtype.kind == "c":
        raise LabelError(
            f"memberships of shape {rows.shape} and type {rows.dtype}: pass a matrix of real "
            "numbers, objects × clusters. "
            "Memberships.from_clusters() takes clusters of ids, and labels."
        )
    rows = csr_array(rows, dtype=np.float64, copy=True)
    rows.sum_duplicates()
    _refuse_wrong(rows)
    rows.eliminate_zeros()
    return Matrix(rows, range(rows.shape[1]) if names is None else names, ids)


def _refuse_wrong(rows: Any) -> None:
    """Raise where a degree is not a number, infinite or negative; below 0 by rounding is 0."""
    if (rows.data < 0).any():
        highest = np.repeat(rows.max(axis=1).toarray().ravel(), np.diff(rows.indptr))
        rows.data[(rows.data < 0) & (rows.data >= -_ROUNDING * highest)] = 0
    wrong = np.flatnonzero(~np.isfinite(rows.data) | (rows.data < 0))
    if len(wrong):
        row = int(np.searchsorted(rows.indptr, wrong[0], side="right")) - 1
        raise LabelError(
            f"row {row} holds {rows.data[wrong[0]]}; a degree of membership is a number from 0 to "
            "1, and 0 where an object is not in a cluster."
        )


def read_clusters(clusters: Any, who: str) -> Matrix:
    """Read clusters of ids that may overlap, or any labeling: 1 for each object in a cluster."""
    membership = getattr(clusters, "membership", None)
    if isinstance(membership, list) and any(isinstance(some, list) for some in membership):
        found = read_label_sets(membership)  # of igraph's cover: the clusters of each vertex
        vertices = clusters.graph.vs
        named = "name" in vertices.attributes()
        return found._replace(ids=Ids(list(vertices["name"]), implicit=True) if named else None)
    listed = isinstance(clusters, list) and all(isinstance(some, list | Set) for some in clusters)
    labels = Labels.from_clusters(clusters) if listed else read_labels(clusters, who)
    refuse_missing(labels, who, "Give each object a cluster.")
    if not labels.has_explicit_ids:
        return _matrix_of(np.arange(len(labels)), labels, len(labels), labels.ids)
    ids = read_ids(labels.ids, who)
    (numbers,), many = number_objects([ids])
    objects, places = factorize_integers(first_occurrences(numbers, many)[numbers])
    some = ids[places] if isinstance(ids, np.ndarray) else [ids[i] for i in places.tolist()]
    return _matrix_of(objects, labels, len(places), Ids(some))


def read_label_sets(label_sets: Any) -> Matrix:
    """Read the sets of clusters that objects are in: 1 for each."""
    ids = index_of(label_sets)
    if isinstance(label_sets, Mapping):
        ids, label_sets = Ids(list(label_sets)), label_sets.values()
    if isinstance(label_sets, Set) or getattr(label_sets, "ndim", 1) != 1:
        raise LabelError(
            f"label_sets is a {type(label_sets).__name__}: pass a list of sets, or a mapping of "
            "ids to sets. A matrix is for Memberships(matrix, normalize=True)."
        )
    sets = list(label_sets)
    for i, some in enumerate(sets):
        if isinstance(some, str | bytes) or not isinstance(some, Iterable):
            raise LabelError(
                f"label_sets holds {short(repr(some))} at position {i}: each object has a set of "
                "clusters. For one label each use from_clusters()."
            )
    sets = [to_list(some) for some in sets]
    counts = np.fromiter(map(len, sets), dtype=np.int64, count=len(sets))
    labels = read_sequence(list(chain.from_iterable(sets)), "label_sets")
    refuse_missing(labels, "label_sets", "Leave it out of the set.")
    return _matrix_of(np.repeat(np.arange(len(sets)), counts), labels, len(sets), ids)


def _matrix_of(objects: NDArray[np.int64], labels: Labels, n: int, ids: Ids | None) -> Matrix:
    """Return the matrix of objects and their labels; an object twice in a cluster is in it."""
    from scipy.sparse import csr_array

    if len(labels) == 0:
        raise NothingToCountError("the memberships are empty: no object is in a cluster.")
    columns, names = labels.named()
    rows = csr_array((np.ones(len(columns)), (objects, columns)), shape=(n, len(names)))
    rows.data[:] = 1
    return Matrix(rows, names.tolist(), ids)
