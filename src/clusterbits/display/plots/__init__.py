"""Pictures: what the `plot` method of each result draws.

Every function takes a result and the axes to draw on, and returns the axes. Without axes it makes a
pyplot figure, which notebooks show. Large results are drawn in part, and say so.

>>> import clusterbits as cb
>>> ax = cb.Contingency.from_counts([[9, 1], [2, 8]]).plot()
>>> ax.get_xlabel(), ax.get_ylabel()
('cluster', 'class')

The figures of the paper have several axes: their functions return a ``Figure`` of their own, which
`save_figure` writes as PNG and SVG.
"""

from clusterbits.display.plots.bits import draw_bits
from clusterbits.display.plots.canvas import MOST, draw_on_page, save_figure
from clusterbits.display.plots.explanation import (
    draw_code_lengths,
    draw_merge_path,
    draw_part_bits,
    draw_soft_code,
    draw_worst_clustering,
)
from clusterbits.display.plots.matrices import draw_cards, draw_excerpt, draw_pairwise
from clusterbits.display.plots.paper import (
    equation_6,
    large_n,
    paper_figure_1,
    paper_figure_2,
)
from clusterbits.display.plots.ranks import draw_ranks
from clusterbits.display.plots.rows import (
    MeasureRow,
    draw_comparison,
    draw_coreference,
    draw_documents,
    draw_groups,
    draw_interval,
    draw_leaderboard,
    draw_measures,
    draw_permutation_test,
)
from clusterbits.display.plots.trees import draw_agreement, draw_best_cut

__all__ = [
    "MOST",
    "MeasureRow",
    "draw_agreement",
    "draw_best_cut",
    "draw_bits",
    "draw_cards",
    "draw_code_lengths",
    "draw_comparison",
    "draw_coreference",
    "draw_documents",
    "draw_excerpt",
    "draw_groups",
    "draw_interval",
    "draw_leaderboard",
    "draw_measures",
    "draw_merge_path",
    "draw_on_page",
    "draw_pairwise",
    "draw_part_bits",
    "draw_permutation_test",
    "draw_ranks",
    "draw_soft_code",
    "draw_worst_clustering",
    "equation_6",
    "large_n",
    "paper_figure_1",
    "paper_figure_2",
    "save_figure",
]
