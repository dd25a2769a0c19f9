"""The best cut against a search through all cuts, and the values of the digits."""

import math

import numpy as np
import pytest
from support.trees import chain, every_cut, labels_of, leaves_of, random_tree

import clusterbits as cb

Tree = cb.trees.Tree


@pytest.mark.parametrize("max_children", [2, 4])
@pytest.mark.parametrize("seed", range(4))
def test_no_cut_is_better(seed, max_children):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(2, 11))
    tree, truth = random_tree(rng, n, max_children), rng.integers(0, 3, n)
    costs = {
        nodes: cb.q0(truth, labels_of(tree, nodes)) * n + named for nodes, named in every_cut(tree)
    }
    best = cb.trees.best_cut(truth, tree)
    assert best.bits * n == pytest.approx(min(costs.values()), rel=1e-12)
    encoded = [named for nodes, named in every_cut(tree) if set(nodes) == {*best.chosen.tolist()}]
    assert encoded == [best.name_bits]
    again = cb.q0(truth, best.labels) + best.name_bits / n
    assert best.bits == pytest.approx(again, rel=1e-12)
    assert best.bits == cb.trees.q0_tree(truth, tree)
    assert best.clusters == len(set(best.labels.tolist()))
    assert best.cuts == cb.trees.cuts(truth, tree, ["q0"])
    horizontal = min(cb.q0(truth, tree.labels(int(k))) for k in tree.cut_sizes)
    assert best.horizontal_bits == pytest.approx(horizontal, rel=1e-12)


def test_nodes_say_what_splitting_saves():
    rng = np.random.default_rng(3)
    tree, truth = random_tree(rng, 9, 3), rng.integers(0, 2, 9)
    nodes = cb.trees.best_cut(truth, tree).nodes
    n_classes = len(set(truth.tolist()))
    for v, leaves in leaves_of(tree).items():
        labels = truth[leaves]
        bits = cb.q0(labels, [0] * len(leaves), n_classes=n_classes) * len(leaves)
        assert nodes.bits[v] == pytest.approx(bits, rel=1e-12, abs=1e-12)
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
    best = cb.trees.best_cut(*digits)
    assert (best.horizontal_clusters, round(best.horizontal_bits, 4)) == (11, 0.6829)
    assert (best.clusters, round(best.bits, 4)) == (19, 0.6366)
    assert "11 clusters" in best.title
    assert "19 clusters: 0.6366" in best.title
    rows = best.to_dicts()
    assert [row["objects"] for row in rows] == sorted((r["objects"] for r in rows), reverse=True)
    assert sum(row["objects"] for row in rows) == 1797
    biggest = rows[0]
    inside = best.labels == biggest["cluster"]
    assert np.count_nonzero(inside) == biggest["objects"]
    assert np.mean(digits[0][inside] == biggest["class"]) == biggest["share"]
    assert all(row["splitting_saves"] <= 0 for row in rows)


def test_a_single_class_is_not_cut():
    tree = random_tree(np.random.default_rng(0), 20)
    best = cb.trees.best_cut(["a"] * 20, tree)
    assert (best.horizontal_clusters, best.clusters, best.name_bits) == (1, 1, 1)
    assert best.bits == 1 / 20


def test_the_best_horizontal_cut_may_be_the_best():
    tree = Tree.from_children([[0, 1], [2, 3], [4, 5]])
    assert cb.trees.best_cut([0, 0, 0, 1], tree).title.endswith("Cut horizontally.")


def test_a_deep_tree(monkeypatch):
    n = 200_000
    best = cb.trees.best_cut(np.repeat([0, 1], n // 2), Tree.from_children(chain(n)))
    # The chain is cut where it reaches the other class, whose objects are then alone: a bit each.
    assert best.horizontal_clusters == best.clusters == n // 2 + 1
    with monkeypatch.context() as patch:  # no more rows are made than are printed
        patch.setattr(cb.trees.BestCut, "to_dicts", None)
        printed = repr(best).splitlines()
    assert len(printed) == 22
    rows = best.to_dicts()
    assert len(rows) == best.clusters
    assert [row["objects"] for row in rows] == [n // 2, *[1] * (n // 2)]
    assert best.horizontal_bits == pytest.approx(0.5 + math.log2(n // 2 + 1) / n, rel=1e-12)
    assert best.name_bits == n // 2 + 1
