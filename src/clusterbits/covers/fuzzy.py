"""Measures between two fuzzy partitions: degrees of membership that sum to 1 for each object."""

from __future__ import annotations

import math
from typing import Any, Unpack

import numpy as np

from clusterbits.covers.memberships import Memberships, join_covers
from clusterbits.covers.sharing import pairs_of_rows, split_work
from clusterbits.labels.options import JoinOptions, takes_labels
from clusterbits.measures.pairs import adjusted_rand, rand
from clusterbits.system.limits import check_memory
from clusterbits.table.log_factorials import FloatArray
from clusterbits.table.numbering import concat_ranges, group_objects

# Time per pair of objects in one cluster, relative to that per pair of degrees in dense matrices.
_DEGREES_PER_PAIR = 50
# Peak bytes per entry of the matrices of clusters × clusters.
_SUM_BYTES = 70
# Pairs in one block.
_BLOCK = 4_000_000


@takes_labels
def fuzzy_rand(a: Any, b: Any, **labels: Unpack[JoinOptions]) -> float:
    r"""Fuzzy Rand index: how far two fuzzy partitions agree on who belongs together.

    .. math:: 1 - \frac1M \sum_{i<j} |E_a(i,j) - E_b(i,j)|, \qquad
        E_a(i,j) = 1 - \tfrac12 \sum_k |a_{ik} - a_{jk}| = \sum_k \min(a_{ik}, a_{jk})

    E is the degree to which two objects are together. Equal to `rand` for partitions; like it, not
    adjusted for chance.

    Parameters
    ----------
    a, b : Memberships, array-like of shape (n_objects, n_clusters), or sets of ids
        Two fuzzy partitions; an object in several sets belongs equally to each of them.
    **labels
        How objects are joined: `align` and `unmatched`, as in `LabelOptions`.

    Returns
    -------
    float
        From 0 to 1; higher is better. 1 if a and b agree on all pairs, or there is no pair.

    See Also
    --------
    frobenius_adjusted_rand : adjusted for chance, and fast for any number of objects.

    Notes
    -----
    It needs all pairs of different rows of degrees that have a cluster in common. Equal rows are
    grouped, so covers of few clusters are fast whatever their size; 20,000 different posteriors
    take seconds. The distance is half the L1 norm, as its authors propose for
    degrees that sum to 1. Campello's fuzzy Rand index (2007; R's fclust) is another one, and below
    1 for a soft partition and itself.

    References
    ----------
    .. [1] E. Hüllermeier, M. Rifqi, S. Henzgen, R. Senge (2012). Comparing fuzzy partitions: a
           generalization of the Rand index and related measures. IEEE Trans. Fuzzy Syst. 20.
           https://doi.org/10.1109/TFUZZ.2011.2179303

    Examples
    --------
    >>> import clusterbits as cb
    >>> soft = [[0.9, 0.1], [0.8, 0.2], [0.2, 0.8], [0.0, 1.0]]
    >>> round(cb.covers.fuzzy_rand(soft, [0, 0, 1, 1]), 6)
    0.783333
    """
    a, b, table = join_covers(a, b, **labels)
    if table is not None:
        return rand.score_table(table)
    n = len(a)
    if n == 1:
        return 1.0
    unique = group_objects(a.row_codes, b.row_codes)
    a, b = a.subset(unique.examples), b.subset(unique.examples)
    by_pairs = _DEGREES_PER_PAIR * float((pairs_of_rows(a) + pairs_of_rows(b)).sum())
    by_rows = len(a) * len(a) * float(len(a.clusters) + len(b.clusters))
    add_up = disagreement_of_rows if by_rows <= by_pairs else disagreement_of_pairs
    disagreement = add_up(a, b, unique.counts.astype(np.float64))
    return max(1 - disagreement / (n * (n - 1) / 2), 0.0)


def disagreement_of_rows(a: Memberships, b: Memberships, weights: FloatArray) -> float:
    """Return Σ |E_a - E_b| over pairs of weighted objects, from distances between dense rows."""
    from scipy.spatial.distance import cdist

    sums, rows_a, rows_b = [], a.to_dense(), b.to_dense()
    for block in split_work(np.full(len(a), len(a)), _BLOCK):
        distances_a = cdist(rows_a[block], rows_a, "cityblock") / 2  # 1 - E
        distances_b = cdist(rows_b[block], rows_b, "cityblock") / 2
        difference = np.abs(distances_a - distances_b)
        sums.append(float((weights[block] * (difference * weights).sum(axis=1)).sum()))
    return math.fsum(sums) / 2


def disagreement_of_pairs(a: Memberships, b: Memberships, weights: FloatArray) -> float:
    """Return the same from pairs of objects with a common cluster: E of other pairs is 0."""
    sums, clusters_a, clusters_b = [], a.to_sparse().tocsc(), b.to_sparse().tocsc()
    for block in split_work(pairs_of_rows(a) + pairs_of_rows(b), _BLOCK):
        difference = abs(_overlaps(a, clusters_a, block) - _overlaps(b, clusters_b, block))
        sums.append(float((weights[block] * (difference @ weights)).sum()))
    return math.fsum(sums) / 2


