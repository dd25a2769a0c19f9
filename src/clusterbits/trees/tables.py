"""The tables of all horizontal cuts, as far as sums tell: no table is ever counted."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cached_property
from typing import Any, NoReturn

import numpy as np
from numpy.typing import NDArray

from clusterbits.core.cells import Cells
from clusterbits.core.combinatorics import FloatArray
from clusterbits.core.table import Contingency, PairCounts
from clusterbits.measures.catalogue import Measure
from clusterbits.trees.construction import Numbers
from clusterbits.trees.leaves import LeafClasses
from clusterbits.trees.sums import ExactSums, TreeSums, running
from clusterbits.trees.vectors import apply_formula, as_vector

# Cuts that a formula is applied to at once: Python's integers, which do not overflow, need memory.
_AT_ONCE = 1 << 16


class CellsNeededError(Exception):
    """A formula needs the counts of a table, and not only sums of them."""


class CutMargin:
    """The sizes of the clusters of a cut, of which only sums are known."""

    def __init__(self, entropy: Any, named: Any) -> None:
        self.entropy, self._named = entropy, named

    @property
    def sizes(self) -> NoReturn:
        raise CellsNeededError

    squares = sizes

    def column_bits(self, n_classes: int) -> Any:
        """Return the bits per object that name the columns; of the classes that occur only."""
        return self._named


class CutTable(Contingency):
    """A table of which sums are known: of one cut, or vectors of those of many."""

    shape: tuple[int, Any] = (0, 0)
    exact = True

    def __init__(self, **known: Any) -> None:
        self.__dict__.update(known)

    @property
    def cells(self) -> Cells:
        raise CellsNeededError


def vector_pairs(*counts: NDArray[Any]) -> PairCounts:
    """Return the pair counts of many tables as vectors, of Python's integers."""
    vectors: tuple[Any, ...] = tuple(as_vector(some.astype(object)) for some in counts)
    return PairCounts(*vectors)


class CutTables:
    """What is known of the tables of horizontal cuts, after so many `steps` of the tree each."""

    def __init__(self, sums: TreeSums, steps: Numbers) -> None:
        self.sums, self.steps, self.classes = sums, steps, sums.classes

    def values(self, measures: Iterable[Measure]) -> dict[str, FloatArray]:
        """Return the values of measures at each cut; of those that need the counts, none.

        Formulas of users are left out, too: only those of the library are tested with vectors.
        """
        found = {m: np.empty(len(self.steps)) for m in measures if m.built_in}
        for start in range(0, len(self.steps), _AT_ONCE):
            part = slice(start, start + _AT_ONCE)
            known = _SomeTables(self, part)
            for measure in list(found):
                try:
                    values = apply_formula(measure.function, known.choose, known.many)
                    found[measure][part] = values
                except CellsNeededError:
                    del found[measure]
        return {measure.name: values for measure, values in found.items()}

    def _before(self, changes: FloatArray) -> FloatArray:
        """Return the bits per object that the steps before each cut add up to."""
        none = np.zeros_like(self.steps)
        return ExactSums(changes).between(none, self.steps) / self.classes.n

    def _after(self, changes: FloatArray) -> FloatArray:
        """Return those of the steps after each cut."""
        end = np.full_like(self.steps, len(changes))
        return ExactSums(changes).between(self.steps, end) / self.classes.n

    @cached_property
    def label_bits(self) -> FloatArray:
        """H(C|K), the first part of q0."""
        return self._before(self.sums.information)

    @cached_property
    def information(self) -> FloatArray:
        """I(C;K)."""
        return self._after(self.sums.information)

    @cached_property
    def cluster_entropy(self) -> FloatArray:
        """H(K)."""
        return self._after(self.sums.cluster_bits)

    @cached_property
    def cluster_entropy_given_class(self) -> FloatArray:
        """H(K|C)."""
        return self._after(self.sums.cluster_bits_given_class)

    @cached_property
    def table_bits(self) -> FloatArray:
        """The bits that name the columns: the second part of q0."""
        return self.classes.one_column_bits + self._after(self.sums.column_bits)

    @cached_property
    def clusters(self) -> Numbers:
        """The clusters that hold an object."""
        joined = (self.sums.left > 0) & (self.sums.right > 0)
        return self._occupied - running(joined.astype(np.int64))[self.steps]

    @property
    def _occupied(self) -> int:
        return int(np.count_nonzero(self.classes.weights))

    @cached_property
    def is_perfect(self) -> NDArray[np.bool_]:
        """Whether classes and clusters are the same partition."""
        cells = self._occupied - running(self.sums.shared_classes)[self.steps]
        return np.asarray((cells == self.clusters) & (cells == len(self.classes.names)))

    @cached_property
    def pairs(self) -> tuple[Numbers, Numbers, Numbers, Numbers]:
        """The numbers of `PairCounts`, exactly."""
        weights, n = self.classes.weights, self.classes.n
        within = int((weights * (weights - 1) // 2).sum())
        both = within + running(self.sums.shared_pairs)[self.steps]
        same_cluster = within + running(self.sums.left * self.sums.right)[self.steps]
        same_class = (self.classes.margin.squares - n) // 2
        total = n * (n - 1) // 2
        only_cluster = same_cluster - both
        apart = total - same_class - only_cluster
        return both, same_class - both, only_cluster, apart


class _SomeTables:
    """Some of the tables, as tables of vectors and as single ones."""

    def __init__(self, tables: CutTables, part: slice) -> None:
        self.classes: LeafClasses = tables.classes
        self.many = len(tables.steps[part])
        self.known = {
            "clusters": tables.clusters[part],
            "is_perfect": tables.is_perfect[part],
            "cluster_entropy": tables.cluster_entropy[part],
            "table_bits": tables.table_bits[part],
            "class_entropy_given_cluster": tables.label_bits[part],
            "cluster_entropy_given_class": tables.cluster_entropy_given_class[part],
            "mutual_information": tables.information[part],
        }
        # Python's integers: products of pair counts pass int64.
        self.pairs = [counts[part].astype(object) for counts in tables.pairs]

    def choose(self, which: NDArray[np.intp] | int) -> CutTable:
        """Return the tables of several cuts in vectors, or the table of one in plain numbers."""
        if isinstance(which, int):
            known = {name: values[which] for name, values in self.lists.items()}
            pairs = PairCounts(*(counts[which] for counts in self.pairs))
        else:
            known = {name: as_vector(values[which]) for name, values in self.known.items()}
            pairs = vector_pairs(*(counts[which] for counts in self.pairs))
        return CutTable(
            n=self.classes.n,
            shape=(len(self.classes.names), known.pop("clusters")),
            class_margin=self.classes.margin,
            cluster_margin=CutMargin(known.pop("cluster_entropy"), known.pop("table_bits")),
            pairs=pairs,
            **known,
        )

    @cached_property
    def lists(self) -> dict[str, list[Any]]:
        """The same in plain numbers."""
        return {name: values.tolist() for name, values in self.known.items()}
