"""The first screen in words: which clustering to take, how good it is, and how sure that is."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import replace
from typing import NamedTuple

from clusterbits.core.table import Contingency
from clusterbits.display.sentences import Label, Sentence, shortened
from clusterbits.display.tables import counted, percent
from clusterbits.errors import ClusterbitsError
from clusterbits.inference.intervals import find_intervals
from clusterbits.ingest.runs import Name
from clusterbits.measures.catalogue import Measure, get_measure
from clusterbits.measures.code_length import bits_saved, model_bits, q0, share_saved
from clusterbits.report.disagreement import Opinions
from clusterbits.report.words import figures, short_name
from clusterbits.scoring.grouped import describe_groups
from clusterbits.scoring.headline import compare_singletons, describe_coverages, headline
from clusterbits.scoring.ranks import Ranks, best_first, lead_of, same_objects
from clusterbits.scoring.scores import Score, Scores

# Where the scores came without intervals, the report estimates those of the lead, if it is one of
# these: of so many clusterings, best first, while their tables have no more cells than this in
# total. That takes seconds.
LEVEL, SEED = 0.95, 0
_ESTIMATED: dict[str, Measure] = {"q0": q0, "share_saved": share_saved}
_MOST_ESTIMATED, _MOST_CELLS = 20, 2_000
# Clusterings named in a sentence.
_NAMED = 3

Limits = tuple[float, float] | None


class Head(NamedTuple):
    """What the first screen says.

    Attributes
    ----------
    verdict : Sentence
        Which clustering to take, and what share of the bits it saves.
    bits : Sentence
        Bits without clusters and with them, with the interval where it is known.
    sure : Sentence
        Which others come close.
    agreement : Sentence
        What all measures agree on; empty where there is one.
    notes : tuple of str
        What was left out, and what the groups are.
    overlapping : frozenset of names
        The other clusterings whose interval overlaps that of the best.
    intervals : int
        How many clusterings have an interval of the lead.
    """

    verdict: Sentence
    bits: Sentence = ()
    sure: Sentence = ()
    agreement: Sentence = ()
    notes: tuple[str, ...] = ()
    overlapping: frozenset[Name] = frozenset()
    intervals: int = 0


def choose_estimated(scores: Scores) -> list[Name]:
    """Return the clusterings whose intervals the report estimates, the best first."""
    lead = lead_of(scores)
    if scores.confidence_level is not None or scores.groups or lead not in _ESTIMATED:
        return []
    chosen: list[Name] = []
    cells = 0
    for name in scores.sorted_by(lead).clusterings[:_MOST_ESTIMATED]:
        cells += len(scores.tables[name].counts)
        if cells > _MOST_CELLS:
            break
        chosen.append(name)
    return chosen


def estimate_limits(table: Contingency, measure: str) -> Limits:
    """Return the confidence limits of a measure; None where they cannot be estimated."""
    try:
        (found,) = find_intervals(table, [_ESTIMATED[measure]], LEVEL, rng=SEED)
    except ClusterbitsError:  # real-valued or huge counts
        return None
    return found.low, found.high


def add_limits(scores: Scores, found: Mapping[Name, Limits]) -> Scores:
    """Return the scores with these limits of the lead; unchanged where some are not known."""
    if not found or None in found.values():
        return scores
    rows, lead = [], lead_of(scores)
    for row in scores.rows:
        limits = found.get(row.clustering) if row.measure == lead else None
        rows.append(row if limits is None else row._replace(low=limits[0], high=limits[1]))
    return replace(scores, rows=tuple(rows), confidence_level=LEVEL)


def make_head(scores: Scores, ranks: Ranks | None, opinions: Opinions | None) -> Head:
    """Return what the first screen says."""
    notes = [
        *describe_coverages(scores.tables),
        *([describe_groups(scores)] if scores.groups else []),
    ]
    tables = scores.tables.values()
    if all(table.shape[0] == 1 for table in tables):
        said = headline(next(iter(tables)))
        return Head((said,), notes=tuple(notes))
    lead = get_measure(name) if (name := lead_of(scores)) else None
    several = len(tables) > 1
    if several and not same_objects(scores):
        why = "The clusterings were counted on different objects: their bits do not compare"
        shares = lead is not None and lead.name == "share_saved"
        notes.append(why + (", the shares saved do." if shares else "."))
    if several and lead is None:
        return Head(("These measures rank nothing.",), notes=tuple(notes))
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
    return Head(
        _verdict(winners, table, ranked, lead),
        _bits(scores, winners[0], table),
        _sure(ranked, known, winners, overlapping, scores.confidence_level),
        _support(winners, opinions) if opinions else (),
        tuple(notes),
        frozenset(overlapping),
        len(known),
    )


def _verdict(
    winners: list[Name], table: Contingency, ranked: list[Score], lead: Measure | None
) -> Sentence:
    share = share_saved.of(table)
    saves = f"saves {percent(share, 0)} of the bits that clusters can save"
    saves += compare_singletons(table)
    if share <= 0:
        saves = "saves no bits" + (": it costs more than it tells" if share < 0 else "")
    if len(ranked) < 2 or lead is None:
        return (Label(winners[0]), f" {saves}.")
    best: Sentence = (Label(winners[0]),)
    tied = len(winners) > 1
    if tied:
        named = shortened([Label(name) for name in winners], _NAMED, "clustering")
        best = (*named, " are equally good")
    if lead.name in _ESTIMATED:
        if share <= 0:
            if tied:
                return ("None is better than no clusters: ", *best, ".")
            return ("None is better than no clusters: the best, ", *best, f", {saves}.")
        return (*best, f": each {saves}.") if tied else ("Take ", *best, f": it {saves}.")
    value = f"{short_name(lead.name)}, {figures(ranked[0].value, lead.name)}."
    if tied:
        return (*best, f" by {value}")
    return ("Take ", *best, f": best by {value} It {saves}.")


def _bits(scores: Scores, best: Name, table: Contingency) -> Sentence:
    """Return the bits without and with clusters, their two parts, and their interval."""
    bits = q0.of(table)
    text = (
        f"{bits + bits_saved.of(table):.2f} → {bits:.2f} bits per object: "
        f"{table.class_entropy_given_cluster:.2f} to name its class, given the cluster, and "
        f"{model_bits(table):.2f} for the table of counts"
    )
    for row in scores.rows:
        if (row.clustering, row.measure) == (best, "q0") and row.low is not None:
            level = percent(scores.confidence_level or 0)
            text += f" ({level} confidence: {row.low:.2f} … {row.high:.2f} bits)"
    return (f"{text}.",)


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


def _sure(
    ranked: list[Score],
    known: Collection[Name],
    winners: list[Name],
    overlapping: list[Name],
    level: float | None,
) -> Sentence:
    """Return which others come close to the best, as far as there are intervals."""
    if len(ranked) < 2 or len(winners) == len(ranked):
        return ()
    if set(known) <= set(winners) or level is None:
        return ("Without confidence intervals of the others, how close they come is not known.",)
    if not overlapping:
        others = counted(len({*known} - {*winners}), "clustering")
        return (f"Of {others} with a {percent(level)} interval, none overlaps that of the best.",)
    named = shortened([Label(name) for name in overlapping], _NAMED, "clustering")
    return (
        "These overlap the interval of the best: ",
        *named,
        ". clusterbits.compare decides by the paired difference, which is sharper.",
    )


def _support(winners: list[Name], opinions: Opinions) -> Sentence:
    """Return which measures put the best first, counting those with the same order once."""
    named = opinions.supporters + opinions.dissenters
    if len(named) < 2 or len(winners) > 1:
        return ()
    best = Label(winners[0])
    if not opinions.dissenters:
        everyone = "Both measures" if len(named) == 2 else f"All {len(named)} measures"
        return (f"{everyone} put ", best, " first.")
    some = _names(opinions.supporters)
    first = "puts" if len(opinions.supporters) == 1 else "put"
    others = _names(opinions.dissenters)
    prefer = "prefers another" if len(opinions.dissenters) == 1 else "prefer others"
    return (*some, f" {first} ", best, " first; ", *others, f" {prefer}.")


def _names(measures: Iterable[str]) -> Sentence:
    return shortened([short_name(name) for name in measures], 4, "measure")
