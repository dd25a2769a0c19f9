r"""Measures of entity resolution: each class is an entity, each cluster what was found of it.

Entities and clusters count alike, whatever their size, so large ones do not dominate as they do
among pairs of records.
"""

import math
from numbers import Real
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from clusterbits.errors import MeasureError
from clusterbits.measures.catalogue import distance, similarity
from clusterbits.table.contingency import Contingency
from clusterbits.text.tables import short


@similarity(family="records", aliases=("exact_match_precision", "cluster_precision"))
def exact_cluster_precision(table: Contingency) -> float:
    r"""Exact cluster precision: the share of clusters that equal an entity.

    .. math:: \frac{|\{k : k = c \text{ for some } c\}|}{|K|}

    A cluster with one wrong or one missing record is wrong. Choose it if every cluster is used as a
    separate person or product; read it beside `exact_cluster_recall`. It does not see how
    wrong the other clusters are.

    References
    ----------
    .. [1] D. Menestrina, S. E. Whang, H. Garcia-Molina (2010). Evaluating entity resolution
           results. VLDB 3. https://doi.org/10.14778/1920841.1920871

    Examples
    --------
    >>> cb.records.exact_cluster_precision([0, 0, 1, 2], [0, 0, 1, 1])
    0.5
    """
    return np.count_nonzero(are_exact(table)) / table.shape[1]


@similarity(
    family="records",
    aliases=("exact_match_recall", "cluster_recall"),
)
def exact_cluster_recall(
    table: Contingency, *, by: Literal["entities", "records"] = "entities"
) -> float:
    r"""Exact cluster recall: the share of entities that equal a cluster.

    .. math:: \frac{|\{c : c = k \text{ for some } k\}|}{|C|}

    Choose it to know how many entities came out without an error; read it beside
    `exact_cluster_precision`. It does not see how wrong the others are.

    Parameters
    ----------
    by : "entities" or "records"
        What is counted: "records" is the share of records whose entity equals a cluster. Log
        parsing calls it grouping accuracy [2]_; precision by records is the same number.

    References
    ----------
    .. [1] D. Menestrina, S. E. Whang, H. Garcia-Molina (2010). Evaluating entity resolution
           results. VLDB 3. https://doi.org/10.14778/1920841.1920871
    .. [2] J. Zhu, S. He, J. Liu, P. He, Q. Xie, Z. Zheng, M. R. Lyu (2019). Tools and benchmarks
           for automated log parsing. ICSE-SEIP. https://doi.org/10.1109/ICSE-SEIP.2019.00021

    Examples
    --------
    >>> import clusterbits as cb
    >>> truth, pred = [0, 0, 0, 1, 2], [0, 0, 0, 1, 1]
    >>> round(cb.records.exact_cluster_recall(truth, pred), 6)
    0.333333
    >>> cb.records.exact_cluster_recall(truth, pred, by="records")
    0.6
    """
    exact = are_exact(table)
    if by == "records":
        return float(table.counts[exact].sum() / table.n)
    return np.count_nonzero(exact) / table.shape[0]


@similarity(
    family="records",
    symmetric=True,
    aliases=("exact_match_f1", "cluster_f1", "cluster_f", "fga"),
    references_of=exact_cluster_precision,
)
def exact_cluster_f1(table: Contingency) -> float:
    r"""Exact cluster F1: clusters that equal a class, among all clusters and all classes.

    .. math:: \frac{2\,|\{k : k = c \text{ for some } c\}|}{|C| + |K|}

    Strict, and natural in record linkage, where a cluster is a person and one wrong record makes it
    a wrong person. One object can change it by two groups. Read it beside a measure that sees
    partial matches, such as `closest_cluster_f1`. Log parsing calls it FGA, the F1 of grouping
    accuracy, which is ``exact_cluster_recall(by="records")``.

    Examples
    --------
    >>> cb.records.exact_cluster_f1([0, 0, 1, 2], [0, 0, 1, 1])
    0.4
    """
    return 2 * np.count_nonzero(are_exact(table)) / sum(table.shape)


