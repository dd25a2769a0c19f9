"""Information-theoretic measures, in bits or as a share; only `mutual_info_score` is in nats."""

import math
from numbers import Real
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from clusterbits.errors import MeasureError
from clusterbits.measures.catalogue import distance, measure, similarity
from clusterbits.table.contingency import Contingency
from clusterbits.table.statistics import (
    AVERAGES,
    Average,
    TableStatistics,
    elementwise,
    maximum,
    minimum,
    ratio,
)


@distance(family="information", bounds=(0, math.inf), orders_like="homogeneity")
def conditional_entropy(table: TableStatistics) -> float:
    r"""Conditional entropy H(C|K): bits that name an object's class once its cluster is known.

    .. math:: \tilde H(C|K) = -\sum_{c,k} \frac{h(c,k)}{n} \log_2 \frac{h(c,k)}{h(k)}

    Equation (2) of the paper, and the data term of `q0`. Any clustering into pure pieces scores 0,
    singletons included: use it only among clusterings with equally many clusters. It is at most
    H(C).

    References
    ----------
    .. [1] C. E. Shannon (1948). A mathematical theory of communication. Bell Syst. Tech. J. 27.
           https://doi.org/10.1002/j.1538-7305.1948.tb01338.x

    Examples
    --------
    >>> cb.conditional_entropy([0, 0, 1, 1], [0, 0, 0, 0])
    1.0
    """
    return table.class_entropy_given_cluster


@measure(
    family="information",
    bounds=(0, math.inf),
    better="higher",
    symmetric=True,
    references_of=conditional_entropy,
    orders_like="homogeneity",
)
def mutual_information(table: TableStatistics) -> float:
    r"""Mutual information I(C;K): bits that a cluster label tells about the class.

    .. math:: I(C;K) = \sum_{c,k} \frac{h(c,k)}{n} \log_2 \frac{n\,h(c,k)}{h(c)\,h(k)}

    It never falls when clusters are split: use it only among clusterings with equally many
    clusters. In bits; scikit-learn's ``mutual_info_score`` is the same in nats. It is at most
    min(H(C), H(K)).

    Examples
    --------
    >>> cb.mutual_information([0, 0, 1, 1], ["x", "x", "y", "y"])
    1.0
    """
    return table.mutual_information


@similarity(
    family="information",
    bounds=(-math.inf, 1),
    symmetric=True,
    adjusted=True,
    weights="balanced",
    aliases=("ami", "adjusted_mutual_info_score", "adjusted_mi_score"),
)
def adjusted_mutual_information(
    table: TableStatistics, *, average_method: Average = "arithmetic"
) -> float:
    r"""Mutual information adjusted for chance: 0 for random clusters on average, 1 for perfect.

    .. math:: \frac{I(C;K) - E[I]}{\mathrm{avg}(H(C), H(K)) - E[I]}

    The expectation is over shuffled objects (`expected_mutual_information`). Choose it for small or
    unbalanced classes; with few objects per cluster prefer it to the plain normalized form.
    ``weights="balanced"`` lets every class count the same, as Maan and others ask for; they take
    chance from a table cut to whole numbers, by which random clusters score above 0. Here objects
    are shuffled with their weights. H(K) then varies, so that the average is 0 but for the smallest
    classes: -0.004 with classes of 90, 5 and 5 objects, -0.02 with 98, 1 and 1. It is 1 if both
    labelings are one group, 0 if only one of them is.

    Parameters
    ----------
    average_method : "arithmetic", "geometric", "min" or "max"
        The average of the two entropies to normalize by.

    References
    ----------
    .. [1] N. X. Vinh, J. Epps, J. Bailey (2010). Information theoretic measures for clusterings
           comparison. JMLR 11. https://jmlr.org/papers/v11/vinh10a.html
    .. [2] H. Maan, L. Zhang, C. Yu, M. J. Geuenich, K. R. Campbell, B. Wang (2024). Characterizing
           the impacts of dataset imbalance on single-cell data integration. Nat. Biotechnol. 42.
           https://doi.org/10.1038/s41587-023-02097-9

    Examples
    --------
    >>> round(cb.adjusted_mutual_information([0, 0, 1, 1, 2, 2], [0, 0, 0, 1, 1, 1]), 6)
    0.298792
    """
    chance = table.expected_information
    ceiling = AVERAGES[average_method](table.class_entropy, table.cluster_entropy)
    above, room = table.mutual_information - chance, ceiling - chance
    # Singletons in one labeling leave no room above chance; the numerator is rounding then.
    rounding = 1e-14 * maximum(ceiling, chance)
    return minimum(ratio(above, room, otherwise=table.is_perfect, rounding=rounding), 1.0)


