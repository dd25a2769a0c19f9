"""Label images counted voxel by voxel, a block at a time, so that files larger than memory pass.

An image is any array with a shape and slices: numpy's, memory-mapped or not, h5py's, zarr's; or a
file of one, which `images.files` opens.
"""

from __future__ import annotations

import math
import os
from collections.abc import Iterator
from contextlib import ExitStack
from functools import partial
from itertools import product
from typing import Any, Unpack

import numpy as np
from numpy.typing import NDArray

from clusterbits.errors import LabelError, NothingToCountError, translating
from clusterbits.images.image_files import open_image
from clusterbits.labels.labeling import Labels, read_array
from clusterbits.labels.options import ImageOptions, ImagePolicy
from clusterbits.labels.pair_counting import count_pairs
from clusterbits.labels.settle import count_cells
from clusterbits.labels.tally import Tally
from clusterbits.reading.label_columns import exact_below
from clusterbits.reading.on_device import copy_to_host, is_on_device
from clusterbits.table.adding import merge_if_large
from clusterbits.table.cells import DENSE_CELLS, Cells
from clusterbits.table.numbering import IntArray, factorize_integers, find_range

# Voxels counted at a time: enough for several threads, little beside an image.
_BLOCK = 1 << 23
# Runs of voxels with the same labels that are shorter on average are not worth finding.
_SHORT_RUN = 4
# Cells that wait to be added up, unless the sum so far has more.
_WAITING_CELLS = 1 << 20


def count_images(
    truth: Any, pred: Any, ignore: Any = None, **labels: Unpack[ImageOptions]
) -> Cells:
    """Count two label images, or files of them.

    Voxels whose class is among those to ignore are left out. Of the others, those with the noise
    label in `pred` are singletons, or left out too.
    """
    labels.setdefault("noise_label", ImagePolicy.default_label)
    options = ImagePolicy(**labels, truth_noise=ignore)
    with ExitStack() as files:
        truth, pred = (
            _as_image(open_image(one, files) if isinstance(one, str | os.PathLike) else one, who)
            for one, who in ((truth, "truth"), (pred, "pred"))
        )
        cells = _count_same_shape(truth, pred)
    return count_cells(Tally.from_cells(cells), options)


def _count_same_shape(truth: Any, pred: Any) -> Cells:
    if truth.shape != pred.shape:
        raise LabelError(
            f"truth has shape {truth.shape} and pred has shape {pred.shape}; both label the same "
            "voxels."
        )
    if math.prod(truth.shape) == 0:
        raise NothingToCountError(f"truth and pred have shape {truth.shape}: nothing to count.")
    return _count(truth, pred)


def _count(truth: Any, pred: Any) -> Cells:
    if _is_fortran(truth) and _is_fortran(pred):  # blocks of the transpose lie in one piece
        truth, pred = truth.T, pred.T
    sums: list[Cells] = []
    for block in _blocks(truth.shape, _chunk_shape(truth) or _chunk_shape(pred)):
        classes, clusters = _read(truth[block], "truth"), _read(pred[block], "pred")
        sums.append(_count_block(classes.codes, clusters.codes))
        sums = merge_if_large(
            sums, _WAITING_CELLS, partial(_added, classes=classes, clusters=clusters)
        )
    total = _added(sums, classes, clusters)
    return total._replace(
        classes=classes.name(total.classes), clusters=clusters.name(total.clusters)
    )


def _count_block(c: IntArray, k: IntArray) -> Cells:
    """Count labels; where there are many, by runs of voxels that have the same two labels."""
    (low_c, high_c), (low_k, high_k) = find_range(c), find_range(k)
    if (high_c - low_c + 1) * (high_k - low_k + 1) <= DENSE_CELLS:  # counted as they come
        return count_pairs(c, k)
    starts = np.flatnonzero(np.append(True, (c[1:] != c[:-1]) | (k[1:] != k[:-1])))
    if _SHORT_RUN * len(starts) > len(c):
        return count_pairs(c, k)
    (rows, classes), (columns, clusters) = (
        factorize_integers(c[starts]),
        factorize_integers(k[starts]),
    )
    total = _add_counts(rows, columns, np.diff(starts, append=len(c)))
    return total._replace(classes=classes[total.classes], clusters=clusters[total.clusters])


