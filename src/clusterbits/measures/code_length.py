r"""Dom's family: the bits that the class labels cost someone who knows the cluster labels.

To send the classes one sends the table, column by column, and then the labels given their
cluster. The table costs :math:`f(h(k)) = \log \binom{h(k)+|C|-1}{|C|-1}` bits for a cluster of
h(k) objects (equations 3 and 4 of the paper), the labels :math:`n \tilde H(C|K)`. Good clusters
make the labels cheap; many clusters make the table costly. That is why the sum compares
clusterings with different numbers of clusters, which each part alone cannot.
"""

import math
from typing import Literal

import numpy as np

from clusterbits.measures.catalogue import measure, similarity
from clusterbits.measures.dirichlet import arrangement_bits, column_nats, enumerated_bits
from clusterbits.measures.extremes import worst_bits
from clusterbits.table.contingency import Contingency
from clusterbits.table.log_factorials import (
    BITS_PER_NAT,
    distinct,
    log2_nml_normalizer,
    weighted_sum,
)
from clusterbits.table.statistics import (
    TableStatistics,
    elementwise,
    maximum,
    minimum,
    number_of_classes,
    ratio,
)


@measure(
    family="code_length",
    bounds=(0, math.inf),
    better="lower",
    aliases=("dom", "code_length"),
    scale_free=False,
)
def q0(table: TableStatistics, *, n_classes: int | None = None) -> float:
    r"""Dom's code length: bits per object to send the classes, given the clusters.

    .. math:: Q_0 = \tilde H(C|K) + \frac1n \sum_k \log \binom{h(k)+|C|-1}{|C|-1}

    Equation (5) of the paper. With two classes or more it is smallest if clusters equal classes,
    and only then; any split of a pure cluster costs bits, and so does any merge of clusters without
    a common class (the documentation has proofs, on the page "What is proved"). Choose it to
    compare clusterings of the same objects with different numbers of clusters. Bits of different
    data sets do not compare; `share_saved` has at least the same 0 and 1 everywhere.
    `q0_enumerative` and `q0_nml` are shorter codes for the same labels.

    References
    ----------
    .. [1] B. E. Dom (2002). An information-theoretic external cluster-validity measure. UAI.
           https://arxiv.org/abs/1301.0565

    Examples
    --------
    >>> round(cb.q0(["a", "a", "b", "b"], [1, 1, 2, 2]), 6)
    0.792481
    >>> round(cb.q0(cb.Contingency.from_counts([[30, 5], [10, 55]])), 6)
    0.685684
    """
    return table.class_entropy_given_cluster + table.table_bits(n_classes)


@measure(
    family="code_length",
    bounds=(-math.inf, math.inf),
    better="higher",
    references_of=q0,
    scale_free=False,
    orders_like="q0",
)
def bits_saved(table: TableStatistics, *, n_classes: int | None = None) -> float:
    r"""Bits saved: how many bits per object the clusters save on sending the classes.

    .. math:: B - Q_0, \quad
        B = \min\Bigl\{H(C) + \frac1n \log \binom{n+|C|-1}{|C|-1},\ \log |C|\Bigr\}

    B is what the classes cost without clusters: in one cluster or as singletons, whichever is
    cheaper. A singleton costs log|C| bits; with balanced weights, what a column of its weight
    costs; with other weights, log|C| per unit of weight. Bits of different data sets do not
    compare; `share_saved` has the same 0 and 1 everywhere. Choose it to say in bits what the
    clusters are worth. 0 is as good as no clusters; below 0 the clusters cost more than they tell.

    Examples
    --------
    >>> round(cb.bits_saved(cb.Contingency.from_counts([[30, 5], [10, 55]])), 6)
    0.314316
    """
    table_bits = table.table_bits(n_classes)
    of_one_cluster = table.mutual_information + table.one_cluster_bits(n_classes) - table_bits
    of_singletons = table.singleton_bits(n_classes) - table_bits - table.class_entropy_given_cluster
    return minimum(of_one_cluster, of_singletons)


