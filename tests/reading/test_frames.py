"""The same table from every engine: one fixture, the same cases, real engines."""

from __future__ import annotations

import contextlib
import datetime as dt
import runpy
import sys
from pathlib import Path

import narwhals as nw
import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from support.engines import ENGINES, SLOW, dask_client, every_engine, spark_session

import clusterbits as cb
from clusterbits.errors import ClusterbitsError, ColumnError, EngineError, LabelError
from clusterbits.reading.type_checks import is_in_memory

# What engines say of each other's versions is not ours to mend.
pytestmark = pytest.mark.filterwarnings("ignore")

DAY = [dt.date(2024, 1, 31), dt.date(2023, 5, 1), dt.date(2024, 1, 31), dt.date(1969, 1, 1)]
NAN = float("nan")

# Columns c and k, and what from_labels is asked for.
CASES = {
    "integers": ([3, 1, 3, -7], [0, 0, 1, 2**40], {}),
    "text": (["b", "a", "b", "é"], ["x y", "", "x y", "'; drop table t; --"], {}),
    "text and integers": (["b", "a", "b", "a"], [10, 9, 10, 10], {}),
    "booleans": ([True, False, True, True], [False, False, True, True], {}),
    "dates": (DAY, [1, 1, 2, 2], {}),
    "whole floats": ([1.0, 2.0, 1.0, 1.0], [0.0, -1.0, 0.0, 5.0], {}),
    "nulls dropped": (["a", None, "b", "a"], [1, 1, None, 2], {"missing": "drop"}),
    "nulls as a class": (["a", None, "b", None], ["x", "x", None, None], {"missing": "class"}),
    "null integers": ([1, None, 2, 1], [5, 5, None, 6], {"missing": "class"}),
    "NaN dropped": ([1.0, NAN, 2.0, 1.0], [1.0, 1.0, NAN, 1.0], {"missing": "drop"}),
    "noise dropped": (["a", "a", "b", "b"], [-1, 0, 0, -1], {"noise": "drop"}),
    "noise alone": (["a", "a", "b", "b"], [-1, 0, 0, -1], {"noise": "singletons"}),
    "text noise": (
        ["a", "a", "b", "b"],
        ["n", "0", "0", "n"],
        {"noise": "drop", "noise_label": "n"},
    ),
}


@pytest.fixture(params=[engine for engine in ENGINES if engine not in SLOW])
def frame(request):
    """Return what makes a frame of columns, in one engine after another."""
    return lambda columns: ENGINES[request.param](pa.table(columns))


@pytest.fixture(params=every_engine())
def every_frame(request):
    """Return the same for all engines; those that are slow take part in a few tests."""
    return lambda columns: ENGINES[request.param](pa.table(columns))


@pytest.mark.slow
@pytest.mark.parametrize("case", ["text and integers", "nulls as a class"])
@pytest.mark.parametrize("engine", SLOW)
def test_same_table_of_slow_engines(engine, case):
    test_same_table(lambda columns: ENGINES[engine](pa.table(columns)), case)


@pytest.mark.parametrize("case", CASES)
def test_same_table(frame, case):
    truth, pred, options = CASES[case]
    expected = cb.Contingency.from_labels(truth, pred, **options)
    found = cb.Contingency.from_frame(frame({"c": truth, "k": pred}), "c", "k", **options)
    assert found == expected
    assert found.classes == expected.classes
    assert found.clusters == expected.clusters
    assert list(map(type, found.classes)) == list(map(type, expected.classes))
    assert found.coverage == expected.coverage


