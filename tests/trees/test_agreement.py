"""The curve of two trees against `fowlkes_mallows` of their cuts."""

import numpy as np
import pytest
from support.trees import chain, random_tree

import clusterbits as cb


@pytest.mark.parametrize("most", [2, 4])
@pytest.mark.parametrize("seed", range(5))
def test_every_k(seed, most):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(1, 30))
    a, b = random_tree(rng, n, most), random_tree(rng, n, most)
    curve = cb.trees.fowlkes_mallows_curve(a, b)
    assert {*curve.clusters.tolist()} == {*a.cut_sizes.tolist()} & {*b.cut_sizes.tolist()}
    for k, value, chance in zip(
        curve.clusters.tolist(), curve.values.tolist(), curve.expected.tolist(), strict=True
    ):
        table = cb.Contingency.from_labels(a.labels(k), b.labels(k))
        assert value == cb.fowlkes_mallows(table)
        if k < n:
            total = table.pairs.total
            mean = (table.pairs.same_class * table.pairs.same_cluster) ** 0.5 / total
            assert chance == pytest.approx(mean, rel=1e-12)
        else:
            assert chance == 1


def test_trees_are_joined_on_ids():
    one = cb.trees.Tree.from_newick("((a,b),(c,d));")
    other = cb.trees.Tree.from_newick("((d,c),(b,a));")
    assert cb.trees.fowlkes_mallows_curve(one, other).values.tolist() == [1.0, 1.0, 1.0]
    with pytest.raises(cb.errors.ClusterbitsError, match="1 of tree_a"):
        cb.trees.fowlkes_mallows_curve(one, cb.trees.Tree.from_newick("((a,b),(c,e));"))


def test_deep_trees():
    n = 5000
    rng = np.random.default_rng(0)
    curve = cb.trees.fowlkes_mallows_curve(
        cb.trees.Tree.from_children(chain(n)), random_tree(rng, n)
    )
    assert len(curve.clusters) == n
    assert curve.values[0] == curve.values[-1] == 1
    assert "1 to 5,000 clusters" in repr(curve)
    assert len(curve.to_frame()) == n
    assert len(curve.to_dicts()) == n
