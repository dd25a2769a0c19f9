"""The consensus of runs: the labels with the least mean variation of information to all of them.

With φ(x) = x log2 x, n objects, clusters of n(k) objects and cells of h(k, c) objects with the
clusters c of a run, the distance of labels to the run is a constant plus

    (1/n) [Σ φ(n(k)) - 2 Σ φ(h(k, c))]

(Wade and Ghahramani 2018), over the n objects that the run has. Label rows move to the cluster
where the sum over the runs is least, an empty one included, as long as that lowers it. Each step
finds the best move of every row, and makes the best half, quarter, ... of these moves if all of
them together do not lower the sum.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import numpy as np

from clusterbits.changes.run_agreement import ABSENT, FloatArray, IntArray, RunCodes
from clusterbits.system.progress import Progress, track
from clusterbits.table.numbering import factorize_integers

# At most this many runs are tried as the first labels, the most central ones, and fewer if a step
# takes more than so many operations.
_MOST_STARTS = 8
_STEP_WORK = 1 << 25
# Changes below this share of the sum are rounding.
_ROUNDING = 1e-12
# Rows whose moves are found at once, times the number of clusters.
_BLOCK = 1 << 22


def find_consensus(runs: RunCodes, nearest: IntArray, progress: Progress) -> IntArray:
    """Return the consensus cluster of each label row, from the best of several starts.

    `nearest` are the runs, that with the least mean distance to the others first.
    """
    work = runs.codes.size * int(runs.n_clusters.max())
    starts = nearest[: int(np.clip(_STEP_WORK // work, 1, _MOST_STARTS))]
    labelings = [runs.codes[start] for start in starts.tolist()]
    labelings.append(np.zeros_like(labelings[0]))  # near to runs that have nothing in common
    ends = [_descend(runs, labels) for labels in track(progress, labelings)]
    least = min(cost for _, cost in ends)
    # Of those that differ by rounding the first: from the most central run.
    return next(labels for labels, cost in ends if cost <= least + _ROUNDING * abs(least))


def _descend(runs: RunCodes, labels: IntArray) -> tuple[IntArray, float]:
    """Return the labels after all moves that lower the cost, and their cost."""
    labels = factorize_integers(labels)[0]
    cost = _total_cost(runs, labels)
    while True:
        targets, changes = _best_moves(runs, labels)
        order = np.argsort(changes, kind="stable")
        order = order[changes[order] < -_ROUNDING * abs(cost)]
        while len(order):
            moved = labels.copy()
            moved[order] = targets[order]
            moved = factorize_integers(moved)[0]
            lower = _total_cost(runs, moved)
            if lower < cost - _ROUNDING * abs(cost):
                labels, cost = moved, lower
                break
            order = order[: len(order) // 2]
        else:
            return labels, cost


def _tables(
    runs: RunCodes, labels: IntArray, n_labels: int
) -> Iterator[tuple[IntArray, FloatArray, float]]:
    """Yield each run's codes, the table of its clusters and the labels, and its objects."""
    for codes, n_clusters in zip(runs.codes, runs.n_clusters.tolist(), strict=True):
        known = codes != ABSENT
        keys = codes[known] * n_labels + labels[known]
        table: Any = np.bincount(keys, runs.counts[known], n_clusters * n_labels)
        yield codes, table.reshape(n_clusters, n_labels), float(table.sum())


def _total_cost(runs: RunCodes, labels: IntArray) -> float:
    """Return the part of the summed distances to the runs that depends on the labels."""
    return math.fsum(
        float(_phi(table.sum(axis=0)).sum() - 2 * _phi(table).sum()) / n
        for _, table, n in _tables(runs, labels, int(labels.max()) + 1)
    )


def _best_moves(runs: RunCodes, labels: IntArray) -> tuple[IntArray, FloatArray]:
    """Return the best other cluster of each row, the last one empty, and the change of the cost."""
    n_labels = int(labels.max()) + 2
    targets, changes = np.empty_like(labels), np.empty(len(labels))
    step = max(1, _BLOCK // n_labels)
    for begin in range(0, len(labels), step):
        block = np.arange(begin, min(begin + step, len(labels)))
        costs = _costs_of_moves(runs, labels, n_labels, block)
        targets[block] = costs.argmin(axis=1)
        changes[block] = costs.min(axis=1)
    return targets, changes


def _costs_of_moves(runs: RunCodes, labels: IntArray, n_labels: int, block: IntArray) -> FloatArray:
    """Return the change of the cost if a row moves to a cluster, shape (n_block, n_labels)."""
    by_count = [
        (count, np.flatnonzero(runs.counts[block] == count))
        for count in np.unique(runs.counts[block]).tolist()
    ]
    costs = np.zeros((len(block), n_labels))
    leaving = np.zeros(len(block))
    for codes, table, n in _tables(runs, labels, n_labels):
        sizes = table.sum(axis=0)
        for count, members in by_count:
            members = members[codes[block[members]] != ABSENT]
            rows = codes[block[members]]
            joined = _phi(sizes + count) - _phi(sizes) - 2 * (_phi(table + count) - _phi(table))
            costs[members] += joined[rows] / n
            left = _phi(sizes - count) - _phi(sizes) - 2 * (_phi(table - count) - _phi(table))
            leaving[members] += left[rows, labels[block[members]]] / n
    costs += leaving[:, None]
    costs[np.arange(len(block)), labels[block]] = 0
    return costs


def _phi(x: FloatArray) -> FloatArray:
    """Return x log2 x, 0 for the x below that no row can leave."""
    return np.asarray(x * np.log2(np.maximum(x, 1e-300))) * (x > 0)
