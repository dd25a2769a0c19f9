"""The bits of one clustering: by cluster, by class, along the merge path, and in a real code."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from clusterbits.plots.canvas import (
    add_legend,
    amber,
    blue,
    count_along,
    drawable,
    drawable_names,
    font_size,
    ink,
    lay_out,
    note,
    note_above,
    points_of,
    rows_that_fit,
    set_title,
    take_axes,
    text_width,
)
from clusterbits.text.tables import counted, percent

if TYPE_CHECKING:
    from clusterbits.codec.lengths import CodeLengths
    from clusterbits.covers.soft_code import SoftCode
    from clusterbits.explanation.explained import Explanation
    from clusterbits.measures.extremes import WorstClustering


def draw_part_bits(why: Explanation, part: str, ax: Any = None) -> Any:
    """Draw what each cluster or class costs, label and table bits stacked, the costliest first."""
    everything: Any = why.costliest
    describe = _describe_cluster
    if part == "classes":
        everything, describe = sorted(why.classes, key=lambda row: -row.bits), _describe_class
    shown = everything[: rows_that_fit(ax)]
    names, notes = drawable_names(row[0] for row in shown), [describe(row) for row in shown]
    ax = take_axes(ax, len(shown) + 2, beside=map(" ".join, zip(names, notes, strict=True)))
    parts = {
        "classes, given the clusters": [row.label_bits for row in shown],
        "table of counts": [row.table_bits for row in shown],
    }
    _stack(ax, names, parts, (blue(ax), amber(ax)))
    ax.set_xlabel("part of q0, bits per object")
    ax.set_ylabel("class" if part == "classes" else "cluster")
    set_title(ax, "\n".join(filter(None, [why.title, why.describe_part(len(shown), part)])))
    ax.set_xlim(0, shown[0].bits if why.q0 else 1)
    add_legend(ax)
    _write_notes(ax, [row.bits for row in shown], notes)
    return ax


def _stack(
    ax: Any, names: Sequence[str], parts: Mapping[str, Sequence[float]], colours: Sequence[Any]
) -> None:
    """Draw a named bar for each row, from the top down, its parts side by side."""
    places = range(len(names))
    start = [0.0] * len(names)
    for (part, widths), colour in zip(parts.items(), colours, strict=True):
        ax.barh(places, widths, left=start, label=part, color=colour)
        start = [a + b for a, b in zip(start, widths, strict=True)]
    ax.set_yticks(places, names)
    ax.set_ylim(len(names) - 0.4, -0.6)
    ax.tick_params(axis="y", length=0)
    ax.grid(visible=False, axis="y")


def _write_notes(ax: Any, lengths: Sequence[float], notes: Sequence[str]) -> None:
    """Write notes at the ends of bars, where they leave the bars half of the axes."""
    whole = points_of(ax)[0]
    rooms = [whole - text_width(text) - 6 for text in notes]
    if min(rooms) >= 0.4 * whole:
        for place, (length, text) in enumerate(zip(lengths, notes, strict=True)):
            note(ax, text, (length, place), (4, 0))
        point = max(length / room for length, room in zip(lengths, rooms, strict=True))
        ax.set_xlim(0, whole * point or 1)


def _describe_cluster(row: Any) -> str:
    return f"{row.kind}, {percent(row.purity, 0)} are class {drawable(row.majority)}"


def _describe_class(row: Any) -> str:
    many = counted(row.clusters, "cluster")
    return f"in {many}, {percent(row.recall, 0)} in cluster {drawable(row.largest)}"


def draw_merge_path(why: Explanation, ax: Any = None) -> Any:
    """Draw q0 along the merge path, from the clustering itself to past the fewest bits.

    Steps far above are left out, and a note says so.
    """
    ax = take_axes(ax)
    best, first, last = why.best_step, why.path[0], why.path[-1]
    clusters, bits, *_ = zip(*why.drawn_path, strict=True)
    count_along(ax, clusters)
    ax.plot(clusters, bits, color=blue(ax), marker="o" * (len(clusters) <= 60), markersize=3)
    dot = {"edgecolor": ink(ax), "s": 60, "zorder": 3}
    if best is not first:
        ax.scatter(first.clusters, first.q0, color=ax.get_facecolor(), **dot)
        given = f"as given: {counted(first.clusters, 'cluster')}"
        note(ax, given, (first.clusters, first.q0), (0, 8), ha="right", va="bottom")
    ax.scatter(best.clusters, best.q0, color=amber(ax), **dot)
    if len(clusters) == 1:
        ax.set_xticks(clusters)
    ax.set_xlabel("number of clusters")
    ax.set_ylabel("q0, bits per object")
    ax.margins(x=0.06, y=0.15)
    along = (ax.transData + ax.transAxes.inverted()).transform((best.clusters, best.q0))[0]
    side = "left" if along < 0.3 else "right" if along > 0.7 else "center"
    fewest = f"fewest bits: {best.q0:.4f}, {counted(best.clusters, 'cluster')}"
    fewest += ", as given" if best is first else ""
    # Room below the curve for this note.
    lay_out(ax)
    room, (low, high) = (9 + 1.5 * font_size()) / points_of(ax)[1], ax.get_ylim()
    ax.set_ylim(min(low, (best.q0 - room * high) / (1 - room)), high)
    note(ax, fewest, (best.clusters, best.q0), (0, -9), ha=side, va="top")
    if last.clusters != clusters[-1]:
        note_above(ax, counted(last.clusters, "cluster"), last.q0)
    return ax


def draw_code_lengths(lengths: CodeLengths, ax: Any = None) -> Any:
    """Draw the parts of each code as stacked bars, and what the measure predicted as a tick."""
    rows = lengths.rows
    ax = take_axes(ax, len(rows) + 1.5)
    # In the order of the file.
    colours = {"header": (ink(ax), 0.35), "table": amber(ax), "labels": blue(ax)}
    colours["coder"] = (ink(ax), 0.15)
    parts = {part: [getattr(row, part) for row in rows] for part in colours}
    _stack(ax, [row.code for row in rows], parts, list(colours.values()))
    for place, row in enumerate(rows):
        at, name = row.header + row.predicted, None if place else "predicted"
        ax.plot([at, at], [place - 0.45, place + 0.45], color=ink(ax), label=name)
    ax.set_xlabel("bits of the file")
    set_title(ax, lengths.title)
    add_legend(ax)
    _write_notes(ax, [row.file for row in rows], [f"{row.file:,}" for row in rows])
    return ax


def draw_soft_code(code: SoftCode, ax: Any = None) -> Any:
    """Draw the bits of each way to send the classes as bars, those of the soft one in its parts."""
    rows = code.to_dicts()
    ax = take_axes(ax, len(rows) + 1.5)
    bits = [row["bits"] for row in rows]
    none = [0.0] * (len(rows) - 1)
    parts = {
        "labels": [code.label_bits, *none],
        "table": [code.table_bits, *none],
        "other codes": [0.0, *bits[1:]],
    }
    _stack(ax, [row["code"] for row in rows], parts, (blue(ax), amber(ax), (ink(ax), 0.35)))
    ax.set_xlabel("bits per object")
    set_title(ax, code.title)
    add_legend(ax)
    _write_notes(ax, bits, [f"{some:.4f}" for some in bits])
    return ax


def draw_worst_clustering(worst: WorstClustering, ax: Any = None) -> Any:
    """Draw the clusters of the worst clustering side by side, as high as they have classes."""
    ax = take_axes(ax)
    start = 0.0
    for shape in worst.shapes:
        for many, extra in ((shape.doubled, 1), (shape.clusters - shape.doubled, 0)):
            if many:
                ax.bar(start, shape.classes, float(many), align="edge", color=blue(ax))
                ax.bar(
                    start, extra, float(many), bottom=shape.classes, align="edge", color=amber(ax)
                )
                start += float(many)
    ax.set_xlim(0, start)
    ax.set_xlabel("clusters")
    ax.set_ylabel("objects in the cluster")
    ax.yaxis.get_major_locator().set_params(integer=True)
    set_title(ax, worst.title)
    if any(shape.doubled for shape in worst.shapes):
        ax.bar(0, 0, color=blue(ax), label="one of each class")
        ax.bar(0, 0, color=amber(ax), label="a second of the largest class")
        add_legend(ax)
    return ax
