r"""The cut of a tree that costs the fewest bits, among horizontal cuts and among all.

The receiver knows the tree. The sender chooses a cut and names it: going down from the root, one
bit at each inner node that is visited, "cut here" or "go on", and none at a leaf. Then come the
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
from clusterbits.system.immutable import Immutable, read_only
from clusterbits.table.contingency import Contingency
from clusterbits.table.log_factorials import FloatArray
from clusterbits.text.results import ColumnResult
from clusterbits.text.tables import counted, percent
from clusterbits.trees.cutting import Cuts, score_cuts
from clusterbits.trees.merge_statistics import MergeStatistics, read_sums
from clusterbits.trees.tree_forms import Numbers

# Clusters that a printed table has room for.
_PRINTED = 20


class NodeBits(NamedTuple):
    """What each node of a tree costs, in bits of all objects below it together.

    Attributes
    ----------
    objects : ndarray
        The objects below the node.
    bits : ndarray
        The bits of the node as one cluster: its labels, and its column of the table.
    below : ndarray
        The fewest bits of any cut below it, and of naming that cut; infinite at a leaf.
    """

    objects: Numbers
    bits: FloatArray
    below: FloatArray

    @property
    def saved(self) -> FloatArray:
        """What splitting the node saves; negative where merging all below it does."""
        return self.bits - self.below


@dataclass(frozen=True, eq=False, repr=False)
class BestCut(Immutable, ColumnResult):
    """The cuts of a tree that cost the fewest bits: the best horizontal one, and the best free one.

    Attributes
    ----------
    cuts : Cuts
        All horizontal cuts, with their bits.
    nodes : NodeBits
        What each node costs as one cluster and cut below it: ``nodes.saved`` says what splitting
        saves.
    chosen : ndarray of int
        The nodes that are the clusters of the free cut, which may cut deeper in some places.
    bits : float
        Bits per object of the free cut, its name included: `q0_tree`.
    name_bits : int
        Bits that name the free cut: one for each inner node that is visited.

    Examples
    --------
    >>> import clusterbits as cb
    >>> tree = cb.trees.Tree.from_newick("((((a,b),c),d),(((e,f),g),h));")
    >>> found = cb.trees.best_cut(dict(zip("abcdefgh", "xxxyzzzz")), tree)
    >>> found.horizontal_clusters, found.labels.tolist()
    (4, [0, 0, 0, 1, 2, 2, 2, 2])
    """

    cuts: Cuts
    nodes: NodeBits
    chosen: Numbers
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

    @property
    def horizontal_labels(self) -> Numbers:
        """The cluster of each object in the best horizontal cut: 0, 1, ..."""
        return self.cuts.labels(self.horizontal_clusters)

    @cached_property
    def labels(self) -> Numbers:
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
        """Which cut to take, in bits."""
        level = counted(self.horizontal_clusters, "cluster")
        free = counted(self.clusters, "cluster")
        line = (
            f"The best horizontal cut has {level}: {self.cuts.no_clusters:.4f} → "
            f"{self.horizontal_bits:.4f} bits per object. The best free cut, which may go deeper "
            f"in some branches than in others, has {free}: {self.bits:.4f}, including "
            f"{counted(self.name_bits, 'bit')} in all to say where it cuts"
        )
        advice = "Cut horizontally."
        if self.bits < self.horizontal_bits:
            share = percent(1 - self.bits / self.horizontal_bits, 1)
            advice = f"Cutting deeper in some places saves {share}."
        return "\n".join(filter(None, [f"{line}. {advice}", self.cuts.classes.coverage]))

    @cached_property
    def columns(self) -> dict[str, NDArray[Any]]:
        """The clusters of the free cut, the largest first.

        Of each: its label, its node in the tree, the class with the most objects and their share,
        its bits, and what splitting it would save (negative: cost), None where nothing can be
        split. ``horizontal`` says whether the best horizontal cut has the same cluster, splits it,
        or merges it with others.
        """
        tree, nodes = self.cuts.tree, self.nodes
        leaves, start, end = tree.layout
        label = self.labels[leaves[start[self.chosen]]]
        order = np.lexsort((label, -nodes.objects[self.chosen]))
        chosen, label = self.chosen[order], label[order]
        name, share = (some[label] for some in self._largest_classes())
        horizontal = self.horizontal_labels[leaves]
        split = horizontal[start[chosen]] != horizontal[end[chosen] - 1]
        saved = nodes.saved[chosen].astype(object)
        saved[chosen < tree.n] = None
        same = np.isin(chosen, tree.cut(self.horizontal_clusters))
        return {
            "cluster": label,
            "node": chosen,
            "objects": nodes.objects[chosen],
            "class": name,
            "share": share,
            "bits": nodes.bits[chosen],
            "splitting_saves": saved,
            "horizontal": np.where(same, "same", np.where(split, "split", "merged")),
        }

    def _largest_classes(self) -> NDArray[Any]:
        """Return the class with the most objects in each cluster, and their share of it."""
        table, found = self.table, np.full((2, self.clusters), None)
        order = np.lexsort((-table.rows, table.counts))  # the last of each cluster is the largest
        rows, columns, counts = (x[order] for x in (table.rows, table.columns, table.counts))
        at = table.cells.clusters[columns].astype(np.int64)
        found[:, at] = table.cells.classes[rows], counts / table.cluster_sizes[columns]
        return found

    def _shown(self) -> list[dict[str, Any]]:
        return self._rows_at(slice(_PRINTED))


@takes_labels
def best_cut(
    truth: Any,
    tree: Any,
    **labels: Unpack[TruthOptions],
) -> BestCut:
    """Return the cuts of a tree that cost the fewest bits: horizontal, and cut deeper in places.

    The best horizontal cut chooses the number of clusters. The free cut may cut deeper in some
    places than in others; the bits that name it are counted, so that it wins only where that is
    worth it. Those that name a horizontal cut, log2 n at most, are not.

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
    BestCut
        With ``horizontal_clusters`` and ``horizontal_labels``, the ``labels`` of the free cut, and
        what splitting each node saves in ``nodes.saved``.

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
    sums = read_sums(truth, tree, **labels)
    nodes, best = _node_bits(sums)
    chosen, visited = _choose_nodes(sums, nodes)
    bits = float(best[-1]) / sums.classes.n
    return BestCut(score_cuts(sums, "q0"), nodes, chosen, bits, visited)


