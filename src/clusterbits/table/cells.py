"""The non-zero cells of a contingency table: every source is counted into them.

The key of a cell is row · width + column. In canonical form each cell occurs once, row by row, none
is empty, and every name has a cell.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from clusterbits.errors import TableError
from clusterbits.table.label_names import NoiseSingleton

# Up to this many cells, also per key, an array of all cells is cheaper than sorting keys.
DENSE_CELLS, DENSE_CELLS_PER_KEY = 1 << 22, 16
# Counts are int64 or float64, and squares of these must stay within floating point.
MAX_OBJECTS, MIN_OBJECTS = 2**63 - 1, 1e-100
# A remainder below this share of the total keeps fewer than 7 digits in float64.
MIN_REST = 1e-9


class Coverage(NamedTuple):
    """The part of the data that was counted, if objects without a class or cluster were excluded.

    `objects` of `of_objects` were counted, or their weight if they have weights; but always objects
    if a join may exclude some (unmatched="drop" or "class"), as those may have no weight. They are
    in `clusters` of `of_clusters` clusters; None if that is unknown, as in sums of tables that
    excluded some.
    """

    objects: int | float
    of_objects: int | float
    clusters: int
    of_clusters: int | None

    @property
    def whole(self) -> bool:
        """Whether nothing was excluded."""
        return self.objects == self.of_objects and self.clusters == self.of_clusters

    def __str__(self) -> str:
        share = self.objects / self.of_objects
        objects = f"scored {self.objects:,} of {self.of_objects:,} objects ({share:.3g})"
        if self.of_clusters is None:
            return objects
        return f"{objects} in {self.clusters:,} of {self.of_clusters:,} clusters"


class Cells(NamedTuple):
    """Counts with the names of their rows (classes) and columns (clusters).

    `rows` and `columns` are indices into `classes` and `clusters`. Unless `canonical`, cells may
    come in any order, repeatedly, or with a count of zero. `weighted` counts are sums of weights.
    The `counts` of a `balanced` (class-balanced) table are those that it was made from.
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
        """Return the cells with these keys, which are in canonical form.

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
        """The coverage if nothing is excluded.

        The cluster None, of objects without a label, is no cluster of the data. Noise is one.
        """
        names = self.clusters[compress_codes(self.columns, len(self.clusters))[1]]
        clusters = len(names)
        if names.dtype == object:
            noise = {name.label for name in names.tolist() if isinstance(name, NoiseSingleton)}
            remaining = [
                x for x in names.tolist() if not (x is None or isinstance(x, NoiseSingleton))
            ]
            clusters = len(noise) + len(remaining)
        n = sum(self.counts.tolist())
        return Coverage(n, n, clusters, clusters)

    def partial_coverage(self, objects: int | float, clusters: int | None) -> Coverage | None:
        """Return the coverage of these cells, or None if nothing was excluded."""
        counted = self.whole_coverage
        coverage = Coverage(counted.objects, objects, counted.clusters, clusters)
        return None if coverage.whole else coverage

    def subset(self, keep: NDArray[np.bool_ | np.integer[Any]]) -> Cells:
        """Return the cells selected by a mask or indices."""
        return self._replace(
            rows=self.rows[keep],
            columns=self.columns[keep],
            counts=self.counts[keep],
            canonical=False,
        )

    @property
    def table_counts(self) -> NDArray[Any]:
        """The counts, scaled to equal class sizes and the same total if `balanced`.

        Classes of equal sizes keep integer counts.
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
        """Return each non-zero cell once, row by row, without names that do not occur."""
        if self.canonical and self.counts.dtype == np.int64:
            return self
        check_total(self.counts)
        if self.canonical:
            return self
        integers = self.counts.dtype.kind in "iu"
        cells = self._replace(counts=self.counts.astype(np.int64) if integers else self.counts)
        keys = cells.keys
        if not (keys[1:] > keys[:-1]).all():
            size = len(self.classes) * len(self.clusters)
            if integers and size <= min(DENSE_CELLS, DENSE_CELLS_PER_KEY * len(keys)):
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
        rows, classes = _drop_absent(cells.rows, self.classes)
        columns, clusters = _drop_absent(cells.columns, self.clusters)
        canonical = Cells(classes, clusters, rows, columns, cells.counts, canonical=True)
        return canonical._replace(
            coverage=self.coverage, weighted=self.weighted, balanced=self.balanced
        )


