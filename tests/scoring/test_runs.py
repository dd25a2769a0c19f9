"""Runs of `evaluate`, `pairwise` and `compare`: every container of several clusterings."""

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from sklearn.cluster import DBSCAN, KMeans

import clusterbits as cb
from clusterbits.errors import (
    ColumnError,
    LabelError,
    MeasureError,
    NothingToCountError,
    TableError,
)

TRUTH = ["a", "a", "b", "b", "b"]
COLUMNS = {"k2": [0, 0, 1, 1, 1], "k3": [0, 1, 2, 2, 2], "k1": [5, 5, 5, 5, 5]}
ARRAY = np.array(list(COLUMNS.values())).T
POINTS = np.array([[0.0], [0.1], [5.0], [5.1], [9.9]])

CONTAINERS = {
    "mapping": (COLUMNS, tuple(COLUMNS)),
    "mapping of numbers": (dict(zip((2, 3, 1), COLUMNS.values(), strict=True)), (2, 3, 1)),
    "mapping of numpy's numbers": (
        dict(zip(np.array([0.5, 1.0, 2.0]), COLUMNS.values(), strict=True)),
        (0.5, 1.0, 2.0),
    ),
    "pandas": (pd.DataFrame(COLUMNS), tuple(COLUMNS)),
    "pandas, numbered": (pd.DataFrame(ARRAY), (0, 1, 2)),
    "polars": (pl.DataFrame(COLUMNS), tuple(COLUMNS)),
    "arrow": (pa.table(COLUMNS), tuple(COLUMNS)),
    "record batch": (pa.RecordBatch.from_pydict(COLUMNS), tuple(COLUMNS)),
    "array": (ARRAY, (0, 1, 2)),
    "array of text": (ARRAY.astype(str), (0, 1, 2)),
    "list of arrays": (list(ARRAY.T), (0, 1, 2)),
    "tuple of arrow arrays": (tuple(pa.array(row) for row in ARRAY.T.tolist()), (0, 1, 2)),
    "list of Series": ([pd.Series(v, name=k) for k, v in COLUMNS.items()], tuple(COLUMNS)),
    "list of nameless Series": ([pd.Series(v) for v in COLUMNS.values()], (0, 1, 2)),
    "list of namesakes": ([pl.Series("k", v) for v in COLUMNS.values()], (0, 1, 2)),
}


@pytest.mark.parametrize(("runs", "names"), CONTAINERS.values(), ids=CONTAINERS)
def test_containers(runs, names):
    scores = cb.evaluate(TRUTH, runs, measures=["q0", "ari"])
    assert scores.clusterings == names
    assert [type(name) for name in scores.clusterings] == [type(name) for name in names]
    expected = [cb.ari(TRUTH, labels) for labels in COLUMNS.values()]
    assert list(scores["ari"].values()) == expected
    square = cb.pairwise(runs, measure="ari")
    assert square.names == names
    assert square[names[0], names[1]] == cb.ari(COLUMNS["k2"], COLUMNS["k3"])


LISTS = list(COLUMNS.values())


@pytest.mark.parametrize(
    ("truth", "options"),
    [(TRUTH, {}), (pd.Series(TRUTH, index=list("vwxyz")), {"groups": [0, 0, 1, 1, 1]})],
)
def test_lists_as_long_as_truth_are_runs(truth, options):
    scores = cb.evaluate(truth, LISTS, "ari", **options)
    assert scores["ari"] == {i: cb.ari(TRUTH, labels) for i, labels in enumerate(LISTS)}
    assert cb.compare(truth, LISTS, measure="ari", rng=0).rows[0].clustering == 0
    assert cb.pairwise(LISTS, measure="ari").names == (0, 1, 2)


def test_lists_of_lists_are_runs_and_sets_are_clusters():
    truth = dict(zip("vwxyz", TRUTH, strict=True))
    lists = [["v", "w"], ["x", "y", "z"]]
    for clusters in (list(map(set, lists)), dict(enumerate(map(set, lists)))):
        assert cb.evaluate(truth, clusters, "rand")["rand"] == 1
    assert cb.evaluate(truth, cb.Labels.from_clusters(lists), "rand")["rand"] == 1
    for runs in (lists, dict(enumerate(lists))):
        with pytest.raises(LabelError, match="clustering 0 has no ids"):
            cb.evaluate(truth, runs)
        with pytest.raises(LabelError, match="clustering 0: truth has 5 labels and pred has 2"):
            cb.evaluate(TRUTH, runs)
    with pytest.raises(LabelError, match=r"evaluate\(truth, runs\)"):
        cb.rand(TRUTH, LISTS)


