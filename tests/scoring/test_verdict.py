"""One verdict: made once from values that are kept, and the same in every output."""

import json
import pickle
import re
from unittest.mock import patch

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest

import clusterbits as cb
from clusterbits.errors import LabelError, MeasureError
from clusterbits.measures.declaration import Measure
from clusterbits.text.tables import is_tie

TRUTH = np.repeat([0, 1], 40)
GOOD = np.repeat([0, 1], [38, 42])
RUNS = {"poor": np.repeat([0, 1], [30, 50]), "finer": GOOD + (np.arange(80) > 60), "good": GOOD}


@pytest.fixture(autouse=True)
def _close_figures():
    yield
    plt.close("all")


def plain(html):
    return re.sub("<[^>]*>", "", html)


def heading(scores):
    """Return the report's first heading, and the rows it marks."""
    html = scores.report().html
    (text,) = re.findall(r'<h2 id="verdict-h">(.*?)</h2>', html)
    marked = re.findall(r'<tr class="win">.*?<th scope="row" title="(.*?)"', html, re.DOTALL)
    return plain(text), marked


def by_two_codes():
    """Return two clusterings: q0 prefers the coarse one, other codes the fine one."""
    fine = np.array([[11, 17, 3, 3, 0, 6], [6, 0, 19, 17, 0, 2], [3, 3, 3, 3, 16, 8]])
    counts = {"fine": fine, "coarse": fine[:, ::2] + fine[:, 1::2]}
    return {name: cb.Contingency.from_counts(cells) for name, cells in counts.items()}


def test_the_command_compares_by_the_measure_it_shows(run, tmp_path):
    path = tmp_path / "runs.csv"
    noisy = {name: np.where(np.arange(80) == 39 * i, -1, labels)
             for i, (name, labels) in enumerate(RUNS.items())}  # fmt: skip
    pd.DataFrame({"t": TRUTH, **noisy}).to_csv(path, index=False)
    command = ["compare", path, "--truth", "t", "--pred", "poor,finer,good", "--noise", "drop"]
    answer = json.loads(run(*command, "--json")[1])
    compared = [row["measure"] for row in answer["rows"] if row.get("difference") is not None]
    assert set(compared) == {"q0"}
    assert "(q0 " in answer["verdict"]
    values = {row["clustering"]: row["value"] for row in answer["rows"] if row["measure"] == "q0"}
    assert f"(q0 {min(values.values()):.4f})" in answer["verdict"]
    shown = run(*command)[1]
    assert "best q0 first" in shown
    assert "(q0 " in shown


@pytest.mark.parametrize(
    ("measures", "primary"),
    [
        (None, "q0"), ("usual", "q0"), ("all", "q0"), ("code_length", "q0"),
        (["pairs", "q0"], "rand"), (["pairs", "ari"], "rand"), (["ari", "q0"], "adjusted_rand"),
        (["emi", "ari"], "adjusted_rand"), ("emi", None),
    ],
)  # fmt: skip
def test_the_first_measure_with_a_direction_decides(measures, primary):
    options = {"noise": "drop", "noise_label": 0}
    assert cb.evaluate(TRUTH, RUNS, measures).primary == primary
    assert cb.evaluate(TRUTH, RUNS, measures, **options).primary == primary
    if primary is not None:
        options |= {"confidence_level": 0.9, "n_resamples": 2}
        scores = cb.evaluate(TRUTH, RUNS, measures, **options)
        assert scores.comparison.measure == primary


@pytest.mark.parametrize("measure", ["q0_nml", "q0_mixture", "q2_adjusted", "evidence"])
def test_savings_are_those_of_measures_that_order_as_q0_does(measure):
    """Another code may name another clustering, which need not save most by q0."""
    scores = cb.evaluate(by_two_codes(), measures=[measure, "q0"])
    assert scores.best == ("fine",)
    assert "No clustering saves" not in scores.verdict
    text, marked = heading(scores)
    assert (text, marked) == (scores.verdict, [*scores.best])
    assert "has the fewest" not in plain(re.sub("<h2.*?</h2>", "", scores.report().html))
    assert scores.plot().get_title(loc="left").replace("\n", " ") == scores.verdict


def test_the_plot_marks_what_the_title_names():
    truth = [0, 0, 0, 1, 1, 1, 2, 2, 2] * 8
    runs = {"p_0.5": [0, 0, 1, 1, 1, 1, 2, 2, 2] * 8, "p_0.7": np.arange(72)}
    for measures in (["q0"], ["homogeneity"]):
        scores = cb.evaluate(truth, runs, measures)
        ax = scores.plot(over="p_*")
        (mark,) = (text.get_text() for text in ax.texts if text.get_fontweight() == "bold")
        assert mark.startswith(f"{scores.best[0]}: ")
        assert scores.verdict.split(" has")[0] in ax.get_title(loc="left")


def test_ties_are_in_one_order_everywhere():
    """A partition with other names differs by rounding only, whichever is summed first."""
    rng = np.random.default_rng(3)
    truth = rng.integers(0, 7, 500)
    pred = np.where(rng.random(500) < 0.4, rng.integers(0, 7, 500), truth)
    for names in (rng.permutation(7) for _ in range(3)):
        scores = cb.evaluate(truth, {"a": pred, "b": names[pred], "c": truth * 0})
        for measure in scores.measures:
            by_measure = scores.sorted_by(measure)
            assert by_measure.clusterings[:2] == ("a", "b")
            assert scores.ranks()[measure] == {"a": 1, "b": 1, "c": 3}
        assert scores.best == ("a", "b")
        assert scores.verdict.startswith("a and b have the fewest bits")
        assert scores.decision.order == ("a", "b", "c")
        assert heading(scores) == (scores.verdict, ["a", "b"])
        assert scores._repr_html_().count("★") == 2 * len(scores.measures)


