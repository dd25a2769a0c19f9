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

# What is remembered of more sizes would fill memory for little.
_REMEMBERED = 10_000


def sum_by_place(places: NDArray[np.intp], values: NDArray[Any], length: int) -> NDArray[Any]:
    """Return the sum of the values at each place, exact for integers of any size."""
    sums = np.zeros(length, dtype=values.dtype)
    np.add.at(sums, places, values)
    return sums


class Margin:
    """The sizes of the classes, or of the clusters, and what follows from them alone.

    All tables of one labeling share it, so that this is computed once.
    """

    def __init__(self, sizes: NDArray[Any], n: int | float) -> None:
        self.sizes = read_only(sizes)
        self.n = n

    @classmethod
    def of(cls, index: NDArray[np.intp], counts: NDArray[Any], size: int, n: int | float) -> Margin:
        """Add up the counts of n objects by their row or column, of which there are `size`."""
        if size == 1:  # all objects, to the last digit also where counts are real-valued
            sizes = np.array([n], dtype=counts.dtype)
        elif counts.dtype != np.float64 and n >= 2**53:  # past what float64 adds exactly
            sizes = sum_by_place(index, counts, size)
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


def mean_surprise(part: NDArray[Any], whole: NDArray[Any], n: int | float) -> float:
    """Return Σ part/n log2(whole/part)."""
    return float(surprise(part, whole).sum()) / n * BITS_PER_NAT


def table_bits(sizes: NDArray[Any], n_classes: int) -> float:
    """Return (1/n) Σ f(size): bits per object that name one column of each of these sums."""
    values = sizes.astype(np.float64)
    if len(values) > _REMEMBERED:
        return _column_bits(values, n_classes)
    return _remembered_bits(values.tobytes(), n_classes)


@lru_cache(maxsize=16)  # several measures of one table ask for it, and shuffled tables share it
def _remembered_bits(sizes: bytes, n_classes: int) -> float:
    return _column_bits(np.frombuffer(sizes), n_classes)


@lru_cache(maxsize=1024)  # resamples have the same n, and about as many classes
def singleton_bits(n: float, n_classes: int) -> float:
    """Return the table bits per object of n singletons: log2 |C|, rounded as `table_bits` is."""
    return mean_bits(np.ones(1), np.array([n], dtype=np.float64), n_classes)


def _column_bits(sizes: FloatArray, n_classes: int) -> float:
    return mean_bits(*distinct(sizes), n_classes)


def mean_bits(values: FloatArray, repeats: FloatArray, n_classes: int) -> float:
    """Return the bits per object of columns of these sums, each repeated so many times."""
    total = weighted_sum(values, repeats)
    return weighted_sum(log2_choose(values, n_classes - 1), repeats) / total
