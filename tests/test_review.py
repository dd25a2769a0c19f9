"""Input that once gave a wrong number or a traceback."""

import math
import os
import subprocess
import sys

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import scipy.sparse

import clusterbits as cb
from clusterbits.errors import (
    ClusterbitsError,
    ColumnError,
    FileError,
    LabelError,
    MeasureError,
    TableError,
)
from clusterbits.measures.catalogue import find

from_labels = cb.Contingency.from_labels
from_counts = cb.Contingency.from_counts


def test_dictionaries_that_repeat_a_value():
    twice = pa.DictionaryArray.from_arrays(pa.array([0, 1, 2]), pa.array(["a", "a", "b"]))
    assert from_labels(twice, [0, 0, 1]).classes == ("a", "b")
    assert cb.ari(twice, [0, 0, 1]) == 1
    assert cb.pairwise({"x": twice, "y": [0, 0, 1]})["x", "y"] == 1


def test_dictionaries_that_hold_null():
    absent = pa.DictionaryArray.from_arrays(pa.array([0, 1, 2, 1]), pa.array(["a", None, "b"]))
    with pytest.raises(LabelError, match="2 missing labels, the first at position 1"):
        from_labels(absent, [0, 1, 2, 3])
    assert from_labels(absent, [0, 1, 2, 3], missing="drop").n == 2


@pytest.mark.parametrize(
    "labels",
    [
        pd.Series([1.0, math.inf], dtype="Float64"),
        pd.Categorical([1.0, math.inf]),
        pa.array([1.0, math.inf, None])[:2],
        pa.array([[1], [2]]),
    ],
    ids=["Float64", "categories", "arrow", "lists"],
)
def test_labels_that_name_nothing(labels):
    with pytest.raises(LabelError):
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


def test_unusual_columns():
    assert from_labels(pl.Series([1, 2], dtype=pl.Int128), [1, 2]).classes == (1, 2)
    assert from_labels(pa.array([1, 1, 2]).dictionary_encode(), [1, 1, 2]).classes == (1, 2)
    unused = pd.Categorical([1.0, 2.0], categories=[1.0, 2.0, 2.5])
    assert from_labels(unused, [1, 2]).classes == (1, 2)
    nul = from_labels([np.str_("a"), np.str_("a\0")], [0, 1])
    assert nul.classes == ("a", "a\0")


def test_noise_in_text_columns(tmp_path):
    assert from_labels([0, 0, 1], ["-1", "-1", "a"], noise="drop").n == 1
    path = tmp_path / "labels.csv"
    path.write_text("c,k\nx,-1\ny,-1\nx,A\ny,B\n")
    table = cb.Contingency.from_file(path, noise="drop")
    assert (table.n, cb.rand(table)) == (2, 1)


def test_long_numbers_in_files_stay_apart(tmp_path):
    path = tmp_path / "labels.csv"
    path.write_text("c,k\n99999999999999999999.0,1\n99999999999999999998.0,2\n")
    assert len(cb.Contingency.from_file(path).classes) == 2
    path.write_text("c,k\n1.5e999,1\n2,2\n")
    assert cb.Contingency.from_file(path).classes == ("1.5e999", "2")


@pytest.mark.parametrize("path", [5, None, b"x", "x" * 5000])
def test_no_path(path):
    with pytest.raises(FileError):
        cb.Contingency.from_file(path)


def test_odd_headers(tmp_path):
    path = tmp_path / "labels.csv"
    path.write_text("\n\n\n")
    with pytest.raises(FileError, match="header"):
        cb.Contingency.from_file(path)
    path.write_text("a,b\n1,2\n")
    with pytest.raises(ColumnError, match="no column 0"):
        cb.Contingency.from_file(path, truth=0, pred=1)


@pytest.mark.parametrize(
    "counts",
    [
        np.ma.array([[1, 2]], mask=[[0, 1]]),
        [[1, None]],
        pd.DataFrame([[1, None]], dtype="Int64"),
        pd.DataFrame([[1, None]], dtype=object),
        pd.crosstab(pd.Series([0, 1, 1]), pd.Series([0, 0, 1]), margins=True),
        scipy.sparse.coo_array([1, 2]),
        [[10**200, 1]],
        [[0.5, 10**400]],
        [[1e308, 1e308, 0.5]],
        [[1e-300, 1e-299]],
    ],
)
def test_tables_that_are_none(counts):
    with pytest.raises(TableError):
        from_counts(counts)


