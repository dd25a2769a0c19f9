"""Intervals for a measure by the bootstrap."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from clusterbits.catalogue import Measure, find
from clusterbits.combinatorics import FloatArray
from clusterbits.errors import MeasureError, check_choice
from clusterbits.inference.resampling import (
    Score,
    View,
    bootstrap,
    check_numbers,
    check_table,
    scorer,
)
from clusterbits.inference.results import Rows
from clusterbits.sharing import Progress
from clusterbits.table import Contingency
from clusterbits.tidy import show

METHODS = ("centred", "percentile", "bca")
# BCa scores one table for each non-zero cell.
_MOST_LEFT_OUT = 20_000


@dataclass(frozen=True, repr=False)
class Interval(Rows):
    """A value and the ends between which it may well have come from.

    Attributes
    ----------
    measure : str
        Full name of the measure.
    value : float
        Its value for the table as it is.
    low, high : float
        The ends of the interval.
    level : float
        How often such intervals hold what they should.
    standard_error : float
        Standard deviation of the resamples' values.
    bias : float
        Mean of the resamples' values less the value: about what n objects, instead of endlessly
        many, add to the measure.
    method : str
        "centred", "percentile" or "bca".
    resamples : int
        How many were drawn.
    """

    measure: str
    value: float
    low: float
    high: float
    level: float
    standard_error: float
    bias: float
    method: str
    resamples: int

    def __repr__(self) -> str:
        """Return one line."""
        return (
            f"{self.measure} {show(self.value)}, "
            f"{self.level * 100:g} % interval {show(self.low)} … {show(self.high)}"
        )


def interval(
    table: Contingency,
    measure: str | Measure = "q0",
    *,
    level: float = 0.95,
    resamples: int = 2000,
    seed: int | None = None,
    method: str = "centred",
    progress: Progress = iter,
    **parameters: Any,
) -> Interval:
    """Say how sure a measure's value is: bootstrap over objects, done on the table alone.

    Examples
    --------
    >>> import clusterbits as cb
    >>> table = cb.Contingency.from_counts([[30, 5], [10, 55]])
    >>> cb.interval(table, "q2", seed=1)
    q2 0.6852, 95 % interval 0.5952 … 0.7835
    """
    entry = find(measure)
    check_table("interval", table)
    check_numbers(level, resamples)
    check_choice("method", method, METHODS)
    score = scorer(entry, table, parameters)
    value = score(table)
    view = View(table)
    drawn = bootstrap(table.counts, [view], score, resamples, seed, progress)[:, 0]
    low, high = ends(
        drawn,
        value,
        level,
        method,
        lambda: jackknife(table.counts, view, score),
        table.counts,
    )
    least, greatest = entry.bounds
    return Interval(
        entry.name,
        value,
        max(low, least),
        min(high, greatest),
        level,
        float(drawn.std(ddof=1)),
        float(drawn.mean()) - value,
        method,
        resamples,
    )


def ends(
    drawn: FloatArray,
    value: float,
    level: float,
    method: str,
    left_out: Callable[[], FloatArray],
    kinds: NDArray[np.int64],
) -> tuple[float, float]:
    """Return the ends of the interval for a value whose resamples gave `drawn`.

    `left_out` gives the values without one object of each kind, for "bca".
    """
    tail = (1 - level) / 2
    tails = np.array([tail, 1 - tail])
    if method == "centred":
        drawn = drawn - drawn.mean() + value
    elif method == "bca" and (drawn != drawn[0]).any():
        tails = _bca_tails(drawn, value, tails, left_out(), kinds)
    low, high = np.quantile(drawn, tails)
    return float(low), float(high)


def jackknife(kinds: NDArray[np.int64], view: View, score: Score) -> FloatArray:
    """Return the score of a view without one object, for each kind of object."""
    if len(kinds) > _MOST_LEFT_OUT:
        raise MeasureError(
            f"method='bca' scores a table for each non-zero cell, and {len(kinds):,} are more than "
            f"{_MOST_LEFT_OUT:,}; method='centred' has no such limit."
        )
    values = np.empty(len(kinds))
    for i in range(len(kinds)):
        fewer = kinds.copy()
        fewer[i] -= 1
        values[i] = score(view.resample(fewer))
    return values


def _bca_tails(
    drawn: FloatArray,
    value: float,
    tails: FloatArray,
    left_out: FloatArray,
    kinds: NDArray[np.int64],
) -> FloatArray:
    """Return the corrected tails of Efron (1987): for the bias in the median, and acceleration."""
    from scipy.special import ndtr, ndtri

    below = float((drawn < value).mean() + (drawn == value).mean() / 2)
    if below in (0, 1):
        raise MeasureError(
            "method='bca' is not defined where all resamples lie on one side of the value, as they "
            "do for entropies of sparse tables; method='centred' is."
        )
    away = np.average(left_out, weights=kinds) - left_out
    spread = float((kinds * away**2).sum())
    acceleration = float((kinds * away**3).sum()) / (6 * spread**1.5) if spread else 0.0
    median_bias = ndtri(below)
    moved = median_bias + ndtri(tails)
    return np.asarray(ndtr(median_bias + moved / (1 - acceleration * moved)))
