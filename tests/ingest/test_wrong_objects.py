"""Whatever is given in place of labels, counts or frames: a table, or one clear error."""

import collections
import datetime as dt
import decimal
import io
import pathlib
import threading

import duckdb
import narwhals as nw
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import scipy.sparse

import clusterbits as cb
from clusterbits.errors import ClusterbitsError

pytestmark = pytest.mark.filterwarnings("ignore")

Table = cb.Contingency
LISTS = pa.array([[1], [2]])
STRUCTS = pa.array([{"a": 1}, {"a": 2}])
PAIRS = np.array([(1, 2), (3, 4)], dtype=[("a", int), ("b", int)])
SIGNALING = decimal.Decimal("snan")

# Functions, so that a generator is a new one each time.
OBJECTS = {
    "None": lambda: None,
    "int": lambda: 3,
    "float": lambda: 2.5,
    "bool": lambda: True,
    "text": lambda: "ab",
    "bytes": lambda: b"ab",
    "dict": lambda: {1: 2, 3: 4},
    "set": lambda: {1, 2},
    "generator": lambda: (i for i in [1, 2]),
    "range": lambda: range(2),
    "function": lambda: len,
    "class": lambda: int,
    "module": lambda: np,
    "ellipsis": lambda: ...,
    "complex": lambda: 1j,
    "lock": threading.Lock,
    "path": lambda: pathlib.Path("x"),
    "stream": lambda: io.StringIO("a\nb"),
    "Counter": lambda: collections.Counter("ab"),
    "datetime": lambda: dt.datetime(2020, 1, 1),
    "table": lambda: Table.from_labels([1, 2], [1, 2]),
    "empty": list,
    "nested": lambda: [[1], [2]],
    "ragged": lambda: [[1], [2, 3]],
    "dicts": lambda: [{}, {}],
    "arrays": lambda: [np.eye(2), np.eye(2)],
    "signaling NaN": lambda: [SIGNALING, 1],
    "infinite": lambda: [float("inf"), 1],
    "half a character": lambda: ["\ud800", "b"],
    "numpy scalar": lambda: np.int64(3),
    "numpy text": lambda: np.str_("ab"),
    "numpy date": lambda: np.datetime64("2020"),
    "numpy 0-D": lambda: np.array(3),
    "numpy 2-D": lambda: np.eye(2),
    "numpy 3-D": lambda: np.zeros((2, 2, 2)),
    "numpy empty": lambda: np.array([]),
    "numpy complex": lambda: np.array([1j, 2j]),
    "numpy records": lambda: PAIRS,
    "numpy void": lambda: np.zeros(2, "V4"),
    "masked records": lambda: np.ma.array(PAIRS),
    "masked": lambda: np.ma.masked,
    "sparse": lambda: scipy.sparse.csr_array(np.eye(2)),
    "polars lazy": lambda: pl.LazyFrame({"a": [1, 2]}),
    "polars frame": lambda: pl.DataFrame({"a": [1, 2]}),
    "polars expression": lambda: pl.col("a"),
    "polars type": lambda: pl.Int64,
    "polars lists": lambda: pl.Series([[1], [2]]),
    "polars structs": lambda: pl.Series([{"a": 1}, {"a": 2}]),
    "polars nulls": lambda: pl.Series([None, None]),
    "arrow lists": lambda: LISTS,
    "arrow structs": lambda: STRUCTS,
    "arrow chunked lists": lambda: pa.chunked_array([LISTS]),
    "arrow dictionary of lists": lambda: pa.DictionaryArray.from_arrays(pa.array([0, 1]), LISTS),
    "arrow nulls": lambda: pa.nulls(2),
    "arrow table": lambda: pa.table({"a": [1, 2]}),
    "arrow scalar": lambda: pa.scalar(1),
    "arrow schema": lambda: pa.schema([("a", pa.int64())]),
    "arrow type": pa.int64,
    "pandas frame": lambda: pd.DataFrame({"a": [1, 2]}),
    "pandas Timestamp": lambda: pd.Timestamp("2020"),
    "pandas Timedelta": lambda: pd.Timedelta(1),
    "pandas Period": lambda: pd.Period("2020"),
    "pandas Interval": lambda: pd.Interval(0, 1),
    "pandas NA": lambda: pd.NA,
    "pandas NaT": lambda: pd.NaT,
    "pandas type": pd.Int64Dtype,
    "pandas groups": lambda: pd.Series([1, 2]).groupby([1, 2]),
    "pandas lists": lambda: pd.Series([[1], [2]]),
    "pandas arrow lists": lambda: pd.Series(LISTS, dtype=pd.ArrowDtype(LISTS.type)),
    "pandas arrow structs": lambda: pd.Series(STRUCTS, dtype=pd.ArrowDtype(STRUCTS.type)),
    "pandas accessor": lambda: pd.Series(["a", "b"], dtype="category").cat,
    "pandas MultiIndex": lambda: pd.MultiIndex.from_tuples([(1, 2), (3, 4)]),
    "duckdb relation": lambda: duckdb.sql("select 1 as a"),
    "duckdb connection": duckdb.connect,
    "narwhals frame": lambda: nw.from_native(pl.DataFrame({"a": [1, 2]})),
    "narwhals lazy": lambda: nw.from_native(pl.LazyFrame({"a": [1, 2]})),
}