@similarity(family="information", aliases=("homogeneity_score",))
def homogeneity(table: TableStatistics) -> float:
    r"""Homogeneity: how far clusters hold members of a single class.

    .. math:: 1 - H(C|K) / H(C)

    Pure clusters score 1 however many there are; read it with `completeness`. It is 1 if there is
    one class.

    References
    ----------
    .. [1] A. Rosenberg, J. Hirschberg (2007). V-measure: a conditional entropy-based external
           cluster evaluation measure. EMNLP. https://aclanthology.org/D07-1043

    Examples
    --------
    >>> cb.homogeneity([0, 0, 1, 1], [0, 1, 2, 3])
    1.0
    """
    return _share_explained(table, table.class_entropy_given_cluster, table.class_entropy)


@similarity(family="information", orders_like="bcubed_precision")
def goodman_kruskal_tau(table: Contingency) -> float:
    r"""Goodman and Kruskal's τ: the share of the classes' Gini impurity that clusters explain.

    .. math:: 1 - \frac{\sum_{c,k} h(c,k) (h(k) - h(c,k)) / h(k)}{\sum_c h(c) (n - h(c)) / n}

    `homogeneity` with Gini's impurity in place of entropy: the errors prevented if the class is
    guessed at random with its frequency. Splitting clusters never lowers it. Use it only among
    clusterings with equally many clusters. It is 1 if there is one class.

    References
    ----------
    .. [1] L. A. Goodman, W. H. Kruskal (1954). Measures of association for cross classifications.
           J. Am. Stat. Assoc. 49. https://doi.org/10.1080/01621459.1954.10501231

    Examples
    --------
    >>> round(cb.goodman_kruskal_tau([0, 0, 0, 1, 1], [0, 0, 1, 1, 1]), 6)
    0.444444
    """
    within = _impurity(table.counts, table.cluster_sizes[table.columns])
    total = _impurity(table.class_sizes, table.n)
    return max(0.0, 1 - within / total) if within > 0 and total > 0 else 1.0


def _impurity(parts: NDArray[Any], sums: Any) -> float:
    """Σ x (1 - x/y), from exact differences of integer counts."""
    outside = (sums - parts).astype(np.float64)
    return float((parts.astype(np.float64) * (outside / np.asarray(sums, np.float64))).sum())


@similarity(family="information", aliases=("completeness_score",), references_of=homogeneity)
def completeness(table: TableStatistics) -> float:
    r"""Completeness: how far the members of a class are in a single cluster.

    .. math:: 1 - H(K|C) / H(K)

    One cluster scores 1; read it with `homogeneity`.

    Examples
    --------
    >>> cb.completeness([0, 0, 1, 1], [0, 0, 0, 0])
    1.0
    """
    return _share_explained(table, table.cluster_entropy_given_class, table.cluster_entropy)


def _share_explained(table: TableStatistics, remaining: float, entropy: float) -> float:
    """Mutual information as a share of an entropy: exactly 1 if no entropy remains."""
    return minimum(ratio(table.mutual_information, entropy * (remaining > 0), otherwise=1), 1.0)


@similarity(
    family="information", symmetric=True, aliases=("v_measure_score",), references_of=homogeneity
)
def v_measure(table: TableStatistics, *, beta: float = 1.0) -> float:
    r"""V-measure: the harmonic mean of homogeneity and completeness.

    .. math:: \frac{(1+\beta)\, h\, c}{\beta h + c}

    With β = 1 it is mutual information normalized by the mean entropy. It rises with the number of
    clusters for random labels: prefer an adjusted measure for few objects per cluster.

    Parameters
    ----------
    beta : float, default 1
        Weight of completeness against homogeneity. Symmetric only for 1.

    Examples
    --------
    >>> round(cb.v_measure([0, 0, 1, 1, 2, 2], [0, 0, 0, 1, 1, 1]), 6)
    0.515804
    """
    if not (isinstance(beta, Real) and 0 <= float(beta) <= 1e300):
        raise MeasureError(f"beta must be a number of at least 0, got beta={beta!r}.")
    return _weighted_mean(table, float(beta))


