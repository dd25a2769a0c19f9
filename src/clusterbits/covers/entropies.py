r"""Entropies of the clusters of one cover, given their best match in the other.

A cluster is a binary variable over the objects. Two clusters of sizes x and y with an overlap
of n11 match if :math:`h(n_{11}) + h(n_{00}) \ge h(n_{10}) + h(n_{01})`,
:math:`h(w) = \frac wn \log \frac nw`.

Few pairs have to be compared. Disjoint clusters of at most half of the objects each never match:
let x + y = s be fixed; h is concave, so h(x) + h(y) is least at the ends of what x may be. For
s ≤ 1/2 (in shares of n) that is h(s) ≥ h(1 - s) = h(n00), without equality unless y = 0; else it
is h(1/2) + h(s - 1/2), which exceeds h(1 - s) for all s > 1/2. What remains are pairs that
overlap, and those with a cluster of more than half of the objects, of which there are few.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from clusterbits.covers.memberships import Memberships
from clusterbits.system.limits import check_memory
from clusterbits.table.log_factorials import BITS_PER_NAT, FloatArray
from clusterbits.table.numbering import IntArray

# Peak bytes per compared pair of clusters.
_PAIR_BYTES = 100


class Entropies(NamedTuple):
    """H(A_k) of the clusters of one cover, and H(A_k|B) given the other, in bits."""

    marginal: FloatArray
    conditional: FloatArray


def cover_entropies(a: Memberships, b: Memberships) -> tuple[Entropies, Entropies]:
    """Return the entropies of two covers of the same objects."""
    n, sizes_a, sizes_b = len(a), np.bincount(a.columns), np.bincount(b.columns)
    k, j, n11 = _pairs_to_compare(a, b, sizes_a, sizes_b)
    n10, n01 = sizes_a[k] - n11, sizes_b[j] - n11
    n00 = n - n11 - n10 - n01
    matches = _part(n11, n) + _part(n00, n) >= _part(n10, n) + _part(n01, n)

    def entropies(
        sizes: IntArray, cluster: IntArray, alone: IntArray, other: IntArray
    ) -> Entropies:
        marginal = _part(sizes, n) + _part(n - sizes, n)
        conditional = marginal.copy()
        in_pairs = _conditional(n11, n00, alone, other) / n
        np.minimum.at(conditional, cluster[matches], in_pairs[matches])
        return Entropies(marginal, conditional)

    return entropies(sizes_a, k, n10, n01), entropies(sizes_b, j, n01, n10)


def normalized_by_sums(*covers: Entropies) -> float:
    """Return the mutual information over the larger entropy, or 1 if both entropies are 0."""
    largest = max(math.fsum(marginal.tolist()) for marginal, _ in covers)
    information = sum(math.fsum((cover.marginal - cover.conditional).tolist()) for cover in covers)
    return min(information / 2 / largest, 1.0) if largest > 0 else 1.0


def normalized_by_cluster(*covers: Entropies) -> float:
    """Return 1 minus the mean normalized conditional entropy of the clusters.

    A cluster of all objects has no entropy: it counts as explained if the other cover has one, too.
    """
    means = 0.0
    for (marginal, conditional), (other, _) in zip(covers, reversed(covers), strict=True):
        full = marginal == 0
        unexplained = 0.0 if (other == 0).any() else 1.0
        share = np.where(full, unexplained, conditional / np.where(full, 1.0, marginal))
        means += math.fsum(share.tolist()) / len(share)
    return 1 - means / 2


def _pairs_to_compare(
    a: Memberships, b: Memberships, sizes_a: IntArray, sizes_b: IntArray
) -> tuple[IntArray, IntArray, IntArray]:
    """Return pairs of clusters that overlap, or of which one is large, and their overlaps.

    Pairs may repeat.
    """
    large_a, large_b = np.flatnonzero(2 * sizes_a > len(a)), np.flatnonzero(2 * sizes_b > len(b))
    pairs = float((a.counts * b.counts).sum())
    pairs += len(large_a) * len(sizes_b) + len(large_b) * len(sizes_a)
    check_memory(_PAIR_BYTES * pairs, f"overlapping_nmi of {pairs:,.0f} pairs of clusters")
    overlaps = (a.indicator.T @ b.indicator).tocsr()
    overlapping = overlaps.tocoo()
    rows, columns = overlaps[large_a].toarray(), overlaps[:, large_b].toarray()
    k = [overlapping.row, large_a.repeat(len(sizes_b)), np.indices(columns.shape)[0].ravel()]
    j = [overlapping.col, np.indices(rows.shape)[1].ravel(), np.tile(large_b, len(sizes_a))]
    counts = [overlapping.data, rows.ravel(), columns.ravel()]
    return np.concatenate(k), np.concatenate(j), np.concatenate(counts)


def _part(count: IntArray, n: int) -> FloatArray:
    """Return h(count), in bits."""
    from scipy.special import entr

    return np.asarray(entr(count / n) * BITS_PER_NAT)


def _conditional(n11: IntArray, n00: IntArray, n10: IntArray, n01: IntArray) -> FloatArray:
    """Return n times the entropy of a cluster given another one: exactly 0 if they are equal."""
    # count · ln((count + rest) / count) keeps its precision near 0.
    terms = [
        count * np.log1p(rest / np.maximum(count, 1))
        for count, rest in ((n11, n01), (n01, n11), (n00, n10), (n10, n00))
    ]
    return np.asarray(sum(terms) * BITS_PER_NAT)
