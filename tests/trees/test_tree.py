"""Trees from everywhere: the same tree, or one clear refusal."""

import pickle
from fractions import Fraction

import numpy as np
import pytest
from support.trees import chain, children_of, leaves_of, random_tree

import clusterbits as cb
from clusterbits.errors import ClusterbitsError, CostError, LabelError

Tree = cb.trees.Tree

POINTS = np.random.default_rng(0).normal(size=(30, 2))


def clusters(tree):
    """Return the clusters of all inner nodes, by id if there are ids."""
    names = range(tree.n) if tree.ids is None else tree.ids
    leaves = leaves_of(tree)
    return {frozenset(names[i] for i in leaves[v]) for v in range(tree.n, len(tree.parents))}


def test_scikit_learn_and_scipy_give_the_same_tree():
    cluster = pytest.importorskip("sklearn.cluster")
    from scipy.cluster.hierarchy import linkage

    model = cluster.AgglomerativeClustering(3, linkage="ward").fit(POINTS)
    tree = Tree.from_children(model)
    assert clusters(tree) == clusters(Tree.from_linkage(linkage(POINTS, "ward")))
    assert tree == Tree.from_children(model.children_)
    assert cb.ari(tree.labels(3), model.labels_) == 1
    assert cb.trees.cuts(model.labels_, model).best_k("ari") == 3
    with pytest.raises(LabelError, match="fit it first"):
        Tree.from_children(cluster.AgglomerativeClustering())
    with pytest.raises(LabelError, match="KMeans has no tree"):
        cb.trees.cuts([0] * 30, cluster.KMeans(2, n_init=1).fit(POINTS))


def test_a_tree_that_stopped_early_has_a_root_over_what_is_left():
    cluster = pytest.importorskip("sklearn.cluster")
    neighbours = pytest.importorskip("sklearn.neighbors")
    graph = neighbours.kneighbors_graph(POINTS, 8)
    model = cluster.AgglomerativeClustering(4, connectivity=graph, compute_full_tree=False).fit(
        POINTS
    )
    tree = Tree.from_children(model)
    assert np.count_nonzero(tree.parents == len(tree.parents) - 1) == 4
    assert cb.ari(tree.labels(4), model.labels_) == 1
    with pytest.raises(LabelError, match="nearest are into 1 and 4"):
        tree.labels(2)


def test_hdbscan():
    cluster = pytest.importorskip("sklearn.cluster")
    from scipy.cluster.hierarchy import linkage

    model = cluster.HDBSCAN(min_samples=1, min_cluster_size=2, copy=True).fit(POINTS)
    single = Tree.from_linkage(linkage(POINTS, "single"))
    assert clusters(Tree.from_children(model)) == clusters(single)
    assert len(cb.trees.cuts([0, 1] * 15, model)) == 30
    with pytest.raises(LabelError, match="fit it first"):
        Tree.from_children(cluster.HDBSCAN())

    class OfHdbscan:  # the library's own: an object with to_numpy
        def fit(self, data): ...

        class single_linkage_tree_:
            @staticmethod
            def to_numpy():
                return np.array([[0.0, 1, 0.5, 2], [2, 3, 1, 3]])

    assert Tree.from_children(OfHdbscan()).n == 3


def test_igraph():
    igraph = pytest.importorskip("igraph")
    dendrogram = igraph.Graph.Famous("Zachary").community_fastgreedy()
    tree = Tree.from_children(dendrogram.merges)
    for k in (2, 3, 10):
        assert cb.ari(tree.labels(k), dendrogram.as_clustering(k).membership) == 1


def test_edges():
    edges = [("r", "x"), ("r", "y"), ("x", 1), ("x", 2), ("y", 3), ("y", "z"), ("z", 4)]
    tree = Tree.from_graph(edges)
    assert clusters(tree) == {frozenset({1, 2}), frozenset({3, 4}), frozenset({1, 2, 3, 4})}
    assert Tree.from_graph(iter(edges)) == tree
    nx = pytest.importorskip("networkx")
    assert Tree.from_graph(nx.DiGraph(edges).edges) == tree


@pytest.mark.parametrize(
    "edges",
    [
        [],
        [(1, 2), (2, 1)],
        [(1, 2), (2, 1), (3, 4)],
        [(0, 1), (0, 4), (1, 2), (2, 3), (3, 1)],
        [(1, 2), (3, 2)],
        [(1, 2), (3, 4)],
        [(1, 2), (1, 2)],
        [(1, 2, 3)],
        [([], 1)],
        3,
    ],
)
def test_wrong_edges_are_refused(edges):
    with pytest.raises(LabelError, match=r"not a tree|edges are pairs"):
        Tree.from_graph(edges)


