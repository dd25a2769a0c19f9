"""A measure as the criteria see it: a name, a direction and a value for every table."""

from __future__ import annotations

import importlib
import inspect
import math
import os
import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, Literal, NamedTuple

import numpy as np

from clusterbits.errors import ClusterbitsError, MeasureError, check_choice
from clusterbits.measures.catalogue import get_measure
from clusterbits.measures.declaration import Better, Measure
from clusterbits.paper.family import Grid, Model
from clusterbits.table.contingency import Contingency

# Values closer than this are a tie, which is a violation if a change is demanded.
TIE = 1e-12

# What a criterion demands of the second of two values.
Demand = Literal["better", "worse", "same"]

# A small table that can be looked up: one row per class.
Counts = tuple[tuple[int, ...], ...]


class SizedModel(NamedTuple):
    """A model and a number of objects: a table that can be looked up."""

    model: Model
    n: float


@lru_cache(maxsize=1 << 14)  # every measure is judged on the same tables
def make_table(source: Counts | SizedModel, integer: bool = False) -> Contingency:
    """Return the table of these counts, or of a model: expected or integer counts."""
    if not isinstance(source, SizedModel):
        return Contingency.from_counts(source)
    model, n = source
    return model.integer_counts(int(n)) if integer else model.expected(n)


@dataclass(frozen=True, eq=False)
class Judge:
    """What a criterion needs to know of a measure, and the models to try it on.

    `needs_integers`: it is for integer counts only; `distance`: the triangle inequality may hold;
    `applies_to`, if given: whether a table is small enough for it.
    """

    name: str
    function: Callable[[Contingency], float]
    better: Better | None
    needs_integers: bool
    distance: bool
    applies_to: Callable[[Contingency], bool] | None = None
    grid: Grid = field(default_factory=Grid)
    _values: dict[Counts | SizedModel, float] = field(default_factory=dict, init=False, repr=False)

    def value(self, table: Any) -> float:
        """Return the measure's value; an error names the table without one."""
        try:
            value = float(self.function(table))
        except Exception as error:
            raise MeasureError(
                f"{self.name} failed with {type(error).__name__}: {error} "
                f"on the table {write_out(table)}."
            ) from error
        if not math.isfinite(value):
            raise MeasureError(f"{self.name} is {value} on the table {write_out(table)}.")
        return value

    def table_of(self, source: Counts | SizedModel) -> Contingency:
        """Return the table of counts or of a model."""
        return make_table(source, self.needs_integers)

    def value_of(self, source: Counts | SizedModel) -> float:
        """Return the value on the table of counts or of a model, computed once."""
        if source not in self._values:
            self._values[source] = self.value(self.table_of(source))
        return self._values[source]

    def gain(self, before: float, after: float) -> float:
        """Return by how much the second value is better; 0 for a tie."""
        if before == after or abs(after - before) <= TIE * max(1.0, abs(before), abs(after)):
            return 0.0
        return after - before if self.better == "higher" else before - after

    def loss(self, demand: Demand, before: float, after: float) -> float | None:
        """Return how far the second value misses the demand (0 for a tie); None if it does not."""
        gain = self.gain(before, after)
        if demand == "same":
            return abs(gain) or None
        loss = -gain if demand == "better" else gain
        return loss if loss >= 0 else None


def as_judge(measure: Any, better: Better | None = None, grid: Grid | None = None) -> Judge:
    """Return the judge of a name, a measure, or a function of a table or two labelings.

    `better` is the direction of a function of your own, "higher" by default.
    """
    grid = grid or Grid()
    if isinstance(measure, str):
        measure = import_function(measure) if ":" in measure else get_measure(measure)
    if isinstance(measure, Measure):
        return Judge(
            measure.name,
            measure.score_table,
            measure.better,
            needs_integers=measure.weights != "any",
            distance=measure.better == "lower" and measure.perfect == 0 and measure.symmetric,
            applies_to=measure.applies_to if measure.work else None,
            grid=grid,
        )
    if not callable(measure):
        raise MeasureError(
            f"{measure!r} is not a measure: name one, or pass a function of a table or of two "
            "label arrays."
        )
    better = better or "higher"
    check_choice("better", better, ("higher", "lower"))
    name = getattr(measure, "__name__", type(measure).__name__)
    on_table = _takes_a_table(measure)
    function = measure if on_table else lambda table: measure(*_labels(table))
    return Judge(name, function, better, not on_table, distance=better == "lower", grid=grid)


def _takes_a_table(function: Callable[..., Any]) -> bool:
    try:
        parameters = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):  # written in C: labels are the common case
        return False
    needed = [p for p in parameters if p.kind <= p.POSITIONAL_OR_KEYWORD and p.default is p.empty]
    return len(needed) == 1


def _labels(table: Contingency) -> tuple[Any, Any]:
    counts = table.counts.astype(np.int64)
    return np.repeat(table.rows, counts), np.repeat(table.columns, counts)


def import_function(path: str) -> Any:
    """Return the function of ``module:function``; the module may be in the current folder."""
    module_name, _, name = path.partition(":")
    sys.path.insert(0, os.getcwd())
    try:
        module = importlib.import_module(module_name)
    except (Exception, SystemExit) as error:  # whatever the user's module does
        raise ClusterbitsError(
            f"{path}: the module cannot be imported: {type(error).__name__}: {error}."
        ) from error
    finally:
        sys.path.remove(os.getcwd())
    if not hasattr(module, name):
        raise ClusterbitsError(f"{path}: the module {module_name} has no {name!r}.")
    return getattr(module, name)


def write_out(table: Any) -> str:
    """Return the counts of a small table, classes in rows; a description of anything else."""
    if not isinstance(table, Contingency) or math.prod(table.shape) > 120:
        return str(table)
    rows = [", ".join(f"{count:.6g}" for count in row) for row in table.to_dense().tolist()]
    return "[" + ", ".join(f"[{row}]" for row in rows) + "]"
