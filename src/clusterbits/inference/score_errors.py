"""Errors of the scores of several clusterings of the same objects: one covariance, no resample.

The unit is an object, or a group of objects. Its influence on a score is the change that leaving
it out makes (the jackknife), with the number of classes kept. Scores of the same objects go up and
down together, which the covariance of their influences holds.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from clusterbits.errors import LabelError
from clusterbits.inference.resampling import (
    ResamplingUnits,
    leave_out_each,
    leave_out_groups,
    unbalanced_table,
)
from clusterbits.measures.declaration import Measure
from clusterbits.system.progress import Progress, track
from clusterbits.table.contingency import Contingency
from clusterbits.table.label_names import Name
from clusterbits.table.log_factorials import FloatArray
from clusterbits.table.many_tables import Counts

# Counts of all tables that leave out one unit each, for one clustering. With more counts random
# groups of units are left out instead. 16 million take about a second.
_MAX_COUNTS = 1 << 24
# Unique label rows whose influences are multiplied at once.
_BLOCK_ROWS = 1 << 16
# With more objects the influence of one is lost in rounding.
_MAX_OBJECTS = 10**11


class Difference(NamedTuple):
    """The paired difference of two clusterings, and its confidence limits."""

    value: float
    low: float
    high: float


class ScoreErrors(NamedTuple):
    """Values of several clusterings, and how precisely they are known.

    `covariance` has shape (n_clusterings, n_clusterings), and `floors` too: the least standard
    error of each difference. `method` is "jackknife", or "grouped jackknife" if random groups of
    objects were left out.
    """

    names: tuple[Name, ...]
    values: FloatArray
    covariance: FloatArray
    floors: FloatArray
    degrees_of_freedom: float
    method: str

    def sorted_by(self, order: Sequence[Name]) -> ScoreErrors:
        """Return the errors with the clusterings in this order."""
        index = np.array([self.names.index(name) for name in order])
        square = np.ix_(index, index)
        return self._replace(
            names=tuple(order),
            values=self.values[index],
            covariance=self.covariance[square],
            floors=self.floors[square],
        )

    def by_name(self) -> dict[Name, float]:
        """Return the value of each clustering."""
        return dict(zip(self.names, self.values.tolist(), strict=True))

    def difference(self, first: Name, second: Name, level: float) -> Difference:
        """Return the value of one clustering minus that of another, with its limits."""
        i, j = self.names.index(first), self.names.index(second)
        value = float(self.values[i] - self.values[j])
        error = self.moderated(np.array([i, j]), 0)[0, 1] if i != j else 0.0
        margin = student_quantile(level, self.degrees_of_freedom) * float(error)
        return Difference(value, value - margin, value + margin)

    def moderated(self, members: NDArray[np.intp], prior_units: float) -> FloatArray:
        """Return the standard errors of the differences between some clusterings.

        Each is that of its pair, as if `prior_units` more units had the mean variance of all
        pairs; but at most 1 + 2 · `prior_units` / degrees of freedom times its own. The floors are
        added in quadrature.
        """
        square = np.ix_(members, members)
        covariance, floors = self.covariance[square], self.floors[square]
        variances = np.diag(covariance)
        squares = np.maximum(variances[:, None] + variances - 2 * covariance, 0)
        n = len(members)
        mean = squares.sum() / max(1, n * (n - 1))
        freedom = self.degrees_of_freedom
        moderate = (freedom * squares + prior_units * mean) / (freedom + prior_units)
        squares = np.minimum(moderate, squares * (1 + 2 * prior_units / freedom))
        errors = np.sqrt(squares + floors**2)
        np.fill_diagonal(errors, 0)
        return np.asarray(errors)


def student_quantile(level: float, degrees_of_freedom: float) -> float:
    """Return the two-sided quantile of Student's t."""
    from scipy.special import stdtrit

    return float(stdtrit(degrees_of_freedom, (1 + level) / 2))


