"""What is known of a score: its value, its values on resamples, and those without some objects.

The difference of two scores of the same objects is such a sample, too: their resamples are paired.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from clusterbits.core.combinatorics import FloatArray
from clusterbits.errors import MeasureError

# Values that differ by less than this, relative to their size, differ by rounding.
ROUNDING = 1e-12


class Sample(NamedTuple):
    """A score of a table, on resamples of it, and without some of its objects.

    Each value of `left_out` stands for as many objects (or groups) as `weights` say; their sum is
    n. The `method` is "jackknife" where the resamples are sums of the effects of groups.
    """

    value: float
    drawn: FloatArray
    left_out: FloatArray
    weights: FloatArray
    method: str

    def minus(self, other: Sample) -> Sample:
        """Return the difference of two scores on the same resamples.

        Equal partitions with clusters in another order may differ in the last digit; that is no
        difference.
        """
        value, drawn = self.value - other.value, self.drawn - other.drawn
        left_out = self.left_out - other.left_out
        least = ROUNDING * max(np.abs(self.drawn).max(), np.abs(other.drawn).max())
        if abs(value) <= least and np.abs(drawn).max() <= least:
            value, drawn, left_out = 0.0, np.zeros_like(drawn), np.zeros_like(left_out)
        return self._replace(value=value, drawn=drawn, left_out=left_out)

    @property
    def bias(self) -> float:
        """The bootstrap's or the jackknife's estimate of the value's bias."""
        if self.method != "jackknife":
            return float(self.drawn.mean()) - self.value
        return (len(self.left_out) - 1) * (float(self.left_out.mean()) - self.value)

    @property
    def _effects(self) -> FloatArray:
        """How far each value without some objects is below their mean."""
        return np.asarray(np.average(self.left_out, weights=self.weights) - self.left_out)

    @property
    def jackknife_error(self) -> float:
        """The jackknife's standard error, which errs on the wide side (Efron & Stein 1981)."""
        n = self.weights.sum()
        return math.sqrt((n - 1) / n * float((self.weights * self._effects**2).sum()))

    @property
    def skewness(self) -> float:
        """The skewness of the score, from -1 to 1; it is 1/√m if m objects alone raise it."""
        squares = float((self.weights * self._effects**2).sum())
        return float((self.weights * self._effects**3).sum()) / squares**1.5 if squares else 0.0

    def centred(self) -> Centred:
        """Return the resamples moved onto the value, as wide as the jackknife's, and stretched.

        Those of the jackknife are around the value, in units of its error. If groups are few, these
        are Student's t with few degrees of freedom, whose own mean and spread say nothing.

        Quantiles of resamples grow with the skewness γ as z + γ(z² - 1)/6, those of confidence
        limits as z + γ(2z² + 1)/6 (for Poisson counts: Jeffreys' limits). The longer tail gets the
        difference, γ(z² + 2)/6. The shorter one stays as it is: counts are whole, and it would
        often be too short.
        """
        if self.method == "jackknife":
            middle, spread = self.value, self.jackknife_error
        else:
            middle, spread = float(self.drawn.mean()), float(self.drawn.std(ddof=1))
        if not spread:
            return Centred(self.value, 0.0, np.zeros_like(self.drawn))
        away, skewness = (self.drawn - middle) / spread, self.skewness
        stretched = np.where(away * skewness > 0, away + skewness * (away**2 + 2) / 6, away)
        return Centred(self.value, max(spread, self.jackknife_error), stretched)

    def limits(self, level: float) -> tuple[float, float, float]:
        """Return the confidence limits and the standard error, by the method."""
        if self.method in ("centred", "jackknife"):
            centred = self.centred()
            return *centred.interval(level), centred.standard_error
        tails = _tails(level)
        if self.method == "bca" and (self.drawn != self.value).any():
            tails = self._bca_tails(level)
        low, high = np.quantile(self.drawn, tails).tolist()
        return low, high, float(self.drawn.std(ddof=1))

    def _bca_tails(self, level: float) -> FloatArray:
        """Return the tails corrected for median bias and acceleration (Efron 1987)."""
        from scipy.special import ndtr, ndtri

        same = np.abs(self.drawn - self.value) <= ROUNDING * abs(self.value)
        below = float(((self.drawn < self.value) & ~same).mean() + same.mean() / 2)
        if below in (0, 1):
            raise MeasureError(
                "method bca is not defined where all resamples lie on one side of the value, as "
                "they do for entropies of sparse tables; method centred is."
            )
        median_bias = ndtri(below)
        moved = median_bias + ndtri(_tails(level))
        return np.asarray(ndtr(median_bias + moved / (1 - self.skewness / 6 * moved)))


class Centred(NamedTuple):
    """A value, its standard error, and the resamples' deviations from it in standard errors."""

    value: float
    standard_error: float
    deviations: FloatArray

    def interval(self, level: float) -> tuple[float, float]:
        """Return the confidence limits."""
        low, high = central_interval(self.deviations, level)
        return self.value + low * self.standard_error, self.value + high * self.standard_error


def central_interval(deviations: FloatArray, level: float) -> tuple[float, float]:
    """Return the central interval of deviations from a value, widened to contain 0.

    If they are skewed and the level is low, it may lie beside 0.
    """
    low, high = np.quantile(deviations, _tails(level)).tolist()
    return min(low, 0.0), max(high, 0.0)


def _tails(level: float) -> FloatArray:
    """Return the probabilities below the two ends of a central interval."""
    return np.array([(1 - level) / 2, (1 + level) / 2])
