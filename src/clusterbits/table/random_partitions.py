r"""Random models besides the permutation model.

Clusterings are drawn uniformly from all of n objects, or from all with a given number of clusters
(Gates & Ahn 2017). Ratios of Bell and Stirling numbers are all that is needed. Both are Taylor
coefficients, :math:`B(n) = n!\,[z^n] e^{e^z-1}` and :math:`S(n,k) = n!\,[z^n] (e^z-1)^k/k!`, and
Cauchy's integral over the circle through the saddle point gives them without cancellation.
"""

import math
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from clusterbits.errors import MeasureError
from clusterbits.table.log_factorials import (
    FloatArray,
    distinct,
    factorial_remainder,
    relative_entropy_term,
)
from clusterbits.table.statistics import TableStatistics, elementwise, ratio

ComplexArray = NDArray[np.complex128]

# The random models by name; one-sided ones keep the classes.
Model = Literal["permutation", "fixed_clusters", "fixed_clusters_one_sided", "all", "all_one_sided"]
# Up to this many objects phases n θ keep their precision.
_MAX_OBJECTS = 10**12
# Standard deviations beyond which bell-shaped terms are not summed, and points per deviation.
_REACH = 12
_POINTS_PER_SD = 8
# If the circle has more points than this, only the part near the saddle is summed.
_MAX_POINTS = 1 << 17
# Below this the saddle point is that of n objects in almost n clusters.
_SMALL_SADDLE = 0.01


def check_objects(table: TableStatistics, model: Model) -> None:
    """Raise for tables that no random clustering has."""
    if not (table.exact and np.max(table.n) <= _MAX_OBJECTS):
        raise MeasureError(
            f"the random model {model!r} needs whole counts of up to {_MAX_OBJECTS:,} objects; "
            "'permutation' takes any table."
        )


def model_sizes(
    model: Model, n: float, shape: tuple[int, int], class_sizes: NDArray[Any]
) -> list[tuple[FloatArray, FloatArray]]:
    """Return the sizes of classes and of clusters under the model, with their frequencies."""
    classes, clusters = (None, None) if model.startswith("all") else shape
    one_sided = model.endswith("one_sided")
    return [
        distinct(class_sizes) if one_sided else expected_sizes(int(n), classes),
        expected_sizes(int(n), clusters),
    ]


def expected_disagreement(table: TableStatistics, model: Model) -> float:
    """Return the share of pairs on which random labelings disagree on average."""
    check_objects(table, model)
    classes, clusters = (None, None) if model.startswith("all") else table.shape
    together = elementwise(pair_probability, table.n, clusters)
    if model.endswith("one_sided"):
        expected = ratio(table.pairs.same_class, table.pairs.total)
    else:
        expected = elementwise(pair_probability, table.n, classes)
    return expected * (1 - together) + together * (1 - expected)


def pair_probability(n: int, groups: int | None) -> float:
    """Return the probability that two objects are together in a random clustering of n objects.

    It is S(n-1, k)/S(n, k) for k groups, or B(n-1)/B(n) for any number of groups (None).

    >>> round(pair_probability(4, 2), 12)  # S(3, 2) = 3 of S(4, 2) = 7
    0.428571428571
    >>> round(pair_probability(4, None), 12)  # B(3) = 5 of B(4) = 15
    0.333333333333
    """
    if groups in (1, n):
        return float(groups == 1)
    saddle = _saddle(n, groups)
    count, count_without_one = _coefficients(saddle, n, groups, groups, np.array([0.0, 1.0]))
    return saddle / n * float(count_without_one / count)


