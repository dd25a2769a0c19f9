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


def random_sets(rng, n, clusters, most):
    """Return the set of clusters of each of n objects, at most so many."""
    sizes = rng.integers(1, most + 1, n)
    return [set(rng.choice(clusters, size, replace=False).tolist()) for size in sizes]


def as_clusters(sets):
    """Return the objects of each cluster, from the clusters of each object."""
    return [{i for i, own in enumerate(sets) if k in own} for k in sorted(set().union(*sets))]


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
        others = [j for j in range(len(a)) if b[i] & b[j]]
        shares = [min(len(a[i] & a[j]), len(b[i] & b[j])) / len(b[i] & b[j]) for j in others]
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

    def own(x):
        return h(len(x)) + h(n - len(x))

    def given(x, other):
        found = [own(x)]
        for y in other:
            n11, n10, n01 = len(x & y), len(x - y), len(y - x)
            n00 = n - n11 - n10 - n01
            if h(n11) + h(n00) >= h(n10) + h(n01):
                found.append(h(n11) + h(n00) + h(n10) + h(n01) - own(y))
        return min(found)

    if form == "lfk":
        left = [
            sum(given(x, two) / own(x) if own(x) else n not in map(len, two) for x in one)
            / len(one)
            for one, two in ((a, b), (b, a))
        ]
        return 1 - sum(left) / 2
    of_a, of_b = sum(map(own, a)), sum(map(own, b))
    told = of_a - sum(given(x, b) for x in a) + of_b - sum(given(y, a) for y in b)
    return told / 2 / max(of_a, of_b) if max(of_a, of_b) else 1.0


def fuzzy_rand(a, b):
    pairs = list(combinations(range(len(a)), 2))
    apart = [[np.abs(side[i] - side[j]).sum() / 2 for i, j in pairs] for side in (a, b)]
    return 1 - np.abs(np.subtract(*apart)).mean()


def frobenius_adjusted_rand(a, b):
    """Return the index from the matrices of n × n, with the mean over permutations of objects."""
    n = len(a)
    one, two = a @ a.T, b @ b.T
    one, two = one * one.sum() / (one**2).sum(), two * two.sum() / (two**2).sum()
    # A random permutation keeps the diagonal, and spreads the rest evenly.
    trace = np.trace(one) * np.trace(two) / n
    rest = (one.sum() - np.trace(one)) * (two.sum() - np.trace(two)) / (n * (n - 1))
    room = (one**2).sum() + (two**2).sum() - 2 * (trace + rest)
    return 1 - ((one - two) ** 2).sum() / room
