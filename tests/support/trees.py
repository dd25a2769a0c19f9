"""Trees to try, and what a tree means written out plainly."""

from itertools import combinations

import numpy as np

import clusterbits as cb


def random_tree(rng, n, max_children=2):
    """Return a tree of n leaves, whose nodes have up to `max_children` children."""
    roots, parents = list(range(n)), [-1] * n
    while len(roots) > 1:
        n_children = int(rng.integers(2, min(max_children, len(roots)) + 1))
        for v in rng.permutation(len(roots))[:n_children].tolist():
            parents[roots[v]] = len(parents)
        roots = [v for v in roots if parents[v] == -1] + [len(parents)]
        parents.append(-1)
    return cb.trees.Tree(parents)


def chain(n):
    """Return the merges of a tree as deep as it has leaves."""
    return np.stack([np.r_[0, np.arange(n, 2 * n - 2)], np.arange(1, n)], axis=1)


def children_of(tree):
    children = {v: [] for v in range(tree.n, len(tree.parents))}
    for v, parent in enumerate(tree.parents.tolist()):
        if parent >= 0:
            children[parent].append(v)
    return children


def leaves_of(tree):
    """Return the leaves below each node."""
    leaves = {v: [v] for v in range(tree.n)}
    for v, children in children_of(tree).items():
        leaves[v] = [leaf for child in children for leaf in leaves[child]]
    return leaves


def every_cut(tree):
    """Return all cuts: the nodes of each, and how many inner nodes name it."""
    children = children_of(tree)

    def below(v):
        if v < tree.n:
            return [((v,), 0)]
        parts = [((), 1)]
        for child in children[v]:
            parts = [(a + b, s + t) for a, s in parts for b, t in below(child)]
        return [((v,), 1), *parts]

    return below(len(tree.parents) - 1)


def labels_of(tree, nodes):
    leaves, labels = leaves_of(tree), np.empty(tree.n, dtype=int)
    for label, v in enumerate(nodes):
        labels[leaves[v]] = label
    return labels


def plain_purity(tree, truth):
    """Return the mean, over pairs of one class, of the share of it below their ancestor."""
    leaves, shares = leaves_of(tree), []
    for a, b in combinations(range(tree.n), 2):
        if truth[a] == truth[b]:
            v = next(v for v in range(tree.n, len(tree.parents)) if {a, b} <= set(leaves[v]))
            shares.append(np.mean([truth[leaf] == truth[a] for leaf in leaves[v]]))
    return float(np.mean(shares)) if shares else 1.0
