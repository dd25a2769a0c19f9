"""A measure as the criteria see it: a name, a direction and a value for every table."""

from __future__ import annotations

import importlib
import inspect
import math
import os
import sys
from collections.abc import Callable, Hashable
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, Literal

import numpy as np

from clusterbits.errors import ClusterbitsError, MeasureError, check_choice
from clusterbits.measures.catalogue import get_measure
from clusterbits.measures.declaration import Better, Measure
from clusterbits.paper.family import Grid
from clusterbits.table.contingency import Contingency

# Values closer than this are a tie, which is a violation wherever a change is demanded.
TIE = 1e-12

# What a criterion may want of the second of two values.
Wanted = Literal["better", "worse", "same"]


# A small table that can be looked up: one row per class.
Counts = tuple[tuple[int, ...], ...]


@lru_cache(maxsize=8192)  # every measure is judged on the same small tables
def table_of_counts(counts: Counts) -> Contingency:
    """Return the table of these counts."""
    return Contingency.from_counts(counts)


@dataclass(frozen=True, eq=False)
class Judge:
    """What a criterion needs to know of a measure, and the models to try it on.

    `whole` says that it needs whole counts; `distance` that it may have to obey the triangle
    inequality; `applies_to`, where given, whether a table is small enough for it.
    """

    name: str
    function: Callable[[Contingency], float]
    better: Better | None
    whole: bool
    distance: bool
    applies_to: Callable[[Contingency], bool] | None = None
    grid: Grid = field(default_factory=Grid)
    _values: dict[Any, float] = field(default_factory=dict, init=False, repr=False)

    def value(self, table: Any) -> float:
        """Return the measure's value, or say on which table it has none."""
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

    def gain(self, before: float, after: float) -> float:
        """Return by how much the second value is better; 0 for a tie."""
        if before == after or abs(after - before) <= TIE * max(1.0, abs(before), abs(after)):
            return 0.0
        return after - before if self.better == "higher" else before - after

    def loss(self, wanted: Wanted, before: float, after: float) -> float | None:
        """Return how far the second value misses what is wanted (0 for a tie); None for no miss."""
        gain = self.gain(before, after)
        if wanted == "same":
            return abs(gain) or None
        loss = -gain if wanted == "better" else gain
        return loss if loss >= 0 else None

    def value_once(self, key: Hashable, make: Callable[[], Contingency]) -> float:
        """Return the value on the table that a key stands for, computed when first asked for."""
        if key not in self._values:
            self._values[key] = self.value(make())
        return self._values[key]

    def value_of(self, counts: Counts) -> float:
        """Return the value on a small table."""
        return self.value_once(counts, lambda: table_of_counts(counts))


def as_judge(measure: Any, better: Better | None = None, grid: Grid | None = None) -> Judge:
    """Return the judge for a measure of the catalogue, or a function of a table or two labelings.

    `better` is the direction of a function of your own, "higher" by default.
    """
    grid = grid or Grid()
    if isinstance(measure, str):
        measure = import_function(measure) if ":" in measure else get_measure(measure)
    if isinstance(measure, Measure):
        distance = measure.better == "lower" and measure.perfect == 0 and measure.symmetric
        small_enough = measure.applies_to if measure.work else None
        traits = measure.better, measure.weights != "any", distance, small_enough
        return Judge(measure.name, measure.score_table, *traits, grid)
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
    """Return the function that ``module:function`` names; the module may lie in this folder."""
    module, _, name = path.partition(":")
    sys.path.insert(0, os.getcwd())
    try:
        found = importlib.import_module(module)
    except (Exception, SystemExit) as error:  # whatever the user's module does
        raise ClusterbitsError(
            f"{path}: the module cannot be imported: {type(error).__name__}: {error}."
        ) from error
    finally:
        sys.path.remove(os.getcwd())
    if not hasattr(found, name):
        raise ClusterbitsError(f"{path}: the module {module} has no {name!r}.")
    return getattr(found, name)


def write_out(table: Any) -> str:
    """Return the counts of a small table, classes in rows; a description of anything else."""
    if not isinstance(table, Contingency) or math.prod(table.shape) > 120:
        return str(table)
    rows = (
        "[" + ", ".join(f"{count:.6g}" for count in row) + "]" for row in table.to_dense().tolist()
    )
    return "[" + ", ".join(rows) + "]"
