"""Intervals, comparisons and permutation tests of large tables: few evaluations, no resamples."""

import math

import numpy as np
import pytest
from scipy import optimize, stats
from support.samples import labels_of

import clusterbits as cb
from clusterbits.inference import intervals, jackknife, permutation, resampling

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


def left_out(kinds, seed=0):
    """Return the objects of each kind in each group that is left out."""
    found = []
    view = resampling.View(cb.Contingency.from_counts(kinds[None]))
    record = lambda table: found.append(dict(zip(table.clusters, table.counts.tolist()))) or 0.0  # noqa: B905, E731
    jackknife.leave_out_groups(kinds, [view], [record], seed, iter)
    return np.array([[kinds[i] - some.get(i, 0) for i in range(len(kinds))] for some in found])


@pytest.mark.parametrize("seed", range(3))
def test_groups_are_random_and_of_one_size(seed):
    kinds = np.array([1000, 1, 1, 30, 20_000, 3000, 7])
    groups = left_out(kinds, seed)
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


@pytest.mark.parametrize("name", ["q0", "ari", "mutual_information", "purity", "accuracy"])
def test_the_jackknife_agrees_with_the_bootstrap(name):
    few = [cb.interval(TABLE, name, seed=seed) for seed in range(4)]
    assert {(found.method, found.resamples) for found in few} == {("jackknife", 0)}
    view, score = resampling.View(TABLE), cb.measures.catalogue.find(name).of
    drawn = resampling.bootstrap(TABLE.counts, [view], [score], 100, 0, iter)[0, :, 0]
    error = np.mean([found.standard_error for found in few])  # 15 % / √4
    assert error == pytest.approx(drawn.std(ddof=1), rel=0.3)
    bias = np.mean([found.bias for found in few])
    if name != "q0":  # whose model cost, which falls with n, is the same in all resamples
        assert bias == pytest.approx(drawn.mean() - few[0].value, rel=0.3, abs=error)
    for found in few:
        assert found.low < found.value < found.high
        assert found.high - found.low == pytest.approx(4.2 * found.standard_error, rel=0.2)


@pytest.mark.parametrize(("wrong", "most"), [(1, 4.67), (3, 8.01), (10, 17.74)])
def test_few_wrong_objects_have_the_limits_of_a_poisson_count(wrong, most):
    truth = np.arange(120_000) // 5
    pred = truth.copy()
    pred[np.arange(wrong) * 1000] += 7
    found = [cb.interval(truth, pred, "purity", seed=seed) for seed in range(6)]
    assert {each.method for each in found} == {"jackknife"}
    limit = 120_000 * (1 - np.mean([each.low for each in found]))
    assert limit == pytest.approx(most, rel=0.2)  # Jeffreys' upper limit
    perfect = cb.interval(truth, truth, "ari")
    assert (perfect.low, perfect.value, perfect.high) == (1, 1, 1)


def test_comparisons():
    found = cb.compare(TRUTH, PRED, OTHER, "q2")
    assert (found.resamples, found.better) == (0, "b")
    assert "resamples of groups (jackknife)" in repr(found)
    drawn = cb.compare(TRUTH, PRED, OTHER, "q2", resamples=40)
    assert drawn.resamples == 40
    width = drawn.high - drawn.low
    assert found.difference == drawn.difference
    assert [found.low, found.high] == pytest.approx([drawn.low, drawn.high], abs=0.4 * width)
    runs = {"a": PRED, "b": OTHER, "b again": SIDE - OTHER}
    ranking = cb.compare(TRUTH, runs, measure="q2")
    assert (ranking.resamples, ranking.indistinguishable) == (0, ("b", "b again"))
    same = cb.compare(TRUTH, OTHER, SIDE - OTHER, "v_measure")
    assert (same.low, same.high, same.probability) == (0, 0, 0.5)


def test_whole_groups_are_left_out():
    rng = np.random.default_rng(1)
    patients = rng.integers(0, 40, len(TRUTH))
    # All objects of a patient are right or wrong together.
    pred = np.where(rng.random(40)[patients] < 0.5, PRED, rng.permutation(PRED))
    plain = cb.interval(TRUTH, pred, "ari")
    found = cb.interval(TRUTH, pred, "ari", groups=patients)
    drawn = cb.interval(TRUTH, pred, "ari", groups=patients, resamples=40)
    assert found.method == "jackknife"
    assert found.standard_error == pytest.approx(drawn.standard_error, rel=0.5)
    assert found.standard_error > 5 * plain.standard_error


def test_balanced_tables_are_balanced_anew():
    rng = np.random.default_rng(0)
    truth = (SIDE * rng.random(200_000) ** 1.5).astype(int)
    pred = np.where(rng.random(200_000) < 0.5, truth, rng.permutation(truth))
    found = cb.interval(truth, pred, "ari", weights="balanced")
    drawn = cb.interval(truth, pred, "ari", weights="balanced", resamples=30)
    assert found.method == "jackknife"
    assert found.standard_error == pytest.approx(drawn.standard_error, rel=0.5)


def test_resamples_are_drawn_where_they_are_asked_for(monkeypatch):
    assert cb.interval(TABLE, "ari", resamples=5).resamples == 5
    monkeypatch.setattr(intervals, "RESAMPLES", 7)
    found = cb.interval(TABLE, "ari", method="percentile")
    assert (found.method, found.resamples) == ("percentile", 7)


