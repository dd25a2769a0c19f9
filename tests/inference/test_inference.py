"""Intervals, permutation tests and comparisons of clusterings."""

import dataclasses
import itertools
import math

import numpy as np
import pandas as pd
import pytest
from scipy import sparse, stats
from support.samples import DEGENERATE, labels_of

import clusterbits as cb
from clusterbits.errors import ClusterbitsError, LabelError, MeasureError
from clusterbits.inference import large, resampling
from clusterbits.inference.permutation import _clopper_pearson
from clusterbits.measures.catalogue import catalogue, find

TABLE = cb.Contingency.from_counts([[30, 5, 2], [10, 55, 0], [1, 4, 20]])
EVERY = [entry.name for entry in catalogue()]
RANKING = [entry.name for entry in catalogue() if entry.better is not None]
SMALL = {name: counts for name, counts in DEGENERATE.items() if "int64" not in name}


def runs(n=400, seed=0):
    """Return classes, and clusterings that err ever more often."""
    rng = np.random.default_rng(seed)
    truth = rng.integers(0, 4, n)
    wrong = rng.random(n)
    other = rng.integers(0, 4, n)
    return truth, {
        name: np.where(wrong < share, other, truth)
        for name, share in {"good": 0.1, "as good": 0.11, "fair": 0.3, "bad": 0.8}.items()
    }


# --- intervals -----------------------------------------------------------------------------------


@pytest.mark.parametrize("method", ["centred", "percentile", "bca"])
def test_interval_of_well_filled_table(method):
    found = cb.interval(TABLE, "ari", seed=3, method=method)
    assert found.value == cb.adjusted_rand(TABLE)
    assert found.low < found.value < found.high
    assert found == cb.interval(TABLE, cb.adjusted_rand, seed=3, method=method)
    assert found != cb.interval(TABLE, "ari", seed=4, method=method)
    narrow = cb.interval(TABLE, "ari", seed=3, method=method, level=0.5)
    assert found.low < narrow.low < narrow.high < found.high


@pytest.mark.parametrize("method", ["percentile", "bca"])
def test_textbook_methods_agree_with_scipy(method):
    truth, pred = map(np.array, labels_of(TABLE))
    peer = stats.bootstrap(
        (truth, pred),
        lambda c, k: cb.jaccard(c, k),
        paired=True,
        vectorized=False,
        n_resamples=2000,
        method=method,
        rng=np.random.default_rng(0),
    )
    found = cb.interval(TABLE, "jaccard", seed=0, method=method, resamples=4000)
    # An end of the interval is an extreme quantile: some 5 standard errors of both.
    assert found.low == pytest.approx(peer.confidence_interval.low, abs=0.5 * peer.standard_error)
    assert found.high == pytest.approx(peer.confidence_interval.high, abs=0.5 * peer.standard_error)
    assert found.standard_error == pytest.approx(peer.standard_error, rel=0.1)


def test_centred_interval_surrounds_the_value_of_a_sparse_table():
    rng = np.random.default_rng(0)
    table = cb.Contingency.from_labels(rng.integers(0, 10, 60), rng.integers(0, 12, 60))
    found = cb.interval(table, "q0", seed=0)
    assert found.low < found.value < found.high
    textbook = cb.interval(table, "q0", seed=0, method="percentile")
    assert textbook.high < textbook.value  # why the default is another
    assert found.bias == textbook.bias < 0
    assert found.standard_error > textbook.standard_error
    with pytest.raises(MeasureError, match="one side"):
        cb.interval(table, "q0", seed=0, method="bca")


@pytest.mark.parametrize("name", EVERY)
def test_every_measure_has_an_interval(name):
    found = cb.interval(TABLE, name, seed=0, resamples=10)
    least, greatest = find(name).bounds
    assert least <= found.low <= found.high <= greatest
    assert math.isfinite(found.standard_error)
    assert found.value == find(name).of(TABLE)


