"""What intervals are made of: a measure's values on resamples, and its jackknife.

Small tables are resampled some thousand times. Large ones are not: the measure is computed without
each of some tens of groups of objects, and resamples are made of these groups' effects, as if they
added up.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from clusterbits.core.combinatorics import FloatArray
from clusterbits.inference.jackknife import Jackknife, leave_out_groups, leave_out_objects
from clusterbits.inference.resampling import (
    Statistic,
    Views,
    bootstrap,
    seed_sequence,
)
from clusterbits.parallel import Progress

# The usual number of resamples.
RESAMPLES = 2000
# Tables with more cells, or kinds of objects, are large.
_MANY_CELLS = 20_000


class Replicates(NamedTuple):
    """One score: of the views, of resamples × views, and without some objects.

    `resamples` is 0 where the resamples are made of the effects of groups.
    """

    values: FloatArray
    drawn: FloatArray
    left_out: Jackknife
    resamples: int

    @property
    def bias(self) -> FloatArray:
        """What a sample of n objects adds to each value, compared with infinitely many."""
        if self.resamples:
            return np.asarray(self.drawn.mean(axis=0) - self.values)
        groups = len(self.left_out.values)
        return np.asarray((groups - 1) * (self.left_out.values.mean(axis=0) - self.values))


def replicate(
    kinds: NDArray[np.int64],
    views: Views,
    scores: Sequence[Statistic],
    resamples: int | None,
    seed: int | None,
    progress: Progress,
) -> list[Replicates]:
    """Return the replicates of each score; as `resamples` asks, or (None) as the size allows."""
    values = np.array([[score(view.table) for view in views] for score in scores])
    cells = max(len(kinds), *(len(view.table.counts) for view in views))
    if resamples is None and cells > _MANY_CELLS:
        found = leave_out_groups(kinds, views, scores, seed, progress)
        return [
            Replicates(own, _add_groups(own, left_out.values, seed), left_out, 0)
            for own, left_out in zip(values, found, strict=True)
        ]
    many = RESAMPLES if resamples is None else resamples
    drawn = bootstrap(kinds, views, scores, many, seed, progress)
    found = leave_out_objects(kinds, views, scores, many, seed, progress)
    return [Replicates(*each, many) for each in zip(values, drawn, found, strict=True)]


def _add_groups(values: FloatArray, left_out: FloatArray, seed: int | None) -> FloatArray:
    """Return resamples × views: sums of the effects of groups that are drawn with replacement.

    Their mean is the value, and their covariance the jackknife's. Each is divided by the root of
    χ²/(g - 1), because the groups are few: that makes normal sums Student's t.
    """
    groups = len(left_out)
    rng = np.random.default_rng(seed_sequence(seed))
    drawn = rng.multinomial(groups, np.full(groups, 1 / groups), size=RESAMPLES)
    shrunk = np.sqrt(rng.chisquare(groups - 1, size=(RESAMPLES, 1)) / (groups - 1))
    sums = drawn @ (left_out.mean(axis=0) - left_out) * np.sqrt((groups - 1) / groups)
    return np.asarray(values + sums / shrunk)
