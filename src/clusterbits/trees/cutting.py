"""Every horizontal cut of a tree, scored in one pass."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Unpack

import numpy as np
from numpy.typing import NDArray

from clusterbits.errors import LabelError, MeasureError
from clusterbits.labels.options import TruthOptions, takes_labels
from clusterbits.measures.catalogue import ByMeasure, find_family, get_measure, parse_measures
from clusterbits.measures.code_length import no_clusters_bits
from clusterbits.measures.extremes import best_bits
from clusterbits.scoring.bits_over_clusters import BitsBar, BitsOverClusters
from clusterbits.scoring.evaluation import choose_measures
from clusterbits.table.contingency import Contingency
from clusterbits.table.log_factorials import FloatArray
from clusterbits.table.numbering import Integers
from clusterbits.text.results import ColumnResult, log_spaced
from clusterbits.text.tables import ExactValue, counted
from clusterbits.trees.merge_statistics import (
    CutStatistics,
    LeafClasses,
    MergeStatistics,
    read_merge_statistics,
)
from clusterbits.trees.tree import Tree

# The default measures; all are known at every cut.
CUT_MEASURES = (
    "q0",
    "conditional_entropy",
    "bits_saved",
    "share_saved",
    "q2",
    "mutual_information",
    "v_measure",
    "adjusted_rand",
    "fowlkes_mallows",
    "rand",
)
# Cuts per application of a formula: Python's integers need memory.
_BLOCK = 1 << 16
# Maximum number of cuts in a plot, and in a printed table.
_DRAWN, _PRINTED = 400, 12


@dataclass(frozen=True, eq=False, repr=False)
class Cuts(ByMeasure, ColumnResult):
    """Values of measures at horizontal cuts of a tree, as arrays.

    Attributes
    ----------
    tree : Tree
        The tree.
    classes : LeafClasses
        The classes of its leaves.
    clusters : ndarray of int
        The number of clusters of each cut, ascending, including clusters whose objects are all
        excluded.
    values : mapping of names to ndarray
        The values of each measure, one per cut.
    label_bits, table_bits : ndarray
        The two parts of q0.
    no_clusters : float
        Bits per object of the no-cluster baseline: one cluster or singletons, whichever is less.

    Examples
    --------
    >>> import clusterbits as cb
    >>> tree = cb.trees.Tree.from_children([[0, 1], [2, 3], [4, 5]])
    >>> cuts = cb.trees.cuts(["a", "a", "b", "b"], tree, ["q0", "ari"])
    >>> cuts.best_k("q0"), cuts["ari"].tolist()
    (2, [0.0, 1.0, 0.5714285714285714, 0.0])
    >>> cuts
    2 clusters cost the fewest bits: 0.7925 bits per object (1.0000 without clusters).
    clusters      q0  adjusted_rand
           1  1.5805         0.0000
           2  0.7925         1.0000
           3  0.8962         0.5714
           4  1.0000         0.0000
    """

    tree: Tree
    classes: LeafClasses
    clusters: Integers
    values: Mapping[str, FloatArray]
    label_bits: FloatArray
    table_bits: FloatArray
    no_clusters: float

    @property
    def measures(self) -> tuple[str, ...]:
        """Names of the measures, in order."""
        return tuple(self.values)

    @property
    def bits(self) -> FloatArray:
        """Bits per object of each cut: q0, even if it is not among the measures."""
        return self.label_bits + self.table_bits

    def _of(self, measure: str) -> FloatArray:
        """Return a measure's value at each cut."""
        return self.values[measure]

    def best_k(self, measure: str = "q0") -> int:
        """Return the number of clusters of the best cut by a measure; of ties, the fewest."""
        entry = get_measure(measure)
        values = self.bits if entry.name == "q0" else self[measure]
        worth = entry.scale.sign() * values
        return int(self.clusters[np.argmax(np.where(np.isnan(worth), -np.inf, worth))])

    def labels(self, k: int) -> Integers:
        """Return the cluster of each object in the cut into k clusters: 0, 1, ..."""
        return self.tree.labels(k)

    def table(self, k: int) -> Contingency:
        """Return the table of the cut into k clusters."""
        return self.classes.table(self.labels(k))

    @property
    def title(self) -> str:
        """The best cut, in bits."""
        among = "Of these cuts, " if len(self) < len(self.tree.cut_sizes) else ""
        verb = "costs" if self.best_k() == 1 else "cost"
        line = (
            f"{among}{self.name_best()} {verb} the fewest bits: {self.bits.min():.4f} bits per "
            f"object ({self.no_clusters:.4f} without clusters)."
        )
        return "\n".join(filter(None, [line, self.classes.coverage]))

    @property
    def columns(self) -> dict[str, NDArray[Any]]:
        """The columns by name: the number of clusters, the threshold if known, the measures."""
        thresholds = {} if self.thresholds is None else {"threshold": self.thresholds}
        return {"clusters": self.clusters, **thresholds, **self.values}

    @property
    def thresholds(self) -> FloatArray | None:
        """The similarity from which on pairs are joined in each cut, if the tree has any."""
        if self.tree.thresholds is None:
            return None
        return self.tree.thresholds[np.searchsorted(-self.tree.cut_sizes, -self.clusters)]

    def best_threshold(self, measure: str = "q0") -> float:
        """Return the threshold that a measure prefers; of ties, that with the fewest clusters."""
        if self.thresholds is None:
            raise LabelError("the tree has no thresholds: make it with Tree.from_edges.")
        return float(self.thresholds[self.clusters == self.best_k(measure)][0])

    def name_best(self, measure: str = "q0") -> str:
        """Return the clusters of the best cut by a measure, and its threshold if known, in words.

        >>> tree = Tree.from_edges([(0, 1)], [0.5], 2)
        >>> cuts([0, 0], tree).name_best()
        '1 cluster at the threshold 0.5'
        """
        clusters = counted(self.best_k(measure), "cluster")
        if self.thresholds is None:
            return clusters
        return f"{clusters} at the threshold {self.best_threshold(measure)!r}"

    def thinned(self, max_cuts: int, measure: str = "q0") -> Integers:
        """Return indices of at most so many cuts: the best, its neighbors, others log-spaced."""
        if len(self) <= max_cuts:
            return np.arange(len(self))
        best = int(np.searchsorted(self.clusters, self.best_k(measure)))
        near = np.clip([best - 1, best, best + 1], 0, len(self) - 1)
        return np.unique(np.concatenate([log_spaced(len(self), max_cuts - 3), near]))

    def printed_rows(self, measure: str = "q0") -> list[dict[str, Any]]:
        """Return some of the cuts, those near the best by a measure among them."""
        rows = self.rows_at(self.thinned(_PRINTED, measure))
        for row in rows if self.thresholds is not None else ():
            row["threshold"] = ExactValue(row["threshold"])
        return rows

    def _shown(self) -> list[dict[str, Any]]:
        return self.printed_rows()

    def bits_over_clusters(self) -> BitsOverClusters:
        """Return the bits of the cuts, thinned for a plot."""
        columns = self.clusters, self.label_bits, self.table_bits
        rows = zip(*(values[self.thinned(_DRAWN)].tolist() for values in columns), strict=True)
        bars = tuple(BitsBar(counted(k, "cluster"), k, label, table) for k, label, table in rows)
        best = min(bars, key=lambda bar: (bar.bits, bar.clusters))
        perfect_bits = best_bits(self.classes.margin.sizes)
        return BitsOverClusters(bars, (best.clustering,), self.no_clusters, perfect_bits)


