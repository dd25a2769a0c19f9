"""Errors of the scores of several clusterings of the same objects: one covariance, no resample.

The unit is an object, or a group of objects. Its influence on a score is the change that leaving
it out makes (the jackknife), with the number of classes kept. Scores of the same objects go up and
down together, which the covariance of their influences holds.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from clusterbits.errors import LabelError
from clusterbits.inference.resampling import (
    CELLS_PER_THREAD,
    ResamplingUnits,
    UnitsByCell,
    leave_out_groups,
    score_tables,
    tables_of,
    unbalanced_table,
)
from clusterbits.measures.declaration import Measure
from clusterbits.system.progress import Progress
from clusterbits.system.threads import count_threads, run_in_threads
from clusterbits.table.contingency import Contingency
from clusterbits.table.log_factorials import FloatArray
from clusterbits.table.many_tables import Counts

# Counts of all tables that leave out one unit each, for one clustering. With more counts random
# groups of units are left out instead. 16 million take about a second.
_MAX_COUNTS = 1 << 24
# Counts of the tables that are scored at once.
_BLOCK_COUNTS = 1 << 18
# Unique label rows whose influences are multiplied at once.
_BLOCK_ROWS = 1 << 16
# With more objects the influence of one is lost in rounding.
_MAX_OBJECTS = 10**11
_GROUPED = "grouped jackknife"


class Difference(NamedTuple):
    """The paired difference of two clusterings, and its confidence limits."""

    value: float
    low: float
    high: float


class ScoreErrors(NamedTuple):
    """Values of several clusterings, and how precisely they are known.

    `covariance` has shape (n_clusterings, n_clusterings). `floors` holds the change that one
    misassigned object makes to each value. `method` is "jackknife", or "grouped jackknife" if
    random groups of objects were left out.
    """

    values: FloatArray
    covariance: FloatArray
    floors: FloatArray
    degrees_of_freedom: float
    method: str

    def difference(self, i: int, j: int, level: float) -> Difference:
        """Return the value of clustering i minus that of j, with its limits."""
        value = float(self.values[i] - self.values[j])
        error = self.moderated(np.array([i, j]), 0)[0, 1] if i != j else 0.0
        margin = student_quantile(level, self.degrees_of_freedom) * float(error)
        return Difference(value, value - margin, value + margin)

    def moderated(self, members: NDArray[np.intp], prior_units: float) -> FloatArray:
        """Return the standard errors of the differences between some clusterings.

        Each is that of its pair, as if `prior_units` more units had the mean variance of all
        pairs; but that is at most 1 + 2 · `prior_units` / units times its own. One more object may
        always be misassigned: the change that makes is added in quadrature, so that a perfect
        clustering of few objects is not certain.
        """
        covariance, floors = self.covariance[np.ix_(members, members)], self.floors[members]
        variances = np.diag(covariance)
        squares = np.maximum(variances[:, None] + variances - 2 * covariance, 0)
        n = len(members)
        mean = squares.sum() / max(1, n * (n - 1))
        units = self.degrees_of_freedom
        moderate = (units * squares + prior_units * mean) / (units + prior_units)
        squares = np.minimum(moderate, squares * (1 + 2 * prior_units / units))
        errors = np.sqrt(squares + np.maximum(floors[:, None], floors) ** 2)
        np.fill_diagonal(errors, 0)
        return np.asarray(errors)


def student_quantile(level: float, degrees_of_freedom: float) -> float:
    """Return the two-sided quantile of Student's t."""
    from scipy.special import stdtrit

    return float(stdtrit(degrees_of_freedom, (1 + level) / 2))


