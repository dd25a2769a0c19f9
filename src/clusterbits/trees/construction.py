"""Parents of nodes from merges, levels and nodes in any order; all trees are made here.

Nodes are numbered leaves first, then inner nodes in the order of their merges, so that every parent
has a higher number than its children. Inner nodes have at least two children.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from clusterbits.core.coding import IdNames, rank
from clusterbits.core.labels import Ids, Labels, positions
from clusterbits.display.tables import counted
from clusterbits.errors import LabelError, NothingToCountError, first_line
from clusterbits.ingest.frames import read_columns
from clusterbits.ingest.join import (
    join_labels,
    name_repeated,
    read_ids,
    read_names,
    show_id,
)
from clusterbits.ingest.kinds import is_frame, names_objects, to_list
from clusterbits.ingest.missing import refuse_missing
from clusterbits.ingest.reading import read_labels

# Of nodes, leaves, steps and clusters.
Numbers = NDArray[np.int64]
# Parents, number of leaves, ids of the leaves, levels of the inner nodes.
Parts = tuple[Numbers, int, Sequence[Any] | None, Numbers | None]

# Distances from the root that differ by less, as a share of the largest, are equal.
_ROUNDING = 1e-12


# --- merges --------------------------------------------------------------------------------------


def read_linkage(linkage: Any, who: str = "the linkage matrix") -> Numbers:
    """Return the two nodes that each row of a linkage matrix merges."""
    try:
        array = np.asarray(linkage)
        numbers = array.astype(np.float64) if array.dtype.kind in "biufO" else None
    except (TypeError, ValueError, RuntimeError, OverflowError) as error:
        raise LabelError(f"{who} is no array of numbers: {first_line(error)}") from None
    if numbers is None or numbers.ndim != 2 or numbers.shape[1] not in (2, 4):
        raise LabelError(
            f"{who} has shape {array.shape} and dtype {array.dtype}; scipy's has a row for each "
            "merge, and four columns: two nodes, their distance, the size."
        )
    nodes = numbers[:, :2]
    whole = np.isfinite(nodes).all(axis=1) & (nodes == np.floor(nodes)).all(axis=1)
    if not whole.all():
        row = int(np.flatnonzero(~whole)[0])
        raise LabelError(f"{who} has {array[row].tolist()} in row {row}: nodes are whole numbers.")
    # Distances are not used, but a clustering with one that is no number has gone wrong.
    unknown = np.isnan(numbers[:, 2:3]).any(axis=1)
    if unknown.any():
        row = int(np.flatnonzero(unknown)[0])
        raise LabelError(
            f"{who} has {array[row].tolist()} in row {row}, where the distance is nan: are values "
            "missing in the data? Pass Z[:, :2] if the merges are right all the same."
        )
    return np.clip(nodes, -1, 2.0**62).astype(np.int64)


def join_merges(merges: Numbers, n: int) -> tuple[Numbers, int]:
    """Return the parents and the number of leaves, where row i merges nodes to node n + i.

    What is never merged becomes a child of the root.
    """
    if n < 1:
        raise NothingToCountError("the tree is empty: at least one object is needed.")
    made = n + np.arange(len(merges))
    wrong = (merges < 0) | (merges >= made[:, None])
    if wrong.any():
        row, column = np.argwhere(wrong)[0].tolist()
        raise LabelError(
            f"row {row} merges node {merges[row, column]}, which does not exist yet: {n} objects "
            f"are 0 to {n - 1}, and row {row} may merge these and the nodes that rows before it "
            f"made, up to {n + row - 1}."
        )
    parents = np.full(n + len(merges), -1)
    parents[merges.ravel()] = np.repeat(made, merges.shape[1])
    uses = np.bincount(merges.ravel(), minlength=len(parents))
    if (uses > 1).any():
        node = int(np.flatnonzero(uses > 1)[0])
        raise LabelError(f"node {node} is merged twice: each node has one parent.")
    return _with_root(parents), n


def _with_root(parents: Numbers) -> Numbers:
    roots = np.flatnonzero(parents < 0)
    if len(roots) == 1:
        return parents
    parents[roots] = len(parents)
    return np.append(parents, -1)


def check_ids(ids: Any, n: int) -> Sequence[Any] | None:
    """Return the ids of n leaves as a list; refuse those that are not one for each."""
    if ids is None:
        return None
    found = read_names(ids, "ids", "object")
    if len(found) != n:
        verb = "is" if len(found) == 1 else "are"
        raise LabelError(f"there {verb} {counted(len(found), 'id')} for {counted(n, 'object')}.")
    _refuse_repeated(Ids(found))
    return found


def _refuse_repeated(ids: Ids) -> None:
    if twice := name_repeated(ids, "the tree"):
        raise LabelError(f"the id {twice} occurs twice: each leaf needs its own.")


# --- levels --------------------------------------------------------------------------------------


def join_levels(columns: Any) -> Parts:
    """Return the tree of labelings from coarse to fine, each level of merges at once."""
    every = _read_levels(columns)
    for name, labels in every.items():
        refuse_missing(labels, name, advice="Every object needs a label on every level.")
    # Joined objects are in an order of their own; the leaves are in that of the first level.
    first = next(iter(every.values()))
    leaves = positions(len(first), first.ids)
    sides = {**every, "the leaves": leaves}
    *levels, order = join_labels(sides).labels
    if len(first) == 0:
        raise NothingToCountError("the levels are empty: at least one object is needed.")
    tree = _LevelTree(len(first), _names_of_leaves(first.ids))
    for name, labels in zip(reversed(every), reversed(levels), strict=True):
        codes = np.empty(len(first), dtype=np.int64)
        codes[order.codes] = rank(labels.codes)[0]
        tree.add(name, codes)
    return tree.parts()


def _names_of_leaves(ids: Ids | None) -> IdNames | None:
    """Return the ids of leaves; None where they are the numbers of the rows of a pandas frame."""
    numbers = ids is not None and hasattr(ids.values, "dtype") and not names_objects(ids.values)
    if ids is None or (ids.offered and numbers):
        return None
    _refuse_repeated(ids)
    return read_ids(ids, "the levels")


def _read_levels(columns: Any) -> dict[str, Labels]:
    if isinstance(columns, Mapping):
        named = {f"level {name!r}": labels for name, labels in columns.items()}
    elif is_frame(columns):
        named = {f"level {name!r}": labels for name, labels in read_columns(columns).items()}
    elif isinstance(columns, np.ndarray) and columns.ndim == 2:
        named = {f"level {i}": labels for i, labels in enumerate(columns.T)}
    elif isinstance(columns, str | bytes) or not hasattr(columns, "__iter__"):
        raise LabelError(f"levels are a sequence of labelings, not a {type(columns).__name__}.")
    else:
        named = {f"level {i}": labels for i, labels in enumerate(columns)}
    if not named:
        raise NothingToCountError("the levels are empty: at least one labeling is needed.")
    return {who: read_labels(labels, who) for who, labels in named.items()}


class _LevelTree:
    """A tree that grows from the leaves up, level by level."""

    def __init__(self, n: int, ids: IdNames | None) -> None:
        self.n, self.ids = n, ids
        self.parents = np.full(n, -1)
        self.levels: list[Numbers] = []
        # The cluster of each object; the node, and the first object, of each cluster.
        self.cluster, self.node, self.first = np.arange(n), np.arange(n), np.arange(n)
        self.below = ""

    def add(self, name: str, codes: NDArray[Any]) -> None:
        """Merge clusters that have the same code on the next coarser level."""
        wrong = np.flatnonzero(codes != codes[self.first][self.cluster])
        if len(wrong):
            other = int(wrong[0])
            raise LabelError(
                f"{self.below} is not nested in {name}: the objects "
                f"{self._name(int(self.first[self.cluster[other]]))} and {self._name(other)} are "
                f"together on the finer level and apart on the coarser one. Name levels from "
                "coarse to fine."
            )
        group = codes[self.first]
        _, first, ranks, sizes = np.unique(
            group, return_index=True, return_inverse=True, return_counts=True
        )
        merged = sizes > 1
        node = np.where(merged, len(self.parents) + np.cumsum(merged) - 1, self.node[first])
        parents = np.concatenate([self.parents, np.full(int(merged.sum()), -1)])
        joined = merged[ranks]
        parents[self.node[joined]] = node[ranks[joined]]
        self.parents = parents
        self.levels.append(np.full(int(merged.sum()), len(self.levels)))
        self.cluster, self.node, self.first = ranks[self.cluster], node, self.first[first]
        self.below = name

    def _name(self, place: int) -> str:
        return str(place) if self.ids is None else show_id(self.ids, place)

    def parts(self) -> Parts:
        """Return the finished tree, with a root."""
        levels = np.concatenate(self.levels)
        parents = _with_root(self.parents)
        if len(parents) > len(self.parents):
            levels = np.append(levels, len(self.levels))
        ids = None if self.ids is None else to_list(self.ids)
        return parents, self.n, ids, levels


# --- nodes in any order --------------------------------------------------------------------------


def join_nodes(above: list[int], lengths: list[float], names: list[Any]) -> Parts:
    """Return the tree of nodes that name their parents, in any order in which these come first.

    `above` has -1 for the root, and `lengths` those of the branches to the parents. Leaves keep
    their order; inner nodes are merged by their distance from the root, the furthest first.
    """
    children = np.bincount(np.array([p for p in above if p >= 0], dtype=np.int64),
                           minlength=len(above)).tolist()  # fmt: skip
    distance, edges, parent = [0.0] * len(above), [0] * len(above), list(above)
    for v, p in enumerate(above):
        if p >= 0:
            # A negative length, as of neighbour joining, does not bring a node above its parent.
            distance[v] = distance[p] + max(lengths[v], 0.0)
            edges[v] = edges[p] + 1
            # A node with one child is that child: its parent adopts it.
            parent[v] = p if children[p] > 1 else parent[p]
    leaves = [v for v, many in enumerate(children) if many == 0]
    inner, levels = _by_level([v for v, many in enumerate(children) if many > 1], distance, edges)
    number = [-1] * (len(above) + 1)  # the last is that of -1, the parent of the root
    for i, v in enumerate([*leaves, *inner]):
        number[v] = i
    parents = np.array([number[parent[v]] for v in (*leaves, *inner)], dtype=np.int64)
    ids = check_ids([names[v] for v in leaves], len(leaves))
    return parents, len(leaves), ids, levels


def _by_level(
    nodes: list[int], distance: list[float], edges: list[int]
) -> tuple[list[int], Numbers]:
    """Return nodes in the order of their merges, the furthest from the root first; their levels.

    Sums of lengths that differ by rounding only, such as 0.1 + 0.2 and 0.3, are one level.
    """
    far = np.array([distance[v] for v in nodes])
    order = np.argsort(-far, kind="stable")
    apart = -np.diff(far[order]) > _ROUNDING * far.max(initial=0.0)
    levels = np.concatenate([np.zeros(min(len(nodes), 1), dtype=np.int64), np.cumsum(apart)])
    # Of one level, children come before their parents.
    below = -np.array([edges[v] for v in nodes], dtype=np.int64)[order]
    within = np.lexsort((below, levels))
    return [nodes[i] for i in order[within].tolist()], levels
