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
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from clusterbits.core.combinatorics import SQUARE_FITS, FloatArray
from clusterbits.core.stack import Stack, add_rows
from clusterbits.core.table import Contingency
from clusterbits.errors import ClusterbitsError
from clusterbits.measures.catalogue import Measure
from clusterbits.parallel import run_in_threads
from clusterbits.progress import Progress

# Many tables: at once, or one by one where their sums are not whole or too large.
Tables = Stack | list[Contingency]
Statistic = Callable[[Tables], FloatArray]

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

    def resample(self, counts: NDArray[np.int64]) -> Tables:
        """Return the tables of resamples, with these counts of each kind of object in a column."""
        return stack(self.table, counts if self.cells is None else add_rows(counts, self.cells))


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

    def resample(self, counts: NDArray[np.int64]) -> Tables:
        """Return the tables of resamples, with each group so many times."""
        return stack(self.table, self.members @ counts)


Views = Sequence[View] | Sequence[GroupView]


def stack(table: Contingency, counts: NDArray[np.int64]) -> Tables:
    """Return the tables with the cells of one, and a column of counts each."""
    objects = table if table.unbalanced is None else table.unbalanced
    if table is not objects or int(counts.sum(axis=0).max()) > SQUARE_FITS:
        return [table.with_counts(some) for some in counts.T]
    return Stack(table.rows, table.columns, counts, table.with_counts)


def score_views(counts: NDArray[np.int64], views: Views, scores: Sequence[Statistic]) -> FloatArray:
    """Return scores × resamples × views; resamples have a column of counts, of kinds of objects.

    All scores are given the same tables, which remember what they share.
    """
    tables = [view.resample(counts) for view in views]
    return np.array([np.transpose([score(some) for some in tables]) for score in scores])


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
        values[:, block] = score_views(np.ascontiguousarray(counts.T), views, scores)

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


def as_statistic(measure: Measure) -> Statistic:
    """Return the measure as a function of many tables."""

    def score(tables: Tables) -> FloatArray:
        if isinstance(tables, list):
            return np.asarray([measure.of(table) for table in tables])
        return np.asarray(measure.of(tables))

    return score


def seed_sequence(rng: int | None) -> np.random.SeedSequence:
    """Return what generators are spawned from; refuse what is no seed."""
    whole = isinstance(rng, int | np.integer) and rng >= 0
    if rng is not None and not whole:
        raise ClusterbitsError(f"rng={rng!r}: a whole number from 0 on, or None for a random one.")
    return np.random.SeedSequence(rng)