def test_partitions_of_networkx_are_levels():
    nx = pytest.importorskip("networkx")
    tree = Tree.from_levels(list(nx.community.girvan_newman(nx.path_graph(6))))
    assert tree.cut_sizes.tolist() == [6, 5, 4, 3, 2, 1]
    assert cb.trees.cuts({0: "a", 1: "a", 2: "a", 3: "b", 4: "b", 5: "b"}, tree).best_k("ari") == 2


# --- levels --------------------------------------------------------------------------------------


def test_levels_are_the_cuts():
    coarse, fine = list("xxxxyy"), list("ppqrst")
    tree = Tree.from_levels({"order": coarse, "family": fine})
    assert tree.cut_sizes.tolist() == [6, 5, 2, 1]
    assert cb.ari(tree.labels(2), coarse) == cb.ari(tree.labels(5), fine) == 1
    with pytest.raises(LabelError, match=r"no such horizontal cut.* nearest are into 2 and 5"):
        tree.labels(3)


def test_levels_that_do_not_nest_name_two_objects():
    with pytest.raises(LabelError, match=r"level 1 is not nested in level 0: the objects 1 and 2"):
        Tree.from_levels([list("xxyy"), list("pqqr")])
    with pytest.raises(LabelError, match=r"the objects 'bob' and 'cid' are"):
        Tree.from_levels([{"ann": 0, "bob": 0, "cid": 1}, {"ann": 0, "bob": 1, "cid": 1}])


def test_levels_from_frames_and_arrays():
    pd = pytest.importorskip("pandas")
    columns = {"coarse": ["x", "x", "y", "y"], "fine": ["p", "q", "r", "r"]}
    trees = [
        Tree.from_levels(columns),
        Tree.from_levels(pd.DataFrame(columns)),
        Tree.from_levels(np.array(list(columns.values())).T),
        Tree.from_levels(iter(columns.values())),
    ]
    assert all(np.array_equal(tree.parents, trees[0].parents) for tree in trees)
    by_id = Tree.from_levels([{"a": 0, "b": 0, "c": 1}, {"c": 5, "b": 4, "a": 3}])
    assert sorted(by_id.ids) == ["a", "b", "c"]
    coarse = {"w": 1, "a": 0, "k": 1, "b": 0, "z": 2}
    fine = {"k": 5, "z": 9, "b": 4, "w": 5, "a": 3}
    tree = Tree.from_levels([coarse, fine])
    assert list(tree.ids) == list(coarse)
    assert clusters(tree) == {frozenset("kw"), frozenset("ab"), frozenset("abkwz")}
    named = pd.DataFrame(columns, index=list("wxyz"))
    assert list(Tree.from_levels(named).ids) == list("wxyz")
    assert trees[1].ids is None
    assert cb.trees.cuts({"a": 0, "b": 0, "c": 1}, by_id).best_k("ari") == 2


# --- Newick --------------------------------------------------------------------------------------


def test_newick():
    tree = Tree.from_newick("((a:1,b:1)x:2,(c:0.5,'d e''s')y:1[comment],f_g:3)root:0.1;")
    assert list(tree.ids) == ["a", "b", "c", "d e's", "f g"]
    assert clusters(tree) == {*map(frozenset, ("ab", ("c", "d e's"), tree.ids))}
    assert tree.cut_sizes.tolist() == [5, 4, 3, 1]
    assert tree.labels(4).tolist() == [0, 0, 1, 2, 3]  # (a,b) is further from the root
    assert Tree.from_newick("lone;").n == 1
    assert Tree.from_newick("\ufeff(a,b);[drawn] \n") == Tree.from_newick("(a,b)")
    assert clusters(Tree.from_newick("((((a),b)),c)")) == {*map(frozenset, ("ab", "abc"))}
    deep = "(" * 50_000 + "x" + "".join(f",y{i})" for i in range(50_000)) + ";"
    assert Tree.from_newick(deep).n == 50_001


