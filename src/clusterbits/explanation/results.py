r"""Where the bits go, cluster by cluster and class by class, and what to do about them.

q0 is a sum over clusters: cluster k pays for its labels, and for its column of the table,

.. math:: Q_0 = \frac1n \sum_k \Bigl[ \sum_c h(c,k) \log \frac{h(k)}{h(c,k)} + f(h(k)) \Bigr].

Its terms are the parts of each cluster. Read by class, the labels cost class c its own terms
h(c,k) log(h(k)/h(c,k)); the column of a cluster is paid for by its objects in equal shares, so
that class c pays h(c,k)/h(k) of it. Either way the parts add up to q0: all are in q0's own unit,
bits per object of the whole table.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from numbers import Integral
from typing import Any, Literal, NamedTuple, get_args

import numpy as np
from numpy.typing import NDArray

from clusterbits.core.arguments import LabelOptions, as_table
from clusterbits.core.combinatorics import BITS_PER_NAT, FloatArray, log2_choose, surprise
from clusterbits.core.excerpt import largest_cells
from clusterbits.core.table import Contingency
from clusterbits.display.tables import html_table, rows_to_frame, short, text_table
from clusterbits.errors import MeasureError, check_choice
from clusterbits.explanation.merging import Merging
from clusterbits.explanation.overlap import SparseColumns, summed
from clusterbits.measures.extremes import checked_n_classes

# What `to_dicts` and `to_frame` can be asked for.
PartName = Literal["clusters", "classes", "merges", "splits", "scattered", "confused", "path"]
PARTS: tuple[PartName, ...] = get_args(PartName)
Kind = Literal["pure", "fragment", "mixed", "noise-like"]

# From this share on a cluster stands for its largest class.
NEARLY_PURE = 0.9
# Rows of each list in a printed explanation.
_SHOWN = 5
# Savings and costs below this are rounding.
_NOTHING = 1e-12


class ClusterBits(NamedTuple):
    """What one cluster costs, and what it is.

    Attributes
    ----------
    cluster : label
        Its name.
    size : int or float
        h(k), its objects.
    majority : label
        Its largest class.
    purity : float
        The share of its objects that are of that class.
    label_bits, table_bits : float
        Its parts of q0: for its labels, for its column.
    bits : float
        Their sum.
    bits_per_object : float
        What one of its own objects costs.
    share : float
        Its part of q0, from 0 to 1.
    kind : "pure", "fragment", "mixed" or "noise-like"
        See `explain`.
    """

    cluster: Any
    size: int | float
    majority: Any
    purity: float
    label_bits: float
    table_bits: float
    bits: float
    bits_per_object: float
    share: float
    kind: Kind


class ClassBits(NamedTuple):
    """What one class costs, and how far it is scattered.

    Attributes
    ----------
    name : label
        The class.
    size : int or float
        h(c), its objects.
    clusters : int
        Clusters that hold some of it.
    largest : label
        The cluster that holds most of it.
    recall : float
        The share of it in that cluster.
    scatter : float
        H(K|c), the bits that name the cluster of one of its objects; 2 to that power is the
        number of equal clusters it might as well lie in.
    label_bits, table_bits, bits, bits_per_object, share : float
        As for clusters; it pays for a column by its share of the cluster.
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
    """Two clusters, and how much lower q0 is once they are one (higher, where negative)."""

    clusters: tuple[Any, Any]
    bits_saved: float


class Split(NamedTuple):
    """A cluster, how many classes it would be split into, and how much that would lower q0."""

    cluster: Any
    classes: int
    bits_saved: float


class Confusion(NamedTuple):
    """Two classes, and the part of q0 that telling them apart within clusters costs."""

    classes: tuple[Any, Any]
    bits: float


class PathStep(NamedTuple):
    """A point of the merge path: how many clusters are left, q0 there, and what was merged.

    `merged` is the pair of clusters; a merged one goes by the name of its larger part. It is None
    at the start, and where a round merged many pairs at once.
    """

    clusters: int
    q0: float
    merged: tuple[Any, Any] | None


