"""The best cut against a search through all cuts, and the values of the digits."""

import math

import numpy as np
import pytest
from support.trees import chain, every_cut, labels_of, random_tree

import clusterbits as cb


@pytest.mark.parametrize("most", [2, 4])
@pytest.mark.parametrize("seed", range(4))
def test_no_cut_is_better(seed, most):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(2, 11))
    tree, truth = random_tree(rng, n, most), rng.integers(0, 3, n)
    costs = {
        nodes: cb.q0(truth, labels_of(tree, nodes)) * n + named for nodes, named in every_cut(tree)
    }
    found = cb.trees.best_cut(truth, tree)
    assert found.bits * n == pytest.approx(min(costs.values()), rel=1e-12)
    own = [named for nodes, named in every_cut(tree) if set(nodes) == {*found.chosen.tolist()}]
    assert own == [found.name_bits]
    again = cb.q0(truth, found.labels) + found.name_bits / n
    assert found.bits == pytest.approx(again, rel=1e-12)
    assert found.bits == cb.trees.q0_tree(truth, tree)
    assert found.clusters == len(set(found.labels.tolist()))
    assert found.cuts == cb.trees.cuts(truth, tree, ["q0"])
    horizontal = min(cb.q0(truth, tree.labels(int(k))) for k in tree.cut_sizes)
    assert found.horizontal_bits == pytest.approx(horizontal, rel=1e-12)


def test_nodes_say_what_splitting_saves():
    rng = np.random.default_rng(3)
    tree, truth = random_tree(rng, 9, 3), rng.integers(0, 2, 9)
    nodes = cb.trees.best_cut(truth, tree).nodes
    n_classes = len(set(truth.tolist()))
    from support.trees import leaves_of

    for v, leaves in leaves_of(tree).items():
        labels = truth[leaves]
        own = cb.q0(labels, [0] * len(leaves), n_classes=n_classes) * len(leaves)
        assert nodes.bits[v] == pytest.approx(own, rel=1e-12, abs=1e-12)
        assert nodes.objects[v] == len(leaves)
    assert np.isneginf(nodes.saved[: tree.n]).all()
    split = nodes.saved > 0
    chosen = cb.trees.best_cut(truth, tree).chosen
    assert not split[chosen].any()


@pytest.fixture(scope="module")
def digits():
    datasets = pytest.importorskip("sklearn.datasets")
    from scipy.cluster.hierarchy import linkage
    from sklearn.decomposition import PCA

    data = datasets.load_digits()
    return data.target, linkage(PCA(15, random_state=0).fit_transform(data.data), "ward")


def test_digits(digits):
    found = cb.trees.best_cut(*digits)
    assert (found.horizontal_clusters, round(found.horizontal_bits, 4)) == (11, 0.6829)
    assert (found.clusters, round(found.bits, 4)) == (19, 0.6366)
    assert "11 clusters" in found.title
    assert "19 clusters: 0.6366" in found.title
    rows = found.to_dicts()
    assert [row["objects"] for row in rows] == sorted((r["objects"] for r in rows), reverse=True)
    assert sum(row["objects"] for row in rows) == 1797
    biggest = rows[0]
    inside = found.labels == biggest["cluster"]
    assert np.count_nonzero(inside) == biggest["objects"]
    assert np.mean(digits[0][inside] == biggest["class"]) == biggest["share"]
    assert all(row["splitting_saves"] <= 0 for row in rows)
    assert "<table" in found._repr_html_()
    assert len(found.to_frame()) == 19


def test_what_the_horizontal_cut_does_to_each_cluster(digits):
    found = cb.trees.best_cut(*digits)
    horizontal, words = found.horizontal_labels, set()
    for row in found.to_dicts():
        inside = found.labels == row["cluster"]
        within = set(horizontal[inside].tolist())
        whole = np.array_equal(inside, np.isin(horizontal, [*within]))
        expected = "split" if len(within) > 1 else "same" if whole else "merged"
        assert row["horizontal"] == expected
        words.add(expected)
    assert words == {"same", "merged"}
    side = "((({0}a,{0}b),({0}c,{0}d)),(({0}e,{0}f),({0}g,{0}h)))"
    tree = cb.trees.Tree.from_newick(
        f"(({side.format('p')},{side.format('q')}),{side.format('r')});"
    )
    rows = cb.trees.best_cut({leaf: leaf[0] for leaf in tree.ids}, tree).to_dicts()
    assert [row["horizontal"] for row in rows] == ["same", "same", "split"]


def test_a_single_class_is_not_cut():
    tree = random_tree(np.random.default_rng(0), 20)
    found = cb.trees.best_cut(["a"] * 20, tree)
    assert (found.horizontal_clusters, found.clusters, found.name_bits) == (1, 1, 1)
    assert found.bits == 1 / 20


def test_the_best_horizontal_cut_may_be_the_best():
    tree = cb.trees.Tree.from_children([[0, 1], [2, 3], [4, 5]])
    assert cb.trees.best_cut([0, 0, 0, 1], tree).title.endswith("Cut horizontally.")


def test_a_deep_tree(monkeypatch):
    n = 200_000
    found = cb.trees.best_cut(np.repeat([0, 1], n // 2), cb.trees.Tree.from_children(chain(n)))
    # The chain is cut where it reaches the other class, whose objects are then alone: a bit each.
    assert found.horizontal_clusters == found.clusters == n // 2 + 1
    with monkeypatch.context() as patch:  # no more rows are made than are printed
        patch.setattr(cb.trees.BestCut, "to_dicts", None)
        printed = repr(found).splitlines()
    assert len(printed) == 22
    rows = found.to_dicts()
    assert len(rows) == found.clusters
    assert [row["objects"] for row in rows] == [n // 2, *[1] * (n // 2)]
    assert found.horizontal_bits == pytest.approx(0.5 + math.log2(n // 2 + 1) / n, rel=1e-12)
    assert found.name_bits == n // 2 + 1
