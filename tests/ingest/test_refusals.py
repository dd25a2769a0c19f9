"""Objects that hold labels in a form that is not read: the error has code that works."""

import duckdb
import igraph
import narwhals as nw
import networkx
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import clusterbits as cb
from clusterbits.errors import LabelError, NothingToCountError

IDS = ["ann", "bob", "cid", "dan", "eve"]
CLASSES, CLUSTERS = ["x", "x", "y", "y", "y"], [1, 1, 1, 2, 2]
TRUTH = dict(zip(IDS, CLASSES, strict=True))
PRED = dict(zip(IDS, CLUSTERS, strict=True))
VALUE = cb.rand(CLASSES, CLUSTERS)
COLUMNS = {"id": IDS, "cluster": CLUSTERS}
FRAME = pd.DataFrame(COLUMNS)
GROUPS = FRAME.groupby("cluster")
MEMBERS = [["ann", "bob", "cid"], ["dan", "eve"]]
FIELDS = np.array(list(PRED.items()), dtype=[("id", "U3"), ("k", int)])
EDGES = [("ann", "bob"), ("bob", "cid"), ("ann", "cid"), ("dan", "eve")]
RECORDS = [{"id": name, "k": label} for name, label in PRED.items()]

# What is passed (made anew each time), and code of the error, which is run.
BY_ID = {
    "groupby": (lambda: GROUPS, "pred['id'].agg(list).to_dict()"),
    "groupby of an index": (lambda: FRAME.set_index("id").groupby("cluster"), "pred.groups"),
    "groupby of a column": (lambda: GROUPS["id"], "pred.agg(list).to_dict()"),
    "polars groupby": (
        lambda: pl.DataFrame(COLUMNS).group_by("cluster"),
        "dict(pred.agg('id').iter_rows())",
    ),
    "groupby of the first column": (
        lambda: FRAME[["cluster", "id"]].groupby(FRAME["cluster"]),
        "pred['id'].agg(list).to_dict()",
    ),
    "aggregated frame": (lambda: GROUPS.agg(list), "pred['id'].to_dict()"),
    "aggregated column": (lambda: GROUPS["id"].agg(list), "pred.to_dict()"),
    "aggregated to sets": (lambda: GROUPS["id"].agg(set), "pred.to_dict()"),
    "list column": (
        lambda: GROUPS.agg(list).reset_index(),
        "dict(zip(pred['cluster'].tolist(), pred['id'].tolist()))",
    ),
    "list column first": (
        lambda: GROUPS.agg(list).reset_index()[["id", "cluster"]],
        "dict(zip(pred['cluster'].tolist(), pred['id'].tolist()))",
    ),
    "polars list column": (
        lambda: pl.DataFrame(COLUMNS).group_by("cluster").agg("id"),
        "dict(zip(pred['cluster'].to_list(), pred['id'].to_list()))",
    ),
    "arrow list column": (
        lambda: pa.table({"k": [1, 2], "id": MEMBERS}),
        "dict(zip(pred['k'].to_pylist(), pred['id'].to_pylist()))",
    ),
    "polars lists": (lambda: pl.Series(MEMBERS), "pred.to_list()"),
    "arrow lists": (lambda: pa.array(MEMBERS), "pred.tolist()"),
    "indexed frame": (lambda: FRAME.set_index("id"), "pred['cluster']"),
    "zip": (lambda: zip(IDS, CLUSTERS, strict=True), "dict(zip(ids, labels))"),
    "list of tuples": (lambda: list(PRED.items()), "dict(pred)"),
    "items": (PRED.items, "dict(pred)"),
    "lazy": (lambda: pl.LazyFrame(COLUMNS), "pred.collect()"),
    "lazy, wide": (
        lambda: pl.LazyFrame({"id": IDS, "size": CLUSTERS, "k": CLUSTERS}),
        "pred.collect()[['id', 'k']]",
    ),
    "duckdb": (lambda: duckdb.from_arrow(pa.table(COLUMNS)), "pred.df()"),
    "narwhals": (lambda: nw.from_native(pl.DataFrame(COLUMNS)), "pred.to_native()"),
    "narwhals, lazy": (
        lambda: nw.from_native(pl.LazyFrame(COLUMNS)),
        "pred.collect().to_native()",
    ),
    "arrow arrays": (lambda: list(map(pa.array, MEMBERS)), "[one.tolist() for one in pred]"),
    "arrays": (lambda: list(map(np.array, MEMBERS)), "[one.tolist() for one in pred]"),
    "polars columns": (lambda: list(map(pl.Series, MEMBERS)), "[one.to_list() for one in pred]"),
    "pandas columns": (lambda: list(map(pd.Series, MEMBERS)), "[one.tolist() for one in pred]"),
    "mapping of runs": (lambda: {"k2": PRED}, "pred['k2']"),
    "mapping of records": (
        lambda: {name: {"k": label} for name, label in PRED.items()},
        "{id: record['k'] for id, record in pred.items()}",
    ),
    "records": (lambda: RECORDS, "{record['id']: record['k'] for record in pred}"),
    "fields": (lambda: FIELDS, "dict(zip(pred['id'].tolist(), pred['k'].tolist()))"),
    "record array": (
        lambda: FIELDS.view(np.recarray),
        "dict(zip(pred['id'].tolist(), pred['k'].tolist()))",
    ),
    "networkx": (
        lambda: networkx.Graph(EDGES),
        "networkx.community.louvain_communities(pred)",
    ),
    "networkx, directed": (
        lambda: networkx.DiGraph(EDGES),
        "networkx.community.louvain_communities(pred)",
    ),
    "igraph": (
        lambda: igraph.Graph.TupleList(EDGES),
        "pred.connected_components()",
    ),
    "MultiIndex": (
        lambda: pd.MultiIndex.from_arrays([IDS, CLUSTERS]),
        "dict(zip(pred.get_level_values(0), pred.get_level_values(1)))",
    ),
}
BY_POSITION = {
    "one column": (lambda: FRAME[["cluster"]], "pred['cluster']"),
    "three columns": (lambda: FRAME.assign(k=CLUSTERS), "pred['k']"),
    "one polars column": (lambda: pl.DataFrame({"k": CLUSTERS}), "pred['k']"),
    "one arrow column": (lambda: pa.table({"k": CLUSTERS}), "pred['k']"),
    "one lazy column": (lambda: pl.LazyFrame({"k": CLUSTERS}), "pred.collect()['k']"),
    "fields": (lambda: FIELDS, "pred['k']"),
    "records": (lambda: RECORDS, "[record['k'] for record in pred]"),
    "MultiIndex": (
        lambda: pd.MultiIndex.from_arrays([IDS, CLUSTERS]),
        "pred.get_level_values(-1)",
    ),
}
CASES = [(TRUTH, *case) for case in BY_ID.values()]
CASES += [(CLASSES, *case) for case in BY_POSITION.values()]


