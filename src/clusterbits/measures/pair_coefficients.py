r"""Classic coefficients of the 2×2 table of pairs, as statistics and ecology know them.

Each is declared with a formula of the four counts a, b, c, d (a00, a01, a10 and a11 of
`clusterbits.measures.pairs`) and their sum m. Its docstring is made from the declaration.
"""

import math
from collections.abc import Callable
from textwrap import fill
from typing import Any

from clusterbits.measures.catalogue import similarity
from clusterbits.measures.declaration import Declared
from clusterbits.table.statistics import TableStatistics, ratio, sqrt

_DOCSTRING = """{summary}

.. math:: {latex}

{advice}

References
----------
{reference}

Examples
--------
>>> round(cb.{name}([0, 0, 0, 1, 1], [0, 0, 1, 1, 1]), 6)
{example}
"""
_ALBATINEH = (
    "A. N. Albatineh, M. Niewiadomska-Bugaj, D. Mihalko (2006). On similarity indices and "
    "correction for chance agreement. J. Classif. 23. https://doi.org/10.1007/s00357-006-0017-z"
)
_BAULIEU = (
    "F. B. Baulieu (1989). A classification of presence/absence based dissimilarity coefficients. "
    "J. Classif. 6. https://doi.org/10.1007/BF01908601"
)
_GOESGENS = (
    "M. M. Gösgens, A. Tikhonov, L. Prokhorenkova (2021). Systematic analysis of cluster "
    "similarity indices: how to validate validation measures. ICML. "
    "https://proceedings.mlr.press/v139/gosgens21a.html"
)


def _declare(
    name: str,
    summary: str,
    formula: Callable[[Any, Any, Any, Any, Any], float],
    *,
    latex: str,
    advice: str,
    reference: str,
    example: float,
    bounds: tuple[float, float] = (0, 1),
    symmetric: bool = True,
    **declared: Any,
) -> "Declared[[]]":
    """Return the measure with this formula of a, b, c, d, m; `example` is its value there."""

    def function(table: TableStatistics) -> float:
        return formula(*table.pairs, table.pairs.total)

    function.__name__ = function.__qualname__ = name
    function.__doc__ = _DOCSTRING.format(
        name=name,
        summary=summary,
        latex=latex,
        advice=fill(advice, 96),
        reference=fill(f".. [1] {reference}", 96, subsequent_indent=" " * 7),
        example=example,
    )
    declare = similarity(family="pairs", bounds=bounds, symmetric=symmetric, **declared)
    return declare(function)


