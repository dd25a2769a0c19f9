"""Several clusterings of the same objects ("runs"), by name, from whatever holds them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence, Set
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from clusterbits.core.labels import Ids, Labels, is_label
from clusterbits.display.tables import counted, short
from clusterbits.errors import LabelError
from clusterbits.ingest.clusters import is_cluster, is_one_labeling
from clusterbits.ingest.columns import as_array, read_labels
from clusterbits.ingest.devices import DeviceLabels, is_on_device, to_host
from clusterbits.ingest.frames import read_columns, split_ids
from clusterbits.ingest.kinds import is_array, is_estimator, is_frame, to_list

# The name of a run. Numbers stay numbers, so that they sort and print as such.
Name = str | int | float


def as_runs(given: Any, truth: Labels | DeviceLabels | None = None) -> dict[Name, Any] | None:
    """Return the labels of each run by name; None where it is one clustering.

    Runs are a mapping of names to labels, the columns of a frame in memory or of a 2-D array, or a
    list of arrays, Series, fitted estimators, or of lists as long as `truth`. One clustering is all
    else: a mapping of ids to labels or of clusters to sets of ids, a list of labels or of sets,
    among others. Where `truth` knows its objects by id, runs by position cannot be meant: a mapping
    to lists is of clusters to ids, lists are clusters, and frames have ids: in the index, if that
    has a name or other labels than integers, else in the first column.

    >>> as_runs({2: [0, 1, 1], 10: [0, 1, 2]})
    {2: [0, 1, 1], 10: [0, 1, 2]}
    >>> as_runs([{"ann", "bob"}, {"eve"}])
    """
    named = _named_runs(given, truth)
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
    return name if type(name) in (int, float) else str(name)


def _named_runs(given: Any, truth: Labels | DeviceLabels | None) -> list[tuple[Any, Any]] | None:
    by_id = truth is not None and truth.ids is not None and not truth.ids.soft
    if isinstance(given, Mapping):
        sets = all(isinstance(value, Set) for value in given.values())
        clusters = sets or (by_id and all(map(is_cluster, given.values())))
        one = given and (clusters or is_one_labeling(given))
        return None if one else list(given.items())
    if isinstance(given, list | tuple):
        if truth is None or by_id or not given or not all(isinstance(run, list) for run in given):
            return _listed_runs(given)
        return _nested_runs(given, truth)
    if isinstance(given, np.ndarray):
        return _column_runs(dict(enumerate(given.T))) if given.ndim == 2 else None
    shape = getattr(given, "shape", None)
    if not isinstance(shape, tuple) or len(shape) != 2:
        return None
    if is_frame(given):
        return _runs_by_id(given) if by_id else _column_runs(read_columns(given))
    if is_on_device(given):
        return _column_runs({i: given[:, i] for i in range(shape[1])})
    return _column_runs(dict(enumerate(as_array(given, "pred").T))) if is_array(given) else None


def _column_runs(columns: dict[Any, Any]) -> list[tuple[Any, Any]]:
    """Return the columns as runs; refuse those that are the one-hot rows of one clustering.

    Two such columns, as runs, are both that clustering: they are let through.
    """
    if len(columns) > 2 and all(_holds_bits(column[:8]) for column in columns.values()):
        arrays = [_brought(column) for column in columns.values()]
        if all(map(_holds_bits, arrays)) and bool(np.all(sum(a == 1 for a in arrays) == 1)):
            raise LabelError(
                f"pred has {len(arrays)} columns of 0 and 1 with one 1 for each object, like the "
                "one-hot rows of one clustering. Pass its labels, np.asarray(pred).argmax(axis=1); "
                "or, where these are runs, a mapping of names to labels."
            )
    return list(columns.items())


def _holds_bits(column: Any) -> bool:
    """Whether all labels are 0 or 1, or false or true."""
    values = _brought(column)
    return values.dtype.kind in "biuf" and bool(((values == 0) | (values == 1)).all())


def _brought(column: Any) -> NDArray[Any]:
    return to_host(column) if is_on_device(column) else np.asarray(column)


def _runs_by_id(frame: Any) -> list[tuple[Any, Any]] | None:
    """Return the columns of a frame with its ids; None where these are ids and labels."""
    ids, columns = split_ids(frame)
    if ids is None:
        return _column_runs(columns)
    _column_runs(columns)
    if len(columns) == 1 < frame.shape[1]:
        return None
    known, wrong = to_list(ids), ""
    try:
        if len(set(known)) < len(known):
            wrong = f"{short(Counter(known).most_common(1)[0][0])} stands twice"
    except TypeError:  # such as lists
        wrong = f"{short(next(one for one in known if not is_label(one)))} is no id"
    if wrong:
        where = "index" if len(columns) == frame.shape[1] else "first column"
        raise LabelError(
            f"truth has ids, so those of pred are read from its {where}, where {wrong}. Put "
            "the ids first, or into the index of a pandas frame, as "
            "pred.set_index(pd.Index(ids, name='id'))."
        )
    return [
        (name, replace(read_labels(column, f"clustering {name!r}"), ids=Ids(ids)))
        for name, column in columns.items()
    ]


def _nested_runs(
    given: Sequence[list[Any]], truth: Labels | DeviceLabels
) -> list[tuple[Any, Any]] | None:
    """Return lists as long as truth as runs; None where they are clusters of ids."""
    n, lengths = len(truth), {len(run) for run in given}
    if truth.ids is not None and (len(given) == 1 or lengths != {n}):
        return None  # with the index of truth as ids
    if lengths == {n}:
        return list(enumerate(given))
    if len(lengths) == 1 and len(given) == n:
        raise LabelError(
            f"pred has {n} lists of {lengths.pop()}, and truth has {n} labels. Where each is an "
            "object with its labels in several runs, pass np.array(pred); for one-hot rows or "
            "probabilities np.argmax(pred, axis=1), or q0_soft(truth, pred)."
        )
    raise LabelError(
        f"pred is a list of lists, and truth has {counted(n, 'label')} without ids. Several runs "
        f"have {n} labels each, and not {min(lengths - {n})}; for clusters of ids pass "
        "dict(zip(ids, labels)) for truth."
    )


def _listed_runs(given: Sequence[Any]) -> list[tuple[Any, Any]] | None:
    """Return a list of estimators or of arrays with names for each; None where it is neither."""
    kinds: dict[Callable[[Any], bool], Callable[[Sequence[Any]], list[Any]]] = {
        is_estimator: _name_estimators,
        is_array: _name_arrays,
    }
    for is_kind, name_all in kinds.items():
        if given and is_kind(given[0]) and all(map(is_kind, given)):  # most lists end at the first
            return list(zip(name_all(given), given, strict=True))
    return None


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


def _name_arrays(given: Sequence[Any]) -> list[Any]:
    """Return the names of Series where each has one of its own, else positions."""
    names = [getattr(labels, "name", None) for labels in given]
    own = len(set(map(str, names))) == len(names) and not {None, ""} & {*names}
    return names if own else list(range(len(given)))
