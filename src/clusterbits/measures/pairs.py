r"""Measures of pairs: do classes and clusters agree on which objects belong together?

a00 counts pairs that are together in both, a11 apart in both, a01 together by class only, a10 by
cluster only; M is their sum, a0• = a00 + a01 and a•0 = a00 + a10 (sections 3 and 5.3 of the paper).
Counts are exact integers, so nothing overflows and every quotient is rounded once.
"""

import math
from typing import Literal

from clusterbits.measures.catalogue import distance, similarity
from clusterbits.table.statistics import TableStatistics, elementwise, maximum, minimum, ratio, sqrt

# The labeling whose pairs are counted.
Given = Literal["classes", "clusters"]


@similarity(family="pairs", symmetric=True, aliases=("ri", "rand_index", "rand_score"))
def rand(table: TableStatistics) -> float:
    r"""Rand index: the share of object pairs on which classes and clusters agree.

    .. math:: (a_{00} + a_{11}) / M

    With many classes and clusters nearly all pairs are apart in both, and even random clusters
    score near 1: prefer `adjusted_rand`. It is 1 if there is no pair at all.

    References
    ----------
    .. [1] W. M. Rand (1971). Objective criteria for the evaluation of clustering methods.
           J. Am. Stat. Assoc. 66. https://doi.org/10.1080/01621459.1971.10482356

    Examples
    --------
    >>> cb.rand([0, 0, 1, 1], [0, 0, 1, 2])
    0.8333333333333334
    """
    pairs = table.pairs
    return ratio(pairs.a00 + pairs.a11, pairs.total)


@similarity(
    family="pairs",
    bounds=(-0.5, 1),
    symmetric=True,
    adjusted=True,
    aliases=("ari", "adjusted_rand_index", "adjusted_rand_score"),
)
def adjusted_rand(table: TableStatistics) -> float:
    r"""Adjusted Rand index: pair agreement, 0 for random clusters on average, 1 for perfect ones.

    .. math:: \frac{a_{00} - a_{0\bullet} a_{\bullet 0}/M}
        {(a_{0\bullet} + a_{\bullet 0})/2 - a_{0\bullet} a_{\bullet 0}/M}

    The usual choice among pair measures. Large groups dominate it, since pairs grow with the square
    of a group's size. More noise clusters may raise it: prefer `share_saved` then.

    References
    ----------
    .. [1] L. Hubert, P. Arabie (1985). Comparing partitions. J. Classif. 2.
           https://doi.org/10.1007/BF01908075

    Examples
    --------
    >>> round(cb.adjusted_rand([0, 0, 1, 1, 2, 2], [0, 0, 0, 1, 1, 1]), 6)
    0.242424
    """
    pairs = table.pairs
    product = pairs.same_class * pairs.same_cluster
    above_chance = 2 * (pairs.total * pairs.a00 - product)
    room = pairs.total * (pairs.same_class + pairs.same_cluster) - 2 * product
    return ratio(above_chance, room)


@similarity(family="pairs", symmetric=True, aliases=("jaccard_index",), orders_like="pair_f1")
def jaccard(table: TableStatistics) -> float:
    r"""Jaccard index: of the pairs together in either labeling, the share together in both.

    .. math:: a_{00} / (a_{00} + a_{01} + a_{10})

    Unlike `rand` it is not inflated by pairs that are apart in both; it is not adjusted for chance.
    Few large clusters score high by chance: prefer `adjusted_rand` across different numbers of
    clusters. It is 1 if no two objects are together in either.

    References
    ----------
    .. [1] G. W. Milligan, S. C. Soon, L. M. Sokol (1983). The effect of cluster size,
           dimensionality, and the number of clusters on recovery of true cluster structure.
           IEEE Trans. PAMI 5. https://doi.org/10.1109/TPAMI.1983.4767342

    Examples
    --------
    >>> cb.jaccard([0, 0, 1, 1], [0, 0, 1, 2])
    0.5
    """
    pairs = table.pairs
    return ratio(pairs.a00, pairs.a00 + pairs.a01 + pairs.a10)


