r"""Measures that match each cluster with a class, or each class with a cluster.

The match is :math:`\hat c(k)`, the largest class of a cluster, and :math:`\hat k(c)`, the largest
cluster of a class (equations 8 and 9 of the paper).
"""

import math
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from clusterbits.measures.assignment import assignment_steps, best_assignment
from clusterbits.measures.catalogue import distance, similarity
from clusterbits.measures.code_length import q0
from clusterbits.measures.information import goodman_kruskal_tau
from clusterbits.table.contingency import Contingency
from clusterbits.table.log_factorials import FloatArray

# The groups that are matched with their largest part.
Groups = Literal["clusters", "classes"]


@distance(family="matching", references_of=q0, orders_like="purity")
def classification_error(table: Contingency) -> float:
    r"""Classification error: the share of objects outside the largest class of their cluster.

    .. math:: \frac1n \sum_k \left( h(k) - \max_c h(c,k) \right)

    One minus purity (section 5.2 of the paper). Splitting clusters never raises it, so use it only
    among clusterings with equally many clusters.

    Examples
    --------
    >>> cb.classification_error([0, 0, 0, 1], [0, 0, 1, 1])
    0.25
    """
    return _share(table, _outside_largest(table, "clusters"))


@distance(family="matching", aliases=("directional_hamming",), orders_like="purity")
def directional_hamming_distance(table: Contingency, *, of: Groups = "clusters") -> float:
    r"""Directional Hamming distance: the share of objects outside their group's best match.

    .. math:: D_H(C;K)/n = \frac1n \sum_k \sum_{c \ne \hat c(k)} h(c,k), \qquad
        D_H(K;C)/n = \frac1n \sum_c \sum_{k \ne \hat k(c)} h(c,k)

    Equations (10) and (11) of the paper, per object. Of clusters it counts objects mixed in, of
    classes objects split off; `hamming_similarity` takes both. Choose one direction to see one kind
    of error; neither compares different numbers of clusters.

    Parameters
    ----------
    of : "clusters" or "classes"
        Which groups are matched with their largest part.

    References
    ----------
    .. [1] Q. Huang, B. Dom (1995). Quantitative methods of evaluating image segmentation. ICIP.
           https://doi.org/10.1109/ICIP.1995.537578

    Examples
    --------
    >>> cb.directional_hamming_distance([0, 0, 0, 0], [0, 0, 0, 1])
    0.0
    >>> cb.directional_hamming_distance([0, 0, 0, 0], [0, 0, 0, 1], of="classes")
    0.25
    """
    return _share(table, _outside_largest(table, of))


@similarity(
    family="matching",
    symmetric=True,
    aliases=("normalized_hamming",),
    references_of=directional_hamming_distance,
)
def hamming_similarity(table: Contingency) -> float:
    r"""Normalized Hamming similarity: objects inside the best match, averaged both ways.

    .. math:: 1 - \frac{D_H(C;K) + D_H(K;C)}{2n}

    Equation (12), which the paper calls a distance although 1 is best. It does not see how the
    objects outside the match are spread over other groups. Choose it to read agreement as a share
    of objects.

    Examples
    --------
    >>> cb.hamming_similarity([0, 0, 0, 1], [0, 0, 1, 1])
    0.75
    """
    outside = _outside_largest(table, "clusters") + _outside_largest(table, "classes")
    return float((2 * table.n - outside) / (2 * table.n))


@similarity(family="matching", aliases=("purity_index",))
def purity(table: Contingency) -> float:
    r"""Purity: the share of objects in the largest class of their cluster.

    .. math:: \frac1n \sum_k \max_c h(c,k)

    One minus `classification_error`. Singletons score 1, so use it only among clusterings with
    equally many clusters.

    References
    ----------
    .. [1] Y. Zhao, G. Karypis (2004). Empirical and theoretical comparisons of selected criterion
           functions for document clustering. Mach. Learn. 55.
           https://doi.org/10.1023/B:MACH.0000027785.44527.d6

    Examples
    --------
    >>> cb.purity([0, 0, 0, 1], [0, 0, 1, 1])
    0.75
    """
    return _share(table, table.n - _outside_largest(table, "clusters"))


