"""Counting pairs of labels on the device where they are: only cells come here.

As in `clusterbits.core.counting`, a pair becomes one key within a box that holds all labels. Small
boxes are counted into an array of all cells: by kernels of our own on NVIDIA's GPUs, else by the
library's bincount. Keys of large boxes are sorted. Labels are read a chunk at a time, so that
memory beside them is bounded.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from clusterbits.core.counting import (
    DENSE_CELLS,
    DENSE_CELLS_PER_OBJECT,
    Counted,
    split_keys,
)
from clusterbits.ingest.devices import (
    CHUNK,
    DeviceLabels,
    cast,
    chunks,
    dtype_name,
    library_of,
    to_host,
    with_integers_of_64_bits,
)

# A table of so many cells is small, however few the objects.
_FEW_CELLS = 1 << 16
# Types whose differences fit int32 where the box does.
_NARROW = ("int8", "uint8", "int16", "uint16", "int32")


class _Axis(NamedTuple):
    """The labels on one side of the box: `size` of them from `low`, or those in `known`."""

    low: int
    size: int
    known: Any = None

    @classmethod
    def between(cls, low: int, high: int) -> _Axis:
        return cls(low, high - low + 1)

    def join(self, other: _Axis) -> _Axis:
        """Return the shortest axis that has the labels of two."""
        high = max(self.low + self.size, other.low + other.size) - 1
        return _Axis.between(min(self.low, other.low), high)

    def offsets(self, labels: Any, dtype: str) -> Any:
        """Return the positions of labels on the axis."""
        if self.known is not None:
            return cast(library_of(labels).searchsorted(self.known, cast(labels, "int64")), dtype)
        narrow = dtype == "int32" and dtype_name(labels) in _NARROW
        offsets = cast(labels, "int32" if narrow else "int64")
        return cast(offsets - self.low if self.low else offsets, dtype)

    def labels(self, positions: NDArray[np.int64]) -> NDArray[Any]:
        """Return the labels at these positions."""
        if self.known is not None:
            return to_host(self.known)[positions]
        return positions + np.int64(self.low) if self.low else positions


class _DeviceBox(NamedTuple):
    """A rectangle of labels: classes by clusters."""

    classes: _Axis
    clusters: _Axis

    @property
    def cells(self) -> int:
        return self.classes.size * self.clusters.size

    def is_dense(self, objects: int) -> bool:
        """Whether an array of all cells is small, by itself or beside so many objects."""
        return self.cells <= min(DENSE_CELLS, max(_FEW_CELLS, DENSE_CELLS_PER_OBJECT * objects))

    def join(self, other: _DeviceBox) -> _DeviceBox:
        """Return the smallest box around two."""
        return _DeviceBox(*(one.join(two) for one, two in zip(self, other, strict=True)))

    def keys(self, c: Any, k: Any) -> Iterator[Any]:
        """Yield the keys of a chunk of pairs at a time, as int32 where that will do."""
        dtype = "int32" if self.cells < 2**31 else "int64"
        for some in chunks(c.shape[0]):
            rows = self.classes.offsets(c[some], dtype)
            columns = self.clusters.offsets(k[some], dtype)
            yield rows * self.clusters.size + columns

    def read_off(self, keys: NDArray[Any], counts: NDArray[Any]) -> Counted:
        """Return cells, in order, by their labels."""
        return self.name(*split_keys(keys.astype(np.int64, copy=False), self.clusters.size), counts)

    def read_table(self, table: NDArray[np.int64]) -> Counted:
        """Return the cells of an array of all cells that are not zero."""
        keys = table.nonzero()[0]
        return self.name(*split_keys(keys, self.clusters.size), table[keys])

    def name(
        self, rows: NDArray[np.int64], columns: NDArray[np.int64], counts: NDArray[Any]
    ) -> Counted:
        """Return the labels of rows and columns."""
        return Counted(self.classes.labels(rows), self.clusters.labels(columns), counts)


def _bounding(classes: DeviceLabels, clusters: DeviceLabels) -> _DeviceBox:
    return _DeviceBox(*(_Axis.between(*labels.bounds) for labels in (classes, clusters)))


def _has_kernels(array: Any) -> bool:
    """Whether an array is where our kernels may read it, on a GPU of NVIDIA."""
    return hasattr(array, "__cuda_array_interface__")


def count_on_device(classes: DeviceLabels, clusters: DeviceLabels) -> Counted:
    """Count how often each pair of labels occurs, where the labels are.

    Our kernels guess the box from a sample, so that labels are read once; only where some are
    outside are they looked at as a whole and counted again.
    """
    c, k = classes.array, clusters.array
    xp = library_of(c)
    with with_integers_of_64_bits(xp):
        if _has_kernels(c):
            sampled = classes.sampled_bounds, clusters.sampled_bounds
            guess = _DeviceBox(*(_Axis.between(*bounds) for bounds in sampled))
            if (table := _count_dense(guess, classes, clusters)) is not None:
                return guess.read_table(table)
        box = _bounding(classes, clusters)
        if (table := _count_dense(box, classes, clusters)) is not None:
            return box.read_table(table)
        if box.cells >= 2**63:
            box = _DeviceBox(_rank(xp, c), _rank(xp, k))
        keys, counts = _count_sparse(xp, box, c, k)
        return box.read_off(to_host(keys), to_host(counts))


class DeviceTally:
    """Batches on devices, added up in one array of counts while their labels stay within a box."""

    def __init__(self) -> None:
        self._box: _DeviceBox | None = None
        self._table: Any = None

    def add(self, classes: DeviceLabels, clusters: DeviceLabels) -> list[Counted]:
        """Count a batch; return counts that are not in the array, or not any more."""
        with with_integers_of_64_bits(library_of(classes.array)):
            if self._box is not None:
                table = _count_dense(self._box, classes, clusters)
                if table is not None:
                    self._table = self._table + table  # that of JAX cannot be written to
                    return []
            box = _bounding(classes, clusters)
            box = box if self._box is None else box.join(self._box)
            done, table = self.take(), _count_dense(box, classes, clusters)
        if table is None:
            return [*done, count_on_device(classes, clusters)]
        self._box, self._table = box, table
        return done

    def take(self) -> list[Counted]:
        """Return what is in the array, if anything, and begin anew."""
        found = [] if self._box is None else [self._box.read_table(self._table)]
        self._box = self._table = None
        return found


def _count_dense(
    box: _DeviceBox, classes: DeviceLabels, clusters: DeviceLabels
) -> NDArray[np.int64] | None:
    """Count into an array of all cells; None where it would be large or labels leave the box."""
    c, k = classes.array, clusters.array
    if not box.is_dense(c.shape[0]):
        return None
    if _has_kernels(c) and _has_kernels(k):
        from clusterbits.ingest.cuda import count_by_kernel

        sizes = box.classes.size, box.clusters.size
        table = count_by_kernel(c, k, (box.classes.low, box.clusters.low), sizes)
        if table is not None:
            return table[:-1] if table[-1] == 0 else None
    xp = library_of(c)
    if not hasattr(xp, "bincount") or box.join(_bounding(classes, clusters)) != box:
        return None
    options = {"length" if xp.__name__ == "jax.numpy" else "minlength": box.cells}
    total: Any = 0
    for keys in box.keys(c, k):
        total = cast(xp.bincount(keys, **options), "int64") + total
    return to_host(total)


def _count_sparse(xp: Any, box: _DeviceBox, c: Any, k: Any) -> tuple[Any, Any]:
    """Sort keys a chunk at a time; add up the chunks' counts whenever they have doubled."""
    parts: list[tuple[Any, Any]] = []
    waiting, limit = 0, CHUNK
    for keys in box.keys(c, k):
        parts.append(_count_keys(xp, keys))
        waiting += parts[-1][0].shape[0]
        if waiting > 2 * limit:
            parts = [_add_up(xp, parts)]
            waiting = limit = parts[0][0].shape[0]
    return _add_up(xp, parts)