@pytest.mark.parametrize(
    "text",
    ["", ";", "(", "(a,b", "a,b;", "(a,b));", "(a,b)(c,d);", "(a b:x);", "(a:1:2,b);", "(a,);",
     "(a,b); (c,d);",
     "(a,b);[x](c,d);", "tree.nwk", "#NEXUS", "lone", "#NEXUS\nbegin;(a,b);",
     "('a,b);", "(a,a);", "(a:nan,b);", "(a:1_000,b);", "(a:٣,b);", "(a:inf,b);",
     "((a,b:1e-9999):1,c);", "(a:1e9999999,b);", "a(b);", "(a,b:);", None],
)  # fmt: skip
def test_wrong_newick_is_refused(text):
    with pytest.raises(ClusterbitsError):
        Tree.from_newick(text)


def test_newick_with_unclosed_brackets_is_refused_at_once():
    with pytest.raises(LabelError, match="wrong at character 7"):
        Tree.from_newick("(a,b);" + "[" * 200_000)


def test_newick_with_a_length_at_the_root_alone():
    plain = Tree.from_newick("((a,b),((c,d),e));")
    assert plain.cut_sizes.tolist() == [5, 4, 2, 1]
    for end in (":0.0;", "root:1;"):
        assert Tree.from_newick(f"((a,b),((c,d),e)){end}") == plain


def test_a_negative_length_brings_no_node_above_its_parent():
    tree = Tree.from_newick("((a:1,b:1):-2,(c:1,(d:1,e:1):1):1);")
    assert tree == Tree.from_newick("((a:1,b:1):0,(c:1,(d:1,e:1):1):1);")


def test_ids_of_any_kind():
    ids = [(0, 0), (0, 1)]
    assert Tree.from_children([[0, 1]], ids=ids).ids == tuple(ids)
    truth = dict(zip(ids, "ab", strict=True))
    assert cb.trees.dendrogram_purity(truth, Tree.from_children([[0, 1]], ids=ids)) == 1


def test_newick_lengths_are_added_up_exactly():
    tree = Tree.from_newick("(((a:1,b:1):0.1,c:1):0.2,(d:1,e:1):0.3);")
    assert tree.cut_sizes.tolist() == [5, 3, 2, 1]
    deep = Tree.from_newick("((((a,b):1e-16,c):1e-16,d):1,e);")
    assert clusters(deep) == set(map(frozenset, ("ab", "abc", "abcd", "abcde")))
    assert deep.cut_sizes.tolist() == [5, 4, 3, 2, 1]
    wide = "((((a,b):1e-9,c):1e-9,((d,e):1,f):3e-9):1,((g,h):1,i):1e9);"
    assert Tree.from_newick(wide).cut_sizes.tolist() == [9, 8, 7, 6, 5, 4, 3, 2, 1]
    huge = "((a,(b,c):1e308):1e308,(d,(e,f):1.1e308):1e308);"
    assert Tree.from_newick(huge).cut_sizes.tolist() == [6, 5, 4, 2, 1]


def test_newick_levels_are_those_of_fractions():
    """Lengths as they are written, of any size, against exact fractions."""
    rng = np.random.default_rng(3)
    written = ["0", "1", "0.1", "0.2", "0.3", ".1e1", "3e-1", "1e-17", "1e17", "-2", "9e307"]
    for _ in range(40):
        tree = random_tree(rng, 12, 3)
        lengths = rng.choice(written, len(tree.parents)).tolist()
        below = children_of(tree)
        far = [Fraction(0)] * len(tree.parents)
        for v in range(len(far) - 2, -1, -1):
            far[v] = far[tree.parents[v]] + max(Fraction(lengths[v]), 0)
        text = {v: f"n{v}:{lengths[v]}" for v in range(tree.n)}
        for v, children in below.items():
            text[v] = f"({','.join(text[child] for child in children)}):{lengths[v]}"
        levels = sorted({far[v] for v in below}, reverse=True)
        merged = [sum(len(below[v]) - 1 for v in below if far[v] >= level) for level in levels]
        cut_sizes = Tree.from_newick(text[len(far) - 1]).cut_sizes.tolist()
        assert cut_sizes == [tree.n, *(tree.n - steps for steps in merged)]


def test_underscores_of_newick_are_blanks():
    truth = {"a_b": 0, "c": 0, "d": 1}
    with pytest.raises(LabelError, match="the ids do not match"):
        cb.trees.cuts(truth, Tree.from_newick("((a_b,c),d);"))
    assert cb.trees.cuts(truth, Tree.from_newick("(('a_b',c),d);")).best_k("ari") == 2


