"""Intervals, comparisons and permutation tests of large tables: few evaluations, no resamples."""

import math

import numpy as np
import pytest
from scipy import optimize, special, stats
from support.samples import labels_of

import clusterbits as cb
from clusterbits.inference import jackknife, permutation, resampling

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

    def record(tables):
        some = list(tables)
        found.extend(
            dict(zip(table.clusters, table.counts.tolist(), strict=True)) for table in some
        )
        return np.zeros(len(some))

    jackknife.leave_out_groups(kinds, [view], [record], seed, iter)
    return np.array([[kinds[i] - some.get(i, 0) for i in range(len(kinds))] for some in found])


@pytest.mark.parametrize("seed", range(1))
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
    few = [cb.interval(TABLE, measure=name, rng=seed) for seed in range(4)]
    assert {(found.method, found.n_resamples) for found in few} == {("jackknife", 2000)}
    view, score = resampling.View(TABLE), cb.measures.catalogue.find(name).of
    drawn = resampling.bootstrap(TABLE.counts, [view], [score], 100, 0, iter)[0, :, 0]
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
def test_few_wrong_objects_have_the_limits_of_a_poisson_count(wrong, most):
    truth = np.arange(120_000) // 5
    pred = truth.copy()
    pred[np.arange(wrong) * 1000] += 7
    found = [cb.interval(truth, pred, measure="purity", rng=seed) for seed in range(6)]
    assert {each.method for each in found} == {"jackknife"}
    limit = 120_000 * (1 - np.mean([each.low for each in found]))
    assert limit == pytest.approx(most, rel=0.2)  # Jeffreys' upper limit
    perfect = cb.interval(truth, truth, measure="ari")
    assert (perfect.low, perfect.value, perfect.high) == (1, 1, 1)


def test_comparisons():
    found = cb.compare(TRUTH, PRED, OTHER, measure="q2")
    assert (found.method, found.n_resamples, found.best) == ("jackknife", 2000, ("b",))
    drawn = cb.compare(TRUTH, PRED, OTHER, measure="q2", n_resamples=40)
    assert (drawn.method, drawn.n_resamples) == ("centred", 40)
    found, drawn = found.difference("b", "a"), drawn.difference("b", "a")
    width = drawn.high - drawn.low
    assert found.value == drawn.value
    assert [found.low, found.high] == pytest.approx([drawn.low, drawn.high], abs=0.4 * width)
    runs = {"a": PRED, "b": OTHER, "b again": SIDE - OTHER}
    ranking = cb.compare(TRUTH, runs, measure="q2")
    assert (ranking.method, ranking.n_resamples) == ("jackknife", 2000)
    assert ranking.best == ("b", "b again")
    assert ranking.title == "q2, 95 %, jackknife: 2 of 3 may be the best"
    same = cb.compare(TRUTH, OTHER, SIDE - OTHER, measure="v_measure")
    assert same.difference("b", "a") == (0, 0, 0)
    assert same["b"].probability == 0.5


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
    monkeypatch.setattr(permutation, "_MOST_STEPS", 20 * SIDE * SIDE)
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
    with pytest.raises(cb.errors.ClusterbitsError, match="rng=-1"):
        cb.interval(TABLE, measure="q0", rng=-1)


@pytest.mark.parametrize("cells", [20_000, 20_001])
def test_large_means_more_than_20_000_cells(cells, monkeypatch):
    monkeypatch.setattr("clusterbits.inference.replicates.RESAMPLES", 3)
    counts = np.zeros(200 * 101, dtype=int)
    counts[:cells] = 3
    table = cb.Contingency.from_counts(counts.reshape(200, 101))
    assert len(table.counts) == cells
    method = "centred" if cells == 20_000 else "jackknife"
    assert cb.interval(table, measure="ari").method == method
    groups = np.arange(table.n) % 30
    truth, pred = labels_of(table)
    found = cb.compare(truth, pred, pred, measure="ari", groups=groups)
    assert found.method == method


# --- permutation tests ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("steps", "resamples"), [(20_000, 1999), (20_001, 799), (10**6, 16), (10**9, 9)]
)
def test_fewer_random_tables_of_large_ones(steps, resamples):
    assert permutation._choose_resamples(steps) == resamples


