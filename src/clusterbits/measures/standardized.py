"""The exact variance of mutual information under the permutation model."""

import math
from collections.abc import Iterator
from functools import lru_cache
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from clusterbits.errors import MeasureError
from clusterbits.measures.catalogue import measure
from clusterbits.system.limits import MOST_STEPS, check_memory
from clusterbits.table.contingency import Contingency
from clusterbits.table.log_factorials import (
    BITS_PER_NAT,
    FloatArray,
    distinct,
    relative_entropy_term,
)

# Distinct group sizes with the number of groups of each.
Sizes = tuple[tuple[int, int], ...]

# Bytes of a pair of counts.
_PAIR_BYTES = 64
# The variance is a difference of squares. Below this share of them it is lost in rounding; with
# fewer objects that happens only if all tables with these margins are alike.
_LOST, _ROUNDED_FROM = 1e-9, 10_000
# Steps of a term, which takes numpy 100 ns.
_TERM_STEPS = 1000


def _terms(table: Contingency) -> int:
    """Number of terms of the variance: distinct class sizes × pairs of cluster sizes."""
    a, b = distinct(table.class_sizes)[0], distinct(table.cluster_sizes)[0]
    # Σ min(a, b) + 1 over the cluster sizes b, of each class size a; both ascend.
    n_below = np.searchsorted(b, a)
    overlaps = np.append(0, np.cumsum(b))[n_below] + a * (len(b) - n_below) + len(b)
    terms = (overlaps**2).sum() + len(a) ** 2 * b.max() * min(a.max(), b.max())
    # Each pair of cells costs at least about as much as two thousand terms.
    return int(terms + 2000 * (len(a) * len(b)) ** 2)


def _steps(table: Contingency) -> float:
    steps = float(_TERM_STEPS * _terms(table))
    lost = steps <= MOST_STEPS and _variance_of(table) is None
    return math.inf if lost else steps


@measure(
    family="information",
    bounds=(-math.inf, math.inf),
    better="higher",
    symmetric=True,
    adjusted=True,
    weights="none",
    aliases=("smi",),
    work=_steps,
)
def standardized_mutual_information(table: Contingency) -> float:
    r"""Standardized mutual information: standard deviations above chance.

    .. math:: \frac{I(C;K) - E[I]}{\sqrt{\mathrm{Var}[I]}}

    Mean and variance are exact, over shuffled objects. Choose it to ask whether clusters and
    classes are related at all, and among clusterings of few objects, for which even
    `adjusted_mutual_information` favors more clusters. It grows with n, so it does not say how good
    a clustering is. Group sizes must be few and small enough (up to some thousands of objects). It
    is 0 if all tables with these margins are alike.

    References
    ----------
    .. [1] S. Romano, J. Bailey, V. Nguyen, K. Verspoor (2014). Standardized mutual information for
           clustering comparisons: one step further in adjustment for chance. ICML.
           https://proceedings.mlr.press/v32/romano14.html

    Examples
    --------
    >>> round(cb.standardized_mutual_information([0, 0, 1, 1, 2, 2], [0, 0, 0, 1, 1, 1]), 6)
    0.816497
    """
    overlap = min(table.class_sizes.max(), table.cluster_sizes.max())
    check_memory(_PAIR_BYTES * float(overlap) ** 2, "standardized_mutual_information")
    if (variance := _variance_of(table)) is None:
        raise MeasureError(
            "the variance of mutual information is lost in rounding for a table this large; "
            "in Python, permutation_test(table, 'mutual_information') shuffles the objects instead."
        )
    above = table.mutual_information - table.expected_information
    return above / (math.sqrt(variance) / table.n * BITS_PER_NAT) if variance else 0.0


def _variance_of(table: Contingency) -> float | None:
    return _variance(int(table.n), _sizes(table.class_sizes), _sizes(table.cluster_sizes))


@lru_cache(maxsize=64)  # shuffled tables share it
def _variance(n: int, rows: Sizes, columns: Sizes) -> float | None:
    """Var[n I] in nats², or None if it is lost in rounding.

    With μ = ab/n for each cell, n I = Σ μ φ(x/μ - 1) up to a constant of the margins, which keeps
    the terms small. Cells are paired with themselves, within a row, within a column, and apart; the
    last by conditioning on the first row: the rest of a column is then hypergeometric again.
    """
    log_factorial = np.concatenate([[0.0], np.cumsum(np.log(np.arange(1, n + 1)))])
    space = _Space(n, log_factorial)
    mean = square = 0.0
    for (a, a_repeats), (b, b_repeats) in product(rows, columns):
        n_cells = a_repeats * b_repeats
        p, gain = space.of_count(n, a, b), space.gain(a, b)
        mean += n_cells * float(p @ gain)
        square += n_cells * float(p @ gain**2)
    square += space.within_rows(rows, columns) + space.within_rows(columns, rows)
    square += space.apart(rows, columns)
    variance = square - mean**2
    if variance > _LOST * mean**2:
        return variance
    # Of few objects, the information is the same for all tables with these margins.
    return None if n > _ROUNDED_FROM else 0.0


