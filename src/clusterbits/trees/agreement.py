"""Two trees of the same objects, cut into equally many clusters: Fowlkes and Mallows' curve."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from clusterbits.core.combinatorics import FloatArray
from clusterbits.core.immutable import Immutable
from clusterbits.core.labels import Ids, positions
from clusterbits.core.sums import ratio, root
from clusterbits.display.results import ColumnResult
from clusterbits.display.tables import counted
from clusterbits.errors import LabelError
from clusterbits.ingest.join import join_labels
from clusterbits.limits import check_memory
from clusterbits.trees.construction import Numbers
from clusterbits.trees.sums import running
from clusterbits.trees.tree import Tree, as_tree

# What the counts of one leaf take.
_LEAF_BYTES = 1000
_PRINTED = 12


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

    def _shown(self) -> list[dict[str, Any]]:
        many = len(self.clusters)
        some = np.geomspace(1, many, min(many, _PRINTED)).round().astype(np.int64) - 1
        return self._rows_at(np.unique(some))

    def plot(self, ax: Any = None) -> Any:
        """Draw the index over the number of clusters, beside chance, and return the axes.

        >>> import clusterbits as cb
        >>> tree = cb.trees.Tree.from_children([[0, 1], [2, 3], [4, 5]])
        >>> cb.trees.fowlkes_mallows_curve(tree, tree).plot().get_xlabel()
        'number of clusters in both trees'
        """
        from clusterbits.display.plots.trees import draw_agreement

        return draw_agreement(self, ax)


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
    leaf_in_b = _match_leaves(a, b)
    n = a.n
    check_memory(_LEAF_BYTES * n, f"comparing trees of {n:,} leaves")
    k = np.intersect1d(a.cut_sizes, b.cut_sizes)
    both: Any = _shared_pairs(a, b, leaf_in_b, n - k[::-1])[::-1]
    in_a, in_b = (_pairs(tree)[n - k] for tree in (a, b))
    values: Any = root(ratio(both, in_a) * ratio(both, in_b))  # that of `fowlkes_mallows`
    total = max(n * (n - 1) / 2, 1.0)
    chance = np.sqrt((in_a / total) * (in_b / total))
    values, chance = (np.where(k == n, 1.0, some) for some in (values, chance))
    return FowlkesMallowsCurve(k, values, chance)


def _match_leaves(a: Tree, b: Tree) -> Numbers:
    """Return the leaf of b that each leaf of a is."""
    if a.n != b.n:
        raise LabelError(
            f"tree_a has {a.n:,} leaves and tree_b {b.n:,}: compare trees of the same objects."
        )
    if a.ids is None or b.ids is None:
        return np.arange(a.n)
    sides = {
        who: positions(tree.n, Ids(list(ids)))
        for who, tree, ids in (("tree_a", a, a.ids), ("tree_b", b, b.ids))
    }
    one, other = join_labels(sides).labels
    found = np.empty(a.n, dtype=np.int64)
    found[one.codes] = other.codes
    return found


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
