"""The bootstrap: values of measures on resamples of the objects of a table.

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

import os
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from clusterbits.core.combinatorics import FloatArray
from clusterbits.core.table import Contingency
from clusterbits.errors import ClusterbitsError
from clusterbits.measures.catalogue import Measure
from clusterbits.parallel import Progress, run_in_threads

Statistic = Callable[[Contingency], float]

# Values that differ by less than this, relative to their size, differ by rounding.
ROUNDING = 1e-12
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


def score_views(counts: NDArray[np.int64], views: Views, scores: Sequence[Statistic]) -> FloatArray:
    """Return scores × views of a resample with these counts of each kind of object.

    All scores are given the same table, which remembers what they share.
    """
    tables = [view.resample(counts) for view in views]
    return np.array([[score(table) for table in tables] for score in scores])


def bootstrap(
    kinds: NDArray[np.int64],
    views: Views,
    scores: Sequence[Statistic],
    n_resamples: int,
    rng: int | None,
    progress: Progress,
    threads: int = 1,
) -> FloatArray:
    """Return the scores of each view on each bootstrap resample: scores × resamples × views.

    `kinds` counts the objects that have the same labels in every view. Of groups there is one
    each, and they are drawn whole (the cluster bootstrap).
    """
    values = np.empty((len(scores), n_resamples, len(views)))
    n = int(kinds.sum())
    shares = kinds / n

    def draw(block: slice, rng: np.random.Generator) -> None:
        counts = rng.multinomial(n, shares, size=block.stop - block.start)
        for i, drawn in zip(range(block.start, block.stop), counts, strict=True):
            values[:, i] = score_views(drawn, views, scores)

    run_blocks(draw, n_resamples, len(kinds), rng, progress, threads)
    return values


def run_blocks(
    draw: Callable[[slice, np.random.Generator], None],
    n_resamples: int,
    counts: int,
    rng: int | None,
    progress: Progress,
    threads: int,
) -> None:
    """Call `draw` for consecutive blocks of resamples, each with its own generator.

    A resample is drawn as so many `counts`.
    """
    size = min(_BLOCK, max(1, _BLOCK_COUNTS // counts))
    blocks = [slice(i, min(i + size, n_resamples)) for i in range(0, n_resamples, size)]
    seeds = seed_sequence(rng).spawn(len(blocks))
    threads = min(threads, len(blocks))

    def work(task: tuple[slice, np.random.SeedSequence]) -> None:
        block, own_seed = task
        draw(block, np.random.default_rng(own_seed))

    run_in_threads(work, list(zip(blocks, seeds, strict=True)), threads, progress)


def count_threads(cells: int) -> int:
    """Return how many threads draw resamples of so many cells."""
    return max(1, min(os.cpu_count() or 1, cells // _CELLS_PER_THREAD))


def as_statistic(measure: Measure, parameters: Mapping[str, Any]) -> Statistic:
    """Return the measure as a function of a table."""
    return lambda table: measure.of(table, **parameters)


def seed_sequence(rng: int | None) -> np.random.SeedSequence:
    """Return what generators are spawned from; refuse what is no seed."""
    whole = isinstance(rng, int | np.integer) and rng >= 0
    if rng is not None and not whole:
        raise ClusterbitsError(f"rng={rng!r}: a whole number from 0 on, or None for a random one.")
    return np.random.SeedSequence(rng)
