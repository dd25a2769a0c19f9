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
    count_threads,
    seed_sequence,
)
from clusterbits.progress import Progress

# The usual number of resamples.
RESAMPLES = 2000
# Tables with more cells, or kinds of objects, are large.
_MANY_CELLS = 20_000


class Replicates(NamedTuple):
    """One score: of the views, of resamples × views, and without some objects.

    `method` is "jackknife" where the resamples are sums of the effects of groups.
    """

    values: FloatArray
    drawn: FloatArray
    left_out: Jackknife
    method: str

    @property
    def bias(self) -> FloatArray:
        """The bootstrap's or the jackknife's estimate of each value's bias."""
        if self.method != "jackknife":
            return np.asarray(self.drawn.mean(axis=0) - self.values)
        groups = len(self.left_out.values)
        return np.asarray((groups - 1) * (self.left_out.values.mean(axis=0) - self.values))


def replicate(
    kinds: NDArray[np.int64],
    views: Views,
    scores: Sequence[Statistic],
    method: str,
    n_resamples: int | None,
    rng: int | None,
    progress: Progress,
) -> list[Replicates]:
    """Return the replicates of each score.

    Of large tables "centred" resamples are those of the jackknife, unless `n_resamples` says how
    many to draw.
    """
    values = np.array([[score([view.table])[0] for view in views] for score in scores])
    cells = max(len(kinds), *(len(view.table.counts) for view in views))
    threads = count_threads(cells)
    if method == "centred" and n_resamples is None and cells > _MANY_CELLS:
        method = "jackknife"
    many = RESAMPLES if n_resamples is None else n_resamples
    if method == "jackknife" and kinds.sum() > 1:  # without a single object nothing is left
        found = leave_out_groups(kinds, views, scores, rng, progress, threads)
        pairs = zip(values, found, strict=True)
        drawn = [_draw_from_groups(own, each.values, many, rng) for own, each in pairs]
    else:
        drawn = list(bootstrap(kinds, views, scores, many, rng, progress, threads))
        found = leave_out_objects(kinds, views, scores, many, rng, False, threads)  # short
    return [Replicates(*each, method) for each in zip(values, drawn, found, strict=True)]


def _draw_from_groups(
    values: FloatArray, left_out: FloatArray, n_resamples: int, rng: int | None
) -> FloatArray:
    """Return resamples × views: the values, and sums of the effects of groups drawn from these.

    The sums have the jackknife's covariance. Each is divided by the root of χ²/(g - 1), because the
    groups are few: that makes normal sums multivariate t.
    """
    groups = len(left_out)
    generator = np.random.default_rng(seed_sequence(rng))
    drawn = generator.multinomial(groups, np.full(groups, 1 / groups), size=n_resamples)
    shrunk = np.sqrt(generator.chisquare(groups - 1, size=(n_resamples, 1)) / (groups - 1))
    sums = drawn @ (left_out.mean(axis=0) - left_out) * np.sqrt((groups - 1) / groups)
    return np.asarray(values + sums / shrunk)
