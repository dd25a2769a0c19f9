"""What became of each old cluster, and where each new one comes from: by majority.

An old cluster *goes to* the new one that has more than half of its shared objects, and a new one
*comes from* the old one that more than half of its own were in. Each has at most one such cluster,
without an assignment, a threshold or an order.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from clusterbits.changes.clusterings import Clustering
from clusterbits.system.immutable import read_only
from clusterbits.table.contingency import Contingency
from clusterbits.table.label_names import as_names
from clusterbits.text.results import ColumnResult

Words = tuple[str, str, str, str, str, str]
# Words by code. A fate and an origin of one code are the same, read backwards.
FATES = ("unchanged", "continued", "merged", "split", "dissolved", "gone")
ORIGINS = ("unchanged", "continued", "split off", "merged", "mixed", "born")
UNCHANGED, CONTINUED, FOLLOWS, PARTED, SCATTERED, ALONE = range(6)
# The names of the columns.
_HEADINGS = {
    FATES: ("cluster", "fate", "goes_to", "share", "parts", "size", "left"),
    ORIGINS: ("cluster", "origin", "comes_from", "share", "parts", "size", "arrived"),
}
# Rows of the printed table.
_SHOWN = 12
# The code of noise, which is no cluster.
NO_CLUSTER = -1


@dataclass(frozen=True, eq=False, repr=False)
class Clusters(ColumnResult):
    """The clusters of one night and what became of them, or where they come from; largest first.

    Kept as arrays; `to_dicts`, `to_frame` and iteration make rows. These have the columns
    ``cluster``; ``fate`` (of old clusters) or ``origin``; ``goes_to`` or ``comes_from``, None if no
    cluster has a majority of its objects; ``share``, the largest share of its shared objects in one
    cluster; ``parts``, over how many clusters they are spread; ``size``; and ``left`` or
    ``arrived``, how many of its objects the other night does not have.

    Attributes
    ----------
    names : ndarray
        Their names: those of the table's rows (or columns) in its order, then those of clusters
        without a shared object.
    codes : ndarray of int8
        The position of each one's fate in `words`; -1 for noise, which has none.
    targets : ndarray of int
        The position in `target_names` of the cluster that has the majority; -1 if none has.
    shares : ndarray of float
        The largest share of the shared objects in one cluster; nan without a shared object.
    parts : ndarray of int
        The number of clusters that shared objects are in.
    sizes : ndarray
        The number of objects, or the sum of their weights; of those that left or arrived, too.
    away : ndarray of int
        The number of objects that left or arrived.
    words : tuple of str
        The words for the codes.
    """

    names: NDArray[Any]
    codes: NDArray[np.int8]
    targets: NDArray[np.intp]
    target_names: NDArray[Any]
    shares: NDArray[np.float64]
    parts: NDArray[np.intp]
    sizes: NDArray[Any]
    away: NDArray[np.int64]
    words: Words

    @property
    def order(self) -> NDArray[np.intp]:
        """The positions of the clusters, the largest first, without noise."""
        clusters = np.flatnonzero(self.codes != NO_CLUSTER)
        return clusters[np.argsort(-self.sizes[clusters], kind="stable")]

    @property
    def columns(self) -> dict[str, NDArray[Any]]:
        """The columns by name."""
        return self.columns_at(self.order)

    def columns_at(self, positions: NDArray[np.intp]) -> dict[str, NDArray[Any]]:
        """Return the columns of the clusters at these positions."""
        targets = self.targets[positions]
        goals = as_names([None] * len(positions))
        goals[targets >= 0] = self.target_names[targets[targets >= 0]]
        fates = np.array(self.words, dtype=object)[self.codes[positions]]
        columns = (
            self.names[positions],
            fates,
            goals,
            self.shares[positions],
            self.parts[positions],
            self.sizes[positions],
            self.away[positions],
        )
        return dict(zip(_HEADINGS[self.words], columns, strict=True))

    def rows_at(self, positions: NDArray[np.intp]) -> list[dict[str, Any]]:
        """Return the rows of the clusters at these positions, a share that is not there as None."""
        columns = self.columns_at(positions)
        shares = columns["share"].astype(object)
        shares[np.isnan(columns["share"])] = None
        columns["share"] = shares
        lists = [values.tolist() for values in columns.values()]
        return [dict(zip(columns, row, strict=True)) for row in zip(*lists, strict=True)]

    def to_dicts(self) -> list[dict[str, Any]]:
        """Return the rows, one dictionary each."""
        return self.rows_at(self.order)

    def _shown(self) -> list[dict[str, Any]]:
        return self.rows_at(self.order[:_SHOWN])

    def __len__(self) -> int:
        """Return the number of clusters."""
        return int(np.count_nonzero(self.codes != NO_CLUSTER))

    @property
    def counts(self) -> dict[str, int]:
        """The number of clusters of each fate or origin that occurs."""
        counts = np.bincount(self.codes[self.codes != NO_CLUSTER], minlength=len(self.words))
        return {word: n for word, n in zip(self.words, counts.tolist(), strict=True) if n}

    @property
    def changed(self) -> NDArray[np.intp]:
        """The positions of the clusters that changed, the largest first."""
        order = self.order
        return np.asarray(order[self.codes[order] != UNCHANGED])

    @property
    def title(self) -> str:
        """The number of clusters of each fate or origin."""
        return ", ".join(f"{n:,} {word}" for word, n in self.counts.items())


def find_fates(old: Clustering, new: Clustering, counts: NDArray[Any]) -> tuple[Clusters, Clusters]:
    """Return the old clusters with their fates, and the new ones with their origins."""
    goes_to = _find_majorities(old, new, counts)
    comes_from = _find_majorities(new, old, counts)
    same = _are_same(old, new)
    return (
        _as_clusters(old, new, counts, goes_to, comes_from, same, FATES),
        _as_clusters(new, old, counts, comes_from, goes_to, same, ORIGINS),
    )


def _find_majorities(own: Clustering, other: Clustering, counts: NDArray[Any]) -> NDArray[np.intp]:
    """Return the other cluster that has more than half of each cluster's objects; else -1."""
    clusters = ~(own.noise[own.of_cells] | other.noise[other.of_cells])
    majority = clusters & (counts > own.shared[own.of_cells] - counts)
    targets = np.full(len(own.names), -1)
    targets[own.of_cells[majority]] = other.of_cells[majority]
    return targets


