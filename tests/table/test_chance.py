"""Expectations under the permutation model: sums over few nodes of many sizes."""

import math

import numpy as np
import pytest

import clusterbits as cb
from clusterbits.table import expected_information


def pairs_of_sizes(n, count, seed=0):
    a, b = np.random.default_rng(seed).integers(1, n + 1, (2, count)).astype(float)
    return np.minimum(a, b), np.maximum(a, b)


@pytest.mark.parametrize("n", [30, 2000, 10**6])
def test_gains_do_not_depend_on_their_company(n):
    a, b = pairs_of_sizes(n, 300)
    together = expected_information._gains(a, b, float(n))
    alone = [expected_information._gains(a[[i]], b[[i]], float(n))[0] for i in range(len(a))]
    assert together.tolist() == alone


@pytest.fixture
def summed(monkeypatch):
    """Return a list of how many gains are summed, call by call."""
    numbers = []
    gains = expected_information._gains
    monkeypatch.setattr(
        expected_information, "_gains", lambda a, b, n: numbers.append(len(a)) or gains(a, b, n)
    )
    return numbers


SPREADS = {
    "every size": (np.arange(1, 600.0), np.arange(200, 700.0)),
    "few objects per pair": (np.arange(256, 512.0), np.arange(300, 500.0)),
    "Zipf": (np.unique(1e7 // np.arange(1, 300) ** 1.2), np.unique(3e6 // np.arange(1, 300))),
    "up to n": (np.arange(280, 601.0), np.arange(300, 601.0)),
    "beyond 2^53": (2.0**80 + 2.0**70 * np.arange(60), np.arange(400, 500.0) * 2.0**75),
}


def total_of_gains(a, b, weights_a, weights_b, n):
    rows = [
        (expected_information._gains(np.minimum(s, b), np.maximum(s, b), n) * weights_b).sum()
        * weight
        for s, weight in zip(a, weights_a, strict=True)
    ]
    return math.fsum(rows)


@pytest.mark.parametrize("spread", SPREADS)
def test_nodes_give_the_sum_over_all_sizes(spread):
    a, b = SPREADS[spread]
    n = 600.0 if spread == "up to n" else max(a.sum(), b.sum())
    rng = np.random.default_rng(0)
    weights = [rng.integers(1, 9, len(sizes)).astype(float) for sizes in (a, b)]
    (nodes_a, on_a), (nodes_b, on_b) = map(expected_information.few_nodes, (a, b), weights, (n, n))
    assert len(nodes_a) * len(nodes_b) < len(a) * len(b) / 2
    total = total_of_gains(nodes_a, nodes_b, on_a, on_b, n)
    assert total == pytest.approx(total_of_gains(a, b, *weights, n), rel=2e-14)


def test_thousands_of_distinct_sizes_need_few_gains(summed):
    expected_information._expectation.cache_clear()
    sizes = np.arange(1, 1500)
    truth, pred = (np.repeat(sizes, order) for order in (sizes, sizes[::-1]))
    assert cb.expected_mutual_information(truth, pred) == cb.expected_mutual_information(
        pred, truth
    )
    assert sum(summed) < 400**2
