"""Drawing the objects anew: resamples of a table, and the measure's value on each.

A bootstrap resample of n objects, drawn from them with replacement, has cell counts that are
multinomial with probabilities h(c,k)/n. So it is drawn cell by cell, without any object, and the
cost depends on the number of non-zero cells and not on n.

*Classes that vanish.* A resample may by chance lack a class. It is still a sample of the same
population, in which that class could have occurred. Where a formula asks how many classes there
could have been (the parameter ``n_classes`` of Dom's family: what a column costs depends on it),
it is told the number in the original table, unless the caller has given one. Other formulas take
each resample as the table it is.

*Seeds.* Resamples are drawn in blocks, each with a generator of its own that is spawned from the
seed. Which thread draws a block changes nothing.
"""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Mapping, Sequence
from numbers import Real
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from clusterbits.core.combinatorics import FloatArray
from clusterbits.core.table import Contingency
from clusterbits.errors import ClusterbitsError, MeasureError
from clusterbits.measures.catalogue import Measure
from clusterbits.parallel import Progress, run_in_threads

Statistic = Callable[[Contingency], float]

# Values that differ by less than this, relative to their size, differ by rounding.
ROUNDING = 1e-12
# Of more objects a single one is lost in rounding. Their resamples need no widening.
_LOST = 10**12
# Counts that a block draws at most, and resamples: much work at a time, little memory.
_BLOCK_COUNTS = 1 << 18
_BLOCK = 64
# With fewer cells most of the time goes into Python, where threads only wait for each other.
_CELLS_PER_THREAD = 4096


class View(NamedTuple):
    """A table, and which of its cells each group of like objects falls into (None: its own)."""

    table: Contingency
    cells: NDArray[np.intp] | None = None

    def resample(self, counts: NDArray[np.int64]) -> Contingency:
        """Return the table with so many objects of each kind."""
        names = self.table
        if self.cells is not None:
            # float64 adds whole numbers exactly: these objects had labels, so they are below 2^53.
            size = len(names.counts)
            counts = np.bincount(self.cells, weights=counts, minlength=size).astype(np.int64)
        return Contingency(names.cells._replace(counts=counts, canonical=bool(counts.all())))


def bootstrap(
    kinds: NDArray[np.int64],
    views: Sequence[View],
    score: Statistic,
    resamples: int,
    seed: int | None,
    progress: Progress,
) -> FloatArray:
    """Draw the objects anew and return the score of each view: resamples × views.

    `kinds` counts the objects that are alike in every view.
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

    `weights` says how many objects a row stands for; together they are n.
    """

    values: FloatArray
    weights: FloatArray

    def difference(self, i: int, j: int) -> Jackknife:
        """Return the differences of two views, as one."""
        return Jackknife((self.values[:, i] - self.values[:, j])[:, None], self.weights)

    @property
    def deviations(self) -> FloatArray:
        """How far each row is below the mean, in the first view."""
        values = self.values[:, 0]
        return np.asarray(np.average(values, weights=self.weights) - values)

    @property
    def standard_error(self) -> float:
        """The jackknife's: its square is on average at least the variance (Efron & Stein 1981)."""
        n = self.weights.sum()
        return math.sqrt((n - 1) / n * float((self.weights * self.deviations**2).sum()))


def jackknife(
    kinds: NDArray[np.int64],
    views: Sequence[View],
    score: Statistic,
    most: int,
    seed: int | None,
    progress: Progress,
) -> Jackknife:
    """Leave out one object of each kind; of more than `most` kinds, that many random objects."""
    n = int(kinds.sum())
    if n == 1 or n > _LOST:  # nothing would be left, or nothing be seen of what is missing
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
    """Call `draw` for consecutive blocks of resamples, each with its own generator."""
    size = min(_BLOCK, max(1, _BLOCK_COUNTS // cells))
    blocks = [slice(i, min(i + size, resamples)) for i in range(0, resamples, size)]
    seeds = _seed_sequence(seed).spawn(len(blocks))
    threads = max(1, min(os.cpu_count() or 1, cells // _CELLS_PER_THREAD, len(blocks)))
    run_in_threads(
        lambda block: draw(block[0], np.random.default_rng(block[1])),
        list(zip(blocks, seeds, strict=True)),
        threads,
        progress,
    )


def scorer(measure: Measure, table: Contingency, parameters: Mapping[str, Any]) -> Statistic:
    """Return the measure as a function of resamples of this table."""
    measure.check_parameters(parameters)
    given = dict(parameters)
    if "n_classes" in measure.parameters and given.get("n_classes") is None:
        given["n_classes"] = table.shape[0]
    return lambda resample: measure.of(resample, **given)


# --- what was given ------------------------------------------------------------------------------


def check_table(who: str, table: object) -> Contingency:
    """Return the table if its objects can be drawn."""
    if not isinstance(table, Contingency):
        raise MeasureError(
            f"{who} takes a Contingency, not a {type(table).__name__}: for labels pass "
            "Contingency.from_labels(truth, pred)."
        )
    if not table.exact:
        raise MeasureError(
            f"{who} needs whole counts, because it draws objects; this table has expected or "
            "weighted ones."
        )
    if table.counts.dtype == object:
        raise MeasureError(
            f"{who} draws objects one cell at a time, in 64-bit integers; this table has "
            f"{table.n:.3g} of them, past 2^62."
        )
    return table


def check_numbers(level: float, resamples: int) -> float:
    """Refuse a level outside 0 … 1 and too few resamples; return the level as Python's float."""
    if not (isinstance(level, Real) and 0 < level < 1):
        raise ClusterbitsError(f"level={level!r} is not between 0 and 1; 0.95 is usual.")
    whole = isinstance(resamples, int | np.integer) and not isinstance(resamples, bool)
    if not (whole and resamples >= 2):
        raise ClusterbitsError(f"resamples={resamples!r}: a whole number, at least 2.")
    return float(level)


def _seed_sequence(seed: int | None) -> np.random.SeedSequence:
    try:
        return np.random.SeedSequence(seed)
    except (TypeError, ValueError):
        raise ClusterbitsError(
            f"seed={seed!r}: a whole number from 0 on, or None for another one each time."
        ) from None
