r"""Which clusters to merge: what each merge saves, the best ones, and the greedy path of them.

A cluster with counts x and s objects costs :math:`g(x) = s \log s - \sum_c x_c \log x_c + f(s)`
bits. Merging x and y of sizes a and b saves

.. math:: g(x) + g(y) - g(x + y) = F(a, b) - \varphi(a, b) + S(x, y),
          \qquad F(a, b) = f(a) + f(b) - f(a + b),

φ and S as in `clusterbits.explanation.overlap`: one column less to send, against labels that no
longer tell a from b. Since S ≤ φ(a, b), with equality for like compositions, no merge saves more
than F, which grows with the sizes. Clusters without a common class have S = 0, and
φ(a, b) ≥ F(a, b) (f is a logarithm of binomials), so such a merge never saves, and costs least for
the smallest sizes.
Both facts are what spares large tables the trial of all pairs.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from clusterbits.core.combinatorics import FloatArray, log2_choose
from clusterbits.explanation.overlap import Index, SparseColumns, shared_bits

# Up to here the path takes one best merge after the other, from a matrix of all savings.
_MOST_STEPS = 2000
# Up to so many distinct sizes have a table of what depends on sizes only.
_MOST_SIZES = 2000
# Savings of one cluster that are made exact together.
_AT_ONCE = 64
# A round that merges fewer clusters than this share of them is the last.
_ROUND_PAYS = 0.005
# Pairs without a common class that are looked at, the smallest clusters first.
_MOST_UNLIKE = 2000


class Saving(NamedTuple):
    """Two columns by number, and the bits that their merge saves (costs, where negative)."""

    first: int
    second: int
    bits: float


class MergeStep(NamedTuple):
    """A point of the path: clusters left, bits saved by this step, and the two that merged.

    `merged` names columns of the table by number, a merged cluster by its largest part; it is None
    where a round merged many pairs at once.
    """

    clusters: int
    bits_saved: float
    merged: tuple[int, int] | None


@dataclass(frozen=True)
class Merging:
    """What merges of a table's columns save, in bits."""

    columns: SparseColumns
    n_classes: int

    @cached_property
    def _column_bits(self) -> FloatArray:
        return self._f(self.columns.sizes)

    def _f(self, sizes: FloatArray) -> FloatArray:
        return log2_choose(sizes, self.n_classes - 1)

    def at_most(self, i: Any, j: Any) -> FloatArray:
        """Return F: the bits that one column costs less than two."""
        both = self.columns.sizes[i] + self.columns.sizes[j]
        return np.asarray(self._column_bits[i] + self._column_bits[j] - self._f(both))

    def if_unlike(self, i: Any, j: Any) -> FloatArray:
        """Return F - φ(a, b): what a merge saves where no class is common. Never above zero."""
        sizes, at = self._distinct
        if len(sizes) > _MOST_SIZES:
            a, b = self.columns.sizes[i], self.columns.sizes[j]
            return self.at_most(i, j) - shared_bits(a, b)
        return np.asarray(self._by_size[at[i], at[j]])

    @cached_property
    def _distinct(self) -> tuple[FloatArray, Index]:
        sizes, at = np.unique(self.columns.sizes, return_inverse=True)
        return sizes, at

    @cached_property
    def _by_size(self) -> FloatArray:
        """`if_unlike` for all pairs of distinct sizes, which are fewer than the clusters."""
        sizes = self._distinct[0]
        a, b, bits = sizes[:, None], sizes, self._f(sizes)
        return bits[:, None] + bits - self._f(a + b) - shared_bits(a, b)

    def saved(self, i: Index, j: Index) -> FloatArray:
        """Return what the merge of each pair saves."""
        return self.if_unlike(i, j) + self.columns.overlap(i, j)

    @property
    def _small(self) -> bool:
        return self.columns.fits and self.columns.shape[1] <= _MOST_STEPS

    # --- the best merges -------------------------------------------------------------------------

    def best(self, top: int) -> tuple[list[Saving], bool]:
        """Return the merges that save most, and whether no other can save more."""
        first, second, proven = self.columns.best_pairs(
            top, self.if_unlike, self.at_most, self.columns.sizes
        )
        found = [
            Saving(*pair)
            for pair in zip(
                first.tolist(), second.tolist(), self.saved(first, second).tolist(), strict=True
            )
        ]
        if not self.columns.fits and sum(saving.bits > 0 for saving in found) < top:
            unlike, complete = self._best_unlike(top)
            found, proven = found + unlike, proven and complete
        return sorted(found, key=lambda saving: -saving.bits)[:top], proven

    def _best_unlike(self, top: int) -> tuple[list[Saving], bool]:
        """Return the cheapest merges of clusters without a common class, and whether all are.

        Their cost grows with either size, so they are met in order by walking from the two
        smallest clusters to the next larger on either side.
        """
        order = np.argsort(self.columns.sizes, kind="stable")

        def entry(i: int, j: int) -> tuple[float, int, int]:
            return -float(self.if_unlike(order[i], order[j])), i, j

        queue = [entry(0, 1)]
        found: list[Saving] = []
        for _ in range(_MOST_UNLIKE):
            if not queue or len(found) == top:
                return found, True
            cost, i, j = heapq.heappop(queue)
            if j + 1 < len(order):
                heapq.heappush(queue, entry(i, j + 1))
            if j == i + 1 and j + 1 < len(order):
                heapq.heappush(queue, entry(i + 1, j + 1))
            first, second = sorted((int(order[i]), int(order[j])))
            if self.columns.overlap(np.array([first]), np.array([second]))[0] == 0:
                found.append(Saving(first, second, -cost))
        return found, False

    # --- the path --------------------------------------------------------------------------------

    def path(self) -> list[MergeStep]:
        """Return the greedy path: one best merge after the other, down to a single cluster.

        From more clusters than a matrix of all pairs can hold, rounds come first: every cluster
        merges with at most one of those most like it, best pairs first, where that saves bits.
        Where none saves any more, the path ends.
        """
        steps: list[MergeStep] = []
        state = self
        names = np.arange(self.columns.shape[1])
        while not state._small:
            first, second, saved = state._matched()
            if len(first) <= _ROUND_PAYS * state.columns.shape[1]:
                return steps
            state, names = state._joined(first, second, names)
            steps.append(MergeStep(state.columns.shape[1], float(saved.sum()), None))
        return steps + state._one_by_one(names)

    def _matched(self) -> tuple[Index, Index, FloatArray]:
        """Return pairs of candidates to merge at once, each column in one pair at most."""
        first, second = self.columns.candidates()
        saved = self.saved(first, second)
        order = np.argsort(-saved, kind="stable")[: int((saved > 0).sum())]
        free, taken = [True] * self.columns.shape[1], []
        for at, i, j in zip(
            order.tolist(), first[order].tolist(), second[order].tolist(), strict=True
        ):
            if free[i] and free[j]:
                free[i] = free[j] = False
                taken.append(at)
        return first[taken], second[taken], saved[taken]

    def _joined(self, first: Index, second: Index, names: Index) -> tuple[Merging, Index]:
        """Return the table with these pairs merged, and the names of its columns."""
        sizes = self.columns.sizes
        swap = sizes[second] > sizes[first]
        into, gone = np.where(swap, second, first), np.where(swap, first, second)
        root = np.arange(len(sizes))
        root[gone] = into
        kept, group = np.unique(root, return_inverse=True)
        return Merging(self.columns.merged(group), self.n_classes), names[kept]

    def _one_by_one(self, names: Index) -> list[MergeStep]:
        return [
            MergeStep(left, bits, (int(names[i]), int(names[j])))
            for left, i, j, bits in _Greedy(self).steps()
        ]


