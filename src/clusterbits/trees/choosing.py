r"""The cut of a tree with the fewest bits, among horizontal cuts and among all.

The receiver knows the tree. The sender chooses a cut and encodes it: going down from the root, one
bit at each inner node that is visited, "cut here" or "go on", and none at a leaf. Then follow the
table and the labels of the clusters, as in `q0`. With g(v) for the bits of a node as one cluster,

.. math:: \text{best}(v) = 1 + \min\Bigl(g(v), \sum_{u \text{ child of } v} \text{best}(u)\Bigr)

at an inner node, and g(v) at a leaf: one pass from the leaves up finds the best free cut.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple, Unpack

import numpy as np
from numpy.typing import NDArray

from clusterbits.labels.options import TruthOptions, takes_labels
from clusterbits.system.immutable import read_only
from clusterbits.table.contingency import Contingency
from clusterbits.table.excerpt import largest_cells
from clusterbits.table.log_factorials import FloatArray
from clusterbits.table.numbering import Integers
from clusterbits.text.results import ColumnResult
from clusterbits.text.tables import counted, percent
from clusterbits.trees.cutting import Cuts, score_cuts
from clusterbits.trees.merge_statistics import MergeStatistics, read_merge_statistics

# Maximum number of clusters in a printed table.
_PRINTED = 20


class NodeBits(NamedTuple):
    """Total bits of each node of a tree.

    Attributes
    ----------
    objects : ndarray
        The number of objects below the node.
    bits : ndarray
        The bits of the node as one cluster: its labels, and its column of the table.
    below : ndarray
        The fewest bits of any cut below it, including those that encode the cut; infinite at a
        leaf.
    """

    objects: Integers
    bits: FloatArray
    below: FloatArray

    @property
    def saved(self) -> FloatArray:
        """The bits saved by splitting the node; negative if that costs bits."""
        return self.bits - self.below


@dataclass(frozen=True, eq=False, repr=False)
class BestCut(ColumnResult):
    """The best horizontal cut and the best free cut of a tree: those with the fewest bits.

    Attributes
    ----------
    cuts : Cuts
        All horizontal cuts, with their bits.
    nodes : NodeBits
        The bits of each node as one cluster and of the best cut below it.
    chosen : ndarray of int
        The nodes that are the clusters of the free cut, which may be cut at different heights.
    bits : float
        Bits per object of the free cut, including `name_bits`: `q0_tree`.
    name_bits : int
        Bits that encode the free cut: one per visited inner node.

    Examples
    --------
    >>> import clusterbits as cb
    >>> tree = cb.trees.Tree.from_newick("((((a,b),c),d),(((e,f),g),h));")
    >>> best = cb.trees.best_cut(dict(zip("abcdefgh", "xxxyzzzz")), tree)
    >>> best.horizontal_clusters, best.labels.tolist()
    (4, [0, 0, 0, 1, 2, 2, 2, 2])
    """

    cuts: Cuts
    nodes: NodeBits
    chosen: Integers
    bits: float
    name_bits: int

    @property
    def horizontal_clusters(self) -> int:
        """The number of clusters of the best horizontal cut."""
        return self.cuts.best_k("q0")

    @property
    def horizontal_bits(self) -> float:
        """Bits per object of the best horizontal cut: q0."""
        return float(self.cuts.bits.min())

    @cached_property
    def labels(self) -> Integers:
        """The cluster of each object in the free cut: 0, 1, ..., as they first occur."""
        return read_only(self.cuts.tree.labels_of(self.chosen))

    @cached_property
    def table(self) -> Contingency:
        """The table of the free cut."""
        return self.cuts.classes.table(self.labels)

    @property
    def clusters(self) -> int:
        """The number of clusters of the free cut."""
        return len(self.chosen)

    @property
    def title(self) -> str:
        """Both cuts in bits, and the better one."""
        line = (
            f"The best horizontal cut has {self.cuts.name_best()}: "
            f"{self.cuts.no_clusters:.4f} → {self.horizontal_bits:.4f} bits per object. The "
            "best free cut, which may go deeper in some branches than in others, has "
            f"{counted(self.clusters, 'cluster')}: {self.bits:.4f}, including "
            f"{counted(self.name_bits, 'bit')} in total to encode the cut"
        )
        advice = "Cut horizontally."
        if self.bits < self.horizontal_bits:
            share = percent(1 - self.bits / self.horizontal_bits, 1)
            advice = f"Cutting deeper in some branches saves {share}."
        return "\n".join(filter(None, [f"{line}. {advice}", self.cuts.classes.coverage]))

    @cached_property
    def columns(self) -> dict[str, NDArray[Any]]:
        """The clusters of the free cut, the largest first.

        Each has its label, its node in the tree, its largest class and the share of that, its bits,
        and the bits that splitting it would save (negative: cost), None for a single leaf.
        """
        nodes, (leaves, start, _) = self.nodes, self.cuts.tree.layout
        label = self.labels[leaves[start[self.chosen]]]
        order = np.lexsort((label, -nodes.objects[self.chosen]))
        chosen, label = self.chosen[order], label[order]
        largest_class, share = (values[label] for values in self._largest_classes())
        saved = nodes.saved[chosen].astype(object)
        saved[chosen < self.cuts.tree.n] = None
        return {
            "cluster": label,
            "node": chosen,
            "objects": nodes.objects[chosen],
            "class": largest_class,
            "share": share,
            "bits": nodes.bits[chosen],
            "splitting_saves": saved,
        }

    def _largest_classes(self) -> NDArray[Any]:
        """Return the largest class of each cluster, and its share of the objects."""
        table, largest = self.table, np.full((2, self.clusters), None)
        cells = largest_cells(table.columns, table.counts, table.rows)
        label = table.cells.clusters.astype(np.int64)
        shares = table.counts[cells] / table.cluster_sizes
        largest[:, label] = table.cells.classes[table.rows[cells]], shares
        return largest

    def _shown(self) -> list[dict[str, Any]]:
        return self.rows_at(slice(_PRINTED))


@takes_labels
def best_cut(
    truth: Any,
    tree: Any,
    **labels: Unpack[TruthOptions],
) -> BestCut:
    """Return the best horizontal cut and the best free cut of a tree: those with the fewest bits.

    The best horizontal cut chooses the number of clusters. The free cut may go deeper in some
    branches than in others; the bits that encode it are counted, so that it wins only if that is
    worth it. Those that encode a horizontal cut, log2 n at most, are not.

    Parameters
    ----------
    truth, tree, **labels
        As in `cuts`.

    Returns
    -------
    BestCut
        With ``horizontal_clusters``, the ``labels`` of the free cut, and the bits that splitting
        each node saves in ``nodes.saved``.

    See Also
    --------
    q0_tree : the bits per object of the free cut.

    References
    ----------
    .. [1] B. E. Dom (2002). An information-theoretic external cluster-validity measure. UAI.
           https://arxiv.org/abs/1301.0565

    Examples
    --------
    >>> import clusterbits as cb
    >>> tree = cb.trees.Tree.from_children([[0, 1], [2, 3], [4, 5]])
    >>> cb.trees.best_cut(["a", "a", "b", "b"], tree).horizontal_clusters
    2
    """
    merges = read_merge_statistics(truth, tree, **labels)
    nodes, best = _node_bits(merges)
    chosen, visited = _choose_nodes(merges, nodes)
    return BestCut(score_cuts(merges, "q0"), nodes, chosen, best / merges.classes.n, visited)


@takes_labels
def q0_tree(
    truth: Any,
    tree: Any,
    **labels: Unpack[TruthOptions],
) -> float:
    r"""Return Dom's code length for a tree: bits per object to send the classes, given the tree.

    .. math:: n\,Q_0(\text{tree}) = \min_{\text{cuts}} \Bigl[ \text{bits that encode the cut}
        + \sum_{\text{clusters } x} g(x) \Bigr], \quad
        g(x) = s \log s - \sum_c x_c \log x_c + \log\binom{s+|C|-1}{|C|-1}

    The fewest bits of all cuts, horizontal or not, plus one bit per inner node from the root down
    to the cut, which encode it. It scores a whole dendrogram without a choice of the number of
    clusters.

    Parameters
    ----------
    truth, tree, **labels
        As in `cuts`.

    Returns
    -------
    float
        Bits per object, at least 0; lower is better.

    See Also
    --------
    best_cut : the cut itself.

    References
    ----------
    .. [1] B. E. Dom (2002). An information-theoretic external cluster-validity measure. UAI.
           https://arxiv.org/abs/1301.0565

    Examples
    --------
    >>> import clusterbits as cb
    >>> tree = cb.trees.Tree.from_children([[0, 1], [2, 3], [4, 5]])
    >>> round(cb.trees.q0_tree(["a", "a", "b", "b"], tree), 6)  # q0 of two clusters, and 3 bits
    1.542481
    """
    merges = read_merge_statistics(truth, tree, **labels)
    return _node_bits(merges)[1] / merges.classes.n


def _node_bits(merges: MergeStatistics) -> tuple[NodeBits, float]:
    """Return the bits of each node and of the best cut below it, and those of the best cut."""
    tree, bits = merges.tree, merges.node_bits
    # An extra entry, the parent of the root, adds up the bits of the whole tree.
    parents = np.where(tree.parents < 0, len(bits), tree.parents)
    below = np.bincount(parents[: tree.n], bits[: tree.n], len(bits) + 1).tolist()
    as_cluster, inner_parents = bits.tolist(), parents[tree.n :].tolist()
    for v, parent in enumerate(inner_parents, tree.n):
        below[parent] += 1.0 + min(as_cluster[v], below[v])
    below_all = np.append(np.full(tree.n, np.inf), below[tree.n : -1])
    return NodeBits(merges.node_sizes, bits, below_all), below[-1]


def _choose_nodes(merges: MergeStatistics, nodes: NodeBits) -> tuple[Integers, int]:
    """Return the nodes of the best cut, and the number of visited inner nodes.

    Ties are cut at the higher node.
    """
    parents, split = merges.tree.parents.tolist(), nodes.below < nodes.bits
    is_split, visited = split.tolist(), [True] * len(parents)
    for v in range(len(parents) - 2, -1, -1):
        visited[v] = visited[parents[v]] and is_split[parents[v]]
    is_visited = np.array(visited)
    return np.flatnonzero(is_visited & ~split), int(is_visited[merges.tree.n :].sum())
