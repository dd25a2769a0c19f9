"""The margins of a table: the sizes of its classes and of its clusters."""

from __future__ import annotations

from functools import cached_property, lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from clusterbits.system.immutable import read_only
from clusterbits.table.log_factorials import (
    BITS_PER_NAT,
    FloatArray,
    distinct,
    log2_choose,
    sum_of_squares,
    surprise,
    weighted_sum,
)
from clusterbits.table.statistics import elementwise, number_of_classes

# The table bits of more sizes than this are not cached: the keys would fill memory.
_MAX_CACHED = 10_000


def sum_by_code(codes: NDArray[np.intp], values: NDArray[Any], n_codes: int) -> NDArray[Any]:
    """Return the sum of the values of each code, exact for integers of any size."""
    sums = np.zeros(n_codes, dtype=values.dtype)
    np.add.at(sums, codes, values)
    return sums


class Margin:
    """The sizes of the classes, or of the clusters, with their entropy and sum of squares.

    All tables of one labeling share it, so that these are computed once.
    """

    def __init__(self, sizes: NDArray[Any], n: int | float) -> None:
        self.sizes = read_only(sizes)
        self.n = n

    @classmethod
    def of(cls, index: NDArray[np.intp], counts: NDArray[Any], size: int, n: int | float) -> Margin:
        """Add up the counts of n objects by their row or column, of which there are `size`."""
        if size == 1:  # exactly n, also for non-integer counts
            sizes = np.array([n], dtype=counts.dtype)
        elif counts.dtype != np.float64 and n >= 2**53:  # past what float64 adds exactly
            sizes = sum_by_code(index, counts, size)
        else:
            weights = counts.astype(np.float64, copy=False)
            sizes = np.bincount(index, weights=weights, minlength=size)
            sizes = sizes.astype(counts.dtype, copy=False)
        return cls(sizes, n)

    @cached_property
    def squares(self) -> Any:
        """Σ sizes², exactly for integers of any size."""
        return sum_of_squares(self.sizes)

    @cached_property
    def entropy(self) -> float:
        """The bits that name an object's class, or cluster."""
        return mean_surprise(self.sizes, np.asarray(self.n), self.n)


def mean_surprise(part: NDArray[Any], total: NDArray[Any], n: int | float) -> float:
    """Return Σ part/n log2(whole/part)."""
    return float(surprise(part, total).sum()) / n * BITS_PER_NAT


class TableBits:
    """Table bits per object of a table, or of each table of a stack: see `TableStatistics`."""

    def table_bits(self: Any, n_classes: int | None = None) -> float:
        """Return the table bits per object, the second term of equation (5).

        They depend on the cluster sizes and the number of classes only.
        """
        return table_bits(self.cluster_sizes, number_of_classes(n_classes, self.shape[0]))

    def expected_table_bits(self: Any, n_classes: int | None = None) -> float:
        """Return the mean table bits over random permutations of the objects.

        Without class-balanced weights a permutation keeps the cluster sizes.
        """
        return self.table_bits(n_classes)  # type: ignore[no-any-return]

    def perfect_bits(self: Any, n_classes: int | None = None) -> float:
        """Return the code length per object of the perfect clustering, the minimum of q0."""
        return table_bits(self.class_sizes, number_of_classes(n_classes, self.shape[0]))

    def one_cluster_bits(self: Any, n_classes: int | None = None) -> float:
        """Return the table bits per object of one cluster of all objects."""
        classes = number_of_classes(n_classes, self.shape[0])
        return elementwise(_one_cluster_bits, self.n, classes)

    def singleton_bits(self: Any, n_classes: int | None = None) -> float:
        """Return the table bits per object of singletons: log2 of the number of classes."""
        return elementwise(_singleton_bits, self.n, number_of_classes(n_classes, self.shape[0]))


def table_bits(sizes: NDArray[Any], n_classes: Any) -> float:
    """Return (1/n) Σ f(size): the bits per object that name the columns with these sums.

    Of a table stack, sizes have a column for each table, and each may have its number of classes.
    """
    if sizes.ndim == 2:
        return _bits_by_table(sizes, np.broadcast_to(n_classes, sizes.shape[1]))
    values = sizes.astype(np.float64)
    if len(values) > _MAX_CACHED:
        return mean_bits(*distinct(values), n_classes)
    return _cached_bits(values.tobytes(), n_classes)


@lru_cache(maxsize=16)  # several measures of one table ask for it, and shuffled tables share it
def _cached_bits(sizes: bytes, n_classes: int) -> float:
    return mean_bits(*distinct(np.frombuffer(sizes)), n_classes)


def _bits_by_table(sizes: NDArray[Any], classes: NDArray[Any]) -> float:
    # Sorted, so that sums do not depend on the order of the clusters.
    values, codes = np.unique(np.sort(sizes, axis=0), return_inverse=True)
    codes = codes.reshape(sizes.shape)
    bits = np.empty(sizes.shape[1])
    for n_classes in np.unique(classes).tolist():
        tables = classes == n_classes
        bits[tables] = log2_choose(values, n_classes - 1)[codes[:, tables]].sum(axis=0)
    return bits / sizes.sum(axis=0)  # type: ignore[no-any-return]


@lru_cache(maxsize=1024)  # resamples have the same n, and about as many classes
def _one_cluster_bits(n: float, n_classes: int) -> float:
    return mean_bits(np.array([n], dtype=np.float64), np.ones(1), n_classes)


@lru_cache(maxsize=1024)
def _singleton_bits(n: float, n_classes: int) -> float:
    return mean_bits(np.ones(1), np.array([n], dtype=np.float64), n_classes)


def mean_bits(values: FloatArray, repeats: FloatArray, n_classes: int) -> float:
    """Return the bits per object of columns with these sums, each repeated so often."""
    total = weighted_sum(values, repeats)
    return weighted_sum(log2_choose(values, n_classes - 1), repeats) / total
