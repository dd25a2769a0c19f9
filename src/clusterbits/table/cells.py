"""The non-zero cells of a class-cluster table, in order: what every source is counted into.

A cell is known by one key, row · width + column. This module is the one place that turns keys and
counts into cells, and cells into their canonical form: each cell once, row by row, none empty,
every name in some cell.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from clusterbits.errors import TableError
from clusterbits.table.noise import NoiseSingleton

# Up to this many cells a plain array of counts is cheaper than sorting, if keys are not few.
DENSE_CELLS, DENSE_CELLS_PER_KEY = 1 << 22, 16
# Counts are int64 or float64, and squares of these must stay within floating point.
MOST_OBJECTS, LEAST_OBJECTS = 2**63 - 1, 1e-100
# Sums of floats have 16 digits. Of a rest below this share of all objects fewer than 7 are left.
LEAST_REST = 1e-9


class Coverage(NamedTuple):
    """How much of the data was counted, where objects without a class or cluster were left out.

    `objects` of `of_objects` were counted, or their weight where there are weights; but always
    objects where a join may leave some out (unmatched="drop" or "class"), as those may have no
    weight. They lie in `clusters` of the `of_clusters` clusters that the data has; None where that
    is not known, as in a sum of tables that left some out.
    """

    objects: int | float
    of_objects: int | float
    clusters: int
    of_clusters: int | None

    @property
    def whole(self) -> bool:
        """Whether nothing was left out."""
        return self.objects == self.of_objects and self.clusters == self.of_clusters

    def __str__(self) -> str:
        share = self.objects / self.of_objects
        objects = f"scored {self.objects:,} of {self.of_objects:,} objects ({share:.3g})"
        if self.of_clusters is None:
            return objects
        return f"{objects} in {self.clusters:,} of {self.of_clusters:,} clusters"


class Cells(NamedTuple):
    """Counts with the names of their rows (classes) and columns (clusters).

    `rows` and `columns` are positions in `classes` and `clusters`. Unless `canonical`, cells may
    come in any order, twice, or with a count of zero. `weighted` counts are sums of the weights of
    objects, and say nothing about the number of objects. `balanced` cells are those of a
    class-balanced table: `counts` are those that it was made from, also on disk and in sums.
    """

    classes: NDArray[Any]
    clusters: NDArray[Any]
    rows: NDArray[np.intp]
    columns: NDArray[np.intp]
    counts: NDArray[Any]
    canonical: bool = False
    coverage: Coverage | None = None
    weighted: bool = False
    balanced: bool = False

    @classmethod
    def from_keys(
        cls,
        keys: NDArray[np.int64],
        counts: NDArray[Any],
        classes: NDArray[Any],
        clusters: NDArray[Any],
    ) -> Cells:
        """Return the cells with these keys: ascending, once each, with every name in some cell.

        >>> ab, xyz = np.array(["a", "b"]), np.array(["x", "y", "z"])
        >>> cells = Cells.from_keys(np.array([0, 2, 4]), np.array([9, 8, 7]), ab, xyz)
        >>> cells.rows.tolist(), cells.columns.tolist()
        ([0, 0, 1], [0, 2, 1])
        """
        rows, columns = split_keys(keys, max(len(clusters), 1))
        return cls(classes, clusters, rows, columns, counts, canonical=True)

    @property
    def keys(self) -> NDArray[np.int64]:
        """The key of each cell, row · width + column."""
        return self.rows * np.intp(max(len(self.clusters), 1)) + self.columns

    @property
    def whole_coverage(self) -> Coverage:
        """The coverage of a table that leaves nothing out.

        The cluster None, of objects without a label, is not one of the data's; noise is one,
        whatever the number of its singletons.
        """
        names = self.clusters[compress_codes(self.columns, len(self.clusters))[1]]
        clusters = len(names)
        if names.dtype == object:
            known = [name for name in names.tolist() if name is not None]
            noise = [name for name in known if isinstance(name, NoiseSingleton)]
            clusters = len(known) - len(noise) + len({name.label for name in noise})
        n = sum(self.counts.tolist())
        return Coverage(n, n, clusters, clusters)

    def covers(self, objects: int | float, clusters: int | None) -> Coverage | None:
        """Return how much these cells are of all objects and clusters; None where they are all."""
        counted = self.whole_coverage
        found = Coverage(counted.objects, objects, counted.clusters, clusters)
        return None if found.whole else found

    def subset(self, keep: NDArray[np.bool_ | np.integer[Any]]) -> Cells:
        """Return some of the cells."""
        return self._replace(
            rows=self.rows[keep],
            columns=self.columns[keep],
            counts=self.counts[keep],
            canonical=False,
        )

    @property
    def table_counts(self) -> NDArray[Any]:
        """The counts that measures read: if `balanced`, scaled so that classes have equal sizes.

        The total stays. Classes of equal sizes keep integer counts.
        """
        if not self.balanced:
            return self.counts
        counts = self.counts.astype(np.float64)
        sizes = np.bincount(self.rows, weights=counts)
        if (sizes == sizes[0]).all():
            return self.counts
        share = counts / sizes[self.rows] / len(sizes)
        return np.asarray(share * counts.sum())

    def in_canonical_form(self) -> Cells:
        """Return each cell once, row by row, without empty cells and names that do not occur."""
        if self.canonical and self.counts.dtype == np.int64:
            return self
        check_total(self.counts)
        if self.canonical:
            return self
        whole = self.counts.dtype.kind in "iu"
        cells = self._replace(counts=self.counts.astype(np.int64) if whole else self.counts)
        keys = cells.keys
        if not (keys[1:] > keys[:-1]).all():
            size = len(self.classes) * len(self.clusters)
            if whole and size <= min(DENSE_CELLS, DENSE_CELLS_PER_KEY * len(keys)):
                dense = np.zeros(size, dtype=np.int64)
                np.add.at(dense, keys, cells.counts)
                keys = dense.nonzero()[0]
                counts = dense[keys]
            else:
                keys, counts = sum_by_key(keys, cells.counts)
            cells = Cells.from_keys(keys, counts, self.classes, self.clusters)
        present = cells.counts != 0
        if not present.all():
            cells = cells.subset(present)
        if len(cells.counts) == 0:
            raise TableError("the table is empty: all counts are zero.")
        rows, present = compress_codes(cells.rows, len(self.classes))
        columns, there = compress_codes(cells.columns, len(self.clusters))
        return Cells(
            _some(self.classes, present),
            _some(self.clusters, there),
            rows,
            columns,
            cells.counts,
            True,
            self.coverage,
            self.weighted,
            self.balanced,
        )


def _some(names: NDArray[Any], present: NDArray[np.intp]) -> NDArray[Any]:
    """Return the names at these places; all of them as they are, so that tables share them."""
    return names if len(present) == len(names) else names[present]


def compress_codes(index: Any, size: int, xp: Any = np) -> tuple[Any, Any]:
    """Return numbers below `size` as positions among those that occur, and the latter, ascending.

    `xp` is numpy, or CuPy where the numbers are on a GPU.

    >>> compress_codes(np.array([3, 0, 3]), 5)
    (array([1, 0, 1]), array([0, 3]))
    """
    seen = xp.zeros(size, dtype=np.bool_)
    seen[index] = True
    present = seen.nonzero()[0]
    if len(present) < size:
        index = (seen.cumsum() - 1)[index]
    return index, present


def split_keys(keys: Any, width: int) -> tuple[Any, Any]:
    """Return the rows and columns of keys."""
    rows = keys // width
    columns = rows * -width
    columns += keys  # in place: a further large array takes five times as long
    return rows, columns


def checked_counts(values: NDArray[Any]) -> NDArray[Any]:
    """Return whole counts as int64 and others as float64; refuse what cannot be a count."""
    try:
        numbers = values.astype(np.float64)
    except OverflowError:  # integers past floating point
        raise _wrong_total(math.inf) from None
    if np.isnan(numbers).any():
        raise TableError("the table holds NaN; an empty cell is 0.")
    if np.isinf(numbers).any():
        raise TableError("the table holds an infinite count.")
    if (numbers < 0).any():
        raise TableError(f"the table holds {values[numbers < 0][0]}; counts are not negative.")
    check_total(values)
    return values.astype(np.int64) if (numbers == np.floor(numbers)).all() else numbers


def describe_uneven(sizes: NDArray[Any], n: int | float) -> str:
    """Return why floating-point sums lose some of these sizes of classes or clusters, if they do.

    They lose all but the largest where these are too small together, and one of which products with
    another are 0.
    """
    rest, least = np.delete(sizes, sizes.argmax()).sum(), sizes.min()
    if not 0 < rest < LEAST_REST * n and least >= LEAST_OBJECTS * n:
        return ""
    return (
        f"the weights are too uneven: of {n:.3g}, all classes (or clusters) but the largest have "
        f"{rest:.3g}, and the smallest has {least:.3g}. At least {LEAST_REST:g} and "
        f"{LEAST_OBJECTS:g} of the total are needed, because floating-point sums lose what is "
        "less. A weight of 0 leaves an object out."
    )


def check_total(counts: NDArray[Any]) -> None:
    """Refuse counts or weights whose total int64, or its square floating point, would not hold."""
    with np.errstate(over="ignore"):
        total = counts.astype(np.float64).sum()
    if total >= 2.0**62:  # then to the last digit
        total = sum(counts.tolist())
    if total > MOST_OBJECTS or 0 < total < LEAST_OBJECTS:
        raise _wrong_total(total)


def _wrong_total(total: float) -> TableError:
    return TableError(
        f"the counts or weights add up to {float(total):.4g} objects; a table holds from "
        f"{LEAST_OBJECTS:g} to below 2^63 (9.2e18)."
    )


def sum_by_key(keys: NDArray[Any], counts: NDArray[Any]) -> tuple[NDArray[np.int64], NDArray[Any]]:
    """Return the distinct keys, ascending, and the sum of the counts of each."""
    order = np.argsort(keys, kind="stable")
    keys = keys[order]
    starts = _run_starts(keys)
    return keys[starts], np.add.reduceat(counts[order], starts)


def count_sorted(keys: NDArray[Any]) -> tuple[NDArray[Any], NDArray[np.int64]]:
    """Return the distinct keys of a sorted array, and how often each occurs.

    >>> [part.tolist() for part in count_sorted(np.array([2, 2, 2, 5, 7, 7]))]
    [[2, 5, 7], [3, 1, 2]]
    """
    starts = _run_starts(keys)
    return keys[starts], np.diff(starts, append=len(keys))


def _run_starts(keys: NDArray[Any]) -> NDArray[np.intp]:
    """Return where each run of equal keys begins in a sorted array."""
    new = np.empty(len(keys), dtype=np.bool_)
    new[:1] = True
    np.not_equal(keys[1:], keys[:-1], out=new[1:])
    return np.flatnonzero(new)
