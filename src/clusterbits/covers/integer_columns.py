r"""Columns of integer counts for soft clusters: what the sender of the soft code sends.

*Sums.* The column of a cluster has the sum :math:`N_k = \lceil \sum_i p_{ik} - 1/(K+1) \rceil`,
which the receiver knows. That is enough to give the class of every object a probability above 0:
assign each object to one of its clusters, at most :math:`N_k` to cluster k. In shares, the
memberships do so but for less than :math:`K/(K+1)` objects; the maximum flow through integer
capacities is an integer, so it is all of them. For hard clusters the sums are the sizes, and almost
hard ones have the same.

*Counts.* The best proportions times the sums, rounded by largest remainders. If that leaves the
class of an object without a probability, one count is reserved in one of its clusters.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from clusterbits.table.log_factorials import FloatArray

# Share of its proportion that a cell with enough reserved counts still asks for: never nothing.
_MIN_WANTED = 1e-9


def column_sums(sizes: FloatArray) -> FloatArray:
    """Return the sums of the columns that are sent, for clusters of these sizes.

    >>> column_sums(np.array([0.2, 2.2, 2.4, 3.2])).tolist()
    [0.0, 2.0, 3.0, 3.0]
    """
    return np.ceil(sizes - 1 / (np.count_nonzero(sizes) + 1))


def integer_columns(
    degrees: Any, clusters: NDArray[np.int64], sums: FloatArray, proportions: FloatArray
) -> FloatArray:
    """Return counts near the proportions that give every object a probability above 0.

    `degrees`, `clusters` and `proportions` are those of `minimize_labels`; `sums` has one entry
    per cluster.
    """
    counts = _round(proportions, clusters, sums)
    reserving = np.zeros(degrees.shape[0], dtype=bool)
    while (impossible := degrees @ counts == 0).any():  # ends: at last all objects are reserving
        reserving |= impossible
        reserved = np.minimum(assign_objects(degrees[reserving], clusters, sums), 1.0)
        rest = sums - np.bincount(clusters, weights=reserved, minlength=len(sums))
        wanted = np.maximum(proportions * sums[clusters] - reserved, _MIN_WANTED * proportions)
        wanted /= np.bincount(clusters, weights=wanted, minlength=len(sums))[clusters]
        counts = reserved + _round(wanted, clusters, rest)
    return counts


def _round(proportions: FloatArray, clusters: NDArray[np.int64], sums: FloatArray) -> FloatArray:
    """Return integers that add up to the sums, rounded by largest remainders in each cluster."""
    exact = proportions * sums[clusters]
    counts = np.floor(exact)
    missing = sums - np.bincount(clusters, weights=counts, minlength=len(sums))
    order = np.lexsort([counts - exact, clusters])
    rank = np.arange(len(order)) - np.searchsorted(clusters, clusters)
    counts[order[rank < missing[clusters]]] += 1
    return counts


def assign_objects(degrees: Any, clusters: NDArray[np.int64], sums: FloatArray) -> FloatArray:
    """Return the counts if each object is assigned to one cluster, at most their sums."""
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import maximum_flow

    n, n_clusters = degrees.shape[0], len(sums)
    objects, columns = degrees.nonzero()
    source, sink = n + n_clusters, n + n_clusters + 1
    tails = np.concatenate([np.full(n, source), objects, n + np.arange(n_clusters)])
    heads = np.concatenate([np.arange(n), n + clusters[columns], np.full(n_clusters, sink)])
    capacities = np.concatenate([np.ones(n + len(objects)), np.minimum(sums, n)]).astype(np.int32)
    ends = tails.astype(np.int32), heads.astype(np.int32)  # of which scipy 1.14 makes its graphs
    network = csr_array((capacities, ends), shape=(sink + 1, sink + 1))
    flow = maximum_flow(network, source, sink).flow.tocsr()
    used = np.asarray(flow[objects, n + clusters[columns]]).ravel() > 0
    return np.bincount(columns[used], minlength=len(clusters)).astype(np.float64)
