"""Dendrogram purity against all pairs written out, and against ClustPy."""

import numpy as np
import pytest
from scipy.cluster.hierarchy import linkage
from support.trees import chain, plain_purity, random_tree

import clusterbits as cb

# dendrogram_purity of clustpy.metrics.external, version 0.0.3.
CLUSTPY = [(7, 2, 0.6322751322751322), (60, 4, 0.4677023059858879), (300, 10, 0.15590403262079708)]


@pytest.mark.parametrize("max_children", [2, 5])
@pytest.mark.parametrize("seed", range(6))
def test_all_pairs(seed, max_children):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(2, 25))
    tree, truth = random_tree(rng, n, max_children), rng.integers(0, 4, n)
    assert cb.trees.dendrogram_purity(truth, tree) == pytest.approx(
        plain_purity(tree, truth), rel=1e-12
    )


@pytest.mark.parametrize(("n", "classes", "value"), CLUSTPY)
def test_clustpy(n, classes, value):
    i = np.arange(n)
    points = np.stack([np.sin(3.0 * i), np.cos(7.0 * i * i)], axis=1)
    purity = cb.trees.dendrogram_purity((i * i // 3) % classes, linkage(points, "average"))
    assert purity == pytest.approx(value, rel=1e-12)


def test_pure_trees_score_exactly_one():
    tree = cb.trees.Tree.from_levels([list("aaabbbcc")])
    assert cb.trees.dendrogram_purity(list("xxxyyyzz"), tree) == 1
    assert cb.trees.dendrogram_purity(list("abcdefgh"), tree) == 1  # no pair at all


def test_a_chain():
    n = 1000
    truth = np.arange(n) % 2
    value = cb.trees.dendrogram_purity(truth, cb.trees.Tree.from_children(chain(n)))
    assert 0.5 < value < 0.51