@pytest.mark.parametrize("counts", SMALL.values(), ids=SMALL)
def test_degenerate_tables(counts):
    table = cb.Contingency.from_counts(counts)
    for name in ("q0", "q2", "ari", "accuracy"):
        for method in ("centred", "percentile"):
            found = cb.interval(table, name, seed=0, resamples=50, method=method)
            assert math.isfinite(found.low)
            assert math.isfinite(found.high)
        test = cb.permutation_test(table, name, seed=0, resamples=50)
        assert 0 < test.p_value <= 1
        assert math.isfinite(test.z)
    truth, pred = labels_of(table)
    same = cb.compare(truth, pred, pred, seed=0, resamples=50)
    assert (same.difference, same.low, same.high, same.probability) == (0, 0, 0, 0.5)


def test_a_perfect_clustering_has_a_point():
    found = cb.interval(cb.Contingency.from_counts([[20, 0], [0, 30]]), "ari", method="bca")
    assert (found.low, found.value, found.high) == (1, 1, 1)


def test_very_many_objects():
    small = cb.Contingency.from_counts([[30, 5], [10, 50]])
    huge = cb.Contingency.from_counts([[30 * 2**54, 5 * 2**54], [10 * 2**54, 50 * 2**54]])
    for name in ("conditional_entropy", "ari"):
        found = cb.interval(huge, name, seed=0, resamples=300)
        assert found.standard_error == pytest.approx(
            cb.interval(small, name, seed=0).standard_error / 2**27, rel=0.25
        )
        assert abs(found.bias) < 0.3 * found.standard_error
    with pytest.raises(MeasureError, match="up to 1,000,000,000 objects"):
        cb.permutation_test(huge, "ari")


def test_resamples_are_told_how_many_classes_there_are():
    table = cb.Contingency.from_counts([[30, 5], [10, 55], [1, 0]])
    fewer = cb.Contingency.from_counts([[30, 5], [10, 55]])
    for name in ("q0", "q2", "q0_nml"):
        score = resampling.as_statistic(find(name), table, {})
        assert score(fewer) == find(name)(fewer, n_classes=3)
        assert score(table) == find(name)(table)
        given = resampling.as_statistic(find(name), table, {"n_classes": 7})
        assert given(fewer) == find(name)(fewer, n_classes=7)


def test_parameters_reach_the_measure():
    assert cb.interval(TABLE, "q2", worst="exact", resamples=5).value == cb.q2(TABLE, worst="exact")
    nats = cb.interval(TABLE, "q0", base=math.e, resamples=50, seed=1)
    assert nats.high == pytest.approx(cb.interval(TABLE, resamples=50, seed=1).high * math.log(2))


def test_cores_change_nothing(monkeypatch):
    monkeypatch.setattr(resampling, "_CELLS_PER_THREAD", 1)
    truth, preds = runs(200)
    for cores in (1, 3):
        monkeypatch.setattr("os.cpu_count", lambda cores=cores: cores)
        results = (
            cb.interval(TABLE, "q0", seed=1, resamples=200),
            cb.permutation_test(TABLE, "q0", seed=1, resamples=200),
            cb.compare(truth, preds, measure="q0", seed=1, resamples=200),
        )
        if cores == 1:
            alone = results
    assert results == alone


def test_progress_sees_all_work():
    seen = []

    def progress(portions):
        for portion in portions:
            seen.append(portion)
            yield portion

    cb.interval(TABLE, "ari", progress=progress, resamples=200)
    assert len(seen) > 2


def test_more_cells_than_resamples():
    rng = np.random.default_rng(0)
    table = cb.Contingency.from_counts(rng.poisson(2, (30, 40)))
    all_cells, some = (
        resampling.jackknife(
            table.counts, [resampling.View(table)], lambda t: cb.q0(t, n_classes=30), most, 0, iter
        ).standard_error
        for most in (10**4, 500)
    )
    assert some == pytest.approx(all_cells, rel=0.15)


# --- q0 of large tables --------------------------------------------------------------------------