def test_a_tie_is_one_thing():
    assert is_tie(0.3, 0.1 + 0.2)
    assert is_tie(1e15, 1e15 + 1)
    assert is_tie(float("inf"), float("inf"))
    assert not is_tie(0.3, 0.3 + 1e-7)
    assert not is_tie(float("nan"), float("nan"))


def test_clusterings_of_different_objects_have_no_best():
    tables = {
        "easy": cb.Contingency.from_counts([[100, 0], [5, 5]]),
        "hard": cb.Contingency.from_counts([[30, 0], [0, 30]]),
    }
    scores = cb.evaluate(tables)
    assert scores.verdict == "Not compared: the clusterings were counted on different objects."
    assert scores.conclusion == ""
    assert heading(scores) == (scores.verdict, [])
    with pytest.raises(LabelError, match="different objects"):
        _ = scores.best


def test_no_measure_has_a_direction():
    scores = cb.evaluate(TRUTH, RUNS, "emi")
    assert "direction" in scores.verdict
    assert heading(scores) == (scores.verdict, [])
    for call in (lambda: scores.best, scores.ranks, scores.plot, scores.statement):
        with pytest.raises(MeasureError, match=re.escape(scores.verdict)):
            call()


def test_where_nothing_can_be_saved_other_measures_still_decide():
    runs = {"one": [0, 0, 0], "two": [0, 0, 1]}
    by_rand = cb.evaluate([0, 1, 2], runs, "rand")
    assert by_rand.verdict == "two has the highest rand (0.6667)."
    assert heading(by_rand) == (by_rand.verdict, ["two"])
    assert by_rand.conclusion == ""
    by_bits = cb.evaluate([0, 1, 2], runs)
    assert by_bits.verdict.startswith("No class has more than one object: nothing can be saved. ")
    assert str(by_bits).count("nothing can be saved") == 1
    assert heading(by_bits) == (by_bits.verdict, [*by_bits.best])


def test_parts_of_the_objects_may_differ_where_classes_have_one_size():
    """Each run leaves out another object of one class: sizes are equal, objects are not."""
    truth = [0] * 10 + [1] * 10
    runs = {"a": [-1, *truth[1:]], "b": [truth[0], -1, *truth[2:]]}
    scores = cb.evaluate(truth, runs, noise="drop")
    assert scores.verdict.endswith("Each was scored on part of the objects, which may differ.")
    compared = cb.evaluate(truth, runs, noise="drop", confidence_level=0.9)
    assert compared.verdict.endswith("They were compared on 18 objects that all have.")


@pytest.mark.parametrize(("measures", "level"), [(None, None), (["ari"], 0.9), ("emi", None)])
def test_showing_computes_nothing(measures, level):
    groups = np.arange(80) % 4
    shown = [
        cb.evaluate(TRUTH, RUNS, measures, confidence_level=level),
        cb.evaluate(TRUTH, GOOD, measures, confidence_level=level),
        cb.evaluate(TRUTH, RUNS, measures, groups=groups),
        cb.evaluate(TRUTH, {"a": GOOD, "b": RUNS["poor"]}, measures, confidence_level=level),
        cb.compare(TRUTH, RUNS, measure="ari"),
    ]

    def refuse(self, *_, **__):
        raise AssertionError(f"{self.name} was computed")

    with patch.object(Measure, "score_table", refuse):
        for result in shown:
            _ = str(result), result._repr_html_(), result.verdict, pickle.dumps(result)
            if isinstance(result, cb.Scores):
                _ = result.title, result.notes, result.to_dicts(), result.conclusion
            if result.verdict and "direction" not in result.verdict:
                _ = result.plot(), result.best
        if level:
            assert heading(shown[0])[0] == shown[0].verdict


def test_what_results_hold_cannot_be_changed():
    scores = cb.evaluate(TRUTH, RUNS, confidence_level=0.9, groups=np.arange(80) % 4)
    plain_scores = cb.evaluate(TRUTH, RUNS, confidence_level=0.9)
    comparison = cb.compare(TRUTH, {"a": GOOD, "b": RUNS["poor"]})
    for copy in (scores, pickle.loads(pickle.dumps(scores))):
        for mapping in (copy.tables, copy.groups, copy.methods, copy.comparison.tables):
            with pytest.raises(TypeError):
                mapping["new"] = None
    for copy in (comparison, pickle.loads(pickle.dumps(comparison))):
        assert copy == comparison
        with pytest.raises(TypeError):
            copy.tables["a"] = None
        for values in (copy._errors.values, copy._errors.covariance, copy._errors.floors):
            with pytest.raises(ValueError, match="read-only"):
                values[...] = 0
    assert pickle.loads(pickle.dumps(plain_scores)) == plain_scores


def test_results_are_equal_where_all_they_hold_is():
    options = {"confidence_level": 0.9, "n_resamples": 50}
    scores = cb.evaluate(TRUTH, RUNS, ["purity"], **options)
    assert scores == cb.evaluate(TRUTH, RUNS, ["purity"], **options)
    assert scores != cb.evaluate(TRUTH, RUNS, ["purity"], rng=1, **options)
    # The same value, of other clusters.
    halves, single = (
        cb.evaluate([0, 0, 0, 0], {"a": run}, "q0") for run in ([0, 0, 1, 1], [0] * 4)
    )
    assert halves.rows == single.rows
    assert halves != single