def test_datetimes(every_frame):
    # 02:30 in October comes twice in Berlin; here it is 00:30 and 01:30.
    instants = [dt.datetime(2024, 10, 27, hour, 30, tzinfo=dt.UTC) for hour in (0, 1, 1, 12)]
    naive = [moment.replace(tzinfo=None) for moment in instants]
    columns = {
        "naive": pa.array(naive, pa.timestamp("us")),
        "aware": pa.array(instants, pa.timestamp("us", "UTC")),
        "day": pa.array(DAY),
    }
    data = every_frame(columns)
    if hasattr(data, "withColumn"):  # in Spark a plain timestamp is an instant
        data = data.withColumn("naive", data["naive"].cast("timestamp_ntz"))
    for truth, pred, expected in (
        ("naive", "aware", cb.Contingency.from_labels(naive, instants)),
        ("aware", "day", cb.Contingency.from_labels(instants, DAY)),
    ):
        found = cb.Contingency.from_frame(data, truth, pred)
        assert found == expected
        assert found.classes == expected.classes
        assert found.clusters == expected.clusters


def test_categories(frame):
    names = pa.array(["b", "a", "b", "a", None]).dictionary_encode()
    unused = pa.DictionaryArray.from_arrays([0, 2, 0, 2, 2], ["x", "never", "y"])
    data = frame({"c": names, "k": unused})
    found = cb.Contingency.from_frame(data, missing="drop")
    assert found.classes == ("a", "b")
    assert found.clusters == ("x", "y")
    assert found.to_dense().tolist() == [[0, 2], [2, 0]]


def test_many_columns_in_one_call(every_frame, monkeypatch):
    monkeypatch.setattr("clusterbits.reading.dataframes._BATCH", 1)  # k1 and k2 are alike
    rng = np.random.default_rng(5)
    columns = {
        "label": rng.integers(0, 3, 60),
        "k1": rng.integers(0, 2, 60),
        "k2": rng.integers(0, 4, 60),
        "k3": [f"name {i}" for i in rng.integers(0, 5, 60)],
        "other": ["x"] * 60,
    }
    data = every_frame(columns)
    tables = cb.Contingency.from_frame(data, "label", "k*")
    assert list(tables) == ["k1", "k2", "k3"]
    for name, table in tables.items():
        assert table == cb.Contingency.from_labels(columns["label"], columns[name])
    chosen = cb.Contingency.from_frame(data, "label", ["k3", "k1"])
    assert list(chosen) == ["k3", "k1"]
    assert chosen["k3"] == tables["k3"]


@pytest.mark.parametrize(
    "weights",
    [
        [1, 2, 3, 0],
        [2**51, 2**51, 2**52 - 1, 7],
        [0.5, 0.25, 1.0, 2.0],
        [1.0, 2.0, 3.0, 0.0],
    ],
    ids=["small", "large", "fractions", "whole floats"],
)
def test_weights(frame, weights):
    truth, pred = ["a", "a", "a", "b"], [0, 0, 0, 1]
    data = frame({"c": truth, "k": pred, "w": weights})
    found = cb.Contingency.from_frame(data, "c", "k", weights="w")
    expected = cb.Contingency.from_labels(truth, pred, weights=weights)
    assert found == expected
    assert found.exact == expected.exact
    assert found.n == expected.n


def test_engines_add_weights_in_floating_point_and_say_so(frame):
    weights = [2**53, 1, 0, 7]
    data = frame({"c": ["a", "a", "a", "b"], "k": [0, 0, 0, 1], "w": weights})
    table = cb.Contingency.from_frame(data, "c", "k", weights="w")
    assert table.exact == is_in_memory(data)
    assert table.n == pytest.approx(sum(weights), rel=1e-15, abs=0)


@pytest.mark.parametrize(
    ("weights", "message"),
    [([1, -1, 1, 1], "not negative"), ([1.0, NAN, 1.0, 1.0], "(?i)nan|missing")],
)
def test_wrong_weights(frame, weights, message):
    data = frame({"c": [1, 1, 2, 2], "k": [1, 1, 1, 1], "w": weights})
    with pytest.raises(ClusterbitsError, match=message):
        cb.Contingency.from_frame(data, "c", "k", weights="w")


