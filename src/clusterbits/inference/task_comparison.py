"""The same clustering methods compared over many data sets: a task is one unit."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from numbers import Real
from typing import Any, NamedTuple

import numpy as np

from clusterbits.errors import LabelError, MeasureError, check_level, error_prefix
from clusterbits.inference.confidence_set import (
    ConfidenceSet,
    compare_with_best,
    find_confidence_set,
)
from clusterbits.inference.score_errors import ScoreErrors
from clusterbits.inference.verdict import order_by_value, rank_values
from clusterbits.labels.options import LabelOptions
from clusterbits.labels.tally import Tally
from clusterbits.measures.declaration import Measure, Scale
from clusterbits.reading.arguments import find_request, tally_jointly
from clusterbits.reading.runs import as_name
from clusterbits.system.progress import Progress, track
from clusterbits.table.contingency import Contingency
from clusterbits.table.label_names import Name
from clusterbits.table.log_factorials import FloatArray
from clusterbits.text.shortened import listed
from clusterbits.text.tables import counted, show

# By how much the values of other packages exceed their bounds.
_ROUNDING = 1e-9


class TaskRow(NamedTuple):
    """One clustering over all tasks: its mean rank, its mean value, and the comparison."""

    clustering: Name
    mean_rank: float
    value: float
    difference: float
    difference_low: float
    difference_high: float
    in_set: bool


@dataclass(frozen=True, eq=False, repr=False)
class TaskComparison(ConfidenceSet):
    """Clusterings compared over tasks, the best mean first, and the model confidence set.

    Attributes
    ----------
    measure, confidence_level, decision, better
        As in every `ConfidenceSet`.
    rows : tuple of TaskRow
        For each clustering: the mean of its ranks on the tasks (1 is best, ties share the mean of
        their ranks); its mean ``value``; its ``difference`` from the best mean, with the limits of
        this pair; and ``in_set``, whether it is in the model confidence set: not significantly
        worse than the best.
    values : mapping of tasks to mappings of clusterings to float
        The value of each clustering on each task.
    """

    rows: tuple[TaskRow, ...]
    values: Mapping[Name, Mapping[Name, float]]

    @property
    def tasks(self) -> tuple[Name, ...]:
        """Names of the tasks, in order."""
        return tuple(self.values)

    def task_differences(self, first: Name, second: Name) -> dict[Name, float]:
        """Return the value of one clustering minus that of another on each task."""
        first, second = self._key(first), self._key(second)
        return {task: values[first] - values[second] for task, values in self.values.items()}


def compare_tasks(
    tasks: Mapping[Any, Any],
    measure: Measure,
    confidence_level: float,
    rng: int | None,
    progress: Progress,
    labels: LabelOptions,
) -> TaskComparison:
    """Compare clusterings over tasks, each with classes of its own, as `compare`."""
    measure.scale.sign()
    level = check_level(confidence_level)
    if measure.perfect is None or measure.bounds[1] == math.inf:
        raise MeasureError(
            f"{measure.name} does not compare across data sets: its values depend on their sizes "
            "and classes. Pass a normalized measure, such as measure='share_saved', which ranks "
            "clusterings of one data set as q0 does, 'adjusted_mutual_information' or "
            "'adjusted_rand'."
        )
    values = {}
    for name, task in track(progress, tasks.items()):
        with error_prefix(f"task {name!r}"):
            values[as_name(name)] = _read_task(task, measure, labels)
    return compare_values(values, measure.scale, level, rng)


def compare_values(
    values: Mapping[Name, Mapping[Name, float]], scale: Scale, level: float, rng: int | None
) -> TaskComparison:
    """Compare clusterings by their values on tasks."""
    if len(values) < 2:
        raise LabelError(
            f"got {counted(len(values), 'task')}: two or more are needed to compare over tasks. "
            "Pass compare(truth, runs) to compare over the objects of one."
        )
    (first, names), *others = ((task, [*row]) for task, row in values.items())
    if len(names) < 2:
        raise LabelError(
            f"task {first!r} has {counted(len(names), 'clustering')}: pass two or more."
        )
    for task, other in others:
        if {*other} != {*names}:
            differing = sorted(map(str, {*other} ^ {*names}))
            raise LabelError(
                f"tasks {first!r} and {task!r} differ in {listed(differing, 'clustering')}. All "
                "tasks must have the same clusterings, by the same names."
            )
    values = {task: {name: row[name] for name in names} for task, row in values.items()}
    matrix = np.array([[*row.values()] for row in values.values()])
    errors = _find_task_errors(tuple(names), matrix)
    members, critical = find_confidence_set(errors, scale.sign(), level, rng)
    means = errors.by_name()
    decision = order_by_value(means, scale, level, members)
    extreme = "highest" if scale.better == "higher" else "lowest"
    best = show(means[decision.order[0]])
    decision = decision._replace(
        claim=f"the {extreme} mean {scale.measure} ({best} over {counted(len(matrix), 'task')})",
        objects=_describe_few(len(matrix), len(names), critical),
    )
    ranks = dict(zip(names, _mean_ranks(values, scale), strict=True))
    rows = tuple(
        TaskRow(name, ranks[name], *columns)
        for name, *columns in compare_with_best(errors, decision, level)
    )
    errors = errors.sorted_by(decision.order)
    return TaskComparison(scale.measure, level, rows, decision, scale.better, errors, values)


def _read_task(task: Any, measure: Measure, labels: LabelOptions) -> dict[Name, float]:
    """Return the value of each clustering of a task: measured, or given."""
    if isinstance(task, Mapping):
        if labels:
            raise MeasureError(f"values were given, which {listed([*labels])} cannot change.")
        return {as_name(name): _check_value(name, value, measure) for name, value in task.items()}
    if not (isinstance(task, tuple | list) and len(task) == 2):
        raise LabelError(
            f"a task must be (truth, runs), or the value of each clustering: {{name: value}}; got "
            f"a {type(task).__name__}."
        )
    truth, runs = task
    rows = tally_jointly(find_request(truth, None, runs), labels)
    values = {}
    for name, table in tables_of_runs(rows, balanced=labels.get("weights") is not None):
        values[name] = _check_value(name, measure.score_table(table), measure)
    return values


def tables_of_runs(rows: Tally, balanced: bool) -> Iterator[tuple[Name, Contingency]]:
    """Yield the name and the table of each clustering of unique label rows."""
    for name, clusters in rows.runs.items():
        table = Contingency.from_cells(rows._replace(runs={name: clusters}).cells())
        yield name, table.balanced() if balanced else table


def _check_value(name: Any, value: Any, measure: Measure) -> float:
    low, high = measure.bounds
    number = float(value) if isinstance(value, Real) else math.nan
    if math.isfinite(number) and low - _ROUNDING <= number <= high + _ROUNDING:
        return number
    raise MeasureError(
        f"{measure.name} of clustering {name!r} is {value!r:.60}; it must be a number from "
        f"{low:g} to {high:g}."
    )


def _find_task_errors(names: tuple[Name, ...], values: FloatArray) -> ScoreErrors:
    """Return the mean of each column of values, a row for each task, and their errors.

    The floor of a difference is its change if both had been equal on one of the tasks: so a few
    tasks with about the same difference are not certain.
    """
    n, means = len(values), values.mean(axis=0)
    influences = values - means
    covariance = influences.T @ influences / (n * (n - 1))
    floors = np.abs(means[:, None] - means) / n
    return ScoreErrors(names, means, covariance, floors, n - 1.0, "paired over tasks")


def _describe_few(n_tasks: int, n_clusterings: int, critical: float) -> str:
    """Return a sentence if no difference could be significant over so few tasks.

    By its floor a difference is at most `n_tasks` standard errors.
    """
    if n_tasks > critical:
        return ""
    among = f" among {n_clusterings} clusterings" if n_clusterings > 2 else ""
    return f"{n_tasks} tasks are too few for any difference{among} to be significant."


def _mean_ranks(values: Mapping[Name, Mapping[Name, float]], scale: Scale) -> list[float]:
    """Return the mean rank of each clustering; ties share the mean of their ranks."""
    from scipy.stats import rankdata

    ranks = [[*rank_values(row, scale).values()] for row in values.values()]
    means: list[float] = rankdata(ranks, axis=1).mean(axis=0).tolist()
    return means