def _sizes(sizes: NDArray[Any]) -> Sizes:
    values, repeats = distinct(sizes)
    return tuple(zip(values.astype(int).tolist(), repeats.astype(int).tolist(), strict=True))


class _Space:
    """Hypergeometric probabilities of n objects; counts run from 0 to the smaller margin."""

    def __init__(self, n: int, log_factorial: FloatArray) -> None:
        self.n = n
        self.log_factorial = log_factorial

    def gain(self, a: int, b: int) -> FloatArray:
        """μ φ(x/μ - 1) for x = 0 … min(a, b)."""
        mean = a * b / self.n
        x = np.arange(min(a, b) + 1.0)
        return np.asarray(mean * relative_entropy_term((x - mean) / mean))

    def of_count(self, n: int, a: int, b: int) -> FloatArray:
        """P(x) for x = 0 … min(a, b) of b objects drawn from n, a of them marked."""
        x = np.arange(min(a, b) + 1)
        if b > n:  # has probability 0
            return np.zeros(len(x))
        return np.exp(
            self._choose(a, x) + self._choose(n - a, b - x) - self._choose(n, np.asarray(b))
        )

    def of_two_counts(self, a: int, b: int, other: int) -> FloatArray:
        """P(x, z): of a objects drawn, x from a group of b and z from one of `other`."""
        x = np.arange(min(a, b) + 1)[:, None]
        z = np.arange(min(a, other) + 1)[None, :]
        return np.exp(
            self._choose(b, x)
            + self._choose(other, z)
            + self._choose(self.n - b - other, a - x - z)
            - self._choose(self.n, np.asarray(a))
        )

    def _choose(self, n: int, k: NDArray[Any]) -> FloatArray:
        """Ln C(n, k), minus infinity outside 0 … n."""
        inside = (k >= 0) & (k <= n)
        k = np.where(inside, k, 0)
        value = self.log_factorial[n] - self.log_factorial[k] - self.log_factorial[n - k]
        return np.where(inside, value, -np.inf)

    def within_rows(self, rows: Sizes, columns: Sizes) -> float:
        """Σ E[gain · gain] over pairs of different cells in one row."""
        total = 0.0
        for (a, a_repeats), (b, other, n_pairs) in product(rows, list(_ordered_pairs(columns))):
            expected = self.gain(a, b) @ self.of_two_counts(a, b, other) @ self.gain(a, other)
            total += a_repeats * n_pairs * float(expected)
        return total

    def apart(self, rows: Sizes, columns: Sizes) -> float:
        """Σ E[gain · gain] over pairs of cells in different rows and columns.

        Take cells (a, b) and (later, other). Once row a has taken x objects of column b and z of
        column `other`, the rest of that column meets row `later` among n - a objects. With
        a = 2, later = 1, other = 2 and n = 4: if row a took z = 1 of the column, one of its two
        objects is left, and row `later`, one of the two other objects, gets it with probability ½.
        """
        total = 0.0
        for a, later, n_row_pairs in _ordered_pairs(rows):
            later_gains = {other: self._gain_after(a, later, other) for other, _ in columns}
            for other, b, n_pairs in _ordered_pairs(columns):
                p = self.of_two_counts(a, b, other)
                total += n_row_pairs * n_pairs * float(self.gain(a, b) @ p @ later_gains[other])
        return total

    def _gain_after(self, a: int, later: int, other: int) -> FloatArray:
        """E[gain of the later row in a column | row a took z of it], z = 0 … min(a, other)."""
        gain = self.gain(later, other)
        rests = range(other, other - min(a, other) - 1, -1)
        return np.array(
            [self.of_count(self.n - a, later, x) @ gain[: min(later, x) + 1] for x in rests]
        )


def _ordered_pairs(sizes: Sizes) -> Iterator[tuple[int, int, int]]:
    """Yield two sizes and the number of ordered pairs of different groups that have them.

    >>> list(_ordered_pairs(((2, 1), (1, 2))))
    [(2, 1, 2), (1, 2, 2), (1, 1, 2)]
    """
    for (first, first_repeats), (second, second_repeats) in product(sizes, sizes):
        if n_pairs := first_repeats * (second_repeats - (first == second)):
            yield first, second, n_pairs
