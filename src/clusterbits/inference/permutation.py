"""Is the clustering better than chance? Random tables with the same margins."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from clusterbits.catalogue import Measure, find
from clusterbits.errors import MeasureError
from clusterbits.inference.resampling import check_numbers, check_table, run_blocks, scorer
from clusterbits.inference.results import Rows
from clusterbits.ingest.cells import Cells, run_starts
from clusterbits.sharing import Progress
from clusterbits.table import Contingency
from clusterbits.tidy import show

# Shuffling takes about this many times longer per object than drawing per cell of the full table.
_OBJECTS_PER_CELL = 4
# Cells of a full table, and objects to shuffle, that are not too many to draw 2,000 times.
_MOST_CELLS = 10**7
_MOST_OBJECTS = 10**8
# Values that differ by less than this, relative to their size, differ by rounding.
_ROUNDING = 1e-12


@dataclass(frozen=True, repr=False)
class PermutationTest(Rows):
    """How a clustering's value stands among those of random clusterings of the same sizes.

    Attributes
    ----------
    measure : str
        Full name of the measure.
    value : float
        Its value for the table as it is.
    p_value : float
        ``(1 + hits) / (1 + resamples)``, where hits are the random tables that score at least as
        well: the probability, were the clusters random, of a value so good.
    p_low, p_high : float
        Clopper-Pearson interval of the p-value, whose uncertainty comes from drawing only so many
        random tables.
    z : float
        Effect size: standard deviations better than chance; negative where worse.
    null_mean, null_sd : float
        Mean and standard deviation of the random tables' values.
    level : float
        Level of the interval of the p-value.
    resamples : int
        How many random tables were drawn.
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

    def __repr__(self) -> str:
        """Return the value and what chance gives, one line each."""
        return (
            f"{self.measure} {show(self.value)}; "
            f"random clusters of these sizes {show(self.null_mean)} ± {show(self.null_sd)}\n"
            f"p = {self.p_value:.3g} ({self.level * 100:g} % interval {self.p_low:.2g} … "
            f"{self.p_high:.2g}), z = {self.z:.1f}"
        )


def permutation_test(
    table: Contingency,
    measure: str | Measure = "q0",
    *,
    level: float = 0.95,
    resamples: int = 1999,
    seed: int | None = None,
    progress: Progress = iter,
    **parameters: Any,
) -> PermutationTest:
    """Ask whether clusters are better than random ones of the same sizes.

    Examples
    --------
    >>> import clusterbits as cb
    >>> cb.permutation_test(cb.Contingency.from_counts([[30, 5], [10, 55]]), "q0", seed=1)
    q0 0.6857; random clusters of these sizes 1.0395 ± 0.0106
    p = 0.0005 (95 % interval 0 … 0.0018), z = 33.3
    """
    entry = find(measure)
    if entry.better is None:
        raise MeasureError(f"{entry.name} describes a table: no direction is better than chance.")
    check_table("permutation_test", table)
    check_numbers(level, resamples)
    score = scorer(entry, table, parameters)
    value = score(table)
    drawn = np.empty(resamples)
    shuffle = _shuffler(table)

    def draw(block: slice, rng: np.random.Generator) -> None:
        for i in range(block.start, block.stop):
            drawn[i] = score(shuffle(rng))

    cells = min(table.shape[0] * table.shape[1], int(table.n))
    run_blocks(draw, resamples, cells, seed, progress)
    sign = 1 if entry.better == "higher" else -1
    rounding = _ROUNDING * max(abs(value), float(np.abs(drawn).max()))
    hits = int((sign * (drawn - value) >= -rounding).sum())
    mean, sd = float(drawn.mean()), float(drawn.std(ddof=1))
    low, high = _clopper_pearson(hits, resamples, level)
    return PermutationTest(
        entry.name,
        value,
        (1 + hits) / (1 + resamples),
        low,
        high,
        sign * (value - mean) / sd if sd > rounding else 0.0,
        mean,
        sd if sd > rounding else 0.0,
        level,
        resamples,
    )


def _shuffler(table: Contingency) -> Callable[[np.random.Generator], Contingency]:
    """Return what draws a random table with the same margins, by cells or by objects."""
    n, cells = int(table.n), table.shape[0] * table.shape[1]
    if cells <= min(_MOST_CELLS, _OBJECTS_PER_CELL * n):
        from scipy.stats import random_table

        tables = random_table(table.class_sizes, table.cluster_sizes)
        rows, columns = np.divmod(np.arange(cells), table.shape[1])

        def by_cells(rng: np.random.Generator) -> Contingency:
            counts = tables.rvs(method="patefield", random_state=rng).ravel().astype(np.int64)
            present = np.flatnonzero(counts)
            return _with_margins(table, rows[present], columns[present], counts[present])

        return by_cells
    if n > _MOST_OBJECTS:
        raise MeasureError(
            f"a random table of these margins has {cells:,} cells and {n:,} objects; "
            f"permutation_test draws up to {_MOST_CELLS:,} cells, or shuffles up to "
            f"{_MOST_OBJECTS:,} objects."
        )
    classes = np.repeat(np.arange(table.shape[0]), table.class_sizes) * table.shape[1]
    clusters = np.repeat(np.arange(table.shape[1]), table.cluster_sizes)

    def by_objects(rng: np.random.Generator) -> Contingency:
        keys = classes + rng.permutation(clusters)
        keys.sort()
        starts = run_starts(keys)
        rows, columns = np.divmod(keys[starts], table.shape[1])
        return _with_margins(table, rows, columns, np.diff(starts, append=n))

    return by_objects


def _with_margins(
    table: Contingency,
    rows: NDArray[np.intp],
    columns: NDArray[np.intp],
    counts: NDArray[np.int64],
) -> Contingency:
    cells = Cells(table.class_names, table.cluster_names, rows, columns, counts, tidy=True)
    return Contingency._from_cells(cells)


def _clopper_pearson(hits: int, of: int, level: float) -> tuple[float, float]:
    """Return the ends between which a proportion lies that gave so many hits."""
    from scipy.special import betaincinv

    tail = (1 - level) / 2
    low = float(betaincinv(hits, of - hits + 1, tail)) if hits else 0.0
    high = float(betaincinv(hits + 1, of - hits, 1 - tail)) if hits < of else 1.0
    return low, high
