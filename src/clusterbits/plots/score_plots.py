"""Which picture shows some scores: bits, a leaderboard, groups, or measures of one clustering."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from clusterbits.errors import MeasureError
from clusterbits.inference.verdict import NO_DIRECTION
from clusterbits.plots.bits_plot import draw_bits
from clusterbits.plots.row_plots import MeasureRow, draw_groups, draw_leaderboard, draw_measures
from clusterbits.scoring.bits_by_size import bits_over_clusters
from clusterbits.scoring.ranking import best_first

if TYPE_CHECKING:
    from clusterbits.scoring.scores import Score, Scores


def draw_scores(scores: Scores, measure: str | None, over: str | None, ax: Any) -> Any:
    """Draw scores; `Scores.plot` says which picture is drawn when."""
    title = scores.verdict or scores.conclusion
    if over is not None:
        return draw_bits(bits_over_clusters(scores, over), title, ax)
    if scores.groups:
        return draw_groups(scores, *_rows(scores, measure), ax)
    if measure is not None:
        return draw_leaderboard(scores, *_rows(scores, measure), ax)
    if len(scores.clusterings) == 1:
        rows = [MeasureRow(*row[1:], *scores.scales[row.measure][1:]) for row in scores.rows]
        return draw_measures(rows, title, ax)
    if scores.decision.by_q0 and (bits := bits_over_clusters(scores)).differ:
        return draw_bits(bits, title, ax)
    return draw_leaderboard(scores, *_rows(scores, None), ax)


def _rows(scores: Scores, measure: str | None) -> tuple[list[Score], str | None]:
    """Return the rows of a measure, the best first, and which values are better."""
    if (name := measure or scores.primary) is None:
        raise MeasureError(NO_DIRECTION)
    rows = best_first(scores, name)
    return rows, scores.scales[rows[0].measure].better