def expected_sizes(n: int, groups: int | None) -> tuple[FloatArray, FloatArray]:
    """Return sizes of clusters and the mean number of each in a random clustering.

    Large sizes represent those around them, and their number is scaled accordingly.

    >>> sizes, numbers = expected_sizes(3, None)  # 5 clusterings
    >>> np.round(numbers * 5, 9).tolist()
    [6.0, 3.0, 1.0]
    """
    if groups in (1, n):
        return np.array([n / groups]), np.array([float(groups)])
    saddle = _saddle(n, groups)
    deviation = math.sqrt(saddle)
    stride = max(1, int(deviation / _POINTS_PER_SD))
    low = max(1, math.floor(saddle - _REACH * deviation))
    high = math.ceil(saddle + _REACH * deviation + 2 * _REACH)
    sizes = np.arange(low, min(high, n - (groups or 1) + 1) + 1, stride, dtype=np.float64)
    # The Poisson probabilities of the sizes, as Loader (2000) writes them.
    deviance = saddle * relative_entropy_term((sizes - saddle) / saddle)
    poisson = np.exp(-deviance - factorial_remainder(sizes))
    rest = None if groups is None else groups - 1
    (count,) = _coefficients(saddle, n, groups, groups, np.zeros(1))
    numbers = poisson * _coefficients(saddle, n, groups, rest, sizes) / count
    numbers *= math.exp(saddle) if groups is None else groups / -math.expm1(-saddle)
    return sizes, np.maximum(numbers, 0.0) * stride


def _saddle(n: int, groups: int | None) -> float:
    """Return the radius at which the integrand of the n-th coefficient is stationary."""
    from scipy.special import lambertw

    if groups is None:
        return float(lambertw(n).real)
    mean = n / groups  # r / (1 - e^-r), which is 1 + r/2 + ... for small r
    if mean < 1.001:
        return 2 * (n - groups) / groups
    return float(mean + lambertw(-mean * math.exp(-mean)).real)


def _coefficients(
    saddle: float, n: int, groups: int | None, power: int | None, below: FloatArray
) -> FloatArray:
    """Return the coefficients of z^(n - below), times r^(n - below), over the function at r.

    The function is (e^z - 1)^power, or e^(e^z - 1) for all clusterings.
    """
    angles, step = _angles(saddle, n, groups)
    # e^iθ - 1
    turn: ComplexArray = np.asarray(-2 * np.sin(angles / 2) ** 2 + 1j * np.sin(angles))
    growth: ComplexArray
    if power is None:
        growth = np.asarray(math.exp(saddle) * np.expm1(saddle * turn))
    else:
        growth = power * _log_growth(saddle, angles, turn)
    terms = np.exp(growth - 1j * (n - (power or 0)) * angles)
    sums = [float((terms * np.exp(1j * shift * angles)).sum().real) for shift in below]
    return np.array(sums) * step / (2 * math.pi)


def _angles(saddle: float, n: int, groups: int | None) -> tuple[FloatArray, float]:
    """Return the angles to sum over and their distance."""
    variance = n * (saddle + 1 - (0 if groups is None else n / groups))
    deviation = math.sqrt(max(variance, 1.0))
    points = 2 * math.ceil(_REACH * deviation) + 128
    if points <= _MAX_POINTS:
        half, step = points // 2, 2 * math.pi / points
        return np.arange(-half, half, dtype=np.float64) * step, step
    half, step = _REACH * _POINTS_PER_SD, 1 / (_POINTS_PER_SD * deviation)
    return np.arange(-half, half + 1, dtype=np.float64) * step, step


def _log_growth(saddle: float, angles: FloatArray, turn: ComplexArray) -> ComplexArray:
    """Return log((e^z - 1)/z) at z = r e^iθ, less the same at r."""
    z: ComplexArray = np.asarray(saddle * (1 + turn))
    if saddle < _SMALL_SADDLE:  # a series: large powers would multiply rounding errors
        powers = zip((1 / 2, 1 / 24, -1 / 2880, 1 / 181440), (1, 2, 4, 6), strict=True)
        return np.asarray(sum(c * (z**e - saddle**e) for c, e in powers))
    at_saddle = math.log(-math.expm1(-saddle))
    large = z.real > 1
    growth: ComplexArray = np.asarray(-1j * angles)
    growth[large] += saddle * turn[large] + np.log(-np.expm1(-z[large])) - at_saddle
    growth[~large] += np.log(np.expm1(z[~large])) - (saddle + at_saddle)
    return growth
