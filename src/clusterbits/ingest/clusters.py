"""Labelings other than sequences: mappings, clusters of ids, frames with ids, graphs, estimators.

No library is ever imported: its objects are known by their attributes and the names of their types.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Set
from itertools import chain
from typing import Any

import numpy as np
from numpy.typing import NDArray

from clusterbits.core.coding import types_of
from clusterbits.core.labels import Ids, Labels, read_codes, themselves
from clusterbits.errors import LabelError, NothingToCountError
from clusterbits.ingest.kinds import (
    index_of,
    is_array,
    is_clustering,
    is_estimator,
    is_graph,
    library_type,
    to_list,
)
from clusterbits.ingest.refusals import (
    OVERLAPPING,
    held_records,
    held_tuples,
    mapped_mappings,
    no_labels,
    refuse_list_columns,
    refuse_width,
)

# Clusters of these types are read as they are.
_PLAIN = {list, tuple, set, frozenset}


def unfold(labeling: Any, who: str) -> tuple[Any, Ids | None]:
    """Return the labels of a labeling as a sequence, and the ids of the objects in that order."""
    if isinstance(labeling, Mapping):
        return _unfold_mapping(labeling, who)
    if hasattr(labeling, "communities") and hasattr(labeling, "overlap"):  # CDlib's
        return _read_clusters(list(labeling.communities), who)
    if hasattr(labeling, "membership") or hasattr(labeling, "as_clustering"):  # igraph's
        return _unfold_igraph(labeling, who)
    if is_estimator(labeling):
        return _unfold_estimator(labeling, who), None
    if (
        not isinstance(labeling, Iterable)
        or isinstance(labeling, str | bytes)
        or is_graph(labeling)
    ):
        raise no_labels(labeling, who)
    return _unfold_iterable(labeling, who)


def is_one_labeling(labeling: Mapping[Any, Any]) -> bool:
    """Whether a mapping gives each id a label; others give names to labelings, or to clusters.

    >>> is_one_labeling({"ann": 0, "bob": 1}), is_one_labeling({"k2": [0, 1], "k3": [0, 2]})
    (True, False)
    """
    return len(labeling) > 0 and not any(_kinds(labeling).values())


def _kinds(labeling: Mapping[Any, Any]) -> dict[type, bool]:
    """Return the types of a mapping's values, and whether they hold many objects or are labels."""
    found = {}
    for kind in set(map(type, labeling.values())):
        example: Any = next(value for value in labeling.values() if type(value) is kind)
        # An array or a tensor of one number is a label; a table of pyarrow is not, nor iterable.
        shape = getattr(example, "shape", None)
        many = shape != () if isinstance(shape, tuple) else hasattr(example, "__iter__")
        found[kind] = (many or is_clustering(example)) and not isinstance(example, str | bytes)
    return found


def is_cluster(value: Any) -> bool:
    """Whether a value may be the ids of a cluster, and not a labeling with ids of its own.

    >>> is_cluster(["ann", "bob"]), is_cluster([{"ann"}, {"bob"}]), is_cluster({"ann": 1})
    (True, False, False)
    """
    if isinstance(value, list | tuple):
        return not any(isinstance(item, list | Set) for item in value[:1])
    if isinstance(value, Set):
        return not any(isinstance(item, Set) for item in value)
    one_dimension = len(getattr(value, "shape", (0,))) == 1
    return is_array(value) and one_dimension and index_of(value) is None


def _unfold_mapping(labeling: Mapping[Any, Any], who: str) -> tuple[Any, Ids]:
    kinds = _kinds(labeling)
    if not any(kinds.values()):
        return list(labeling.values()), Ids(list(labeling))
    if all(issubclass(kind, Mapping) for kind in kinds):
        raise mapped_mappings(labeling, who)
    if any(issubclass(kind, Mapping) for kind in kinds) or not all(kinds.values()):
        raise LabelError(
            f"{who} is a mapping to values of type {_listed(kinds)}; a labeling maps each id to "
            "its label (all values scalars), or each cluster to its ids (all values lists or sets)."
        )
    if any(map(is_clustering, labeling.values())):
        raise LabelError(
            f"{who} maps names to values of type {_listed(kinds)}, each of which is a clustering: "
            "pass one of them, or all to evaluate(truth, runs)."
        )
    return _read_clusters(list(labeling.values()), who, list(labeling))


def _listed(kinds: Iterable[type]) -> str:
    return ", ".join(sorted(kind.__name__ for kind in kinds))


