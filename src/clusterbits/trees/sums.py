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

from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from clusterbits.core.arguments import GivenOptions
from clusterbits.core.combinatorics import BITS_PER_NAT, FloatArray, log2_choose
from clusterbits.core.margins import sum_by_place
from clusterbits.core.policy import Missing
from clusterbits.trees.construction import Numbers
from clusterbits.trees.leaves import LeafClasses, read_truth
from clusterbits.trees.tree import Tree, as_tree


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
class TreeSums:
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
    def shared_pairs(self) -> Numbers:
        """Pairs of one class that each step brings together."""
        pairs = self.shared.left * self.shared.right
        return sum_by_place(self.shared.step, pairs, len(self.left))

    @cached_property
    def shared_classes(self) -> Numbers:
        """Classes that are in both columns of each step."""
        return np.bincount(self.shared.step, minlength=len(self.left))

    @cached_property
    def cluster_bits(self) -> FloatArray:
        """What each step takes from n H(K)."""
        return _split_bits(self.left, self.right)

    @cached_property
    def cluster_bits_given_class(self) -> FloatArray:
        """What each step takes from n H(K|C)."""
        bits = _split_bits(self.shared.left, self.shared.right)
        return np.bincount(self.shared.step, bits, len(self.left)).astype(np.float64, copy=False)

    @cached_property
    def information(self) -> FloatArray:
        """What each step takes from the mutual information n I(C;K), and adds to n H(C|K)."""
        return np.maximum(self.cluster_bits - self.cluster_bits_given_class, 0.0)

    def naming_bits(self, sizes: Numbers) -> FloatArray:
        """Return f(size): the bits that name a column of each of these sums."""
        values, places = np.unique(sizes, return_inverse=True)
        return log2_choose(values, len(self.classes.names) - 1)[places]

    @cached_property
    def column_bits(self) -> FloatArray:
        """What each step takes from the bits that name the columns, Σ f(h(k))."""
        left, right = self.left, self.right
        bits = self.naming_bits(np.concatenate([left, right, left + right]))
        one, other, both = bits.reshape(3, -1)
        return np.maximum(one + other - both, 0.0)

    @cached_property
    def node_label_bits(self) -> FloatArray:
        """The bits n H(C|K) of each node as one cluster: what all steps below it add up to."""
        by_place = np.zeros(self.tree.n)
        by_place[self.tree.joins.middle] = self.information
        before = ExactSums(by_place)
        _, start, end = self.tree.layout
        return before.between(start + 1, end)


def read_sums(
    truth: Any,
    tree: Any,
    missing: Missing,
    weights: Any,
    align: bool,
    unmatched: Missing,
    truth_noise: Any,
) -> TreeSums:
    """Return the sums of a tree, or of what makes one, for these classes of its leaves."""
    found = as_tree(tree)
    # A tree has no noise cluster, so there is no option for one.
    options = GivenOptions(None, missing, weights, -1, align, unmatched, truth_noise)
    return TreeSums(found, read_truth(truth, found, options))


class ExactSums:
    """Sums of ranges of numbers that are not negative, as exact as if each was added up alone.

    Each number is split into a multiple of a unit, of which all sums are exact, and a rest that is
    too small for its rounding to matter.
    """

    def __init__(self, values: FloatArray) -> None:
        unit = 2.0 ** (np.frexp(values.sum())[1] - 50)
        whole = np.round(values / unit) * unit
        self._whole, self._rest = running(whole), running(values - whole)

    def between(self, start: Numbers, end: Numbers) -> FloatArray:
        """Return the sums from each start to before each end; 0 where nothing is between."""
        end = np.maximum(start, end)
        whole = self._whole[end] - self._whole[start]
        sums: FloatArray = np.maximum(whole + (self._rest[end] - self._rest[start]), 0.0)
        return sums


def running(values: NDArray[Any]) -> NDArray[Any]:
    """Return the sums of all values before each place, and of all."""
    return np.concatenate([np.zeros(1, dtype=values.dtype), np.cumsum(values)])


def _split_bits(one: Numbers, other: Numbers) -> FloatArray:
    """Return E(a, b): the bits that tell which of two columns each object is in."""
    a, b = one.astype(np.float64), other.astype(np.float64)
    both = (one > 0) & (other > 0)
    a, b = np.where(both, a, 1.0), np.where(both, b, 1.0)
    bits = (a * np.log1p(b / a) + b * np.log1p(a / b)) * BITS_PER_NAT
    return np.where(both, bits, 0.0)


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
