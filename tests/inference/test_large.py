"""Intervals, comparisons and permutation tests of large tables: few evaluations, no resamples."""

import math
from types import SimpleNamespace

import numpy as np
import pytest
from scipy import stats

import clusterbits as cb
from clusterbits.inference import permutation, resampling

SIDE = 200


def noisy_labels(n=200_000, classes=SIDE, right=0.5, seed=0):
    """Return classes and two clusterings, each right for a share of the objects."""
    rng = np.random.default_rng(seed)
    truth = rng.integers(0, classes, n)
    preds = [
        np.where(rng.random(n) < share, truth, rng.integers(0, classes, n))
        for share in (right, right + 0.01)
    ]
    return truth, *preds


TRUTH, PRED, OTHER = noisy_labels()
TABLE = cb.Contingency.from_labels(TRUTH, PRED)


def left_out(counts):
    """Return the objects of each unit in each group that is left out."""
    units = SimpleNamespace(counts=counts, threads=1, score=lambda fewer, _: fewer)
    return counts - resampling.leave_out_groups([units], [], 0, iter).T


def test_groups_are_random_and_of_one_size():
    kinds = np.array([1000, 1, 1, 30, 20_000, 3000, 7])
    groups = left_out(kinds)
    assert groups.shape == (24, 7)
    assert (groups >= 0).all()
    assert groups.sum(axis=0).tolist() == kinds.tolist()
    assert set(groups.sum(axis=1)) <= {kinds.sum() // 24, kinds.sum() // 24 + 1}
    # Counts of a random division vary as those of a contingency table with independent margins.
    large = groups[:, [0, 4, 5]]
    assert 0.001 < stats.chi2_contingency(large).pvalue < 0.999


@pytest.mark.parametrize(
    ("n", "sizes"), [(10, {1}), (24, {1}), (47, {1}), (48, {2}), (71, {2, 3}), (100, {4})]
)
def test_groups_of_few_objects_have_one_size(n, sizes):
    groups = left_out(np.ones(n, dtype=np.int64))
    assert groups.sum() == n
    assert set(groups.sum(axis=1)) <= sizes


def test_huge_counts_are_divided():
    kinds = np.array([2**60, 2**59, 3])
    groups = left_out(kinds)
    assert groups.sum(axis=0).tolist() == kinds.tolist()
    assert np.ptp(groups.sum(axis=1)) <= 1


@pytest.mark.parametrize("name", ["q0", "ari"])
def test_the_jackknife_agrees_with_the_bootstrap(name):
    few = [cb.interval(TABLE, measure=name, rng=seed) for seed in range(4)]
    assert {(found.method, found.n_resamples) for found in few} == {("jackknife", 2000)}
    objects, measure = resampling.ResamplingUnits.from_table(TABLE), cb.get_measure(name)
    drawn = resampling.bootstrap(objects, [measure], 100, 0, iter)[0]
    error = np.mean([found.standard_error for found in few])  # 15 % / √4
    assert error == pytest.approx(drawn.std(ddof=1), rel=0.3)
    bias = np.mean([found.bias for found in few])
    if name != "q0":  # whose model cost, which falls with n, is the same in all resamples
        assert bias == pytest.approx(drawn.mean() - few[0].value, rel=0.3, abs=error)
    for found in few:
        assert found.low < found.value < found.high
        # Student's t with 23 degrees of freedom.
        assert found.high - found.low == pytest.approx(4.14 * found.standard_error, rel=0.15)


@pytest.mark.parametrize(("wrong", "most"), [(1, 4.67), (3, 8.01), (10, 17.74)])
def test_few_wrong_objects_of_many_have_the_limits_of_a_poisson_count(wrong, most):
    truth = np.arange(120_000) // 5
    pred = truth.copy()
    pred[np.arange(wrong) * 1000] += 7
    found = [cb.interval(truth, pred, measure="purity", rng=seed) for seed in range(6)]
    assert {each.method for each in found} == {"jackknife"}
    limit = 120_000 * (1 - np.mean([each.low for each in found]))
    assert limit == pytest.approx(most, rel=0.2)  # Jeffreys' upper limit
    perfect = cb.interval(truth, truth, measure="ari")
    assert (perfect.value, perfect.high) == (1, 1)
    # A mistake breaks four pairs of 240,000 and makes five: -8.5 / 480,000.
    assert 1 - perfect.low == pytest.approx(3.69 * 4.5 / 240_000, rel=0.05)


def test_comparisons(monkeypatch):
    """Without random groups of objects, and without each object."""
    found = cb.compare(TRUTH, PRED, OTHER, measure="q2")
    assert (found.method, found.degrees_of_freedom) == ("grouped jackknife", 23)
    runs = {"a": PRED, "b": OTHER, "b again": SIDE - OTHER}
    assert cb.compare(TRUTH, runs, measure="q2").best == ("b", "b again")
    monkeypatch.setattr("clusterbits.inference.score_errors._MAX_COUNTS", 1 << 40)
    few = np.random.default_rng(0).choice(len(TRUTH), 6_000, replace=False)
    exact = cb.compare(TRUTH[few], PRED[few], OTHER[few], measure="q2")
    assert (exact.method, exact.degrees_of_freedom) == ("jackknife", 5_999)
    monkeypatch.setattr("clusterbits.inference.score_errors._MAX_COUNTS", 1)
    by_groups = cb.compare(TRUTH[few], PRED[few], OTHER[few], measure="q2")
    exact, by_groups = exact.difference("b", "a"), by_groups.difference("b", "a")
    assert exact.value == by_groups.value
    assert exact.high - exact.low == pytest.approx(by_groups.high - by_groups.low, rel=0.5)


def test_whole_groups_are_left_out():
    rng = np.random.default_rng(1)
    patients = rng.integers(0, 40, len(TRUTH))
    # All objects of a patient are right or wrong together.
    pred = np.where(rng.random(40)[patients] < 0.5, PRED, rng.permutation(PRED))
    plain = cb.interval(TRUTH, pred, measure="ari")
    found = cb.interval(TRUTH, pred, measure="ari", groups=patients)
    drawn = cb.interval(TRUTH, pred, measure="ari", groups=patients, n_resamples=40)
    assert found.method == "jackknife"
    assert found.standard_error == pytest.approx(drawn.standard_error, rel=0.5)
    assert found.standard_error > 5 * plain.standard_error


@pytest.mark.parametrize("patients", [2, 3])
def test_few_patients(patients):
    """Their Student's t has one or two degrees of freedom, and maybe no standard deviation."""
    of = np.arange(len(TRUTH)) % patients
    found = [cb.interval(TRUTH, PRED, measure="ari", groups=of, rng=seed) for seed in range(6)]
    assert {each.method for each in found} == {"jackknife"}
    # Each patient is a group, whatever the seed: so is the jackknife's standard error.
    kinds = [cb.ari(TRUTH[of != one], PRED[of != one]) for one in range(patients)]
    error = math.sqrt((patients - 1) * np.var(kinds))
    assert [each.standard_error for each in found] == pytest.approx([error] * 6)
    quantile = stats.t.ppf(0.975, patients - 1)
    for each in found:
        below, above = each.value - each.low, each.high - each.value
        assert 0.5 * quantile * error < below < 2.5 * quantile * error
        assert 0.5 * quantile * error < above < 2.5 * quantile * error
    compared = [
        cb.compare(TRUTH, PRED, OTHER, measure="ari", groups=of, rng=seed) for seed in range(6)
    ]
    both = [each.difference("b", "a") for each in compared]
    assert all(each.low < each.value < each.high for each in both)
    widths = [each.high - each.low for each in both]
    assert max(widths) < 2 * min(widths)


def test_balanced_tables_are_balanced_anew():
    rng = np.random.default_rng(0)
    truth = (SIDE * rng.random(200_000) ** 1.5).astype(int)
    pred = np.where(rng.random(200_000) < 0.5, truth, rng.permutation(truth))
    found = cb.interval(truth, pred, measure="ari", weights="balanced")
    drawn = cb.interval(truth, pred, measure="ari", weights="balanced", n_resamples=30)
    assert found.method == "jackknife"
    assert found.standard_error == pytest.approx(drawn.standard_error, rel=0.5)


def test_scores_say_which_intervals_are_by_the_jackknife():
    whole = [0] * len(TRUTH)
    runs = {"one": cb.Contingency.from_labels(TRUTH, whole), "noisy": TABLE}
    scores = cb.evaluate(runs, measures=["ari"], confidence_level=0.9)
    expected = {
        name: cb.interval(table, measure="ari", confidence_level=0.9).method
        for name, table in runs.items()
    }
    assert scores.methods == expected == {"one": "centred", "noisy": "jackknife"}
    assert scores.title.endswith("\n90 % intervals, jackknife for 1 of 2 clusterings")
    assert scores.sorted_by("ari").methods == expected
    assert cb.evaluate(TABLE, measures="ari", confidence_level=0.9).title.endswith(", jackknife")
    assert not cb.evaluate(TABLE, measures="ari").methods


def test_the_jackknife_of_small_tables():
    table = cb.Contingency.from_counts([[30, 5], [10, 55]])
    found, centred = (
        cb.interval(table, measure="ari", method=how) for how in ("jackknife", "centred")
    )
    assert found.method == "jackknife"
    assert found.standard_error == pytest.approx(centred.standard_error, rel=0.4)
    assert cb.interval(table, measure="ari", method="jackknife", n_resamples=50).n_resamples == 50
    for counts in ([[1]], [[1, 1]], [[1], [1]]):
        point = cb.interval(cb.Contingency.from_counts(counts), measure="q0", method="jackknife")
        assert point.low <= point.value <= point.high


def test_cores_and_seeds(monkeypatch):
    monkeypatch.setattr(permutation, "_MAX_STEPS", 20 * SIDE * SIDE)
    results = []
    for cores in (1, 3):
        monkeypatch.setattr("os.cpu_count", lambda cores=cores: cores)
        results.append(
            (
                cb.interval(TABLE, measure="q0", rng=4),
                cb.permutation_test(TABLE, measure="q0", rng=4),
            )
        )
    assert results[0] == results[1]
    assert cb.interval(TABLE, measure="q0", rng=5) != results[0][0]
    with pytest.raises(cb.errors.ClusterbitsError, match="rng must be"):
        cb.interval(TABLE, measure="q0", rng=-1)


@pytest.mark.parametrize("cells", [20_000, 20_001])
def test_large_means_more_than_20_000_cells(cells, monkeypatch):
    monkeypatch.setattr("clusterbits.inference.resampling.RESAMPLES", 3)
    counts = np.zeros(200 * 101, dtype=int)
    counts[:cells] = 3
    table = cb.Contingency.from_counts(counts.reshape(200, 101))
    assert len(table.counts) == cells
    method = "centred" if cells == 20_000 else "jackknife"
    assert cb.interval(table, measure="ari").method == method


# --- permutation tests ----------------------------------------------------------------------------


def test_permutation_test_of_a_large_table(monkeypatch):
    monkeypatch.setattr(permutation, "_MAX_STEPS", 50 * SIDE * SIDE)
    found = cb.permutation_test(TABLE, measure="ari")
    assert (found.n_resamples, found.p_value) == (50, 1 / 51)
    rng = np.random.default_rng(0)
    random = cb.permutation_test(TRUTH, rng.permutation(PRED), measure="ari")
    assert random.p_value > 0.01
    one = cb.permutation_test(TRUTH, np.zeros_like(TRUTH), measure="ari", n_resamples=9)
    assert (one.p_value, one.null_sd) == (1, 0)
