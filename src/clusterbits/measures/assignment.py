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

# A table goes to the solver as it is up to this many cells, or where one of so few is not zero.
_WHOLE, _WHOLE_PER_CELL = 250_000, 4
# What a dense cell takes: its weight, the copy that scipy's solver negates, and its place among the
# others. What a cell takes while components are found, of four million.
_DENSE_BYTES, _CELL_BYTES = 24, 50


class Sparse(Protocol):
    """Where the non-zero cells of a table are."""

    @property
    def rows(self) -> NDArray[np.intp]: ...
    @property
    def columns(self) -> NDArray[np.intp]: ...
    @property
    def shape(self) -> tuple[int, int]: ...


def assignment_steps(table: Sparse) -> float:
    """Return the most steps that the solver can take; usual weights take far fewer.

    In each component, the square of the fewer groups times the others.
    """
    classes, clusters = table.shape
    if _goes_whole(table):
        return float(min(classes, clusters) * classes * clusters)
    found = Components.of(table)
    sizes = np.stack([found.classes, found.clusters])[:, ~found.simple].astype(np.float64)
    return float((sizes.min(axis=0) * sizes.prod(axis=0)).sum())


def best_assignment(table: Sparse, weights: FloatArray) -> float:
    """Return the greatest sum of the cells' weights over one-to-one matches."""
    if _goes_whole(table):
        dense = _zeros(table.shape)
        dense[table.rows, table.columns] = weights
        return float(dense[_solve(dense)].sum())
    found = Components.of(table)
    best = assign_components(table, weights, found)
    total = float(best[found.simple].sum())
    for value in best[~found.simple].tolist():
        total += value
    return total


def _goes_whole(table: Sparse) -> bool:
    return math.prod(table.shape) <= max(_WHOLE, _WHOLE_PER_CELL * len(table.rows))


def _zeros(shape: tuple[int, int]) -> FloatArray:
    """Return a dense table to fill in; refuse one that, or whose match, memory has no room for."""
    what = f"a match of {shape[0]:,} classes with {shape[1]:,} clusters"
    check_memory(_DENSE_BYTES * math.prod(shape), what)
    return np.zeros(shape)


def assign_components(table: Sparse, weights: FloatArray, found: Components) -> FloatArray:
    """Return the greatest sum of weights of each connected component of the table."""
    simple = found.simple
    best = np.zeros(len(simple))
    np.maximum.at(best, found.of_cells, weights)
    # Many tables are small: the method sum would take as long as the solver.
    best[~simple] = [
        float(np.add.reduce(dense[_solve(dense)]))
        for _, _, dense in _dense_components(table, weights, found)
    ]
    return best


def assigned_cells(table: Sparse, weights: FloatArray) -> NDArray[np.intp]:
    """Return the cells of a best one-to-one match, by their positions among the non-zero ones."""
    found = Components.of(table)
    order = np.lexsort((weights, found.of_cells))
    largest = order[np.cumsum(np.bincount(found.of_cells)) - 1]
    matched = [largest[found.simple]]
    for cells, places, dense in _dense_components(table, weights, found):
        cell_at = np.full(dense.size, -1)
        cell_at[places] = cells
        chosen = cell_at.reshape(dense.shape)[_solve(dense)]
        # The solver also matches groups without a common object.
        matched.append(chosen[chosen >= 0])
    return np.sort(np.concatenate(matched))


def _dense_components(
    table: Sparse, weights: FloatArray, found: Components
) -> Iterator[tuple[NDArray[np.intp], NDArray[np.intp], FloatArray]]:
    """Yield each component for the solver: its cells, their places in it, and its weights.

    Only one is dense at a time.
    """
    simple = found.simple
    order = np.argsort(found.of_cells, kind="stable")
    order = order[~simple[found.of_cells[order]]]
    components = found.of_cells[order]
    rows, columns = found.row_places[table.rows[order]], found.column_places[table.columns[order]]
    places = rows * found.clusters[components] + columns
    starts = np.flatnonzero(np.diff(components, prepend=-1))
    shapes = zip(found.classes[~simple].tolist(), found.clusters[~simple].tolist(), strict=True)
    for (start, stop), shape in zip(pairwise([*starts.tolist(), len(order)]), shapes, strict=True):
        dense = _zeros(shape)
        dense.ravel()[places[start:stop]] = weights[order[start:stop]]
        yield order[start:stop], places[start:stop], dense


def _solve(dense: FloatArray) -> Any:
    """Return the rows and columns of a best match."""
    from scipy.optimize import linear_sum_assignment

    if dense.size > _WHOLE:
        return call_interruptibly(linear_sum_assignment, dense, maximize=True)
    return linear_sum_assignment(dense, maximize=True)  # far faster than a thread starts


class Components(NamedTuple):
    """The connected component of each cell, and the classes and clusters of each component.

    `row_places` and `column_places` number the classes and the clusters within their component.
    """

    of_cells: NDArray[np.intp]
    classes: NDArray[np.intp]
    clusters: NDArray[np.intp]
    row_places: NDArray[np.intp]
    column_places: NDArray[np.intp]

    @classmethod
    def of(cls, table: Sparse) -> Components:
        """Find the components of the graph that joins each class with its clusters."""
        from scipy.sparse import coo_array
        from scipy.sparse.csgraph import connected_components

        check_memory(_CELL_BYTES * len(table.rows), f"a match in {len(table.rows):,} cells")
        classes, clusters = table.shape
        ones, size = np.ones(len(table.rows), dtype=np.int8), classes + clusters
        graph = coo_array((ones, (table.rows, table.columns + classes)), shape=(size, size))
        number, labels = connected_components(graph, directed=False)
        sides = np.split(labels, [classes])
        sizes = [np.bincount(part, minlength=number) for part in sides]
        places = (_places(part, size) for part, size in zip(sides, sizes, strict=True))
        return cls(np.asarray(labels[table.rows]), *sizes, *places)

    @property
    def simple(self) -> NDArray[np.bool_]:
        """Which components have at most one class or at most one cluster."""
        return np.asarray((self.classes <= 1) | (self.clusters <= 1))


def _places(components: NDArray[np.intp], sizes: NDArray[np.intp]) -> NDArray[np.intp]:
    """Return the place of each group among those of its component."""
    order = np.argsort(components, kind="stable")
    places = np.empty(len(components), dtype=np.intp)
    places[order] = np.arange(len(components)) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    return places
