"""What became of each old cluster, and where each new one comes from: by majority.

An old cluster *goes to* the new one that has more than half of its shared objects, and a new one
*comes from* the old one that more than half of its own were in. Each has at most one such cluster,
without an assignment, a threshold or an order.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from clusterbits.labels.labeling import UNMATCHED
from clusterbits.labels.tally import Tally
from clusterbits.reading.old_and_new import NEW, OLD
from clusterbits.table.contingency import Contingency
from clusterbits.table.label_names import (
    NoiseSingleton,
    as_names,
    as_written,
    carry_names,
    name_order,
)
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
SHOWN = 12
# The code of what is no cluster: noise, missing labels, and labels without an object that counts.
NO_CLUSTER = -1


@dataclass(frozen=True, eq=False, repr=False)
class Clusters(ColumnResult):
    """The old clusters and what became of them, or the new ones and their origin; largest first.

    Kept as arrays; `to_dicts`, `to_frame` and iteration make rows. These have the columns
    ``cluster``; ``fate`` (of old clusters) or ``origin``; ``goes_to`` or ``comes_from``, None if no
    cluster has a majority of its objects; ``share``, the largest share of its shared objects in one
    cluster; ``parts``, over how many clusters they are spread; ``size``; and ``left`` or
    ``arrived``, how many of its objects the other clustering does not have.

    Attributes
    ----------
    names : ndarray
        All labels: those of the table's rows (or columns) in its order, then those without a shared
        object.
    codes : ndarray of int8
        The position of each one's fate in `words`; -1 for noise, for missing labels and for labels
        of no object that counts, which have none.
    targets : ndarray of int
        The position in `target_names` of the cluster that has the majority; -1 if none has.
    shares : ndarray of float
        The largest share of the shared objects in one cluster; 0 without a shared object.
    parts : ndarray of int
        The number of clusters that shared objects are in.
    sizes : ndarray
        The number of objects, those that left or arrived included; with weights, the sum of those
        of the shared objects.
    unmatched : ndarray of int
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
    unmatched: NDArray[np.int64]
    words: Words

    @property
    def order(self) -> NDArray[np.intp]:
        """The positions of the clusters, the largest first."""
        clusters = np.flatnonzero(self.codes != NO_CLUSTER)
        return clusters[np.argsort(-self.sizes[clusters], kind="stable")]

    @property
    def changed(self) -> NDArray[np.intp]:
        """The positions of the clusters that changed, the largest first."""
        order = self.order
        return np.asarray(order[self.codes[order] != UNCHANGED])

    @property
    def columns(self) -> dict[str, NDArray[Any]]:
        """The columns by name."""
        order = self.order
        targets = self.targets[order]
        target_names = as_names([None] * len(order))
        target_names[targets >= 0] = self.target_names[targets[targets >= 0]]
        columns = (
            self.names[order],
            as_names([*self.words])[self.codes[order]],
            target_names,
            self.shares[order],
            self.parts[order],
            self.sizes[order],
            self.unmatched[order],
        )
        return dict(zip(_HEADINGS[self.words], columns, strict=True))

    def largest_changed(self, n: int) -> list[dict[str, Any]]:
        """Return the rows of the n largest clusters that changed."""
        return self.rows_at(np.flatnonzero(self.codes[self.order] != UNCHANGED)[:n])

    def _shown(self) -> list[dict[str, Any]]:
        return self.rows_at(slice(SHOWN))

    def __len__(self) -> int:
        """Return the number of clusters."""
        return int(np.count_nonzero(self.codes != NO_CLUSTER))

    @property
    def counts(self) -> dict[str, int]:
        """The number of clusters of each fate or origin that occurs."""
        counts = np.bincount(self.codes[self.codes != NO_CLUSTER], minlength=len(self.words))
        return {word: n for word, n in zip(self.words, counts.tolist(), strict=True) if n}

    @property
    def title(self) -> str:
        """The number of clusters of each fate or origin."""
        return ", ".join(f"{n:,} {word}" for word, n in self.counts.items()) or "none"


class _Clustering(NamedTuple):
    """The labels of one clustering: those of the table in its order, then the others.

    `of_cells` is the label of each cell, `shared` are the objects of each in the table, and
    `complete` says whether these are all; `clusters` are the labels that are one.
    """

    names: NDArray[Any]
    of_cells: NDArray[np.intp]
    shared: NDArray[Any]
    sizes: NDArray[Any]
    unmatched: NDArray[np.int64]
    complete: NDArray[np.bool_]
    clusters: NDArray[np.bool_]


def find_fates(
    table: Contingency, tally: Tally, counted: NDArray[Any] | None, noise_label: Any
) -> tuple[Clusters, Clusters]:
    """Return the old clusters with their fates, and the new ones with their origins.

    `counted` are the rows of the tally that the table has; None if it has all.
    """

    def describe(
        names: NDArray[Any], of_cells: NDArray[np.intp], shared: NDArray[Any], runs: tuple[str, str]
    ) -> _Clustering:
        uncounted = unmatched = np.zeros(len(names), dtype=np.int64)
        if counted is not None:
            names, uncounted, unmatched = _count_others(names, tally, counted, *runs)
            shared = np.append(shared, np.zeros(len(names) - len(shared), shared.dtype))
        sizes = shared + uncounted.astype(shared.dtype)
        complete = (uncounted == 0) & (unmatched == 0)
        clusters = _mask_clusters(names, noise_label) & ((sizes != 0) | (unmatched != 0))
        return _Clustering(names, of_cells, shared, sizes, unmatched, complete, clusters)

    cells, rows, columns = table.cells, table.rows, table.columns
    old = describe(cells.classes, rows, table.class_sizes, (OLD, NEW))
    new = describe(cells.clusters, columns, table.cluster_sizes, (NEW, OLD))
    goes_to = _find_majorities(old, new, table.counts)
    comes_from = _find_majorities(new, old, table.counts)
    same = (np.bincount(rows)[rows] == 1) & (np.bincount(columns)[columns] == 1)
    same &= old.complete[rows] & new.complete[columns] & old.clusters[rows] & new.clusters[columns]
    return (
        _name_fates(old, new, table.counts, goes_to, comes_from, same, FATES),
        _name_fates(new, old, table.counts, comes_from, goes_to, same, ORIGINS),
    )


