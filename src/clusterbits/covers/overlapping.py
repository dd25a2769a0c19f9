"""Measures between two covers: clusterings in which an object may be in several clusters.

They compare sets of clusters: memberships with unequal degrees are an error, which names the
measures that take them.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping
from typing import Any, Literal, Unpack

import numpy as np
from numpy.typing import NDArray

from clusterbits.covers.entropies import (
    cover_entropies,
    normalized_by_cluster,
    normalized_by_sums,
)
from clusterbits.covers.memberships import Memberships, join_covers
from clusterbits.covers.sharing import Sharing, count_shared
from clusterbits.errors import MeasureError, check_choice
from clusterbits.labels.options import JoinOptions, takes_labels
from clusterbits.measures.elements import bcubed_f1, bcubed_precision, bcubed_recall
from clusterbits.measures.pairs import adjusted_rand
from clusterbits.table.contingency import Contingency
from clusterbits.table.margins import sum_by_code
from clusterbits.table.numbering import factorize_integers


def read_covers(
    measure: str, a: Any, b: Any, **labels: Unpack[JoinOptions]
) -> tuple[Memberships, Memberships, Contingency | None]:
    """Return two covers as `join_covers` does; raise if degrees differ in a row."""
    a, b, table = join_covers(a, b, **labels)
    for input_name, cover in (("a", a), ("b", b)):
        if not cover.is_cover:
            row = int(cover.rows[np.argmax(cover.degrees != (1 / cover.counts)[cover.rows])])
            first = cover.degrees[cover.rows == row][:3].tolist()
            raise MeasureError(
                f"{measure} compares sets of clusters, and {input_name} has degrees of membership "
                f"(row {row}: {', '.join(f'{degree:.3g}' for degree in first)}, ...). Use "
                "fuzzy_rand or frobenius_adjusted_rand; or say from what degree on an object is in "
                "a cluster: Memberships(matrix >= 0.3, normalize=True)."
            )
    return a, b, table


@takes_labels
def omega(a: Any, b: Any, **labels: Unpack[JoinOptions]) -> float:
    r"""Omega index: pairs that share equally many clusters in both covers, beyond chance.

    .. math:: \frac{\sum_j n_{jj}/M - \sum_j n_{j\bullet} n_{\bullet j}/M^2}
        {1 - \sum_j n_{j\bullet} n_{\bullet j}/M^2}

    :math:`n_{jl}` of the M pairs of objects share j clusters in a and l in b. The adjusted Rand
    index for covers, and equal to `adjusted_rand` for partitions.

    Parameters
    ----------
    a, b : Memberships, sets of ids that may overlap, or labeling
        Two covers of the same objects.
    **labels
        How objects are joined: `align` and `unmatched`, as in `LabelOptions`.

    Returns
    -------
    float
        From -1 to 1; higher is better. 1 if all pairs agree, 0 on average for random covers.

    Notes
    -----
    Exact integers, from the clusters that objects share, never from all pairs. A pair that shares
    three clusters in a and two in b counts as a disagreement, as one that shares none would. An
    object in no cluster is an error: give it a cluster of its own.

    References
    ----------
    .. [1] L. M. Collins, C. W. Dent (1988). Omega: a general formulation of the Rand index of
           cluster recovery suitable for non-disjoint solutions. Multivar. Behav. Res. 23.
           https://doi.org/10.1207/s15327906mbr2302_6

    Examples
    --------
    >>> import clusterbits as cb
    >>> a = [{"ann", "bob", "cid"}, {"cid", "dan", "eve"}]
    >>> b = [{"ann", "bob"}, {"cid", "dan", "eve"}]
    >>> round(cb.covers.omega(a, b), 6)
    0.615385
    >>> cb.covers.omega([0, 0, 1, 1, 2, 2], [0, 0, 0, 1, 1, 1]) == cb.ari(
    ...     [0, 0, 1, 1, 2, 2], [0, 0, 0, 1, 1, 1]
    ... )
    True
    """
    a, b, table = read_covers("omega", a, b, **labels)
    if table is not None:
        return adjusted_rand.score_table(table)
    pairs: Counter[tuple[int, int]] = Counter()
    for part in count_shared(a, b):
        pairs.update(_add_up(part.first, part.second, part.counts * part.weights[part.rows]))
    pairs.subtract(_add_up(a.counts, b.counts, np.ones(len(a), np.int64)))  # with themselves
    return _agreement_beyond_chance(pairs)


def _add_up(
    first: NDArray[np.int64], second: NDArray[np.int64], counts: NDArray[np.int64]
) -> dict[tuple[int, int], int]:
    """Return the sum of the counts of each pair of numbers of clusters."""
    width = int(second.max()) + 1
    codes, keys = factorize_integers(first * width + second)
    sums = sum_by_code(codes, counts, len(keys)).tolist()
    return {divmod(key, width): total for key, total in zip(keys.tolist(), sums, strict=True)}


def _agreement_beyond_chance(pairs: Mapping[tuple[int, int], int]) -> float:
    """Return (O - E) / (1 - E) of the ordered pairs that share s and t clusters, exact."""
    rows, columns = Counter[int](), Counter[int]()
    for (s, t), count in pairs.items():
        rows[s] += count // 2
        columns[t] += count // 2
    total = rows.total()
    same = sum(count // 2 for (s, t), count in pairs.items() if s == t)
    if same == total:
        return 1.0
    chance = sum(count * columns[s] for s, count in rows.items())
    return float((total * same - chance) / (total * total - chance))


@takes_labels
def bcubed_extended(
    a: Any,
    b: Any,
    *,
    part: Literal["f1", "precision", "recall"] = "f1",
    **labels: Unpack[JoinOptions],
) -> float:
    r"""Extended BCubed F1: BCubed for objects that may be in several clusters.

    .. math:: P = \frac1n \sum_i \operatorname*{mean}_{j:\, b_{ij} > 0}
        \frac{\min(a_{ij}, b_{ij})}{b_{ij}}, \qquad
        R = \frac1n \sum_i \operatorname*{mean}_{j:\, a_{ij} > 0}
        \frac{\min(a_{ij}, b_{ij})}{a_{ij}}, \qquad F_1 = \frac{2 P R}{P + R}

    :math:`a_{ij}` and :math:`b_{ij}` are the clusters that objects i and j share in the true cover
    a and the predicted cover b; j may be i. Equal to `bcubed_f1` for partitions.

    Parameters
    ----------
    a, b, **labels
        As in `omega`; the true cover first.
    part : "f1", "precision" or "recall"
        What to return.

    Returns
    -------
    float
        From 0 to 1; higher is better. Precision and recall trade places when a and b do.

    Notes
    -----
    It sees how many clusters two objects share, not which, so different covers may score 1:
    {1,2}, {1,3}, {2,3} and {1,2,3}, {1}, {2}, {3} look the same to it, and to `omega`.

    References
    ----------
    .. [1] E. Amigó, J. Gonzalo, J. Artiles, F. Verdejo (2009). A comparison of extrinsic clustering
           evaluation metrics based on formal constraints. Inf. Retr. 12.
           https://doi.org/10.1007/s10791-008-9066-8

    Examples
    --------
    >>> import clusterbits as cb
    >>> a = [{"ann", "bob", "cid"}, {"cid", "dan", "eve"}]
    >>> b = [{"ann", "bob"}, {"cid", "dan", "eve"}]
    >>> [cb.covers.bcubed_extended(a, b, part=part) for part in ("precision", "recall")]
    [1.0, 0.7666666666666666]
    """
    check_choice("part", part, ("f1", "precision", "recall"))
    a, b, table = read_covers("bcubed_extended", a, b, **labels)
    if table is not None:
        measure = {"f1": bcubed_f1, "precision": bcubed_precision, "recall": bcubed_recall}
        return measure[part].score_table(table)
    shares = [_mean_shares(block) for block in count_shared(a, b)]
    recall, precision = (math.fsum(sums) / len(a) for sums in zip(*shares, strict=True))
    if part == "f1":
        return 2 * precision * recall / (precision + recall)
    return precision if part == "precision" else recall


def _mean_shares(part: Sharing) -> tuple[float, float]:
    """Return the sums over objects of the mean of min(s, t)/s, s > 0, and of min(s, t)/t."""
    sums, shared, n_rows = [], np.minimum(part.first, part.second), len(part.weights)
    for total in (part.first, part.second):
        entries = total > 0
        rows, counts = part.rows[entries], part.counts[entries]
        shares = np.bincount(rows, counts * (shared[entries] / total[entries]), n_rows)
        sums.append(float((part.weights * (shares / np.bincount(rows, counts, n_rows))).sum()))
    return sums[0], sums[1]


@takes_labels
def overlapping_nmi(
    a: Any,
    b: Any,
    *,
    form: Literal["mgh", "lfk"] = "mgh",
    **labels: Unpack[JoinOptions],
) -> float:
    r"""Overlapping NMI: what the best matching clusters of two covers tell about each other.

    .. math:: \text{mgh: } \frac{H(A) - H(A|B) + H(B) - H(B|A)}{2 \max(H(A), H(B))}, \qquad
        \text{lfk: } 1 - \frac12 \Bigl[ \frac1{|A|} \sum_k \frac{H(A_k|B)}{H(A_k)}
        + \frac1{|B|} \sum_l \frac{H(B_l|A)}{H(B_l)} \Bigr]

    A cluster is a binary variable: is an object in it? :math:`H(A_k|B) = \min_l H(A_k|B_l)`, over
    clusters that are more like :math:`A_k` than like its complement; without any it is
    :math:`H(A_k)`. H(A) and H(A|B) are sums over clusters.

    Parameters
    ----------
    a, b, **labels
        As in `omega`.
    form : "mgh" or "lfk"
        The normalization: of the sums (McDaid, Greene & Hurley), or of each cluster alone
        (Lancichinetti, Fortunato & Kertész). The default is "mgh": by "lfk" a cluster of two counts
        as much as one of thousands, and covers with little in common score high.

    Returns
    -------
    float
        From 0 to 1; higher is better; 1 for equal covers.

    Notes
    -----
    For partitions it is **not** `normalized_mutual_information`: each cluster is compared with its
    best match alone. Not adjusted for chance. A cluster of all objects has no entropy; by "lfk" its
    term counts as explained if the other cover has such a cluster, else as unexplained.

    Other packages differ. CDlib 0.4.1 agrees, except that by "lfk" a cluster of all objects always
    counts as unexplained: 0.174 for {0,1,2,3}, {0,1} and {0,1,2,3}, {0,1,2}, here 0.674. clusim 0.4
    has h(n11) + h(n - n11) in place of h(n11) + h(n00): 0.4164 for {0,1,2}, {2,3,4} and {0,1},
    {1,2,3,4}, which is 0.4106 by the definition ("lfk") and by CDlib.

    References
    ----------
    .. [1] A. Lancichinetti, S. Fortunato, J. Kertész (2009). Detecting the overlapping and
           hierarchical community structure in complex networks. New J. Phys. 11.
           https://doi.org/10.1088/1367-2630/11/3/033015
    .. [2] A. F. McDaid, D. Greene, N. Hurley (2011). Normalized mutual information to evaluate
           overlapping community finding algorithms. https://doi.org/10.48550/arXiv.1110.2515

    Examples
    --------
    >>> import clusterbits as cb
    >>> a, b = [{0, 1, 2}, {2, 3}], [{0, 1}, {2, 3}]
    >>> [round(cb.covers.overlapping_nmi(a, b, form=form), 6) for form in ("mgh", "lfk")]
    [0.655639, 0.673742]
    """
    check_choice("form", form, ("mgh", "lfk"))
    a, b, _ = read_covers("overlapping_nmi", a, b, **labels)
    normalized = normalized_by_sums if form == "mgh" else normalized_by_cluster
    return normalized(*cover_entropies(a, b))