def _are_same(old: Clustering, new: Clustering) -> NDArray[np.bool_]:
    """Return the cells whose two clusters have the same objects, none of which came or went."""
    rows, columns = old.of_cells, new.of_cells
    same = (old.parts[rows] == 1) & (new.parts[columns] == 1)
    same &= old.complete[rows] & new.complete[columns]
    return np.asarray(same & ~(old.noise[rows] | new.noise[columns]))


def _as_clusters(
    own: Clustering,
    other: Clustering,
    counts: NDArray[Any],
    targets: NDArray[np.intp],
    sources: NDArray[np.intp],
    same: NDArray[np.bool_],
    words: Words,
) -> Clusters:
    """Return the clusters of one clustering with their fates.

    `targets` are the clusters that they go to; `sources` those that each cluster of the other one
    comes from.
    """
    follows = targets >= 0
    codes = np.full(len(targets), SCATTERED, dtype=np.int8)
    codes[sources[sources >= 0]] = PARTED
    codes[follows] = FOLLOWS
    codes[follows & (sources[targets] == np.arange(len(targets)))] = CONTINUED
    codes[own.of_cells[same]] = UNCHANGED
    codes[own.parts == 0] = ALONE
    codes[own.noise] = NO_CLUSTER
    return Clusters(
        read_only(own.names),
        read_only(codes),
        read_only(targets),
        read_only(other.names),
        read_only(own.largest_shares(counts)),
        read_only(own.parts),
        read_only(own.sizes),
        read_only(own.away),
        words,
    )


def find_staying(table: Contingency, old: Clusters, new: Clusters) -> NDArray[np.bool_]:
    """Return the cells whose objects keep the name of their cluster, or are noise in both."""
    staying = old.targets[table.rows] == table.columns
    staying &= new.targets[table.columns] == table.rows
    noise = (old.codes[table.rows] == NO_CLUSTER) & (new.codes[table.columns] == NO_CLUSTER)
    return np.asarray(staying | noise)
