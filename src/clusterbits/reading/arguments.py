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
from clusterbits.reading.memory import join_groups, tally_labels
from clusterbits.reading.on_device import is_device_countable
from clusterbits.reading.request import Request, run_roles
from clusterbits.reading.runs import as_name, as_runs
from clusterbits.reading.type_checks import is_frame, is_in_memory
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
    return request.data is None and (
        isinstance(request.truth, Contingency) or _find_tables(request) is not None
    )


def _find_tables(request: Request) -> dict[Name, Any] | None:
    """Return the tables of each clustering; None for labels, or one table."""
    several = request.data is None and isinstance(request.truth, Mapping) and request.pred is None
    return as_runs(request.truth) if several else None


def count_each(request: Request, labels: LabelOptions) -> dict[Name, Contingency]:
    """Return the table of each clustering, of the objects that count in it."""
    if (tables := _find_tables(request)) is not None:
        _check_any(tables)
        return {name: as_table(table, None, labels) for name, table in tables.items()}
    if request.data is None and (request.pred is None or has_tables(request)):
        return {UNNAMED: as_table(request.truth, request.pred, labels)}
    return _count(request, labels, None, _count_table)


def count_groups(request: Request, groups: Any, labels: LabelOptions) -> dict[Name, GroupedTable]:
    """Return the tables of each clustering by group."""
    if has_tables(request):
        raise LabelError("groups needs labels: a table does not say which object is in which.")
    return _count(request, labels, groups, _split_by_group)


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
        labelings = {name_run(name, runs): run for name, run in runs.items()}
        tally = tally_labels({"truth": truth, **labelings}, options, members)
        tally = tally._replace(runs=dict(zip(runs, tally.runs.values(), strict=True)))
    with error_prefix(tally.where):
        return settle(tally, options).counted()


def _count(
    request: Request,
    labels: LabelOptions,
    groups: Any,
    count: Callable[[Tally, LabelPolicy], T],
) -> dict[Name, T]:
    """Count each clustering; errors name it, or the files."""
    request, labels, groups = read_frame(request, labels, groups)
    options = LabelPolicy(**labels) if labels else PLAIN
    results: dict[Name, T] = {}
    if request.data is not None:
        for tally in tally_columns(request, options):
            (column,) = tally.runs
            with error_prefix(tally.where):
                results[as_name(column)] = count(tally, options)
        return results
    truth, runs, members = _read_memory(request, options, groups)
    for name, run in runs.items():
        with error_prefix(f"clustering {name!r}" if len(runs) > 1 or name != UNNAMED else ""):
            tally = tally_labels({"truth": truth, UNNAMED: run}, options, members)
            results[name] = count(tally, options)
    return results


def _count_table(tally: Tally, options: LabelPolicy) -> Contingency:
    table = Contingency.from_cells(count_cells(tally, options))
    return table.balanced() if options.balanced else table


def _split_by_group(tally: Tally, options: LabelPolicy) -> GroupedTable:
    assert tally.groups is not None
    return GroupedTable(settle(tally, options), tally.groups, options.balanced)


def _check_any(runs: Mapping[Name, Any]) -> None:
    if not runs:
        raise MeasureError("an empty mapping was given; name at least one clustering.")


# --- labels in memory ----------------------------------------------------------------------------


def name_run(name: Name, runs: Mapping[Name, Any]) -> str:
    """Return the name of a run in errors: the only one is called "pred"."""
    return UNNAMED if len(runs) == 1 else f"clustering {name!r}"


def _read_memory(
    request: Request, options: LabelPolicy, groups: Any
) -> tuple[Any, dict[Name, Any], Labels | None]:
    """Return the classes, the clusters of each run, and the group of each object if any.

    Labels that a device counts stay as they are. Raise if the ids of all labelings together
    contradict each other.
    """
    truth = request.truth
    if groups is not None or not is_device_countable(truth):
        truth = read_labels(truth, "truth")  # once for all
    inputs = {"truth": truth}
    by_id = isinstance(truth, Labels) and truth.has_explicit_ids
    runs = as_runs(request.pred, by_id)
    if runs is None:
        runs = {UNNAMED: request.pred}
    _check_any(runs)
    for name, run in runs.items():
        if not is_device_countable(run):
            input_name = name_run(name, runs)
            inputs[input_name] = runs[name] = read_labels(run, input_name)
    members = None
    if groups is not None:
        inputs["groups"] = read_labels(groups, "groups")
        members = join_groups(truth, inputs["groups"], options)
    if len(runs) > 1 or groups is not None:  # one run is checked when it is joined with truth
        labelings = {
            name: labels
            for name, labels in inputs.items()
            if isinstance(labels, Labels) and (name != "groups" or labels.ids is not None)
        }
        joins_on_ids(labelings, options)
    return truth, runs, members


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
        if named.weights is not None:  # the engine adds them up
            labels = {**labels, "weights": None}
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
