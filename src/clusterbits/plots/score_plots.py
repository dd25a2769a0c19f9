"""The plot of scores: bits, a leaderboard, groups, or measures of one clustering."""

from __future__ import annotations

from typing import Any

from clusterbits.errors import MeasureError
from clusterbits.inference.verdict import NO_DIRECTION
from clusterbits.plots.bits_plot import draw_bits
from clusterbits.plots.row_plots import MeasureRow, draw_groups, draw_leaderboard, draw_measures
from clusterbits.scoring.bits_over_clusters import bits_over_clusters
from clusterbits.scoring.scores import Score, Scores


def draw_scores(
    scores: Scores, ax: Any = None, measure: str | None = None, over: str | None = None
) -> Any:
    """Draw scores, and return the axes.

    Several clusterings: their bits over the number of clusters if the primary measure orders them
    as q0 does, else a leaderboard, also if all have equally many clusters. One clustering: all its
    measures. With groups: one measure, pooled, the mean, and by group.

    Parameters
    ----------
    scores : Scores
        The scores.
    ax : matplotlib Axes, optional
        Where to draw; by default in a new figure.
    measure : str, optional
        The measure of a leaderboard or of groups, such as "ari".
    over : str, optional
        The names with a star in place of a number, such as ``"leiden_*"`` for leiden_0.5 and
        leiden_1: bits are drawn over that number.

    Examples
    --------
    >>> import clusterbits as cb
    >>> runs = {"k2": [0, 0, 0, 0, 1, 1], "k3": [0, 0, 1, 1, 2, 2]}
    >>> scores = cb.evaluate([0, 0, 1, 1, 2, 2], runs)
    >>> scores.plot().get_ylabel(), scores.plot(measure="ari").get_ylabel()
    ('bits per object (q0)', 'clustering (clusters)')
    """
    title = scores.verdict or scores.conclusion
    if over is not None:
        return draw_bits(bits_over_clusters(scores, over), ax, title)
    if scores.groups:
        return draw_groups(scores, *_rows(scores, measure), ax)
    if measure is not None:
        return draw_leaderboard(scores, *_rows(scores, measure), ax)
    if len(scores.clusterings) == 1:
        rows = [MeasureRow(*row[1:], *scores.scales[row.measure][1:]) for row in scores.rows]
        return draw_measures(rows, ax, title)
    if scores.decision.by_q0 and (bits := bits_over_clusters(scores)).differ:
        return draw_bits(bits, ax, title)
    return draw_leaderboard(scores, *_rows(scores, None), ax)


def _rows(scores: Scores, measure: str | None) -> tuple[list[Score], str | None]:
    """Return the rows of a measure, the best first, and which values are better."""
    if (name := measure or scores.primary) is None:
        raise MeasureError(NO_DIRECTION)
    rows = scores.sorted_by(name).rows_for(name)
    return rows, scores.scales[rows[0].measure].better
