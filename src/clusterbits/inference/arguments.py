"""What the functions of this room are given: a table or labels, a measure, and how to resample."""

from __future__ import annotations

from numbers import Real
from typing import Any

import numpy as np

from clusterbits.core.arguments import GivenOptions, as_table
from clusterbits.core.table import Contingency
from clusterbits.display.tables import short
from clusterbits.errors import ClusterbitsError, LabelError, MeasureError
from clusterbits.ingest.grouped import GroupedTable, GroupedTruth
from clusterbits.limits import check_memory
from clusterbits.measures.catalogue import Measure, find

# Options of all three functions. What else is given must be a parameter of the measure.
OPTIONS = ("confidence_level", "n_resamples", "rng", "progress", *GivenOptions._fields)


class _Default(str):
    """A default value, other than the same word given by the caller."""

    __slots__ = ()


DEFAULT_MEASURE: str = _Default("q0")


def table_and_measure(
    who: str, truth: Any, pred: Any, measure: str | Measure, options: GivenOptions
) -> tuple[Contingency, Measure]:
    """Return the table, and the measure: second after a table, third after labels."""
    is_table = isinstance(truth, Contingency)
    if isinstance(pred, str | Measure):
        name = _name(pred)
        if not is_table:
            raise _no_pred(who, name)
        if not isinstance(measure, _Default):
            raise MeasureError(f"two measures were given; {who} takes one: {who}(table, {name!r}).")
        pred, measure = None, pred
    elif is_table and pred is not None:
        raise MeasureError(
            f"a table holds truth and pred already; only a measure follows: {who}(table, 'q2')."
        )
    entry = find(measure)
    return as_table(truth, pred, options), entry


def _name(measure: str | Measure) -> str:
    return measure.name if isinstance(measure, Measure) else short(measure)


def _no_pred(who: str, name: str) -> MeasureError:
    """Return the error that only one labeling was given, and a measure."""
    return MeasureError(
        f"labels come as two sequences, truth and pred: {who}(truth, pred, {name!r})."
    )


def count_by_group(
    who: str, truth: Any, pred: Any, groups: Any, options: GivenOptions
) -> GroupedTable:
    """Return the table of each group and of all; labels say who is in which group."""
    read = GroupedTruth.read(truth, groups, options, "groups")
    if isinstance(pred, str | Measure):
        raise _no_pred(who, _name(pred))
    return read.count(pred, options)


def check_groups(groups: list[Any]) -> None:
    """Refuse groups that cannot be resampled: with one of them, all resamples are alike."""
    if len(groups) < 2:
        raise LabelError(
            f"all objects are in one group, {groups[0]!r}: at least two are needed to "
            "resample groups. Without groups, objects are resampled."
        )


def check_drawable(who: str, table: Contingency) -> Contingency:
    """Return the table if its objects can be drawn."""
    if not table.exact:
        raise MeasureError(
            f"{who} needs whole counts, because it draws objects; this table has expected or "
            "weighted ones."
        )
    return table


# What is kept of each resample: its value, and what limits are computed from.
_RESAMPLE_BYTES = 64


def check_numbers(confidence_level: float, n_resamples: int | None, clusterings: int = 1) -> float:
    """Refuse a level outside 0 … 1, and too few or too many resamples; return the level."""
    if not (isinstance(confidence_level, Real) and 0 < confidence_level < 1):
        raise ClusterbitsError(
            f"confidence_level={confidence_level!r} is not between 0 and 1; 0.95 is usual."
        )
    if n_resamples is None:  # the usual number
        return float(confidence_level)
    whole = isinstance(n_resamples, int | np.integer) and not isinstance(n_resamples, bool)
    if not (whole and n_resamples >= 2):
        raise ClusterbitsError(f"n_resamples={n_resamples!r}: a whole number, at least 2.")
    memory = _RESAMPLE_BYTES * int(n_resamples) * clusterings
    check_memory(memory, f"{n_resamples:,} resamples")
    return float(confidence_level)
