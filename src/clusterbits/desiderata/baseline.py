"""Constant baseline: random clusterings score alike, however many clusters they have."""

from __future__ import annotations

from functools import cache
from itertools import combinations

import numpy as np

from clusterbits.core.table import Contingency
from clusterbits.desiderata.criterion import criterion
from clusterbits.desiderata.judge import Judge
from clusterbits.desiderata.verdict import Verdict, Witness

CLASS_SIZES = (60, 50, 40, 30, 20)
NUMBERS_OF_CLUSTERS = (2, 3, 5, 10, 25, 60)
SHUFFLES = 150
# Means further apart than this many of their standard errors differ.
ERRORS = 4.5


@criterion(
    "constant baseline",
    "random clusters have the same mean, however many there are",
    "when clusterings with different numbers of clusters are compared",
)
def constant_baseline(judge: Judge) -> Verdict:
    means, errors = {}, {}
    for clusters, tables in shuffled_tables().items():
        values = np.array([judge.value(table) for table in tables])
        means[clusters] = float(values.mean())
        errors[clusters] = float(values.std(ddof=1) / np.sqrt(SHUFFLES))
    pairs = list(combinations(NUMBERS_OF_CLUSTERS, 2))
    losses = []
    for pair in pairs:
        few, many = pair
        apart = abs(means[many] - means[few])
        if apart > ERRORS * float(np.hypot(errors[few], errors[many])) + 1e-9:
            examples = shuffled_tables()[few][0], shuffled_tables()[many][0]
            demand = "the same mean over shuffled objects (values are the means, tables examples)"
            context = " and ".join(
                f"{k} random clusters: mean {means[k]:.4f} ± {errors[k]:.4f}" for k in pair
            )
            witness = Witness(*examples, means[few], means[many], demand, context)
            losses.append((apart, witness))
    low, high, error = min(means.values()), max(means.values()), max(errors.values())
    note = f"means {low:.4f} to {high:.4f}, standard errors up to {error:.4f}"
    return constant_baseline.verdict(judge, len(pairs), losses, note)


@cache
def shuffled_tables() -> dict[int, list[Contingency]]:
    """Return tables of objects shuffled over clusters of equal size, by number of clusters."""
    rng = np.random.default_rng(0)
    truth = np.repeat(np.arange(len(CLASS_SIZES)), CLASS_SIZES)
    return {
        clusters: [
            Contingency.from_labels(
                rng.permutation(truth), np.arange(len(truth)) * clusters // len(truth)
            )
            for _ in range(SHUFFLES)
        ]
        for clusters in NUMBERS_OF_CLUSTERS
    }
