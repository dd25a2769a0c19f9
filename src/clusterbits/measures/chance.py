"""Expectations under the permutation model: what "adjusted" measures subtract.

Class sizes and cluster sizes are kept and the objects are shuffled; each cell is then
hypergeometric. Cells with the same two margins share their expectation, so sums run over
*distinct* pairs of sizes.
"""

from __future__ import annotations

import math

import numpy as np

from clusterbits.catalogue import measure
from clusterbits.combinatorics import (
    BITS_PER_NAT,
    FloatArray,
    distinct,
    factorial_remainder,
    relative_entropy_term,
)
from clusterbits.table import Contingency

# Terms below e^-42 of the largest are not summed.
_NEGLIGIBLE = 42.0
# Wide distributions are summed at this many points per standard deviation: for bell-shaped terms
# the error of such a sum is e^(-2π²·16), far below rounding.
_POINTS_PER_SD = 4
# How many terms are worked on at once.
_BLOCK = 1 << 18


@measure(
    family="chance",
    bounds=(0, math.inf),
    better=None,
    symmetric=True,
    integral=True,
    aliases=("emi",),
    reference="Vinh, Epps & Bailey (2010), jmlr.org/papers/v11/vinh10a.html",
)
def expected_mutual_information(table: Contingency) -> float:
    r"""Mutual information that random clusters of the same sizes have on average, in bits.

    .. math:: E[I] = \sum_{c,k} \sum_x P(x)\, \frac xn \log \frac{n x}{h(c) h(k)},\quad
        x \sim \mathrm{Hypergeometric}(n, h(c), h(k))

    Not a score: it is what `adjusted_mutual_information` and `q2_adjusted` subtract. Its cost
    grows with the number of distinct pairs of sizes and not with n.

    Parameters
    ----------
    table : Contingency, or truth and pred
        The counts, or two label sequences to count. Needs whole counts; only the margins matter.

    Returns
    -------
    float
        Bits per object, at least 0.

    References
    ----------
    .. [1] N. X. Vinh, J. Epps, J. Bailey (2010). Information theoretic measures for clusterings
           comparison. JMLR 11. https://jmlr.org/papers/v11/vinh10a.html

    Examples
    --------
    >>> import clusterbits as cb
    >>> table = cb.Contingency.from_counts([[2, 0], [1, 1], [0, 2]])
    >>> round(cb.expected_mutual_information(table), 6)
    0.4
    """
    n = float(table.n)
    sizes_a, repeats_a = distinct(table.class_sizes)
    sizes_b, repeats_b = distinct(table.cluster_sizes)
    rows = max(1, _BLOCK // len(sizes_b))
    total = 0.0
    for begin in range(0, len(sizes_a), rows):
        some = slice(begin, begin + rows)
        a, b = (grid.ravel() for grid in np.meshgrid(sizes_a[some], sizes_b, indexing="ij"))
        repeats = np.multiply.outer(repeats_a[some], repeats_b).ravel()
        total += float((_expected_gains(a, b, n) * repeats).sum())
    return total / n * BITS_PER_NAT


def _expected_gains(a: FloatArray, b: FloatArray, n: float) -> FloatArray:
    """Return E[x ln(x/μ)] for each pair of sizes, windows of like length worked on together."""
    first, stride, points = _window(a, b, n)
    gains = np.empty_like(a)
    order = np.argsort(-points)
    begin = 0
    while begin < len(order):
        longest = int(points[order[begin]])
        block = order[begin : begin + max(1, _BLOCK // longest)]
        gains[block] = _sum_window(
            a[block, None], b[block, None], n, first[block, None], stride[block, None], longest
        )
        begin += len(block)
    return gains


def _window(a: FloatArray, b: FloatArray, n: float) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return where each pair's sum starts, its step, and its number of terms.

    Bennett's inequality bounds both tails: P(|x - μ| ≥ t) ≤ 2 exp(-v φ(t/v)).
    """
    mean = a * b / n
    v = mean * np.minimum(1 - a / n, 1 - b / n)
    safe = np.maximum(v, 1e-300)
    # From Bernstein's (too wide) solution downwards, Newton's steps stay above the root.
    reach = _NEGLIGIBLE / 3 + np.sqrt((_NEGLIGIBLE / 3) ** 2 + 2 * _NEGLIGIBLE * v)
    for _ in range(4):
        excess = safe * relative_entropy_term(reach / safe) - _NEGLIGIBLE
        reach -= np.maximum(excess, 0) / np.log1p(reach / safe)
    lowest = np.maximum(0, a + b - n)
    highest = np.minimum(a, b)
    first = np.clip(np.floor(mean - reach), lowest, highest)
    last = np.clip(np.ceil(mean + reach), lowest, highest)
    deviation = np.sqrt(mean * (1 - a / n) * (1 - b / n))
    stride = np.maximum(1, np.floor(deviation / _POINTS_PER_SD))
    return first, stride, np.floor((last - first) / stride) + 1


def _sum_window(
    a: FloatArray, b: FloatArray, n: float, first: FloatArray, stride: FloatArray, points: int
) -> FloatArray:
    """Return μ E[φ(x/μ - 1)], which is E[x ln(x/μ)] as a sum of positive terms."""
    highest = np.minimum(a, b)
    x = first + stride * np.arange(points)
    inside = x <= highest
    x = np.minimum(x, highest)
    mean = a * b / n
    away = x - mean
    # The probability of x is proportional to 1/(x! (a-x)! (b-x)! (n-a-b+x)!); written as
    # deviances from the mean plus Stirling remainders (Loader 2000) it keeps its digits.
    gain = _deviance(away, mean)
    log_p = gain + factorial_remainder(x)
    log_p += _deviance(-away, a * (n - b) / n) + factorial_remainder(a - x)
    log_p += _deviance(-away, b * (n - a) / n) + factorial_remainder(b - x)
    log_p += _deviance(away, (n - a) * (n - b) / n) + factorial_remainder(n - a - b + x)
    log_p[~inside] = np.inf
    p = np.exp(log_p.min(axis=1, keepdims=True) - log_p)
    return np.asarray((p * gain).sum(axis=1) / p.sum(axis=1))


def _deviance(away: FloatArray, expected: FloatArray) -> FloatArray:
    """Return μ φ((x - μ)/μ); zero where a margin as large as n leaves no room for x to vary."""
    safe = np.where(expected > 0, expected, 1.0)
    scaled = np.where(expected > 0, np.maximum(away / safe, -1.0), 0.0)
    return safe * relative_entropy_term(scaled)
