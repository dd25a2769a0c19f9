"""How fast a sweep of resolutions in an AnnData file is scored, beside scikit-learn.

    python benchmarks/single_cells.py

A file with cells of 40 types and Leiden-like clusters at 20 resolutions is written first. Seconds,
ratios and peak memory, as Markdown tables; values are compared. scikit-learn is given integer
codes, the fastest labels it knows, and, of 100,000 cells, labels as obs has them, which is how scib
calls it.
"""

import math
import tempfile
from pathlib import Path

import h5py
import numpy as np
from sklearn.metrics import adjusted_rand_score, normalized_mutual_info_score
from timing import head, peak, row

import clusterbits as cb

TYPES = 40
RESOLUTIONS = [round(0.1 * i, 1) for i in range(1, 21)]


def write_sweep(path, n, rng):
    """Write cell types, and clusters of which the finer ones split the coarser ones."""
    types = rng.integers(0, TYPES, n)
    noise, elsewhere = rng.random(n), rng.random(n)
    with h5py.File(path, "w") as root:
        obs = root.create_group("obs")
        obs.attrs["column-order"] = ["cell_type", *(f"leiden_{r}" for r in RESOLUTIONS)]
        obs.attrs["_index"] = "_index"
        write_column(obs, "cell_type", types, "type {}")
        for resolution in RESOLUTIONS:
            clusters = int(4 + 25 * resolution)
            own = (types * clusters + (elsewhere * clusters).astype(int)) // TYPES
            codes = np.where(noise < 0.1, (elsewhere * clusters).astype(int), own % clusters)
            write_column(obs, f"leiden_{resolution}", codes, "{}")


def write_column(obs, name, codes, text):
    column = obs.create_group(name)
    column.attrs["encoding-type"] = "categorical"
    column["codes"] = codes.astype(np.int8)
    column["categories"] = [text.format(i) for i in range(int(codes.max()) + 1)]


def read_labels(path, as_text):
    with h5py.File(path) as root:
        obs, labels = root["obs"], {}
        for name in obs.attrs["column-order"]:
            codes, categories = obs[name]["codes"][()], obs[name]["categories"].asstr()[()]
            labels[name] = categories[codes] if as_text else codes
    return labels


def by_clusterbits(path):
    tables = cb.Contingency.from_file(path, "cell_type", ["leiden_*"], progress=False)
    scores = cb.evaluate(tables, measures=["ari", "nmi"], progress=False)
    return scores["ari"], scores["nmi"]


def by_scikit_learn(path, as_text):
    labels = read_labels(path, as_text)
    truth = labels.pop("cell_type")
    return tuple(
        {name: score(truth, pred) for name, pred in labels.items()}
        for score in (adjusted_rand_score, normalized_mutual_info_score)
    )


def compare(path, n):
    by_clusterbits(path)  # imports
    head(f"{n:,} cells, {len(RESOLUTIONS)} resolutions: ARI and NMI", "seconds", "ratio", "memory")
    expected, took, memory = peak(by_clusterbits, path)
    row("clusterbits", f"{took:.2f} s", "", f"{memory:.0f} MB")
    for name, call in (
        ("scikit-learn, integer codes", lambda: by_scikit_learn(path, as_text=False)),
        ("scikit-learn, labels of obs", lambda: by_scikit_learn(path, as_text=True)),
    ):
        if n > 10**5 and "codes" not in name:  # minutes
            continue
        found, long, memory = peak(call)
        for ours, theirs in zip(expected, found, strict=True):
            assert all(math.isclose(ours[key], theirs[key], rel_tol=1e-9) for key in ours)
        row(name, f"{long:.2f} s", f"{long / took:.1f}", f"{memory:.0f} MB")


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "cells.h5ad"
        for many in (10**5, 10**6):
            write_sweep(file, many, np.random.default_rng(0))
            compare(file, many)
