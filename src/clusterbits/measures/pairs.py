r"""Measures of pairs: do classes and clusters agree on which objects belong together?

a00 counts pairs that are together in both, a11 apart in both, a01 together by class only, a10 by
cluster only; M is their sum, a0• = a00 + a01 and a•0 = a00 + a10 (sections 3 and 5.3 of the paper).
Counts are exact integers, so nothing overflows and every quotient is rounded once.
"""

from __future__ import annotations

import math

from clusterbits.catalogue import measure
from clusterbits.table import Contingency


@measure(
    family="pairs",
    bounds=(0, 1),
    better="higher",
    symmetric=True,
    perfect=1,
    aliases=("ri", "rand_index", "rand_score"),
    reference="Rand (1971), doi:10.1080/01621459.1971.10482356",
)
def rand(table: Contingency) -> float:
    r"""Rand index: the share of object pairs on which classes and clusters agree.

    .. math:: (a_{00} + a_{11}) / M

    With many classes nearly all pairs are apart in both, and every clustering scores near 1:
    prefer `adjusted_rand`.

    Parameters
    ----------
    table : Contingency, or truth and pred
        The counts, or two label sequences to count.

    Returns
    -------
    float
        From 0 to 1; higher is better. 1 where there is no pair at all.

    References
    ----------
    .. [1] W. M. Rand (1971). Objective criteria for the evaluation of clustering methods.
           J. Am. Stat. Assoc. 66. https://doi.org/10.1080/01621459.1971.10482356

    Examples
    --------
    >>> import clusterbits as cb
    >>> cb.rand([0, 0, 1, 1], [0, 0, 1, 2])
    0.8333333333333334
    """
    pairs = table.pairs
    return (pairs.a00 + pairs.a11) / pairs.total if pairs.total else 1.0


@measure(
    family="pairs",
    bounds=(-0.5, 1),
    better="higher",
    symmetric=True,
    perfect=1,
    adjusted=True,
    aliases=("ari", "adjusted_rand_index", "adjusted_rand_score"),
    reference="Hubert & Arabie (1985), doi:10.1007/BF01908075",
)
def adjusted_rand(table: Contingency) -> float:
    r"""Adjusted Rand index: pair agreement, 0 for random clusters on average, 1 for perfect ones.

    .. math:: \frac{a_{00} - a_{0\bullet} a_{\bullet 0}/M}
        {(a_{0\bullet} + a_{\bullet 0})/2 - a_{0\bullet} a_{\bullet 0}/M}

    The usual choice among pair measures. Large groups dominate it, since pairs grow with the
    square of a group's size.

    Parameters
    ----------
    table : Contingency, or truth and pred
        The counts, or two label sequences to count.

    Returns
    -------
    float
        From -0.5 to 1; higher is better; negative where worse than chance.

    References
    ----------
    .. [1] L. Hubert, P. Arabie (1985). Comparing partitions. J. Classif. 2.
           https://doi.org/10.1007/BF01908075

    Examples
    --------
    >>> import clusterbits as cb
    >>> round(cb.adjusted_rand([0, 0, 1, 1, 2, 2], [0, 0, 0, 1, 1, 1]), 6)
    0.242424
    """
    if table.is_perfect:
        return 1.0
    pairs = table.pairs
    product = pairs.same_class * pairs.same_cluster
    above_chance = 2 * (pairs.total * pairs.a00 - product)
    room = pairs.total * (pairs.same_class + pairs.same_cluster) - 2 * product
    return above_chance / room if room else 0.0


@measure(
    family="pairs",
    bounds=(0, 1),
    better="higher",
    symmetric=True,
    perfect=1,
    aliases=("jaccard_index",),
    reference="Milligan, Soon & Sokol (1983), doi:10.1109/TPAMI.1983.4767342",
)
def jaccard(table: Contingency) -> float:
    r"""Jaccard index: of the pairs together in either labeling, the share together in both.

    .. math:: a_{00} / (a_{00} + a_{01} + a_{10})

    Unlike `rand` it is not inflated by pairs that are apart in both; it is not adjusted for
    chance.

    Parameters
    ----------
    table : Contingency, or truth and pred
        The counts, or two label sequences to count.

    Returns
    -------
    float
        From 0 to 1; higher is better. 1 where no two objects are together in either.

    References
    ----------
    .. [1] G. W. Milligan, S. C. Soon, L. M. Sokol (1983). The effect of cluster size,
           dimensionality, and the number of clusters on recovery of true cluster structure.
           IEEE Trans. PAMI 5. https://doi.org/10.1109/TPAMI.1983.4767342

    Examples
    --------
    >>> import clusterbits as cb
    >>> cb.jaccard([0, 0, 1, 1], [0, 0, 1, 2])
    0.5
    """
    pairs = table.pairs
    together = pairs.a00 + pairs.a01 + pairs.a10
    return pairs.a00 / together if together else 1.0