# --- frames beside a truth with ids --------------------------------------------------------------

BY_ID = dict(zip("vwxyz", TRUTH, strict=True))
SHUFFLED = pd.DataFrame({"id": list("vwxyz"), **COLUMNS}).sample(frac=1, random_state=1)
ID_FRAMES = {
    "ids first": SHUFFLED,
    "named index": SHUFFLED.set_index("id"),
    "index of names": SHUFFLED.set_index("id").rename_axis(None),
    "polars": pl.DataFrame(SHUFFLED.to_dict("list")),
    "arrow": pa.table(SHUFFLED.to_dict("list")),
}


@pytest.mark.parametrize("frame", ID_FRAMES.values(), ids=ID_FRAMES)
@pytest.mark.parametrize("runs", [["k3"], ["k2", "k3", "k1"]])
def test_runs_in_a_frame_with_ids(frame, runs):
    """The rule is one for frames of any width: ids in an index that has some, or first."""
    if hasattr(frame, "iloc"):
        part = frame[[name for name in frame if name in ("id", *runs)]]
    else:
        part = frame.select(["id", *runs])
    scores = cb.evaluate(BY_ID, part, "ari")
    assert [row.value for row in scores.rows] == [cb.ari(TRUTH, COLUMNS[name]) for name in runs]
    if len(runs) > 1:
        assert scores.clusterings == tuple(runs)
        assert cb.compare(BY_ID, part, measure="ari", rng=0).rows[0].clustering == "k2"


def test_integer_ids_in_an_index_need_a_name():
    truth = dict(enumerate(TRUTH))
    frame = pd.DataFrame(COLUMNS)[["k2", "k3"]]
    named = cb.evaluate(truth, frame.rename_axis("id"), "ari")
    assert named == cb.evaluate(TRUTH, frame, "ari")
    with pytest.raises(LabelError, match="has the id 5 twice"):
        cb.evaluate(truth, pd.DataFrame(COLUMNS)[["k1", "k2", "k3"]])


def test_estimators():
    fitted = [
        KMeans(2, n_init=1, random_state=0).fit(POINTS),
        KMeans(3, n_init=1, random_state=0).fit(POINTS),
        DBSCAN(eps=1, min_samples=1).fit(POINTS),
        DBSCAN(eps=9, min_samples=1).fit(POINTS),
    ]
    scores = cb.evaluate(TRUTH, fitted, measures="ari")
    assert scores.clusterings == (
        "KMeans(n_clusters=2)",
        "KMeans(n_clusters=3)",
        "DBSCAN 1",
        "DBSCAN 2",
    )
    assert list(scores["ari"].values()) == [cb.ari(TRUTH, model.labels_) for model in fitted]
    with pytest.raises(LabelError, match="KMeans without labels_: fit it"):
        cb.evaluate(TRUTH, [KMeans(2), KMeans(3)])


@pytest.mark.parametrize("options", [{}, {"groups": [0, 0, 1, 1, 1]}])
def test_errors_name_the_run(options):
    with pytest.raises(LabelError, match="clustering 'short': truth has 5 labels and pred has 2"):
        cb.evaluate(TRUTH, COLUMNS | {"short": [0, 1]}, **options)
    with pytest.raises(NothingToCountError, match="clustering 7: every object is noise"):
        cb.evaluate(TRUTH, {2: COLUMNS["k2"], 7: [-1] * 5}, noise="drop", **options)


@pytest.mark.parametrize(
    ("runs", "options"), [(ARRAY.T, {}), (pd.DataFrame(ARRAY.T), {"groups": [0, 0, 1, 1, 1]})]
)
def test_runs_in_rows_are_refused(runs, options):
    with pytest.raises(LabelError, match="truth has 5 labels and pred has 3"):
        cb.evaluate(TRUTH, runs, **options)


