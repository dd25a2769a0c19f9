"""Random models against all clusterings of a few objects, and against exact integers."""

import math
from itertools import product
from typing import get_args

import mpmath
import numpy as np
import pytest

import clusterbits as cb
from clusterbits.errors import ClusterbitsError, MeasureError
from clusterbits.table.random_partitions import Model, expected_sizes, pair_probability

MODELS = get_args(Model)

TRUTH, PRED = [0, 0, 0, 1, 2], [0, 1, 1, 2, 2]


def clusterings(n, groups=None):
    """Return all clusterings of n objects, as labels in the order of first occurrence."""
    found = [[]]
    for _ in range(n):
        found = [[*some, label] for some in found for label in range(len(set(some)) + 1)]
    return [some for some in found if groups is None or len(set(some)) == groups]


def drawn(model, truth, pred):
    """Return all pairs of labelings that the model draws from."""
    groups = [None, None] if model.startswith("all") else [len(set(truth)), len(set(pred))]
    classes = clusterings(len(truth), groups[0])
    one_sided = model.endswith("one_sided")
    return list(product([truth] if one_sided else classes, clusterings(len(pred), groups[1])))


@pytest.mark.parametrize("model", MODELS[1:])
@pytest.mark.parametrize("pred", [PRED, [0, 1, 2, 3, 4]])
def test_every_clustering_by_enumeration(model, pred):
    pairs = drawn(model, TRUTH, pred)
    rand = np.mean([cb.rand(*pair) for pair in pairs])
    value = (cb.rand(TRUTH, pred) - rand) / (1 - rand)
    assert cb.adjusted_rand(TRUTH, pred, model=model) == pytest.approx(value, rel=1e-12, abs=1e-13)
    expected = np.mean([cb.mutual_information(*pair) for pair in pairs])
    table = cb.Contingency.from_labels(TRUTH, pred)
    found = cb.expected_mutual_information(table, model=model)
    assert found == pytest.approx(expected, rel=1e-12)
    groups = [5, 5] if model.startswith("all") else table.shape
    ceiling = (math.log2(groups[0]) + math.log2(groups[1])) / 2
    value = (cb.mutual_information(table) - expected) / (ceiling - expected)
    assert cb.ami(table, model=model) == pytest.approx(value, rel=1e-11)


@pytest.mark.parametrize("groups", [None, *range(1, 9)])
def test_sizes_by_enumeration(groups):
    found = clusterings(8, groups)
    counts = [np.bincount(np.bincount(some), minlength=9) for some in found]
    expected = np.mean(counts, axis=0)
    sizes, numbers = expected_sizes(8, groups)
    assert numbers == pytest.approx(expected[sizes.astype(int)], rel=1e-12)
    assert numbers.sum() == pytest.approx(expected[1:].sum(), rel=1e-12)


@pytest.mark.parametrize("n", [2, 5, 40, 300, 1000])
def test_ratios_of_exact_integers(n):
    assert pair_probability(n, None) == pytest.approx(
        float(mpmath.bell(n - 1) / mpmath.bell(n)), rel=2e-14
    )
    row = [0, 1] + [0] * n  # Stirling numbers of the second kind, by their recurrence
    for m in range(2, n + 1):
        before = row
        row = [0] + [k * before[k] + before[k - 1] for k in range(1, m + 1)] + [0] * (n - m + 1)
    for k in {1, 2, 3, n // 3, n // 2, n - 2, n - 1, n} & set(range(1, n + 1)):
        if n > 1:
            expected = before[k] / row[k]
            assert pair_probability(n, k) == pytest.approx(expected, rel=2e-14), k


@pytest.mark.parametrize("n", [10**4, 10**6, 10**9])
@pytest.mark.parametrize("share", [None, 2, 7, 1000, "half", "most", "all but one"])
def test_large_numbers_keep_their_digits(n, share):
    groups = {"half": n // 2, "most": n - 50, "all but one": n - 1}.get(share, share)
    sizes, numbers = expected_sizes(n, groups)
    assert (sizes * numbers).sum() == pytest.approx(n, rel=1e-12)
    if groups:
        assert numbers.sum() == pytest.approx(groups, rel=1e-12)
    together = (numbers * sizes * (sizes - 1)).sum() / (n * (n - 1.0))
    assert pair_probability(n, groups) == pytest.approx(together, rel=1e-12)
    if share == "all but one":
        assert pair_probability(n, groups) == pytest.approx(2 / (n * (n - 1)), rel=1e-12)


def test_a_million_objects():
    rng = np.random.default_rng(0)
    table = cb.Contingency.from_labels(rng.integers(0, 5, 10**6), rng.integers(0, 3, 10**6))
    for model in MODELS[:3]:
        assert abs(cb.adjusted_rand(table, model=model)) < 1e-5, model
        assert abs(cb.ami(table, model=model)) < 1e-5, model
    for model in MODELS[3:]:  # among all clusterings of so many objects, 3 clusters are very few
        assert cb.adjusted_rand(table, model=model) < 0, model
        assert cb.ami(table, model=model) < 0, model
    # Two clusters by coin tosses: clusters of all sizes, a few around n/2 standing for the rest.
    even = cb.Contingency.from_counts([[250_000, 250_000]] * 2)
    expected = cb.expected_mutual_information(even, model="fixed_clusters")
    assert expected == pytest.approx(cb.expected_mutual_information(even), rel=1e-5)


def test_degenerate_tables():
    for model in MODELS:
        assert cb.adjusted_rand([0], [0], model=model) == cb.ami([0], [0], model=model) == 1
        assert cb.adjusted_rand([0, 0, 0], [0, 0, 0], model=model) == 1
        assert cb.ami([0, 0, 0], [0, 0, 0], model=model) == 1
        for pair in ([0, 0, 0], [0, 1, 2]), ([0, 1, 2], [0, 0, 0]):
            assert math.isfinite(cb.adjusted_rand(*pair, model=model))
            if model.startswith("all"):  # chance draws other numbers of groups, and does better
                assert -2 < cb.ami(*pair, model=model) <= 0
            else:
                assert cb.ami(*pair, model=model) == 0


def test_wrong_models():
    with pytest.raises(ClusterbitsError, match="Did you mean 'permutation'"):
        cb.adjusted_rand(TRUTH, PRED, model="permutations")
    expected = cb.Contingency.expected([[0.5, 0.1], [0.1, 0.3]], n=20)
    with pytest.raises(MeasureError, match="needs whole counts"):
        cb.adjusted_rand(expected, model="all")
    with pytest.raises(MeasureError, match="1,000,000,000,000 objects"):
        cb.ami(cb.Contingency.from_counts([[10**13, 1], [1, 5]]), model="all")
