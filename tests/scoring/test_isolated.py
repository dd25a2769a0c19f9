"""Isolated labels: equal to scib's values, and to the definition spelled out."""

import json
import math
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import clusterbits as cb
from clusterbits.errors import ClusterbitsError

DATA = Path(__file__).parents[2] / "docs" / "data"
few = st.integers(0, 3)


def by_definition(truth, runs, batch, threshold):
    """Return the mean of the best F1 over labels in few batches, loop by loop."""
    batches = {c: len({b for x, b in zip(truth, batch, strict=True) if x == c}) for c in truth}
    threshold = min(batches.values()) if threshold is None else threshold
    threshold = min(threshold, len(set(batch)) - 1)
    best = []
    for label in (label for label, count in batches.items() if count <= threshold):
        values = []
        for pred in runs:
            for cluster in set(pred):
                common = list(zip(truth, pred, strict=True)).count((label, cluster))
                values.append(2 * common / (truth.count(label) + pred.count(cluster)))
        best.append(max(values))
    return float(np.mean(best)) if best else math.nan


@settings(max_examples=60)
@given(
    st.lists(st.tuples(few, few, few, few), min_size=1, max_size=12), st.sampled_from([None, 1, 2])
)
def test_equal_to_the_definition(rows, threshold):
    truth, first, second, batch = map(list, zip(*rows, strict=True))
    runs, options = {"run_1": first, "run_2": second}, {"iso_threshold": threshold}
    result = cb.isolated_labels_f1(truth, runs, batch, **options)
    expected = by_definition(truth, [first, second], batch, threshold)
    assert result.f1 == pytest.approx(expected, abs=1e-15, nan_ok=True)
    frame = pd.DataFrame({"t": truth, **runs, "b": batch})
    by_name = cb.isolated_labels_f1(frame, truth="t", pred="run*", groups="b", **options)
    assert by_name.f1 == pytest.approx(expected, abs=1e-15, nan_ok=True)
    assert [row.label for row in by_name.rows] == [row.label for row in result.rows]


def test_perfect_clusters_are_exactly_one():
    truth = [0, 0, 0, 1, 2, 2]
    result = cb.isolated_labels_f1(truth, truth, [0, 1, 1, 1, 0, 0])
    assert result.f1 == 1
    assert [(row.label, row.batches, row.objects) for row in result.rows] == [(1, 1, 1), (2, 1, 2)]
    weighted = cb.isolated_labels_f1(truth, truth, [0, 1, 1, 1, 0, 0], weights=[0.1] * 6)
    assert weighted.f1 == 1


def test_labels_in_all_batches_are_not_isolated():
    result = cb.isolated_labels_f1([0, 0, 1, 1], [0, 0, 1, 1], [0, 1, 0, 1])
    assert math.isnan(result.f1)
    assert result.rows == ()
    assert repr(result).startswith("No label is isolated.")
    assert cb.isolated_labels_f1([0, 1], [0, 1], ["a", "a"]).rows == ()


def test_a_threshold_of_all_batches_means_all_but_one():
    truth, batch = ["T", "T", "T", "B", "B", "NK"], [0, 1, 2, 0, 1, 0]
    for threshold in (2, 3, 9):
        result = cb.isolated_labels_f1(truth, truth, batch, iso_threshold=threshold)
        assert result.title == "Mean F1 1.0000 of 2 isolated labels (in at most 2 batches)."
        assert result.iso_threshold == 2


def test_batches_are_those_of_all_runs():
    """A run may lack a batch of which no object has a cluster."""
    truth, batch = ["T", "B", "T", "B"], ["x", "x", "y", "z"]
    runs = {"one": [0, 1, 0, None], "other": [0, 1, None, 1]}
    result = cb.isolated_labels_f1(truth, runs, batch, missing="drop", iso_threshold=9)
    assert [(row.label, row.batches) for row in result.rows] == [("B", 2), ("T", 2)]


def test_equal_to_scib():
    h5py = pytest.importorskip("h5py", reason="h5py is not installed")
    scib = json.loads((DATA / "pbmc68k_scib.json").read_text(encoding="utf-8"))
    tables = cb.Contingency.from_file(DATA / "pbmc68k.h5ad", "cell_type", "leiden*")
    scores = cb.evaluate(tables, measures=["ari", "nmi"])
    assert scores["ari"] == pytest.approx(scib["ari"], rel=1e-13)
    assert scores["nmi"] == pytest.approx(scib["nmi"], rel=1e-13)
    with h5py.File(DATA / "pbmc68k.h5ad") as root:
        obs = {name: root["obs"][name]["codes"][()] for name in (*tables, "cell_type", "well")}
    runs = {name: obs[name] for name in tables}
    for threshold, value in scib["isolated_labels_f1"].items():
        result = cb.isolated_labels_f1(
            obs["cell_type"], runs, obs["well"], iso_threshold=int(threshold)
        )
        assert result.f1 == pytest.approx(value, rel=1e-13)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({}, "pass groups"),
        ({"groups": [0]}, "truth has 2 labels and groups has 1"),
        ({"groups": [0, None]}, "groups has 1 missing"),
        (
            {"groups": [0, 1], "unmatched": "class"},
            "unmatched='class' cannot be combined with groups",
        ),
        ({"groups": [0, 1], "treshold": 1}, "no option"),
    ],
)
def test_wrong_calls(options, message):
    with pytest.raises((ClusterbitsError, TypeError), match=message):
        cb.isolated_labels_f1([0, 1], [0, 1], **options)
