"""Input whose shape could be taken for something else: refused, or read as it is meant."""

import igraph
import numpy as np
import pandas as pd
import polars as pl
import pytest

import clusterbits as cb
from clusterbits.errors import ClusterbitsError, LabelError

from_clusters, from_label_sets = cb.Memberships.from_clusters, cb.Memberships.from_label_sets
SOFT = np.array([[0.9, 0.1], [0.2, 0.8], [0.5, 0.5]])
MASKED = np.ma.masked_array(SOFT, mask=[[0, 0], [1, 0], [0, 0]])


ONE_HOT = [[1, 0], [0, 1], [0, 1]]


@pytest.mark.parametrize(
    "frame",
    [
        pd.DataFrame(ONE_HOT),
        pd.DataFrame(ONE_HOT).astype(bool),
        pd.DataFrame(ONE_HOT).astype(float).astype(object),
        pd.DataFrame(ONE_HOT).astype("double[pyarrow]"),
        pd.DataFrame(ONE_HOT).astype("Int64"),
        pd.DataFrame({"x": [True, False, False], "y": [0.0, 1.0, 1.0]}),
        pl.DataFrame(ONE_HOT, orient="row"),
        pl.DataFrame(ONE_HOT, orient="row").cast(pl.Boolean),
    ],
    ids=lambda frame: f"{type(frame).__module__[:6]} {sorted(map(str, frame.dtypes))}",
)
def test_one_hot_frames_of_two_columns(frame):
    """Numbers from 0 to 1 are degrees, whatever their type: as ids they would make two objects."""
    assert cb.omega(frame, [0, 1, 1]) == 1
    assert cb.omega(frame, frame) == 1
    assert cb.omega(frame, [0, 0, 1]) < 1


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: cb.Memberships(MASKED), "the matrix has masked values.*filled"),
        (lambda: cb.Memberships(list(MASKED)), "masked"),
        (lambda: cb.q0_soft([0, 1, 1], MASKED), "masked"),
        (lambda: cb.Memberships(SOFT, ids=np.ma.array([1, 2, 3], mask=[0, 0, 1])), "ids has mask"),
        (lambda: from_label_sets([np.ma.array([1, 2], mask=[0, 1])]), "label_sets has masked"),
    ],
)
def test_masks_are_not_lost(call, message):
    with pytest.raises(LabelError, match=message):
        call()


def test_a_mask_of_nothing_is_none():
    assert cb.Memberships(np.ma.array(SOFT)).to_dense().tolist() == SOFT.tolist()


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ([{"a": 0.9}, {"b": 1.0}], r"holds a dict at position 0.*Memberships\(matrix, norm"),
        ({"ann": {"a": 0.9}}, r"holds a dict"),
        (np.eye(3), r"is a ndarray of two dimensions.*Memberships\(matrix"),
        (pd.DataFrame(np.eye(3)), "is a DataFrame of two dimensions"),
        (list(np.eye(3, dtype=int)), r"holds rows of nothing but 0 and 1.*Memberships\(matrix"),
        ([[1, 0], [0, 1]], "rows of nothing but 0 and 1"),
        ([(True, False), (False, True)], "rows of nothing but 0 and 1"),
        ({frozenset("a"), frozenset("b")}, "of type set"),
    ],
)
def test_degrees_are_no_sets_of_labels(given, message):
    with pytest.raises(LabelError, match=message):
        from_label_sets(given)


def test_sets_of_the_labels_0_and_1_are_sets():
    assert from_label_sets([{0, 1}, {0, 1}]).to_dense().tolist() == [[0.5, 0.5]] * 2
    assert from_label_sets([[0], [1]]).is_hard


def test_label_sets_keep_the_index_of_a_series():
    sets = pd.Series([["x"], ["x", "y"], ["y"]], index=["ann", "bob", "cid"])
    found = from_label_sets(sets)
    assert list(found.ids.values) == ["ann", "bob", "cid"]
    shuffled = from_label_sets(sets[["cid", "ann", "bob"]])
    with pytest.raises(LabelError, match="align=True"):
        cb.omega(found, shuffled)
    assert cb.omega(found, shuffled, align=True) == 1


def test_a_mapping_has_its_ids():
    with pytest.raises(LabelError, match="keys are the ids: leave ids out"):
        from_label_sets({"ann": ["x"], "bob": ["y"]}, ids=["cid", "dan"])