def _weighted_mean(table: TableStatistics, beta: float) -> float:
    """Harmonic mean of homogeneity and completeness, the latter weighted by beta."""
    h, c = homogeneity.score_table(table), completeness.score_table(table)
    return ratio((1 + beta) * h * c, beta * h + c)


@distance(family="information", bounds=(0, math.inf), symmetric=True, aliases=("vi",))
def variation_of_information(table: TableStatistics) -> float:
    r"""Variation of information: bits lost and gained on going from classes to clusters.

    .. math:: H(C|K) + H(K|C)

    A metric on partitions. Choose it if distances between clusterings are to be added or compared;
    it is not normalized, and for random labels it grows with the number of groups. It is at most
    log n.

    References
    ----------
    .. [1] M. Meilă (2007). Comparing clusterings, an information based distance. J. Multivar.
           Anal. 98. https://doi.org/10.1016/j.jmva.2006.11.013

    Examples
    --------
    >>> cb.variation_of_information([0, 0, 1, 1], [0, 1, 0, 1])
    2.0
    """
    return table.class_entropy_given_cluster + table.cluster_entropy_given_class


@similarity(
    family="information",
    symmetric=True,
    aliases=("nmi", "normalized_mutual_info_score", "normalized_mi_score"),
    orders_like="v_measure",
)
def normalized_mutual_information(
    table: TableStatistics, *, average_method: Average | Literal["joint"] = "arithmetic"
) -> float:
    r"""Normalized mutual information: the shared bits as a share of the labels' own.

    .. math:: I(C;K) / \mathrm{avg}(H(C), H(K))

    With the arithmetic average it is `v_measure`. Random labels score higher the more clusters they
    have: prefer `adjusted_mutual_information` for few objects per cluster. It is 1 if both
    labelings are one group.

    Parameters
    ----------
    average_method : "arithmetic", "geometric", "min", "max" or "joint"
        The average of the two entropies, or their joint entropy, to normalize by.

    References
    ----------
    .. [1] N. X. Vinh, J. Epps, J. Bailey (2010). Information theoretic measures for clusterings
           comparison. JMLR 11. https://jmlr.org/papers/v11/vinh10a.html

    Examples
    --------
    >>> round(cb.normalized_mutual_information([0, 0, 1, 1, 2, 2], [0, 0, 0, 1, 1, 1]), 6)
    0.515804
    """
    if average_method == "joint":
        ceiling = table.class_entropy_given_cluster + table.cluster_entropy
    else:
        ceiling = AVERAGES[average_method](table.class_entropy, table.cluster_entropy)
    return minimum(ratio(table.mutual_information, ceiling), 1.0)


@measure(
    family="information",
    bounds=(0, math.inf),
    better="higher",
    symmetric=True,
    aliases=("mi_score",),
    references_of=conditional_entropy,
    orders_like="homogeneity",
)
def mutual_info_score(table: TableStatistics) -> float:
    r"""Mutual information in nats, as scikit-learn counts it.

    .. math:: I(C;K) \ln 2

    The same as `mutual_information` in another unit, under the name and with the value that
    scikit-learn's users expect. Choose it only to compare with scikit-learn.

    Examples
    --------
    >>> round(cb.mutual_info_score([0, 0, 1, 1], [0, 0, 1, 1]), 6)
    0.693147
    """
    return table.mutual_information * math.log(2)


@similarity(family="information", symmetric=True)
def v_beta(table: TableStatistics) -> float:
    r"""V-beta: V-measure, weighted by the number of clusters for each class.

    .. math:: \frac{(1+\beta)\, h\, c}{\beta h + c}, \qquad \beta = |K| / |C|

    It weighs completeness more if there are more clusters than classes, against the pull of
    `v_measure` towards many clusters; used for verb classes in linguistics. Choose it to compare
    with results there; more noise clusters may raise it.

    References
    ----------
    .. [1] A. Vlachos, A. Korhonen, Z. Ghahramani (2009). Unsupervised and constrained Dirichlet
           process mixture models for verb clustering. GEMS. https://aclanthology.org/W09-0210

    Examples
    --------
    >>> round(cb.v_beta([0, 0, 1, 1], [0, 1, 2, 3]), 6)
    0.6
    """
    classes, clusters = table.shape
    return _weighted_mean(table, clusters / classes)


