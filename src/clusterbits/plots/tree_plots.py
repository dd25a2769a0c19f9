"""Trees of clusters: the bits of all their cuts."""

from __future__ import annotations

from typing import Any

from clusterbits.plots import canvas
from clusterbits.plots.bits_plot import draw_bits
from clusterbits.text.tables import counted
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
