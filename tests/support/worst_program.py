"""The greatest code length of given class sizes by linear programming and by exhaustive search.

Oracles for `worst_clustering`: they know nothing of its theorem. The program chooses how often each
column of counts is used. It starts from "staircase" columns (one object of each of the first j
classes, a second of the first t ≤ 3) and adds columns that its prices do not cover, until none is
left: for given prices and sum s the most violating column is found greedily, and beyond some s none
can violate. Classes of one size are interchangeable, so there is one row for each distinct size.
"""

import math
from functools import lru_cache
from itertools import product

import numpy as np

from clusterbits.table.log_factorials import log2_choose

_RAISED = 3
_TOLERANCE = 1e-12
_ROUNDS = 200


def column_cost(column, n_classes):
    """Return g(x), the bits of one cluster, from its definition."""
    s = sum(column)
    labels = s * math.log2(s) - sum(x * math.log2(x) for x in column if x)
    return labels + math.log2(math.comb(s + n_classes - 1, n_classes - 1))


def worst_by_search(sizes, n_classes):
    """Return bits per object: the maximum over all multisets of columns."""
    columns = [x for x in product(*(range(size + 1) for size in sizes)) if any(x)]
    cost = {x: column_cost(x, n_classes) for x in columns}

    @lru_cache(None)
    def best(left):
        if not any(left):
            return 0.0
        first = next(i for i, size in enumerate(left) if size)
        return max(
            cost[x] + best(tuple(size - a for size, a in zip(left, x, strict=True)))
            for x in columns
            if x[first] and all(a <= size for a, size in zip(x, left, strict=True))
        )

    return best(tuple(sizes)) / sum(sizes)


def worst_by_linear_program(sizes, n_classes=None):
    """Return bits per object: the optimum of the program, and the upper bound of its prices."""
    groups = Groups(sizes)
    program = Program(groups, n_classes or len(sizes))
    for _ in range(_ROUNDS):
        value, prices = program.solve()
        excess, violating = program.violations(prices)
        if excess <= _TOLERANCE:
            break
        program.extra += violating
    n = sum(map(int, sizes))
    return value / n, math.fsum((prices * groups.totals).tolist()) / n + max(excess, 0.0)


class Groups:
    """Classes of equal size taken together, largest first; `start` classes come before a group."""

    def __init__(self, sizes):
        values, members = np.unique(np.array(sizes), return_counts=True)
        self.size = values[::-1].astype(np.int64)
        self.members = members[::-1].astype(np.int64)
        self.start = np.cumsum(self.members) - self.members

    def __len__(self):
        return len(self.size)

    @property
    def totals(self):
        return self.size * self.members


class Program:
    """The linear program over columns, each known by its total in every group."""

    def __init__(self, groups, n_classes):
        self.groups = groups
        self.n_classes = n_classes
        classes = int(groups.members.sum())
        raisable = int(groups.members[groups.size >= 2].sum())
        j, t = np.meshgrid(np.arange(1, classes + 1), np.arange(_RAISED + 1))
        keep = (t <= j) & (t <= raisable)
        self.stairs = np.stack([j[keep], t[keep]])
        self.extra = []

    def bits(self, column):
        """Return g(x) of a column whose objects are spread evenly within each group."""
        each, odd = np.divmod(column, self.groups.members)
        spread = (self.groups.members - odd) * _x_log_x(each) + odd * _x_log_x(each + 1)
        total = column.sum()
        table_cost = float(log2_choose(float(total), self.n_classes - 1))
        return float(_x_log_x(total) - spread.sum() + table_cost)

    def solve(self):
        """Return the optimum, and the price of an object of each group."""
        from scipy.optimize import linprog

        matrix, target, bits = self._rows()
        result = linprog(
            -bits,
            A_eq=matrix,
            b_eq=target,
            method="highs",
            options={"primal_feasibility_tolerance": 1e-10, "dual_feasibility_tolerance": 1e-10},
        )
        assert result.status == 0, result.message
        return -result.fun, np.diff(-result.eqlin.marginals, prepend=0.0) / self.groups.members

    def _rows(self):
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

    def violations(self, prices):
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

    def _longest_column(self, prices):
        """Return the least s from which on s log Σ 2^(-λ) + f(s) is negative, or n."""
        n = int(self.groups.totals.sum())
        slope = math.log2(float((self.groups.members * 2.0**-prices).sum()))
        s = 1
        while s < n and slope * s + float(log2_choose(float(s), self.n_classes - 1)) >= 0:
            s *= 2
        return min(s, n)

    def _best_objects(self, prices, limit):
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


def _x_log_x(x):
    x = np.asarray(x, dtype=np.float64)
    return np.asarray(x * np.log2(np.where(x > 0, x, 1.0)))
