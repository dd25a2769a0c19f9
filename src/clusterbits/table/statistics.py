"""Statistics that formulas need, of one table or of a table stack.

About half of the measures are functions of `TableStatistics`. Its properties are numbers for one
table, and arrays with one entry per table for a stack: all cuts of a tree, or resamples. `ratio`
and the other functions here take numbers and arrays alike, so that formulas have no branches.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, Literal, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from clusterbits.errors import MeasureError


class PairCounts(NamedTuple):
    """The 2×2 table of object pairs, the paper's A: the class first, 0 is together and 1 apart.

    All are exact: integers, or fractions (expectations over pairs) if counts are non-integer.
    """

    a00: Any
    a01: Any
    a10: Any
    a11: Any

    @classmethod
    def of(cls, together: Any, same_class: Any, same_cluster: Any, total: Any) -> PairCounts:
        """Return the counts of pairs together in both, in a class, in a cluster, and of all."""
        only_cluster = same_cluster - together
        apart = total - same_class - only_cluster  # exactly 0 for one class, and for one cluster
        return cls(together, same_class - together, only_cluster, apart)

    @property
    def total(self) -> Any:
        """M, the number of pairs."""
        return self.a00 + self.a01 + self.a10 + self.a11

    @property
    def same_class(self) -> Any:
        """Pairs within a class: a0• in the paper."""
        return self.a00 + self.a01

    @property
    def same_cluster(self) -> Any:
        """Pairs within a cluster: a•0 in the paper."""
        return self.a00 + self.a10


class TableStatistics(Protocol):
    """Statistics of one table (scalars) or of a table stack (one entry per table).

    Types are those of one table, as formulas are read.
    """

    @property
    def n(self) -> int | float:
        """Number of objects."""

    @property
    def exact(self) -> bool:
        """Whether the counts are integers."""

    @property
    def weighted(self) -> bool:
        """Whether the counts are sums of the weights of objects."""

    @property
    def shape(self) -> tuple[int, int]:
        """Numbers of classes and of clusters."""

    @property
    def class_sizes(self) -> NDArray[Any]:
        """h(c), the objects in each class; with a column for each table if they differ."""

    @property
    def is_perfect(self) -> bool:
        """Whether classes and clusters are the same partition."""

    @property
    def pairs(self) -> PairCounts:
        """The 2×2 table of pairs of objects, exactly."""

    @property
    def class_entropy(self) -> float:
        """H(C), in bits per object, as all below."""

    @property
    def cluster_entropy(self) -> float:
        """H(K)."""

    @property
    def class_entropy_given_cluster(self) -> float:
        """H(C|K)."""

    @property
    def cluster_entropy_given_class(self) -> float:
        """H(K|C)."""

    @property
    def mutual_information(self) -> float:
        """I(C;K)."""

    @property
    def expected_information(self) -> float:
        """E[I(C;K)], the mean over shuffled objects."""

    def table_bits(self, n_classes: int | None = None) -> float:
        """Return the table bits per object, the second term of equation (5)."""

    def expected_table_bits(self, n_classes: int | None = None) -> float:
        """Return the mean table bits over random permutations of the objects."""

    def perfect_bits(self, n_classes: int | None = None) -> float:
        """Return the code length per object of the perfect clustering, the minimum of q0."""

    def one_cluster_bits(self, n_classes: int | None = None) -> float:
        """Return the table bits per object of one cluster of all objects."""

    def singleton_bits(self, n_classes: int | None = None) -> float:
        """Return the table bits per object of singletons: log2 of the number of classes."""


def ratio(top: float, bottom: float, otherwise: float = 0.0, rounding: float = 0) -> float:
    """Return top/bottom, or `otherwise` if bottom <= 0.

    A top or a bottom within `rounding` of zero counts as zero.

    >>> ratio(1, 2), ratio(0, 0, otherwise=1), ratio(1e-17, 2, rounding=1e-15)
    (0.5, 1, 0.0)
    >>> ratio(np.array([1, 3]), np.array([2, 0])).tolist()
    [0.5, 0.0]
    """
    positive = bottom > rounding
    if not _has_array(top, bottom):
        top = 0.0 if abs(top) <= rounding else top
        return top / bottom if positive else otherwise
    # Python's integers, in arrays of objects, are divided exactly and rounded once.
    nonzero = positive & ~(np.abs(top) <= rounding)
    quotient: Any = np.where(nonzero, top, 0) / np.where(positive, bottom, 1)
    return _as_value(np.where(positive, quotient, otherwise).astype(np.float64))


def sqrt(x: float) -> float:
    """Return √x."""
    return _as_value(np.sqrt(np.asarray(x, dtype=np.float64))) if _has_array(x) else math.sqrt(x)


def minimum(a: float, b: float) -> float:
    """Return the smaller value, elementwise for arrays."""
    return _as_value(np.minimum(a, b)) if _has_array(a, b) else min(a, b)


def maximum(a: float, b: float) -> float:
    """Return the larger value, elementwise for arrays."""
    return _as_value(np.maximum(a, b)) if _has_array(a, b) else max(a, b)


def elementwise(function: Callable[..., float], *values: Any) -> float:
    """Return the function of numbers, applied to one table or to each table of a stack.

    >>> elementwise(math.log2, 8), elementwise(math.log2, np.array([2, 8])).tolist()
    (3.0, [1.0, 3.0])
    """
    if not _has_array(*values):
        return function(*values)
    return _as_value(np.vectorize(function, otypes=[np.float64])(*values))


def _has_array(*values: Any) -> bool:
    return np.ndarray in map(type, values)


def _as_value(values: Any) -> float:
    """Return an array, which formulas have typed as one number."""
    return values  # type: ignore[no-any-return]


# The averages of two entropies by which measures are normalized.
Average = Literal["arithmetic", "geometric", "min", "max"]
AVERAGES: dict[str, Callable[[float, float], float]] = {
    "arithmetic": lambda a, b: (a + b) / 2,
    "geometric": lambda a, b: sqrt(maximum(a, 0.0) * maximum(b, 0.0)),
    "min": minimum,
    "max": maximum,
}


def number_of_classes(n_classes: int | None, present: int) -> int:
    """Return the number of possible classes, at least those that are present."""
    if n_classes is None:
        return present
    lowest = int(np.max(present))
    if not isinstance(n_classes, int | np.integer) or not lowest <= n_classes <= 10**15:
        raise MeasureError(
            f"n_classes must be an integer from {lowest} (the classes that occur) to 1e15, "
            f"got {n_classes!r}."
        )
    return int(n_classes)
