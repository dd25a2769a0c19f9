"""Several clusterings of the same objects ("runs"), by name, from whatever holds them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence, Set, ValuesView
from dataclasses import replace
from typing import Any

import numpy as np

from clusterbits.errors import LabelError
from clusterbits.labels.labeling import Ids
from clusterbits.reading.dataframes import read_columns, split_ids
from clusterbits.reading.forms import carries_labels, is_collection, read_labels
from clusterbits.reading.label_columns import as_array
from clusterbits.reading.on_device import is_device_countable, is_on_device
from clusterbits.reading.type_checks import is_array, is_estimator, is_frame, shape_of
from clusterbits.system.limits import check_memory
from clusterbits.system.threads import count_threads, run_in_threads
from clusterbits.table.label_names import Name, as_label

# With fewer objects per thread, threads only wait for each other in Python.
OBJECTS_PER_THREAD = 1 << 17


def as_runs(clusterings: Any, by_id: bool = False) -> dict[Name, Any] | None:
    """Return the labels of each run by name; None for one clustering.

    Runs are a mapping of names to labels, a list of labels, or the columns of a frame in memory or
    of a 2-D array. Anything else is one clustering, also a mapping to sets and a list of sets.
    If objects are known `by_id`, a frame has ids: in the index, if that has a name or other
    labels than integers, else in the first column.

    >>> as_runs({2: [0, 1, 1], 10: [0, 1, 2]})
    {2: [0, 1, 1], 10: [0, 1, 2]}
    >>> as_runs([{"ann", "bob"}, {"eve"}])
    """
    named = _named_runs(clusterings, by_id)
    if named is None:
        return None
    names = [as_name(name) for name, _ in named]
    for name, times in Counter(map(str, names)).items():
        if times > 1:
            raise LabelError(f"{times} labelings are called {name!r}: each needs its own name.")
    return dict(zip(names, (labels for _, labels in named), strict=True))


def read_runs(runs: Any, input_name: str, label_bytes: int) -> dict[Name, Any]:
    """Return two or more labelings by name, read; those that a device counts, as they are.

    `label_bytes` are kept for each label, and a number for each pair of labelings.
    """
    named = as_runs(list(runs) if isinstance(runs, Iterator | ValuesView) else runs)
    if named is None or len(named) < 2:
        raise LabelError(
            f"{input_name} must be two or more labelings, got {'none' if named == {} else 'one'}. "
            "Pass a mapping of names to labels, a list of label sequences or fitted estimators, or "
            "a 2-D array or a DataFrame in memory with a column for each labeling."
        )

    def read(name: Name) -> None:
        if not is_device_countable(named[name]):
            named[name] = read_labels(named[name], f"labeling {name!r}")

    first, *others = named
    read(first)
    n, n_objects = len(named), len(named[first])
    check_memory(n * (label_bytes * n_objects + 8 * n), f"{n:,} labelings of {n_objects:,} objects")
    run_in_threads(read, others, count_threads(n_objects, OBJECTS_PER_THREAD), iter)
    return named


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


def _named_runs(clusterings: Any, by_id: bool) -> list[tuple[Any, Any]] | None:
    if isinstance(clusterings, Mapping | list | tuple):
        if isinstance(clusterings, Mapping):
            names, values = list(clusterings), list(clusterings.values())
        else:
            names, values = None, list(clusterings)
        if not values:
            return None if names is None else []
        # The first value tells: it is neither a label nor a set of ids.
        first = values[0]
        if isinstance(first, Set) or not (is_collection(first) or carries_labels(first)):
            return None
        return list(zip(_name_all(values) if names is None else names, values, strict=True))
    shape = shape_of(clusterings)
    if shape is None or len(shape) != 2:
        return None
    if isinstance(clusterings, np.ndarray):
        return list(enumerate(clusterings.T))
    if is_frame(clusterings):
        return _runs_by_id(clusterings) if by_id else list(read_columns(clusterings).items())
    if is_on_device(clusterings):
        return [(i, clusterings[:, i]) for i in range(shape[1])]
    if is_array(clusterings):
        return list(enumerate(as_array(clusterings, "pred").T))
    return None


def _runs_by_id(frame: Any) -> list[tuple[Any, Any]] | None:
    """Return the columns of a frame with its ids; None if the frame is ids and labels."""
    ids, columns = split_ids(frame)
    if ids is None:
        return list(columns.items())
    if len(columns) == 1 < frame.shape[1]:
        return None
    return [
        (name, replace(read_labels(column, f"clustering {name!r}"), ids=Ids(ids)))
        for name, column in columns.items()
    ]


def _name_all(clusterings: Sequence[Any]) -> list[Any]:
    """Return names for estimators, those of Series if each has its own, else positions."""
    if all(map(is_estimator, clusterings)):
        return _name_estimators(clusterings)
    names = [getattr(labels, "name", None) for labels in clusterings if is_array(labels)]
    distinct = len(set(map(str, names))) == len(clusterings)
    return names if distinct and not {None, ""} & {*names} else list(range(len(clusterings)))


def _name_estimators(estimators: Sequence[Any]) -> list[str]:
    """Return class names, with the number of clusters if it is set; repeated ones are numbered."""
    names = []
    for estimator in estimators:
        clusters = getattr(estimator, "n_clusters", None)
        name = type(estimator).__name__
        names.append(name if clusters is None else f"{name}(n_clusters={clusters})")
    return [
        f"{name} {names[: i + 1].count(name)}" if names.count(name) > 1 else name
        for i, name in enumerate(names)
    ]