@takes_labels
def cuts(
    truth: Any,
    tree: Any,
    measures: Any = None,
    *,
    k: Any = None,
    **labels: Unpack[TruthOptions],
) -> Cuts:
    """Score every horizontal cut of a tree against the classes, in one pass.

    A cut into k clusters undoes the last merges; if several merges happen at once, as those of
    `Tree.from_levels`, there is no cut between them. Values are those that `evaluate` gives for
    ``tree.labels(k)``. All cuts together take O(n log n): a merge changes sums over two clusters.

    Parameters
    ----------
    truth : labels
        The classes of the objects, in the order of the leaves; or with ids, such as a mapping of
        ids to classes, if the leaves have ids.
    tree : Tree
        The tree; or a linkage matrix of scipy, or a fitted AgglomerativeClustering or HDBSCAN.
    measures : names, optional
        Measures to compute: by default the code lengths, information and best-known pair measures;
        "all" for every one that is known at all cuts: code lengths, entropies, mutual information
        and all pair measures. Others, which need the counts of each table, need `k`.
    k : int or sequence of int, optional
        The numbers of clusters of the cuts to score, by any measure; by default all cuts.
    **labels
        How truth is read, as in `LabelOptions`: `missing`, integer `weights`, `align`, `unmatched`
        and `truth_noise`.

    Returns
    -------
    Cuts
        Arrays over all cuts, with ``best_k(measure)``, ``labels(k)``, ``table(k)`` and ``plot()``.

    See Also
    --------
    best_cut : the horizontal cut with the fewest bits, and the best free cut.

    Examples
    --------
    >>> import clusterbits as cb
    >>> from scipy.cluster.hierarchy import linkage
    >>> Z = linkage([[0], [1], [5], [6], [20]], "average")
    >>> cuts = cb.trees.cuts(["a", "a", "b", "b", "b"], Z, ["q0", "rand"])
    >>> cuts.clusters.tolist(), cuts["rand"].tolist()
    ([1, 2, 3, 4, 5], [0.4, 0.4, 0.8, 0.7, 0.6])
    >>> cuts.best_k("rand"), cuts.labels(3).tolist()
    (3, [0, 0, 1, 1, 2])
    """
    return score_cuts(read_merge_statistics(truth, tree, **labels), measures, k)


