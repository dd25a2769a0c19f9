"""Ranks of the same clusterings by several measures: a line for each clustering."""

from __future__ import annotations

import math
from itertools import cycle, product
from typing import Any

from clusterbits.errors import MeasureError
from clusterbits.plots import canvas
from clusterbits.scoring.ranking import Ranks
from clusterbits.text.tables import counted

# Ranks that are drawn.
_MAX_RANKS = 20
# Lines in each of these have all colours once.
_DASHES = ("-", "--", ":")


def draw_ranks(ranks: Ranks, ax: Any = None) -> Any:
    """Draw a line for each clustering from measure to measure, named at both ends; 1 is best.

    If clusterings are many, the first 20 ranks are drawn. Below each measure is Kendall's tau with
    the first.
    """
    primary, *other_measures = ranks.measures
    if not other_measures:
        raise MeasureError(f"only {primary} ranks these clusterings; pass a second measure.")
    n, last = len(ranks.clusterings), len(other_measures)
    n_ranks = min(n, _MAX_RANKS)
    names = canvas.drawable_names(ranks.clusterings, 18)
    first, final = (_names_at(names, ranks.values[measure].tolist()) for measure in (0, last))
    ax = canvas.take_axes(ax, max(n_ranks, 4) + 3, 3.2 * last + 4, beside=first.values())
    drawn = [i for i in range(n) if ranks.values[:, i].min() <= n_ranks]
    drawn.sort(key=lambda i: ranks.of(primary)[i])
    for i, (dash, colour) in zip(drawn, cycle(product(_DASHES, canvas.hues(ax))), strict=False):
        ax.plot(range(last + 1), ranks.values[:, i], dash, color=colour, marker="o", markersize=4)
    ax.set_yticks(list(first), list(first.values()))
    for rank, text in final.items():
        if rank <= n_ranks:
            canvas.note(ax, text, (last, rank), (7, 0))
    heads = [primary, *(_describe(ranks, primary, name) for name in other_measures)]
    widest = max(canvas.text_width(head) for head in heads)
    fitting = max(min(canvas.points_of(ax)[0] / (last * widest), 1), 0.6) * canvas.font_size()
    ax.set_xticks(range(last + 1), heads, fontsize=fitting)
    ax.set_xlim(-0.08, last + 0.08)
    ax.set_ylim(n_ranks + 0.5, 0.5)
    ax.set_ylabel("rank, the best on top")
    ax.spines[:].set_visible(False)
    ax.tick_params(length=0, labeltop=True, labelbottom=False)
    ax.grid(visible=False)
    if n > n_ranks:
        canvas.set_title(ax, f"the first {n_ranks} ranks of {counted(n, 'clustering')}")
    return ax


def _names_at(names: list[str], ranks: list[float]) -> dict[float, str]:
    """Return the names at each rank of a measure; of many that tie, the first."""
    ties: dict[float, list[str]] = {}
    for name, rank in zip(names, ranks, strict=True):
        ties.setdefault(rank, []).append(name)
    return {
        rank: ", ".join([*tied[:2], *[f"{len(tied) - 2} more"] * (len(tied) > 2)])
        for rank, tied in ties.items()
    }


def _describe(ranks: Ranks, primary: str, measure: str) -> str:
    tau = ranks.tau(primary, measure)
    name = measure.replace("_", "\n")
    return f"{name}\nτ = {'–' if math.isnan(tau) else f'{tau:.2f}'}"
