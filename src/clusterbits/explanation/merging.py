r"""What merging clusters saves, the merges that save most, and the greedy merge path.

A cluster with counts x and s objects costs :math:`g(x) = s \log s - \sum_c x_c \log x_c + f(s)`
bits. Merging x and y of sizes a and b saves

.. math:: g(x) + g(y) - g(x + y) = F(a, b) - \varphi(a, b) + S(x, y),
          \qquad F(a, b) = f(a) + f(b) - f(a + b),

with φ and S as in `clusterbits.explanation.overlap`: there is one column less to send, but the
labels no longer profit from telling a and b apart. Two facts spare large tables most pairs:

- S ≤ φ(a, b), with equality for equal compositions. So no merge saves more than F, which grows
  with the sizes.
- Clusters without a common class have S = 0, and φ(a, b) ≥ F(a, b), because f is a logarithm of
  binomials. So such a merge never saves bits; it costs least for the smallest clusters.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from clusterbits.explanation.overlap import BestPairs, Index, SparseColumns, shared_bits
from clusterbits.table.log_factorials import FloatArray, log2_choose
from clusterbits.table.numbering import concat_ranges, factorize_integers

# Savings of one cluster that are computed together.
_AT_ONCE = 128
# Rounds end when one merges fewer pairs than this share of the clusters.
_MIN_MERGED = 0.005

# Two columns by number, and the bits that their merge saves (costs, if negative).
Saving = tuple[int, int, float]
# A step of the path: clusters left, bits it saves, and the pairs of columns it merges, by number,
# shape (n_pairs, 2). A merged cluster keeps the number of its larger part, the first of its pair.
Step = tuple[int, float, Index]


@dataclass(frozen=True)
class Merging:
    """What merges of a table's columns save, in bits."""

    columns: SparseColumns
    n_classes: int

    def column_bits(self, sizes: FloatArray) -> FloatArray:
        """Return f, the bits of columns of these sizes."""
        integers = sizes.astype(np.int64)
        if (integers == sizes).all():
            codes, values = factorize_integers(integers)  # faster than np.unique
        else:
            values, codes = np.unique(sizes, return_inverse=True)
        return np.asarray(log2_choose(values.astype(np.float64), self.n_classes - 1)[codes])

    @cached_property
    def own_bits(self) -> FloatArray:
        """The f of each column."""
        return self.column_bits(self.columns.sizes)

    def bounds(self, i: Index, j: Index) -> tuple[FloatArray, FloatArray]:
        """Return F - φ(a, b), the saving without a common class, and the upper bound F."""
        a, b = self.columns.sizes[i], self.columns.sizes[j]
        upper = self.own_bits[i] + self.own_bits[j] - self.column_bits(a + b)
        return upper - shared_bits(a, b), upper

    def saved(self, i: Index, j: Index) -> FloatArray:
        """Return the bits that the merge of each pair saves."""
        return self.bounds(i, j)[0] + self.columns.overlap(i, j)

    def best(self, top: int) -> tuple[list[Saving], bool]:
        """Return the merges that save most, and whether no other can save more."""
        best = self.columns.best_pairs(top, self.bounds, self.columns.sizes)
        if best.bar <= 0:
            self._offer_unlike(best)
        bits = self.saved(best.first, best.second)
        savings = zip(best.first.tolist(), best.second.tolist(), bits.tolist(), strict=True)
        return sorted(savings, key=lambda saving: -saving[2]), best.proven

    def _offer_unlike(self, best: BestPairs) -> None:
        """Offer the merges without a common class that may be among the best.

        They cost more the larger either cluster is. If `top` merges or more are of clusters that
        are not larger, a merge need not be offered.
        """
        order = np.argsort(self.columns.sizes, kind="stable")
        i = np.arange(min(math.isqrt(2 * best.top) + 1, len(order)))
        last = np.minimum(best.top // (i + 1) + i // 2 + 1, len(order) - 1)
        n_partners = np.maximum(last - i, 0)
        smaller, larger = order[np.repeat(i, n_partners)], order[concat_ranges(i + 1, n_partners)]
        first, second = np.minimum(smaller, larger), np.maximum(smaller, larger)
        unlike = self.columns.overlap(first, second) == 0
        first, second = first[unlike], second[unlike]
        best.offer(first, second, self.bounds(first, second)[0])

    def path(self) -> list[Step]:
        """Return the greedy path: one best merge after the other, down to a single cluster.

        If there are too many clusters for a matrix of all pairs, rounds come first: each cluster
        merges with at most one likely partner, best pairs first, if that saves bits. If hardly any
        pair does, the path ends.
        """
        steps: list[Step] = []
        state = self
        names = np.arange(self.columns.shape[1])
        while not state.columns.is_small:
            first, second, saved = state._matched()
            if len(first) <= _MIN_MERGED * state.columns.shape[1]:
                return steps
            pairs, state, names = state._joined(first, second, names)
            steps.append((state.columns.shape[1], float(saved.sum()), pairs))
        return [*steps, *_Greedy(state, names).steps()]

    def _matched(self) -> tuple[Index, Index, FloatArray]:
        """Return likely pairs to merge in one round, each column in at most one, and savings."""
        first, second = self.columns.likely_pairs
        saved = self.saved(first, second)
        order = np.argsort(-saved, kind="stable")[: int((saved > 0).sum())]
        merged: set[int] = set()
        chosen = []
        pairs = np.column_stack([first, second])[order].tolist()
        for index, pair in zip(order.tolist(), pairs, strict=True):
            if merged.isdisjoint(pair):
                merged.update(pair)
                chosen.append(index)
        return first[chosen], second[chosen], saved[chosen]

    def _joined(self, first: Index, second: Index, names: Index) -> tuple[Index, Merging, Index]:
        """Return the pairs by name, the table with them merged, and the names of its columns."""
        sizes = self.columns.sizes
        swap = sizes[second] > sizes[first]
        into, gone = np.where(swap, second, first), np.where(swap, first, second)
        root = np.arange(len(sizes))
        root[gone] = into
        remaining, group = np.unique(root, return_inverse=True)
        pairs = names[np.column_stack([into, gone])]
        return pairs, Merging(self.columns.merged(group), self.n_classes), names[remaining]


class _Greedy:
    """One best merge after the other, from upper bounds that are made exact if they lead.

    With the clusters of `SparseColumns.best_pairs`, the row of a leads and is made exact: a, b
    saves more than the other rows can, so it is merged, and their overlaps are never computed. The
    merged cluster shares with d at most what a and b did: a new upper bound without any count.

    `shared` holds upper bounds of S for all pairs, and `exact` says which of them are S itself.
    `upper` holds those of the savings: each pair in one row only, that of the column merged last.
    `best` is at least the maximum of each row of `upper`.
    """

    def __init__(self, merging: Merging, names: Index) -> None:
        self.merging, self.names = merging, names.tolist()
        self.sizes = merging.columns.sizes.copy()
        self.own_bits = merging.own_bits.copy()
        self.width = width = len(self.sizes)
        self.alive = np.ones(width, dtype=np.bool_)
        self.dense = merging.columns.dense.copy()
        self.shared = np.zeros((width, width))
        self.upper = np.full((width, width), -np.inf)
        i, j = np.triu_indices(width, 1)
        base, upper = merging.bounds(i, j)
        # S ≤ 2 Σ √(xy), and S ≤ φ of the sizes.
        roots = np.sqrt(self.dense.array)
        shared = np.minimum(2 * (roots @ roots.T)[i, j], upper - base)
        self.shared[i, j] = self.shared[j, i] = shared
        self.upper[i, j] = base + self.shared[i, j]
        self.exact = np.zeros((width, width), dtype=np.bool_)
        self.best = self.upper.max(axis=1)

    def steps(self) -> list[Step]:
        """Make the best merge until one cluster is left."""
        steps: list[Step] = []
        for left in range(self.width - 1, 0, -1):
            i, j = self._best_pair()
            i, j = (j, i) if self.sizes[j] > self.sizes[i] else (i, j)
            counts = self.dense.array[[i, j]].astype(np.float64)
            common = counts[:, (counts > 0).all(axis=0)]
            saved = self._merge(i, j) + float(shared_bits(*common).sum())
            steps.append((left, saved, np.array([[self.names[i], self.names[j]]])))
        return steps

    def _best_pair(self) -> tuple[int, int]:
        while True:
            i = int(self.best.argmax())
            top = self.upper[i].max()
            if top == self.best[i]:
                leading = (self.upper[i] == top) & self.exact[i]
                j = int(leading.argmax())
                if leading[j]:
                    return i, j
                self._make_exact(i)
            # Either the row has just been made exact, or its best pair was merged away.
            self.best[i] = self.upper[i].max()

    def _make_exact(self, i: int) -> None:
        """Compute the pairs of row i that may beat its exact ones, the highest bounds first."""
        row, exact = self.upper[i], self.exact[i]
        bar = row[exact].max(initial=-np.inf)
        (todo,) = (~exact & (row > bar)).nonzero()
        if len(todo) > _AT_ONCE:
            todo = todo[np.argpartition(-row[todo], _AT_ONCE)[:_AT_ONCE]]
        overlaps = self.dense.overlap(i, todo)
        row[todo] = row[todo] - self.shared[i, todo] + overlaps
        self.shared[i, todo] = self.shared[todo, i] = overlaps
        self.exact[i, todo] = self.exact[todo, i] = True

    def _merge(self, i: int, j: int) -> float:
        """Add column j to i; return what that saves besides S."""
        sizes = self.sizes
        self.alive[j] = False
        (rest,) = self.alive.nonzero()
        rest = rest[rest != i]
        size = sizes[i] + sizes[j]
        bits = self.merging.column_bits(np.append(size, size + sizes[rest]))
        apart = shared_bits(*sizes[[i, j]])
        base = float(self.own_bits[i] + self.own_bits[j] - bits[0] - apart)
        sizes[i], self.own_bits[i] = size, bits[0]
        self.dense.add(i, j)
        # φ(·, v) is concave and zero at zero: S is at most what i and j shared with the other.
        upper = shared_bits(size, sizes[rest])
        shared = np.minimum(upper, self.shared[i, rest] + self.shared[j, rest])
        self.shared[i, rest] = self.shared[rest, i] = shared
        self.exact[i] = self.exact[:, i] = False
        self.upper[j] = self.upper[:, j] = self.upper[:, i] = self.best[j] = -np.inf
        self.upper[i, rest] = bits[0] + self.own_bits[rest] - bits[1:] - upper + shared
        self.best[i] = self.upper[i].max()
        return base
