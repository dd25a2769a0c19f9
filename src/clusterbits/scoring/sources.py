"""What `evaluate` is given: tables, labels and runs of them, or columns of a frame."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np

from clusterbits.core.arguments import LabelOptions, as_table
from clusterbits.core.labels import is_label
from clusterbits.core.table import Contingency
from clusterbits.errors import LabelError, MeasureError
from clusterbits.ingest.columns import read_labels
from clusterbits.ingest.frames import column_names, is_frame, read_columns
from clusterbits.ingest.grouped import GroupedTable, GroupedTruth
from clusterbits.ingest.runs import Name, as_name, as_runs
from clusterbits.ingest.selection import choose_columns, one_column

T = TypeVar("T")
# What a clustering is called that has no name.
_UNNAMED = "pred"


@dataclass(frozen=True, eq=False)
class LabelSource:
    """Classes, and the clusters of one clustering or of several; or tables of them."""

    truth: Any
    pred: Any

    def count(self, options: LabelOptions) -> dict[Name, Contingency]:
        """Return the table of each clustering."""
        several = isinstance(self.truth, Mapping) and self.pred is None
        if several and (tables := as_runs(self.truth)) is not None:
            _check_any(tables)
            return {name: as_table(table, None, options) for name, table in tables.items()}
        runs = self._runs()
        if runs is None:
            return {_UNNAMED: as_table(self.truth, self.pred, options)}
        truth = self.truth
        if not isinstance(truth, Contingency):
            truth = read_labels(truth, "truth")  # once for all
            _check_rows(self.pred, len(truth))
        return _count_each(runs, lambda labels: as_table(truth, labels, options))

    def count_groups(
        self, by: Any, options: LabelOptions
    ) -> tuple[dict[Name, GroupedTable], list[Any]]:
        """Return the tables of each clustering by group, and the labels of all groups."""
        truth = GroupedTruth(self.truth, by, options, "by")
        runs = self._runs()
        if runs is None:
            runs = {_UNNAMED: self.pred}
        _check_rows(self.pred, len(truth.labels))
        tables = _count_each(runs, lambda labels: truth.count(labels, options))
        return tables, truth.groups.tolist()

    def _runs(self) -> dict[Name, Any] | None:
        """Return the labels of each run; None where there is one clustering.

        Where the classes are a frame of ids and labels, so are the clusters.
        """
        runs = as_runs(self.pred)
        if runs is None or (_frame_of(self.pred) is not None and _frame_of(self.truth) is not None):
            return None
        _check_any(runs)
        return runs


def _count_each(runs: Mapping[Name, Any], count: Callable[[Any], T]) -> dict[Name, T]:
    """Return what was counted of each run; errors say which run they are about."""
    counted = {}
    for name, labels in runs.items():
        try:
            counted[name] = count(labels)
        except LabelError as error:
            raise type(error)(f"clustering {name!r}: {error}") from None
    return counted


def _check_any(runs: Mapping[Name, Any]) -> None:
    if not runs:
        raise MeasureError("an empty mapping was given; name at least one clustering.")


def _check_rows(runs: Any, n: int) -> None:
    """Refuse an array or a frame that has the objects in its columns."""
    shape: Any = getattr(runs, "shape", ())
    if len(shape) == 2 and shape[0] != n == shape[1]:
        raise LabelError(
            f"pred has shape {tuple(shape)}, and truth has {n} labels: each run is a column, with "
            "a row for each object. Pass pred.T."
        )


@dataclass(frozen=True, eq=False)
class FrameSource:
    """A frame, and the names of its columns of classes and clusters."""

    frame: Any
    truth: Any
    pred: Any

    def count(self, options: LabelOptions) -> dict[Name, Contingency]:
        """Return the table of each cluster column, counted where the data is."""
        given = {word: getattr(options, word) for word in options.given}
        balanced = self._is_balanced(options)
        if balanced:
            given.pop("weights")
        counted = Contingency.from_frame(self.frame, self.truth, self.pred, **given)
        tables = counted if isinstance(counted, dict) else {self.pred or _UNNAMED: counted}
        return {
            as_name(name): table.balanced() if balanced else table for name, table in tables.items()
        }

    def count_groups(
        self, by: Any, options: LabelOptions
    ) -> tuple[dict[Name, GroupedTable], list[Any]]:
        """Return the tables of each cluster column by group, and the labels of all groups."""
        columns, names = read_columns(self.frame), column_names(self.frame)
        weights = None if self._is_balanced(options) else options.weights
        chosen = choose_columns("the frame", names, self.truth, self.pred, weights)
        if is_label(by):
            by = columns[names[one_column("the frame", names, by, "by")]]
        if chosen.weights_name is not None:
            options = options._replace(weights=columns[chosen.weights_name])
        runs = {names[i]: columns[names[i]] for i in chosen.preds}
        return LabelSource(columns[names[chosen.truth]], runs).count_groups(by, options)

    def _is_balanced(self, options: LabelOptions) -> bool:
        """Whether weights="balanced" is the word: a column may be called so."""
        word = options.weights
        return isinstance(word, str) and word == "balanced" and word not in column_names(self.frame)


def find_source(data: Any, truth: Any, pred: Any) -> LabelSource | FrameSource:
    """Return what the arguments mean: columns of `data`, or labels or tables."""
    if data is None:
        if truth is None:
            raise MeasureError("nothing to score: pass truth and pred, a table, or a frame.")
        return LabelSource(truth, pred)
    if truth is None and pred is not None and not isinstance(pred, str):
        return LabelSource(data, pred)
    frame = _frame_of(data)
    if frame is not None:
        return FrameSource(frame, truth, pred)
    if truth is not None:
        raise MeasureError(
            f"truth was given twice, unless the first argument is a frame; it is a "
            f"{type(data).__name__}."
        )
    return LabelSource(data, pred)


def _frame_of(data: Any) -> Any:
    """Return a frame, or that of the observations of an AnnData; None for anything else."""
    if isinstance(data, Contingency | Mapping | list | tuple | np.ndarray):
        return None
    frame = getattr(data, "obs", data)
    return frame if is_frame(frame) else None
