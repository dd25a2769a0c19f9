"""How fast pairs of ids and label images are counted, beside the code one would write by hand.

    python benchmarks/pairs_and_images.py

Seconds and ratios, as Markdown tables. By hand, pairs are components of networkx and a crosstab of
pandas; images are np.unique of both, ravelled and stacked. Memory is the peak beyond the inputs.
"""

import tempfile
from pathlib import Path

import networkx as nx
import numpy as np
import pandas as pd
from timing import head, peak, row, timed

from clusterbits import Contingency


def matches(ids, m, rng):
    """Return m pairs of neighbours, within groups of five."""
    left = rng.integers(0, len(ids), m)
    right = np.minimum(left // 5 * 5 + rng.integers(0, 5, m), len(ids) - 1)
    return np.column_stack([ids[left], ids[right]])


def pairs_by_hand(truth, pred):
    labels = []
    objects = set(truth.ravel().tolist()) | set(pred.ravel().tolist())
    for pairs in (truth, pred):
        graph = nx.Graph()
        graph.add_nodes_from(objects)
        graph.add_edges_from(pairs.tolist())
        found = enumerate(nx.connected_components(graph))
        labels.append({member: i for i, part in found for member in part})
    frame = pd.DataFrame({"truth": pd.Series(labels[0]), "pred": pd.Series(labels[1])})
    return frame.groupby(["truth", "pred"]).size()


def pairs():
    rng = np.random.default_rng(0)
    head("pairs in each list", "clusterbits", "memory", "by hand", "ratio")
    small = rng.permutation(10**6)
    words = np.array([f"record-{i}" for i in range(10**6)])
    for name, ids, m in (
        ("1e6, integers", small, 10**6),
        ("1e6, strings", words, 10**6),
        ("1e7, integers", rng.permutation(10**7), 10**7),
        ("1e7, integers up to 2^60", rng.integers(0, 2**60, 10**7), 10**7),
    ):
        truth, pred = (matches(ids, m, rng) for _ in range(2))
        table, own, memory = peak(Contingency.from_pairs, truth, pred)
        took = f"{own:.1f} s", f"{memory:.0f} MB"
        if m > 10**6:  # networkx would need tens of GB
            row(name, *took, "", "")
            continue
        sizes, other = timed(pairs_by_hand, truth, pred)
        assert sorted(sizes) == sorted(table.counts.tolist())
        row(name, *took, f"{other:.1f} s", f"{other / own:.0f}")


def images_by_hand(truth, pred):
    return np.unique(np.stack([truth.ravel(), pred.ravel()]), axis=1, return_counts=True)


def segmentation(shape, labels, rng, out):
    """Write boxes of equal labels, as wide as a tenth of each axis."""
    small = rng.integers(0, labels, [10] * len(shape), dtype=np.uint32)
    for i, plane in enumerate(small.repeat(shape[0] // 10, axis=0)):
        for axis, length in enumerate(shape[1:]):
            plane = plane.repeat(length // 10, axis=axis)
        out[i] = plane
    return out


def images():
    rng = np.random.default_rng(0)
    head("voxels", "clusterbits", "memory", "from_labels, ravelled", "by hand", "ratio")
    for shape, labels in (((100, 200, 500), 50), ((100, 1000, 1000), 50), ((100, 1000, 1000), 900)):
        truth, pred = (
            segmentation(shape, labels, rng, np.empty(shape, np.uint32)) for _ in range(2)
        )
        table, own, memory = peak(Contingency.from_images, truth, pred)
        flat = timed(Contingency.from_labels, truth.ravel(), pred.ravel())[1]
        took = f"{own:.2f} s", f"{memory:.0f} MB", f"{flat:.2f} s"
        name = f"{truth.size:.0e}, {labels} labels"
        if truth.size > 10**7:  # np.unique sorts rows of two, for many minutes
            row(name, *took, "", "")
            continue
        found, other = timed(images_by_hand, truth, pred)
        assert found[1].tolist() == table.counts.tolist()
        row(name, *took, f"{other:.1f} s", f"{other / own:.0f}")


def memory_mapped():
    shape, rng = (500, 1000, 1000), np.random.default_rng(0)
    with tempfile.TemporaryDirectory() as folder:
        files = [
            np.memmap(Path(folder) / name, np.uint32, "w+", shape=shape) for name in ("c", "k")
        ]
        for file in files:
            segmentation(shape, 50, rng, file).flush()
        _, seconds, memory = peak(Contingency.from_images, *files)
    print(f"\n5e8 voxels, memory-mapped: {seconds:.1f} s, {memory:.0f} MB.")


if __name__ == "__main__":
    pairs()
    images()
    memory_mapped()
