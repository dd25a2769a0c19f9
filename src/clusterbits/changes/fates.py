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

from clusterbits.labels.labeling import MISSING, UNMATCHED
from clusterbits.labels.options import LabelPolicy
from clusterbits.labels.tally import Tally
from clusterbits.reading.old_and_new import NEW, OLD
from clusterbits.system.immutable import read_only
from clusterbits.table.contingency import Contingency
from clusterbits.table.label_names import NoiseSingleton, as_names
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
    """The old clusters and what became of them, or the new ones and their origin; largest first.

    Kept as arrays; `to_dicts`, `to_frame` and iteration make rows. These have the columns
    ``cluster``; ``fate`` (of old clusters) or ``origin``; ``goes_to`` or ``comes_from``, None if no
    cluster has a majority of its objects; ``share``, the largest share of its shared objects in one
    cluster; ``parts``, over how many clusters they are spread; ``size``; and ``left`` or
    ``arrived``, how many of its objects the other clustering does not have.

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
        The number of objects, those that left or arrived included; with weights, the sum of those
        of the shared objects.
    unmatched : ndarray of int
        The number of objects that left or arrived.
    words : tuple of str
        The words for the codes.
    labels : ndarray
        All labels of the clustering: also that of noise, and those without an object that counts.
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
    labels: NDArray[Any]

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
            self.unmatched[positions],
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
        return ", ".join(f"{n:,} {word}" for word, n in self.counts.items()) or "none"


def find_fates(
    table: Contingency, tally: Tally, counted: NDArray[Any] | None, policy: LabelPolicy
) -> tuple[Clusters, Clusters]:
    """Return the old clusters with their fates, and the new ones with their origins.

    `counted` are the rows of the tally that the table has; None if it has all.
    """
    cells = table.cells
    old = _find_clustering(table.rows, table.class_sizes, cells.classes)
    new = _find_clustering(table.columns, table.cluster_sizes, cells.clusters)
    if counted is not None:
        old = _add_uncounted(old, tally, counted, policy, OLD, NEW)
        new = _add_uncounted(new, tally, counted, policy, NEW, OLD)
    if policy.noise is not None:
        old, new = _mark_noise(old, policy), _mark_noise(new, policy)
    goes_to = _find_majorities(old, new, table.counts)
    comes_from = _find_majorities(new, old, table.counts)
    rows, columns = table.rows, table.columns
    same = (old.parts[rows] == 1) & (new.parts[columns] == 1)
    same &= old.complete[rows] & new.complete[columns] & ~(old.noise[rows] | new.noise[columns])
    return (
        _name_fates(old, new, table.counts, goes_to, comes_from, same, FATES),
        _name_fates(new, old, table.counts, comes_from, goes_to, same, ORIGINS),
    )


class _Clustering(NamedTuple):
    """The clusters of one clustering: those of the table in its order, then the others.

    `of_cells` is the cluster of each cell, `shared` are the objects of each in the table, and
    `complete` says whether these are all.
    """

    names: NDArray[Any]
    of_cells: NDArray[np.intp]
    shared: NDArray[Any]
    sizes: NDArray[Any]
    unmatched: NDArray[np.int64]
    complete: NDArray[np.bool_]
    noise: NDArray[np.bool_]
    labels: NDArray[Any]

    @property
    def parts(self) -> NDArray[np.intp]:
        """The number of cells of each cluster."""
        return np.bincount(self.of_cells, minlength=len(self.names))


def _find_clustering(
    of_cells: NDArray[np.intp], sizes: NDArray[Any], names: NDArray[Any]
) -> _Clustering:
    n = len(names)
    unmatched, noise = np.zeros(n, dtype=np.int64), np.zeros(n, dtype=np.bool_)
    return _Clustering(names, of_cells, sizes, sizes, unmatched, ~noise, noise, names)


def _add_uncounted(
    clustering: _Clustering,
    tally: Tally,
    counted: NDArray[Any],
    policy: LabelPolicy,
    run: str,
    other: str,
) -> _Clustering:
    """Return the clustering with the objects that the table or the other one does not have."""
    labels, other_status = tally.runs[run], tally.runs[other].status
    uncounted = np.ones(len(labels), dtype=np.bool_)
    uncounted[counted] = False
    unmatched = np.zeros_like(uncounted) if other_status is None else other_status == UNMATCHED
    amounts = tally.counts.astype(np.float64) * uncounted
    labelled = labels.known
    if policy.missing == "class" and labels.status is not None:
        labelled |= labels.status == MISSING
    rows = labelled & ((amounts != 0) | unmatched)
    codes, names = labels.subset(rows).with_none().named()
    known_names = dict.fromkeys([*clustering.names.tolist(), *names.tolist()])
    positions = {name: i for i, name in enumerate(known_names)}
    clusters = np.array([positions[name] for name in names.tolist()], dtype=np.intp)[codes]
    n, n_in_table = len(positions), len(clustering.names)
    shared = np.append(clustering.shared, np.zeros(n - n_in_table, clustering.shared.dtype))
    every_label = dict.fromkeys([*positions, *tally.runs[run].named()[1].tolist()])
    objects = unmatched if tally.objects is None else unmatched * tally.objects
    sizes = np.bincount(clusters, amounts[rows], n).astype(shared.dtype)
    return _Clustering(
        names=as_names(list(positions)) if n > n_in_table else clustering.names,
        of_cells=clustering.of_cells,
        shared=shared,
        sizes=shared + sizes,
        unmatched=np.bincount(clusters, objects[rows], n).astype(np.int64),
        complete=np.bincount(clusters, minlength=n) == 0,
        noise=np.zeros(n, dtype=np.bool_),
        labels=as_names([x for x in every_label if not isinstance(x, NoiseSingleton)]),
    )


def _mark_noise(clustering: _Clustering, policy: LabelPolicy) -> _Clustering:
    names = clustering.names.tolist()
    noise = [isinstance(name, NoiseSingleton) or policy.is_noise(name) for name in names]
    return clustering._replace(noise=np.array(noise, dtype=np.bool_))


def _find_majorities(
    own: _Clustering, other: _Clustering, counts: NDArray[Any]
) -> NDArray[np.intp]:
    """Return the other cluster that has more than half of each cluster's objects; else -1."""
    clusters = ~(own.noise[own.of_cells] | other.noise[other.of_cells])
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
    follows = targets >= 0
    codes = np.full(len(targets), SCATTERED, dtype=np.int8)
    codes[sources[sources >= 0]] = PARTED
    codes[follows] = FOLLOWS
    codes[follows & (sources[targets] == np.arange(len(targets)))] = CONTINUED
    codes[own.of_cells[same]] = UNCHANGED
    parts = own.parts
    codes[parts == 0] = ALONE
    codes[own.noise] = NO_CLUSTER
    largest = np.zeros_like(own.shared)
    np.maximum.at(largest, own.of_cells, counts)
    with np.errstate(invalid="ignore"):
        shares = largest / own.shared
    return Clusters(
        read_only(own.names),
        read_only(codes),
        read_only(targets),
        read_only(other.names),
        read_only(shares),
        read_only(parts),
        read_only(own.sizes),
        read_only(own.unmatched),
        words,
        read_only(own.labels),
    )


def find_staying(table: Contingency, old: Clusters, new: Clusters) -> NDArray[np.bool_]:
    """Return the cells whose objects keep their label: that of a cluster, of noise, or none."""
    staying = old.targets[table.rows] == table.columns
    staying &= new.targets[table.columns] == table.rows
    noise = old.codes == NO_CLUSTER, new.codes == NO_CLUSTER
    missing = _mask_missing(old.names), _mask_missing(new.names)
    for of_old, of_new in (noise, missing):  # which carry no name on, and no name becomes
        before, after = of_old[table.rows], of_new[table.columns]
        staying = np.where(before | after, before & after, staying)
    return np.asarray(staying)


def _mask_missing(names: NDArray[Any]) -> NDArray[np.bool_]:
    """Return the mask of the name of objects without a label, which are a cluster if asked for."""
    if names.dtype != object:
        return np.zeros(len(names), dtype=np.bool_)
    return np.array([name is None for name in names.tolist()], dtype=np.bool_)
