"""The stability of the clusters of a consensus."""

from __future__ import annotations

from typing import Any

from clusterbits.changes.consensus import STABLE, UNSTABLE, Consensus
from clusterbits.plots import canvas
from clusterbits.plots.row_plots import MeasureRow, draw_measures
from clusterbits.text.tables import counted


def draw_consensus(consensus: Consensus, ax: Any = None) -> Any:
    """Draw the stability of each cluster of a consensus, the largest on top, and orientation."""
    clusters = consensus.clusters
    rows = [
        MeasureRow(f"{cluster} ({counted(size, 'object')})", stability)
        for cluster, size, stability in zip(
            *(column.tolist() for column in clusters.columns.values()), strict=True
        )
    ]
    ax = draw_measures(rows[: canvas.rows_that_fit(ax)], ax, consensus.title.partition("\n")[0])
    for limit in (UNSTABLE, STABLE):
        ax.axvline(limit, color=canvas.ink(ax), linestyle=":", linewidth=1)
    above, below = f"above {STABLE} in nearly every run", f"below {UNSTABLE} not to be trusted"
    ax.set_xlabel(f"stability: {above}, {below}")
    return ax