@dataclass(frozen=True, repr=False, eq=False)
class Explanation:
    """q0 taken apart, and what would lower it. Made by `explain`.

    All bits are in q0's unit, bits per object of the whole table, so that parts add up to q0 and
    what a change saves is the difference of two values of q0.

    Attributes
    ----------
    q0, label_bits, table_bits : float
        The whole and its two parts.
    n : int or float
        Number of objects.
    clusters : tuple of ClusterBits
        The part of each cluster, in the order of the table.
    classes : tuple of ClassBits
        The part of each class, in the order of the table.
    merges : tuple of Merge
        The merges that save most bits, best first; negative ones cost bits.
    merges_proven : bool
        Whether no other merge saves more. False on tables so large and so entangled that only
        likely pairs were tried.
    splits : tuple of Split
        The clusters that cost most beyond their classes kept apart.
    scattered : tuple of ClassBits
        The classes that lie in most clusters, by `scatter`.
    confused : tuple of Confusion
        The classes that cost most bits to tell apart.
    confused_proven : bool
        As `merges_proven`.
    path : tuple of PathStep
        The merge path: the first step is the clustering itself, and each next one follows the
        best merge, down to one cluster. Very large tables merge many pairs at once in their
        first steps, and stop where no likely pair saves bits.
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
    path: tuple[PathStep, ...]

    @property
    def best_step(self) -> PathStep:
        """The step of the path with the lowest q0."""
        return min(self.path, key=lambda step: step.q0)

    @property
    def over_split(self) -> int:
        """How many clusters fewer the path has where q0 is lowest."""
        return len(self.clusters) - self.best_step.clusters

    @property
    def kinds(self) -> dict[Kind, int]:
        """How many clusters of each kind there are."""
        order: tuple[Kind, ...] = ("pure", "fragment", "mixed", "noise-like")
        return {kind: sum(part.kind == kind for part in self.clusters) for kind in order}

    @property
    def costliest(self) -> tuple[ClusterBits, ...]:
        """The clusters, costliest first."""
        return tuple(sorted(self.clusters, key=lambda part: -part.bits))

    def advice(self) -> list[str]:
        """Return what to do next, in sentences: merge, split, look at."""
        return list(_advice(self))

    def to_dicts(self, part: str = "clusters") -> list[dict[str, Any]]:
        """Return one dictionary per cluster, or per entry of another part.

        Parts are "clusters", "classes", "merges", "splits", "scattered", "confused" and "path".
        The two of a pair, which is merged or confused, are called "first" and "second".
        """
        check_choice("part", part, PARTS)
        return [_flat(row) for row in getattr(self, part)]

    def to_frame(self, part: str = "clusters") -> Any:
        """Return the rows of `to_dicts` as a pandas or polars frame (what is installed)."""
        return rows_to_frame(self.to_dicts(part), _columns(part))

    @property
    def title(self) -> str:
        """One line: q0 and its two parts."""
        return (
            f"q0 = {self.q0:.4f} bits per object: {self.label_bits:.4f} for the labels, "
            f"{self.table_bits:.4f} for the table"
        )

    def _shown(self) -> list[dict[str, Any]]:
        return readable(map(_flat, self.costliest[:_SHOWN]))

    def __repr__(self) -> str:
        """Return the title, the costliest clusters and what to do next."""
        return "\n".join([self.title, text_table(self._shown()), *self.advice()])

    def _repr_html_(self) -> str:
        """Return the same for notebooks."""
        from html import escape

        lines = "".join(f"<li>{escape(line)}</li>" for line in self.advice())
        return f"<p>{escape(self.title)}</p>{html_table(self._shown())}<ul>{lines}</ul>"


# The rows of each part, and which of their fields hold a pair.
_ROWS: dict[str, type[Any]] = {
    "clusters": ClusterBits,
    "classes": ClassBits,
    "merges": Merge,
    "splits": Split,
    "scattered": ClassBits,
    "confused": Confusion,
    "path": PathStep,
}
_PAIRS: dict[type[Any], str] = {Merge: "clusters", Confusion: "classes", PathStep: "merged"}


def _columns(part: str) -> list[str]:
    pair = _PAIRS.get(_ROWS[part])
    names = [("first", "second") if name == pair else (name,) for name in _ROWS[part]._fields]
    return [name for some in names for name in some]


def _flat(row: Any) -> dict[str, Any]:
    """Return a row as a dictionary, a pair in two columns."""
    pair = _PAIRS.get(type(row))
    flat: dict[str, Any] = {}
    for name, value in row._asdict().items():
        if name == pair:
            flat["first"], flat["second"] = value or (None, None)
        else:
            flat[name] = value
    return flat


def readable(rows: Iterable[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return rows for people: labels that are text are cut where long, and seen where blank."""
    return [
        {key: short(value) if isinstance(value, str) else value for key, value in row.items()}
        for row in rows
    ]


