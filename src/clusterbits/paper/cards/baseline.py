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
from clusterbits.paper.cards.judge import Judge, make_table
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
# Means differ from this many standard errors on.
ERRORS = 4.5
# Exact means that differ by less are equal, but for rounding.
ROUNDING = 1e-9


@criterion(
    "constant baseline",
    "random clusters have exactly the same mean, whatever their sizes and number",
    "when clusterings with different numbers of clusters are compared",
)
def constant_baseline(criterion: Criterion, judge: Judge) -> Verdict:
    demand = "the same mean over all ways to fill the clusters (tables are examples)"
    tested, losses = 0, []
    for truth in nontrivial_shapes(OBJECTS):
        means = {
            sizes: math.fsum(judge.value_of(count(truth, pred)) for pred in preds) / len(preds)
            for sizes, preds in partitions_by_sizes().items()
        }
        for pair in combinations(means, 2):
            tested += 1
            first, second = (means[sizes] for sizes in pair)
            loss = abs(second - first)
            if loss > ROUNDING * max(1.0, abs(first), abs(second)):
                examples = [partitions_by_sizes()[sizes][0] for sizes in pair]
                before, after = (make_table(count(truth, pred)) for pred in examples)
                context = f"classes of {_listed(sizes_of(truth))} objects; " + " and ".join(
                    f"clusters of {_listed(sizes)}: mean {means[sizes]:.6g}" for sizes in pair
                )
                losses.append((loss, Witness(before, after, first, second, demand, context)))
    note = f"exact means over all partitions of {OBJECTS} objects, without trivial ones"
    return criterion.verdict(judge, tested, losses, note)


@criterion(
    "asymptotic constant baseline",
    "random clusters of many objects have about the same mean, however many clusters there are",
    "when many objects are clustered, into different numbers of clusters",
)
def asymptotic_constant_baseline(criterion: Criterion, judge: Judge) -> Verdict:
    demand = "the same mean over shuffled objects (values are the means, tables examples)"
    simulation = simulate(judge)
    means, errors = simulation
    losses = []
    for pair in simulation.differing:
        first, second = (means[clusters] for clusters in pair)
        before, after = (shuffled_tables()[clusters][0] for clusters in pair)
        context = " and ".join(
            f"{k} random clusters: mean {means[k]:.4f} ± {errors[k]:.4f}" for k in pair
        )
        witness = Witness(before, after, first, second, demand, context)
        losses.append((abs(second - first), witness))
    tested = math.comb(len(NUMBERS_OF_CLUSTERS), 2)
    return criterion.verdict(judge, tested, losses, str(simulation))


@criterion(
    "bias",
    "found, not demanded: does the mean of random clusters rise or fall with their number?",
    "when a baseline is not constant: it shows whether many clusters look better, or few",
)
def bias(criterion: Criterion, judge: Judge) -> Verdict:
    simulation = simulate(judge)
    changes = [simulation.means[high] - simulation.means[low] for low, high in simulation.differing]
    return criterion.find(judge, changes, len(NUMBERS_OF_CLUSTERS), str(simulation))


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
    """Means over shuffled objects and their standard errors, by number of clusters."""

    means: dict[int, float]
    errors: dict[int, float]

    @property
    def differing(self) -> list[tuple[int, int]]:
        """The pairs of numbers of clusters whose means differ significantly."""
        means, errors = self
        return [
            (low, high)
            for low, high in combinations(NUMBERS_OF_CLUSTERS, 2)
            if abs(means[high] - means[low])
            > ERRORS * math.hypot(errors[low], errors[high]) + ROUNDING
        ]

    def __str__(self) -> str:
        """Return the range of the means."""
        low, high = min(self.means.values()), max(self.means.values())
        error = max(self.errors.values())
        return f"means {low:.4f} to {high:.4f}, standard errors up to {error:.4f}"


@lru_cache(maxsize=1)  # two criteria in a row ask for it
def simulate(judge: Judge) -> Simulation:
    """Return the means of a measure over shuffled objects."""
    simulation = Simulation({}, {})
    for clusters, tables in shuffled_tables().items():
        values = np.array([judge.value(table) for table in tables])
        simulation.means[clusters] = float(values.mean())
        simulation.errors[clusters] = float(values.std(ddof=1) / np.sqrt(SHUFFLES))
    return simulation


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