@similarity(family="pairs", symmetric=True, aliases=("fm", "fmi", "fowlkes_mallows_score"))
def fowlkes_mallows(table: TableStatistics) -> float:
    r"""Fowlkes-Mallows index: the geometric mean of pair precision and pair recall.

    .. math:: a_{00} / \sqrt{a_{0\bullet}\, a_{\bullet 0}}

    It is high for few large clusters even by chance; prefer `adjusted_rand` across different
    numbers of clusters. It is 0 if no pair is together in both, unless both are the same partition
    into singletons: that is perfect, 1 (scikit-learn says 0).

    References
    ----------
    .. [1] E. B. Fowlkes, C. L. Mallows (1983). A method for comparing two hierarchical
           clusterings. J. Am. Stat. Assoc. 78. https://doi.org/10.1080/01621459.1983.10478008

    Examples
    --------
    >>> round(cb.fowlkes_mallows([0, 0, 1, 1], [0, 0, 1, 2]), 6)
    0.707107
    """
    pairs = table.pairs
    return sqrt(ratio(pairs.a00, pairs.same_class) * ratio(pairs.a00, pairs.same_cluster))


@similarity(
    family="pairs",
    bounds=(-1, 1),
    symmetric=True,
    adjusted=True,
    aliases=("hubert", "phi", "pearson"),
)
def hubert_gamma(table: TableStatistics) -> float:
    r"""Hubert's Γ: the correlation of "same class" and "same cluster" over object pairs.

    .. math:: \frac{M a_{00} - a_{0\bullet} a_{\bullet 0}}
        {\sqrt{a_{0\bullet} a_{\bullet 0} (M - a_{0\bullet}) (M - a_{\bullet 0})}}

    Equal to `adjusted_rand` if classes and clusters hold equally many pairs. It is Pearson's
    correlation; clusim and R's partitionComparison omit the root in what they call so. Choose it
    where values for different classes are compared: it rises with agreement on pairs where
    `adjusted_rand` may fall. If one labeling is a single group or all singletons there is nothing
    to correlate: 1 if both labelings are the same, else 0.

    References
    ----------
    .. [1] L. Hubert, J. Schultz (1976). Quadratic assignment as a general data analysis strategy.
           Br. J. Math. Stat. Psychol. 29. https://doi.org/10.1111/j.2044-8317.1976.tb00714.x

    Examples
    --------
    >>> round(cb.hubert_gamma([0, 0, 1, 1], [0, 0, 1, 2]), 6)
    0.632456
    """
    pairs = table.pairs
    covariance = pairs.total * pairs.a00 - pairs.same_class * pairs.same_cluster
    class_variance = pairs.same_class * (pairs.total - pairs.same_class)
    cluster_variance = pairs.same_cluster * (pairs.total - pairs.same_cluster)
    size = sqrt(ratio(covariance, class_variance) * ratio(covariance, cluster_variance))
    sign: float = 1 - 2 * (covariance < 0)
    return size * sign


@similarity(family="pairs", aliases=("pairwise_precision", "wallace_2"))
def pair_precision(table: TableStatistics) -> float:
    r"""Pair precision: of the pairs together in a cluster, the share that belong together.

    .. math:: a_{00} / a_{\bullet 0}

    What record linkage calls precision. Singletons claim nothing and score 1; read it with
    `pair_recall`.

    References
    ----------
    .. [1] H. Schütze, C. D. Manning, P. Raghavan (2008). Introduction to Information Retrieval,
           chapter 16. https://nlp.stanford.edu/IR-book/

    Examples
    --------
    >>> cb.pair_precision([0, 0, 1, 1], [0, 0, 0, 1])
    0.3333333333333333
    """
    return ratio(table.pairs.a00, table.pairs.same_cluster, otherwise=1)