def as_large(table):
    return large.LargeTable(
        table.cluster_sizes.astype(float), table.counts.astype(float), table.columns,
        table.shape[0], 1.0,
    )  # fmt: skip


@pytest.mark.parametrize("mean", [2, 40])
def test_resamples_by_cluster_sizes_are_those_by_cells(mean):
    rng = np.random.default_rng(mean)
    table = cb.Contingency.from_counts(rng.poisson(rng.gamma(0.7, mean / 0.7, (50, 60))))
    score = resampling.as_statistic(cb.q0, table, {})
    views = [resampling.View(table)]
    cells = resampling.bootstrap(table.counts, views, score, 1000, 0, iter)[:, 0]
    sizes = as_large(table).bootstrap(6000, 0, iter)
    assert stats.ks_2samp(cells, sizes).pvalue > 0.01
    assert sizes.mean() == pytest.approx(cells.mean(), abs=0.1 * cells.std())
    assert sizes.std() == pytest.approx(cells.std(), rel=0.05)


def test_large_tables_leave_out_the_same():
    score = resampling.as_statistic(cb.q0, TABLE, {})
    slow = resampling.jackknife(TABLE.counts, [resampling.View(TABLE)], score, 100, 0, iter)
    fast = as_large(TABLE).jackknife()
    assert fast.deviations == pytest.approx(slow.deviations, abs=1e-12)
    assert fast.standard_error == pytest.approx(slow.standard_error, rel=1e-9)


@pytest.mark.parametrize("h", [1.0, 7.0, 399.0, 400.0, 1000.0])
def test_moments_of_the_fit(h):
    x = np.arange(0, h + 60 * math.sqrt(h))
    p = stats.poisson.pmf(x, h)
    fit = np.where(x > 0, x * np.log(np.maximum(x, 1) / h), 0) - x + h
    mean = p @ fit
    assert [float(m[0]) for m in large._fit_moments(np.array([h]))] == pytest.approx(
        [mean, p @ (fit - mean) ** 2, p @ ((x - h) * fit)], abs=1e-7
    )
    assert p @ np.abs(fit - mean) ** 3 < large._THIRD_MOMENT


def test_only_tables_that_are_as_good_as_normal_count_as_large():
    rng = np.random.default_rng(0)
    assert large.large_table(TABLE, 3, 2) is None
    assert large.large_table(cb.Contingency.from_counts(rng.poisson(9, (150, 150))), 150, 2) is None
    few = cb.Contingency.from_counts(rng.poisson(2, (5, 40_000)))  # clusters of ten objects
    assert large.large_table(few, 5, 2) is None
    many = cb.Contingency.from_counts(rng.poisson(50, (500, 500)))
    assert large.large_table(many, 500, 2) is not None
    found = cb.interval(many, "q0", seed=0)
    assert found.low < found.value < found.high
    assert found.bias < -10 * found.standard_error
    nats = cb.interval(many, "q0", seed=0, base=math.e)
    assert nats.low == pytest.approx(found.low * math.log(2))


# --- permutation tests ---------------------------------------------------------------------------


def test_p_values_are_uniform_under_the_null():
    rng = np.random.default_rng(0)
    p_values = []
    for seed in range(500):
        table = cb.Contingency.from_labels(rng.integers(0, 4, 300), rng.integers(0, 5, 300))
        p_values.append(cb.permutation_test(table, "ari", resamples=99, seed=seed).p_value)
    # A p-value is one of 100 steps; a random point of its step is uniform, if the test is right.
    points = np.array(p_values) - rng.random(500) / 100
    assert stats.kstest(points, "uniform").pvalue > 0.01
    assert np.mean(np.array(p_values) <= 0.05) <= 0.05 + 3 * math.sqrt(0.05 * 0.95 / 500)


