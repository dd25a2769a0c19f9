"""What is known of a score: its value, its values on resamples, and those without some objects."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from clusterbits.core.combinatorics import FloatArray


class Sample(NamedTuple):
    """A score of a table, on resamples of it, and without some of its objects.

    Each value of `left_out` stands for as many objects (or groups) as `weights` say. The `method`
    is "jackknife" where the resamples are sums of the effects of groups. `sizes` are the
    numbers of all objects (or groups) and of those of some classes, and `mistakes` what one of them
    in another cluster would add to the score, downwards and upwards.
    """

    value: float
    drawn: FloatArray
    left_out: FloatArray
    weights: FloatArray
    method: str
    sizes: Sequence[int]
    mistakes: FloatArray

    @property
    def bias(self) -> float:
        """The bootstrap's or the jackknife's estimate of the value's bias."""
        if self.method != "jackknife":
            return float(self.drawn.mean()) - self.value
        return (len(self.left_out) - 1) * (float(self.left_out.mean()) - self.value)

    def _spread(self) -> tuple[float, float]:
        """Return the jackknife's standard error and the skewness of the score.

        The error is on the wide side (Efron & Stein 1981). The skewness is from -1 to 1; it is 1/√m
        if m objects alone raise the score.
        """
        effects = np.average(self.left_out, weights=self.weights) - self.left_out
        each = self.weights * effects**2
        squares, cubes, n = float(each.sum()), float(each @ effects), self.weights.sum()
        return math.sqrt((n - 1) / n * squares), cubes / squares**1.5 if squares else 0.0

    def centred(self) -> Centred:
        """Return the resamples moved onto the value, as wide as the jackknife's.

        Those of the jackknife are around the value, in units of its error. If groups are few, these
        are Student's t with few degrees of freedom, whose own mean and spread say nothing.
        """
        jackknife_error, skewness = self._spread()
        if self.method == "jackknife":
            middle, spread = self.value, jackknife_error
        else:
            middle, spread = float(self.drawn.mean()), float(self.drawn.std(ddof=1))
        away = (self.drawn - middle) / spread if spread else np.zeros_like(self.drawn)
        error = max(spread, jackknife_error)
        return Centred(self.value, error, away, skewness, self.sizes, self.mistakes)

    def limits(
        self, level: float, bounds: tuple[float, float] = (-math.inf, math.inf)
    ) -> tuple[float, float, float]:
        """Return the confidence limits, within bounds, and the standard error, by the method."""
        if self.method in ("centred", "jackknife"):
            centred = self.centred()
            (low, high), error = centred.interval(level), centred.standard_error
        else:
            low, high = np.quantile(self.drawn, _tails(level)).tolist()
            error = float(self.drawn.std(ddof=1))
        return max(low, float(bounds[0])), min(high, float(bounds[1])), error


class Centred(NamedTuple):
    """A value, its standard error, and the resamples' deviations from it in standard errors."""

    value: float
    standard_error: float
    deviations: FloatArray
    skewness: float
    sizes: Sequence[int]
    mistakes: FloatArray

    def interval(self, level: float) -> tuple[float, float]:
        """Return the confidence limits."""
        return self.limits(*central_interval(self.deviations, level), (1 - level) / 2)

    def limits(self, low: float, high: float, tail: float) -> tuple[float, float]:
        """Return the limits from quantiles of the deviations, with that probability beyond each.

        Quantiles of resamples grow with the skewness γ as z + γ(z² - 1)/6, those of confidence
        limits as z + γ(2z² + 1)/6 (for Poisson counts: Jeffreys' limits). The longer tail gets the
        difference, γ(z² + 2)/6. The shorter one stays as it is: counts are whole, and it would
        often be too short.

        Mistakes that were not seen are in no resample. The limits are at least as far away as
        those that a sample lacks with that probability, of all objects or of those of a class.
        """
        low, high = (
            away + self.skewness * (away**2 + 2) / 6 if away * self.skewness > 0 else away
            for away in (low, high)
        )
        unseen = np.array([n * unseen_share(n, tail) for n in self.sizes])
        down, up = unseen * self.mistakes.T
        return (
            self.value + min(low * self.standard_error, float(down.min())),
            self.value + max(high * self.standard_error, float(up.max())),
        )


def unseen_share(n: float, tail: float) -> float:
    """Return the share of a population that n objects from it all lack with that probability.

    It solves (1 - share)^n = tail: about -log(tail)/n, for a tail of 2.5 % 3.7/n.

    >>> round(100 * unseen_share(100, 0.025), 2), round(1000 * unseen_share(1000, 0.025), 2)
    (3.62, 3.68)
    """
    return -math.expm1(math.log(tail) / n)


def central_interval(deviations: FloatArray, level: float) -> tuple[float, float]:
    """Return the central interval of deviations from a value, widened to contain 0.

    If they are skewed and the level is low, it may lie beside 0.
    """
    low, high = np.quantile(deviations, _tails(level)).tolist()
    return min(low, 0.0), max(high, 0.0)


def _tails(level: float) -> FloatArray:
    """Return the probabilities below the two ends of a central interval."""
    return np.array([(1 - level) / 2, (1 + level) / 2])
