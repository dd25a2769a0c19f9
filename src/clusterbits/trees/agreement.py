"""Trees as a whole: dendrogram purity, and Fowlkes and Mallows' curve of two trees."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Unpack

import numpy as np
from numpy.typing import NDArray

from clusterbits.labels.options import TruthOptions, takes_labels
from clusterbits.reading.joining import join_labels
from clusterbits.system.immutable import Immutable
from clusterbits.system.limits import check_memory
from clusterbits.table.log_factorials import FloatArray
from clusterbits.table.statistics import ratio, sqrt
from clusterbits.text.results import ColumnResult
from clusterbits.text.tables import counted
from clusterbits.trees.merge_statistics import read_sums, running
from clusterbits.trees.tree import Tree, as_tree
from clusterbits.trees.tree_forms import Numbers

# What the counts of one leaf take.
_LEAF_BYTES = 1000


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
    small classes more. No cut is chosen, and the order of merges in different branches does not
    matter.

    Parameters
    ----------
    truth : labels
        The classes of the objects, in the order of the leaves, or with ids, as in `cuts`.
    tree : Tree
        The tree; or what makes one, as in `cuts`.
    **labels
        How truth is read, as in `cuts`.

    Returns
    -------
    float
        Above 0, and 1 where each class is a subtree of its own; higher is better. 1 where no two
        objects have one class.

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
    sums = read_sums(truth, tree, **labels)
    shared, counts = sums.shared, sums.classes.weights.astype(np.float64)
    sizes = sums.node_sizes[sums.tree.joins.node[shared.step]]
    pairs = shared.left.astype(np.float64) * shared.right
    same_leaf = float((counts * (counts - 1) / 2).sum())  # of leaves that count several times
    total = float(pairs.sum()) + same_leaf
    # From the pairs of other classes, so that a pure tree scores exactly 1.
    impure = math.fsum((pairs * ((sizes - shared.at_node) / sizes)).tolist())
    return 1 - impure / total if total else 1.0


@dataclass(frozen=True, eq=False, repr=False)
class FowlkesMallowsCurve(Immutable, ColumnResult):
    """How alike two trees are when both are cut into k clusters, for each k.

    Attributes
    ----------
    clusters : ndarray of int
        The numbers of clusters k that both trees have cuts into, ascending.
    values : ndarray
        B_k, the Fowlkes-Mallows index of the two cuts.
    expected : ndarray
        Its mean where the objects of one tree are shuffled.
    """

    clusters: Numbers
    values: FloatArray
    expected: FloatArray

    @property
    def title(self) -> str:
        """What the rows are."""
        most, cuts = int(self.clusters[-1]), len(self.clusters)
        many = ("1 to " if cuts > 1 else "") + counted(most, "cluster")
        some = f" ({cuts} cuts that both have)" if cuts < most else ""
        return (
            f"Two trees cut into {many}{some}: the Fowlkes-Mallows index of the cuts, and its mean "
            "by chance."
        )

    @property
    def columns(self) -> dict[str, NDArray[Any]]:
        """The columns by name."""
        return {"clusters": self.clusters, "value": self.values, "expected": self.expected}


def fowlkes_mallows_curve(tree_a: Any, tree_b: Any) -> FowlkesMallowsCurve:
    r"""Return how alike two trees of the same objects are, at every number of clusters.

    .. math:: B_k = \frac{T_k}{\sqrt{P_k Q_k}}

    Both trees are cut into k clusters; :math:`P_k` and :math:`Q_k` are the pairs of objects that
    are together in one and in the other, :math:`T_k` in both. At each k it is `fowlkes_mallows` of
    the two cuts, but all of them take one pass over the merges.

    Parameters
    ----------
    tree_a, tree_b : Tree
        Trees over the same objects, or what makes one, as in `cuts`. Leaves are in the same order,
        or both trees have ids.

    Returns
    -------
    FowlkesMallowsCurve
        Values from 0 to 1, higher for trees that are more alike, with what chance would give.

    References
    ----------
    .. [1] E. B. Fowlkes, C. L. Mallows (1983). A method for comparing two hierarchical
           clusterings. J. Am. Stat. Assoc. 78. https://doi.org/10.1080/01621459.1983.10478008

    Examples
    --------
    >>> import clusterbits as cb
    >>> one = cb.trees.Tree.from_children([[0, 1], [2, 3], [4, 5]])
    >>> other = cb.trees.Tree.from_children([[0, 1], [2, 4], [3, 5]])
    >>> curve = cb.trees.fowlkes_mallows_curve(one, other)
    >>> curve.clusters.tolist(), curve.values.round(4).tolist()
    ([1, 2, 3, 4], [1.0, 0.4082, 1.0, 1.0])
    """
    a, b = as_tree(tree_a), as_tree(tree_b)
    one, other = join_labels({"tree_a": a.objects, "tree_b": b.objects}).labels
    leaf_in_b, n = np.empty(a.n, dtype=np.int64), a.n
    leaf_in_b[one.codes] = other.codes
    check_memory(_LEAF_BYTES * n, f"comparing trees of {n:,} leaves")
    k = np.intersect1d(a.cut_sizes, b.cut_sizes)
    both: Any = _shared_pairs(a, b, leaf_in_b, n - k[::-1])[::-1]
    in_a, in_b = (_pairs(tree)[n - k] for tree in (a, b))
    values: Any = sqrt(ratio(both, in_a) * ratio(both, in_b))  # that of `fowlkes_mallows`
    total = max(n * (n - 1) / 2, 1.0)
    chance = np.sqrt((in_a / total) * (in_b / total))
    values, chance = (np.where(k == n, 1.0, some) for some in (values, chance))
    return FowlkesMallowsCurve(k, values, chance)


def _pairs(tree: Tree) -> Any:
    """Return the pairs that are together after each number of steps."""
    joins = tree.joins
    return running((joins.middle - joins.start) * (joins.end - joins.middle))


class _TreeRows:
    """The clusters of one tree as rows of counts, whose columns are the clusters of the other."""

    def __init__(self, tree: Tree, rows: list[dict[int, int]]) -> None:
        leaves, joins = tree.layout.leaves, tree.joins
        self.merges = np.stack([leaves[joins.start], leaves[joins.middle]], axis=1).tolist()
        # The row of each cluster, by its first leaf.
        self.rows, self.row_of = rows, list(range(tree.n))

    def merge(self, step: int, other: _TreeRows) -> int:
        """Do a step, the shorter row into the longer; return the pairs that come together."""
        first, second = self.merges[step]
        i, j = self.row_of[first], self.row_of[second]
        if len(self.rows[i]) > len(self.rows[j]):
            i, j = j, i
        into, pairs = self.rows[j], 0
        for column, count in self.rows[i].items():
            crossing, had = other.rows[column], into.get(column, 0)
            del crossing[i]
            pairs += had * count
            into[column] = crossing[j] = had + count
        self.rows[i] = {}
        self.row_of[first] = j
        return pairs


def _shared_pairs(a: Tree, b: Tree, leaf_in_b: Numbers, steps: Numbers) -> Numbers:
    """Return the pairs that are together in both trees after these numbers of steps of both."""
    columns: list[dict[int, int]] = [{} for _ in range(b.n)]
    for leaf, place in enumerate(leaf_in_b.tolist()):
        columns[place][leaf] = 1
    one = _TreeRows(a, [{place: 1} for place in leaf_in_b.tolist()])
    other = _TreeRows(b, columns)
    found, together, done = [], 0, 0
    for step in steps.tolist():
        for i in range(done, step):
            together += one.merge(i, other) + other.merge(i, one)
        done = step
        found.append(together)
    return np.array(found, dtype=np.int64)
