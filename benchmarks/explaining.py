"""Time `explain` on tables of several shapes, beside counting the same labels and one q0.

python benchmarks/explaining.py
"""

import time

import numpy as np

import clusterbits as cb
from clusterbits.display.terminal import render_rows


def labels(n, classes, clusters, noise):
    """Return classes split into clusters, and a share of the objects in random clusters."""
    rng = np.random.default_rng(0)
    truth = rng.integers(0, classes, n)
    useful = (truth * (clusters / classes)).astype(np.int64) + rng.integers(0, 3, n)
    at_random = rng.integers(0, clusters, n)
    return truth, np.where(rng.random(n) < noise, at_random, useful % clusters)


def timed(function, *arguments):
    start = time.perf_counter()
    result = function(*arguments)
    return time.perf_counter() - start, result


def main():
    rows = []
    for name, shape in {
        "10 × 12, n = 1e6": (10**6, 10, 12, 0.3),
        "1000 × 1200, n = 1e7": (10**7, 1000, 1200, 0.3),
        "1000 × 1200, n = 1e7, all noise": (10**7, 1000, 1200, 1.0),
        "50,000 × 60,000, n = 1e6": (10**6, 50_000, 60_000, 0.1),
        "50,000 × 60,000, n = 1e6, all noise": (10**6, 50_000, 60_000, 1.0),
    }.items():
        truth, pred = labels(*shape)
        counting, table = timed(cb.Contingency.from_labels, truth, pred)
        scoring, _ = timed(cb.q0, table)
        seconds, why = timed(cb.explain, table)
        rows.append(
            {
                "table": name,
                "count, s": round(counting, 2),
                "q0, s": round(scoring, 3),
                "explain, s": round(seconds, 2),
                "merges proven": why.merges_proven,
                "path steps": len(why.path) - 1,
                "fewest bits at": why.best_step.clusters,
            }
        )
    print(render_rows(rows, "markdown"))


if __name__ == "__main__":
    main()