@similarity(
    family="code_length",
    bounds=(-math.inf, 1),
    references_of=q0,
    scale_free=False,
    orders_like="q0",
)
def share_saved(table: TableStatistics, *, n_classes: int | None = None) -> float:
    r"""Share saved: the bits that the clusters save, as a share of the maximum saving.

    .. math:: \frac{B - Q_0}{B - \min_K Q_0}, \quad
        B = \min\{Q_0(\text{one cluster}), Q_0(\text{singletons})\}

    The answer to "how many bits do your clusters save?" B is what the classes cost without
    clusters: in one cluster or as singletons, whichever is cheaper. 0 and 1 mean the same for every
    data set; what lies between depends on the number and the sizes of the classes. It orders
    clusterings as `q0` does, and is not symmetric. On average random clusters save nothing, or
    little if a few large classes are among very many singletons ("What is proved", section 6, in
    the documentation). Choose it to compare clusterings with different numbers of clusters.
    Balanced weights let one rare object count as many alike, so that finer random clusters save
    more: choose `q2_adjusted` then. 0 is as good as no clusters; below 0 the clusters cost more
    than they tell. With a single class, or one object per class, nothing can be saved: 1 for a
    perfect clustering, else 0.

    Examples
    --------
    >>> table = cb.Contingency.from_counts([[30, 5], [10, 55]])
    >>> round(cb.share_saved(table), 6)
    0.354016
    >>> people = [record // 2 for record in range(1000)]
    >>> cb.share_saved(people, range(1000)), cb.share_saved(people, people)
    (0.0, 1.0)
    """
    baseline = no_clusters_bits(table, n_classes)
    saved = bits_saved.score_table(table, n_classes=n_classes)
    # With one object per class nothing can be saved: the maximum is rounding then.
    maximum_saving = baseline - table.perfect_bits(n_classes)
    return minimum(ratio(saved, maximum_saving, rounding=1e-14 * baseline), 1.0)


@similarity(family="code_length", references_of=q0, scale_free=False, orders_like="q0")
def q2(
    table: TableStatistics,
    *,
    worst: Literal["bound", "exact"] = "bound",
    n_classes: int | None = None,
) -> float:
    r"""Dom's code length, normalized as in the paper: 1 is perfect, 0 worse than no clusters.

    .. math:: Q_2 = \frac{\max_K Q_0 - Q_0}{\max_K Q_0 - \min_K Q_0}

    Equation (7) of the paper, with its upper bound H(C) + log|C| for the maximum, or with the true
    maximum. It orders clusterings of one data set as `q0` does. Its 0 is not "no clusters": with
    the bound and classes of 100 objects, one cluster scores 0.51 (five classes) to 0.65 (a
    thousand), the worst clustering 0.21 to 0.53. Only with ``worst="exact"`` the worst scores 0.
    Choose it to quote the paper's value; `share_saved` is easier to read. With a single class every
    clustering is perfect.

    Parameters
    ----------
    worst : "bound" or "exact"
        The maximum to normalize by: the paper's bound, or the certified worst clustering of
        these class sizes (`worst_clustering`), which makes 0 attainable.

    Examples
    --------
    >>> table = cb.Contingency.from_counts([[30, 5], [10, 55]])
    >>> round(cb.q2(table), 6), round(cb.q2(table, worst="exact"), 6)
    (0.6852, 0.615993)
    """
    if worst == "exact":
        upper = worst_bits(table.class_sizes, n_classes)
    else:
        classes = number_of_classes(n_classes, table.shape[0])
        upper = table.class_entropy + elementwise(math.log2, classes)
    bits = q0.score_table(table, n_classes=n_classes)
    return maximum(ratio(upper - bits, upper - table.perfect_bits(n_classes), otherwise=1), 0.0)


