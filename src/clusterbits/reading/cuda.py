"""Counting pairs of labels on NVIDIA's GPUs, by CuPy: only canonical cells come here.

Small tables are counted into an array of all cells by a kernel (pairs.cu), which reads the labels
once; for large ones the pairs are sorted. `xp` is CuPy, or numpy, whose functions are the same.
"""

from __future__ import annotations

from functools import cache
from importlib.resources import files
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from clusterbits.system.threads import count_threads, run_in_threads
from clusterbits.table.cells import (
    DENSE_CELLS,
    DENSE_CELLS_PER_KEY,
    Cells,
    compress_codes,
    split_keys,
)

# Labels looked at to guess the smallest and the largest.
_SAMPLE = 1 << 16
# Labels that span at most this many are coded by subtraction, however few the objects.
_SHORT = 1 << 16
_THREADS = 1024
# Bytes of new memory for a thread of the host to touch.
_PART = 1 << 25
# Bytes of a block's memory that the driver reserves.
_RESERVED = 1024


class Span(NamedTuple):
    """The classes or clusters of a table: `size` integers from `low`, or those in `names`."""

    low: int
    size: int
    names: Any = None

    @classmethod
    def around(cls, labels: Any) -> Span:
        low, high = int(labels.min()), int(labels.max())
        return cls(low, high - low + 1)

    def labels(self, codes: Any) -> Any:
        """Return the labels of codes, which count from the smallest."""
        return codes + self.low if self.names is None else self.names[codes].astype(np.int64)


def count_small(xp: Any, c: Any, k: Any) -> Cells | None:
    """Count into an array of all cells; None if they are too many.

    The ranges are guessed from a sample. Only if labels are outside are all looked at.
    """
    step = len(c) // _SAMPLE | 1  # odd, as labels may alternate
    for labels in (_fetch(xp.stack([c[::step], k[::step]])), (c, k)):
        classes, clusters = map(Span.around, labels)
        cells = classes.size * clusters.size
        if cells > min(DENSE_CELLS, max(_SHORT, DENSE_CELLS_PER_KEY * len(c))):
            continue
        table = count_table(xp, c, k, classes, clusters)
        if cells < _SHORT:
            table = _fetch(table)  # small arrays are faster on the host
        if table[-1] == 0:
            library = np if isinstance(table, np.ndarray) else xp
            return read_table(library, table[:-1], classes, clusters)
    return None


def count_table(xp: Any, c: Any, k: Any, classes: Span, clusters: Span) -> Any:
    """Return the count of each cell, and then that of the pairs outside."""
    dtype = np.promote_types(c.dtype, k.dtype)
    c, k = (_readable(xp, labels, dtype) for labels in (c, k))
    cells = classes.size * clusters.size + 1
    cores, block_memory, core_memory = _resources(c.device.id)
    fits = 4 * cells <= block_memory
    slots = cells if fits else 1 << (block_memory // 8).bit_length() - 1
    shared = 4 * slots if fits else 8 * slots
    blocks = 2 * cores if 2 * (shared + _RESERVED) <= core_memory else cores
    kernel = _kernel(8 * dtype.itemsize, fits)
    kernel.max_dynamic_shared_size_bytes = shared
    table = xp.zeros(cells, dtype=np.int64)
    label = np.dtype(f"u{dtype.itemsize}").type
    lows = (label(span.low % 2 ** (8 * dtype.itemsize)) for span in (classes, clusters))
    sizes = map(np.uint32, (classes.size, clusters.size, slots))
    arguments = c, k, np.uint64(len(c)), *lows, *sizes, table
    kernel((blocks,), (_THREADS,), arguments, shared_mem=shared)
    return table


@cache
def _resources(device: int) -> tuple[int, int, int]:
    """Return the number of cores of a GPU, and the bytes of shared memory of a block and a core."""
    import cupy

    has = cupy.cuda.Device(device).attributes
    shared = has["MaxSharedMemoryPerBlockOptin"], has["MaxSharedMemoryPerMultiprocessor"]
    return has["MultiProcessorCount"], *shared


@cache
def _kernel(bits: int, fits: bool) -> Any:
    """Return the kernel for labels of 8 to 64 bits; CuPy compiles it and keeps it on disk."""
    import cupy

    source = files("clusterbits.reading").joinpath("pairs.cu").read_text()
    options = "-std=c++17", f"-DLABEL=u{bits}", f"-DWHOLE={int(fits)}"
    return cupy.RawKernel(source, "count_pairs", options)


def _readable(xp: Any, labels: Any, dtype: np.dtype[Any]) -> Any:
    """Return labels of a type that lie one after the other, from a multiple of 16 bytes on."""
    labels = xp.ascontiguousarray(labels, dtype=dtype)
    return labels if labels.data.ptr % 16 == 0 else labels.copy()


def read_table(xp: Any, table: Any, classes: Span, clusters: Span) -> Cells:
    """Return the cells of an array of all cells that are not zero."""
    keys = xp.flatnonzero(table)
    return _read_keys(xp, keys, table[keys], classes, clusters)


def count_sorted(xp: Any, c: Any, k: Any) -> Cells:
    """Count by sorting pairs of labels, up to 2^27 of them."""
    (rows, classes), (columns, clusters) = _code(xp, c), _code(xp, k)
    keys, counts = xp.unique(rows * clusters.size + columns, return_counts=True)
    return _read_keys(xp, keys, counts, classes, clusters)


def _code(xp: Any, labels: Any) -> tuple[Any, Span]:
    """Return labels as codes from 0 on: below 2^31, so that a pair of them is an int64."""
    span = Span.around(labels)
    if span.size <= max(_SHORT, DENSE_CELLS_PER_KEY * len(labels)):
        return labels.astype(np.int64) - span.low, span
    names, codes = xp.unique(labels, return_inverse=True)
    return codes.astype(np.int64), Span(0, len(names), names)


def _read_keys(xp: Any, keys: Any, counts: Any, classes: Span, clusters: Span) -> Cells:
    """Return the cells with these keys, which ascend."""
    rows, columns = split_keys(keys, clusters.size)
    rows, class_codes = compress_codes(rows, classes.size, xp)
    columns, cluster_codes = compress_codes(columns, clusters.size, xp)
    rows, columns, counts = _fetch(xp.stack([rows, columns, counts]))
    names = _fetch(classes.labels(class_codes)), _fetch(clusters.labels(cluster_codes))
    return Cells(*names, rows, columns, counts, canonical=True)


def _fetch(array: Any) -> NDArray[Any]:
    """Return an array of the GPU as one of numpy's."""
    if isinstance(array, np.ndarray):
        return array
    copy = np.empty(array.shape, dtype=array.dtype)
    flat, threads = copy.reshape(-1), count_threads(copy.nbytes, _PART)

    def touch(i: int) -> None:
        flat[len(flat) * i // threads : len(flat) * (i + 1) // threads] = 0

    if threads > 1:  # half of the time goes into getting new memory
        run_in_threads(touch, range(threads), threads, iter)
    array.get(out=copy)
    return copy