def _add_counts(c: IntArray, k: IntArray, counts: NDArray[np.int64]) -> Cells:
    # An image has fewer than 2^53 voxels, so float64 adds them up exactly.
    total = count_pairs(c, k, counts.astype(np.float64))
    return total._replace(counts=total.counts.astype(np.int64))


def _added(parts: list[Cells], classes: Labels, clusters: Labels) -> Cells:
    """Return the sum of blocks, whose labels get back the type that the images have.

    Some blocks have int64 and some uint64, which no type of numpy holds together.
    """
    if len(parts) == 1:
        return parts[0]
    c = [part.classes.astype(classes.codes.dtype)[part.rows] for part in parts]
    k = [part.clusters.astype(clusters.codes.dtype)[part.columns] for part in parts]
    counts = [part.counts for part in parts]
    return _add_counts(np.concatenate(c), np.concatenate(k), np.concatenate(counts))


# --- blocks --------------------------------------------------------------------------------------


def _blocks(shape: tuple[int, ...], chunk: tuple[int, ...] | None) -> Iterator[tuple[slice, ...]]:
    """Yield slices that cover the shape: of whole chunks, and long in the last axes.

    >>> [str(rows)[6:10] for rows, _ in _blocks((4, 2**22), None)]
    ['0, 2', '2, 4']
    """
    size = [min(pair) for pair in zip(chunk or [1] * len(shape), shape, strict=True)]
    for axis in reversed(range(len(shape))):
        size[axis] = min(shape[axis], size[axis] * max(1, _BLOCK // math.prod(size)))
    axes = zip(shape, size, strict=True)
    begins = [range(0, length, step) for length, step in axes]
    for corner in product(*begins):
        yield tuple(slice(begin, begin + step) for begin, step in zip(corner, size, strict=True))


def _chunk_shape(image: Any) -> tuple[int, ...] | None:
    """Return the shape of the chunks in which an image of h5py or zarr is stored."""
    chunks = getattr(image, "chunks", None)
    return chunks if chunks and all(isinstance(length, int) for length in chunks) else None


def _is_fortran(image: Any) -> bool:
    return isinstance(image, np.ndarray) and image.flags.fnc


def _read(block: Any, who: str) -> Labels:
    if np.ma.is_masked(block):
        raise LabelError(f"{who} has masked voxels; {_FILL}")
    voxels = np.asarray(block).ravel()
    # Where in a block a voxel lies says little: no position in messages.
    labels = read_array(voxels, who)
    if labels.status is not None:
        raise LabelError(f"{who} holds NaN; {_FILL}")
    if voxels.dtype.kind == "f" and np.abs(voxels).max() >= exact_below(voxels.dtype):
        raise LabelError(
            f"{who} holds {np.abs(voxels).max()}, a float so large that different labels become "
            "the same float; label with integers."
        )
    return labels


_FILL = "give them a label of their own, and leave it out with ignore where it is one of truth."


# --- images --------------------------------------------------------------------------------------


def _as_image(image: Any, who: str) -> Any:
    """Return an array to slice, as it is if it comes from numpy or is stored in chunks."""
    if is_on_device(image):
        return copy_to_host(image, who)
    with translating(f"{who} is not a label image", LabelError):
        # What is stored in a file that was closed raises at any touch.
        stored = hasattr(image, "chunks") and isinstance(getattr(image, "dtype", None), np.dtype)
        if not isinstance(image, np.ndarray) and not stored:
            image = np.asarray(image)
    if image.dtype.kind not in "biuf" or len(image.shape) == 0:
        raise LabelError(
            f"{who} has shape {image.shape} and dtype {image.dtype}; a label image is an array of "
            "integers or booleans, one per voxel. For labels of other kinds use from_labels()."
        )
    return image