@similarity(family="code_length", bounds=(-math.inf, 1), adjusted=True, weights="balanced")
def q2_adjusted(table: TableStatistics, *, n_classes: int | None = None) -> float:
    r"""Dom's code length, adjusted for chance: 0 for random labels on average, 1 for perfect ones.

    .. math:: \frac{E[Q_0] - Q_0}{E[Q_0] - \min_K Q_0}
        = \frac{I(C;K) - E[I]}{H(C) - E[I] + \text{model}(K) - \min_K Q_0}

    Under the permutation model (cluster sizes kept, objects shuffled) the table's cost stays, so
    only the mutual information has an expectation to take; with ``weights="balanced"`` both have
    one. Choose it if clusterings with very different numbers of clusters are all close to random.
    `adjusted_mutual_information` is the same without the cost of the table.

    References
    ----------
    .. [1] B. E. Dom (2002). An information-theoretic external cluster-validity measure. UAI.
           https://arxiv.org/abs/1301.0565
    .. [2] N. X. Vinh, J. Epps, J. Bailey (2010). Information theoretic measures for clusterings
           comparison. JMLR 11. https://jmlr.org/papers/v11/vinh10a.html

    Examples
    --------
    >>> round(cb.q2_adjusted(cb.Contingency.from_counts([[30, 5], [10, 55]])), 6)
    0.381601
    """
    above_chance = table.mutual_information - table.expected_information
    above_chance += table.expected_table_bits(n_classes) - table.table_bits(n_classes)
    extra_bits = table.table_bits(n_classes) - table.perfect_bits(n_classes)
    room = table.class_entropy_given_cluster + above_chance + extra_bits
    return ratio(above_chance, room, otherwise=1)


@similarity(family="code_length", scale_free=False, orders_like="q0")
def q2_2001(table: TableStatistics, *, n_classes: int | None = None) -> float:
    r"""Dom's first normalization: the minimum code length over the actual one.

    .. math:: \min_K Q_0 / Q_0

    The form of the 2001 report, which a footnote of the paper replaced because the sizes of its
    changes misled users. Here for comparison with older results; choose `q2` otherwise.

    References
    ----------
    .. [1] B. E. Dom (2001). An information-theoretic external cluster-validity measure.
           IBM Research Report RJ 10219.

    Examples
    --------
    >>> round(cb.q2_2001(cb.Contingency.from_counts([[30, 5], [10, 55]])), 6)
    0.163549
    """
    bits = q0.score_table(table, n_classes=n_classes)
    return ratio(table.perfect_bits(n_classes), bits, otherwise=1)


@measure(
    family="code_length",
    bounds=(0, math.inf),
    better="lower",
    references_of=q0,
    scale_free=False,
)
def q0_asymptotic(table: TableStatistics, *, n_classes: int | None = None) -> float:
    r"""Dom's code length for very many objects, with the table's cost to first order.

    .. math:: \tilde H(C|K) + |K|\,(|C|-1) \frac{\log n}{n}

    Equation (6) of the paper. It drops constants and is far off for small n (0.359 against 0.221
    bits for 500 objects in five pure clusters): it may even prefer one large cluster to the classes
    themselves. Choose `q0`.

    Examples
    --------
    >>> round(cb.q0_asymptotic(cb.Contingency.from_counts([[30, 5], [10, 55]])), 6)
    0.705678
    """
    classes, clusters = number_of_classes(n_classes, table.shape[0]), table.shape[1]
    log_n = maximum(elementwise(math.log2, table.n), 0.0)
    cost = clusters * (classes - 1) * log_n / table.n
    return table.class_entropy_given_cluster + cost


