r"""Measures of coreference resolution: classes are the true entities, objects are mentions.

Here both sides have the same mentions. If a system finds its own, `score` does what the reference
scorer of CoNLL does, document by document. B³ is `bcubed_f1`, and CEAF-m is `accuracy`.
"""

from collections.abc import Callable

from clusterbits.coreference.mention_counts import (
    Alignment,
    MentionTally,
    Quality,
    rate,
    rate_blanc,
    tally_ceaf_e,
    tally_lea,
    tally_muc,
)
from clusterbits.measures.assignment import assignment_steps
from clusterbits.measures.catalogue import similarity
from clusterbits.measures.elements import bcubed_f1
from clusterbits.table.contingency import Contingency
from clusterbits.table.statistics import TableStatistics


def _rate(table: Contingency, tally: Callable[[Alignment], MentionTally]) -> Quality:
    return rate(tally(Alignment.from_table(table)))


def _rate_blanc(table: TableStatistics) -> Quality:
    pairs = table.pairs
    linked = MentionTally(pairs.a00, pairs.same_class, pairs.a00, pairs.same_cluster)
    key, response = pairs.total - pairs.same_class, pairs.total - pairs.same_cluster
    apart = MentionTally(pairs.a11, key, pairs.a11, response)
    return rate_blanc((linked, apart), by_key=False)


@similarity(family="coreference", weights="none")
def muc_precision(table: Contingency) -> float:
    r"""MUC precision: the share of a system's coreference links that are right.

    .. math:: \frac{\sum_{c,k} (h(c,k) - 1)}{\sum_k (h(k) - 1)}

    The sum above is over cells that are not empty. An entity of h mentions takes h − 1 links to
    hold together. One entity of everything loses little, so read it beside `muc_recall`, or choose
    `conll_f1`. It is 0 if no cluster has a link to count, unless clusters equal classes.

    References
    ----------
    .. [1] M. Vilain, J. Burger, J. Aberdeen, D. Connolly, L. Hirschman (1995). A model-theoretic
           coreference scoring scheme. MUC-6. https://doi.org/10.3115/1072399.1072405

    Examples
    --------
    >>> cb.coreference.muc_precision([0, 0, 0, 1, 1], [0, 0, 1, 1, 1])
    0.6666666666666666
    """
    return float(_rate(table, tally_muc).precision)


@similarity(family="coreference", weights="none", references_of=muc_precision)
def muc_recall(table: Contingency) -> float:
    r"""MUC recall: the share of the true coreference links that a system found.

    .. math:: \frac{\sum_{c,k} (h(c,k) - 1)}{\sum_c (h(c) - 1)}

    The sum above is over cells that are not empty. One entity of everything scores 1, so read it
    beside `muc_precision`, or choose `conll_f1`. It is 0 if no class has a link to count, unless
    clusters equal classes.

    Examples
    --------
    >>> cb.coreference.muc_recall([0, 0, 0, 1, 1, 2], [0, 0, 1, 1, 1, 1])
    0.6666666666666666
    """
    return float(_rate(table, tally_muc).recall)


@similarity(
    family="coreference",
    symmetric=True,
    weights="none",
    aliases=("muc",),
    references_of=muc_precision,
)
def muc_f1(table: Contingency) -> float:
    r"""MUC F1: the harmonic mean of MUC precision and recall.

    .. math:: \frac{2 P R}{P + R}

    The oldest score of coreference. It counts links, so that entities of one mention count for
    nothing, and joining all entities costs one link each. Choose it as a part of `conll_f1`, not
    alone. Clusters that equal classes score 1 even if there is no link; the reference scorer of
    CoNLL, and `coreference.score`, return 0.

    Examples
    --------
    >>> cb.coreference.muc_f1([0, 0, 0, 1, 1], [0, 0, 0, 0, 0])
    0.8571428571428571
    """
    return float(_rate(table, tally_muc).f1)


