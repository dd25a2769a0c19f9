"""Labels as one arrangement among all with the same counts, and counts by Dirichlet priors.

A class sequence is sent in two parts: the columns of the table, then which of all sequences with
these columns it is. Here is what the second part costs, and the first if a column has a
Dirichlet prior with one α for all classes.
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

# Distinct counts at a time: with all α they take some megabytes.
_BLOCK = 4096


def arrangement_bits(table: Contingency) -> float:
    r"""Return I0, what clusters save on sending one arrangement of the labels among all.

    .. math:: I_0 = \log \frac{n!}{\prod h(c)!} - \sum_k \log \frac{h(k)!}{\prod_c h(c,k)!}

    It is n I(C;K) corrected by the Stirling remainders of the factorials.
    """
    alone = _remainder(np.array([table.n])) - _remainder(table.class_sizes)
    given = _remainder(table.counts) - _remainder(table.cluster_sizes)
    return float(table.n * table.mutual_information + (alone + given) * BITS_PER_NAT)


def enumerated_bits(table: Contingency) -> float:
    """Return (1/n) Σ log h(k)!/Πh(c,k)!: what the labels cost after the columns, per object.

    That is the entropy code's length less the difference of Stirling remainders.
    """
    saved = _remainder(table.counts) - _remainder(table.cluster_sizes)
    return max(table.class_entropy_given_cluster - saved * BITS_PER_NAT / table.n, 0.0)


def _remainder(sizes: NDArray[Any]) -> float:
    """Return the sum of the Stirling remainders of the factorials of the sizes."""
    values, repeats = distinct(sizes)
    return weighted_sum(factorial_remainder(values), repeats)


def column_nats(
    counts: NDArray[Any], sums: NDArray[Any], n_classes: int, alphas: FloatArray
) -> FloatArray:
    """Return the nats that name columns of these counts and sums, by the prior of each α."""
    return _log_ways(sums, n_classes * alphas) - _log_ways(counts, alphas)


def column_slope(
    counts: NDArray[Any], sums: NDArray[Any], n_classes: int
) -> Callable[[float], float]:
    """Return the derivative of `column_nats` as a function of α."""
    from scipy.special import digamma

    (h, h_repeats), (s, s_repeats) = distinct(counts), distinct(sums)

    def slope(alpha: float) -> float:
        total = n_classes * alpha
        of_statistics = n_classes * ((digamma(s + total) - digamma(total)) @ s_repeats)
        return float(of_statistics - (digamma(h + alpha) - digamma(alpha)) @ h_repeats)

    return slope


def _log_ways(sizes: NDArray[Any], kinds: FloatArray) -> FloatArray:
    """Return Σ ln C(size + a - 1, size) over the sizes, for each number a of kinds."""
    values, repeats = distinct(sizes)
    total = np.zeros_like(kinds)
    for start in range(0, len(values), _BLOCK):
        some = slice(start, start + _BLOCK)
        total += log_multichoose(values[some], kinds[:, None]) @ repeats[some]
    return total
