r"""The best and the worst clustering of given class sizes.

The best is the classes themselves. The worst, which the paper calls difficult, maximises the sum
over clusters of

.. math:: g(x) = s \log s - \sum_c x_c \log x_c + f(s), \qquad s = \sum_c x_c,

where a cluster is a column x of counts and the columns add up to the class sizes h. Over all
conceivable columns that is a linear program: choose how often each is used. Its dual asks for
prices λ, one per class, with g(x) ≤ λ·x for every column x; then no clustering costs more than λ·h.

*Columns.* Sort the classes by size. The "staircase" columns hold one object of each of the first
j classes, and a second one of each of the first t ≤ 3; they nearly always suffice.

*Certificate.* For given λ and s the most violating column is found greedily, because
Σ(-x log x - λx) is separable and concave. No column of sum s exceeds s log Σ 2^(-λ) + f(s), so
beyond some s none can violate: finitely many s prove λ feasible. Where a column does violate, it
joins the program.

*Equal sizes.* Classes of one size are interchangeable and the dual is convex, so prices may be
averaged over them; the program then has one row per distinct size, and each class of a size group
gets its fair share of a column's objects by turns. A column is thus known by its total in each
group. Rows are written as differences of neighbouring groups' averages, where a staircase column
has at most four entries however many classes there are.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from clusterbits.core.combinatorics import FloatArray, distinct, log2_choose, weighted_sum
from clusterbits.core.table import Contingency
from clusterbits.errors import MeasureError, TableError

_RAISED = 3
_TOLERANCE = 1e-12
_ROUNDS = 200
# A worst clustering has about as many cells as objects: past this it is described, not built.
_TABLE_LIMIT = 10**8


def column_bits(sizes: NDArray[Any], n_classes: int) -> float:
    """Return (1/n) Σ f(size): bits per object that name one column of each of these sums."""
    values, repeats = distinct(sizes)
    total = weighted_sum(values, repeats)
    return weighted_sum(log2_choose(values, n_classes - 1), repeats) / total


def best_bits(class_sizes: Any, n_classes: int | None = None) -> float:
    r"""Return the least code length any clustering of these classes has, in bits per object.

    .. math:: \min_K Q_0 = \frac1n \sum_c \log_2 \binom{h(c)+|C|-1}{|C|-1}

    Reached by K = C, and only there for two classes or more.

    Examples
    --------
    >>> import clusterbits as cb
    >>> round(cb.best_bits([100] * 5), 6)
    0.221326
    """
    sizes = np.asarray(class_sizes)
    numbers = sizes.dtype.kind in "iuf" or all(isinstance(s, int) for s in sizes.ravel().tolist())
    if not (numbers and sizes.ndim == 1 and len(sizes) and 0 < sizes.min() <= sizes.max() <= 1e100):
        raise TableError(f"class_sizes={class_sizes!r}: a sequence of numbers above zero.")
    return column_bits(sizes, checked_n_classes(n_classes, len(sizes)))


@dataclass(frozen=True)
class WorstClustering:
    """The clustering of given classes that costs most bits, with the proof that none costs more.

    Attributes
    ----------
    class_sizes : tuple of int
        The classes it was asked for, in the order given.
    lower : float
        Bits per object of an actual clustering, `table`.
    upper : float
        Bits per object that no clustering exceeds, by the dual prices.
    clusters : int
        How many clusters the actual clustering has.
    """

    class_sizes: tuple[int, ...]
    lower: float
    upper: float
    clusters: int
    _groups: _Groups = field(repr=False)
    _columns: tuple[tuple[int, NDArray[np.int64]], ...] = field(repr=False)

    @property
    def bits(self) -> float:
        """Bits per object of the worst clustering."""
        return self.lower

    @cached_property
    def table(self) -> Contingency:
        """The worst clustering itself; classes are numbered in the order given."""
        n = sum(self.class_sizes)
        if n > _TABLE_LIMIT:
            raise TableError(
                f"the worst clustering of {n:,} objects has about as many cells; "
                "it is not built past 100,000,000. Its code length is in .bits."
            )
        from scipy.sparse import coo_array

        rows, columns, counts = self._groups.deal(self._columns)
        shape = len(self.class_sizes), self.clusters
        return Contingency.from_counts(coo_array((counts, (rows, columns)), shape=shape))


def worst_clustering(class_sizes: Any, n_classes: int | None = None) -> WorstClustering:
    """Find the clustering of these class sizes with the greatest code length, and prove it.

    Parameters
    ----------
    class_sizes : sequence of int
        Objects in each class, at least one.
    n_classes : int, optional
        Number of classes that could have occurred; by default those given.

    Returns
    -------
    WorstClustering
        With ``bits`` per object, the certified ends ``lower`` and ``upper``, and the ``table``.

    Examples
    --------
    >>> import clusterbits as cb
    >>> worst = cb.worst_clustering([4, 3, 2])
    >>> round(worst.bits, 9), worst.upper - worst.lower < 1e-9
    (2.507629855, True)
    >>> worst.table.to_dense()
    array([[1, 1, 2],
           [1, 1, 1],
           [0, 1, 1]])
    """
    sizes = _checked_sizes(class_sizes)
    n_classes = checked_n_classes(n_classes, len(sizes))
    groups = _Groups(sizes)
    n = sum(sizes)
    if n_classes == 1:  # every clustering costs nothing
        return WorstClustering(sizes, 0.0, 0.0, 1, groups, ((1, groups.totals),))
    if len(groups) == 1 and n_classes == len(sizes):
        # Equal sizes: clusters of one object of each class meet the upper bound for any sizes.
        bits = math.log2(n_classes) + float(log2_choose(n_classes, n_classes - 1)) / n_classes
        one_each = np.array([n_classes], dtype=np.int64)
        return WorstClustering(sizes, bits, bits, sizes[0], groups, ((sizes[0], one_each),))

    program = _Program(groups, n_classes)
    for _ in range(_ROUNDS):
        uses, prices = program.solve()
        excess, violating = program.violations(prices)
        if excess <= _TOLERANCE:
            break
        program.add(violating)
    upper = groups.value(prices) / n + max(excess, 0.0)
    columns = program.whole(uses)
    bits = math.fsum(use * program.bits(column) for use, column in columns)
    clusters = sum(use for use, _ in columns)
    return WorstClustering(sizes, bits / n, max(upper, bits / n), clusters, groups, columns)


def checked_n_classes(given: int | None, present: int) -> int:
    """Return the number of classes that could occur: at least those that do."""
    if given is None:
        return present
    if not isinstance(given, int | np.integer) or not present <= given <= 10**15:
        raise MeasureError(
            f"n_classes={given!r}: a whole number from the {present} classes that occur to 1e15."
        )
    return int(given)


def _checked_sizes(class_sizes: Any) -> tuple[int, ...]:
    values = np.asarray(class_sizes).tolist()
    if not isinstance(values, list) or not values:
        raise TableError("class_sizes is a sequence of at least one class size.")
    for value in values:
        whole = isinstance(value, int) or (isinstance(value, float) and value.is_integer())
        if not whole or value < 1:
            raise TableError(
                f"class_sizes holds {value!r}; the worst clustering is one of whole objects, "
                "at least one in each class."
            )
    sizes = tuple(int(value) for value in values)
    if sum(sizes) >= 2**53:
        raise TableError(
            f"class_sizes adds up to {sum(sizes):,}; past 2^53 objects the solver loses single "
            "ones. The bound H(C) + log|C| has no such limit: q2(worst='bound')."
        )
    return sizes


class _Groups:
    """Classes of equal size taken together, largest first.

    `size` and `members` say how large the classes of a group are and how many there are; `start`
    is the number of classes before the group.
    """

    def __init__(self, sizes: tuple[int, ...]) -> None:
        self.order = np.array(sorted(range(len(sizes)), key=lambda c: -sizes[c]), dtype=np.intp)
        values, members = np.unique(np.array(sizes), return_counts=True)
        self.size = values[::-1].astype(np.int64)
        self.members = members[::-1].astype(np.int64)
        self.start = np.cumsum(self.members) - self.members

    def __len__(self) -> int:
        return len(self.size)

    @property
    def totals(self) -> NDArray[np.int64]:
        """Objects in each group."""
        return self.size * self.members

    def value(self, prices: FloatArray) -> float:
        """Return λ·h."""
        return math.fsum((prices * self.totals).tolist())

    def prefix(self, classes: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return how many of the first `classes` classes fall into each group, one row each."""
        return np.asarray(np.clip(classes[..., None] - self.start, 0, self.members))

    def deal(
        self, columns: tuple[tuple[int, NDArray[np.int64]], ...]
    ) -> tuple[NDArray[np.intp], NDArray[np.intp], NDArray[np.int64]]:
        """Write out the clusters: within a group, the classes take odd objects by turns."""
        rows, clusters, counts = [], [], []
        turn = np.zeros(len(self), dtype=np.int64)
        first = 0
        for uses, column in columns:
            for g in np.flatnonzero(column):
                members = int(self.members[g])
                each, odd = divmod(int(column[g]), members)
                taking = turn[g] + np.arange(uses * odd)
                parts = [(taking % members, np.repeat(np.arange(uses), odd), 1)]
                if each:
                    everyone = np.tile(np.arange(members), uses)
                    parts.append((everyone, np.repeat(np.arange(uses), members), each))
                for member, cluster, count in parts:
                    rows.append(self.order[self.start[g] + member])
                    clusters.append(first + cluster)
                    counts.append(np.full(len(member), count))
                turn[g] += uses * odd
            first += uses
        return np.concatenate(rows), np.concatenate(clusters), np.concatenate(counts)


