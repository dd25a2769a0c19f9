r"""Classic coefficients of the 2×2 table of pairs, as statistics and ecology know them.

The counts a00, a01, a10, a11 and their sums are those of `clusterbits.measures.pairs`.
"""

import math

from clusterbits.core.sums import Sums, greater, lesser, ratio, root
from clusterbits.measures.catalogue import measure, similarity
from clusterbits.measures.pairs import fowlkes_mallows, pair_precision, pair_recall


@similarity(
    family="pairs",
    symmetric=True,
    aliases=("sokal_sneath",),
    shared=("sokal_sneath_1", "sokal_sneath_2"),
    orders_like="pair_f1",
)
def sokal_sneath_doubled(table: Sums) -> float:
    r"""Sokal and Sneath's index a/(a + 2(b + c)): agreement on pairs, disagreement doubled.

    .. math:: a_{00} / (a_{00} + 2 (a_{01} + a_{10}))

    It orders clusterings as `jaccard` does, with lower values. Texts on binary data and R's
    clusterCrit call it Sokal and Sneath's first index; Albatineh and others, Gösgens and others and
    R's partitionComparison call it their second. Choose `jaccard` unless earlier results used this
    one.

    Returns
    -------
    float
        From 0 to 1; higher is better. 1 where no two objects are together in either.

    References
    ----------
    .. [1] A. N. Albatineh, M. Niewiadomska-Bugaj, D. Mihalko (2006). On similarity indices and
           correction for chance agreement. J. Classif. 23.
           https://doi.org/10.1007/s00357-006-0017-z

    Examples
    --------
    >>> import clusterbits as cb
    >>> cb.sokal_sneath_doubled([0, 0, 1, 1], [0, 0, 0, 1])
    0.14285714285714285
    """
    pairs = table.pairs
    return ratio(pairs.a00, pairs.a00 + 2 * (pairs.a01 + pairs.a10))


@similarity(family="pairs", symmetric=True, shared=("sokal_sneath_1",))
def sokal_sneath_mean(table: Sums) -> float:
    r"""Sokal and Sneath's mean: agreement on pairs together and on pairs apart, four shares.

    .. math:: \frac14 \left( \frac{a_{00}}{a_{0\bullet}} + \frac{a_{00}}{a_{\bullet 0}}
        + \frac{a_{11}}{M - a_{0\bullet}} + \frac{a_{11}}{M - a_{\bullet 0}} \right)

    Pairs together and pairs apart weigh alike, however many more are apart. ½ on average for random
    clusters, unless one group or single objects leave a share undefined. Gösgens and others and R's
    partitionComparison call it Sokal and Sneath's first index. Choose it where pairs apart should
    weigh as much as pairs together; more noise clusters may raise it.

    Returns
    -------
    float
        From 0 to 1; higher is better. A share of no pairs counts 1.

    References
    ----------
    .. [1] M. M. Gösgens, A. Tikhonov, L. Prokhorenkova (2021). Systematic analysis of cluster
           similarity indices: how to validate validation measures. ICML.
           https://proceedings.mlr.press/v139/gosgens21a.html

    Examples
    --------
    >>> import clusterbits as cb
    >>> cb.sokal_sneath_mean([0, 0, 1, 1, 1], [0, 0, 1, 1, 2])
    0.8125
    """
    together = pair_recall.of(table) + pair_precision.of(table)
    return (together + sum(_apart(table))) / 4


@similarity(family="pairs", symmetric=True, aliases=("ochiai_2",), references_of=sokal_sneath_mean)
def sokal_sneath_product(table: Sums) -> float:
    r"""Sokal and Sneath's product: agreement on pairs together times that on pairs apart.

    .. math:: \frac{a_{00}\, a_{11}}
        {\sqrt{a_{0\bullet}\, a_{\bullet 0} (M - a_{0\bullet}) (M - a_{\bullet 0})}}

    The product of `fowlkes_mallows` and the same for pairs apart. R's partitionComparison calls it
    Sokal and Sneath's third index. Choose `hubert_gamma`, which is adjusted for chance, unless
    earlier results used this one.

    Returns
    -------
    float
        From 0 to 1; higher is better. 0 where one labeling is a single group or all single
        objects, unless both labelings are the same.

    Examples
    --------
    >>> import clusterbits as cb
    >>> cb.sokal_sneath_product([0, 0, 0, 1, 1], [0, 0, 1, 1, 1])
    0.3333333333333333
    """
    by_class, by_cluster = _apart(table, otherwise=0)
    return lesser(fowlkes_mallows.of(table) * root(by_class * by_cluster), 1.0)


