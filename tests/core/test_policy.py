"""Label policies: noise dropped or alone, missing labels, and what coverage says of them."""

import numpy as np
import pandas as pd
import polars as pl
import pytest

import clusterbits as cb
from clusterbits.core.cells import Cells, as_names
from clusterbits.core.policy import LabelPolicy, NoiseSingleton, treat_noise
from clusterbits.errors import (
    ClusterbitsWarning,
    CostError,
    LabelError,
    NothingToCountError,
)


@pytest.mark.parametrize(
    ("label", "noise", "other"),
    [(-1, [-1, "-1"], [1, "1", None, -10]), ("007", ["007"], [7, "7"]), (7, [7, "7"], ["007"])],
)
def test_noise_is_known_as_number_and_as_text(label, noise, other):
    policy = LabelPolicy("drop", noise_label=label)
    assert all(map(policy.is_noise, noise))
    assert not any(map(policy.is_noise, other))
    truth, pred = range(len(noise + other)), noise + other
    table = cb.Contingency.from_labels(
        truth, pred, noise="drop", noise_label=label, missing="class"
    )
    assert set(table.clusters) == set(other)


def test_text_is_no_number_but_the_command_line_has_only_text(run, tmp_path):
    """In Python, "1" is not the label 1, and what does not occur is noted; a shell has only "1"."""
    truth, pred = [1, 1, 2, 2, 2, 3], [0, -1, 5, 5, -1, 5]
    frame = pd.DataFrame({"t": truth, "k": pred})
    frame.to_parquet(tmp_path / "x.parquet")
    frame.to_csv(tmp_path / "x.csv", index=False)
    whole = cb.Contingency.from_labels(truth, pred)
    whole.save(tmp_path / "x.json")
    ways = [
        lambda **o: cb.Contingency.from_labels(truth, pred, **o).n,
        lambda **o: cb.Contingency.from_frame(frame, **o).n,
        lambda **o: cb.Contingency.from_frame(pl.from_pandas(frame).lazy(), **o).n,
        lambda **o: cb.Contingency.from_file(tmp_path / "x.parquet", **o).n,
        lambda **o: cb.Contingency.from_batches([(truth, pred)], **o).n,
        lambda **o: cb.evaluate(truth, pred, groups=truth, **o).tables["pred"].n,
    ]
    for way in ways:
        assert way(truth_noise=[1, 3]) == 3
        assert way(noise="drop") == 4
        # A label is known by how it is written.
        assert way(truth_noise=["1", "3"]) == 3
        assert way(noise="drop", noise_label="-1") == 4
    assert cb.Contingency.from_file(tmp_path / "x.csv", truth_noise=[1, 3]).n == 3
    for file in ("x.parquet", "x.csv", "x.json"):
        for words, n in (
            (["--truth-noise", "1", "--truth-noise", "3"], 3),
            (["--noise", "drop"], 4),
            (["--noise", "drop", "--noise-label", "5", "--truth-noise", "2"], 2),
        ):
            code, out, err = run("score", file, *words, "-m", "q0")
            assert (code, err) == (0, "")
            assert f"{n} objects, " in out
        code, _, err = run("score", file, "--truth-noise", "4")
        assert (code, "truth_noise='4' is no class" in err) == (0, True)
    for command in ("compare", "explain"):
        assert run(command, "x.csv", "--truth-noise", "1")[0] == 0
    code, _, err = run("compare", "x.json", "--truth-noise", "1")
    assert (code, "to which --truth-noise does not apply" in err) == (2, True)


def noisy(counts):
    """Return the cells of classes a and b in the noise cluster and in cluster 0."""
    table = cb.Contingency.from_counts(counts, classes=["a", "b"], clusters=[-1, 0])
    return table.cells


def test_without_a_policy_noise_is_a_cluster():
    cells = noisy([[2, 1], [1, 3]])
    assert treat_noise(cells, LabelPolicy()) is cells
    with pytest.warns(ClusterbitsWarning, match="noise_label='other' is no cluster"):
        assert treat_noise(cells, LabelPolicy("drop", noise_label="other")) is cells


@pytest.mark.parametrize("label", [[1], np.array([1, 2]), pd.NA, {}], ids=str)
def test_a_noise_label_is_one_label(label):
    with pytest.raises(LabelError, match="one label, such as -1"):
        LabelPolicy("drop", noise_label=label)


