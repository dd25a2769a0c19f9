"""A stack of tables with the rows and columns of one, such as its resamples.

Statistics are computed for all tables at once; they agree with those of one to about 1e-15.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from clusterbits.table.contingency import Contingency
from clusterbits.table.expected_information import expected_informations
from clusterbits.table.log_factorials import BITS_PER_NAT, relative_entropy_term
from clusterbits.table.margins import TableBits
from clusterbits.table.statistics import PairCounts

Counts = NDArray[np.int64]


class TableStack(TableBits):
    """Tables of integer counts as a matrix, with a row for each cell and a column for each table.

    Its properties are those of `TableStatistics`, an array each. Totals are below `SQUARE_FITS`.
    `make` returns the table of a column, for measures that need cells.
    """

    exact = True
    weighted = False

    def __init__(
        self,
        rows: NDArray[np.intp],
        columns: NDArray[np.intp],
        counts: Counts,
        make: Callable[[Counts], Contingency],
    ) -> None:
        self.rows, self.columns, self.counts, self._make = rows, columns, counts, make

    def __iter__(self) -> Iterator[Contingency]:
        """Iterate over the tables."""
        return iter(self._tables)

    @cached_property
    def _tables(self) -> list[Contingency]:
        return [self._make(counts) for counts in self.counts.T]

    @cached_property
    def n(self) -> Any:
        """The number of objects: one number if all tables have the same."""
        totals = self.counts.sum(axis=0)
        return int(totals[0]) if (totals == totals[0]).all() else totals

    @cached_property
    def class_sizes(self) -> Counts:
        """The size of each class; 0 if a table lacks it."""
        return add_rows(self.counts, self.rows)

    @cached_property
    def cluster_sizes(self) -> Counts:
        """The size of each cluster; 0 if a table lacks it."""
        return add_rows(self.counts, self.columns)

    @cached_property
    def shape(self) -> Any:
        """The numbers of classes and of clusters that occur."""
        classes, clusters = self.class_sizes, self.cluster_sizes
        return np.count_nonzero(classes, axis=0), np.count_nonzero(clusters, axis=0)

    @cached_property
    def is_perfect(self) -> Any:
        """Whether classes and clusters are the same partition."""
        cells = np.count_nonzero(self.counts, axis=0)
        return (cells == self.shape[0]) & (cells == self.shape[1])

    @cached_property
    def pairs(self) -> PairCounts:
        """The pairs, in Python's integers: products of them pass int64."""
        margins = self.counts, self.class_sizes, self.cluster_sizes
        n = np.asarray(self.n)
        together, same_class, same_cluster = (
            ((np.einsum("ij,ij->j", sizes, sizes) - n) // 2).astype(object) for sizes in margins
        )
        return PairCounts.of(together, same_class, same_cluster, (n * (n - 1) // 2).astype(object))

    @cached_property
    def class_entropy(self) -> Any:
        """H(C)."""
        return self._surprise(self.class_sizes, np.asarray(self.n))

    @cached_property
    def cluster_entropy(self) -> Any:
        """H(K)."""
        return self._surprise(self.cluster_sizes, np.asarray(self.n))

    @cached_property
    def class_entropy_given_cluster(self) -> Any:
        """H(C|K)."""
        return self._surprise(self.counts, self.cluster_sizes[self.columns])

    @cached_property
    def cluster_entropy_given_class(self) -> Any:
        """H(K|C)."""
        return self._surprise(self.counts, self.class_sizes[self.rows])

    def _surprise(self, part: Counts, total: Counts) -> Any:
        """Return Σ part/n log2(whole/part) over the cells of each table."""
        terms = part * np.log1p((total - part) / np.maximum(part, 1))
        return terms.sum(axis=0) / self.n * BITS_PER_NAT

    @cached_property
    def mutual_information(self) -> Any:
        """I(C;K), as a sum of positive terms: see `Contingency.mutual_information`."""
        square = np.asarray(self.n) ** 2
        product = self.class_sizes[self.rows] * self.cluster_sizes[self.columns]
        product[self.counts == 0] = 0
        excess = (self.n * self.counts - product) / np.maximum(product, 1)
        terms = product * relative_entropy_term(excess)
        empty = square - product.sum(axis=0)
        return (terms.sum(axis=0) + empty) / square * BITS_PER_NAT

    @cached_property
    def expected_information(self) -> Any:
        """E[I(C;K)], the mean over shuffled objects."""
        information = np.empty(self.counts.shape[1])
        totals = np.broadcast_to(self.n, information.shape)
        for n in np.unique(totals).tolist():
            tables = totals == n
            sizes = self.class_sizes[:, tables], self.cluster_sizes[:, tables]
            information[tables] = expected_informations(n, *sizes)
        return information


def add_rows(values: NDArray[Any], groups: NDArray[np.intp]) -> NDArray[Any]:
    """Return the sum of the rows of each group; groups are 0, 1, ... and none is empty.

    >>> add_rows(np.array([[1, 2], [3, 4], [5, 6]]), np.array([0, 1, 0])).tolist()
    [[6, 8], [3, 4]]
    """
    order = np.argsort(groups, kind="stable")
    starts = np.flatnonzero(np.diff(groups[order], prepend=-1))
    return np.add.reduceat(values[order], starts, axis=0)
