"""The arguments of `evaluate` and `compare`: tables, labels and runs, or columns of a source."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from os import PathLike
from typing import Any, TypeVar

import numpy as np

from clusterbits.errors import ColumnError, LabelError, MeasureError, error_prefix
from clusterbits.labels.labeling import Labels
from clusterbits.labels.options import (
    PLAIN,
    LabelOptions,
    LabelPolicy,
    object_weights,
    refuse_joins,
)
from clusterbits.labels.settle import count_cells, settle
from clusterbits.labels.tally import GroupedTable, Tally
from clusterbits.reading.dataframes import (
    column_names,
    frame_of,
    read_columns,
    tally_columns,
)
from clusterbits.reading.forms import read_labels
from clusterbits.reading.joining import joins_on_ids
from clusterbits.reading.memory import groups_of, name_run, tally_labels
from clusterbits.reading.on_device import is_device_countable
from clusterbits.reading.request import Request, run_roles
from clusterbits.reading.runs import as_name, as_runs
from clusterbits.reading.type_checks import is_frame, is_in_memory
from clusterbits.reading.weights import chosen_weights
from clusterbits.table.contingency import Contingency, as_table
from clusterbits.table.label_names import Name, is_label

T = TypeVar("T")
# The name of a clustering without one.
UNNAMED = "pred"


def find_request(
    data: Any, truth: Any, pred: Any, words: tuple[str, str] = ("truth", "pred")
) -> Request:
    """Return the arguments as one request: columns of `data`, or labels or tables."""
    data, truth, pred = map(list_iterator, (data, truth, pred))
    if data is None:
        if truth is None:
            raise MeasureError("nothing to score: give truth and pred, a table, or a frame.")
        return Request(None, truth, pred)
    if isinstance(data, Request):  # open files
        return data._replace(truth=truth, pred=pred)
    if truth is None and pred is not None and not isinstance(pred, str):
        return Request(None, data, pred)
    frame = _find_frame(data)
    if frame is not None:
        return Request(frame, truth, pred)
    if truth is not None:
        raise MeasureError(
            f"{words[0]} was given twice, unless the first argument is a frame; it is a "
            f"{type(data).__name__}."
        )
    return Request(None, data, pred)


def list_iterator(value: Any) -> Any:
    """Return iterators as lists, which can be read again, also those in a mapping or a list."""
    if isinstance(value, Iterator):
        return list(value)
    if type(value) is dict and any(isinstance(item, Iterator) for item in value.values()):
        return {name: list_iterator(item) for name, item in value.items()}
    if type(value) is list and value and isinstance(value[0], Iterator):
        return [list_iterator(item) for item in value]
    return value


def _find_frame(data: Any) -> Any:
    """Return a DataFrame, also that of an AnnData, or a path; None for anything else."""
    if isinstance(data, Contingency | Mapping | list | tuple | np.ndarray):
        return None
    frame = frame_of(data)
    return frame if isinstance(frame, str | PathLike) or is_frame(frame) else None


def has_tables(request: Request) -> bool:
    """Whether the request has tables, which do not say which objects they share."""
    if request.data is not None:
        return False
    return isinstance(request.truth, Contingency) or _find_tables(request) is not None


def _find_tables(request: Request) -> dict[Name, Any] | None:
    """Return the tables of each clustering; None for labels, or one table."""
    several = request.data is None and isinstance(request.truth, Mapping) and request.pred is None
    return as_runs(request.truth) if several else None


def count_each(request: Request, labels: LabelOptions) -> dict[Name, Contingency]:
    """Return the table of each clustering, of the objects that count in it."""
    if (tables := _find_tables(request)) is not None:
        _check_any(tables)
        return {name: as_table(table, None, labels) for name, table in tables.items()}
    request, labels, _ = read_frame(request, labels)
    if request.data is not None:
        return _count_columns(request, labels, _count_table)
    truth, pred = request.truth, request.pred
    if pred is None or isinstance(truth, Contingency):
        return {UNNAMED: as_table(truth, pred, labels)}
    options = LabelPolicy(**labels) if labels else PLAIN
    if not is_device_countable(truth):
        truth = read_labels(truth, "truth")  # once for all
    runs = _read_runs(request, truth, options)
    return _count_runs(runs, lambda run: Contingency.from_policy(truth, run, options))


def count_groups(request: Request, groups: Any, labels: LabelOptions) -> dict[Name, GroupedTable]:
    """Return the tables of each clustering by group."""
    if has_tables(request):
        raise LabelError("groups needs labels: a table does not say which object is in which.")
    request, labels, groups = read_frame(request, labels, groups)
    if request.data is not None:
        return _count_columns(request, labels, split_by_group)
    options = LabelPolicy(**labels)
    truth, runs, members = _read_memory(request, options, groups)

    def count(run: Any) -> GroupedTable:
        return split_by_group(tally_labels(truth, {UNNAMED: run}, options, members), options)

    return _count_runs(runs, count)


def tally_jointly(request: Request, labels: LabelOptions, groups: Any = None) -> Tally:
    """Return the unique label rows of the objects that count in all clusterings."""
    if has_tables(request):
        raise LabelError(
            "tables do not say which objects they share; compare takes labels, truth and pred."
        )
    request, labels, groups = read_frame(request, labels, groups)
    options = LabelPolicy(**labels)
    if request.data is not None:
        (tally,) = tally_columns(request._replace(jointly=True), options)
        if len(tally.runs) < 2:
            raise LabelError("compare takes two clusterings or more; name several columns.")
    else:
        truth, runs, members = _read_memory(request, options, groups)
        if len(runs) < 2:
            raise LabelError("compare takes two clusterings or more, each with a name of its own.")
        tally = tally_labels(truth, runs, options, members)
    with error_prefix(tally.where):
        return settle(tally, options).counted()


# --- labels in memory ----------------------------------------------------------------------------


def _read_memory(
    request: Request, options: LabelPolicy, groups: Any
) -> tuple[Labels, dict[Name, Any], Labels | None]:
    """Return the classes, the labels of each run, and the group of each object if any."""
    truth = read_labels(request.truth, "truth")
    if groups is None:
        return truth, _read_runs(request, truth, options), None
    groups = read_labels(groups, "groups")
    members = groups_of(truth, groups, options)
    return truth, _read_runs(request, truth, options, groups), members


def _read_runs(
    request: Request, truth: Any, options: LabelPolicy, groups: Labels | None = None
) -> dict[Name, Any]:
    """Return the labels of each run, those that a device counts as they are.

    Raise if the ids of all labelings together contradict each other.
    """
    runs = as_runs(request.pred, isinstance(truth, Labels) and truth.has_explicit_ids)
    if runs is None:
        runs = {UNNAMED: request.pred}
    else:
        _check_any(runs)
    labelings = {"truth": truth} if isinstance(truth, Labels) else {}
    for name, run in runs.items():
        if not is_device_countable(run):
            input_name = name_run(name, runs)
            labelings[input_name] = runs[name] = read_labels(run, input_name)
    if groups is not None and groups.ids is not None:
        labelings["groups"] = groups
    if len(runs) > 1 or groups is not None:  # one run is checked when it is joined with truth
        joins_on_ids(labelings, options, chosen_weights(options))
    return runs


def _count_runs(runs: Mapping[Name, Any], count: Callable[[Any], T]) -> dict[Name, T]:
    """Return the result of each run; errors name the run."""
    results = {}
    for name, labels in runs.items():
        with error_prefix(f"clustering {name!r}" if len(runs) > 1 or name != UNNAMED else ""):
            results[name] = count(labels)
    return results


def split_by_group(tally: Tally, options: LabelPolicy) -> GroupedTable:
    """Return the tables of a tally by group."""
    assert tally.groups is not None
    return GroupedTable(settle(tally, options), tally.groups, options.balanced)


def _check_any(runs: Mapping[Name, Any]) -> None:
    if not runs:
        raise MeasureError("an empty mapping was given; name at least one clustering.")


# --- columns -------------------------------------------------------------------------------------


def read_frame(
    request: Request, labels: LabelOptions, groups: Any = None
) -> tuple[Request, LabelOptions, Any]:
    """Return the columns of a frame in memory as labels, those of the options too."""
    if request.data is None:
        return request, labels, groups
    if request.on is None:
        refuse_joins(labels)
    weights = labels.get("weights")
    named = request._replace(
        weights=object_weights(weights),
        groups=groups if is_label(groups) else None,
    )
    frame = request.data
    if isinstance(frame, str | PathLike | list) or not is_in_memory(frame):
        for option, value in (("groups", groups), ("weights", weights)):
            if not is_label(value):
                raise ColumnError(
                    f"{option} is a {type(value).__name__}; name a column, like {named.words[1]}."
                )
        return named, labels, groups
    names, columns = column_names(frame), read_columns(frame)
    chosen = named.choose("the frame", names)
    if "b" in chosen:
        groups = columns[names[chosen["b"]]]
    if "w" in chosen:
        labels = {**labels, "weights": columns[names[chosen["w"]]]}
    runs = {
        as_name(names[i]): columns[names[i]] for i in map(chosen.__getitem__, run_roles(chosen))
    }
    return Request(None, columns[names[chosen["c"]]], runs), labels, groups


def _count_columns(
    request: Request, labels: LabelOptions, count: Callable[[Tally, LabelPolicy], T]
) -> dict[Name, T]:
    """Count the cluster columns of a source in its engine."""
    if request.weights is not None:  # the engine adds them up
        labels = {**labels, "weights": None}
    options = LabelPolicy(**labels)
    results = {}
    for tally in tally_columns(request, options):
        (name,) = tally.runs
        with error_prefix(tally.where):
            results[as_name(name)] = count(tally, options)
    return results


def _count_table(tally: Tally, options: LabelPolicy) -> Contingency:
    table = Contingency.from_cells(count_cells(tally, options))
    return table.balanced() if options.balanced else table