def test_names_are_data(frame):
    columns = {
        'c"; drop table t; --': ["a", "b"],
        "k`1.x": [1, 2],
        "k*": [3, 3],
        "new\nline": [1, 1],
    }
    data = frame(columns)
    for pred in ("k`1.x", "k*", "new\nline"):
        found = cb.Contingency.from_frame(data, 'c"; drop table t; --', pred)
        assert found == cb.Contingency.from_labels(["a", "b"], columns[pred])


def test_wrong_columns(frame):
    data = frame({"species": ["a", "b"], "cluster": [1, 2], "weight": [1, 1]})
    with pytest.raises(ColumnError, match=r"no column 'specie'.*Did you mean 'species'"):
        cb.Contingency.from_frame(data, "specie", "cluster")
    with pytest.raises(ColumnError, match="which column is truth"):
        cb.Contingency.from_frame(data)
    with pytest.raises(ColumnError, match=r"no column like 'z\*'"):
        cb.Contingency.from_frame(data, "species", "z*")
    with pytest.raises(LabelError, match="missing label"):
        cb.Contingency.from_frame(frame({"c": ["a", None], "k": [1, 2]}), "c", "k")
    with pytest.raises(LabelError, match=r"0.5"):
        cb.Contingency.from_frame(frame({"c": [0.5, 1.0], "k": [1, 2]}), "c", "k")
    with pytest.raises(LabelError, match=r"no rows to count|is empty"):
        cb.Contingency.from_frame(
            frame({"c": pa.array([], pa.int64()), "k": pa.array([], pa.int64())})
        )


@pytest.mark.parametrize("pred", ["species", ["cluster", "species"]])
def test_a_column_is_not_scored_against_itself(frame, pred):
    data = frame({"species": ["a", "b"], "cluster": [1, 2]})
    with pytest.raises(ColumnError, match=r"'species' is both truth and pred. Pass pred="):
        cb.evaluate(data, truth="species", pred=pred)
    with pytest.raises(ColumnError, match=r"no column like 'sp\*' for pred"):
        cb.evaluate(data, truth="species", pred="sp*")


@pytest.mark.parametrize("index", ["Unnamed: 0", "__index_level_0__"])
def test_columns_without_a_name_are_not_chosen(frame, index):
    data = frame({index: [0, 1], "species": ["a", "b"], "cluster": [1, 2]})
    assert [*cb.evaluate(data).tables] == ["cluster"]
    with pytest.raises(ColumnError, match="one column, 'species'; two are needed"):
        cb.evaluate(frame({index: [0, 1], "species": ["a", "b"]}))
    assert cb.Contingency.from_frame(data, "species", index).n == 2


def test_lazy_frames_are_counted_by_their_engine(every_frame, monkeypatch):
    """Only groups come back: never more rows than cells."""
    collected = []
    collect = nw.LazyFrame.collect
    monkeypatch.setattr(
        nw.LazyFrame, "collect", lambda self, *a: collected.append(r := collect(self, *a)) or r
    )
    data = every_frame({"c": [0, 1] * 500, "k": [0, 0, 1, 1] * 250})
    cb.Contingency.from_frame(data, "c", "k")
    native = nw.from_native(data, pass_through=True)
    if isinstance(native, nw.LazyFrame) and type(data).__name__ != "DuckDBPyRelation":
        assert [len(rows) for rows in collected] == [4]
    else:
        assert collected == []


@pytest.mark.parametrize("labels", [[[1], [1, 2], [1]], [{"a": 1}, {"a": 2}, {"a": 1}]])
def test_lists_and_structs_are_no_labels(frame, labels):
    columns = pa.table({"t": pa.array(labels), "k": [0, 1, 1]})
    for truth, pred in (("t", "k"), ("k", "t")):
        with pytest.raises(LabelError, match=r"is not a label|one label"):
            cb.Contingency.from_frame(frame(columns), truth, pred)


# --- engines that fail ---------------------------------------------------------------------------


def _fail(frame):
    raise RuntimeError("this partition is broken")


