r"""Chance in a class-balanced table: means over shuffled objects, each with its weight.

An object of class c weighs w(c) = n / (m h(c)), and all objects n. If the objects are shuffled, a
cluster of s objects has x(c) of each class, which is hypergeometric with mean μ, and weighs
b = Σ w(c) x(c), which is s on average. So the mean of mutual information has a second part if
weights differ:

.. math:: n\, E[I] = \sum_{c,k} w(c)\, E[x \ln(x/\mu)] - \sum_k (E[b \ln b] - s \ln s)

The mean of a function of b is an integral over its Laplace transform, which is a coefficient of a
polynomial:

.. math:: \ln b = \int_0^\infty \frac{e^{-t} - e^{-tb}}{t}\, dt, \qquad
    E[e^{-tb}] = [z^s] \prod_c (1 + z e^{-t w(c)})^{h(c)} / \binom ns

The coefficients are sums over a circle. All sizes are exact to rounding.
"""

from __future__ import annotations

import math
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from clusterbits.table.expected_information import expected_information, few_nodes
from clusterbits.table.log_factorials import BITS_PER_NAT, FloatArray, distinct, weighted_sum
from clusterbits.table.margins import Margin, mean_bits, table_bits

# Integrals over t = e^v are sums at this distance: the error of such a sum is e^(-π²/step).
_STEP = 0.3
# The start of the sums, relative to 1/s and to the largest weight: below, terms grow linearly.
_BEGIN = 1e-7
# Terms below e^-36 of the largest are not summed.
_NEGLIGIBLE = 36.0


class Excess(NamedTuple):
    """Means over shuffled objects less the values of mean weights, in nats."""

    entropy: float  # of b ln b
    columns: float  # of ln C(b + r, r)


class BalancedChance:
    """Means over shuffled objects of a class-balanced table that had these margins before."""

    def __init__(self, classes: Margin, clusters: Margin) -> None:
        self.n, self.n_classes = float(classes.n), len(classes.sizes)
        self._clusters = clusters
        self._sizes, self._repeats = distinct(classes.sizes)
        self._weights = self.n / (self.n_classes * self._sizes)

    @property
    def information(self) -> float:
        """E[I(C;K)], in bits per object."""
        classes = self._sizes, self._repeats * self._weights
        information = expected_information(self.n, classes, distinct(self._clusters.sizes))
        return information - self._excess(self.n_classes).entropy

    def singleton_bits(self, n_classes: int) -> float:
        """Return the table bits per object of singletons."""
        return mean_bits(self._weights, self._sizes * self._repeats, n_classes)

    def table_bits(self, n_classes: int) -> float:
        """Return the mean table bits per object."""
        return table_bits(self._clusters.sizes, n_classes) + self._excess(n_classes).columns

    def _excess(self, n_classes: int) -> Excess:
        """Return the excess of all clusters, in bits per object."""
        clusters = few_nodes(*distinct(self._clusters.sizes), self.n)
        arrays = (self._sizes * self._repeats, self._weights, *clusters)
        excess = _excess(self.n, n_classes - 1, *(array.tobytes() for array in arrays))
        return Excess(*(nats / self.n * BITS_PER_NAT for nats in excess))


@lru_cache(maxsize=16)  # several measures of one table ask for it
def _excess(n: float, r: int, h: bytes, w: bytes, sizes: bytes, repeats: bytes) -> Excess:
    objects, weights, frequencies = (np.frombuffer(array) for array in (h, w, repeats))
    excess = [cluster_excess(s, n, objects, weights, r) for s in np.frombuffer(sizes).tolist()]
    return Excess(*(weighted_sum(np.array(x), frequencies) for x in zip(*excess, strict=True)))


def cluster_excess(s: float, n: float, objects: FloatArray, weights: FloatArray, r: int) -> Excess:
    """Return the excess of a cluster of s objects."""
    if s == n:
        return Excess(0.0, 0.0)
    begin = math.log(_BEGIN * min(1.0, s / weights.max()))
    end = math.log(_NEGLIGIBLE / weights.min())
    u = np.exp(np.arange(begin, end + _STEP, _STEP))
    t = u / s
    transform, derivative = _transforms(s, n, objects, weights, t)
    # ln C(b + r, r) = Σ ln(1 + b/j), and the sum over j of e^-jt is geometric.
    geometric = np.exp(-t) * np.expm1(-r * t) / np.expm1(-t)
    variance = (n - s) / (n - 1) * float(objects @ (weights - 1) ** 2) / n  # of b, over s
    return Excess(
        _STEP * (float((s * np.exp(-u) - derivative).sum()) + variance * u[0] / math.expm1(_STEP)),
        _STEP * float(((np.exp(-u) - transform) * geometric).sum()),
    )


def _transforms(
    s: float, n: float, objects: FloatArray, weights: FloatArray, t: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Return E[e^-tb] and E[b e^-tb] of s objects drawn from n.

    It is that of drawing each object with probability p = s/n, given that s were drawn.
    """
    p, rest = s / n, (n - s) / n
    variance = s * rest
    # The points on the circle outnumber the plausible numbers of objects.
    reach = _NEGLIGIBLE / 3 + math.sqrt((_NEGLIGIBLE / 3) ** 2 + 2 * _NEGLIGIBLE * variance)
    last = math.ceil(reach / 2)
    step = 2 * math.pi / (2 * last + 1)
    if variance > _NEGLIGIBLE:  # far from 0 the terms vanish
        last = min(last, math.ceil(math.acos(1 - _NEGLIGIBLE / variance) / step))
    angle = step * np.arange(last + 1)
    cosine, sine, turn = np.cos(angle), np.sin(angle), -2 * np.sin(angle / 2) ** 2
    t = np.append(0.0, t)[:, None]
    logarithm, mean = np.zeros((2, len(t), len(angle)), dtype=np.complex128)
    for size, weight in zip(objects.tolist(), weights.tolist(), strict=True):
        # The logarithm of x + iy = 1 - p + p e^(iθ - tw), as sums of terms of one sign.
        drawn, less = p * np.exp(-t * weight), p * np.expm1(-t * weight)
        x, y = rest + drawn * cosine, drawn * sine
        square = less * (2 + less) + 2 * rest * drawn * turn
        near = square > -0.5
        modulus = np.where(near, np.log1p(np.where(near, square, 0)), np.log(x * x + y * y)) / 2
        if p < 0.5:
            phase = np.arctan2(y, x) - p * angle
        else:
            phase = rest * angle - np.arctan2(rest * sine, drawn + rest * cosine)
        logarithm += size * (modulus + 1j * phase)
        mean += size * weight * drawn * (cosine + 1j * sine) / (x + 1j * y)
    terms = np.exp(logarithm)
    terms[:, 1:] *= 2  # for the other half of the circle
    sums, derivatives = terms.real.sum(axis=1), (terms * mean).real.sum(axis=1)
    return sums[1:] / sums[0], derivatives[1:] / sums[0]
