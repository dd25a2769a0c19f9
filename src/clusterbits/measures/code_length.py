r"""Dom's family: the bits that the class labels cost someone who knows the cluster labels.

To send the classes one sends the table, column by column, and then the labels given their
cluster. The table costs :math:`f(h(k)) = \log \binom{h(k)+|C|-1}{|C|-1}` bits for a cluster of
h(k) objects (equations 3 and 4 of the paper), the labels :math:`n \tilde H(C|K)`. Good clusters
make the labels cheap; many clusters make the table costly. That is why the sum compares
clusterings with different numbers of clusters, which each part alone cannot.
"""

import math
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from clusterbits.errors import MeasureError
from clusterbits.measures.catalogue import measure, similarity
from clusterbits.measures.dirichlet import arrangement_bits, column_nats, enumerated_bits
from clusterbits.measures.extremes import worst_bits
from clusterbits.table.contingency import Contingency, tables_beyond
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
def q0(table: TableStatistics, *, base: float = 2, n_classes: int | None = None) -> float:
    r"""Dom's code length: bits per object to send the classes, given the clusters.

    .. math:: Q_0 = \tilde H(C|K) + \frac1n \sum_k \log \binom{h(k)+|C|-1}{|C|-1}

    Equation (5) of the paper. With two classes or more it is smallest where clusters equal classes,
    and only there; any split of a pure cluster costs bits, and so does any merge of clusters
    without a common class (the documentation has proofs, on the page "What is proved"). Choose it
    to compare clusterings of the same objects with different numbers of clusters. Bits of different
    data sets do not compare; `share_saved` has at least the same 0 and 1 everywhere.

    Returns
    -------
    float
        Code length per object, at least 0; lower is better.

    See Also
    --------
    q2 : the same, normalised to 0 … 1.
    q0_enumerative, q0_nml : shorter codes for the same labels.

    References
    ----------
    .. [1] B. E. Dom (2002). An information-theoretic external cluster-validity measure. UAI.
           https://arxiv.org/abs/1301.0565

    Examples
    --------
    >>> import clusterbits as cb
    >>> round(cb.q0(["a", "a", "b", "b"], [1, 1, 2, 2]), 6)
    0.792481
    >>> round(cb.q0(cb.Contingency.from_counts([[30, 5], [10, 55]])), 6)
    0.685684
    """
    return _in_base(table.class_entropy_given_cluster + table.table_bits(n_classes), base)


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

    B is what the classes cost without clusters: with all objects together or with each alone,
    whichever is cheaper. An object alone costs log|C| bits; with balanced weights, what a column
    of its weight costs; with other weights, log|C| per unit of weight. Bits of different data sets
    do not compare; `share_saved` has the same 0 and 1 everywhere. Choose it to say in bits what the
    clusters are worth.

    Returns
    -------
    float
        Bits per object; higher is better. 0 is as good as no clusters, negative where the
        clusters cost more than they tell.

    See Also
    --------
    share_saved : the same as a share of what can be saved.

    Examples
    --------
    >>> import clusterbits as cb
    >>> round(cb.bits_saved(cb.Contingency.from_counts([[30, 5], [10, 55]])), 6)
    0.314316
    """
    columns = table.table_bits(n_classes)
    together = table.mutual_information + table.one_cluster_bits(n_classes) - columns
    alone = table.singleton_bits(n_classes) - columns - table.class_entropy_given_cluster
    return minimum(together, alone)


@similarity(
    family="code_length",
    bounds=(-math.inf, 1),
    references_of=q0,
    scale_free=False,
    orders_like="q0",
)
def share_saved(table: TableStatistics, *, n_classes: int | None = None) -> float:
    r"""Share saved: the bits that the clusters save, as a share of what can be saved.

    .. math:: \frac{B - Q_0}{B - \min_K Q_0}, \quad
        B = \min\{Q_0(\text{all together}), Q_0(\text{each alone})\}

    The answer to "how many bits do your clusters save?" B is what the classes cost without
    clusters: with all objects together or with each alone, whichever is cheaper. 0 and 1 mean the
    same for every data set; what lies between depends on the number and the sizes of the classes.
    It orders clusterings as `q0` does, and is not symmetric. On average random clusters save
    nothing, or little where a few large classes are among very many single objects ("What is
    proved", section 6, in the documentation). Choose it to compare clusterings with different
    numbers of clusters. Balanced weights let one rare object count as many alike, so that finer
    random clusters save more: choose `q2_adjusted` then.

    Returns
    -------
    float
        At most 1; higher is better. 0 is as good as no clusters, negative where the
        clusters cost more than they tell. With a single class, or with one object to a class,
        nothing can be saved: 1 for a perfect clustering, else 0.

    See Also
    --------
    bits_saved : the same in bits per object.
    q2_adjusted : 0 for random clusterings of the same sizes.

    Examples
    --------
    >>> import clusterbits as cb
    >>> table = cb.Contingency.from_counts([[30, 5], [10, 55]])
    >>> round(cb.share_saved(table), 6)
    0.354016
    >>> people = [record // 2 for record in range(1000)]
    >>> cb.share_saved(people, range(1000)), cb.share_saved(people, people)
    (0.0, 1.0)
    """
    without = no_clusters_bits(table, n_classes)
    room = without - table.perfect_bits(n_classes)
    # With one object to a class nothing can be saved; what is left is rounding then.
    share = ratio(
        bits_saved.score_table(table, n_classes=n_classes), room, rounding=1e-14 * without
    )
    return minimum(share, 1.0)


@similarity(family="code_length", references_of=q0, scale_free=False, orders_like="q0")
def q2(
    table: TableStatistics,
    *,
    worst: Literal["bound", "exact"] = "bound",
    n_classes: int | None = None,
) -> float:
    r"""Dom's code length, normalised as in the paper: 1 is perfect, 0 worse than no clusters.

    .. math:: Q_2 = \frac{\max_K Q_0 - Q_0}{\max_K Q_0 - \min_K Q_0}

    Equation (7) of the paper, with its upper bound H(C) + log|C| for the maximum, or with the true
    maximum. It orders clusterings of one data set as `q0` does. Its 0 is not "no clusters": with
    the bound and classes of 100 objects, one cluster scores 0.51 (five classes) to 0.65 (a
    thousand), the worst clustering 0.21 to 0.53. Only with ``worst="exact"`` the worst scores 0.
    Choose it to quote the paper's value; `share_saved` is easier to read.

    Parameters
    ----------
    worst : "bound" or "exact"
        The maximum to normalise by: the paper's bound, or the certified worst clustering of
        these class sizes (`worst_clustering`), which makes 0 attainable.

    Returns
    -------
    float
        From 0 to 1; higher is better. With a single class every clustering is perfect.

    See Also
    --------
    q2_adjusted : 0 for random clusterings, whatever their number of clusters.

    Examples
    --------
    >>> import clusterbits as cb
    >>> table = cb.Contingency.from_counts([[30, 5], [10, 55]])
    >>> round(cb.q2(table), 6), round(cb.q2(table, worst="exact"), 6)
    (0.6852, 0.615993)
    """
    if worst == "exact":
        highest = worst_bits(table.class_sizes, n_classes)
    else:
        classes = number_of_classes(n_classes, table.shape[0])
        highest = table.class_entropy + elementwise(math.log2, classes)
    bits = q0.score_table(table, n_classes=n_classes)
    return maximum(ratio(highest - bits, highest - table.perfect_bits(n_classes), otherwise=1), 0.0)


@similarity(family="code_length", bounds=(-math.inf, 1), adjusted=True, weights="balanced")
def q2_adjusted(table: TableStatistics, *, n_classes: int | None = None) -> float:
    r"""Dom's code length, adjusted for chance: 0 for random labels on average, 1 for perfect ones.

    .. math:: \frac{E[Q_0] - Q_0}{E[Q_0] - \min_K Q_0}
        = \frac{I(C;K) - E[I]}{H(C) - E[I] + \text{model}(K) - \min_K Q_0}

    Under the permutation model (cluster sizes kept, objects shuffled) the table's cost stays,
    so only the mutual information has an expectation to take; with ``weights="balanced"`` both have
    one. Choose it where clusterings with
    very different numbers of clusters are all close to random.

    Returns
    -------
    float
        At most 1; higher is better; negative where worse than chance.

    See Also
    --------
    adjusted_mutual_information : the same adjustment without the cost of the table.

    References
    ----------
    .. [1] B. E. Dom (2002). An information-theoretic external cluster-validity measure. UAI.
           https://arxiv.org/abs/1301.0565
    .. [2] N. X. Vinh, J. Epps, J. Bailey (2010). Information theoretic measures for clusterings
           comparison. JMLR 11. https://jmlr.org/papers/v11/vinh10a.html

    Examples
    --------
    >>> import clusterbits as cb
    >>> round(cb.q2_adjusted(cb.Contingency.from_counts([[30, 5], [10, 55]])), 6)
    0.381601
    """
    above_chance = table.mutual_information - table.expected_information()
    above_chance += table.expected_table_bits(n_classes) - table.table_bits(n_classes)
    extra_model = table.table_bits(n_classes) - table.perfect_bits(n_classes)
    room = table.class_entropy_given_cluster + above_chance + extra_model
    return ratio(above_chance, room, otherwise=1)


@similarity(family="code_length", scale_free=False, orders_like="q0")
def q2_2001(table: TableStatistics, *, n_classes: int | None = None) -> float:
    r"""Dom's first normalisation: the least possible code length over the actual one.

    .. math:: \min_K Q_0 / Q_0

    The form of the 2001 report, which a footnote of the paper replaced because the sizes of its
    changes misled users. Here for comparison with older results; choose `q2` otherwise.

    References
    ----------
    .. [1] B. E. Dom (2001). An information-theoretic external cluster-validity measure.
           IBM Research Report RJ 10219.

    Examples
    --------
    >>> import clusterbits as cb
    >>> round(cb.q2_2001(cb.Contingency.from_counts([[30, 5], [10, 55]])), 6)
    0.163549
    """
    return ratio(
        table.perfect_bits(n_classes), q0.score_table(table, n_classes=n_classes), otherwise=1
    )


@measure(
    family="code_length",
    bounds=(0, math.inf),
    better="lower",
    best_when_perfect=False,
    references_of=q0,
    scale_free=False,
)
def q0_asymptotic(
    table: TableStatistics, *, base: float = 2, n_classes: int | None = None
) -> float:
    r"""Dom's code length for very many objects, with the table's cost to first order.

    .. math:: \tilde H(C|K) + |K|\,(|C|-1) \frac{\log n}{n}

    Equation (6) of the paper. It drops constants and is far off for small n (0.359 against 0.221
    bits for 500 objects in five pure clusters), where it may even prefer one large cluster to
    the classes themselves. Choose `q0`.

    Returns
    -------
    float
        Code length per object, at least 0; lower is better.

    Examples
    --------
    >>> import clusterbits as cb
    >>> round(cb.q0_asymptotic(cb.Contingency.from_counts([[30, 5], [10, 55]])), 6)
    0.705678
    """
    classes, clusters = number_of_classes(n_classes, table.shape[0]), table.shape[1]
    rate = maximum(elementwise(math.log2, table.n), 0.0)
    model = clusters * (classes - 1) * rate / table.n
    return _in_base(table.class_entropy_given_cluster + model, base)


@measure(family="code_length", bounds=(0, math.inf), better="lower", scale_free=False)
def q0_enumerative(table: Contingency, *, base: float = 2, n_classes: int | None = None) -> float:
    r"""Code length with enumerated labels: what a uniform Dirichlet prior assigns.

    .. math:: \frac1n \sum_k \left[ \log \frac{h(k)!}{\prod_c h(c,k)!}
        + \log \binom{h(k)+|C|-1}{|C|-1} \right]

    The labels of a cluster are sent as their index among all arrangements with the same counts.
    Never above `q0`; equal to minus the log marginal likelihood of the classes under a uniform
    prior in each cluster. Choose it as the exact Bayesian reading of Dom's measure.

    Returns
    -------
    float
        Code length per object, at least 0; lower is better.

    References
    ----------
    .. [1] T. M. Cover (1973). Enumerative source encoding. IEEE Trans. Inf. Theory 19.
           https://doi.org/10.1109/TIT.1973.1054929

    Examples
    --------
    >>> import clusterbits as cb
    >>> round(cb.q0_enumerative(cb.Contingency.from_counts([[30, 5], [10, 55]])), 6)
    0.633281
    """
    return _in_base(enumerated_bits(table) + table.table_bits(n_classes), base)


def _nml_steps(table: Contingency) -> float:
    """A step for each class and cluster size, and what numpy takes for a class."""
    return table.shape[0] * (1000.0 + table.shape[1])


@measure(
    family="code_length", bounds=(0, math.inf), better="lower", work=_nml_steps, scale_free=False
)
def q0_nml(table: Contingency, *, base: float = 2, n_classes: int | None = None) -> float:
    r"""Code length by normalised maximum likelihood: the minimax-regret code for the classes.

    .. math:: \tilde H(C|K) + \frac1n \sum_k \log \mathcal C(h(k), |C|)

    :math:`\mathcal C(m, r)` sums the maximum likelihoods of all label sequences of length m over r
    classes. It replaces Dom's uniform code for the table by the one with the least worst-case
    excess. Choose it where the model's cost decides and no prior is wanted.

    Returns
    -------
    float
        Code length per object, at least 0; lower is better.

    References
    ----------
    .. [1] J. J. Rissanen (1996). Fisher information and stochastic complexity. IEEE Trans. Inf.
           Theory 42. https://doi.org/10.1109/18.481776
    .. [2] P. Kontkanen, P. Myllymäki (2007). A linear-time algorithm for computing the
           multinomial stochastic complexity. Inf. Process. Lett. 103.
           https://doi.org/10.1016/j.ipl.2007.04.003

    Examples
    --------
    >>> import clusterbits as cb
    >>> round(cb.q0_nml(cb.Contingency.from_counts([[30, 5], [10, 55]])), 6)
    0.637628
    """
    classes = number_of_classes(n_classes, table.shape[0])
    sizes, repeats = distinct(table.cluster_sizes)
    cost = log2_nml_normalizer(sizes, classes)
    return _in_base(table.class_entropy_given_cluster + weighted_sum(cost, repeats) / table.n, base)


@measure(family="code_length", bounds=(0, math.inf), better="lower", scale_free=False)
def q0_mixture(table: Contingency, *, base: float = 2, n_classes: int | None = None) -> float:
    r"""Code length by a mixture of Dirichlet priors, from nearly pure clusters to nearly uniform.

    .. math:: -\frac1n \log \frac1{33} \sum_\alpha \prod_k
        \frac{\Gamma(|C|\alpha)}{\Gamma(h(k)+|C|\alpha)}
        \prod_c \frac{\Gamma(h(c,k)+\alpha)}{\Gamma(\alpha)},
        \qquad \alpha = 10^{-4}, 10^{-3.75}, \dots, 10^4

    A column of counts has a Dirichlet prior; `q0_enumerative` is the member α = 1. The mixture is
    at most 5.1 bits in all longer than its best member, so it is far shorter than `q0` where
    classes are small. No clustering of the same classes is shorter than the classes themselves. It
    forgives splits of pure clusters more than `q0` does, and picks more clusters. Choose it for
    its `evidence`, or where small pure clusters do no harm.

    Returns
    -------
    float
        Code length per object, at least 0; lower is better.

    See Also
    --------
    evidence : the bits that this code saves, as evidence against chance.
    reduced_mutual_information : the same code with the best α.

    References
    ----------
    .. [1] M. Jerdee, A. Kirkley, M. E. J. Newman (2024). Mutual information and the encoding of
           contingency tables. https://arxiv.org/abs/2405.05393

    Examples
    --------
    >>> import clusterbits as cb
    >>> round(cb.q0_mixture(cb.Contingency.from_counts([[30, 5], [10, 55]])), 6)
    0.66403
    """
    return _in_base(enumerated_bits(table) + _mixture_bits(table, n_classes) / table.n, base)


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
    Choose it to rule out chance, and `q0` to compare clusterings. It takes no weights: an
    object of weight 3 is not three objects.

    Parameters
    ----------
    beyond : labeling, optional
        The clusters of the same objects in another clustering A. The evidence is then that the
        clusters tell something beyond A: each arrangement of the classes *within the clusters of
        A* is as likely as any other under the hypothesis. The first term is
        :math:`\sum_a \log h(a)!/\prod_c h(c,a)!`, and the columns of the mixture code are the
        intersections of the clusters of both. By default A is one cluster. It needs labels, not a
        table, and takes no weights; the objects are those that count in all three labelings.

    Returns
    -------
    float
        Bits in total, not per object; higher is better. 0 or less if the bits do not speak against
        chance; 0 for one class.

    See Also
    --------
    permutation_test : for small tables, by random ones.

    References
    ----------
    .. [1] V. Vovk, R. Wang (2021). E-values: calibration, combination and applications. Annals of
           Statistics 49. https://doi.org/10.1214/20-AOS2020
    .. [2] P. Grünwald, R. de Heide, W. Koolen (2024). Safe testing. Journal of the Royal
           Statistical Society B 86. https://doi.org/10.1093/jrsssb/qkae011

    Examples
    --------
    >>> import clusterbits as cb
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


def conditional_evidence(
    counts: NDArray[Any], classes: NDArray[Any], given: NDArray[Any], clusters: NDArray[Any]
) -> float:
    """Return the evidence of `clusters` beyond `given`, from unique label rows.

    A row is a number of objects, and the codes of their class and of their two clusters.

    >>> counts, classes = np.array([40, 40, 40]), np.array([0, 1, 2])
    >>> coarse, fine = np.array([0, 0, 1]), np.array([0, 1, 2])
    >>> round(conditional_evidence(counts, classes, coarse, fine), 2)
    70.02
    """
    table, beyond = tables_beyond(counts, classes, given, clusters)
    return evidence.score_table(table, beyond=beyond)


# 33 priors, from nearly pure columns to nearly uniform ones.
_ALPHAS = 10.0 ** (np.arange(-16, 17) / 4)


def _mixture_bits(table: Contingency, n_classes: int | None) -> float:
    """Return the bits in all that name the columns, by the mean of the priors' probabilities."""
    classes = number_of_classes(n_classes, table.shape[0])
    nats = column_nats(table.counts, table.cluster_sizes, classes, _ALPHAS)
    least = float(nats.min())
    return (least - math.log(np.exp(least - nats).mean())) * BITS_PER_NAT


def table_bits(table: Contingency, n_classes: int | None = None) -> float:
    """Return the bits per object that the table costs: the second term of equation (5).

    It depends on the cluster sizes and the number of classes only.
    """
    if not isinstance(table, Contingency):
        raise MeasureError(f"table_bits takes a table; a {type(table).__name__} was given.")
    return table.table_bits(n_classes)


def no_clusters_bits(table: TableStatistics, n_classes: int | None = None) -> float:
    """Return the bits per object of all objects together, or of each alone: whichever is less."""
    together = table.class_entropy + table.one_cluster_bits(n_classes)
    return minimum(together, table.singleton_bits(n_classes))


def _in_base(bits: float, base: float) -> float:
    if not (isinstance(base, int | float) and 1 < base <= 1e300):
        raise MeasureError(f"base is {base!r}; that of a logarithm is above 1, such as 2, e or 10.")
    if base == 2:
        return bits
    return bits / math.log2(base)
