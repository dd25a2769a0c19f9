"""Permutation tests: is the clustering better than random tables with the same margins?"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import repeat
from typing import Any

import numpy as np
from numpy.typing import NDArray

from clusterbits import limits
from clusterbits.core.arguments import LabelOptions
from clusterbits.core.cells import Cells, count_sorted
from clusterbits.core.policy import Missing, Noise
from clusterbits.core.table import Contingency
from clusterbits.display.progress import progress_bar
from clusterbits.display.results import Result
from clusterbits.display.tables import percent, show
from clusterbits.errors import MeasureError, answer_wrong_calls
from clusterbits.inference.arguments import (
    DEFAULT_MEASURE,
    OPTIONS,
    check_drawable,
    check_numbers,
    table_and_measure,
)
from clusterbits.inference.resampling import ROUNDING, as_statistic, count_threads, run_blocks
from clusterbits.measures.catalogue import Measure
from clusterbits.parallel import Progress

# What a cell or an object of a random table takes, whichever are fewer: a second for 1e7.
_STEP_SECONDS, _STEP_BYTES = 1e-7, 32
# From some 1e10 objects on scipy 1.17's Patefield ends the whole process.
_MOST_OBJECTS = 10**9


@dataclass(frozen=True, eq=False, repr=False)
class PermutationTest(Result):
    """A clustering's value compared with those of random clusterings of the same sizes.

    Attributes
    ----------
    measure : str
        Full name of the measure.
    value : float
        Its value for the table as it is.
    p_value : float
        ``(1 + hits) / (1 + resamples)``, where hits are the random tables that score at least as
        well: the probability of a value this good if the clusters were random.
    p_low, p_high : float
        Clopper-Pearson interval of the p-value, which is uncertain because only some of all random
        tables are drawn.
    z : float
        Effect size: standard deviations better than chance; negative where worse.
    null_mean, null_sd : float
        Mean and standard deviation of the random tables' values.
    level : float
        Confidence level of that interval.
    resamples : int
        The number of random tables.
    """

    measure: str
    value: float
    p_value: float
    p_low: float
    p_high: float
    z: float
    null_mean: float
    null_sd: float
    level: float
    resamples: int

    @property
    def title(self) -> str:
        """The p-value and the effect size."""
        return (
            f"p = {self.p_value:.3g} ({percent(self.level)} interval {self.p_low:.2g} … "
            f"{self.p_high:.2g}), z = {self.z:.1f}"
        )

    def __repr__(self) -> str:
        """Return the value and what chance gives, and the title."""
        return (
            f"{self.measure} {show(self.value)}; "
            f"random clusters of these sizes {show(self.null_mean)} ± {show(self.null_sd)}\n"
            f"{self.title}"
        )

    def plot(self, ax: Any = None) -> Any:
        r"""Draw the value beside those of random clusterings, and return the axes.

        >>> import clusterbits as cb
        >>> table = cb.Contingency.from_counts([[30, 5], [10, 55]])
        >>> ax = cb.permutation_test(table, "q0", seed=1).plot()
        >>> [label.get_text() for label in ax.get_yticklabels()]
        ['this clustering', 'random clusters\nof these sizes']
        """
        from clusterbits.display.plots import draw_permutation_test

        return draw_permutation_test(self, ax)


@answer_wrong_calls
def permutation_test(
    truth: Any,
    pred: Any = None,
    measure: str | Measure = DEFAULT_MEASURE,
    *,
    level: float = 0.95,
    resamples: int = 1999,
    seed: int | None = 0,
    noise: Noise | None = None,
    missing: Missing = "error",
    weights: Any = None,
    noise_label: Any = -1,
    align: bool = False,
    unmatched: Missing = "error",
    truth_noise: Any = None,
    progress: Progress = progress_bar,
    **parameters: Any,
) -> PermutationTest:
    r"""Return the p-value of a clustering: how often random ones of the same sizes are as good.

    Random tables have the same class and cluster sizes; each is as probable as there are ways to
    assign the objects to it.

    Parameters
    ----------
    truth : 1-D sequence of labels, or Contingency
        The classes; or the table, of whole counts, and then the measure comes next.
    pred : 1-D sequence of labels
        The clusters; left out after a table.
    measure : str or Measure, default "q0"
        Full name or alias of a measure with a direction.
    level : float, default 0.95
        Confidence level of the interval of the p-value.
    resamples : int, default 1999
        The number of random tables. The p-value is never below ``1 / (1 + resamples)``.
        Refused if the first show that all would take over ten minutes.
    seed : int or None, default 0
        The same seed gives the same result, on any number of cores; None for a random one.
    noise, missing, weights, noise_label, align, unmatched, truth_noise
        How labels are read; see `Contingency.from_labels`. Weights must be whole.
    progress : callable, optional
        Wrapped around the tasks, to draw a progress bar. By default a
        plain one is drawn in terminals and notebooks, from the first second on; None for none.
    **parameters
        Parameters of the measure.

    Returns
    -------
    PermutationTest
        With ``p_value``, its own interval, and the effect size ``z``.

    Notes
    -----
    Counting the table itself among the random ones makes the p-value valid for any number of
    them: under the null hypothesis it is at most α with a probability of at most α. Where random
    tables often tie with the actual one (few objects), it is conservative.

    A small p-value says that classes and clusters are related, not that the clustering is good:
    with many objects even a slight relation has one. Measures that are monotone in each other at
    fixed margins (`q0`, `q2`, mutual information and its normalisations) share their p-value.

    Tables are drawn by `scipy.stats.random_table` (Patefield's algorithm); where the full table has
    more cells than there are objects, by shuffling these.

    References
    ----------
    .. [1] B. Phipson, G. K. Smyth (2010). Permutation p-values should never be zero. Statistical
           Applications in Genetics and Molecular Biology 9. https://doi.org/10.2202/1544-6115.1585
    .. [2] W. M. Patefield (1981). Algorithm AS 159: an efficient method of generating random R × C
           tables with given row and column totals. Applied Statistics 30.
           https://doi.org/10.2307/2346669

    Examples
    --------
    >>> import clusterbits as cb
    >>> cb.permutation_test(cb.Contingency.from_counts([[30, 5], [10, 55]]), "q0", seed=1)
    q0 0.6857; random clusters of these sizes 1.0395 ± 0.0106
    p = 0.0005 (95 % interval 0 … 0.0018), z = 33.3
    """
    from scipy.stats import binomtest

    options = LabelOptions(noise, missing, weights, noise_label, align, unmatched, truth_noise)
    table, entry = table_and_measure("permutation_test", truth, pred, measure, options)
    check_drawable("permutation_test", table)
    entry.check_parameters(parameters, OPTIONS)
    if entry.better is None:
        raise MeasureError(f"{entry.name} describes a table: no direction is better than chance.")
    level = check_numbers(level, resamples)
    score = as_statistic(entry, parameters)
    value = score(table)
    steps = min(table.shape[0] * table.shape[1], int(table.n))
    _check_cost(steps, resamples)
    shuffle = _shuffler(table)
    drawn = np.empty(resamples)

    def draw(block: slice, rng: np.random.Generator) -> None:
        drawn[block] = [score(random) for random in shuffle(rng, block.stop - block.start)]

    run_blocks(draw, resamples, steps, seed, progress)
    sign = 1 if entry.better == "higher" else -1
    rounding = ROUNDING * max(abs(value), float(np.abs(drawn).max()))
    hits = int((sign * (drawn - value) >= -rounding).sum())
    mean, sd = float(drawn.mean()), float(drawn.std(ddof=1))
    p_interval = binomtest(hits, resamples).proportion_ci(level, method="exact")
    return PermutationTest(
        entry.name,
        value,
        (1 + hits) / (1 + resamples),
        float(p_interval.low),
        float(p_interval.high),
        sign * (value - mean) / sd if sd > rounding else 0.0,
        mean,
        sd if sd > rounding else 0.0,
        level,
        resamples,
    )


def _check_cost(steps: int, resamples: int) -> None:
    """Refuse too many resamples of a table with so many cells or objects."""
    what, sample = f"{resamples:,} resamples of {steps:,} cells or objects", "a random sample"
    limits.check_cost(what, f"pass {sample} of the objects", memory=_STEP_BYTES * steps)
    seconds = _STEP_SECONDS * steps / count_threads(steps)
    fewer = int(limits.MOST_SECONDS / seconds)
    instead = f"resamples={fewer} or fewer, or {sample}" if fewer >= 2 else sample
    limits.check_cost(what, f"pass {instead} of the objects", seconds=seconds * resamples)


def _shuffler(table: Contingency) -> Callable[[np.random.Generator, int], Iterator[Contingency]]:
    """Return what draws random tables with the same margins, by cells or by objects."""
    height, width = table.shape
    if min(height, width) == 1:
        # There is one such table, and scipy 1.17's Patefield gets its last cell wrong.
        return lambda rng, many: repeat(table, many)
    if table.n > _MOST_OBJECTS:
        raise MeasureError(
            f"permutation_test shuffles up to {_MOST_OBJECTS:,} objects, and this table has "
            f"{table.n:,}. A random sample of the objects answers the same question."
        )

    def table_of(keys: NDArray[np.int64], counts: NDArray[np.int64]) -> Contingency:
        return Contingency(Cells.from_keys(keys, counts, table.class_names, table.cluster_names))

    if height * width <= table.n:
        from scipy.stats import random_table

        tables = random_table(table.class_sizes, table.cluster_sizes)

        def by_cells(rng: np.random.Generator, many: int) -> Iterator[Contingency]:
            for drawn in tables.rvs(many, method="patefield", random_state=rng):
                present = np.flatnonzero(drawn)
                yield table_of(present, drawn.ravel()[present].astype(np.int64))

        return by_cells
    classes = np.repeat(np.arange(height), table.class_sizes) * width
    clusters = np.repeat(np.arange(width), table.cluster_sizes)

    def by_objects(rng: np.random.Generator, many: int) -> Iterator[Contingency]:
        for _ in range(many):
            yield table_of(*count_sorted(np.sort(classes + rng.permutation(clusters))))

    return by_objects