def score_cuts(merges: MergeStatistics, measures: Any, k: Any = None) -> Cuts:
    """Return the scores of all cuts, or by any measure those of the cuts into k clusters."""
    tree, any_measure = merges.tree, k is not None
    steps = tree.n - tree.cut_sizes
    if any_measure:
        if np.size(k) == 0:
            raise LabelError("k is empty: pass numbers of clusters, or omit it for all cuts.")
        steps = np.unique([tree.step_of(size) for size in np.atleast_1d(k).tolist()])
    cuts = CutStatistics(merges, steps[::-1])
    names = parse_measures(CUT_MEASURES if measures is None else measures) or []
    chosen = choose_measures(names, [next(iter(cuts))] if any_measure else [])
    if not any_measure:  # of families, measures that need counts are omitted
        for entries in (find_family(name) or [get_measure(name)] for name in names):
            if not any(entry.of_statistics for entry in entries):
                raise MeasureError(
                    f"{entries[0].name} needs the counts of each table, which are not known at all "
                    "cuts; pass k= with the numbers of clusters to score."
                )
        chosen = [entry for entry in chosen if entry.of_statistics]
    of_counts = [entry for entry in chosen if not entry.of_statistics]
    blocks = [cuts[start : start + _BLOCK] for start in range(0, len(cuts), _BLOCK)]
    values = {
        entry.name: np.concatenate([entry.score_table(block) for block in blocks])
        for entry in chosen
        if entry.of_statistics
    }
    if of_counts:
        rows = [[entry.score_table(table) for entry in of_counts] for table in cuts]
        values |= {entry.name: np.array(rows)[:, i] for i, entry in enumerate(of_counts)}
    return Cuts(
        tree,
        merges.classes,
        tree.n - cuts.steps,
        {entry.name: values[entry.name] for entry in chosen},
        cuts.class_entropy_given_cluster,
        cuts.table_bits(),
        no_clusters_bits(cuts),
    )
