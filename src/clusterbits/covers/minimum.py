r"""The class proportions of soft clusters that make the labels cheapest, with a certificate.

Minimise :math:`F(\theta) = -\sum_i w_i \ln m_i`, :math:`m_i = \sum_k p_{ik} \theta_k(c_i)`, over
the class proportions :math:`\theta_k` of each cluster. F is convex. With
:math:`G_k(c) = \sum_{i: c_i = c} w_i p_{ik} / m_i`, a step of EM multiplies :math:`\theta_k(c)` by
:math:`G_k(c)` and normalises each cluster.

*Certificate.* Convexity gives
:math:`F(\theta) - F(\theta') \le \sum_{k,c} G_k(c) (\theta'_k(c) - \theta_k(c))` for all θ'; the
sum is largest where each θ' puts everything on the class of the largest G, and
:math:`\sum_{k,c} G_k(c) \theta_k(c) = n`. So F is at most :math:`\sum_k \max_c G_k(c) - n` above
its minimum, which each step of EM knows for free.

*Acceleration.* Anderson's, on ln θ: the next point is the combination of the last few steps whose
change is least. It is taken only where F falls; else EM's own step is, after which F always falls.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from clusterbits.table.log_factorials import FloatArray

# The certified distance from the minimum that is aimed at, in nats per object.
CLOSE = 1e-7
_MOST_STEPS = 5_000
# Steps that are combined.
_MEMORY = 10
# Below this a proportion is as good as 0, and arithmetic with smaller ones is slow.
_LEAST_LOG, _LEAST_GAIN = -50.0, 1e-30
# Differences of the cost below this share of it are rounding.
_ROUNDING = 1e-13
# Keeps combinations of nearly equal steps solvable.
_RIDGE, _TINY = 1e-12, 1e-150


class LabelMinimum(NamedTuple):
    """The best proportions found, and what the labels cost at least, whatever they are, in nats."""

    proportions: FloatArray
    least: float


class _Point(NamedTuple):
    logs: FloatArray
    nats: float
    gap: float
    after: FloatArray  # logs after a step of EM


def minimise_labels(degrees: Any, weights: FloatArray, clusters: NDArray[np.int64]) -> LabelMinimum:
    """Return the proportions at which the labels of kinds of objects cost least, `weights` of each.

    `degrees` is a sparse matrix of kinds × proportions: p_ik in the column of θ_k(c_i). Columns
    are sorted by their cluster, from 0 on.
    """
    problem, history, n = _Problem(degrees, weights, clusters), _History(), float(weights.sum())
    point, steps = problem.start(), 1
    while point.gap > CLOSE * n and steps < _MOST_STEPS:
        faster = problem.at(problem.normalized(history.combine(point, problem.objects)))
        steps += 1
        slack = _ROUNDING * abs(point.nats) if faster.gap < point.gap else 0.0
        if not faster.nats <= point.nats + slack:
            history.forget()
            faster = problem.at(point.after)
            steps += 1
        point = faster
    return LabelMinimum(np.exp(point.logs), max(point.nats - point.gap, 0.0))


class _Problem:
    def __init__(self, degrees: Any, weights: FloatArray, clusters: NDArray[np.int64]) -> None:
        self._degrees, self._by_column = degrees, degrees.T.tocsr()
        self._weights, self._clusters = weights, clusters
        self._starts = np.flatnonzero(np.diff(clusters, prepend=-1))
        self._expected = self._by_column @ weights
        self.objects = np.add.reduceat(self._expected, self._starts)[clusters]

    def start(self) -> _Point:
        """Return the point of the expected table."""
        return self.at(np.log(self._expected / self.objects))

    def at(self, logs: FloatArray) -> _Point:
        """Return the cost at a point, its certificate, and EM's next point."""
        mixed = self._degrees @ np.exp(logs)
        gains = self._by_column @ (self._weights / mixed)
        nats = -float((self._weights * np.log(mixed)).sum())
        gap = float(np.maximum.reduceat(gains, self._starts).sum() - self._weights.sum())
        after = self.normalized(logs + np.log(np.maximum(gains, _LEAST_GAIN)))
        return _Point(logs, nats, max(gap, 0.0), after)

    def normalized(self, logs: FloatArray) -> FloatArray:
        """Return logarithms of proportions that sum to 1 in each cluster, none too small."""
        logs = np.maximum(logs - self._over_clusters(np.maximum, logs), _LEAST_LOG)
        return np.asarray(logs - np.log(self._over_clusters(np.add, np.exp(logs))))

    def _over_clusters(self, function: np.ufunc, values: FloatArray) -> FloatArray:
        return np.asarray(function.reduceat(values, self._starts)[self._clusters])


class _History:
    """How the last points, and what EM changed at each, differ from those before."""

    def __init__(self) -> None:
        self.forget()

    def forget(self) -> None:
        self._last: tuple[FloatArray, FloatArray] | None = None
        self._many = 0

    def combine(self, point: _Point, objects: FloatArray) -> FloatArray:
        """Return the point at which the last changes, extrapolated, would vanish.

        A change counts by the objects it concerns, N_k θ_k(c): of near-zero proportions even large
        changes mean nothing.
        """
        change = point.after - point.logs
        before, self._last = self._last, (point.logs, change)
        if before is None:
            return point.after
        if self._many == 0:
            self._steps, self._bends = np.empty((2, _MEMORY, len(change)))
        place = self._many % _MEMORY  # the oldest goes
        self._steps[place], self._bends[place] = point.logs - before[0], change - before[1]
        self._many += 1
        steps, bends = self._steps[: self._many], self._bends[: self._many]
        weighted = bends * (objects * np.exp(point.logs))
        gram = weighted @ bends.T
        lengths = np.sqrt(np.diag(gram)) + _TINY
        gram = gram / np.outer(lengths, lengths) + _RIDGE * np.eye(len(lengths))
        # By numpy's own loops: for vectors, threads of BLAS cost more than they save.
        shares = np.linalg.solve(gram, np.einsum("ij,j->i", weighted, change) / lengths) / lengths
        moved = np.einsum("i,ij->j", shares, steps) + np.einsum("i,ij->j", shares, bends)
        return np.asarray(point.after - moved)