@similarity(family="records", aliases=("cc_precision",))
def closest_cluster_precision(table: Contingency) -> float:
    r"""Closest cluster precision: the mean over clusters of the Jaccard index with the best entity.

    .. math:: \frac{1}{|K|} \sum_k \max_c \frac{h(c,k)}{h(c) + h(k) - h(c,k)}

    `exact_cluster_precision` with credit for near misses. Two clusters may claim one entity; read
    it beside `closest_cluster_recall`.

    References
    ----------
    .. [1] O. Benjelloun, H. Garcia-Molina, D. Menestrina, Q. Su, S. E. Whang, J. Widom (2009).
           Swoosh: a generic approach to entity resolution. VLDB J. 18.
           https://doi.org/10.1007/s00778-008-0098-x
    .. [2] D. Menestrina, S. E. Whang, H. Garcia-Molina (2010). Evaluating entity resolution
           results. VLDB 3. https://doi.org/10.14778/1920841.1920871

    Examples
    --------
    >>> cb.records.closest_cluster_precision([0, 0, 1, 2], [0, 0, 1, 1])
    0.75
    """
    return _mean_closest(table, table.columns, table.shape[1])


@similarity(family="records", aliases=("cc_recall",), references_of=closest_cluster_precision)
def closest_cluster_recall(table: Contingency) -> float:
    r"""Closest cluster recall: the mean over entities of the Jaccard index with the best cluster.

    .. math:: \frac{1}{|C|} \sum_c \max_k \frac{h(c,k)}{h(c) + h(k) - h(c,k)}

    `exact_cluster_recall` with credit for near misses. Two entities may claim one cluster; read it
    beside `closest_cluster_precision`.

    Examples
    --------
    >>> round(cb.records.closest_cluster_recall([0, 0, 1, 2], [0, 0, 1, 1]), 6)
    0.666667
    """
    return _mean_closest(table, table.rows, table.shape[0])


@similarity(
    family="records", symmetric=True, aliases=("cc_f1",), references_of=closest_cluster_precision
)
def closest_cluster_f1(table: Contingency) -> float:
    r"""Closest cluster F1: the harmonic mean of closest cluster precision and recall.

    .. math:: \frac{2 P R}{P + R}

    `exact_cluster_f1` with credit for near misses. Every entity and cluster counts alike, so where
    most are single records, these decide. Choose it to compare with published results; choose
    `bcubed_f1` if each record should count.

    Examples
    --------
    >>> round(cb.records.closest_cluster_f1([0, 0, 1, 2], [0, 0, 1, 1]), 6)
    0.705882
    """
    precision = closest_cluster_precision.score_table(table)
    recall = closest_cluster_recall.score_table(table)
    return 2 * precision * recall / (precision + recall)


@similarity(family="records", symmetric=True, aliases=("twi", "talburt_wang_index"))
def talburt_wang(table: Contingency) -> float:
    r"""Talburt-Wang index: how few pieces classes and clusters cut each other into.

    .. math:: \frac{\sqrt{|C|\,|K|}}{|\{(c,k) : h(c,k) > 0\}|}

    It needs only three counts, so it was proposed for data too large for pairs. It sees neither the
    sizes of the pieces nor which is which. Choose it to compare with results of OYSTER and other
    tools that report it; else choose `closest_cluster_f1`.

    References
    ----------
    .. [1] J. Talburt, R. Wang, K. Hess, E. Kuo (2007). An algebraic approach to data quality
           metrics for entity resolution over large datasets. Information Quality Management.
           https://doi.org/10.4018/978-1-59904-024-0.ch001

    Examples
    --------
    >>> round(cb.records.talburt_wang([0, 0, 1, 2], [0, 0, 1, 1]), 6)
    0.816497
    """
    return math.sqrt(math.prod(table.shape)) / len(table.counts)


