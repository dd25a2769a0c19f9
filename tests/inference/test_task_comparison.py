"""Clusterings compared over data sets: tasks are the units."""

import math

import numpy as np
import pytest
import scipy.stats

import clusterbits as cb
from clusterbits.errors import ClusterbitsError, LabelError, MeasureError


def draw_task(rng, rates, n=80):
    """Return classes, and runs in which objects are wrong at these rates."""
    truth = rng.integers(0, 4, n)
    runs = {
        name: np.where(rng.random(n) < rate, rng.integers(0, 4, n), truth)
        for name, rate in rates.items()
    }
    return truth, runs


RATES = {"good": 0.1, "as good": 0.12, "bad": 0.5}


@pytest.fixture(scope="module")
def tasks():
    rng = np.random.default_rng(0)
    return {f"task {i}": draw_task(rng, RATES, int(rng.integers(40, 200))) for i in range(9)}


@pytest.fixture
def few_draws(monkeypatch):
    """Draw 1,000 differences for each critical value, in place of 10,000."""
    monkeypatch.setattr("clusterbits.inference.confidence_set._DRAWS", 1000)


def test_two_clusterings_are_compared_by_the_paired_t_test(tasks):
    two = {
        name: (truth, {run: runs[run] for run in ("good", "bad")})
        for name, (truth, runs) in tasks.items()
    }
    comparison = cb.compare(two, measure="ari")
    values = {
        run: np.array([cb.adjusted_rand(truth, runs[run]) for truth, runs in tasks.values()])
        for run in ("good", "bad")
    }
    assert comparison["good"].value == pytest.approx(values["good"].mean(), rel=1e-14)
    difference = values["bad"] - values["good"]
    # One task on which both are equal changes the mean difference by a ninth of it.
    error = np.hypot(difference.std(ddof=1) / 3, difference.mean() / 9)
    margin = scipy.stats.t.ppf(0.975, 8) * error
    mean = difference.mean()
    expected = (mean, mean - margin, mean + margin)
    assert comparison.difference("bad", "good") == pytest.approx(expected, rel=1e-12)
    assert comparison["bad"][3:6] == pytest.approx(expected, rel=1e-12)
    assert comparison.degrees_of_freedom == 8
    assert comparison.method == "paired over tasks"
    assert [*comparison.task_differences("bad", "good")] == [*tasks]
    assert [*comparison.task_differences("bad", "good").values()] == difference.tolist()


def test_the_verdict_and_the_rows(tasks):
    comparison = cb.compare(tasks, measure="share_saved")
    assert comparison.best == ("good", "as good")
    assert comparison.verdict == (
        f"good has the highest mean share_saved ({comparison['good'].value:.4f} over 9 tasks). "
        "Not significantly worse (95 %): as good."
    )
    assert comparison.tasks == tuple(tasks)
    values = np.array([[*row.values()] for row in comparison.values.values()])
    assert values.tolist() == [
        [cb.share_saved(truth, run) for run in runs.values()] for truth, runs in tasks.values()
    ]
    ranks = scipy.stats.rankdata(-values, axis=1).mean(axis=0)
    assert {row.clustering: row.mean_rank for row in comparison} == dict(
        zip(RATES, ranks, strict=True)
    )
    assert [row.in_set for row in comparison] == [True, True, False]
    lower = cb.compare(tasks, measure="van_dongen")
    assert lower.best == ("good", "as good")
    assert "the lowest mean van_dongen" in lower.verdict


def test_ties_share_the_mean_of_their_ranks():
    values = {"x": {"a": 0.3, "b": 0.1 + 0.2, "c": 0.1}, "y": {"a": 0.1, "b": 0.2, "c": 0.2}}
    ranks = {row.clustering: row.mean_rank for row in cb.compare(values, measure="rand")}
    assert ranks == {"a": 2.25, "b": 1.5, "c": 2.25}


def test_values_serve_as_well_as_labels_in_any_order(tasks):
    comparison = cb.compare(tasks, measure="ami")
    values = {
        name: cb.evaluate(truth, dict(reversed(runs.items())), ["ami"])["ami"]
        for name, (truth, runs) in tasks.items()
    }
    first = next(iter(tasks))
    values[first] = dict(reversed(values[first].items()))
    assert cb.compare(values, measure="ami") == comparison
    backwards = cb.compare(dict(reversed(tasks.items())), measure="ami")
    assert backwards.best == comparison.best
    assert [row.value for row in backwards] == pytest.approx([row.value for row in comparison])
    # Other packages compute values that exceed the bounds by rounding.
    values[first] |= {"good": 1 + 2e-16}
    assert cb.compare(values, measure="ami").values[first]["good"] == pytest.approx(1)


