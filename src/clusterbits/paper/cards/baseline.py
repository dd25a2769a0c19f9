"""Baselines: what random clusterings score, exactly for a few objects and by simulation for many.

Random clusterings have given cluster sizes, and all ways to fill the clusters are equally likely.
"""

from __future__ import annotations

import math
from functools import cache, lru_cache
from itertools import combinations
from typing import NamedTuple

import numpy as np

from clusterbits.paper.cards.criterion import (
    Verdict,
    Witness,
    criterion,
)
from clusterbits.paper.cards.judge import Judge, table_of_counts
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
# Means further apart than this many of their standard errors differ.
ERRORS = 4.5
# Exact means that differ by less are equal, but for rounding.
ROUNDING = 1e-9


@criterion(
    "constant baseline",
    "random clusters have exactly the same mean, whatever their sizes and number",
    "when clusterings with different numbers of clusters are compared",
)
def constant_baseline(judge: Judge) -> Verdict:
    tested, losses = 0, []
    for truth in nontrivial_shapes(OBJECTS):
        means = {sizes: _exact_mean(judge, truth, sizes) for sizes in partitions_by_sizes()}
        for pair in combinations(means, 2):
            tested += 1
            first, second = (means[sizes] for sizes in pair)
            apart = abs(second - first)
            if apart > ROUNDING * max(1.0, abs(first), abs(second)):
                one, other = (
                    table_of_counts(count(truth, partitions_by_sizes()[sizes][0])) for sizes in pair
                )
                demand = "the same mean over all ways to fill the clusters (tables are examples)"
                context = f"classes of {_listed(sizes_of(truth))} objects; " + " and ".join(
                    f"clusters of {_listed(sizes)}: mean {means[sizes]:.6g}" for sizes in pair
                )
                witness = Witness(one, other, first, second, demand, context)
                losses.append((apart, witness))
    note = f"exact means over all partitions of {OBJECTS} objects, without trivial ones"
    return constant_baseline.verdict(judge, tested, losses, note)


@criterion(
    "asymptotic constant baseline",
    "random clusters of many objects have about the same mean, however many clusters there are",
    "when many objects are clustered, into different numbers of clusters",
)
def asymptotic_constant_baseline(judge: Judge) -> Verdict:
    found = simulate(judge)
    losses = []
    for pair in found.differing:
        one, other = (shuffled_tables()[clusters][0] for clusters in pair)
        first, second = (found.means[clusters] for clusters in pair)
        demand = "the same mean over shuffled objects (values are the means, tables examples)"
        context = " and ".join(
            f"{k} random clusters: mean {found.means[k]:.4f} ± {found.errors[k]:.4f}" for k in pair
        )
        witness = Witness(one, other, first, second, demand, context)
        losses.append((abs(second - first), witness))
    tested = math.comb(len(NUMBERS_OF_CLUSTERS), 2)
    return asymptotic_constant_baseline.verdict(judge, tested, losses, str(found))


@criterion(
    "bias",
    "found, not demanded: does the mean of random clusters rise or fall with their number?",
    "when a baseline is not constant: it shows whether many clusters look better, or few",
)
def bias(judge: Judge) -> Verdict:
    found = simulate(judge)
    changes = [found.means[many] - found.means[few] for few, many in found.differing]
    return bias.find(judge, changes, len(NUMBERS_OF_CLUSTERS), str(found))


def _exact_mean(judge: Judge, truth: GroupNumbers, sizes: tuple[int, ...]) -> float:
    """Return the mean over all clusterings with clusters of these sizes."""
    values = [judge.value_of(count(truth, pred)) for pred in partitions_by_sizes()[sizes]]
    return math.fsum(values) / len(values)


@cache
def partitions_by_sizes() -> dict[tuple[int, ...], list[GroupNumbers]]:
    """Return all partitions of a few objects but the trivial ones, by the sizes of their groups.

    One group and single objects can be filled in one way only, so nothing about them is random; and
    shares of no pairs are a convention there.
    """
    found: dict[tuple[int, ...], list[GroupNumbers]] = {}
    for partition in filter(is_nontrivial, partitions(OBJECTS)):
        found.setdefault(sizes_of(partition), []).append(partition)
    return found


def _listed(sizes: tuple[int, ...]) -> str:
    return ", ".join(map(str, sizes))


class Simulation(NamedTuple):
    """Means over shuffled objects and their standard errors, by number of clusters."""

    means: dict[int, float]
    errors: dict[int, float]

    @property
    def differing(self) -> list[tuple[int, int]]:
        """The pairs of numbers of clusters whose means differ by more than chance explains."""
        return [
            (few, many)
            for few, many in combinations(NUMBERS_OF_CLUSTERS, 2)
            if abs(self.means[many] - self.means[few])
            > ERRORS * math.hypot(self.errors[few], self.errors[many]) + ROUNDING
        ]

    def __str__(self) -> str:
        """Return the range of the means."""
        low, high = min(self.means.values()), max(self.means.values())
        error = max(self.errors.values())
        return f"means {low:.4f} to {high:.4f}, standard errors up to {error:.4f}"


@lru_cache(maxsize=1)  # two criteria in a row ask for it
def simulate(judge: Judge) -> Simulation:
    """Return the means of a measure over shuffled objects."""
    found = Simulation({}, {})
    for clusters, tables in shuffled_tables().items():
        values = np.array([judge.value(table) for table in tables])
        found.means[clusters] = float(values.mean())
        found.errors[clusters] = float(values.std(ddof=1) / np.sqrt(SHUFFLES))
    return found


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
