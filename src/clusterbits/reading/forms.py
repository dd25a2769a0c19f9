"""The one reader: labels of any form as codes, with the ids of the objects where they have some.

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
    frame_columns,
    index_of,
    is_estimator,
    is_own_frame,
    library_type,
    shape_of,
)
from clusterbits.text.tables import counted


def read_labels(given: Any, input_name: str) -> Labels:
    """Read labels of any form; `input_name` is what errors call them."""
    if type(given) is np.ndarray:  # the usual case
        return read_sequence(given, input_name)
    for read in () if isinstance(given, type) else _READERS:
        if (found := read(given, input_name)) is not None:
            return found
    what = f"the class {given.__name__}" if isinstance(given, type) else f"of type {_kind(given)}"
    raise LabelError(f"{input_name} is {what}, which is not read as labels. {FORMS}")


def _kind(given: Any) -> str:
    return type(given).__name__


def _read_carrier(given: Any, input_name: str) -> Labels | None:
    """Read what carries labels: those that are read, clusterings of graphs, fitted estimators."""
    if isinstance(given, Labels):
        return given
    if not carries_labels(given):
        return None
    if hasattr(given, "communities") and hasattr(given, "overlap"):  # CDlib's
        return Labels.from_clusters(list(given.communities))
    if hasattr(given, "membership"):  # igraph's
        vertices: Any = getattr(getattr(given, "graph", None), "vs", None)
        named = vertices is not None and "name" in vertices.attributes()
        ids = Ids(list(vertices["name"]), implicit=True) if named else None
        return replace(read_sequence(list(given.membership), input_name), ids=ids)
    if not hasattr(given, "labels_"):
        raise LabelError(f"{input_name} is a {_kind(given)} without labels_: fit it first. {FORMS}")
    return read_sequence(given.labels_, input_name)


def carries_labels(value: Any) -> bool:
    """Whether a value carries labels: a clustering of igraph or CDlib, an estimator, `Labels`."""
    # The ids in the index of a pandas Series are attributes of it.
    if isinstance(value, list | tuple | Mapping) or library_type(value)[0]:
        return False
    if isinstance(value, Labels) or is_estimator(value) or hasattr(value, "membership"):
        return True
    return hasattr(value, "communities") and hasattr(value, "overlap")


def _read_mapping(given: Any, input_name: str) -> Labels | None:
    """Read a mapping of ids to labels, or of clusters to ids."""
    if not isinstance(given, Mapping):
        return None
    values = list(given.values())
    kinds = set(map(type, values))
    many = {holds_many(next(one for one in values if type(one) is kind)) for kind in kinds}
    if many == {True} and not any(issubclass(kind, Mapping) for kind in kinds):
        return Labels.from_clusters(given)
    if many == {True} or any(map(carries_labels, values[:1])):
        raise several_clusterings(list(given))
    if True in many:
        names = ", ".join(sorted(kind.__name__ for kind in kinds))
        raise LabelError(f"{input_name} is a mapping to values of type {names}. {FORMS}")
    return replace(read_sequence(values, input_name), ids=Ids(list(given)))


def holds_many(value: Any) -> bool:
    """Whether a value is a collection and not a label; an array without axes is a number."""
    if isinstance(value, str | bytes):
        return False
    shape = shape_of(value)
    return hasattr(value, "__iter__") if shape is None else shape != ()


def _read_frame(given: Any, input_name: str) -> Labels | None:
    """Read a frame in memory of two columns: ids and labels."""
    if not is_own_frame(given):
        return None
    columns = frame_columns(given)
    if len(columns) != 2:
        raise LabelError(f"{input_name} is a {_kind(given)} of {counted(len(columns), 'column')}. {FORMS}")
    return replace(read_sequence(columns[1], input_name), ids=Ids(columns[0]))


def _read_column(given: Any, input_name: str) -> Labels | None:
    """Read an array, a tensor, or the column of a frame."""
    if shape_of(given) is not None or hasattr(given, "__array__") or library_type(given)[0]:
        found = read_sequence(given, input_name)
        ids = index_of(given)
        return found if ids is None else replace(found, ids=ids)
    return None


def _read_iterable(given: Any, input_name: str) -> Labels | None:
    """Read sets of ids, or any other sequence of labels."""
    if isinstance(given, str | bytes) or not isinstance(given, Iterable):
        return None
    ordinary = isinstance(given, Sequence | Set | Iterator | MappingView)
    if not ordinary and hasattr(type(given), "__getitem__"):  # such as a graph, or groups
        return None
    items = given if isinstance(given, list) else list(given)
    if (
        items
        and isinstance(items[0], Set)
        and all(issubclass(k, Set) for k in set(map(type, items)))
    ):
        return Labels.from_clusters(items)
    return None if isinstance(given, Set) else read_sequence(items, input_name)


_READERS: tuple[Callable[[Any, str], Labels | None], ...] = (
    _read_carrier,
    _read_mapping,
    _read_frame,
    _read_column,
    _read_iterable,
)