@similarity(family="coreference", work=assignment_steps)
def ceaf_e_precision(table: Contingency) -> float:
    r"""CEAF-e precision: how well the entities of a system match true ones, one to one.

    .. math:: \frac{1}{|K|} \max_\sigma \sum_c \frac{2 h(c,\sigma(c))}{h(c) + h(\sigma(c))}

    Every entity counts alike, whatever its size, and entities beyond the number of true ones match
    nothing. Read it beside `ceaf_e_recall`.

    References
    ----------
    .. [1] X. Luo (2005). On coreference resolution performance metrics. HLT/EMNLP.
           https://doi.org/10.3115/1220575.1220579

    Examples
    --------
    >>> cb.coreference.ceaf_e_precision([0, 0, 0, 1, 1], [0, 0, 0, 1, 2])
    0.5555555555555555
    """
    return float(_rate(table, tally_ceaf_e).precision)


@similarity(family="coreference", work=assignment_steps, references_of=ceaf_e_precision)
def ceaf_e_recall(table: Contingency) -> float:
    r"""CEAF-e recall: how well true entities are matched by those of a system, one to one.

    .. math:: \frac{1}{|C|} \max_\sigma \sum_c \frac{2 h(c,\sigma(c))}{h(c) + h(\sigma(c))}

    Every entity counts alike, whatever its size. Read it beside `ceaf_e_precision`.

    Examples
    --------
    >>> cb.coreference.ceaf_e_recall([0, 0, 0, 1, 1], [0, 0, 0, 1, 2])
    0.8333333333333333
    """
    return float(_rate(table, tally_ceaf_e).recall)


@similarity(
    family="coreference",
    symmetric=True,
    aliases=("ceaf_e", "ceafe"),
    work=assignment_steps,
    references_of=ceaf_e_precision,
)
def ceaf_e_f1(table: Contingency) -> float:
    r"""CEAF-e F1: entities matched one to one by their overlap, harmonic mean of both sides.

    .. math:: \frac{2}{|C| + |K|} \max_\sigma \sum_c \frac{2 h(c,\sigma(c))}{h(c) + h(\sigma(c))}

    A class split in two keeps only one part, however large the other, and many entities of one
    mention outweigh a few long ones. Choose it if each entity counts; `accuracy`, which is
    CEAF-m, counts mentions.

    Examples
    --------
    >>> round(cb.coreference.ceaf_e_f1([0, 0, 0, 1, 1], [0, 0, 0, 1, 2]), 6)
    0.666667
    """
    return float(_rate(table, tally_ceaf_e).f1)


@similarity(family="coreference")
def blanc_precision(table: TableStatistics) -> float:
    r"""BLANC precision: the mean of that of coreference links and that of pairs not linked.

    .. math:: \frac12 \left( \frac{a_{00}}{a_{00} + a_{10}} + \frac{a_{11}}{a_{11} + a_{01}} \right)

    The first is `pair_precision`. Read it beside `blanc_recall`. If neither side has links (or
    non-links), it is the score of the other kind.

    References
    ----------
    .. [1] M. Recasens, E. Hovy (2011). BLANC: implementing the Rand index for coreference
           evaluation. Nat. Lang. Eng. 17. https://doi.org/10.1017/S135132491000029X
    .. [2] X. Luo, S. Pradhan, M. Recasens, E. Hovy (2014). An extension of BLANC to system
           mentions. ACL. https://doi.org/10.3115/v1/P14-2005

    Examples
    --------
    >>> round(cb.coreference.blanc_precision([0, 0, 0, 1, 1], [0, 0, 1, 1, 1]), 6)
    0.583333
    """
    precision: float = _rate_blanc(table).precision  # of a stack of tables, an array
    return precision


@similarity(family="coreference", references_of=blanc_precision, orders_like="peirce")
def blanc_recall(table: TableStatistics) -> float:
    r"""BLANC recall: the mean of that of coreference links and that of pairs not linked.

    .. math:: \frac12 \left( \frac{a_{00}}{a_{00} + a_{01}} + \frac{a_{11}}{a_{11} + a_{10}} \right)

    The first is `pair_recall`. Read it beside `blanc_precision`. If neither side has links (or
    non-links), it is the score of the other kind.

    Examples
    --------
    >>> round(cb.coreference.blanc_recall([0, 0, 0, 1, 1], [0, 0, 1, 1, 2]), 6)
    0.541667
    """
    recall: float = _rate_blanc(table).recall  # of a stack of tables, an array
    return recall


