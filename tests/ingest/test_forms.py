"""Forms that look like another one: each is read as what it is, or refused in clear words."""

import enum

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from sklearn.cluster import KMeans

import clusterbits as cb
from clusterbits.errors import LabelError
from clusterbits.ingest.runs import as_runs

IDS = ["ann", "bob", "cid", "dan", "eve"]
CLASSES, CLUSTERS = ["x", "x", "y", "y", "y"], [1, 1, 1, 2, 2]
TRUTH = dict(zip(IDS, CLASSES, strict=True))
VALUE = cb.rand(CLASSES, CLUSTERS)
FITTED = KMeans(2, n_init=1, random_state=0).fit([[0], [0], [0], [9], [9]])
TABLE = cb.Contingency.from_labels(CLASSES, CLUSTERS)


def test_the_order_of_the_objects_matters():
    assert cb.rand(CLASSES, CLUSTERS[::-1]) != VALUE


class Color(enum.Enum):
    R = 1
    G = 2


def test_members_of_an_enum_are_labels():
    pred = dict(zip(IDS, [Color.R] * 3 + [Color.G] * 2, strict=True))
    assert cb.rand(TRUTH, pred) == VALUE
    assert cb.evaluate(TRUTH, pred, "rand")["rand"] == VALUE


# --- subclasses ----------------------------------------------------------------------------------


class OwnSeries(pd.Series):
    """A subclass of another package, as GeoSeries is."""


class OwnFrame(pd.DataFrame):
    """The same of a frame."""


def test_a_subclass_keeps_its_index():
    truth, pred = OwnSeries(CLASSES, index=IDS), OwnSeries(CLUSTERS, index=IDS)[::-1]
    for labels in (OwnSeries(pred), pd.Series(pred)):
        assert cb.rand(truth, labels) == cb.rand(truth, labels, align=True) == VALUE
        assert cb.rand(TRUTH, labels) == VALUE
    weights = OwnSeries([1, 2, 3, 4, 5], index=IDS)
    expected = cb.rand(CLASSES, CLUSTERS, weights=[1, 2, 3, 4, 5])
    assert cb.rand(TRUTH, pred, weights=OwnSeries(weights[::-1])) == expected
    with pytest.raises(LabelError, match="pred has no ids"):
        cb.rand(truth, CLUSTERS, weights=OwnSeries(weights[::-1]))
    assert cb.rand(TRUTH, OwnFrame({"id": IDS[::-1], "k": CLUSTERS[::-1]})) == VALUE


def test_an_index_label_is_no_attribute():
    """Pandas offers the labels of an index as attributes of the Series."""
    ids = ["fit", "membership", "communities", "obs", "overlap"]
    truth, pred = (pd.Series(some, index=ids) for some in (CLASSES, CLUSTERS))
    assert cb.rand(truth, pred) == cb.rand(truth.to_dict(), pred) == VALUE
    assert cb.evaluate(truth, [pred, pred], "rand").clusterings == (0, 1)
    members = {1: pd.Series(ids[:3], index=ids[:3]), 2: pd.Series(ids[3:], index=ids[3:])}
    assert cb.rand(truth.to_dict(), members) == VALUE


@pytest.mark.parametrize("make", [pd.DataFrame, pl.DataFrame, pa.table, OwnFrame])
def test_a_column_is_no_attribute(make):
    frame = make({"obs": CLASSES, "communities": CLUSTERS, "fit": CLUSTERS})
    scores = cb.evaluate(frame, truth="obs", pred="communities", measures="rand")
    assert scores["rand"] == VALUE


# --- clusters of ids, or runs --------------------------------------------------------------------

CLUSTERS_OF_IDS = {
    "lists": {1: ["cid", "bob", "ann"], 2: ["eve", "dan"]},
    "tuples": {1: ("cid", "bob", "ann"), 2: ("eve", "dan")},
    "arrays": {1: np.array(["cid", "bob", "ann"]), 2: np.array(["eve", "dan"])},
    "sets": {1: {"cid", "bob", "ann"}, 2: {"eve", "dan"}},
    "pandas groups": pd.DataFrame({"k": CLUSTERS}, index=IDS).groupby("k").groups,
    "pandas frame": pd.DataFrame({"id": IDS[::-1], "k": CLUSTERS[::-1]}),
    "polars frame": pl.DataFrame({"id": IDS[::-1], "k": CLUSTERS[::-1]}),
    "arrow table": pa.table({"id": IDS[::-1], "k": CLUSTERS[::-1]}),
}
TRUTHS = {
    "mapping": TRUTH,
    "clusters": {"x": ["bob", "ann"], "y": ["eve", "dan", "cid"]},
    "sets": [{"ann", "bob"}, {"cid", "dan", "eve"}],
    "frame": pd.DataFrame({"id": IDS, "class": CLASSES}),
}


