"""evaluate(groups=...): scores of each group beside the pooled ones and their means."""

import math

import numpy as np
import pandas as pd
import polars as pl
import pytest

import clusterbits as cb
from clusterbits.errors import ColumnError, LabelError
from clusterbits.reading.files.sources import find_sources
from clusterbits.reading.request import Request

N = 90
RNG = np.random.default_rng(5)
BY = np.array(["x", "y", "z"])[RNG.integers(0, 3, N)]
TRUTH = RNG.integers(0, 4, N)
PREDS = {
    "good": np.where(RNG.random(N) < 0.8, TRUTH, 7),
    "noisy": np.where(RNG.random(N) < 0.3, -1, TRUTH % 3),
}
LABELINGS = {
    "plain": {},
    "noise drop": {"noise": "drop"},
    "noise singletons": {"noise": "singletons"},
    "weights": {"weights": RNG.integers(1, 5, N)},
    "real weights": {"weights": RNG.random(N)},
    "balanced": {"weights": "balanced"},
}


def part(options, chosen):
    """Return the options for some of the objects."""
    weights = options.get("weights")
    return options | ({"weights": weights[chosen]} if isinstance(weights, np.ndarray) else {})


def assert_close(rows, expected):
    """Compare scores; real weights are added up in another order."""
    assert [row[:2] for row in rows] == [row[:2] for row in expected]
    np.testing.assert_allclose(
        [row.value for row in rows], [row.value for row in expected], rtol=1e-13
    )


@pytest.mark.parametrize("options", LABELINGS.values(), ids=LABELINGS)
def test_groups_are_scored_as_by_themselves(options):
    scores = cb.evaluate(TRUTH, PREDS, measures=["q0", "ari"], groups=BY, **options)
    pooled = cb.evaluate(TRUTH, PREDS, measures=["q0", "ari"], **options)
    assert_close(scores.rows, pooled.rows)
    assert {n: t.coverage for n, t in scores.tables.items()} == {
        n: t.coverage for n, t in pooled.tables.items()
    }
    assert list(scores.groups) == ["x", "y", "z"]
    for group, group_scores in scores.groups.items():
        chosen = group == BY
        alone = cb.evaluate(
            TRUTH[chosen],
            {name: labels[chosen] for name, labels in PREDS.items()},
            measures=["q0", "ari"],
            **part(options, chosen),
        )
        assert_close(group_scores.rows, alone.rows)
    for row in scores.means:
        rows = [x for group in scores.groups.values() for x in group.rows]
        assert row.value == np.mean([x.value for x in rows if x[:2] == row[:2]])


@pytest.mark.parametrize("missing", ["drop", "class"])
def test_missing_labels(missing):
    truth, pred = [None, "a", "b", "b", None, "a"], [0, 0, None, 1, 1, 1]
    by = [2, 2, 2, 1, 1, 1]
    scores = cb.evaluate(truth, pred, measures="q0", groups=by, missing=missing)
    assert scores["q0"] == cb.q0(truth, pred, missing=missing)
    assert list(scores.groups) == [1, 2]
    assert scores.groups[1]["q0"] == cb.q0(truth[3:], pred[3:], missing=missing)
    assert scores.groups[2]["q0"] == cb.q0(truth[:3], pred[:3], missing=missing)


def test_groups_without_objects_or_without_a_value():
    truth, by = [0, 0, 1, 1, 2, 2], ["u", "u", "v", "v", "w", "w"]
    runs = {"a": [0, 1, -1, -1, 2, 2], "b": [0, 1, 0, 0, 1, 1]}
    scores = cb.evaluate(truth, runs, measures="rand", groups=by, noise="drop")
    assert math.isnan(scores.groups["v"]["rand"]["a"])
    assert scores.groups["v"]["rand"]["b"] == 1
    means = {row.clustering: row.value for row in scores.means}
    assert means == {"a": 0.5, "b": pytest.approx(2 / 3)}
    assert "3 with one class" in repr(scores)
    assert "1 without some value, which the mean excludes" in repr(scores)
    repr(scores.groups["v"])
    scores = cb.evaluate(truth, runs["a"], measures="rand", groups=by, noise="drop")
    assert repr(scores.groups["v"]).startswith("No object was counted.")


@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame])
def test_columns(frame):
    table = frame({"truth": TRUTH, **PREDS, "by": BY, "w": RNG.integers(1, 5, N)})
    request = {"truth": "truth", "pred": ["good", "noisy"], "measures": "ari"}
    expected = cb.evaluate(TRUTH, PREDS, measures="ari", groups=BY)
    assert cb.evaluate(table, **request, groups="by") == expected
    assert cb.evaluate(table, **request, groups=BY) == expected
    weights = table["w"].to_numpy()
    weighted = cb.evaluate(TRUTH, PREDS, measures="ari", groups=BY, weights=weights)
    assert cb.evaluate(table, **request, groups="by", weights="w") == weighted


