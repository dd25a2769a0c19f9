"""Trees of other libraries, known by their attributes: none of them is ever imported."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from clusterbits.errors import LabelError
from clusterbits.ingest.kinds import is_estimator, is_graph
from clusterbits.trees.construction import Parts, check_ids, join_merges, join_nodes, read_linkage

# Where the single-linkage tree of hdbscan and that of scikit-learn are.
_SINGLE_LINKAGE = ("single_linkage_tree_", "_single_linkage_tree_")


def is_hdbscan(value: Any) -> bool:
    """Whether a value is an HDBSCAN, of hdbscan or scikit-learn, or a subclass."""
    return is_estimator(value) and any(kind.__name__ == "HDBSCAN" for kind in type(value).__mro__)


def is_dendrogram(value: Any) -> bool:
    """Whether a value is a dendrogram of igraph, or a graph of networkx."""
    return hasattr(value, "as_clustering") or is_graph(value)


def read_children(given: Any) -> tuple[NDArray[np.int64], int]:
    """Return the merges of ``children_`` and the number of leaves."""
    if not is_estimator(given):
        merges = read_linkage(given, "children")
        return merges, len(merges) + 1
    children, n = getattr(given, "children_", None), getattr(given, "n_leaves_", None)
    if children is None or n is None:
        raise LabelError(
            f"{type(given).__name__} has no children_: fit it first, and where it makes no "
            "tree, choose one that does, such as AgglomerativeClustering."
        )
    return read_linkage(children, "children_"), int(n)


def read_hdbscan(model: Any) -> Any:
    """Return the single-linkage tree of a fitted HDBSCAN as a linkage matrix."""
    found = None
    for name in _SINGLE_LINKAGE:
        # hdbscan's raises an AttributeError where the model was not fitted.
        found = getattr(model, name, None) if found is None else found
    if found is None:
        raise LabelError(f"{type(model).__name__} has no single-linkage tree: fit HDBSCAN first.")
    if hasattr(found, "to_numpy"):
        return found.to_numpy()
    fields = getattr(found.dtype, "names", None)
    return found if fields is None else np.stack([found[name] for name in fields[:2]], axis=1)


def read_graph(given: Any) -> Parts:
    """Return the parts of a dendrogram of igraph, or of a directed tree of networkx."""
    if hasattr(given, "as_clustering"):
        return _read_igraph(given)
    if is_graph(given) and hasattr(given, "successors") and hasattr(given, "nodes"):
        return _read_networkx(given)
    raise LabelError(
        f"a {type(given).__name__} is no dendrogram; those of igraph (VertexDendrogram) and "
        "directed trees of networkx (DiGraph, edges from a cluster to its parts) are read."
    )


def _read_igraph(dendrogram: Any) -> Parts:
    merges = np.array(dendrogram.merges, dtype=np.int64).reshape(-1, 2)
    graph = dendrogram.as_clustering().graph
    parents, n = join_merges(merges, graph.vcount())
    named = "name" in graph.vs.attributes()
    return parents, n, check_ids(list(graph.vs["name"]), n) if named else None, None


def _read_networkx(graph: Any) -> Parts:
    nodes = list(graph.nodes)
    roots = [node for node in nodes if graph.in_degree(node) == 0]
    if len(roots) != 1 or graph.number_of_edges() != len(nodes) - 1:
        raise LabelError(
            f"the graph has {len(nodes)} nodes, {graph.number_of_edges()} edges and {len(roots)} "
            "nodes without an edge to them; a tree has one root, and one edge to each other node."
        )
    place, above = {roots[0]: 0}, [-1]
    queue = list(roots)
    for node in queue:  # it grows
        for child in graph.successors(node):
            if child not in place:
                place[child] = len(queue)
                above.append(place[node])
                queue.append(child)
    if len(queue) < len(nodes):
        raise LabelError("the graph is no tree: it has a cycle.")
    return join_nodes(above, [1.0] * len(above), queue)