def _drop_absent(
    codes: NDArray[np.intp], names: NDArray[Any]
) -> tuple[NDArray[np.intp], NDArray[Any]]:
    """Return codes of the names that occur, and these; tables share names that all occur."""
    codes, present = compress_codes(codes, len(names))
    return codes, names if len(present) == len(names) else names[present]


def compress_codes(index: Any, size: int, xp: Any = np) -> tuple[Any, Any]:
    """Factorize integers in range(size): return dense codes and the sorted values that occur.

    `xp` is numpy, or CuPy for integers on a GPU.

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
    """Return integer counts as int64 and others as float64; raise for what cannot be a count."""
    try:
        numbers = values.astype(np.float64)
    except OverflowError:  # integers past floating point
        raise _wrong_total(math.inf) from None
    wrong = ~(np.isfinite(numbers) & (numbers >= 0))
    if wrong.any():
        raise TableError(
            f"the table holds {values[wrong][0]}: counts must be finite and not negative, and an "
            "empty cell is 0."
        )
    check_total(values)
    return values.astype(np.int64) if (numbers == np.floor(numbers)).all() else numbers


def describe_uneven(sizes: NDArray[Any], n: int | float) -> str:
    """Return an error message if the sizes are too uneven for float64 sums, else ""."""
    rest, smallest = np.delete(sizes, sizes.argmax()).sum(), sizes.min()
    if not 0 < rest < MIN_REST * n and smallest >= MIN_OBJECTS * n:
        return ""
    return (
        f"the weights are too uneven: of {n:.3g}, all classes (or clusters) but the largest have "
        f"{rest:.3g}, and the smallest has {smallest:.3g}. At least {MIN_REST:g} and "
        f"{MIN_OBJECTS:g} of the total are needed, because floating-point sums lose what is "
        "less. A weight of 0 excludes an object."
    )


def check_total(counts: NDArray[Any]) -> None:
    """Raise if the total of counts or weights overflows int64, or its square float64."""
    with np.errstate(over="ignore"):
        total = counts.astype(np.float64).sum()
    if total >= 2.0**62:  # then exactly
        total = sum(counts.tolist())
    if total > MAX_OBJECTS or 0 < total < MIN_OBJECTS:
        raise _wrong_total(total)


def _wrong_total(total: float) -> TableError:
    return TableError(
        f"the counts or weights add up to {float(total):.4g} objects; a table holds from "
        f"{MIN_OBJECTS:g} to below 2^63 (9.2e18)."
    )


def sum_by_key(keys: NDArray[Any], counts: NDArray[Any]) -> tuple[NDArray[np.int64], NDArray[Any]]:
    """Return the distinct keys, ascending, and the sum of the counts of each."""
    order = np.argsort(keys, kind="stable")
    keys = keys[order]
    starts = _group_starts(keys)
    return keys[starts], np.add.reduceat(counts[order], starts)


def count_sorted(keys: NDArray[Any]) -> tuple[NDArray[Any], NDArray[np.int64]]:
    """Return the distinct keys of a sorted array, and how often each occurs.

    >>> [part.tolist() for part in count_sorted(np.array([2, 2, 2, 5, 7, 7]))]
    [[2, 5, 7], [3, 1, 2]]
    """
    starts = _group_starts(keys)
    return keys[starts], np.diff(starts, append=len(keys))


def _group_starts(keys: NDArray[Any]) -> NDArray[np.intp]:
    """Return the index of the first of each group of equal keys in a sorted array."""
    new = np.empty(len(keys), dtype=np.bool_)
    new[:1] = True
    np.not_equal(keys[1:], keys[:-1], out=new[1:])
    return np.flatnonzero(new)