class _Program:
    """The linear program over columns, each known by its total in every group."""

    def __init__(self, groups: _Groups, n_classes: int) -> None:
        self.groups = groups
        self.n_classes = n_classes
        classes = int(groups.members.sum())
        raisable = int(groups.members[groups.size >= 2].sum())
        j, t = np.meshgrid(np.arange(1, classes + 1), np.arange(_RAISED + 1))
        keep = (t <= j) & (t <= raisable)
        self.stairs: NDArray[np.int64] = np.stack([j[keep], t[keep]])
        self.extra: list[NDArray[np.int64]] = []

    def column(self, i: int) -> NDArray[np.int64]:
        """Return the i-th column's totals."""
        stairs = int(self.stairs.shape[1])
        if i >= stairs:
            return self.extra[i - stairs]
        return np.asarray(self.groups.prefix(self.stairs[:, i]).sum(axis=0))

    def bits(self, column: NDArray[np.int64]) -> float:
        """Return g(x) of a column whose objects are spread evenly within each group."""
        each, odd = np.divmod(column, self.groups.members)
        spread = (self.groups.members - odd) * _x_log_x(each) + odd * _x_log_x(each + 1)
        total = column.sum()
        table_cost = float(log2_choose(float(total), self.n_classes - 1))
        return float(_x_log_x(total) - spread.sum() + table_cost)

    def add(self, columns: list[NDArray[np.int64]]) -> None:
        """Let the program use further columns."""
        self.extra += columns

    def solve(self) -> tuple[FloatArray, FloatArray]:
        """Return how often each column is used, and the price of an object of each group."""
        from scipy.optimize import linprog

        matrix, target, bits = self._rows()
        result = linprog(
            -bits,
            A_eq=matrix,
            b_eq=target,
            method="highs",
            options={"primal_feasibility_tolerance": 1e-10, "dual_feasibility_tolerance": 1e-10},
        )
        if result.status != 0:
            raise TableError(f"the worst clustering was not found: {result.message}")
        return result.x, np.diff(-result.eqlin.marginals, prepend=0.0) / self.groups.members

    def _rows(self) -> tuple[Any, FloatArray, FloatArray]:
        """Rows are differences of neighbouring groups' average counts; all but a few are zero."""
        from scipy.sparse import coo_array, hstack

        j, t = self.stairs
        s = j + t
        bits = _x_log_x(s) - 2.0 * t + log2_choose(s.astype(np.float64), self.n_classes - 1)
        columns = np.arange(len(j))
        rows, places, values = [], [], []
        for reach in (j, t):
            used = reach > 0
            group = np.searchsorted(self.groups.start, reach[used], side="left") - 1
            share = (reach[used] - self.groups.start[group]) / self.groups.members[group]
            rows += [group, group - 1]
            places += [columns[used]] * 2
            values += [share, 1 - share]
        row, place, value = map(np.concatenate, (rows, places, values))
        inside = row >= 0
        shape = len(self.groups), len(j)
        matrix = coo_array((value[inside], (row[inside], place[inside])), shape=shape)
        size = self.groups.size.astype(np.float64)
        target = size - np.append(size[1:], 0.0)
        if self.extra:
            average = np.array(self.extra).T / self.groups.members[:, None]
            more = average - np.vstack([average[1:], np.zeros(len(self.extra))])
            matrix = hstack([matrix, coo_array(more)])
            bits = np.append(bits, [self.bits(column) for column in self.extra])
        return matrix.tocsc(), target, bits

    def violations(self, prices: FloatArray) -> tuple[float, list[NDArray[np.int64]]]:
        """Return the greatest (g(x) - λ·x)/s over all columns, and columns that violate."""
        limit = self._longest_column(prices)
        group, gain = self._best_objects(prices, limit)
        s = np.arange(1.0, len(gain) + 1)
        value = np.cumsum(gain) + _x_log_x(s) + log2_choose(s, self.n_classes - 1)
        excess = value / s
        worst = np.argsort(-excess)[:20]
        columns = [
            np.bincount(group[: i + 1], minlength=len(self.groups)).astype(np.int64)
            for i in worst
            if excess[i] > _TOLERANCE
        ]
        return float(excess.max()), columns

    def _longest_column(self, prices: FloatArray) -> int:
        """Return the least s from which on s log Σ 2^(-λ) + f(s) is negative, or n."""
        n = int(self.groups.totals.sum())
        slope = math.log2(float((self.groups.members * 2.0**-prices).sum()))
        s = 1
        while s < n and slope * s + float(log2_choose(float(s), self.n_classes - 1)) >= 0:
            s *= 2
        return min(s, n)

    def _best_objects(self, prices: FloatArray, limit: int) -> tuple[NDArray[np.intp], FloatArray]:
        """Return the group of each next-best object for a column, and what it adds.

        The i-th object of a class adds -(i log i - (i-1) log(i-1)) - λ, less with every i.
        """
        most = 4
        while True:
            i = np.arange(1, most + 1)
            gain = -np.diff(_x_log_x(np.arange(most + 1)))[None, :] - prices[:, None]
            possible = i[None, :] <= self.groups.size[:, None]
            group, level = np.nonzero(possible)
            gain = gain[group, level]
            repeats = self.groups.members[group]
            order = np.argsort(-gain, kind="stable")
            enough = int(np.searchsorted(np.cumsum(repeats[order]), limit)) + 1
            taken = order[:enough]
            # Complete once no class would want an object beyond those listed.
            if not (level[taken] == most - 1).any() or most >= self.groups.size.max():
                times = repeats[taken]
                return np.repeat(group[taken], times)[:limit], np.repeat(gain[taken], times)[:limit]
            most *= 2

    def whole(self, uses: FloatArray) -> tuple[tuple[int, NDArray[np.int64]], ...]:
        """Return an actual clustering: the solution itself, where its numbers are whole.

        They were in every case tried. Were they not, the columns would be used as often as they
        wholly can, and the objects left over go into clusters of one object per class.
        """
        for counts in (np.rint(uses), np.floor(uses + 1e-9)):
            columns = [(int(counts[i]), self.column(i)) for i in np.flatnonzero(counts).tolist()]
            left = self.groups.totals - sum(use * column for use, column in columns)
            if not left.any():
                break
        while left.any():
            column = np.minimum(left, self.groups.members)
            columns.append((1, column))
            left = left - column
        return tuple(columns)


def _x_log_x(x: Any) -> FloatArray:
    x = np.asarray(x, dtype=np.float64)
    return np.asarray(x * np.log2(np.where(x > 0, x, 1.0)))
