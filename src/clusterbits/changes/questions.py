"""Pairs of objects to judge: drawn from what changed, so that few answers say whether it is good.

Pairs are drawn from strata of cells of the table, in each with replacement:

- *split*: of one old cluster and two new ones, with probability proportional to 1/h(b);
- *merge*: of two old clusters and one new one, proportional to 1/h(e);
- *kept*: of one cell, proportional to the difference of 1/h(b) and 1/h(e). It is 0 for unchanged
  clusters: nobody is asked about them.

Kept pairs whose cluster grew and those whose cluster shrank count with opposite signs, and are two
strata.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from clusterbits.errors import LabelError, MeasureError, check_integer
from clusterbits.labels.labeling import Labels
from clusterbits.table.contingency import Contingency
from clusterbits.table.label_names import as_names, as_written
from clusterbits.table.margins import sum_by_code
from clusterbits.table.numbering import pair_codes

# Questions of each stratum, at least.
_LEAST = 10
SPLIT, MERGE, SHRUNK, GREW = range(4)
# What the pairs of each stratum are called.
KINDS = ("split", "merge", "kept", "kept")


class Objects(NamedTuple):
    """Copies of the new labels of all objects, and of both labels of those in the table.

    `positions` are those of the latter among the former; None if they are all, in order.
    """

    labels: Labels
    old: Labels
    new: Labels
    positions: NDArray[np.int64] | None


class Pairs(NamedTuple):
    """Drawn pairs: the stratum of each, and the cell of both objects and their index within it."""

    strata: NDArray[np.intp]
    cells: NDArray[np.intp]
    indices: NDArray[np.int64]


def weigh_cells(table: Contingency) -> NDArray[np.float64]:
    """Return the weight of each cell's pairs in each stratum; their sums are n times the rates.

    For an ordered pair of two objects it is 1/h(b), 1/h(e), or the difference of both.
    """
    counts = table.counts.astype(np.float64)
    old_sizes = table.class_sizes[table.rows].astype(np.float64)
    new_sizes = table.cluster_sizes[table.columns].astype(np.float64)
    split = counts * (old_sizes - counts) / old_sizes
    merge = counts * (new_sizes - counts) / new_sizes
    kept = counts * (counts - 1) * ((old_sizes - new_sizes) / (old_sizes * new_sizes))
    return np.stack([split, merge, np.maximum(kept, 0), np.maximum(-kept, 0)])


def check_countable(table: Contingency) -> None:
    """Raise if objects have weights."""
    if table.weighted:
        raise MeasureError("pairs are judged one by one: objects with weights cannot be drawn.")


def number_by_text(clusters: Sequence[Any]) -> dict[str | None, int]:
    """Return the position of each cluster by its text, as answers may come from a file."""
    positions: dict[str | None, int] = {}
    for i, name in enumerate(clusters):
        other = positions.setdefault(as_written(name), i)
        if other != i:
            raise LabelError(
                f"clusters {clusters[other]!r} and {name!r} are written alike in answers: "
                "rename one of them."
            )
    return positions


def draw_pairs(table: Contingency, n: int, rng: Any) -> Pairs:
    """Draw n pairs of objects, in random order."""
    check_countable(table)
    for clusters in (table.classes, table.clusters):
        number_by_text(clusters)  # before anybody answers
    check_integer("n", n, 1)
    if not isinstance(rng, np.random.Generator | None):
        check_integer("rng", rng, 0)
    weights = weigh_cells(table)
    n_each = _allocate(n, weights.sum(axis=1))
    generator = np.random.default_rng(rng)
    drawn = [
        _draw_stratum(table, stratum, np.cumsum(weights[stratum]), n_pairs, generator)
        for stratum, n_pairs in enumerate(n_each.tolist())
        if n_pairs
    ]
    cells, indices = (np.concatenate(parts, axis=1) for parts in zip(*drawn, strict=True))
    strata = np.repeat(np.arange(len(KINDS)), n_each)
    order = generator.permutation(n)
    return Pairs(strata[order], cells[:, order], indices[:, order])


def _allocate(n: int, masses: NDArray[np.float64]) -> NDArray[np.int64]:
    """Return the number of pairs of each stratum, by its mass and at least a few."""
    present = masses > 0
    n_present = int(present.sum())
    if not n_present:
        raise MeasureError("nothing changed, so there is no pair to judge.")
    if n < n_present:
        raise MeasureError(f"n must be at least {n_present}, a pair of each kind, got {n}.")
    least = np.where(present, min(_LEAST, n // n_present), 0)
    wanted = (n - least.sum()) * masses / masses.sum()
    n_each = least + np.floor(wanted).astype(np.int64)
    rest = np.argsort(np.floor(wanted) - wanted, kind="stable")[: n - n_each.sum()]
    n_each[rest] += 1
    return np.asarray(n_each)


def _draw_stratum(
    table: Contingency,
    stratum: int,
    cumulated: NDArray[np.float64],
    n_pairs: int,
    rng: np.random.Generator,
) -> tuple[NDArray[Any], NDArray[Any]]:
    """Return cells and indices of both objects of pairs, by the cumulated weights of the cells.

    The second object is drawn from a group without a part of it: from the old or new cluster of
    the first one without its cell, or from the cell without the first one.
    """
    counts = table.counts
    groups = {SPLIT: table.rows, MERGE: table.columns}.get(stratum, np.arange(len(counts)))
    sizes = sum_by_code(groups, counts, int(groups.max()) + 1)
    # Objects are in the order of the groups, and in these of the cells.
    order = np.argsort(groups, kind="stable")
    ends = np.cumsum(counts[order])
    begins = np.empty_like(ends)
    begins[order] = ends - counts[order]
    cells = np.searchsorted(cumulated, rng.random(n_pairs) * cumulated[-1], side="right")
    first = begins[cells] + rng.integers(0, counts[cells])
    excluded, n_excluded = first, np.ones_like(first)
    if stratum in (SPLIT, MERGE):
        excluded, n_excluded = begins[cells], counts[cells]
    own_groups = groups[cells]
    second = rng.integers(0, sizes[own_groups] - n_excluded)
    second += (np.cumsum(sizes) - sizes)[own_groups]
    second += np.where(second >= excluded, n_excluded, 0)
    objects = np.stack([first, second])
    pair_cells = order[np.searchsorted(ends, objects, side="right")]
    return pair_cells, objects - begins[pair_cells]


def find_objects(objects: Objects, pairs: Pairs) -> NDArray[Any]:
    """Return the ids of both objects of each pair, or their positions among the new labels."""
    # Codes of both labels are in the order of the table, and so are those of their pairs.
    cells = pair_codes(objects.old.named()[0], objects.new.named()[0])
    begins = np.cumsum(np.bincount(cells)) - np.bincount(cells)
    positions = np.argsort(cells, kind="stable")[begins[pairs.cells] + pairs.indices]
    if objects.positions is not None:
        positions = objects.positions[positions]
    if (positions >= len(objects.labels)).any():
        raise MeasureError(
            "pairs are drawn from the objects that both clusterings have: pass unmatched='drop'."
        )
    ids = objects.labels.ids
    return positions if ids is None else np.asarray(as_names(ids.values)[positions])


def question_columns(table: Contingency, pairs: Pairs, ids: NDArray[Any]) -> dict[str, list[Any]]:
    """Return the questions: ids of both objects of each pair, their clusters, and no answer."""
    old_a, old_b = table.cells.classes[table.rows[pairs.cells]].tolist()
    new_a, new_b = table.cells.clusters[table.columns[pairs.cells]].tolist()
    kinds = [KINDS[stratum] for stratum in pairs.strata.tolist()]
    columns = (*ids.tolist(), kinds, old_a, old_b, new_a, new_b, [None] * len(kinds))
    names = ("a", "b", "kind", "old_a", "old_b", "new_a", "new_b", "together")
    return dict(zip(names, columns, strict=True))
