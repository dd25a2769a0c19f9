"""Permutation tests: is the clustering better than random tables with the same margins?"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Unpack

import numpy as np

from clusterbits.errors import MeasureError
from clusterbits.inference.resampling import (
    CELLS_PER_THREAD,
    Tables,
    check_drawable,
    check_resamples,
    run_blocks,
    score_tables,
    tables_of,
    with_cells,
)
from clusterbits.labels.options import LabelOptions, takes_labels
from clusterbits.measures.catalogue import get_measure
from clusterbits.measures.code_length import evidence
from clusterbits.measures.declaration import Measure
from clusterbits.system.limits import check_memory
from clusterbits.system.progress import Progress
from clusterbits.system.threads import count_threads
from clusterbits.table.cells import count_sorted
from clusterbits.table.contingency import Contingency, as_table
from clusterbits.text.results import Result
from clusterbits.text.tables import ROUNDING, chance_bound, counted, show

# Bytes for each cell or object of a random table, whichever are fewer.
_STEP_BYTES = 32
# From some 1e10 objects on scipy 1.17's Patefield ends the whole process.
_MAX_OBJECTS = 10**9
# The default number of random tables. For large tables fewer: together they have at most this many
# cells or objects, which takes seconds; but at least 19, with which p can still be 0.05.
_RESAMPLES, _MAX_STEPS, _MIN_RESAMPLES = 1999, 40_000_000, 19


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
        ``(1 + hits) / (1 + n_resamples)``, where hits are the random tables that score at least as
        well: the probability of a value this good if the clusters were random.
    null_mean, null_sd : float
        Mean and standard deviation of the random tables' values, which need not be normal.
    n_resamples : int
        The number of random tables.
    evidence : float
        Bits of `evidence` against the same hypothesis, whatever the measure: random clusters have
        t of them or more with probability at most 2^-t. It detects less in small tables than p and
        far more in large ones. Read one or the other: the smaller of the two is no p-value.
    """

    measure: str
    value: float
    p_value: float
    null_mean: float
    null_sd: float
    n_resamples: int
    evidence: float

    @property
    def title(self) -> str:
        """The p-value, and of how many random tables."""
        return f"p = {self.p_value:.3g}, by {counted(self.n_resamples, 'random table')}"

    def __repr__(self) -> str:
        """Return the value and those of random clusters, the title, and the evidence."""
        return (
            f"{self.measure} {show(self.value)}; "
            f"random clusters of these sizes {show(self.null_mean)} ± {show(self.null_sd)}\n"
            f"{self.title}\n{self._describe_evidence()}"
        )

    def _describe_evidence(self) -> str:
        if self.evidence < 1:
            return "no bits of evidence against random clusters"
        return (
            f"{self.evidence:,.1f} bits of evidence: random clusters have as many with probability "
            f"at most {chance_bound(self.evidence)}"
        )


