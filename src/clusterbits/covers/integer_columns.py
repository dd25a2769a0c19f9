r"""Columns of whole numbers for soft clusters: what the sender of the soft code sends.

*Sums.* The column of a cluster has the sum :math:`N_k = \lceil \sum_i p_{ik} - 1/(K+1) \rceil`,
which the receiver knows. That is enough to give the class of every object a probability above 0:
assign each object to one of its clusters, at most :math:`N_k` to cluster k. In shares, the
memberships do so but for less than :math:`K/(K+1)` objects; the most that can be assigned in
wholes is a whole number, so it is all of them. For hard clusters the sums are the sizes, and almost
hard ones have the same.

*Counts.* The best proportions times the sums, rounded by their largest remainders; then counts are
moved between the classes of a cluster while that makes the labels cheaper. What a move gains at
one class and loses at another do not depend on each other, as no object has two classes.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from clusterbits.covers.minimum import CLOSE
from clusterbits.table.log_factorials import FloatArray

# The search takes it for a probability of 0: labels cost much then, and no sum is infinite.
_IMPOSSIBLE = 1e-300
# Shares of a probability below this are rounding.
_ROUNDING = 1e-12


def column_sums(sizes: FloatArray) -> FloatArray:
    """Return the sums of the columns that are sent, for clusters of these sizes.

    >>> column_sums(np.array([0.2, 2.2, 2.4, 3.2])).tolist()
    [0.0, 2.0, 3.0, 3.0]
    """
    return np.ceil(sizes - 1 / (np.count_nonzero(sizes) + 1))


def whole_columns(
    degrees: Any,
    weights: FloatArray,
    clusters: NDArray[np.int64],
    sums: FloatArray,
    proportions: FloatArray,
) -> float:
    """Return what the labels cost, in nats, given counts that were found near the proportions.

    `degrees`, `weights` and `clusters` are as in `minimise_labels`; `sums` are those of the
    clusters.
    """
    search = _Search(degrees, weights, clusters, sums)
    counts = search.improve(_round(proportions, clusters, sums))
    if (degrees @ counts == 0).any():  # no single move helps an object of probability 0
        reserved = _assign(degrees, clusters, sums)
        left = sums - np.bincount(clusters, weights=reserved, minlength=len(sums))
        counts = search.improve(reserved + _round(proportions, clusters, left))
    mixed = degrees @ (counts / sums[clusters])
    return -math.fsum((weights * np.log(mixed)).tolist())


def _round(proportions: FloatArray, clusters: NDArray[np.int64], sums: FloatArray) -> FloatArray:
    """Return whole numbers in these proportions, by largest remainders in each cluster."""
    exact = proportions * sums[clusters]
    counts = np.floor(exact)
    missing = sums - np.bincount(clusters, weights=counts, minlength=len(sums))
    order = np.lexsort([counts - exact, clusters])
    place = np.arange(len(order)) - np.searchsorted(clusters, clusters)
    counts[order[place < missing[clusters]]] += 1
    return counts


class _Moves(NamedTuple):
    """Cells that give and take one count each, and what that saves in nats."""

    givers: NDArray[np.int64]
    takers: NDArray[np.int64]
    saved: FloatArray

    def make(self, counts: FloatArray) -> FloatArray:
        """Return the counts after the moves."""
        counts = counts.copy()
        counts[self.givers] -= 1
        counts[self.takers] += 1
        return counts


class _Search:
    def __init__(
        self, degrees: Any, weights: FloatArray, clusters: NDArray[np.int64], sums: FloatArray
    ) -> None:
        self._weights, self._clusters = weights, clusters
        self._close = CLOSE * float(weights.sum())  # what saves less is not worth a move
        # What one count of a cell adds to the probability of each kind that it concerns.
        self._shares = degrees.copy()
        self._shares.data /= sums[clusters[degrees.indices]]
        self._kinds = np.repeat(np.arange(len(weights)), np.diff(degrees.indptr))

    def improve(self, counts: FloatArray) -> FloatArray:
        """Return the counts after moves that make the labels cheaper, until there are none."""
        nats = self._nats(counts)
        while True:
            moves = self._moves(counts)
            after = self._nats(moved := moves.make(counts))
            if after > nats - moves.saved.sum() / 2:  # some get in each other's way
                after = self._nats(moved := self._apart(moves).make(counts))
            if after >= nats:  # no moves are left, or rounding decides
                return counts
            counts, nats = moved, after

    def _moves(self, counts: FloatArray) -> _Moves:
        """Return the moves of one count that make the labels cheaper, the best first.

        In each cluster the cell that gains most takes from the one that loses least, and so on.
        """
        shares, weights = self._shares.data, self._weights[self._kinds]
        before = np.maximum(self._shares @ counts, _IMPOSSIBLE)[self._kinds]
        less = np.where(before - shares > _ROUNDING * before, before - shares, _IMPOSSIBLE)
        gains = self._add(weights * np.log1p(shares / before))
        losses = np.where(counts > 0, self._add(weights * np.log(before / less)), np.inf)
        takers = np.lexsort([-gains, self._clusters])
        givers = np.lexsort([losses, self._clusters])
        saved = gains[takers] - losses[givers]
        order = np.argsort(-saved, kind="stable")[: np.count_nonzero(saved > self._close)]
        return _Moves(givers[order], takers[order], saved[order])

    def _apart(self, moves: _Moves) -> _Moves:
        """Return moves of which no two concern the same objects: what they save adds up."""
        places = np.arange(len(moves.saved))
        place = np.full(len(self._clusters), len(places))
        place[moves.givers], place[moves.takers] = places, places
        # Of the moves that concern a kind of objects the best goes first, and the others wait.
        entries = place[self._shares.indices]
        first = np.minimum.reduceat(entries, self._shares.indptr[:-1])
        waits = np.bincount(entries[entries > first[self._kinds]], minlength=len(places))
        some = np.flatnonzero(waits[: len(places)] == 0)
        return _Moves(moves.givers[some], moves.takers[some], moves.saved[some])

    def _add(self, values: FloatArray) -> FloatArray:
        sums = np.bincount(self._shares.indices, weights=values, minlength=len(self._clusters))
        return np.asarray(sums, dtype=np.float64)

    def _nats(self, counts: FloatArray) -> float:
        mixed = np.maximum(self._shares @ counts, _IMPOSSIBLE)
        return -float((self._weights * np.log(mixed)).sum())


def _assign(degrees: Any, clusters: NDArray[np.int64], sums: FloatArray) -> FloatArray:
    """Return counts of an assignment of each kind of objects to a cluster, at most their sums."""
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import maximum_flow

    kinds, many = degrees.shape[0], len(sums)
    entries = degrees.tocoo()
    rows, cells = entries.coords
    source, sink = kinds + many, kinds + many + 1
    tails = np.concatenate([np.full(kinds, source), rows, kinds + np.arange(many)])
    heads = np.concatenate([np.arange(kinds), kinds + clusters[cells], np.full(many, sink)])
    most = np.concatenate([np.ones(kinds + len(rows)), np.minimum(sums, kinds)]).astype(np.int32)
    flow = maximum_flow(csr_array((most, (tails, heads)), shape=(sink + 1, sink + 1)), source, sink)
    used = np.asarray(flow.flow.tocsr()[rows, kinds + clusters[cells]]).ravel() > 0
    return np.bincount(cells[used], minlength=len(clusters)).astype(np.float64)
