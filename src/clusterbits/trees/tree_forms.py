"""Readers of trees: merges, edges, levels, Newick's text.

Each returns the parents of the nodes, which are numbered leaves first, then inner nodes in the
order of their merges. No library is imported: its objects are recognized by their attributes.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from decimal import MAX_PREC, Decimal, localcontext
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from clusterbits.errors import LabelError, translating
from clusterbits.labels.labeling import Ids, positions
from clusterbits.labels.settle import refuse_missing
from clusterbits.reading.forms import read_labels
from clusterbits.reading.ids import read_ids, show_id
from clusterbits.reading.joining import join_labels
from clusterbits.reading.runs import as_runs
from clusterbits.reading.type_checks import is_estimator, names_objects, to_list
from clusterbits.table.label_names import as_names
from clusterbits.table.numbering import Integers, factorize_integers, first_occurrences
from clusterbits.text.tables import short


class Parts(NamedTuple):
    """The fields of a `Tree`."""

    parents: Integers
    ids: Sequence[Any] | None = None
    levels: Integers | None = None
    thresholds: NDArray[np.float64] | None = None


# --- merges --------------------------------------------------------------------------------------


def read_merges(
    linkage: Any, input_name: str = "the linkage matrix", n: int | None = None
) -> Integers:
    """Return the parents of n leaves and of the nodes n + i that rows i merge two nodes to.

    By default all leaves are merged; nodes that are never merged are children of the root.
    """
    with translating(f"{input_name} is not an array of numbers", LabelError):
        array = np.asarray(linkage)
        numbers = array.astype(np.float64)
    if numbers.ndim != 2 or numbers.shape[1] not in (2, 4):
        raise LabelError(
            f"{input_name} has shape {array.shape}; pass one row per merge: two nodes, or two "
            "nodes, their distance and the size."
        )
    nodes = numbers[:, :2]
    n = len(nodes) + 1 if n is None else n
    merged = n + np.arange(len(nodes))
    exist = (nodes == np.floor(nodes)) & (nodes >= 0) & (nodes < merged[:, None])
    # Distances are not used, but nan among them means that the clustering failed.
    wrong = ~exist.all(axis=1) | np.isnan(numbers[:, :3]).any(axis=1)
    if wrong.any():
        row = int(np.argmax(wrong))
        raise LabelError(
            f"{input_name} has {array[row].tolist()} in row {row}: it must merge two nodes from 0 "
            f"to {n + row - 1}, {n} objects and the merges of earlier rows; no distance may be nan."
        )
    merges = nodes.astype(np.int64)
    parents = np.full(n + len(merges), -1)
    parents[merges.ravel()] = np.repeat(merged, 2)
    uses = np.bincount(merges.ravel(), minlength=1)
    if uses.max() > 1:
        raise LabelError(f"node {np.argmax(uses > 1)} is merged twice: each node has one parent.")
    roots = np.flatnonzero(parents < 0)
    if len(roots) == 1:
        return parents
    parents[roots] = len(parents)
    return np.append(parents, -1)


def read_children(value: Any) -> Integers:
    """Return the parents from ``children_``, or from a fitted estimator that has a tree."""
    if not is_estimator(value):
        return read_merges(value, "children")
    estimator = type(value).__name__
    # Of AgglomerativeClustering, of hdbscan, and of scikit-learn's HDBSCAN; None if not fitted.
    names = ("children_", "single_linkage_tree_", "_single_linkage_tree_")
    trees = [tree for name in names if (tree := getattr(value, name, None)) is not None]
    if not trees:
        raise LabelError(
            f"{estimator} has no tree: fit it first, or choose an estimator that makes one, such "
            "as AgglomerativeClustering or HDBSCAN."
        )
    tree = trees[0]
    if hasattr(tree, "to_numpy"):
        tree = tree.to_numpy()
    elif tree.dtype.names is not None:
        tree = np.stack([tree[field] for field in tree.dtype.names[:2]], axis=1)
    return read_merges(tree, f"the tree of {estimator}", getattr(value, "n_leaves_", None))


# --- nodes in any order --------------------------------------------------------------------------


def join_nodes(
    above: NDArray[Any], distances: Integers, depths: Integers, ids: Sequence[Any] | None
) -> Parts:
    """Return the tree of nodes that name their parents; the root is node 0.

    `distances` are ranks of distances from the root, and `depths` the edges on the way. Leaves keep
    their order; inner nodes are merged the furthest from the root first, and those of one distance
    at once. A node with one child is that child.
    """
    nodes = len(above)
    children = np.bincount(above[1:], minlength=nodes)
    # The ancestor that remains of each node, itself or above; the last entry stands for no parent.
    remaining = np.append(np.where(children == 1, above, np.arange(nodes)), nodes)
    while not np.array_equal(remaining, remaining[remaining]):
        remaining = remaining[remaining]
    leaves, inner = np.flatnonzero(children == 0), np.flatnonzero(children > 1)
    inner = inner[np.lexsort((-depths[inner], -distances[inner]))]  # children before parents
    new_level = np.diff(distances[inner], prepend=distances[inner[:1]]) != 0
    order, number = np.concatenate([leaves, inner]), np.full(nodes + 1, -1)
    number[order] = np.arange(len(order))
    return Parts(number[remaining[above[order]]], ids, np.cumsum(new_level))


def _join_branches(above: list[int], lengths: list[Any], names: list[Any]) -> Parts:
    """Return the tree of nodes with these branch lengths; parents precede their children."""
    distances, depths = [Decimal(0)] * len(above), [0] * len(above)
    for v in range(1, len(above)):
        # A negative length, as of neighbor joining, does not bring a node above its parent.
        distances[v] = distances[above[v]] + max(lengths[v], 0)
        depths[v] = depths[above[v]] + 1
    inner = set(above)
    ids = [name for v, name in enumerate(names) if v not in inner]
    ranks = np.unique(as_names(distances), return_inverse=True)[1]
    return join_nodes(np.array(above), ranks, np.array(depths), ids)


def read_graph(edges: Any) -> Parts:
    """Return the tree of edges from parents to children, each of length 1."""
    with translating("edges are pairs of nodes: (parent, child)", LabelError):
        pairs = [(parent, child) for parent, child in edges]
        children: dict[Any, list[Any]] = {}
        for parent, child in pairs:
            children.setdefault(parent, []).append(child)
        child_nodes = {child for _, child in pairs}
    nodes = [parent for parent in children if parent not in child_nodes]
    above, roots = [-1] * len(nodes), len(nodes)
    if roots == 1 and len(child_nodes) == len(pairs):  # else a cycle may have no end
        for v, node in enumerate(nodes):  # it grows
            nodes += children.get(node, [])
            above += [v] * (len(nodes) - len(above))
    if len(nodes) != len(pairs) + 1:
        raise LabelError(
            f"{len(pairs)} edges with {roots} roots are not a tree: pass edges (parent, child) "
            "in which each node but one root is the child of one parent."
        )
    return _join_branches(above, [1] * len(above), nodes)


# --- levels --------------------------------------------------------------------------------------


def join_levels(columns: Any) -> Parts:
    """Return the tree of labelings from coarse to fine, each level of merges at once."""
    runs = as_runs(list(columns) if isinstance(columns, Iterator) else columns)
    if not runs:
        raise LabelError("levels are several labelings of the same objects, from coarse to fine.")
    labelings = {f"level {name!r}": read_labels(x, f"level {name!r}") for name, x in runs.items()}
    for name, labels in labelings.items():
        refuse_missing(labels, name, "Every object needs a label on every level.")
    # Joined objects may be in another order; the leaves are in that of the first level.
    first = next(iter(labelings.values()))
    *levels, leaves = join_labels(
        labelings | {"the leaves": positions(len(first), first.ids)}
    ).labels
    ids = _leaf_ids(first.ids)
    node, coarser = np.zeros(len(first), dtype=np.int64), ""  # the node of each object so far
    above, n_nodes = [np.array([-1])], 1
    for name, labels in zip(labelings, levels, strict=True):
        codes = np.empty(len(first), dtype=np.int64)
        codes[leaves.codes], clusters = factorize_integers(labels.codes)
        examples = first_occurrences(codes, len(clusters))
        divided = np.flatnonzero(node != node[examples][codes])
        if len(divided):
            pair = int(examples[codes[divided[0]]]), int(divided[0])
            first_id, second_id = (str(i) if ids is None else show_id(ids, i) for i in pair)
            raise LabelError(
                f"{name} is not nested in {coarser}: the objects {first_id} and {second_id} are "
                "together on the finer level and apart on the coarser one. Name levels from coarse "
                "to fine."
            )
        above.append(node[examples])
        node, n_nodes, coarser = n_nodes + codes, n_nodes + len(examples), name
    depths = np.repeat(np.arange(len(above) + 1), [*map(len, above), len(first)])
    return join_nodes(np.concatenate([*above, node]), depths, depths, ids)


def _leaf_ids(ids: Ids | None) -> list[Any] | None:
    """Return the ids of leaves; None if they are the row numbers of a pandas DataFrame."""
    is_index = ids is not None and ids.implicit and hasattr(ids.values, "dtype")
    if ids is None or (is_index and not names_objects(ids.values)):
        return None
    return to_list(read_ids(ids, "the levels"))


# --- Newick's format: ((ann:1,bob:1):2,cid:3); ---------------------------------------------------

# A comment; a quoted name, in which '' is a quote; a sign; or a name or a number.
_TOKEN = re.compile(
    r"\s*(?:(\[[^\]]*\])|'((?:[^']|'')*)'|([(),:;])|([^\s()\[\]':;,][^()\[\]':;,]*))"
)
_LENGTH = re.compile(r"[-+]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][-+]?[0-9]{1,3})?")
# The tokens that may follow a token: a name is "a", a branch length is "1". Each leaf has a name.
_FOLLOWS = {"": "(a", "(": "(a", ",": "(a", "a": ":,);", ")": "a:,);", ":": "1", "1": ",);"}


def parse_newick(text: str) -> Parts:
    """Return the tree in a text.

    Without any length, each branch has the length 1; if only some have one, the others have 0.

    >>> parse_newick("(a,(b,c));").parents.tolist()
    [4, 3, 3, 4, -1]
    """
    if not isinstance(text, str):
        raise LabelError(f"a {type(text).__name__} is not a Newick text, such as '(a,(b,c));'.")
    text = text.removeprefix("\ufeff").rstrip()
    above, names = [-1], [""]
    lengths: list[Decimal | None] = [None]
    node, last, index = 0, "", 0
    while index < len(text):
        if (match := _TOKEN.match(text, index)) is None:
            raise _syntax_error(text, index)
        comment, quoted, token, word = match.groups()
        if comment is None:
            token = token or ("1" if word and last == ":" else "a")
            if token in ",)":
                node = above[node]
            if token not in _FOLLOWS.get(last, "") or node < 0:
                raise _syntax_error(text, index)
            if token in "(,":
                above.append(node)
                names.append("")
                lengths.append(None)
                node = len(above) - 1
            elif token == "1":
                if not _LENGTH.fullmatch(word.strip()):
                    raise _syntax_error(text, index)
                lengths[node] = Decimal(word)
            elif token == "a":
                # Blanks of names are written as underscores, unless they are quoted.
                names[node] = word.strip().replace("_", " ") if word else quoted.replace("''", "'")
            last = token
        index = match.end()
    if node != 0 or last in ("", ":") or (last == "a" and len(above) == 1):
        raise _syntax_error(text, index)
    # The length of the root leads nowhere.
    default = 0 if any(length is not None for length in lengths[1:]) else 1
    with localcontext(prec=MAX_PREC):  # lengths are added up exactly
        return _join_branches(above, [default if x is None else x for x in lengths], names)


def _syntax_error(text: str, index: int) -> LabelError:
    return LabelError(
        f"the Newick text is wrong at character {index + 1}, before {short(text[index:], 20)!r}. A "
        "tree looks like '((ann:1,bob:1):2,cid:3);'."
    )
