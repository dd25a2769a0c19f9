r"""The class proportions of soft clusters that make the labels cheapest, with a lower bound.

Minimize :math:`F(\theta) = -\sum_i w_i \ln m_i`, :math:`m_i = \sum_k p_{ik} \theta_k(c_i)`, over
the class proportions :math:`\theta_k` of each cluster. F is convex. With
:math:`G_k(c) = \sum_{i: c_i = c} w_i p_{ik} / m_i`, a step of EM multiplies :math:`\theta_k(c)` by
:math:`G_k(c)` and normalizes each cluster; F never rises.

*Lower bound.* Convexity gives
:math:`F(\theta) - F(\theta') \le \sum_{k,c} G_k(c) (\theta'_k(c) - \theta_k(c))` for all θ'; the
sum is largest if each θ' puts everything on the class of the largest G, and
:math:`\sum_{k,c} G_k(c) \theta_k(c) = n`. So F is at most :math:`\sum_k \max_c G_k(c) - n` above
its minimum, which each step of EM computes anyway.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from clusterbits.table.log_factorials import FloatArray

# EM stops this close to the minimum, in nats per object: integer columns lose more by rounding.
_CLOSE = 1e-5
_MAX_STEPS = 5_000
# Smaller proportions would make arithmetic slow.
_MIN_PROPORTION = 1e-20


class LabelMinimum(NamedTuple):
    """The proportions after EM, and a lower bound on the nats of the labels for any proportions."""

    proportions: FloatArray
    lower_bound: float


def minimize_labels(degrees: Any, weights: FloatArray, clusters: NDArray[np.int64]) -> LabelMinimum:
    """Return the proportions that make the labels of objects with these `weights` cheapest.

    `degrees` is a sparse matrix of objects × proportions: p_ik in the column of θ_k(c_i). Columns
    are sorted by their cluster, from 0 on.
    """
    by_proportion, n = degrees.T.tocsr(), float(weights.sum())
    starts = np.flatnonzero(np.diff(clusters, prepend=-1))
    gains, proportions = by_proportion @ weights, np.ones(len(clusters))
    for _ in range(_MAX_STEPS):
        proportions = proportions * gains
        proportions = proportions / np.add.reduceat(proportions, starts)[clusters]
        proportions = np.maximum(proportions, _MIN_PROPORTION)
        mixed = degrees @ proportions
        gains = by_proportion @ (weights / mixed)
        excess = max(float(np.maximum.reduceat(gains, starts).sum()) - n, 0.0)
        if excess <= _CLOSE * n:
            break
    nats = -float((weights * np.log(mixed)).sum())
    return LabelMinimum(proportions, max(nats - excess, 0.0))
