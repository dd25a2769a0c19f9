"""Figures, one function each: results in, a matplotlib Figure out. Computes nothing."""

from clusterbits.display.plots.canvas import save_figure
from clusterbits.display.plots.clusterings import (
    bits_per_cluster,
    contingency_heatmap,
    leaderboard,
    measure_ranks,
    merge_path,
    pairwise_heatmap,
)
from clusterbits.display.plots.paper import (
    equation_6,
    large_n,
    paper_figure_1,
    paper_figure_2,
)

__all__ = [
    "bits_per_cluster",
    "contingency_heatmap",
    "equation_6",
    "large_n",
    "leaderboard",
    "measure_ranks",
    "merge_path",
    "pairwise_heatmap",
    "paper_figure_1",
    "paper_figure_2",
    "save_figure",
]