@similarity(family="pairs", aliases=("pairwise_recall", "wallace_1"), references_of=pair_precision)
def pair_recall(table: TableStatistics) -> float:
    r"""Pair recall: of the pairs that belong together, the share together in a cluster.

    .. math:: a_{00} / a_{0 \bullet}

    What record linkage calls recall. One cluster scores 1; read it with `pair_precision`. It is 1
    if no class holds a pair.

    Examples
    --------
    >>> cb.pair_recall([0, 0, 1, 1], [0, 0, 0, 1])
    0.5
    """
    return ratio(table.pairs.a00, table.pairs.same_class, otherwise=1)


@similarity(
    family="pairs",
    symmetric=True,
    aliases=(
        "dice",
        "dice_index",
        "czekanowski",
        "czekanowski_index",
        "sorensen_index",
        "pairwise_f1",
    ),
)
def pair_f1(table: TableStatistics) -> float:
    r"""Pair F1: the harmonic mean of pair precision and pair recall.

    .. math:: 2 a_{00} / (2 a_{00} + a_{01} + a_{10})

    Also Dice's and Czekanowski's index. It orders clusterings as `jaccard` does. Choose it for
    record linkage, with its two parts; few large clusters score high by chance. It is 1 if no two
    objects are together in either.

    References
    ----------
    .. [1] L. R. Dice (1945). Measures of the amount of ecologic association between species.
           Ecology 26. https://doi.org/10.2307/1932409

    Examples
    --------
    >>> cb.pair_f1([0, 0, 1, 1], [0, 0, 0, 1])
    0.4
    """
    pairs = table.pairs
    return ratio(2 * pairs.a00, 2 * pairs.a00 + pairs.a01 + pairs.a10)


@similarity(family="pairs", orders_like="pair_recall")
def wallace(table: TableStatistics, *, given: Given = "classes") -> float:
    r"""Wallace's coefficient: of pairs together in one labeling, the share together in the other.

    .. math:: W_C = a_{00} / a_{0\bullet}, \qquad W_K = a_{00} / a_{\bullet 0}

    Given the classes it is pair recall, given the clusters pair precision: how well one partition
    predicts the other. Choose it if one labeling refines the other, as in typing of bacteria. It is
    1 if the given labeling holds no pair.

    References
    ----------
    .. [1] D. L. Wallace (1983). Comment on a method for comparing two hierarchical clusterings. J.
           Am. Stat. Assoc. 78. https://doi.org/10.1080/01621459.1983.10478009

    Examples
    --------
    >>> cb.wallace([0, 0, 1, 1], [0, 0, 0, 1])
    0.5
    >>> cb.wallace([0, 0, 1, 1], [0, 0, 0, 1], given="clusters")
    0.3333333333333333
    """
    return (pair_recall if given == "classes" else pair_precision).score_table(table)


@similarity(family="pairs", bounds=(-math.inf, 1), adjusted=True)
def adjusted_wallace(table: TableStatistics, *, given: Given = "classes") -> float:
    r"""Wallace's coefficient adjusted for chance: 0 for random clusters on average, 1 for perfect.

    .. math:: \frac{W_C - a_{\bullet 0}/M}{1 - a_{\bullet 0}/M}, \qquad
        \frac{W_K - a_{0\bullet}/M}{1 - a_{0\bullet}/M}

    By chance a pair is together as often as any other pair. The harmonic mean of both directions is
    `adjusted_rand`. Choose it as `wallace`, if clusters may be random. It is 0 if the given
    labeling holds no pair or the other is one group, unless both labelings are the same.

    References
    ----------
    .. [1] A. Severiano, F. R. Pinto, M. Ramirez, J. A. Carriço (2011). Adjusted Wallace coefficient
           as a measure of congruence between typing methods. J. Clin. Microbiol. 49.
           https://doi.org/10.1128/JCM.00624-11

    Examples
    --------
    >>> cb.adjusted_wallace([0, 0, 1, 1, 1], [0, 0, 1, 1, 2])
    0.375
    >>> cb.adjusted_wallace([0, 0, 1, 1, 1], [0, 0, 1, 1, 2], given="clusters")
    1.0
    """
    pairs = table.pairs
    same, other = pairs.same_class, pairs.same_cluster
    if given == "clusters":
        same, other = other, same
    return ratio(pairs.total * pairs.a00 - same * other, same * (pairs.total - other))


