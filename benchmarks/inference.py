"""Intervals, comparisons and permutation tests of large tables: seconds, memory, and agreement.

    python benchmarks/inference.py
    python benchmarks/inference.py agreement

The first prints seconds, processor seconds of all threads, and peak memory of the three calls with
default arguments; two minutes on two cores. The second compares them with brute force on a table of
1,000 × 1,200: the standard error with the spread of samples from the population and of bootstrap
resamples. Takes a minute or two. Results are in docs/explanation/intervals.md.
"""

import sys
import time

import numpy as np
from timing import head, peak, row

import clusterbits as cb
from clusterbits.errors import ClusterbitsError
from clusterbits.inference.resampling import ResamplingUnits, bootstrap
from clusterbits.measures.catalogue import get_measure

MEASURES = ("q0", "adjusted_rand", "adjusted_mutual_information", "purity", "q0_nml", "accuracy")
AGREEING = (
    "q0",
    "q2_adjusted",
    "adjusted_rand",
    "adjusted_mutual_information",
    "v_measure",
    "purity",
)
SAMPLES = 60


def labels(n, classes, clusters, seed=0):
    """Return classes and two clusterings: half of the objects of a class are in its own cluster."""
    rng = np.random.default_rng(seed)
    truth = rng.integers(0, classes, n)
    home = truth * clusters // classes
    a = np.where(rng.random(n) < 0.5, home, rng.integers(0, clusters, n))
    return truth, a, np.where(rng.random(n) < 0.01, rng.integers(0, clusters, n), a)


def full_table():
    """Return 1,000 × 1,200 cells, none empty, of 1e8 objects."""
    counts = np.random.default_rng(1).poisson(50, (1000, 1200))
    counts[np.arange(1000), np.arange(1000)] += 40_000
    return cb.Contingency.from_counts(counts)


def cost(call):
    """Return seconds and peak memory of a call; a dash where the measure refuses the table."""
    before = time.process_time()
    try:
        _, seconds, memory = peak(call)
    except ClusterbitsError:
        return "–"
    return f"{seconds:.1f} s ({time.process_time() - before:.1f} s), {memory:.0f} MB"


def print_costs():
    wide, sparse = labels(10**6, 1000, 1200), labels(10**6, 50_000, 60_000)
    head("table", "measure", "interval", "compare", "permutation_test", left=2)
    for some in (wide, full_table(), sparse):
        counted = isinstance(some, cb.Contingency)
        table = some if counted else cb.Contingency.from_labels(*some[:2])
        name = f"{table.shape[0]:,} × {table.shape[1]:,}, n = {table.n:.0e}"
        for measure in MEASURES:
            cb.interval([0, 1], [0, 1], measure=measure)  # loaded before it is timed
            row(
                name,
                measure,
                cost(lambda: cb.interval(table, measure=measure)),  # noqa: B023
                "–" if counted else cost(lambda: cb.compare(*some, measure=measure)),  # noqa: B023
                cost(lambda: cb.permutation_test(table, measure=measure)),  # noqa: B023
            )


def print_agreement():
    measures = [get_measure(measure) for measure in AGREEING]
    tables = [
        cb.Contingency.from_labels(*labels(10**6, 1000, 1200, seed)[:2])
        for seed in range(1, SAMPLES + 1)
    ]
    spread = np.std(
        [[one.score_table(table) for one in measures] for table in tables], axis=0, ddof=1
    )
    table = cb.Contingency.from_labels(*labels(10**6, 1000, 1200)[:2])
    drawn = bootstrap(ResamplingUnits.from_table(table), measures, SAMPLES, 0, iter)
    head("measure", "standard error (of four seeds)", "of samples", "of resamples")
    for measure, sample, resamples in zip(measures, spread, drawn, strict=True):
        found = np.array(
            [cb.interval(table, measure=measure, rng=s).standard_error for s in range(4)]
        )
        row(
            measure.name,
            f"{found.mean():.3g} ({found.min():.3g} … {found.max():.3g})",
            f"{sample:.3g}",
            f"{resamples.std(ddof=1):.3g}",
        )


if __name__ == "__main__":
    print_agreement() if sys.argv[1:] == ["agreement"] else print_costs()