@takes_labels
def q0_tree(
    truth: Any,
    tree: Any,
    **labels: Unpack[TruthOptions],
) -> float:
    r"""Return Dom's code length for a tree: bits per object to send the classes, given the tree.

    .. math:: n\,Q_0(\text{tree}) = \min_{\text{cuts}} \Bigl[ \text{bits that name the cut}
        + \sum_{\text{clusters } x} g(x) \Bigr], \quad
        g(x) = s \log s - \sum_c x_c \log x_c + \log\binom{s+|C|-1}{|C|-1}

    Of all cuts, horizontal or not, the one with the fewest bits, and those that name it: one at
    each inner node from the root down to the cut. It judges a whole dendrogram without a choice of
    the number of clusters.

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
    sums = read_sums(truth, tree, **labels)
    return float(_node_bits(sums)[1][-1]) / sums.classes.n


def _node_bits(sums: MergeStatistics) -> tuple[NodeBits, FloatArray]:
    """Return what each node costs, and the fewest bits at or below each inner one, named."""
    tree = sums.tree
    bits = sums.node_bits
    if not tree.inner:
        return NodeBits(sums.node_sizes, bits, np.full(1, np.inf)), bits
    below = np.bincount(tree.parents[: tree.n] - tree.n, bits[: tree.n], tree.inner).tolist()
    parents = (tree.parents[tree.n :] - tree.n).tolist()
    own, best = bits[tree.n :].tolist(), [0.0] * tree.inner
    below.append(0.0)
    parents[-1] = tree.inner  # that of the root, in the last place
    for v, parent in enumerate(parents):
        best[v] = 1.0 + min(own[v], below[v])
        below[parent] += best[v]
    under = np.concatenate([np.full(tree.n, np.inf), below[:-1]])
    return NodeBits(sums.node_sizes, bits, under), np.array(best)


def _choose_nodes(sums: MergeStatistics, nodes: NodeBits) -> tuple[Numbers, int]:
    """Return the nodes of the best cut, and how many inner nodes name it; of ties, the higher."""
    tree = sums.tree
    split = nodes.below < nodes.bits
    # The highest nodes that are not split: leaves side by side, so that each is an interval.
    kept = np.flatnonzero(~split)
    _, start, end = tree.layout
    kept = kept[np.lexsort((-end[kept], start[kept]))]
    reach = np.maximum.accumulate(np.concatenate([[0], end[kept]]))[:-1]
    chosen = kept[start[kept] >= reach]
    size = end - start
    # Of two nodes with a leaf in common the larger is the higher.
    around = np.repeat(size[chosen], size[chosen])[start]
    return np.sort(chosen), int(np.count_nonzero((size >= around)[tree.n :]))
