"""The verdict: one sentence, everywhere the same, from values that are kept."""

import copy
import pickle

import numpy as np
import pandas as pd
import pytest

import clusterbits as cb
from clusterbits.errors import LabelError

TRUTH = np.repeat([0, 1], 40)
GOOD = np.repeat([0, 1], [38, 42])
RUNS = {"poor": np.repeat([0, 1], [30, 50]), "finer": GOOD + (np.arange(80) > 60), "good": GOOD}


def test_scores_say_what_compare_finds():
    scores = cb.evaluate(TRUTH, RUNS, ["q0", "ari"], confidence_level=0.9, rng=3)
    comparison = cb.compare(TRUTH, RUNS, confidence_level=0.9, rng=3)
    assert scores.comparison == comparison
    assert scores.best == comparison.best == ("good", "finer")
    assert comparison.verdict == (
        "good has the fewest bits (q0 0.2789). Not significantly worse (90 %): finer."
    )
    assert str(scores).startswith(comparison.verdict + "\ngood: 1.00 → ")
    assert scores.sorted_by("ari").comparison == comparison
    assert scores.sorted_by("ari").verdict == comparison.verdict
    assert str(pickle.loads(pickle.dumps(scores))) == str(copy.deepcopy(scores)) == str(scores)
    for name, run in RUNS.items():
        interval = cb.interval(TRUTH, run, measure="ari", confidence_level=0.9, rng=3)
        (row,) = (row for row in scores.rows_for("ari") if row.clustering == name)
        assert (row.value, row.low, row.high) == (interval.value, interval.low, interval.high)


def test_the_first_measure_decides_everywhere():
    runs = {"k2": [0, 0, 0, 1, 1, 1, 1, 1] * 9, "k3": [0, 0, 0, 0, 1, 1, 2, 2] * 9}
    truth = [0, 0, 0, 0, 1, 1, 1, 1] * 9
    for measures, name in ((["ari", "q0"], "adjusted_rand"), (["q0", "ari"], "q0"), (None, "q0")):
        scores = cb.evaluate(truth, runs, measures, confidence_level=0.95)
        assert scores.primary == scores.comparison.measure == name
        assert scores.verdict == cb.compare(truth, runs, measure=name).verdict
        assert scores.verdict in scores.report().html.replace("<bdi>", "").replace("</bdi>", "")
        assert scores.verdict.split(".")[0] in scores.plot().get_title(loc="left")


def test_scores_are_values(tmp_path):
    """Nothing of the caller's is kept: other labels, or none, change nothing that was found."""
    runs = {name: labels.copy() for name, labels in RUNS.items()}
    scores = cb.evaluate(TRUTH, runs, confidence_level=0.9)
    before = str(scores), scores.best
    for labels in runs.values():
        labels[:] = 0
    runs.clear()
    assert (str(scores), scores.best) == before
    path = tmp_path / "runs.csv"
    pd.DataFrame({"t": TRUTH, **RUNS}).to_csv(path, index=False)
    from_file = cb.evaluate(path, truth="t", pred=[*RUNS], confidence_level=0.9)
    path.unlink()
    assert (str(from_file), from_file.best) == before
    assert str(pickle.loads(pickle.dumps(from_file))) == before[0]


def test_without_a_level_the_best_value_alone():
    plain = cb.evaluate(TRUTH, RUNS)
    assert (plain.comparison, plain.best) == (None, ("good",))
    assert plain.verdict == "good has the fewest bits (q0 0.2789)."


