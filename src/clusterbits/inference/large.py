r"""Resamples of q0 for large tables, drawn cluster by cluster instead of cell by cell.

Drawing a million cells two thousand times takes minutes. But q0 needs only one sum over the cells.
Let a resample have s(k) objects in cluster k and x of them in a cell that had h. With the entropy
H(k) of the original cluster, an identity (no approximation) splits its code length into

.. math:: n Q_0 = \sum_k f(s_k) + \sum_k s_k H_k + L - D, \qquad
    L = \sum_k \sum_c (x_{ck} - s_k p_{c|k}) \log \frac{1}{p_{c|k}}, \quad
    D = \sum_k \sum_c x_{ck} \log \frac{x_{ck}}{s_k\, p_{c|k}}.

L is the extra cost of the labels by chance in the clusters, D what the resample saves by
fitting a code to its own counts. The sizes s(k) are drawn exactly. Given them, L and D are sums
over n objects and over all cells, so their difference is normal by the central limit theorem, with
moments that are known:

* L has the mean 0 and the variance Σ s(k) V(k), where V(k) is the variance of log 1/p in cluster k.
* If x were Poisson with mean h, then d(x; h) = x log(x/h) - x + h would have moments that depend on
  h alone (`_fit_moments`). A multinomial is a Poisson vector given its sum, and D in cluster k is
  Σ d(x; h) - d(s(k); h(k)); so means and variances are differences of these.

A class of h objects is missing from a resample with probability (1 - h/n)^n; f then has one class
fewer, unless |C| was given. Rare classes are drawn apart from the labels: that one class is missing
changes the cost of all columns, but only few labels.

How far a sum of independent terms can be from normal is bounded by its third absolute moments
(Berry and Esseen). Where that bound on the error of any probability is above 0.005, half the
standard error that 2,000 resamples leave in the middle of the distribution, the caller draws cell
by cell. Two errors are of smaller order in clusters of 50 objects and more: the cells of a cluster
are independent only up to their sum, and the moments are those of Poisson variables. The tests
compare with draws by cells.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from clusterbits.core.combinatorics import (
    BITS_PER_NAT,
    FloatArray,
    factorial_remainder,
    log2_choose,
    relative_entropy_term,
)
from clusterbits.core.table import Contingency
from clusterbits.inference.resampling import Jackknife, run_blocks
from clusterbits.parallel import Progress

# With fewer cells drawing them one by one is fast enough.
_MANY_CELLS = 20_000
# The largest error of any probability of the resamples.
_TOLERANCE = 0.005
# Where the moments' series in 1/h takes over from sums over the Poisson distribution.
_SERIES_FROM = 400.0
# No third absolute central moment of d(x; h) is above this, for whole h.
_THIRD_MOMENT = 1.4
# Smaller clusters are too far from their limit.
_FEW_OBJECTS = 50
# Larger classes are in every resample: they would be missing with probability e^-40.
_RARE = 40


@dataclass(frozen=True, eq=False)
class LargeTable:
    """A table reduced to what the resamples of its q0 depend on; natural logarithms.

    Attributes
    ----------
    sizes, counts : ndarray
        h(k) of each cluster, h(c,k) of each cell.
    rows, columns : ndarray of int
        Class and cluster of each cell.
    n_classes : int
        |C|, for the cost of a column.
    class_sizes : ndarray
        h(c) of each class; infinite where |C| is given, and does not change with the classes seen.
    unit : float
        Bits per unit of the result.
    """

    sizes: FloatArray
    counts: FloatArray
    rows: NDArray[np.intp]
    columns: NDArray[np.intp]
    n_classes: int
    class_sizes: FloatArray
    unit: float

    def bootstrap(self, resamples: int, seed: int | None, progress: Progress) -> FloatArray:
        """Return q0 of the resamples."""
        values = np.empty(resamples)
        sums, n = self._sums, int(self.sizes.sum())
        missing = np.exp(n * np.log1p(-self.class_sizes[self.class_sizes < _RARE] / n))

        def draw(block: slice, rng: np.random.Generator) -> None:
            sizes = rng.multinomial(n, self.sizes / n, size=block.stop - block.start)
            variance = sizes @ sums.label_variance + sums.fit_variance
            noise = rng.standard_normal(len(sizes)) * np.sqrt(np.maximum(variance, 0.0))
            labels = sizes @ sums.entropy - sums.fit - (sizes - self.sizes) @ sums.fit_slope
            n_classes = self.n_classes - (rng.random((len(sizes), len(missing))) < missing).sum(1)
            table = np.empty(len(sizes))
            for present in np.unique(n_classes).tolist():
                alike = n_classes == present
                table[alike] = log2_choose(sizes[alike], present - 1).sum(axis=1)
            values[block] = ((labels + noise) * BITS_PER_NAT + table) / (n * self.unit)

        run_blocks(draw, resamples, len(self.sizes), seed, progress)
        return values

    def jackknife(self) -> Jackknife:
        """Return q0 without one object, for each cell, up to a constant."""
        n, whole, part = self.sizes.sum(), self.sizes[self.columns], self.counts
        # x log x - (x-1) log(x-1), and the same of the cost of a column of x objects.
        saved = _last_step(whole) - _last_step(part)
        saved += np.log1p((self.n_classes - 1) / whole)
        alone = self.class_sizes[self.rows] == 1
        if alone.any():  # with the object goes its class: a factor 1 + x/(|C| - 1) for each column
            columns = np.log1p(self.sizes / (self.n_classes - 1)).sum()
            saved[alone] += columns + np.log1p(-1 / (whole[alone] + self.n_classes - 1))
        return Jackknife((-saved * BITS_PER_NAT / ((n - 1) * self.unit))[:, None], part)

    @property
    def error(self) -> float:
        """A bound on the error of any probability if the sum over cells is drawn as normal."""
        if (self.sizes < _FEW_OBJECTS).any():
            return math.inf
        sums = self._sums
        variance = float(self.sizes @ sums.label_variance + sums.fit_variance)
        third = sums.label_third + _THIRD_MOMENT * len(self.counts)
        # 0.56 is the constant of Berry and Esseen; |a + b|³ ≤ 4 (|a|³ + |b|³).
        return 0.56 * 4 * third / variance**1.5 if variance > 0 else math.inf

    @cached_property
    def _sums(self) -> _Sums:
        def by_cluster(values: FloatArray) -> FloatArray:
            sums = np.bincount(self.columns, weights=values, minlength=len(self.sizes))
            return sums.astype(np.float64, copy=False)

        share = self.counts / self.sizes[self.columns]
        surprise = -np.log(share)
        entropy = by_cluster(share * surprise)
        away = surprise - entropy[self.columns]
        cells, clusters = _fit_moments(self.counts), _fit_moments(self.sizes)
        return _Sums(
            entropy,
            by_cluster(share * away**2),
            float(self.counts @ np.abs(away) ** 3),
            float(cells.mean.sum() - clusters.mean.sum()),
            (by_cluster(cells.slope) - clusters.slope) / self.sizes,
            float(cells.variance.sum() - clusters.variance.sum() - 2 * (away @ cells.slope)),
        )


class _Sums(NamedTuple):
    """Of each cluster: entropy, its variance, slope of D's mean; of all: the rest of the moments.

    `fit_variance` is the variance of D less twice its covariance with L.
    """

    entropy: FloatArray
    label_variance: FloatArray
    label_third: float
    fit: float
    fit_slope: FloatArray
    fit_variance: float


def large_table(table: Contingency, n_classes: int | None, base: float) -> LargeTable | None:
    """Return the table in this form, or None where its cells are to be drawn one by one."""
    if len(table.counts) < _MANY_CELLS:
        return None
    class_sizes = table.class_sizes.astype(np.float64)
    large = LargeTable(
        table.cluster_sizes.astype(np.float64),
        table.counts.astype(np.float64),
        table.rows,
        table.columns,
        n_classes or len(class_sizes),
        np.full_like(class_sizes, np.inf) if n_classes else class_sizes,
        math.log2(base),
    )
    return large if large.error <= _TOLERANCE else None


def _last_step(x: FloatArray) -> FloatArray:
    """Return x log x - (x-1) log(x-1) for whole x ≥ 1."""
    return np.asarray(np.log(x) - (x - 1) * np.log1p(-1 / np.maximum(x, 2.0)))


class _FitMoments(NamedTuple):
    """Mean and variance of d(x; h), and its covariance with x, for Poisson x of mean h."""

    mean: FloatArray
    variance: FloatArray
    slope: FloatArray


def _fit_moments(h: FloatArray) -> _FitMoments:
    """Return the moments of d(x; h) = x log(x/h) - x + h, where x is Poisson with mean h ≥ 1.

    >>> [round(float(moment[0]), 6) for moment in _fit_moments(np.array([2.0]))]
    [0.569702, 0.558244, -0.047001]
    """
    sizes, where = np.unique(h, return_inverse=True)
    # The first terms omitted are below 2/h³.
    result = np.array(
        [
            1 / 2 + (1 / 12 + 1 / 12 / sizes) / sizes,
            1 / 2 + (1 / 6 + 1 / 3 / sizes) / sizes,
            -(1 / 12 + 1 / 6 / sizes) / sizes,
        ]
    )
    for i in np.flatnonzero(sizes < _SERIES_FROM):
        x, p = _poisson(float(sizes[i]))
        fit = sizes[i] * relative_entropy_term(x / sizes[i] - 1)
        mean = p @ fit
        result[:, i] = mean, p @ (fit - mean) ** 2, p @ ((x - sizes[i]) * fit)
    return _FitMoments(*result[:, where])


def _poisson(mean: float) -> tuple[FloatArray, FloatArray]:
    """Return the values of a Poisson variable that matter, and their probabilities."""
    reach = 9 * math.sqrt(mean) + 20
    x = np.arange(max(0.0, math.floor(mean - reach)), mean + reach)
    log_p = -mean * relative_entropy_term(x / mean - 1) - factorial_remainder(x)
    return x, np.exp(log_p)
