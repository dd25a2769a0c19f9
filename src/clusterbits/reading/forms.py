"""The one reader: labels of any form as codes, with the ids of the objects if they have any.

The first reader of the list at the end that recognises a value reads it. No library is ever
imported: its objects are known by their attributes and the names of their types.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, MappingView, Sequence, Set
from dataclasses import replace
from typing import Any

import numpy as np

from clusterbits.errors import LabelError
from clusterbits.labels.labeling import FORMS, Ids, Labels, several_clusterings
from clusterbits.reading.label_columns import read_sequence
from clusterbits.reading.type_checks import (
    as_narwhals,
    index_of,
    is_estimator,
    is_own_frame,
    library_type,
    shape_of,
)
from clusterbits.text.tables import counted


def read_labels(value: Any, input_name: str) -> Labels:
    """Read labels of any form; `input_name` is their name in errors."""
    if type(value) is np.ndarray:  # the usual case
        return read_sequence(value, input_name)
    if isinstance(value, type):
        raise LabelError(f"{input_name} is the class {value.__name__}, which is no labels. {FORMS}")
    for read in _READERS:
        if (labels := read(value, input_name)) is not None:
            return labels
    kind = type(value).__name__
    raise LabelError(f"{input_name} is of type {kind}, which is not read as labels. {FORMS}")


def _read_carrier(value: Any, input_name: str) -> Labels | None:
    """Read objects that carry labels: `Labels`, clusterings of graphs, fitted estimators."""
    if isinstance(value, Labels):
        return value
    if not carries_labels(value):
        return None
    if hasattr(value, "communities") and hasattr(value, "overlap"):  # CDlib's
        return Labels.from_clusters(list(value.communities))
    if hasattr(value, "membership"):  # igraph's
        vertices: Any = getattr(getattr(value, "graph", None), "vs", None)
        named = vertices is not None and "name" in vertices.attributes()
        ids = Ids(list(vertices["name"]), implicit=True) if named else None
        return replace(read_sequence(list(value.membership), input_name), ids=ids)
    if not hasattr(value, "labels_"):
        kind = type(value).__name__
        raise LabelError(f"{input_name} is a {kind} without labels_: fit it first. {FORMS}")
    return read_sequence(value.labels_, input_name)


def carries_labels(value: Any) -> bool:
    """Whether a value carries labels: a clustering of igraph or CDlib, an estimator, `Labels`."""
    # The ids in the index of a pandas Series are attributes of it.
    if isinstance(value, list | tuple | Mapping) or library_type(value)[0]:
        return False
    if isinstance(value, Labels) or is_estimator(value) or hasattr(value, "membership"):
        return True
    return hasattr(value, "communities") and hasattr(value, "overlap")


def _read_mapping(value: Any, input_name: str) -> Labels | None:
    """Read a mapping of ids to labels, or of clusters to ids."""
    if not isinstance(value, Mapping):
        return None
    values = list(value.values())
    kinds = set(map(type, values))
    examples = (next(item for item in values if type(item) is kind) for kind in kinds)
    collections = {is_collection(example) for example in examples}
    if collections == {True} and not any(issubclass(kind, Mapping) for kind in kinds):
        return Labels.from_clusters(value)
    if collections == {True} or any(map(carries_labels, values[:1])):
        raise several_clusterings(list(value))
    if True in collections:
        names = ", ".join(sorted(kind.__name__ for kind in kinds))
        raise LabelError(f"{input_name} is a mapping to values of type {names}. {FORMS}")
    return replace(read_sequence(values, input_name), ids=Ids(list(value)))


def is_collection(value: Any) -> bool:
    """Whether a value is a collection and not a label; an array without axes is a number."""
    if isinstance(value, str | bytes):
        return False
    shape = shape_of(value)
    return hasattr(value, "__iter__") if shape is None else shape != ()


def _read_frame(value: Any, input_name: str) -> Labels | None:
    """Read a frame in memory of two columns: ids and labels."""
    if not is_own_frame(value):
        return None
    columns = [column.to_native() for column in as_narwhals(value).iter_columns()]
    if len(columns) != 2:
        kind, n_columns = type(value).__name__, counted(len(columns), "column")
        raise LabelError(f"{input_name} is a {kind} of {n_columns}. {FORMS}")
    return replace(read_sequence(columns[1], input_name), ids=Ids(columns[0]))


def _read_column(value: Any, input_name: str) -> Labels | None:
    """Read an array, a tensor, or the column of a frame."""
    if shape_of(value) is not None or hasattr(value, "__array__") or library_type(value)[0]:
        labels = read_sequence(value, input_name)
        ids = index_of(value)
        return labels if ids is None else replace(labels, ids=ids)
    return None


def _read_iterable(value: Any, input_name: str) -> Labels | None:
    """Read sets of ids, or any other sequence of labels."""
    if isinstance(value, str | bytes) or not isinstance(value, Iterable):
        return None
    ordinary = isinstance(value, Sequence | Set | Iterator | MappingView)
    if not ordinary and hasattr(type(value), "__getitem__"):  # such as a graph, or groups
        return None
    items = value if isinstance(value, list) else list(value)
    # The types of all items only if the first is a set: labels are many.
    if items and isinstance(items[0], Set) and all(issubclass(k, Set) for k in map(type, items)):
        return Labels.from_clusters(items)
    return None if isinstance(value, Set) else read_sequence(items, input_name)


_READERS: tuple[Callable[[Any, str], Labels | None], ...] = (
    _read_carrier,
    _read_mapping,
    _read_frame,
    _read_column,
    _read_iterable,
)