def _count_keys(xp: Any, keys: Any) -> tuple[Any, Any]:
    """Return the distinct keys, ascending, and how often each occurs."""
    if xp.__name__ == "torch":
        distinct, counts = xp.unique(keys, return_counts=True)
        return distinct, counts
    keys = xp.sort(keys)
    last = _last_of_runs(xp, keys)
    return keys[last], _differences(xp, last + 1)


def _add_up(xp: Any, parts: list[tuple[Any, Any]]) -> tuple[Any, Any]:
    """Return the distinct keys of several parts, ascending, and the sum of the counts of each."""
    if len(parts) == 1:
        return parts[0]
    join = getattr(xp, "concat", None) or xp.concatenate
    keys, counts = (join(some) for some in zip(*parts, strict=True))
    order = xp.argsort(keys)
    keys = keys[order]
    last = _last_of_runs(xp, keys)
    running = getattr(xp, "cumulative_sum", None) or xp.cumsum
    sums = running(counts[order], **({"dim": 0} if xp.__name__ == "torch" else {}))
    return keys[last], _differences(xp, sums[last])


def _last_of_runs(xp: Any, keys: Any) -> Any:
    """Return where each run of equal keys ends in a sorted array."""
    ends = keys[1:] != keys[:-1]
    join = getattr(xp, "concat", None) or xp.concatenate
    true = ends[:1] | True if ends.shape[0] else keys == keys
    found = join([ends, true])
    return xp.nonzero(found)[:, 0] if xp.__name__ == "torch" else xp.nonzero(found)[0]


def _differences(xp: Any, sums: Any) -> Any:
    """Return the steps of ascending sums, from zero on."""
    join = getattr(xp, "concat", None) or xp.concatenate
    return sums - join([sums[:1] * 0, sums[:-1]])


def _rank(xp: Any, labels: Any) -> _Axis:
    """Return the axis of labels so far apart that no key holds a pair: those that occur."""
    parts = [_count_keys(xp, cast(labels[some], "int64")) for some in chunks(labels.shape[0])]
    known, _ = _add_up(xp, parts)
    return _Axis(0, known.shape[0], known)