@measure(
    family="pairs",
    bounds=(0, 1),
    better="higher",
    symmetric=True,
    perfect=1,
    aliases=("fm", "fmi", "fowlkes_mallows_score"),
    reference="Fowlkes & Mallows (1983), doi:10.1080/01621459.1983.10478008",
)
def fowlkes_mallows(table: Contingency) -> float:
    r"""Fowlkes-Mallows index: the geometric mean of pair precision and pair recall.

    .. math:: a_{00} / \sqrt{a_{0\bullet}\, a_{\bullet 0}}

    It is high for few large clusters even by chance; prefer `adjusted_rand` across different
    numbers of clusters.

    Parameters
    ----------
    table : Contingency, or truth and pred
        The counts, or two label sequences to count.

    Returns
    -------
    float
        From 0 to 1; higher is better. 0 where no pair is together in both, unless both are the
        same partition into single objects: that is perfect, 1 (scikit-learn says 0).

    References
    ----------
    .. [1] E. B. Fowlkes, C. L. Mallows (1983). A method for comparing two hierarchical
           clusterings. J. Am. Stat. Assoc. 78. https://doi.org/10.1080/01621459.1983.10478008

    Examples
    --------
    >>> import clusterbits as cb
    >>> round(cb.fowlkes_mallows([0, 0, 1, 1], [0, 0, 1, 2]), 6)
    0.707107
    """
    if table.is_perfect:
        return 1.0
    pairs = table.pairs
    if not pairs.a00:
        return 0.0
    return math.sqrt((pairs.a00 / pairs.same_class) * (pairs.a00 / pairs.same_cluster))


@measure(
    family="pairs",
    bounds=(-1, 1),
    better="higher",
    symmetric=True,
    perfect=1,
    adjusted=True,
    aliases=("gamma", "hubert", "phi"),
    reference="Hubert & Schultz (1976), doi:10.1111/j.2044-8317.1976.tb00714.x",
)
def hubert_gamma(table: Contingency) -> float:
    r"""Hubert's Γ: the correlation of "same class" and "same cluster" over object pairs.

    .. math:: \frac{M a_{00} - a_{0\bullet} a_{\bullet 0}}
        {\sqrt{a_{0\bullet} a_{\bullet 0} (M - a_{0\bullet}) (M - a_{\bullet 0})}}

    Near `adjusted_rand` in value and use; a correlation where that is a share.

    Parameters
    ----------
    table : Contingency, or truth and pred
        The counts, or two label sequences to count.

    Returns
    -------
    float
        From -1 to 1; higher is better. Where one labeling is a single group or all single
        objects there is nothing to correlate: 1 if both labelings are the same, else 0.

    References
    ----------
    .. [1] L. Hubert, J. Schultz (1976). Quadratic assignment as a general data analysis strategy.
           Br. J. Math. Stat. Psychol. 29. https://doi.org/10.1111/j.2044-8317.1976.tb00714.x

    Examples
    --------
    >>> import clusterbits as cb
    >>> round(cb.hubert_gamma([0, 0, 1, 1], [0, 0, 1, 2]), 6)
    0.632456
    """
    if table.is_perfect:
        return 1.0
    pairs = table.pairs
    covariance = pairs.total * pairs.a00 - pairs.same_class * pairs.same_cluster
    class_variance = pairs.same_class * (pairs.total - pairs.same_class)
    cluster_variance = pairs.same_cluster * (pairs.total - pairs.same_cluster)
    if class_variance <= 0 or cluster_variance <= 0:
        return 0.0
    square = (covariance / class_variance) * (covariance / cluster_variance)
    return math.copysign(math.sqrt(square), covariance)
