"""How long `diff` takes, beside counting the same labels, and beside what others use.

    python benchmarks/diff.py [python with CDlib]

The count itself is `Contingency` with its margins; `diff` also has rates, fates, origins and copies
of the labels. pandas' crosstab is dense, and CDlib's events compare all pairs of clusters: both are
timed at 1e4 objects only. Medians of processor time, called in turn; tables must be equal. CDlib
may be in another Python, which is given as argument; without it, it is left out.
"""

import subprocess
import sys
import tempfile
import time
from functools import partial
from pathlib import Path
from statistics import median

import numpy as np
import pandas as pd
from timing import head, in_turn, row, timed

import clusterbits as cb

SHAPES = ((10**4, 10**3), (10**5, 10**4), (10**6, 10**5), (10**7, 10**6))
# The most objects that crosstab and CDlib are given.
SMALL = 10**4

CDLIB = """
import sys, time, numpy as np
from cdlib import LifeCycle, NodeClustering, TemporalClustering
old, new = np.load(sys.argv[1])
def clustering(labels):
    order = np.argsort(labels, kind="stable")
    parts = np.split(order, np.flatnonzero(np.diff(labels[order])) + 1)
    return NodeClustering([part.tolist() for part in parts], None)
nights = TemporalClustering()
nights.add_clustering(clustering(old), 0)
nights.add_clustering(clustering(new), 1)
start = time.process_time()
lifecycle = LifeCycle(nights)
lifecycle.compute_events("facets")
print(time.process_time() - start)
"""


def nights(n, n_clusters):
    """Return two nights: 3 % of the objects move, and one in fifty clusters is renamed."""
    rng = np.random.default_rng(0)
    old = rng.integers(0, n_clusters, n)
    new = np.where(rng.random(n) < 0.03, rng.integers(0, n_clusters, n), old)
    return old, np.where(new % 50 == 0, new + n_clusters, new)


def count(old, new):
    table = cb.Contingency(old, new)
    return table, table.class_sizes, table.cluster_sizes


def group(old, new):
    return pd.DataFrame({"old": old, "new": new}).groupby(["old", "new"]).size()


def by_cdlib(python, old, new):
    """Return the seconds of CDlib's events, or what to write instead."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "nights.npy"
        np.save(path, np.stack([old, new]))
        done = subprocess.run(
            [python, "-c", CDLIB, path], capture_output=True, encoding="utf-8", check=False
        )
    if done.returncode:
        print(done.stderr.splitlines()[-1], file=sys.stderr)
        return "not installed"
    return _text(float(done.stdout.split()[-1]))


def _text(seconds):
    return f"{1000 * seconds:,.3g} ms" if seconds < 1 else f"{1000 * seconds:,.0f} ms"


def main():
    python = sys.argv[1] if len(sys.argv) > 1 else sys.executable
    ways = (count, cb.diff, group)
    head(
        "objects in clusters",
        "count",
        "diff",
        "times the count",
        "groupby.size",
        "crosstab",
        "CDlib",
    )
    for n, n_clusters in SHAPES:
        old, new = nights(n, n_clusters)
        calls = [partial(timed, way, old, new, clock=time.process_time) for way in ways]
        results = in_turn(calls, repeats=5 if n < 10**7 else 3)
        seconds = [median(took for _, took in result) for result in results]
        table, changes, sizes = (result[0][0] for result in results)
        assert np.array_equal(table[0].counts, sizes.to_numpy())
        assert changes.table == table[0]
        others = ["", ""]
        if n <= SMALL:
            _, took = timed(pd.crosstab, old, new, clock=time.process_time)
            others = [_text(took), by_cdlib(python, old, new)]
        texts = list(map(_text, seconds))
        ratio = f"{seconds[1] / seconds[0]:.1f}"
        row(f"{n:,} in {n_clusters:,}", texts[0], texts[1], ratio, texts[2], *others)


if __name__ == "__main__":
    main()