@pytest.mark.slow
def test_a_failing_partition_of_dask():
    import dask.dataframe as dd

    dask_client()
    whole = dd.from_pandas(pd.DataFrame({"c": [1, 2] * 10, "k": [1, 1] * 10}), npartitions=2)
    broken = whole.map_partitions(_fail, meta=whole._meta)
    with pytest.raises(EngineError, match=r"dask could not count the frame.*partition is broken"):
        cb.Contingency.from_frame(broken, "c", "k")
    assert cb.Contingency.from_frame(whole, "c", "k").n == 20


@pytest.mark.slow
def test_a_failing_partition_of_spark():
    session = spark_session()
    whole = session.range(100).selectExpr("id % 3 as c", "id % 2 as k")
    broken = whole.selectExpr("c", "case when c = 2 then raise_error('broken row') else k end as k")
    with pytest.raises(EngineError, match="could not count the frame") as caught:
        cb.Contingency.from_frame(broken, "c", "k")
    assert "\n" not in str(caught.value)
    assert cb.Contingency.from_frame(whole, "c", "k").n == 100


EXAMPLES = Path(__file__).parents[2] / "examples/engines"


def check_example(output):
    assert "k50: 5.64 → " in output
    rows = [line.split() for line in output.splitlines()[2:] if line.startswith("k")]
    assert [row[:2] for row in rows] == [["k50", "50"], ["k10", "10"]]


@pytest.mark.slow
def test_the_example_of_dask(monkeypatch, capsys):
    """It gets the workers of the other tests."""
    client = contextlib.nullcontext(dask_client())
    monkeypatch.setattr("dask.distributed.Client", lambda **_: client)
    monkeypatch.setattr(sys, "argv", ["count_with_dask.py"])
    runpy.run_path(str(EXAMPLES / "count_with_dask.py"), run_name="__main__")
    check_example(capsys.readouterr().out)


@pytest.mark.slow
def test_the_example_of_spark(monkeypatch, capsys):
    """It gets the session of the other tests, which goes on: another would take long to start."""
    session = spark_session()
    monkeypatch.setattr(type(session), "stop", lambda self: None)
    monkeypatch.setattr(sys, "argv", ["count_with_spark.py"])
    runpy.run_path(str(EXAMPLES / "count_with_spark.py"), run_name="__main__")
    session.sparkContext.setLogLevel("OFF")
    check_example(capsys.readouterr().out)


# --- odd frames and batches ----------------------------------------------------------------------


def test_column_names_that_are_no_text():

    table = cb.Contingency.from_frame(pd.DataFrame([[1, 2], [2, 3]]), 0, 1)
    assert (table.classes, table.clusters) == ((1, 2), (2, 3))
    with pytest.raises(ColumnError, match=r"one name|2 columns"):
        cb.Contingency.from_frame(pd.DataFrame([[1, 2]], columns=["a", "a"]), "a", "a")
    levels = pd.MultiIndex.from_tuples([(1, 2), (1, 3)])
    with pytest.raises(ColumnError, match=r"no column 'a'.*\(1, 2\), \(1, 3\)"):
        cb.Contingency.from_frame(pd.DataFrame([[1, 2]], columns=levels), "a")


def test_a_lazy_frame_of_no_file():
    import polars as pl

    with pytest.raises(EngineError, match="polars could not count"):
        cb.Contingency.from_frame(pl.scan_parquet("nowhere.parquet"), "a", "b")


def test_batches_may_be_empty_but_not_all():
    empty = pa.table({"c": pa.array([], pa.int64()), "k": pa.array([], pa.int64())})
    some = pa.table({"c": [1], "k": [2]})
    assert cb.Contingency.from_batches([empty, some, empty], "c", "k").n == 1
    with pytest.raises(LabelError, match="no batch has"):
        cb.Contingency.from_batches([empty], "c", "k")
    with pytest.raises(ColumnError, match="one cluster column"):
        cb.Contingency.from_batches([some.append_column("j", [[1]])], "c", ["k", "j"])
