"""evaluate, Scores, and the demo."""

import math

import numpy as np
import pandas as pd
import pytest

import clusterbits as cb
from clusterbits.cli.demo import explain_disagreement, load_digits, score_digits
from clusterbits.errors import MeasureError
from clusterbits.scoring.scores import Score

TRUTH = ["a", "a", "b", "b"]
PREDS = {"same": [1, 1, 2, 2], "one": [0, 0, 0, 0], "apart": [0, 1, 2, 3]}


def test_one_clustering():
    scores = cb.evaluate(TRUTH, [1, 1, 1, 2], measures=["q0", "ari", "q0"])
    assert scores.measures == ("q0", "adjusted_rand")
    assert scores["q0"] == cb.q0(TRUTH, [1, 1, 1, 2])
    assert scores["ari"] == scores["adjusted_rand"]
    assert cb.evaluate(cb.Contingency.from_labels(TRUTH, [1, 1, 1, 2]), measures="q0,ari") == scores
    assert cb.evaluate(TRUTH, [1, 1, 1, 2], measures=cb.rand).measures == ("rand",)


def test_several_clusterings():
    scores = cb.evaluate(TRUTH, PREDS)
    assert scores.clusterings == ("same", "one", "apart")
    assert scores["adjusted_rand"] == {"same": 1, "one": 0, "apart": 0}
    by_bits = sorted(PREDS, key=lambda name: cb.q0(TRUTH, PREDS[name]))
    assert list(scores.sorted_by("q0").clusterings) == by_bits
    assert [row["clusters"] for row in scores.to_dicts(wide=True)] == [2, 1, 4]
    assert len(scores.to_dicts()) == 3 * len(scores.measures)
    assert list(scores.to_frame().columns) == ["clustering", "measure", "value"]
    verdict, conclusion, *_ = repr(scores).splitlines()
    assert verdict == scores.verdict == "same has the fewest bits (q0 0.7925)."
    assert conclusion.startswith("same: 1.00 → 0.79 bits per object: 100 % of the maximum saving.")
    assert scores._repr_html_().count("<tr>") == 4


def test_label_options_reach_the_labels():
    assert cb.evaluate([0, None], [1, 2], missing="drop").tables["pred"].n == 1


def test_all_measures():
    scores = cb.evaluate(TRUTH, PREDS["one"], measures="all")
    assert set(scores.measures) == {row["name"] for row in cb.list_measures()}
    real = cb.Contingency.expected([[0.4, 0.1], [0.1, 0.4]], n=10)
    assert "q2_adjusted" not in cb.evaluate(real).measures
    assert "q0" in cb.evaluate(real, measures="all").measures
    with pytest.raises(MeasureError, match="whole counts"):
        cb.evaluate(real, measures=["ami"])


def test_wrong_requests():
    with pytest.raises(MeasureError, match="Did you mean"):
        cb.evaluate(TRUTH, PREDS, measures=["adjusted_rnd"])
    with pytest.raises(MeasureError, match="empty mapping"):
        cb.evaluate(TRUTH, {})
    with pytest.raises(MeasureError, match="no measure was named"):
        cb.evaluate(TRUTH, PREDS, measures=[])
    scores = cb.evaluate(TRUTH, PREDS, measures=["q0", "emi"])
    with pytest.raises(MeasureError, match="was not computed"):
        scores["rand"]
    with pytest.raises(MeasureError, match="has no direction"):
        scores.sorted_by("emi").clusterings[0]


def test_measures_may_be_named_in_any_container():
    table = cb.Contingency.from_counts([[3, 1], [1, 3]])
    assert cb.evaluate(table, measures=np.array(["rand", "q0"])).measures == ("rand", "q0")
    every = cb.evaluate(table, measures="all").measures
    assert cb.evaluate(table, measures=["ALL", "rand"]).measures == every


def test_runs_of_one_name():
    for call in (cb.evaluate, cb.compare):
        with pytest.raises(cb.errors.LabelError, match="2 labelings are called '1'"):
            call([0, 1], {1: [0, 1], "1": [0, 0]})


def test_demo_data_are_the_digits():
    from sklearn.datasets import load_digits as original

    labels = load_digits()
    assert labels["digit"] == original().target.tolist()
    assert len(labels) == 15
    for name, column in labels.items():
        if name != "digit":
            assert len(set(column)) == int(name.rpartition("_")[2])


def test_demo_disagreement_is_one():
    scores = score_digits()
    best = scores.clusterings[0]
    for measure in ("q0", "ari"):
        assert scores.sorted_by(measure).clusterings[0] == best
    a, b = (scores.tables[name] for name in scores.ranks().dispute("q0", "ari"))
    assert a.shape[1] > b.shape[1]
    saved = b.class_entropy_given_cluster - a.class_entropy_given_cluster
    cost = a.table_bits() - b.table_bits()
    assert saved > cost > 0
    sentence = explain_disagreement(scores)
    assert sentence.startswith(f"Both put {best} first.")
    assert f"they save {saved:.3f} bits on the labels and cost only {cost:.3f} more" in sentence


