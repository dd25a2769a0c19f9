"""A measure as the criteria see it: a direction, and a value for every table."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, Literal, NamedTuple

from clusterbits.errors import MeasureError
from clusterbits.measures.declaration import Measure
from clusterbits.paper.family import Grid, Model
from clusterbits.table.contingency import Contingency
from clusterbits.text.tables import is_tie

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
    """What a criterion needs to know of a measure, and the models to try it on."""

    measure: Measure
    grid: Grid = field(default_factory=Grid)
    _values: dict[Counts | SizedModel, float] = field(default_factory=dict, init=False, repr=False)

    @property
    def needs_integers(self) -> bool:
        """Whether the measure is for integer counts only."""
        return self.measure.weights != "any"

    def value(self, table: Any) -> float:
        """Return the measure's value; an error names the table without one."""
        try:
            return float(self.measure.score_table(table))
        except Exception as error:
            raise MeasureError(
                f"{self.measure.name} failed with {type(error).__name__}: {error} "
                f"on the table {write_out(table)}."
            ) from error

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
        change = difference(before, after)
        return change if self.measure.better == "higher" else -change

    def meets(self, demand: Demand, before: float, after: float) -> bool:
        """Whether the second value is as demanded; a tie is neither better nor worse."""
        gain = self.gain(before, after)
        return gain == 0 if demand == "same" else gain > 0 if demand == "better" else gain < 0


def difference(before: float, after: float) -> float:
    """Return by how much the second value is higher; 0 for a tie.

    A tie is a violation if a change is demanded.
    """
    return 0.0 if is_tie(before, after) else after - before


def write_out(table: Any) -> str:
    """Return the counts of a small table, classes in rows; a description of anything else."""
    if not isinstance(table, Contingency) or math.prod(table.shape) > 120:
        return str(table)
    rows = [", ".join(f"{count:.6g}" for count in row) for row in table.to_dense().tolist()]
    return "[" + ", ".join(f"[{row}]" for row in rows) + "]"
