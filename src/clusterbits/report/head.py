"""The first screen in words: which clustering to take, how good it is, and how sure that is."""

from __future__ import annotations

from dataclasses import replace
from html import escape
from typing import NamedTuple

import numpy as np

from clusterbits.display.names import listed
from clusterbits.display.noise import describe_noise
from clusterbits.display.tables import percent
from clusterbits.errors import ClusterbitsError
from clusterbits.inference.intervals import find_intervals
from clusterbits.ingest.runs import Name
from clusterbits.measures.catalogue import get_measure
from clusterbits.measures.code_length import no_clusters_bits, q0, share_saved
from clusterbits.report.disagreement import Opinions
from clusterbits.report.words import figures, linked, short_name, write_label
from clusterbits.scoring.grouped import describe_groups
from clusterbits.scoring.headline import (
    conclude,
    describe_chance,
    describe_coverages,
    nothing_to_save,
)
from clusterbits.scoring.ranks import Ranks, best_first, lead_of
from clusterbits.scoring.scores import Scores

# Where the scores came without intervals, the report estimates those of the lead, if that takes all
# resamples at once: of this many clusterings, best first, while their tables have no more cells
# than this in total. That takes seconds.
LEVEL, SEED = 0.95, 0
_MOST_ESTIMATED, _MOST_CELLS = 20, 2_000


class Head(NamedTuple):
    """What the first screen says, in sentences of HTML.

    Attributes
    ----------
    verdict : str
        Which clusterings cannot be told apart, and the simplest of them: the one to take.
    bits : str
        What it saves: bits without clusters and with them, with the interval where it is known.
    sure : str
        How likely chance does as well, and why clusterings were not compared.
    agreement : str
        What all measures agree on; empty where there is one.
    notes : tuple of str
        What was left out, and what the groups are.
    best : tuple of names
        The clusterings that cannot be told apart, the one to take first; that alone where they
        were not compared.
    intervals : int
        How many clusterings have an interval of the lead.
    """

    verdict: str
    bits: str = ""
    sure: str = ""
    agreement: str = ""
    notes: tuple[str, ...] = ()
    best: tuple[Name, ...] = ()
    intervals: int = 0


def with_limits(scores: Scores) -> Scores:
    """Return the scores with intervals of the lead, for the best clusterings."""
    lead = lead_of(scores)
    if scores.confidence_level is not None or scores.groups or lead is None:
        return scores
    measure = get_measure(lead)
    if not measure.of_sums:
        return scores
    best = scores.sorted_by(lead).clusterings[:_MOST_ESTIMATED]
    cells = np.cumsum([len(scores.tables[name].counts) for name in best])
    try:
        found = {
            name: find_intervals(scores.tables[name], [measure], LEVEL, rng=SEED)[0]
            for name in best[: int((cells <= _MOST_CELLS).sum())]
        }
    except ClusterbitsError:  # real-valued or huge counts
        return scores
    rows = (
        row._replace(low=found[row.clustering].low, high=found[row.clustering].high)
        if row.measure == lead and row.clustering in found
        else row
        for row in scores.rows
    )
    return replace(scores, rows=tuple(rows), confidence_level=LEVEL) if found else scores


def make_head(scores: Scores, ranks: Ranks | None, opinions: Opinions | None) -> Head:
    """Return what the first screen says."""
    lines = [describe_noise(scores.tables), *describe_coverages(scores.tables)]
    notes = tuple(filter(None, [*lines, describe_groups(scores)]))
    reasons = [nothing_to_save(table) for table in scores.tables.values()]
    if all(reasons):
        return Head(reasons[0], notes=notes)
    if len(scores.tables) == 1:
        (one,) = scores.tables
        said = _saves(scores, one), _bits(scores, one), _chance(scores, one)
        return Head(*said, notes=notes, best=(one,))
    if ranks is None or (name := lead_of(scores)) is None:
        return Head("None of these measures ranks clusterings.", notes=notes)
    lead, ranked = get_measure(name), best_first(scores, name)
    # The best by the lead, with all that tie with it.
    first = dict(zip(ranks.clusterings, ranks.of(name) == 1, strict=True))
    winners = [row.clustering for row in ranked if first[row.clustering]]
    found, words = None, "Not compared, because that takes long; confidence_level= asks for it."
    if scores.confidence_level is not None or lead.of_sums:
        found, words = conclude(scores, lead, write_label)
    best = found.best if found else (winners[0],)
    verdict = words if found else _first(winners, ranked[0].value, name)
    if all(share_saved.of(table) <= 0 for table in scores.tables.values()):
        verdict = f"None is better than no clusters. {verdict}"
    return Head(
        verdict,
        f"{_saves(scores, best[0])} {_bits(scores, best[0])}",
        f"{_chance(scores, best[0])} {'' if found else escape(words)}".strip(),
        _support(winners, opinions) if opinions else "",
        notes,
        best,
        sum(row.low is not None for row in ranked),
    )


def _first(winners: list[Name], value: float, lead: str) -> str:
    """Return which clusterings have the best value, where they were not compared."""
    best = f"the best {escape(short_name(lead))}, {figures(value, lead)}"
    names = listed([write_label(name) for name in winners], "clustering")
    return f"{names} {'have' if len(winners) > 1 else 'has'} {best}."


def _saves(scores: Scores, name: Name) -> str:
    """Return what share of the bits a clustering saves."""
    share = share_saved.of(scores.tables[name])
    saves = f"saves {percent(share, 0)} of the bits that clusters can save"
    if share <= 0:
        saves = "saves no bits" + (": it costs more than it tells" if share < 0 else "")
    return f"{write_label(name)} {saves}."


def _bits(scores: Scores, name: Name) -> str:
    """Return the bits without and with clusters, their interval, and the fewest there can be."""
    table = scores.tables[name]
    text = f"{no_clusters_bits(table):.2f} → {q0.of(table):.2f} bits per object"
    for row in scores.rows:
        if (row.clustering, row.measure) == (name, "q0") and row.low is not None:
            level = percent(scores.confidence_level or 0)
            text += f" ({level} confidence: {row.low:.2f} … {row.high:.2f})"
    return f"{text}; {table.least_bits():.2f} is the least possible."


def _chance(scores: Scores, name: Name) -> str:
    return describe_chance(scores.tables[name], len(scores.tables), bool(scores.groups))


def _support(winners: list[Name], opinions: Opinions) -> str:
    """Return which measures put the best first, counting those with the same order once."""
    supporters, dissenters = opinions.supporters, opinions.dissenters
    if len(supporters + dissenters) < 2 or len(winners) > 1:
        return ""
    best = write_label(winners[0])
    if not dissenters:
        return f"All measures put {best} first."
    first = "puts" if len(supporters) == 1 else "put"
    prefer = "prefers another" if len(dissenters) == 1 else "prefer others"
    some, others = linked(supporters), linked(dissenters)
    return f"{some} {first} {best} first; {others} {prefer}."
