"""Baselines: scores of random clusterings, exactly for a few objects and by simulation for many.

Random clusterings have fixed cluster sizes, and all ways to fill the clusters are equally likely.
"""

from __future__ import annotations

import math
from functools import cache, lru_cache
from itertools import combinations
from typing import NamedTuple

import numpy as np

from clusterbits.paper.cards.criterion import Criterion, Verdict, Witness, criterion
from clusterbits.paper.cards.judge import Judge, difference, make_table
from clusterbits.paper.cards.partitions import (
    OBJECTS,
    GroupNumbers,
    count,
    is_nontrivial,
    nontrivial_shapes,
    partitions,
    sizes_of,
)
from clusterbits.table.contingency import Contingency

CLASS_SIZES = (60, 50, 40, 30, 20)
NUMBERS_OF_CLUSTERS = (2, 3, 5, 10, 25, 60)
SHUFFLES = 150
# Exact means that differ by less are equal, but for rounding.
ROUNDING = 1e-9
# Means differ from this many standard errors on.
ERRORS = 4.5


@criterion(
    "constant baseline",
    "random clusters have exactly the same mean, whatever their sizes and number",
    "when clusterings with different numbers of clusters are compared",
)
def constant_baseline(criterion: Criterion, judge: Judge) -> Verdict:
    demand = "the same mean over all ways to fill the clusters (tables are examples)"
    tested, witnesses = 0, []
    for truth in nontrivial_shapes(OBJECTS):
        means = {
            sizes: math.fsum(judge.value_of(count(truth, pred)) for pred in preds) / len(preds)
            for sizes, preds in partitions_by_sizes().items()
        }
        for pair in combinations(means, 2):
            tested += 1
            first, second = (means[sizes] for sizes in pair)
            if not math.isclose(first, second, rel_tol=ROUNDING, abs_tol=ROUNDING):
                examples = [partitions_by_sizes()[sizes][0] for sizes in pair]
                before, after = (make_table(count(truth, pred)) for pred in examples)
                context = f"classes of {_listed(sizes_of(truth))} objects; " + " and ".join(
                    f"clusters of {_listed(sizes)}: mean {means[sizes]:.6g}" for sizes in pair
                )
                witnesses.append(Witness(before, after, first, second, demand, context))
    note = f"exact means over all partitions of {OBJECTS} objects, without trivial ones"
    return criterion.verdict(judge, tested, witnesses, note)


@criterion(
    "asymptotic constant baseline",
    "random clusters of many objects have about the same mean, however many clusters there are",
    "when many objects are clustered, into different numbers of clusters",
)
def asymptotic_constant_baseline(criterion: Criterion, judge: Judge) -> Verdict:
    demand = "the same mean over shuffled objects (values are the means, tables examples)"
    means, errors, differing, note = simulate(judge)
    witnesses = []
    for pair in differing:
        first, second = (means[clusters] for clusters in pair)
        before, after = (shuffled_tables()[clusters][0] for clusters in pair)
        context = " and ".join(
            f"{k} random clusters: mean {means[k]:.4f} ± {errors[k]:.4f}" for k in pair
        )
        witnesses.append(Witness(before, after, first, second, demand, context))
    return criterion.verdict(judge, math.comb(len(NUMBERS_OF_CLUSTERS), 2), witnesses, note)


@criterion(
    "bias",
    "found, not demanded: does the mean of random clusters rise or fall with their number?",
    "when a baseline is not constant: it shows whether many clusters look better, or few",
)
def bias(criterion: Criterion, judge: Judge) -> Verdict:
    means, _, differing, note = simulate(judge)
    changes = [means[high] - means[low] for low, high in differing]
    return criterion.find(judge, changes, len(NUMBERS_OF_CLUSTERS), note)


@cache
def partitions_by_sizes() -> dict[tuple[int, ...], list[GroupNumbers]]:
    """Return all partitions of a few objects but the trivial ones, by the sizes of their groups.

    Trivial ones can be filled in one way only, so nothing about them is random.
    """
    by_sizes: dict[tuple[int, ...], list[GroupNumbers]] = {}
    for partition in filter(is_nontrivial, partitions(OBJECTS)):
        by_sizes.setdefault(sizes_of(partition), []).append(partition)
    return by_sizes


def _listed(sizes: tuple[int, ...]) -> str:
    return ", ".join(map(str, sizes))


class Simulation(NamedTuple):
    """Means over shuffled objects and their standard errors, by number of clusters.

    `differing` are the pairs of numbers of clusters whose means differ significantly.
    """

    means: dict[int, float]
    errors: dict[int, float]
    differing: list[tuple[int, int]]
    note: str


@lru_cache(maxsize=1)  # two criteria in a row ask for it
def simulate(judge: Judge) -> Simulation:
    """Return the means of a measure over shuffled objects."""
    means, errors = {}, {}
    for clusters, tables in shuffled_tables().items():
        values = np.array([judge.value(table) for table in tables])
        means[clusters] = float(values.mean())
        errors[clusters] = float(values.std(ddof=1) / np.sqrt(SHUFFLES))
    differing = [
        (low, high)
        for low, high in combinations(NUMBERS_OF_CLUSTERS, 2)
        if abs(difference(means[low], means[high])) > ERRORS * math.hypot(errors[low], errors[high])
    ]
    low, high, error = min(means.values()), max(means.values()), max(errors.values())
    note = f"means {low:.4f} to {high:.4f}, standard errors up to {error:.4f}"
    return Simulation(means, errors, differing, note)


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
