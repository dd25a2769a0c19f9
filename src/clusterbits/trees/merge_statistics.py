r"""What every step of a tree changes: sums over columns that a merge changes in two columns only.

Let a step join two columns of s and t objects, with :math:`l_c` and :math:`r_c` of class c. Then

- :math:`\sum_c l_c r_c` more pairs are together in class and cluster, and s t more in the cluster;
- the entropy n H(K) falls by E(s, t) and n H(K|C) by :math:`\sum_c E(l_c, r_c)`, where
  :math:`E(a, b) = a \log(1 + b/a) + b \log(1 + a/b)`; the mutual information by the difference.

A class with h members has h - 1 steps in which both :math:`l_c` and :math:`r_c` are above zero: the
lowest common ancestors of neighbouring members, with the leaves side by side. So there are fewer
than n such terms in all, and they are found by sorting: no column is ever stored, and the cost is
O(n log n) for any shape of tree.
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
from clusterbits.table.cells import Cells, Coverage, sum_by_key
from clusterbits.table.contingency import Contingency
from clusterbits.table.expected_information import expected_bits_by_size
from clusterbits.table.log_factorials import BITS_PER_NAT, FloatArray, log2_choose
from clusterbits.table.margins import Margin, TableBits, sum_by_code
from clusterbits.table.random_partitions import Model
from clusterbits.table.statistics import PairCounts, number_of_classes
from clusterbits.trees.tree import Tree, as_tree
from clusterbits.trees.tree_forms import Numbers


@dataclass(frozen=True, eq=False)
class LeafClasses(Immutable):
    """The class of each leaf, by its position in `names`, and how many objects the leaf counts as.

    Leaves that are left out count as 0 objects; their class means nothing.
    """

    codes: Numbers
    weights: Numbers
    names: NDArray[Any]
    weighted: bool

    @cached_property
    def margin(self) -> Margin:
        """The sizes of the classes."""
        return Margin.of(self.codes, self.weights, len(self.names), int(self.weights.sum()))

    @property
    def n(self) -> int:
        """The number of objects that are counted."""
        return int(self.margin.n)

    @property
    def coverage(self) -> str:
        """How many objects are counted, as a line; empty where all are."""
        kept, n = int(np.count_nonzero(self.weights)), len(self.weights)
        return "" if kept == n else f"{Coverage(kept, n, 0, None)}.".capitalize()

    def table(self, labels: Numbers) -> Contingency:
        """Return the table of the classes and of these clusters, one label for each leaf."""
        kept = self.weights > 0
        names, columns = np.unique(labels[kept], return_inverse=True)
        keys, counts = sum_by_key(self.codes[kept] * len(names) + columns, self.weights[kept])
        cells = Cells.from_keys(keys, counts, self.names, names)
        return Contingency.from_cells(cells._replace(weighted=self.weighted))


class ClassSteps(NamedTuple):
    """The steps in which a class is in both columns, once for each such class.

    Attributes
    ----------
    step : ndarray
        The step.
    left, right : ndarray
        The objects of the class in the two columns.
    at_node : ndarray
        The objects of the class below the node that the step belongs to.
    """

    step: Numbers
    left: Numbers
    right: Numbers
    at_node: Numbers


@dataclass(frozen=True, eq=False)
class MergeStatistics:
    """The sizes of the columns that each step joins, and what the step changes."""

    tree: Tree
    classes: LeafClasses

    @cached_property
    def _before(self) -> Numbers:
        """The objects before each place of the layout."""
        return running(self.classes.weights[self.tree.layout.leaves])

    @cached_property
    def node_sizes(self) -> Numbers:
        """The objects below each node."""
        _, start, end = self.tree.layout
        return self._before[end] - self._before[start]

    @cached_property
    def left(self) -> Numbers:
        """The objects in the first column of each step."""
        joins = self.tree.joins
        return self._before[joins.middle] - self._before[joins.start]

    @cached_property
    def right(self) -> Numbers:
        """The objects in the second column of each step."""
        joins = self.tree.joins
        return self._before[joins.end] - self._before[joins.middle]

    @cached_property
    def shared(self) -> ClassSteps:
        """The steps in which a class is in both columns."""
        tree, classes, joins = self.tree, self.classes, self.tree.joins
        counts = classes.weights[tree.layout.leaves]
        place = np.flatnonzero(counts)
        code = classes.codes[tree.layout.leaves][place]
        order = np.argsort(code, kind="stable")
        place, code = place[order], code[order]
        before = running(counts[place])
        # Members by class, then by place: a class below a node is a range of them.
        key = code * tree.n + place
        member = np.flatnonzero(code[1:] == code[:-1])
        base = code[member] * tree.n
        step = _last_step(joins.middle, place[member], place[member + 1])
        start, end = (np.searchsorted(key, base + some[step]) for some in (joins.start, joins.end))
        node_end = np.searchsorted(key, base + tree.layout.end[joins.node[step]])
        return ClassSteps(
            step,
            before[member + 1] - before[start],
            before[end] - before[member + 1],
            before[node_end] - before[start],
        )

    @cached_property
    def occupied(self) -> int:
        """The leaves that hold an object."""
        return int(np.count_nonzero(self.classes.weights))

    @cached_property
    def clusters(self) -> Numbers:
        """The clusters that hold an object, after each number of steps."""
        joined = (self.left > 0) & (self.right > 0)
        return self.occupied - running(joined.astype(np.int64))

    @cached_property
    def cells(self) -> Numbers:
        """The cells that are not empty, after each number of steps."""
        return self.occupied - running(np.bincount(self.shared.step, minlength=len(self.left)))

    @cached_property
    def pairs(self) -> tuple[Numbers, Numbers]:
        """Pairs together in class and cluster, and in the cluster, after each number of steps."""
        weights, shared = self.classes.weights, self.shared
        within = int((weights * (weights - 1) // 2).sum())
        both = sum_by_code(shared.step, shared.left * shared.right, len(self.left))
        return within + running(both), within + running(self.left * self.right)

    @cached_property
    def cluster_bits(self) -> MergeSteps:
        """What each step takes from n H(K)."""
        return MergeSteps(_split_bits(self.left, self.right))

    @cached_property
    def cluster_bits_given_class(self) -> MergeSteps:
        """What each step takes from n H(K|C)."""
        bits = _split_bits(self.shared.left, self.shared.right)
        return MergeSteps(np.bincount(self.shared.step, bits, len(self.left)).astype(np.float64))

    @cached_property
    def information(self) -> MergeSteps:
        """What each step takes from the mutual information n I(C;K), and adds to n H(C|K)."""
        return MergeSteps(self.cluster_bits.values - self.cluster_bits_given_class.values)

    @cached_property
    def expected_information(self) -> MergeSteps:
        """What each step takes from n E[I]."""
        sizes = self.classes.margin.sizes
        return self._changes(lambda values: expected_bits_by_size(self.classes.n, sizes, values))

    def table_bits(self, n_classes: int) -> MergeSteps:
        """Return what each step takes from the bits that name the columns, Σ f(h(k))."""
        if n_classes not in self._column_bits:
            bits = self._changes(lambda values: log2_choose(values, n_classes - 1))
            self._column_bits[n_classes] = bits
        return self._column_bits[n_classes]

    @cached_property
    def _column_bits(self) -> dict[int, MergeSteps]:
        return {}

    def _changes(self, bits: Callable[[Numbers], FloatArray]) -> MergeSteps:
        """Return what each step takes from the sum over clusters of a function of their size."""
        sizes = np.concatenate([self.left, self.right, self.left + self.right])
        one, other, both = _of_distinct(bits, sizes).reshape(3, -1)
        return MergeSteps(one + other - both)

    @cached_property
    def node_bits(self) -> FloatArray:
        """The bits of each node as one cluster: its labels n H(C|K), and its column.

        The labels cost what all steps below the node add up to.
        """
        by_place = np.zeros(self.tree.n)
        by_place[self.tree.joins.middle] = self.information.values
        _, start, end = self.tree.layout
        classes = len(self.classes.names)
        columns = _of_distinct(lambda values: log2_choose(values, classes - 1), self.node_sizes)
        return MergeSteps(by_place).between(start + 1, end) + columns


class CutStatistics(TableBits):
    """Horizontal cuts of a tree, by the `steps` before each: `TableStatistics` of all of them.

    Iterating counts the table of each cut.
    """

    exact = True

    def __init__(self, tree: MergeStatistics, steps: Numbers) -> None:
        self.tree, self.steps = tree, steps
        self.n, self.weighted = tree.classes.n, tree.classes.weighted
        self.class_sizes = tree.classes.margin.sizes
        self.class_entropy = tree.classes.margin.entropy

    def __len__(self) -> int:
        """Return the number of cuts."""
        return len(self.steps)

    def __getitem__(self, some: slice) -> CutStatistics:
        """Return some of the cuts."""
        return CutStatistics(self.tree, self.steps[some])

    def __iter__(self) -> Iterator[Contingency]:
        """Iterate over the tables of the cuts, counting each."""
        tree, classes = self.tree.tree, self.tree.classes
        return (classes.table(tree.labels(tree.n - step)) for step in self.steps.tolist())

    @property
    def shape(self) -> Any:
        """The number of classes, and of the clusters of each cut that hold an object."""
        return len(self.tree.classes.names), self.tree.clusters[self.steps]

    @property
    def is_perfect(self) -> Any:
        """Whether classes and clusters are the same partition."""
        (classes, clusters), cells = self.shape, self.tree.cells[self.steps]
        return (cells == clusters) & (cells == classes)

    @cached_property
    def pairs(self) -> PairCounts:
        """The pairs, in Python's integers: products of them pass int64."""
        both, same_cluster = (counts[self.steps].astype(object) for counts in self.tree.pairs)
        same_class = (self.tree.classes.margin.squares - self.n) // 2
        return PairCounts.of(both, same_class, same_cluster, self.n * (self.n - 1) // 2)

    @property
    def cluster_entropy(self) -> Any:
        """H(K)."""
        return self.tree.cluster_bits.after(self.steps) / self.n

    @property
    def class_entropy_given_cluster(self) -> Any:
        """H(C|K)."""
        return self.tree.information.before(self.steps) / self.n

    @property
    def cluster_entropy_given_class(self) -> Any:
        """H(K|C)."""
        return self.tree.cluster_bits_given_class.after(self.steps) / self.n

    @property
    def mutual_information(self) -> Any:
        """I(C;K)."""
        return self.tree.information.after(self.steps) / self.n

    def expected_information(self, model: Model = "permutation") -> Any:
        """Return the mean of I(C;K) over random clusterings."""
        if model == "permutation":
            return self.tree.expected_information.after(self.steps) / self.n
        return np.array([table.expected_information(model) for table in self])

    def table_bits(self, n_classes: int | None = None) -> Any:
        """Return the table bits per object: exact for singletons, and for one cluster."""
        changes = self.tree.table_bits(number_of_classes(n_classes, self.shape[0]))
        bits = self.one_cluster_bits(n_classes) + changes.after(self.steps) / self.n
        return np.where(self.shape[1] == self.n, self.singleton_bits(n_classes), bits)


def read_sums(truth: Any, tree: Any, **labels: Unpack[TruthOptions]) -> MergeStatistics:
    """Return the sums of a tree, or of what makes one, for these classes of its leaves.

    Truth is joined on ids where it has ids of its own.
    """
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
    return MergeStatistics(tree, LeafClasses(codes, weights, names, tally.weighted))


class MergeSteps:
    """What each step changes, never below 0, and sums of ranges of steps.

    These are as exact as if each was added up alone: a change is split into a multiple of a unit,
    of which all sums are exact, and a rest that is too small for its rounding to matter.
    """

    def __init__(self, values: FloatArray) -> None:
        self.values = np.maximum(values, 0.0)
        unit = 2.0 ** (np.frexp(self.values.sum())[1] - 50)
        whole = np.round(self.values / unit) * unit
        self._whole, self._rest = running(whole), running(self.values - whole)

    def between(self, start: Numbers, end: Numbers) -> FloatArray:
        """Return the sums from each start to before each end; 0 where nothing is between."""
        end = np.maximum(start, end)
        whole = self._whole[end] - self._whole[start]
        sums: FloatArray = np.maximum(whole + (self._rest[end] - self._rest[start]), 0.0)
        return sums

    def before(self, steps: Numbers) -> FloatArray:
        """Return the sums of the steps before each of these."""
        return self.between(np.zeros_like(steps), steps)

    def after(self, steps: Numbers) -> FloatArray:
        """Return the sums of all steps from each of these on."""
        return self.between(steps, np.full_like(steps, len(self.values)))


def running(values: NDArray[Any]) -> NDArray[Any]:
    """Return the sums of all values before each place, and of all."""
    return np.concatenate([np.zeros(1, dtype=values.dtype), np.cumsum(values)])


def _of_distinct(function: Callable[[Numbers], FloatArray], sizes: Numbers) -> FloatArray:
    """Return the function of each size, computed once for those that repeat."""
    values, places = np.unique(sizes, return_inverse=True)
    return function(values)[places]


def _split_bits(one: Numbers, other: Numbers) -> FloatArray:
    """Return E(a, b): the bits that tell which of two columns each object is in."""
    nats = one * np.log1p(other / np.maximum(one, 1))
    nats += other * np.log1p(one / np.maximum(other, 1))
    return np.asarray(nats * BITS_PER_NAT)


def _last_step(middle: Numbers, low: Numbers, high: Numbers) -> Numbers:
    """Return the step that joins two leaves: the last of those between their places.

    `middle` is where each step joins. Ranges are looked up in two overlapping powers of two, level
    by level, so that only one level is in memory.
    """
    last = np.empty(len(middle), dtype=np.int64)
    last[middle - 1] = np.arange(len(middle))  # by place: the step that joins it with the next
    level = np.frexp(high - low)[1] - 1  # the largest power of two within the range
    found = np.empty(len(low), dtype=np.int64)
    order = np.argsort(level, kind="stable")
    ends = np.searchsorted(level[order], np.arange(int(level.max(initial=-1)) + 2))
    for power in range(len(ends) - 1):
        some = order[ends[power] : ends[power + 1]]
        found[some] = np.maximum(last[low[some]], last[high[some] - (1 << power)])
        last = np.maximum(last[: -(1 << power)], last[1 << power :])
    return found
