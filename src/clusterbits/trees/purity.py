"""Dendrogram purity: the quality of a tree without a cut."""

from __future__ import annotations

import math
from typing import Any, Unpack

import numpy as np

from clusterbits.labels.options import TruthOptions, takes_labels
from clusterbits.trees.merge_statistics import read_merge_statistics


@takes_labels
def dendrogram_purity(
    truth: Any,
    tree: Any,
    **labels: Unpack[TruthOptions],
) -> float:
    r"""Return the dendrogram purity of a tree, exactly: the mean over all pairs of one class.

    .. math:: \sum_v \sum_c p_c(v) \frac{x_c(v)}{|v|} \Big/ \sum_c \binom{h(c)}{2}

    For two objects of one class, the share of that class below their lowest common ancestor;
    :math:`p_c(v)` pairs of class c have the ancestor v. All pairs count the same, as with Kobren et
    al.; Heller and Ghahramani draw an object first and then another of its class, which weighs
    small classes more. It needs no cut, and ignores the order of merges in different branches.

    Parameters
    ----------
    truth, tree, **labels
        As in `cuts`.

    Returns
    -------
    float
        Above 0, and 1 if each class is a subtree; higher is better. 1 if no two objects share a
        class.

    References
    ----------
    .. [1] K. A. Heller, Z. Ghahramani (2005). Bayesian hierarchical clustering. ICML.
           https://doi.org/10.1145/1102351.1102389
    .. [2] A. Kobren, N. Monath, A. Krishnamurthy, A. McCallum (2017). A hierarchical algorithm for
           extreme clustering. KDD. https://doi.org/10.1145/3097983.3098079

    Examples
    --------
    >>> import clusterbits as cb
    >>> tree = cb.trees.Tree.from_children([[0, 1], [2, 3], [4, 5]])
    >>> cb.trees.dendrogram_purity(["a", "a", "b", "b"], tree)
    1.0
    >>> cb.trees.dendrogram_purity(["a", "a", "a", "b"], tree)
    0.8333333333333334
    """
    merges = read_merge_statistics(truth, tree, **labels)
    shared, weights = merges.shared, merges.classes.weights.astype(np.float64)
    sizes = merges.node_sizes[merges.tree.joins.node[shared.step]]
    pairs = shared.left.astype(np.float64) * shared.right
    same_leaf = float((weights * (weights - 1) / 2).sum())  # of leaves of weight 2 and more
    total = float(pairs.sum()) + same_leaf
    # From the pairs of other classes, so that a pure tree scores exactly 1.
    impure = math.fsum((pairs * ((sizes - shared.at_node) / sizes)).tolist())
    return 1 - impure / total if total else 1.0
