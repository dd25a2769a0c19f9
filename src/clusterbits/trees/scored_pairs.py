"""The tree of scored pairs: single linkage, with a cut at each similarity.

At a threshold, the clusters are the connected components of the pairs that are at least as similar.
The pairs that join components as the threshold falls are a maximum spanning forest; the others
change nothing, and neither do pairs of an object with itself and repeated pairs.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from clusterbits.errors import LabelError
from clusterbits.labels.labeling import Labels
from clusterbits.reading.matched_pairs import number_ids, read_ids_of, read_pairs
from clusterbits.reading.weights import read_numbers
from clusterbits.system.limits import check_memory
from clusterbits.table.numbering import as_int64, find_range
from clusterbits.text.tables import counted
from clusterbits.trees.tree_forms import Integers, Parts

FloatArray = NDArray[np.float64]
# Peak bytes per pair and per object (benchmarks/trees.py).
_PAIR_BYTES, _OBJECT_BYTES = 48, 400
# Pairs at a time: those within the components so far are left out together.
_BLOCK = 1 << 16


def join_pairs(pairs: Any, similarity: Any, objects: Any) -> tuple[Parts, FloatArray]:
    """Return the tree of single linkage, and the similarity at which each level is merged.

    Objects that no pair connects are merged last, at a similarity of -inf.
    """
    (left, right), n, ids = _read_ends(pairs, objects)
    values = _read_similarity(similarity, len(left))
    check_memory(
        _PAIR_BYTES * len(left) + _OBJECT_BYTES * n,
        f"the tree of {len(left):,} pairs of {n:,} objects",
    )
    order = np.argsort(-values, kind="stable")
    parents, merging = _merge_in_order(left[order], right[order], n)
    merged_at = values[order][merging]
    if n - len(merging) > 1:  # several components
        parents = np.where(parents < 0, len(parents), parents)
        parents = np.append(parents, -1)
        merged_at = np.append(merged_at, -np.inf)
    is_new = np.ones(len(merged_at), dtype=np.bool_)
    is_new[1:] = merged_at[1:] != merged_at[:-1]
    return Parts(parents, ids, np.cumsum(is_new)), merged_at[is_new]


def _read_ends(pairs: Any, objects: Any) -> tuple[list[Integers], int, list[Any] | None]:
    """Return the positions of both ends of the pairs, the number of objects, and their ids."""
    first, second = read_pairs(pairs, "pairs")
    if isinstance(objects, int | np.integer) and not isinstance(objects, bool):
        n = int(objects)
        if n < 1:
            raise LabelError(f"objects must be at least 1, got {n}.")
        return [_as_positions(column, n) for column in (first, second)], n, None
    known = read_ids_of(objects, "objects")
    names, (left, right, order) = number_ids([first, second, known])
    positions = np.full(len(names), -1)
    positions[order] = np.arange(len(order))
    if len(known) < 1 or len(np.unique(order)) < len(order):
        raise LabelError("objects must be distinct ids, at least one.")
    if (positions < 0).any():
        unknown = names[positions < 0]
        raise LabelError(
            f"the pairs have {counted(len(unknown), 'id')} that objects lacks, such as "
            f"{unknown[:1].tolist()[0]!r}. Add them to objects, or exclude their pairs."
        )
    ids = known.name(known.codes).tolist()
    return [positions[left], positions[right]], len(order), ids


def _as_positions(column: Labels, n: int) -> Integers:
    """Return one end of each pair as positions among n objects."""
    ends: NDArray[Any] = column.codes
    if column.names is not None:  # integers of a file may be names
        codes, names = column.named()
        integers = as_int64(names.tolist())
        if integers is None:
            raise LabelError(
                f"pairs has the id {names.tolist()[0]!r}, and objects without ids are positions, "
                f"from 0 to {n - 1}. Pass the ids of the objects; on= names their column."
            )
        ends = integers[codes]
    ends = ends.astype(np.int64, copy=False)
    wrong = (ends < 0) | (ends >= n)
    if wrong.any():
        raise LabelError(
            f"the pair at position {int(wrong.argmax())} names the object "
            f"{int(ends[wrong.argmax()])}; positions go from 0 to {n - 1}."
        )
    return ends


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


def _merge_in_order(left: Integers, right: Integers, n: int) -> tuple[Integers, Integers]:
    """Merge the components of pairs in their order.

    Return the parent of each node, -1 without one: n objects first, then a node for each merge; and
    the pair of each merge.
    """
    leaders = list(range(n))  # an object of the same component, nearer to the one that leads it
    nodes = list(range(n))  # the node of the component that an object leads
    parents, merging = [-1] * n, []
    for begin in range(0, len(left), max(n, _BLOCK)):
        components = _flatten(leaders)
        leaders = components.tolist()
        block = slice(begin, begin + max(n, _BLOCK))
        ends = components[left[block]], components[right[block]]
        apart = np.flatnonzero(ends[0] != ends[1])
        pairs = (begin + apart).tolist()
        for pair, a, b in zip(pairs, *(end[apart].tolist() for end in ends), strict=True):
            while leaders[a] != a:
                leaders[a] = a = leaders[leaders[a]]
            while leaders[b] != b:
                leaders[b] = b = leaders[leaders[b]]
            if a != b:
                parents[nodes[a]] = parents[nodes[b]] = len(parents)
                leaders[b], nodes[a] = a, len(parents)
                parents.append(-1)
                merging.append(pair)
        if len(merging) == n - 1:
            break
    return np.array(parents), np.array(merging, dtype=np.int64)


def _flatten(leaders: list[int]) -> Integers:
    """Return the object that leads the component of each object."""
    components = np.array(leaders)
    while not np.array_equal(above := components[components], components):
        components = above
    return components