@pytest.mark.parametrize("noise", ["drop", "singletons"])
def test_a_noise_label_that_does_not_occur(noise, run, tmp_path):
    truth, pred = ["a", "b", "b"], ["x", "noise", "y"]
    options = {"noise": noise, "noise_label": "nosie"}
    ways = [
        lambda **o: cb.Contingency.from_labels(truth, pred, **o),
        lambda **o: cb.Contingency.from_frame(pd.DataFrame({"t": truth, "k": pred}), **o),
        lambda **o: cb.Contingency.from_frame(pl.LazyFrame({"t": truth, "k": pred}), **o),
        lambda **o: cb.Contingency.from_batches([(truth, pred)] * 2, **o),
        lambda **o: cb.evaluate(truth, pred, **o),
        lambda **o: cb.rand(truth, pred, **o),
        lambda **o: cb.compare(truth, pred, pred, measure="rand", n_resamples=10, **o),
    ]
    for way in ways:
        with pytest.warns(ClusterbitsWarning, match=r"'nosie' is no cluster.*mean 'noise'"):
            way(**options)
        way(noise=noise)  # without noise, the usual label need not occur
        way(noise=noise, noise_label="noise")
    (tmp_path / "labels.csv").write_text("t,k\na,x\nb,noise\nb,y\n")
    asked = ("score", "labels.csv", "--noise", noise)
    code, _, errors = run(*asked, "--noise-label", "nosie")
    assert (code, errors.count("\n")) == (0, 1)
    assert "Did you mean 'noise'?" in errors
    assert run(*asked)[2] == run(*asked, "--noise-label", "noise")[2] == ""


def test_a_noise_label_without_noise_is_noted(run, tmp_path):
    truth, pred = ["a", "b", "b"], ["x", "noise", "y"]
    frame = pd.DataFrame({"t": truth, "k": pred})
    frame.to_csv(tmp_path / "labels.csv", index=False)
    for way in (
        lambda **o: cb.Contingency.from_labels(truth, pred, **o),
        lambda **o: cb.Contingency.from_frame(frame, **o),
        lambda **o: cb.Contingency.from_file(tmp_path / "labels.csv", **o),
        lambda **o: cb.Contingency.from_batches([(truth, pred)] * 2, **o),
        lambda **o: cb.evaluate(truth, pred, **o),
        lambda **o: cb.rand(truth, pred, **o),
        lambda **o: cb.explain(truth, pred, **o),
        lambda **o: cb.pairwise({"a": truth, "b": pred}, measure="rand", **o),
        lambda **o: cb.interval(truth, pred, measure="rand", n_resamples=10, **o),
        lambda **o: cb.compare(truth, pred, pred, measure="rand", n_resamples=10, **o),
    ):
        with pytest.warns(ClusterbitsWarning, match=r"without noise: add noise='singletons'"):
            way(noise_label="noise")
        way()
    for command in ("score", "compare", "explain"):
        code, _, errors = run(command, "labels.csv", "--noise-label", "noise")
        assert (code, errors.count("\n")) == (0, 1)
        assert "without noise: add noise='singletons'" in errors


def test_dropped_noise_is_covered():
    cells = treat_noise(noisy([[2, 1], [1, 3]]), LabelPolicy("drop"))
    assert cells.counts.tolist() == [1, 3]
    assert cells.coverage == (4, 7, 1, 2)
    with pytest.raises(NothingToCountError, match="every object is noise"):
        treat_noise(noisy([[2, 0], [1, 0]]), LabelPolicy("drop"))


def test_singletons_are_numbered_by_class():
    cells = noisy([[2, 1], [1, 3]])
    turned = Cells(as_names(["a", "b"]), cells.clusters, *(a[::-1] for a in cells[2:5]))
    for given in (cells, turned):  # engines return cells in any order
        alone = treat_noise(given, LabelPolicy("singletons")).in_canonical_form()
        assert alone.clusters.tolist() == [0, *(NoiseSingleton(-1, i) for i in (1, 2, 3))]
        assert alone.rows.tolist() == [0, 0, 0, 1, 1]
        assert alone.columns.tolist() == [0, 1, 2, 0, 3]
        assert alone.counts.tolist() == [1, 1, 1, 3, 1]
    assert repr(alone.clusters[1]) == "(-1, 1)"
    with pytest.raises(LabelError, match="whole weights"):
        treat_noise(noisy([[0.5, 1], [1, 3]]), LabelPolicy("singletons"))


def test_coverage_counts_noise_and_missing_labels():
    table = cb.Contingency.from_labels(
        ["a", "b", None, "a"], [1, -1, 1, 1], noise="drop", missing="drop"
    )
    assert table.coverage == (table.n, 4, 1, 2)


@pytest.mark.parametrize("weight", [10**9, 10**17])
def test_too_many_singletons_are_refused_before_they_are_made(weight):
    with pytest.raises(CostError, match=r"would make [\d,]+ clusters.* GB of memory"):
        cb.Contingency.from_labels([1, 2], [-1, 0], weights=[weight, 1], noise="singletons")