def test_newick_of_random_trees():
    rng = np.random.default_rng(7)
    for max_children in (2, 4):
        tree = random_tree(rng, 30, max_children)

        def written(v, tree=tree):
            below = np.flatnonzero(tree.parents == v).tolist()
            return f"({','.join(map(written, below))})" if below else f"n{v}"

        again = Tree.from_newick(written(len(tree.parents) - 1) + ";")
        assert clusters(again) == clusters(Tree(tree.parents, [f"n{v}" for v in range(30)]))


# --- refusals ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("linkage", "message"),
    [
        ([[0, 1, np.nan, 2]], "in row 0: .* no distance may be nan"),
        ([[0, 10**400]], "too large"),
        ([[0, np.inf, 1, 2]], "in row 0: it must merge two nodes from 0 to 1"),
        ([[0, 0.5, 1, 2]], "in row 0: it must merge two nodes"),
        ([[0, 2, 1, 2]], "two nodes from 0 to 1, 2 objects and the merges of earlier rows"),
        ([[0, -1, 1, 2]], "two nodes from 0 to 1"),
        ([[0, 1, 1, 2], [0, 3, 1, 3]], "node 0 is merged twice"),
        ([0, 1, 2, 3], r"shape \(4,\)"),
        ([[0, 1, 2]], r"shape \(1, 3\)"),
        ([["a", "b"]], "not an array of numbers"),
    ],
)
def test_wrong_linkages_are_refused(linkage, message):
    with pytest.raises(LabelError, match=message):
        Tree.from_linkage(linkage)


@pytest.mark.parametrize("levels", [[], [[]], "abc", 3, [[0, 1], [0]], [[0, None]], {}])
def test_wrong_levels_are_refused(levels):
    with pytest.raises(ClusterbitsError):
        Tree.from_levels(levels)


def test_distances_and_sizes_are_not_used():
    tree = Tree.from_linkage([[0, 1, 1, 2], [2, 3, np.inf, np.nan]])
    assert tree == Tree.from_children([[0, 1], [2, 3]])


def test_a_tree_too_large_is_refused(monkeypatch):
    monkeypatch.setattr("clusterbits.system.limits._machine_memory", lambda: 1e4)
    with pytest.raises(CostError, match="a tree of 1,000 leaves"):
        Tree.from_children(chain(1000)).labels(2)


def test_nodes_that_are_no_cut_are_refused():
    tree = Tree.from_children(chain(5))
    for nodes in ([0], [5, 6], [0, 1, 2, 3]):
        with pytest.raises(LabelError, match="not a cut"):
            tree.labels_of(np.array(nodes))
    assert tree.labels_of([0, 1, 2, 3, 4]).tolist() == [0, 1, 2, 3, 4]


def test_trees_are_immutable_and_pickle():
    tree = Tree.from_children([[0, 1]], ids=["a", "b"])
    with pytest.raises(ValueError, match="read-only"):
        tree.parents[0] = 0
    again = pickle.loads(pickle.dumps(tree))
    assert again.labels(1).tolist() == [0, 0]
    assert again.ids == tree.ids
    assert again == tree
    assert tree != Tree.from_children([[0, 1]], ids=["b", "a"])
    assert tree != Tree.from_children([[0, 1]])
    assert tree != "a tree"
    with pytest.raises(AttributeError):
        tree.ids.append("c")
    at_once = Tree.from_newick("((a,b),(c,d));")
    assert at_once != Tree.from_newick("((a:1,b:1):2,(c:2,d:2):1);")


@pytest.mark.parametrize(
    "parents",
    [
        [[0, 1, 0.5, 2]],  # a linkage matrix
        [],
        [2, 2],  # no root
        [-1, 0, 0],  # the root first
        [2, 2, 4, 4, -1],  # a leaf among inner nodes
        [1, 2, 2, -1],  # one child
        [2.7, 2.2, -1],
        [[2], [2, -1]],
    ],
)
def test_parents_are_checked(parents):
    with pytest.raises(LabelError, match="parents: "):
        Tree(parents)
    with pytest.raises(LabelError, match="1 id for 2 objects"):
        Tree([2, 2, -1], ids=["a"])


@pytest.mark.parametrize("levels", [[1, 0], [0], [0.5, 1.5], "ab", [[0, 1]]])
def test_levels_of_nodes_are_checked(levels):
    assert Tree([3, 3, 4, 4, -1], levels=[0, 0]).cut_sizes.tolist() == [3, 1]
    with pytest.raises(LabelError, match="levels: "):
        Tree([3, 3, 4, 4, -1], levels=levels)
