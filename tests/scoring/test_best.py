"""Of those that cannot be told apart, the simplest: scores say what `compare` finds."""

import copy
import pickle

import numpy as np
import pytest

import clusterbits as cb
from clusterbits.errors import ClusterbitsError, LabelError

TRUTH = np.repeat([0, 1], 40)
GOOD = np.repeat([0, 1], [38, 42])
RUNS = {"poor": np.repeat([0, 1], [30, 50]), "finer": GOOD + (np.arange(80) > 60), "good": GOOD}


def test_scores_say_what_compare_finds():
    scores = cb.evaluate(TRUTH, RUNS, ["ari", "q0"], confidence_level=0.9, rng=3)
    found = cb.compare(TRUTH, RUNS, confidence_level=0.9, rng=3)
    assert scores.compare() == found
    assert scores.best == found.best == ("good", "finer")
    assert found.verdict == "good and finer cannot be told apart (q0, 90 %); the simplest is good."
    assert str(scores).startswith(found.verdict + "\ngood: 1.00 → ")
    assert scores.compare("ari") == cb.compare(
        TRUTH, RUNS, measure="ari", confidence_level=0.9, rng=3
    )
    # Once for the same scores in any order, and copies say the same without the labels.
    assert scores.sorted_by("q0").compare() is scores.compare()
    assert str(pickle.loads(pickle.dumps(scores))) == str(copy.deepcopy(scores)) == str(scores)
    # Values without intervals are not compared, but for who asks.
    plain = cb.evaluate(TRUTH, RUNS)
    assert (plain.verdict, plain.best) == ("", ("good", "finer"))


def test_of_equally_many_clusters_the_better_value_is_first():
    runs = {"b": np.roll(GOOD, -1), "a": GOOD}
    found = cb.compare(TRUTH, runs, measure="rand")
    assert found.best == ("a", "b")
    assert found.verdict.endswith("; of the simplest, a has the best value.")
    alike = cb.compare(TRUTH, {"a": GOOD, "b": GOOD})
    assert alike.verdict == "a and b cannot be told apart (q0, 95 %)."


@pytest.mark.parametrize(
    ("given", "reason"),
    [
        ((TRUTH, RUNS, {"noise": "drop", "noise_label": 0}), "the clusterings were counted"),
        (({k: cb.Contingency(TRUTH, v) for k, v in RUNS.items()}, None, {}), "tables do not say"),
    ],
)
def test_what_was_not_compared_is_said(given, reason):
    data, runs, options = given
    scores = cb.evaluate(data, runs, ["q0"], confidence_level=0.9, **options)
    assert str(scores).startswith(f"Not compared: {reason}")
    with pytest.raises(ClusterbitsError, match=reason):
        _ = scores.best


@pytest.mark.parametrize("options", [{}, {"truth_noise": "none"}, {"missing": "drop"}])
@pytest.mark.filterwarnings("ignore:truth_noise")
def test_labels_that_changed_since_are_refused(options):
    runs = {name: labels.copy() for name, labels in RUNS.items()}
    truth = [None, *TRUTH[1:]] if options.get("missing") else TRUTH
    scores = cb.evaluate(truth, runs, **options)
    runs["good"][:] = TRUTH
    with pytest.raises(LabelError, match="the labels have changed"):
        _ = scores.best
    more = cb.evaluate(TRUTH, runs)
    runs["another"] = TRUTH
    with pytest.raises(LabelError, match="the labels have changed"):
        _ = more.best


def test_intervals_stand_beside_their_values():
    scores = cb.evaluate(TRUTH, RUNS, ["ari", "rand"], confidence_level=0.9)
    row = next(row for row in scores.of("ari") if row.clustering == "good")
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
    one = scores.run("good")
    assert one.rows == tuple(row for row in scores.rows if row.clustering == "good")
    assert (one.best, one["ari"], one.confidence_level) == (("good",), scores["ari"]["good"], 0.9)
    assert one == cb.evaluate(TRUTH, {"good": GOOD}, ["ari", "q0"], confidence_level=0.9)
    with pytest.raises(cb.errors.MeasureError, match=r"^'good' is .* scores.run\('good'\)\.$"):
        scores["good"]
    with pytest.raises(cb.errors.MeasureError, match=r"no measure 'goood'.*scores.run\('good'\)"):
        scores["goood"]
    with pytest.raises(LabelError, match="Did you mean 'good'"):
        scores.run("goood")
    assert "good" not in scores


def test_an_interval_without_width_hides_no_digits():
    runs = RUNS | {"one": TRUTH * 0}
    scores = cb.evaluate(TRUTH, runs, ["ari"], confidence_level=0.9)
    assert "0.00 [0.00, 0.00]" in str(scores)
