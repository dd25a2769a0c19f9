"""Logarithms of factorials and binomials, and code lengths made of them, to full precision.

Code lengths are differences of huge log-factorials. Taken literally,
``gammaln(m + r + 1) - gammaln(m + 1) - gammaln(r + 1)`` keeps five digits at m = 1e12; here the
large parts are cancelled on paper first, and what remains are sums whose terms agree in sign.
Everything accepts real arguments, because expected tables have real counts.
"""

from __future__ import annotations

import math
from fractions import Fraction
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

FloatArray = NDArray[np.float64]

BITS_PER_NAT = 1 / math.log(2)
# Up to here n² fits an int64, and with it every sum of products of counts.
SQUARE_FITS = math.isqrt(2**63 - 1)

# Below this the Stirling series is too coarse, and the recurrence is used to get above it.
_SHIFT = 16
# 1/12x - 1/360x^3 + ...; the first omitted term is below 1e-17 at x = 16.
_STIRLING = (1 / 12, -1 / 360, 1 / 1260, -1 / 1680, 1 / 1188, -691 / 360360, 1 / 156)


def distinct(sizes: NDArray[Any]) -> tuple[FloatArray, FloatArray]:
    """Return the distinct sizes, ascending, and how often each occurs.

    Sums over clusters are taken over distinct sizes: there are at most √(2n) of them, and the
    result does not depend on the order of the clusters: equal partitions give bit-identical sums.
    """
    values, repeats = np.unique(sizes, return_counts=True)
    return values.astype(np.float64), repeats.astype(np.float64)


def weighted_sum(values: FloatArray, weights: FloatArray) -> float:
    """Return Σ values·weights, rounded once."""
    return math.fsum((values * weights).tolist())


def surprise(part: NDArray[Any], total: NDArray[Any]) -> FloatArray:
    """Return part·ln(whole/part), in nats.

    The logarithm is log1p of an exact difference, so that a nearly pure cluster keeps its digits
    and a pure one costs exactly 0.
    """
    size = part.astype(np.float64)
    rest = np.maximum((total - part).astype(np.float64), 0.0)
    return np.asarray(size * np.log1p(rest / size))


def factorial_remainder(x: ArrayLike) -> FloatArray:
    """Return R(x) = ln x! - (x ln x - x), which is ½ ln(2πx) + 1/(12x) - ...; R(0) = 0.

    >>> float(factorial_remainder(1.0))
    1.0
    """
    x = np.asarray(x, dtype=np.float64)
    large = np.maximum(x, _SHIFT)
    result = _stirling_remainder(large)
    small = x < _SHIFT
    if small.any():
        y = x[small]
        shifted = y + _SHIFT
        rising = np.ones_like(y)
        for i in range(1, _SHIFT + 1):
            rising *= y + i
        log_factorial = shifted * np.log(shifted) - shifted + _stirling_remainder(shifted)
        log_factorial -= np.log(rising)
        result[small] = log_factorial - (y * np.log(np.where(y > 0, y, 1.0)) - y)
        result[x == 0] = 0.0
    return result


@lru_cache
def _remainder_of_integer(x: int) -> float:
    return float(factorial_remainder(float(x)))


def _stirling_remainder(x: FloatArray) -> FloatArray:
    inverse = 1 / x
    square = inverse * inverse
    series = np.zeros_like(x)
    for coefficient in reversed(_STIRLING):
        series = series * square + coefficient
    return np.asarray(0.5 * np.log(2 * np.pi * x) + series * inverse)


def log2_choose(m: ArrayLike, r: int) -> FloatArray:
    """Return log2 C(m + r, r) for real m ≥ 0 and an integer r ≥ 0.

    This is f(m) of the paper's equation (3) with r = |C| - 1: the bits that name one column among
    all columns of |C| counts that sum to m.

    >>> log2_choose([0.0, 1.0, 1e15], 1).tolist()
    [0.0, 1.0, 49.82892142331043]
    """
    m = np.asarray(m, dtype=np.float64)
    # C(m+r, r) = Π_j (1 + m/j): the first factors ...
    total = np.zeros_like(m)
    for j in range(1, min(r, _SHIFT) + 1):
        total += np.log1p(m / j)
    if r > _SHIFT:
        # ... and the rest is a ratio of factorials far from zero, (m+r)! J! / ((m+J)! r!).
        j = _SHIFT
        total += r * np.log1p(m / r) - j * np.log1p(m / j) + m * np.log1p((r - j) / (j + m))
        total += factorial_remainder(m + r) - factorial_remainder(m + j)
        total -= _remainder_of_integer(r) - _remainder_of_integer(j)
    return total * BITS_PER_NAT