def _count_others(
    names: NDArray[Any], tally: Tally, counted: NDArray[Any], run: str, other: str
) -> tuple[NDArray[Any], NDArray[Any], NDArray[np.int64]]:
    """Return these names and all others of a run, and the objects of each that are not counted.

    The latter are their weights, and the number of those that the other run does not have.
    """
    codes, run_names = tally.runs[run].named()
    every_name = dict.fromkeys([*names.tolist(), *run_names.tolist()])
    positions = {name: i for i, name in enumerate(every_name)}
    n = len(positions)
    of_rows = np.array([*(positions[name] for name in run_names.tolist()), n])[codes]
    weights = tally.counts.astype(np.float64)
    weights[counted] = 0
    objects = np.ones(len(codes)) if tally.objects is None else tally.objects
    unmatched = objects * (tally.runs[other].status == UNMATCHED)
    uncounted = np.bincount(of_rows, weights, n + 1)[:n]
    of_names = np.bincount(of_rows, unmatched, n + 1)[:n].astype(np.int64)
    return as_names(list(every_name)), uncounted, of_names


def _mask_clusters(names: NDArray[Any], noise_label: Any) -> NDArray[np.bool_]:
    if noise_label is None and names.dtype != object:
        return np.ones(len(names), dtype=np.bool_)
    return np.array([_is_cluster(name, noise_label) for name in names.tolist()], dtype=np.bool_)


def _is_cluster(name: Any, noise_label: Any) -> bool:
    """Whether a label is that of a cluster: neither missing nor noise, if there is any."""
    if name is None or isinstance(name, NoiseSingleton):
        return False
    return noise_label is None or as_written(name) != as_written(noise_label)


def _find_majorities(
    own: _Clustering, other: _Clustering, counts: NDArray[Any]
) -> NDArray[np.intp]:
    """Return the other cluster that has more than half of each cluster's objects; else -1."""
    clusters = own.clusters[own.of_cells] & other.clusters[other.of_cells]
    majority = clusters & (counts > own.shared[own.of_cells] - counts)
    targets = np.full(len(own.names), -1)
    targets[own.of_cells[majority]] = other.of_cells[majority]
    return targets


def _name_fates(
    own: _Clustering,
    other: _Clustering,
    counts: NDArray[Any],
    targets: NDArray[np.intp],
    sources: NDArray[np.intp],
    same: NDArray[np.bool_],
    words: Words,
) -> Clusters:
    """Return the clusters of one clustering with their fates.

    `targets` are the clusters that they go to; `sources` those that each cluster of the other one
    comes from; `same` the cells of unchanged clusters.
    """
    parts = np.bincount(own.of_cells, minlength=len(targets))
    follows = targets >= 0
    codes = np.full(len(targets), SCATTERED, dtype=np.int8)
    codes[sources[sources >= 0]] = PARTED
    codes[follows] = FOLLOWS
    codes[follows & (sources[targets] == np.arange(len(targets)))] = CONTINUED
    codes[own.of_cells[same]] = UNCHANGED
    codes[parts == 0] = ALONE
    codes[~own.clusters] = NO_CLUSTER
    largest = np.zeros_like(own.shared)
    np.maximum.at(largest, own.of_cells, counts)
    shares = largest / np.where(parts > 0, own.shared, 1)
    return Clusters(
        own.names, codes, targets, other.names, shares, parts, own.sizes, own.unmatched, words
    )


def find_staying(table: Contingency, old: Clusters, new: Clusters) -> NDArray[np.bool_]:
    """Return the cells whose objects keep their label: that of a cluster, of noise, or none."""
    staying = old.targets[table.rows] == table.columns
    staying &= new.targets[table.columns] == table.rows
    # Noise and missing labels carry no name on: 1 and 2, and clusters are 0.
    old_kinds, new_kinds = (
        np.where(clusters.codes == NO_CLUSTER, 1 + (clusters.names == np.array(None)), 0)
        for clusters in (old, new)
    )
    alike = old_kinds[table.rows] == new_kinds[table.columns]
    return np.asarray(staying | (alike & (old_kinds[table.rows] > 0)))


def carry_cluster_names(old: Clusters, new: Clusters, noise_label: Any) -> dict[Any, Any]:
    """Return the name of each new label; noise and missing labels keep theirs."""
    kept = np.flatnonzero((new.codes != NO_CLUSTER) & (new.codes <= CONTINUED))
    sources = new.target_names[new.targets[kept]]
    # Also if no object is noise: tomorrow's may be.
    carried: dict[Any, Any] = {noise_label: noise_label, None: None}
    carried |= zip(new.names[kept].tolist(), sources.tolist(), strict=True)
    labels = [name for name in new.names.tolist() if not isinstance(name, NoiseSingleton)]
    carried |= {name: name for name in labels if not _is_cluster(name, noise_label)}
    taken = [name for name in old.names.tolist() if _is_cluster(name, noise_label)]
    ordered = [labels[i] for i in name_order(labels).tolist()]
    carried = carry_names(ordered, taken, carried, " (new)")
    return {name: carried[name] for name in ordered}
