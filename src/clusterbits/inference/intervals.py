"""Intervals for a measure by the bootstrap."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from clusterbits.core.combinatorics import FloatArray
from clusterbits.core.table import Contingency
from clusterbits.display.results import Result
from clusterbits.display.tables import show
from clusterbits.errors import MeasureError, check_choice
from clusterbits.inference.large import large_table
from clusterbits.inference.resampling import (
    Jackknife,
    Statistic,
    View,
    bootstrap,
    check_numbers,
    check_table,
    jackknife,
    scorer,
)
from clusterbits.measures.catalogue import Measure, find
from clusterbits.parallel import Progress

METHODS = ("centred", "percentile", "bca")


@dataclass(frozen=True, repr=False)
class Interval(Result):
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
        Standard deviation of the resamples' values, widened where the method widens them.
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
    r"""Say how sure a measure's value is: bootstrap over objects, done on the table alone.

    The interval is for the mean of the measure over samples of n objects from the population
    that these came from: had n others been drawn, what would the measure have been, on average?

    Parameters
    ----------
    table : Contingency
        The counts, whole numbers of objects.
    measure : str or Measure, default "q0"
        Full name or alias of any measure of the catalogue.
    level : float, default 0.95
        How often such intervals should hold that mean.
    resamples : int, default 2000
        How often the objects are drawn anew.
    seed : int, optional
        The same seed gives the same interval, on any number of cores.
    method : "centred", "percentile" or "bca"
        How the resamples make an interval; see the notes. Only the first holds what it promises
        on sparse tables.
    progress : callable, optional
        Wrapped around the portions of the work, to draw a progress bar.
    **parameters
        Parameters of the measure, such as ``worst="exact"`` of `q2`.

    Returns
    -------
    Interval
        With ``value``, ``low`` and ``high``.

    Notes
    -----
    A resample's counts are multinomial with probabilities h(c,k)/n, so the cost depends on the
    non-zero cells and not on n. Dom's family is told the number of classes of the original table
    where a resample happens to lack one.

    *percentile* and *bca* (bias-corrected and accelerated) are the textbook's. On a table with
    few objects per cell they fail, because a resample is not like a sample: objects drawn twice
    make its cells fuller and fewer. Entropies are biased by that (all resamples of a table may lie
    on one side of its value), pair counts too, and the spread of the resamples comes out too small.

    *centred* takes from the resamples only the shape. It moves their mean onto the value, and
    widens them to the jackknife's standard error where that is larger: the jackknife leaves one
    object out, repeats none, and errs on the wide side. ``docs/intervals.md`` has the measured
    coverage of all three.

    Where classes and clusters agree perfectly all resamples do, and the interval is a point; it
    says nothing of mistakes that were too rare to be seen (about 3/n of the objects at most).

    `q0` of a table with more than 20,000 cells is resampled by cluster sizes, not by cells, if
    the sum over cells is as good as normal; see `clusterbits.inference.large`.

    References
    ----------
    .. [1] B. Efron (1987). Better bootstrap confidence intervals. JASA 82.
           https://doi.org/10.1080/01621459.1987.10478410
    .. [2] B. Efron, C. Stein (1981). The jackknife estimate of variance. Annals of Statistics 9.
           https://doi.org/10.1214/aos/1176345462

    Examples
    --------
    >>> import clusterbits as cb
    >>> table = cb.Contingency.from_counts([[30, 5], [10, 55]])
    >>> cb.interval(table, "q2", seed=1)
    q2 0.6852, 95 % interval 0.5932 … 0.7857
    """
    check_table("interval", table)
    entry = find(measure)
    level = check_numbers(level, resamples)
    check_choice("method", method, METHODS)
    score = scorer(entry, table, parameters)
    value = score(table)
    drawn, left_out = _resampled(table, entry, parameters, score, resamples, seed, progress)
    low, high, error = ends(drawn, value, level, method, left_out)
    least, greatest = map(float, entry.bounds)
    return Interval(
        entry.name,
        value,
        max(low, least),
        min(high, greatest),
        level,
        error,
        float(drawn.mean()) - value,
        method,
        resamples,
    )


def _resampled(
    table: Contingency,
    entry: Measure,
    parameters: Mapping[str, Any],
    score: Statistic,
    resamples: int,
    seed: int | None,
    progress: Progress,
) -> tuple[FloatArray, Jackknife]:
    """Return the values of the resamples, and those without one object."""
    if entry.name == "q0":
        n_classes = parameters.get("n_classes") or table.shape[0]
        large = large_table(table, n_classes, parameters.get("base", 2))
        if large is not None:
            return large.bootstrap(resamples, seed, progress), large.left_out()
    drawn = bootstrap(table.counts, [View(table)], score, resamples, seed, progress)[:, 0]
    return drawn, jackknife(table.counts, [View(table)], score, resamples, seed, progress)


def ends(
    drawn: FloatArray, value: float, level: float, method: str, left_out: Jackknife
) -> tuple[float, float, float]:
    """Return the ends of the interval, and the standard error, from the resamples' values."""
    if method == "centred":
        drawn = centred(drawn, value, left_out)
        return *central_interval(drawn, value, level), float(drawn.std(ddof=1))
    tails = np.array(tails_of(level))
    if method == "bca" and (drawn != value).any():
        tails = _bca_tails(drawn, value, level, left_out)
    low, high = np.quantile(drawn, tails).tolist()
    return low, high, float(drawn.std(ddof=1))


def central_interval(moved: FloatArray, value: float, level: float) -> tuple[float, float]:
    """Return the ends of the middle part of centred resamples.

    Their mean is the value, but of skewed ones a small middle part may lie beside it; it is
    widened to hold the value.
    """
    low, high = np.quantile(moved, tails_of(level)).tolist()
    return min(low, value), max(high, value)


def tails_of(level: float) -> tuple[float, float]:
    """Return the two ends of the middle part of a distribution, as shares."""
    return (1 - level) / 2, (1 + level) / 2


def centred(drawn: FloatArray, value: float, left_out: Jackknife) -> FloatArray:
    """Move the resamples' mean onto the value, and widen them to the jackknife's error."""
    away = drawn - drawn.mean()
    spread = float(drawn.std(ddof=1))
    return np.asarray(value + away * max(1.0, left_out.standard_error / spread if spread else 1.0))


def _bca_tails(drawn: FloatArray, value: float, level: float, left_out: Jackknife) -> FloatArray:
    """Return the corrected tails of Efron (1987): for the bias in the median, and acceleration."""
    from scipy.special import ndtr, ndtri

    below = float((drawn < value).mean() + (drawn == value).mean() / 2)
    if below in (0, 1):
        raise MeasureError(
            "method='bca' is not defined where all resamples lie on one side of the value, as they "
            "do for entropies of sparse tables; method='centred' is."
        )
    weights, away = left_out.weights, left_out.deviations
    spread = float((weights * away**2).sum())
    acceleration = float((weights * away**3).sum()) / (6 * spread**1.5) if spread else 0.0
    median_bias = ndtri(below)
    moved = median_bias + ndtri(tails_of(level))
    return np.asarray(ndtr(median_bias + moved / (1 - acceleration * moved)))