@distance(family="pairs", symmetric=True, aliases=("mirkin_metric",), orders_like="rand")
def mirkin(table: TableStatistics) -> float:
    r"""Mirkin's distance: the share of ordered pairs on which classes and clusters disagree.

    .. math:: 2 (a_{01} + a_{10}) / n^2

    A metric on partitions, and one minus `rand` but for the pairs of an object with itself. With
    many groups nearly all pairs are apart, and every distance is small: prefer
    `variation_of_information` there.

    References
    ----------
    .. [1] M. Meilă (2007). Comparing clusterings, an information based distance. J. Multivar.
           Anal. 98. https://doi.org/10.1016/j.jmva.2006.11.013

    Examples
    --------
    >>> cb.mirkin([0, 0, 1, 1], [0, 0, 0, 1])
    0.375
    """
    pairs = table.pairs
    apart = pairs.a01 + pairs.a10
    if table.exact:
        return ratio(2 * apart, table.n**2)
    return maximum(apart / pairs.total, 0.0)  # expectations hold pairs of an object with itself


@similarity(
    family="pairs",
    bounds=(-1, 1),
    symmetric=True,
    adjusted=True,
    aliases=("adjusted_fm", "adjusted_fm_score"),
)
def adjusted_fowlkes_mallows(table: TableStatistics) -> float:
    r"""Fowlkes-Mallows index adjusted for chance: 0 for random clusters on average, 1 for perfect.

    .. math:: \frac{FM - E}{1 - E}, \qquad E = \sqrt{a_{0\bullet}\, a_{\bullet 0}} / M

    Equal to `adjusted_rand` if classes and clusters hold equally many pairs; genieclust offers it.
    Choose `adjusted_rand`, which more readers know, unless earlier results used this one.

    References
    ----------
    .. [1] L. Hubert, P. Arabie (1985). Comparing partitions. J. Classif. 2.
           https://doi.org/10.1007/BF01908075

    Examples
    --------
    >>> round(cb.adjusted_fowlkes_mallows([0, 0, 1, 1, 2, 2], [0, 0, 0, 1, 1, 1]), 6)
    0.26293
    """
    pairs = table.pairs
    by_class, by_cluster = (
        ratio(same, pairs.total) for same in (pairs.same_class, pairs.same_cluster)
    )
    chance = sqrt(by_class * by_cluster)
    return ratio(fowlkes_mallows.score_table(table) - chance, 1 - chance)


@distance(family="pairs", symmetric=True, orders_like="hubert_gamma")
def correlation_distance(table: TableStatistics) -> float:
    r"""Correlation distance: the angle between the two labelings as vectors over object pairs.

    .. math:: \frac1\pi \arccos \Gamma

    A metric, constant (½) on average for random clusters up to the curvature of the arc cosine, and
    cheap: its authors recommend it for these together. Γ is `hubert_gamma`. Choose it for a
    distance that knows of chance; more noise clusters may lower it.

    References
    ----------
    .. [1] M. M. Gösgens, A. Tikhonov, L. Prokhorenkova (2021). Systematic analysis of cluster
           similarity indices: how to validate validation measures. ICML.
           https://proceedings.mlr.press/v139/gosgens21a.html

    Examples
    --------
    >>> round(cb.correlation_distance([0, 0, 1, 1], [0, 1, 0, 1]), 6)
    0.666667
    """
    gamma = minimum(maximum(hubert_gamma.score_table(table), -1.0), 1.0)
    return elementwise(math.acos, gamma) / math.pi
