"""Isolated labels: cell types that few batches have, and how well some cluster finds each."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, NamedTuple, Unpack

import numpy as np

from clusterbits.errors import MeasureError
from clusterbits.labels.options import LabelOptions, takes_labels
from clusterbits.labels.tally import GroupedTable
from clusterbits.reading.arguments import count_groups, find_request
from clusterbits.scoring.notes import describe_coverages
from clusterbits.table.contingency import Contingency
from clusterbits.table.excerpt import largest_cells
from clusterbits.table.label_names import Name
from clusterbits.text.results import Keyed, RowsResult
from clusterbits.text.tables import counted


class IsolatedLabel(NamedTuple):
    """A label of few batches: how many, its objects, and the cluster that finds it best."""

    label: Any
    batches: int
    objects: float
    clustering: Name
    cluster: Any
    f1: float


@dataclass(frozen=True, eq=False, repr=False)
class IsolatedLabels(Keyed, RowsResult):
    """How well the labels that few batches have are found; by label, ``isolated["platelet"]``.

    Attributes
    ----------
    f1 : float
        The mean over these labels of the best F1 of any cluster: 1 if each has a cluster of its
        own, nan if no label is isolated.
    rows : tuple of IsolatedLabel
        Each of these labels, the worst first, with the cluster that finds it best.
    iso_threshold : int
        The most batches that a label counted as isolated is in.
    coverages : list of str
        Lines on the clusterings that were scored on part of the objects.
    """

    f1: float
    rows: tuple[IsolatedLabel, ...]
    iso_threshold: int
    coverages: list[str]

    @property
    def title(self) -> str:
        """The mean, the isolated labels, and the exclusions."""
        batches = counted(self.iso_threshold, "batch")
        labels = counted(len(self.rows), "isolated label")
        mean = f"Mean F1 {self.f1:.4f} of {labels} (in at most {batches})."
        return "\n".join([mean if self.rows else "No label is isolated.", *self.coverages])


@takes_labels
def isolated_labels_f1(
    data: Any = None,
    /,
    pred: Any = None,
    groups: Any = None,
    *,
    truth: Any = None,
    iso_threshold: int | None = None,
    **labels: Unpack[LabelOptions],
) -> IsolatedLabels:
    r"""Isolated-label F1: how well clusters find the cell types of the fewest batches.

    .. math:: \frac{1}{|I|} \sum_{c \in I} \max_k \frac{2\, h(c,k)}{h(c) + h(k)}

    over the isolated labels :math:`I`. With several runs, such as a sweep over resolutions, each
    label takes the best cluster of any run. Choose it to see whether the integration of batches
    has kept the types that only some of them have. It says nothing of the other types, so it is no
    score of a whole clustering; and more runs can only raise it.

    Parameters
    ----------
    data : labels, dataframe or AnnData
        The cell types (which may be passed as ``truth`` instead), or what holds the columns that
        `truth`, `pred` and `groups` name.
    pred : labels, runs, or names of columns
        The clusters, as in `evaluate`.
    groups : labels, or name of a column
        The batch of each object.
    truth : labels, or name of a column
        The cell types.
    iso_threshold : int, optional
        Labels in at most this many batches are isolated; by default those in the fewest. A label
        in all batches never is: if every label is in every batch, the mean is nan.
    **labels
        How labels are read: see `LabelOptions`. With columns, `weights` names one.

    Returns
    -------
    IsolatedLabels
        With ``f1``, and each label with the cluster that finds it best.

    Notes
    -----
    As in scib, from version 1.1.6 on. Before it, scib averaged over all labels if every label is
    in every batch; ``iso_threshold`` above the number of batches still means all labels there.

    References
    ----------
    M. D. Luecken et al. (2022). Benchmarking atlas-level data integration in single-cell genomics.
    *Nature Methods* 19, 41-50. https://doi.org/10.1038/s41592-021-01336-8

    Examples
    --------
    >>> import clusterbits as cb
    >>> types = ["T", "T", "B", "B", "platelet", "platelet", "T", "B"]
    >>> clusters = [0, 0, 1, 1, 1, 2, 0, 1]
    >>> batches = ["a", "b", "a", "b", "b", "b", "b", "a"]
    >>> cb.isolated_labels_f1(types, clusters, batches)
    Mean F1 0.6667 of 1 isolated label (in at most 1 batch).
    label     batches  objects  clustering  cluster      f1
    platelet        1        2        pred        2  0.6667
    """
    if groups is None:
        raise MeasureError("pass groups, the batch of each object: labels, or a column's name.")
    runs = count_groups(find_request(data, truth, pred), groups, labels)
    batches = _count_batches(runs.values())
    n_batches = len(set().union(*(run.groups for run in runs.values())))
    threshold = min(batches.values()) if iso_threshold is None else iso_threshold
    threshold = min(threshold, n_batches - 1)
    isolated = {label: count for label, count in batches.items() if count <= threshold}
    best: dict[Any, IsolatedLabel] = {}
    for name, run in runs.items():
        for row in _best_clusters(name, run.table, isolated):
            if row.label not in best or row.f1 > best[row.label].f1:
                best[row.label] = row
    rows = sorted(best.values(), key=lambda row: row.f1)
    mean = float(np.mean([row.f1 for row in rows])) if rows else math.nan
    coverages = describe_coverages({name: run.table for name, run in runs.items()})
    return IsolatedLabels(mean, tuple(rows), threshold, coverages)


def _count_batches(runs: Iterable[GroupedTable]) -> dict[Any, int]:
    """Return the number of batches of each label."""
    batches: dict[Any, set[Any]] = {}
    for run in runs:
        cells, groups = run.counts.nonzero()
        for row, group in set(zip(run.table.rows[cells].tolist(), groups.tolist(), strict=True)):
            batches.setdefault(run.table.classes[row], set()).add(run.groups[group])
    return {label: len(names) for label, names in batches.items()}


def _best_clusters(
    name: Name, table: Contingency, isolated: dict[Any, int]
) -> Iterable[IsolatedLabel]:
    """Yield each isolated label with its best cluster in one table."""
    sizes = table.class_sizes[table.rows] + table.cluster_sizes[table.columns]
    f1 = np.asarray(2 * table.counts / sizes, dtype=float)
    best = largest_cells(table.rows, f1, np.arange(len(f1)))
    objects = table.class_sizes.tolist()
    for label, size, cell in zip(table.classes, objects, best.tolist(), strict=True):
        if label in isolated:
            cluster = table.clusters[table.columns[cell]]
            yield IsolatedLabel(label, isolated[label], size, name, cluster, float(f1[cell]))
