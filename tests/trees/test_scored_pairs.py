"""Trees of scored pairs: against connected components at every threshold."""

from decimal import Decimal
from fractions import Fraction
from itertools import permutations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components
from support.hostile import examples

import clusterbits as cb
from clusterbits.errors import LabelError
from clusterbits.trees import Tree


@st.composite
def graphs(draw):
    """Return scored pairs of a few objects; self loops, repeated pairs and ties are likely."""
    n = draw(st.integers(1, 12))
    position = st.integers(0, n - 1)
    edges = draw(st.lists(st.tuples(position, position, st.sampled_from([0.1, 0.5, 0.5, 0.9]))))
    pairs = np.array([edge[:2] for edge in edges], dtype=np.int64).reshape(-1, 2)
    return n, pairs, np.array([edge[2] for edge in edges])


def components(n, pairs, keep):
    left, right = pairs[keep].T
    graph = coo_array((np.ones(len(left)), (left, right)), shape=(n, n))
    return connected_components(graph, directed=False)[1]


@examples(200)
@given(graphs())
def test_a_cut_is_the_connected_components_at_its_threshold(graph):
    n, pairs, similarity = graph
    tree = Tree.from_edges(pairs, similarity, n)
    assert tree.thresholds.tolist() == sorted(set(tree.thresholds.tolist()), reverse=True)
    for threshold in (np.inf, *sorted(set(similarity.tolist()), reverse=True)):
        expected = components(n, pairs, similarity >= threshold)
        k = int(tree.cut_sizes[tree.thresholds >= threshold][-1])
        assert cb.rand(tree.labels(k), expected) == 1 if n > 1 else k == 1
    assert tree.cut_sizes[-1] == 1


@examples(50)
@given(graphs(), st.data())
def test_cuts_score_every_threshold(graph, data):
    n, pairs, similarity = graph
    truth = data.draw(st.lists(st.integers(0, 2), min_size=n, max_size=n))
    tree = Tree.from_edges(pairs, similarity, n)
    cuts = cb.trees.cuts(truth, tree, ["q0", "pair_f1"])
    for row in cuts.to_dicts():
        labels = components(n, pairs, similarity >= row["threshold"])
        if row["threshold"] == -np.inf:
            labels = np.zeros(n)
        assert row["clusters"] == len(set(labels.tolist()))
        assert row["pair_f1"] == pytest.approx(cb.pair_f1(truth, labels))
    assert cuts.best_threshold("q0") in cuts.thresholds


@examples(50)
@given(graphs(), st.randoms(use_true_random=False))
def test_order_direction_and_repeats_of_pairs_change_nothing(graph, random):
    n, pairs, similarity = graph
    order = list(range(len(pairs)))
    random.shuffle(order)
    first = Tree.from_edges(pairs, similarity, n)
    turned = np.concatenate([pairs[order, ::-1], pairs])
    second = Tree.from_edges(turned, np.concatenate([similarity[order], similarity - 0.05]), n)
    assert first == second
    assert np.array_equal(first.levels, second.levels)


def test_pairs_of_one_similarity_are_merged_at_once():
    """Else the order of tied pairs would choose the tree, which might follow the classes."""
    truth, chain = list("aabb"), [(0, 1), (1, 2), (2, 3)]
    at_once = Tree.from_levels([[0, 0, 0, 0]])
    for order in permutations(range(3)):
        tree = Tree.from_edges([chain[i] for i in order], [1, 1, 1], 4)
        assert np.array_equal(tree.parents, at_once.parents)
        assert cb.trees.dendrogram_purity(truth, tree) == 0.5
        assert cb.trees.q0_tree(truth, tree) == cb.trees.q0_tree(truth, at_once)


@examples(50)
@given(graphs(), st.data())
def test_renamed_and_repeated_objects_change_no_score(graph, data):
    n, pairs, similarity = graph
    truth = np.array(data.draw(st.lists(st.integers(0, 2), min_size=n, max_size=n)))
    repeats = np.array(data.draw(st.lists(st.integers(1, 3), min_size=n, max_size=n)))
    tree, measures = Tree.from_edges(pairs, similarity, n), ["q0", "pair_f1", "adjusted_rand"]
    new = np.array(data.draw(st.permutations(range(n))))
    renamed = cb.trees.cuts(
        truth[np.argsort(new)], Tree.from_edges(new[pairs], similarity, n), measures
    )
    for name, values in cb.trees.cuts(truth, tree, measures).columns.items():
        assert renamed.columns[name] == pytest.approx(values, abs=1e-12)
    # Copies of an object are one object of weight 2 or 3: most similar to each other.
    copy = np.cumsum(repeats) - repeats
    copies = [(c, c + i) for c, r in zip(copy, repeats, strict=True) for i in range(1, r)]
    edges = np.concatenate([copy[pairs], np.array(copies, dtype=int).reshape(-1, 2)])
    scores = np.append(similarity, np.full(len(copies), 2.0))
    repeated = Tree.from_edges(edges, scores, len(np.repeat(truth, repeats)))
    among_copies = cb.trees.cuts(np.repeat(truth, repeats), repeated, measures)
    for name, values in cb.trees.cuts(truth, tree, measures, weights=repeats).values.items():
        assert among_copies[name][: len(values)] == pytest.approx(values, abs=1e-12)


