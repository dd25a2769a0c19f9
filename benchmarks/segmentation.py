"""How fast label volumes are scored, beside scikit-image, and from files.

    python benchmarks/segmentation.py [2e6] [2e7] [2e8]

Both score the same volumes in the same run: split and merge variation of information and the
adapted Rand error, true label 0 left out. scikit-image counts anew for each of the two functions.
Seconds are processor time, of all cores together; memory is the peak beyond the volumes. Packages
that are not installed are named and left out. Panoptic quality is scored beside np.unique of both
labels in one number, as panopticapi counts overlaps.
"""

import sys
import tempfile
import time
from importlib import import_module
from pathlib import Path

import numpy as np
from timing import head, peak, row

import clusterbits as cb

SHAPES = {"2e6": (80, 160, 160), "2e7": (200, 320, 320), "2e8": (500, 640, 640)}
# Each object is a box, so wide in each axis.
WIDTH = 20


def find(package):
    try:
        return import_module(package)
    except ImportError:
        print(f"{package} is not installed: left out.", file=sys.stderr)
        return None


def draw(shape, ids=None):
    """Return a volume of boxes, and a segmentation: shifted a little, one in fifty merged.

    Labels are 0, 1, 2, ..., or these numbers of `ids`.
    """
    rng = np.random.default_rng(0)
    coarse = [length // WIDTH for length in shape]
    labels = rng.permutation(np.prod(coarse)).astype(np.uint32)
    kept = np.where(rng.random(len(labels)) < 0.98, labels, np.roll(labels, 1))
    names = np.arange(len(labels), dtype=np.uint32) if ids is None else ids(rng, len(labels))
    truth, pred = (np.empty(shape, names.dtype) for _ in range(2))
    for image, some, shift in ((truth, labels, 0), (pred, kept, 2)):
        boxes = names[some].reshape(coarse)
        for z in range(shape[0]):
            plane = boxes[z // WIDTH].repeat(WIDTH, axis=0).repeat(WIDTH, axis=1)
            image[z] = np.roll(plane, shift, axis=1)
    return truth, pred


def score(truth, pred):
    table = cb.Contingency.from_images(truth, pred, ignore=0)
    return cb.images.vi_split(table), cb.images.vi_merge(table), cb.images.adapted_rand_error(table)


def score_by_peer(metrics, truth, pred):
    split, merge = metrics.variation_of_information(truth, pred, ignore_labels=[0])
    return split, merge, metrics.adapted_rand_error(truth, pred, ignore_labels=[0])[0]


def volumes(sizes):
    metrics = find("skimage.metrics")
    if metrics is not None:  # what it imports when first called is not measured
        score_by_peer(metrics, *draw((WIDTH, WIDTH, 2 * WIDTH)))
    head("voxels", "clusterbits", "memory", "scikit-image", "memory", "ratio")
    for name in sizes:
        truth, pred = draw(SHAPES[name])
        ours, own, memory = peak(score, truth, pred, clock=time.process_time)
        took = name, f"{own:.2f} s", f"{memory:.0f} MB"
        if metrics is None:
            row(*took, "", "", "")
            continue
        theirs, other, much = peak(score_by_peer, metrics, truth, pred, clock=time.process_time)
        assert np.allclose(ours, theirs, rtol=1e-9)
        row(*took, f"{other:.1f} s", f"{much:.0f} MB", f"{other / own:.0f}")
    # Segment ids of large projects; scikit-image has a row for each number up to the largest.
    ids = draw(SHAPES[sizes[-1]], lambda rng, m: rng.integers(0, 2**62, m, dtype=np.uint64))
    _, own, memory = peak(score, *ids, clock=time.process_time)
    row(f"{sizes[-1]}, ids up to 2^62", f"{own:.2f} s", f"{memory:.0f} MB", "", "", "")


def panoptic_by_hand(truth, pred):
    """Return panoptic quality; background is 0."""
    pairs, counts = np.unique(truth.astype(np.uint64) << 32 | pred, return_counts=True)
    areas = [dict(zip(*np.unique(x, return_counts=True), strict=True)) for x in (truth, pred)]
    total = 0.0
    for pair, overlap in zip(pairs.tolist(), counts.tolist(), strict=True):
        c, k = pair >> 32, pair & 0xFFFFFFFF
        iou = overlap / (areas[0][c] + areas[1][k] - overlap)
        total += iou if c and k and iou > 0.5 else 0
    segments = sum(len(area) - (0 in area) for area in areas)
    return 2 * total / segments


def panoptic(sizes):
    head("voxels, panoptic quality", "clusterbits", "memory", "by hand", "memory", "ratio")
    for name in sizes:
        truth, pred = draw(SHAPES[name])
        ours, own, memory = peak(cb.images.panoptic_quality, truth, pred, clock=time.process_time)
        took = name, f"{own:.2f} s", f"{memory:.0f} MB"
        theirs, other, much = peak(panoptic_by_hand, truth, pred, clock=time.process_time)
        assert np.isclose(ours, theirs, rtol=1e-9)
        row(*took, f"{other:.1f} s", f"{much:.0f} MB", f"{other / own:.0f}")


def write_hdf5(h5py, path, image):
    with h5py.File(path, "w") as file:
        file.create_dataset("labels", data=image, chunks=(10, 100, 100), compression=1)


def write_zarr(zarr, path, image):
    chunks = (10, 100, 100)
    zarr.create_array(path, shape=image.shape, dtype=image.dtype, chunks=chunks)[:] = image


WRITERS = {
    "npy": ("numpy", lambda numpy, path, image: numpy.save(path, image)),
    "tif": ("tifffile", lambda tifffile, path, image: tifffile.imwrite(path, image)),
    "zipped.tif": (
        "tifffile",
        lambda tifffile, path, image: tifffile.imwrite(path, image, compression="zlib"),
    ),
    "h5": ("h5py", write_hdf5),
    "zarr": ("zarr", write_zarr),
}


def files(name):
    truth, pred = draw(SHAPES[name])
    expected = score(truth, pred)
    head(f"{name} voxels in files", "clusterbits", "memory")
    with tempfile.TemporaryDirectory() as folder:
        for form, (package, write) in WRITERS.items():
            if (module := find(package)) is None:
                continue
            paths = [Path(folder) / f"{which}.{form}" for which in ("truth", "pred")]
            for path, image in zip(paths, (truth, pred), strict=True):
                write(module, path, image)
            found, seconds, memory = peak(score, *paths, clock=time.process_time)
            assert found == expected
            row(form, f"{seconds:.2f} s", f"{memory:.0f} MB")


if __name__ == "__main__":
    chosen = sys.argv[1:] or list(SHAPES)
    volumes(chosen)
    panoptic(chosen)
    files("2e7" if "2e8" in chosen else chosen[-1])