def log_multichoose(m: ArrayLike, a: ArrayLike) -> FloatArray:
    """Return ln C(m + a - 1, m) = ln Γ(m + a)/(Γ(a) m!) for real m ≥ 0 and a > 0.

    The ways to choose m times among a kinds. A Dirichlet prior with the same α for each of N
    classes gives a column of sum m, and one count m in it, probabilities made of these, with a = Nα
    and a = α.

    >>> log_multichoose([0.0, 1.0, 1e18], 2.0).round(6).tolist()
    [0.0, 0.693147, 41.446532]
    """
    m, a = np.asarray(m, dtype=np.float64), np.asarray(a, dtype=np.float64)
    # (m+a)!/(m! a!) · a/(m+a), with the powers cancelled on paper; m ln(1 + a/m) is 0 at m = 0.
    total = m * np.log1p(a / np.where(m > 0, m, 1.0)) + (a - 1) * np.log1p(m / a)
    total += factorial_remainder(m + a) - factorial_remainder(m) - factorial_remainder(a)
    return np.asarray(total)


def relative_entropy_term(x: FloatArray) -> FloatArray:
    """Return φ(x) = (1 + x) ln(1 + x) - x for x ≥ -1: zero at 0, positive elsewhere.

    Relative entropies written with φ are sums of positive terms, so that a mutual information
    near zero keeps its digits and that of independent labels is exactly zero.
    """
    result = np.asarray((1 + x) * np.log1p(np.maximum(x, np.nextafter(-1, 0))) - x)
    small = np.abs(x) < 0.03
    if small.any():
        y = x[small]
        series = np.zeros_like(y)
        for k in range(12, 1, -1):  # Σ (-x)^k / (k (k-1))
            series = 1 / (k * (k - 1)) - y * series
        result[small] = y * y * series
    return result


def log2_nml_normalizer(m: FloatArray, n_classes: int) -> FloatArray:
    """Return log2 𝒞(m, |C|), the multinomial normalizer of the NML code, for real m ≥ 0.

    The recurrence 𝒞(m, r+2) = 𝒞(m, r+1) + (m/r) 𝒞(m, r) (Kontkanen & Myllymäki 2007) is run on
    the ratios 𝒞(m, r+1)/𝒞(m, r), which do not overflow.

    >>> float(2 ** log2_nml_normalizer(np.array([5.0]), 3)[0])
    8.510...
    """
    total = np.zeros_like(m)
    if n_classes >= 2:
        ratio = _nml_two_classes(m)
        total += np.log2(ratio)
        for r in range(1, n_classes - 1):
            ratio = 1 + (m / r) / ratio
            total += np.log2(ratio)
    return total


def _nml_two_classes(m: FloatArray) -> FloatArray:
    """𝒞(m, 2) = Σ_k m(m-1)…(m-k+1)/m^k, which is 1 + e^m m^(1-m) Γ(m, m) for all real m."""
    from scipy.special import gammaincc

    y = np.maximum(m, 1e-300)
    return np.asarray(1 + np.exp(factorial_remainder(m)) * gammaincc(y, y))


def sum_of_squares(counts: NDArray[Any]) -> Any:
    """Return Σ counts² of integers of any size, exactly."""
    if counts.dtype == object or int(counts.sum()) <= SQUARE_FITS:
        return int(counts @ counts)
    # Parts of 2^32 and 2^16: no partial sum passes int64 for totals below 2^63.
    high, low = counts >> 32, counts & (2**32 - 1)
    middle, low16 = low >> 16, low & (2**16 - 1)
    square_of_low = (int(middle @ middle) << 32) + (int(middle @ low16) << 17) + int(low16 @ low16)
    return (int(high @ high) << 64) + (int(high @ low) << 33) + square_of_low


def as_integers(values: FloatArray) -> tuple[NDArray[Any], Fraction]:
    """Return Python's integers, and the unit in which they are exactly these values.

    >>> as_integers(np.array([0.5, 3.0]))
    (array([4503599627370496, 27021597764222976], dtype=object), Fraction(1, 9007199254740992))
    """
    parts, exponents = np.frexp(values)
    smallest = int(exponents.min())
    integers = np.ldexp(parts, 53).astype(np.int64).astype(object)
    return integers << (exponents - smallest).astype(object), Fraction(2) ** (smallest - 53)
