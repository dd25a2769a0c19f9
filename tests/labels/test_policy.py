"""Label policies: noise dropped or alone, missing labels, and what coverage says of them."""

import dataclasses
import warnings
from typing import get_type_hints

import numpy as np
import pandas as pd
import polars as pl
import pytest

import clusterbits as cb
from clusterbits.cli.inputs import Input
from clusterbits.errors import (
    ClusterbitsError,
    ClusterbitsWarning,
    CostError,
    LabelError,
)
from clusterbits.labels.options import OPTIONS, LabelOptions, LabelPolicy


@pytest.mark.parametrize(
    ("label", "noise", "other"),
    [
        (-1, [-1, "-1"], [1, "1", None, -10]),
        ("007", ["007"], [7, "7"]),
        (7, [7, "7"], ["007"]),
        (np.array(7.0), [7, "7"], ["007"]),  # as a tensor has it
        (True, ["True"], [1, "1"]),  # which equals 1
    ],
)
def test_noise_is_known_as_number_and_as_text(label, noise, other):
    policy = LabelPolicy(noise="drop", noise_label=label)
    assert all(map(policy.is_noise, noise))
    assert not any(map(policy.is_noise, other))
    truth, pred = range(len(noise + other)), noise + other
    table = cb.Contingency.from_labels(
        truth, pred, noise="drop", noise_label=label, missing="class"
    )
    assert set(table.clusters) == set(other)
    table = cb.Contingency(pred, truth, truth_noise=label, missing="class")
    assert set(table.classes) == set(other)


def test_text_is_no_number_but_the_command_line_has_only_text(run, tmp_path):
    """In Python, "1" is not the label 1, and what does not occur is noted; a shell has only "1"."""
    truth, pred = [1, 1, 2, 2, 2, 3], [0, -1, 5, 5, -1, 5]
    frame = pd.DataFrame({"t": truth, "k": pred})
    frame.to_parquet(tmp_path / "x.parquet")
    frame.to_csv(tmp_path / "x.csv", index=False)
    table = cb.Contingency.from_labels(truth, pred)
    table.save(tmp_path / "x.json")
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
        assert (code, "--truth-noise: '4' is not a class" in err) == (0, True)
    for command in ("compare", "explain"):
        assert run(command, "x.csv", "--truth-noise", "1")[0] == 0
    code, _, err = run("compare", "x.json", "--truth-noise", "1")
    assert (code, "to which --truth-noise does not apply" in err) == (2, True)


@pytest.mark.parametrize("label", [[1], np.array([1, 2]), pd.NA], ids=str)
def test_a_noise_label_is_one_label(label):
    for options in ({"noise": "drop", "noise_label": label}, {"truth_noise": [label]}):
        with pytest.raises(LabelError, match=r"is not a label|a label is one value"):
            LabelPolicy(**options)


def test_noise_is_found_beside_a_stray_text(run, tmp_path):
    """One text makes a column of floats text: -1.0 is still what -1 means."""
    (tmp_path / "labels.csv").write_text("t,k\n4.0,-1.0\n2.0,0.0\n2.0,1.0\nx,oops\n")
    table = cb.Contingency.from_file("labels.csv", noise="drop", truth_noise=4)
    assert (table.n, table.coverage.of_objects) == (3, 4)
    code, out, err = run("score", "labels.csv", "--noise", "drop", "--truth-noise", "4", "-m", "q0")
    assert (code, err) == (0, "")
    assert "Scored 3 of 4 objects" in out
    assert "The label -1 (25 % of the objects)" in run("score", "labels.csv")[1]


def test_a_noise_label_that_does_not_occur(run, tmp_path):
    truth, pred = ["a", "b", "b"], ["x", "noise", "y"]
    for way in (
        lambda **o: cb.Contingency.from_frame(pl.LazyFrame({"t": truth, "k": pred}), **o),
        lambda **o: cb.Contingency.from_batches([(truth, pred)] * 2, **o),
        lambda **o: cb.evaluate(truth, pred, **o),
    ):
        with pytest.warns(ClusterbitsWarning, match=r"'nosie' is not a cluster.*mean 'noise'"):
            way(noise="drop", noise_label="nosie")
        with pytest.warns(ClusterbitsWarning, match="means nothing"):
            way(noise_label="noise")
        with pytest.warns(ClusterbitsWarning, match="Pass noise_label='noise'"):
            way(noise="drop")
        way(noise="singletons", noise_label="noise")
    cb.evaluate(truth, ["x", "x", "y"], noise="drop")  # the usual label need not occur
    (tmp_path / "labels.csv").write_text("t,k\na,x\nb,noise\nb,y\n")
    command = ("score", "labels.csv", "--noise", "drop")
    code, _, errors = run(*command, "--noise-label", "nosie")
    assert (code, errors.count("\n")) == (0, 1)
    assert "Did you mean 'noise'?" in errors
    assert "Pass --noise-label noise." in run(*command)[2]
    assert run(*command, "--noise-label", "noise")[2] == ""
    code, _, errors = run("explain", "labels.csv", "--noise-label", "noise")
    assert (code, errors.count("\n")) == (0, 1)
    assert "means nothing" in errors


