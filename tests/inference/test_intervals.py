"""Confidence intervals by the bootstrap."""

import math
from inspect import signature

import numpy as np
import pytest
from scipy import stats
from support.runs import noisy_runs
from support.samples import DEGENERATE, labels_of

import clusterbits as cb
from clusterbits.errors import MeasureError
from clusterbits.inference import resampling
from clusterbits.inference.intervals import find_intervals
from clusterbits.inference.resampled_score import ResampledScore
from clusterbits.inference.resampling import ResamplingUnits
from clusterbits.measures.catalogue import catalogue, get_measure
from clusterbits.table.many_tables import TableStack

TABLE = cb.Contingency.from_counts([[30, 5, 2], [10, 55, 0], [1, 4, 20]])
EVERY = [entry.name for entry in catalogue()]
SMALL = {name: counts for name, counts in DEGENERATE.items() if np.sum(counts) < 10**9}


@pytest.mark.parametrize("method", ["centred", "percentile"])
def test_interval_of_well_filled_table(method):
    found = cb.interval(TABLE, measure="ari", rng=3, method=method)
    assert found.value == cb.adjusted_rand(TABLE)
    assert found.low < found.value < found.high
    assert found == cb.interval(TABLE, measure=cb.adjusted_rand, rng=3, method=method)
    assert found != cb.interval(TABLE, measure="ari", rng=4, method=method)
    narrow = cb.interval(TABLE, measure="ari", rng=3, method=method, confidence_level=0.5)
    assert found.low < narrow.low < narrow.high < found.high


@pytest.mark.skipif("rng" not in signature(stats.bootstrap).parameters, reason="SciPy before 1.15")
def test_the_textbook_method_agrees_with_scipy():
    truth, pred = map(np.array, labels_of(TABLE))
    peer = stats.bootstrap(
        (truth, pred),
        lambda c, k: cb.jaccard(c, k),
        paired=True,
        vectorized=False,
        n_resamples=2000,
        method="percentile",
        rng=np.random.default_rng(0),
    )
    found = cb.interval(TABLE, measure="jaccard", rng=0, method="percentile", n_resamples=4000)
    # An end of the interval is an extreme quantile: some 5 standard errors of both.
    assert found.low == pytest.approx(peer.confidence_interval.low, abs=0.5 * peer.standard_error)
    assert found.high == pytest.approx(peer.confidence_interval.high, abs=0.5 * peer.standard_error)
    assert found.standard_error == pytest.approx(peer.standard_error, rel=0.1)


def test_centred_interval_surrounds_the_value_of_a_sparse_table():
    rng = np.random.default_rng(0)
    table = cb.Contingency.from_labels(rng.integers(0, 10, 60), rng.integers(0, 12, 60))
    found = cb.interval(table, measure="q0", rng=0)
    assert found.low < found.value < found.high
    textbook = cb.interval(table, measure="q0", rng=0, method="percentile")
    assert textbook.high < textbook.value  # why the default is another
    assert found.bias == textbook.bias < 0
    assert found.standard_error > textbook.standard_error


@pytest.mark.parametrize("name", EVERY)
def test_every_measure_has_an_interval(name):
    found = cb.interval(TABLE, measure=name, rng=0, n_resamples=10)
    least, greatest = get_measure(name).bounds
    assert least <= found.low <= found.high <= greatest
    assert math.isfinite(found.standard_error)
    assert found.value == get_measure(name).score_table(TABLE)


@pytest.mark.parametrize("counts", SMALL.values(), ids=SMALL)
def test_degenerate_tables(counts):
    table = cb.Contingency.from_counts(counts)
    for name in ("q0", "q2", "ari", "accuracy"):
        for method in ("centred", "percentile", "jackknife"):
            found = cb.interval(table, measure=name, rng=0, n_resamples=50, method=method)
            least, greatest = get_measure(name).bounds
            assert least <= found.low <= found.high <= greatest
            assert math.isfinite(found.standard_error)
            if method != "percentile":
                assert found.low <= found.value <= found.high
        test = cb.permutation_test(table, measure=name, rng=0, n_resamples=50)
        if min(table.shape) == 1:  # no other table has these margins
            assert (test.p_value, test.null_sd) == (1, 0)
    if table.n == 1:
        return
    truth, pred = labels_of(table)
    same = cb.compare(truth, pred, pred, rng=0)
    value, low, high = same.difference("b", "a")
    assert (value, low) == (0, pytest.approx(-high))
    assert same.best == ("a", "b")


