"""Where trees come from: merges, dendrograms of other libraries, levels, Newick's text.

Each becomes the parents of its nodes. These are numbered leaves first, then inner nodes in the
order of their merges. No library is imported: its objects are known by their attributes.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from contextlib import suppress
from decimal import Context, Decimal, Inexact, InvalidOperation, localcontext
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
from clusterbits.table.numbering import factorize_integers, first_occurrences
from clusterbits.text.tables import short

# Of nodes, leaves, steps and clusters.
Numbers = NDArray[np.int64]

# Branch lengths are added up exactly; those that together have more digits are refused.
_EXACT = Context(prec=2000, traps=[Inexact, InvalidOperation])


class Parts(NamedTuple):
    """What a `Tree` is made of: parents, ids of the leaves, levels of the inner nodes."""

    parents: Numbers
    ids: Sequence[Any] | None = None
    levels: Numbers | None = None


# --- merges --------------------------------------------------------------------------------------


def read_merges(
    linkage: Any, who: str = "the linkage matrix", leaves: int | None = None
) -> Numbers:
    """Return the parents of n leaves and more, where row i merges two nodes to node n + i.

    Without a number of `leaves` all are merged. What is never merged is a child of the root.
    """
    with translating(f"{who} is not an array of numbers", LabelError):
        array = np.asarray(linkage)
        numbers = array.astype(np.float64)
    if numbers.ndim != 2 or numbers.shape[1] not in (2, 4):
        raise LabelError(
            f"{who} has shape {array.shape}; scipy's has a row for each merge, and four columns: "
            "two nodes, their distance, the size."
        )
    nodes = numbers[:, :2]
    # Distances are not used, but a clustering with one that is not a number has gone wrong.
    wrong = (nodes != np.floor(nodes)).any(axis=1) | np.isnan(numbers[:, :3]).any(axis=1)
    if wrong.any():
        row = int(np.argmax(wrong))
        raise LabelError(
            f"{who} has {array[row].tolist()} in row {row}: nodes are whole numbers, and no "
            "distance is nan."
        )
    merges = np.clip(nodes, -1, 2.0**62).astype(np.int64)
    n = len(merges) + 1 if leaves is None else leaves
    made = n + np.arange(len(merges))
    wrong = (merges < 0) | (merges >= made[:, None])
    if wrong.any():
        row, column = np.argwhere(wrong)[0].tolist()
        raise LabelError(
            f"row {row} merges node {merges[row, column]}, which does not exist yet: there are "
            f"nodes 0 to {n + row - 1}, {n} objects and what the rows before have merged."
        )
    parents = np.full(n + len(merges), -1)
    parents[merges.ravel()] = np.repeat(made, 2)
    uses = np.bincount(merges.ravel(), minlength=1)
    if uses.max() > 1:
        raise LabelError(f"node {np.argmax(uses > 1)} is merged twice: each node has one parent.")
    roots = np.flatnonzero(parents < 0)
    if len(roots) == 1:
        return parents
    parents[roots] = len(parents)
    return np.append(parents, -1)


def read_children(given: Any) -> Numbers:
    """Return the parents from ``children_``, or from a fitted estimator that has a tree."""
    if not is_estimator(given):
        return read_merges(given, "children")
    # Of AgglomerativeClustering, of hdbscan, and of scikit-learn's HDBSCAN.
    names = ("children_", "single_linkage_tree_", "_single_linkage_tree_")
    # hdbscan raises an AttributeError where the model was not fitted.
    found = next((tree for name in names if (tree := getattr(given, name, None)) is not None), None)
    if found is None:
        raise LabelError(
            f"{type(given).__name__} has no tree: fit it first, or choose an estimator that makes "
            "one, such as AgglomerativeClustering or HDBSCAN."
        )
    if hasattr(found, "to_numpy"):
        found = found.to_numpy()
    elif found.dtype.names is not None:
        found = np.stack([found[name] for name in found.dtype.names[:2]], axis=1)
    leaves = getattr(given, "n_leaves_", None)
    return read_merges(found, f"the tree of {type(given).__name__}", leaves)


# --- nodes in any order --------------------------------------------------------------------------


def join_nodes(
    above: NDArray[Any], far: Numbers, edges: Numbers, ids: Sequence[Any] | None
) -> Parts:
    """Return the tree of nodes that name their parents; the root is node 0.

    `far` ranks distances from the root, and `edges` counts those on the way. Leaves keep their
    order; inner nodes are merged the furthest from the root first, and those equally far from it at
    once. A node with one child is that child.
    """
    nodes = len(above)
    children = np.bincount(above[1:], minlength=nodes)
    # The ancestor that stays for each node, itself or above; the last place is that of no parent.
    stays = np.append(np.where(children == 1, above, np.arange(nodes)), nodes)
    while not np.array_equal(stays, stays[stays]):
        stays = stays[stays]
    leaves = np.flatnonzero(children == 0)
    inner = np.flatnonzero(children > 1)
    inner = inner[np.lexsort((-edges[inner], -far[inner]))]  # children before their parents
    apart = np.diff(far[inner], prepend=far[inner[:1]]) != 0
    order, number = np.concatenate([leaves, inner]), np.full(nodes + 1, -1)
    number[order] = np.arange(len(order))
    return Parts(number[stays[above[order]]], ids, np.cumsum(apart))


def _join_branches(above: list[int], lengths: list[Any], names: list[Any]) -> Parts:
    """Return the tree of nodes with the lengths of their branches."""
    far, edges = [Decimal(0)] * len(above), [0] * len(above)
    for v in range(1, len(above)):  # parents come first
        # A negative length, as of neighbour joining, does not bring a node above its parent.
        far[v], edges[v] = far[above[v]] + max(lengths[v], 0), edges[above[v]] + 1
    inner = set(above)
    ids = [name for v, name in enumerate(names) if v not in inner]
    ranks = np.unique(as_names(far), return_inverse=True)[1]
    return join_nodes(np.array(above), ranks, np.array(edges), ids)


def read_graph(given: Any) -> Parts:
    """Return a dendrogram of igraph, or a directed tree of networkx."""
    if hasattr(given, "as_clustering"):
        graph = given.as_clustering().graph
        names = list(graph.vs["name"]) if "name" in graph.vs.attributes() else None
        merges = np.array(given.merges).reshape(-1, 2)
        return Parts(read_merges(merges, "the dendrogram", graph.vcount()), names)
    if not hasattr(given, "successors") or not hasattr(given, "in_degree"):
        raise LabelError(
            f"a {type(given).__name__} is not a tree: make one with Tree.from_linkage, "
            "from_children, from_levels, from_newick, or from_graph (igraph's dendrogram, "
            "networkx's DiGraph)."
        )
    queue = [node for node in given.nodes if given.in_degree(node) == 0]
    above, roots = [-1] * len(queue), len(queue)
    for i, node in enumerate(queue):  # it grows
        for child in given.successors(node):
            queue.append(child)
            above.append(i)
    # With one parent for each other node, what is not below the root is on a cycle.
    if roots != 1 or given.number_of_edges() != len(given) - 1 or len(queue) < len(given):
        raise LabelError(
            f"the graph is not a tree: it has {len(given)} nodes, {given.number_of_edges()} edges "
            f"and {roots} roots; a tree has one root, and one edge to each other node."
        )
    return _join_branches(above, [1] * len(above), queue)


# --- levels --------------------------------------------------------------------------------------


def join_levels(columns: Any) -> Parts:
    """Return the tree of labelings from coarse to fine, each level of merges at once."""
    runs = as_runs(list(columns) if isinstance(columns, Iterator) else columns)
    if not runs:
        raise LabelError("levels are several labelings of the same objects, from coarse to fine.")
    every = {f"level {name!r}": read_labels(x, f"level {name!r}") for name, x in runs.items()}
    for name, labels in every.items():
        refuse_missing(labels, name, "Every object needs a label on every level.")
    # Joined objects are in an order of their own; the leaves are in that of the first level.
    first = next(iter(every.values()))
    sides = {**every, "the leaves": positions(len(first), first.ids)}
    *levels, order = join_labels(sides).labels
    ids = _names_of_leaves(first.ids)
    node, before = np.zeros(len(first), dtype=np.int64), ""  # of each object, from the root down
    above, end = [np.array([-1])], 1
    for name, labels in zip(every, levels, strict=True):
        codes = np.empty(len(first), dtype=np.int64)
        codes[order.codes], names = factorize_integers(labels.codes)
        some = first_occurrences(codes, len(names))
        wrong = np.flatnonzero(node != node[some][codes])
        if len(wrong):
            both = [int(some[codes[wrong[0]]]), int(wrong[0])]
            one, other = (str(i) if ids is None else show_id(ids, i) for i in both)
            raise LabelError(
                f"{name} is not nested in {before}: the objects {one} and {other} are together on "
                "the finer level and apart on the coarser one. Name levels from coarse to fine."
            )
        above.append(node[some])
        node, end, before = end + codes, end + len(some), name
    far = np.repeat(np.arange(len(above) + 1), [*map(len, above), len(first)])
    return join_nodes(np.concatenate([*above, node]), far, far, ids)


def _names_of_leaves(ids: Ids | None) -> list[Any] | None:
    """Return the ids of leaves; None where they are the numbers of the rows of a pandas frame."""
    if ids is None or (
        ids.implicit and hasattr(ids.values, "dtype") and not names_objects(ids.values)
    ):
        return None
    return to_list(read_ids(ids, "the levels"))


# --- Newick's format: ((ann:1,bob:1):2,cid:3); ---------------------------------------------------

# A comment; a quoted name, in which '' is a quote; a sign; or a name or a number.
_TOKEN = re.compile(
    r"\s*(?:(\[[^\]]*\])|'((?:[^']|'')*)'|([(),:;])|([^\s()\[\]':;,][^()\[\]':;,]*))"
)
_LENGTH = re.compile(r"[-+]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][-+]?[0-9]+)?")
# What may follow what: a name is "a", a branch length is "1". So each leaf has a name.
_FOLLOWS = {"": "(a", "(": "(a", ",": "(a", "a": ":,);", ")": "a:,);", ":": "1", "1": ",);"}


def parse_newick(text: str) -> Parts:
    """Return the tree in a text.

    Without any length, each branch has the length 1; where only some have one, the others have 0.

    >>> parse_newick("(a,(b,c));").parents.tolist()
    [4, 3, 3, 4, -1]
    """
    if not isinstance(text, str):
        raise LabelError(f"a {type(text).__name__} is not a Newick text, such as '(a,(b,c));'.")
    text = text.removeprefix("\ufeff").rstrip()
    above, names = [-1], [""]
    lengths: list[Decimal | None] = [None]
    node, before, place = 0, "", 0
    while place < len(text):
        if (found := _TOKEN.match(text, place)) is None:
            raise _wrong(text, place)
        comment, quoted, kind, word = found.groups()
        if comment is None:
            kind = kind or ("1" if word and before == ":" else "a")
            if kind in ",)":
                node = above[node]
            if kind not in _FOLLOWS.get(before, "") or node < 0:
                raise _wrong(text, place)
            if kind in "(,":
                above.append(node)
                names.append("")
                lengths.append(None)
                node = len(above) - 1
            elif kind == "1":
                lengths[node] = _read_length(text, place, word)
            elif kind == "a":
                # Blanks of names are written as underscores, unless they are quoted.
                names[node] = word.strip().replace("_", " ") if word else quoted.replace("''", "'")
            before = kind
        place = found.end()
    if node != 0 or before in ("", ":") or (before == "a" and len(above) == 1):
        raise _wrong(text, place)
    # The length of the root leads nowhere.
    default = 0 if any(length is not None for length in lengths[1:]) else 1
    known = [default if length is None else length for length in lengths]
    try:
        with localcontext(_EXACT):
            return _join_branches(above, known, names)
    except Inexact:
        raise LabelError(
            f"the branch lengths need more than {_EXACT.prec:,} digits to be added up exactly."
        ) from None


def _read_length(text: str, place: int, word: str) -> Decimal:
    if _LENGTH.fullmatch(word.strip()):
        with suppress(InvalidOperation):  # an exponent past what decimals have
            return Decimal(word)
    raise _wrong(text, place)


def _wrong(text: str, place: int) -> LabelError:
    return LabelError(
        f"the Newick text is wrong at character {place + 1}, before {short(text[place:], 20)!r}. A "
        "tree looks like '((ann:1,bob:1):2,cid:3);'."
    )
