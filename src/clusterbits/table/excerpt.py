"""The part of a table that fits a page: its largest clusters, classes in matching order.

Notebooks show it as a small HTML heatmap, `Contingency.plot` draws it.
"""

from __future__ import annotations

import sys
from html import escape
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from clusterbits.table.noise_note import describe_noise
from clusterbits.text.palette import CELL, CELL_OPACITY
from clusterbits.text.tables import counted, cut_html, percent, short, with_commas

if TYPE_CHECKING:
    from clusterbits.table.contingency import Contingency

# A notebook cell shows at most this many classes and clusters.
_SHOWN = 15
# Characters of a class or cluster: 15 of them side by side.
_WIDEST = 16


class Excerpt(NamedTuple):
    """Some classes and clusters of a table, ordered so that the matching shows.

    Attributes
    ----------
    classes, clusters : tuple of labels
        The largest clusters, and the classes they hold most of, in that order; clusters by their
        largest class, then by how much of it they hold: a good clustering looks like a staircase.
    counts : ndarray
        Their cells, dense.
    shares : ndarray of float
        Each cell as a share of its whole cluster: how dark it is drawn.
    caption : str
        What is shown, and of how much.
    """

    classes: tuple[Any, ...]
    clusters: tuple[Any, ...]
    counts: NDArray[Any]
    shares: NDArray[np.float64]
    caption: str


def excerpt_of(table: Contingency, classes: int, clusters: int) -> Excerpt:
    """Return the largest clusters of a table and the classes they hold most of: see `Excerpt`.

    >>> import clusterbits as cb
    >>> excerpt_of(cb.Contingency.from_counts([[0, 9, 1], [20, 0, 2]]), 5, 5).counts.tolist()
    [[20, 2, 0], [0, 1, 9]]
    """
    kept = np.sort(np.argsort(-table.cluster_sizes, kind="stable")[:clusters])
    shown = np.isin(table.columns, kept)
    held = np.bincount(
        table.rows[shown], weights=table.counts[shown].astype(np.float64), minlength=table.shape[0]
    )
    class_order = np.argsort(-held, kind="stable")
    place = np.empty_like(class_order)
    place[class_order] = np.arange(len(class_order))
    largest = largest_cells(table.columns, table.counts, place[table.rows])[kept]
    leading = place[table.rows[largest]]
    cluster_order = kept[np.lexsort((-table.counts[largest].astype(np.float64), leading))]
    return part_of(table, class_order[:classes], cluster_order)


def part_of(table: Contingency, classes: NDArray[np.intp], clusters: NDArray[np.intp]) -> Excerpt:
    """Return the cells of some classes and clusters, given by their positions, in that order."""
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
    group: NDArray[np.intp], counts: NDArray[Any], place: NDArray[np.intp]
) -> NDArray[np.intp]:
    """Return where the largest cell of each group is; of equal ones, that with the least place.

    >>> largest_cells(np.array([0, 0, 1]), np.array([4, 4, 1]), np.array([7, 5, 2])).tolist()
    [1, 2]
    """
    order = np.lexsort((-place, counts.astype(np.float64), group))
    return np.asarray(order[np.cumsum(np.bincount(group)) - 1])


def _caption(table: Contingency, shape: tuple[int, int], share: float) -> str:
    if shape == table.shape:
        return f"{counted(shape[0], 'class')} × {counted(shape[1], 'cluster')}"
    return (
        f"the largest {shape[1]:,} of {table.shape[1]:,} clusters and {shape[0]:,} of "
        f"{table.shape[0]:,} classes, with {percent(share, 1)} of the objects"
    )


def table_html(table: Contingency) -> str:
    """Return classes × clusters; a cell is as dark as its share of its cluster."""
    excerpt = excerpt_of(table, _SHOWN, _SHOWN)
    cut = f"; {excerpt.caption}" if excerpt.counts.shape != table.shape else ""
    coverage = "" if table.coverage is None else f"; {table.coverage}"
    title = f"{table.description}{coverage}{cut}"
    above = "<br>".join(map(escape, filter(None, [title, describe_noise({"": table})])))
    head = "".join(f"<th scope='col'>{_name(name)}</th>" for name in excerpt.clusters)
    lines = (
        f"<tr><th scope='row'>{_name(name)}</th>{''.join(map(_cell, counts, shares))}</tr>"
        for name, counts, shares in zip(
            excerpt.classes, excerpt.counts.tolist(), excerpt.shares.tolist(), strict=True
        )
    )
    return (
        f"<table style='border-collapse:collapse;font-variant-numeric:tabular-nums'>"
        f"<caption style='text-align:left;color:inherit'>{above}</caption>"
        f"<thead><tr><th>class \\ cluster</th>{head}</tr></thead>"
        f"<tbody>{''.join(lines)}</tbody></table>"
    )


def _name(label: Any) -> str:
    return cut_html(short(label, sys.maxsize), _WIDEST)


def _cell(count: Any, share: float) -> str:
    tint = f"background:rgba({CELL},{CELL_OPACITY * share:.2f})"
    text = with_commas(count) if count else ""
    return f"<td style='text-align:right;padding:2px 6px;{tint}'>{text}</td>"