@similarity(family="matching")
def inverse_purity(table: Contingency) -> float:
    r"""Inverse purity: the share of objects in the largest cluster of their class.

    .. math:: \frac1n \sum_c \max_k h(c,k)

    One cluster scores 1; read it with `purity`.

    References
    ----------
    .. [1] E. Amigó, J. Gonzalo, J. Artiles, F. Verdejo (2009). A comparison of extrinsic clustering
           evaluation metrics based on formal constraints. Inf. Retr. 12.
           https://doi.org/10.1007/s10791-008-9066-8

    Examples
    --------
    >>> cb.inverse_purity([0, 0, 0, 1], [0, 0, 1, 1])
    0.75
    """
    return _share(table, table.n - _outside_largest(table, "classes"))


@similarity(family="matching", symmetric=True, aliases=("purity_f1",), references_of=inverse_purity)
def purity_f(table: Contingency) -> float:
    r"""Purity F: the harmonic mean of purity and inverse purity.

    .. math:: \frac{2 P I}{P + I}

    Splitting or merging perfect clusters lowers it, but it looks only at the largest part of each
    group. Choose `bcubed_f1`, which looks at all parts.

    Examples
    --------
    >>> cb.purity_f([0, 0, 0, 1], [0, 0, 1, 1])
    0.75
    """
    pure, inverse = purity.score_table(table), inverse_purity.score_table(table)
    return 2 * pure * inverse / (pure + inverse)


@similarity(family="matching", references_of=goodman_kruskal_tau, orders_like="purity")
def goodman_kruskal_lambda(table: Contingency) -> float:
    r"""Goodman and Kruskal's λ: the share of wrong guesses of the class that the cluster prevents.

    .. math:: \frac{\sum_k \max_c h(c,k) - \max_c h(c)}{n - \max_c h(c)}

    `purity` above that of one cluster. It is 0 if every cluster has the same largest class, however
    different the clusters are: `goodman_kruskal_tau` sees more. Use either only among clusterings
    with equally many clusters. It is 1 if there is one class.

    Examples
    --------
    >>> cb.goodman_kruskal_lambda([0, 0, 0, 1, 1], [0, 0, 1, 1, 1])
    0.5
    """
    sizes, outside = table.class_sizes, _outside_largest(table, "clusters")
    errors = np.delete(sizes, sizes.argmax()).sum().item()
    return 1.0 if outside == 0 else max(0.0, (errors - outside) / errors)


@similarity(family="matching", aliases=("larsen_aone",))
def class_f(table: Contingency) -> float:
    r"""Class F: each class's F1 with its best cluster, averaged over objects.

    .. math:: \sum_c \frac{h(c)}{n} \max_k \frac{2 h(c,k)}{h(c) + h(k)}

    The F measure of document clustering. Several classes may claim one cluster. Choose it to
    compare with results on documents; joining the pieces of a class may leave it unchanged.

    References
    ----------
    .. [1] B. Larsen, C. Aone (1999). Fast and effective text mining using linear-time document
           clustering. KDD. https://doi.org/10.1145/312129.312186

    Examples
    --------
    >>> round(cb.class_f([0, 0, 0, 1], [0, 0, 1, 1]), 6)
    0.766667
    """
    a, b, h = _floats(table)
    best = np.zeros(table.shape[0])
    np.maximum.at(best, table.rows, 2 * h / (a + b))
    return float((table.class_sizes.astype(np.float64) * best).sum()) / table.n


@distance(
    family="matching",
    symmetric=True,
    aliases=("normalized_van_dongen",),
    orders_like="hamming_similarity",
)
def van_dongen(table: Contingency) -> float:
    r"""Van Dongen's distance: the share of objects to move between best matches, both ways.

    .. math:: 1 - \frac{1}{2n} \left( \sum_k \max_c h(c,k) + \sum_c \max_k h(c,k) \right)

    One minus `hamming_similarity`, and a metric on partitions. igraph's split-join distance is 2n
    times this: `split_join`. Choose it for a distance that is a share of objects; it looks only at
    best matches.

    References
    ----------
    .. [1] S. van Dongen (2000). Performance criteria for graph clustering and Markov cluster
           experiments. CWI report INS-R0012. https://ir.cwi.nl/pub/4461

    Examples
    --------
    >>> cb.van_dongen([0, 0, 0, 1], [0, 0, 1, 1])
    0.25
    """
    return split_join.function(table) / (2 * table.n)


