"""What memberships are read from: matrices, clusters that may overlap, sets of labels, estimators.

No library is ever imported: its objects are known by their attributes.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence, Set
from itertools import chain
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from clusterbits.core.coding import number_objects, rank
from clusterbits.core.labels import Ids, Labels, is_missing
from clusterbits.display.tables import counted, short
from clusterbits.errors import LabelError, NothingToCountError, first_line
from clusterbits.ingest.arrays import name_codes
from clusterbits.ingest.columns import read_sequence
from clusterbits.ingest.devices import bring, is_on_device
from clusterbits.ingest.join import read_ids, read_names, refuse_mask
from clusterbits.ingest.kinds import index_of, library_type, to_list
from clusterbits.ingest.missing import refuse_missing
from clusterbits.ingest.reading import read_labels

# Degrees may be this far below 0, as a share of the highest: single precision.
_ROUNDING = 1e-7


class Entries(NamedTuple):
    """Degrees above 0 row by row: where rows start, their columns in order, names and ids."""

    starts: NDArray[np.int64]
    columns: NDArray[np.int64]
    degrees: NDArray[np.float64]
    clusters: tuple[Any, ...]
    ids: Ids | None

    def without_empty_columns(self) -> Entries:
        """Return the same without clusters that have no object."""
        if len(self.columns) == 0:
            return self._replace(clusters=())
        columns, present = rank(self.columns)
        clusters = tuple(self.clusters[column] for column in present.tolist())
        return self._replace(columns=columns, clusters=clusters)

    def without_zeros(self) -> Entries:
        """Return the same without degrees too small for a float of full precision."""
        kept = self.degrees >= np.finfo(np.float64).tiny
        if kept.all():
            return self
        starts = np.concatenate([[0], np.cumsum(kept)])[self.starts]
        found = self._replace(starts=starts, columns=self.columns[kept], degrees=self.degrees[kept])
        return found.without_empty_columns()


def read_matrix(matrix: Any, clusters: Sequence[Any] | None) -> Entries:
    """Return the entries of a dense or sparse matrix, or of a frame, all finite and none below 0.

    >>> read_matrix([[0.5, 0, 0.5]], None).clusters
    (0, 2)
    """
    ids: Ids | None = None
    names = None if clusters is None else read_names(clusters, "clusters", "column")
    if hasattr(matrix, "tocsr"):
        rows = matrix.tocsr()
    else:
        if library_type(matrix)[1] == "DataFrame":
            names = list(matrix.columns) if names is None else names
            if library_type(matrix)[0] == "pandas":
                ids = Ids(matrix.index, offered=True)
            matrix = matrix.to_numpy()
        rows = _read_dense(matrix)
    if rows.ndim != 2 or rows.dtype.kind not in "biuf":
        raise _no_matrix(f"a sparse matrix of {rows.ndim} dimensions and dtype {rows.dtype}")
    rows = rows.astype(np.float64)  # a copy
    rows.sum_duplicates()
    _refuse_wrong(rows)
    rows.eliminate_zeros()
    many = rows.shape[1]
    names = list(range(many)) if names is None else names
    if len(names) != many:
        raise LabelError(
            f"{counted(many, 'column')} and {counted(len(names), 'name')}: each has one name."
        )
    _refuse_unclear_names(names)
    starts, columns = rows.indptr.astype(np.int64), rows.indices.astype(np.int64)
    return Entries(starts, columns, rows.data, tuple(names), ids).without_empty_columns()


def _refuse_unclear_names(names: Sequence[Any]) -> None:
    """Raise where two clusters have one name, or one has none: hardened clusters would be mixed."""
    seen = set()
    for column, name in enumerate(names):
        try:
            repeated = name in seen
        except TypeError:
            raise LabelError(
                f"column {column} has the name {short(repr(name))}, a {type(name).__name__}: name "
                "clusters by text or numbers."
            ) from None
        if repeated or is_missing(name):
            what = "several columns have" if repeated else f"column {column} has"
            raise LabelError(
                f"{what} the name {short(repr(name))}: each cluster has a name of its own. "
                "Pass clusters=names."
            )
        seen.add(name)


def _read_dense(matrix: Any) -> Any:
    from scipy.sparse import csr_array

    if isinstance(matrix, Mapping | Set | str | bytes) or not isinstance(matrix, Iterable):
        raise _no_matrix(f"a {type(matrix).__name__}")
    refuse_mask(matrix, "the matrix")
    try:
        array = bring(matrix, "the matrix") if is_on_device(matrix) else np.asarray(matrix)
        # scipy has no sparse matrices of objects, half precision or a foreign byte order.
        if array.dtype.kind in "Of" or not array.dtype.isnative:
            array = array.astype(np.float64)
    except (TypeError, ValueError, RuntimeError) as error:
        raise _no_matrix(f"a {type(matrix).__name__} ({first_line(error)})") from None
    if array.size == 0:
        raise NothingToCountError("the memberships are empty: at least one object is needed.")
    if array.ndim != 2 or array.dtype.kind not in "biuf":
        raise _no_matrix(f"an array of shape {array.shape} and dtype {array.dtype}")
    return csr_array(array)


def _no_matrix(what: str) -> LabelError:
    return LabelError(
        f"the memberships are {what}; Memberships() takes a matrix of numbers, objects × clusters. "
        "For clusters of ids and for labels use Memberships.from_clusters(), for the clusters of "
        "each object from_label_sets()."
    )


def _refuse_wrong(rows: Any) -> None:
    """Raise where a degree is no number, infinite or negative; below 0 by rounding is 0."""
    if (rows.data < 0).any():
        many = np.diff(rows.indptr)
        highest = np.zeros(len(many))
        np.maximum.at(highest, np.repeat(np.arange(len(many)), many), rows.data)
        rows.data[(rows.data < 0) & (rows.data >= -_ROUNDING * np.repeat(highest, many))] = 0
    wrong = np.flatnonzero(~np.isfinite(rows.data) | (rows.data < 0))
    if len(wrong):
        row = int(np.searchsorted(rows.indptr, wrong[0], side="right")) - 1
        raise LabelError(
            f"row {row} holds {rows.data[wrong[0]]}; a degree of membership is a number from 0 to "
            "1, and 0 where an object is not in a cluster."
        )


def read_clusters(clusters: Any, who: str) -> Entries:
    """Return the entries of clusters of ids that may overlap, or of any labeling: 1 for each."""
    if is_igraph_cover(clusters):
        vertices = getattr(getattr(clusters, "graph", None), "vs", None)
        found = read_label_sets(clusters.membership)
        if vertices is None or "name" not in vertices.attributes():
            return found
        return found._replace(ids=Ids(list(vertices["name"]), offered=True))
    listed = isinstance(clusters, list) and all(isinstance(some, list | Set) for some in clusters)
    labels = Labels.from_clusters(clusters) if listed else read_labels(clusters, who)
    if len(labels) == 0:
        raise NothingToCountError(f"{who} is empty: at least one object is needed.")
    refuse_missing(labels, who, advice="Give each object a cluster.")
    if labels.ids is None or labels.ids.offered:
        return _entries_of(np.arange(len(labels)), labels, len(labels), labels.ids)
    ids = read_ids(labels.ids, who)
    numbers = number_objects([ids])[0][0]
    objects, first = np.unique(numbers, return_index=True)
    order = np.argsort(first, kind="stable")  # objects in the order in which they first appear
    place = np.empty(len(order), dtype=np.int64)
    place[order] = np.arange(len(order))
    named = [ids[i] for i in first[order].tolist()]
    return _entries_of(place[np.searchsorted(objects, numbers)], labels, len(objects), Ids(named))


def is_igraph_cover(value: Any) -> bool:
    """Whether a value is igraph's cover: a list of clusters for each vertex."""
    membership = getattr(value, "membership", None)
    return isinstance(membership, list) and any(isinstance(some, list) for some in membership)


