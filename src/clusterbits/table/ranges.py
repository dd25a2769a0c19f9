"""Runs of positions, one for each of many starts, without a loop."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray


def concat_ranges(starts: NDArray[np.int64], counts: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return runs of positions, one after the other: `counts` positions from each of `starts` on.

    >>> concat_ranges(np.array([7, 0, 3]), np.array([2, 0, 3])).tolist()
    [7, 8, 3, 4, 5]
    """
    before = np.cumsum(counts) - counts
    return np.asarray(np.arange(int(counts.sum())) + np.repeat(starts - before, counts))
