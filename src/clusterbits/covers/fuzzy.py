"""Measures between two fuzzy partitions: degrees of membership that sum to 1 for each object."""

from __future__ import annotations

import math
from typing import Any, Unpack

import numpy as np
from numpy.typing import NDArray

from clusterbits.covers.memberships import Memberships
from clusterbits.covers.objects import code_rows, flat_table, join_covers
from clusterbits.covers.sharing import pairs_of_rows, split_work
from clusterbits.labels.options import JoinOptions, takes_labels
from clusterbits.measures.pairs import adjusted_rand, rand
from clusterbits.system.limits import check_memory
from clusterbits.table.log_factorials import FloatArray
from clusterbits.table.numbering import group_objects
from clusterbits.table.ranges import concat_ranges

# A pair of objects in one cluster takes as long as this many pairs of degrees in a dense matrix.
_DEGREES_PER_PAIR = 50
# What a number of the matrices of clusters × clusters takes.
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
    a, b : Memberships, or what makes one
        Two matrices of degrees, objects × clusters; or sets of ids that may overlap, in which
        an object belongs equally to all of its clusters.
    **labels
        How objects are joined, `align` and `unmatched`, as in `LabelOptions`; with
        ``unmatched="class"`` those that one side lacks form a cluster of their own in it.

    Returns
    -------
    float
        From 0 to 1; higher is better. 1 where a and b agree on all pairs, and where there is none.

    See Also
    --------
    frobenius_adjusted_rand : adjusted for chance, and fast for any number of objects.

    Notes
    -----
    It needs all pairs of different kinds of objects that have a cluster in common. Objects with the
    same degrees are looked at once, so covers of few clusters are fast whatever their size; 20,000
    different posteriors take seconds. The distance is half the L1 norm, as its authors propose for
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
    one, two = join_covers(a, b, **labels)
    if (table := flat_table(one, two)) is not None:
        return rand.score_table(table)
    if len(one) == 1:
        return 1.0
    kinds = group_objects(code_rows(one), code_rows(two))
    some = one.subset(kinds.examples), two.subset(kinds.examples)
    pairs = len(one) * (len(one) - 1) / 2
    return max(1 - _disagreement(*some, kinds.counts) / pairs, 0.0)


def _disagreement(a: Memberships, b: Memberships, weights: NDArray[np.int64]) -> float:
    """Return Σ |E_a - E_b| over the pairs of objects, `weights` of each kind."""
    by_pairs = _DEGREES_PER_PAIR * float((pairs_of_rows(a) + pairs_of_rows(b)).sum())
    dense = len(a) * len(a) * float(len(a.clusters) + len(b.clusters))
    add_up = disagreement_of_rows if dense <= by_pairs else disagreement_of_pairs
    return add_up(a, b, weights.astype(np.float64))


def disagreement_of_rows(a: Memberships, b: Memberships, weights: FloatArray) -> float:
    """Return Σ |E_a - E_b|, from the distances between dense rows."""
    sides, found = (a.to_dense(), b.to_dense()), []
    for rows in split_work(np.full(len(a), len(a)), _BLOCK):
        apart = np.abs(_distances(sides[0], rows) - _distances(sides[1], rows))
        found.append(float((weights[rows] * (apart * weights).sum(axis=1)).sum()))
    return math.fsum(found) / 2


def disagreement_of_pairs(a: Memberships, b: Memberships, weights: FloatArray) -> float:
    """Return the same from pairs of objects that have a cluster in common: E is 0 elsewhere."""
    sides, found = [(side, side.to_sparse().tocsc()) for side in (a, b)], []
    for rows in split_work(pairs_of_rows(a) + pairs_of_rows(b), _BLOCK):
        one, two = (_together(side, by_cluster, rows) for side, by_cluster in sides)
        apart = abs(one - two)
        found.append(float((weights[rows] * (apart @ weights)).sum()))
    return math.fsum(found) / 2


def _distances(degrees: FloatArray, rows: slice) -> FloatArray:
    """Return 1 - E of some objects with all objects."""
    from scipy.spatial.distance import cdist

    return np.asarray(cdist(degrees[rows], degrees, "cityblock") / 2)


def _together(side: Memberships, by_cluster: Any, rows: slice) -> Any:
    """Return E of some objects with all objects, as a sparse matrix."""
    from scipy.sparse import coo_array

    span = slice(side.starts[rows.start], side.starts[rows.stop])
    columns, degrees = side.columns[span], side.degrees[span]
    many = np.diff(by_cluster.indptr)[columns]
    members = concat_ranges(by_cluster.indptr[columns], many)
    least = np.minimum(np.repeat(degrees, many), by_cluster.data[members])
    objects = np.repeat(side.rows[span] - rows.start, many)
    shape = rows.stop - rows.start, len(side)
    return coo_array((least, (objects, by_cluster.indices[members])), shape=shape).tocsr()


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
    a, b : Memberships, or what makes one
        Two matrices of degrees, objects × clusters; or sets of ids that may overlap, in which
        an object belongs equally to all of its clusters.
    **labels
        How objects are joined, `align` and `unmatched`, as in `LabelOptions`; with
        ``unmatched="class"`` those that one side lacks form a cluster of their own in it.

    Returns
    -------
    float
        At most 1; higher is better; negative where worse than chance.

    See Also
    --------
    fuzzy_rand : not adjusted for chance.

    Notes
    -----
    It is 1 also where A and B differ by a factor: equal degrees in all clusters tell as little as
    one cluster of everything. Unlike the authors' R code, which makes two matrices of n × n, it
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
    one, two = join_covers(a, b, **labels)
    if (table := flat_table(one, two)) is not None:
        return adjusted_rand.score_table(table)
    n = len(one)
    if n == 1:
        return 1.0
    _check_products(one, two)
    sparse = one.to_sparse(), two.to_sparse()
    total = [math.fsum((side.sizes**2).tolist()) for side in (one, two)]
    trace = [math.fsum((side.degrees**2).tolist()) for side in (one, two)]
    square = [_squares(side, side) for side in sparse]
    inner = _squares(*sparse)
    # Norms of the scaled matrices, and the cosine between them: exactly 1 for equal ones.
    one_length, two_length = (s / math.sqrt(q) for s, q in zip(total, square, strict=True))
    scale = math.sqrt(square[0] * square[1])
    mean = total[0] * total[1] / n**2
    mean += (trace[0] - total[0] / n) * (trace[1] - total[1] / n) / (n - 1)
    apart, room = (_distance(one_length, two_length, dot / scale) for dot in (inner, mean))
    return 1 - apart / room if room > 1e-12 * (one_length + two_length) ** 2 else 1.0


def _check_products(one: Memberships, two: Memberships) -> None:
    """Refuse products of matrices that would take too much memory."""
    for a, b in ((one, one), (two, two), (one, two)):
        products = float(a.counts.astype(np.float64) @ b.counts)
        sums = min(products, float(len(a.clusters)) * len(b.clusters))
        check_memory(_SUM_BYTES * sums, f"frobenius_adjusted_rand of {sums:,.0f} sums of degrees")


def _squares(one: Any, two: Any) -> float:
    """Return the squared Frobenius norm of aᵀb, which is Σ A∘B."""
    product = (one.T @ two).tocsr()
    return math.fsum((product.data**2).tolist())


def _distance(one: float, two: float, cosine: float) -> float:
    """Return the squared distance of two vectors of these lengths, by the cosine between them."""
    return (one - two) ** 2 + 2 * one * two * max(1 - cosine, 0.0)