FRAME = pl.DataFrame({"a": [1, 2], "b": [1, 2], "w": [1, 1]})
FUNCTIONS = {
    "truth": lambda x: Table.from_labels(x, [1, 2]),
    "pred": lambda x: Table.from_labels([1, 2], x, missing="class", noise="singletons"),
    "both": lambda x: Table.from_labels(x, x, align=True),
    "weights": lambda x: Table.from_labels([1, 2], [1, 2], weights=x),
    "noise_label": lambda x: Table.from_labels([1, 2], [1, 2], noise="drop", noise_label=x),
    "missing": lambda x: Table.from_labels([1, 2], [1, 2], missing=x),
    "noise": lambda x: Table.from_labels([1, 2], [1, 2], noise=x),
    "from_counts": Table.from_counts,
    "classes": lambda x: Table.from_counts([[1, 0], [0, 1]], classes=x),
    "from_frame": Table.from_frame,
    "from_frame, named": lambda x: Table.from_frame(x, "a", "a"),
    "truth column": lambda x: Table.from_frame(FRAME, x, "b"),
    "pred column": lambda x: Table.from_frame(FRAME, "a", x),
    "weights column": lambda x: Table.from_frame(FRAME, "a", "b", weights=x),
    "from_batches": lambda x: Table.from_batches([x]),
    "from_batches, pairs": lambda x: Table.from_batches([(x, [1, 2])]),
    "from_pairs": lambda x: Table.from_pairs(x, [(1, 2)]),
    "from_pairs, ids": lambda x: Table.from_pairs([(1, 2)], [], ids=x),
    "from_images": lambda x: Table.from_images(x, [1, 2]),
    "ignore": lambda x: Table.from_images([1, 2], [1, 2], ignore=x),
    "evaluate, alone": cb.evaluate,
    "evaluate": lambda x: cb.evaluate([1, 2], x, "rand"),
    "evaluate, many": lambda x: cb.evaluate(x, {"a": [1, 2]}, "rand"),
    "q0": lambda x: cb.q0(x, [1, 2]),
    "q0, alone": cb.q0,
    "pairwise": lambda x: cb.pairwise({"a": x, "b": [1, 2]}, "rand"),
    "expected": lambda x: Table.expected(x, 10),
    "to_frame": lambda x: Table.from_labels(x, [1, 2]).to_frame(),
}  # fmt: skip


@pytest.mark.parametrize("function", FUNCTIONS)
@pytest.mark.parametrize("what", OBJECTS)
def test_a_table_or_a_clear_error(what, function):
    try:
        FUNCTIONS[function](OBJECTS[what]())
    except ClusterbitsError as error:
        assert len(str(error)) > 20  # noqa: PT017


@pytest.mark.parametrize(
    ("what", "message"),
    [
        ("polars lazy", r"truth is a LazyFrame; .*Pass truth\.collect\(\)\['a'\]"),
        ("polars expression", "truth is a Expr; labels are a 1-D sequence"),
        ("pandas Timestamp", "truth is a Timestamp; labels are a 1-D sequence"),
        ("arrow scalar", "truth is a Int64Scalar; labels are a 1-D sequence"),
        ("arrow lists", "truth holds a list; each object has one label"),
        ("arrow structs", "truth holds a dict; each object has one label"),
        ("arrow dictionary of lists", "truth holds a list; each object has one label"),
        ("pandas arrow lists", "truth holds a (list|ndarray); each object has one label"),
        ("pandas arrow structs", "truth holds a dict; each object has one label"),
        ("None", "truth is None"),
    ],
)
def test_what_is_no_labels(what, message):
    with pytest.raises(ClusterbitsError, match=message):
        Table.from_labels(OBJECTS[what](), [1, 2])
