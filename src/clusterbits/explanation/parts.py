r"""q0 taken apart by cluster and by class, and into single mistakes: false merges and false splits.

Let the classes of a cluster join it one after the other, largest first. When h objects join the m
that are there, m·h pairs come together that do not belong together, and naming the classes of
these objects takes

.. math:: \varphi(m, h) = m \log \frac{m+h}{m} + h \log \frac{m+h}{h}

bits more. So there is one false merge for every cell but the largest of a cluster, and these add
up: their pairs to a10, their bits to H(C|K). False splits are the same with classes and clusters
exchanged, and add up to a01 and H(K|C). Work grows with the cells, not with the pairs of them.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any

import numpy as np

from clusterbits.explanation.explained import ClassBits, ClusterBits, Confusion, Split
from clusterbits.explanation.overlap import Index, SparseColumns, shared_bits, summed
from clusterbits.table.contingency import Contingency
from clusterbits.table.excerpt import largest_cells
from clusterbits.table.log_factorials import BITS_PER_NAT, FloatArray, log2_choose, surprise

# From this purity on a cluster stands for its largest class.
NEARLY_PURE = 0.9


class Breakdown:
    """The parts of q0 by cell, cluster and class, in bits per object of the whole table."""

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
        """Return the sum of the cells' values for each cluster."""
        return summed(self.table.columns, values, self.table.shape[1])

    def by_class(self, values: FloatArray) -> FloatArray:
        """Return the sum of the cells' values for each class."""
        return summed(self.table.rows, values, self.table.shape[0])

    def _largest(self, group: Index) -> Index:
        return largest_cells(group, self.counts, np.arange(len(self.counts)))

    def clusters(self) -> tuple[ClusterBits, ...]:
        """Return one `ClusterBits` row per cluster."""
        largest = self._largest(self.table.columns)
        majority = self.table.rows[largest]
        purity = self.counts[largest] / self.cluster_sizes
        bits = self.cluster_labels + self.cluster_columns
        columns = (
            self.table.clusters,
            self.table.cluster_sizes.tolist(),
            self._kinds(majority, purity, largest),
            self.table.cells.classes[majority].tolist(),
            purity.tolist(),
            self.cluster_labels.tolist(),
            self.cluster_columns.tolist(),
            *_costs(bits, self.cluster_sizes, self.n),
        )
        return tuple(map(ClusterBits._make, zip(*columns, strict=True)))

    def _kinds(self, majority: Index, purity: FloatArray, largest: Index) -> list[str]:
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
        """Return one `ClassBits` row per class."""
        largest = self._largest(self.table.rows)
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
            self.table.cells.clusters[self.table.columns[largest]].tolist(),
            (self.counts[largest] / self.class_sizes).tolist(),
            (scatter / self.class_sizes).tolist(),
            labels.tolist(),
            columns_bits.tolist(),
            *_costs(labels + columns_bits, self.class_sizes, self.n),
        )
        return tuple(map(ClassBits._make, zip(*columns, strict=True)))

    def splits(self, top: int) -> tuple[Split, ...]:
        """Return the clusters that save most bits when split by class. A split never costs bits."""
        pieces = np.bincount(self.table.columns)
        apart = self.by_cluster(log2_choose(self.counts, self.n_classes - 1)) / self.n
        saved = np.where(pieces > 1, self.cluster_labels + self.cluster_columns - apart, -np.inf)
        order = np.argsort(-saved, kind="stable")[:top]
        return tuple(
            Split(self.table.clusters[k], int(pieces[k]), float(saved[k]))
            for k in order[np.isfinite(saved[order])]
        )

    def confused(self, top: int) -> tuple[tuple[Confusion, ...], bool]:
        """Return the pairs of classes that cost most to tell apart, and whether that is proven."""
        classes = SparseColumns.from_table(self.table.transpose())
        label_bits = self.by_class(self.cell_labels) * self.n

        def bounds(i: Index, j: Index) -> tuple[FloatArray, FloatArray]:
            # Telling two classes apart costs no more than telling each from all the others.
            return np.zeros(len(i)), label_bits[i] + label_bits[j]

        best = classes.best_pairs(top, bounds, label_bits)
        bits = classes.overlap(best.first, best.second) / self.n
        names = self.table.classes
        pairs = (
            Confusion(names[i], names[j], float(b))
            for i, j, b in zip(best.first, best.second, bits, strict=True)
        )
        return tuple(sorted(pairs, key=lambda pair: -pair.bits)), best.proven


def _costs(bits: FloatArray, sizes: FloatArray, n: float) -> Iterable[list[float]]:
    """Return bits, bits per object of its own, and shares of the total."""
    total = math.fsum(bits.tolist())
    shares = bits / total if total else np.zeros_like(bits)
    return bits.tolist(), (bits / sizes * n).tolist(), shares.tolist()


def costliest_cells(table: Contingency, top: int) -> Iterable[tuple[Any, ...]]:
    """Return the cells that cost most bits by joining their cluster, after its larger cells.

    Each has its cluster, the largest class there and its own; objects, wrong pairs and bits.
    """
    order = np.lexsort((-table.counts.astype(np.float64), table.columns))
    clusters, classes, counts = table.columns[order], table.rows[order], table.counts[order]
    first = np.flatnonzero(np.diff(clusters, prepend=-1))
    start = np.repeat(first, np.diff(first, append=len(clusters)))
    later = np.flatnonzero(start != np.arange(len(clusters)))
    before = np.cumsum(counts) - counts
    # At least the cell before: differences of sums of non-integer counts lose precision.
    larger = np.maximum(before[later] - before[start[later]], counts[later - 1])
    m, h = larger.astype(np.float64), counts[later].astype(np.float64)
    bits = shared_bits(m, h)
    best = np.argsort(-bits, kind="stable")[:top]
    cells = later[best]
    objects = counts[cells].tolist()
    # Non-integer tables have expectations over pairs: see `PairCounts`.
    scale = 1 if table.exact else 2 * table.pairs.total / table.n**2
    names = table.cells.classes
    return zip(
        table.cells.clusters[clusters[cells]].tolist(),
        names[classes[start[cells]]].tolist(),
        names[classes[cells]].tolist(),
        objects,
        [m * h * scale for m, h in zip(larger[best].tolist(), objects, strict=True)],
        (bits[best] / float(table.n)).tolist(),
        strict=True,
    )
