"""Permutation tests."""

import math

import numpy as np
import pytest
from scipy import stats
from support.samples import labels_of

import clusterbits as cb
from clusterbits.errors import CostError, MeasureError
from clusterbits.text.tables import chance_bound

TABLE = cb.Contingency.from_counts([[30, 5, 2], [10, 55, 0], [1, 4, 20]])


def test_p_values_are_uniform_under_the_null():
    rng = np.random.default_rng(0)
    p_values = []
    for seed in range(300):
        table = cb.Contingency.from_labels(rng.integers(0, 4, 300), rng.integers(0, 5, 300))
        p_values.append(cb.permutation_test(table, measure="ari", n_resamples=59, rng=seed).p_value)
    # A p-value is one of 60 steps; a random point of its step is uniform, if the test is right.
    points = np.array(p_values) - rng.random(300) / 60
    assert stats.kstest(points, "uniform").pvalue > 0.01
    assert np.mean(np.array(p_values) <= 0.05) <= 0.05 + 3 * math.sqrt(0.05 * 0.95 / 300)


def test_permutation_agrees_with_the_exact_moments():
    table = cb.Contingency.from_counts([[6, 3, 1], [2, 7, 4], [1, 2, 5]])
    test = cb.permutation_test(table, measure="mutual_information", rng=0, n_resamples=4000)
    expected = cb.expected_mutual_information(table)
    assert test.null_mean == pytest.approx(expected, abs=4 * test.null_sd / math.sqrt(4000))
    deviations = (test.value - test.null_mean) / test.null_sd
    assert deviations == pytest.approx(cb.standardized_mutual_information(table), rel=0.06)


def test_shuffled_objects_agree_with_the_exact_moments():
    truth, pred = labels_of(cb.Contingency.from_counts([[6, 3, 1, 1], [2, 7, 4, 0], [1, 2, 5, 0]]))
    # Clusters of one object make the full table larger than n.
    table = cb.Contingency.from_labels([*truth, *range(10, 30)], [*pred, *range(10, 30)])
    assert table.shape[0] * table.shape[1] > table.n
    test = cb.permutation_test(table, measure="mutual_information", rng=0, n_resamples=2000)
    expected = cb.expected_mutual_information(table)
    assert test.null_mean == pytest.approx(expected, abs=4 * test.null_sd / math.sqrt(2000))


def test_direction_of_the_test():
    bad = cb.Contingency.from_counts([[10, 10], [10, 10]])  # less related than chance makes them
    for name in ("q0", "ari", "hamming_similarity"):
        test = cb.permutation_test(bad, measure=name, rng=0, n_resamples=200)
        assert test.p_value == 1
    for name in ("q0", "ari"):
        test = cb.permutation_test(TABLE, measure=name, rng=0, n_resamples=200)
        assert test.p_value == 1 / 201


@pytest.mark.parametrize(
    ("counts", "least", "most"),
    [
        ([[30, 5], [10, 55]], 0, 0),
        ([[10, 12], [12, 10]], 80, 170),
        ([[10, 10], [10, 10]], 200, 200),
    ],
)
def test_the_p_value_counts_the_tables_that_do_as_well(counts, least, most):
    table = cb.Contingency.from_counts(counts)
    test = cb.permutation_test(table, measure="ari", rng=0, n_resamples=200)
    assert least <= round(test.p_value * 201) - 1 <= most


def test_large_sparse_tables_are_never_made_full(monkeypatch):
    monkeypatch.setattr("scipy.stats.random_table", None)
    rng = np.random.default_rng(0)
    n = 3000
    table = cb.Contingency.from_labels(rng.permutation(n), rng.integers(0, n, n) * 10**6)
    assert (
        cb.permutation_test(table, measure="purity", n_resamples=20).p_value == 1
    )  # all score the same


def test_a_measure_without_direction_is_refused():
    with pytest.raises(MeasureError, match="has no direction"):
        cb.permutation_test(TABLE, measure="emi")


def test_a_random_table_that_no_memory_holds_is_refused(monkeypatch):
    monkeypatch.setattr("clusterbits.system.limits._machine_memory", lambda: 1000)
    with pytest.raises(CostError, match=r"400 cells or objects would take about .* of memory"):
        cb.permutation_test(
            cb.Contingency.from_counts(np.full((20, 20), 1)), measure="q0", n_resamples=2
        )


def test_one_chance_match_among_many_records_is_not_praised():
    """Two records of each person, clusters of two and five huge ones: p is 0.095 with one match.

    Precision has smooth noise from the huge clusters, and rare jumps from the small ones. With a
    million people a match by chance is hundreds of standard deviations away, and as frequent.
    """
    people = np.repeat(np.arange(1000), 2)
    clusters = np.concatenate([np.repeat(np.arange(200), 2), 200 + np.arange(1600) % 5])
    rng = np.random.default_rng(0)
    found = []
    while len(found) < 6:
        shuffled = rng.permutation(people)
        if (shuffled[:400:2] == shuffled[1:400:2]).sum() == 1:
            table = cb.Contingency(shuffled, clusters)
            found.append(cb.permutation_test(table, measure="bcubed_precision", n_resamples=199))
    assert max(abs(one.value - one.null_mean) / one.null_sd for one in found) > 1.5
    assert min(one.p_value for one in found) >= 1 / 200
    assert np.mean([one.p_value for one in found]) == pytest.approx(0.095, abs=0.04)
    assert all(one.evidence < 0 for one in found)
    assert "no bits of evidence against random clusters" in repr(found[0])


def test_p_and_evidence_stand_side_by_side():
    table = cb.Contingency.from_counts([[900, 100], [100, 900]])
    found = cb.permutation_test(table, measure="ari", n_resamples=99)
    assert found.p_value == 1 / 100
    assert found.evidence == cb.evidence(table) > 900
    assert "by 99 random tables" in repr(found)
    assert f"with probability at most {chance_bound(found.evidence)}" in repr(found)
    # In small tables p sees more.
    small = cb.permutation_test(cb.Contingency.from_counts([[12, 3], [3, 12]]), measure="q0")
    assert small.p_value < 0.01
    assert small.evidence < 0
