"""Pictures of the README and of pages: what is sent, what it costs, and what ARI makes of noise."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from numpy.typing import NDArray

import clusterbits as cb

# Told apart by the colour-blind, and each class has its own letter too.
COLOURS = ("#24507f", "#e0a43a", "#7fb0a0", "#b5566b")
LABELS, TABLE = "#3b75b5", "#e0a32e"
GREY = "#8a8f98"
Labels = tuple[NDArray[np.int_], NDArray[np.int_]]
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


def scatter_noise(noise_clusters: int, n_classes: int = 5, size: int = 100) -> Labels:
    """Return classes, and clusters: 70 % of each class have their own, the others are noise."""
    truth = np.repeat(np.arange(n_classes), size)
    position = np.tile(np.arange(size), n_classes)  # of an object in its class
    noise = n_classes + position % noise_clusters
    return truth, np.where(position < 0.7 * size, truth, noise)


def score_noise(*noise_clusters: int) -> str:
    """Return two scores of each clustering, as the picture says them."""
    tables = [cb.Contingency.from_labels(*scatter_noise(k)) for k in noise_clusters]
    return "; ".join(f"ARI {cb.ari(t):.2f}\nshare saved {cb.share_saved(t):.2f}" for t in tables)


def draw_noise() -> Figure:
    """Draw noise in one cluster and in six, and what measures make of one to ten."""
    figure, axes = plt.subplots(
        1, 3, figsize=(10, 3.1), width_ratios=[6, 11, 9], layout="constrained"
    )
    for ax, noise_clusters in zip(axes, (1, 6), strict=False):
        draw_clusters(ax, *scatter_noise(noise_clusters))
        ax.set_xlabel(score_noise(noise_clusters))
    axes[0].set(title="A: noise in one cluster", ylabel="objects")
    axes[1].set(title="B: the same noise in six", ylim=axes[0].get_ylim())
    draw_scores(axes[2], (1, 2, 3, 5, 6, 10))
    axes[2].set(title="In one to ten", xlabel="clusters of noise", ylim=(0.45, 0.75))
    for ax in axes:
        ax.spines[["top", "right"]].set_visible(False)
    return figure


def draw_clusters(ax: Axes, truth: NDArray[np.int_], clusters: NDArray[np.int_]) -> None:
    """Draw each cluster as a bar, with a colour for each class."""
    cells = cb.Contingency.from_labels(truth, clusters).to_dense()
    tops = cells.cumsum(axis=0)
    x = np.arange(cells.shape[1])
    for row, (sizes, top) in enumerate(zip(cells, tops, strict=True)):
        ax.bar(x, sizes, bottom=top - sizes, color=[*COLOURS, GREY][row], width=0.8)
    ax.set_xticks([])


def draw_scores(ax: Axes, numbers: Sequence[int]) -> None:
    """Draw ARI and shares saved over the number of clusters of noise."""
    small, large = ([scatter_noise(k, size=size) for k in numbers] for size in (100, 10_000))
    lines = (
        ("ARI", COLOURS[3], "o-", [cb.ari(*labels) for labels in small], (1.3, 0.487)),
        (
            "share saved, 500 objects",
            LABELS,
            "o-",
            [cb.share_saved(*labels) for labels in small],
            (3.2, 0.628),
        ),
        (
            "share saved, 50,000 objects",
            LABELS,
            "o:",
            [cb.share_saved(*labels) for labels in large],
            (2.2, 0.706),
        ),
    )
    for name, colour, style, values, place in lines:
        ax.plot(numbers, values, style, color=colour, markersize=4)
        ax.text(*place, name, color=colour)
