"""Bootstrap and jackknife: a measure's values on resamples of the objects of a table.

A bootstrap resample draws n of the n objects with replacement, so its cell counts are multinomial
with probabilities h(c,k)/n. It is drawn cell by cell: the cost depends on the number of non-zero
cells and not on n.

*Classes that vanish.* A resample may by chance lack a class, just as the sample may lack one of
the population. Each resample is scored as the table it is, so that formulas that depend on the
number of classes (Dom's family) vary with it; unless the caller gives ``n_classes``.

*Seeds.* Resamples are drawn in blocks, each with a generator of its own that is spawned from the
seed. Which thread draws a block changes nothing.
"""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from clusterbits.core.combinatorics import FloatArray
from clusterbits.core.table import Contingency
from clusterbits.errors import ClusterbitsError
from clusterbits.limits import Pace
from clusterbits.measures.catalogue import Measure
from clusterbits.parallel import Progress, run_in_threads

Statistic = Callable[[Contingency], float]

# Values that differ by less than this, relative to their size, differ by rounding.
ROUNDING = 1e-12
# Of more objects a single one is lost in rounding. Their resamples need no widening.
_LOST = 10**12
# The most counts and the most resamples of a block: much work at a time, little memory.
_BLOCK_COUNTS = 1 << 18
_BLOCK = 64
# With fewer cells most of the time goes into Python, where threads only wait for each other.
_CELLS_PER_THREAD = 4096


class View(NamedTuple):
    """A table, and the cell that each kind of object falls into (None: each cell is a kind)."""

    table: Contingency
    cells: NDArray[np.intp] | None = None

    def resample(self, counts: NDArray[np.int64]) -> Contingency:
        """Return the table of a resample with these counts of each kind of object."""
        names = self.table
        if self.cells is not None:
            # float64 adds whole numbers exactly: these objects had labels, so they are below 2^53.
            size = len(names.counts)
            counts = np.bincount(self.cells, weights=counts, minlength=size).astype(np.int64)
        return names.with_counts(counts)


class GroupView(NamedTuple):
    """A table, and the objects of each group in each of its cells: the groups are the kinds."""

    table: Contingency
    members: Any

    @classmethod
    def of_kinds(cls, view: View, kinds: NDArray[np.int64], groups: NDArray[np.intp]) -> GroupView:
        """Return the view whose kinds of objects are in these groups, numbered 0, 1, ..."""
        from scipy.sparse import csr_array

        shape = len(view.table.counts), int(groups.max()) + 1
        return cls(view.table, csr_array((kinds, (view.cells, groups)), shape=shape))

    def resample(self, counts: NDArray[np.int64]) -> Contingency:
        """Return the table of a resample with each group so many times."""
        return self.table.with_counts(self.members @ counts)


Views = Sequence[View] | Sequence[GroupView]


def bootstrap(
    kinds: NDArray[np.int64],
    views: Views,
    score: Statistic,
    resamples: int,
    seed: int | None,
    progress: Progress,
) -> FloatArray:
    """Return the score of each view on each bootstrap resample: resamples × views.

    `kinds` counts the objects that have the same labels in every view. Of groups there is one
    each, and they are drawn whole (the cluster bootstrap); the jackknife leaves out a whole group.
    """
    values = np.empty((resamples, len(views)))
    n = int(kinds.sum())
    shares = kinds / n

    def draw(block: slice, rng: np.random.Generator) -> None:
        counts = rng.multinomial(n, shares, size=block.stop - block.start)
        for row, drawn in zip(values[block], counts, strict=True):
            row[:] = [score(view.resample(drawn)) for view in views]

    run_blocks(draw, resamples, len(kinds), seed, progress)
    return values


