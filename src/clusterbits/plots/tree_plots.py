"""Trees of clusters: the bits of all their cuts."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from clusterbits.plots.bits_plot import draw_bits
from clusterbits.plots.canvas import add_legend, ink
from clusterbits.text.tables import counted

if TYPE_CHECKING:
    from clusterbits.trees.choosing import BestCut


def draw_best_cut(found: BestCut, ax: Any = None) -> Any:
    """Draw the bits of the horizontal cuts, and the level of the free cut, its name included."""
    ax = draw_bits(found.cuts.bits_over_clusters(), "Cuts of the tree", ax)
    text = f"free cut, {counted(found.clusters, 'cluster')}: {found.bits:.2f}"
    ax.axhline(found.bits, color=ink(ax), linestyle=":", linewidth=1.5, label=text)
    add_legend(ax)
    return ax
