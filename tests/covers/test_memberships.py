"""Memberships: what they are read from, what is refused, and how they are joined."""

import copy
import pickle

import igraph
import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy.sparse import coo_array, csr_array, csr_matrix
from support.covers import random_sets

import clusterbits as cb
from clusterbits.covers.memberships import join_covers
from clusterbits.errors import ClusterbitsError, LabelError, NothingToCountError
from clusterbits.table.numbering import group_objects

Memberships = cb.covers.Memberships
from_clusters, from_label_sets = Memberships.from_clusters, Memberships.from_label_sets
DEGREES = np.array([[0.9, 0.1, 0.0], [0.25, 0.5, 0.25], [0.0, 0.0, 1.0]])
SETS = [{"x"}, {"x", "y"}, {"y", "z"}]
DENSE = [[1, 0, 0], [0.5, 0.5, 0], [0, 0.5, 0.5]]


class CdlibClustering:
    """As CDlib's NodeClustering."""

    overlap = True

    def __init__(self, communities):
        self.communities = communities


# --- what they are read from ---------------------------------------------------------------------


@pytest.mark.parametrize(
    "matrix",
    [
        DEGREES,
        DEGREES.tolist(),
        DEGREES.astype(object),
        csr_array(DEGREES),
        csr_matrix(DEGREES),
        coo_array(DEGREES),
        pd.DataFrame(DEGREES),
        pl.DataFrame(DEGREES),
    ],
    ids=lambda matrix: type(matrix).__name__,
)
def test_matrices(matrix):
    memberships = Memberships(matrix)
    assert memberships.shape == (3, 3)
    assert memberships.to_dense() == pytest.approx(DEGREES)
    assert memberships.to_sparse().toarray() == pytest.approx(DEGREES)
    assert len(memberships.degrees) == 6


@pytest.mark.parametrize("library", [pd, pl])
def test_frames_of_two_columns(library):
    """A frame is a matrix to a measure; from_clusters() reads ids and clusters."""
    degrees = library.DataFrame({"x": [0.9, 0.5], "y": [0.1, 0.5]})
    assert cb.covers.q0_soft([0, 1], degrees) == cb.covers.q0_soft([0, 1], degrees.to_numpy())
    pairs = library.DataFrame({"id": ["ann", "bob", "bob"], "cluster": [1, 1, 2]})
    assert cb.covers.omega(from_clusters(pairs), [{"ann", "bob"}, {"bob"}]) == 1
    with pytest.raises(LabelError, match=r"from_clusters\(\) takes clusters of ids"):
        cb.covers.omega(pairs, [{"ann", "bob"}, {"bob"}])


def test_single_precision_is_normalised():
    rng = np.random.default_rng(0)
    matrix = rng.dirichlet(np.ones(200), 50).astype(np.float32)
    memberships = Memberships(matrix).to_dense()
    assert memberships.sum(axis=1) == pytest.approx(1, abs=1e-15)


def test_equal_degrees_are_exact():
    third = Memberships(np.full((2, 3), 1 / 3))
    assert third.is_cover
    assert third.degrees.tolist() == from_label_sets([{0, 1, 2}] * 2).degrees.tolist()
    assert not Memberships(DEGREES).is_cover


def test_frames_bring_their_names():
    frame = pd.DataFrame(DEGREES, columns=list("xyz"), index=["a", "b", "c"])
    memberships = Memberships(frame)
    assert memberships.clusters == ("x", "y", "z")
    assert list(memberships.ids.values) == ["a", "b", "c"]
    assert Memberships(frame, clusters=[7, 8, 9]).clusters == (7, 8, 9)


def test_empty_columns_are_no_clusters():
    memberships = Memberships([[0, 1, 0], [0, 0, 1]], clusters=list("xyz"))
    assert memberships.clusters == ("y", "z")
    assert memberships.columns.tolist() == [0, 1]


def _cover_forms():
    ids = [[i for i, names in enumerate(SETS) if name in names] for name in "xyz"]
    graph = igraph.Graph(3)
    return {
        "label sets": from_label_sets(SETS),
        "lists of labels": from_label_sets([list(names) * 2 for names in SETS]),
        "mapping of label sets": from_label_sets(dict(enumerate(SETS))),
        "sets": from_clusters([*map(set, ids)]),
        "generator": from_clusters(map(frozenset, ids)),
        "mapping": from_clusters(dict(zip("xyz", ids, strict=True))),
        "mapping of arrays": from_clusters(dict(zip("xyz", map(np.array, ids), strict=True))),
        "igraph": from_clusters(igraph.VertexCover(graph, ids)),
        "CDlib": from_clusters(CdlibClustering(ids)),
        "long frame": from_clusters(
            pd.DataFrame({"id": [0, 1, 1, 2, 2], "cluster": list("xxyyz")})
        ),
        "matrix": Memberships([[1, 0, 0], [1, 1, 0], [0, 1, 1]], normalize=True),
    }


