"""The bits of one clustering: by cluster, by class, along the merge path, and in a real code."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from clusterbits.display.plots.canvas import (
    AMBER,
    BLUE,
    add_legend,
    add_room,
    drawable,
    drawable_names,
    font_size,
    ink,
    point_up,
    points_of,
    rows_that_fit,
    set_title,
    small,
    take_axes,
    text_width,
)
from clusterbits.display.tables import counted, percent

if TYPE_CHECKING:
    from clusterbits.codec.lengths import CodeLengths
    from clusterbits.covers.soft_code import SoftCode
    from clusterbits.explanation.results import Explanation
    from clusterbits.measures.extremes import WorstClustering

# Parts of a file: their names in a row of `CodeLengths`, in the order of the file.
_PARTS = ("header", "table", "labels", "coder")


def draw_part_bits(why: Explanation, part: str, ax: Any = None) -> Any:
    """Draw what each cluster or class costs, label and table bits stacked, the costliest first."""
    everything: Any = why.costliest
    if part == "classes":
        everything = sorted(why.classes, key=lambda row: -row.bits)
    shown = everything[: rows_that_fit(ax)]
    names = drawable_names(row[0] for row in shown)
    notes = list(map(_describe_class if part == "classes" else _describe_cluster, shown))
    texts = map(" ".join, zip(names, notes, strict=True))
    ax = take_axes(ax, len(shown) + 2, beside=texts)
    labels = [row.label_bits for row in shown]
    places = range(len(shown))
    ax.barh(places, labels, color=BLUE, label="classes, given the clusters")
    ax.barh(
        places, [row.table_bits for row in shown], left=labels, color=AMBER, label="table of counts"
    )
    ax.set_yticks(places, names)
    ax.set_ylim(len(shown) - 0.4, -0.6)
    ax.tick_params(axis="y", length=0)
    ax.grid(visible=False, axis="y")
    ax.set_xlabel("part of q0, bits per object")
    ax.set_ylabel("class" if part == "classes" else "cluster")
    title = why.title
    if len(shown) < len(everything):
        share = math.fsum(row.share for row in shown)
        title += (
            f"\nthe costliest {len(shown)} of {len(everything):,} {part}, {percent(share, 1)} of it"
        )
    set_title(ax, title)
    ax.set_xlim(0, shown[0].bits if why.q0 else 1)
    add_legend(ax)
    _write_notes(ax, [row.bits for row in shown], notes)
    return ax


def _write_notes(ax: Any, lengths: list[float], notes: list[str]) -> None:
    """Write notes at the ends of bars, where they leave the bars half of the axes."""
    room = _room_for(ax, lengths, notes)
    if room > 0.6 * points_of(ax)[0]:
        return
    for place, (length, note) in enumerate(zip(lengths, notes, strict=True)):
        ax.annotate(
            note, (length, place), xytext=(4, 0), textcoords="offset points", fontsize=small(),
            va="center", color=ink(ax), alpha=0.8,
        )  # fmt: skip
    add_room(ax, right=room)


def _room_for(ax: Any, lengths: list[float], notes: list[str]) -> float:
    """Return the points that notes at the ends of bars need beyond the longest bar."""
    whole = points_of(ax)[0]
    texts = [text_width(note) + 6 for note in notes]
    found = [texts[0]]
    for length, text in zip(lengths, texts, strict=True):
        if length:
            found.append(whole - (whole - text) * lengths[0] / length)
    return max(found)


def _describe_cluster(row: Any) -> str:
    return f"{row.kind}, {percent(row.purity, 0)} {drawable(row.majority)}"


def _describe_class(row: Any) -> str:
    return (
        f"{percent(row.recall, 0)} in {drawable(row.largest)}, {counted(row.clusters, 'cluster')}"
    )


def draw_merge_path(why: Explanation, ax: Any = None) -> Any:
    """Draw q0 along the merge path, from the clustering itself to past the fewest bits.

    Steps far above are left out, and a note says so.
    """
    ax = take_axes(ax)
    best, first = why.best_step, why.path[0]
    shown = why.drawn_path
    clusters = [step.clusters for step in shown]
    bits = [step.q0 for step in shown]
    marker = None if why.long_path else "o"
    ax.plot(clusters, bits, color=BLUE, marker=marker, markersize=3)
    ax.scatter([best.clusters], [best.q0], color=AMBER, edgecolor=ink(ax), s=60, zorder=3)
    if best.clusters != first.clusters:
        ax.scatter([first.clusters], [first.q0], color=ax.get_facecolor(), edgecolor=BLUE, zorder=3)
    if why.long_path:
        ax.set_xscale("log")
        ax.xaxis.set_major_formatter("{x:,.0f}")
    else:
        ax.xaxis.get_major_locator().set_params(integer=True)
    if len(shown) == 1:
        ax.set_xticks(clusters)
    ax.set_xlabel("number of clusters")
    ax.set_ylabel("q0, bits per object")
    ax.margins(x=0.06, y=0.06)
    set_title(ax, "")
    add_room(ax, bottom=2.4 * font_size(), top=2.4 * font_size())
    _label_path(ax, why, shown[-1])
    return ax


def _label_path(ax: Any, why: Explanation, last: Any) -> None:
    best, first, end = why.best_step, why.path[0], why.path[-1]
    as_given = best.clusters == first.clusters
    low, high = ax.get_xlim()
    scale = ax.xaxis.get_transform().transform
    along = (scale([best.clusters])[0] - scale([low])[0]) / (scale([high])[0] - scale([low])[0])
    side = "left" if along < 0.3 else "right" if along > 0.7 else "center"
    ax.annotate(
        f"fewest bits: {best.q0:.4f}, {counted(best.clusters, 'cluster')}"
        + (", as given" if as_given else ""),
        (best.clusters, best.q0), xytext=(0, -9), textcoords="offset points", ha=side, va="top",
        color=ink(ax), fontsize=small(),
    )  # fmt: skip
    if not as_given:
        ax.annotate(
            f"as given: {counted(first.clusters, 'cluster')}", (first.clusters, first.q0),
            xytext=(0, 8), textcoords="offset points", ha="right", va="bottom", color=ink(ax),
            fontsize=small(),
        )  # fmt: skip
    if last.clusters != end.clusters:
        point_up(ax, f"{counted(end.clusters, 'cluster')}: {end.q0:.2f}")


def draw_code_lengths(lengths: CodeLengths, ax: Any = None) -> Any:
    """Draw the parts of each code as stacked bars, and what the measure predicted as a tick."""
    ax = take_axes(ax, len(lengths.rows) + 1.5)
    colour = ink(ax)
    looks: dict[str, dict[str, Any]] = {
        "header": {"color": colour, "alpha": 0.35},
        "table": {"color": AMBER},
        "labels": {"color": BLUE},
        "coder": {"color": colour, "alpha": 0.15},
    }
    places = range(len(lengths.rows))
    start = [0.0] * len(lengths.rows)
    for part in _PARTS:
        widths = [getattr(row, part) for row in lengths.rows]
        ax.barh(places, widths, left=start, height=0.7, label=part, **looks[part])
        start = [a + b for a, b in zip(start, widths, strict=True)]
    for place, row in enumerate(lengths.rows):
        at = row.header + row.predicted
        ax.plot(
            [at, at], [place - 0.45, place + 0.45], color=colour,
            label="predicted" if not place else None,
        )  # fmt: skip
        ax.annotate(
            f"{row.file:,}", (row.file, place), xytext=(4, 0), textcoords="offset points",
            va="center", color=colour, fontsize=small(),
        )  # fmt: skip
    ax.set_yticks(places, [row.code for row in lengths.rows])
    ax.tick_params(axis="y", length=0)
    ax.grid(visible=False, axis="y")
    ax.set_xlabel("bits of the file")
    ax.set_ylim(len(lengths.rows) - 0.4, -0.6)
    set_title(ax, lengths.title)
    add_room(ax, right=max(text_width(f"{row.file:,}") for row in lengths.rows) + 6)
    add_legend(ax)
    return ax


def draw_soft_code(code: SoftCode, ax: Any = None) -> Any:
    """Draw the bits of each way to send the classes as bars, those of the soft one in its parts."""
    rows = code.to_dicts()
    ax = take_axes(ax, len(rows) + 1.5)
    colour = ink(ax)
    ax.barh([0], [code.label_bits], height=0.7, color=BLUE, label="labels")
    ax.barh([0], [code.table_bits], left=[code.label_bits], height=0.7, color=AMBER, label="table")
    bits = [row["bits"] for row in rows]
    ax.barh(range(1, len(rows)), bits[1:], height=0.7, color=colour, alpha=0.35)
    texts = [f"{some:.4f}" for some in bits]
    for place, (some, text) in enumerate(zip(bits, texts, strict=True)):
        ax.annotate(
            text, (some, place), xytext=(4, 0), textcoords="offset points",
            va="center", color=colour, fontsize=small(),
        )  # fmt: skip
    ax.set_yticks(range(len(rows)), [row["code"] for row in rows])
    ax.tick_params(axis="y", length=0)
    ax.grid(visible=False, axis="y")
    ax.set_xlabel("bits per object")
    ax.set_ylim(len(rows) - 0.4, -0.6)
    set_title(ax, code.title)
    add_room(ax, right=max(map(text_width, texts)) + 6)
    add_legend(ax)
    return ax


def draw_worst_clustering(worst: WorstClustering, ax: Any = None) -> Any:
    """Draw the clusters of the worst clustering side by side, as high as they have classes."""
    ax = take_axes(ax)
    start = 0.0
    for shape in worst.shapes:
        for many, extra in ((shape.doubled, 1), (shape.clusters - shape.doubled, 0)):
            if many:
                ax.bar(start, shape.classes, float(many), align="edge", color=BLUE)
                ax.bar(start, extra, float(many), bottom=shape.classes, align="edge", color=AMBER)
                start += float(many)
    ax.set_xlim(0, start)
    ax.set_xlabel("clusters")
    ax.set_ylabel("objects in the cluster")
    ax.yaxis.get_major_locator().set_params(integer=True)
    set_title(ax, worst.title)
    if any(shape.doubled for shape in worst.shapes):
        ax.bar(0, 0, color=BLUE, label="one of each class")
        ax.bar(0, 0, color=AMBER, label="a second of the largest class")
        add_legend(ax)
    return ax