@pytest.mark.parametrize(
    ("given", "kind"),
    [
        ({"a", "b", "c"}, "a set"),
        ({"a": 1, "b": 2, "c": 3}, "a dict"),
        (pd.DataFrame({"a": [1, 2, 3]}), "a DataFrame"),
        (pl.DataFrame({"a": [1, 2, 3]}), "a DataFrame"),
        (np.ones((3, 1)), "a ndarray"),
        (np.array(3), "a ndarray"),
        (3, "3"),
        (b"abc", "a bytes"),
    ],
    ids=lambda given: type(given).__name__,
)
@pytest.mark.parametrize("option", ["ids", "clusters"])
def test_names_are_a_sequence(option, given, kind):
    with pytest.raises(LabelError, match=rf"{option} is {kind}; pass a list, in the order of"):
        cb.Memberships(np.eye(3), **{option: given})


@pytest.mark.parametrize(
    ("names", "message"),
    [
        (["x", "x"], "several columns have the name 'x'"),
        ([1, True], "several columns have the name True"),
        ([None, "y"], "column 0 has the name None"),
        (["x", float("nan")], "column 1 has the name nan"),
        (["x", pd.NA], "column 1 has the name <NA>"),
        ([["x"], ["y"]], r"column 0 has the name \['x'\], a list"),
    ],
)
def test_each_cluster_has_a_name_of_its_own(names, message):
    with pytest.raises(LabelError, match=message):
        cb.Memberships(SOFT, clusters=names)


def test_repeated_columns_of_a_frame():
    frame = pd.DataFrame(SOFT, columns=["x", "x"])
    with pytest.raises(LabelError, match=r"several columns.*clusters=names"):
        cb.Memberships(frame)
    assert cb.Memberships(frame, clusters=["x", "y"]).clusters == ("x", "y")


def test_rows_of_extreme_numbers_are_normalised():
    huge = cb.Memberships([[1e308, 1e308], [1.5e308, 0.5e308]], normalize=True)
    assert huge.to_dense() == pytest.approx(np.array([[0.5, 0.5], [0.75, 0.25]]))
    tiny = cb.Memberships([[5e-324, 1e-323], [1, 0]], normalize=True)
    assert tiny.to_dense() == pytest.approx(np.array([[1 / 3, 2 / 3], [1, 0]]))
    apart = cb.Memberships([[1e300, 1e-300, 0], [1e300, 0, 1]], normalize=True)
    assert apart.clusters == (0, 2)  # 1 / 1e300 is a float, 1e-300 / 1e300 is none
    assert (apart.degrees > 0).all()
    assert apart.starts[-1] == len(apart.degrees) == len(apart.columns)
    beside = cb.soft_code([0, 1, 0], [[1, 5e-324, 0], [0.5, 0.5, 0], [0, 0, 1]])
    assert beside == cb.soft_code([0, 1, 0], [[1, 0, 0], [0.5, 0.5, 0], [0, 0, 1]])
    with pytest.raises(ClusterbitsError, match="row 0 sums to inf"):
        cb.Memberships([[1e308, 1e308]])


def test_normalising_changes_no_other_digit():
    matrix = np.random.default_rng(0).random((50, 4)) * 10.0 ** np.arange(-3, 1)
    found = cb.Memberships(matrix, normalize=True)
    sums = np.add.reduceat(matrix.ravel(), np.arange(0, 200, 4))
    assert found.to_dense().tolist() == (matrix / sums[:, None]).tolist()


@pytest.mark.parametrize("dtype", ["f2", "f4", ">f8", ">i4", "g", "?", "u1"])
def test_numbers_of_every_width(dtype):
    matrix = np.array([[1, 0], [0, 1]], dtype=dtype)
    assert cb.Memberships(matrix).to_dense().tolist() == [[1, 0], [0, 1]]


TRUTH = {"ann": 0, "bob": 0, "cid": 1}
BY_OBJECT = {"ann": ["x"], "bob": ["x", "y"], "cid": ["y"]}
HINT = r"clusters of each object.*Memberships\.from_label_sets\(|from_label_sets\(rows\)"