@similarity(family="coreference", symmetric=True, aliases=("blanc",), references_of=blanc_precision)
def blanc_f1(table: TableStatistics) -> float:
    r"""BLANC: the mean F1 of coreference links and of pairs that are not linked.

    .. math:: \frac12 \left( \frac{2 a_{00}}{2 a_{00} + a_{01} + a_{10}}
        + \frac{2 a_{11}}{2 a_{11} + a_{01} + a_{10}} \right)

    The Rand index with both kinds of pairs weighed alike, since most mentions do not corefer. The
    first part is `pair_f1`. Not adjusted for chance. Choose it if leaving mentions apart is as
    much of a decision as linking them; long entities dominate it. If neither side has links (or
    non-links), it is the score of the other kind; the reference scorer of CoNLL, and
    `coreference.score`, look at the key alone.

    Examples
    --------
    >>> round(cb.coreference.blanc_f1([0, 0, 0, 1, 1], [0, 0, 1, 1, 1]), 6)
    0.583333
    """
    f1: float = _rate_blanc(table).f1  # of a stack of tables, an array
    return f1


@similarity(family="coreference", weights="none")
def lea_precision(table: Contingency) -> float:
    r"""LEA precision: the share of links of each found entity that are right, by its mentions.

    .. math:: \frac1n \sum_k h(k) \sum_c \frac{\binom{h(c,k)}{2}}{\binom{h(k)}{2}}

    An entity of one mention has one link, to itself, which is right if the mention is alone in the
    truth, too. Read it beside `lea_recall`.

    References
    ----------
    .. [1] N. S. Moosavi, M. Strube (2016). Which coreference evaluation metric do you trust? A
           proposal for a link-based entity aware metric. ACL. https://doi.org/10.18653/v1/P16-1060

    Examples
    --------
    >>> cb.coreference.lea_precision([0, 0, 0, 1, 1], [0, 0, 1, 1, 1])
    0.6
    """
    return float(_rate(table, tally_lea).precision)


@similarity(family="coreference", weights="none", references_of=lea_precision)
def lea_recall(table: Contingency) -> float:
    r"""LEA recall: the share of links of each true entity that were found, by its mentions.

    .. math:: \frac1n \sum_c h(c) \sum_k \frac{\binom{h(c,k)}{2}}{\binom{h(c)}{2}}

    An entity of one mention has one link, to itself, which is found if the mention is left alone.
    Read it beside `lea_precision`.

    Examples
    --------
    >>> cb.coreference.lea_recall([0, 0, 0, 1, 1], [0, 0, 1, 1, 2])
    0.2
    """
    return float(_rate(table, tally_lea).recall)


@similarity(
    family="coreference",
    symmetric=True,
    weights="none",
    aliases=("lea",),
    references_of=lea_precision,
)
def lea_f1(table: Contingency) -> float:
    r"""LEA F1: the links that are right within each entity, weighed by its mentions.

    .. math:: \frac{2 P R}{P + R}

    Link-based entity-aware: each entity is as important as it has mentions, and resolved as far as
    its links are right. A mention that joined a wrong entity earns nothing, unlike in B³. Choose it
    to rank systems by one number; report `conll_f1` beside it, to compare with others.

    Examples
    --------
    >>> round(cb.coreference.lea_f1([0, 0, 0, 1, 1], [0, 0, 1, 1, 1]), 6)
    0.6
    """
    return float(_rate(table, tally_lea).f1)


@similarity(
    family="coreference", symmetric=True, weights="none", aliases=("conll",), work=assignment_steps
)
def conll_f1(table: Contingency) -> float:
    r"""CoNLL score: the mean of the F1 of MUC, B³ and CEAF-e.

    .. math:: \frac{\mathrm{MUC} + \mathrm{B}^3 + \mathrm{CEAF}_e}{3}

    The number that papers on coreference report, since the shared task of 2012. It averages a view
    from links, one from mentions and one from entities. Choose it to compare with those papers.

    References
    ----------
    .. [1] S. Pradhan, X. Luo, M. Recasens, E. Hovy, V. Ng, M. Strube (2014). Scoring coreference
           partitions of predicted mentions: a reference implementation. ACL.
           https://doi.org/10.3115/v1/P14-2006

    Examples
    --------
    >>> round(cb.coreference.conll_f1([0, 0, 0, 1, 1], [0, 0, 1, 1, 1]), 6)
    0.733333
    """
    return (
        muc_f1.score_table(table) + bcubed_f1.score_table(table) + ceaf_e_f1.score_table(table)
    ) / 3
