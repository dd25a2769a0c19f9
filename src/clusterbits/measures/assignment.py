"""The best one-to-one match of classes and clusters, for tables of any shape.

The match of a table is that of its connected components, and entity-resolution tables, however
large, fall into a great many small ones. A component with a single class or a single cluster is
matched by its largest cell; only the others go to a solver: for dense tables, or for sparse ones.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from clusterbits.system.limits import check_memory
from clusterbits.system.threads import call_interruptibly
from clusterbits.table.log_factorials import FloatArray
from clusterbits.table.numbering import concat_ranges

# Tables up to this many cells, or with at least 1 in 4 cells non-zero, are solved as dense ones.
_DENSE, _CELLS_PER_COUNT = 250_000, 4
# Peak bytes of a non-zero cell, measured with four million.
_CELL_BYTES = 160


class Sparse(Protocol):
    """Positions of the non-zero cells of a table."""

    @property
    def rows(self) -> NDArray[np.intp]: ...
    @property
    def columns(self) -> NDArray[np.intp]: ...
    @property
    def shape(self) -> tuple[int, int]: ...


def assignment_steps(table: Sparse) -> float:
    """Upper bound on the steps of the solver; usual weights take far fewer."""
    if _is_dense(table.shape, len(table.rows)):
        return _count_steps(table.shape, len(table.rows))
    components = Components.from_table(table)
    shapes = zip(components.classes.tolist(), components.clusters.tolist(), strict=True)
    cells = np.bincount(components.of_cells, minlength=len(components.simple)).tolist()
    return sum(_count_steps(*part) for part in zip(shapes, cells, strict=True))


def _count_steps(shape: tuple[int, int], n_cells: int) -> float:
    """Steps for a connected table: for each of the fewer groups, one through all cells at most."""
    if min(shape) <= 1:
        return 0.0
    cells = math.prod(shape) if _is_dense(shape, n_cells) else n_cells + sum(shape)
    return float(min(shape) * cells)


def best_assignment(table: Sparse, weights: FloatArray) -> float:
    """Greatest sum of the cells' weights over one-to-one matches."""
    return float(weights[assigned_cells(table, weights)].sum())


def assigned_cells(table: Sparse, weights: FloatArray) -> NDArray[np.intp]:
    """Indices of the non-zero cells in a best one-to-one match, in order."""
    check_memory(_CELL_BYTES * len(table.rows), f"a match in {len(table.rows):,} cells")
    if _is_dense(table.shape, len(table.rows)):
        return np.flatnonzero(_solve(table.rows, table.columns, weights, table.shape))
    components = Components.from_table(table)
    order = np.lexsort((weights, components.of_cells))
    sizes = np.bincount(components.of_cells, minlength=len(components.simple))
    ends = np.cumsum(sizes)
    is_matched = np.zeros(len(order), dtype=np.bool_)
    is_matched[order[ends[components.simple & (sizes > 0)] - 1]] = True
    rows = components.row_indices[table.rows[order]]
    columns, values = components.column_indices[table.columns[order]], weights[order]
    for component in np.flatnonzero(~components.simple):
        part = slice(ends[component - 1] if component else 0, ends[component])
        shape = int(components.classes[component]), int(components.clusters[component])
        is_matched[order[part]] = _solve(rows[part], columns[part], values[part], shape)
    return np.flatnonzero(is_matched)


def _is_dense(shape: tuple[int, int], n_cells: int) -> bool:
    return math.prod(shape) <= max(_DENSE, _CELLS_PER_COUNT * n_cells)


def _solve(
    rows: NDArray[np.intp], columns: NDArray[np.intp], weights: FloatArray, shape: tuple[int, int]
) -> NDArray[np.bool_]:
    """Mask of the cells in a best match of a table of this shape."""
    height, width = shape
    if height > width:
        return _solve(columns, rows, weights, (width, height))
    if _is_dense(shape, len(rows)):
        from scipy.optimize import linear_sum_assignment as solve

        table: Any = np.zeros(shape)
        table[rows, columns] = weights
    else:
        from scipy.sparse import csr_array
        from scipy.sparse.csgraph import min_weight_full_bipartite_matching as solve

        # Each row may also be matched with a column of its own, which adds nothing.
        own, base = np.arange(height), float(weights.max())
        ends = np.concatenate([rows, own]), np.concatenate([columns, width + own])
        cells = tuple(end.astype(np.int32) for end in ends)  # scipy 1.14 takes no others
        values = np.concatenate([weights + base, np.full(height, base)])
        table = csr_array((values, cells), shape=(height, width + height))
    if height * width > _DENSE:
        matched_rows, matched_columns = call_interruptibly(solve, table, maximize=True)
    else:
        matched_rows, matched_columns = solve(table, maximize=True)  # faster than a thread starts
    partners = np.empty(height, dtype=np.intp)
    partners[matched_rows] = matched_columns
    return np.asarray(partners[rows] == columns)


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
    indices[order] = concat_ranges(np.zeros_like(sizes), sizes)
    return sizes, indices
