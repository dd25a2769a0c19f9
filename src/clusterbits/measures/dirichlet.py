"""Labels as one arrangement among all with the same counts, and counts by Dirichlet priors.

A class sequence is sent in two parts: the columns of the table, then its index among all sequences
with these columns. This module has the cost of the second part, and that of the first if columns
have a Dirichlet prior with one α for all classes.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from clusterbits.table.contingency import Contingency
from clusterbits.table.log_factorials import (
    BITS_PER_NAT,
    FloatArray,
    distinct,
    factorial_remainder,
    log_multichoose,
    weighted_sum,
)

# Distinct counts at a time: some megabytes with all α.
_BLOCK = 4096


def arrangement_bits(table: Contingency) -> float:
    r"""Bits that clusters save on sending one arrangement of the labels among all.

    .. math:: I_0 = \log \frac{n!}{\prod h(c)!} - \sum_k \log \frac{h(k)!}{\prod_c h(c,k)!}

    It is n I(C;K) corrected by the Stirling remainders of the factorials.
    """
    of_margin = _remainder(np.array([table.n])) - _remainder(table.class_sizes)
    of_cells = _remainder(table.counts) - _remainder(table.cluster_sizes)
    return float(table.n * table.mutual_information + (of_margin + of_cells) * BITS_PER_NAT)


def enumerated_bits(table: Contingency) -> float:
    """Bits per object of the labels after the columns: (1/n) Σ log h(k)!/Πh(c,k)!

    That is the entropy code's length less the difference of Stirling remainders.
    """
    saved = _remainder(table.counts) - _remainder(table.cluster_sizes)
    return max(table.class_entropy_given_cluster - saved * BITS_PER_NAT / table.n, 0.0)


def _remainder(sizes: NDArray[Any]) -> float:
    """Sum of the Stirling remainders of the factorials of the sizes."""
    values, repeats = distinct(sizes)
    return weighted_sum(factorial_remainder(values), repeats)


def column_nats(
    counts: NDArray[Any], sums: NDArray[Any], n_classes: int, alphas: FloatArray
) -> FloatArray:
    """Nats that name columns of these counts and sums, by the prior of each α."""
    return _log_ways(sums, n_classes * alphas) - _log_ways(counts, alphas)


def column_slope(
    counts: NDArray[Any], sums: NDArray[Any], n_classes: int
) -> Callable[[float], float]:
    """Derivative of `column_nats` as a function of α."""
    from scipy.special import digamma

    (h, h_repeats), (s, s_repeats) = distinct(counts), distinct(sums)

    def slope(alpha: float) -> float:
        total = n_classes * alpha
        of_sums = n_classes * ((digamma(s + total) - digamma(total)) @ s_repeats)
        return float(of_sums - (digamma(h + alpha) - digamma(alpha)) @ h_repeats)

    return slope


def _log_ways(sizes: NDArray[Any], alphas: FloatArray) -> FloatArray:
    """Σ ln C(size + α - 1, size) over the sizes, for each α."""
    values, repeats = distinct(sizes)
    total = np.zeros_like(alphas)
    for start in range(0, len(values), _BLOCK):
        block = slice(start, start + _BLOCK)
        total += log_multichoose(values[block], alphas[:, None]) @ repeats[block]
    return total