@measure(family="code_length", bounds=(0, math.inf), better="lower", scale_free=False)
def q0_enumerative(table: Contingency, *, n_classes: int | None = None) -> float:
    r"""Code length with enumerated labels: what a uniform Dirichlet prior assigns.

    .. math:: \frac1n \sum_k \left[ \log \frac{h(k)!}{\prod_c h(c,k)!}
        + \log \binom{h(k)+|C|-1}{|C|-1} \right]

    The labels of a cluster are sent as their index among all arrangements with the same counts.
    Never above `q0`; equal to minus the log marginal likelihood of the classes under a uniform
    prior in each cluster. Choose it as the exact Bayesian reading of Dom's measure.

    References
    ----------
    .. [1] T. M. Cover (1973). Enumerative source encoding. IEEE Trans. Inf. Theory 19.
           https://doi.org/10.1109/TIT.1973.1054929

    Examples
    --------
    >>> round(cb.q0_enumerative(cb.Contingency.from_counts([[30, 5], [10, 55]])), 6)
    0.633281
    """
    return enumerated_bits(table) + table.table_bits(n_classes)


def _nml_steps(table: Contingency) -> float:
    """Number of steps: one for each class and cluster size, and numpy's for a class."""
    return table.shape[0] * (1000.0 + table.shape[1])


@measure(
    family="code_length", bounds=(0, math.inf), better="lower", work=_nml_steps, scale_free=False
)
def q0_nml(table: Contingency, *, n_classes: int | None = None) -> float:
    r"""Code length by normalized maximum likelihood: the minimax-regret code for the classes.

    .. math:: \tilde H(C|K) + \frac1n \sum_k \log \mathcal C(h(k), |C|)

    :math:`\mathcal C(m, r)` sums the maximum likelihoods of all label sequences of length m over r
    classes. It replaces Dom's uniform code for the table by the one with the least worst-case
    excess. Choose it if the model's cost decides and no prior is wanted.

    References
    ----------
    .. [1] J. J. Rissanen (1996). Fisher information and stochastic complexity. IEEE Trans. Inf.
           Theory 42. https://doi.org/10.1109/18.481776
    .. [2] P. Kontkanen, P. Myllymäki (2007). A linear-time algorithm for computing the
           multinomial stochastic complexity. Inf. Process. Lett. 103.
           https://doi.org/10.1016/j.ipl.2007.04.003

    Examples
    --------
    >>> round(cb.q0_nml(cb.Contingency.from_counts([[30, 5], [10, 55]])), 6)
    0.637628
    """
    classes = number_of_classes(n_classes, table.shape[0])
    sizes, repeats = distinct(table.cluster_sizes)
    cost = log2_nml_normalizer(sizes, classes)
    return table.class_entropy_given_cluster + weighted_sum(cost, repeats) / table.n


@measure(family="code_length", bounds=(0, math.inf), better="lower", scale_free=False)
def q0_mixture(table: Contingency, *, n_classes: int | None = None) -> float:
    r"""Code length by a mixture of Dirichlet priors, from nearly pure clusters to nearly uniform.

    .. math:: -\frac1n \log \frac1{33} \sum_\alpha \prod_k
        \frac{\Gamma(|C|\alpha)}{\Gamma(h(k)+|C|\alpha)}
        \prod_c \frac{\Gamma(h(c,k)+\alpha)}{\Gamma(\alpha)},
        \qquad \alpha = 10^{-4}, 10^{-3.75}, \dots, 10^4

    A column of counts has a Dirichlet prior; `q0_enumerative` is the member α = 1. The mixture is
    at most 5.1 bits in total longer than its best member, so it is far shorter than `q0` if classes
    are small. No clustering of the same classes is shorter than the classes themselves. It forgives
    splits of pure clusters more than `q0` does, and picks more clusters. Choose it for its
    `evidence`, or if small pure clusters do no harm. `reduced_mutual_information` is the same code
    with the best α.

    References
    ----------
    .. [1] M. Jerdee, A. Kirkley, M. E. J. Newman (2024). Mutual information and the encoding of
           contingency tables. https://arxiv.org/abs/2405.05393

    Examples
    --------
    >>> round(cb.q0_mixture(cb.Contingency.from_counts([[30, 5], [10, 55]])), 6)
    0.66403
    """
    return enumerated_bits(table) + _mixture_bits(table, n_classes) / table.n


