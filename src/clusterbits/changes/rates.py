"""How much changed: distances of objects, their means, and the bits."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from clusterbits.labels.tally import GroupedTable
from clusterbits.table.contingency import Contingency
from clusterbits.table.margins import table_bits
from clusterbits.text.results import Keyed, RowsResult


class GroupChange(NamedTuple):
    """How much changed in one group: the means of the same distances over its objects.

    Attributes
    ----------
    group : label
        The group.
    objects : int or float
        The number of its shared objects, or the sum of their weights.
    split_rate, merge_rate, jaccard_distance, moved : float
        As in `Changes`; `moved` is a share here.
    """

    group: Any
    objects: int | float
    split_rate: float
    merge_rate: float
    jaccard_distance: float
    moved: float


@dataclass(frozen=True, eq=False, repr=False)
class GroupChanges(Keyed, RowsResult):
    """The rates of each group of objects: ``changes.groups["France"].split_rate``."""

    rows: tuple[GroupChange, ...]


def find_distances(table: Contingency) -> list[NDArray[np.float64]]:
    """Return the split, merge and Jaccard distance of the objects of each cell."""
    counts = table.counts
    old_sizes = table.class_sizes[table.rows]
    new_sizes = table.cluster_sizes[table.columns]
    return [1 - counts / sizes for sizes in (old_sizes, new_sizes, old_sizes + new_sizes - counts)]


def find_change_bits(table: Contingency) -> float:
    """Return how many bits more than the least the new clusters cost, told by the old ones.

    It is n q0 of new clusters as classes and old ones as clusters, less what it is if nothing
    changed. nan if the weights are so light that code lengths are not defined.
    """
    if table.is_perfect:
        return 0.0
    if not table.exact and table.transpose().too_light:
        return math.nan
    n_new = table.shape[1]
    columns = table_bits(table.class_sizes, n_new) - table_bits(table.cluster_sizes, n_new)
    return table.n * (table.cluster_entropy_given_class + columns)


def find_group_changes(
    grouped: GroupedTable, distances: list[NDArray[np.float64]], moving: NDArray[np.bool_]
) -> GroupChanges:
    """Return the mean distances of each group, and the share of its objects that moved."""
    counts = grouped.counts.T
    objects = np.asarray(counts.sum(axis=1)).ravel()
    means = [counts @ values / objects for values in (*distances, moving)]
    columns = [grouped.groups, *(values.tolist() for values in (objects, *means))]
    return GroupChanges(tuple(map(GroupChange._make, zip(*columns, strict=True))))
