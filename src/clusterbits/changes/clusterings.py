"""The clusters of one clustering, with the objects that are in the table and those that are not."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from clusterbits.labels.labeling import UNMATCHED
from clusterbits.labels.tally import Tally
from clusterbits.reading.old_and_new import NEW, OLD, OldAndNew
from clusterbits.table.label_names import NoiseSingleton, as_names


class Clustering(NamedTuple):
    """The clusters of one clustering: those of the table in its order, then the others.

    Attributes
    ----------
    names : ndarray
        Their names.
    of_cells : ndarray of int
        The cluster of each cell of the table.
    parts : ndarray of int
        The number of cells of each cluster.
    shared, sizes : ndarray
        The shared objects of each, and all of them; or the sums of their weights.
    away : ndarray of int
        How many objects of each the other clustering does not have.
    complete : ndarray of bool
        Whether all objects of a cluster are in the table.
    noise : ndarray of bool
        Which are noise, and no clusters.
    """

    names: NDArray[Any]
    of_cells: NDArray[np.intp]
    parts: NDArray[np.intp]
    shared: NDArray[Any]
    sizes: NDArray[Any]
    away: NDArray[np.int64]
    complete: NDArray[np.bool_]
    noise: NDArray[np.bool_]

    def largest_shares(self, counts: NDArray[Any]) -> NDArray[np.float64]:
        """Return the largest share of each cluster's objects in one cell; nan without a cell."""
        largest = np.zeros_like(self.shared)
        np.maximum.at(largest, self.of_cells, counts)
        with np.errstate(invalid="ignore"):
            return np.asarray(largest / self.shared)


def find_clustering(
    read: OldAndNew,
    kept: NDArray[Any] | None,
    run: str,
    of_cells: NDArray[np.intp],
    sizes: NDArray[Any],
    names: NDArray[Any],
) -> Clustering:
    """Return a clustering from its clusters in the table, and from the rows that were not kept."""
    n = len(names)
    noise = np.zeros(n, dtype=np.bool_)
    if read.policy.noise == "singletons":
        noise[:] = [isinstance(name, NoiseSingleton) for name in names.tolist()]
    excluded = None if kept is None else _find_excluded(read.tally, run, kept)
    if excluded is None:
        away = np.zeros(n, dtype=np.int64)
        parts = np.bincount(of_cells, minlength=n)
        return Clustering(names, of_cells, parts, sizes, sizes, away, np.ones(n, np.bool_), noise)
    places, lonely = _place(excluded.names, names)
    if read.policy.noise is not None:
        noise = np.append(noise, [*map(read.policy.is_noise, lonely)]).astype(np.bool_)
    else:
        noise = np.append(noise, np.zeros(len(lonely), dtype=np.bool_))
    shared = np.append(sizes, np.zeros(len(lonely), dtype=sizes.dtype))
    all_sizes, away = shared.copy(), np.zeros(len(shared), dtype=np.int64)
    all_sizes[places] += excluded.sizes.astype(sizes.dtype)
    away[places] = excluded.away
    complete = np.ones(len(shared), dtype=np.bool_)
    complete[places] = False
    every_name = as_names([*names.tolist(), *lonely]) if lonely else names
    parts = np.bincount(of_cells, minlength=len(shared))
    return Clustering(every_name, of_cells, parts, shared, all_sizes, away, complete, noise)


class _Excluded(NamedTuple):
    """The clusters of objects that are not in the table.

    Attributes
    ----------
    names : ndarray
        The clusters.
    sizes : ndarray of float
        The sum of the weights of these objects.
    away : ndarray of int
        The number of those that the other clustering does not have.
    """

    names: NDArray[Any]
    sizes: NDArray[Any]
    away: NDArray[np.int64]


def _find_excluded(tally: Tally, run: str, kept: NDArray[Any]) -> _Excluded | None:
    """Return the clusters of a run that objects outside the table are in, None without any."""
    labels = tally.runs[run]
    other = tally.runs[NEW if run == OLD else OLD]
    counted = np.zeros(len(labels), dtype=np.bool_)
    counted[kept] = True
    unmatched = labels.known & (other.status == UNMATCHED if other.status is not None else False)
    amounts = tally.counts.astype(np.float64)
    rows = (labels.known & ~counted & (amounts != 0)) | unmatched
    if not rows.any():
        return None
    positions, names = labels.subset(rows).named()
    objects = np.ones(len(labels)) if tally.objects is None else tally.objects
    sizes = np.bincount(positions, np.where(counted, 0.0, amounts)[rows])
    away = np.bincount(positions, (unmatched * objects)[rows])
    return _Excluded(names, sizes, away.astype(np.int64))


def _place(names: NDArray[Any], known: NDArray[Any]) -> tuple[NDArray[np.intp], list[Any]]:
    """Return the position of each name among the known ones, those of the others after them."""
    positions = {name: i for i, name in enumerate(known.tolist())}
    n_known, places, lonely = len(known), list[int](), list[Any]()
    for name in names.tolist():
        position = positions.get(name)
        if position is None:
            position = n_known + len(lonely)
            lonely.append(name)
        places.append(position)
    return np.array(places, dtype=np.intp), lonely