@similarity(family="pairs", symmetric=True, shared=("sokal_sneath_2",), orders_like="rand")
def gower_legendre(table: Sums) -> float:
    r"""Gower and Legendre's index: the Rand index with disagreement counted half.

    .. math:: (a_{00} + a_{11}) / (a_{00} + a_{11} + (a_{01} + a_{10}) / 2)

    It orders clusterings as `rand` does, with higher values. R's clusterCrit calls it Sokal and
    Sneath's second index. Choose `adjusted_rand` unless earlier results used this one.

    Returns
    -------
    float
        From 0 to 1; higher is better. 1 where there is no pair at all.

    References
    ----------
    .. [1] J. C. Gower, P. Legendre (1986). Metric and Euclidean properties of dissimilarity
           coefficients. J. Classif. 3. https://doi.org/10.1007/BF01896809

    Examples
    --------
    >>> import clusterbits as cb
    >>> cb.gower_legendre([0, 0, 0, 1, 1], [0, 0, 1, 1, 1])
    0.75
    """
    pairs = table.pairs
    agree, differ = pairs.a00 + pairs.a11, pairs.a01 + pairs.a10
    return ratio(2 * agree, 2 * agree + differ)


@similarity(
    family="pairs",
    bounds=(-1, 1),
    symmetric=True,
    references_of=sokal_sneath_doubled,
    orders_like="rand",
)
def hamann(table: Sums) -> float:
    r"""Hamann's coefficient: the share of pairs in agreement less the share in disagreement.

    .. math:: (a_{00} + a_{11} - a_{01} - a_{10}) / M

    Twice `rand` minus 1: 0 means agreement on half of the pairs, which is not the chance level.
    Choose `adjusted_rand` instead.

    Returns
    -------
    float
        From -1 to 1; higher is better. 1 where there is no pair at all.

    Examples
    --------
    >>> import clusterbits as cb
    >>> cb.hamann([0, 0, 0, 1, 1], [0, 0, 1, 1, 1])
    0.2
    """
    pairs = table.pairs
    return ratio(pairs.a00 + pairs.a11 - pairs.a01 - pairs.a10, pairs.total)


@similarity(
    family="pairs",
    bounds=(-1, 1),
    symmetric=True,
    references_of=sokal_sneath_doubled,
    orders_like="kulczynski",
)
def mcconnaughey(table: Sums) -> float:
    r"""McConnaughey's index: pair precision plus pair recall, minus 1.

    .. math:: (a_{00}^2 - a_{01} a_{10}) / (a_{0\bullet}\, a_{\bullet 0})

    Twice `kulczynski` minus 1; it orders clusterings alike. Choose `pair_f1` unless earlier results
    used this one.

    Returns
    -------
    float
        From -1 to 1; higher is better. Where one labeling holds no pair: 1 if both labelings are
        the same, else 0.

    Examples
    --------
    >>> import clusterbits as cb
    >>> cb.mcconnaughey([0, 0, 1, 1, 1], [0, 0, 1, 1, 2])
    0.5
    """
    pairs = table.pairs
    return ratio(pairs.a00**2 - pairs.a01 * pairs.a10, pairs.same_class * pairs.same_cluster)


