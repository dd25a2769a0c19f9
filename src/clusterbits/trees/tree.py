"""A tree of clusters over objects: the result of a hierarchical clustering."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from clusterbits.errors import FileError, LabelError, translating
from clusterbits.labels.labeling import Ids, Labels, positions
from clusterbits.reading.files.formats import TEXT, recognise
from clusterbits.reading.ids import name_repeated, read_names
from clusterbits.reading.type_checks import is_estimator
from clusterbits.system.immutable import Immutable, read_only
from clusterbits.system.limits import check_memory
from clusterbits.table.numbering import (
    Integers,
    concat_ranges,
    factorize_integers,
    first_occurrences,
    inverse,
)
from clusterbits.text.tables import counted, short
from clusterbits.trees.scored_pairs import join_pairs
from clusterbits.trees.tree_forms import (
    join_levels,
    parse_newick,
    read_children,
    read_graph,
    read_merges,
)

# Peak bytes per leaf while all cuts are scored, and per byte of a parsed text.
_LEAF_BYTES, _PARSED_BYTES = 450, 150


class LeafOrder(NamedTuple):
    """An order of the leaves in which those of each node are adjacent: `leaves[start:end]`."""

    leaves: Integers
    start: Integers
    end: Integers


class Joins(NamedTuple):
    """The n - 1 steps that build a tree, each of which joins two neighboring ranges of leaves.

    A `node` with r children takes r - 1 steps. Each joins the range from `start` to `middle` with
    that from `middle` to `end`. Steps are in the order of the nodes.
    """

    node: Integers
    start: Integers
    middle: Integers
    end: Integers


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
        The ids of the leaves; None if objects are identified by position.
    levels : ndarray of int or None
        The level of each inner node, ascending: nodes of one level are merged at once. None if
        each is merged separately, in the order of their numbers.
    thresholds : ndarray of float or None
        The similarity of each cut of `cut_sizes`, falling: pairs at least as similar are joined.
        inf for the cut into single objects, -inf for objects that no pair connects. None if
        similarities are not known.

    Examples
    --------
    >>> import clusterbits as cb
    >>> tree = cb.trees.Tree.from_children([[0, 1], [2, 3], [4, 5]])
    >>> tree
    <Tree: 4 leaves, 3 inner nodes>
    >>> tree.labels(2)
    array([0, 0, 1, 1])
    """

    parents: Integers
    ids: Sequence[Any] | None = None
    levels: Integers | None = None
    thresholds: NDArray[np.float64] | None = None

    def __post_init__(self) -> None:
        parents = _integers(self.parents, "parents")
        object.__setattr__(self, "parents", parents)
        below, nodes = parents[:-1], np.arange(len(parents))
        if parents[-1:].tolist() != [-1] or (below <= nodes[:-1]).any():
            raise LabelError(
                "parents: parents[i] must be greater than i, except for the root, which is last "
                "and has -1."
            )
        if (np.bincount(below, minlength=len(parents))[self.n :] < 2).any():
            raise LabelError("parents: leaves come first, and inner nodes have several children.")
        if self.ids is not None:
            ids = read_names(self.ids, "ids", "leaf")
            if len(ids) != self.n:
                raise LabelError(f"{counted(len(ids), 'id')} for {counted(self.n, 'object')}.")
            if duplicate := name_repeated(Ids(ids), "the tree"):
                raise LabelError(f"the id {duplicate} occurs twice: leaves need different ids.")
            object.__setattr__(self, "ids", ids)
        if self.levels is not None:
            levels = _integers(self.levels, "levels")
            if len(levels) != self.inner or (np.diff(levels) < 0).any():
                raise LabelError("levels: pass one integer per inner node, ascending.")
            object.__setattr__(self, "levels", levels)
        super().__post_init__()

    # --- where trees come from -------------------------------------------------------------------

    @classmethod
    def from_linkage(cls, linkage: Any, ids: Any = None) -> Tree:
        """Return the tree of a linkage matrix of scipy (or fastcluster, genieclust).

        Parameters
        ----------
        linkage : array of shape (n - 1, 4), or (n - 1, 2)
            Row i merges the nodes in its first two columns to node n + i. The order of the rows is
            the order of the merges, whatever the distances in the third column: a horizontal cut
            into k clusters undoes the last k - 1 rows. So there is one for each k, even if
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
            Row i merges two nodes to node n + i, as in ``children_``, or the ``merges`` of an
            igraph dendrogram. If an estimator stopped early, its last clusters are the children of
            the root. HDBSCAN, of hdbscan or scikit-learn, has the single-linkage tree.
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
    def from_graph(cls, edges: Any) -> Tree:
        """Return the tree of edges, whose nodes without children are the ids of the leaves.

        Parameters
        ----------
        edges : iterable of pairs
            Edges from a parent to a child, such as the ``edges`` of a DiGraph of networkx. Merges
            with equally many edges to the root happen at once.

        Examples
        --------
        >>> import clusterbits as cb
        >>> tree = cb.trees.Tree.from_graph([("all", "ab"), ("all", "c"), ("ab", "a"), ("ab", "b")])
        >>> tree.ids
        ('c', 'a', 'b')
        """
        return cls(*read_graph(edges))

    @classmethod
    def from_levels(cls, columns: Any) -> Tree:
        """Return the tree of several labelings of the same objects, from coarse to fine.

        Parameters
        ----------
        columns : sequence or mapping of labelings, DataFrame, or array with labelings as columns
            Each labeling splits clusters of the previous one. Sequences in one order, or anything
            with ids that `Contingency.from_labels` takes, such as the partitions that
            ``networkx.community.girvan_newman`` yields.

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
        they are written, or the number of edges if there are none. Names of inner nodes and
        comments are ignored. An underscore in a name is a blank, unless the name is quoted:
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
            nothing; of repeated pairs the most similar counts; equally similar ones are joined at
            once.
        similarity : 1-D sequence of m numbers
            How similar they are, such as a match probability or weight, or minus a distance.
        objects : int or sequence
            The number of objects, if pairs are positions; else their ids. Objects without a pair
            are clusters of one.

        Examples
        --------
        >>> import clusterbits as cb
        >>> tree = cb.trees.Tree.from_edges([(0, 1), (1, 2), (2, 3)], [0.9, 0.4, 0.8], 5)
        >>> cb.trees.cuts(["a", "a", "b", "b", "c"], tree, ["q0", "pair_f1"])
        3 clusters at the threshold 0.8 cost the fewest bits: 1.3510 bits per object (1.5850 without
        clusters).
        clusters  threshold      q0  pair_f1
               1       -inf  2.4004   0.3333
               2        0.4  1.8984   0.5000
               3        0.8  1.3510   1.0000
               4        0.9  1.4680   0.6667
               5        inf  1.5850   0.0000
        """
        return cls(*join_pairs(pairs, similarity, objects))

    # --- what it holds ---------------------------------------------------------------------------

    @cached_property
    def n(self) -> int:
        """The number of leaves."""
        return int(self.parents[:-1].min(initial=len(self.parents)))

    @property
    def objects(self) -> Labels:
        """The leaves as labels that can be joined on the ids."""
        return positions(self.n, None if self.ids is None else Ids(list(self.ids), implicit=True))

    @property
    def inner(self) -> int:
        """The number of inner nodes."""
        return len(self.parents) - self.n

    @cached_property
    def layout(self) -> LeafOrder:
        """The order of the leaves in which those of each node are adjacent."""
        check_memory(_LEAF_BYTES * self.n, f"a tree of {self.n:,} leaves")
        if not self.inner:
            return LeafOrder(*(read_only(np.array([index])) for index in (0, 0, 1)))
        # Inner nodes are numbered from 0 here; the parent of the root is never used.
        leaf_parents = self.parents[: self.n] - self.n
        inner_parents = (self.parents[self.n :] - self.n).tolist()
        own_leaves = np.bincount(leaf_parents, minlength=self.inner)
        size, start, free = own_leaves.tolist(), [0] * self.inner, [0] * self.inner
        for v in range(self.inner - 1):
            size[inner_parents[v]] += size[v]
        for v in range(self.inner - 2, -1, -1):
            parent = inner_parents[v]
            start[v] = free[v] = free[parent]
            free[parent] += size[v]
        # The leaves of a node follow those of its inner children.
        index = np.empty(self.n, dtype=np.int64)
        index[np.argsort(leaf_parents, kind="stable")] = concat_ranges(np.array(free), own_leaves)
        starts = np.concatenate([index, start])
        ends = starts + np.concatenate([np.ones_like(index), size])
        return LeafOrder(*map(read_only, (inverse(index), starts, ends)))

    @cached_property
    def joins(self) -> Joins:
        """The steps that build the tree."""
        _, start, end = self.layout
        below = np.arange(len(self.parents) - 1)
        # Each child of a node but the first is joined by one step.
        below = below[start[below] > start[self.parents[below]]]
        node = self.parents[below]
        order = np.lexsort((start[below], node))
        below, node = below[order], node[order]
        return Joins(*map(read_only, (node, start[node], start[below], end[below])))

    @cached_property
    def cut_sizes(self) -> Integers:
        """The numbers of clusters of the horizontal cuts, from n down to 1."""
        stage = self.joins.node if self.levels is None else self.levels[self.joins.node - self.n]
        # There is a cut after the last step of each node or level.
        last = np.flatnonzero(np.diff(stage, append=-1))
        return read_only(self.n - np.concatenate([[0], last + 1]))

    def step_of(self, k: Any) -> int:
        """Return the number of steps to k clusters; raise if there is no such cut."""
        if not isinstance(k, int | np.integer) or not 1 <= k <= self.n:
            raise LabelError(f"k must be a number of clusters from 1 to {self.n}, not {k!r:.40}.")
        index = int(np.searchsorted(-self.cut_sizes, -k))
        if self.cut_sizes[index] != k:
            more, fewer = self.cut_sizes[index - 1], self.cut_sizes[index]
            raise LabelError(
                f"k is {k}; the tree has no such horizontal cut, as some merges happen together; "
                f"the nearest are into {fewer} and {more} clusters."
            )
        return self.n - int(k)

    def cut(self, k: int) -> Integers:
        """Return the nodes that are the clusters of the horizontal cut into k."""
        step = self.step_of(k)
        node = self.joins.node
        end = int(node[step]) if step < len(node) else len(self.parents)
        above = np.where(self.parents < 0, len(self.parents), self.parents)
        return np.flatnonzero((np.arange(len(above)) < end) & (above >= end))

    def labels(self, k: int) -> Integers:
        """Return the cluster of each object in the horizontal cut into k clusters: 0, 1, ...

        Clusters are numbered as they first occur.
        """
        return self.labels_of(self.cut(k))

    def labels_of(self, nodes: Any) -> Integers:
        """Return the cluster of each object if these nodes are the clusters: 0, 1, ..."""
        leaves, start, end = self.layout
        nodes = np.asarray(nodes)
        nodes = nodes[np.argsort(start[nodes])]
        in_order = np.repeat(np.arange(len(nodes)), end[nodes] - start[nodes])
        if len(in_order) != self.n or not np.array_equal(start[nodes][1:], end[nodes][:-1]):
            raise LabelError("these nodes are not a cut: each object is below one node of a cut.")
        labels = np.empty(self.n, dtype=np.int64)
        labels[leaves] = in_order
        return factorize_integers(first_occurrences(labels, len(nodes))[labels])[0]

    def __eq__(self, other: object) -> bool:
        """Whether both have the same leaves and merges, in the same order, at equal similarity."""
        if not isinstance(other, Tree):
            return NotImplemented
        return (
            self.ids == other.ids
            and np.array_equal(self.parents, other.parents)
            and np.array_equal(self.cut_sizes, other.cut_sizes)
            and np.array_equal(self.thresholds, other.thresholds)  # type: ignore[arg-type]
        )

    __hash__ = None  # type: ignore[assignment]  # as that of tables

    def __repr__(self) -> str:
        """Return one line with the numbers of nodes."""
        leaves = "1 leaf" if self.n == 1 else f"{self.n:,} leaves"
        return f"<Tree: {leaves}, {counted(self.inner, 'inner node')}>"


def _integers(value: Any, input_name: str) -> Integers:
    """Return a copy of a sequence of integers."""
    with translating(input_name, LabelError):
        array = np.array(value)
    if array.ndim != 1 or array.dtype.kind not in "iu":
        raise LabelError(f"{input_name}: a sequence of integers, not {short(repr(value), 60)}.")
    return array.astype(np.int64)


def as_tree(value: Any) -> Tree:
    """Return a tree as it is, or that of a linkage matrix or a fitted estimator."""
    if isinstance(value, Tree):
        return value
    if isinstance(value, np.ndarray):
        return Tree.from_linkage(value)
    if is_estimator(value):
        return Tree.from_children(value)
    raise LabelError(
        f"a {type(value).__name__} is not a tree: make one with Tree.from_linkage, from_children, "
        "from_graph, from_levels, from_newick or from_edges."
    )


def read_tree(path: Any, encoding: str | None = None) -> Tree:
    """Read the tree in a file: a linkage matrix or children_ in .npy, or Newick's text (UTF-8)."""
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
