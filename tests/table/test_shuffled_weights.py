"""Chance in balanced tables: means over shuffled objects, by enumeration and simulation."""

import math
from itertools import permutations, product
from statistics import fmean

import numpy as np
import pytest

import clusterbits as cb
from clusterbits.errors import MeasureError
from clusterbits.table.balanced_chance import cluster_excess

LABELS = [
    ([0, 0, 0, 0, 1, 1, 2], [0, 0, 0, 1, 1, 2, 2]),
    ([0, 0, 0, 0, 0, 0, 1], [0, 0, 0, 0, 1, 1, 1]),
    ([0, 0, 0, 0, 1, 1, 2], [0, 1, 2, 3, 4, 5, 6]),
    ([0, 0, 0, 0, 0, 1, 2], [0, 0, 0, 0, 0, 0, 0]),
    ([0, 0, 0, 1, 1, 2, 3], [0, 0, 0, 0, 0, 0, 1]),
]


def shuffled(truth, pred):
    orders = sorted(set(permutations(truth)))
    return [cb.Contingency(list(order), pred, weights="balanced") for order in orders]


@pytest.mark.parametrize(("truth", "pred"), LABELS)
def test_means_over_all_arrangements(truth, pred):
    tables = shuffled(truth, pred)
    table = cb.Contingency(truth, pred, weights="balanced")
    for mean, of in (
        (table.expected_information, lambda shuffled_table: shuffled_table.mutual_information),
        (table.expected_table_bits(), lambda shuffled_table: shuffled_table.table_bits()),
        (table.expected_table_bits(9), lambda shuffled_table: shuffled_table.table_bits(9)),
    ):
        assert mean == pytest.approx(fmean(map(of, tables)), abs=1e-13)
    assert cb.expected_mutual_information(table) == table.expected_information


@pytest.mark.parametrize(("truth", "pred"), LABELS)
def test_random_clusters_score_0_on_average_and_perfect_ones_1(truth, pred):
    tables = shuffled(truth, pred)
    assert fmean(map(cb.q2_adjusted, tables)) == pytest.approx(0, abs=1e-12)
    # What clusters weigh, and with it what is divided by, varies: 0.026 at most for seven objects.
    assert fmean(map(cb.ami, tables)) == pytest.approx(0, abs=0.03)
    perfect = cb.Contingency(truth, truth, weights="balanced")
    for measure in (cb.ami, cb.q2_adjusted):
        assert measure(perfect) == 1
        assert measure.function(perfect) == pytest.approx(1, abs=1e-12)


def enumerated_excess(s, sizes, weights, r):
    """Return E[b ln b] and E[ln C(b + r, r)] less those of the mean, over all draws of s."""
    bits, columns = [], []
    for drawn in product(*(range(min(h, s) + 1) for h in sizes)):
        if sum(drawn) == s:
            ways = math.prod(map(math.comb, sizes, drawn)) / math.comb(sum(sizes), s)
            b = float(np.dot(drawn, weights))
            bits.append(ways * b * math.log(b))
            columns.append(ways * sum(math.log1p(b / j) for j in range(1, r + 1)))
    of_mean = sum(math.log1p(s / j) for j in range(1, r + 1))
    return math.fsum(bits) - s * math.log(s), math.fsum(columns) - of_mean


@pytest.mark.parametrize("sizes", [[5, 3, 2], [90, 5, 5], [1000, 10, 1], [1, 1, 200]])
def test_excess_by_enumeration(sizes):
    """Weights from equal to a thousandfold, clusters from one object to all but one."""
    n, h = sum(sizes), np.array(sizes, dtype=float)
    weights = n / (len(h) * h)
    for s in {1, 2, min(7, n - 1), min(90, n - 1), n - 1}:
        excess = cluster_excess(float(s), float(n), h, weights, 2)
        assert excess == pytest.approx(enumerated_excess(s, sizes, weights, 2), abs=1e-12 * n)


