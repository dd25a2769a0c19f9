"""Which picture shows some scores: bits, a leaderboard, groups, or measures of one clustering."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from clusterbits.display.plots.bits import draw_bits
from clusterbits.display.plots.rows import MeasureRow, draw_groups, draw_leaderboard, draw_measures
from clusterbits.errors import MeasureError
from clusterbits.measures.catalogue import get_measure
from clusterbits.scoring.bits import bits_over_clusters, bits_over_sweep
from clusterbits.scoring.sweeps import find_sweep

if TYPE_CHECKING:
    from clusterbits.scoring.scores import Scores


def draw_scores(scores: Scores, measure: str | None, ax: Any) -> Any:
    """Draw scores; `Scores.plot` says which picture is drawn when."""
    if scores.groups:
        return draw_groups(scores, measure or _lead(scores), ax)
    if measure is not None:
        return draw_leaderboard(scores, measure, ax)
    if len(scores.clusterings) == 1:
        rows = [
            MeasureRow(*row[1:], get_measure(row.measure).bounds, scores.better(row.measure))
            for row in scores.rows
        ]
        return draw_measures(rows, scores.conclusion, ax)
    if sweep := find_sweep(scores.tables):
        return draw_bits(bits_over_sweep(scores, sweep), scores.conclusion, ax)
    if len({table.shape[1] for table in scores.tables.values()}) > 1:
        return draw_bits(bits_over_clusters(scores), scores.conclusion, ax)
    return draw_leaderboard(scores, _lead(scores), ax)


def _lead(scores: Scores) -> str:
    if scores.lead is None:
        raise MeasureError("none of the measures ranks clusterings; add one, such as q0.")
    return scores.lead
