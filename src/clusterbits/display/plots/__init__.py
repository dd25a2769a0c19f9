"""Figures: each function takes a result and returns a matplotlib ``Figure``.

>>> import clusterbits as cb
>>> from clusterbits.display import plots
>>> figure = plots.contingency_heatmap(cb.Contingency.from_counts([[9, 1], [2, 8]]))
>>> [axis.get_xlabel() for axis in figure.axes][0]
'cluster'

`save_figure` writes a figure as PNG and SVG. Large results are drawn in part, and say so.
"""

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