def test_permutation_test_of_a_large_table(monkeypatch):
    monkeypatch.setattr(permutation, "_MOST_STEPS", 20 * SIDE * SIDE)
    found = cb.permutation_test(TABLE, measure="q0")
    assert found.n_resamples == 20
    assert found.extrapolated
    assert found.p_value == pytest.approx(1 / 2000, rel=1e-6)
    assert found.p_low < found.p_value < found.p_high < 0.002
    assert f"extrapolated from {found.n_resamples} random tables" in found.title
    asked = cb.permutation_test(TABLE, measure="q0", n_resamples=20)
    assert (asked.p_value, asked.extrapolated) == (1 / 21, False)
    rng = np.random.default_rng(0)
    random = cb.permutation_test(TRUTH, rng.permutation(PRED), measure="ari")
    assert random.p_value > 0.01
    one = cb.permutation_test(TRUTH, np.zeros_like(TRUTH), measure="ari")
    assert (one.p_value, one.z, one.extrapolated) == (1, 0, False)


NULLS = {
    "chi-squared, 1": lambda rng, size: rng.chisquare(1, size),
    "chi-squared, 4": lambda rng, size: rng.chisquare(4, size),
    "normal": lambda rng, size: rng.standard_normal(size),
    # Pairs in the one cell that has any, of about so many objects.
    "pairs of Poisson(1) objects": lambda rng, size: special.binom(rng.poisson(1, size), 2),
    "pairs of Poisson(0.5) objects": lambda rng, size: special.binom(rng.poisson(0.5, size), 2),
    "pairs of Poisson(0.2) objects": lambda rng, size: special.binom(rng.poisson(0.2, size), 2),
}


@pytest.mark.parametrize("null", NULLS)
@pytest.mark.parametrize("resamples", [16])
def test_extrapolated_p_values_are_about_right(null, resamples):
    """Of unrelated labels, p ≤ 0.01 in less than 1.2 % of tests, p ≤ 0.001 in less than 0.1 %."""
    drawn = NULLS[null](np.random.default_rng(0), (100_000, resamples + 1))
    value, drawn = drawn[:, 0], drawn[:, 1:]
    spread = drawn.std(axis=1, ddof=1)
    alone = (value > drawn.max(axis=1)) & (spread > 0)
    z = (value - drawn.mean(axis=1))[alone] / spread[alone]
    tied = np.array([permutation.are_tied(some) for some in drawn[alone]])
    for level, most in ((0.01, 0.012), (0.001, 0.001)):
        least = [
            optimize.brentq(
                lambda z, level=level, kind=kind: (
                    permutation.extrapolate(z, resamples, 0.95, kind)[0] - level
                ),
                0.1,
                1e3,
            )
            for kind in (False, True)
        ]
        assert (z >= np.where(tied, least[1], least[0])).sum() / 100_000 < most


@pytest.mark.parametrize(("large", "n"), [(300, 600), (30, 900)])
def test_p_values_from_few_random_tables(large, n, monkeypatch):
    """Of two large classes and clusters, or of one each whose overlap is about Poisson(1).

    Values of the first are nearly χ² with one degree of freedom.
    """
    for limit, value in (("_MANY_STEPS", 0), ("_MOST_STEPS", 1), ("_FEWEST", 16)):
        monkeypatch.setattr(permutation, limit, value)
    rng = np.random.default_rng(0)
    truth = np.arange(n) // large if large == 300 else np.maximum(np.arange(n), large)
    found = [
        cb.permutation_test(truth, rng.permutation(truth), measure="ari", rng=seed)
        for seed in range(200)
    ]
    assert any(each.extrapolated for each in found)
    for level in (0.05, 0.01):
        most = level + 3 * math.sqrt(level * (1 - level) / 200)
        assert np.mean([each.p_value <= level for each in found]) <= most


def test_extrapolation_joins_the_counted_p_values():
    for resamples in (9, 100, 1000):
        p_values, lows, highs = zip(
            *(permutation.extrapolate(z, resamples, 0.95) for z in (0.1, 1, 3, 10, 30, 1e6)),
            strict=True,
        )
        assert p_values[0] == 1 / (1 + resamples)
        assert list(p_values) == sorted(p_values, reverse=True)
        assert p_values[-1] == pytest.approx(1 / 2000)
        assert all(low <= p <= high for low, p, high in zip(lows, p_values, highs, strict=True))
        assert highs[0] == pytest.approx(stats.beta.ppf(0.975, 1, resamples))


def test_p_values_of_small_tables_are_counted():
    table = cb.Contingency.from_counts(np.full((30, 30), 1) + 30 * np.eye(30, dtype=int))
    found = cb.permutation_test(table, measure="ari", n_resamples=None)
    assert (found.n_resamples, found.p_value, found.extrapolated) == (1999, 1 / 2000, False)
    assert math.isclose(found.p_high, stats.beta.ppf(0.975, 1, 1999))