@pytest.mark.parametrize(("truth", "make", "code"), CASES, ids=[*BY_ID, *BY_POSITION])
def test_the_cure_works(truth, make, code):
    pred = make()
    with pytest.raises(LabelError) as error:
        cb.rand(truth, pred)
    assert code in str(error.value)
    names = {"pred": pred, "ids": IDS, "labels": CLUSTERS, "networkx": networkx}
    assert cb.rand(truth, eval(code, names)) == VALUE


class OwnGroupBy:
    """Somebody else's class, called as those of pandas are."""


POLARS = pl.DataFrame({"cluster": CLUSTERS, "id": IDS})
GROUPED = {
    "polars, lazy": POLARS.lazy().group_by("cluster"),
    "polars, dynamic": POLARS.group_by_dynamic("cluster", every="2i"),
    "polars, rolling": POLARS.rolling("cluster", period="2i"),
    "polars, only the key": POLARS[["cluster"]].group_by("cluster"),
    "polars, an expression": POLARS.group_by(pl.col("cluster") % 2),
    "polars, a named expression": POLARS.group_by(k=pl.col("cluster") % 2),
    "polars, two keys": POLARS.group_by("cluster", "id"),
    "arrow": pa.table(COLUMNS).group_by("cluster"),
    "pandas, rolling": FRAME.groupby("cluster").rolling(2),
    "pandas, resampled": FRAME.set_index(pd.to_datetime(FRAME["cluster"])).resample("1s"),
    "own": OwnGroupBy(),
    "no columns": pl.LazyFrame(),
    "no records": [{}, {}],
    "long tuples": [tuple(range(10_000)), (1,)],
}


@pytest.mark.parametrize("given", GROUPED.values(), ids=GROUPED)
@pytest.mark.parametrize("truth", [CLASSES, TRUTH], ids=["by position", "by id"])
def test_what_has_no_code_to_advise_is_refused_in_a_sentence(truth, given):
    with pytest.raises(LabelError, match=r"^pred .*[^.]\.$") as error:
        cb.rand(truth, given)
    assert ".agg(" not in str(error.value)
    assert len(str(error.value)) < 400


