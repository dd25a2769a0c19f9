"""Pictures of the explanation: what is sent, and what it costs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import matplotlib.pyplot as plt
from matplotlib.axes import Axes
from matplotlib.figure import Figure

import clusterbits as cb

# Told apart by the colour-blind, and each class has its own letter too.
COLOURS = ("#24507f", "#e0a43a", "#7fb0a0", "#b5566b")
LABELS, TABLE = "#3b75b5", "#e0a32e"
GAP = 0.5  # between two boxes, in objects


def draw_messages(truth: Sequence[str], runs: Mapping[str, Sequence[object]]) -> Figure:
    """Draw each clustering as boxes of objects, with the bits of its message beside it."""
    figure, (left, right) = plt.subplots(
        1, 2, figsize=(9, 0.75 * len(runs) + 0.8), width_ratios=[3, 2], layout="constrained"
    )
    for row, (name, clusters) in enumerate(runs.items()):
        draw_objects(left, -row, truth, clusters)
        left.text(0, -row + 0.36, name, fontsize=10, fontweight="bold")
    n = len(truth)
    most = max(len(set(clusters)) for clusters in runs.values())
    left.set(xlim=(-0.5, n + GAP * most + 2), ylim=(-len(runs) + 0.4, 0.8))
    left.axis("off")
    for row, clusters in enumerate(runs.values()):
        counts = cb.Contingency.from_labels(truth, clusters)
        labels, table = n * cb.conditional_entropy(counts), n * counts.table_bits()
        right.barh(-row, table, color=TABLE, height=0.5, label="table" if row == 0 else None)
        right.barh(-row, labels, left=table, color=LABELS, height=0.5)
        right.text(labels + table + 0.6, -row, f"{labels + table:.1f}", va="center")
    right.barh(0, 0, color=LABELS, label="labels")
    right.set(ylim=(-len(runs) + 0.4, 0.8), xlabel=f"bits for all {n} objects")
    right.margins(x=0.12)  # for the numbers behind the bars
    right.set_yticks([])
    right.spines[["top", "right", "left"]].set_visible(False)
    right.legend(loc="upper right", frameon=False, ncols=2)
    return figure


def draw_objects(ax: Axes, y: float, truth: Sequence[str], clusters: Sequence[object]) -> None:
    """Draw one clustering: a box for each cluster, a letter for each object."""
    classes = list(dict.fromkeys(truth))
    members: dict[object, list[str]] = {}
    for name, cluster in zip(truth, clusters, strict=True):
        members.setdefault(cluster, []).append(name)
    x = 0.0
    for content in members.values():
        for name in content:
            colour = COLOURS[classes.index(name)]
            ax.scatter(x, y, s=110, color=colour, marker="s", linewidths=0)
            ax.text(x, y - 0.02, name[0], ha="center", va="center", color="white", fontsize=8)
            x += 1
        left = x - len(content)
        ax.plot(
            [left - 0.5, x - 0.5, x - 0.5, left - 0.5, left - 0.5],
            [y - 0.24, y - 0.24, y + 0.24, y + 0.24, y - 0.24],
            color="#555555",
            linewidth=0.8,
        )
        x += GAP


def draw_columns(size: int) -> Figure:
    """Draw every way in which a few objects can be of three classes."""
    ways = [(a, b, size - a - b) for a in range(size, -1, -1) for b in range(size - a, -1, -1)]
    figure, ax = plt.subplots(figsize=(9, 1.9), layout="constrained")
    for x, counts in enumerate(ways):
        height = 0
        for number, count in enumerate(counts):
            for _ in range(count):
                ax.scatter(x, height, s=120, color=COLOURS[number], marker="s", linewidths=0)
                height += 1
    ax.set(xlim=(-0.6, len(ways) - 0.4), ylim=(-0.7, size - 0.3))
    ax.axis("off")
    return figure
