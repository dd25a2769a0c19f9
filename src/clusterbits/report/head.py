"""The first screen in words: which clustering to take, how good it is, and how sure that is."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import replace
from html import escape
from typing import NamedTuple

import numpy as np

from clusterbits.core.table import Contingency
from clusterbits.display.names import listed
from clusterbits.display.noise import describe_noise
from clusterbits.display.tables import counted, percent
from clusterbits.errors import ClusterbitsError
from clusterbits.inference.intervals import find_intervals
from clusterbits.ingest.runs import Name
from clusterbits.measures.catalogue import Measure, get_measure
from clusterbits.measures.code_length import model_bits, no_clusters_bits, q0, share_saved
from clusterbits.report.disagreement import Opinions
from clusterbits.report.words import figures, short_name, write_label
from clusterbits.scoring.grouped import describe_groups
from clusterbits.scoring.headline import describe_chance, describe_coverages, nothing_to_save
from clusterbits.scoring.ranks import Ranks, best_first, lead_of, same_objects
from clusterbits.scoring.scores import Score, Scores

# Where the scores came without intervals, the report estimates those of the lead, if it is one of
# these: of this many clusterings, best first, while their tables have no more cells than this in
# total. That takes seconds.
LEVEL, SEED = 0.95, 0
_ESTIMATED: dict[str, Measure] = {"q0": q0, "share_saved": share_saved}
_MOST_ESTIMATED, _MOST_CELLS = 20, 2_000
# Clusterings named in a sentence.
_NAMED = 3


class Head(NamedTuple):
    """What the first screen says, in sentences of HTML.

    Attributes
    ----------
    verdict : str
        Which clustering to take, and what share of the bits it saves.
    bits : str
        Bits without clusters and with them, with the interval where it is known.
    sure : str
        How likely chance does as well, and which others come close.
    agreement : str
        What all measures agree on; empty where there is one.
    notes : tuple of str
        What was left out, and what the groups are.
    overlapping : frozenset of names
        The other clusterings whose interval overlaps that of the best.
    intervals : int
        How many clusterings have an interval of the lead.
    """

    verdict: str
    bits: str = ""
    sure: str = ""
    agreement: str = ""
    notes: tuple[str, ...] = ()
    overlapping: frozenset[Name] = frozenset()
    intervals: int = 0


def with_limits(scores: Scores) -> Scores:
    """Return the scores with intervals of the lead, for the best clusterings."""
    lead = lead_of(scores)
    if scores.confidence_level is not None or scores.groups or lead not in _ESTIMATED:
        return scores
    best = scores.sorted_by(lead).clusterings[:_MOST_ESTIMATED]
    cells = np.cumsum([len(scores.tables[name].counts) for name in best])
    try:
        found = {
            name: find_intervals(scores.tables[name], [_ESTIMATED[lead]], LEVEL, rng=SEED)[0]
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
    notes = [describe_noise(scores.tables), *describe_coverages(scores.tables)]
    notes += [describe_groups(scores)] if scores.groups else []
    notes = list(filter(None, notes))
    tables = scores.tables.values()
    reasons = [nothing_to_save(table) for table in tables]
    if all(reasons):
        return Head(reasons[0], notes=tuple(notes))
    lead = get_measure(name) if (name := lead_of(scores)) else None
    several = len(tables) > 1
    if several and not same_objects(scores):
        why = "The clusterings were counted on different objects: their bits do not compare"
        shares = lead is not None and lead.name == "share_saved"
        notes.append(why + (", the shares saved do." if shares else "."))
    if several and lead is None:
        return Head("These measures rank nothing.", notes=tuple(notes))
    ranked = best_first(scores, lead.name) if lead else []
    # The best by the lead, with all that tie with it.
    winners = [scores.clusterings[0]]
    if lead and ranks:
        first = dict(zip(ranks.clusterings, ranks.of(lead.name) == 1, strict=True))
        winners = [row.clustering for row in ranked if first[row.clustering]]
    table = scores.tables[winners[0]]
    known = {
        row.clustering: (row.low, row.high)
        for row in ranked
        if row.low is not None and row.high is not None
    }
    overlapping = _overlapping(known, winners)
    close = _close(ranked, known, winners, overlapping, scores.confidence_level)
    return Head(
        _verdict(winners, table, ranked, lead),
        _bits(scores, winners[0], table),
        f"{describe_chance(table, len(tables), bool(scores.groups))} {close}".strip(),
        _support(winners, opinions) if opinions else "",
        tuple(notes),
        frozenset(overlapping),
        len(known),
    )


def _verdict(
    winners: list[Name], table: Contingency, ranked: list[Score], lead: Measure | None
) -> str:
    share = share_saved.of(table)
    saves = f"saves {percent(share, 0)} of the bits that clusters can save"
    if share <= 0:
        saves = "saves no bits" + (": it costs more than it tells" if share < 0 else "")
    best = write_label(winners[0])
    if len(ranked) < 2 or lead is None:
        return f"{best} {saves}."
    tied = len(winners) > 1
    if tied:
        best = f"{_name(winners)} are equally good"
    if lead.name not in _ESTIMATED:
        value = f"{escape(short_name(lead.name))}, {figures(ranked[0].value, lead.name)}."
        return f"{best} by {value}" if tied else f"Take {best}: best by {value} It {saves}."
    if share > 0:
        return f"{best}: each {saves}." if tied else f"Take {best}: it {saves}."
    return "None is better than no clusters: " + (
        f"{best}." if tied else f"the best, {best}, {saves}."
    )


def _bits(scores: Scores, best: Name, table: Contingency) -> str:
    """Return the bits without and with clusters, their two parts, and their interval."""
    text = (
        f"{no_clusters_bits(table):.2f} → {q0.of(table):.2f} bits per object: "
        f"{table.class_entropy_given_cluster:.2f} to name its class, given the cluster, and "
        f"{model_bits(table):.2f} for the table of counts"
    )
    for row in scores.rows:
        if (row.clustering, row.measure) == (best, "q0") and row.low is not None:
            level = percent(scores.confidence_level or 0)
            text += f" ({level} confidence: {row.low:.2f} … {row.high:.2f} bits)"
    return f"{text}."


def _overlapping(known: Mapping[Name, tuple[float, float]], winners: list[Name]) -> list[Name]:
    """Return the other clusterings whose interval overlaps that of the best, best first."""
    if winners[0] not in known:
        return []
    low, high = known[winners[0]]
    return [
        name
        for name, (first, last) in known.items()
        if name not in winners and first <= high and last >= low
    ]


def _close(
    ranked: list[Score],
    known: Collection[Name],
    winners: list[Name],
    overlapping: list[Name],
    level: float | None,
) -> str:
    """Return which others come close to the best, as far as there are intervals."""
    if len(ranked) < 2 or len(winners) == len(ranked):
        return ""
    if set(known) <= set(winners) or level is None:
        return "Without confidence intervals of the others, how close they come is not known."
    if not overlapping:
        others = counted(len({*known} - {*winners}), "clustering")
        return f"Of {others} with a {percent(level)} interval, none overlaps that of the best."
    return (
        f"These overlap the interval of the best: {_name(overlapping)}. clusterbits.compare "
        "decides by the paired difference, which is sharper."
    )


def _support(winners: list[Name], opinions: Opinions) -> str:
    """Return which measures put the best first, counting those with the same order once."""
    supporters, dissenters = opinions.supporters, opinions.dissenters
    many = len(supporters + dissenters)
    if many < 2 or len(winners) > 1:
        return ""
    best = write_label(winners[0])
    if not dissenters:
        return f"{'Both' if many == 2 else f'All {many}'} measures put {best} first."
    some, others = (
        listed([escape(short_name(name)) for name in names], 4, "measure") if names else ""
        for names in (supporters, dissenters)
    )
    first = "puts" if len(supporters) == 1 else "put"
    prefer = "prefers another" if len(dissenters) == 1 else "prefer others"
    return f"{some} {first} {best} first; {others} {prefer}."


def _name(clusterings: list[Name]) -> str:
    return listed([write_label(name) for name in clusterings], _NAMED, "clustering")
