"""pairwise: every clustering against every other, its picture, and scikit-learn's grid search."""

import pickle

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import clusterbits as cb
from clusterbits.errors import LabelError, MeasureError
from clusterbits.labels import pair_counting
from clusterbits.measures.catalogue import get_measure
from clusterbits.scoring import pairwise_scores as pairing
from clusterbits.scoring.pairwise_scores import Pairwise, pairwise
from clusterbits.system import kernels

N = 60
SMALL = {"a": [0, 0, 1, 1], "b": ["x", "x", "y", "z"], "c": [7, 8, 7, 8]}


def many_kinds(n=N):
    """Return labelings of all the kinds of labels there are."""
    rng = np.random.default_rng(4)

    def draw(labels):
        return np.array(labels)[rng.integers(0, len(labels), n)]

    words = np.array(["ant", "bee", "cat", "dog, wet"])
    categories = pd.Categorical(draw(words), categories=["never", *words])
    return {
        "ints": rng.integers(0, 5, n),
        "negative": rng.integers(-9, 3, n),
        "int8, all its span": draw(np.array([-128, -1, 0, 127], dtype=np.int8)),
        "int8, much of its span": draw(np.array([-100, -99, 100], dtype=np.int8)),
        "big-endian": rng.integers(-3, 3, n).astype(">i4"),
        "huge": draw(np.array([-(2**63), 5, 2**63 - 1])),
        "past int64": draw(np.array([0, 2**63, 2**64 - 1], dtype=np.uint64)),
        "high uint64": draw(np.array([2**64 - 3, 2**64 - 1], dtype=np.uint64)),
        "far apart": draw(np.arange(7) * 10**6),
        "booleans": draw([True, False]),
        "whole floats": draw([1.0, 2.0, -4.0]),
        "dates": draw(np.array(["2001-02-03", "2004-05-06"], dtype="datetime64[D]")),
        "strings": draw(words),
        "objects": draw(words).astype(object),
        "mixed list": [int(i) if i else "one" for i in rng.integers(0, 3, n)],
        "categorical": categories,
        "pandas": pd.Series(categories),
        "polars": pl.Series(draw(words).tolist(), dtype=pl.Categorical),
        "arrow": pa.chunked_array([pa.array(draw(words).tolist()).dictionary_encode()]),
        "one cluster": [3] * n,
        "all apart": np.arange(n) * 3,
    }


def double_loop(labelings, measure, **options):
    measure = get_measure(measure)
    return [[measure(a, b, **options) for b in labelings.values()] for a in labelings.values()]


def assert_same(square, labelings, measure, **options):
    expected = double_loop(labelings, measure, **options)
    np.testing.assert_allclose(square.values, expected, rtol=1e-12, atol=1e-12)


# --- values --------------------------------------------------------------------------------------


@pytest.mark.parametrize("measure", ["vi", "q0"])
def test_all_kinds_of_labels_as_in_a_double_loop(measure):
    labelings = many_kinds()
    square = pairwise(labelings, measure=measure)
    assert square.names == tuple(labelings)
    assert square.measure == get_measure(measure).name
    assert_same(square, labelings, measure)


@pytest.mark.parametrize("measure", ["ari", "ami", "homogeneity", "accuracy"])
def test_measures_of_every_family(measure):
    kinds, entry = many_kinds(), get_measure(measure)
    labelings = {name: kinds[name] for name in ("ints", "strings", "far apart", "one cluster")}
    square = pairwise(labelings, measure=measure)
    assert_same(square, labelings, entry)
    assert (square.values.diagonal() == entry.perfect).all()
    if entry.symmetric:
        np.testing.assert_array_equal(square.values, square.values.T)


@pytest.mark.parametrize("path", ["numpy", "threads", "sorting"])
def test_the_ways_of_counting_agree(monkeypatch, path):
    labelings, measure = many_kinds(), "completeness"
    expected = pairwise(labelings, measure=measure).values
    if path == "sorting":
        monkeypatch.setattr(pair_counting, "DENSE_CELLS", 0)
    if path == "numpy":
        monkeypatch.setattr(kernels, "native", None)
    if path == "threads":
        monkeypatch.setattr(pairing, "OBJECTS_PER_THREAD", 1)
        monkeypatch.setattr("os.cpu_count", lambda: 4)
    np.testing.assert_array_equal(pairwise(labelings, measure=measure).values, expected)


def test_many_objects():
    """Enough for scipy and for threads, and for counts past int8 and int16."""
    rng = np.random.default_rng(0)
    n = 2 * pairing.OBJECTS_PER_THREAD
    labelings = {str(k): rng.integers(0, k, n) for k in (2, 3, 700)}
    # A labeling with gaps must not decide how the others are counted.
    first = pd.Series(np.where(rng.random(n) < 0.1, None, "a"), dtype="category")
    labelings = {"gaps": first, **labelings}
    square = pairwise(labelings, measure="rand", missing="drop")
    assert_same(square, labelings, "rand", missing="drop")


# --- options -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "options",
    [
        {"noise": "drop"},
        {"noise": "singletons", "noise_label": 1},
        {"weights": np.array([0.5, 2, 3, 4, 5, 6])},
    ],
    ids=str,
)
def test_label_options(options):
    measure = "homogeneity"
    labelings = {"a": [0, 0, 1, 1, -1, -1], "b": [-1, 0, 0, 1, 1, 2], "c": [1, 1, 0, 0, 2, 2]}
    assert_same(pairwise(labelings, measure=measure, **options), labelings, measure, **options)


