"""Paired scores on the same resamples: differences, and simultaneous confidence intervals."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from clusterbits.core.combinatorics import FloatArray
from clusterbits.inference.intervals import Centred, central_interval, centre
from clusterbits.inference.jackknife import Jackknife
from clusterbits.inference.replicates import Replicates
from clusterbits.inference.resampling import ROUNDING
from clusterbits.ingest.runs import Name
from clusterbits.measures.catalogue import Measure


class Standing(NamedTuple):
    """One clustering among several: its value, how far from the best, and whether it may be it."""

    clustering: Name
    clusters: int
    value: float
    low: float
    high: float
    may_be_best: bool
    behind: float
    behind_low: float
    behind_high: float
    probability: float


class PairedScores(NamedTuple):
    """The values of all clusterings, on the same resamples, and without some objects."""

    replicates: Replicates
    confidence_level: float
    sign: int

    @property
    def values(self) -> FloatArray:
        """The value of each clustering."""
        return self.replicates.values

    def difference(self, i: int, j: int) -> Centred:
        """Return the value of i minus that of j.

        Equal partitions with clusters in another order may differ in the last digit; that is no
        difference.
        """
        values, every, left_out, method = self.replicates
        value, drawn = float(values[i] - values[j]), every[:, i] - every[:, j]
        least = ROUNDING * float(np.abs(every[:, [i, j]]).max())
        if abs(value) <= least and np.abs(drawn).max() <= least:
            return Centred(0.0, 0.0, np.zeros_like(drawn))
        return centre(drawn, value, left_out.difference(i, j), method)

    def lead(self, j: int, i: int) -> Centred:
        """Return by how much j is better than i."""
        return self.difference(*((j, i) if self.sign > 0 else (i, j)))

    def own_interval(self, i: int) -> tuple[float, float]:
        """Return the confidence interval of i by itself."""
        values, drawn, left_out, method = self.replicates
        own = Jackknife(left_out.values[:, [i]], left_out.weights)
        return centre(drawn[:, i], float(values[i]), own, method).interval(self.confidence_level)

    def behind(self, i: int) -> tuple[float, float]:
        """Return the confidence limits of how far i is behind the truly best clustering.

        Any other may be that one, so the limits hold for all leads at once: they are as many
        standard errors away as the largest deviations of the resamples. The least lead is 0.
        """
        leads = [self.lead(j, i) for j in range(len(self.values)) if j != i]
        deviations = np.column_stack([lead.deviations for lead in leads])
        below = central_interval(deviations.min(axis=1), self.confidence_level)[0]
        above = central_interval(deviations.max(axis=1), self.confidence_level)[1]
        lowest, highest = (
            max(lead.value + away * lead.standard_error for lead in leads)
            for away in (below, above)
        )
        return max(0.0, lowest), max(0.0, highest)

    def shares(self) -> FloatArray:
        """Return the share of resamples in which each is the best; ties are shared equally."""
        merit = self.sign * self.replicates.drawn
        winners = merit >= merit.max(axis=1, keepdims=True) - ROUNDING * np.abs(merit).max()
        return np.asarray((winners / winners.sum(axis=1, keepdims=True)).mean(axis=0))


def rank_clusterings(
    sizes: Mapping[Name, int], scores: PairedScores, measure: Measure
) -> tuple[Standing, ...]:
    """Return the standing of each clustering of so many clusters, the best first."""
    order = np.argsort(-scores.sign * scores.values, kind="stable").tolist()
    shares = scores.shares().tolist()
    least, greatest = map(float, measure.bounds)
    names, rows = list(sizes), []
    for i in order:
        low, high = scores.own_interval(i)
        behind_low, behind_high = scores.behind(i)
        rows.append(
            Standing(
                names[i],
                sizes[names[i]],
                float(scores.values[i]),
                max(low, least),
                min(high, greatest),
                behind_low == 0,
                scores.lead(order[0], i).value,
                behind_low,
                behind_high,
                shares[i],
            )
        )
    return tuple(rows)
