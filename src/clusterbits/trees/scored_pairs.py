"""The tree of scored pairs: single linkage, with a cut at each similarity.

At a threshold, the clusters are the connected components of the pairs that are at least as similar.
The pairs that join components as the threshold falls are a maximum spanning forest; the others
change nothing, and neither do pairs of an object with itself and repeated pairs. Components that
join at one similarity are one merge, so the order of the pairs changes nothing either.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from clusterbits.errors import LabelError
from clusterbits.labels.labeling import Labels
from clusterbits.reading.matched_pairs import number_ids, read_ids_of, read_pairs
from clusterbits.reading.weights import read_numbers
from clusterbits.system.limits import check_memory
from clusterbits.table.log_factorials import FloatArray
from clusterbits.table.numbering import Integers, as_int64, find_range
from clusterbits.text.tables import counted
from clusterbits.trees.tree_forms import Parts

# Peak bytes per pair and per object (benchmarks/trees.py).
_PAIR_BYTES, _OBJECT_BYTES = 48, 400
# Similarities no farther from 0 count as 0, and have this cost.
_ALMOST_0 = np.finfo(np.float64).tiny


def join_pairs(pairs: Any, similarity: Any, objects: Any) -> Parts:
    """Return the tree of single linkage, and the threshold of each cut.

    Objects that no pair connects are merged last, at a similarity of -inf.
    """
    ends = read_pairs(pairs, "pairs")
    values = _read_similarity(similarity, len(ends[0]))
    is_number = isinstance(objects, int | np.integer) and not isinstance(objects, bool)
    known = None if is_number else read_ids_of(objects, "objects")
    n = int(objects) if known is None else len(known)
    check_memory(
        _PAIR_BYTES * len(values) + _OBJECT_BYTES * n,
        f"the tree of {len(values):,} pairs of {n:,} objects",
    )
    left, right = _as_positions(ends, n, known)
    left, right, merged_at = _spanning_forest(left, right, values, n)
    parents, first = _merge(left, right, n)
    if len(merged_at) < n - 1:  # several components
        parents = np.append(np.where(parents < 0, len(parents), parents), -1)
        merged_at, first = np.append(merged_at, -np.inf), np.append(first, 0)
    is_new = np.append(True, merged_at[1:] != merged_at[:-1])[: len(merged_at)]
    parents, levels = _merge_at_once(parents, np.cumsum(is_new), first)
    ids = None if known is None else known.name(known.codes).tolist()
    return Parts(parents, ids, levels, np.append(np.inf, merged_at[is_new]))


def _as_positions(ends: list[Labels], n: int, known: Labels | None) -> list[Integers]:
    """Return both ends of the pairs as positions among n objects, whose ids may be `known`."""
    if known is None:
        # Integers of a file may be names.
        if any(end.names is not None and as_int64(end.names.tolist()) is None for end in ends):
            raise LabelError(
                "objects is their number, and pairs has ids that are no positions: pass the ids "
                "of all objects; on= names their column."
            )
        known = Labels(np.arange(n))
    names, (left, right, order) = number_ids([*ends, known])
    positions = np.full(len(names), -1)
    positions[order] = np.arange(n)
    if n < 1 or np.count_nonzero(positions >= 0) < n:
        raise LabelError("objects must be a number above 0, or distinct ids, at least one.")
    unknown = names[positions < 0]
    if len(unknown):
        raise LabelError(
            f"the pairs have {counted(len(unknown), 'id')} that objects lacks, such as "
            f"{unknown[:1].tolist()[0]!r}: objects must be all ids; or the number n of objects, "
            "if pairs are of positions, from 0 to n - 1."
        )
    return [positions[left], positions[right]]


def _read_similarity(similarity: Any, n_pairs: int) -> FloatArray:
    numbers = read_numbers(similarity, "similarity")
    if numbers.dtype.kind in "iu" and max(map(abs, find_range(numbers))) > 2**53:
        raise LabelError(
            "similarity has integers above 2^53, of which several are one float: divide them."
        )
    values = numbers.astype(np.float64) + 0.0  # -0.0 is 0.0
    if len(values) != n_pairs:
        raise LabelError(
            f"similarity must be one number for each of {counted(n_pairs, 'pair')}, not "
            f"{len(values):,}."
        )
    if np.isnan(values).any():
        position = int(np.isnan(values).argmax())
        raise LabelError(
            f"similarity is nan at position {position}: exclude pairs that were not scored."
        )
    return values


def _spanning_forest(
    left: Integers, right: Integers, values: FloatArray, n: int
) -> tuple[Integers, Integers, FloatArray]:
    """Return the pairs of a maximum spanning forest with their values, the highest first."""
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import minimum_spanning_tree

    # scipy takes a cost of 0 for no edge.
    costs = np.where(np.abs(values) <= _ALMOST_0, _ALMOST_0, -values)
    ends = left.astype(np.int32), right.astype(np.int32)  # scipy 1.14 takes no others
    graph = coo_array((costs, ends), shape=(n, n))
    graph.has_canonical_format = True  # else costs of repeated pairs would be added up
    forest = minimum_spanning_tree(graph.tocsr(), overwrite=True).tocoo()
    order = np.argsort(forest.data, kind="stable")
    costs = forest.data[order]
    values = np.where(costs == _ALMOST_0, 0.0, -costs)
    return forest.coords[0][order], forest.coords[1][order], values


def _merge(left: Integers, right: Integers, n: int) -> tuple[Integers, Integers]:
    """Return the parents of n objects and of a node for each pair, which joins two components.

    And the first object below each node.
    """
    parents, first = [-1] * (n + len(left)), list(range(n))
    above = list(range(len(parents)))  # a node nearer to the highest of the component, or itself
    for node, pair in enumerate(zip(left.tolist(), right.tolist(), strict=True), n):
        a, b = pair
        while above[a] != a:
            above[a] = a = above[above[a]]
        while above[b] != b:
            above[b] = b = above[above[b]]
        parents[a] = parents[b] = above[a] = above[b] = node
        first.append(min(first[a], first[b]))
    return np.array(parents), np.array(first)


def _merge_at_once(
    parents: Integers, levels: Integers, first: Integers
) -> tuple[Integers, Integers]:
    """Return the parents and the levels if nodes of the level of their parent are that parent.

    Nodes of a level are in the order of the first object below them.
    """
    n, nodes = len(parents) - len(levels), np.arange(len(parents))
    level = np.append(np.zeros(n, dtype=np.int64), levels)  # levels count from 1
    remaining = np.where(level == level[parents], parents, nodes)
    remaining[-1] = nodes[-1]
    while not np.array_equal(remaining, remaining[remaining]):
        remaining = remaining[remaining]
    order = np.flatnonzero(remaining == nodes)
    order = order[np.lexsort((first[order], level[order]))]
    number = np.full(len(nodes), -1)
    number[order] = np.arange(len(order))
    merged = number[remaining[parents[order]]]
    merged[-1] = -1
    return merged, level[order][n:]
