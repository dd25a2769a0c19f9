"""A tree of clusters over objects: the result of a hierarchical clustering."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from clusterbits.errors import FileError, LabelError, translating
from clusterbits.labels.labeling import Ids, Labels, positions
from clusterbits.reading.files.formats import TEXT, recognise
from clusterbits.reading.ids import name_repeated, read_names
from clusterbits.reading.type_checks import is_estimator
from clusterbits.system.immutable import Immutable, read_only
from clusterbits.system.limits import check_memory
from clusterbits.table.numbering import factorize_integers, first_occurrences
from clusterbits.table.ranges import concat_ranges
from clusterbits.text.tables import counted, short
from clusterbits.trees.scored_pairs import join_pairs
from clusterbits.trees.tree_forms import (
    Numbers,
    join_levels,
    parse_newick,
    read_children,
    read_graph,
    read_merges,
)

# What scoring all cuts took for each leaf, of a million, and parsing for each byte of a text.
_LEAF_BYTES, _PARSED_BYTES = 450, 150


class LeafOrder(NamedTuple):
    """The leaves side by side, so that each node is an interval of them.

    Attributes
    ----------
    leaves : ndarray
        The leaf at each place.
    start, end : ndarray
        The places of each node: its first, and the one after its last.
    """

    leaves: Numbers
    start: Numbers
    end: Numbers


class Joins(NamedTuple):
    """The steps that build a tree: each joins two neighbouring intervals of places.

    A node with r children takes r - 1 steps, so there is one step less than there are leaves.
    Steps are in the order of the nodes they build.

    Attributes
    ----------
    node : ndarray
        The node that a step builds, or goes on building.
    start, middle, end : ndarray
        The intervals joined: from `start` to `middle`, and from `middle` to `end`.
    """

    node: Numbers
    start: Numbers
    middle: Numbers
    end: Numbers


@dataclass(frozen=True, eq=False, repr=False)
class Tree(Immutable):
    """A tree of clusters over objects: a dendrogram, binary or not.

    Make one with `from_linkage`, `from_children`, `from_graph`, `from_levels`, `from_newick` or
    `from_edges`.
    Nodes are numbered: first the leaves, which are the objects, then the inner nodes in the order
    of their merges. The last node is the root.

    Attributes
    ----------
    parents : ndarray of int
        The parent of each node, which has a higher number; -1 for the root. Each inner node has at
        least two children.
    ids : sequence or None
        The ids of the leaves; None where objects are known by their position.
    levels : ndarray of int or None
        The level of each inner node, ascending: nodes of one level are merged at once. None where
        each is merged by itself, in the order of their numbers.
    similarities : ndarray of float or None
        The similarity at which each level is merged, falling; None if it is not known.

    Examples
    --------
    >>> import clusterbits as cb
    >>> tree = cb.trees.Tree.from_children([[0, 1], [2, 3], [4, 5]])
    >>> tree
    <Tree: 4 leaves, 3 inner nodes>
    >>> tree.labels(2)
    array([0, 0, 1, 1])
    """

    parents: Numbers
    ids: Sequence[Any] | None = None
    levels: Numbers | None = None
    similarities: NDArray[np.float64] | None = None

    if TYPE_CHECKING:  # any integers are taken, and kept as arrays

        def __init__(
            self,
            parents: Sequence[int] | NDArray[np.integer[Any]],
            ids: Sequence[Any] | None = None,
            levels: Sequence[int] | NDArray[np.integer[Any]] | None = None,
            similarities: NDArray[np.float64] | None = None,
        ) -> None: ...

    def __post_init__(self) -> None:
        parents = _integers(self.parents, "parents")
        object.__setattr__(self, "parents", parents)
        below, nodes = parents[:-1], np.arange(len(parents))
        if parents[-1:].tolist() != [-1] or (below <= nodes[:-1]).any():
            raise LabelError("parents: each node but the last has one with a higher number.")
        if (np.bincount(below, minlength=len(parents))[self.n :] < 2).any():
            raise LabelError("parents: leaves come first, and inner nodes have several children.")
        if self.ids is not None:
            ids = read_names(self.ids, "ids", "leaf")
            if len(ids) != self.n:
                raise LabelError(f"{counted(len(ids), 'id')} for {counted(self.n, 'object')}.")
            if twice := name_repeated(Ids(ids), "the tree"):
                raise LabelError(f"the id {twice} occurs twice: each leaf needs its own.")
            object.__setattr__(self, "ids", ids)
        if self.levels is not None:
            levels = _integers(self.levels, "levels")
            if len(levels) != self.inner or (np.diff(levels) < 0).any():
                raise LabelError("levels: one for each inner node, ascending.")
            object.__setattr__(self, "levels", levels)
        super().__post_init__()

    # --- where trees come from -------------------------------------------------------------------

    @classmethod
    def from_linkage(cls, linkage: Any, ids: Any = None) -> Tree:
        """Return the tree of a linkage matrix of scipy (or fastcluster, genieclust).

        Parameters
        ----------
        linkage : array of shape (n - 1, 4), or (n - 1, 2)
            Row i merges the nodes in its first two columns to node n + i. Rows are taken as the
            order of the merges, whatever the distances in the third column say: a horizontal cut
            into k clusters undoes the last k - 1 rows. So there is one for each k, also where
            distances tie and ``fcluster(Z, k, "maxclust")`` returns fewer than k clusters.
        ids : sequence, optional
            The ids of the objects, in their order.

        Examples
        --------
        >>> import clusterbits as cb
        >>> Z = [[0, 1, 0.3, 2], [2, 3, 0.5, 2], [4, 5, 2.0, 4]]
        >>> cb.trees.Tree.from_linkage(Z).labels(2)
        array([0, 0, 1, 1])
        """
        return cls(read_merges(linkage), ids)

    @classmethod
    def from_children(cls, children: Any, ids: Any = None) -> Tree:
        """Return the tree of scikit-learn's ``children_``, or of a fitted estimator.

        Parameters
        ----------
        children : array of shape (n - 1, 2), or a fitted AgglomerativeClustering or HDBSCAN
            Row i merges two nodes to node n + i. Of an estimator that stopped early, the clusters
            it ended with are the children of the root; of an HDBSCAN, of hdbscan or scikit-learn,
            it is the single-linkage tree.
        ids : sequence, optional
            The ids of the objects, in their order.

        Examples
        --------
        >>> import clusterbits as cb
        >>> from sklearn.cluster import AgglomerativeClustering
        >>> model = AgglomerativeClustering(2).fit([[0], [1], [5], [6]])
        >>> cb.trees.Tree.from_children(model).labels(2)
        array([0, 0, 1, 1])
        """
        return cls(read_children(children), ids)

    @classmethod
    def from_graph(cls, dendrogram: Any) -> Tree:
        """Return a dendrogram of igraph or networkx, with the names of its vertices as ids.

        Parameters
        ----------
        dendrogram : igraph.VertexDendrogram or networkx.DiGraph
            Of a directed graph, edges go from a cluster to its parts; its leaves are the objects.
            Merges are at once where they have equally many edges to the root. Partitions, such as
            those of ``networkx.community.girvan_newman``, are for `from_levels`.

        Examples
        --------
        >>> import clusterbits as cb, networkx as nx
        >>> tree = nx.DiGraph([("all", "ab"), ("all", "c"), ("ab", "a"), ("ab", "b")])
        >>> cb.trees.Tree.from_graph(tree).ids
        ('c', 'a', 'b')
        """
        return cls(*read_graph(dendrogram))

    @classmethod
    def from_levels(cls, columns: Any) -> Tree:
        """Return the tree of several labelings of the same objects, from coarse to fine.

        Parameters
        ----------
        columns : sequence or mapping of labelings, frame, or 2-D array with one in each column
            Each labeling splits clusters of the one before. Sequences in one order, or anything
            with ids that `Contingency.from_labels` takes, such as partitions of networkx.

        Examples
        --------
        >>> import clusterbits as cb
        >>> tree = cb.trees.Tree.from_levels([["x", "x", "x", "y"], ["p", "p", "q", "r"]])
        >>> tree
        <Tree: 4 leaves, 3 inner nodes>
        >>> tree.cut_sizes.tolist()
        [4, 3, 2, 1]
        """
        return cls(*join_levels(columns))

    @classmethod
    def from_newick(cls, text: str) -> Tree:
        """Return a tree in Newick's format, with the names of its leaves as ids.

        Horizontal cuts are at a distance from the root: the sum of the branch lengths, exactly as
        they are written, or the number of edges where there are none. Names of inner nodes and
        comments are left out. An underscore in a name is a blank, unless the name is quoted:
        ``'a_b'``.

        Examples
        --------
        >>> import clusterbits as cb
        >>> tree = cb.trees.Tree.from_newick("((ann:1,bob:1):2,(cid:2,dan:2):1);")
        >>> list(tree.ids), tree.cut_sizes.tolist()
        (['ann', 'bob', 'cid', 'dan'], [4, 3, 2, 1])
        """
        return cls(*parse_newick(text))

    @classmethod
    def from_edges(cls, pairs: Any, similarity: Any, objects: Any) -> Tree:
        """Return the tree of single linkage of scored pairs, with a cut at every threshold.

        At a threshold, the clusters are the connected components of the pairs that are at least as
        similar: what record linkage makes of scored pairs, and a graph of nearest neighbours of its
        edges. `cuts` scores all thresholds at once.

        Parameters
        ----------
        pairs : array of shape (m, 2), DataFrame of two columns, or list of pairs
            Two objects each, in any order: positions, or ids. Pairs of an object with itself change
            nothing; of repeated pairs the most similar counts.
        similarity : 1-D sequence of m numbers
            How similar they are, such as a match probability or weight, or minus a distance.
        objects : int or sequence
            The number of objects, if pairs are positions; else their ids. Objects without a pair
            are clusters of one.

        See Also
        --------
        Tree.thresholds : the similarity of each cut.

        Examples
        --------
        >>> import clusterbits as cb
        >>> tree = cb.trees.Tree.from_edges([(0, 1), (1, 2), (2, 3)], [0.9, 0.4, 0.8], 5)
        >>> cb.trees.cuts(["a", "a", "b", "b", "c"], tree, ["q0", "pair_f1"])
        The threshold 0.8000 (3 clusters) costs the fewest bits: 1.3510 bits per object (1.5850
        without clusters).
        clusters  threshold      q0  pair_f1
               1       -inf  2.4004   0.3333
               2     0.4000  1.8984   0.5000
               3     0.8000  1.3510   1.0000
               4     0.9000  1.4680   0.6667
               5        inf  1.5850   0.0000
        """
        parts, similarities = join_pairs(pairs, similarity, objects)
        return cls(*parts, similarities)

    # --- what it holds ---------------------------------------------------------------------------

    @cached_property
    def n(self) -> int:
        """The number of leaves."""
        return int(self.parents[:-1].min(initial=len(self.parents)))

    @property
    def objects(self) -> Labels:
        """The leaves as labels that can be joined: their numbers, with their ids."""
        return positions(self.n, None if self.ids is None else Ids(list(self.ids), offered=True))

    @property
    def inner(self) -> int:
        """The number of inner nodes."""
        return len(self.parents) - self.n

    @cached_property
    def layout(self) -> LeafOrder:
        """The leaves side by side, so that each node is an interval of them."""
        check_memory(_LEAF_BYTES * self.n, f"a tree of {self.n:,} leaves")
        if not self.inner:
            return LeafOrder(*(read_only(np.array([place])) for place in (0, 0, 1)))
        # Nodes are numbered from 0 here; the parent of the root is never looked up.
        of_leaf = self.parents[: self.n] - self.n
        of_node = (self.parents[self.n :] - self.n).tolist()
        many = np.bincount(of_leaf, minlength=self.inner)
        size, start, free = many.tolist(), [0] * self.inner, [0] * self.inner
        for v in range(self.inner - 1):
            size[of_node[v]] += size[v]
        for v in range(self.inner - 2, -1, -1):
            parent = of_node[v]
            start[v] = free[v] = free[parent]
            free[parent] += size[v]
        # The leaves of a node are placed after its inner children.
        leaf = np.argsort(of_leaf, kind="stable")
        place, leaves = np.empty(self.n, dtype=np.int64), np.empty(self.n, dtype=np.int64)
        place[leaf] = concat_ranges(np.array(free), many)
        leaves[place] = np.arange(self.n)
        begin = np.concatenate([place, start])
        end = begin + np.concatenate([np.ones_like(place), size])
        return LeafOrder(*map(read_only, (leaves, begin, end)))

    @cached_property
    def joins(self) -> Joins:
        """The steps that build the tree, two neighbouring intervals at a time."""
        _, start, end = self.layout
        below = np.arange(len(self.parents) - 1)
        # All children of a node but its first begin at a step of their own.
        below = below[start[below] > start[self.parents[below]]]
        node = self.parents[below]
        order = np.lexsort((start[below], node))
        below, node = below[order], node[order]
        return Joins(*map(read_only, (node, start[node], start[below], end[below])))

    @cached_property
    def _cut_steps(self) -> Numbers:
        """The steps after which there is a cut: those that end a node, or a whole level."""
        stage = self.joins.node if self.levels is None else self.levels[self.joins.node - self.n]
        last = np.flatnonzero(np.diff(stage, append=-1))
        return read_only(np.concatenate([[0], last + 1]))

    @cached_property
    def cut_sizes(self) -> Numbers:
        """The numbers of clusters that there are horizontal cuts into, from n down to 1."""
        return read_only(self.n - self._cut_steps)

    @property
    def thresholds(self) -> NDArray[np.float64] | None:
        """The similarity of each cut of `cut_sizes`: pairs at least as similar are joined.

        inf for the cut into single objects, -inf for objects that no pair connects.
        """
        if self.similarities is None:
            return None
        return np.concatenate([[np.inf], self.similarities])

    def step_of(self, k: Any) -> int:
        """Return after how many steps there are k clusters; refuse a k without a cut."""
        if not isinstance(k, int | np.integer) or not 1 <= k <= self.n:
            given = short(repr(k), 40)
            raise LabelError(f"k is {given}; the number of clusters is from 1 to {self.n}.")
        at = int(np.searchsorted(-self.cut_sizes, -k))
        if self.cut_sizes[at] != k:
            more, fewer = self.cut_sizes[at - 1], self.cut_sizes[at]
            raise LabelError(
                f"k is {k}; the tree has no such horizontal cut, as some merges happen together; "
                f"the nearest are into {fewer} and {more} clusters."
            )
        return self.n - int(k)

    def cut(self, k: int) -> Numbers:
        """Return the nodes that are the clusters of the horizontal cut into k."""
        step = self.step_of(k)
        node = self.joins.node
        end = int(node[step]) if step < len(node) else len(self.parents)
        above = np.where(self.parents < 0, len(self.parents), self.parents)
        return np.flatnonzero((np.arange(len(above)) < end) & (above >= end))

    def labels(self, k: int) -> Numbers:
        """Return the cluster of each object in the horizontal cut into k clusters: 0, 1, ...

        Clusters are numbered as they first occur.
        """
        return self.labels_of(self.cut(k))

    def labels_of(self, nodes: Any) -> Numbers:
        """Return the cluster of each object, where these nodes are the clusters: 0, 1, ..."""
        leaves, start, end = self.layout
        nodes = np.asarray(nodes)
        nodes = nodes[np.argsort(start[nodes])]
        by_place = np.repeat(np.arange(len(nodes)), end[nodes] - start[nodes])
        if len(by_place) != self.n or not np.array_equal(start[nodes][1:], end[nodes][:-1]):
            raise LabelError("these nodes are not a cut: each object is below one node of a cut.")
        found = np.empty(self.n, dtype=np.int64)
        found[leaves] = by_place
        return factorize_integers(first_occurrences(found, len(nodes))[found])[0]

    def __eq__(self, other: object) -> bool:
        """Whether the other has the same leaves and merges, in the same order."""
        if not isinstance(other, Tree):
            return NotImplemented
        return (
            self.ids == other.ids
            and np.array_equal(self.parents, other.parents)
            and np.array_equal(self._cut_steps, other._cut_steps)
        )

    def __hash__(self) -> int:
        """Return a hash that equal trees share."""
        return hash((self.n, self.parents.tobytes()))

    def __repr__(self) -> str:
        """Return one line: the size."""
        leaves = "1 leaf" if self.n == 1 else f"{self.n:,} leaves"
        return f"<Tree: {leaves}, {counted(self.inner, 'inner node')}>"


def _integers(given: Any, what: str) -> Numbers:
    """Return a copy of integers in a row; refuse all else."""
    with translating(what, LabelError):
        array = np.array(given)
    if array.ndim != 1 or array.dtype.kind not in "iu":
        raise LabelError(f"{what}: a sequence of integers, not {short(repr(given), 60)}.")
    return array.astype(np.int64)


def as_tree(given: Any) -> Tree:
    """Return the tree itself, or that of whatever one can be made of without a choice."""
    if isinstance(given, Tree):
        return given
    if isinstance(given, np.ndarray):
        return Tree.from_linkage(given)
    return Tree.from_children(given) if is_estimator(given) else Tree.from_graph(given)


def read_tree(path: Any, encoding: str | None = None) -> Tree:
    """Return the tree in a file: a linkage matrix or children_ in .npy, or Newick's text.

    Text is UTF-8 unless an encoding is named.
    """
    path = Path(path)
    form, _ = recognise(path)
    with translating(f"{path} cannot be read"):
        if form == "npy":
            return Tree.from_linkage(np.load(path, mmap_mode="r", allow_pickle=False))
        if form in TEXT:
            with path.open(encoding=encoding or "utf-8-sig") as stream:
                if stream.read(64).lstrip("\ufeff \t\r\n").startswith(("(", "[")):
                    stream.seek(0)
                    memory = _PARSED_BYTES * path.stat().st_size
                    check_memory(memory, f"reading the tree in {path}")
                    return Tree.from_newick(stream.read())
    raise FileError(
        f"{path} is not a tree: a linkage matrix of scipy, saved by NumPy, and Newick's text "
        "are read. Columns of labels are levels of a tree: pass level= with their names."
    )