@distance(
    family="records",
    bounds=(0, math.inf),
    symmetric=True,
    aliases=("gmd", "merge_distance", "basic_merge_distance", "bmd"),
    references_of=exact_cluster_precision,
)
def generalized_merge_distance(
    table: Contingency, *, merge: float | str = 1, split: float | str = 1
) -> float:
    r"""Generalised merge distance: the cheapest way to the truth that splits first, then merges.

    .. math:: \sum_k \mathrm{split}(k) + \sum_c \mathrm{merge}(c)

    Splits come first, as nobody merges what is split again: every cluster into its entities, then
    the pieces of each entity are merged. With the defaults it is the basic merge distance, the
    number of splits and merges. Choose it if errors are corrected by hand: say what a split and
    a merge cost. It grows with the data, and is not adjusted for chance. With constant costs the
    triangle inequality fails: to merge first and split then may be a shorter way.

    Parameters
    ----------
    merge : number, "product" or "entropy"
        What it costs to merge two parts of x and y records: always the same number; the product
        xy, their pairs of records; or the entropy (x+y) log(x+y) - x log x - y log y, in bits.
    split : number, "product" or "entropy"
        What it costs to split a cluster into two parts, in the same way.

    Returns
    -------
    float
        From 0; lower is better. With ``"product"`` for both, it is the number of wrong pairs; with
        ``"entropy"`` for both, n times `variation_of_information`. The costs of splits alone, 0 for
        merges, are wrong pairs in clusters, `pair_precision`; of merges alone, missed pairs,
        `pair_recall`.

    Notes
    -----
    Any cost f(x, y) is allowed in [1]_ under which the order of several splits does not matter.
    Such a cost is F(x+y) - F(x) - F(y), so its sum over the splits of a cluster is known from the
    sizes of its pieces: no path has to be searched, as the Slice algorithm shows.

    Examples
    --------
    Person 0 is split over two clusters, and one of them has a record of person 1:

    >>> import clusterbits as cb
    >>> truth, pred = [0, 0, 0, 1], [0, 0, 1, 1]
    >>> cb.records.generalized_merge_distance(truth, pred)
    2.0
    >>> cb.records.generalized_merge_distance(truth, pred, split=5)
    6.0
    >>> cb.records.generalized_merge_distance(truth, pred, merge="product", split="product")
    3.0
    """
    for name, cost in (("merge", merge), ("split", split)):
        is_name = isinstance(cost, str) and cost in ("product", "entropy")
        if not is_name and not (isinstance(cost, Real) and 0 <= cost < 1e308):
            raise MeasureError(
                f"{name} is {short(repr(cost))}; a cost is a number from 0 to 1e308, 'product' or "
                "'entropy'."
            )
    return _splits(table, split) + _merges(table, merge)


def _splits(table: Contingency, cost: float | str) -> float:
    """Return the cost of splitting all clusters into their classes."""
    if cost == "product":
        return float(table.pairs.a10)
    if cost == "entropy":
        return table.n * table.class_entropy_given_cluster
    return float(cost) * (len(table.counts) - table.shape[1])


def _merges(table: Contingency, cost: float | str) -> float:
    """Return the cost of merging the pieces of all classes."""
    if cost == "product":
        return float(table.pairs.a01)
    if cost == "entropy":
        return table.n * table.cluster_entropy_given_class
    return float(cost) * (len(table.counts) - table.shape[0])


def are_exact(table: Contingency) -> NDArray[np.bool_]:
    """Return the mask of the cells of clusters that equal a class.

    Sizes are compared as integers: past 2^53, a float would hide a difference of 1.
    """
    classes, clusters = table.class_sizes[table.rows], table.cluster_sizes[table.columns]
    return np.asarray((table.counts == classes) & (table.counts == clusters))


def _mean_closest(table: Contingency, groups: NDArray[np.intp], number: int) -> float:
    """Return the mean over groups of the best Jaccard index, by the group of each cell."""
    h = table.counts.astype(np.float64)
    classes = table.class_sizes.astype(np.float64)[table.rows]
    clusters = table.cluster_sizes.astype(np.float64)[table.columns]
    best = np.zeros(number)
    # In this order rounding takes no index above 1.
    np.maximum.at(best, groups, h / (classes + np.maximum(clusters - h, 0)))
    return float(best.sum()) / number
