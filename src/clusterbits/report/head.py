"""The first screen in words: which clustering to take, how good it is, and how sure that is."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import NamedTuple

from clusterbits.core.table import Contingency
from clusterbits.errors import ClusterbitsError
from clusterbits.inference.intervals import find_interval
from clusterbits.ingest.runs import Name
from clusterbits.measures.catalogue import Measure
from clusterbits.measures.code_length import bits_saved, q0, share_saved
from clusterbits.report.disagreement import Views
from clusterbits.report.words import (
    Label,
    Sentence,
    figures,
    level_text,
    percents,
    short_name,
    shortened,
)
from clusterbits.scoring.scores import Score, Scores

# Where the scores came without intervals, the report estimates those of q0: so many clusterings,
# best first, while their tables have no more cells than this in total. That takes seconds.
LEVEL, SEED = 0.95, 0
_MOST_ESTIMATED, _MOST_CELLS = 20, 2_000
# Clusterings named in a sentence.
_NAMED = 3


class Head(NamedTuple):
    """What the first screen says.

    Attributes
    ----------
    verdict : Sentence
        Which clustering to take, and what share of the bits it saves.
    bits : Sentence
        Bits without clusters and with them, with the interval where it is known.
    sure : Sentence
        Which others may be the best.
    agreement : Sentence
        What all measures agree on; empty where there is one.
    contenders : frozenset of names
        The clusterings whose interval overlaps that of the best, the best among them; empty where
        there are no intervals.
    intervals : int
        How many clusterings have an interval of the lead.
    """

    verdict: Sentence
    bits: Sentence
    sure: Sentence
    agreement: Sentence
    contenders: frozenset[Name]
    intervals: int


def estimate_intervals(scores: Scores) -> Scores:
    """Return the scores with intervals of q0, where they have none and objects can be drawn."""
    if scores.level is not None or scores.by_group or "q0" not in scores.measures:
        return scores
    found: dict[Name, Score] = {}
    cells = 0
    for row in scores.ranked("q0")[:_MOST_ESTIMATED]:
        table = scores.tables[row.clustering]
        cells += len(table.counts)
        if cells > _MOST_CELLS:
            break
        limits = _limits(table, q0, LEVEL)
        if limits is None:
            return scores
        found[row.clustering] = row._replace(low=limits[0], high=limits[1])
    rows = tuple(
        found.get(row.clustering, row) if row.measure == "q0" else row for row in scores.rows
    )
    return replace(scores, rows=rows, level=LEVEL if found else None)


def _limits(table: Contingency, measure: Measure, level: float) -> tuple[float, float] | None:
    """Return the confidence limits of a measure; None where that takes long or cannot be done."""
    if len(table.counts) > _MOST_CELLS:
        return None
    try:
        found = find_interval(table, measure, {}, level, seed=SEED)
    except ClusterbitsError:  # real-valued or huge counts
        return None
    return found.low, found.high


def make_head(scores: Scores, lead: Measure | None, views: Views | None) -> Head:
    """Return what the first screen says of the lead's best clustering."""
    ranked = scores.ranked(lead.name) if lead else []
    best = ranked[0].clustering if ranked else scores.clusterings[0]
    table = scores.tables[best]
    contenders = _contenders(ranked, lead)
    return Head(
        _verdict(best, table, ranked, lead),
        _bits(scores, best, table),
        _sure(ranked, contenders, scores.level),
        _agreement(best, views) if views else (),
        frozenset(contenders),
        sum(row.low is not None for row in ranked),
    )


def _verdict(best: Name, table: Contingency, ranked: list[Score], lead: Measure | None) -> Sentence:
    share = share_saved.of(table) if table.shape[0] > 1 else 0.0
    saves = f"saves {percents(share)} of the bits that clusters can save"
    if table.shape[0] == 1:
        saves = "has one class to find: nothing can be saved"
    elif share <= 0:
        saves = "saves no bits" + (": it costs more than it tells" if share < 0 else "")
    if len(ranked) < 2:
        return (Label(best), f" {saves}.")
    if lead is None or lead.name == "q0":
        if share <= 0:
            return ("Take none: the best, ", Label(best), f", {saves}.")
        return ("Take ", Label(best), f": it {saves}.")
    value = figures(ranked[0].value, lead.name)
    return ("Take ", Label(best), f": best by {short_name(lead.name)}, {value}. It {saves}.")


