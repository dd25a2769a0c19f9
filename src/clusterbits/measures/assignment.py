"""The best one-to-one match of classes and clusters, for tables of any shape.

The match of a table is that of its connected components, and entity-resolution tables, however
large, fall into a great many small ones. A component with a single class or a single cluster is
matched by its largest cell; only the others go to the assignment solver.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from itertools import pairwise
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from clusterbits.system.limits import check_memory
from clusterbits.system.threads import call_interruptibly
from clusterbits.table.log_factorials import FloatArray

# Tables up to this many cells, or with at least 1 in 4 cells non-zero, are solved undivided.
_UNDIVIDED, _CELLS_PER_COUNT = 250_000, 4
# Bytes of a dense cell (its weight, the copy that scipy's solver negates, its position), and of a
# cell while components are found, measured with four million.
_DENSE_BYTES, _CELL_BYTES = 24, 50


class Sparse(Protocol):
    """Positions of the non-zero cells of a table."""

    @property
    def rows(self) -> NDArray[np.intp]: ...
    @property
    def columns(self) -> NDArray[np.intp]: ...
    @property
    def shape(self) -> tuple[int, int]: ...


def assignment_steps(table: Sparse) -> float:
    """Upper bound on the steps of the solver; usual weights take far fewer.

    In each component, the square of the fewer groups times the others.
    """
    classes, clusters = table.shape
    if _is_undivided(table):
        return float(min(classes, clusters) * classes * clusters)
    components = Components.from_table(table)
    sizes = np.stack([components.classes, components.clusters])[:, ~components.simple]
    return float((sizes.min(axis=0) * sizes.prod(axis=0, dtype=np.float64)).sum())


def best_assignment(table: Sparse, weights: FloatArray) -> float:
    """Greatest sum of the cells' weights over one-to-one matches."""
    if not _is_undivided(table):
        return float(assign_components(table, weights, Components.from_table(table)).sum())
    dense = _make_dense(table.shape)
    dense[table.rows, table.columns] = weights
    return float(dense[_solve(dense)].sum())


def _is_undivided(table: Sparse) -> bool:
    return math.prod(table.shape) <= max(_UNDIVIDED, _CELLS_PER_COUNT * len(table.rows))


def _make_dense(shape: tuple[int, int]) -> FloatArray:
    """Dense table of zeros; an error if memory has no room for it, or for its match."""
    what = f"a match of {shape[0]:,} classes with {shape[1]:,} clusters"
    check_memory(_DENSE_BYTES * math.prod(shape), what)
    return np.zeros(shape)


def assign_components(table: Sparse, weights: FloatArray, components: Components) -> FloatArray:
    """Greatest sum of weights in each connected component of the table."""
    best = np.zeros(len(components.classes))
    np.maximum.at(best, components.of_cells, weights)
    # Most dense tables are small: the method sum would take as long as the solver.
    best[~components.simple] = [
        float(np.add.reduce(dense[_solve(dense)]))
        for _, _, dense in _dense_components(table, weights, components)
    ]
    return best


def assigned_cells(table: Sparse, weights: FloatArray) -> NDArray[np.intp]:
    """Indices of the non-zero cells in a best one-to-one match."""
    components = Components.from_table(table)
    order = np.lexsort((weights, components.of_cells))
    largest = order[np.cumsum(np.bincount(components.of_cells)) - 1]
    matched = [largest[components.simple]]
    for cells, positions, dense in _dense_components(table, weights, components):
        cell_at = np.full(dense.size, -1)
        cell_at[positions] = cells
        chosen = cell_at.reshape(dense.shape)[_solve(dense)]
        # The solver also matches groups without a common object.
        matched.append(chosen[chosen >= 0])
    return np.sort(np.concatenate(matched))


def _dense_components(
    table: Sparse, weights: FloatArray, components: Components
) -> Iterator[tuple[NDArray[np.intp], NDArray[np.intp], FloatArray]]:
    """Yield each component for the solver: its cells, their positions in it, and its weights.

    Only one is dense at a time.
    """
    simple = components.simple
    cells = np.argsort(components.of_cells, kind="stable")
    cells = cells[~simple[components.of_cells[cells]]]
    component = components.of_cells[cells]
    rows = components.row_indices[table.rows[cells]]
    columns = components.column_indices[table.columns[cells]]
    positions = rows * components.clusters[component] + columns
    starts = np.flatnonzero(np.diff(component, prepend=-1))
    sizes = components.classes[~simple].tolist(), components.clusters[~simple].tolist()
    ranges = pairwise([*starts.tolist(), len(cells)])
    for (start, stop), shape in zip(ranges, zip(*sizes, strict=True), strict=True):
        dense = _make_dense(shape)
        dense.ravel()[positions[start:stop]] = weights[cells[start:stop]]
        yield cells[start:stop], positions[start:stop], dense


def _solve(dense: FloatArray) -> Any:
    """Rows and columns of a best match."""
    from scipy.optimize import linear_sum_assignment

    if dense.size > _UNDIVIDED:
        return call_interruptibly(linear_sum_assignment, dense, maximize=True)
    return linear_sum_assignment(dense, maximize=True)  # far faster than a thread starts


class Components(NamedTuple):
    """The connected component of each cell, and the classes and clusters of each component.

    `row_indices` and `column_indices` number classes and clusters within their component.
    """

    of_cells: NDArray[np.intp]
    classes: NDArray[np.intp]
    clusters: NDArray[np.intp]
    row_indices: NDArray[np.intp]
    column_indices: NDArray[np.intp]

    @classmethod
    def from_table(cls, table: Sparse) -> Components:
        """Components of the graph that joins each class with its clusters."""
        from scipy.sparse import coo_array
        from scipy.sparse.csgraph import connected_components

        check_memory(_CELL_BYTES * len(table.rows), f"a match in {len(table.rows):,} cells")
        n_classes, n_groups = table.shape[0], sum(table.shape)
        edges = np.ones(len(table.rows), dtype=np.int8), (table.rows, table.columns + n_classes)
        graph = coo_array(edges, shape=(n_groups, n_groups))
        n_components, component = connected_components(graph, directed=False)
        of_classes, of_clusters = np.split(component, [n_classes])
        classes, row_indices = _number_within(of_classes, n_components)
        clusters, column_indices = _number_within(of_clusters, n_components)
        return cls(component[table.rows], classes, clusters, row_indices, column_indices)

    @property
    def simple(self) -> NDArray[np.bool_]:
        """Components with at most one class or at most one cluster."""
        return np.asarray((self.classes <= 1) | (self.clusters <= 1))


def _number_within(component: NDArray[np.intp], n_components: int) -> tuple[Any, Any]:
    """Number of groups in each component, and the index of each group within its component."""
    sizes = np.bincount(component, minlength=n_components)
    order = np.argsort(component, kind="stable")
    indices = np.empty(len(component), dtype=np.intp)
    indices[order] = np.arange(len(component)) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    return sizes, indices
