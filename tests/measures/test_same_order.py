"""Measures that declare the same ranking have it, and no others do, on random clusterings."""

from itertools import combinations

import numpy as np
import pytest

import clusterbits as cb
from clusterbits.measures.catalogue import catalogue

MEASURES = [measure for measure in catalogue() if measure.better]
# Sizes of the classes, which all clusterings are compared with: two objects share a class.
TRUTHS = ([4, 3, 2], [5, 1, 1], [4, 4, 3, 1])
CLUSTERINGS = 40
# Reduced mutual information is a minimum that is found to about this precision.
ROUNDING = 1e-6


def random_clusterings(sizes):
    """Return tables of the same objects: random clusters, and classes with random errors."""
    rng = np.random.default_rng(len(sizes))
    truth = np.repeat(np.arange(len(sizes)), sizes)
    n = len(truth)
    kept = rng.uniform(-1, 1, CLUSTERINGS)
    return [
        cb.Contingency.from_labels(
            truth, np.where(rng.random(n) < share, truth + n, rng.integers(0, k, n))
        )
        for share, k in zip(kept, rng.integers(1, n + 1, CLUSTERINGS), strict=True)
    ]


def order_of(measure, tables):
    """Return, for each pair of tables, 1 if the first is better, -1 if the second is, 0 if tied."""
    values = measure.scale.sign() * np.array([measure.score_table(table) for table in tables])
    differences = np.subtract.outer(values, values)
    return np.sign(np.where(abs(differences) < ROUNDING, 0, differences))


@pytest.fixture(scope="module")
def orders():
    """Return the order that each measure gives the clusterings of each truth."""
    stacks = [random_clusterings(sizes) for sizes in TRUTHS]
    return {
        measure.name: np.array([order_of(measure, tables) for tables in stacks])
        for measure in MEASURES
    }


@pytest.mark.slow
def test_declared_are_those_that_never_order_two_clusterings_differently(orders):
    declared = {
        (measure.name, other.name)
        for measure, other in combinations(MEASURES, 2)
        if measure.orders_like == other.orders_like
    }
    alike = {
        pair for pair in combinations(orders, 2) if np.array_equal(orders[pair[0]], orders[pair[1]])
    }
    assert len(TRUTHS) * CLUSTERINGS * (CLUSTERINGS - 1) // 2 > 2000
    assert declared - alike == set()
    assert alike - declared == set()


def test_a_ranking_is_named_after_a_measure_that_has_it():
    for measure in catalogue():
        first = cb.get_measure(measure.orders_like)
        assert first.name == first.orders_like == measure.orders_like
    assert cb.v_measure.using(beta=2).orders_like == "v_measure(beta=2)"
