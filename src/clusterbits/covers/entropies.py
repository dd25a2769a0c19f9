r"""Entropies of the clusters of one cover, given their best match in the other.

A cluster is a binary variable over the objects. Two clusters of sizes x and y with an overlap
of n11 match if :math:`h(n_{11}) + h(n_{00}) \ge h(n_{10}) + h(n_{01})`,
:math:`h(w) = \frac wn \log \frac nw`.

Few pairs have to be looked at. Disjoint clusters of at most half of the objects each never match:
let x + y = s be fixed; h is concave, so h(x) + h(y) is least at the ends of what x may be. For
s ≤ 1/2 (in shares of n) that is h(s) ≥ h(1 - s) = h(n00), without equality unless y = 0; else it
is h(1/2) + h(s - 1/2), which exceeds h(1 - s) for all s > 1/2. What remains are pairs that
overlap, and those with a cluster of more than half of the objects, of which there are few.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from clusterbits.covers.memberships import Memberships
from clusterbits.system.limits import check_memory
from clusterbits.table.log_factorials import BITS_PER_NAT, FloatArray

# What a pair of clusters of one object takes.
_PAIR_BYTES = 100


class Entropies(NamedTuple):
    """H(A_k) of the clusters of one cover, and H(A_k|B) given the other, in bits."""

    own: FloatArray
    given: FloatArray


def cover_entropies(a: Memberships, b: Memberships) -> tuple[Entropies, Entropies]:
    """Return the entropies of two covers of the same objects."""
    n, sizes = len(a), [np.bincount(side.columns) for side in (a, b)]
    k, j, overlap = _pairs_to_compare(a, b, sizes)
    n10, n01 = sizes[0][k] - overlap, sizes[1][j] - overlap
    n00 = n - overlap - n10 - n01
    parts = [_part(count, n) for count in (overlap, n00, n10, n01)]
    matches = parts[0] + parts[1] >= parts[2] + parts[3]
    found = []
    for size, at, given in ((sizes[0], k, (n10, n01)), (sizes[1], j, (n01, n10))):
        own = _part(size, n) + _part(n - size, n)
        least = own.copy()
        np.minimum.at(least, at[matches], _conditional(overlap, n00, *given)[matches] / n)
        found.append(Entropies(own, least))
    return found[0], found[1]


def normalized_by_sums(*sides: Entropies) -> float:
    """Return the mutual information over the larger entropy; 1 where there is none."""
    most = max(math.fsum(own.tolist()) for own, _ in sides)
    told = sum(math.fsum((own - given).tolist()) for own, given in sides) / 2
    return min(told / most, 1.0) if most > 0 else 1.0


def normalized_by_cluster(*sides: Entropies) -> float:
    """Return 1 less the mean share of the entropies of clusters that is left.

    A cluster of all objects has no entropy: nothing is left where the other cover has one, too.
    """
    left = 0.0
    for (own, given), (other, _) in zip(sides, reversed(sides), strict=True):
        full = own == 0
        alike = 0.0 if (other == 0).any() else 1.0
        share = np.where(full, alike, given / np.where(full, 1.0, own))
        left += math.fsum(share.tolist()) / len(share)
    return 1 - left / 2


def _pairs_to_compare(
    a: Memberships, b: Memberships, sizes: list[NDArray[np.int64]]
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    """Return pairs of clusters that overlap, or of which one is large, and their overlaps.

    Some are there twice.
    """
    large = [np.flatnonzero(2 * size > len(a)) for size in sizes]
    pairs = float((a.counts * b.counts).sum())
    pairs += len(large[0]) * len(sizes[1]) + len(large[1]) * len(sizes[0])
    check_memory(_PAIR_BYTES * pairs, f"overlapping_nmi of {pairs:,.0f} pairs of clusters")
    overlaps = (a.indicator.T @ b.indicator).tocsr()
    met, rows, columns = overlaps.tocoo(), overlaps[large[0]], overlaps[:, large[1]]
    of_rows, of_columns = np.indices(rows.shape), np.indices(columns.shape)
    k = [met.row, large[0][of_rows[0].ravel()], of_columns[0].ravel()]
    j = [met.col, of_rows[1].ravel(), large[1][of_columns[1].ravel()]]
    counts = [met.data, rows.toarray().ravel(), columns.toarray().ravel()]
    return np.concatenate(k), np.concatenate(j), np.concatenate(counts)


def _part(count: NDArray[np.int64], n: int) -> FloatArray:
    """Return h(count), in bits."""
    from scipy.special import entr

    return np.asarray(entr(count / n) * BITS_PER_NAT)


def _conditional(
    n11: NDArray[np.int64], n00: NDArray[np.int64], own: NDArray[np.int64], other: NDArray[np.int64]
) -> FloatArray:
    """Return n times the entropy of a cluster given another one: exactly 0 where they are equal.

    `own` objects are only in the cluster itself, `other` ones only in the given one.
    """
    # count · ln((count + rest) / count) keeps its digits near 0.
    terms = [
        count * np.log1p(rest / np.maximum(count, 1))
        for count, rest in ((n11, other), (other, n11), (n00, own), (own, n00))
    ]
    return np.asarray(sum(terms) * BITS_PER_NAT)
