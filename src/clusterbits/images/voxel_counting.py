"""Label images counted block by block, so that files larger than memory can be counted.

An image is any array with a shape and slices, of numpy, h5py or zarr, or a file of one.
"""

from __future__ import annotations

import math
import os
from collections.abc import Iterator
from contextlib import ExitStack
from itertools import product
from typing import Any, Unpack

import numpy as np
from numpy.typing import NDArray

from clusterbits.errors import LabelError, NothingToCountError, translating
from clusterbits.images.image_files import open_image
from clusterbits.labels.labeling import read_array
from clusterbits.labels.options import ImageOptions, ImagePolicy
from clusterbits.labels.pair_counting import count_pairs
from clusterbits.labels.settle import count_cells
from clusterbits.labels.tally import Tally
from clusterbits.reading.label_columns import exact_below, inexact_error
from clusterbits.reading.on_device import copy_to_host
from clusterbits.table.adding import merge_if_large
from clusterbits.table.cells import DENSE_CELLS, Cells
from clusterbits.table.numbering import IntArray, factorize_integers, find_range

# Voxels per block: enough for several threads, little compared with an image.
_BLOCK = 1 << 23
# Ranges of voxels with the same labels that are shorter on average are not worth finding.
_MIN_RANGE = 4
# Cells of blocks are added up once they are more than this, and more than those of the sum.
_MAX_PENDING = 1 << 20


def count_images(
    truth: Any, pred: Any, ignore: Any = None, **labels: Unpack[ImageOptions]
) -> Cells:
    """Return the cells of two label images, or files of them.

    Voxels of the classes to ignore are excluded. Of the others, those with the noise label in
    `pred` are singletons, or excluded too.
    """
    labels.setdefault("noise_label", ImagePolicy.default_label)
    options = ImagePolicy(**labels, truth_noise=ignore)
    with ExitStack() as files:
        names = _name(truth, "truth"), _name(pred, "pred")
        truth, pred = _as_image(truth, names[0], files), _as_image(pred, names[1], files)
        if truth.shape != pred.shape:
            raise LabelError(
                f"{names[0]} has shape {truth.shape} and {names[1]} has shape {pred.shape}; both "
                "label the same voxels."
            )
        if math.prod(truth.shape) == 0:
            raise NothingToCountError(f"truth and pred have shape {truth.shape}: nothing to count.")
        cells = _count(truth, pred, names)
    return count_cells(Tally.from_cells(cells), options)


def _count(truth: Any, pred: Any, names: tuple[str, str]) -> Cells:
    if _is_fortran(truth) and _is_fortran(pred):  # blocks of the transpose are contiguous
        truth, pred = truth.T, pred.T
    parts: list[Cells] = []
    for block in _blocks(truth.shape, _chunk_shape(truth) or _chunk_shape(pred)):
        classes, clusters = _read(truth, block, names[0]), _read(pred, block, names[1])
        part = _count_block(classes, clusters)
        # Of the type of the images: of int64 and uint64, concatenation would make floats.
        part = part._replace(
            classes=part.classes.astype(classes.dtype),
            clusters=part.clusters.astype(clusters.dtype),
        )
        parts = merge_if_large([*parts, part], _MAX_PENDING, _add)
    return _add(parts)


def _count_block(c: IntArray, k: IntArray) -> Cells:
    """Count labels; if there are many, by ranges of voxels that have the same two labels."""
    (low_c, high_c), (low_k, high_k) = find_range(c), find_range(k)
    if (high_c - low_c + 1) * (high_k - low_k + 1) <= DENSE_CELLS:
        return count_pairs(c, k)
    starts = np.flatnonzero(np.append(True, (c[1:] != c[:-1]) | (k[1:] != k[:-1])))
    if _MIN_RANGE * len(starts) > len(c):
        return count_pairs(c, k)
    rows, classes = factorize_integers(c[starts])
    columns, clusters = factorize_integers(k[starts])
    total = _add_counts(rows, columns, np.diff(starts, append=len(c)))
    return total._replace(classes=classes[total.classes], clusters=clusters[total.clusters])