def find_errors(
    runs: Mapping[Name, ResamplingUnits], measure: Measure, rng: int | None, progress: Progress
) -> ScoreErrors:
    """Return the values of a measure for runs of the same units, and their errors."""
    populations = [*runs.values()]
    tables = [units.table for units in populations]
    counts, of_objects = populations[0].counts, populations[0].classes is not None
    if measure.parameters.get("n_classes", 0) is None:  # a class without objects still counts
        measure = measure.using(n_classes=tables[0].shape[0])
    values = np.array([measure.score_table(table) for table in tables])
    n, n_units = int(unbalanced_table(tables[0]).n), int(counts.sum())
    if n_units < 2:
        raise LabelError("there is one object: two or more are needed to compare clusterings.")
    sizes = populations[0].members.sum(axis=0).astype(np.float64)  # objects of each unit
    effective = n**2 / float(counts @ sizes**2)
    # One more object may always be misassigned: a perfect clustering of few objects is not certain.
    changes = np.abs([measure.score_table(_misassign(table)) for table in tables] - values)
    cells = max(len(table.counts) for table in tables)
    n_left_out = cells if of_objects else n_units
    if cells * n_left_out <= _MAX_COUNTS and n <= _MAX_OBJECTS:
        method = "jackknife"
        left_out = [_leave_out_each(units, measure) for units in track(progress, populations)]
    else:
        method = "grouped jackknife"
        left_out = list(leave_out_groups(populations, [measure], rng, progress))
        n_groups = len(left_out[0])
        counts = np.ones(n_groups, dtype=np.int64)
        effective = min(effective, n_groups)
    covariance = _covariance(left_out, counts)
    floors = np.maximum.outer(changes, changes)
    return ScoreErrors(tuple(runs), values, covariance, floors, max(effective - 1, 1.0), method)


def _leave_out_each(units: ResamplingUnits, measure: Measure) -> FloatArray:
    """Return the scores without each group, or without one object of each unique label row."""
    of_objects = units.classes is not None
    # Objects of one cell have one score.
    distinct = ResamplingUnits.from_table(units.table) if of_objects else units
    chosen = np.arange(len(distinct.counts))
    (scores,) = leave_out_each(distinct, [measure], chosen)
    return np.asarray(scores[units.members.indices] if of_objects else scores)


def _covariance(left_out: Sequence[FloatArray], counts: Counts) -> FloatArray:
    """Return the jackknife's covariance of scores from those without one of each unit."""
    n = int(counts.sum())
    means = np.array([counts @ scores / n for scores in left_out])
    total = np.zeros((len(left_out), len(left_out)))
    for start in range(0, len(counts), _BLOCK_ROWS):
        rows = slice(start, start + _BLOCK_ROWS)
        influences = means - np.column_stack([scores[rows] for scores in left_out])
        total += influences.T @ (influences * counts[rows, None])
    return total * (n - 1) / n


def _misassign(table: Contingency) -> Contingency:
    """Return the table with one object in the largest other cluster, or in a new one.

    It is an object of the largest cell; of a balanced table, of the largest one of the rarest
    class, in which an object counts most.
    """
    balanced = table.unbalanced is not None
    objects = unbalanced_table(table)
    candidates = objects.counts
    if balanced:
        candidates = candidates * (objects.rows == objects.class_sizes.argmin())
    largest = int(candidates.argmax())
    cells = objects.cells
    sizes = objects.cluster_sizes.copy()
    sizes[cells.columns[largest]] = 0
    has_others = sizes.any()
    counts = np.append(cells.counts, 1)
    counts[largest] -= 1
    changed = Contingency.from_cells(
        cells._replace(
            rows=np.append(cells.rows, cells.rows[largest]),
            columns=np.append(cells.columns, sizes.argmax() if has_others else len(sizes)),
            counts=counts,
            clusters=np.arange(len(sizes) + (not has_others)),
            canonical=False,
        )
    )
    return changed.balanced() if balanced else changed
