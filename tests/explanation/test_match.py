"""The match of clusters and classes: the best one, and predictions in the names of classes."""

from itertools import permutations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import clusterbits as cb

LABELS = st.lists(st.tuples(st.integers(0, 3), st.integers(0, 4)), min_size=1, max_size=30)


def best_by_brute_force(table):
    dense = table.to_dense()
    dense = dense if dense.shape[0] <= dense.shape[1] else dense.T
    chosen = permutations(range(dense.shape[1]), dense.shape[0])
    return max(sum(dense[i, j] for i, j in enumerate(columns)) for columns in chosen) / table.n


@given(LABELS)
def test_it_is_the_best_match(labels):
    truth, pred = zip(*labels, strict=True)
    found = cb.match(list(truth), list(pred))
    assert found.accuracy == best_by_brute_force(found.table)
    assert found.accuracy == pytest.approx(cb.accuracy(list(truth), list(pred)), abs=1e-15)
    clusters = [row.cluster for row in found.rows if row.objects]
    assert len(clusters) == len(set(clusters))
    assert set(clusters) | set(found.unmatched.clusters) == set(pred)


@given(LABELS)
def test_relabelled_predictions_agree_as_the_match_does(labels):
    truth, pred = (np.array(side) for side in zip(*labels, strict=True))
    found = cb.match(truth, pred)
    assert (found.relabelled == truth).mean() == pytest.approx(found.accuracy)
    # Unmatched clusters stay apart from the classes and from each other.
    assert cb.rand(pred, found.relabelled) == 1
    part = np.arange(len(truth)) % 2 == 0
    assert (found.relabel(pred[part]) == found.relabelled[part]).all()


def test_large_tables_are_matched_by_component():
    rng = np.random.default_rng(0)
    truth = rng.integers(0, 1000, 20_000)
    pred = truth * 2 + (rng.random(20_000) < 0.3)
    found = cb.match(truth, pred)
    assert found.accuracy == cb.accuracy(truth, pred)


def test_scores_of_classes():
    found = cb.match(["a", "a", "a", "b", "c"], ["x", "x", "y", "x", "x"])
    a, b, c = found.rows
    assert a == ("a", "x", 2, 2 / 4, 2 / 3, 4 / 7)
    assert b[1:] == c[1:] == (None, 0, 0.0, 0.0, 0.0)
    assert found.pairs == {"x": "a"}
    assert found.unmatched == (("b", "c"), ("y",))


@pytest.mark.parametrize(
    ("truth", "pred", "relabelled"),
    [
        ([3, 3, 3, 5], [1, 1, 2, 9], [3, 3, 10, 5]),
        ([3, 3, 3, 5], [1, 1, "2", 0], [3, 3, 6, 5]),
        (["k", "k", "k", "x"], ["a", "a", "b", "c"], ["k", "k", "b", "x"]),
        (["k", "k", "k", "x"], ["a", "a", "x", "c"], ["k", "k", "x (unmatched)", "x"]),
        (["k", "k", "k", "2"], [1, 1, 2, 3], ["k", "k", "2 (unmatched)", "2"]),
    ],
)
def test_unmatched_clusters_have_names_that_no_class_has(truth, pred, relabelled):
    assert cb.match(truth, pred).relabelled.tolist() == relabelled


def test_unmatched_clusters_never_have_the_name_of_an_excluded_class():
    found = cb.match([0, 1, 2], [0, -1, 5], noise="drop", truth_noise=2)
    assert found.relabelled.tolist() == [0, -1, 5]


def test_names_of_unmatched_clusters_are_the_same_for_other_objects():
    found = cb.match([0, 0, 0, 1], [5, 5, 6, 7])
    assert found.relabelled.tolist() == [0, 0, 8, 1]
    assert found.relabel([7, 6, 4, 9]).tolist() == [1, 8, 10, 11]


def test_noise_is_noise_whatever_it_counts_as():
    for noise in ("drop", "singletons"):
        found = cb.match([0, 1, 1, 2], [0, -1, -1, 5], noise=noise)
        assert found.relabelled.tolist() == [0, -1, -1, 2]


def test_the_cluster_of_no_label_is_no_missing_match():
    found = cb.match(["a", "b", "b", "c"], [1, None, None, None], missing="class")
    _, *rows = str(found).splitlines()[1:]
    assert [row.split()[:2] for row in rows] == [["a", "1"], ["b", "None"], ["c", "–"]]


def test_it_names_unmatched_clusters_and_shows_blank_labels():
    found = cb.match(["a", "a", "a", "", "", "c"], ["", "", "y", "x", "x", "x"])
    first, _, *rows = str(found).splitlines()
    assert first.endswith("; unmatched: 1 class (c), 1 cluster (y)")
    assert [row.split()[:2] for row in rows] == [["(empty)", "x"], ["a", "(empty)"], ["c", "–"]]
    many = str(cb.match([0] * 9, list(range(9))))
    assert "unmatched: 8 clusters (1, 2, 3, 4 and 4 other clusters)\n" in many


def test_missing_labels_and_ids():
    found = cb.match({"p": "x", "q": "y"}, [{"q"}, {"p"}])
    assert found.relabelled == {"p": "x", "q": "y"}
    found = cb.match([0, 1, 1, 1], [5, 6, 6, None], missing="class")
    assert found.relabelled.tolist() == [0, 1, 1, None]
    assert cb.match(["a", "b"], [5, None], missing="class").relabelled.tolist() == ["a", "b"]


def test_clusters_that_can_be_read_only_once():
    found = cb.match({"p": "x", "q": "y"}, (one for one in [{"q"}, {"p"}]))
    assert found.relabelled == found.relabelled == {"p": "x", "q": "y"}


def test_tables_have_no_objects_to_relabel():
    found = cb.match(cb.Contingency.from_counts([[9, 1], [2, 8]]))
    assert found.accuracy == 0.85
    with pytest.raises(cb.errors.MeasureError, match="table"):
        _ = found.relabelled


def test_the_plot_has_the_match_on_its_diagonal():
    counts = [[0, 9, 1], [20, 0, 2]]
    ax = cb.match(cb.Contingency.from_counts(counts, ["a", "b"], ["x", "y", "z"])).plot()
    assert [text.get_text() for text in ax.get_xticklabels()] == ["y", "x", "z"]
    assert [text.get_text() for text in ax.get_yticklabels()] == ["a", "b"]


def test_it_keeps_nothing_of_the_caller():
    truth, pred = np.array([0, 0, 1, 1]), np.array([7, 7, 8, 8])
    found = cb.match(truth, pred)
    pred[:] = 7
    assert found.relabelled.tolist() == [0, 0, 1, 1]


def test_large_integers_are_relabelled_exactly():
    found = cb.match([0, 0, 2**63, 2**63, 2**63], [5, 5, 6, 6, 9])
    assert found.relabelled.tolist() == [0, 0, 2**63, 2**63, 2**63 + 1]


def test_noise_that_is_dropped_keeps_its_name():
    match = cb.match([1, 1, 2, 2, 2], [7, 7, 5, 5, -1], noise="drop")
    assert match.relabelled.tolist() == [1, 1, 2, 2, -1]
    match = cb.match([1, 1, -1, -1, 1], [7, 7, 5, 5, -1], noise="drop")
    assert match.relabelled.tolist() == [1, 1, -1, -1, 8]  # a class has its name