@measure(
    family="code_length",
    bounds=(-math.inf, math.inf),
    better="higher",
    weights="none",
    orders_like="q0_mixture",
)
def evidence(
    table: Contingency, *, beyond: Contingency | None = None, n_classes: int | None = None
) -> float:
    r"""Evidence against chance: the bits that the clusters save by a mixture code, in total.

    .. math:: S = \log \frac{n!}{\prod_c h(c)!} - n\,Q_0^{\text{mixture}}

    The classes of someone who knows only their sizes cost the first term. If the clusters tell
    nothing (each arrangement of the classes is as likely as any other), S is t bits or more with
    probability at most :math:`2^{-t}`, at any size and without a single random table: 2**S is an
    e-value. Bits of independent batches add up, and one may look at their sum as often as one
    likes. One may look at one sample while it grows if `n_classes` is fixed beforehand and earlier
    objects keep their clusters. Small tables have few bits, and `permutation_test` sees more there.
    Choose it to rule out chance, and `q0` to compare clusterings. It takes no weights: an object of
    weight 3 is not three objects. 0 or less if the bits do not speak against chance; 0 for one
    class.

    Parameters
    ----------
    beyond : labeling, optional
        The clusters of the same objects in another clustering A. The evidence is then that the
        clusters tell something beyond A: each arrangement of the classes *within the clusters of
        A* is as likely as any other under the hypothesis. The first term is
        :math:`\sum_a \log h(a)!/\prod_c h(c,a)!`, and the columns of the mixture code are the
        intersections of the clusters of both. By default A is one cluster. It needs labels, not a
        table, and takes no weights; the objects are those that count in all three labelings.

    References
    ----------
    .. [1] V. Vovk, R. Wang (2021). E-values: calibration, combination and applications. Annals of
           Statistics 49. https://doi.org/10.1214/20-AOS2020
    .. [2] P. Grünwald, R. de Heide, W. Koolen (2024). Safe testing. Journal of the Royal
           Statistical Society B 86. https://doi.org/10.1093/jrsssb/qkae011

    Examples
    --------
    >>> round(cb.evidence(cb.Contingency.from_counts([[30, 5], [10, 55]])), 2)
    23.42

    Finer clusters tell something beyond coarse ones, and coarse ones nothing beyond finer ones:

    >>> truth = [0] * 40 + [1] * 40 + [2] * 40
    >>> coarse, fine = [0] * 80 + [1] * 40, truth
    >>> round(cb.evidence(truth, fine, beyond=coarse), 2)
    70.02
    >>> round(cb.evidence(truth, coarse, beyond=fine), 2)
    -6.49
    """
    if beyond is None:
        saved = arrangement_bits(table)
    else:
        saved = table.n * (enumerated_bits(beyond) - enumerated_bits(table))
    return saved - _mixture_bits(table, n_classes)


# 33 priors, from nearly pure columns to nearly uniform ones.
_ALPHAS = 10.0 ** (np.arange(-16, 17) / 4)


def _mixture_bits(table: Contingency, n_classes: int | None) -> float:
    """Bits in total that name the columns, by the mean of the priors' probabilities."""
    classes = number_of_classes(n_classes, table.shape[0])
    nats = column_nats(table.counts, table.cluster_sizes, classes, _ALPHAS)
    shortest = float(nats.min())
    return (shortest - math.log(np.exp(shortest - nats).mean())) * BITS_PER_NAT


def no_clusters_bits(table: TableStatistics, n_classes: int | None = None) -> float:
    """Bits per object of the no-cluster baseline: one cluster or singletons, if these are fewer."""
    one_cluster = table.class_entropy + table.one_cluster_bits(n_classes)
    return minimum(one_cluster, table.singleton_bits(n_classes))