def _unfold_iterable(labeling: Iterable[Any], who: str) -> tuple[Any, Ids | None]:
    """Return clusters of ids as labels, and anything else as a list."""
    items = labeling if isinstance(labeling, list) else list(labeling)
    first = items[0] if items else None
    if isinstance(first, list | Set) and all(
        issubclass(kind, list | Set) for kind in types_of(items)
    ):
        return _read_clusters(items, who)
    if isinstance(first, Mapping) and all(isinstance(item, Mapping) for item in items):
        raise held_records(first, who)
    refuse_tuples(items, who, labeling)
    if isinstance(labeling, Set):
        raise no_labels(labeling, who)
    if not items and isinstance(labeling, Iterator):
        raise NothingToCountError(
            f"{who} is a {type(labeling).__name__} with nothing left: an iterator can be read only "
            "once. Keep its labels in a list, and pass that."
        )
    return items, None


def refuse_tuples(labels: Iterable[Any], who: str, given: Any = None) -> None:
    """Raise where all labels are tuples: ids and labels, pairs of objects, or clusters."""
    first = next(iter(labels), None)
    if isinstance(first, tuple) and all(isinstance(label, tuple) for label in labels):
        raise held_tuples(labels if given is None else given, first, who)


def _read_clusters(
    clusters: list[Any], who: str, names: list[Any] | None = None
) -> tuple[Labels, Ids]:
    """Return a label for each member of each cluster: its name, or 0, 1, ...; and the members."""
    members = clusters
    if not types_of(clusters) <= _PLAIN:
        members = [_members(cluster, who) for cluster in clusters]
    sizes = np.fromiter(map(len, members), dtype=np.int64, count=len(members))
    codes = np.repeat(np.arange(len(members)), sizes)
    ids = _concatenated(members)
    if isinstance(ids, list) and _is_one_hot(ids):
        raise LabelError(
            f"{who} has rows of nothing but 0 and 1. If they are one-hot, pass "
            "np.argmax(rows, axis=1); to measures of soft or overlapping clusters "
            "Memberships(rows, normalize=True), or Memberships.from_label_sets(rows) where these "
            "are the clusters of each object. A cluster is a list or a set of ids."
        )
    if names is None:
        return Labels(codes, themselves), Ids(ids)
    return read_codes(codes, names, who, in_order=False), Ids(ids)


def _members(cluster: Any, who: str) -> Any:
    if len(shape := getattr(cluster, "shape", (0,))) != 1:
        raise LabelError(
            f"{who} has a cluster of shape {tuple(shape)}; a cluster is a 1-D list, set or "
            "array of ids."
        )
    known = isinstance(cluster, list | tuple | Set | np.ndarray)
    return cluster if known else to_list(cluster)


def _is_one_hot(ids: list[Any]) -> bool:
    if len(ids) < 3 or not set(map(type, ids)) <= {int, float, bool}:
        return False
    return {*ids[:3]} <= {0, 1} and {*ids} <= {0, 1}


def _concatenated(members: list[Any]) -> list[Any] | NDArray[Any]:
    if types_of(members) <= _PLAIN:
        return list(chain.from_iterable(members))
    dtypes = {getattr(some, "dtype", None) for some in members}
    if len(dtypes) == 1 and None not in dtypes:  # two may have none in common but that of floats
        return np.concatenate([np.ravel(some) for some in members])
    lists = (some.tolist() if isinstance(some, np.ndarray) else some for some in members)
    return list(chain.from_iterable(lists))


def _unfold_igraph(labeling: Any, who: str) -> tuple[Any, Ids | None]:
    kind = type(labeling).__name__
    if hasattr(labeling, "as_clustering"):
        raise LabelError(
            f"{who} is a {kind}, a tree of clusters: pass its .as_clustering(), or score all its "
            "cuts by cuts(truth, tree)."
        )
    membership = list(labeling.membership)
    if any(isinstance(clusters, list) for clusters in membership):
        raise LabelError(
            f"{who} is a {kind}, whose objects may be in several clusters: {OVERLAPPING}"
        )
    vertices = getattr(getattr(labeling, "graph", None), "vs", None)
    if vertices is None or "name" not in vertices.attributes():
        return membership, None
    return membership, Ids(list(vertices["name"]), soft=True)


def _unfold_estimator(estimator: Any, who: str) -> Any:
    if hasattr(estimator, "labels_"):
        return estimator.labels_
    raise LabelError(
        f"{who} is a {type(estimator).__name__} without labels_: fit it first, or pass the labels "
        "that its predict() or fit_predict() returns."
    )


def unfold_frame(frame: Any, who: str) -> tuple[Any, Ids]:
    """Return the second column of a frame as labels, and its first as ids."""
    columns = frame.columns
    names = list(frame.schema.names if library_type(frame)[0] == "pyarrow" else columns)
    refuse_width(frame, names, who)
    if hasattr(frame, "iloc"):
        columns = [frame.iloc[:, i] for i in (0, 1)]
    elif hasattr(frame, "to_series"):
        columns = [frame.to_series(i) for i in (0, 1)]
    refuse_list_columns(columns, names, who)  # pyarrow's are the columns themselves
    ids, labels = columns
    return labels, Ids(ids)
