"""Trees of clusters: the bits of all their cuts, and how alike two trees are."""

from __future__ import annotations

from typing import Any

from clusterbits.plots import canvas
from clusterbits.plots.bits_plot import draw_bits
from clusterbits.text.tables import counted
from clusterbits.trees.agreement import FowlkesMallowsCurve
from clusterbits.trees.choosing import BestCut
from clusterbits.trees.cutting import Cuts


def draw_cuts(cuts: Cuts, ax: Any = None) -> Any:
    """Draw bits per object over the number of clusters, the best marked."""
    return draw_bits(cuts.bits_over_clusters(), ax, "Horizontal cuts of the tree")


def draw_best_cut(best: BestCut, ax: Any = None) -> Any:
    """Draw the bits of the horizontal cuts, and the level of the free cut, its name included."""
    ax = draw_bits(best.cuts.bits_over_clusters(), ax, "Cuts of the tree")
    text = f"free cut, {counted(best.clusters, 'cluster')}: {best.bits:.2f}"
    ax.axhline(best.bits, color=canvas.ink(ax), linestyle=":", linewidth=1.5, label=text)
    canvas.add_legend(ax)
    return ax


def draw_agreement(curve: FowlkesMallowsCurve, ax: Any = None) -> Any:
    """Draw the Fowlkes-Mallows index over the number of clusters, with the expectation by chance.

    Cuts into singletons have no pairs to agree on: they are 1 by definition, and not drawn.
    """
    ax = canvas.take_axes(ax)
    drawn = max(len(curve.clusters) - 1, 1)
    k = curve.clusters[:drawn]
    mark = "." if drawn <= 60 else ""
    ax.plot(k, curve.values[:drawn], color=canvas.blue(ax), marker=mark, label="the two trees")
    ax.plot(k, curve.expected[:drawn], color=canvas.amber(ax), linestyle="--", label="by chance")
    canvas.count_along(ax, k.tolist())
    ax.margins(x=0)
    ax.set_ylim(0, 1.04)
    ax.set_xlabel("number of clusters in both trees")
    ax.set_ylabel("Fowlkes-Mallows index")
    canvas.set_title(ax, "How alike two trees are")
    canvas.add_legend(ax)
    return ax
