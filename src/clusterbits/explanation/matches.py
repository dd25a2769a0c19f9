"""`match`: which cluster is which class, by the best one-to-one match."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple, Unpack

import numpy as np
from numpy.typing import NDArray

from clusterbits.errors import MeasureError
from clusterbits.explanation.explained import readable
from clusterbits.labels.labeling import Labels
from clusterbits.labels.options import LabelOptions, LabelPolicy, takes_labels
from clusterbits.measures.assignment import assigned_cells
from clusterbits.reading.forms import read_labels
from clusterbits.reading.kept_labels import keep_labels, rename_objects
from clusterbits.table.contingency import Contingency, as_table
from clusterbits.table.label_names import NoiseSingleton, carry_names
from clusterbits.table.noise import describe_noise
from clusterbits.text.results import Keyed, RowsResult
from clusterbits.text.shortened import listed
from clusterbits.text.tables import counted, percent, short


class MatchedClass(NamedTuple):
    """A class and the cluster it is matched with.

    Attributes
    ----------
    name : label
        The class.
    cluster : label or None
        Its cluster; None, with 0 objects, if the class is unmatched.
    objects : int or float
        The objects that both have.
    precision : float
        Their share of the cluster; 0 if the class is unmatched.
    recall : float
        Their share of the class.
    f1 : float
        The harmonic mean of both.
    """

    name: Any
    cluster: Any
    objects: int | float
    precision: float
    recall: float
    f1: float


class Unmatched(NamedTuple):
    """The classes without a cluster, and the clusters without a class."""

    classes: tuple[Any, ...]
    clusters: tuple[Any, ...]


@dataclass(frozen=True, eq=False, repr=False)
class Match(Keyed, RowsResult):
    """Which cluster is which class: the one-to-one match with most objects. Made by `match`.

    By name it has the classes: ``match["cat"].cluster``.

    Attributes
    ----------
    table : Contingency
        The table that was matched.
    rows : tuple of MatchedClass
        For each class its cluster, the objects they share, precision, recall and F1.
    cells : ndarray of int
        The cells of the table that are matched, one for each matched class.
    labels : Labels or None
        The predictions; None if a table was given.
    class_names : sequence of labels
        The names of all classes of truth, those of excluded objects included.
    """

    table: Contingency
    rows: tuple[MatchedClass, ...]
    cells: NDArray[np.intp]
    labels: Labels | None = field(default=None, compare=False)
    class_names: tuple[Any, ...] = ()

    @property
    def pairs(self) -> dict[Any, Any]:
        """The class of each matched cluster, by the name of the cluster."""
        return {row.cluster: row.name for row in self.rows if row.objects}

    @property
    def unmatched(self) -> Unmatched:
        """The classes without a cluster, and the clusters without a class."""
        matched = self.pairs
        return Unmatched(
            tuple(row.name for row in self.rows if not row.objects),
            tuple(name for name in self.table.clusters if name not in matched),
        )

    @property
    def accuracy(self) -> float:
        """The share of objects in the cluster of their class: the measure `accuracy`."""
        return sum(row.objects for row in self.rows) / self.table.n

    @property
    def relabelled(self) -> Any:
        """The predictions in the names of the classes, as `relabel` gives them."""
        if self.labels is None:
            raise MeasureError("a table has no objects to relabel: match truth and pred.")
        return self.relabel(self.labels)

    def relabel(self, pred: Any) -> Any:
        """Return predictions in the names of the classes; unmatched clusters stay apart.

        Unmatched clusters get names that no class has. If all classes are integers, these are the
        integers after the largest of classes and clusters; else a cluster keeps its name, as text,
        with "(unmatched)" behind it if a class is called so. Clusters that `match` did not count,
        such as noise, keep their names, unless a class has it. Objects without a label have None,
        unless `match` let them be a cluster and matched it.

        Parameters
        ----------
        pred : labeling
            Any clusters with the same names, also of other objects.

        Returns
        -------
        ndarray, or dict of ids to labels if `pred` has ids
        """
        labels = read_labels(pred, "pred")
        names = self._name_clusters(labels.named()[1].tolist())
        return rename_objects(labels, names | {None: self.pairs.get(None)})

    def _name_clusters(self, clusters: list[Any]) -> dict[Any, Any]:
        """Return the class of each cluster, or a name that no class has."""
        counted_names = [
            name for name in self.table.clusters if not isinstance(name, NoiseSingleton)
        ]
        names = [] if self.labels is None else self.labels.named()[1].tolist()
        classes = {*self.table.classes, *self.class_names}
        # Clusters that were not counted keep their names.
        unchanged = {name: name for name in {*names} - {*counted_names} - classes}
        renamed = carry_names([*counted_names, *names], classes, unchanged | self.pairs)
        return carry_names(clusters, classes.union(renamed.values()), renamed)

    @property
    def title(self) -> str:
        """The accuracy, what is unmatched, and noise."""
        unmatched = [
            f"{counted(len(names), noun)} ({listed([*map(short, names)], noun)})"
            for names, noun in zip(self.unmatched, ("class", "cluster"), strict=True)
            if names
        ]
        rest = f"; unmatched: {', '.join(unmatched)}" if unmatched else ""
        line = f"{percent(self.accuracy, 1)} of the objects are in the cluster of their class{rest}"
        return "\n".join(filter(None, [line, describe_noise({"": self.table})]))

    def _shown(self) -> list[dict[str, Any]]:
        rows = self.to_dicts()
        for row in rows:
            if row["cluster"] is None and row["objects"]:  # matched with the cluster None
                row["cluster"] = "None"
        return readable(rows)

    def to_dicts(self) -> list[dict[str, Any]]:
        """Return one dictionary per class: its cluster, objects, precision, recall and F1."""
        names = ("class", *MatchedClass._fields[1:])
        return [dict(zip(names, row, strict=True)) for row in self.rows]


@takes_labels
def match(truth: Any, pred: Any = None, **labels: Unpack[LabelOptions]) -> Match:
    """Match clusters with classes one to one, so that most objects agree.

    It is the match behind `accuracy` (Hungarian method). A class and a cluster without a common
    object are not matched.

    Parameters
    ----------
    truth : Contingency, or labeling
        A table, or the classes of the objects.
    pred : labeling, optional
        The clusters of the objects, if `truth` is not a table.
    **labels
        How labels are read: see `LabelOptions`.

    Returns
    -------
    Match

    Examples
    --------
    >>> import clusterbits as cb
    >>> truth = ["cat", "cat", "cat", "dog", "dog", "dog"]
    >>> match = cb.match(truth, [1, 1, 0, 0, 0, 2])
    >>> match
    66.7 % of the objects are in the cluster of their class; unmatched: 1 cluster (2)
    class  cluster  objects  precision  recall      f1
    cat          1        2     1.0000  0.6667  0.8000
    dog          0        2     0.6667  0.6667  0.6667
    >>> match.relabelled.tolist()
    ['cat', 'cat', 'dog', 'dog', 'dog', '2']
    """
    if pred is None or isinstance(truth, Contingency):
        return _match_table(as_table(truth, pred, labels))
    classes, clusters = read_labels(truth, "truth"), read_labels(pred, "pred")
    matched = _match_table(Contingency.from_policy(classes, clusters, LabelPolicy(**labels)))
    class_names = tuple(classes.named()[1].tolist())
    return replace(matched, labels=keep_labels(clusters), class_names=class_names)


def _match_table(table: Contingency) -> Match:
    cells = assigned_cells(table, table.counts.astype(np.float64))
    rows = [MatchedClass(name, None, 0, 0.0, 0.0, 0.0) for name in table.classes]
    for cell in cells.tolist():
        row, column = int(table.rows[cell]), int(table.columns[cell])
        objects = table.counts[cell].item()
        class_size = table.class_sizes[row].item()
        cluster_size = table.cluster_sizes[column].item()
        rows[row] = MatchedClass(
            table.classes[row],
            table.clusters[column],
            objects,
            precision=objects / cluster_size,
            recall=objects / class_size,
            f1=2 * objects / (cluster_size + class_size),
        )
    return Match(table, tuple(rows), cells)