@distance(
    family="matching",
    bounds=(0, math.inf),
    symmetric=True,
    aliases=("split_join_distance",),
    references_of=van_dongen,
    scale_free=False,
    orders_like="hamming_similarity",
)
def split_join(table: Contingency) -> float:
    r"""Split-join distance: objects to move from one partition to the other, as igraph counts it.

    .. math:: 2n - \sum_k \max_c h(c,k) - \sum_c \max_k h(c,k)

    In objects, so it grows with n; `van_dongen` is the same as a share. Choose it to compare with
    igraph. It is below 2n.

    Examples
    --------
    >>> cb.split_join([0, 0, 0, 1], [0, 0, 1, 1])
    2.0
    """
    return float(_outside_largest(table, "clusters") + _outside_largest(table, "classes"))


@similarity(
    family="matching",
    symmetric=True,
    aliases=(
        "acc",
        "hungarian",
        "clustering_accuracy",
        "max_matching",
        "ceaf_m",
        "ceafm",
        "ceaf_m_precision",
        "ceaf_m_recall",
        "ceaf_m_f1",
    ),
    work=assignment_steps,
)
def accuracy(table: Contingency) -> float:
    r"""Accuracy: the share of objects in agreement under the best one-to-one match (Hungarian).

    .. math:: \frac1n \max_\sigma \sum_c h(c, \sigma(c))

    Clusters beyond the number of classes match nothing, and objects in them are wrong. Also called
    maximum matching, and in coreference CEAF-m, whose precision and recall are equal if both sides
    have the same mentions. Choose it if every class should be one cluster; it does not see how the
    other objects are spread.

    References
    ----------
    .. [1] M. Meilă, D. Heckerman (2001). An experimental comparison of model-based clustering
           methods. Mach. Learn. 42. https://doi.org/10.1023/A:1007648401407
    .. [2] X. Luo (2005). On coreference resolution performance metrics. HLT/EMNLP.
           https://doi.org/10.3115/1220575.1220579

    Examples
    --------
    >>> cb.accuracy([0, 0, 0, 1], [0, 0, 1, 1])
    0.75
    """
    return best_assignment(table, table.counts.astype(np.float64)) / table.n


@distance(
    family="matching",
    bounds=(0, math.inf),
    symmetric=True,
    work=assignment_steps,
    scale_free=False,
    orders_like="accuracy",
)
def transfer_distance(table: Contingency) -> float:
    r"""Transfer distance: the fewest objects to move that turn one partition into the other.

    .. math:: n - \max_\sigma \sum_c h(c, \sigma(c))

    n times one minus `accuracy`, and a metric on partitions. Moved objects may found new groups.
    Choose it if errors are corrected by hand, object by object. It is below n.

    References
    ----------
    .. [1] W. H. E. Day (1981). The complexity of computing metric distances between partitions.
           Math. Soc. Sci. 1. https://doi.org/10.1016/0165-4896(81)90042-1

    Examples
    --------
    >>> cb.transfer_distance([0, 0, 0, 1], [0, 0, 1, 1])
    1.0
    """
    return max(0.0, float(table.n) - best_assignment(table, table.counts.astype(np.float64)))


@similarity(family="matching", symmetric=True, aliases=("npa",), work=assignment_steps)
def normalized_pivoted_accuracy(table: Contingency) -> float:
    r"""Normalized pivoted accuracy: accuracy above that of a uniform guess.

    .. math:: \frac{\mathrm{acc} - 1/m}{1 - 1/m}, \qquad m = \max(|C|, |K|)

    genieclust offers it. Large classes dominate it; `normalized_clustering_accuracy` counts classes
    alike. Choose it to compare with results of that package. It is 1 for one class in one cluster.

    References
    ----------
    .. [1] M. Gagolewski (2022). A framework for benchmarking clustering algorithms. SoftwareX 20.
           https://doi.org/10.1016/j.softx.2022.101270

    Examples
    --------
    >>> cb.normalized_pivoted_accuracy([0, 0, 0, 1], [0, 0, 1, 1])
    0.5
    """
    n_groups = max(table.shape)
    return (n_groups * accuracy.score_table(table) - 1) / (n_groups - 1)