kulczynski = _declare(
    "kulczynski",
    "Kulczyński's index: the mean of pair precision and pair recall.",
    lambda a, b, c, d, m: (ratio(a, a + c, 1) + ratio(a, a + b, 1)) / 2,
    latex=r"\frac12 \left( \frac{a_{00}}{a_{0\bullet}} + \frac{a_{00}}{a_{\bullet 0}} \right)",
    advice="Higher than their harmonic mean `pair_f1` if one of them is small; not adjusted for "
    "chance. Choose `pair_f1` unless earlier results used this one.",
    reference=_ALBATINEH,
    example=0.5,
)
rogers_tanimoto = _declare(
    "rogers_tanimoto",
    "Rogers and Tanimoto's index: the Rand index with disagreement counted twice.",
    lambda a, b, c, d, m: ratio(a + d, a + d + 2 * (b + c)),
    latex=r"(a_{00} + a_{11}) / (a_{00} + a_{11} + 2 (a_{01} + a_{10}))",
    advice="It orders clusterings as `rand` does, and shares its weakness for many classes. Choose "
    "`adjusted_rand` unless earlier results used this one.",
    reference="D. J. Rogers, T. T. Tanimoto (1960). A computer program for classifying plants. "
    "Science 132. https://doi.org/10.1126/science.132.3434.1115",
    example=0.428571,
    aliases=("rogers_tanimoto_index",),
    orders_like="rand",
)
sokal_sneath_doubled = _declare(
    "sokal_sneath_doubled",
    "Sokal and Sneath's index a/(a + 2(b + c)): agreement on pairs, disagreement doubled.",
    lambda a, b, c, d, m: ratio(a, a + 2 * (b + c)),
    latex=r"a_{00} / (a_{00} + 2 (a_{01} + a_{10}))",
    advice="It orders clusterings as `jaccard` does, with lower values. Texts on binary data and "
    "R's clusterCrit call it Sokal and Sneath's first index; Albatineh and others, Gösgens and "
    "others and R's partitionComparison call it their second. Choose `jaccard` unless earlier "
    "results used this one. It is 1 if no two objects are together in either.",
    reference=_ALBATINEH,
    example=0.2,
    aliases=("sokal_sneath",),
    orders_like="pair_f1",
)
sokal_sneath_mean = _declare(
    "sokal_sneath_mean",
    "Sokal and Sneath's mean: agreement on pairs together and on pairs apart, four shares.",
    lambda a, b, c, d, m: (
        (ratio(a, a + b, 1) + ratio(a, a + c, 1) + (ratio(d, c + d, 1) + ratio(d, b + d, 1))) / 4
    ),
    latex=r"\frac14 \left( \frac{a_{00}}{a_{0\bullet}} + \frac{a_{00}}{a_{\bullet 0}} "
    r"+ \frac{a_{11}}{M - a_{0\bullet}} + \frac{a_{11}}{M - a_{\bullet 0}} \right)",
    advice="Pairs together and pairs apart weigh alike, however many more are apart. ½ on average "
    "for random clusters, unless one group or singletons leave a share undefined. Gösgens and "
    "others and R's partitionComparison call it Sokal and Sneath's first index. Choose it if pairs "
    "apart should weigh as much as pairs together; more noise clusters may raise it. A share of no "
    "pairs counts 1.",
    reference=_GOESGENS,
    example=0.583333,
)
sokal_sneath_product = _declare(
    "sokal_sneath_product",
    "Sokal and Sneath's product: agreement on pairs together times that on pairs apart.",
    lambda a, b, c, d, m: (
        sqrt(ratio(a, a + b) * ratio(a, a + c)) * sqrt(ratio(d, c + d) * ratio(d, b + d))
    ),
    latex=r"\frac{a_{00}\, a_{11}} "
    r"{\sqrt{a_{0\bullet}\, a_{\bullet 0} (M - a_{0\bullet}) (M - a_{\bullet 0})}}",
    advice="The product of `fowlkes_mallows` and the same for pairs apart. R's partitionComparison "
    "calls it Sokal and Sneath's third index. Choose `hubert_gamma`, which is adjusted for chance, "
    "unless earlier results used this one. It is 0 if one labeling is a single group or all "
    "singletons, unless both labelings are the same.",
    reference=_GOESGENS,
    example=0.333333,
    aliases=("ochiai_2",),
)
gower_legendre = _declare(
    "gower_legendre",
    "Gower and Legendre's index: the Rand index with disagreement counted half.",
    lambda a, b, c, d, m: ratio(2 * (a + d), 2 * (a + d) + (b + c)),
    latex=r"(a_{00} + a_{11}) / (a_{00} + a_{11} + (a_{01} + a_{10}) / 2)",
    advice="It orders clusterings as `rand` does, with higher values. R's clusterCrit calls it "
    "Sokal and Sneath's second index. Choose `adjusted_rand` unless earlier results used this one. "
    "It is 1 if there is no pair at all.",
    reference="J. C. Gower, P. Legendre (1986). Metric and Euclidean properties of dissimilarity "
    "coefficients. J. Classif. 3. https://doi.org/10.1007/BF01896809",
    example=0.75,
    orders_like="rand",
)
hamann = _declare(
    "hamann",
    "Hamann's coefficient: the share of pairs in agreement less the share in disagreement.",
    lambda a, b, c, d, m: ratio(a + d - b - c, m),
    latex=r"(a_{00} + a_{11} - a_{01} - a_{10}) / M",
    advice="Twice `rand` minus 1: 0 means agreement on half of the pairs, which is not the chance "
    "level. Choose `adjusted_rand` instead. It is 1 if there is no pair at all.",
    reference=_ALBATINEH,
    example=0.2,
    bounds=(-1, 1),
    orders_like="rand",
)
mcconnaughey = _declare(
    "mcconnaughey",
    "McConnaughey's index: pair precision plus pair recall, minus 1.",
    lambda a, b, c, d, m: ratio(a**2 - b * c, (a + b) * (a + c)),
    latex=r"(a_{00}^2 - a_{01} a_{10}) / (a_{0\bullet}\, a_{\bullet 0})",
    advice="Twice `kulczynski` minus 1; it orders clusterings alike. Choose `pair_f1` unless "
    "earlier results used this one. If one labeling holds no pair: 1 if both labelings are the "
    "same, else 0.",
    reference=_ALBATINEH,
    example=0.0,
    bounds=(-1, 1),
    orders_like="kulczynski",
)
peirce = _declare(
    "peirce",
    "Peirce's index: pair recall less the share of pairs of two classes that are put together.",
    lambda a, b, c, d, m: ratio(a * d - b * c, (a + b) * (c + d)),
    latex=r"\frac{a_{00}}{a_{0\bullet}} - \frac{a_{10}}{M - a_{0\bullet}}",
    advice='Youden\'s J of a test for "same class". Like `adjusted_wallace` it is 0 for random '
    "clusters on average. It orders clusterings as `baulieu_2` does, if classes are neither one "
    'group nor all singletons. Choose it if clusters are read as a test for "same class". If the '
    "classes are one group or all singletons: 1 if both labelings are the same, else 0.",
    reference="C. S. Peirce (1884). The numerical measure of the success of predictions. Science "
    "4. https://doi.org/10.1126/science.ns-4.93.453-a",
    example=0.166667,
    bounds=(-1, 1),
    symmetric=False,
    adjusted=True,
    aliases=("youden",),
)
yule_q = _declare(
    "yule_q",
    "Yule's Q of pairs: Goodman and Kruskal's γ of the 2×2 table of pairs.",
    lambda a, b, c, d, m: ratio(a * d - b * c, a * d + b * c),
    latex=r"\frac{a_{00} a_{11} - a_{01} a_{10}}{a_{00} a_{11} + a_{01} a_{10}}",
    advice="1 if one labeling refines the other (but for one group and singletons), so splitting "
    "clusters to single pairs costs nothing. R's partitionComparison calls it the index of Goodman "
    "and Kruskal; it is not `hubert_gamma`. Avoid it across different numbers of clusters. If one "
    "labeling is a single group or all singletons: 1 if both labelings are the same, else 0.",
    reference="G. U. Yule (1900). On the association of attributes in statistics. Phil. Trans. R. "
    "Soc. A 194. https://doi.org/10.1098/rsta.1900.0019",
    example=0.333333,
    bounds=(-1, 1),
    aliases=("goodman_kruskal_gamma",),
)
baulieu_1 = _declare(
    "baulieu_1",
    "Baulieu's first index: the Rand index plus the square of how the labelings differ in pairs.",
    lambda a, b, c, d, m: ratio(m * (m - (b + c)) + (b - c) ** 2, m**2),
    latex=r"1 - \frac{a_{01} + a_{10}}{M} + \left( \frac{a_{01} - a_{10}}{M} \right)^2",
    advice="One group against all singletons scores 1, as a perfect clustering does: avoid it. R's "
    "partitionComparison squares the sum in place of the difference. It is 1 if there is no pair "
    "at all.",
    reference=_BAULIEU,
    example=0.6,
)
baulieu_2 = _declare(
    "baulieu_2",
    'Baulieu\'s second index: the covariance of "same class" and "same cluster" over pairs.',
    lambda a, b, c, d, m: ratio(a * d - b * c, m**2),
    latex=r"(a_{00} a_{11} - a_{01} a_{10}) / M^2",
    advice="0 for random clusters on average; the best value depends on the class sizes. "
    "`hubert_gamma` is the same as a correlation, and easier to read: choose that. It is 0 if "
    "there is no pair at all.",
    reference=_BAULIEU,
    example=0.04,
    bounds=(-0.25, 0.25),
    perfect=None,
    adjusted=True,
    orders_like="peirce",
)
russell_rao = _declare(
    "russell_rao",
    "Russell and Rao's index: the share of all pairs that are together in both labelings.",
    lambda a, b, c, d, m: ratio(a, m),
    latex=r"a_{00} / M",
    advice="One cluster has the best value, which depends on the class sizes: use it only among "
    "clusterings with equally many pairs. It is 0 if there is no pair at all.",
    reference=_ALBATINEH,
    example=0.2,
    perfect=None,
    aliases=("russel_rao",),
    orders_like="pair_recall",
)
fager_mcgowan = _declare(
    "fager_mcgowan",
    "Fager and McGowan's index: Fowlkes-Mallows less a correction for small classes.",
    lambda a, b, c, d, m: (
        sqrt(ratio(a, a + b, b + c == 0) * ratio(a, a + c, b + c == 0)) - ratio(1, 2 * sqrt(a + b))
    ),
    latex=r"\frac{a_{00}}{\sqrt{a_{0\bullet}\, a_{\bullet 0}}} - \frac{1}{2 \sqrt{a_{0\bullet}}}",
    advice="The correction depends on the classes only, so clusterings of the same objects are "
    "ordered as by `fowlkes_mallows`. Choose `adjusted_rand` unless earlier results used this one. "
    "At least -0.5 for integer counts. Nothing is subtracted if no class holds a pair.",
    reference="E. W. Fager, J. A. McGowan (1963). Zooplankton species groups in the North Pacific. "
    "Science 140. https://doi.org/10.1126/science.140.3566.453",
    example=0.25,
    bounds=(-math.inf, 1),
    symmetric=False,
    perfect=None,
    scale_free=False,
    orders_like="fowlkes_mallows",
)


@similarity(family="pairs", symmetric=True, aliases=("rv",))
def rv_coefficient(table: TableStatistics) -> float:
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
    >>> round(cb.rv_coefficient([0, 0, 0, 1, 1], [0, 0, 1, 1, 1]), 6)
    0.692308
    """
    pairs = table.pairs
    n_self = table.n if table.exact else 0  # expectations hold pairs of an object with itself
    common = 2 * pairs.a00 + n_self
    recall, precision = (
        ratio(common, 2 * same + n_self) for same in (pairs.same_class, pairs.same_cluster)
    )
    return sqrt(recall * precision)