def _bits(scores: Scores, best: Name, table: Contingency) -> Sentence:
    """Return the bits without and with clusters, and how sure they are."""
    bits = q0.of(table)
    text = (
        f"{bits + bits_saved.of(table):.2f} → {bits:.2f} bits to name an object's class, once its "
        "cluster is known"
    )
    if scores.level is None:
        return (f"{text}.",)
    known = {row.measure: row for row in scores.rows if row.clustering == best}
    ends = []
    if (row := known.get("q0")) is not None and row.low is not None and row.high is not None:
        ends.append(f"{row.low:.2f} … {row.high:.2f} bits")
    share = known.get("share_saved")
    limits = (share.low, share.high) if share else (None, None)
    if limits[0] is None and ends and not scores.by_group and table.shape[0] > 1:
        limits = _limits(table, share_saved, scores.level) or limits
    if limits[0] is not None and limits[1] is not None:
        low, high = percents(limits[0]), percents(limits[1])
        ends.append(f"{low} saved" if low == high else f"{low[:-2]} … {high} saved")
    said = f" ({level_text(scores.level)} confidence: {', '.join(ends)})" if ends else ""
    return (f"{text}{said}.",)


def _contenders(ranked: list[Score], lead: Measure | None) -> list[Name]:
    """Return the clusterings whose interval overlaps that of the best, best first."""
    if not ranked or lead is None or ranked[0].low is None or ranked[0].high is None:
        return []
    low, high = ranked[0].low, ranked[0].high
    return [
        row.clustering
        for row in ranked
        if row.low is not None and row.high is not None and row.low <= high and row.high >= low
    ]


def _sure(ranked: list[Score], contenders: list[Name], level: float | None) -> Sentence:
    if len(ranked) < 2:
        return ()
    if not contenders or level is None:
        return ("How sure that is, is not known: there are no confidence intervals.",)
    others = [Label(name) for name in contenders[1:]]
    if not others:
        return (
            f"No other comes close: no {level_text(level)} interval overlaps that of the best.",
        )
    overlap = "its interval overlaps" if len(others) == 1 else "their intervals overlap"
    named = shortened(others, _NAMED, "clustering")
    return (*named, f" may be as good: {overlap} that of the best.")


def _agreement(best: Name, views: Views) -> Sentence:
    """Return which measures put the best first, counting those with the same order once."""
    named = [opinion.measure for opinion in views.opinions]
    if len(named) < 2:
        return ()
    if not views.dissenters:
        everyone = "Both measures" if len(named) == 2 else f"All {len(named)} measures"
        return (f"{everyone} put ", Label(best), f" first{_besides(views)}.")
    some = _names(views.supporters)
    first = "puts" if len(views.supporters) == 1 else "put"
    others = _names(views.dissenters)
    prefer = "prefers another" if len(views.dissenters) == 1 else "prefer others"
    return (*some, f" {first} ", Label(best), " first; ", *others, f" {prefer}.")


def _names(measures: Iterable[str]) -> Sentence:
    return shortened([short_name(name) for name in measures], 4, "measure")


def _besides(views: Views) -> str:
    """Return which measures are not counted, because they repeat the order of another."""
    same = [(name, one.measure) for one in views.opinions for name in one.followers]
    if not same:
        return ""
    names = "".join(map(str, shortened([short_name(name) for name, _ in same], _NAMED, "measure")))
    leaders = {leader for _, leader in same}
    whose = f"{short_name(leaders.pop())}'s order" if len(leaders) == 1 else "another's order"
    return f" ({names} {'repeats' if len(same) == 1 else 'repeat'} {whose})"