@pytest.mark.parametrize("pred", CLUSTERS_OF_IDS.values(), ids=CLUSTERS_OF_IDS)
@pytest.mark.parametrize("truth", TRUTHS.values(), ids=TRUTHS)
def test_a_form_means_the_same_to_every_function(truth, pred):
    assert cb.rand(truth, pred) == VALUE
    if isinstance(pred, dict) and not isinstance(next(iter(pred.values())), set):
        pred = cb.Labels.from_clusters(pred)  # a mapping to lists is one of runs
    scores = cb.evaluate(truth, pred, "rand")
    assert (scores.clusterings, scores["rand"]) == (("pred",), VALUE)
    by = dict.fromkeys(IDS, "one")
    assert cb.evaluate(truth, pred, "rand", groups=by)["rand"] == VALUE
    assert cb.compare(truth, pred, pred, measure="rand", n_resamples=5)["a"].value == VALUE
    with pytest.raises(LabelError, match="two clusterings or more"):
        cb.compare(truth, pred, measure="rand", n_resamples=5)
    named = cb.evaluate(truth, {"a": pred, "b": pred}, "rand")
    assert named["rand"] == {"a": VALUE, "b": VALUE}


@pytest.mark.parametrize(
    "run",
    [
        dict(zip(IDS, CLUSTERS, strict=True)),
        [{"cid", "bob", "ann"}, {"eve", "dan"}],
        cb.Labels.from_clusters([["cid", "bob", "ann"], ["eve", "dan"]]),
        ({"cid", "bob", "ann"}, {"eve", "dan"}),
        pd.Series(CLUSTERS, index=IDS)[::-1],
    ],
)
def test_labelings_with_ids_are_runs(run):
    assert cb.evaluate(TRUTH, {"a": run}, "rand").clusterings == ("a",)
    assert cb.evaluate(TRUTH, {"a": run, "b": run}, "rand")["rand"] == {"a": VALUE, "b": VALUE}
    ranking = cb.compare(TRUTH, {"a": run, "b": run}, measure="rand", n_resamples=5)
    assert {row.clustering for row in ranking.rows} == {"a", "b"}


def test_a_soft_index_makes_no_clusters_of_runs():
    truth = pd.Series(CLASSES, index=IDS)
    runs = {"a": CLUSTERS, "b": CLUSTERS[::-1]}
    expected = cb.evaluate(CLASSES, runs, "rand")
    assert cb.evaluate(truth, runs, "rand") == expected
    assert cb.evaluate(truth, pd.DataFrame(runs, index=IDS), "rand") == expected
    assert as_runs(runs) == runs


# --- what is refused -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("call", "kind", "message"),
    [
        (lambda: cb.rand(CLASSES, {"km": FITTED}), LabelError,
         "truth has no ids"),
        (lambda: cb.rand(CLASSES, TABLE), LabelError, "shape"),
        (lambda: cb.evaluate({"t": TABLE}, groups=CLASSES), LabelError, "groups needs labels"),
        (lambda: cb.evaluate(TABLE, groups=CLASSES), LabelError, "groups needs labels"),
        (lambda: cb.rand(TRUTH, {"a": np.zeros((2, 2))}), LabelError,
         "which is no label"),
        (lambda: cb.evaluate(TRUTH, {"a": np.zeros((2, 2))}), LabelError,
         r"clustering 'a': pred has shape \(2, 2\)"),
        (lambda: cb.rand(CLASSES, KMeans), LabelError,
         "pred is the class KMeans, which is not read"),
        (lambda: cb.evaluate(CLASSES, [KMeans]), LabelError, "pred has 1"),
        (lambda: cb.rand(np.ndarray, CLASSES), LabelError, "truth is the class ndarray"),
        (lambda: cb.scorer("q2", truth_noise=[[1]]), LabelError, "one class label, or a list"),
    ],
)  # fmt: skip
def test_what_is_refused(call, kind, message):
    with pytest.raises(kind, match=message):
        call()


def test_a_scorer_leaves_out_noise_classes():
    scoring = cb.scorer("rand", truth_noise="x")
    assert repr(scoring) == "scorer('rand', truth_noise='x')"
    expected = cb.rand(CLASSES, FITTED, truth_noise="x")
    assert scoring(FITTED, [[0], [0], [0], [9], [9]], CLASSES) == expected != VALUE


@pytest.mark.parametrize("make", [pd.DataFrame, pl.DataFrame, pl.LazyFrame, pa.table])
def test_balanced_columns(make):
    columns = {"class": CLASSES, "k": CLUSTERS}
    expected = cb.Contingency.from_labels(CLASSES, CLUSTERS, weights="balanced")
    from_frame = cb.Contingency.from_frame
    assert from_frame(make(columns), "class", "k", weights="balanced") == expected
    many = from_frame(make(columns), "class", ["k"], weights="balanced")
    assert many == {"k": expected}