@takes_labels
def permutation_test(
    truth: Any,
    pred: Any = None,
    *,
    measure: str | Measure = "q0",
    n_resamples: int | None = None,
    rng: int | None = 0,
    progress: Progress = None,
    **labels: Unpack[LabelOptions],
) -> PermutationTest:
    r"""Return the p-value of a clustering: how often random ones of the same sizes are as good.

    Random tables have the same class and cluster sizes; each is as probable as there are ways to
    assign the objects to it.

    Parameters
    ----------
    truth : 1-D sequence of labels, or Contingency
        The classes; or the table, of whole counts.
    pred : 1-D sequence of labels
        The clusters, if `truth` is not a table.
    measure : str or Measure, default "q0"
        Full name or alias of a measure with a direction.
    n_resamples : int, optional
        The number of random tables. The p-value is never below ``1 / (1 + n_resamples)``. By
        default 1,999; of tables with more than 20,000 cells and objects, 40,000,000 divided by the
        fewer of both, and at least 19.
    rng : int or None, default 0
        The same seed gives the same result, on any number of cores; None for a random one.
    progress : bool or callable, optional
        By default a bar in terminals and notebooks; False for none; or a ``tqdm`` of your own.
    **labels
        How labels are read: see `LabelOptions`. Weights are an error.

    Returns
    -------
    PermutationTest
        With ``p_value`` and the ``evidence``.

    Notes
    -----
    Counting the table itself among the random ones makes the p-value valid for any number of them
    [1]_: under the null hypothesis it is at most α with a probability of at most α. If random
    tables often tie with the actual one (few objects), it is conservative.

    A small p-value says that classes and clusters are related, not that the clustering is good:
    with many objects even a slight relation has one. Measures that are monotone in each other at
    fixed margins (`q0`, `q2`, mutual information and its normalizations) share p-values.

    Tables are drawn by `scipy.stats.random_table` (Patefield's algorithm [2]_); if the full table
    has more cells than there are objects, by shuffling these.

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
    >>> cb.permutation_test(cb.Contingency.from_counts([[30, 5], [10, 55]]), measure="q0", rng=1)
    q0 0.6857; random clusters of these sizes 1.0395 ± 0.0106
    p = 0.0005, by 1,999 random tables
    23.4 bits of evidence: random clusters have as many with probability at most 2⁻²³
    """
    scorer, table = get_measure(measure), as_table(truth, pred, labels)
    check_drawable("permutation_test", table)
    sign = scorer.scale.sign()
    check_resamples(n_resamples)
    value = scorer.score_table(table)
    steps = min(table.shape[0] * table.shape[1], int(table.n))
    n_tables = n_resamples or min(_RESAMPLES, max(_MIN_RESAMPLES, _MAX_STEPS // steps))
    check_memory(_STEP_BYTES * steps, f"a random table of {steps:,} cells or objects")
    shuffle = _shuffler(table)
    drawn = np.empty(n_tables)

    def draw(block: slice, rng: np.random.Generator) -> None:
        drawn[block] = score_tables(scorer, shuffle(rng, block.stop - block.start))

    run_blocks(draw, n_tables, steps, rng, progress, count_threads(steps, CELLS_PER_THREAD))
    rounding = ROUNDING * max(abs(value), float(np.abs(drawn).max()))
    hits = int((sign * (drawn - value) >= -rounding).sum())
    mean, sd = float(drawn.mean()), float(drawn.std(ddof=1))
    sd = sd if sd > rounding else 0.0
    return PermutationTest(
        scorer.name,
        value,
        p_value=(1 + hits) / (1 + n_tables),
        null_mean=mean,
        null_sd=sd,
        n_resamples=n_tables,
        evidence=evidence.score_table(table),
    )


def _shuffler(table: Contingency) -> Callable[[np.random.Generator, int], Tables]:
    """Return a function that draws random tables with the same margins."""
    height, width = table.shape
    if min(height, width) == 1:
        # There is one such table, and scipy 1.17's Patefield gets its last cell wrong.
        return lambda rng, n_tables: [table] * n_tables
    if table.n > _MAX_OBJECTS:
        raise MeasureError(
            f"permutation_test shuffles up to {_MAX_OBJECTS:,} objects, and this table has "
            f"{table.n:,}. A random sample of the objects answers the same question; so does "
            "evidence, at any size."
        )

    if height * width <= table.n:
        full = with_cells(table, np.arange(height * width))

        def draw_cells(rng: np.random.Generator, n_tables: int) -> Tables:
            from scipy.stats import random_table

            tables = random_table(table.class_sizes, table.cluster_sizes)
            drawn = tables.rvs(n_tables, method="patefield", random_state=rng)
            counts = drawn.reshape(n_tables, -1).T
            return tables_of(full, np.ascontiguousarray(counts, dtype=np.int64))

        return draw_cells
    classes = np.repeat(np.arange(height), table.class_sizes) * width
    clusters = np.repeat(np.arange(width), table.cluster_sizes)

    def draw_objects(rng: np.random.Generator, n_tables: int) -> Tables:
        shuffled = (np.sort(classes + rng.permutation(clusters)) for _ in range(n_tables))
        return [with_cells(table, *count_sorted(keys)) for keys in shuffled]

    return draw_objects