def test_cores_and_seeds(monkeypatch):
    results = []
    for cores in (1, 3):
        monkeypatch.setattr("os.cpu_count", lambda cores=cores: cores)
        results.append((cb.interval(TABLE, "q0", seed=4), cb.permutation_test(TABLE, "q0", seed=4)))
    assert results[0] == results[1]
    assert cb.interval(TABLE, "q0", seed=5) != results[0][0]
    with pytest.raises(cb.errors.ClusterbitsError, match="seed=-1"):
        cb.interval(TABLE, "q0", seed=-1)


@pytest.mark.parametrize("cells", [20_000, 20_001])
def test_large_means_more_than_20_000_cells(cells, monkeypatch):
    monkeypatch.setattr("clusterbits.inference.replicates.RESAMPLES", 3)
    counts = np.zeros(200 * 101, dtype=int)
    counts[:cells] = 3
    table = cb.Contingency.from_counts(counts.reshape(200, 101))
    assert len(table.counts) == cells
    assert cb.interval(table, "ari").resamples == (3 if cells == 20_000 else 0)
    groups = np.arange(table.n) % 30
    truth, pred = labels_of(table)
    found = cb.compare(truth, pred, pred, "ari", groups=groups)
    assert found.resamples == (3 if cells == 20_000 else 0)


# --- measures share their resamples ---------------------------------------------------------------


def test_measures_share_resamples(monkeypatch):
    table = cb.Contingency.from_counts([[30, 5, 2], [10, 55, 0], [1, 4, 20]])
    names = ["q0", "q2_adjusted", "ami", "ari", "accuracy"]
    alone = [cb.interval(table, name, seed=3) for name in names]
    drawn = []
    resample = resampling.View.resample
    monkeypatch.setattr(
        resampling.View, "resample", lambda *given: drawn.append(1) or resample(*given)
    )
    rows = cb.evaluate(table, measures=names, interval=0.95, seed=3).rows
    assert [row[1:] for row in rows] == [(a.measure, a.value, a.low, a.high) for a in alone]
    assert len(drawn) == 2000 + len(table.counts)


# --- permutation tests ----------------------------------------------------------------------------


def test_permutation_test_of_a_large_table():
    found = cb.permutation_test(TABLE, "q0")
    steps = SIDE * SIDE
    assert found.resamples == 16_000_000 // steps
    assert found.extrapolated
    assert found.p_value == pytest.approx(1 / 2000, rel=1e-6)
    assert found.p_low < found.p_value < found.p_high < 0.002
    assert f"extrapolated from {found.resamples} random tables" in found.title
    asked = cb.permutation_test(TABLE, "q0", resamples=20)
    assert (asked.p_value, asked.extrapolated) == (1 / 21, False)
    rng = np.random.default_rng(0)
    random = cb.permutation_test(TRUTH, rng.permutation(PRED), "ari")
    assert random.p_value > 0.01
    one = cb.permutation_test(TRUTH, np.zeros_like(TRUTH), "ari")
    assert (one.p_value, one.z, one.extrapolated) == (1, 0, False)


@pytest.mark.parametrize("degrees", [1, 4, 1000])
@pytest.mark.parametrize("resamples", [9, 16, 50])
def test_extrapolated_p_values_are_valid(degrees, resamples):
    """Of χ² values, among them the most skewed ones that tables of many objects have."""
    rng = np.random.default_rng(0)
    drawn = rng.chisquare(degrees, (40_000, resamples + 1))
    value, drawn = drawn[:, 0], drawn[:, 1:]
    z = (value - drawn.mean(axis=1)) / drawn.std(axis=1, ddof=1)
    z[value <= drawn.max(axis=1)] = 0
    for level in (0.01, 0.002):
        least = optimize.brentq(
            lambda z, level=level: permutation._extrapolate(z, resamples, 0.95)[0] - level, 0.1, 1e3
        )
        assert np.mean(z >= least) < 1.7 * level


@pytest.mark.parametrize("name", ["q0", "ari"])
def test_p_values_from_few_random_tables_are_valid(name, monkeypatch):
    """Of two large classes and clusters of one size: values are nearly χ² with one degree."""
    for limit, value in (("_MANY_STEPS", 0), ("_MOST_STEPS", 1), ("_FEWEST", 16)):
        monkeypatch.setattr(permutation, limit, value)
    rng = np.random.default_rng(0)
    truth = np.concatenate([np.zeros(300), np.ones(300), np.arange(2, 30)])
    p_values = np.array(
        [
            cb.permutation_test(truth, rng.permutation(truth), name, seed=seed).p_value
            for seed in range(400)
        ]
    )
    assert p_values.min() < 1 / 17  # some are extrapolated
    for level in (0.05, 0.01):
        most = level + 3 * math.sqrt(level * (1 - level) / 400)
        assert np.mean(p_values <= level) <= most


def test_extrapolation_joins_the_counted_p_values():
    for resamples in (9, 100, 1000):
        p_values, lows, highs = zip(
            *(permutation._extrapolate(z, resamples, 0.95) for z in (0.1, 1, 3, 10, 30, 1e6)),
            strict=True,
        )
        assert p_values[0] == 1 / (1 + resamples)
        assert list(p_values) == sorted(p_values, reverse=True)
        assert p_values[-1] == pytest.approx(1 / 2000)
        assert all(low <= p <= high for low, p, high in zip(lows, p_values, highs, strict=True))
        assert highs[0] == pytest.approx(stats.beta.ppf(0.975, 1, resamples))


def test_p_values_of_small_tables_are_counted():
    table = cb.Contingency.from_counts(np.full((100, 100), 1) + 30 * np.eye(100, dtype=int))
    found = cb.permutation_test(table, "ari", resamples=None)
    assert (found.resamples, found.p_value, found.extrapolated) == (1999, 1 / 2000, False)
    assert math.isclose(found.p_high, stats.beta.ppf(0.975, 1, 1999))
