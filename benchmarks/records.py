"""How fast entity resolution is scored and estimated, beside er-evaluation.

    python benchmarks/records.py
    python benchmarks/records.py coverage

Seconds and ratios, as Markdown tables; values are compared where both have the measure. Records
have integers as ids, the clusters of both sides are in one order, and entities have about 2.5
records each. er-evaluation is not among the project's dependencies: without it its column says so.
It is timed up to 1e6 records. Last, what `explain` takes to find what to mend.

With `coverage`, how often 95 % intervals of `estimate` contain the measure of all records, by 1,000
samples of entities, or of records, of each population; how wide they are; and what estimates are on
average where entities of drawn records are weighed by 1/size instead. Results are in
docs/howto/entity_resolution.md.
"""

import math
import sys

import numpy as np
from timing import head, median, peak, row, timed

import clusterbits as cb

try:
    import er_evaluation
    import pandas as pd
except ImportError:
    er_evaluation = None

LARGEST_FOR_PEER = 10**6
# Sampled entities.
NUMBERS = (50, 200, 1000)
METRICS = {
    "pair_precision": "pairwise_precision",
    "pair_recall": "pairwise_recall",
    "pair_f1": "pairwise_f",
    "exact_cluster_precision": "cluster_precision",
    "exact_cluster_recall": "cluster_recall",
    "exact_cluster_f1": "cluster_f",
}
COVERED = (*METRICS, "bcubed_precision", "bcubed_recall", "bcubed_f1")


# Arguments of make_records: the share split off and merged, the tail, and whether it is uneven.
POPULATIONS = {
    "fair": (0.05, 0.03),
    "good": (0.01, 0.01),
    "heavy tail": (0.05, 0.03, "heavy"),
    "heavy tail, uneven": (0.1, 0.05, "heavy", True),
    "one of 1,000 records, uneven": (0.1, 0.05, "zipf", True),
}


