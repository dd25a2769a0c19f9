"""The classes of the leaves of a tree: labels of any form, brought into the order of the leaves."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, Unpack

import numpy as np
from numpy.typing import NDArray

from clusterbits.core.cells import Cells, Coverage, sum_by_key
from clusterbits.core.immutable import Immutable
from clusterbits.core.margins import Margin
from clusterbits.core.policy import TruthOptions
from clusterbits.core.table import Contingency
from clusterbits.errors import LabelError
from clusterbits.ingest.classes import read_classes
from clusterbits.trees.reading import Numbers
from clusterbits.trees.tree import Tree


@dataclass(frozen=True, eq=False)
class LeafClasses(Immutable):
    """The class of each leaf, by its position in `names`, and how many objects the leaf counts as.

    Leaves that are left out count as 0 objects; their class means nothing.
    """

    codes: Numbers
    weights: Numbers
    names: NDArray[Any]

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
        return Contingency.from_cells(Cells.from_keys(keys, counts, self.names, names))


def read_truth(truth: Any, tree: Tree, **labels: Unpack[TruthOptions]) -> LeafClasses:
    """Return the classes of the leaves; joined on ids where truth has ids of its own."""
    found = read_classes(truth, tree.objects, "the tree", **labels)
    if (found.places < 0).any():
        raise LabelError(
            "unmatched='class': some objects of truth are not in the tree, which has no cluster "
            "for them; pass unmatched='drop' to leave them out."
        )
    codes, weights = np.zeros((2, tree.n), dtype=np.int64)
    codes[found.places], weights[found.places] = found.codes, found.weights
    return LeafClasses(codes, weights, found.names)
