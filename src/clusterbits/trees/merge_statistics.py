r"""Statistics of all cuts of a tree: sums over clusters that a step changes in two clusters only.

Let a step join two clusters of s and t objects, with :math:`l_c` and :math:`r_c` of class c. Then

- :math:`\sum_c l_c r_c` more pairs are together in class and cluster, and s t more in the cluster;
- the entropy n H(K) falls by E(s, t) and n H(K|C) by :math:`\sum_c E(l_c, r_c)`, where
  :math:`E(a, b) = a \log(1 + b/a) + b \log(1 + a/b)`; the mutual information by the difference.

A class with h members has h - 1 steps in which both :math:`l_c` and :math:`r_c` are above zero: the
lowest common ancestors of neighboring members, in the order of the leaves. So there are fewer than
n such terms, and sorting finds them: no cluster is ever stored, and the cost is O(n log n) for any
shape of tree.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple, Unpack

import numpy as np
from numpy.typing import NDArray

from clusterbits.errors import LabelError
from clusterbits.labels.options import TruthOptions
from clusterbits.reading.memory import joined_positions, tally_classes
from clusterbits.system.immutable import Immutable
from clusterbits.table.cells import Cells, sum_by_key
from clusterbits.table.contingency import Contingency
from clusterbits.table.expected_information import expected_bits_by_size
from clusterbits.table.log_factorials import BITS_PER_NAT, FloatArray, log2_choose
from clusterbits.table.margins import Margin, TableBits, sum_by_code
from clusterbits.table.numbering import Integers
from clusterbits.table.statistics import PairCounts, number_of_classes
from clusterbits.trees.tree import Tree, as_tree


@dataclass(frozen=True, eq=False)
class LeafClasses(Immutable):
    """The class of each leaf, as an index into `names`, and its integer weight.

    Excluded leaves have weight 0 and any class; then `coverage` says in words how many are counted.
    """

    codes: Integers
    weights: Integers
    names: NDArray[Any]
    weighted: bool
    coverage: str

    @cached_property
    def margin(self) -> Margin:
        """The sizes of the classes."""
        return Margin.of(self.codes, self.weights, len(self.names), int(self.weights.sum()))

    @property
    def n(self) -> int:
        """The number of counted objects."""
        return int(self.margin.n)

    def table(self, labels: Integers) -> Contingency:
        """Return the table of the classes and of these clusters, one label per leaf."""
        counted = self.weights > 0
        names, columns = np.unique(labels[counted], return_inverse=True)
        keys, counts = sum_by_key(self.codes[counted] * len(names) + columns, self.weights[counted])
        cells = Cells.from_keys(keys, counts, self.names, names)
        return Contingency.from_cells(cells._replace(weighted=self.weighted))


class ClassSteps(NamedTuple):
    """One entry per step and class with objects in both clusters.

    `left` and `right` are the objects of the class in the two clusters, `at_node` those below the
    node that the step belongs to.
    """

    step: Integers
    left: Integers
    right: Integers
    at_node: Integers


class MergeSteps:
    """Changes by each step, at least 0, and their sums over ranges of steps.

    These are as precise as separate sums: each change is split into a multiple of a unit, whose
    sums are exact, and a rest too small for its rounding to matter.
    """

    def __init__(self, values: FloatArray) -> None:
        self.values = np.maximum(values, 0.0)
        unit = 2.0 ** (np.frexp(self.values.sum())[1] - 50)
        multiples = np.round(self.values / unit) * unit
        self._multiples, self._rest = running(multiples), running(self.values - multiples)

    def between(self, start: Integers, end: Integers) -> FloatArray:
        """Return the sums from each start to before each end; 0 if end <= start."""
        end = np.maximum(start, end)
        multiples = self._multiples[end] - self._multiples[start]
        sums = multiples + (self._rest[end] - self._rest[start])
        return np.asarray(np.maximum(sums, 0.0))

    def before(self, steps: Integers) -> FloatArray:
        """Return the sum over the steps before each of these."""
        return self.between(np.zeros_like(steps), steps)

    def after(self, steps: Integers) -> FloatArray:
        """Return the sum over all steps from each of these on."""
        return self.between(steps, np.full_like(steps, len(self.values)))


def running(values: NDArray[Any]) -> NDArray[Any]:
    """Return the sums of the first 0, 1, ... and all values."""
    return np.concatenate([np.zeros(1, dtype=values.dtype), np.cumsum(values)])


@dataclass(frozen=True, eq=False)
class MergeStatistics:
    """The sizes of the clusters that each step joins, and the changes of statistics."""

    tree: Tree
    classes: LeafClasses

    @cached_property
    def _before(self) -> Integers:
        """The number of objects before each leaf of the layout."""
        return running(self.classes.weights[self.tree.layout.leaves])

    @cached_property
    def node_sizes(self) -> Integers:
        """The number of objects below each node."""
        _, start, end = self.tree.layout
        return self._before[end] - self._before[start]

    @cached_property
    def left(self) -> Integers:
        """The size of the first cluster of each step."""
        joins = self.tree.joins
        return self._before[joins.middle] - self._before[joins.start]

    @cached_property
    def right(self) -> Integers:
        """The size of the second cluster of each step."""
        joins = self.tree.joins
        return self._before[joins.end] - self._before[joins.middle]

    @cached_property
    def shared(self) -> ClassSteps:
        """The steps that join two clusters with objects of a class."""
        tree, classes, joins = self.tree, self.classes, self.tree.joins
        weights = classes.weights[tree.layout.leaves]
        leaf = np.flatnonzero(weights)
        code = classes.codes[tree.layout.leaves][leaf]
        order = np.argsort(code, kind="stable")
        leaf, code = leaf[order], code[order]
        before = running(weights[leaf])
        # Members by class, then by leaf: a class below a node is a range of them.
        key = code * tree.n + leaf
        member = np.flatnonzero(code[1:] == code[:-1])
        base = code[member] * tree.n
        step = _last_step(joins.middle, leaf[member], leaf[member + 1])
        start = np.searchsorted(key, base + joins.start[step])
        end = np.searchsorted(key, base + joins.end[step])
        node_end = np.searchsorted(key, base + tree.layout.end[joins.node[step]])
        return ClassSteps(
            step,
            before[member + 1] - before[start],
            before[end] - before[member + 1],
            before[node_end] - before[start],
        )

    @cached_property
    def clusters(self) -> Integers:
        """The number of non-empty clusters after each number of steps."""
        joined = (self.left > 0) & (self.right > 0)
        return np.count_nonzero(self.classes.weights) - running(joined.astype(np.int64))

    @cached_property
    def cells(self) -> Integers:
        """The number of non-zero cells after each number of steps."""
        joined = np.bincount(self.shared.step, minlength=len(self.left))
        return np.count_nonzero(self.classes.weights) - running(joined)

    @cached_property
    def pairs(self) -> tuple[Integers, Integers]:
        """Pairs together in class and cluster, and in the cluster, after each number of steps."""
        weights, shared = self.classes.weights, self.shared
        within = int((weights * (weights - 1) // 2).sum())
        together = sum_by_code(shared.step, shared.left * shared.right, len(self.left))
        return within + running(together), within + running(self.left * self.right)

    @cached_property
    def cluster_bits(self) -> MergeSteps:
        """The decrease of n H(K) by each step."""
        return MergeSteps(_split_bits(self.left, self.right))

    @cached_property
    def cluster_bits_given_class(self) -> MergeSteps:
        """The decrease of n H(K|C) by each step."""
        bits = _split_bits(self.shared.left, self.shared.right)
        return MergeSteps(np.bincount(self.shared.step, bits, len(self.left)).astype(np.float64))

    @cached_property
    def information(self) -> MergeSteps:
        """The decrease of n I(C;K), and increase of n H(C|K), by each step."""
        return MergeSteps(self.cluster_bits.values - self.cluster_bits_given_class.values)

    @cached_property
    def expected_information(self) -> MergeSteps:
        """The decrease of n E[I] by each step."""
        n, class_sizes = self.classes.n, self.classes.margin.sizes
        return self._decreases(lambda sizes: expected_bits_by_size(n, class_sizes, sizes))

    def table_bits(self, n_classes: int) -> MergeSteps:
        """Return the decrease of the table bits, Σ f(h(k)), by each step."""
        if n_classes not in self._table_bits:
            bits = self._decreases(lambda sizes: log2_choose(sizes, n_classes - 1))
            self._table_bits[n_classes] = bits
        return self._table_bits[n_classes]

    @cached_property
    def _table_bits(self) -> dict[int, MergeSteps]:
        return {}

    def _decreases(self, bits: Callable[[Integers], FloatArray]) -> MergeSteps:
        """Return the decrease of a sum over clusters of a function of their size."""
        sizes = np.concatenate([self.left, self.right, self.left + self.right])
        left, right, joined = _of_distinct(bits, sizes).reshape(3, -1)
        return MergeSteps(left + right - joined)

    @cached_property
    def node_bits(self) -> FloatArray:
        """The bits of each node as one cluster: labels, from the steps below, and column."""
        by_leaf = np.zeros(self.tree.n)
        by_leaf[self.tree.joins.middle] = self.information.values
        _, start, end = self.tree.layout
        n_classes = len(self.classes.names)
        columns = _of_distinct(lambda sizes: log2_choose(sizes, n_classes - 1), self.node_sizes)
        return MergeSteps(by_leaf).between(start + 1, end) + columns


def _per_object(name: str, add_up: Callable[[MergeSteps, Integers], FloatArray]) -> Any:
    """Return a property of cuts: changes added up over steps, per object."""
    return property(lambda cuts: add_up(getattr(cuts.tree, name), cuts.steps) / cuts.n)


class CutStatistics(TableBits):
    """Horizontal cuts of a tree, by the `steps` before each: `TableStatistics` of all of them.

    Iterating counts the table of each cut.
    """

    exact = True

    def __init__(self, tree: MergeStatistics, steps: Integers) -> None:
        self.tree, self.steps = tree, steps
        self.n, self.weighted = tree.classes.n, tree.classes.weighted
        self.class_sizes = tree.classes.margin.sizes
        self.class_entropy = tree.classes.margin.entropy

    def __len__(self) -> int:
        """Return the number of cuts."""
        return len(self.steps)

    def __getitem__(self, cuts: slice) -> CutStatistics:
        """Return a range of the cuts."""
        return CutStatistics(self.tree, self.steps[cuts])

    def __iter__(self) -> Iterator[Contingency]:
        """Iterate over the tables of the cuts, which are counted one by one."""
        tree, classes = self.tree.tree, self.tree.classes
        return (classes.table(tree.labels(tree.n - step)) for step in self.steps.tolist())

    @property
    def shape(self) -> Any:
        """The number of classes, and of the non-empty clusters of each cut."""
        return len(self.tree.classes.names), self.tree.clusters[self.steps]

    @property
    def is_perfect(self) -> Any:
        """Whether classes and clusters are the same partition."""
        (classes, clusters), cells = self.shape, self.tree.cells[self.steps]
        return (cells == clusters) & (cells == classes)

    @cached_property
    def pairs(self) -> PairCounts:
        """Pair counts, as Python's integers: their products exceed int64."""
        together, same_cluster = (counts[self.steps].astype(object) for counts in self.tree.pairs)
        same_class = (self.tree.classes.margin.squares - self.n) // 2
        return PairCounts.of(together, same_class, same_cluster, self.n * (self.n - 1) // 2)

    # H(K), H(C|K), H(K|C) and I(C;K).
    cluster_entropy = _per_object("cluster_bits", MergeSteps.after)
    class_entropy_given_cluster = _per_object("information", MergeSteps.before)
    cluster_entropy_given_class = _per_object("cluster_bits_given_class", MergeSteps.after)
    mutual_information = _per_object("information", MergeSteps.after)

    @property
    def expected_information(self) -> Any:
        """E[I(C;K)], the mean over shuffled objects."""
        return self.tree.expected_information.after(self.steps) / self.n

    def table_bits(self, n_classes: int | None = None) -> Any:
        """Return the table bits per object: exact for singletons, and for one cluster."""
        decreases = self.tree.table_bits(number_of_classes(n_classes, self.shape[0]))
        bits = self.one_cluster_bits(n_classes) + decreases.after(self.steps) / self.n
        return np.where(self.shape[1] == self.n, self.singleton_bits(n_classes), bits)


def read_merge_statistics(truth: Any, tree: Any, **labels: Unpack[TruthOptions]) -> MergeStatistics:
    """Return the statistics of a tree, or of an input of `as_tree`, and of its classes."""
    tree = as_tree(tree)
    tally = tally_classes(truth, tree.objects, "the tree", **labels)
    leaves = joined_positions(tally.runs["the tree"])
    if (leaves < 0).any():
        raise LabelError(
            "some objects of truth are not in the tree, which has no cluster for them. Pass "
            "unmatched='drop' to exclude them."
        )
    codes, weights = np.zeros((2, tree.n), dtype=np.int64)
    (codes[leaves], names), weights[leaves] = tally.truth.named(), tally.counts
    coverage = ""
    if tally.coverage is not None:  # its clusters are the leaves
        coverage = f"{tally.coverage._replace(of_clusters=None)}.".capitalize()
    return MergeStatistics(tree, LeafClasses(codes, weights, names, tally.weighted, coverage))


def _of_distinct(function: Callable[[Integers], FloatArray], sizes: Integers) -> FloatArray:
    """Return the function of each size, computed once per distinct size."""
    distinct, index = np.unique(sizes, return_inverse=True)
    return function(distinct)[index]


def _split_bits(left: Integers, right: Integers) -> FloatArray:
    """Return E(left, right): the bits that say in which of two clusters each object is."""
    nats = left * np.log1p(right / np.maximum(left, 1))
    nats += right * np.log1p(left / np.maximum(right, 1))
    return np.asarray(nats * BITS_PER_NAT)


def _last_step(middle: Integers, low: Integers, high: Integers) -> Integers:
    """Return the step that joins the leaves low and high: the last of the steps between them.

    `middle` is the leaf before which each step joins. The maximum of a range is that of two
    overlapping powers of two, level by level, so that only one level is in memory.
    """
    last = np.empty(len(middle), dtype=np.int64)
    last[middle - 1] = np.arange(len(middle))  # the step that joins each leaf with the next
    level = np.frexp(high - low)[1] - 1  # the largest power of two within the range
    steps = np.empty(len(low), dtype=np.int64)
    order = np.argsort(level, kind="stable")
    ends = np.searchsorted(level[order], np.arange(int(level.max(initial=-1)) + 2))
    for power in range(len(ends) - 1):
        pairs = order[ends[power] : ends[power + 1]]
        steps[pairs] = np.maximum(last[low[pairs]], last[high[pairs] - (1 << power)])
        last = np.maximum(last[: -(1 << power)], last[1 << power :])
    return steps