@similarity(family="matching", bounds=(-1, 1), aliases=("nca",), work=assignment_steps)
def normalized_clustering_accuracy(table: Contingency) -> float:
    r"""Normalized clustering accuracy: mean recall of matched classes above a uniform guess.

    .. math:: \frac{\max_\sigma \sum_c h(c,\sigma(c)) / h(c) - 1}{|C| - 1}

    Every class counts alike, however small. A class without a cluster to match has recall 0, so it
    works for any numbers of classes and clusters. Each class is matched with one cluster, so a
    class split into pure clusters loses all but the largest. Choose it if rare classes matter and
    each should be exactly one cluster; else choose `share_saved` with ``weights="balanced"``. 0 for
    one class in several clusters.

    References
    ----------
    .. [1] M. Gagolewski (2025). Normalised clustering accuracy: an asymmetric external cluster
           validity measure. J. Classif. 42. https://doi.org/10.1007/s00357-024-09482-2

    Examples
    --------
    >>> round(cb.normalized_clustering_accuracy([0, 0, 0, 1], [0, 0, 1, 1]), 6)
    0.666667
    """
    if table.shape[0] == 1:
        return 0.0
    a, _, h = _floats(table)
    return (best_assignment(table, h / a) - 1) / (table.shape[0] - 1)


@similarity(family="matching", symmetric=True, aliases=("psi",), work=assignment_steps)
def pair_sets_index(table: Contingency) -> float:
    r"""Pair sets index: matched groups by their overlap, above chance.

    .. math:: \max\left(0, \frac{S - E}{\max(|C|,|K|) - E}\right), \quad
        S = \max_\sigma \sum_c \frac{h(c,\sigma(c))}{\max(h(c), h(\sigma(c)))}

    E is the same sum for independent labels, groups matched by size: ab/(n max(a, b)). Every group
    counts alike, whatever its size. Choose it if small groups matter; more noise clusters may raise
    it.

    References
    ----------
    .. [1] M. Rezaei, P. Fränti (2016). Set matching measures for external cluster validity. IEEE
           Trans. Knowl. Data Eng. 28. https://doi.org/10.1109/TKDE.2016.2551240

    Examples
    --------
    >>> round(cb.pair_sets_index([0, 0, 0, 1], [0, 0, 1, 1]), 6)
    0.333333
    """
    a, b, h = _floats(table)
    overlap = best_assignment(table, h / np.maximum(a, b))
    margins = table.class_sizes, table.cluster_sizes
    by_size = [np.sort(sizes)[::-1][: min(table.shape)].astype(np.float64) for sizes in margins]
    chance = float(np.minimum(*by_size).sum()) / table.n
    return max(0.0, (overlap - chance) / (max(table.shape) - chance))


def _outside_largest(table: Contingency, groups: Groups) -> Any:
    """Number of objects outside the largest cell of their cluster (or class).

    They are added up: a difference of large float sums would lose precision.
    """
    index = table.columns if groups == "clusters" else table.rows
    largest: NDArray[Any] = np.zeros(index.max() + 1, dtype=table.counts.dtype)
    np.maximum.at(largest, index, table.counts)
    is_largest = table.counts == largest[index]
    n_ties = np.bincount(index[is_largest]) - 1  # further cells as large
    return (table.counts[~is_largest].sum() + n_ties @ largest).item()


def _share(table: Contingency, objects: Any) -> float:
    return float(int(objects) / table.n if table.exact else objects / table.n)


def _floats(table: Contingency) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Class size, cluster size and count of each cell."""
    a, b = table.class_sizes[table.rows], table.cluster_sizes[table.columns]
    return a.astype(np.float64), b.astype(np.float64), table.counts.astype(np.float64)