@pytest.mark.parametrize("name", _cover_forms())
def test_covers(name):
    memberships = _cover_forms()[name]
    assert memberships.to_dense().tolist() == DENSE
    assert memberships.is_cover
    assert not memberships.is_hard
    if name in ("label sets", "mapping", "mapping of label sets", "long frame"):
        assert memberships.clusters == ("x", "y", "z")


@pytest.mark.parametrize(
    "labels", [[3, 1, 3], np.array(["c", "a", "c"]), pd.Series([3, 1, 3]), {"u": 3, "v": 1, "w": 3}]
)
def test_flat_labelings(labels):
    memberships = from_clusters(labels)
    assert memberships.is_hard
    assert memberships.to_dense().tolist() == [[0, 1], [1, 0], [0, 1]]


# --- what is refused -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: Memberships([]), r"shape \(0,\)"),
        (lambda: Memberships([[1, 0], [0, 0]]), "1 object of 2 is in no cluster.* row 1"),
        (lambda: Memberships([[1, 0], [np.nan, 1]]), "row 1 holds nan"),
        (lambda: Memberships([[1.1, -0.1]]), "row 0 holds -0.1"),
        (lambda: Memberships([[1, 0], [1, 1]]), r"row 1 sums to 2.*normalize=True"),
        (lambda: Memberships([[0.5, 0.4], [1, 1]]), r"row 0 sums to 0.9.*\(2 rows"),
        (lambda: Memberships([1, 0]), "from_clusters"),
        (lambda: Memberships(np.ones((2, 2, 2))), r"shape \(2, 2, 2\)"),
        (lambda: Memberships([[1, 3j], [1, 0]]), "complex128: pass a matrix of numbers"),
        (lambda: Memberships(csr_array([[1, 3j]])), "complex128: pass a matrix of numbers"),
        (lambda: Memberships([["a", "b"]]), "a matrix of numbers"),
        (lambda: Memberships([[1, 0], [1]]), "a matrix of numbers"),
        (lambda: Memberships([{1, 2}, {3}]), "from_clusters"),
        (lambda: Memberships(DEGREES, ids=["a", "b"]), "3 rows and 2 ids"),
        (lambda: Memberships(DEGREES, ids=["a", "b", "a"]), "id 'a' stands for several rows"),
        (lambda: Memberships(DEGREES, ids=["a", None, "b"]), "a missing value, at position 1"),
        (lambda: Memberships(DEGREES, clusters=["x", "y"]), "3 columns and the names"),
        (lambda: from_clusters([]), "memberships are empty"),
        (lambda: from_clusters([1, None]), "1 missing label"),
        (lambda: from_label_sets([]), "memberships are empty"),
        (lambda: from_label_sets([{1}, set()]), "1 object of 2 is in no cluster.* row 1"),
        (lambda: from_label_sets(["ab"]), "holds 'ab' at position 0"),
        (lambda: from_label_sets({frozenset({1}), frozenset({2})}), "label_sets is a set"),
        (lambda: from_label_sets(np.eye(3)), "label_sets is a ndarray: .* A matrix is for"),
        (lambda: from_label_sets([{1}, 2]), "holds 2 at position 1"),
        (lambda: from_label_sets([{"x": 0.9, "y": 0.1}]), "at position 0.* for degrees a matrix"),
        (lambda: from_label_sets([{1, None}]), "1 missing label"),
        (
            lambda: from_clusters(igraph.VertexCover(igraph.Graph(3), [[0, 1], [1]])),
            "1 object of 3 is in no cluster",
        ),
    ],
)
def test_wrong_memberships(call, message):
    with pytest.raises((ClusterbitsError, TypeError), match=message):
        call()


# --- the value -----------------------------------------------------------------------------------


def test_they_are_immutable_and_copied():
    memberships = Memberships(DEGREES, ids=list("abc"), clusters=list("xyz"))
    copies = (
        copy.copy(memberships),
        copy.deepcopy(memberships),
        pickle.loads(pickle.dumps(memberships)),
    )
    for value in (memberships, *copies):
        assert value.to_dense() == pytest.approx(DEGREES)
        assert (value.clusters, value.ids) == (memberships.clusters, memberships.ids)
        assert value == memberships
        for name in ("starts", "columns", "degrees", "counts", "rows", "sizes", "top_columns"):
            with pytest.raises(ValueError, match="read-only"):
                getattr(value, name)[0] = 0
            with pytest.raises(AttributeError, match=name):
                setattr(value, name, None)
    with pytest.raises(AttributeError):
        del memberships.degrees
    memberships.to_sparse().data[:] = 0
    assert memberships == copies[0]