def read_label_sets(label_sets: Any) -> Entries:
    """Return the entries of the sets of clusters that objects are in: 1 for each."""
    ids = index_of(label_sets)
    if isinstance(label_sets, Mapping):
        ids, label_sets = Ids(list(label_sets)), list(label_sets.values())
    if isinstance(label_sets, str | bytes | Set) or not isinstance(label_sets, Iterable):
        raise LabelError(
            f"label_sets is of type {type(label_sets).__name__}; pass a list with the set of "
            "clusters of each object, or a mapping of ids to such sets."
        )
    if len(getattr(label_sets, "shape", (0,))) != 1:
        raise _held_matrix(f"is a {type(label_sets).__name__} of two dimensions")
    sets = list(label_sets)
    refuse_mask(sets, "label_sets")
    for i, some in enumerate(sets):
        if isinstance(some, Mapping):
            raise _held_matrix(f"holds a {type(some).__name__} at position {i}")
        if isinstance(some, str | bytes) or not isinstance(some, Iterable):
            raise LabelError(
                f"label_sets holds {short(repr(some))} at position {i}: each object has a set of "
                "clusters. For one label each use from_clusters()."
            )
    sets = [some if isinstance(some, Set) else to_list(some) for some in sets]
    if sets and _are_rows_of_matrix(sets):
        raise _held_matrix("holds rows of nothing but 0 and 1")
    if not sets:
        raise NothingToCountError("label_sets is empty: at least one object is needed.")
    counts = np.fromiter(map(len, sets), dtype=np.int64, count=len(sets))
    if not counts.any():
        return Entries(np.zeros(len(sets) + 1, np.int64), counts[:0], np.empty(0), (), ids)
    labels = read_sequence(list(chain.from_iterable(sets)), "label_sets")
    refuse_missing(labels, "label_sets", advice="Leave it out of the set.")
    return _entries_of(np.repeat(np.arange(len(sets)), counts), labels, len(sets), ids)


def _are_rows_of_matrix(sets: list[Any]) -> bool:
    """Whether lists of equal length hold only 0 and 1: a set would not say so twice.

    >>> _are_rows_of_matrix([[1, 0, 0], [0, 1, 1]]), _are_rows_of_matrix([{0, 1}, {0, 1}])
    (True, False)
    """
    if any(isinstance(some, Set) for some in sets) or len({*map(len, sets)}) != 1:
        return False
    return len(sets[0]) > 1 and all(entry in (0, 1) for some in sets for entry in some)


def _held_matrix(what: str) -> LabelError:
    return LabelError(
        f"label_sets {what}; it takes the names of the clusters of each object. For degrees of "
        "membership, or 0 and 1 for each cluster, pass Memberships(matrix, normalize=True)."
    )


def _entries_of(objects: NDArray[np.int64], labels: Labels, n: int, ids: Ids | None) -> Entries:
    """Return the entries of objects and their labels; an object twice in a cluster is in it."""
    columns, names = name_codes(labels.codes, labels)
    keys = np.unique(objects * len(names) + columns)
    rows = keys // len(names)
    starts = np.searchsorted(rows, np.arange(n + 1))
    return Entries(starts, keys - rows * len(names), np.ones(len(keys)), tuple(names.tolist()), ids)