@pytest.mark.parametrize("method", ["centred", "jackknife"])
@pytest.mark.parametrize("level", [0.8, 0.95])
def test_no_mistake_among_n_has_the_limit_of_a_binomial_count(method, level):
    table = cb.Contingency.from_counts([[20, 0], [0, 30]])
    options = {"confidence_level": level, "method": method}
    found = cb.interval(table, measure="accuracy", **options)
    most = stats.binomtest(0, 50).proportion_ci(level).high  # Clopper and Pearson's
    assert (found.low, found.value, found.high) == (pytest.approx(1 - most), 1, 1)


@pytest.mark.parametrize(("rarest", "objects"), [(5, 1000), (5, 100_000), (1, 1000)])
def test_no_mistake_in_a_rare_class_has_the_limit_of_its_own_count(rarest, objects):
    sizes = [objects * 6 // 10, objects * 3 // 10, objects // 10 - rarest, rarest]
    table = cb.Contingency.from_counts(np.diag(sizes))
    share = 1 - 0.025 ** (1 / rarest)
    for seed in range(3):
        # Each of the four classes counts the same.
        found = cb.interval(table.balanced(), measure="accuracy", rng=seed)
        assert found.low == pytest.approx(1 - share / 4)
        found = cb.interval(table, measure="normalized_clustering_accuracy", rng=seed)
        assert found.low == pytest.approx(1 - share / 3)


def test_of_many_classes_the_rarest_and_the_largest_have_mistakes():
    table = cb.Contingency.from_counts(np.diag([9, *[20] * 10, 70]))
    rarest, *_, largest = ResamplingUnits.from_table(table).strata(8)[1:]
    assert (rarest.tolist(), largest.tolist()) == ([0], [11])
    assert len(ResamplingUnits.from_table(table).strata(8)) == 9


@pytest.mark.parametrize("name", ["share_saved", "ari", "purity", "bcubed_f1"])
def test_a_mistake_more_moves_the_limit_by_about_one_mistake(name):
    tables = [[[50 - wrong, wrong], [0, 50]] for wrong in range(8)]
    found = [cb.interval(cb.Contingency.from_counts(some), measure=name) for some in tables]
    lows, values = (np.array([getattr(one, end) for one in found]) for end in ("low", "value"))
    steps = np.diff(lows) / np.diff(values)
    assert steps.min() > 0
    assert steps.max() < 3  # 3.8 or more from none to one if only resamples told


def test_groups_err_together():
    truth = np.repeat(np.arange(4), 50)
    alike, mixed = np.arange(200) // 10, np.arange(200) % 20
    lows = [
        cb.interval(truth, truth, measure="accuracy", groups=groups).low
        for groups in (alike, mixed, np.arange(200))
    ]
    # All ten of a group are in one cluster, or up to three; or groups are objects.
    assert lows[0] == pytest.approx(0.025 ** (1 / 20))
    assert lows[0] < lows[1] < lows[2] == pytest.approx(0.025 ** (1 / 200))


def test_very_many_objects():
    small = cb.Contingency.from_counts([[30, 5], [10, 50]])
    huge = cb.Contingency.from_counts([[30 * 2**54, 5 * 2**54], [10 * 2**54, 50 * 2**54]])
    for name in ("conditional_entropy", "ari"):
        found = cb.interval(huge, measure=name, rng=0, n_resamples=300)
        assert found.standard_error == pytest.approx(
            cb.interval(small, measure=name, rng=0).standard_error / 2**27, rel=0.25
        )
        assert abs(found.bias) < 0.3 * found.standard_error
    with pytest.raises(MeasureError, match="up to 1,000,000,000 objects"):
        cb.permutation_test(huge, measure="ari")


@pytest.mark.parametrize("name", ["q0", "q2", "q0_nml"])
def test_resamples_have_their_own_classes_unless_their_number_is_given(name):
    table = cb.Contingency.from_counts([[30, 5], [10, 55], [1, 0]])
    fewer = cb.Contingency.from_counts([[30, 5], [10, 55]])
    kinds = np.array([30, 5, 10, 55, 0])
    for given in ({}, {"n_classes": 7}):
        measure = get_measure(name).using(**given)
        value = ResamplingUnits.from_table(table).score(kinds[:, None], [measure]).item()
        assert value == pytest.approx(measure(fewer), rel=1e-14)
        assert measure(table) == cb.interval(table, measure=measure, n_resamples=2).value


@pytest.mark.parametrize(("wrong", "most"), [(1, 4.67), (3, 8.01), (10, 17.74)])
def test_few_wrong_objects_have_the_limits_of_a_poisson_count(wrong, most):
    table = cb.Contingency.from_counts([[100_000, wrong], [0, 100_000]])
    found = cb.interval(table, measure="accuracy", rng=0)
    assert table.n * (1 - found.low) == pytest.approx(most, abs=0.75)  # Jeffreys' upper limit
    values, weights = resampling.leave_out_objects(
        ResamplingUnits.from_table(table), [cb.accuracy], 10, 0
    )
    (values,) = values
    left_out = ResampledScore(
        found.value, values, values, weights, "centred", [int(table.n)], np.zeros((1, 2))
    )
    assert left_out.spread()[1] == pytest.approx(-1 / math.sqrt(wrong), rel=0.01)
    spread = math.sqrt(wrong) / table.n
    assert found.standard_error == pytest.approx(spread, rel=0.1)  # the stretch is not in it


def coverage(p, n, names, samples):
    """Return how often the default interval of each measure contains the mean of its values."""
    rng = np.random.default_rng(0)
    counts = rng.multinomial(n, p.ravel(), size=2000)
    tables = [cb.Contingency.from_counts(some.reshape(p.shape)) for some in counts[:samples]]
    full = cb.Contingency.from_counts(np.ones(p.shape, dtype=int))
    every = TableStack(full.rows, full.columns, np.ascontiguousarray(counts.T), full.with_counts)
    true = [np.mean(get_measure(name).score_table(every)) for name in names]
    measures = [get_measure(name) for name in names]
    found = [find_intervals(table, measures, 0.95, 100) for table in tables]
    hits = [[one.low <= t <= one.high for one, t in zip(some, true, strict=True)] for some in found]
    return np.mean(hits, axis=0)


def few_wrong(n, wrong):
    """Return a population of four classes in four clusters, of which `wrong` in n are elsewhere."""
    return np.full((4, 4), wrong / n / 12) + np.eye(4) * ((1 - wrong / n) / 4 - wrong / n / 12)


@pytest.mark.slow
def test_coverage_where_classes_are_rare():
    rng = np.random.default_rng(7)
    p = 0.3 * rng.dirichlet(np.ones(40), 30) + 0.7 * np.eye(30, 40)
    p *= np.arange(1.0, 31)[:, None] ** -2
    assert coverage(p / p.sum(), 500, ["q0"], 150) > 0.9  # 0.8 if |C| were that of the sample


@pytest.mark.parametrize("wrong", [0.5, 1])
def test_coverage_where_hardly_an_object_is_wrong(wrong):
    names = ["q0", "share_saved", "adjusted_rand", "purity", "pair_f1"]
    found = coverage(few_wrong(100, wrong), 100, names, 60)
    assert found.min() > 0.9  # 0.3 and 0.6 if only resamples told


@pytest.mark.slow
def test_coverage_where_few_objects_are_wrong():
    assert coverage(few_wrong(200, 3), 200, ["q0"], 300) > 0.9  # without the stretch 0.85


def test_parameters_reach_the_measure():
    exact = cb.q2.using(worst="exact")
    assert cb.interval(TABLE, measure=exact, n_resamples=5).value == exact(TABLE)
    truth, pred, groups = grouped_labels(10, 5)
    options = {"measure": exact, "groups": groups, "method": "percentile", "n_resamples": 50}
    found = cb.interval(truth, pred, rng=0, **options)
    (own,) = np.random.SeedSequence(0).spawn(1)
    drawn = np.random.default_rng(own).multinomial(10, [0.1] * 10, size=50)
    values = [
        exact(np.repeat(truth, many[groups]), np.repeat(pred, many[groups])) for many in drawn
    ]
    assert found.value == exact(truth, pred)
    assert [found.low, found.high] == pytest.approx(np.quantile(values, [0.025, 0.975]), rel=1e-12)


def test_cores_change_nothing(monkeypatch):
    monkeypatch.setattr(resampling, "CELLS_PER_THREAD", 1)
    truth, preds = noisy_runs(200)
    for cores in (1, 3):
        monkeypatch.setattr("os.cpu_count", lambda cores=cores: cores)
        results = (
            cb.interval(TABLE, measure="q0", rng=1, n_resamples=200),
            cb.permutation_test(TABLE, measure="q0", rng=1, n_resamples=200),
            cb.compare(truth, preds, measure="q0", rng=1),
        )
        if cores == 1:
            alone = results
    assert results == alone


def test_scores_with_intervals():
    truth, preds = noisy_runs(60)
    scores = cb.evaluate(truth, preds, measures=["q0", "ari"], confidence_level=0.9, rng=0)
    row = scores.rows[0]
    table = cb.Contingency.from_labels(truth, preds["good"])
    alone = cb.interval(table, measure="q0", confidence_level=0.9, rng=0)
    assert (row.value, row.low, row.high) == (alone.value, alone.low, alone.high)
    assert list(scores.to_dicts()[0]) == ["clustering", "measure", "value", "low", "high"]
    assert scores.to_dicts(wide=True)[0]["q0_low"] == row.low
    assert scores.sorted_by("ari").rows[0].high is not None
    assert "low" in repr(cb.evaluate(table, measures="q0", confidence_level=0.9))


def test_measures_share_resamples():
    names = ["q2", "ari"]
    alone = [cb.interval(TABLE, measure=name, rng=3) for name in names]
    rows = cb.evaluate(TABLE, measures=names, confidence_level=0.95, rng=3).rows
    assert [row[1:] for row in rows] == [(a.measure, a.value, a.low, a.high) for a in alone]


# --- groups --------------------------------------------------------------------------------------


def grouped_labels(groups=40, objects=15, seed=0):
    """Return classes, clusters and groups: each group has its own class and its own accuracy."""
    rng = np.random.default_rng(seed)
    truth = rng.integers(0, 3, (groups, 1)) * np.ones((1, objects), dtype=int)
    right = rng.random((groups, objects)) < rng.beta(2, 1, (groups, 1))
    pred = np.where(right, truth, rng.integers(0, 3, (groups, 1)))
    return truth.ravel(), pred.ravel(), np.repeat(np.arange(groups), objects)


@pytest.mark.parametrize("measure", ["ari", "q0"])
def test_groups_are_drawn_whole(measure):
    truth, pred, groups = grouped_labels()
    found = cb.interval(truth, pred, measure=measure, rng=1, groups=groups, method="percentile")
    score, names = get_measure(measure), np.arange(40)

    def of_groups(drawn):
        rows = np.concatenate([np.flatnonzero(groups == one) for one in drawn])
        return score(truth[rows], pred[rows])

    rng = np.random.default_rng(0)
    values = [of_groups(rng.choice(names, 40)) for _ in range(1000)]
    assert found.value == score(truth, pred)
    assert found.standard_error == pytest.approx(np.std(values, ddof=1), rel=0.1)
    assert found.low == pytest.approx(np.quantile(values, 0.025), abs=0.5 * found.standard_error)
    assert found.high == pytest.approx(np.quantile(values, 0.975), abs=0.5 * found.standard_error)
    left_out = [of_groups(np.delete(names, one)) for one in names]
    error = math.sqrt(39 / 40 * ((left_out - np.mean(left_out)) ** 2).sum())
    centred = cb.interval(truth, pred, measure=measure, rng=1, groups=groups)
    assert centred.standard_error == pytest.approx(max(error, found.standard_error))


def test_groups_of_one_object_are_objects():
    truth, pred = map(np.array, labels_of(TABLE))
    plain = cb.interval(TABLE, measure="q2", rng=1)
    found = cb.interval(truth, pred, measure="q2", rng=1, groups=range(len(truth)))
    assert found.low == pytest.approx(plain.low, abs=0.3 * plain.standard_error)
    assert found.standard_error == pytest.approx(plain.standard_error, rel=0.1)


def test_label_options_with_groups():
    truth, pred, groups = grouped_labels()
    noisy = np.where(pred == 2, -1, pred)
    options = {"rng": 0, "n_resamples": 20}
    found = cb.interval(truth, noisy, measure="ari", groups=groups, noise="drop", **options)
    kept = noisy != -1
    expected = cb.interval(truth[kept], noisy[kept], measure="ari", groups=groups[kept], **options)
    assert found == expected


@pytest.mark.parametrize(
    ("given", "options", "message"),
    [
        (([0, 1, 1], [0, 1, 1]), {"groups": ["a"] * 3}, "all objects are in one group, 'a'"),
        (([0, 1, 1], [0, 1, 1]), {"groups": [0, 1]}, "truth has 3 labels and groups has 2"),
        (([0, 1, 1], [0, 1, 1]), {"groups": [0, 1, None]}, "groups has 1 missing label"),
        ((TABLE,), {"groups": [0, 1]}, "groups needs labels: a table does not say"),
        (([0, 1, 1], [0, 1, -1]), {"groups": [0, 0, 1], "noise": "drop"}, "in one group, 0"),
        (([0, 1], [0, 1]), {"groups": [0, 1], "weights": [2, 1]}, "these have weights"),
        (([0, 1], [0, 1]), {"group": [0, 1]}, "Did you mean 'groups'"),
    ],
)
def test_wrong_groups(given, options, message):
    with pytest.raises((cb.errors.ClusterbitsError, TypeError), match=message):
        cb.interval(*given, **options)


# --- balanced classes ----------------------------------------------------------------------------


@pytest.mark.parametrize(("measure", "by_group"), [("ari", False), ("q0", True)])
def test_each_resample_is_balanced(measure, by_group):
    rng = np.random.default_rng(2)
    truth = rng.choice(3, size=120, p=[0.6, 0.3, 0.1])
    pred = np.where(rng.random(120) < 0.8, truth, rng.integers(0, 3, 120))
    groups = rng.integers(0, 30, 120) if by_group else np.arange(120)
    names = np.unique(groups)
    score = get_measure(measure)

    def balanced(drawn):
        rows = np.concatenate([np.flatnonzero(groups == one) for one in drawn])
        return score(truth[rows], pred[rows], weights="balanced")

    given = {"groups": groups} if by_group else {}
    options = {"weights": "balanced", "rng": 1, **given}
    found = cb.interval(truth, pred, measure=measure, method="percentile", **options)
    assert found.value == score(truth, pred, weights="balanced")
    values = [balanced(rng.choice(names, len(names))) for _ in range(1000)]
    assert found.standard_error == pytest.approx(np.std(values, ddof=1), rel=0.1)
    assert found.low == pytest.approx(np.quantile(values, 0.025), abs=0.5 * found.standard_error)
    assert found.high == pytest.approx(np.quantile(values, 0.975), abs=0.5 * found.standard_error)
    left_out = [balanced(np.delete(names, i)) for i in range(len(names))]
    n = len(names)
    error = math.sqrt((n - 1) / n * ((left_out - np.mean(left_out)) ** 2).sum())
    centred = cb.interval(truth, pred, measure=measure, **options)
    assert centred.standard_error == pytest.approx(max(error, found.standard_error))


def test_balanced_tables_have_intervals_wherever_they_come_from():
    rng = np.random.default_rng(2)
    truth = rng.choice(3, size=120, p=[0.6, 0.3, 0.1])
    pred = np.where(rng.random(120) < 0.8, truth, rng.integers(0, 3, 120))
    options = {"rng": 1, "n_resamples": 200}
    found = cb.interval(truth, pred, measure="ari", weights="balanced", **options)
    table = cb.Contingency.from_labels(truth, pred)
    again = cb.interval(table.balanced(), measure="ari", **options)
    assert (again.low, again.high) == (found.low, found.high)
    plain = cb.interval(table, measure="ari", **options)
    assert found.high - found.low > 1.3 * (plain.high - plain.low)
    options |= {"confidence_level": 0.95, "weights": "balanced"}
    scores = cb.evaluate(truth, pred, **options)
    row = next(row for row in scores.rows if row.measure == "adjusted_rand")
    assert (row.low, row.high) == (found.low, found.high)
    # Classes of one size are balanced already, but their resamples are not.
    even = np.repeat([0, 1, 2], 40)
    scores = cb.evaluate(even, pred, **options)
    assert "adjusted_mutual_information" not in scores.measures
    with pytest.raises(MeasureError, match="whole counts, because it counts arrangements"):
        cb.interval(even, pred, measure="standardized_rand", weights="balanced")


def test_limits_are_not_cut_at_the_bounds_of_other_parameters():
    measure = cb.normalized_variation_of_information.using(average_method="classes")
    table = cb.Contingency.from_counts([[12, 8, 3], [7, 9, 4], [3, 5, 8]])
    found = cb.interval(table, measure=measure)
    assert not cb.get_measure(measure.__name__).bounds[0] <= found.value <= 1
    assert found.low < found.value < found.high