def test_excess_of_large_clusters():
    """Of many objects, half the variance over the mean, and then the third moment."""
    h = np.array([7e11, 3e11, 1e10])
    n = h.sum()
    weights = n / (3 * h)
    s = 1e6
    shares = h / n
    variance = (n - s) / (n - 1) * float(shares @ (weights - 1) ** 2)
    third = float(shares @ (weights - 1) ** 3)
    assert cluster_excess(s, n, h, weights, 2).entropy == pytest.approx(
        variance / 2 - third / (6 * s) + variance**2 / (4 * s), rel=1e-9
    )


def test_one_object_against_all_others():
    """Two tables are possible: the object is of the small class, or of the large one."""
    large = 10**8
    tables = [cb.Contingency.from_counts([[1, 1], [0, large]]).balanced()]
    tables += [cb.Contingency.from_counts([[0, 2], [1, large - 1]]).balanced()]
    few, high = (table.mutual_information for table in tables)
    expected = (2 * few + large * high) / (large + 2)
    for table in tables:
        assert table.expected_information == pytest.approx(expected, rel=1e-2)
        assert cb.ami(table) == pytest.approx(cb.nmi(table), abs=1e-7)


def published_balanced_information(truth, pred):
    """Return the balanced AMI of Maan et al. (2024): chance is that of the cut table's margins."""
    counts = cb.Contingency(truth, pred).balanced().to_dense()
    return cb.ami(cb.Contingency.from_counts(np.floor(counts + 1e-9).astype(int)))


def test_the_published_chance_is_too_low():
    """Small classes tell by chance as few objects do, however much each weighs."""
    rng, truth = np.random.default_rng(0), np.repeat([0, 1, 2], [900, 50, 50])
    preds = [rng.integers(0, 3, 1000) for _ in range(150)]
    values = np.array([cb.ami(truth, pred, weights="balanced") for pred in preds])
    published = np.array([published_balanced_information(truth, pred) for pred in preds])
    error = values.std(ddof=1) / math.sqrt(len(values))
    assert abs(values.mean()) < 3 * error
    assert published.mean() > 5 * error
    assert 0.005 < (published - values).mean() < 0.02
    good = np.where(rng.random(1000) < 0.9, truth, preds[0])
    assert (
        abs(cb.ami(truth, good, weights="balanced") - published_balanced_information(truth, good))
        < 0.02
    )


def test_the_average_with_very_small_classes():
    """The figures of the docstring; the share of H(K) in what is divided by varies."""
    rng = np.random.default_rng(1)
    for sizes, average in (([90, 5, 5], -0.004), ([98, 1, 1], -0.02)):
        labels = np.repeat([0, 1, 2], sizes)
        tables = [
            cb.Contingency(rng.permutation(labels), labels, weights="balanced") for _ in range(600)
        ]
        values = [cb.ami(table) for table in tables]
        assert fmean(values) == pytest.approx(average, abs=3.5 * np.std(values) / math.sqrt(600))


def test_other_weights_are_refused():
    for table in (
        cb.Contingency([0, 0, 1, 1], [0, 1, 1, 1], weights=[0.5, 1, 1, 1]),
        cb.Contingency([0, 0, 1, 1], [0, 1, 1, 1], weights=[0.5, 1, 1, 1]).balanced(),
        cb.Contingency.expected([[0.5, 0.1], [0.1, 0.3]], n=10),
    ):
        with pytest.raises(MeasureError, match="weights='balanced', because it shuffles objects"):
            cb.ami(table)


def test_whole_weights_are_repeated_objects():
    truth, pred, weights = [0, 0, 1, 1, 2], [0, 1, 1, 1, 0], [3, 1, 2, 5, 4]
    for measure in cb.list_measures():
        of = cb.get_measure(measure["name"])
        if of.weights == "none":  # about objects: see test_weighted
            continue
        repeated = of(np.repeat(truth, weights), np.repeat(pred, weights))
        assert of(truth, pred, weights=weights) == repeated, of