def test_measures_nobody_named_are_left_out_where_they_do_not_apply():
    # The variance of mutual information is 0 here, and of so many objects lost in rounding.
    truth, pred = range(12_000), [i // 2 for i in range(12_000)]
    scores = cb.evaluate(truth, {"a": pred, "b": [0] * 12_000}, measures="all")
    assert "q0" in scores.measures
    assert "standardized_mutual_information" not in scores.measures
    with pytest.raises(MeasureError, match="lost in rounding"):
        cb.evaluate(truth, pred, measures="smi")


def test_intervals_of_expected_tables_are_refused():
    table = cb.Contingency.expected([[0.4, 0.1], [0.1, 0.4]], n=37.5)
    for measures in (None, "all", "q0"):
        with pytest.raises(MeasureError, match="interval needs whole counts"):
            cb.evaluate(table, measures=measures, confidence_level=0.95)


def test_values_that_are_not_defined_rank_last():
    rows = (Score("a", "rand", math.nan), Score("b", "rand", 0.2), Score("c", "rand", 0.4))
    table = cb.Contingency.from_counts([[1]])
    scores = cb.Scores(rows, dict.fromkeys("abc", table), scales={"rand": cb.rand.scale})
    assert list(scores.sorted_by("rand").clusterings) == ["c", "b", "a"]
    assert scores.ranks().of("rand").tolist() == [3, 2, 1]


def test_scores_are_a_mapping_of_measures_and_a_sequence_of_rows():
    single = cb.evaluate([0, 0, 1, 1], [0, 0, 1, 2], measures=["q0", "ari"])
    pair = cb.evaluate([0, 0, 1, 1], {"a": [0, 0, 1, 2], 2: [0, 0, 0, 0]}, measures=["q0", "ari"])
    for scores in (single, pair):
        assert dict(scores) == {**scores}
        assert list(dict(scores)) == ["q0", "adjusted_rand"]
        assert all(scores[name] == value for name, value in dict(scores).items())
        for name in ("ari", "ARI", "adjusted_rand", "q0", cb.q0):
            assert name in scores
        for name in ("ami", "nonsense", "a", 2, None):
            assert name not in scores
        assert list(scores) == list(scores.rows)
        assert len(scores) == len(scores.rows)
        frame = pd.DataFrame(scores)
        assert list(frame.columns) == ["clustering", "measure", "value", "low", "high"]
        assert frame["value"].tolist() == [row.value for row in scores.rows]
    assert pd.Series(dict(single))["q0"] == single["q0"]
    assert pd.DataFrame(dict(pair)).loc["a", "q0"] == pair["q0"]["a"]


def test_scores_hold_the_comparison_that_compare_makes(tmp_path):
    """Wherever the labels are."""
    rng = np.random.default_rng(0)
    truth = rng.integers(0, 3, 90)
    frame = pd.DataFrame({"t": truth, "k_same": truth, "k_noise": rng.integers(0, 3, 90)})
    frame["k_near"] = np.where(rng.random(90) < 0.3, 0, truth)
    frame["doc"] = np.arange(90) // 9
    frame.to_csv(tmp_path / "x.csv", index=False)
    runs = frame[["k_same", "k_noise", "k_near"]]
    for groups in (None, "doc"):
        members = None if groups is None else frame[groups]
        comparison = cb.compare(truth, runs, groups=members)
        assert comparison.best == ("k_same",)
        for data in (frame, tmp_path / "x.csv"):
            columns = {"truth": "t", "pred": ["k_same", "k_noise", "k_near"], "groups": groups}
            again = cb.compare(data, **columns)
            for row, expected in zip(again, comparison, strict=True):
                assert row.clustering == expected.clustering
                assert row[1:] == pytest.approx(expected[1:])
            scores = cb.evaluate(data, measures=["q0"], confidence_level=0.95, **columns)
            assert scores.comparison == again
            assert scores.best == comparison.best
    runs_that_tie = {"a": truth, "b": truth + 1, "c": frame["k_noise"]}
    tied = cb.evaluate(truth, runs_that_tie, ["ari"])
    assert tied.best == ("a", "b")
    assert tied.verdict == "a and b have the highest adjusted_rand (1.0000)."
    assert cb.evaluate(truth, truth).best == ("pred",)
    tables = {name: cb.Contingency(truth, labels) for name, labels in runs.items()}
    from_tables = cb.evaluate(tables, confidence_level=0.9)
    assert (from_tables.comparison, from_tables.best) == (None, ("k_same",))