def test_names_that_are_none():
    for names in ([[1]], 5):
        with pytest.raises(TableError, match="no sequence of labels"):
            from_counts([[1]], classes=names)
    with pytest.raises(TableError, match="up to 1e100"):
        cb.Contingency.expected([[1]], 10**400)


def test_very_large_tables_have_every_measure():
    table = from_counts([[10**90, 5], [3, 10**90]])
    for row in cb.evaluate(table, measures="all").rows:
        low, high = find(row.measure).bounds
        assert low <= row.value <= high, row
    near = from_counts([[2**61, 5], [3, 2**61]])
    assert cb.ami(near) <= 1
    assert cb.normalized_rmi(near) <= 1


@pytest.mark.parametrize("sizes", [[], [0], [-1], [[1, 2]], [math.inf, 1], 5, ["a"]])
def test_best_bits_of_nothing(sizes):
    with pytest.raises(TableError, match="class_sizes"):
        cb.best_bits(sizes)


def test_worst_clustering_says_where_it_ends():
    for sizes in ([10**101, 5], [math.inf, 1]):
        with pytest.raises(TableError, match="class_sizes"):
            cb.worst_clustering(sizes)
    for n_classes in (1, 0, "x", 10**400):
        with pytest.raises(MeasureError, match="n_classes"):
            cb.worst_clustering([3, 2], n_classes)


@pytest.mark.parametrize(
    "call",
    [
        lambda t: cb.q0(t, base="x"),
        lambda t: cb.q0(t, base=None),
        lambda t: cb.q0(t, base=math.inf),
        lambda t: cb.q0(t, n_classes=10**400),
        lambda t: cb.q0_nml(t, n_classes=10**8),
        lambda t: cb.q2(t, worst=np.array([1, 2])),
        lambda t: cb.v_measure(t, beta="x"),
        lambda t: cb.evaluate(t, measures=5),
        lambda t: cb.evaluate(t, measures=len),
        lambda t: cb.evaluate(t, measures=[[]]),
        lambda t: cb.evaluate([0], [0], foo=1),
        lambda t: cb.evaluate([0, 1], {1: [0, 1], "1": [0, 0]}),
        lambda t: cb.desiderata.check([]),
        lambda t: cb.desiderata.check(lambda table: math.inf),
    ],
)
def test_wrong_requests_have_one_clear_error(call):
    with pytest.raises(ClusterbitsError):
        call(from_counts([[3, 1], [1, 3]]))


def test_measures_may_be_named_in_any_container():
    table = from_counts([[3, 1], [1, 3]])
    assert cb.evaluate(table, measures=np.array(["rand", "q0"])).measures == ("rand", "q0")
    every = cb.evaluate(table, measures="all").measures
    assert cb.evaluate(table, measures=["ALL", "rand"]).measures == every


def run(*arguments, **options):
    command = [sys.executable, "-m", "clusterbits", *arguments]
    return subprocess.run(command, check=False, stderr=subprocess.PIPE, **options)


def test_terminals_without_the_letters():
    plain = {**os.environ, "PYTHONIOENCODING": "latin-1"}
    result = run("measures", "q0", stdout=subprocess.PIPE, env=plain)
    assert result.returncode == 0


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="needs a device that is full")
def test_a_full_disk():
    with open("/dev/full", "w") as full:
        result = run("measures", stdout=full)
    assert result.returncode == 2
    assert b"cannot be written" in result.stderr
    assert len(result.stderr.splitlines()) == 1


def test_one_measure_in_other_formats():
    result = run("measures", "ari", "--format", "json", stdout=subprocess.PIPE)
    assert b'"adjusted_rand"' in result.stdout
    result = run("desiderata", "rand", "--useful", "4", "5", "--noise", "0", stdout=subprocess.PIPE)
    assert result.returncode == 0
