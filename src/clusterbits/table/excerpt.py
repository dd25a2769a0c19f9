"""The part of a table that fits a page: its largest clusters, in the order of the matching."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from clusterbits.table.noise import describe_noise
from clusterbits.table.numbering import inverse
from clusterbits.text.tables import counted, html_table, percent

if TYPE_CHECKING:
    from clusterbits.table.contingency import Contingency

# The maximum number of classes and clusters in a notebook cell.
_MAX_SHOWN = 15


class Excerpt(NamedTuple):
    """The largest clusters of a table and their largest classes.

    Clusters are ordered by their largest class, so that a good clustering looks like a staircase.

    Attributes
    ----------
    classes, clusters : tuple of labels
        Their names.
    counts : ndarray
        Their cells, dense.
    shares : ndarray of float
        Each cell as a share of the size of its cluster.
    caption : str
        The number of classes and clusters, and their share of the table.
    """

    classes: tuple[Any, ...]
    clusters: tuple[Any, ...]
    counts: NDArray[Any]
    shares: NDArray[np.float64]
    caption: str


def excerpt_of(table: Contingency, classes: int, clusters: int) -> Excerpt:
    """Return so many of the largest clusters of a table, and of their largest classes.

    >>> import clusterbits as cb
    >>> excerpt_of(cb.Contingency.from_counts([[0, 9, 1], [20, 0, 2]]), 5, 5).counts.tolist()
    [[20, 2, 0], [0, 1, 9]]
    """
    columns = np.sort(np.argsort(-table.cluster_sizes, kind="stable")[:clusters])
    shown = np.isin(table.columns, columns)
    sizes = np.bincount(
        table.rows[shown], weights=table.counts[shown].astype(np.float64), minlength=table.shape[0]
    )
    class_order = np.argsort(-sizes, kind="stable")
    class_rank = inverse(class_order)[table.rows]
    largest = largest_cells(table.columns, table.counts, class_rank)[columns]
    cluster_order = np.lexsort((-table.counts[largest].astype(np.float64), class_rank[largest]))
    return part_of(table, class_order[:classes], columns[cluster_order])


def part_of(table: Contingency, classes: NDArray[np.intp], clusters: NDArray[np.intp]) -> Excerpt:
    """Return the cells of these classes and clusters (indices), in that order."""
    row, column = np.full(table.shape[0], -1), np.full(table.shape[1], -1)
    row[classes], column[clusters] = np.arange(len(classes)), np.arange(len(clusters))
    rows, columns = row[table.rows], column[table.columns]
    inside = (rows >= 0) & (columns >= 0)
    shape = len(classes), len(clusters)
    counts = np.zeros(shape, dtype=table.counts.dtype)
    counts[rows[inside], columns[inside]] = table.counts[inside]
    shares = counts.astype(np.float64) / table.cluster_sizes[clusters].astype(np.float64)
    return Excerpt(
        tuple(table.cells.classes[classes].tolist()),
        tuple(table.cells.clusters[clusters].tolist()),
        counts,
        shares,
        _caption(table, shape, float(counts.sum()) / float(table.n)),
    )


def largest_cells(
    group: NDArray[np.intp], counts: NDArray[Any], rank: NDArray[np.intp]
) -> NDArray[np.intp]:
    """Return the index of the largest cell of each group; of equal ones, that of the lowest rank.

    >>> largest_cells(np.array([0, 0, 1]), np.array([4, 4, 1]), np.array([7, 5, 2])).tolist()
    [1, 2]
    """
    order = np.lexsort((-rank, counts.astype(np.float64), group))
    return np.asarray(order[np.cumsum(np.bincount(group)) - 1])


def _caption(table: Contingency, shape: tuple[int, int], share: float) -> str:
    if shape == table.shape:
        return f"{counted(shape[0], 'class')} × {counted(shape[1], 'cluster')}"
    return (
        f"the largest {shape[1]:,} of {table.shape[1]:,} clusters and {shape[0]:,} of "
        f"{table.shape[0]:,} classes, with {percent(share, 1)} of the objects"
    )


def table_html(table: Contingency) -> str:
    """Return a description and the excerpt as HTML."""
    excerpt = excerpt_of(table, _MAX_SHOWN, _MAX_SHOWN)
    caption = excerpt.caption if excerpt.counts.shape != table.shape else ""
    title = "; ".join(filter(None, [table.description, str(table.coverage or ""), caption]))
    lines = "<br>".join(map(escape, filter(None, [title, describe_noise({"": table})])))
    rows = [
        {"class \\ cluster": name, **dict(zip(excerpt.clusters, counts, strict=True))}
        for name, counts in zip(excerpt.classes, excerpt.counts.tolist(), strict=True)
    ]
    return f"<p>{lines}</p>{html_table(rows, mark_best=False)}"