def test_permutation_agrees_with_the_exact_moments():
    table = cb.Contingency.from_counts([[6, 3, 1], [2, 7, 4], [1, 2, 5]])
    test = cb.permutation_test(table, "mutual_information", seed=0, resamples=4000)
    expected = cb.expected_mutual_information(table)
    assert test.null_mean == pytest.approx(expected, abs=4 * test.null_sd / math.sqrt(4000))
    assert test.z == pytest.approx(cb.standardized_mutual_information(table), rel=0.06)


def test_shuffled_objects_agree_with_the_exact_moments():
    truth, pred = labels_of(cb.Contingency.from_counts([[6, 3, 1, 1], [2, 7, 4, 0], [1, 2, 5, 0]]))
    # Clusters of one object make the full table larger than n.
    table = cb.Contingency.from_labels([*truth, *range(10, 30)], [*pred, *range(10, 30)])
    assert table.shape[0] * table.shape[1] > table.n
    test = cb.permutation_test(table, "mutual_information", seed=0, resamples=2000)
    expected = cb.expected_mutual_information(table)
    assert test.null_mean == pytest.approx(expected, abs=4 * test.null_sd / math.sqrt(2000))


def test_direction_of_the_test():
    bad = cb.Contingency.from_counts([[10, 10], [10, 10]])  # less related than chance makes them
    for name in ("q0", "ari", "hamming"):
        test = cb.permutation_test(bad, name, seed=0, resamples=200)
        assert test.p_value == 1
        assert test.z < 0
    for name in ("q0", "ari"):
        test = cb.permutation_test(TABLE, name, seed=0, resamples=200)
        assert test.p_value == 1 / 201
        assert test.z > 5
        assert test.p_low == 0
        assert test.p_low < test.p_value < test.p_high


@pytest.mark.parametrize("hits", [0, 1, 57, 199, 200])
def test_clopper_pearson(hits):
    peer = stats.binomtest(hits, 200).proportion_ci(0.9, method="exact")
    assert _clopper_pearson(hits, 200, 0.9) == pytest.approx((peer.low, peer.high))


def test_large_sparse_tables_are_never_made_full():
    rng = np.random.default_rng(0)
    n = 3000
    table = cb.Contingency.from_labels(rng.permutation(n), rng.integers(0, n, n) * 10**6)
    assert cb.permutation_test(table, "purity", resamples=20).p_value > 0
    diagonal = sparse.diags_array(np.full(20_000, 1000), dtype=np.int64).tocsr()
    with pytest.raises(MeasureError, match="random part of the objects"):
        cb.permutation_test(cb.Contingency.from_counts(diagonal), "rand")


def test_tests_that_would_take_an_hour_are_refused():
    margin = np.full(3000, 3334)
    table = cb.Contingency.from_counts(sparse.diags_array(margin, dtype=np.int64).tocsr())
    with pytest.raises(MeasureError, match="pass resamples=555 or fewer"):
        cb.permutation_test(table, "rand")


# --- comparisons ---------------------------------------------------------------------------------


def test_two_clusterings():
    truth, preds = runs()
    found = cb.compare(truth, preds["fair"], preds["good"], "q2", seed=0, resamples=500)
    assert found.value_a == cb.q2(truth, preds["fair"])
    assert found.difference == pytest.approx(found.value_b - found.value_a)
    assert 0 < found.low < found.difference < found.high
    assert found.probability == 1
    assert found.better == "b"
    back = cb.compare(truth, preds["good"], preds["fair"], "q2", seed=0, resamples=500)
    assert back.better == "a"
    assert (back.low, back.high) == pytest.approx((-found.high, -found.low), rel=0.1)
    assert (
        cb.compare(truth, preds["fair"], preds["good"], "q0", seed=0, resamples=500).better == "b"
    )
    near = cb.compare(truth, preds["good"], preds["as good"], "q2", seed=0, resamples=500)
    assert near.better is None
    assert 0 < near.probability < 0.5


def test_pairing_narrows_the_interval():
    truth, preds = runs()
    paired = cb.compare(truth, preds["good"], preds["as good"], "ari", seed=0)
    own = cb.interval(cb.Contingency.from_labels(truth, preds["good"]), "ari", seed=0)
    assert paired.high - paired.low < 0.5 * (own.high - own.low)


