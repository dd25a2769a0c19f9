"""Counts and probabilities of every form give one table, or one clear error."""

import datetime as dt

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import scipy.sparse

import clusterbits as cb
from clusterbits.errors import LabelError, TableError

from_counts = cb.Contingency.from_counts


def test_forms_of_counts_agree():
    counts = [[3, 0, 1], [0, 2, 2]]
    table = from_counts(counts)
    frame = pd.DataFrame(counts, index=["x", "y"], columns=["p", "q", "r"])
    forms = {
        "tuple": tuple(map(tuple, counts)),
        "array": np.array(counts),
        "uint64": np.array(counts, dtype=np.uint64),
        "whole floats": np.array(counts, dtype=float),
        "objects": np.array(counts, dtype=object),
        "csr": scipy.sparse.csr_array(counts),
        "coo": scipy.sparse.coo_matrix(counts),
    }
    for name, form in forms.items():
        assert from_counts(form) == table, name
        assert from_counts(form).exact, name
    assert from_counts(frame).classes == ("x", "y")
    assert from_counts(frame).clusters == ("p", "q", "r")
    named = from_counts(counts, classes=["b", "a"], clusters=["z", "y", "x"])
    assert named.classes == ("b", "a")
    assert named.clusters == ("z", "y", "x")


def test_repeated_sparse_cells_add_up():
    repeated = scipy.sparse.coo_array(([1, 2, 3], ([0, 0, 1], [0, 0, 1])), shape=(2, 2))
    assert from_counts(repeated).to_dense().tolist() == [[3, 0], [0, 3]]


def test_empty_classes_and_clusters_are_not_kept():
    table = from_counts([[5, 0, 0], [0, 0, 0], [0, 0, 2]], classes="abc", clusters="xyz")
    assert table.classes == ("a", "c")
    assert table.clusters == ("x", "z")
    assert table.shape == (2, 2)


@pytest.mark.parametrize(
    ("counts", "message"),
    [
        ([[1, -2]], "not negative"),
        (np.array([[-1.5, 2]]), "not negative"),
        (scipy.sparse.csr_array([[-1, 2]]), "not negative"),
        ([[1, float("nan")]], "holds nan"),
        ([[1, float("inf")]], "holds inf"),
        ([[0, 0]], "all counts are zero"),
        ([1, 2, 3], "from_labels"),
        ([[[1]]], "3 dimensions"),
        ([[1, 2], [3]], "differ in length"),
        ([["a", "b"]], "counts are numbers"),
        (np.array([[1j]]), "counts are numbers"),
        (np.ma.array([[1, 2]], mask=[[0, 1]]), "masked cells"),
        ([[1, None]], "holds None"),
        (pd.DataFrame([[1, None]], dtype="Int64"), "holds <NA>"),
        ([[10**200, 1]], r"below 2\^63"),
        ([[1e308, 1e308, 0.5]], r"below 2\^63"),
        ([[1e-300, 1e-299]], "from 1e-100"),
    ],
)
def test_wrong_counts(counts, message):
    with pytest.raises(TableError, match=message):
        from_counts(counts)


def test_wrong_names():
    with pytest.raises(TableError, match="3 names for 2"):
        from_counts([[1], [2]], classes=["a", "b", "c"])
    with pytest.raises(TableError, match="'a' twice"):
        from_counts([[1], [2]], classes=["a", "a"])
    for names in ([[1]], 5):
        with pytest.raises(TableError, match="not a sequence of labels"):
            from_counts([[1]], classes=names)


def test_expected_counts():
    table = cb.Contingency.expected([[0.5, 0.0], [0.25, 0.25]], n=10)
    assert not table.exact
    assert table.n == 10
    assert table.counts.tolist() == [5, 2.5, 2.5]
    assert table.pairs.a00 == pytest.approx(45 * (0.25 + 0.125))
    assert "real-valued" in repr(table)
    for p, n, message in [
        ([[0.5, 0.4]], 10, "sums to 0.9"),
        ([[0.5, 0.5]], 0, "n is 0"),
        ([[0.5, 0.5]], float("nan"), "n is nan"),
        ([[1]], 10**400, r"below 2\^63"),
        ([[1.5, -0.5]], 10, "not negative"),
    ]:
        with pytest.raises(TableError, match=message):
            cb.Contingency.expected(p, n)


def test_crosstab_margins():
    truth, pred = pd.Series(list("aabbc")), pd.Series([0, 1, 1, 1, 0])
    plain = from_counts(pd.crosstab(truth, pred))
    assert plain == cb.Contingency.from_labels(truth, pred)
    for name in ("All", "Total"):
        with pytest.raises(TableError, match=f"margins, '{name}'"):
            from_counts(pd.crosstab(truth, pred, margins=True, margins_name=name))
        one = pd.crosstab(truth * 0, pred * 0, margins=True, margins_name=name)
        with pytest.raises(TableError, match=f"margins, '{name}'"):
            from_counts(one)
    # Equal counts are no margins.
    assert from_counts(pd.DataFrame([[5, 5], [5, 5]])).n == 20
    assert from_counts(pd.DataFrame([[5, 0], [0, 5]])).n == 10


@pytest.mark.parametrize(
    ("names", "expected"),
    [
        ([3, 4], (3, 4)),
        (["a", "b\0"], ("a", "b\0")),
        ([1.0, 2.0], (1, 2)),
        ([True, False], (True, False)),
        ([dt.datetime(2024, 1, 1), dt.datetime(2024, 1, 2)],) * 2,
        ([None, 1.0], (None, 1)),
    ],
)
def test_names_are_the_same_in_any_sequence(names, expected):
    objects = lambda x: np.array(x, dtype=object)  # noqa: E731
    for make in (list, objects, pd.Index, pd.Series, pd.Categorical, pl.Series, pa.array):
        table = from_counts([[1, 0], [1, 1]], make(names), make(names))
        assert table.classes == table.clusters == tuple(expected)
        assert [*map(type, table.classes)] == [*map(type, expected)]
        assert table + table == from_counts([[2, 0], [2, 2]], names, names)


@pytest.mark.parametrize("kind", ["csr_array", "csc_array", "csr_matrix", "coo_array"])
@pytest.mark.parametrize("part", ["indices", "indptr", "data", "row", "col"])
@pytest.mark.parametrize("wrong", [-1, 7, 10**6])
def test_sparse_matrices_that_lead_outside_are_refused(kind, part, wrong):
    """scipy checks a matrix when it is made, but not when its arrays are changed."""
    matrix = getattr(scipy.sparse, kind)(np.eye(3))
    if not hasattr(matrix, part):
        return
    if part == "data":
        matrix.data = np.ones(2)
    else:
        getattr(matrix, part)[1] = wrong
    with pytest.raises(TableError, match="damaged"):
        cb.Contingency.from_counts(matrix)
    with pytest.raises(LabelError, match="damaged"):
        cb.covers.Memberships(matrix)