def test_intervals_resample_groups():
    scores = cb.evaluate(
        TRUTH, PREDS["good"], measures="ari", groups=BY, confidence_level=0.9, rng=3
    )
    options = {"measure": "ari", "confidence_level": 0.9, "rng": 3, "groups": BY}
    interval = cb.interval(TRUTH, PREDS["good"], **options)
    assert scores.rows[0][2:] == (interval.value, interval.low, interval.high)
    assert scores.means[0].low is None
    assert scores.to_dicts()[0]["low"] == interval.low


def test_series_are_joined_on_their_index():
    truth = pd.Series([0, 0, 1, 1], index=list("abcd"))
    by = pd.Series([5, 6, 5, 6], index=list("dcba"))
    pred = truth[::-1]
    scores = cb.evaluate(truth, pred, measures="q0", groups=by)
    assert scores == cb.evaluate([0, 0, 1, 1], [0, 0, 1, 1], measures="q0", groups=[6, 5, 6, 5])
    positions = cb.evaluate(truth, pred, measures="q0", groups=[6, 5, 6, 5], align=True)
    assert positions == scores


@pytest.mark.parametrize("make", [dict, pd.Series], ids=["mapping", "Series"])
@pytest.mark.parametrize("ids", ["abcd", range(4)], ids=["strings", "integers"])
def test_groups_by_id(make, ids):
    """Other objects may have groups, too; but each object of truth has one."""
    ids = list(ids)
    truth = make(dict(zip(ids, [0, 0, 1, 1], strict=True)))
    pred = make(dict(zip(ids[:3], [0, 1, 1], strict=True)))
    groups = dict(zip(ids[::-1], [5, 6, 5, 6], strict=True))
    options = {"measures": "q0", "align": make is pd.Series, "unmatched": "drop"}
    scores = cb.evaluate(truth, pred, groups=make({9: 7} | groups), **options)
    expected = cb.evaluate([0, 0, 1], [0, 1, 1], measures="q0", groups=[6, 5, 6])
    assert scores.to_dicts() == expected.to_dicts()
    del groups[ids[1]]
    with pytest.raises(LabelError, match=r"groups has 1 missing label\. Give each object"):
        cb.evaluate(truth, pred, groups=make({9: 7} | groups), **options)


@pytest.mark.parametrize("source", ["ids", "files"])
def test_objects_that_do_not_count_need_no_group(source, tmp_path):
    """In memory, an object of truth without a partner had to have a group, and in files not."""
    truth, pred = {"a": 0, "b": 1, "c": 1}, {"a": 0, "b": 1}
    groups = {"a": "u", "b": "v", "c": None}
    if source == "ids":
        del groups["c"]
        scores = cb.evaluate(truth, pred, "rand", groups=groups, unmatched="drop")
    else:
        paths = [tmp_path / "truth.csv", tmp_path / "pred.csv"]
        columns = {"id": [*truth], "t": [*truth.values()], "by": [*groups.values()]}
        pd.DataFrame(columns).to_csv(paths[0], index=False)
        pd.DataFrame({"id": [*pred], "k": [*pred.values()]}).to_csv(paths[1], index=False)
        request = Request([find_sources(path) for path in paths], on="id")
        scores = cb.evaluate(request, truth="t", pred="k", groups="by", unmatched="drop")
    assert [*scores.groups] == ["u", "v"]
    assert next(iter(scores.tables.values())).n == 2


@pytest.mark.parametrize(
    ("truth", "by", "message"),
    [
        ([0, 1, 1], [0, 1], "truth has 3 labels and groups has 2"),
        ([0, 1, 1], [0, None, 1], "groups has 1 missing label, the first at position 1. Give each"),
        ([0, 1, 1], "batch", "groups is of type str"),
        (
            cb.Contingency.from_counts([[1, 2]]),
            [0, 1, 1],
            "groups needs labels: a table does not say",
        ),
    ],
)
def test_wrong_groups(truth, by, message):
    with pytest.raises(LabelError, match=message):
        cb.evaluate(truth, [0, 1, 1], groups=by)


@pytest.mark.parametrize("make", [pd.DataFrame, pl.DataFrame], ids=["pandas", "polars"])
def test_a_pattern_never_means_the_column_of_groups(make):
    frame = make({"t": TRUTH, "sc_1": PREDS["good"], "sc_2": PREDS["noisy"], "sc_batch": BY})
    scores = cb.evaluate(frame, truth="t", pred="sc_*", groups="sc_batch")
    assert list(scores.tables) == ["sc_1", "sc_2"]
    isolated = {"groups": "sc_batch", "iso_threshold": 2}
    by_pattern = cb.isolated_labels_f1(frame, truth="t", pred="sc_*", **isolated)
    by_name = cb.isolated_labels_f1(frame, truth="t", pred=["sc_1", "sc_2"], **isolated)
    assert by_pattern.to_dicts() == by_name.to_dicts()
    with pytest.raises(ColumnError, match=r"no column 'sc_bach'.*'sc_batch'"):
        cb.evaluate(frame, truth="t", pred="sc_1", groups="sc_bach")
