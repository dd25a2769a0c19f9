"""The standardised Rand index and PMI₂ against all permutations, published values and mpmath."""

import math
from fractions import Fraction
from functools import cache
from itertools import permutations

import mpmath
import numpy as np
import pytest
from scipy.stats import random_table

import clusterbits as cb

# Every kind of sizes: equal, unequal, single objects, almost one group, and few objects.
LABELINGS = [
    ([0, 0, 0, 1, 1, 2], [0, 0, 1, 1, 1, 2]),
    ([0, 0, 0, 0, 1, 1, 1], [0, 1, 0, 1, 2, 3, 3]),
    ([0, 0, 0, 0, 0, 0, 1], [0, 0, 1, 1, 1, 2, 2]),
    ([0, 0, 0, 0, 0, 1], [0, 1, 1, 1, 1, 1]),
    ([0, 0, 1, 1], [0, 1, 0, 1]),
    ([0, 0, 1], [0, 1, 1]),
]


@cache
def agreements(truth, pred):
    """Return the pairs together in both, for every order of the objects."""
    return [cb.Contingency.from_labels(truth, p).pairs.a00 for p in permutations(pred)]


@pytest.mark.parametrize(("truth", "pred"), LABELINGS)
def test_mean_and_variance_over_all_permutations(truth, pred):
    shuffled = agreements(tuple(truth), tuple(pred))
    mean = Fraction(sum(shuffled), len(shuffled))
    variance = sum((a - mean) ** 2 for a in shuffled) / len(shuffled)
    here = cb.Contingency.from_labels(truth, pred).pairs.a00
    expected = (here - mean) / math.sqrt(variance)
    assert cb.standardized_rand(truth, pred) == pytest.approx(float(expected), rel=1e-15)


def test_values_of_partition_comparison():
    # What the R package's own tests expect of lermanIndex.
    p, q, r, s = [0, 0, 0, 1, 1], [0, 0, 1, 1, 1], [0, 1, 1, 1, 1], [0, 1, 1, 2, 2]
    assert cb.standardized_rand(p, q) == pytest.approx(2 / math.sqrt(21), rel=1e-15)
    assert cb.standardized_rand(p, r) == pytest.approx(-math.sqrt(6) / 3, rel=1e-15)
    assert cb.standardized_rand(p, s) == pytest.approx(3 * math.sqrt(14) / 7, rel=1e-15)
    assert cb.standardized_rand(r, s) == pytest.approx(2, rel=1e-15)


@pytest.mark.parametrize("labels", [([0], [0]), ([0, 1], [0, 0]), ([0, 0, 0], [0, 1, 2])])
def test_where_all_tables_are_alike(labels):
    assert cb.standardized_rand(*labels) == 0
    assert cb.p_value_adjusted_rand(*labels) == 0.5


def test_standardized_rand_by_shuffling():
    table = cb.Contingency.from_counts([[20, 5, 1], [3, 18, 9], [2, 2, 40]])
    draws = random_table(table.class_sizes, table.cluster_sizes).rvs(40_000, random_state=1)
    shuffled = (draws * (draws - 1)).sum(axis=(1, 2)) / 2
    z = (table.pairs.a00 - shuffled.mean()) / shuffled.std()
    assert cb.standardized_rand(table) == pytest.approx(z, rel=0.03)


@pytest.mark.parametrize("scale", [1, 10**6, 10**12, 10**17])
def test_large_counts_keep_their_digits(scale):
    counts = [[20 * scale, 5 * scale + 1, 1], [3, 18 * scale, 9 * scale + 7]]
    table = cb.Contingency.from_counts(counts)
    rows, columns = (
        [sum(row) for row in counts],
        [sum(column) for column in zip(*counts, strict=True)],
    )
    n = sum(rows)
    with mpmath.workdps(900):
        cells = [mpmath.mpf(x) for row in counts for x in row]
        a00 = sum(x * (x - 1) for x in cells) / 2
        # As R's partitionComparison writes it, with numbers of 900 digits.
        v1, v2, v3 = zip(*map(falling_sums, (rows, columns)), strict=True)
        expected = v1[0] * v1[1] / (2 * mpmath.ff(n, 2))
        variance = (
            expected
            + v2[0] * v2[1] / mpmath.ff(n, 3)
            + v3[0] * v3[1] / (4 * mpmath.ff(n, 4))
            - expected**2
        )
        z = (a00 - expected) / mpmath.sqrt(variance)
        assert cb.standardized_rand(table) == pytest.approx(float(z), rel=1e-15)


def falling_sums(sizes):
    v1 = sum(mpmath.mpf(x) * (x - 1) for x in sizes)
    v2 = sum(mpmath.mpf(x) * (x - 1) * (x - 2) for x in sizes)
    return v1, v2, v1**2 - 2 * sum(mpmath.mpf(x) * (x - 1) * (2 * x - 3) for x in sizes)


@pytest.mark.parametrize(("truth", "pred"), LABELINGS)
def test_p_value_is_near_the_share_of_permutations(truth, pred):
    shuffled = agreements(tuple(truth), tuple(pred))
    here = cb.Contingency.from_labels(truth, pred).pairs.a00
    share = np.mean([(a < here) + (a == here) / 2 for a in shuffled])
    assert cb.p_value_adjusted_rand(truth, pred) == pytest.approx(
        share, abs=0.11
    )  # few objects are not normal
    z = cb.standardized_rand(truth, pred)
    assert cb.p_value_adjusted_rand(truth, pred) == pytest.approx(float(mpmath.ncdf(z)), rel=1e-14)


def test_p_value_keeps_the_digits_of_its_lower_tail():
    table = cb.Contingency.from_counts(np.full((30, 30), 1000))
    z = cb.standardized_rand(table)
    assert z < -20
    assert cb.p_value_adjusted_rand(table) == pytest.approx(float(mpmath.ncdf(z)), rel=1e-12)
    assert cb.p_value_adjusted_rand(np.arange(900) // 30, np.arange(900) // 30) == 1


def test_random_clusters_average_about_one_half():
    rng = np.random.default_rng(0)
    truth = np.arange(60) % 4
    for clusters in (2, 5, 20):
        pred = np.arange(60) % clusters
        mean = np.mean(
            [cb.p_value_adjusted_rand(rng.permutation(truth), pred) for _ in range(1500)]
        )
        assert 0.44 < mean < 0.53  # the normal distribution knows no skewness
