"""How much changed: distances of objects, their means, and the bits."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from clusterbits.labels.tally import GroupedTable
from clusterbits.system.immutable import read_only
from clusterbits.table.contingency import Contingency
from clusterbits.table.label_names import as_names
from clusterbits.table.margins import table_bits
from clusterbits.text.results import ColumnResult


@dataclass(frozen=True, eq=False, repr=False)
class GroupChanges(ColumnResult):
    """The rates of each group of objects: the means of the same distances over its objects.

    Attributes
    ----------
    names : ndarray
        The groups.
    objects : ndarray
        The number of shared objects, or the sum of their weights.
    split_rate, merge_rate, jaccard_distance, moved : ndarray of float
        As in `Changes`; `moved` is a share here.
    """

    names: NDArray[Any]
    objects: NDArray[Any]
    split_rate: NDArray[np.float64]
    merge_rate: NDArray[np.float64]
    jaccard_distance: NDArray[np.float64]
    moved: NDArray[np.float64]

    @property
    def columns(self) -> dict[str, NDArray[Any]]:
        """The columns by name."""
        return {
            "group": self.names,
            "objects": self.objects,
            "split_rate": self.split_rate,
            "merge_rate": self.merge_rate,
            "jaccard_distance": self.jaccard_distance,
            "moved": self.moved,
        }


def find_distances(table: Contingency) -> list[NDArray[np.float64]]:
    """Return the split, merge and Jaccard distance of the objects of each cell."""
    counts = table.counts
    old_sizes = table.class_sizes[table.rows]
    new_sizes = table.cluster_sizes[table.columns]
    return [1 - counts / sizes for sizes in (old_sizes, new_sizes, old_sizes + new_sizes - counts)]


def mean_distance(table: Contingency, distances: NDArray[np.float64]) -> float:
    """Return the mean of a distance over objects."""
    return float((table.counts * distances).sum() / table.n)


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
    grouped: GroupedTable, distances: list[NDArray[np.float64]], moved: NDArray[np.bool_]
) -> GroupChanges:
    """Return the mean distances of each group."""
    counts = grouped.counts.T
    objects = np.asarray(counts.sum(axis=1)).ravel()
    means = [read_only(counts @ values / objects) for values in (*distances, moved.astype(float))]
    return GroupChanges(read_only(as_names(grouped.groups)), read_only(objects), *means)
