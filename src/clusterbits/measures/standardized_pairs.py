r"""Pair agreement against its exact distribution under the permutation model.

Shuffle the objects and keep the sizes of classes and clusters. The pairs together in both, a00,
then have a mean and a variance in closed form (Lerman 1988; Hubert & Arabie 1985). With
:math:`u_m = \sum_c h(c) (h(c) - 1) \cdots (h(c) - m + 1)`, the ordered m-tuples within a class,
:math:`u_{2,2} = u_2^2 - 4 u_3 - 2 u_2`, two such pairs without a common object, v the same for
clusters, and :math:`n_m = n (n - 1) \cdots (n - m + 1)`,

.. math:: E[a_{00}^2] = \frac{u_2 v_2}{2 n_2} + \frac{u_3 v_3}{n_3}
    + \frac{u_{2,2} v_{2,2}}{4 n_4}.

All counts are Python integers: nothing overflows, and the quotient is rounded once.
"""

import math
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from clusterbits.measures.catalogue import measure
from clusterbits.table.contingency import Contingency


@measure(
    family="pairs",
    bounds=(-math.inf, math.inf),
    better="higher",
    symmetric=True,
    adjusted=True,
    weights="none",
    aliases=("lerman", "lerman_index", "standardized_rand_score"),
)
def standardized_rand(table: Contingency) -> float:
    r"""Standardized Rand index, Lerman's index: standard deviations of pair agreement above chance.

    .. math:: \frac{a_{00} - E[a_{00}]}{\sqrt{\mathrm{Var}[a_{00}]}},
        \qquad E[a_{00}] = a_{0\bullet} a_{\bullet 0} / M

    Mean and variance are exact, over shuffled objects. `rand` gives the same value, since it grows
    linearly with a00. Choose it to ask whether clusters and classes are related at all; unlike
    `standardized_mutual_information` it is cheap for any table. It grows with n, so it does not say
    how good a clustering is. It is 0 if all tables with these margins are alike.

    References
    ----------
    .. [1] I. C. Lerman (1988). Comparing partitions (mathematical and statistical aspects). In
           Classification and Related Methods of Data Analysis, North-Holland.
    .. [2] L. Hubert, P. Arabie (1985). Comparing partitions. J. Classif. 2.
           https://doi.org/10.1007/BF01908075

    Examples
    --------
    >>> round(cb.standardized_rand([0, 0, 0, 1, 1], [0, 0, 1, 1, 1]), 6)  # 2/√21
    0.436436
    """
    pairs = table.pairs
    above = int(pairs.total * pairs.a00 - pairs.same_class * pairs.same_cluster)
    if not (variance := _variance(int(table.n), table.class_sizes, table.cluster_sizes)):
        return 0.0
    square = Fraction(above**2, int(pairs.total) ** 2) / variance
    return math.copysign(math.sqrt(square.numerator / square.denominator), above)


@measure(
    family="pairs",
    bounds=(0, 1),
    better="higher",
    symmetric=True,
    weights="none",
    aliases=("pmi2", "pmi_2"),
)
def p_value_adjusted_rand(table: Contingency) -> float:
    r"""p-value adjusted Rand index, PMI₂: the share of shuffled clusterings that agree less.

    .. math:: P(A < a_{00}) + \tfrac12 P(A = a_{00}) \approx \Phi(z), \qquad
        z = \frac{a_{00} - E[A]}{\sqrt{\mathrm{Var}[A]}}

    A is a00 with shuffled objects. What is computed is :math:`\Phi(z)`, the authors' fast form,
    where z is `standardized_rand` with its exact mean and variance and :math:`\Phi` the normal
    distribution; ``permutation_test(table, "rand")`` estimates the probability itself. Random
    clusters average ½ by definition, and 0.46 to 0.51 as computed: A is skewed if there are few
    groups. Choose it among clusterings of few objects, for which even adjusted measures favor some
    cluster sizes. From z = 8.3 it is 1: compare `standardized_rand` there. It is ½ if all tables
    with these margins are alike.

    References
    ----------
    .. [1] K. Klede, T. Altstidl, D. Zanca, B. Eskofier (2023). p-value adjustment for monotonous,
           unbiased, and fast clustering comparison. NeurIPS 36.
           https://openreview.net/forum?id=htkdwc6jDB

    Examples
    --------
    >>> round(cb.p_value_adjusted_rand([0, 0, 0, 1, 1], [0, 0, 1, 1, 1]), 6)
    0.66874
    """
    return math.erfc(-standardized_rand.score_table(table) / math.sqrt(2)) / 2


def _variance(n: int, class_sizes: NDArray[Any], cluster_sizes: NDArray[Any]) -> Fraction:
    """Variance of a00 over shuffled objects."""
    classes, clusters = _tuples_within(class_sizes), _tuples_within(cluster_sizes)
    totals = [max(math.perm(n, size), 1) for size in (2, 3, 4)]  # with fewer objects, u and v are 0
    pairs, triples, disjoint_pairs = (
        Fraction(u * v, total) for u, v, total in zip(classes, clusters, totals, strict=True)
    )
    return pairs / 2 + triples + disjoint_pairs / 4 - (pairs / 2) ** 2


def _tuples_within(sizes: NDArray[Any]) -> tuple[int, int, int]:
    """Ordered pairs and triples within groups, and pairs of pairs without a common object.

    >>> _tuples_within(np.array([3, 2]))
    (8, 6, 24)
    """
    values, repeats = np.unique(sizes, return_counts=True)
    groups = list(zip(map(int, values.tolist()), repeats.tolist(), strict=True))
    pairs, triples = (sum(k * math.perm(h, m) for h, k in groups) for m in (2, 3))
    return pairs, triples, pairs**2 - 4 * triples - 2 * pairs
