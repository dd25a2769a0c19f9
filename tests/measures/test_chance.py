"""Expectations under the permutation model: gains shared between tables."""

import numpy as np
import pytest

from clusterbits.measures import chance


def pairs_of_sizes(n, count, seed=0):
    a, b = np.random.default_rng(seed).integers(1, n + 1, (2, count)).astype(float)
    return np.minimum(a, b), np.maximum(a, b)


@pytest.mark.parametrize("n", [30, 2000, 10**6])
def test_gains_do_not_depend_on_their_company(n):
    a, b = pairs_of_sizes(n, 300)
    together = chance._sum_gains(a, b, float(n))
    alone = [chance._sum_gains(a[[i]], b[[i]], float(n))[0] for i in range(len(a))]
    assert together.tolist() == alone


def test_gains_looked_up_are_those_computed():
    n = 2000.0
    a, b = pairs_of_sizes(n, 300)
    fresh = chance._sum_gains(a, b, n)
    chance._expected_gains(a[:200], b[:200], n)
    found = chance._expected_gains(b, a, n)  # 200 of them known, and the larger size first
    assert found.tolist() == fresh.tolist()


def test_gains_kept_are_few(monkeypatch):
    monkeypatch.setattr(chance, "_KEPT", 10)
    chance._kept_gains.cache_clear()
    for seed in range(3):
        a, b = pairs_of_sizes(500, 20, seed)
        assert chance._expected_gains(a, b, 500.0) == pytest.approx(chance._sum_gains(a, b, 500.0))
    assert 10 <= len(chance._kept_gains(500.0)) <= 20


def test_resamples_share_gains(monkeypatch):
    summed = []
    sum_gains = chance._sum_gains
    monkeypatch.setattr(
        chance, "_sum_gains", lambda a, b, n: summed.append(len(a)) or sum_gains(a, b, n)
    )
    chance._kept_gains.cache_clear()
    a, b = np.array([200.0, 300.0]), np.array([100.0, 250.0, 150.0])
    for _ in range(3):
        chance._expected_gains(np.repeat(a, 3), np.tile(b, 2), 500.0)
    assert summed == [6]
