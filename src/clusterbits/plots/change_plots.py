"""What changed: flows from one night to the next or along a sequence, fates, groups, judgements."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from clusterbits.changes.fates import NO_CLUSTER, UNCHANGED, Clusters, find_staying
from clusterbits.plots import canvas
from clusterbits.plots.row_plots import Point, draw_points
from clusterbits.text.palette import GREY
from clusterbits.text.tables import percent

if TYPE_CHECKING:
    from clusterbits.changes.changed import Changes
    from clusterbits.changes.judgements import JudgedChanges
    from clusterbits.changes.rates import GroupChanges

# Clusters of a night that have a block of their own.
_MOST = 24
# Half the width of a block, in distances of two nights.
_HALF = 0.03
# Lines of text of the band of unchanged clusters, of that of other ones at most, and between two
# blocks.
_BAND, _WIDEST, _GAP = 1.5, 4.0, 0.25


class _Night(NamedTuple):
    """The blocks of a night from top to bottom: clusters, then other ones, noise, unchanged ones.

    Attributes
    ----------
    shown : list of labels
        The clusters with blocks of their own.
    texts : list of str
        What is written beside each block.
    tops, heights : ndarray of float
        Where each block is, in lines of text from above, and how high.
    scales : ndarray of float
        The lines for one object of each block.
    """

    shown: list[Any]
    texts: list[str]
    tops: NDArray[np.float64]
    heights: NDArray[np.float64]
    scales: NDArray[np.float64]

    def blocks_of(self, clusters: Clusters) -> NDArray[np.intp]:
        """Return the block of each cluster, by the change that these are one side of."""
        others, noise, unchanged = range(len(self.shown), len(self.shown) + 3)
        blocks = np.where(clusters.codes == UNCHANGED, unchanged, others)
        for block, name in enumerate(self.shown):
            blocks[clusters.names == name] = block
        blocks[clusters.codes == NO_CLUSTER] = noise
        return blocks


def draw_changes(changes: Changes, ax: Any = None) -> Any:
    """Draw the flows from the old clusters to the new ones, and return the axes.

    Unchanged clusters are one band.

    >>> import clusterbits as cb
    >>> ax = cb.diff([1, 1, 1, 2], [1, 1, 2, 2]).plot()
    >>> [label.get_text() for label in ax.get_xticklabels()]
    ['old clusters', 'new clusters']
    """
    return draw_flows([changes], ax)


def draw_flows(sequence: Sequence[Changes], ax: Any = None, *, titled: bool = True) -> Any:
    """Draw what became of the clusters of each night, and return the axes.

    Each change leads from one night to the next. Unchanged clusters are one band, which is not to
    scale; of many that changed, those that changed most are drawn.
    """
    most = min(canvas.rows_that_fit(ax), _MOST)
    sides = [changes.old for changes in sequence] + [sequence[-1].new]
    shown = [_most_changed(sequence[0], most)]
    for changes in sequence:
        shown.append(_untangled(changes, shown[-1], _following(changes, shown[-1], most)))
    drawn = max(_sum_shown(*of_night) for of_night in zip(sides, shown, strict=True))
    scale = max(6, *map(len, shown)) / max(drawn, 1)
    texts = [[canvas.drawable(name) for name in names] for names in shown]
    texts[-1] = [_carried(sequence[-1], name) for name in shown[-1]]
    nights = [_stack(*of_night, scale) for of_night in zip(sides, shown, texts, strict=True)]
    depth = max(night.tops[-1] + night.heights[-1] for night in nights)
    ax = canvas.take_axes(
        ax, rows=depth / 1.25, beside=[text + "  " for text in texts[0] + texts[-1]]
    )
    for place, night in enumerate(nights):
        _draw_blocks(ax, place, night, at_left=place == 0, at_right=place == len(sequence))
    for place, changes in enumerate(sequence):
        ends = place - _HALF * (place == 0), place + 1 + _HALF * (place + 1 == len(sequence))
        _draw_change(ax, ends, changes, nights[place], nights[place + 1])
    ax.set(xlim=(-_HALF, len(sequence) + _HALF), ylim=(depth + 0.3, -0.3), yticks=[])
    ax.set_xticks([0, len(sequence)], ["old clusters", "new clusters"])
    ax.tick_params(length=0)
    ax.spines[:].set_visible(False)
    title = [sequence[0].title.partition("\n")[0]] if len(sequence) == 1 else []
    if max(len(side.changed) for side in sides) > most:
        title.append(f"drawn: the {most} that changed most; the bands are not to scale")
    canvas.set_title(ax, "\n".join(title) if titled else "")
    canvas.add_legend(ax)
    return ax


def _most_changed(changes: Changes, most: int) -> list[Any]:
    """Return the old clusters with most objects that moved or left, the largest first."""
    table, old, staying = (
        changes.table,
        changes.old,
        find_staying(changes.table, changes.old, changes.new),
    )
    amounts = old.sizes - np.bincount(
        table.rows[staying], table.counts[staying], minlength=len(old.sizes)
    )
    changed = old.changed
    drawn = np.sort(np.argsort(-amounts[changed], kind="stable")[:most])
    names: list[Any] = old.names[changed[drawn]].tolist()
    return names


def _following(changes: Changes, before: list[Any], most: int) -> list[Any]:
    """Return the new clusters with most objects of these old ones, or of none: those born."""
    table, new = changes.table, changes.new
    are_before = np.zeros(len(changes.old.names), dtype=np.bool_)
    for name in before:
        are_before |= changes.old.names == name
    counts = table.counts * are_before[table.rows]
    amounts = np.bincount(table.columns, counts, len(new.sizes)) + new.sizes * (new.parts == 0)
    changed = new.changed
    changed = changed[amounts[changed] > 0]
    drawn = np.argsort(-amounts[changed], kind="stable")[:most]
    names: list[Any] = new.names[changed[drawn]].tolist()
    return names


def _sum_shown(clusters: Clusters, shown: list[Any]) -> float:
    """Return the objects of the clusters that have blocks of their own."""
    return float(sum(clusters.sizes[clusters.names == name].sum() for name in shown))


def _untangled(changes: Changes, before: list[Any], after: list[Any]) -> list[Any]:
    """Return the clusters after a change in the order of where most of their objects come from."""
    table = changes.table
    places = np.full(table.shape[0], float(len(before)))
    for place, name in enumerate(before):
        places[changes.old.names[: table.shape[0]] == name] = place
    sums = np.bincount(table.columns, table.counts * places[table.rows], table.shape[1])
    means = sums / table.cluster_sizes

    def place_of(name: Any) -> float:
        position = int(np.flatnonzero(changes.new.names == name)[0])
        return float(means[position]) if position < len(means) else float(len(before) + 1)

    return sorted(after, key=place_of)


def _carried(changes: Changes, name: Any) -> str:
    """Return the label of a new cluster, and the name it carries if that is another."""
    carried = changes.names[name]
    return canvas.drawable(name) + ("" if carried == name else f" → {canvas.drawable(carried)}")


def _stack(side: Clusters, shown: list[Any], texts: list[str], scale: float) -> _Night:
    """Return the blocks of a night, each at least a line high if it has a name of its own."""
    night = _Night(shown, [], *np.zeros((3, len(shown) + 3)))
    blocks = night.blocks_of(side)
    sizes = np.bincount(blocks, side.sizes, len(shown) + 3)
    counts = np.bincount(blocks, minlength=len(shown) + 3)[-3:].tolist()
    scales = np.full(len(sizes), scale)
    scales[-1] = _BAND / max(sizes[-1], 1)
    scales[-3] = min(scale, _WIDEST / max(sizes[-3], 1))
    heights = sizes * scales
    slots = np.where(sizes > 0, np.maximum(heights, 1) + _GAP, 0)
    tops = np.cumsum(slots) - slots + (slots - _GAP - heights) / 2
    bands = (
        f"{counts[0]:,} others" if counts[0] else "",
        "noise" if counts[1] else "",
        f"{counts[2]:,} unchanged" if counts[2] else "",
    )
    return _Night(shown, [*texts, *bands], tops, heights, scales)


def _draw_blocks(ax: Any, place: int, night: _Night, at_left: bool, at_right: bool) -> None:
    for text, top, height in zip(night.texts, night.tops, night.heights, strict=True):
        if not height:
            continue
        box = [(place - _HALF, top), (place + _HALF, top), (place + _HALF, top + height)]
        box.append((place - _HALF, top + height))
        look = {
            "facecolor": "none",
            "edgecolor": canvas.ink(ax),
            "linewidth": 0.6,
            "clip_on": False,
        }
        ax.fill(*zip(*box, strict=True), **look)
        if at_left or at_right:
            x = place + (_HALF + 0.01) * (1 if at_right else -1)
            side = "left" if at_right else "right"
            words = {"fontsize": canvas.small(), "color": canvas.ink(ax), "clip_on": False}
            ax.text(x, top + height / 2, text, ha=side, va="center", **words)


def _draw_change(
    ax: Any, ends: tuple[float, float], changes: Changes, before: _Night, after: _Night
) -> None:
    """Draw the flows of one change: those that keep their name first in each block."""
    table = changes.table
    rows = before.blocks_of(changes.old)[table.rows]
    columns = after.blocks_of(changes.new)[table.columns]
    staying = find_staying(changes.table, changes.old, changes.new)
    unchanged = staying & (changes.old.codes[table.rows] == UNCHANGED)
    kinds = [
        (unchanged, GREY, "unchanged (not to scale)"),
        (staying & ~unchanged, canvas.blue(ax), "keep their name"),
        (~staying, canvas.amber(ax), "move"),
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
    shown = np.argsort(-groups.jaccard_distance, kind="stable")[: canvas.rows_that_fit(ax)]
    points = [Point(value) for value in groups.jaccard_distance[shown].tolist()]
    names = canvas.drawable_names(groups.names[shown].tolist())
    title = f"the {len(shown)} that changed most" if len(shown) < len(groups) else ""
    return draw_points(ax, names, points, "mean Jaccard distance (0: unchanged)", title)


def draw_judged(judged: JudgedChanges, ax: Any = None) -> Any:
    """Draw the estimates with their limits, and return the axes."""
    points = [Point(*row[1:]) for row in judged.rows]
    along = f"with {percent(judged.confidence_level)} confidence limits"
    ax = draw_points(ax, [row.name for row in judged.rows], points, along, judged.verdict)
    ax.axvline(0, color=canvas.ink(ax), linewidth=1, linestyle="--")
    return ax