def test_coverage_counts_noise_and_missing_labels():
    table = cb.Contingency.from_labels(
        ["a", "b", None, "a"], [1, -1, 1, 1], noise="drop", missing="drop"
    )
    assert table.coverage == (table.n, 4, 1, 2)


@pytest.mark.parametrize("weight", [10**9, 10**17])
def test_too_many_singletons_are_refused_before_they_are_made(weight):
    with pytest.raises(CostError, match=r"noise as [\d,]+ singletons.* GB of memory"):
        cb.Contingency.from_labels([1, 2], [-1, 0], weights=[weight, 1], noise="singletons")


def test_an_option_that_is_true_or_false_is_no_word():
    series, other = pd.Series([0, 1, 2]), pd.Series([0, 1, 2], index=[2, 1, 0])
    for word in ("no", "", 0, None):
        with pytest.raises(ClusterbitsError, match=r"align: .* is neither True nor False"):
            cb.rand(series, other, align=word)
        with pytest.raises(ClusterbitsError, match=r"header: .* is neither True nor False"):
            cb.Contingency.from_file("labels.csv", header=word)
        with pytest.raises(ClusterbitsError, match=r"normalize: .* is neither True nor False"):
            cb.covers.Memberships([[1, 1]], normalize=word)
    assert cb.rand(series, other, align=np.True_) == 1


@pytest.mark.parametrize(
    "collection",
    [
        range(3),
        {0: "a", 1: "b", 2: "c"}.keys(),
        pd.Series([0, 1, 2]),
        np.arange(3),
        iter([0, 1, 2]),
    ],
    ids=lambda collection: type(collection).__name__,
)
def test_whatever_holds_labels_is_several_classes_of_noise(collection):
    scores = cb.evaluate(
        [0, 1, 2, 3, 4], {"a": [0] * 5, "b": [1] * 5}, "q0", truth_noise=collection
    )
    assert [table.n for table in scores.tables.values()] == [2, 2]


def test_noise_classes_are_named_as_classes_are():
    days = np.array(["2024-05-01", "2024-05-02"], dtype="M8[ns]")
    assert cb.Contingency(days, [0, 1], truth_noise=days[:1]).n == 1


@pytest.mark.parametrize("word", ["noise", "Noise", "outlier", "Outliers"])
@pytest.mark.parametrize("noise", ["drop", "singletons"])
def test_a_cluster_that_is_likely_noise(word, noise):
    truth, pred = ["a", "a", "b", "b"], ["x", "x", "y", word]
    with pytest.warns(ClusterbitsWarning, match=f"Pass noise_label='{word}'"):
        cb.q0(truth, pred, noise=noise)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        cb.q0(truth, pred, noise=noise, noise_label=word)
        cb.q0(truth, ["x", "-1", "y", word], noise=noise)
        cb.q0(truth, pred)


def test_true_is_not_the_noise_label_1():
    table = cb.Contingency(["a", "a", "b"], [True, False, True], noise="drop", noise_label="True")
    assert table.n == 1
    with pytest.warns(UserWarning, match="1 is not a cluster"):
        assert cb.Contingency(["a", "b"], [True, False], noise="drop", noise_label=1).n == 2


def test_options_of_commands_are_those_of_labels():
    defaults = {option.name: option.default for option in dataclasses.fields(Input)}
    declared = {name: option.default for name, option in OPTIONS.items() if name != "align"}
    # Images have another usual noise label, so that the command line leaves it open.
    assert {name: defaults[name] for name in declared} == declared | {"noise_label": None}


def test_the_checked_options_have_the_declared_types():
    declared = get_type_hints(LabelOptions)
    assert {name: get_type_hints(LabelPolicy)[name] for name in declared} == declared


def test_a_missing_label_is_not_noise():
    with pytest.raises(LabelError, match="noise_label must be a label, got None"):
        LabelPolicy(noise="drop", noise_label=None)
