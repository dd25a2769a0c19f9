"""Constant baseline: random clusterings score alike, however many clusters they have."""

from __future__ import annotations

from itertools import combinations

import numpy as np

from clusterbits.core.table import Contingency
from clusterbits.desiderata.judge import Judge
from clusterbits.desiderata.verdict import Verdict, Witness

CLASS_SIZES = (60, 50, 40, 30, 20)
NUMBERS_OF_CLUSTERS = (2, 3, 5, 10, 25, 60)
SHUFFLES = 150
# Means further apart than this many of their standard errors differ.
ERRORS = 4.5


def judge_baseline(judge: Judge, seed: int = 0) -> Verdict:
    """Shuffle objects over clusters of fixed sizes, for several numbers of clusters."""
    rng = np.random.default_rng(seed)
    truth = np.repeat(np.arange(len(CLASS_SIZES)), CLASS_SIZES)
    means, errors, examples = [], [], []
    for clusters in NUMBERS_OF_CLUSTERS:
        pred = np.arange(len(truth)) * clusters // len(truth)
        tables = []
        for _ in range(SHUFFLES):
            cells = rng.permutation(truth) * clusters + pred
            counts = np.bincount(cells, minlength=len(CLASS_SIZES) * clusters)
            tables.append(Contingency.from_counts(counts.reshape(-1, clusters)))
        values = np.array([judge.value(table) for table in tables])
        means.append(float(values.mean()))
        errors.append(float(values.std(ddof=1) / np.sqrt(SHUFFLES)))
        examples.append(tables[0])
    wrong = []
    for i, j in combinations(range(len(means)), 2):
        apart = abs(means[j] - means[i])
        allowed = ERRORS * float(np.hypot(errors[i], errors[j])) + 1e-9
        if apart > allowed:
            context = " and ".join(
                f"{NUMBERS_OF_CLUSTERS[x]} random clusters: mean {means[x]:.4f} ± {errors[x]:.4f}"
                for x in (i, j)
            )
            demand = "the same mean over shuffled objects (values are the means, tables examples)"
            step = Witness(examples[i], examples[j], means[i], means[j], demand, context)
            wrong.append((apart, step))
    wrong.sort(key=lambda item: -item[0])
    spread = f"means {min(means):.4f} to {max(means):.4f}, standard errors up to {max(errors):.4f}"
    return Verdict(
        "constant baseline",
        judge.name,
        "fail" if wrong else "pass",
        len(means) * (len(means) - 1) // 2,
        len(wrong),
        note=spread,
        violations=tuple(step for _, step in wrong),
    )