def _overlaps(memberships: Memberships, by_cluster: Any, block: slice) -> Any:
    """Return E between a block of objects and all objects, as a sparse matrix."""
    from scipy.sparse import coo_array

    entries = slice(memberships.starts[block.start], memberships.starts[block.stop])
    columns, degrees = memberships.columns[entries], memberships.degrees[entries]
    sizes = np.diff(by_cluster.indptr)[columns]
    partners = concat_ranges(by_cluster.indptr[columns], sizes)
    overlaps = np.minimum(np.repeat(degrees, sizes), by_cluster.data[partners])
    objects = np.repeat(memberships.rows[entries] - block.start, sizes)
    shape = block.stop - block.start, len(memberships)
    return coo_array((overlaps, (objects, by_cluster.indices[partners])), shape=shape).tocsr()


@takes_labels
def frobenius_adjusted_rand(a: Any, b: Any, **labels: Unpack[JoinOptions]) -> float:
    r"""Frobenius adjusted Rand index of fuzzy partitions: 0 for random ones on average, at most 1.

    .. math:: 1 - \frac{\lVert \hat A - \hat B \rVert_F^2}
        {E \lVert \hat A - P \hat B P^\top \rVert_F^2}, \qquad
        \hat A = \frac{\sum A}{\sum A \circ A}\, A, \quad A = a a^\top

    :math:`A_{ij} = \sum_k a_{ik} a_{jk}` is the chance that objects i and j are drawn into one
    cluster, and P a random permutation of the objects. Equal to `adjusted_rand` for partitions.

    Parameters
    ----------
    a, b, **labels
        As in `fuzzy_rand`.

    Returns
    -------
    float
        At most 1; higher is better; negative if worse than chance.

    See Also
    --------
    fuzzy_rand : not adjusted for chance.

    Notes
    -----
    It is 1 also if A and B differ by a factor: equal degrees in all clusters are as uninformative
    as one cluster. Unlike the authors' R code, which makes two matrices of n × n, it
    needs only those of clusters × clusters: a million objects with degrees in 10 clusters take
    seconds. The time grows with the squares of the numbers of clusters that objects are in.

    References
    ----------
    .. [1] J. L. Andrews, R. Browne, C. D. Hvingelby (2022). On assessments of agreement between
           fuzzy partitions. J. Classif. 39. https://doi.org/10.1007/s00357-021-09407-3

    Examples
    --------
    >>> import clusterbits as cb
    >>> soft = [[0.9, 0.1], [0.8, 0.2], [0.2, 0.8], [0.0, 1.0]]
    >>> round(cb.covers.frobenius_adjusted_rand(soft, [0, 0, 1, 1]), 6)
    0.765436
    """
    a, b, table = join_covers(a, b, **labels)
    if table is not None:
        return adjusted_rand.score_table(table)
    n = len(a)
    if n == 1:
        return 1.0
    # Sums of the entries of A and B, their traces, and their inner products.
    sum_a, sum_b = (math.fsum((side.sizes**2).tolist()) for side in (a, b))
    trace_a, trace_b = (math.fsum((side.degrees**2).tolist()) for side in (a, b))
    a_a, b_b, a_b = _inner_product(a, a), _inner_product(b, b), _inner_product(a, b)
    mean = sum_a * sum_b / n**2 + (trace_a - sum_a / n) * (trace_b - sum_b / n) / (n - 1)
    # Norms of the scaled matrices, and the cosine between them: exactly 1 for equal ones.
    norm_a, norm_b, norms = sum_a / math.sqrt(a_a), sum_b / math.sqrt(b_b), math.sqrt(a_a * b_b)
    distance, expected = (_squared_distance(norm_a, norm_b, dot / norms) for dot in (a_b, mean))
    return 1 - distance / expected if expected > 1e-12 * (norm_a + norm_b) ** 2 else 1.0


def _inner_product(a: Memberships, b: Memberships) -> float:
    """Return Σ A∘B, the squared Frobenius norm of aᵀb."""
    products = float(a.counts.astype(np.float64) @ b.counts)
    sums = min(products, float(len(a.clusters)) * len(b.clusters))
    check_memory(_SUM_BYTES * sums, f"frobenius_adjusted_rand of {sums:,.0f} sums of degrees")
    return math.fsum(((a.to_sparse().T @ b.to_sparse()).tocsr().data ** 2).tolist())


def _squared_distance(norm_a: float, norm_b: float, cosine: float) -> float:
    return (norm_a - norm_b) ** 2 + 2 * norm_a * norm_b * max(1 - cosine, 0.0)
