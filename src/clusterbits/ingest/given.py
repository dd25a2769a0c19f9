"""What `evaluate` and `compare` are given: tables, labels and runs of them, or columns of a frame.

A source counts each clustering by itself, in groups where there are any, or all together.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from os import PathLike
from typing import Any, TypeVar

import numpy as np

from clusterbits.core.labels import Labels
from clusterbits.core.naming import is_label
from clusterbits.core.policy import PLAIN, LabelOptions, LabelPolicy, refuse_joins
from clusterbits.core.table import Contingency, as_table
from clusterbits.display.tables import counted
from clusterbits.errors import ColumnError, LabelError, MeasureError, naming
from clusterbits.ingest.devices import counts_there
from clusterbits.ingest.frames import (
    OpenFiles,
    column_names,
    count_elsewhere,
    frame_of,
    is_balanced_word,
    read_columns,
)
from clusterbits.ingest.grouped import GroupedTable, GroupedTruth, split_by_group
from clusterbits.ingest.joint import JointLabels, count_together
from clusterbits.ingest.kinds import is_frame, is_in_memory
from clusterbits.ingest.reading import read_labels
from clusterbits.ingest.runs import Name, as_name, as_runs
from clusterbits.ingest.selection import Wanted, as_list
from clusterbits.ingest.tallies import EngineTally, count_tally

T = TypeVar("T")
# What a clustering is called that has no name.
UNNAMED = "pred"


@dataclass(frozen=True, eq=False)
class LabelSource:
    """Classes, and the clusters of one clustering or of several; or tables of them."""

    truth: Any
    pred: Any

    @property
    def has_tables(self) -> bool:
        """Whether it has tables, which do not say which objects they share."""
        return isinstance(self.truth, Contingency) or self._tables() is not None

    def count(self, labels: LabelOptions) -> dict[Name, Contingency]:
        """Return the table of each clustering."""
        if (tables := self._tables()) is not None:
            _check_any(tables)
            return {name: as_table(table, None, labels) for name, table in tables.items()}
        if self.pred is None or isinstance(self.truth, Contingency):
            return {UNNAMED: as_table(self.truth, self.pred, labels)}
        policy = LabelPolicy(**labels) if labels else PLAIN
        # Once for all.
        truth = self.truth if counts_there(self.truth) else read_labels(self.truth, "truth")
        runs = self._runs(truth)
        if runs is None:
            return {UNNAMED: Contingency.from_policy(truth, self.pred, policy)}
        return _count_each(runs, lambda run: Contingency.from_policy(truth, run, policy))

    def count_groups(self, groups: Any, labels: LabelOptions) -> dict[Name, GroupedTable]:
        """Return the tables of each clustering by group."""
        policy = LabelPolicy(**labels)
        if self._tables() is not None:
            raise LabelError("groups needs labels: a table does not say which object is in which.")
        truth = GroupedTruth.read(self.truth, groups, policy)
        runs = self._runs(truth.labels)
        if runs is None:
            runs = {UNNAMED: self.pred}
        return _count_each(runs, lambda run: truth.count(run, policy))

    def join(self, labels: LabelOptions, groups: Any = None) -> JointLabels:
        """Return the labels of all clusterings together."""
        if self.has_tables:
            raise LabelError(
                "tables do not say which objects they share; compare takes labels, truth and pred."
            )
        truth = read_labels(self.truth, "truth")
        runs = self._runs(truth)
        if runs is None or len(runs) < 2:
            raise LabelError("compare takes two clusterings or more, each with a name of its own.")
        return JointLabels.read(truth, runs, LabelPolicy(**labels), groups)

    def _tables(self) -> dict[Name, Any] | None:
        """Return the tables of each clustering; None where labels were given, or one table."""
        several = isinstance(self.truth, Mapping) and self.pred is None
        return as_runs(self.truth) if several else None

    def _runs(self, truth: Any) -> dict[Name, Any] | None:
        """Return the labels of each run; None where there is one clustering."""
        runs = as_runs(self.pred, isinstance(truth, Labels) and truth.is_joined)
        if runs is not None:
            _check_any(runs)
            _check_rows(self.pred, len(truth))
        return runs


def _count_each(runs: Mapping[Name, Any], count: Callable[[Any], T]) -> dict[Name, T]:
    """Return what was counted of each run; errors say which run they are about."""
    counted = {}
    for name, labels in runs.items():
        with naming(f"clustering {name!r}"):
            counted[name] = count(labels)
    return counted


def _check_any(runs: Mapping[Name, Any]) -> None:
    if not runs:
        raise MeasureError("an empty mapping was given; name at least one clustering.")


def _check_rows(runs: Any, n: int) -> None:
    """Refuse an array or a frame that has the objects in its columns."""
    shape: Any = getattr(runs, "shape", ())
    if len(shape) == 2 and shape[0] != n == shape[1]:
        raise LabelError(
            f"pred has shape {tuple(shape)}, and truth has {counted(n, 'label')}: each run is "
            "a column, with a row for each object. Pass pred.T."
        )


@dataclass(frozen=True, eq=False)
class FrameSource:
    """A frame, a path or open files, and the names of the columns of classes and clusters."""

    frame: Any
    truth: Any
    pred: Any
    has_tables = False

    def count(self, labels: LabelOptions) -> dict[Name, Contingency]:
        """Return the table of each cluster column."""
        if self._is_here:
            source, labels, _ = self._read(labels)
            return source.count(labels)
        return self._count(_count_table, labels)

    def count_groups(self, groups: Any, labels: LabelOptions) -> dict[Name, GroupedTable]:
        """Return the tables of each cluster column by group."""
        if self._is_here:
            source, labels, groups = self._read(labels, groups)
            return source.count_groups(groups, labels)
        if not is_label(groups):
            raise ColumnError(f"groups is a {type(groups).__name__}; name a column, like pred.")
        return self._count(split_by_group, labels, groups)

    def join(self, labels: LabelOptions, groups: Any = None) -> JointLabels:
        """Return the labels of all cluster columns together."""
        if self._is_here:
            source, labels, groups = self._read(labels, groups)
            return source.join(labels, groups)
        (joint,) = self._count(count_together, labels, groups, together=True).values()
        if len(joint.names) < 2:
            raise LabelError("compare takes two clusterings or more; name several columns.")
        return joint

    @property
    def _is_here(self) -> bool:
        return not isinstance(self.frame, str | PathLike | OpenFiles) and is_in_memory(self.frame)

    def _wanted(self, labels: LabelOptions, groups: Any, together: bool = False) -> Wanted:
        if not isinstance(self.frame, OpenFiles):
            refuse_joins(labels)
        weights = labels.get("weights")
        weights = None if is_balanced_word(weights) else weights
        return Wanted(
            self.truth, self.pred, weights, groups if is_label(groups) else None, together
        )

    def _count(
        self,
        count_one: Callable[[EngineTally, LabelPolicy], T],
        labels: LabelOptions,
        groups: Any = None,
        together: bool = False,
    ) -> dict[Name, T]:
        """Count columns where they are."""
        wanted = self._wanted(labels, groups, together)
        weighted = wanted.weights is not None
        if weighted:  # the engine adds them up
            labels = {**labels, "weights": None}
        policy = LabelPolicy(**labels)
        counted = {}
        for name, tally in count_elsewhere(self.frame, wanted, policy).items():
            with naming(tally.where):
                counted[as_name(name)] = count_one(tally._replace(weighted=weighted), policy)
        return counted

    def _read(
        self, labels: LabelOptions, groups: Any = None
    ) -> tuple[LabelSource, LabelOptions, Any]:
        """Return the columns of a frame in memory as labels, those of the options too."""
        names, columns = column_names(self.frame), read_columns(self.frame)
        chosen = self._wanted(labels, groups).choose("the frame", names)
        if chosen.groups is not None:
            groups = columns[names[chosen.groups]]
        if chosen.weights_name is not None:
            labels = {**labels, "weights": columns[chosen.weights_name]}
        runs = {as_name(names[i]): columns[names[i]] for i in chosen.preds}
        return LabelSource(columns[names[chosen.truth]], runs), labels, groups


def _count_table(tally: EngineTally, policy: LabelPolicy) -> Contingency:
    table = Contingency.from_cells(count_tally(tally, policy))
    return table.balanced() if policy.balanced else table


def find_source(data: Any, truth: Any, pred: Any) -> LabelSource | FrameSource:
    """Return what the arguments mean: columns of `data`, or labels or tables."""
    if data is None:
        if truth is None:
            raise MeasureError("nothing to score: give truth and pred, a table, or a frame.")
        return LabelSource(truth, pred)
    if isinstance(data, OpenFiles):
        return FrameSource(data, truth, pred)
    if truth is None and pred is not None and not isinstance(pred, str):
        return LabelSource(data, pred)
    frame = _frame_of(data)
    if frame is not None:
        return FrameSource(frame, truth, _column_names(pred))
    if truth is not None:
        raise MeasureError(
            f"truth was given twice, unless the first argument is a frame; it is a "
            f"{type(data).__name__}."
        )
    return LabelSource(data, pred)


def _column_names(pred: Any) -> Any:
    """Return the name or the names of columns; refuse labels, which repeat."""
    names = as_list(pred)
    if not all(map(is_label, names)) or len({*names}) < len(names):
        raise ColumnError("pred holds labels; name columns, or pass truth as labels too.")
    return pred if is_label(pred) else names


def _frame_of(data: Any) -> Any:
    """Return a frame, that of the observations of an AnnData, or a path; None for anything else."""
    if isinstance(data, Contingency | Mapping | list | tuple | np.ndarray):
        return None
    found = frame_of(data)
    return found if isinstance(found, str | PathLike) or is_frame(found) else None