@similarity(family="pairs", bounds=(-1, 1), adjusted=True, aliases=("youden",))
def peirce(table: Sums) -> float:
    r"""Peirce's index: pair recall less the share of pairs of two classes that are put together.

    .. math:: \frac{a_{00}}{a_{0\bullet}} - \frac{a_{10}}{M - a_{0\bullet}}

    Youden's J of a test for "same class". Like `adjusted_wallace` it is 0 for random clusters on
    average. It orders clusterings as `baulieu_2` does, where classes are neither one group nor all
    single objects. Choose it where clusters are read as a test for "same class".

    Returns
    -------
    float
        From -1 to 1; higher is better. Where the classes are one group or all single objects: 1 if
        both labelings are the same, else 0.

    References
    ----------
    .. [1] C. S. Peirce (1884). The numerical measure of the success of predictions. Science 4.
           https://doi.org/10.1126/science.ns-4.93.453-a

    Examples
    --------
    >>> import clusterbits as cb
    >>> cb.peirce([0, 0, 1, 1, 1], [0, 0, 1, 1, 2])
    0.5
    """
    pairs = table.pairs
    covariance = pairs.total * pairs.a00 - pairs.same_class * pairs.same_cluster
    variance = pairs.same_class * (pairs.total - pairs.same_class)
    return greater(lesser(ratio(covariance, variance), 1.0), -1.0)


@similarity(
    family="pairs",
    bounds=(-1, 1),
    symmetric=True,
    aliases=("goodman_kruskal_gamma",),
    shared=("gamma", "goodman_kruskal"),
)
def yule_q(table: Sums) -> float:
    r"""Yule's Q of pairs: Goodman and Kruskal's γ of the 2×2 table of pairs.

    .. math:: \frac{a_{00} a_{11} - a_{01} a_{10}}{a_{00} a_{11} + a_{01} a_{10}}

    1 wherever one labeling refines the other (but for one group and single objects), so splitting
    clusters to single pairs costs nothing. R's partitionComparison calls it the index of Goodman
    and Kruskal; it is not `hubert_gamma`. Avoid it across different numbers of clusters.

    Returns
    -------
    float
        From -1 to 1; higher is better. Where one labeling is a single group or all single objects:
        1 if both labelings are the same, else 0.

    References
    ----------
    .. [1] G. U. Yule (1900). On the association of attributes in statistics. Phil. Trans. R. Soc. A
           194. https://doi.org/10.1098/rsta.1900.0019

    Examples
    --------
    >>> import clusterbits as cb
    >>> cb.yule_q([0, 0, 0, 1, 1], [0, 0, 1, 1, 1])
    0.3333333333333333
    """
    pairs = table.pairs
    agree, differ = pairs.a00 * pairs.a11, pairs.a01 * pairs.a10
    return ratio(agree - differ, agree + differ)


@similarity(family="pairs", symmetric=True)
def baulieu_1(table: Sums) -> float:
    r"""Baulieu's first index: the Rand index plus the square of how the labelings differ in pairs.

    .. math:: 1 - \frac{a_{01} + a_{10}}{M} + \left( \frac{a_{01} - a_{10}}{M} \right)^2

    One group against all single objects scores 1, as a perfect clustering does: avoid it. R's
    partitionComparison squares the sum in place of the difference.

    Returns
    -------
    float
        From 0 to 1; higher is better. 1 where there is no pair at all.

    References
    ----------
    .. [1] F. B. Baulieu (1989). A classification of presence/absence based dissimilarity
           coefficients. J. Classif. 6. https://doi.org/10.1007/BF01908601

    Examples
    --------
    >>> import clusterbits as cb
    >>> cb.baulieu_1([0, 0, 0, 1, 1], [0, 0, 1, 1, 1])
    0.6
    """
    pairs = table.pairs
    whole, differ = pairs.total, pairs.a01 + pairs.a10
    return ratio(whole * (whole - differ) + (pairs.a01 - pairs.a10) ** 2, whole**2)


@measure(
    family="pairs",
    bounds=(-0.25, 0.25),
    better="higher",
    symmetric=True,
    adjusted=True,
    references_of=baulieu_1,
    orders_like="peirce",
)
def baulieu_2(table: Sums) -> float:
    r"""Baulieu's second index: the covariance of "same class" and "same cluster" over pairs.

    .. math:: (a_{00} a_{11} - a_{01} a_{10}) / M^2

    0 for random clusters on average; the best value depends on the class sizes. `hubert_gamma` is
    the same as a correlation, and easier to read: choose that.

    Returns
    -------
    float
        From -0.25 to 0.25; higher is better. 0 where there is no pair at all.

    Examples
    --------
    >>> import clusterbits as cb
    >>> cb.baulieu_2([0, 0, 0, 1, 1], [0, 0, 1, 1, 1])
    0.04
    """
    pairs = table.pairs
    return ratio(pairs.total * pairs.a00 - pairs.same_class * pairs.same_cluster, pairs.total**2)


