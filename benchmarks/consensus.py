"""How long `consensus` of many runs takes, beside what is done without it.

    python benchmarks/consensus.py

Runs are copies of one clustering in which one object in ten has a random cluster and two clusters
are one. Beside it: scikit-learn's adjusted mutual information of all pairs of runs, timed for some
and extrapolated, which says which run is most central; and the co-association matrix with average
linkage, the usual consensus, for the fewest objects only, as it holds a number for each pair of
objects. Processor time; memory beyond the labels.
"""

import time
from math import comb

import numpy as np
from scipy.cluster.hierarchy import fcluster, linkage
from scipy.spatial.distance import squareform
from sklearn.metrics import adjusted_mutual_info_score
from timing import head, peak, row, timed

import clusterbits as cb

SHAPES = (
    (200, 2_000, 10),
    (60, 100_000, 12),
    (60, 100_000, 30),
    (60, 100_000, 100),
    (20, 1_000_000, 30),
)
# The most objects of which a matrix of all pairs is made, and the pairs of runs that are timed.
SMALL = 2_000
SAMPLED = 5


def make_runs(n_runs, n, n_clusters):
    """Return runs as rows of labels."""
    rng = np.random.default_rng(0)
    truth = rng.integers(0, n_clusters, n)
    runs = np.where(rng.random((n_runs, n)) < 0.1, rng.integers(0, n_clusters, (n_runs, n)), truth)
    for run in runs:
        kept, joined = rng.choice(n_clusters, 2, replace=False)
        run[run == joined] = kept
    return runs


def all_ami(runs):
    """Return the seconds of all pairs, from some."""
    pairs = [(run, run + 1) for run in range(SAMPLED)]
    took = [
        timed(adjusted_mutual_info_score, runs[i], runs[j], clock=time.process_time)[1]
        for i, j in pairs
    ]
    return float(np.mean(took)) * comb(len(runs), 2)


def co_association(runs, n_clusters):
    """Return the clusters of average linkage on the share of runs that put a pair together."""
    together = np.zeros((runs.shape[1], runs.shape[1]))
    for run in runs:
        together += run[:, None] == run
    distances = squareform(1 - together / len(runs), checks=False)
    return fcluster(linkage(distances, "average"), n_clusters, "maxclust")


def main():
    head("runs × objects, clusters", "consensus", "memory", "all pairs of AMI", "co-association")
    for n_runs, n, n_clusters in SHAPES:
        runs = make_runs(n_runs, n, n_clusters)
        clock = time.process_time
        _, seconds, memory = peak(cb.consensus, list(runs), clock=clock)
        other = ""
        if n <= SMALL:
            _, took = timed(co_association, runs, n_clusters, clock=clock)
            other = f"{took:.1f} s"
        name = f"{n_runs} × {n:,}, {n_clusters}"
        row(name, f"{seconds:.2f} s", f"{memory:,.0f} MB", f"{all_ami(runs):,.1f} s", other)


if __name__ == "__main__":
    main()
