"""Clusterings without truth: flows from one to the next, fates, groups, judgements, stability."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from clusterbits.changes.consensus import STABLE, UNSTABLE, Consensus
from clusterbits.changes.fates import CONTINUED, NO_CLUSTER, UNCHANGED, Clusters
from clusterbits.plots import canvas
from clusterbits.plots.row_plots import MeasureRow, Point, draw_measures, draw_points
from clusterbits.text.palette import GREY
from clusterbits.text.tables import counted, percent

if TYPE_CHECKING:
    from clusterbits.changes.changed import Changes
    from clusterbits.changes.judgements import JudgedChanges
    from clusterbits.changes.rates import GroupChanges

# Clusters of one clustering that have a block of their own.
_MOST = 24
# Half the width of a block, in distances of two clusterings.
_HALF = 0.03
# Lines of text of the band of unchanged clusters, of that of other ones at most, and between two
# blocks.
_BAND, _WIDEST, _GAP = 1.5, 4.0, 0.25


class _Blocks(NamedTuple):
    """The blocks of one clustering: `shown` clusters, then other ones, noise, unchanged ones.

    Positions and heights are in lines of text from above, and `scales` the lines for one object.
    """

    shown: list[Any]
    texts: list[str]
    tops: NDArray[np.float64]
    heights: NDArray[np.float64]
    scales: NDArray[np.float64]


def draw_changes(
    changes: Changes,
    ax: Any = None,
    *,
    then: Sequence[Changes] = (),
    steps: Sequence[str] = ("old clusters", "new clusters"),
    titled: bool = True,
) -> Any:
    """Draw the flows from the old clusters to the new ones, and return the axes.

    Unchanged clusters are one band, which is not to scale. Of many that changed, those that changed
    most are drawn. Later changes, each from the clustering that the one before led to, go on to the
    right (`then`); a cluster may then change later, and unchanged ones have blocks of their own.
    `steps` are the names of all clusterings, or of the first and the last.

    >>> import clusterbits as cb
    >>> sweep = [[1, 1, 1, 1], [1, 1, 2, 2], [1, 3, 2, 2]]
    >>> changes, later = cb.diff(sweep[0], sweep[1]), cb.diff(sweep[1], sweep[2])
    >>> ax = changes.plot(then=[later], steps=["k = 1", "k = 2", "k = 3"])
    >>> [label.get_text() for label in ax.get_xticklabels()]
    ['k = 1', 'k = 2', 'k = 3']
    """
    sequence = [changes, *then]
    if len(sequence) > 1:
        sequence = list(map(_without_band, sequence))
    most = min(canvas.rows_that_fit(ax), _MOST)
    clusterings = [change.old for change in sequence] + [sequence[-1].new]
    shown = [_most_changed(sequence[0], most)]
    for change in sequence:
        shown.append(_following(change, shown[-1], most))
    drawn = [
        clusters.sizes[_find_blocks(clusters, names) < len(names)].sum()
        for clusters, names in zip(clusterings, shown, strict=True)
    ]
    scale = max(6, *map(len, shown)) / max(1, *drawn)
    texts = [[canvas.drawable(name) for name in names] for names in shown]
    if len(sequence) == 1:
        texts[-1] = [_carried(sequence[0], name) for name in shown[-1]]
    columns = [_stack(*column, scale) for column in zip(clusterings, shown, texts, strict=True)]
    depth = max(blocks.tops[-1] + blocks.heights[-1] for blocks in columns)
    ax = canvas.take_axes(
        ax, rows=depth / 1.25, beside=[text + "  " for text in texts[0] + texts[-1]]
    )
    last = len(sequence)
    for x, blocks in enumerate(columns):
        _draw_blocks(ax, x, blocks, {0: "right", last: "left"}.get(x))
    for x, change in enumerate(sequence):
        ends = x - _HALF * (x == 0), x + 1 + _HALF * (x + 1 == last)
        _draw_change(ax, ends, change, columns[x], columns[x + 1])
    ax.set(xlim=(-_HALF, last + _HALF), ylim=(depth + 0.3, -0.3), yticks=[])
    ax.set_xticks(np.linspace(0, last, len(steps)), steps)
    ax.tick_params(length=0)
    ax.spines[:].set_visible(False)
    title = [sequence[0].title.partition("\n")[0]] if last == 1 else []
    if max(len(clusters.changed) for clusters in clusterings) > most:
        title.append(f"drawn: the {most} that changed most; the bands are not to scale")
    canvas.set_title(ax, "\n".join(title) if titled else "")
    canvas.add_legend(ax)
    return ax


def _without_band(changes: Changes) -> Changes:
    """Return a change in which unchanged clusters are continued ones, with blocks of their own."""
    old, new = (
        replace(clusters, codes=np.where(clusters.codes == UNCHANGED, CONTINUED, clusters.codes))
        for clusters in (changes.old, changes.new)
    )
    return replace(changes, old=old, new=new)


def _find_blocks(clusters: Clusters, shown: list[Any]) -> NDArray[np.intp]:
    """Return the block of each cluster."""
    others, noise, unchanged = range(len(shown), len(shown) + 3)
    positions = {name: i for i, name in enumerate(shown)}
    own = np.array([positions.get(name, -1) for name in clusters.names.tolist()])
    blocks = np.where(clusters.codes == UNCHANGED, unchanged, others)
    return np.where(clusters.codes == NO_CLUSTER, noise, np.where(own >= 0, own, blocks))


def _most_changed(changes: Changes, most: int) -> list[Any]:
    """Return the old clusters with most objects that moved or left, the largest first."""
    table, old, staying = changes.table, changes.old, changes.staying
    stayed = np.bincount(table.rows[staying], table.counts[staying], len(old.sizes))
    positions = np.sort(np.argsort((stayed - old.sizes)[old.changed], kind="stable")[:most])
    names: list[Any] = old.names[old.changed[positions]].tolist()
    return names


def _following(changes: Changes, before: list[Any], most: int) -> list[Any]:
    """Return the new clusters with most objects of these old ones, or of none: those born.

    They are in the order of the blocks that their objects come from, so that few flows cross.
    """
    table, new = changes.table, changes.new
    n_before, n_new = len(before), len(new.sizes)
    origins = np.minimum(_find_blocks(changes.old, before), n_before)[table.rows]
    from_before = np.bincount(table.columns, table.counts * (origins < n_before), n_new)
    objects = from_before + new.sizes * (new.parts == 0)
    changed = new.changed
    changed = changed[objects[changed] > 0]
    largest = changed[np.argsort(-objects[changed], kind="stable")[:most]]
    sums = np.bincount(table.columns, table.counts * origins, n_new)
    shared = np.bincount(table.columns, table.counts, n_new)
    means = np.where(shared > 0, sums / np.where(shared > 0, shared, 1), n_before + 1)
    names: list[Any] = new.names[largest[np.argsort(means[largest], kind="stable")]].tolist()
    return names


def _carried(changes: Changes, name: Any) -> str:
    """Return the label of a new cluster, and the name it carries if that is another."""
    carried = changes.names[name]
    return canvas.drawable(name) + ("" if carried == name else f" → {canvas.drawable(carried)}")


def _stack(clusters: Clusters, shown: list[Any], texts: list[str], scale: float) -> _Blocks:
    """Return the blocks of a clustering, each at least a line high if it has a name of its own."""
    blocks, n_blocks = _find_blocks(clusters, shown), len(shown) + 3
    sizes = np.bincount(blocks, clusters.sizes, n_blocks).astype(np.float64)
    n_others, n_noise, n_unchanged = np.bincount(blocks, minlength=n_blocks)[-3:].tolist()
    scales = np.full(len(sizes), scale)
    scales[-1] = _BAND / max(sizes[-1], 1)
    scales[-3] = min(scale, _WIDEST / max(sizes[-3], 1))
    heights = sizes * scales
    slots = np.where(sizes > 0, np.maximum(heights, 1) + _GAP, 0)
    tops = np.cumsum(slots) - slots + (slots - _GAP - heights) / 2
    bands = (
        f"{n_others:,} others" if n_others else "",
        "noise" if n_noise else "",
        f"{n_unchanged:,} unchanged" if n_unchanged else "",
    )
    return _Blocks(shown, [*texts, *bands], tops, heights, scales)


def _draw_blocks(ax: Any, x: int, blocks: _Blocks, text_side: str | None) -> None:
    """Draw blocks, with their texts at the outer ends."""
    left, right = x - _HALF, x + _HALF
    ink = canvas.ink(ax)
    for text, top, height in zip(blocks.texts, blocks.tops, blocks.heights, strict=True):
        if not height:
            continue
        corners = [left, right, right, left], [top, top, top + height, top + height]
        ax.fill(*corners, facecolor="none", edgecolor=ink, linewidth=0.6, clip_on=False)
        if text_side is not None:
            words = {"fontsize": canvas.font_size(), "color": ink, "clip_on": False}
            end = x + (_HALF + 0.01) * (1 if text_side == "left" else -1)
            ax.text(end, top + height / 2, text, ha=text_side, va="center", **words)


def _draw_change(
    ax: Any, ends: tuple[float, float], changes: Changes, before: _Blocks, after: _Blocks
) -> None:
    """Draw the flows of one change: those that keep their name first in each block."""
    table, staying = changes.table, changes.staying
    rows = _find_blocks(changes.old, before.shown)[table.rows]
    columns = _find_blocks(changes.new, after.shown)[table.columns]
    unchanged = staying & (changes.old.codes[table.rows] == UNCHANGED)
    kinds = [
        (unchanged, GREY, "unchanged (not to scale)"),
        (staying & ~unchanged, canvas.hue(ax, "labels"), "keep their name"),
        (~staying, canvas.hue(ax, "table"), "move"),
    ]
    starts, stops = before.tops.copy(), after.tops.copy()
    for cells, shade, label in kinds:
        flows = np.zeros((len(starts), len(stops)))
        np.add.at(flows, (rows[cells], columns[cells]), table.counts[cells])
        if ends[0] <= 0 and flows.any():
            ax.fill_between([], [], color=shade, alpha=0.6, linewidth=0, label=label)
        for i, k in zip(*np.nonzero(flows), strict=True):
            heights = flows[i, k] * before.scales[i], flows[i, k] * after.scales[k]
            _draw_flow(ax, ends, (starts[i], stops[k]), heights, shade)
            starts[i] += heights[0]
            stops[k] += heights[1]


def _draw_flow(
    ax: Any,
    ends: tuple[float, float],
    tops: tuple[float, float],
    heights: tuple[float, float],
    shade: str,
) -> None:
    """Draw a band between two blocks, and its part of both."""
    way = np.linspace(0, 1, 30)
    first, last = round(ends[0]) + _HALF, round(ends[1]) - _HALF
    x = np.concatenate([[ends[0]], first + way * (last - first), [ends[1]]])
    curve = np.concatenate([[0], way * way * (3 - 2 * way), [1]])
    top = tops[0] + (tops[1] - tops[0]) * curve
    bottom = top + heights[0] + (heights[1] - heights[0]) * curve
    ax.fill_between(x, top, bottom, color=shade, alpha=0.6, linewidth=0)


def draw_fates(clusters: Clusters, ax: Any = None) -> Any:
    """Draw the number of clusters of each fate or origin, and return the axes."""
    counts = clusters.counts
    points = [Point(float(count)) for count in counts.values()]
    return draw_points(ax, list(counts), points, "clusters", clusters.title)


def draw_group_changes(groups: GroupChanges, ax: Any = None) -> Any:
    """Draw the Jaccard distance of each group, the largest on top, and return the axes."""
    rows = sorted(groups.rows, key=lambda row: -row.jaccard_distance)[: canvas.rows_that_fit(ax)]
    points = [Point(row.jaccard_distance) for row in rows]
    names = canvas.drawable_names(row.group for row in rows)
    title = f"the {len(rows)} that changed most" if len(rows) < len(groups) else ""
    return draw_points(ax, names, points, "mean Jaccard distance (0: unchanged)", title)


def draw_judged(judged: JudgedChanges, ax: Any = None) -> Any:
    """Draw the estimates with their limits, and return the axes."""
    points = [Point(*row[1:]) for row in judged.rows]
    along = f"with {percent(judged.confidence_level)} confidence limits"
    ax = draw_points(ax, [row.name for row in judged.rows], points, along, judged.verdict)
    ax.axvline(0, color=canvas.ink(ax), linewidth=1, linestyle="--")
    return ax


def draw_consensus(consensus: Consensus, ax: Any = None) -> Any:
    """Draw the stability of each cluster of a consensus, the largest on top, and orientation."""
    rows = [
        MeasureRow(f"{cluster} ({counted(size, 'object')})", stability)
        for cluster, size, stability in consensus.clusters[: canvas.rows_that_fit(ax)]
    ]
    ax = draw_measures(rows, ax, consensus.title.partition("\n")[0])
    for limit in (UNSTABLE, STABLE):
        ax.axvline(limit, color=canvas.ink(ax), linestyle=":", linewidth=1)
    above, below = f"above {STABLE} in nearly every run", f"below {UNSTABLE} not to be trusted"
    ax.set_xlabel(f"stability: {above}, {below}")
    return ax