@measure(
    family="pairs",
    bounds=(0, 1),
    better="higher",
    symmetric=True,
    aliases=("russel_rao",),
    references_of=sokal_sneath_doubled,
    orders_like="pair_recall",
)
def russell_rao(table: Sums) -> float:
    r"""Russell and Rao's index: the share of all pairs that are together in both labelings.

    .. math:: a_{00} / M

    One cluster of everything has the best value, which depends on the class sizes: use it only
    among clusterings with equally many pairs.

    Returns
    -------
    float
        From 0 to 1; higher is better. 0 where there is no pair at all.

    Examples
    --------
    >>> import clusterbits as cb
    >>> cb.russell_rao([0, 0, 0, 1, 1], [0, 0, 1, 1, 1])
    0.2
    """
    return ratio(table.pairs.a00, table.pairs.total)


@measure(family="pairs", bounds=(-math.inf, 1), better="higher", orders_like="fowlkes_mallows")
def fager_mcgowan(table: Sums) -> float:
    r"""Fager and McGowan's index: Fowlkes-Mallows less a correction for small classes.

    .. math:: \frac{a_{00}}{\sqrt{a_{0\bullet}\, a_{\bullet 0}}}
        - \frac{1}{2 \sqrt{a_{0\bullet}}}

    The correction depends on the classes only, so clusterings of the same objects are ordered as by
    `fowlkes_mallows`. Choose `adjusted_rand` unless earlier results used this one.

    Returns
    -------
    float
        From -0.5 to 1; higher is better. Nothing is subtracted where no class holds a pair. Less
        than -0.5 where real-valued counts are less than a pair.

    References
    ----------
    .. [1] E. W. Fager, J. A. McGowan (1963). Zooplankton species groups in the North Pacific.
           Science 140. https://doi.org/10.1126/science.140.3566.453

    Examples
    --------
    >>> import clusterbits as cb
    >>> cb.fager_mcgowan([0, 0, 0, 1, 1], [0, 0, 1, 1, 1])
    0.25
    """
    return fowlkes_mallows.of(table) - ratio(1, 2 * root(table.pairs.same_class))


@similarity(family="pairs", symmetric=True, aliases=("rv",))
def rv_coefficient(table: Sums) -> float:
    r"""RV coefficient: Fowlkes-Mallows that also counts each object as a pair with itself.

    .. math:: \frac{\sum_{c,k} h(c,k)^2}{\sqrt{\sum_c h(c)^2\, \sum_k h(k)^2}}

    The cosine of the two co-membership matrices. Not adjusted for chance. Few large clusters score
    high by chance: prefer `adjusted_rand` across different numbers of clusters.

    References
    ----------
    .. [1] P. Robert, Y. Escoufier (1976). A unifying tool for linear multivariate statistical
           methods: the RV-coefficient. Appl. Stat. 25. https://doi.org/10.2307/2347233

    Examples
    --------
    >>> import clusterbits as cb
    >>> round(cb.rv_coefficient([0, 0, 0, 1, 1], [0, 0, 1, 1, 1]), 6)
    0.692308
    """
    pairs = table.pairs
    alone = table.n if table.exact else 0  # expectations hold pairs of an object with itself
    both = 2 * pairs.a00 + alone
    recall, precision = (
        ratio(both, 2 * same + alone) for same in (pairs.same_class, pairs.same_cluster)
    )
    return root(recall * precision)


def _apart(table: Sums, otherwise: float = 1) -> tuple[float, float]:
    """Return, of the pairs apart by class, and of those by cluster, the shares apart in both."""
    pairs = table.pairs
    return (
        ratio(pairs.a11, pairs.total - pairs.same_class, otherwise),
        ratio(pairs.a11, pairs.total - pairs.same_cluster, otherwise),
    )
