"""Columns of counts as a dense array: what one has in common with many others.

S, φ and the pairs that are looked for are those of `clusterbits.explanation.overlap`.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from copy import copy
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from clusterbits.core import kernels
from clusterbits.core.combinatorics import FloatArray

Index = NDArray[np.intp]

# Up to this many columns the S of all pairs are kept: 32 MB.
_REMEMBERED = 2000
# Upper bounds that are computed together: 4 MB.
_BOUNDS = 2**19
# Cells that are added together: they stay in the cache.
_BLOCK = 2**15
# Up to this count, logarithms are tabulated: 8 MB.
_MOST_TABULATED = 2**20
# Keeps 0·log 0 at zero, and is nothing beside any count.
_TINY = 1e-300


def remembers(width: int) -> bool:
    """Whether the S of all pairs of so many columns are kept, as merging them needs."""
    return width <= _REMEMBERED


class DenseColumns:
    """Columns stored as the rows of an array, for S of one column with many others.

    S(x, y) = L(x + y) - L(x) - L(y), where L(x) = Σ x log2 x is known for single columns: one
    logarithm per cell. That loses digits, so it ranks pairs only; their final bits are computed
    from φ.

    For up to `_REMEMBERED` columns, `shared` holds upper bounds of S for all pairs, and `exact`
    says which of them are S itself.
    """

    def __init__(self, array: FloatArray) -> None:
        self._logs = _CountLogs.of(array)
        self.array: NDArray[Any] = array if self._logs is None else array.astype(np.int32)
        self._log_sums = self._sum_logs(self.array)
        # These give upper bounds, which no longer hold once columns are merged.
        self._root = np.sqrt(array)
        self._sizes = array.sum(axis=1)
        width = len(array) if remembers(len(array)) else 0
        self.shared = np.empty((width, width))
        self.exact = np.zeros((width, width), dtype=np.bool_)
        if width:
            for start, bounds in self._compute_bounds():
                self.shared[start : start + len(bounds)] = bounds

    def copy(self) -> DenseColumns:
        """Return a copy to merge columns in; there are few enough to remember all S."""
        other = copy(self)
        other.array, other._log_sums = self.array.copy(), self._log_sums.copy()
        other.shared, other.exact = self.shared.copy(), self.exact.copy()
        return other

    def bound_blocks(self) -> Iterator[tuple[int, FloatArray]]:
        """Yield upper bounds of S of some columns with all, and the first of those columns."""
        if len(self.shared):
            yield 0, self.shared
        else:
            yield from self._compute_bounds()

    def _compute_bounds(self) -> Iterator[tuple[int, FloatArray]]:
        """Yield bounds: φ(u, v) ≤ 2√(uv), which a matrix product sums, and S ≤ φ of the sizes."""
        sizes = self._sizes + _TINY
        own = sizes * np.log2(sizes)
        step = max(_BOUNDS // max(len(sizes), 1), 1)
        for start in range(0, len(sizes), step):
            rows = slice(start, start + step)
            both = sizes[rows, None] + sizes
            of_sizes = both * np.log2(both) - own[rows, None] - own
            yield start, np.minimum(2 * (self._root[rows] @ self._root.T), of_sizes)

    def overlap(self, i: int, others: Index) -> FloatArray:
        """Return S of column i with each of the others."""
        if not len(self.shared):
            return self._compute_overlap(i, others)
        new = others[~self.exact[i, others]]
        self.shared[i, new] = self.shared[new, i] = self._compute_overlap(i, new)
        self.exact[i, new] = self.exact[new, i] = True
        return np.asarray(self.shared[i, others])

    def _compute_overlap(self, i: int, others: Index) -> FloatArray:
        logs = self._logs
        if logs is not None and kernels.native is not None:
            found = np.empty(len(others), dtype=np.int64)
            kernels.native.overlap_columns(
                self.array, self.array.shape[1], logs.table, self._log_sums, i, others, found
            )
            return np.ldexp(found, -logs.digits)
        total = np.empty(len(others), dtype=self._log_sums.dtype)
        step = max(_BLOCK // max(self.array.shape[1], 1), 1)
        for at in range(0, len(others), step):
            both = self.array[others[at : at + step]]
            both += self.array[i]
            total[at : at + step] = self._sum_logs(both)
        total -= self._log_sums[i] + self._log_sums[others]
        return total if logs is None else np.ldexp(total, -logs.digits)

    def common_counts(self, i: int, j: int) -> NDArray[Any]:
        """Return the counts of both columns in the rows that they share."""
        both = self.array[[i, j]]
        return np.asarray(both[:, (both > 0).all(axis=0)])

    def merge(self, i: int, j: int, others: Index, most: FloatArray) -> FloatArray:
        """Add column j to i; return upper bounds of S with others; `most` is another upper bound.

        φ(·, v) is concave and zero at zero, so S is at most what i and j shared with the other.
        """
        self.array[i] += self.array[j]
        self._log_sums[i] = self._sum_logs(self.array[i : i + 1])[0]
        shared = np.minimum(most, self.shared[i, others] + self.shared[j, others])
        self.shared[i, others] = self.shared[others, i] = shared
        self.exact[i] = self.exact[:, i] = False
        return np.asarray(shared)

    def _sum_logs(self, counts: NDArray[Any]) -> NDArray[Any]:
        """Return L of each row."""
        if self._logs is not None:
            return np.asarray(self._logs.table[counts].sum(axis=1))
        return np.asarray(np.einsum("ij,ij->i", counts, np.log2(counts + _TINY)))


class _CountLogs(NamedTuple):
    """x log2 x of whole counts x, with this many binary digits after the point.

    Such sums are exact, so that a pair has one S however it is added up.
    """

    table: NDArray[np.int64]
    digits: int

    @classmethod
    def of(cls, array: FloatArray) -> _CountLogs | None:
        """Return the logarithms of what columns can add up to; None for real or large counts."""
        most = array.sum(axis=0).max(initial=0)
        if most > _MOST_TABULATED or not (array == np.floor(array)).all():
            return None
        counts = np.arange(1 << int(most).bit_length())
        logs = counts * np.log2(np.maximum(counts, 1))
        # No column's sum reaches 2^61, nor a difference of three 2^63.
        digits = 61 - math.ceil(array.sum() * np.log2(most + 2) + 1).bit_length()
        return cls(np.rint(np.ldexp(logs, digits)).astype(np.int64), digits)