def explain(
    truth: Any,
    pred: Any = None,
    *,
    top: int = 10,
    n_classes: int | None = None,
    **label_options: Any,
) -> Explanation:
    """Say where the bits of a clustering go, and what would save some.

    Parameters
    ----------
    truth : Contingency, or 1-D sequence of labels
        A table; or the classes, with the clusters in `pred`.
    pred : 1-D sequence of labels, optional
        The clusters.
    top : int, default 10
        The length of each list of advice: merges, splits, scattered and confused classes.
    n_classes : int, optional
        Number of classes that could have occurred; by default those that did. As for `q0`.
    **label_options
        As in `Contingency.from_labels`.

    Returns
    -------
    Explanation

    Notes
    -----
    A cluster is

    - *noise-like* where it holds several classes and its own column does not pay: coding its
      labels by the classes' overall frequencies would cost no more. Either its classes are
      distributed as the whole, or it has too few objects to tell;
    - *mixed* where its largest class has less than 90 % of it;
    - *fragment* where its largest class has 90 % or more of it, but is the largest of other
      clusters too, and at most half of the class is here;
    - *pure* otherwise: it stands for its class.

    Examples
    --------
    >>> import clusterbits as cb
    >>> table = cb.Contingency.from_counts(
    ...     [[30, 28, 0, 1], [0, 1, 40, 2]], classes=["cat", "dog"], clusters=["a", "b", "c", "d"])
    >>> why = cb.explain(table)
    >>> [part.kind for part in why.clusters]
    ['pure', 'fragment', 'pure', 'noise-like']
    >>> why.merges[0].clusters, round(why.merges[0].bits_saved, 4)
    (('a', 'b'), 0.0286)
    >>> [(step.clusters, round(step.q0, 4)) for step in why.path]
    [(4, 0.2573), (3, 0.2287), (2, 0.2503), (1, 1.0477)]
    """
    if not isinstance(top, Integral) or isinstance(top, bool) or top < 1:
        raise MeasureError(f"top={top!r}: the length of the lists, a whole number above zero.")
    table = as_table(truth, pred, LabelOptions(**label_options))
    return _explained(table, int(top), checked_n_classes(n_classes, table.shape[0]))


def _explained(table: Contingency, top: int, n_classes: int) -> Explanation:
    parts = _Parts(table, n_classes)
    clusters, classes = parts.clusters(), parts.classes()
    label_bits = math.fsum(parts.cluster_labels.tolist())
    table_bits = math.fsum(parts.cluster_columns.tolist())
    columns = SparseColumns.of(table)
    merging = Merging(columns, n_classes)
    merges, merges_proven = merging.best(top) if table.shape[1] > 1 else ([], True)
    names, n = table.clusters, float(table.n)
    path = [PathStep(table.shape[1], label_bits + table_bits, None)]
    for step in merging.path():
        merged = step.merged and (names[step.merged[0]], names[step.merged[1]])
        path.append(PathStep(step.clusters, path[-1].q0 - step.bits_saved / n, merged))
    confused, confused_proven = _confused(table, parts, top)
    return Explanation(
        q0=label_bits + table_bits,
        label_bits=label_bits,
        table_bits=table_bits,
        n=table.n,
        clusters=clusters,
        classes=classes,
        merges=tuple(Merge((names[m.first], names[m.second]), m.bits / n) for m in merges),
        merges_proven=merges_proven,
        splits=parts.splits(top),
        scattered=tuple(
            sorted((part for part in classes if part.clusters > 1), key=lambda c: -c.scatter)[:top]
        ),
        confused=confused,
        confused_proven=confused_proven,
        path=tuple(path),
    )


