"""Columns of pandas, polars and pyarrow: rare types, and missing values beside extreme ones."""

import math

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import clusterbits as cb
from clusterbits.errors import LabelError

from_labels = cb.Contingency.from_labels


def test_a_dictionary_may_repeat_a_value():
    twice = pa.DictionaryArray.from_arrays(pa.array([0, 1, 2]), pa.array(["a", "a", "b"]))
    assert from_labels(twice, [0, 0, 1]).classes == ("a", "b")
    assert cb.ari(twice, [0, 0, 1]) == 1
    assert cb.pairwise({"x": twice, "y": [0, 0, 1]})["x", "y"] == 1


def test_null_in_a_dictionary_is_missing():
    absent = pa.DictionaryArray.from_arrays(pa.array([0, 1, 2, 1]), pa.array(["a", None, "b"]))
    with pytest.raises(LabelError, match="2 missing labels, the first at position 1"):
        from_labels(absent, [0, 1, 2, 3])
    assert from_labels(absent, [0, 1, 2, 3], missing="drop").n == 2


@pytest.mark.parametrize(
    ("labels", "message"),
    [
        (pd.Series([1.0, math.inf], dtype="Float64"), "truth holds inf"),
        (pd.Categorical([1.0, math.inf]), "truth holds inf"),
        (pa.array([1.0, math.inf, None])[:2], "truth holds inf"),
        (pa.array([[1], [2]]), "truth holds a list"),
    ],
    ids=["Float64", "categories", "arrow", "lists"],
)
def test_infinities_and_lists_are_no_labels(labels, message):
    with pytest.raises(LabelError, match=message):
        from_labels(labels, [0, 1])


def test_nan_among_arrow_floats_is_missing():
    labels = pa.array([1.0, math.nan, None, 2.0])
    assert from_labels(labels, [0, 1, 2, 3], missing="drop").n == 2
    assert from_labels(labels, [0, 1, 2, 3], missing="class").classes == (1, 2, None)


@pytest.mark.parametrize(
    "labels",
    [
        pl.Series([2**63 - 1, 5, None]),
        pl.Series([2**64 - 1, 5, None], dtype=pl.UInt64),
        np.ma.array([2**63 - 1, 5, 0], mask=[0, 0, 1]),
    ],
    ids=["int64", "uint64", "masked"],
)
def test_missing_beside_the_largest_integers(labels):
    table = from_labels(labels, [0, 1, 2], missing="class")
    assert table.classes[0] == 5
    assert table.classes[1] >= 2**63 - 1
    assert table.classes[2] is None


def test_rare_types():
    assert from_labels(pl.Series([1, 2], dtype=pl.Int128), [1, 2]).classes == (1, 2)
    assert from_labels(pa.array([1, 1, 2]).dictionary_encode(), [1, 1, 2]).classes == (1, 2)
    unused = pd.Categorical([1.0, 2.0], categories=[1.0, 2.0, 2.5])
    assert from_labels(unused, [1, 2]).classes == (1, 2)
    nul = from_labels([np.str_("a"), np.str_("a\0")], [0, 1])
    assert nul.classes == ("a", "a\0")


@pytest.mark.usefixtures("kernel_path")
def test_text_that_is_not_utf8_is_refused():
    offsets = pa.py_buffer(np.array([0, 2, 3, 4], dtype=np.int32))
    broken = pa.Array.from_buffers(pa.string(), 3, [None, offsets, pa.py_buffer(b"\xff\xfeab")])
    for column in (broken, pa.chunked_array([broken])):
        with pytest.raises(LabelError, match=r"pred holds text that is not UTF-8: .*0xff"):
            cb.Contingency.from_labels([1, 2, 3], column)


@pytest.mark.usefixtures("kernel_path")
@pytest.mark.parametrize(
    "dtype", ["string", "string[python]", "string[pyarrow]", "category", "Int64"]
)
def test_pandas_arrays_are_read_as_their_series_are(dtype):
    array = pd.array(["1", "2", "1", None], dtype=dtype)
    for column in (array, pd.Index(array), pd.Series(array)):
        table = cb.Contingency.from_labels(column, [0, 1, 1, 0], missing="drop")
        assert table == cb.Contingency.from_labels(pd.Series(array), [0, 1, 1, 0], missing="drop")
        assert table.n == 3
