"""The non-zero cells of a class-cluster table, in order: what every source is counted into.

A cell is known by one key, row · width + column. This module is the one place that turns keys and
counts into cells, and cells into their canonical form: each cell once, row by row, none empty,
every name in some cell.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from clusterbits.errors import TableError

# Squares of counts must stay within floating point.
MOST_OBJECTS = 10**100


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
    come in any order, twice, or with a count of zero.
    """

    classes: NDArray[Any]
    clusters: NDArray[Any]
    rows: NDArray[np.intp]
    columns: NDArray[np.intp]
    counts: NDArray[Any]
    canonical: bool = False
    coverage: Coverage | None = None

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
        rows = keys // max(len(clusters), 1)
        return cls(classes, clusters, rows, keys - rows * len(clusters), counts, canonical=True)

    @property
    def keys(self) -> NDArray[np.int64]:
        """The key of each cell, row · width + column."""
        return self.rows * np.intp(max(len(self.clusters), 1)) + self.columns

    def only(self, keep: NDArray[np.bool_ | np.integer[Any]]) -> Cells:
        """Return some of the cells."""
        return self._replace(
            rows=self.rows[keep],
            columns=self.columns[keep],
            counts=self.counts[keep],
            canonical=False,
        )

    def with_equal_classes(self) -> Cells:
        """Return real-valued counts, rows scaled so that all classes have the same size.

        The total stays, and classes that are of one size already stay whole.
        """
        cells = self.in_canonical_form()
        counts = cells.counts.astype(np.float64)
        sizes = np.bincount(cells.rows, weights=counts)
        if (sizes == sizes[0]).all():
            return cells
        share = counts / sizes[cells.rows] / len(sizes)
        return cells._replace(counts=share * counts.sum())

    def in_canonical_form(self) -> Cells:
        """Return each cell once, row by row, without empty cells and names that do not occur."""
        check_total(self.counts)
        if self.canonical:
            return self
        cells = self._replace(counts=_wide_enough(self.counts))
        keys = cells.keys
        if not (keys[1:] > keys[:-1]).all():
            keys, counts = sum_by_key(keys, cells.counts)
            cells = Cells.from_keys(keys, counts, self.classes, self.clusters)
        present = cells.counts != 0
        if not present.all():
            cells = cells.only(present)
        if len(cells.counts) == 0:
            raise TableError("the table is empty: all counts are zero.")
        rows, classes = _only_present(cells.rows, self.classes)
        columns, clusters = _only_present(cells.columns, self.clusters)
        return Cells(classes, clusters, rows, columns, cells.counts, True, self.coverage)


def exact_integers(values: Sequence[int]) -> NDArray[Any]:
    """Return whole numbers as int64, or as Python integers where their sum may not fit."""
    return np.array(values, dtype=np.int64 if sum(values) < 2**62 else object)


def _wide_enough(counts: NDArray[Any]) -> NDArray[Any]:
    """Return integer counts as int64, or as Python integers where their sum may not fit."""
    if counts.dtype == object:
        return exact_integers(counts.tolist())
    if counts.dtype.kind not in "iu":
        return counts
    past_int64 = counts.astype(np.float64).sum() >= 2.0**62
    return as_names(counts.tolist()) if past_int64 else counts.astype(np.int64, copy=False)


def _only_present(
    index: NDArray[np.intp], names: NDArray[Any]
) -> tuple[NDArray[np.intp], NDArray[Any]]:
    seen = np.zeros(len(names), dtype=np.bool_)
    seen[index] = True
    if seen.all():
        return index, names
    return (np.cumsum(seen) - 1)[index], names[seen]


def checked_counts(values: NDArray[Any]) -> NDArray[Any]:
    """Return whole counts as integers and others as float64; refuse what cannot be a count."""
    if values.dtype.kind not in "biuf":
        if all(isinstance(value, int | np.integer) for value in values.tolist()):
            ints = [int(value) for value in values.tolist()]
            _refuse_negative(min(ints, default=0))
            check_total(as_names(ints))
            return exact_integers(ints)
        try:
            values = values.astype(np.float64)
        except OverflowError:
            raise _extreme() from None
    if values.dtype.kind == "f":
        if np.isnan(values).any():
            raise TableError("the table holds NaN; an empty cell is 0.")
        if np.isinf(values).any():
            raise TableError("the table holds an infinite count.")
        check_total(values)
    if len(values):
        _refuse_negative(values.min().item())
    if values.dtype.kind == "f":
        if not (values == np.floor(values)).all():
            return values.astype(np.float64)
        return checked_counts(as_names([int(value) for value in values.tolist()]))
    if values.dtype == np.uint64:
        return checked_counts(as_names(values.tolist()))
    return values.astype(np.int64)


def check_total(counts: NDArray[Any]) -> None:
    """Refuse counts or weights whose total, or its square, floating point would not hold."""
    if counts.dtype.kind not in "fO":
        return
    with np.errstate(over="ignore"):
        total = counts.sum()
    if total > MOST_OBJECTS or 0 < total < 1 / MOST_OBJECTS:
        raise _extreme()


def _extreme() -> TableError:
    return TableError(
        "the counts or weights add up to less than 1e-100 or more than 1e100 objects."
    )


def _refuse_negative(smallest: float) -> None:
    if smallest < 0:
        raise TableError(f"the table holds {smallest}; counts are not negative.")


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


def as_names(names: list[Any]) -> NDArray[Any]:
    """Return a one-dimensional array of the names as they are, tuples included."""
    array = np.empty(len(names), dtype=object)
    array[:] = names
    return array


def name_order(names: list[Any]) -> NDArray[np.intp]:
    """Return the order that sorts the names: by value, else by type and value, None last."""

    def by_value(i: int) -> tuple[bool, Any]:
        return names[i] is None, 0 if names[i] is None else names[i]

    def by_type(i: int) -> tuple[bool, str, Any]:
        return names[i] is None, type(names[i]).__name__, names[i]

    if len(set(map(type, names))) == 1:  # the usual case, without a tuple for each name
        with suppress(TypeError):
            return np.array(sorted(range(len(names)), key=names.__getitem__), dtype=np.intp)
    for key in (by_value, by_type):
        try:
            return np.array(sorted(range(len(names)), key=key), dtype=np.intp)
        except TypeError:
            continue
    return np.arange(len(names))  # values without an order stay as they came