def test_labels_are_read_as_by_compare(tasks):
    name, (truth, runs) = next(iter(tasks.items()))
    noisy = {**runs, "bad": np.where(np.arange(len(truth)) < 5, -1, runs["bad"])}
    changed = {**tasks, name: (truth, noisy)}
    comparison = cb.compare(changed, measure="ari", noise="drop", weights="balanced")
    alone = cb.compare(truth, noisy, measure="ari", noise="drop", weights="balanced")
    assert comparison.values[name] == {row.clustering: row.value for row in sorted_rows(alone)}
    by_position = {name: (truth, [*runs.values()]) for name, (truth, runs) in tasks.items()}
    assert cb.compare(by_position, measure="ari").keys() == (0, 1, 2)


def sorted_rows(comparison):
    return sorted(comparison.rows, key=lambda row: [*RATES].index(row.clustering))


def test_few_tasks_are_not_certain():
    """Perfect runs, and one cluster: the difference is the same on all tasks."""
    task = ([0, 0, 1, 1], {"perfect": [0, 0, 1, 1], "one": [0] * 4})
    for n, best in ((2, 2), (3, 2), (4, 1)):
        comparison = cb.compare(dict.fromkeys(range(n), task), measure="ari")
        assert len(comparison.best) == best
        assert ("too few" in comparison.verdict) == (best == 2)
    rng = np.random.default_rng(0)
    for n_tasks, few in ((4, True), (8, False)):  # one is far ahead of nine that hardly differ
        values = 0.2 + 0.01 * rng.standard_normal((n_tasks, 10))
        values[:, 0] = 0.9
        comparison = compare_matrix(values)
        assert len(comparison.best) == (10 if few else 1)
        words = "4 tasks are too few for any difference among 10 clusterings to be significant."
        assert (words in comparison.verdict) == few
    equal = {n: ([0, 1], {"a": [0, 1], "b": [1, 0]}) for n in range(5)}
    assert cb.compare(equal, measure="ari").best == ("a", "b")


def test_a_task_counts_once_whatever_its_size():
    small = ([0, 1, 1], {"a": [0, 1, 1], "b": [0, 0, 1]})
    large = ([0, 1] * 500, {"a": [0] * 1000, "b": [0, 1] * 500})
    comparison = cb.compare({"small": small, "large": large}, measure="purity")
    assert comparison["a"].value == (1 + 0.5) / 2
    assert comparison["b"].value == pytest.approx((2 / 3 + 1) / 2)


def draw_values(rng, n_tasks, n_runs, kind):
    """Return values of runs that are equally good, on tasks that differ in how hard they are."""
    shape = n_tasks, n_runs
    errors = rng.standard_normal(shape)
    if kind == "skewed":  # one fails badly on a few tasks, and the others hardly differ
        errors *= 0.1
        errors[:, 0] = 1 - rng.exponential(size=n_tasks)
    elif kind == "unequal":
        errors *= np.geomspace(0.1, 1, n_runs)
    elif kind == "repeated":  # one is named twice, the second time rounded
        errors[:, -1] = errors[:, 0] + 1e-13 * rng.standard_normal(n_tasks)
    return 0.5 + 0.1 * rng.standard_normal((n_tasks, 1)) + 0.02 * errors


def compare_matrix(matrix):
    values = {task: dict(enumerate(row)) for task, row in enumerate(matrix.tolist())}
    return cb.compare(values, measure="hubert_gamma")


@pytest.mark.usefixtures("few_draws")
@pytest.mark.parametrize("kind", ["normal", "skewed", "unequal", "repeated"])
@pytest.mark.parametrize("n_tasks", [8, 20, 42])
def test_the_model_confidence_set_keeps_its_level(n_tasks, kind):
    """Nominal 5 %: a clustering is eliminated that is as good as the best."""
    for n_runs in (2, 10):
        rng = np.random.default_rng([n_tasks, n_runs])
        samples = 100
        lost = sum(
            len(compare_matrix(draw_values(rng, n_tasks, n_runs, kind)).best) < n_runs
            for _ in range(samples)
        )
        level = 0.1 if kind == "skewed" else 0.05
        assert lost / samples <= level + 3 * math.sqrt(level * (1 - level) / samples)


