"""The best one-to-one match of classes and clusters, for tables of any shape.

The match of a table is that of its connected components, and entity-resolution tables, however
large, fall into a great many small ones. A component with a single class or a single cluster is
matched by its largest cell; only the others go to the assignment solver.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from clusterbits.core.combinatorics import FloatArray
from clusterbits.core.table import Contingency
from clusterbits.limits import check_cost, is_affordable
from clusterbits.parallel import call_interruptibly

# Up to this many cells a table goes to the solver as it is.
_WHOLE = 250_000
# What the solver took for the hardest weights of 7,000 × 7,000 cells, four minutes, by the square
# of the fewer groups times the others. Usual weights take some seconds.
_STEP_SECONDS = 7e-10


def can_assign(table: Contingency) -> bool:
    """Whether the solver takes neither too long nor too much memory."""
    if is_affordable(**_cost(*table.shape)):
        return True
    found = Components.of(table)
    return is_affordable(**_cost(found.classes[~found.simple], found.clusters[~found.simple]))


def _cost(classes: Any, clusters: Any) -> dict[str, float]:
    """Return the most that components of so many classes and clusters can take."""
    few = np.minimum(classes, clusters).astype(np.float64)
    cells = few * np.maximum(classes, clusters)
    return {
        "seconds": float(_STEP_SECONDS * (few * cells).sum()),
        "memory": float(8 * cells.max(initial=0)),
    }


def best_assignment(table: Contingency, weights: FloatArray) -> float:
    """Return the greatest sum of the cells' weights over one-to-one matches."""
    from scipy.optimize import linear_sum_assignment

    if table.shape[0] * table.shape[1] <= _WHOLE:
        dense = np.zeros(table.shape)
        dense[table.rows, table.columns] = weights
        return float(dense[linear_sum_assignment(dense, maximize=True)].sum())
    found = Components.of(table)
    component, simple = found.of_cells, found.simple
    classes, clusters = found.classes[~simple], found.clusters[~simple]
    check_cost(
        f"matching {classes.sum():,} classes with {clusters.sum():,} clusters by the assignment "
        "solver, at worst,",
        "measures that need no match, such as q0, bcubed_f1 or purity, have no such limit",
        **_cost(classes, clusters),
    )
    largest = np.zeros(len(simple))
    np.maximum.at(largest, component, weights)
    total = float(largest[simple].sum())
    # The cells of the other components, one component after another.
    order = np.argsort(component, kind="stable")
    order = order[~simple[component[order]]]
    starts = np.flatnonzero(np.diff(component[order], prepend=-1))
    for cells in np.split(order, starts[1:]):
        if len(cells):
            total += _solve(table, weights, cells)
    return total


def _solve(table: Contingency, weights: FloatArray, cells: NDArray[np.intp]) -> float:
    from scipy.optimize import linear_sum_assignment

    row_names, rows = np.unique(table.rows[cells], return_inverse=True)
    column_names, columns = np.unique(table.columns[cells], return_inverse=True)
    shape = len(row_names), len(column_names)
    dense = np.zeros(shape)
    dense[rows, columns] = weights[cells]
    solve = linear_sum_assignment
    if dense.size > _WHOLE:
        best = call_interruptibly(solve, dense, maximize=True)
    else:  # far faster than a thread starts
        best = solve(dense, maximize=True)
    return float(dense[best].sum())


class Components(NamedTuple):
    """The connected component of each cell, and the classes and clusters of each component."""

    of_cells: NDArray[np.intp]
    classes: NDArray[np.intp]
    clusters: NDArray[np.intp]

    @classmethod
    def of(cls, table: Contingency) -> Components:
        """Find the components of the graph that joins each class with its clusters."""
        from scipy.sparse import coo_array
        from scipy.sparse.csgraph import connected_components

        classes, clusters = table.shape
        ones, size = np.ones(len(table.rows), dtype=np.int8), classes + clusters
        graph = coo_array((ones, (table.rows, table.columns + classes)), shape=(size, size))
        number, labels = connected_components(graph, directed=False)
        sizes = (np.bincount(part, minlength=number) for part in np.split(labels, [classes]))
        return cls(np.asarray(labels[table.rows]), *sizes)

    @property
    def simple(self) -> NDArray[np.bool_]:
        """Which components have a single class or a single cluster."""
        return np.asarray((self.classes == 1) | (self.clusters == 1))
