"""Coverage of confidence intervals, and how long they take.

    python benchmarks/coverage.py

For each population, samples of n objects are drawn, and an interval is made of each by the default
call: nothing is known but the sample. It should contain the mean of the measure over samples of n
objects, each scored with the classes it has, 95 times in 100. Takes three minutes on two
cores; what it prints is in docs/intervals.md.
"""

import os
from concurrent.futures import ProcessPoolExecutor
from itertools import product

import numpy as np
from timing import head, row, timed

import clusterbits as cb
from clusterbits.errors import MeasureError
from clusterbits.inference.intervals import METHODS, find_limits
from clusterbits.inference.resampling import View, bootstrap, jackknife
from clusterbits.measures.catalogue import find

MEASURES = ("q0", "q2", "adjusted_rand")
OBJECTS = (50, 500)
WRONG = (2, 3, 5, 10, 20)
OBJECTS_FEW_WRONG = (200, 10_000, 100_000)
# Of each population in the two tables; those in the second have more cells.
SAMPLES = (250, 150)
RESAMPLES = 200
# Samples whose mean stands for the true one: its own error is a fiftieth of a sample's.
TRUTH = 3000


def noisy(classes, clusters, right, zipf=0):
    """Return a population: a share of each class in its own cluster, the rest anywhere."""
    rng = np.random.default_rng(7)
    weights = np.arange(1.0, classes + 1) ** -zipf
    p = (1 - right) * rng.dirichlet(np.ones(clusters), classes)
    p[np.arange(classes), np.arange(classes) % clusters] += right
    p *= weights[:, None]
    return p / p.sum()


POPULATIONS = {
    "2 × 2, 85 % right": np.array([[0.40, 0.10], [0.05, 0.45]]),
    "3 × 3, 96 % right": np.array([[0.39, 0.01, 0], [0.01, 0.29, 0.01], [0, 0.01, 0.28]]),
    "5 × 8": noisy(5, 8, 0.6),
    "10 × 12, skewed classes": noisy(10, 12, 0.8, zipf=1),
    "10 × 40, over-split": np.kron(np.eye(10), np.full((1, 4), 0.02)) + 0.2 / 400,
    "30 × 30, skewed classes": noisy(30, 30, 0.5, zipf=1),
    "30 × 40, rare classes": noisy(30, 40, 0.7, zipf=2),
    "10 × 12, independent": np.full((10, 12), 1 / 120),
}


def few_wrong(n, wrong):
    """Return a population of four classes in four clusters, of which `wrong` in n are elsewhere."""
    p = np.full((4, 4), wrong / n / 12)
    np.fill_diagonal(p, (1 - wrong / n) / 4)
    return p


def coverage(job):
    """Return the coverage of each method's interval in percent: measures × methods."""
    p, n, many = job
    rng = np.random.default_rng([2026, n])
    samples = [
        cb.Contingency.from_counts(counts.reshape(p.shape))
        for counts in rng.multinomial(n, p.ravel(), size=TRUTH)
    ]
    return [hits(find(measure).of, samples, many) for measure in MEASURES]


def hits(score, samples, many):
    true = np.mean([score(table) for table in samples])
    found = dict.fromkeys(METHODS, 0)
    for seed, table in enumerate(samples[:many]):
        kinds, views = table.counts, [View(table)]
        drawn = bootstrap(kinds, views, score, RESAMPLES, seed, iter)[:, 0]
        left_out = jackknife(kinds, views, score, RESAMPLES, seed, iter)
        for method in METHODS:
            try:
                low, high, _ = find_limits(drawn, score(table), 0.95, method, left_out)
            except MeasureError:  # bca is not always defined
                continue
            found[method] += low <= true <= high
    return [100 * found[method] / many for method in METHODS]


def print_coverage(first, populations, samples):
    """Print a row for each name, n and population."""
    print(f"Coverage in percent of a 95 % interval: {' / '.join(METHODS)}.")
    head(first, "n", *MEASURES)
    jobs = [(p, n, samples) for _, n, p in populations]
    with ProcessPoolExecutor(int(os.environ.get("WORKERS", os.cpu_count() or 1))) as pool:
        for (name, n, _), found in zip(populations, pool.map(coverage, jobs), strict=True):
            cells = [" / ".join(f"{rate:.0f}" for rate in rates) for rates in found]
            row(name, f"{n:,}", *cells)
    print()


def print_times():
    rng = np.random.default_rng(0)
    head("2,000 resamples", "measure", "time", left=2)
    for shape, mean in (((10, 12), 83), ((100, 120), 83), ((1000, 1200), 83)):
        table = cb.Contingency.from_counts(rng.poisson(mean, shape))
        for measure in MEASURES if shape[0] < 1000 else ("q0",):
            _, took = timed(lambda: cb.interval(table, measure, seed=0))  # noqa: B023
            row(f"{shape[0]:,} × {shape[1]:,}, n = {table.n:.1e}", measure, f"{took:.2f} s")


if __name__ == "__main__":
    print_times()
    print()
    few = [(wrong, n, few_wrong(n, wrong)) for wrong, n in product(WRONG, OBJECTS_FEW_WRONG)]
    print_coverage("objects wrong", few, SAMPLES[0])
    others = [(name, n, p) for (name, p), n in product(POPULATIONS.items(), OBJECTS)]
    print_coverage("population", others, SAMPLES[1])