@pytest.mark.parametrize(
    "call",
    [
        lambda: cb.q0_soft(TRUTH, BY_OBJECT),
        lambda: cb.soft_code(TRUTH, BY_OBJECT, unmatched="drop"),
        lambda: cb.q0_soft([0, 0, 1], BY_OBJECT),
        lambda: cb.q0_soft([0, 0, 1], list(BY_OBJECT.values())),
        lambda: cb.q0_soft([0, 0, 1], [{"x"}, {"x", "y"}, {"y"}]),
        lambda: cb.q0_soft([0, 0, 1], [[0], [0, 1], [1]]),
        lambda: cb.omega([0, 0, 1], list(BY_OBJECT.values())),
        lambda: cb.omega(list(BY_OBJECT.values()), [0, 0, 1]),
        lambda: cb.omega(from_label_sets(BY_OBJECT), BY_OBJECT),
        lambda: cb.fuzzy_rand(BY_OBJECT, from_label_sets(BY_OBJECT)),
        lambda: cb.omega(BY_OBJECT, BY_OBJECT),
        lambda: cb.frobenius_adjusted_rand(BY_OBJECT, {**BY_OBJECT, "cid": ["x"]}),
    ],
)
def test_the_clusters_of_each_object_are_recognised(call):
    with pytest.raises(LabelError, match=HINT):
        call()


def test_clusters_of_ids_are_not_taken_for_those_of_objects():
    named = {0: ["ann", "bob"], 1: ["bob", "cid"]}
    assert cb.omega(named, named) == 1
    few = {"x": ["ann"], "y": ["ann", "bob"], "z": ["bob"]}  # more clusters than objects
    assert cb.omega(from_clusters(few), from_clusters(few)) == 1
    with pytest.raises(LabelError) as error:
        cb.omega(named, {0: ["ann"], 1: ["dan"]})
    assert "from_label_sets" not in str(error.value)


# --- hints ---------------------------------------------------------------------------------------

FRAME = pd.DataFrame(SOFT, columns=["x", "y"])


@pytest.mark.parametrize(
    "degrees",
    [
        SOFT,
        SOFT.tolist(),
        [tuple(row) for row in SOFT.tolist()],
        FRAME,
        FRAME.assign(z=0.5),
        pl.DataFrame(SOFT),
    ],
)
@pytest.mark.parametrize("score", [cb.ari, cb.evaluate])
def test_degrees_are_sent_to_q0_soft(score, degrees):
    with pytest.raises(LabelError, match=r"q0_soft\(truth"):
        score([0, 1, 1], degrees)


@pytest.mark.parametrize("rows", [[[1, 0], [0, 1], [0, 1]], np.eye(3)])
def test_one_hot_rows_are_sent_to_memberships(rows):
    with pytest.raises(LabelError, match=r"Memberships\((rows, normalize=True|matrix)\)"):
        cb.ari([0, 1, 1], rows)


@pytest.mark.parametrize("score", [cb.q0_soft, cb.omega])
def test_rows_to_normalise_are_sent_to_memberships(score):
    with pytest.raises(LabelError, match=r"pass Memberships\(matrix, normalize=True\)"):
        score([0, 1, 1], 2 * SOFT)


@pytest.mark.parametrize(
    "truth",
    [
        [{"a", "b"}, {"b", "c"}],
        {"x": ["a", "b"], "y": ["b", "c"]},
        pd.DataFrame({"id": list("abbc"), "class": [1, 1, 2, 2]}),
        igraph.VertexCover(igraph.Graph(3), [[0, 1], [1, 2]]),
        cb.Memberships(SOFT),
    ],
    ids=lambda truth: type(truth).__name__,
)
def test_classes_that_overlap_are_sent_to_covers(truth):
    for memberships in (cb.Memberships(SOFT, ids=list("abc")), SOFT):
        with pytest.raises(LabelError, match=r"each object has one class.*omega") as error:
            cb.q0_soft(truth, memberships)
        assert "q0_soft" not in str(error.value)


def test_a_repeated_index_is_named():
    frame = FRAME.set_axis(["a", "a", "b"])
    for score in (cb.omega, cb.fuzzy_rand):
        with pytest.raises(LabelError, match=r"b has the index label 'a' twice, so it cannot"):
            score(pd.Series([0, 1, 1], index=list("abc")), frame, align=True)
    assert cb.fuzzy_rand(frame, frame) == 1


def test_degrees_below_0_by_rounding_are_0():
    found = cb.Memberships([[1 + 1e-17, -1e-17], [0.5, 0.5]])
    assert found.to_dense().tolist() == [[1, 0], [0.5, 0.5]]
    with pytest.raises(LabelError, match="row 0 holds -1e-09"):
        cb.Memberships([[1e-9, -1e-9]], normalize=True)
    with pytest.raises(LabelError, match=r"row 0 holds -0\.001"):
        cb.Memberships([[1.001, -0.001]])
