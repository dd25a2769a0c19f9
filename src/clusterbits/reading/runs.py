"""Several clusterings of the same objects ("runs"), by name, from whatever holds them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence, Set
from dataclasses import replace
from typing import Any

import numpy as np

from clusterbits.errors import LabelError
from clusterbits.labels.labeling import Ids
from clusterbits.reading.dataframes import read_columns, split_ids
from clusterbits.reading.forms import carries_labels, holds_many, read_labels
from clusterbits.reading.label_columns import as_array
from clusterbits.reading.on_device import is_on_device
from clusterbits.reading.type_checks import is_array, is_estimator, is_frame, shape_of
from clusterbits.table.label_names import Name, as_label


def as_runs(given: Any, by_id: bool = False) -> dict[Name, Any] | None:
    """Return the labels of each run by name; None where it is one clustering.

    Runs are a mapping of names to labels, a list of labels, or the columns of a frame in memory or
    of a 2-D array. One clustering is all else, a mapping to sets and a list of sets included.
    Where objects are known `by_id`, a frame has ids: in the index, if that has a name or other
    labels than integers, else in the first column.

    >>> as_runs({2: [0, 1, 1], 10: [0, 1, 2]})
    {2: [0, 1, 1], 10: [0, 1, 2]}
    >>> as_runs([{"ann", "bob"}, {"eve"}])
    """
    named = _named_runs(given, by_id)
    if named is None:
        return None
    names = [as_name(name) for name, _ in named]
    for name, times in Counter(map(str, names)).items():
        if times > 1:
            raise LabelError(f"{times} labelings are called {name!r}: each needs its own name.")
    return dict(zip(names, (labels for _, labels in named), strict=True))


def as_name(name: Any) -> Name:
    """Return a number as it is, and anything else as text.

    >>> as_name(np.int64(3)), as_name(0.5), as_name(("k", 3))
    (3, 0.5, "('k', 3)")
    """
    if isinstance(name, np.integer | np.floating):
        name = name.item()
    if type(name) is int:
        name = as_label(name)
    return name if type(name) is int or (type(name) is float and name == name) else str(name)


def _named_runs(given: Any, by_id: bool) -> list[tuple[Any, Any]] | None:
    if isinstance(given, Mapping):
        values = list(given.values())
        return list(given.items()) if not values or _are_labelings(values) else None
    if isinstance(given, list | tuple):
        return list(zip(_name_all(given), given, strict=True)) if _are_labelings(given) else None
    shape = shape_of(given)
    if shape is None or len(shape) != 2:
        return None
    if isinstance(given, np.ndarray):
        return list(enumerate(given.T))
    if is_frame(given):
        return _runs_by_id(given) if by_id else list(read_columns(given).items())
    if is_on_device(given):
        return [(i, given[:, i]) for i in range(shape[1])]
    return list(enumerate(as_array(given, "pred").T)) if is_array(given) else None


def _are_labelings(values: Sequence[Any]) -> bool:
    """Whether values are labelings, and neither labels nor sets of ids; the first tells."""
    if not values or isinstance(values[0], Set):
        return False
    return holds_many(values[0]) or carries_labels(values[0])


def _runs_by_id(frame: Any) -> list[tuple[Any, Any]] | None:
    """Return the columns of a frame with its ids; None where these are ids and labels."""
    ids, columns = split_ids(frame)
    if ids is None:
        return list(columns.items())
    if len(columns) == 1 < frame.shape[1]:
        return None
    return [
        (name, replace(read_labels(column, f"clustering {name!r}"), ids=Ids(ids)))
        for name, column in columns.items()
    ]


def _name_all(given: Sequence[Any]) -> list[Any]:
    """Return names for estimators, those of Series where each has its own, else positions."""
    if all(map(is_estimator, given)):
        return _name_estimators(given)
    names = [getattr(labels, "name", None) for labels in given if is_array(labels)]
    own = len(set(map(str, names))) == len(given) and not {None, ""} & {*names}
    return names if own else list(range(len(given)))


def _name_estimators(given: Sequence[Any]) -> list[str]:
    """Return class names, with the number of clusters, and numbered where that is not enough."""
    names = []
    for estimator in given:
        clusters = getattr(estimator, "n_clusters", None)
        name = type(estimator).__name__
        names.append(name if clusters is None else f"{name}(n_clusters={clusters})")
    many, seen = Counter(names), Counter[str]()
    for i, name in enumerate(names):
        seen[name] += 1
        names[i] = f"{name} {seen[name]}" if many[name] > 1 else name
    return names