# --- columns of a frame --------------------------------------------------------------------------

FRAME = {"species": TRUTH, **COLUMNS, "size": [1, 2, 3, 1, 1], "patient": list("uvvuu")}
FRAMES = {
    "pandas": pd.DataFrame(FRAME, index=list("vwxyz")),
    "polars": pl.DataFrame(FRAME),
    "lazy polars": pl.LazyFrame(FRAME),
    "arrow": pa.table(FRAME),
}


@pytest.mark.parametrize("frame", FRAMES.values(), ids=FRAMES)
def test_columns_of_frames(frame):
    scores = cb.evaluate(frame, truth="species", pred="k*", measures="ari")
    assert scores == cb.evaluate(TRUTH, COLUMNS, measures="ari")
    plain = cb.evaluate(frame, truth="species", pred="k3", measures="ari")
    assert plain.clusterings == ("k3",)
    weighted = cb.evaluate(frame, truth="species", pred="k3", measures="ari", weights="size")
    assert weighted["ari"] == cb.ari(TRUTH, COLUMNS["k3"], weights=FRAME["size"]) != plain["ari"]
    balanced = cb.evaluate(frame, truth="species", pred=["k3"], measures="ari", weights="balanced")
    assert balanced["ari"] == cb.ari(TRUTH, COLUMNS["k3"], weights="balanced") != plain["ari"]


def test_truth_by_keyword():
    scores = cb.evaluate(TRUTH, COLUMNS, measures="ari")
    assert cb.evaluate(truth=TRUTH, pred=COLUMNS, measures="ari") == scores
    two = pd.DataFrame({"species": TRUTH, "k3": COLUMNS["k3"]})
    assert cb.evaluate(two, measures="ari")["ari"] == scores["ari"]["k3"]
    table = cb.Contingency.from_labels(TRUTH, COLUMNS["k3"])
    assert cb.evaluate(truth=table, measures="ari")["ari"] == scores["ari"]["k3"]


@pytest.mark.parametrize(
    ("call", "kind", "message"),
    [
        (lambda: cb.evaluate(), MeasureError, "nothing to score"),
        (lambda: cb.evaluate(TRUTH, COLUMNS, truth=TRUTH), MeasureError, "truth was given twice"),
        (lambda: cb.evaluate(TRUTH), MeasureError, "pred is missing"),
        (
            lambda: cb.evaluate(FRAMES["polars"], truth="spices", pred="k3"),
            ColumnError,
            "Did you mean 'species'",
        ),
        (
            lambda: cb.evaluate(FRAMES["arrow"], truth="species", pred="k3", align=True),
            ColumnError,
            "align=: columns of one source",
        ),
        (
            lambda: cb.evaluate(FRAMES["pandas"], truth="species", pred="k3", groups="patent"),
            ColumnError,
            "no column 'patent'. Did you mean 'patient'",
        ),
    ],
)
def test_wrong_calls(call, kind, message):
    with pytest.raises(kind, match=message):
        call()


def test_errors_name_the_run_or_group_they_are_about():
    truth, pred, uneven = [0, 0, 1, 1], [0, 0, 0, 1], [1, 1, 1, 1e-12]
    with pytest.raises(TableError, match="clustering 'b': "):
        cb.evaluate(truth, {"a": [0, 1, 1, 0], "b": pred}, weights=uneven)
    with pytest.raises(TableError, match="group 'h': "):
        cb.evaluate(truth * 2, [0, 1, 1, 0, *pred], groups=[*"gggghhhh"], weights=[1] * 4 + uneven)


def test_iterators_are_read_once():
    truth, a, b = [0, 0, 1, 1] * 5, [0, 0, 1, 0] * 5, [0, 1, 1, 1] * 5
    options = {"measures": "q0", "confidence_level": 0.9}
    expected = cb.evaluate(truth, {"a": a, "b": b}, **options)
    assert cb.evaluate(iter(truth), {"a": iter(a), "b": iter(b)}, **options) == expected
    groups = [0, 1, 2, 3, 4] * 4
    expected = cb.evaluate(truth, {"a": a, "b": b}, groups=groups, **options)
    assert cb.evaluate(truth, {"a": a, "b": b}, groups=iter(groups), **options) == expected