def test_the_joint_table_stands_for_the_objects():
    truth, preds = runs(150)
    a, b = preds["good"], preds["fair"]
    rng = np.random.default_rng(0)
    drawn = rng.integers(0, 150, (800, 150))
    peer = [cb.jaccard(truth[i], b[i]) - cb.jaccard(truth[i], a[i]) for i in drawn]
    found = cb.compare(truth, a, b, "jaccard", seed=0)
    moved = np.array(peer) - np.mean(peer) + found.difference
    width = found.high - found.low
    assert np.quantile(moved, [0.025, 0.975]) == pytest.approx(
        [found.low, found.high], abs=0.1 * width
    )


def test_same_partition_by_other_names():
    truth, preds = runs()
    a = preds["fair"]
    b = np.array(["w", "z", "a", "m"])[a]
    for name in ("q0", "v_measure", "ami"):
        found = cb.compare(truth, a, b, name, seed=0, resamples=20)
        assert found.better is None
        assert (found.low, found.high, found.probability) == (0, 0, 0.5)


def test_many_clusterings():
    truth, preds = runs()
    found = cb.compare(truth, preds | {"good too": 9 - preds["good"]}, measure="q0", seed=0)
    assert found.rows[0].clustering == found.best == "good"
    assert set(found.indistinguishable) == {"good", "as good", "good too"}
    first, last = found.rows[0], found.rows[-1]
    assert first.behind == 0
    assert last.clustering == "bad"
    assert last.behind_low > 0
    assert sum(row.probability for row in found.rows) == pytest.approx(1)
    assert all(row.low < row.value < row.high for row in found.rows)
    assert first.value == cb.q0(truth, preds["good"])
    higher = cb.compare(truth, preds, measure="ari", seed=0)
    assert set(higher.indistinguishable) == {"good", "as good"}


def test_a_perfect_clustering_is_the_best():
    truth, preds = runs()
    found = cb.compare(truth, preds | {"truth": truth}, measure="ari", seed=0, resamples=200)
    assert found.indistinguishable == ("truth",)


HALVES = [0] * 20 + [1] * 20
NEAR, FAR = [0] * 18 + [1] * 22, [0] * 15 + [1] * 25


def test_the_best_by_value_may_always_be_the_best():
    found = cb.compare(HALVES, {"perfect": HALVES, "one": [0] * 40}, measure="ari", seed=0)
    assert found.indistinguishable == ("perfect",)
    found = cb.compare(HALVES, dict.fromkeys("abc", FAR), seed=0, resamples=50)
    assert found.indistinguishable == ("a", "b", "c")
    assert [row.probability for row in found.rows] == pytest.approx([1 / 3] * 3)
    truth, preds = runs(60)
    found = cb.compare(truth, preds, seed=0, resamples=50, level=0.01)
    assert found.rows[0].may_be_best


def test_shares_are_counted_on_the_resamples_as_drawn():
    rng = np.random.default_rng(0)
    drawn = rng.integers(0, 40, (2000, 40))
    # Without one of the two wrong objects a resample scores 1, and ties with the classes.
    better = np.isin(drawn, [18, 19]).any(axis=1).mean()
    found = cb.compare(HALVES, NEAR, HALVES, "ari", seed=0)
    assert found.probability == pytest.approx(better + (1 - better) / 2, abs=0.03)
    ranking = cb.compare(HALVES, {"near": NEAR, "classes": HALVES}, measure="ari", seed=0)
    assert ranking.rows[0].probability == found.probability


