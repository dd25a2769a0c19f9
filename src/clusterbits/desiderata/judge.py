"""A measure as the criteria see it: a name, a direction and a value for every table."""

from __future__ import annotations

import importlib
import inspect
import math
import os
import sys
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from clusterbits.core.table import Contingency
from clusterbits.desiderata.verdict import TIE, written
from clusterbits.errors import ClusterbitsError, MeasureError, check_choice
from clusterbits.measures.catalogue import Better, Measure, find


@dataclass(frozen=True)
class Judge:
    """What a criterion needs to know of a measure.

    `whole` says that it needs whole counts; `distance` that the triangle inequality is a fair
    question; `feasible`, where given, whether a table is small enough for it.
    """

    name: str
    function: Callable[[Contingency], float]
    better: Better | None
    whole: bool
    distance: bool
    feasible: Callable[[Contingency], bool] | None = None

    def value(self, table: Contingency) -> float:
        """Return the measure's value, or say on which table it has none."""
        try:
            value = float(self.function(table))
        except Exception as error:
            raise MeasureError(
                f"{self.name} failed with {type(error).__name__}: {error} "
                f"on the table {written(table)}."
            ) from error
        if not math.isfinite(value):
            raise MeasureError(f"{self.name} is {value} on the table {written(table)}.")
        return value

    def gain(self, before: float, after: float) -> float:
        """Return by how much the second value is better; 0 for a tie."""
        if before == after or abs(after - before) <= TIE * max(1.0, abs(before), abs(after)):
            return 0.0
        return after - before if self.better == "higher" else before - after


def as_judge(measure: Any, better: Better | None = None) -> Judge:
    """Return how to judge a measure of the catalogue, or a function of a table or of two labelings.

    `better` is the direction of a function of one's own, "higher" by default.
    """
    if isinstance(measure, str):
        measure = _imported(measure) if ":" in measure else find(measure)
    if isinstance(measure, Measure):
        direction = measure.better
        distance = measure.better == "lower" and measure.perfect == 0 and measure.symmetric
        return Judge(
            measure.name, measure.of, direction, measure.integral, distance, measure.feasible
        )
    if not callable(measure):
        raise MeasureError(
            f"{measure!r} is no measure: name one, or pass a function of a table or of two "
            "label arrays."
        )
    better = better or "higher"
    check_choice("better", better, ("higher", "lower"))
    name = getattr(measure, "__name__", type(measure).__name__)
    if _takes_a_table(measure):
        return Judge(name, measure, better, whole=False, distance=better == "lower")

    def of_labels(table: Contingency) -> float:
        return measure(*_labels(table))  # type: ignore[no-any-return]

    return Judge(name, of_labels, better, whole=True, distance=better == "lower")


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


def _imported(path: str) -> Any:
    """Return the function that ``module:function`` names; modules of this folder count."""
    module, _, name = path.partition(":")
    sys.path.insert(0, os.getcwd())
    try:
        return getattr(importlib.import_module(module), name)
    except (ImportError, ValueError) as error:
        raise ClusterbitsError(f"{path}: the module cannot be imported: {error}.") from None
    except AttributeError:
        raise ClusterbitsError(f"{path}: the module {module} has no {name!r}.") from None
    finally:
        sys.path.remove(os.getcwd())
