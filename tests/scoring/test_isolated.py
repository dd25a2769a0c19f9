"""Isolated labels: equal to scib's values, and to the definition spelled out."""

import json
import math
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import clusterbits as cb
from clusterbits.errors import ClusterbitsError

DATA = Path(__file__).parents[2] / "docs" / "data"
few = st.integers(0, 3)


def by_definition(truth, runs, batch, most):
    """Return the mean over labels in at most `most` batches of the best F1, loop by loop."""
    own = {label: {b for c, b in zip(truth, batch, strict=True) if c == label} for label in truth}
    least = min(map(len, own.values())) if most is None else most
    isolated = [c for c, some in own.items() if len(some) <= least and len(some) < len(set(batch))]
    best = []
    for label in isolated:
        values = []
        for pred in runs:
            for cluster in set(pred):
                pairs = list(zip(truth, pred, strict=True))
                both = sum(c == label and k == cluster for c, k in pairs)
                values.append(2 * both / (truth.count(label) + pred.count(cluster)))
        best.append(max(values))
    return float(np.mean(best)) if best else math.nan


@settings(max_examples=60)
@given(
    st.lists(st.tuples(few, few, few, few), min_size=1, max_size=12), st.sampled_from([None, 1, 2])
)
def test_equal_to_the_definition(rows, most):
    truth, one, other, batch = map(list, zip(*rows, strict=True))
    runs = {"one": one, "other": other}
    found = cb.isolated_labels_f1(truth, runs, batch, iso_threshold=most)
    expected = by_definition(truth, [one, other], batch, most)
    assert found.f1 == pytest.approx(expected, abs=1e-15, nan_ok=True)
    frame = pd.DataFrame({"t": truth, "run_1": one, "run_2": other, "b": batch})
    same = cb.isolated_labels_f1(frame, truth="t", pred="run*", batch="b", iso_threshold=most)
    assert same.f1 == pytest.approx(expected, abs=1e-15, nan_ok=True)
    assert [row.label for row in same.labels] == [row.label for row in found.labels]


def test_perfect_clusters_are_exactly_one():
    truth = [0, 0, 0, 1, 2, 2]
    found = cb.isolated_labels_f1(truth, truth, [0, 1, 1, 1, 0, 0])
    assert found.f1 == 1
    assert [(row.label, row.batches, row.objects) for row in found.labels] == [(1, 1, 1), (2, 1, 2)]
    weighted = cb.isolated_labels_f1(truth, truth, [0, 1, 1, 1, 0, 0], weights=[0.1] * 6)
    assert weighted.f1 == 1


def test_labels_in_all_batches_are_not_isolated():
    found = cb.isolated_labels_f1([0, 0, 1, 1], [0, 0, 1, 1], [0, 1, 0, 1])
    assert math.isnan(found.f1)
    assert found.labels == ()
    assert repr(found).startswith("No label is isolated.")
    assert cb.isolated_labels_f1([0, 1], [0, 1], ["a", "a"]).labels == ()


def test_equal_to_scib():
    h5py = pytest.importorskip("h5py", reason="h5py is not installed")
    with h5py.File(DATA / "pbmc68k.h5ad") as root:
        obs = {
            name: column["categories"].asstr()[()][column["codes"][()]]
            for name, column in root["obs"].items()
            if "codes" in column
        }
    theirs = json.loads((DATA / "pbmc68k_scib.json").read_text(encoding="utf-8"))
    runs = {name: labels for name, labels in obs.items() if name.startswith("leiden")}
    scores = cb.evaluate(obs["cell_type"], runs, ["ari", "nmi"])
    assert scores["ari"] == pytest.approx(theirs["ari"], rel=1e-13)
    assert scores["nmi"] == pytest.approx(theirs["nmi"], rel=1e-13)
    for most, value in theirs["isolated_labels_f1"].items():
        found = cb.isolated_labels_f1(obs["cell_type"], runs, obs["well"], iso_threshold=int(most))
        assert found.f1 == pytest.approx(value, rel=1e-13)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({}, "which batch"),
        ({"batch": [0, 1], "iso_threshold": 0}, "1 or more"),
        ({"batch": [0, 1], "iso_threshold": 1.5}, "1 or more"),
        ({"batch": [0]}, "label"),
        ({"batch": [0, None]}, "missing"),
        ({"batch": [0, 1], "treshold": 1}, "has no option 'treshold'"),
    ],
)
def test_wrong_calls(options, message):
    with pytest.raises(ClusterbitsError, match=message):
        cb.isolated_labels_f1([0, 1], [0, 1], **options)


def test_plot():
    ax = cb.isolated_labels_f1(["a", "a", "b"], [0, 1, 1], [0, 1, 1]).plot()
    assert [text.get_text() for text in ax.get_yticklabels()] == ["b"]
    assert "F1" in ax.get_xlabel()
    plt.close(ax.figure)