def _add(parts: list[Cells]) -> Cells:
    """Return the sum of blocks, by their labels."""
    if len(parts) == 1:
        return parts[0]
    return _add_counts(
        np.concatenate([part.classes[part.rows] for part in parts]),
        np.concatenate([part.clusters[part.columns] for part in parts]),
        np.concatenate([part.counts for part in parts]),
    )


def _add_counts(c: IntArray, k: IntArray, counts: NDArray[np.int64]) -> Cells:
    # Images have fewer than 2^53 voxels, so float64 sums are exact.
    total = count_pairs(c, k, counts.astype(np.float64))
    return total._replace(counts=total.counts.astype(np.int64))


# --- blocks --------------------------------------------------------------------------------------


def _blocks(shape: tuple[int, ...], chunk: tuple[int, ...] | None) -> Iterator[tuple[slice, ...]]:
    """Yield slices that cover the shape: of complete chunks, and long in the last axes.

    >>> [str(rows)[6:10] for rows, _ in _blocks((4, 2**22), None)]
    ['0, 2', '2, 4']
    """
    size = [min(pair) for pair in zip(chunk or [1] * len(shape), shape, strict=True)]
    for axis in reversed(range(len(shape))):
        size[axis] = min(shape[axis], size[axis] * max(1, _BLOCK // math.prod(size)))
    starts = [range(0, length, step) for length, step in zip(shape, size, strict=True)]
    for corner in product(*starts):
        yield tuple(slice(start, start + step) for start, step in zip(corner, size, strict=True))


def _chunk_shape(image: Any) -> tuple[int, ...] | None:
    """Return the shape of the chunks in which an image of h5py or zarr is stored."""
    chunks = getattr(image, "chunks", None)
    return chunks if chunks and all(isinstance(length, int) for length in chunks) else None


def _is_fortran(image: Any) -> bool:
    return isinstance(image, np.ndarray) and image.flags.fnc


def _read(image: Any, block: tuple[slice, ...], input_name: str) -> IntArray:
    with translating(f"{input_name} cannot be read"):
        part = image[block]
        if np.ma.is_masked(part):
            raise LabelError(f"{input_name} has masked voxels; {_FILL}")
        voxels = np.asarray(part).ravel()
    if voxels.dtype == np.bool_:  # a mask is an image of 0 and 1
        voxels = voxels.astype(np.uint8)
    labels = read_array(voxels, input_name)
    if labels.status is not None:
        raise LabelError(f"{input_name} holds NaN; {_FILL}")
    if voxels.dtype.kind == "f" and np.abs(voxels).max() >= exact_below(voxels.dtype):
        raise inexact_error(float(np.abs(voxels).max()), input_name)
    return labels.codes


_FILL = "give them a separate label, and pass it as ignore= if it is one of truth."


# --- images --------------------------------------------------------------------------------------


def _name(image: Any, role: str) -> str:
    return os.fspath(image) if isinstance(image, str | os.PathLike) else role


def _as_image(image: Any, input_name: str, files: ExitStack) -> Any:
    """Return an array to slice: arrays of numpy, h5py and zarr as they are."""
    if isinstance(image, str | os.PathLike):
        image = open_image(image, files)
    image = copy_to_host(image, input_name)
    with translating(f"{input_name} is not a label image", LabelError):
        # Arrays of a closed file raise at any access.
        stored = hasattr(image, "chunks") and isinstance(getattr(image, "dtype", None), np.dtype)
        if not isinstance(image, np.ndarray) and not stored:
            image = np.asarray(image)
    if image.dtype.kind not in "biuf" or not image.shape:  # None if HDF5 has no array
        raise LabelError(
            f"{input_name} has shape {image.shape} and dtype {image.dtype}; a label image is an "
            "array of integers or booleans, one per voxel. For other labels use from_labels()."
        )
    return image