class _Greedy:
    """One best merge after the other, by upper bounds that are made exact where they lead.

    `shared` bounds the S of all pairs from above, `upper` their savings; a pair stands in one row
    of `upper` only, that of the column merged last. A merged column shares with another no more
    than its two parts did, because φ(·, v) is concave and zero at zero. `best` is at least the
    maximum of each row, and is looked up again when its row leads.
    """

    def __init__(self, merging: Merging) -> None:
        self.f = merging._f
        self.dense = merging.columns.dense.copy()
        self.sizes = merging.columns.sizes.copy()
        self.column_bits = merging._column_bits.copy()
        self.width = len(self.sizes)
        self.alive = np.ones(self.width, dtype=np.bool_)
        everyone = np.arange(self.width)
        self.shared = self.dense.bounds(0, self.width)
        self.upper = self.shared + merging.if_unlike(everyone[:, None], everyone)
        self.exact = np.zeros((self.width, self.width), dtype=np.bool_)
        self.upper[np.tril_indices(self.width)] = -np.inf
        self.best = self.upper.max(axis=1)

    def _unlike(self, i: int, others: Index) -> FloatArray:
        a, b = self.sizes[i], self.sizes[others]
        fewer = self.column_bits[i] + self.column_bits[others] - self.f(a + b)
        return np.asarray(fewer - shared_bits(a, b))

    def steps(self) -> Iterator[tuple[int, int, int, float]]:
        """Yield clusters left, the two that merge (into the first), and the bits that saves."""
        for left in range(self.width - 1, 0, -1):
            i, j = self._best_pair()
            if self.sizes[j] > self.sizes[i]:
                i, j = j, i
            yield left, i, j, self._saved(i, j)
            self._merge(i, j)

    def _best_pair(self) -> tuple[int, int]:
        while True:
            i = int(self.best.argmax())
            top = self.upper[i].max()
            if top == self.best[i]:
                leading = np.flatnonzero((self.upper[i] == top) & self.exact[i])
                if len(leading):
                    return i, int(leading[0])
                self._make_exact(i)
            self.best[i] = self.upper[i].max()

    def _make_exact(self, i: int) -> None:
        row, exact = self.upper[i], self.exact[i]
        bar = row[exact].max(initial=-np.inf)
        todo = np.flatnonzero(~exact & (row > bar))
        if len(todo) > _AT_ONCE:
            todo = todo[np.argpartition(-row[todo], _AT_ONCE)[:_AT_ONCE]]
        shared = self.dense.overlap(i, todo)
        upper = row[todo] - self.shared[i, todo] + shared
        self.shared[i, todo] = self.shared[todo, i] = shared
        self.upper[i, todo] = upper
        self.exact[i, todo] = True

    def _saved(self, i: int, j: int) -> float:
        """Return what the merge saves, to the last digits."""
        x, y = self.dense.array[i], self.dense.array[j]
        common = (x > 0) & (y > 0)
        shared = shared_bits(x[common], y[common]).sum()
        return float(self._unlike(i, np.array([j]))[0] + shared)

    def _merge(self, i: int, j: int) -> None:
        self.dense.merge(i, j)
        self.sizes[i] += self.sizes[j]
        self.column_bits[i] = self.f(self.sizes[i])
        self.alive[j] = False
        self.upper[j] = self.upper[:, j] = self.upper[:, i] = self.best[j] = -np.inf
        others = np.flatnonzero(self.alive & (np.arange(self.width) != i))
        whole = shared_bits(self.sizes[i], self.sizes[others])
        shared = np.minimum(whole, self.shared[i, others] + self.shared[j, others])
        self.shared[i, others] = self.shared[others, i] = shared
        self.upper[i, others] = self._unlike(i, others) + shared
        self.exact[i] = False
        self.best[i] = self.upper[i].max()
