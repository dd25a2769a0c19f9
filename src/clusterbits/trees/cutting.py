"""Every horizontal cut of a tree, scored in one pass."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Unpack

import numpy as np
from numpy.typing import NDArray

from clusterbits.errors import LabelError, MeasureError
from clusterbits.labels.options import TruthOptions, takes_labels
from clusterbits.measures.catalogue import Measure, find_family, get_measure, parse_measures
from clusterbits.measures.code_length import no_clusters_bits
from clusterbits.measures.extremes import best_bits
from clusterbits.measures.named_values import ByMeasure
from clusterbits.scoring.bits_by_size import BitsBar, BitsOverClusters
from clusterbits.scoring.evaluation import choose_measures, score_runs
from clusterbits.scoring.scores import Scores
from clusterbits.system.immutable import Immutable
from clusterbits.system.limits import check_memory
from clusterbits.table.contingency import Contingency
from clusterbits.table.log_factorials import FloatArray
from clusterbits.text.results import ColumnResult, spread
from clusterbits.text.tables import counted, show
from clusterbits.trees.merge_statistics import (
    CutStatistics,
    LeafClasses,
    MergeStatistics,
    read_sums,
)
from clusterbits.trees.tree import Tree
from clusterbits.trees.tree_forms import Numbers

# What is computed where nothing else is asked for; all of it is known at every cut.
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
# Cuts that formulas are applied to at once: Python's integers need memory.
_AT_ONCE = 1 << 16
# What the table of a cut takes for each leaf.
_CELL_BYTES = 30
# Cuts that a picture has room for, and a printed table.
_DRAWN, _PRINTED = 400, 12


@dataclass(frozen=True, eq=False, repr=False)
class Cuts(Immutable, ByMeasure, ColumnResult):
    """Values of measures at horizontal cuts of a tree, as arrays.

    Attributes
    ----------
    tree : Tree
        The tree.
    classes : LeafClasses
        The classes of its leaves.
    clusters : ndarray of int
        The number of clusters of each cut, ascending. Clusters without an object that counts, where
        some are left out, are among them.
    values : mapping of names to ndarray
        The values of each measure, one for each cut.
    label_bits, table_bits : ndarray
        The two parts of q0: what the labels cost, given the clusters, and what the table costs.
    no_clusters : float
        Bits per object without clusters: all objects together or each alone, whichever is less.

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
    clusters: Numbers
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
        """Bits per object of each cut: q0, whether it was asked for or not."""
        return self.label_bits + self.table_bits

    def _of(self, measure: str) -> FloatArray:
        """Return a measure's value at each cut."""
        return self.values[measure]

    def best_k(self, measure: str = "q0") -> int:
        """Return the number of clusters that a measure prefers; of ties, the fewest."""
        entry = get_measure(measure)
        values = self.bits if entry.name == "q0" else self[measure]
        worth = entry.sign() * values
        return int(self.clusters[np.argmax(np.where(np.isnan(worth), -np.inf, worth))])

    def labels(self, k: int) -> Numbers:
        """Return the cluster of each object in the cut into k clusters: 0, 1, ..."""
        return self.tree.labels(k)

    def table(self, k: int) -> Contingency:
        """Return the table of the cut into k clusters."""
        return self.classes.table(self.labels(k))

    def scores(self, k: int | Iterable[int]) -> Scores:
        """Return the scores of one cut or of several, with their tables.

        >>> import clusterbits as cb
        >>> tree = cb.trees.Tree.from_children([[0, 1], [2, 3], [4, 5]])
        >>> cb.trees.cuts(["a", "a", "b", "b"], tree, ["q0", "ari"]).scores([2, 3])["ari"]
        {2: 1.0, 3: 0.5714285714285714}
        """
        asked = [self.tree.n - self.tree.step_of(some) for some in _listed(k)]
        check_memory(_CELL_BYTES * len(asked) * self.tree.n, f"tables of {len(asked):,} cuts")
        tables = {some: self.table(some) for some in asked}
        return score_runs(tables, list(self.values), progress=False)

    @property
    def title(self) -> str:
        """The best cut, in bits."""
        fewest = counted(self.best_k(), "cluster")
        verb = "costs" if fewest == "1 cluster" else "cost"
        if self.thresholds is not None:
            fewest, verb = f"the threshold {show(self.best_threshold())} ({fewest})", "costs"
        some = "of these cuts, " if len(self) < len(self.tree.cut_sizes) else ""
        line = (
            f"{some}{fewest} {verb} the fewest bits: {self.bits.min():.4f} bits per object "
            f"({self.no_clusters:.4f} without clusters)."
        )
        line = line[0].upper() + line[1:]
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

    def thinned(self, most: int) -> Numbers:
        """Return the places of cuts, at most this many: the best, its neighbours, others evenly.

        Others are spread over the logarithm of the number of clusters.
        """
        if len(self) <= most:
            return np.arange(len(self))
        best = int(np.searchsorted(self.clusters, self.best_k()))
        near = np.clip([best - 1, best, best + 1], 0, len(self) - 1)
        return np.unique(np.concatenate([spread(len(self), most - 3), near]))

    def _shown(self) -> list[dict[str, Any]]:
        return self._rows_at(self.thinned(_PRINTED))

    def bits_over_clusters(self) -> BitsOverClusters:
        """Return the bits of the cuts for a picture: of very many, some."""
        some = self.thinned(_DRAWN)
        lists = (x[some].tolist() for x in (self.clusters, self.label_bits, self.table_bits))
        bars = tuple(
            BitsBar(counted(k, "cluster"), k, label, table)
            for k, label, table in zip(*lists, strict=True)
        )
        perfect = best_bits(self.classes.margin.sizes)
        fewest = min(bars, key=lambda bar: (bar.bits, bar.clusters))
        return BitsOverClusters(bars, (fewest.clustering,), self.no_clusters, perfect)

    def plot(self, ax: Any = None) -> Any:
        """Draw bits per object over the number of clusters, the best marked; return the axes.

        >>> import clusterbits as cb
        >>> tree = cb.trees.Tree.from_children([[0, 1], [2, 3], [4, 5]])
        >>> cb.trees.cuts(["a", "a", "b", "b"], tree).plot().get_ylabel()
        'bits per object (q0)'
        """
        from clusterbits.plots.bits_plot import draw_bits

        return draw_bits(self.bits_over_clusters(), "Horizontal cuts of the tree", ax)


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

    A cut into k clusters undoes the last merges; where several merges are at once, as those of
    `Tree.from_levels`, there is no cut between them. Values are those that `evaluate` gives for
    ``tree.labels(k)``. All cuts together take O(n log n): a merge changes sums over two clusters.

    Parameters
    ----------
    truth : labels
        The classes of the objects, in the order of the leaves; or with ids, such as a mapping of
        ids to classes, where the leaves of the tree have ids.
    tree : Tree
        The tree; or what makes one: a linkage matrix of scipy, a fitted AgglomerativeClustering or
        HDBSCAN, a dendrogram of igraph.
    measures : names, optional
        Measures to compute: by default the code lengths, information and best-known pair measures;
        "all" for every one that is known at all cuts: code lengths, entropies, mutual information
        and all pair measures. Others, which need the counts of each table, need `k`.
    k : int or sequence of int, optional
        The numbers of clusters of the cuts to score; by default all. With it, any measure may be
        computed.
    **labels
        How truth is read, as in `LabelOptions`: `missing`, `weights` (whole numbers of objects),
        `align`, `unmatched` and `truth_noise`.

    Returns
    -------
    Cuts
        Arrays over all cuts, with ``best(measure)``, ``labels(k)``, ``scores(k)`` and ``plot()``.

    See Also
    --------
    best_cut : the horizontal cut with the fewest bits, and the best free cut.

    Examples
    --------
    >>> import clusterbits as cb
    >>> from scipy.cluster.hierarchy import linkage
    >>> Z = linkage([[0], [1], [5], [6], [20]], "average")
    >>> found = cb.trees.cuts(["a", "a", "b", "b", "b"], Z, ["q0", "rand"])
    >>> found.clusters.tolist(), found["rand"].tolist()
    ([1, 2, 3, 4, 5], [0.4, 0.4, 0.8, 0.7, 0.6])
    >>> found.best_k("rand"), found.labels(3).tolist()
    (3, [0, 0, 1, 1, 2])
    """
    return score_cuts(read_sums(truth, tree, **labels), measures, k)


def score_cuts(tree: MergeStatistics, measures: Any, k: Any = None) -> Cuts:
    """Score all cuts, or those into k clusters, for which each table may be counted."""
    steps, any_measure = tree.tree.n - tree.tree.cut_sizes, k is not None
    if any_measure:
        steps = np.unique([tree.tree.step_of(some) for some in _listed(k)])
    sums = CutStatistics(tree, steps[::-1])
    asked = parse_measures(CUT_MEASURES if measures is None else measures) or []
    chosen = choose_measures(asked, [next(iter(sums))] if any_measure else [])
    summed = [entry for entry in chosen if entry.of_statistics]
    others = [entry for entry in chosen if not entry.of_statistics]
    # Of a family, those that need counts are left out, unless nothing remains.
    lacking = [entry for entry in others if not summed or _is_named(entry, asked)]
    if lacking and not any_measure:
        names = ", ".join(entry.name for entry in lacking)
        raise MeasureError(
            f"{names} {'needs' if len(lacking) == 1 else 'need'} the counts of each table, which "
            "are not known at all cuts; pass k= with the numbers of clusters to score."
        )
    parts = [sums[start : start + _AT_ONCE] for start in range(0, len(sums), _AT_ONCE)]
    values: dict[str, Any] = {
        entry.name: np.concatenate([entry.score_table(part) for part in parts]) for entry in summed
    }
    if others and any_measure:
        counted_values = np.array(
            [[entry.score_table(table) for entry in others] for table in sums]
        )
        values |= dict(zip((entry.name for entry in others), counted_values.T, strict=True))
    return Cuts(
        tree.tree,
        tree.classes,
        tree.tree.n - sums.steps,
        {entry.name: values[entry.name] for entry in chosen if entry.name in values},
        sums.class_entropy_given_cluster,
        sums.table_bits(),
        no_clusters_bits(sums),
    )


def _is_named(entry: Measure, asked: list[Any]) -> bool:
    """Whether a measure is asked for by a name of its own."""
    return any(not find_family(name) and get_measure(name) is entry for name in asked)


def _listed(k: Any) -> list[Any]:
    """Return the numbers of clusters asked for."""
    found: list[Any] = np.atleast_1d(k).tolist()
    if not found:
        raise LabelError("k is empty: name the numbers of clusters, or leave it out for all.")
    return found
