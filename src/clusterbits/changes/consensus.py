"""`consensus`: which runs agree, which clusters and objects are stable, and labels in between."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple, Unpack

import numpy as np
from numpy.typing import NDArray

from clusterbits.changes.consensus_labels import find_consensus
from clusterbits.changes.run_agreement import (
    ABSENT,
    IntArray,
    PairCells,
    RunCodes,
    code_runs,
    count_with_others,
    find_agreement,
    find_ami,
)
from clusterbits.labels.options import LabelPolicy, RunOptions, takes_labels
from clusterbits.system.progress import Progress
from clusterbits.table.label_names import Name
from clusterbits.table.numbering import inverse
from clusterbits.text.results import Keyed, RowsResult
from clusterbits.text.tables import counted, percent, short, show

# Clusters above are in nearly every run, those below not to be trusted (Hennig 2007).
STABLE, UNSTABLE = 0.85, 0.6


class Run(NamedTuple):
    """One run: its clusters, and how far it is from the others on average.

    `bits` is the variation of information, `ami` adjusted mutual information.
    """

    run: Name
    clusters: int
    bits: float
    ami: float


@dataclass(frozen=True, eq=False, repr=False)
class Runs(Keyed, RowsResult):
    """The runs of a consensus, in order: ``consensus.runs["leiden_1"].bits``."""

    rows: tuple[Run, ...]


class StableCluster(NamedTuple):
    """One cluster of a consensus: its name, its objects and its stability.

    Attributes
    ----------
    cluster : int
        0, 1, ..., as in the labels, the largest first.
    size : int
        The number of its objects.
    stability : float
        The mean over the runs but the nearest of the largest intersection over union of the cluster
        with a cluster of the run; nan if only one run has objects of it. The nearest run does not
        count, because the consensus is made of the runs, and of two is one of them. Above
        0.85 a cluster is stable; below 0.6 it is not to be trusted (Hennig 2007).
    """

    cluster: int
    size: int
    stability: float


@dataclass(frozen=True, eq=False, repr=False)
class Consensus(RowsResult):
    """The agreement of several runs: their medoid, their consensus, and what is stable.

    Rows are the clusters of the consensus.

    Attributes
    ----------
    medoid : str or number
        The run with the least mean variation of information to the others.
    runs : Runs
        The distance of each run to the others, in bits per object, and its AMI with them.
    bits : float
        The mean variation of information between the consensus and the runs, per object. Never
        more than that of the medoid, if all runs have all objects.
    labels : ndarray of int, or dict by id
        The consensus cluster of each object: 0, 1, ..., the largest first; -1 for an object that
        no run has a cluster for.
    stability : ndarray of float, or dict by id
        The mean over pairs of runs of the intersection over union of the two clusters of each
        object: 1 if it is with the same objects in all runs. nan if fewer than two runs have it.
    clusters : tuple of StableCluster
        The clusters of the consensus: their sizes and their stability.
    """

    medoid: Name
    runs: Runs
    bits: float
    labels: Any
    stability: Any
    clusters: tuple[StableCluster, ...]

    @property
    def rows(self) -> tuple[StableCluster, ...]:  # type: ignore[override]
        """The clusters."""
        return self.clusters

    @property
    def mean_stability(self) -> float:
        """The mean stability of the objects that two runs have."""
        by_id = isinstance(self.stability, Mapping)
        return float(np.nanmean([*self.stability.values()] if by_id else self.stability))

    @property
    def title(self) -> str:
        """The conclusion."""
        n_stable = sum(cluster.stability > STABLE for cluster in self.clusters)
        verb = "is" if 1 in (n_stable, len(self.clusters)) else "are"
        # `bits` is the mean over the others; the medoid itself is one of all.
        distance = self.runs[self.medoid].bits * (1 - 1 / len(self.runs))
        return (
            f"{n_stable} of {counted(len(self.clusters), 'cluster')} {verb} in nearly every run; "
            f"an object's clusters in two runs overlap by {percent(self.mean_stability, 0)} on "
            "average.\n"
            f"{counted(len(self.runs), 'run')}: the medoid {short(self.medoid)} is "
            f"{show(distance)} bits per object from all runs on average, the consensus "
            f"{show(self.bits)}."
        )


@takes_labels
def consensus(runs: Any, *, progress: Progress = None, **labels: Unpack[RunOptions]) -> Consensus:
    """Find which runs agree, which clusters and objects are stable, and the consensus of all runs.

    Parameters
    ----------
    runs : mapping, list, 2-D array or DataFrame
        Two or more labelings of the same objects, as for `pairwise`: different seeds, parameters or
        days.
    progress : bool or callable, optional
        By default a bar in terminals and notebooks; False for none; or a ``tqdm`` of your own.
    **labels
        How labels are read: see `LabelOptions`, for each run by itself: an object that a run lacks
        or that is noise there (``noise="drop"``) does not count in comparisons with that run.

    Returns
    -------
    Consensus
        Its labels have the least mean variation of information to all runs that moves of single
        objects find, from the most central runs as starts: eight, or fewer of large ones.

    See Also
    --------
    pairwise : one measure for all pairs of labelings.

    References
    ----------
    .. [1] S. Wade, Z. Ghahramani (2018). Bayesian cluster analysis: point estimation and credible
           balls. Bayesian Analysis 13. https://doi.org/10.1214/17-BA1073
    .. [2] C. Hennig (2007). Cluster-wise assessment of cluster stability. Computational Statistics
           & Data Analysis 52. https://doi.org/10.1016/j.csda.2006.11.025

    Examples
    --------
    >>> import clusterbits as cb
    >>> runs = {"a": [0, 0, 0, 1, 1, 1], "b": [5, 5, 5, 7, 7, 7], "c": [0, 0, 1, 1, 2, 2]}
    >>> result = cb.consensus(runs)
    >>> result.medoid, result.labels.tolist()
    ('a', [0, 0, 0, 1, 1, 1])
    """
    read = code_runs(runs, LabelPolicy(**labels))
    distances, stability = find_agreement(read, progress)
    n_others = len(read.names) - 1
    bits = distances.sum(axis=1) / n_others
    ami = (find_ami(read, distances).sum(axis=1) - 1) / n_others
    clusters = _by_size(read, find_consensus(read, np.argsort(bits, kind="stable"), progress))
    cells = count_with_others(clusters, read.codes, read.counts)
    rows = zip(read.names, read.n_clusters.tolist(), bits.tolist(), ami.tolist(), strict=True)
    return Consensus(
        medoid=read.names[int(np.argmin(bits))],
        runs=Runs(tuple(map(Run._make, rows))),
        bits=float(cells.distances(len(read.names)).mean()),
        labels=_by_object(read, clusters, ABSENT),
        stability=_by_object(read, stability, np.nan),
        clusters=_summarize_clusters(read, clusters, cells),
    )


def _by_size(runs: RunCodes, clusters: IntArray) -> IntArray:
    """Return the clusters numbered from the largest on."""
    order = np.argsort(-np.bincount(clusters, runs.counts), kind="stable")
    return inverse(order)[clusters]


def _by_object(runs: RunCodes, values: NDArray[Any], without: float) -> Any:
    """Return the values of label rows for each object: an array, or a dictionary by id."""
    values = np.append(values, without)[runs.rows]  # the last for objects without a row
    return values if runs.ids is None else dict(zip(runs.ids, values.tolist(), strict=True))


def _summarize_clusters(
    runs: RunCodes, clusters: IntArray, cells: PairCells
) -> tuple[StableCluster, ...]:
    """Return the clusters with their stability, from their cells with the runs."""
    sizes = np.bincount(clusters, runs.counts).astype(np.int64)
    overlaps = np.zeros((len(runs.names), len(sizes)))  # 0 if the run has no object of the cluster
    np.maximum.at(overlaps, (cells.pair, cells.cluster), cells.overlaps)
    n_others = np.count_nonzero(overlaps, axis=0) - 1
    of_others = overlaps.sum(axis=0) - overlaps.max(axis=0)
    stability = np.where(n_others > 0, of_others / np.maximum(n_others, 1), np.nan)
    rows = zip(range(len(sizes)), sizes.tolist(), stability.tolist(), strict=True)
    return tuple(map(StableCluster._make, rows))
