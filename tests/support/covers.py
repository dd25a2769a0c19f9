"""Covers and fuzzy partitions for tests, and measures between them taken from their definitions."""

import math
from collections.abc import Callable
from itertools import combinations
from typing import NamedTuple

import numpy as np

import clusterbits as cb


class Declaration(NamedTuple):
    """What a measure promises; `flat` is the measure of partitions that it equals for those."""

    function: Callable[..., float]
    bounds: tuple[float, float]
    better: str
    symmetric: bool
    perfect: float | None
    flat: str


DECLARED = {
    "omega": Declaration(cb.covers.omega, (-1, 1), "higher", True, 1, "adjusted_rand"),
    "bcubed_extended": Declaration(
        cb.covers.bcubed_extended, (0, 1), "higher", True, 1, "bcubed_f1"
    ),
    "overlapping_nmi": Declaration(cb.covers.overlapping_nmi, (0, 1), "higher", True, 1, ""),
    "fuzzy_rand": Declaration(cb.covers.fuzzy_rand, (0, 1), "higher", True, 1, "rand"),
    "frobenius_adjusted_rand": Declaration(
        cb.covers.frobenius_adjusted_rand, (-math.inf, 1), "higher", True, 1, "adjusted_rand"
    ),
    "q0_soft": Declaration(cb.covers.q0_soft, (0, math.inf), "lower", False, None, ""),
}

# --- samples -------------------------------------------------------------------------------------


def random_sets(rng, n, clusters, max_clusters):
    """Return the set of clusters of each of n objects, at most so many."""
    sizes = rng.integers(1, max_clusters + 1, n)
    return [set(rng.choice(clusters, size, replace=False).tolist()) for size in sizes]


def as_clusters(sets):
    """Return the objects of each cluster, from the clusters of each object."""
    return [{i for i, names in enumerate(sets) if k in names} for k in sorted(set().union(*sets))]


def random_degrees(rng, n, clusters, sparse=0.0):
    """Return rows that sum to 1; about so large a share of the degrees is 0."""
    degrees = rng.dirichlet(np.ones(clusters), n)
    degrees[rng.random(degrees.shape) < sparse] = 0
    degrees[degrees.sum(axis=1) == 0, 0] = 1
    return degrees / degrees.sum(axis=1, keepdims=True)


# --- oracles over all pairs ----------------------------------------------------------------------


def omega(a, b):
    pairs = list(combinations(range(len(a)), 2))
    if not pairs:
        return 1.0
    shared = [[len(side[i] & side[j]) for i, j in pairs] for side in (a, b)]
    same = sum(s == t for s, t in zip(*shared, strict=True)) / len(pairs)
    levels = {*shared[0], *shared[1]}
    chance = sum(shared[0].count(j) * shared[1].count(j) for j in levels) / len(pairs) ** 2
    return 1.0 if same == 1 else (same - chance) / (1 - chance)


def bcubed_precision(a, b):
    """Return the precision of the cover b, given the true cover a."""
    means = []
    for i in range(len(a)):
        partners = [j for j in range(len(a)) if b[i] & b[j]]
        shares = [min(len(a[i] & a[j]), len(b[i] & b[j])) / len(b[i] & b[j]) for j in partners]
        means.append(sum(shares) / len(shares))
    return sum(means) / len(means)


def bcubed(a, b):
    precision, recall = bcubed_precision(a, b), bcubed_precision(b, a)
    return 2 * precision * recall / (precision + recall)


def overlapping_nmi(a, b, form="mgh"):
    """Return the overlapping NMI of two lists of clusters, from all pairs of clusters."""
    n = len(set().union(*a, *b))

    def h(count):
        return -count / n * math.log2(count / n) if count else 0.0

    def entropy(x):
        return h(len(x)) + h(n - len(x))

    def conditional(x, cover):
        values = [entropy(x)]
        for y in cover:
            n11, n10, n01 = len(x & y), len(x - y), len(y - x)
            n00 = n - n11 - n10 - n01
            if h(n11) + h(n00) >= h(n10) + h(n01):
                values.append(h(n11) + h(n00) + h(n10) + h(n01) - entropy(y))
        return min(values)

    def share(x, cover):
        return conditional(x, cover) / entropy(x) if entropy(x) else n not in map(len, cover)

    if form == "lfk":
        return (
            1
            - sum(
                sum(share(x, other) for x in cover) / len(cover)
                for cover, other in ((a, b), (b, a))
            )
            / 2
        )
    of_a, of_b = sum(map(entropy, a)), sum(map(entropy, b))
    information = (
        of_a + of_b - sum(conditional(x, b) for x in a) - sum(conditional(y, a) for y in b)
    )
    return information / 2 / max(of_a, of_b) if max(of_a, of_b) else 1.0


def fuzzy_rand(a, b):
    pairs = list(combinations(range(len(a)), 2))
    apart = [[np.abs(side[i] - side[j]).sum() / 2 for i, j in pairs] for side in (a, b)]
    return 1 - np.abs(np.subtract(*apart)).mean()


def frobenius_adjusted_rand(a, b):
    """Return the index from the matrices of n × n, with the mean over permutations of objects."""
    n = len(a)
    a, b = (degrees @ degrees.T for degrees in (a, b))
    a, b = (matrix * matrix.sum() / (matrix**2).sum() for matrix in (a, b))
    # A random permutation keeps the diagonal, and spreads the rest evenly.
    trace = np.trace(a) * np.trace(b) / n
    rest = (a.sum() - np.trace(a)) * (b.sum() - np.trace(b)) / (n * (n - 1))
    expected = (a**2).sum() + (b**2).sum() - 2 * (trace + rest)
    return 1 - ((a - b) ** 2).sum() / expected