def test_objects_of_one_kind_are_found():
    rng = np.random.default_rng(1)
    sets = random_sets(rng, 200, 4, 3)
    codes = from_label_sets(sets).row_codes
    kinds = group_objects(codes)
    assert len(kinds.counts) == len(set(map(frozenset, sets)))
    for kind in range(len(kinds.counts)):
        members = {frozenset(sets[i]) for i in np.flatnonzero(codes == kind)}
        assert members == {frozenset(sets[kinds.examples[kind]])}
    soft = Memberships([[0.5, 0.5], [0.4, 0.6], [0.5, 0.5], [1, 0]])
    assert group_objects(soft.row_codes).counts.tolist() == [1, 1, 2]


# --- joined --------------------------------------------------------------------------------------


def test_covers_are_joined_on_ids():
    lists = {"u": ["cid", "bob"], "v": ["bob", "ann"]}
    a, b, _ = join_covers([{"ann", "bob"}, {"bob", "cid"}], lists)
    assert a.to_dense().tolist() == b.to_dense()[:, ::-1].tolist()


def test_unmatched_objects():
    covers = [{"ann", "bob"}, {"bob", "cid"}], [{"ann", "bob"}, {"bob", "dan"}, {"eve"}]
    with pytest.raises(LabelError, match=r"ids do not match: 1 of a .*'cid'.* 2 of b"):
        cb.covers.omega(*covers)
    a, b, _ = join_covers(*covers, unmatched="drop")
    assert (a.shape, b.shape) == ((2, 2), (2, 2))
    a, b, _ = join_covers(*covers, unmatched="class")
    assert a.clusters == (0, 1, None)
    assert b.clusters == (0, 1, 2, None)
    assert sorted(a.sizes.tolist()) == [1.5, 1.5, 2]
    assert sorted(b.sizes.tolist()) == [1, 1, 1.5, 1.5]


def test_classes_are_joined_on_ids():
    memberships = Memberships(DEGREES, ids=list("abc"))
    truth = {"c": 1, "a": 0, "b": 0}
    by_position = cb.covers.q0_soft([0, 0, 1], DEGREES)
    assert cb.covers.q0_soft(truth, memberships) == pytest.approx(by_position, abs=1e-12)
    del truth["b"]
    dropped = cb.covers.q0_soft(truth, memberships, unmatched="drop")
    assert dropped == cb.covers.q0_soft([0, 1], DEGREES[[0, 2]])
    as_class = cb.covers.q0_soft(truth, memberships, unmatched="class")
    assert as_class == cb.covers.q0_soft([0, 2, 1], DEGREES)
    code = cb.covers.soft_code(truth | {"b": 0, "d": 1}, memberships, unmatched="class")
    assert (code.n, code.clusters) == (4, 4)


def test_indexes_that_differ_are_joined():
    frame = pd.DataFrame(DEGREES, index=list("abc"))
    truth = pd.Series([1, 0, 0], index=list("cab"))
    expected = cb.covers.q0_soft([0, 0, 1], DEGREES)
    assert cb.covers.q0_soft(truth, frame) == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize(
    ("call", "kind", "message"),
    [
        (lambda: cb.covers.q0_soft([], DEGREES), NothingToCountError, "empty"),
        (
            lambda: cb.covers.q0_soft([0, 1], DEGREES),
            LabelError,
            "truth has 2 labels and memberships has",
        ),
        (lambda: cb.covers.q0_soft([0, None, 1], DEGREES), LabelError, "truth has 1 missing label"),
        (
            lambda: cb.covers.q0_soft([None] * 3, DEGREES, missing="drop"),
            LabelError,
            "nothing to count",
        ),
        (lambda: cb.covers.q0_soft({"a": 1}, DEGREES), LabelError, "memberships has no ids"),
        (
            lambda: cb.covers.q0_soft([0, 1, 1], Memberships(DEGREES, ids=list("abc"))),
            LabelError,
            r"truth has no ids to join on",
        ),
        (
            lambda: cb.covers.q0_soft(Memberships(DEGREES), DEGREES),
            LabelError,
            r"truth has shape \(3, 3\)",
        ),
        (lambda: cb.covers.omega([{1}], [0]), LabelError, "b has no ids"),
        (lambda: cb.covers.omega([0, 1], [0]), LabelError, "a has 2 labels and b has 1"),
        (lambda: cb.covers.omega([0, 1], None), LabelError, "b is of type NoneType"),
    ],
)
def test_wrong_sides(call, kind, message):
    with pytest.raises(kind, match=message):
        call()


def test_missing_classes():
    dropped = cb.covers.q0_soft([0, None, 1], DEGREES, missing="drop")
    assert dropped == pytest.approx(cb.covers.q0_soft([0, 1], DEGREES[[0, 2]]), abs=1e-12)
    as_class = cb.covers.q0_soft([0, None, 1], DEGREES, missing="class")
    assert as_class == pytest.approx(cb.covers.q0_soft([0, 2, 1], DEGREES), abs=1e-12)
