"""The explanation of a clustering, and the rows it consists of."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from html import escape
from typing import Any, Literal, NamedTuple, get_args

from clusterbits.errors import LabelError, check_choice
from clusterbits.explanation.advice import describe_clusters, list_actions, list_remarks
from clusterbits.reading.forms import read_labels
from clusterbits.reading.kept_labels import rename_objects
from clusterbits.table.label_names import NoiseSingleton
from clusterbits.text.results import Result
from clusterbits.text.tables import percent, rows_to_frame, short

# Rows of the printed table.
_SHOWN = 5

Kind = Literal["pure", "fragment", "mixed", "noise-like"]


class ClusterBits(NamedTuple):
    """The bits of one cluster, and what kind it is.

    Attributes
    ----------
    cluster : label
        Its name.
    size : int or float
        h(k), its objects.
    kind : "pure", "fragment", "mixed" or "noise-like"
        See `explain`.
    majority : label
        Its largest class.
    purity : float
        The share of that class in it.
    label_bits, table_bits, bits : float
        Its part of q0 for its labels, for its column, and their sum.
    bits_per_object : float
        The bits per object of the cluster.
    share : float
        Its share of q0, from 0 to 1.
    """

    cluster: Any
    size: int | float
    kind: Kind
    majority: Any
    purity: float
    label_bits: float
    table_bits: float
    bits: float
    bits_per_object: float
    share: float


class ClassBits(NamedTuple):
    """The bits of one class, and how far it is scattered.

    Attributes
    ----------
    name : label
        The class.
    size : int or float
        h(c), its objects.
    clusters : int
        The number of clusters that hold some of it.
    largest : label
        The cluster that holds most of it.
    recall : float
        The share of it in that cluster.
    scatter : float
        H(K|c), the entropy of its clusters in bits; 2 to that power is the effective number of
        clusters it lies in.
    label_bits, table_bits, bits, bits_per_object, share : float
        As for clusters. It pays for a column in proportion to its share of the cluster.
    """

    name: Any
    size: int | float
    clusters: int
    largest: Any
    recall: float
    scatter: float
    label_bits: float
    table_bits: float
    bits: float
    bits_per_object: float
    share: float


class Merge(NamedTuple):
    """Two clusters, and the bits that merging them saves: how much it lowers q0."""

    first: Any
    second: Any
    bits_saved: float


class Split(NamedTuple):
    """A cluster, the number of its classes, and the bits that splitting it by class saves."""

    cluster: Any
    classes: int
    bits_saved: float


class Confusion(NamedTuple):
    """Two classes, and the bits of q0 spent on telling them apart within clusters."""

    first: Any
    second: Any
    bits: float


class FalseMerge(NamedTuple):
    """A class in a cluster with a larger one: true objects that were merged.

    Attributes
    ----------
    cluster : label
        The cluster.
    first, second : label
        Its largest class, and the one that does not belong there.
    objects : int or float
        The objects of the second class in the cluster.
    pairs : int or float
        The wrong pairs they form with the larger classes of the cluster.
    bits : float
        Their part of H(C|K), `vi_merge`, in bits per object of the whole table.
    """

    cluster: Any
    first: Any
    second: Any
    objects: int | float
    pairs: int | float
    bits: float


class FalseSplit(NamedTuple):
    """A piece of a class in another cluster than its largest piece: a true object that was split.

    Attributes
    ----------
    name : label
        The class.
    first, second : label
        The cluster that holds most of it, and the one that holds this piece.
    objects : int or float
        The objects of the class in the second cluster.
    pairs : int or float
        The pairs with its larger pieces that are torn apart.
    bits : float
        Their part of H(K|C), `vi_split`, in bits per object of the whole table.
    """

    name: Any
    first: Any
    second: Any
    objects: int | float
    pairs: int | float
    bits: float


class PathStep(NamedTuple):
    """A step of the merge path: the clusters left, q0 with them, and the two that were merged.

    A merged cluster keeps the name of its larger part, the `first`. Both are None at the start, and
    if many pairs were merged at once.
    """

    clusters: int
    q0: float
    first: Any = None
    second: Any = None


# What `to_dicts` and `to_frame` can be asked for, and the rows of each part.
PartName = Literal[
    "clusters", "classes", "merges", "splits", "scattered",
    "confused", "false_merges", "false_splits", "path",
]  # fmt: skip
PARTS: dict[PartName, type[Any]] = {
    "clusters": ClusterBits,
    "classes": ClassBits,
    "merges": Merge,
    "splits": Split,
    "scattered": ClassBits,
    "confused": Confusion,
    "false_merges": FalseMerge,
    "false_splits": FalseSplit,
    "path": PathStep,
}


@dataclass(frozen=True, eq=False, repr=False)
class Explanation(Result):
    """Where the bits of q0 go, and what would save some. Made by `explain`.

    All bits are in q0's unit, bits per object of the whole table: the parts add up to q0, and what
    a change saves is the difference of two values of q0.

    Attributes
    ----------
    q0, label_bits, table_bits : float
        The whole, and its parts for the labels and for the table.
    n : int or float
        Number of objects.
    clusters : tuple of ClusterBits
        The part of each cluster, in the order of the table.
    classes : tuple of ClassBits
        The part of each class, in the order of the table.
    merges : tuple of Merge
        The merges that save most bits, best first; negative savings are costs.
    merges_proven, confused_proven : bool
        Whether no other merge saves more, and no other two classes cost more. False only on some
        very large tables, of which only pairs of the largest clusters, and of the classes with most
        label bits, are tried.
    splits : tuple of Split
        The clusters that save most bits when split by class.
    scattered : tuple of ClassBits
        The classes with the highest `scatter`.
    confused : tuple of Confusion
        The classes that cost most bits to tell apart.
    false_merges : tuple of FalseMerge
        The classes that cost most by being in a cluster with a larger one. All of them add up to
        `vi_merge` in bits, and to a10 in pairs.
    false_splits : tuple of FalseSplit
        The pieces of classes that cost most by not being with the largest piece. All of them add
        up to `vi_split` in bits, and to a01 in pairs.
    path : tuple of PathStep
        The merge path: the clustering itself, then the best merge at each step, down to one
        cluster. Very large tables first merge many pairs at once, and stop if hardly any likely
        pair saves bits.
    merged_names : tuple of labels
        The name of each cluster after the merges of the path down to its lowest q0, in the order
        of `clusters`: that of the largest cluster in its merged set, on ties the first.
    noise : str
        A line on the label -1 if it is counted as a cluster; else empty.
    """

    q0: float
    label_bits: float
    table_bits: float
    n: int | float
    clusters: tuple[ClusterBits, ...]
    classes: tuple[ClassBits, ...]
    merges: tuple[Merge, ...]
    merges_proven: bool
    splits: tuple[Split, ...]
    scattered: tuple[ClassBits, ...]
    confused: tuple[Confusion, ...]
    confused_proven: bool
    false_merges: tuple[FalseMerge, ...]
    false_splits: tuple[FalseSplit, ...]
    path: tuple[PathStep, ...]
    merged_names: tuple[Any, ...]
    noise: str = ""

    @property
    def best_step(self) -> PathStep:
        """The step of the path with the lowest q0."""
        return min(self.path, key=lambda step: step.q0)

    @property
    def drawn_path(self) -> tuple[PathStep, ...]:
        """The steps worth drawing: from the clustering itself to past the fewest bits.

        Merging on to a single cluster costs so much more that it would flatten all the rest.
        """
        best = self.best_step
        before = max(step.q0 for step in self.path if step.clusters >= best.clusters)
        after = max(step.q0 for step in self.path if step.clusters >= best.clusters // 2)
        top = max(before, min(after, best.q0 + max(2 * (before - best.q0), 0.25 * best.q0)))
        return tuple(s for s in self.path if s.clusters >= best.clusters or s.q0 <= top)

    @property
    def over_split(self) -> int:
        """The number of clusters that the path merges away until q0 is lowest."""
        return len(self.clusters) - self.best_step.clusters

    @property
    def kinds(self) -> dict[Kind, int]:
        """The number of clusters of each kind."""
        kinds = [part.kind for part in self.clusters]
        return {kind: kinds.count(kind) for kind in get_args(Kind)}

    @property
    def costliest(self) -> tuple[ClusterBits, ...]:
        """The clusters, costliest first."""
        return tuple(sorted(self.clusters, key=lambda part: -part.bits))

    def describe_part(self, shown: int, part: str = "clusters") -> str:
        """Return a line on the share of q0 in the rows shown, or on the pairs that were tried.

        It is "" if all are shown, or were tried.
        """
        if part == "merges" and not self.merges_proven:
            return "Only merges of the largest clusters were tried."
        if part == "confused" and not self.confused_proven:
            return "Only pairs of the classes with most label bits were tried."
        if part not in ("clusters", "classes"):
            return ""
        shares = sorted((row.share for row in getattr(self, part)), reverse=True)
        if shown >= len(shares):
            return ""
        share = percent(math.fsum(shares[:shown]), 1)
        return f"The costliest {shown} of {len(shares):,} {part} have {share} of q0."

    def advice(self) -> list[str]:
        """Return sentences: the kinds of clusters, actions with their savings, and remarks."""
        actions = (
            f"{words}: saves {'at most ' if at_most else ''}{saves:.3g} bits per object."
            for words, saves, at_most in list_actions(self)
        )
        overview = f"{describe_clusters(self.kinds)}."
        return [*filter(None, [overview, self.noise]), *actions, *list_remarks(self)]

    def merged(self, pred: Any) -> Any:
        """Return the labels after the merges that are advised: the path down to its lowest q0.

        A merged set has the name of its largest cluster, on ties the first in the order of the
        table. Labels that are no cluster, such as missing labels and noise that was dropped, stay.
        So ``q0(truth, merged)`` with the options of `explain` is ``best_step.q0``, with one
        exception: noise singletons, and unmatched objects that form a class, are not relabeled, and
        q0 is higher if the path merges such objects.

        Parameters
        ----------
        pred : labeling
            The labels that were explained, in any form that `explain` takes.

        Returns
        -------
        ndarray, or dict of ids to labels if `pred` has ids

        Examples
        --------
        >>> import clusterbits as cb
        >>> truth, pred = [0, 0, 0, 0, 1, 1], [7, 7, 7, 8, 9, 9]
        >>> why = cb.explain(truth, pred)
        >>> why.merged(pred)
        array([7, 7, 7, 7, 9, 9])
        >>> round(cb.q0(truth, why.merged(pred)), 6), round(why.best_step.q0, 6)
        (0.651148, 0.651148)
        """
        labels = read_labels(pred, "pred")
        names = {name: name for name in labels.named()[1].tolist()}
        for part, name in zip(self.clusters, self.merged_names, strict=True):
            if part.cluster not in names and not is_unnamed(part.cluster):
                raise LabelError(
                    f"pred has no cluster {short(repr(part.cluster))}, which the explanation has: "
                    "pass the labels that were explained."
                )
            names[part.cluster] = name
        return rename_objects(labels, names)

    def to_dicts(self, part: PartName = "clusters") -> list[dict[str, Any]]:
        """Return one dictionary per cluster, or per entry of another part.

        Parts are "clusters", "classes", "merges", "splits", "scattered", "confused",
        "false_merges", "false_splits" and "path".
        """
        check_choice("part", part, tuple(PARTS))
        return [row._asdict() for row in getattr(self, part)]

    def to_frame(self, part: PartName = "clusters") -> Any:
        """Return the rows of `to_dicts` as a pandas or polars DataFrame (what is installed)."""
        return rows_to_frame(self.to_dicts(part), name_columns(part))

    @property
    def title(self) -> str:
        """One line: q0 and its two parts."""
        return (
            f"q0 = {self.q0:.4f} bits per object: {self.label_bits:.4f} for the labels, "
            f"{self.table_bits:.4f} for the table"
        )

    def _shown(self) -> list[dict[str, Any]]:
        return readable(row._asdict() for row in self.costliest[:_SHOWN])

    def __repr__(self) -> str:
        """Return the title, the costliest clusters and the advice."""
        return "\n".join([super().__repr__(), *self._below()])

    def _repr_html_(self) -> str:
        """Return the title, the costliest clusters and the advice as HTML."""
        lines = "".join(f"<li>{escape(line)}</li>" for line in self._below())
        return f"{super()._repr_html_()}<ul>{lines}</ul>"

    def _below(self) -> list[str]:
        """Return the lines below the rows: their share of q0, and the advice."""
        return [*filter(None, [self.describe_part(_SHOWN)]), *self.advice()]


def is_unnamed(cluster: Any) -> bool:
    """Whether a cluster is no label of its objects: a noise singleton, or that of no label."""
    return cluster is None or isinstance(cluster, NoiseSingleton)


def name_columns(part: PartName) -> list[str]:
    """Return the names of the columns of a part, which may have no rows."""
    return list(PARTS[part]._fields)


def readable(rows: Iterable[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return rows for people, without the column `share`: long text is cut, blank text quoted."""
    return [
        {
            name: short(value) if isinstance(value, str) else value
            for name, value in row.items()
            if name != "share"
        }
        for row in rows
    ]
