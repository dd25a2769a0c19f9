"""Pairs of ids: the components are networkx's, pair measures those of the closures."""

from itertools import combinations

import narwhals as nw
import networkx as nx
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import clusterbits as cb
from clusterbits.errors import LabelError, NothingToCountError

from_pairs = cb.Contingency.from_pairs
TRUTH = [("a", "b"), ("b", "c"), ("d", "d")]
PRED = [("b", "a"), ("a", "b"), ("e", "c")]


def labels_by_networkx(pairs, objects):
    graph = nx.Graph()
    graph.add_nodes_from(objects)
    graph.add_edges_from(pairs)
    names = {member: min(part) for part in nx.connected_components(graph) for member in part}
    return [names[one] for one in objects]


def unbalanced_table(truth, pred, ids=()):
    return sorted({one for pair in [*truth, *pred] for one in pair} | set(ids))


def closure(pairs, objects):
    labels = labels_by_networkx(pairs, objects)
    both = zip(objects, labels, strict=True)
    return {
        (one, other) for (one, mine), (other, theirs) in combinations(both, 2) if mine == theirs
    }


def assert_same(table, expected):
    assert table == expected
    assert table.classes == expected.classes
    assert table.clusters == expected.clusters


ids_of = {
    "int": st.integers(-3, 12),
    "wide": st.sampled_from([-(2**63), -1, 0, 5, 2**40, 2**62, 2**63 - 1]),
    "str": st.sampled_from(["a", "b", "c", "1", "01", "", "é"]),
}


@pytest.mark.parametrize("kind", ids_of)
@given(data=st.data())
def test_components(kind, data):
    pairs = st.lists(st.tuples(ids_of[kind], ids_of[kind]), max_size=12)
    truth, pred = data.draw(pairs), data.draw(pairs)
    ids = data.draw(st.lists(ids_of[kind]))
    objects = unbalanced_table(truth, pred, ids)
    if not objects:
        return
    table = from_pairs(truth, pred, ids=objects)
    classes, clusters = (labels_by_networkx(pairs, objects) for pairs in (truth, pred))
    assert_same(table, cb.Contingency.from_labels(classes, clusters))
    assert_same(from_pairs(truth, pred, {*objects}), table)
    if objects == unbalanced_table(truth, pred):
        assert_same(from_pairs(truth, pred), table)


@given(data=st.data())
def test_pair_measures_are_those_of_the_closures(data):
    pairs = st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9)), min_size=1, max_size=9)
    truth, pred = data.draw(pairs), data.draw(pairs)
    objects = unbalanced_table(truth, pred)
    table = from_pairs(truth, pred)
    true, found = closure(truth, objects), closure(pred, objects)
    if true and found:
        assert cb.pair_precision(table) == len(true & found) / len(found)
        assert cb.pair_recall(table) == len(true & found) / len(true)


def test_singletons():
    table = from_pairs(TRUTH, PRED)
    assert table.classes == ("a", "d", "e")
    assert table.clusters == ("a", "c", "d")
    assert table.n == 5
    with_all = from_pairs(TRUTH, PRED, ids=list("fedcba"))
    assert with_all.n == 6
    assert with_all.clusters == ("a", "c", "d", "f")
    assert cb.pair_precision(with_all) == cb.pair_precision(table)
    assert cb.rand(with_all) != cb.rand(table)


LEFT, RIGHT = ([pair[i] for pair in TRUTH] for i in (0, 1))
COLUMNS = {"left": LEFT, "right": RIGHT}
GRAPH = nx.Graph(TRUTH)
FORMS = {
    "lists": [list(pair) for pair in TRUTH],
    "tuple": tuple(TRUTH),
    "set": set(TRUTH),
    "generator": lambda: iter(TRUTH),
    "edges": GRAPH.edges,
    "strings": np.array(TRUTH),
    "objects": np.array(TRUTH, dtype=object),
    "two lists": (LEFT, RIGHT),
    "two arrays": (np.array(LEFT), np.array(RIGHT, dtype=object)),
    "two Series": (pd.Series(LEFT, index=[5, 6, 7]), pd.Series(RIGHT)),
    "two arrow columns": (pa.array(LEFT), pa.chunked_array([RIGHT])),
    "pandas": pd.DataFrame(COLUMNS),
    "categories": pd.DataFrame(COLUMNS).astype("category"),
    "numbered columns": pd.DataFrame(TRUTH),
    "polars": pl.DataFrame(COLUMNS),
    "polars categories": pl.DataFrame(COLUMNS).cast(pl.Categorical),
    "arrow": pa.table(COLUMNS),
    "narwhals": nw.from_native(pl.DataFrame(COLUMNS)),
    "index": pd.MultiIndex.from_tuples(TRUTH),
}


LARGE = [2.0**53, 1.0]
LARGE_FLOATS = {
    "list": LARGE,
    "array": np.array(LARGE),
    "single": np.array([2**24, 1], dtype=np.float32),
    "objects": np.array(LARGE, dtype=object),
    "masked": np.ma.array(LARGE, mask=[0, 0]),
    "pandas": pd.Series(LARGE),
    "pandas single": pd.Series([2**24, 1], dtype="Float32"),
    "polars single": pl.Series([2.0**24, 1.0], dtype=pl.Float32),
    "arrow": pa.array(LARGE),
}


