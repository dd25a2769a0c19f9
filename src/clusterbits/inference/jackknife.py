"""The jackknife: values of measures without some of the objects of a table.

Of small tables one object is left out at a time. Of large ones a group of objects: they are divided
at random into groups of equal size, and the measure is computed without each. Leaving out n/g
objects moves a score √(n/g) times as far as leaving out one, so some tens of groups suffice for the
standard error, the skewness and the bias, of any measure. Their number limits how well these are
known: intervals are Student's, with g - 1 degrees of freedom.

*Seeds.* Objects are divided in halves, those in halves again, and so on. Each division has a
generator of its own, so that which thread does it changes nothing.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from clusterbits.core.combinatorics import FloatArray
from clusterbits.inference.resampling import (
    Statistic,
    Views,
    run_blocks,
    score_views,
    seed_sequence,
)
from clusterbits.parallel import run_in_threads
from clusterbits.progress import Progress

# Of more objects a single one is lost in rounding. Their resamples need no widening.
_LOST = 10**12
# How many groups objects are divided into; up to twice as many where they are few.
_GROUPS = 24
# The objects are first divided into so many parts, each of which is then one thread's work: more
# threads have nothing to do.
_PARTS = 4


class Jackknife(NamedTuple):
    """Scores without some objects: a row for each kind of object or group, a column for each view.

    `weights` says how many objects (or groups) a row stands for; their sum is n.
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


def leave_out_objects(
    kinds: NDArray[np.int64],
    views: Views,
    scores: Sequence[Statistic],
    most: int,
    rng: int | None,
    progress: Progress,
    threads: int = 1,
) -> list[Jackknife]:
    """Return each score without one object of each kind, or without each of `most` random ones."""
    n = int(kinds.sum())
    if n == 1 or n > _LOST:  # nothing would be left, or no difference seen
        return [Jackknife(np.zeros((1, len(views))), np.ones(1)) for _ in scores]
    chosen, weights = np.arange(len(kinds)), kinds.astype(np.float64)
    if len(kinds) > most:
        generator = np.random.default_rng(seed_sequence(rng))
        chosen = generator.choice(len(kinds), size=most, p=kinds / n)
        weights = np.full(most, n / most)
    values = np.empty((len(scores), len(chosen), len(views)))

    def leave_out(block: slice, rng: np.random.Generator) -> None:
        some = chosen[block]
        fewer = np.repeat(kinds[:, None], len(some), axis=1)
        fewer[some, np.arange(len(some))] -= 1
        values[:, block] = score_views(fewer, views, scores)

    run_blocks(leave_out, len(chosen), len(kinds), rng, progress, threads)
    return [Jackknife(some, weights) for some in values]


def leave_out_groups(
    kinds: NDArray[np.int64],
    views: Views,
    scores: Sequence[Statistic],
    rng: int | None,
    progress: Progress,
    threads: int = 1,
) -> list[Jackknife]:
    """Return each score without each group of objects (the delete-a-group jackknife)."""
    n = int(kinds.sum())
    # Of few objects (which are then patients, or the like) more groups have the same size.
    groups = n // max(1, n // _GROUPS)
    values = np.empty((len(scores), groups, len(views)))

    def leave_out(part: _Part) -> None:
        for group in part.divide():
            fewer = kinds.copy()
            fewer[group.places] -= group.counts
            values[:, [group.first]] = score_views(fewer[:, None], views, scores)

    parts = [_Part(0, groups, np.arange(len(kinds)), kinds, seed_sequence(rng))]
    while len(parts) < min(_PARTS, groups):
        parts = [half for part in parts for half in part.halve()]
    run_in_threads(leave_out, parts, min(threads, len(parts)), progress)
    return [Jackknife(some, np.ones(groups)) for some in values]


class _Part(NamedTuple):
    """Objects that are to be divided into the groups `first` … `last` - 1, of some kinds."""

    first: int
    last: int
    places: NDArray[np.intp]
    counts: NDArray[np.int64]
    seed: np.random.SeedSequence

    def divide(self) -> Iterator[_Part]:
        """Yield the groups."""
        if self.last - self.first == 1:
            yield self
            return
        for half in self.halve():
            yield from half.divide()

    def halve(self) -> list[_Part]:
        """Divide the objects at random: each half has the objects of half of the groups.

        A kind's objects in the first half are binomial; then random ones change places until the
        sizes are right. Where they would be more than a kind has, the rest is drawn again, which
        is not quite uniform, but these are few. numpy's multivariate hypergeometric draws are
        uniform, but take fewer than 1e9 objects, or memory for each.
        """
        first, last, _, counts, seed = self
        if last - first == 1:
            return [self]
        own = np.random.SeedSequence(seed.entropy, spawn_key=(first, last))
        rng = np.random.default_rng(own)
        middle = (first + last) // 2
        size = int(counts.sum()) * (middle - first) // (last - first)
        taken = rng.binomial(counts, (middle - first) / (last - first))
        while excess := int(taken.sum()) - size:
            source = taken if excess > 0 else counts - taken
            moved = np.minimum(rng.multinomial(abs(excess), source / source.sum()), source)
            taken = taken - moved if excess > 0 else taken + moved
        return [
            self._of(first, middle, taken),
            self._of(middle, last, counts - taken),
        ]

    def _of(self, first: int, last: int, counts: NDArray[np.int64]) -> _Part:
        present = np.flatnonzero(counts)
        return _Part(first, last, self.places[present], counts[present], self.seed)
