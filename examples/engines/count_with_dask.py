"""
Count on Dask workers, score here
=================================

Partitions are counted where they are, and only the table of counts comes back. Nothing of
clusterbits is needed on the workers. Run it with a Parquet file of your own, or without one:
``python count_with_dask.py [LABELS.parquet]``.
"""

import sys
import tempfile
from pathlib import Path

import dask.dataframe as dd
import numpy as np
import pandas as pd
from dask.distributed import Client

import clusterbits as cb

# sphinx_gallery_thumbnail_path = '_static/engine.png'


def make_labels(folder):
    rng = np.random.default_rng(0)
    for part in range(4):
        label = rng.integers(0, 50, 500_000)
        k50 = np.where(rng.random(500_000) < 0.9, label, label % 7)
        frame = pd.DataFrame({"label": label, "k50": k50, "k10": label % 10})
        frame.to_parquet(Path(folder) / f"{part}.parquet")
    return folder


if __name__ == "__main__":  # Dask's worker processes import this file
    with (
        tempfile.TemporaryDirectory() as folder,
        # Two processes on this machine; for a cluster, the address of its scheduler.
        Client(n_workers=2, threads_per_worker=1, dashboard_address=None),
    ):
        labels = dd.read_parquet(sys.argv[1] if len(sys.argv) > 1 else make_labels(folder))
        # The counts of the partitions are added up in a tree.
        tables = cb.Contingency.from_frame(labels, truth="label", pred="k*")
        print(cb.evaluate(tables, measures=["q0", "q2", "ari"]).sorted_by("q0"))