class _Parts:
    """The parts of q0 by cell, cluster and class: bits per object of the whole table."""

    def __init__(self, table: Contingency, n_classes: int) -> None:
        self.table = table
        self.n = float(table.n)
        self.counts = table.counts.astype(np.float64)
        self.class_sizes = table.class_sizes.astype(np.float64)
        self.cluster_sizes = table.cluster_sizes.astype(np.float64)
        nats = surprise(table.counts, table.cluster_sizes[table.columns])
        self.cell_labels = nats * (BITS_PER_NAT / self.n)
        self.cluster_labels = self.by_cluster(self.cell_labels)
        self.cluster_columns = log2_choose(self.cluster_sizes, n_classes - 1) / self.n
        self.n_classes = n_classes

    def by_cluster(self, values: FloatArray) -> FloatArray:
        return summed(self.table.columns, values, self.table.shape[1])

    def by_class(self, values: FloatArray) -> FloatArray:
        return summed(self.table.rows, values, self.table.shape[0])

    def largest(self, group: NDArray[np.intp]) -> NDArray[np.intp]:
        return largest_cells(group, self.counts, np.arange(len(self.counts)))

    def clusters(self) -> tuple[ClusterBits, ...]:
        largest = self.largest(self.table.columns)
        majority = self.table.rows[largest]
        purity = self.counts[largest] / self.cluster_sizes
        bits = self.cluster_labels + self.cluster_columns
        columns = (
            self.table.clusters,
            self.table.cluster_sizes.tolist(),
            self.table.class_names[majority].tolist(),
            purity.tolist(),
            self.cluster_labels.tolist(),
            self.cluster_columns.tolist(),
            *_costs(bits, self.cluster_sizes, self.n),
            self._kinds(majority, purity, largest),
        )
        return tuple(map(ClusterBits._make, zip(*columns, strict=True)))

    def _kinds(
        self, majority: NDArray[np.intp], purity: FloatArray, largest: NDArray[np.intp]
    ) -> list[str]:
        overall = surprise(self.table.class_sizes, np.asarray(self.table.n)) / self.class_sizes
        by_overall = self.by_cluster(self.counts * overall[self.table.rows])
        own = (self.cluster_labels + self.cluster_columns) * self.n
        several = np.bincount(self.table.columns, minlength=len(purity)) > 1
        leads_others = np.bincount(majority, minlength=self.table.shape[0])[majority] > 1
        half = self.counts[largest] <= self.class_sizes[majority] / 2
        kinds = np.select(
            [
                several & (by_overall * BITS_PER_NAT <= own),
                purity < NEARLY_PURE,
                leads_others & half,
            ],
            ["noise-like", "mixed", "fragment"],
            "pure",
        )
        return list(kinds.tolist())

    def classes(self) -> tuple[ClassBits, ...]:
        largest = self.largest(self.table.rows)
        labels = self.by_class(self.cell_labels)
        share = self.counts / self.cluster_sizes[self.table.columns]
        columns_bits = self.by_class(share * self.cluster_columns[self.table.columns])
        scatter = self.by_class(
            surprise(self.table.counts, self.table.class_sizes[self.table.rows]) * BITS_PER_NAT
        )
        columns = (
            self.table.classes,
            self.table.class_sizes.tolist(),
            np.bincount(self.table.rows).tolist(),
            self.table.cluster_names[self.table.columns[largest]].tolist(),
            (self.counts[largest] / self.class_sizes).tolist(),
            (scatter / self.class_sizes).tolist(),
            labels.tolist(),
            columns_bits.tolist(),
            *_costs(labels + columns_bits, self.class_sizes, self.n),
        )
        return tuple(map(ClassBits._make, zip(*columns, strict=True)))

    def splits(self, top: int) -> tuple[Split, ...]:
        """Return the clusters of several classes whose split by class saves most.

        It never costs: a column and the labels it explains are dearer than the classes' own.
        """
        pieces = np.bincount(self.table.columns)
        apart = self.by_cluster(log2_choose(self.counts, self.n_classes - 1)) / self.n
        saved = np.where(pieces > 1, self.cluster_labels + self.cluster_columns - apart, -np.inf)
        order = np.argsort(-saved, kind="stable")[:top]
        return tuple(
            Split(self.table.clusters[k], int(pieces[k]), float(saved[k]))
            for k in order[np.isfinite(saved[order])]
        )