@pytest.mark.parametrize("measure", ["q0", "ari", "hamming"])
@pytest.mark.parametrize("level", [0.1, 0.9])
def test_columns_of_a_ranking_agree(measure, level):
    truth, preds = runs(60)
    options = {"measure": measure, "seed": 0, "resamples": 60, "level": level}
    for row in cb.compare(truth, preds, **options).rows:
        assert row.may_be_best == (row.behind_low <= 0 <= row.behind_high)
        assert row.behind_low <= row.behind <= row.behind_high
        assert row.low <= row.value <= row.high
    for a, b in itertools.combinations(preds, 2):
        two = cb.compare(truth, preds[a], preds[b], **options)
        both = cb.compare(truth, {"a": preds[a], "b": preds[b]}, **options)
        assert set(both.indistinguishable) == set(two.better or "ab")
        worse = both.rows[1]
        ends = sorted(abs(end) for end in (two.low, two.high))
        if two.better:
            assert [worse.behind_low, worse.behind_high] == pytest.approx(ends)


def test_the_best_is_kept_as_often_as_promised():
    rng = np.random.default_rng(0)
    kept = 0
    for seed in range(40):
        truth = rng.integers(0, 3, 150)
        # Three clusterings of the same quality: by symmetry "x" may be the best.
        preds = {
            name: np.where(rng.random(150) < 0.3, rng.integers(0, 3, 150), truth) for name in "xyz"
        }
        found = cb.compare(truth, preds, measure="ari", seed=seed, resamples=150)
        kept += "x" in found.indistinguishable
    assert kept >= 40 * 0.95 - 3 * math.sqrt(40 * 0.95 * 0.05)


@pytest.mark.parametrize("name", RANKING)
def test_every_measure_compares(name):
    truth, preds = runs(40)
    found = cb.compare(truth, preds, measure=name, seed=0, resamples=5)
    values = [find(name)(truth, preds[row.clustering]) for row in found.rows]
    assert values == sorted(values, reverse=find(name).better == "higher")


def test_missing_labels():
    truth, a, b = ["x", "x", "y", None], [1, 1, 2, 2], [1, None, 2, 2]
    with pytest.raises(LabelError, match=r"truth has 1 missing label.*missing='drop'"):
        cb.compare(truth, a, b)
    dropped = cb.compare(truth, a, b, missing="drop", resamples=5)
    assert dropped.value_a == cb.q0(["x", "y"], [1, 2])
    kept = cb.compare(truth, a, b, missing="class", resamples=5)
    assert kept.value_b == cb.q0(truth, b, missing="class")
    with pytest.raises(LabelError, match="no object has all its labels"):
        cb.compare([None, 1], [1, None], [1, 1], missing="drop")


# --- what is refused -----------------------------------------------------------------------------


def test_tables_without_objects_to_draw():
    real = cb.Contingency.expected([[0.4, 0.1], [0.1, 0.4]], n=10)
    huge = cb.Contingency.from_counts([[2**64, 3], [5, 2**65]])
    for function in (cb.interval, cb.permutation_test):
        with pytest.raises(MeasureError, match="whole counts"):
            function(real, "q0")
        with pytest.raises(MeasureError, match="64-bit"):
            function(huge, "q0")
        with pytest.raises(MeasureError, match="from_labels"):
            function([0, 1, 1], "q0")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"level": 95}, "between 0 and 1"),
        ({"level": "0.95"}, "between 0 and 1"),
        ({"resamples": 1}, "at least 2"),
        ({"resamples": 1e3}, "whole number"),
        ({"method": "bcaa"}, "Did you mean 'bca'"),
        ({"seed": -1}, "seed=-1"),
        ({"seed": "x"}, "seed='x'"),
        ({"wurst": "exact"}, "Did you mean 'worst'"),
        ({"level": True}, "between 0 and 1"),
        ({"noise": "drop"}, "Contingency.from_labels, which takes it"),
    ],
)
def test_wrong_options(options, message):
    with pytest.raises(ClusterbitsError, match=message):
        cb.interval(TABLE, "q2", **options)


def test_numbers_of_numpy():
    found = cb.interval(TABLE, level=np.float32(0.5), resamples=np.int64(5))
    assert type(found.level) is float