def make_records(rng, n, split=0.05, merge=0.03, tail="light", uneven=False):
    """Return the entity and the cluster of each record; some are split off, some merged.

    The sizes of entities are geometric, or of a heavy tail: few have a hundred records and more.
    Those of the Zipf tail are 1,000, 500, 333, …, and 1. If `uneven`, each entity has its own share
    of records that are split off, of a beta distribution.
    """
    sizes = rng.geometric(0.4, n // 2)
    if tail == "heavy":
        sizes = np.minimum(1 + rng.pareto(1.5, n // 2).astype(int), 200)
    elif tail == "zipf":
        sizes = np.maximum(1000 // np.arange(1, n // 2 + 1), 1)
    entities = np.repeat(np.arange(len(sizes)), sizes)[:n]
    other = rng.integers(0, len(sizes), len(sizes))
    merged = np.where(rng.random(len(sizes)) < merge, other, np.arange(len(sizes)))
    if uneven:
        split = rng.beta(0.5, 0.5 / split - 0.5, len(sizes))[entities]
    alone = rng.random(len(entities)) < split
    order = rng.permutation(len(entities))
    clusters = np.where(alone, len(sizes) + np.arange(len(entities)), merged[entities])
    return entities[order], clusters[order]


def ours_of_all(entities, clusters):
    return cb.evaluate(entities, clusters, measures=list(METRICS))


def theirs_of_all(entities, clusters):
    sides = pd.Series(clusters), pd.Series(entities)
    return {name: getattr(er_evaluation, theirs)(*sides) for name, theirs in METRICS.items()}


def score_all(rng, sizes):
    head("six measures, all entities known", "clusterbits", "er-evaluation", "ratio")
    for n in sizes:
        entities, clusters = make_records(rng, n)
        took = median(ours_of_all, entities, clusters, repeats=3)
        if er_evaluation is None or n > LARGEST_FOR_PEER:
            why = "not installed" if er_evaluation is None else "not tried"
            row(f"{n:.0e} records", f"{took:.2f} s", why, "")
            continue
        theirs, long = timed(theirs_of_all, entities, clusters)
        scores = ours_of_all(entities, clusters)
        for name, value in theirs.items():
            assert math.isclose(scores[name], value, rel_tol=1e-9), name
        row(f"{n:.0e} records", f"{took:.2f} s", f"{long:.1f} s", f"{long / took:.0f}")


def estimate_from_samples(rng, sizes):
    head("six estimates, 500 entities sampled", "clusterbits", "er-evaluation", "ratio")
    for n in sizes:
        entities, clusters = make_records(rng, n)
        masked = sample_of(entities, rng.choice(np.unique(entities), 500, replace=False))
        known = np.flatnonzero(masked == masked)
        sample = dict(zip(known.tolist(), entities[known].tolist(), strict=True))
        weights = dict.fromkeys(sample.values(), 1)
        took = median(lambda m=masked, k=clusters: cb.records.estimate(m, k), repeats=3)
        if er_evaluation is None or n > LARGEST_FOR_PEER:
            why = "not installed" if er_evaluation is None else "not tried"
            row(f"{n:.0e} records", f"{took:.2f} s", why, "")
            continue
        sides = pd.Series(clusters), pd.Series(sample), "uniform"
        found = cb.records.estimate(masked, clusters, list(METRICS), sampling=weights)
        total = 0.0
        for name, theirs in METRICS.items():
            (value, error), long = timed(getattr(er_evaluation, f"{theirs}_estimator"), *sides)
            assert math.isclose(found[name].value, min(value, 1), rel_tol=1e-9), name
            assert math.isclose(found[name].standard_error, error, rel_tol=1e-9), name
            total += long
        row(f"{n:.0e} records", f"{took:.2f} s", f"{total:.1f} s", f"{total / took:.0f}")


def explain_all(rng, sizes):
    head("explain", "seconds", "memory", "bits per record")
    for n in sizes:
        table = cb.Contingency.from_labels(*make_records(rng, n))
        _, took, memory = peak(cb.explain, table)
        row(f"{n:.0e} records", f"{took:.1f} s", f"{memory:.0f} MB", f"{cb.q0(table):.4f}")


def cover(rng, samples=1_000):
    for population, options in POPULATIONS.items():
        entities, clusters = make_records(rng, 50_000, *options)
        true = cb.evaluate(entities, clusters, measures=list(COVERED))
        for draw in (draw_entities, draw_records):
            widths = (f"width, {number:,}" for number in NUMBERS)
            head(f"{population}, {draw.__name__}", "value", *NUMBERS, *widths)
            found = [
                [
                    estimate_drawn(entities, clusters, *draw(rng, entities, m))
                    for _ in range(samples)
                ]
                for m in NUMBERS
            ]
            for name in COVERED:
                value = true[name]
                # Without limits, as wide as can be.
                limits = np.array([[one[name][3:] for one in some] for some in found])
                low, high = np.where(np.isnan(limits), [0, 1], limits).transpose(2, 0, 1)
                hits = ((low <= value) & (value <= high)).mean(axis=1)
                widths = (high - low).mean(axis=1)
                row(
                    name,
                    f"{value:.3f}",
                    *(f"{share:.1%}" for share in hits),
                    *(f"{width:.2f}" for width in widths),
                )


def weigh(rng, number=1_000, samples=200):
    entities, clusters = make_records(rng, 50_000, tail="heavy")
    true, sizes = ours_of_all(entities, clusters), np.bincount(entities)
    found = {"1/size": [], "cluster_size": []}
    for _ in range(samples):
        chosen, _ = draw_records(rng, entities, number)
        by_size = dict(zip(chosen.tolist(), (1 / sizes[chosen]).tolist(), strict=True))
        for name, sampling in (("1/size", by_size), ("cluster_size", "cluster_size")):
            found[name].append(estimate_drawn(entities, clusters, chosen, sampling))
    head(f"heavy tail, {number:,} records drawn", "value", *(f"mean, {name}" for name in found))
    for name in METRICS:
        means = [np.mean([one[name].value for one in some]) for some in found.values()]
        row(name, f"{true[name]:.3f}", *(f"{mean:.3f}" for mean in means))


def draw_entities(rng, entities, number):
    """Return entities that were drawn, all as likely."""
    return rng.choice(entities.max() + 1, number, replace=False), "uniform"


def draw_records(rng, entities, number):
    """Return the entities of records that were drawn, each of them once."""
    return np.unique(rng.choice(entities, number)), "cluster_size"


def estimate_drawn(entities, clusters, chosen, sampling):
    return cb.records.estimate(
        sample_of(entities, chosen), clusters, list(COVERED), sampling=sampling
    )


def sample_of(entities, chosen):
    """Return the entity of each record, nan outside of the sample."""
    inside = np.zeros(entities.max() + 1, dtype=bool)
    inside[chosen] = True
    return np.where(inside[entities], entities, np.nan)


if __name__ == "__main__":
    generator = np.random.default_rng(0)
    if sys.argv[1:] == ["coverage"]:
        cover(generator)
        weigh(np.random.default_rng(0))
        sys.exit()
    scales = [10 ** int(power) for power in sys.argv[1:]] or [10**5, 10**6, 10**7]
    score_all(generator, scales)
    estimate_from_samples(generator, scales)
    explain_all(generator, scales[:2])