@pytest.mark.parametrize("first", [[["ann"], ["bob"]], [{"a": 1}, {}], [[1], None]])
def test_frames_of_runs_whose_first_column_has_no_ids(first):
    runs = pd.DataFrame({"members": first, "k2": [1, 2], "k3": [1, 2]})
    with pytest.raises(LabelError, match=r"read from its first column, where .* is no id"):
        cb.evaluate({"ann": 1, "bob": 2}, runs)


@pytest.mark.parametrize("ids", [pd.DataFrame(), pl.DataFrame(), pa.table({})], ids=type)
def test_frames_without_columns_are_no_ids(ids):
    with pytest.raises(LabelError, match=r"^ids is a frame without columns; pass one of ids\.$"):
        cb.Contingency.from_pairs([(1, 2)], [(1, 2)], ids=ids)


@pytest.mark.parametrize("make", [case[0] for case in BY_ID.values()], ids=BY_ID)
def test_the_first_argument_has_its_own_name(make):
    with pytest.raises(LabelError, match=r"^truth "):
        cb.rand(make(), TRUTH)


@pytest.mark.parametrize(
    "labels", [pd.Categorical(CLUSTERS), pd.Index(CLUSTERS), PRED.values()], ids=type
)
def test_these_are_labels_by_position(labels):
    assert cb.rand(CLASSES, labels) == VALUE
    with pytest.raises(LabelError, match=r"pass dict\(zip\(ids, labels\)\) for pred"):
        cb.rand(TRUTH, labels)


@pytest.mark.parametrize("make", [iter, lambda labels: (label for label in labels)])
@pytest.mark.parametrize("truth", [CLASSES, TRUTH], ids=["by position", "by id"])
def test_an_iterator_that_was_read_before(make, truth):
    once = make(CLUSTERS)
    assert cb.rand(CLASSES, once) == VALUE
    with pytest.raises(NothingToCountError, match=r"pred is a .* with nothing left: .* in a list"):
        cb.rand(truth, once)


# --- ids that do not match -----------------------------------------------------------------------

NUMBERED = dict(enumerate(CLUSTERS, start=1))
TEXT = {str(name): label for name, label in NUMBERED.items()}
TYPES = {
    "mappings": (NUMBERED, TEXT),
    "clusters": ([[1, 2, 3], [4, 5]], TEXT),
    "frame": (pd.DataFrame({"id": [*NUMBERED], "k": CLUSTERS}), TEXT),
    "index": (pd.Series(CLUSTERS, index=[*NUMBERED]), TEXT),
    "dates": (
        dict.fromkeys(map(np.datetime64, ["2024-05-01", "2024-05-02"]), 0),
        dict.fromkeys(["2024-05-01", "2024-05-02"], 0),
    ),
}


@pytest.mark.parametrize(("numbers", "text"), TYPES.values(), ids=TYPES)
@pytest.mark.parametrize("unmatched", ["error", "drop"])
def test_ids_of_two_types(numbers, text, unmatched):
    for both, who in (((numbers, text), "truth"), ((text, numbers), "pred")):
        with pytest.raises(LabelError, match=rf"differ in type only: .* those of {who} as text"):
            cb.rand(*both, unmatched=unmatched)
    assert cb.rand({str(name): label for name, label in NUMBERED.items()}, TEXT) == 1


def test_ids_that_only_look_alike_in_part():
    """Where some ids match, or none is alike as text, types are not the matter."""
    for pred in ({1: 0, 6: 0}, {7: 0, 8: 1}, {"one": 0}):
        with pytest.raises(LabelError) as error:
            cb.rand(NUMBERED, pred)
        assert "type" not in str(error.value)
        assert "unmatched='drop'" in str(error.value)


@pytest.mark.parametrize("groups", [GROUPS.groups, GROUPS.indices], ids=["groups", "indices"])
def test_groups_of_row_numbers(groups):
    with pytest.raises(LabelError, match=r"truth has no ids: pass dict\(enumerate\(labels\)\)"):
        cb.rand(CLASSES, groups)
    assert cb.rand(dict(enumerate(CLASSES)), groups) == VALUE
    with pytest.raises(LabelError) as error:
        cb.rand(TRUTH, groups)
    code = "frame.set_index('id').groupby('cluster').groups"
    assert code in str(error.value)
    assert cb.rand(TRUTH, eval(code, {"frame": FRAME})) == VALUE
