"""Input whose shape could be taken for something else: refused, or read as it is meant."""

import numpy as np
import pandas as pd
import polars as pl
import pytest

import clusterbits as cb
from clusterbits.errors import ClusterbitsError, LabelError

Memberships = cb.covers.Memberships
from_clusters, from_label_sets = Memberships.from_clusters, Memberships.from_label_sets
SOFT = np.array([[0.9, 0.1], [0.2, 0.8], [0.5, 0.5]])
MASKED = np.ma.masked_array(SOFT, mask=[[0, 0], [1, 0], [0, 0]])


ONE_HOT = [[1, 0], [0, 1], [0, 1]]


@pytest.mark.parametrize(
    "matrix",
    [
        ONE_HOT,
        [[True, False], [False, True], [False, True]],
        pd.DataFrame(ONE_HOT),
        pd.DataFrame(ONE_HOT).astype(bool),
        pd.DataFrame(ONE_HOT).astype(float).astype(object),
        pd.DataFrame(ONE_HOT).astype("Int64"),
        pd.DataFrame({"x": [True, False, False], "y": [0.0, 1.0, 1.0]}),
        pl.DataFrame(ONE_HOT, orient="row"),
        pl.DataFrame(ONE_HOT, orient="row").cast(pl.Boolean),
    ],
)
def test_one_hot_rows_of_two_columns(matrix):
    """Rows and columns are degrees, whatever their type: as ids they would make two objects."""
    assert cb.covers.omega(matrix, [0, 1, 1]) == 1
    assert cb.covers.omega(matrix, matrix) == 1
    assert cb.covers.omega(matrix, [0, 0, 1]) < 1


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: Memberships(MASKED), "the matrix has masked values.*filled"),
        (lambda: Memberships(list(MASKED)), "masked"),
        (lambda: cb.covers.q0_soft([0, 1, 1], MASKED), "masked"),
        (lambda: Memberships(SOFT, ids=np.ma.array([1, 2, 3], mask=[0, 0, 1])), "ids has mask"),
        (lambda: from_label_sets([np.ma.array([1, 2], mask=[0, 1])]), "1 missing label"),
    ],
)
def test_masks_are_not_lost(call, message):
    with pytest.raises(LabelError, match=message):
        call()


def test_sets_of_the_labels_0_and_1_are_sets():
    assert from_label_sets([{0, 1}, {0, 1}]).to_dense().tolist() == [[0.5, 0.5]] * 2
    assert from_label_sets([[0], [1]]).is_hard


def test_label_sets_keep_the_index_of_a_series():
    sets = pd.Series([["x"], ["x", "y"], ["y"]], index=["ann", "bob", "cid"])
    memberships = from_label_sets(sets)
    assert list(memberships.ids.values) == ["ann", "bob", "cid"]
    shuffled = from_label_sets(sets[["cid", "ann", "bob"]])
    assert cb.covers.omega(memberships, shuffled) == 1


@pytest.mark.parametrize("names", [["x", "x"], [1, True]])
def test_each_cluster_has_a_name_of_its_own(names):
    with pytest.raises(LabelError, match="each has one of its own"):
        Memberships(SOFT, clusters=names)


def test_rows_of_extreme_numbers_are_normalised():
    huge = Memberships([[1e308, 1e308], [1.5e308, 0.5e308]], normalize=True)
    assert huge.to_dense() == pytest.approx(np.array([[0.5, 0.5], [0.75, 0.25]]))
    tiny = Memberships([[5e-324, 1e-323], [1, 0]], normalize=True)
    assert tiny.to_dense() == pytest.approx(np.array([[1 / 3, 2 / 3], [1, 0]]))
    apart = Memberships([[1e300, 1e-300, 0], [1e300, 0, 1]], normalize=True)
    assert apart.clusters == (0, 2)  # 1 / 1e300 is a float, 1e-300 / 1e300 is none
    assert (apart.degrees > 0).all()
    assert apart.starts[-1] == len(apart.degrees) == len(apart.columns)
    beside = cb.covers.soft_code([0, 1, 0], [[1, 5e-324, 0], [0.5, 0.5, 0], [0, 0, 1]])
    assert beside == cb.covers.soft_code([0, 1, 0], [[1, 0, 0], [0.5, 0.5, 0], [0, 0, 1]])
    with pytest.raises(ClusterbitsError, match="row 0 sums to inf"):
        Memberships([[1e308, 1e308]])


@pytest.mark.parametrize(
    "truth",
    [
        [{"a", "b"}, {"b", "c"}],
        {"x": ["a", "b"], "y": ["b", "c"]},
        pd.DataFrame({"id": list("abbc"), "class": [1, 1, 2, 2]}),
    ],
    ids=lambda truth: type(truth).__name__,
)
def test_classes_that_overlap_are_sent_to_covers(truth):
    with pytest.raises(LabelError, match=r"truth has the id 'b' twice.*covers"):
        cb.covers.q0_soft(truth, Memberships(SOFT, ids=list("abc")))


def test_degrees_below_0_by_rounding_are_0():
    memberships = Memberships([[1 + 1e-17, -1e-17], [0.5, 0.5]])
    assert memberships.to_dense().tolist() == [[1, 0], [0.5, 0.5]]
    with pytest.raises(LabelError, match="row 0 holds -1e-09"):
        Memberships([[1e-9, -1e-9]], normalize=True)
    with pytest.raises(LabelError, match=r"row 0 holds -0\.001"):
        Memberships([[1.001, -0.001]])
