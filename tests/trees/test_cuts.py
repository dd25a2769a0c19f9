"""Every cut equals what `evaluate` gives for its labels; the sums are exact at any shape."""

import pickle

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.cluster.hierarchy import cut_tree, linkage
from support.trees import chain, random_tree

import clusterbits as cb
from clusterbits.errors import ClusterbitsError, LabelError, MeasureError
from clusterbits.measures import catalogue as registry
from clusterbits.measures.catalogue import catalogue
from clusterbits.trees.cutting import CUT_MEASURES

Tree = cb.trees.Tree

PAIR_FAMILIES = {"pairs", "pair_coefficients"}
# These need counts of counts, or sums of cubes.
NOT_OF_SUMS = {"standardized_rand", "p_value_adjusted_rand"}


def same(value, expected):
    return value == pytest.approx(expected, rel=1e-12, abs=1e-12, nan_ok=True)


def check_all(tree, truth, measures="all", **options):
    cuts = cb.trees.cuts(truth, tree, measures, **options)
    assert cuts.clusters.tolist() == sorted(tree.cut_sizes.tolist())
    for i, k in enumerate(cuts.clusters.tolist()):
        labels = tree.labels(k)
        assert len(set(labels.tolist())) == k
        scores = cb.evaluate(truth, labels, list(cuts.values), **options)
        wrong = [m for m in cuts.measures if not same(cuts[m][i], scores[m])]
        assert not wrong, (k, wrong)
        assert same(cuts.bits[i], cb.q0(truth, labels, **options))
    return cuts


@pytest.mark.parametrize("max_children", [2, 4])
@pytest.mark.parametrize("seed", range(3))
def test_every_cut_is_what_evaluate_says(seed, max_children):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(2, 30))
    check_all(random_tree(rng, n, max_children), rng.integers(0, rng.integers(1, 6), n))


def test_singletons_and_one_cluster_save_exactly_nothing():
    rng = np.random.default_rng(0)
    for n in range(5, 40, 5):
        cuts = cb.trees.cuts(np.arange(n) % 3, random_tree(rng, n, 2), ["share_saved"])
        ends = {float(cuts["share_saved"][0]), float(cuts["share_saved"][-1])}
        assert 0.0 in ends
        assert not any(0 < abs(share) < 1e-9 for share in ends)


@given(st.integers(0, 10**6), st.integers(1, 14), st.integers(1, 4), st.integers(2, 5))
@settings(max_examples=25, deadline=None)
def test_small_trees(seed, n, classes, max_children):
    rng = np.random.default_rng(seed)
    check_all(
        random_tree(rng, n, max_children), rng.integers(0, classes, n), ["q0", "ari", "vi", "fm"]
    )


def test_all_pair_measures_and_entropies_are_known_at_all_cuts():
    cuts = cb.trees.cuts([0, 0, 1, 1], Tree.from_children([[0, 1], [2, 3], [4, 5]]), "all")
    pairs = {entry.name for entry in catalogue() if entry.family in PAIR_FAMILIES}
    assert pairs - NOT_OF_SUMS <= set(cuts.measures)
    assert set(CUT_MEASURES) <= set(cuts.measures)
    assert {"q2", "homogeneity", "completeness", "variation_of_information"} <= set(cuts.measures)


@pytest.mark.parametrize("method", ["ward", "average", "single", "centroid"])
def test_cuts_are_those_of_scipy(method):
    rng = np.random.default_rng(3)
    points = rng.normal(size=(60, 2))
    z = linkage(points, method)
    tree = Tree.from_linkage(z)
    if method != "centroid":
        every = cut_tree(z)
        for k in range(1, 61):
            assert np.array_equal(tree.labels(k), every[:, 60 - k])
    truth = rng.integers(0, 4, 60)
    cuts = cb.trees.cuts(truth, z)
    assert cuts["q0"][9] == pytest.approx(cb.q0(truth, tree.labels(10)), rel=1e-12)