def test_labels_in_the_place_of_a_measure_are_not_printed():
    labels = list(range(1000))
    for function in (cb.interval, cb.permutation_test):
        with pytest.raises(MeasureError, match="from_labels"):
            function(labels, labels)
    with pytest.raises(MeasureError, match="there is no measure") as caught:
        cb.interval(TABLE, labels)
    assert len(str(caught.value)) < 200


@pytest.mark.parametrize("level", [0.01, 0.1])
def test_narrow_intervals_hold_their_value(level):
    table = cb.Contingency.from_counts([[20, 1], [0, 20]])
    for name in ("q0", "ari", "hamming", "v_measure"):
        found = cb.interval(table, name, level=level, seed=0, resamples=200)
        assert found.low <= found.value <= found.high


def test_pandas_are_joined_on_their_index():
    truth, preds = runs(50)
    series = {name: pd.Series(labels)[::-1] for name, labels in preds.items()}
    found = cb.compare(pd.Series(truth), series, align=True, seed=0, resamples=20)
    assert found == cb.compare(truth, preds, seed=0, resamples=20)
    with pytest.raises(LabelError, match="Pass align=True"):
        cb.compare(pd.Series(truth), series)
    with pytest.raises(MeasureError, match="missing='drop'"):
        cb.compare(truth, preds, noise="drop")
    with pytest.raises(MeasureError, match="each of which counts once"):
        cb.compare(truth, preds, weights=truth)


def test_wrong_comparisons():
    truth, preds = runs(20)
    with pytest.raises(LabelError, match="a second one"):
        cb.compare(truth, preds["good"])
    with pytest.raises(LabelError, match="measure='q2'"):
        cb.compare(truth, preds, "q2")
    with pytest.raises(LabelError, match="two clusterings or more"):
        cb.compare(truth, {"a": truth})
    with pytest.raises(LabelError, match="name of its own"):
        cb.compare(truth, {1: truth, "1": truth, "b": truth})
    with pytest.raises(LabelError, match="clustering 'b' has 19"):
        cb.compare(truth, truth, truth[1:])
    series = pd.Series(truth)
    with pytest.raises(LabelError, match="another order"):
        cb.compare(series, series, series[::-1])
    with pytest.raises(MeasureError, match="ranks nothing"):
        cb.compare(truth, truth, truth, "emi")
    with pytest.raises(MeasureError, match="no direction"):
        cb.permutation_test(TABLE, "emi")


# --- what is shown -------------------------------------------------------------------------------


def test_results_are_values_with_rows():
    truth, preds = runs(60)
    results = {
        "interval": cb.interval(TABLE, "q2", resamples=20),
        "p = ": cb.permutation_test(TABLE, "q2", resamples=20),
        "b - a": cb.compare(truth, preds["good"], preds["bad"], resamples=20),
        "may_be_best": cb.compare(truth, preds, resamples=20),
    }
    for word, result in results.items():
        assert word in repr(result)
        frame = result.to_frame()
        assert isinstance(frame, pd.DataFrame)
        assert frame.to_dict("records")[0].keys() == result.to_dicts()[0].keys()
        assert result._repr_html_().startswith("<table>")
        with pytest.raises(dataclasses.FrozenInstanceError):
            result.measure = "rand"


def test_scores_with_intervals():
    truth, preds = runs(60)
    scores = cb.evaluate(truth, preds, measures=["q0", "ari"], interval=0.9, seed=0)
    row = scores.rows[0]
    table = cb.Contingency.from_labels(truth, preds["good"])
    alone = cb.interval(table, "q0", level=0.9, seed=0)
    assert (row.value, row.low, row.high) == (alone.value, alone.low, alone.high)
    assert list(scores.to_frame().columns) == ["clustering", "measure", "value", "low", "high"]
    assert scores.leaderboard()[0]["q0 low"] == row.low
    assert scores.sorted_by("ari").rows[0].high is not None
    assert "low" in repr(cb.evaluate(table, measures="q0", interval=0.9))