def test_equal_clusterings_are_compared_without_a_warning(tasks):
    """The suite turns warnings into errors; so does the difference of rounding by zero."""
    twice = {
        name: (truth, runs | {"again": runs["good"], "renamed": runs["good"] + 7})
        for name, (truth, runs) in tasks.items()
    }
    comparison = cb.compare(twice, measure="ari")
    assert {*comparison.best} == {"good", "again", "renamed", "as good"}
    assert comparison.difference("again", "good") == (0, 0, 0)


@pytest.mark.usefixtures("few_draws")
@pytest.mark.parametrize(("n_tasks", "power"), [(8, 0), (20, 0.4), (42, 0.95)])
def test_worse_clusterings_are_found(n_tasks, power):
    """One of six is better by the standard deviation of the values."""
    rng, found = np.random.default_rng(n_tasks), 0.0
    for _ in range(40):
        values = draw_values(rng, n_tasks, 6, "normal")
        values[:, 0] += 0.02
        best = compare_matrix(values).best
        assert 0 in best
        found += (6 - len(best)) / 5 / 40
    assert found >= power


@pytest.mark.parametrize(
    "measure",
    ["q0", "q0_mixture", "bits_saved", "evidence", "variation_of_information", "split_join"],
)
def test_measures_that_do_not_compare_across_data_sets(tasks, measure):
    with pytest.raises(MeasureError, match=f"^{measure} does not compare across data sets"):
        cb.compare(tasks, measure=measure)


@pytest.mark.parametrize(
    "measure", ["share_saved", "q2", "ari", "ami", "v_measure", "purity", "van_dongen", "bcubed_f1"]
)
def test_measures_that_compare_across_data_sets(tasks, measure):
    assert "good" in cb.compare(tasks, measure=measure).best


def test_wrong_tasks(tasks):
    truth, runs = tasks["task 0"]
    values = {"good": 0.3, "as good": 0.4, "bad": 0.1}
    for change, error in (
        ({"x": (truth, {"good": truth, "other": truth})}, r"'x' differ in as good, bad and other"),
        ({"x": values | {"bad": 31.0}}, r"task 'x': adjusted_rand of .* 'bad' is 31.0; .* to 1\."),
        ({"x": values | {"bad": math.nan}}, r"'bad' is nan; it must be a number"),
        ({"x": values | {"bad": "0.3"}}, r"is '0.3'; it must be a number"),
        ({"x": truth}, r"task 'x': a task must be \(truth, runs\).* got a ndarray"),
        ({"x": (truth, truth)}, r"task 'x': compare takes two clusterings or more"),
        ({"x": (truth[1:], runs)}, r"task 'x': truth has \d+ labels"),
    ):
        with pytest.raises(ClusterbitsError, match=error):
            cb.compare({**tasks, **change}, measure="ari")
    for few in ({}, {"x": (truth, runs)}):
        with pytest.raises(LabelError, match=f"got {len(few)} tasks?: two or more"):
            cb.compare(few, measure="ari")
    with pytest.raises(LabelError, match="has 1 clustering: pass two or more"):
        cb.compare({task: {"a": 0.5} for task in "xy"}, measure="ari")


def test_wrong_options(tasks):
    values = {task: {"a": 0.5, "b": 0.4} for task in "xy"}
    with pytest.raises(MeasureError, match="need a measure that compares across data sets"):
        cb.compare(tasks)
    with pytest.raises(MeasureError, match="has no direction"):
        cb.compare(tasks, measure="expected_mutual_information")
    with pytest.raises(MeasureError, match="the tasks are the units"):
        cb.compare(tasks, measure="ari", groups=[1, 2])
    with pytest.raises(LabelError):  # the second of two clusterings, which was passed over
        cb.compare(tasks, other=[0, 1], measure="ari")
    with pytest.raises(MeasureError, match="values were given, which noise cannot change"):
        cb.compare(values, measure="ari", noise="drop")
    with pytest.raises(MeasureError, match="compare takes no weights"):
        cb.compare(tasks, measure="ari", weights=[1, 2])
    with pytest.raises(ClusterbitsError, match="confidence_level must lie between"):
        cb.compare(tasks, measure="ari", confidence_level=95)
    with pytest.raises(TypeError, match="no option 'missin'"):
        cb.compare(tasks, measure="ari", missin="drop")
