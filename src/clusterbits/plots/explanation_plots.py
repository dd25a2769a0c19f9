"""The bits of one clustering: by cluster, by class, along the merge path, and in a real code."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from clusterbits.errors import check_choice
from clusterbits.plots import canvas
from clusterbits.text.tables import counted, percent

if TYPE_CHECKING:
    from clusterbits.codec.lengths import CodeLengths
    from clusterbits.covers.soft_code import SoftCode
    from clusterbits.explanation.explained import Explanation
    from clusterbits.measures.extremes import WorstClustering


def draw_explanation(why: Explanation, ax: Any = None, part: str = "clusters") -> Any:
    """Draw the bits of the clusters or of the classes, or q0 along the merge path.

    Parameters
    ----------
    why : Explanation
        The explanation.
    ax : matplotlib Axes, optional
        Where to draw; by default in a new figure.
    part : "clusters", "classes" or "path"
        What to draw.
    """
    check_choice("part", part, ("clusters", "classes", "path"))
    return draw_merge_path(why, ax) if part == "path" else _draw_part_bits(why, part, ax)


def _draw_part_bits(why: Explanation, part: str, ax: Any) -> Any:
    """Draw what each cluster or class costs, label and table bits stacked, the costliest first."""
    rows: Any = why.costliest
    describe = _describe_cluster
    if part == "classes":
        rows, describe = sorted(why.classes, key=lambda row: -row.bits), _describe_class
    shown = rows[: canvas.rows_that_fit(ax)]
    names, notes = canvas.drawable_names(row[0] for row in shown), [describe(row) for row in shown]
    ax = canvas.take_axes(ax, len(shown) + 2, beside=map(" ".join, zip(names, notes, strict=True)))
    parts = {
        "classes, given the clusters": (
            [row.label_bits for row in shown],
            canvas.hue(ax, "labels"),
        ),
        "table of counts": ([row.table_bits for row in shown], canvas.hue(ax, "table")),
    }
    ax.set_ylabel("class" if part == "classes" else "cluster")
    title = why.title, why.describe_part(len(shown), part)
    return _draw_stacks(ax, names, parts, notes, "part of q0, bits per object", *title)


def _draw_stacks(
    ax: Any,
    names: Sequence[str],
    parts: Mapping[str, tuple[Sequence[float], Any]],
    notes: Sequence[str],
    along: str,
    *title: str,
) -> Any:
    """Draw a bar for each row, from the top down: its parts, each of a colour, then its note."""
    ends = np.zeros(len(names))
    for part, (widths, colour) in parts.items():
        ax.barh(range(len(names)), widths, left=ends, label=part, color=colour)
        ends = ends + widths
    ax.set_yticks(range(len(names)), names)
    ax.set_ylim(len(names) - 0.4, -0.6)
    ax.tick_params(axis="y", length=0)
    ax.grid(visible=False, axis="y")
    ax.set_xlabel(along)
    canvas.set_title(ax, *title)
    ax.set_xlim(0, ends.max() or 1)
    canvas.add_legend(ax)
    _write_notes(ax, ends.tolist(), notes)
    return ax


def _write_notes(ax: Any, lengths: Sequence[float], notes: Sequence[str]) -> None:
    """Write notes at the ends of bars, if they leave the bars half of the axes."""
    width = canvas.points_of(ax)[0]
    rooms = [width - canvas.text_width(text) - 6 for text in notes]
    if min(rooms) >= 0.4 * width:
        for row, (length, text) in enumerate(zip(lengths, notes, strict=True)):
            canvas.note(ax, text, (length, row), (4, 0))
        point = max(length / room for length, room in zip(lengths, rooms, strict=True))
        ax.set_xlim(0, width * point or 1)


def _describe_cluster(row: Any) -> str:
    return f"{row.kind}, {percent(row.purity, 0)} are class {canvas.drawable(row.majority)}"


def _describe_class(row: Any) -> str:
    clusters = counted(row.clusters, "cluster")
    return f"in {clusters}, {percent(row.recall, 0)} in cluster {canvas.drawable(row.largest)}"


def draw_merge_path(why: Explanation, ax: Any = None) -> Any:
    """Draw q0 along the merge path, from the clustering itself to past the fewest bits.

    Steps far above are not drawn, and a note says so.
    """
    ax = canvas.take_axes(ax)
    best, first, last = why.best_step, why.path[0], why.path[-1]
    clusters, bits, *_ = zip(*why.drawn_path, strict=True)
    canvas.count_along(ax, clusters)
    ax.plot(
        clusters,
        bits,
        color=canvas.hue(ax, "labels"),
        marker="o" * (len(clusters) <= 60),
        markersize=3,
    )
    dot = {"edgecolor": canvas.ink(ax), "s": 60, "zorder": 3}
    if best is not first:
        ax.scatter(first.clusters, first.q0, color=ax.get_facecolor(), **dot)
        text = f"as given: {counted(first.clusters, 'cluster')}"
        canvas.note(ax, text, (first.clusters, first.q0), (0, 8), ha="right", va="bottom")
    ax.scatter(best.clusters, best.q0, color=canvas.hue(ax, "table"), **dot)
    if len(clusters) == 1:
        ax.set_xticks(clusters)
    ax.set_xlabel("number of clusters")
    ax.set_ylabel("q0, bits per object")
    ax.margins(x=0.06, y=0.15)
    fewest = f"fewest bits: {best.q0:.4f}, {counted(best.clusters, 'cluster')}"
    fewest += ", as given" if best is first else ""
    # Room below the curve for this note.
    canvas.lay_out(ax)
    room, (low, high) = (9 + 1.5 * canvas.font_size()) / canvas.points_of(ax)[1], ax.get_ylim()
    ax.set_ylim(min(low, (best.q0 - room * high) / (1 - room)), high)
    side = canvas.inner_side(ax, best.clusters)
    canvas.note(ax, fewest, (best.clusters, best.q0), (0, -9), ha=side, va="top")
    if last.clusters != clusters[-1]:
        canvas.note_above(ax, counted(last.clusters, "cluster"), last.q0)
    return ax


def draw_code_lengths(lengths: CodeLengths, ax: Any = None) -> Any:
    """Draw the parts of each code as stacked bars, and what the measure predicted as a tick."""
    rows = lengths.rows
    ax = canvas.take_axes(ax, len(rows) + 1.5)
    ink, middles = canvas.ink(ax), np.arange(len(rows))
    # In the order of the file.
    parts: dict[str, Any] = {
        "header": ([row.header for row in rows], (ink, 0.35)),
        "table": ([row.table for row in rows], canvas.hue(ax, "table")),
        "labels": ([row.labels for row in rows], canvas.hue(ax, "labels")),
        "coder": ([row.coder for row in rows], (ink, 0.15)),
    }
    ends = [row.header + row.predicted for row in rows]
    ax.vlines(ends, middles - 0.45, middles + 0.45, color=ink, label="predicted")
    notes = [f"{row.file:,}" for row in rows]
    return _draw_stacks(
        ax, [row.code for row in rows], parts, notes, "bits of the file", lengths.title
    )


def draw_soft_code(code: SoftCode, ax: Any = None) -> Any:
    """Draw the bits of each way to send the classes as bars, those of the soft one in its parts."""
    rows = code.to_dicts()
    ax = canvas.take_axes(ax, len(rows) + 1.5)
    bits = [row["bits"] for row in rows]
    none = [0.0] * (len(rows) - 1)
    parts = {
        "labels": ([code.label_bits, *none], canvas.hue(ax, "labels")),
        "table": ([code.table_bits, *none], canvas.hue(ax, "table")),
        "other codes": ([0.0, *bits[1:]], (canvas.ink(ax), 0.35)),
    }
    notes = [f"{value:.4f}" for value in bits]
    return _draw_stacks(
        ax, [row["code"] for row in rows], parts, notes, "bits per object", code.title
    )


def draw_worst_clustering(worst: WorstClustering, ax: Any = None) -> Any:
    """Draw the clusters of the worst clustering side by side, as high as they have objects."""
    ax = canvas.take_axes(ax)
    parts = [(shape.classes, part) for shape in worst.shapes
             for part in (shape.doubled, shape.clusters - shape.doubled)]  # fmt: skip
    heights, widths = np.array(parts, dtype=np.float64).T
    starts = np.cumsum(widths) - widths
    second = np.where(np.arange(len(parts)) % 2 == 0, 1, 0)
    first = {"color": canvas.hue(ax, "labels"), "label": "one of each class"}
    ax.bar(starts, heights, widths, align="edge", **first)
    look = {"color": canvas.hue(ax, "table"), "label": "a second of the largest class"}
    ax.bar(starts, second, widths, bottom=heights, align="edge", **look)
    ax.set_xlim(0, widths.sum())
    ax.set_xlabel("clusters")
    ax.set_ylabel("objects in the cluster")
    ax.yaxis.get_major_locator().set_params(integer=True)
    canvas.set_title(ax, worst.title)
    canvas.add_legend(ax)
    return ax