@distance(
    family="information",
    usual_bounds=True,
    symmetric=True,
    aliases=("nvi",),
    orders_like="v_measure",
)
def normalized_variation_of_information(
    table: TableStatistics, *, average_method: Literal["joint", "objects", "classes"] = "joint"
) -> float:
    r"""Normalized variation of information: bits lost and gained, as a share.

    .. math:: VI / H(C,K), \qquad VI / \log n \qquad \text{or} \qquad VI / H(C)

    By the joint entropy (the default) it is a metric from 0 to 1; by log n it compares data sets of
    one size; by H(C) it is Reichart and Rappoport's NVI, which may exceed 1. Choose it for a
    bounded distance. Random clusters come closer the more of them there are.

    Parameters
    ----------
    average_method : "joint", "objects" or "classes"
        What to divide by: the joint entropy, log n, or the entropy of the classes.

    References
    ----------
    .. [1] M. Meilă (2007). Comparing clusterings, an information based distance. J. Multivar.
           Anal. 98. https://doi.org/10.1016/j.jmva.2006.11.013
    .. [2] R. Reichart, A. Rappoport (2009). The NVI clustering evaluation measure. CoNLL.
           https://aclanthology.org/W09-1121

    Examples
    --------
    >>> cb.normalized_variation_of_information([0, 0, 1, 1], [0, 1, 0, 1])
    1.0
    """
    variation = variation_of_information.score_table(table)
    joint = table.class_entropy_given_cluster + table.cluster_entropy
    if average_method == "objects":
        return ratio(variation, elementwise(math.log2, table.n))
    if average_method == "joint":
        return minimum(ratio(variation, joint), 1.0)
    # With one class there is nothing to divide by but the clusters (Reichart & Rappoport).
    one_class = table.class_entropy == 0
    entropy = table.class_entropy + one_class * ratio(variation, table.cluster_entropy)
    return ratio(variation, entropy)


@distance(
    family="information",
    symmetric=True,
    aliases=("nid",),
    references_of=normalized_mutual_information,
)
def normalized_information_distance(table: TableStatistics) -> float:
    r"""Normalized information distance: what one labeling does not tell of the richer one.

    .. math:: 1 - I(C;K) / \max(H(C), H(K))

    A metric, recommended by Vinh and others with its adjusted form, which is one minus
    `adjusted_mutual_information` with the maximum. Choose it for a bounded distance. Dividing noise
    into more clusters may leave it unchanged.

    Examples
    --------
    >>> cb.normalized_information_distance([0, 0, 1, 1], [0, 1, 0, 1])
    1.0
    """
    return 1 - normalized_mutual_information.score_table(table, average_method="max")


@measure(
    family="information",
    bounds=(0, math.inf),
    better=None,
    symmetric=True,
    weights="balanced",
    aliases=("emi",),
    references_of=adjusted_mutual_information,
)
def expected_mutual_information(table: TableStatistics) -> float:
    r"""Expected mutual information: the bits that clusters of the same sizes tell by chance.

    .. math:: E[I] = \sum_{c,k} \sum_x P(x)\, \frac xn \log \frac{n x}{h(c) h(k)},\quad
        x \sim \mathrm{Hypergeometric}(n, h(c), h(k))

    Not a score: it is what `adjusted_mutual_information` and `q2_adjusted` subtract. Only the
    margins matter. Of a balanced table, objects are shuffled with their weights. The cost hardly
    grows with n and the number of clusters: sizes that repeat share their terms, and many distinct
    ones are replaced by a few nodes per octave.

    Examples
    --------
    >>> table = cb.Contingency.from_counts([[2, 0], [1, 1], [0, 2]])
    >>> round(cb.expected_mutual_information(table), 6)
    0.4
    """
    return table.expected_information