def _confused(table: Contingency, parts: _Parts, top: int) -> tuple[tuple[Confusion, ...], bool]:
    """Return the pairs of classes that would save most label bits if they were one."""
    if table.shape[0] < 2:
        return (), True
    classes = SparseColumns.of(table.transpose())
    label_bits = parts.by_class(parts.cell_labels) * parts.n
    first, second, proven = classes.best_pairs(
        top,
        base=lambda i, j: np.zeros(np.broadcast(i, j).shape),
        # Of its two classes alone a cluster has more to tell apart than of these among others.
        reach=lambda i, j: label_bits[i] + label_bits[j],
        key=label_bits,
    )
    bits = classes.overlap(first, second) / parts.n
    names = table.classes
    found = (
        Confusion((names[i], names[j]), float(b))
        for i, j, b in zip(first, second, bits, strict=True)
        if b > 0
    )
    return tuple(sorted(found, key=lambda pair: -pair.bits)), proven


def _costs(bits: FloatArray, sizes: FloatArray, n: float) -> Iterable[list[float]]:
    """Return bits, bits per own object, and shares of the total."""
    total = math.fsum(bits.tolist())
    shares = bits / total if total else np.zeros_like(bits)
    return bits.tolist(), (bits / sizes * n).tolist(), shares.tolist()


def _apart(merges: Iterable[Merge]) -> list[Merge]:
    """Return merges that save bits and can all be made: each of clusters that no other takes.

    What they save adds up, because q0 is a sum over clusters.
    """
    taken: set[Any] = set()
    chosen = []
    for merge in merges:
        if merge.bits_saved > _NOTHING and taken.isdisjoint(merge.clusters):
            taken.update(merge.clusters)
            chosen.append(merge)
    return chosen


def _advice(why: Explanation) -> Iterable[str]:
    kinds = ", ".join(f"{count:,} {kind}" for kind, count in why.kinds.items() if count)
    yield f"{len(why.clusters):,} clusters: {kinds}."
    if why.merges and why.merges[0].bits_saved > _NOTHING:
        some = "; ".join(
            f"{short(a)} with {short(b)} (saves {saved:.4g})"
            for (a, b), saved in _apart(why.merges)[:_SHOWN]
        )
        yield f"Merge {some}." + ("" if why.merges_proven else " (Best of the likely pairs.)")
    elif why.merges:
        (a, b), saved = why.merges[0]
        pair = f"{short(a)} with {short(b)}"
        cost = f"would cost {-saved:.4g}" if saved < -_NOTHING else "costs nothing"
        yield f"No merge saves bits; the cheapest, {pair}, {cost}."
    if why.over_split > 0:
        yield (
            f"Merged greedily, {why.best_step.clusters:,} clusters have the fewest bits, "
            f"{why.best_step.q0:.4f} instead of {why.q0:.4f}: {why.over_split:,} too many."
        )
    if why.splits:
        some = "; ".join(f"{short(s.cluster)} ({s.bits_saved:.4g})" for s in why.splits[:_SHOWN])
        yield f"Splitting by class would save most in {some}."
    if why.scattered:
        some = "; ".join(
            f"{short(c.name)} (over {2**c.scatter:.1f} clusters)" for c in why.scattered[:_SHOWN]
        )
        yield f"Most scattered: {some}."
    if why.confused:
        some = "; ".join(
            f"{short(a)} and {short(b)} ({bits:.4g})" for (a, b), bits in why.confused[:_SHOWN]
        )
        yield f"Most confused: {some}."
