"""What a report says, before it is drawn."""

import numpy as np
import pytest

import clusterbits as cb
from clusterbits.report.content import make_content

TRUTH = [0] * 8 + [1] * 8
RUNS = {"alone": range(16), "halves": TRUTH, "one off": [0] * 7 + [1] * 9}


def content_of(runs, measures, truth=TRUTH):
    return make_content(cb.evaluate(truth, runs, measures=measures), "title", {"input": "a.csv"})


def test_the_board_is_ordered_and_ranked():
    content = content_of(RUNS, ["q0", "purity", "emi"])
    assert content.primary.name == "q0"
    assert list(content.board) == ["halves", "one off", "alone"]
    assert [row.ranks for row in content.board.values()] == [
        {"q0": 1, "purity": 1},
        {"q0": 2, "purity": 3},
        {"q0": 3, "purity": 1},
    ]
    assert [row.best for row in content.board.values()] == [{"purity", "q0"}, set(), {"purity"}]
    for row in content.board.values():
        assert [score.measure for score in row.values] == [
            "q0", "purity", "expected_mutual_information"
        ]  # fmt: skip
        assert row.values[0].value == cb.q0(TRUTH, RUNS[row.name])
    assert [section.name for section in content.sections] == list(content.board)


def test_without_a_direction_nothing_leads():
    content = content_of(RUNS, ["emi"])
    assert content.primary is None
    assert list(content.board) == list(RUNS)
    assert content.agreement is None


def test_measures_that_rank_otherwise():
    content = content_of(RUNS, ["q0", "purity", "q2"])
    assert content.agreement.orders == (("q0", ("q2",)), ("purity", ()))
    assert content.agreement.departing == ("purity",)


@pytest.mark.parametrize(
    ("measures", "tied", "supporters"),
    [
        (["q0", "purity"], ("purity",), ("q0",)),
        (["homogeneity", "ari"], ("homogeneity",), ()),
        (["homogeneity", "purity"], ("homogeneity", "purity"), ()),
    ],
)
def test_measures_that_tie_all_have_no_say(measures, tied, supporters):
    content = content_of({"alone": range(16), "halves": TRUTH}, measures)
    agreement = content.agreement
    assert (agreement.tied, agreement.supporters) == (tied, supporters)
    assert content.support == ""


def test_caveats_are_those_of_the_primary_measure_at_this_size():
    (caveat,) = content_of(RUNS, ["q0", "purity", "ari"]).caveats
    assert "random clusters" in caveat
    first, *_ = content_of({"k4": np.arange(16) // 4}, ["homogeneity", "q0"]).caveats
    assert first.endswith(", and classes here are split.")
    assert content_of({"halves": TRUTH}, ["q0", "purity"]).caveats == ()
    # With many objects q0 prefers more clusters.
    truth = np.arange(5_000) % 5
    runs = {"k5": truth, "k10": np.arange(5_000) % 10}
    caveats = content_of(runs, ["q0"], truth).caveats
    assert any(caveat.endswith("and there are more here.") for caveat in caveats)
    few = {name: run[:500] for name, run in runs.items()}
    caveats = content_of(few, ["q0"], truth[:500]).caveats
    assert not any(caveat.endswith("more here.") for caveat in caveats)


def test_equal_numbers_of_clusters_have_no_chart():
    truth = np.repeat([0, 1, 2], 40)
    mixed, split = np.where(np.arange(120) % 5 == 0, 0, truth), truth + 3 * (np.arange(120) % 2)
    html = cb.evaluate(truth, {"a": truth, "b": mixed}, measures=["q0"]).report().html
    assert 'svg class="desk' not in html
    html = cb.evaluate(truth, {"a": truth, "b": split}, measures=["q0"]).report().html
    assert 'svg class="desk' in html