def find_errors(
    objects: ResamplingUnits, measure: Measure, rng: int | None, progress: Progress
) -> ScoreErrors:
    """Return the values of a measure, and their errors."""
    kinds, views, classes = objects
    if measure.parameters.get("n_classes", 0) is None:  # a class without objects is kept
        measure = measure.using(n_classes=views[0].table.shape[0])
    values = np.array([measure.score_table(view.table) for view in views])
    n, n_units = int(unbalanced_table(views[0].table).n), int(kinds.sum())
    if n_units < 2:
        raise LabelError("there is one object: two or more are needed to compare clusterings.")
    sizes = views[0].members.sum(axis=0).astype(np.float64)  # objects of each unit
    effective = n**2 / float(kinds @ sizes**2)
    floors = np.abs([measure.score_table(_misassign(view.table)) for view in views] - values)
    cells = max(len(view.table.counts) for view in views)
    threads = count_threads(cells, CELLS_PER_THREAD)
    tables = cells if classes is not None else n_units
    method = "jackknife" if cells * tables <= _MAX_COUNTS and n <= _MAX_OBJECTS else _GROUPED
    if method == _GROUPED:
        (by_group,) = leave_out_groups(objects, [measure], rng, progress, threads)
        left_out, kinds = list(by_group.T), np.ones(len(by_group), dtype=np.int64)
        effective = min(effective, len(by_group))
    else:
        left_out = [np.empty(0)] * len(views)

        def leave_out(j: int) -> None:
            left_out[j] = _leave_out_each(views[j], measure, classes is not None)

        run_in_threads(leave_out, range(len(views)), threads, progress)
    return ScoreErrors(
        values, _covariance(left_out, kinds), floors, max(effective - 1, 1.0), method
    )


def _leave_out_each(view: UnitsByCell, measure: Measure, single: bool) -> FloatArray:
    """Return the score without one unit of each column of `members`.

    Single objects of a cell share it.
    """
    from scipy.sparse import eye_array

    counts = unbalanced_table(view.table).counts
    units = eye_array(len(counts), dtype=np.int64, format="csc") if single else view.members
    block = max(1, _BLOCK_COUNTS // len(counts))
    scores = np.concatenate(
        [
            score_tables(
                measure, tables_of(view.table, counts[:, None] - units[:, i : i + block].toarray())
            )
            for i in range(0, units.shape[1], block)
        ]
    )
    return scores[view.members.indices] if single else scores


def _covariance(left_out: Sequence[FloatArray], kinds: Counts) -> FloatArray:
    """Return the jackknife's covariance of scores from those without one unit of each kind."""
    n = int(kinds.sum())
    means = np.array([kinds @ scores / n for scores in left_out])
    total = np.zeros((len(left_out), len(left_out)))
    for start in range(0, len(kinds), _BLOCK_ROWS):
        rows = slice(start, start + _BLOCK_ROWS)
        influences = means - np.column_stack([scores[rows] for scores in left_out])
        total += influences.T @ (influences * kinds[rows, None])
    return total * (n - 1) / n


def _misassign(table: Contingency) -> Contingency:
    """Return the table with one object in the largest other cluster, or in a new one.

    It is an object of the largest cell; of a balanced table, of the largest one of the rarest
    class, in which an object counts most.
    """
    if table.unbalanced is not None:
        objects = table.unbalanced
        rarest = objects.rows == objects.class_sizes.argmin()
        return _move_object(objects, int((objects.counts * rarest).argmax())).balanced()
    return _move_object(table, int(table.counts.argmax()))


def _move_object(table: Contingency, largest: int) -> Contingency:
    """Return the table with one object of a cell in the largest other cluster, or in a new one."""
    cells = table.cells
    sizes = table.cluster_sizes.copy()
    sizes[cells.columns[largest]] = 0
    others = sizes.any()
    counts = np.append(cells.counts, 1)
    counts[largest] -= 1
    return Contingency.from_cells(
        cells._replace(
            rows=np.append(cells.rows, cells.rows[largest]),
            columns=np.append(cells.columns, sizes.argmax() if others else len(sizes)),
            counts=counts,
            clusters=np.arange(len(sizes) + (not others)),
            canonical=False,
        )
    )