def test_pair_counts_are_exact_and_large_trees_keep_their_digits():
    n = 100_000
    rng = np.random.default_rng(0)
    truth = (rng.random(n) < 1e-4).astype(int)  # nearly one class: quotients of small differences
    for merges in (chain(n), None):
        tree = random_tree(rng, 3000) if merges is None else Tree.from_children(merges)
        classes = truth[: tree.n]
        cuts = cb.trees.cuts(
            classes, tree, ["ari", "rand", "fm", "q0", "mutual_information", "nmi", "ami"]
        )
        for k in (2, 3, 50, tree.n // 2, tree.n - 1):
            table = cb.Contingency.from_labels(classes, tree.labels(k))
            assert cuts["ari"][k - 1] == cb.ari(table)  # to the last bit
            assert cuts["rand"][k - 1] == cb.rand(table)
            assert cuts["fm"][k - 1] == cb.fm(table)
            for name in ("q0", "mutual_information", "nmi", "ami"):
                value = cb.get_measure(name)(table)
                assert cuts[name][k - 1] == pytest.approx(value, rel=1e-12, abs=1e-13)


def test_asked_for_some_cuts_any_measure_is_computed():
    rng = np.random.default_rng(1)
    tree, truth = random_tree(rng, 40), rng.integers(0, 3, 40)
    cuts = cb.trees.cuts(truth, tree, ["q0", "ami", "accuracy"], k=[10, 3, 3])
    assert cuts.clusters.tolist() == [3, 10]
    for i, k in enumerate((3, 10)):
        assert cuts["ami"][i] == pytest.approx(cb.ami(truth, tree.labels(k)), rel=1e-12)
        assert cuts["accuracy"][i] == cb.accuracy(truth, tree.labels(k))
    assert cuts.measures == ("q0", "adjusted_mutual_information", "accuracy")
    assert cuts.title.startswith("Of these cuts, 3 clusters cost the fewest bits: ")
    assert cb.trees.cuts(truth, tree, k=range(1, 41)).title == cb.trees.cuts(truth, tree).title
    assert len(cb.trees.cuts(truth, tree, "all", k=5).measures) > 60
    with pytest.raises(MeasureError, match=r"purity needs .*pass k= with"):
        cb.trees.cuts(truth, tree, ["purity"])


@pytest.fixture
def own_measure():
    """Yield a measure of the user that would be wrong for vectors, until the test is over."""
    measures = dict(registry._CATALOGUE)

    @cb.measure(family="mine", bounds=(0, 1), better="higher", perfect=1)
    def share_of_pairs(table):
        return np.max(table.pairs.a00) / table.pairs.total

    yield share_of_pairs
    registry._CATALOGUE.clear()
    registry._CATALOGUE.update(measures)


def test_measures_of_the_user_are_scored_table_by_table(own_measure):
    rng = np.random.default_rng(1)
    tree, truth = random_tree(rng, 20), rng.integers(0, 3, 20)
    usual = set(cb.trees.cuts(truth, tree, "all").measures)
    assert "share_of_pairs" not in usual
    assert "q0" in usual
    cuts = cb.trees.cuts(truth, tree, [own_measure, "q0"], k=[2, 5, 9])
    alone = [own_measure(truth, tree.labels(k)) for k in (2, 5, 9)]
    assert cuts["share_of_pairs"].tolist() == alone
    assert len(set(alone)) == 3
    assert "share_of_pairs" in cb.trees.cuts(truth, tree, "all", k=[2, 5]).measures
    with pytest.raises(MeasureError, match=r"share_of_pairs needs .*pass k= with"):
        cb.trees.cuts(truth, tree, own_measure)


def test_a_result_of_arrays():
    tree, truth = Tree.from_children([[0, 1], [2, 3], [4, 5]]), ["a", "a", "b", "b"]
    cuts = cb.trees.cuts(truth, tree)
    assert cuts.measures == CUT_MEASURES
    assert cuts.table(2).is_perfect
    assert cuts.best_k() == cuts.best_k("ari") == 2
    assert cuts.best_k("conditional_entropy") == 2  # of ties, the fewest clusters
    assert [row["q0"] for row in cuts.to_dicts()] == cuts["q0"].tolist()
    with pytest.raises(ValueError, match="read-only"):
        cuts["q0"][0] = 1
    with pytest.raises(TypeError):
        cuts.values["q0"] = 1
    assert "ARI" in cuts
    assert "jaccard" not in cuts
    assert "no such measure" not in cuts
    assert pickle.loads(pickle.dumps(cuts)) == cuts
    with pytest.raises(MeasureError, match="not computed"):
        cuts["jaccard"]


def test_permuting_objects_and_renaming_classes_changes_nothing():
    rng = np.random.default_rng(5)
    n = 50
    points, truth = rng.normal(size=(n, 2)), rng.integers(0, 4, n)
    order = rng.permutation(n)
    cuts = cb.trees.cuts(truth, linkage(points, "average"))
    names = np.array(["d", "a", "c", "b"])
    permuted = cb.trees.cuts(names[truth[order]], linkage(points[order], "average"))
    for name in cuts.measures:
        assert permuted[name] == pytest.approx(cuts[name], rel=1e-12, abs=1e-12)
    z = linkage(points, "average")
    assert cb.trees.q0_tree(truth, z) == pytest.approx(cb.trees.q0_tree(names[truth], z), rel=1e-12)
    assert cb.trees.dendrogram_purity(truth, z) == cb.trees.dendrogram_purity(names[truth], z)


# --- missing labels, weights, ids ----------------------------------------------------------------


def test_objects_that_are_left_out_stay_in_the_tree():
    rng = np.random.default_rng(2)
    tree = random_tree(rng, 25, 3)
    truth = [None if i % 4 == 0 else "abc"[i % 3] for i in range(25)]
    cuts = check_all(tree, truth, "all", missing="drop")
    assert "Scored 18 of 25 objects" in cuts.title
    check_all(tree, truth, "all", missing="class")
    best = cb.trees.best_cut(truth, tree, missing="drop")
    assert len(best.labels) == 25
    assert best.title.endswith("\nScored 18 of 25 objects (0.72).")
    noise = ["abc"[i % 3] for i in range(25)]
    check_all(tree, noise, ["q0", "ari"], truth_noise="a")
    with pytest.raises(ClusterbitsError, match="missing label"):
        cb.trees.cuts(truth, tree)


def test_coverage_is_that_of_evaluate():
    """An object of weight 0 is covered; of a join, the objects of both sides are the data."""
    tree = Tree.from_newick("((a,b),(c,d));")
    for truth, options in (
        ({"a": 1, "b": 1, "c": 2, "d": 2}, {"weights": {"a": 0, "b": 1, "c": 2, "d": 1}}),
        (
            {"a": 1, "b": None, "c": 2, "d": 2},
            {"weights": {"a": 1, "b": 1, "c": 2, "d": 1}, "missing": "drop"},
        ),
        ({"a": 1, "b": 2, "e": 4}, {"unmatched": "drop"}),
    ):
        cuts = cb.trees.cuts(truth, tree, ["q0"], **options)
        table = cb.Contingency.from_labels(truth, dict.fromkeys("abcd", 0), **options)
        words = "" if table.coverage is None else str(table.coverage).partition(" in ")[0]
        assert cuts.classes.coverage.rstrip(".").lower() == words


def test_whole_weights_count_objects():
    rng = np.random.default_rng(4)
    tree, truth = random_tree(rng, 20), rng.integers(0, 3, 20)
    weights = rng.integers(0, 4, 20)
    check_all(tree, truth, "all", weights=weights)
    for wrong in (weights + 0.5, "balanced", [10**12] * 20):
        with pytest.raises(LabelError, match="integer numbers"):
            cb.trees.cuts(truth, tree, weights=wrong)
    # An object of weight 2 is two objects that are merged before all others.
    purity = cb.trees.dendrogram_purity
    repeated = purity([0, 0, 1], Tree.from_children([[0, 1], [3, 2]]))
    assert repeated == purity([0, 1], Tree.from_children([[0, 1]]), weights=[2, 1])


def test_truth_is_joined_on_ids():
    tree = Tree.from_newick("((a,b),(c,d));")
    truth = {"d": 1, "c": 1, "b": 0, "a": 0}
    assert cb.trees.cuts(truth, tree).best_k("ari") == 2
    assert cb.trees.cuts([0, 0, 1, 1], tree).best_k("ari") == 2  # in the order of the leaves
    assert cb.trees.cuts([{"a", "b"}, {"c", "d"}], tree).best_k("ari") == 2
    with pytest.raises(LabelError, match="1 of the tree"):
        cb.trees.cuts({"a": 0, "b": 0, "c": 1}, tree)
    assert cb.trees.cuts({"a": 0, "b": 0, "c": 1}, tree, unmatched="drop").classes.n == 3
    assert cb.trees.cuts({"a": 0, "b": 0, "c": 1}, tree, unmatched="class").classes.n == 4
    with pytest.raises(LabelError, match="not in the tree"):
        cb.trees.cuts(truth | {"e": 1}, tree, unmatched="class")
    with pytest.raises(LabelError, match="no ids"):
        cb.trees.cuts({"a": 0, "b": 1}, Tree.from_children([[0, 1]]))


def test_pandas_series_are_matched_by_position_or_aligned():
    pd = pytest.importorskip("pandas")
    tree = Tree.from_newick("((a,b),(c,d));")
    series = pd.Series([1, 0, 1, 0], index=list("dacb"))
    assert cb.trees.cuts(series, tree).best_k("ari") == 2  # both sides offer ids
    assert cb.trees.cuts(series, tree, align=True).best_k("ari") == 2
    assert cb.trees.cuts(series[:2], Tree.from_children([[0, 1]])).classes.n == 2


# --- degenerate input ----------------------------------------------------------------------------


def test_degenerate_trees_and_classes():
    leaf = Tree.from_linkage(np.empty((0, 4)))
    assert cb.trees.cuts(["a"], leaf)["rand"].tolist() == [1.0]
    assert cb.trees.q0_tree(["a"], leaf) == 0
    assert cb.trees.best_cut(["a"], leaf).labels.tolist() == [0]
    assert cb.trees.dendrogram_purity(["a"], leaf) == 1
    assert repr(leaf) == "<Tree: 1 leaf, 0 inner nodes>"
    ties = Tree.from_linkage(linkage(np.zeros((9, 1)), "single"))
    check_all(ties, [0] * 9)
    check_all(ties, list(range(9)))
    assert cb.trees.best_cut([0] * 9, ties).horizontal_clusters == 1
    assert cb.trees.q0_tree([0] * 9, ties) == pytest.approx(1 / 9)  # the root: "cut here"


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda tree: cb.trees.cuts([0, 1], tree), "truth has 2 labels and the tree has 4"),
        (lambda tree: cb.trees.cuts([], tree), "truth is empty"),
        (lambda tree: cb.trees.cuts([{0}, {1}], tree), "no ids"),
        (lambda tree: cb.trees.cuts([0.5] * 4, tree), "whole"),
        (lambda tree: cb.trees.cuts([0] * 4, tree, "nothing"), "no measure"),
        (lambda tree: cb.trees.cuts([0] * 4, tree, k=5), "from 1 to 4"),
        (lambda tree: cb.trees.cuts([0] * 4, tree, k=2.5), "number of clusters"),
        (lambda tree: cb.trees.cuts([0] * 4, tree, k=[]), "k is empty"),
        (lambda tree: cb.trees.cuts([0] * 4, tree, noise="drop"), "no option 'noise'"),
        (lambda tree: cb.trees.cuts([0] * 4, "tree.nwk"), "a str is not a tree"),
        (lambda tree: cb.trees.best_cut([0] * 5, tree), "truth has 5 labels"),
        (lambda tree: cb.trees.q0_tree([None] * 4, tree, missing="drop"), "nothing to count"),
        (
            lambda tree: cb.trees.dendrogram_purity([0] * 4, tree, weights=[0] * 4),
            "nothing to count",
        ),
        (
            lambda tree: cb.trees.cuts(list("aabb"), tree, weights=[0, 0, 1, 1], truth_noise="b"),
            r"every object is in a class of truth_noise \('b'\)",
        ),
    ],
)
def test_wrong_calls_are_answered_in_words(call, message):
    with pytest.raises((ClusterbitsError, TypeError), match=message):
        call(Tree.from_children([[0, 1], [2, 3], [4, 5]]))
