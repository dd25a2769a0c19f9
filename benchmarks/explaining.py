"""Time `explain` on tables of several shapes, beside counting the same labels and one q0.

python benchmarks/explaining.py
"""

import numpy as np
from timing import head, row, timed

import clusterbits as cb


def labels(n, classes, clusters, noise):
    """Return classes split into clusters, and a share of the objects in random clusters."""
    rng = np.random.default_rng(0)
    truth = rng.integers(0, classes, n)
    useful = (truth * (clusters / classes)).astype(np.int64) + rng.integers(0, 3, n)
    at_random = rng.integers(0, clusters, n)
    return truth, np.where(rng.random(n) < noise, at_random, useful % clusters)


def main():
    names = "count, s", "q0, s", "explain, s", "merges proven", "path steps", "fewest bits at"
    head("table", *names)
    for name, shape in {
        "10 × 12, n = 1e6": (10**6, 10, 12, 0.3),
        "1000 × 1200, n = 1e6": (10**6, 1000, 1200, 0.3),
        "1000 × 1200, n = 1e7": (10**7, 1000, 1200, 0.3),
        "1000 × 1200, n = 1e7, all noise": (10**7, 1000, 1200, 1.0),
        "50,000 × 60,000, n = 1e6": (10**6, 50_000, 60_000, 0.1),
        "50,000 × 60,000, n = 1e6, all noise": (10**6, 50_000, 60_000, 1.0),
    }.items():
        table, counting = timed(cb.Contingency.from_labels, *labels(*shape))
        _, scoring = timed(cb.q0, table)
        why, explaining = timed(cb.explain, table)
        took = f"{counting:.2f}", f"{scoring:.3f}", f"{explaining:.2f}"
        row(name, *took, why.merges_proven, len(why.path) - 1, why.best_step.clusters)


if __name__ == "__main__":
    main()
