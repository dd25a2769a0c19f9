"""A score with its resamples, and the limits that are computed from them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from clusterbits.table.log_factorials import FloatArray


class ResampledScore(NamedTuple):
    """A score of a table, on resamples of it, and without some of its objects.

    Each value of `left_out` stands for as many objects (or groups) as `weights` say. The `method`
    is "jackknife" if the resamples are sums of the effects of groups. `sizes` are the numbers of
    all objects (or groups) and of those of some classes, and `errors` the effects of one
    misassigned object of each, downwards and upwards.
    """

    value: float
    drawn: FloatArray
    left_out: FloatArray
    weights: FloatArray
    method: str
    sizes: Sequence[int]
    errors: FloatArray

    @property
    def bias(self) -> float:
        """The bootstrap's or the jackknife's estimate of the value's bias."""
        if self.method != "jackknife":
            return float(self.drawn.mean()) - self.value
        return (len(self.left_out) - 1) * (float(self.left_out.mean()) - self.value)

    def spread(self) -> tuple[float, float]:
        """Return the jackknife's standard error and the skewness of the score.

        The error is on the wide side (Efron & Stein 1981). The skewness is 1/√m if only m objects
        raise the score.
        """
        effects = np.average(self.left_out, weights=self.weights) - self.left_out
        weighted = self.weights * effects**2
        squares, cubes, n = float(weighted.sum()), float(weighted @ effects), self.weights.sum()
        return math.sqrt((n - 1) / n * squares), cubes / squares**1.5 if squares else 0.0

    def limits(
        self, level: float, bounds: tuple[float, float] = (-math.inf, math.inf)
    ) -> tuple[float, float, float]:
        """Return the confidence limits, within bounds, and the standard error, by the method."""
        tails = np.array([(1 - level) / 2, (1 + level) / 2])
        if self.method == "percentile":
            low, high = np.quantile(self.drawn, tails).tolist()
            error = float(self.drawn.std(ddof=1))
        else:
            low, high, error = self._centred_limits(tails)
        return max(low, float(bounds[0])), min(high, float(bounds[1])), error

    def _centred_limits(self, tails: FloatArray) -> tuple[float, float, float]:
        """Return limits from the resamples, moved onto the value and as wide as the jackknife's.

        Those of the jackknife are around the value, in units of its error: of few groups they are
        Student's t with few degrees of freedom. At low levels the quantiles of a skewed
        distribution may exclude the value, which is then a limit.

        Quantiles of resamples grow with the skewness γ as z + γ(z² - 1)/6, those of confidence
        limits as z + γ(2z² + 1)/6 (for Poisson counts: Jeffreys' limits). The longer tail gets the
        difference, γ(z² + 2)/6; the shorter one would often become too short.

        The limits are at least as far away as the errors that a sample lacks with that probability
        would move the value, of all objects or of those of a class.
        """
        jackknife_error, skewness = self.spread()
        if self.method == "jackknife":
            middle, spread = self.value, jackknife_error
        else:
            middle, spread = float(self.drawn.mean()), float(self.drawn.std(ddof=1))
        error = max(spread, jackknife_error)
        low, high = np.quantile(self.drawn - middle, tails) / spread if spread else (0.0, 0.0)
        low, high = (
            away + skewness * (away**2 + 2) / 6 if away * skewness > 0 else away
            for away in (min(float(low), 0.0), max(float(high), 0.0))
        )
        unobserved = np.array([n * unobserved_share(n, float(tails[0])) for n in self.sizes])
        down, up = unobserved * self.errors.T
        low = self.value + min(low * error, float(down.min()))
        return low, self.value + max(high * error, float(up.max())), error


def unobserved_share(n: float, tail: float) -> float:
    """Return the share of a population that n objects from it all lack with a probability `tail`.

    It solves (1 - share)^n = tail: about -log(tail)/n, for a tail of 2.5 % 3.7/n.

    >>> round(100 * unobserved_share(100, 0.025), 2), round(1000 * unobserved_share(1000, 0.025), 2)
    (3.62, 3.68)
    """
    return -math.expm1(math.log(tail) / n)
