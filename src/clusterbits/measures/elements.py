"""Measures that ask each object how much of its cluster, or of its class, belongs to it."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from clusterbits.measures.catalogue import similarity
from clusterbits.table.contingency import Contingency


@similarity(family="elements", aliases=("b3_precision",))
def bcubed_precision(table: Contingency) -> float:
    r"""BCubed precision: for an average object, the share of its cluster that is of its class.

    .. math:: \frac1n \sum_{c,k} \frac{h(c,k)^2}{h(k)}

    Singletons score 1; read it with `bcubed_recall`.

    References
    ----------
    .. [1] A. Bagga, B. Baldwin (1998). Entity-based cross-document coreferencing using the vector
           space model. ACL. https://doi.org/10.3115/980845.980859
    .. [2] E. Amigó, J. Gonzalo, J. Artiles, F. Verdejo (2009). A comparison of extrinsic clustering
           evaluation metrics based on formal constraints. Inf. Retr. 12.
           https://doi.org/10.1007/s10791-008-9066-8

    Examples
    --------
    >>> cb.bcubed_precision([0, 0, 1, 1], [0, 0, 0, 1])
    0.6666666666666666
    """
    if len(table.counts) == table.shape[1]:
        return 1.0
    return _mean_share(table, table.cluster_sizes[table.columns])


@similarity(family="elements", aliases=("b3_recall",), references_of=bcubed_precision)
def bcubed_recall(table: Contingency) -> float:
    r"""BCubed recall: for an average object, the share of its class that is in its cluster.

    .. math:: \frac1n \sum_{c,k} \frac{h(c,k)^2}{h(c)}

    One cluster scores 1; read it with `bcubed_precision`.

    Examples
    --------
    >>> cb.bcubed_recall([0, 0, 1, 1], [0, 0, 0, 1])
    0.75
    """
    if len(table.counts) == table.shape[0]:
        return 1.0
    return _mean_share(table, table.class_sizes[table.rows])


@similarity(
    family="elements",
    symmetric=True,
    aliases=("bcubed", "b3", "b3_f1", "bcubed_f", "b_cubed"),
    references_of=bcubed_precision,
)
def bcubed_f1(table: Contingency) -> float:
    r"""BCubed F1: the harmonic mean of BCubed precision and recall.

    .. math:: \frac{2 P R}{P + R}

    The only measure here that passes all four of Amigó's constraints, the rag bag included; common
    in coreference and record linkage. Not adjusted for chance. Choose it if each object, not each
    pair, should count.

    Examples
    --------
    >>> round(cb.bcubed_f1([0, 0, 1, 1], [0, 0, 0, 1]), 6)
    0.705882
    """
    precision, recall = bcubed_precision.score_table(table), bcubed_recall.score_table(table)
    return 2 * precision * recall / (precision + recall)


@similarity(
    family="elements", symmetric=True, aliases=("element_sim", "element_centric_similarity", "ecs")
)
def element_centric(table: Contingency) -> float:
    r"""Element-centric similarity: how alike an object's surroundings are in both labelings.

    .. math:: \frac1n \sum_{c,k} \frac{h(c,k)^2}{\max(h(c), h(k))}

    The personalized-PageRank definition of its authors comes to this sum for disjoint groups,
    whatever the restart probability. Every object counts alike, in groups of any size. Not adjusted
    for chance. Choose it if neither labeling is the truth. Separating the classes of a mixed
    cluster may leave it unchanged.

    References
    ----------
    .. [1] A. J. Gates, I. B. Wood, W. P. Hetrick, Y.-Y. Ahn (2019). Element-centric clustering
           comparison unifies overlaps and hierarchy. Sci. Rep. 9.
           https://doi.org/10.1038/s41598-019-44892-y

    Examples
    --------
    >>> round(cb.element_centric([0, 0, 1, 1], [0, 0, 0, 1]), 6)
    0.541667
    """
    sizes = table.class_sizes[table.rows], table.cluster_sizes[table.columns]
    return _mean_share(table, np.maximum(*sizes))


def share_objects(counts: NDArray[Any], sizes: NDArray[Any]) -> NDArray[np.float64]:
    """H · h/size of each cell: its objects times their share of the group."""
    h = counts.astype(np.float64)
    return h * (h / sizes.astype(np.float64))


def _mean_share(table: Contingency, sizes: NDArray[Any]) -> float:
    """Σ h/n · h/size over the cells."""
    return float(share_objects(table.counts, sizes).sum()) / table.n