def test_a_similarity_of_0_and_a_pair_of_one_object_are_no_traps():
    """A sparse matrix takes a cost of 0 for no edge, and adds up repeated ones."""
    pairs = [(0, 0), (0, 1), (1, 0), (2, 1), (2, 3)]
    tree = Tree.from_edges(pairs, [9, 0.5, 0.4, 0, -1], 4)
    assert tree.thresholds.tolist() == [np.inf, 0.5, 0, -1]
    assert tree.cut_sizes.tolist() == [4, 3, 2, 1]
    assert tree == Tree.from_edges(pairs, [9, 0.5, 0.4, -5e-324, -1], 4)


def test_ids_name_the_leaves():
    people = ["ann", "bob", "cid", "dan"]
    tree = Tree.from_edges([("bob", "ann"), ("cid", "bob")], [0.9, 0.2], people)
    assert list(tree.ids) == people
    truth = {"dan": "y", "cid": "y", "bob": "x", "ann": "x"}
    cuts = cb.trees.cuts(truth, tree, ["q0", "pair_f1"])
    assert cuts.best_threshold("pair_f1") == 0.9
    assert cuts.title.startswith("3 clusters at the threshold 0.9 cost")
    with pytest.raises(LabelError, match="1 id that objects lacks, such as 'eve'"):
        Tree.from_edges([("ann", "eve")], [0.5], people)
    with pytest.raises(LabelError, match="distinct"):
        Tree.from_edges([("ann", "bob")], [0.5], ["ann", "bob", "ann"])


def test_frames_and_infinite_similarities_are_taken():
    pl = pytest.importorskip("polars")
    frame = pl.DataFrame({"left": ["a", "b"], "right": ["b", "c"], "score": [np.inf, -np.inf]})
    tree = Tree.from_edges(frame[["left", "right"]], frame["score"], ["a", "b", "c"])
    assert tree.cut_sizes.tolist() == [3, 2, 1]
    assert tree.thresholds.tolist() == [np.inf, np.inf, -np.inf]


def test_thresholds_are_written_to_be_used_again():
    similarity = [Decimal("0.12345678901"), Fraction(1, 3), -0.0, 0]
    tree = Tree.from_edges([(0, 1), (1, 2), (2, 3), (3, 4)], similarity, 5)
    assert tree.thresholds.tolist() == [np.inf, 1 / 3, 0.12345678901, 0.0]
    text = repr(cb.trees.cuts([0, 0, 1, 1, 1], tree, ["q0"]))
    assert "0.3333333333333333 " in text
    assert "0.12345678901 " in text
    assert "-0.0" not in text
    assert tree == Tree.from_edges([(1, 0), (2, 1), (2, 3), (4, 3)], similarity, 5)
    assert tree != Tree.from_edges([(1, 0), (2, 1), (2, 3), (4, 3)], [0.2, 0.4, 0, 0], 5)


def test_what_is_no_scored_pair_is_one_clear_error():
    pairs = [(0, 1), (1, 2)]
    for similarity, message in (
        ([0.5, np.nan], "nan at position 1"),
        ([0.5, None], "nan at position 1"),
        (np.ma.array([0.5, 0.9], mask=[False, True]), "nan at position 1"),
        ([0.5], "one number for each of 2 pairs"),
        ([2**53, 2**53 + 1], r"integers above 2\^53"),
        (["0.5", "0.9"], "similarity must be a sequence of numbers"),
        (["high", "low"], "similarity must be a sequence of numbers"),
        ([[0.5], [0.9]], "similarity must be a sequence of numbers"),
        (0.5, "similarity must be a sequence of numbers"),
    ):
        with pytest.raises(LabelError, match=message):
            Tree.from_edges(pairs, similarity, 3)
    with pytest.raises(LabelError, match="1 id that objects lacks, such as 2: "):
        Tree.from_edges(pairs, [1, 1], 2)
    with pytest.raises(LabelError, match="pairs has ids that are no positions"):
        Tree.from_edges([("a", "b")], [1], 2)
    with pytest.raises(LabelError, match="objects must be a number above 0"):
        Tree.from_edges(pairs, [1, 1], 0)
    tree = cb.trees.Tree.from_children([[0, 1]])
    assert tree.thresholds is None
    with pytest.raises(LabelError, match=r"Tree\.from_edges"):
        cb.trees.cuts(["a", "b"], tree).best_threshold()


def test_one_object_and_no_pairs():
    assert Tree.from_edges(np.zeros((0, 2), dtype=int), [], 1).cut_sizes.tolist() == [1]
    tree = Tree.from_edges([], [], 3)
    assert (tree.cut_sizes.tolist(), tree.thresholds.tolist()) == ([3, 1], [np.inf, -np.inf])
