"""Which function draws which result: what the `plot` method of every result calls."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any

# The function of each type, after its module here: only what is drawn is imported.
DRAWN_BY = {
    "BestCut": "bits_plot.draw_best_cut",
    "Card": "heat_maps.draw_cards",
    "Cards": "heat_maps.draw_cards",
    "Changes": "change_plots.draw_changes",
    "Clusters": "change_plots.draw_fates",
    "CodeLengths": "explanation_plots.draw_code_lengths",
    "Comparison": "row_plots.draw_comparison",
    "Consensus": "change_plots.draw_consensus",
    "Contingency": "heat_maps.draw_table",
    "CorefScores": "row_plots.draw_coreference",
    "Cuts": "bits_plot.draw_cuts",
    "DocumentScores": "row_plots.draw_documents",
    "Estimates": "row_plots.draw_estimates",
    "Explanation": "explanation_plots.draw_explanation",
    "GroupChanges": "change_plots.draw_group_changes",
    "Interval": "row_plots.draw_interval",
    "IsolatedLabels": "row_plots.draw_isolated_labels",
    "JudgedChanges": "change_plots.draw_judged",
    "Match": "heat_maps.draw_match",
    "Pairwise": "heat_maps.draw_pairwise",
    "PermutationTest": "row_plots.draw_permutation_test",
    "Ranks": "rank_plot.draw_ranks",
    "Scores": "score_plots.draw_scores",
    "SoftCode": "explanation_plots.draw_soft_code",
    "TaskComparison": "row_plots.draw_task_comparison",
    "WorstClustering": "explanation_plots.draw_worst_clustering",
}


def draw(result: Any, ax: Any, options: Mapping[str, Any]) -> Any:
    """Return the axes with the plot of a result; its function has `options` of its own."""
    function = _find_function(type(result))
    if ax is not None and not hasattr(ax, "get_subplotspec"):
        raise TypeError(
            f"plot(ax): ax must be axes of matplotlib, got {ax!r:.60}. What to draw goes by name, "
            "such as scores.plot(measure='ari') or why.plot(part='classes')."
        )
    return function(result, ax, **options)


def _find_function(result_type: type) -> Callable[..., Any]:
    """Return the function that draws results of a type, or of the nearest one it derives from."""
    for base in result_type.__mro__:
        if base.__name__ in DRAWN_BY:
            module, name = DRAWN_BY[base.__name__].split(".")
            function: Callable[..., Any] = getattr(import_module(f".{module}", __package__), name)
            return function
    raise TypeError(f"{result_type.__name__} has no plot.")