def test_nothing_is_recommended_for_being_small():
    """Four classes, 45 % noise, 100 objects: the least q0 names the right number of clusters."""
    rng = np.random.default_rng(0)
    right = 0
    for _ in range(30):
        group = rng.integers(0, 8, 100)
        truth = np.where(rng.random(100) < 0.45, rng.integers(0, 4, 100), group // 2)
        runs = {"k1": group * 0, "k2": group // 4, "k4": group // 2, "k8": group}
        scores = cb.evaluate(truth, runs, ["q0"])
        named = cb.compare(truth, runs)
        assert named.best[0] == scores.best[0] == min(runs, key=lambda k: cb.q0(truth, runs[k]))
        right += named.best[0] == "k4"
    assert right >= 28


def test_where_nothing_saves_bits_that_is_the_headline():
    rng = np.random.default_rng(0)
    truth = rng.integers(0, 3, 60)
    scores = cb.evaluate(truth, {"a": rng.integers(0, 4, 60), "b": rng.integers(0, 9, 60)})
    assert scores.verdict.startswith("No clustering saves bits: it takes ")


def test_no_clustering_is_recommended_for_being_small():
    rng = np.random.default_rng(0)
    truth = rng.integers(0, 5, 20_000)
    wrong = rng.random(20_000) < 0.02
    near = np.where(wrong, rng.integers(0, 5, 20_000), truth)
    fine = near * 10 + np.where(wrong, 9, rng.integers(0, 9, 20_000))
    scores = cb.evaluate(truth, {"k5": near, "k50": fine})
    assert scores.best == ("k50",)
    assert scores.verdict == f"k50 has the fewest bits (q0 {cb.q0(truth, fine):.4f})."


def test_clusterings_of_different_objects_are_compared_on_those_that_all_have():
    options = {"noise": "drop", "noise_label": 0}
    scores = cb.evaluate(TRUTH, RUNS, confidence_level=0.9, **options)
    assert scores.comparison == cb.compare(TRUTH, RUNS, confidence_level=0.9, **options)
    assert scores.verdict.endswith("They were compared on 42 objects that all have.")


def test_a_statement_says_how_it_was_measured():
    scores = cb.evaluate(TRUTH, RUNS, ["q0"], confidence_level=0.9, n_resamples=300, rng=7)
    statement = scores.statement()
    for part in ("q0 of good is 0.2789 for 80 objects", "90 % confidence interval",
                 "centred bootstrap", "300 resamples", "seed 7", cb.__version__, "Dom",
                 f"best of {len(RUNS)} clusterings", "Hansen"):  # fmt: skip
        assert part in statement
    assert "300 resamples of objects, seed 7" in scores.report().html
    assert "interval" not in cb.evaluate(TRUTH, GOOD).statement()


def test_intervals_stand_beside_their_values():
    scores = cb.evaluate(TRUTH, RUNS, ["ari", "rand"], confidence_level=0.9)
    row = next(row for row in scores.rows_for("ari") if row.clustering == "good")
    cell = f"{row.value:.2f} [{row.low:.2f}, {row.high:.2f}]"
    heading, *lines = str(scores).splitlines()[-4:]
    assert heading.split() == ["clustering", "clusters", "adjusted_rand", "rand"]
    assert cell in lines[2]
    number, limits = cell.split(" ", 1)
    assert f"★\N{NO-BREAK SPACE}{number} <small" in scores._repr_html_()
    assert f">{limits}</small>" in scores._repr_html_()
    wide = scores.to_frame(wide=True)
    assert wide.columns.to_list()[2:5] == [
        "adjusted_rand", "adjusted_rand_low", "adjusted_rand_high",
    ]  # fmt: skip
    assert wide["adjusted_rand_low"][2] == row.low


def test_the_scores_of_one_clustering():
    scores = cb.evaluate(TRUTH, RUNS, ["ari", "q0"], confidence_level=0.9)
    good = scores.run("good")
    assert good.rows == tuple(row for row in scores.rows if row.clustering == "good")
    assert (good.best, good["ari"], good.confidence_level) == (
        ("good",),
        scores["ari"]["good"],
        0.9,
    )
    assert good == cb.evaluate(TRUTH, {"good": GOOD}, ["ari", "q0"], confidence_level=0.9)
    with pytest.raises(cb.errors.MeasureError, match=r"^'good' is .* scores.run\('good'\)\.$"):
        scores["good"]
    with pytest.raises(LabelError, match="Did you mean 'good'"):
        scores.run("goood")
    assert "good" not in scores


def test_an_interval_without_width_hides_no_digits():
    runs = RUNS | {"one": TRUTH * 0}
    scores = cb.evaluate(TRUTH, runs, ["ari"], confidence_level=0.9)
    assert "0.00 [0.00, 0.00]" in str(scores)