@pytest.mark.parametrize("missing", ["drop", "class"])
def test_missing_labels(missing):
    labelings = {
        "a": [0, 0, 1, None, 1],
        "b": np.array([1.0, np.nan, 2, 2, 1]),
        "c": list("xyxyx"),
        "d": pd.Categorical(["u", "u", "v", None, "v"]),
        "e": pl.Series([1, None, 2, 2, None]),
        "f": [3, 3, 3, 4, 4],
    }
    assert_same(
        pairwise(labelings, measure="q0", missing=missing), labelings, "q0", missing=missing
    )


def test_missing_labels_are_refused_by_name():
    with pytest.raises(
        LabelError, match=r"'b'.* has 2 missing labels, the first at position 1.*drop"
    ):
        pairwise({"a": [1, 2, 3], "b": [1, None, None]})


IDS = ["w", "x", "y", "z"]
BY_ID = {name: dict(zip(IDS, labels, strict=True)) for name, labels in SMALL.items()}
BY_ID["b"] = dict(reversed(BY_ID["b"].items()))
INDEXED = {name: pd.Series(labels) for name, labels in BY_ID.items()}
WEIGHTS = {
    "balanced": "balanced",
    "list": [1, 2, 3, 5],
    "short": [1, 2, 3],
    "mapping": dict(zip(reversed(IDS), [1, 2, 3, 5], strict=True)),
    "Series": pd.Series([1, 2, 3, 5], index=IDS[::-1]),
    "none": None,
}


@pytest.mark.parametrize("weights", WEIGHTS)
@pytest.mark.parametrize(
    ("labelings", "align"),
    [(SMALL, False), (BY_ID, False), (INDEXED, False), (INDEXED, True)],
    ids=["lists", "ids", "indexes", "aligned"],
)
def test_weights_are_those_of_from_labels(labelings, align, weights):
    """Each value is that of the pair by itself, or both are refused."""
    measure, options = "homogeneity", {"weights": WEIGHTS[weights], "align": align}
    try:
        expected = double_loop(labelings, measure, **options)
    except LabelError:
        with pytest.raises(LabelError):
            pairwise(labelings, measure=measure, **options)
        return
    square = pairwise(labelings, measure=measure, **options)
    np.testing.assert_allclose(square.values, expected, rtol=1e-12)
    assert square.symmetric <= np.allclose(square.values, square.values.T)


def test_weights_that_can_be_read_once():
    weights = [1, 2, 3, 5]
    expected = pairwise(SMALL, measure="rand", weights=weights)
    assert (pairwise(SMALL, measure="rand", weights=iter(weights)).values == expected.values).all()
    truth = SMALL["a"]
    for by in (None, [0, 0, 0, 1]):
        scores = cb.evaluate(truth, SMALL, measures="q0", weights=iter(weights), groups=by)
        assert scores == cb.evaluate(truth, SMALL, measures="q0", weights=weights, groups=by)


def test_masked_columns():
    mask = [[0, 0], [0, 1], [0, 0]]
    labels = np.ma.masked_array([[1, 2], [1, 7], [3, 3]], mask=mask)
    square = pairwise(labels, measure="rand", missing="drop")
    assert square["0", "1"] == cb.rand([1, 3], [2, 3])


# --- errors --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("labelings", "message"),
    [
        ({"a": [1, 2], "b": [1, 2], "c": [1, 2, 3]}, "'a' has 2 labels and labeling 'c' has 3"),
        ({"a": [1, 2]}, "two or more labelings"),
        ({"1": [1, 2], 1: [1, 2]}, "2 labelings are called '1'"),
        ({"a": [0.5, 1], "b": [1, 2]}, "labeling 'a' holds 0.5"),
        (pl.LazyFrame({"a": [0, 1], "b": [0, 1]}), "two or more labelings, got one.*in memory"),
    ],
)
def test_wrong_labelings(labelings, message):
    with pytest.raises(LabelError, match=message):
        pairwise(labelings)


@pytest.mark.parametrize(
    ("arguments", "kind", "message"),
    [
        ({"measure": "adjusted_rnd"}, MeasureError, "Did you mean 'adjusted_rand'"),
        ({"nosie": "drop"}, TypeError, "Did you mean 'noise'"),
        ({"weights": [1, 2]}, LabelError, r"'a' \(truth\).*weights has 2"),
        ({"weights": [0.5] * 4, "measure": "ami"}, MeasureError, "whole counts"),
    ],
    ids=str,
)
def test_wrong_requests(monkeypatch, arguments, kind, message):
    monkeypatch.setattr(pairing, "count_threads", lambda objects, per_thread: 2)
    with pytest.raises(kind, match=message):
        pairwise(SMALL, **arguments)


# --- the result ----------------------------------------------------------------------------------


def test_result():
    square = pairwise(SMALL, measure="homogeneity")
    assert isinstance(square, Pairwise)
    assert square["a", "b"] == cb.homogeneity(SMALL["a"], SMALL["b"]) == 1
    assert square["b", "a"] == cb.homogeneity(SMALL["b"], SMALL["a"]) < 1
    assert square.values.dtype == np.float64
    with pytest.raises(ValueError, match="read-only"):
        square.values[0, 0] = 2
    rows = square.to_dicts()
    assert len(rows) == 9
    assert all(square[row["first"], row["second"]] == row["value"] for row in rows)
    frame = square.to_frame()
    assert isinstance(frame, pd.DataFrame)
    assert list(frame.columns) == ["labeling", "a", "b", "c"]
    assert frame.set_index("labeling").loc["b", "a"] == square["b", "a"]
    assert repr(square).splitlines()[:2] == [
        "homogeneity, 3 labelings",
        "labeling       a       b       c",
    ]
    assert square._repr_html_().count("<tr>") == 4
    assert pickle.loads(pickle.dumps(square)).to_dicts() == rows