@pytest.mark.parametrize("form", LARGE_FLOATS)
def test_large_floats_are_no_ids(form):
    """Refused wherever ids are read: different whole numbers become the same float."""
    ids = LARGE_FLOATS[form]
    for call in (
        lambda: from_pairs((ids, [1, 2]), [(1, 2)]),
        lambda: from_pairs([(1, 2)], ([1, 2], ids)),
        lambda: from_pairs([(1, 2)], [(1, 2)], ids=ids),
        lambda: cb.rand({1: 0, 2: 0}, pd.DataFrame({"id": ids, "label": [0, 0]})),
    ):
        with pytest.raises(LabelError, match="a float so large"):
            call()


@pytest.mark.parametrize("form", FORMS)
def test_forms(form):
    def pairs():
        return FORMS[form]() if callable(FORMS[form]) and form == "generator" else FORMS[form]

    assert_same(from_pairs(pairs(), PRED), from_pairs(TRUTH, PRED))
    assert_same(from_pairs(PRED, pairs()), from_pairs(PRED, TRUTH))


@pytest.mark.parametrize(
    "dtype", ["int8", "uint16", "int64", "uint64", ">i4", "float32", "bool", "M8[D]"]
)
def test_ids_of_numpy(dtype):
    truth = np.array([[0, 1], [1, 1]]).astype(dtype)
    table = from_pairs(truth, truth[:1], ids=truth[0])
    assert table.shape == (1, 1)
    assert table.n == 2
    assert table.classes == (truth[0, 0].item(),)


def test_integers_of_several_widths():
    small, large = np.array([[1, 2]], dtype=np.uint8), np.array([[2, 2**63 + 5]], dtype=np.uint64)
    expected = from_pairs([(1, 2)], [(2, 2**63 + 5)])
    assert_same(from_pairs(small, large), expected)
    assert_same(from_pairs(small.astype(np.int64), large), expected)
    assert expected.classes == (1, 2**63 + 5)


@pytest.mark.parametrize("empty", [[], np.empty((0, 2)), pd.DataFrame({"l": [], "r": []})])
def test_no_pairs_are_singletons(empty):
    pairs = [("a", "b")]
    assert from_pairs(pairs, empty).shape == (1, 2)
    assert from_pairs(empty, pairs).shape == (2, 1)
    assert from_pairs(empty, empty, ids=[*pairs[0]]).shape == (2, 2)
    with pytest.raises(NothingToCountError, match="no pairs and no ids"):
        from_pairs(empty, empty)


def test_repeated_ids_are_one_object():
    assert from_pairs([(1, 2)], [(1, 2)], ids=[1, 2, 3, 3]).n == 3


@pytest.mark.parametrize(
    ("pairs", "message"),
    [
        ([(1, "a")], "several types"),
        ([(True, False), (1, 2)], "a boolean and a number"),
        ([(1, 2, 0.9)], "has 3 columns"),
        (pl.DataFrame({"l": [1]}), "has 1 column;"),
        ([LEFT, RIGHT], "3 columns.*a tuple of two columns"),
        (([1, 2], [3]), "two columns of 2 and 1 ids"),
        ([(1, 2), (3, None)], "1 pair with a missing id, the first at position 1"),
        (np.ma.masked_equal([[1, 2], [9, 3]], 9), "1 pair with a missing id"),
        (np.array([[np.nan, 1], [2, np.nan]]), "2 pairs with a missing id"),
        (pd.DataFrame({"l": ["a", None], "r": ["b", "c"]}), "1 pair with a missing id"),
        ([(0.5, 1)], "holds 0.5"),
        ([{1, 2}], "pairs are"),
        (GRAPH, "pairs are"),
        ({(1, 2): 0.9}, "is a dict; pairs"),
        (pl.LazyFrame(COLUMNS), "is lazy: collect it"),
    ],
)
def test_wrong_pairs(pairs, message):
    with pytest.raises(cb.errors.ClusterbitsError, match=message):
        from_pairs(pairs, [])


@pytest.mark.parametrize(
    ("pred", "ids", "message"),
    [
        ([("1", "1")], None, "the int 1 and the str '1'"),
        ([], ["1", "2", "3"], "several types"),
        ([(3, 4)], [1, 2, 3], "1 id that ids lacks, such as 4"),
        ([], [1, None], "ids has 1 object with a missing id"),
        ([], np.array([1, np.nan]), "ids has 1 object with a missing id"),
    ],
)
def test_wrong_ids(pred, ids, message):
    with pytest.raises(LabelError, match=message):
        from_pairs([(1, 1)], pred, ids=ids)


LABELLED = {"id": list("fedcba"), "k": [1, 1, 2, 2, 3, 3]}
FRAME = pd.DataFrame(LABELLED)
ALL_IDS = {
    "mapping": dict(zip(*LABELLED.values(), strict=True)),
    "set": set("abcdef"),
    "generator": lambda: iter("abcdef"),
    "frame": FRAME,
    "frame of ids": FRAME[["id"]],
    "indexed": FRAME.set_index("id"),
    "index of names": FRAME.set_index("id").rename_axis(None),
    "polars": pl.DataFrame(LABELLED),
    "arrow": pa.table(LABELLED),
    "record batch": pa.RecordBatch.from_pydict(LABELLED),
}


@pytest.mark.parametrize("form", ALL_IDS)
def test_ids_of_all_objects(form):
    """Where labels come with ids, these are the ids."""
    ids = ALL_IDS[form]() if form == "generator" else ALL_IDS[form]
    assert_same(from_pairs(TRUTH, PRED, ids=ids), from_pairs(TRUTH, PRED, ids=list("abcdef")))