class Jackknife(NamedTuple):
    """Scores without one object: a row for each kind of object, a column for each view.

    `weights` says how many objects a row stands for; their sum is n.
    """

    values: FloatArray
    weights: FloatArray

    def difference(self, i: int, j: int) -> Jackknife:
        """Return the jackknife of the difference of two views."""
        return Jackknife((self.values[:, i] - self.values[:, j])[:, None], self.weights)

    @property
    def deviations(self) -> FloatArray:
        """How far each row is below the mean, in the first view."""
        values = self.values[:, 0]
        return np.asarray(np.average(values, weights=self.weights) - values)

    @property
    def standard_error(self) -> float:
        """The jackknife's, which errs on the wide side (Efron & Stein 1981)."""
        n = self.weights.sum()
        return math.sqrt((n - 1) / n * float((self.weights * self.deviations**2).sum()))

    @property
    def skewness(self) -> float:
        """The skewness of the score, from -1 to 1; it is 1/√m if m objects alone raise it."""
        squares = float((self.weights * self.deviations**2).sum())
        return float((self.weights * self.deviations**3).sum()) / squares**1.5 if squares else 0.0


def jackknife(
    kinds: NDArray[np.int64],
    views: Views,
    score: Statistic,
    most: int,
    seed: int | None,
    progress: Progress,
) -> Jackknife:
    """Return the scores without one object of each kind, or without each of `most` random ones."""
    n = int(kinds.sum())
    if n == 1 or n > _LOST:  # nothing would be left, or no difference seen
        return Jackknife(np.zeros((1, len(views))), np.ones(1))
    chosen, weights = np.arange(len(kinds)), kinds.astype(np.float64)
    if len(kinds) > most:
        rng = np.random.default_rng(_seed_sequence(seed))
        chosen = rng.choice(len(kinds), size=most, p=kinds / n)
        weights = np.full(most, n / most)
    values = np.empty((len(chosen), len(views)))

    def leave_out(block: slice, rng: np.random.Generator) -> None:
        for i in range(block.start, block.stop):
            fewer = kinds.copy()
            fewer[chosen[i]] -= 1
            values[i] = [score(view.resample(fewer)) for view in views]

    run_blocks(leave_out, len(chosen), len(kinds), seed, progress)
    return Jackknife(values, weights)


def run_blocks(
    draw: Callable[[slice, np.random.Generator], None],
    resamples: int,
    cells: int,
    seed: int | None,
    progress: Progress,
) -> None:
    """Call `draw` for consecutive blocks of resamples, each with its own generator.

    After a few seconds it is known how long all would take.
    """
    size = min(_BLOCK, max(1, _BLOCK_COUNTS // cells))
    blocks = [slice(i, min(i + size, resamples)) for i in range(0, resamples, size)]
    seeds = _seed_sequence(seed).spawn(len(blocks))
    threads = min(count_threads(cells), len(blocks))
    pace = Pace(
        f"{resamples:,} resamples",
        resamples,
        threads * size,
        lambda share: f"pass resamples={max(int(resamples * share), 2)} or fewer",
    )

    def work(task: tuple[slice, np.random.SeedSequence]) -> None:
        block, own_seed = task
        draw(block, np.random.default_rng(own_seed))
        pace.advance(block.stop - block.start)

    run_in_threads(work, list(zip(blocks, seeds, strict=True)), threads, progress)


def count_threads(cells: int) -> int:
    """Return how many threads draw resamples of so many cells."""
    return max(1, min(os.cpu_count() or 1, cells // _CELLS_PER_THREAD))


def as_statistic(measure: Measure, parameters: Mapping[str, Any]) -> Statistic:
    """Return the measure as a function of a table."""
    return lambda table: measure.of(table, **parameters)


def _seed_sequence(seed: int | None) -> np.random.SeedSequence:
    whole = isinstance(seed, int | np.integer) and seed >= 0
    if seed is not None and not whole:
        raise ClusterbitsError(
            f"seed={seed!r}: a whole number from 0 on, or None for a random one."
        )
    return np.random.SeedSequence(seed)
