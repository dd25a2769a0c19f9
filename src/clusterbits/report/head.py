"""The first screen in words: which clustering to take, how good it is, and how sure that is."""

from __future__ import annotations

from typing import NamedTuple

from clusterbits.display.noise import describe_noise
from clusterbits.display.tables import percent
from clusterbits.inference.verdict import describe_chance, nothing_to_save
from clusterbits.ingest.runs import Name
from clusterbits.measures.code_length import no_clusters_bits, q0, share_saved
from clusterbits.report.disagreement import Opinions
from clusterbits.report.words import linked, write_label
from clusterbits.scoring.grouped import describe_groups
from clusterbits.scoring.headline import describe_coverages
from clusterbits.scoring.ranks import Ranks, best_first, same_objects
from clusterbits.scoring.scores import Scores


class Head(NamedTuple):
    """What the first screen says, in sentences of HTML.

    Attributes
    ----------
    verdict : str
        Which clustering has the best value, and which are not significantly worse.
    bits : str
        What it saves: bits without clusters and with them, with the interval where it is known.
    sure : str
        How likely random clusters do as well, if that matters.
    agreement : str
        What all measures agree on; empty where there is one.
    notes : tuple of str
        What was left out, and what the groups are.
    best : tuple of names
        The clustering with the best value, then those that are not significantly worse.
    level : float or None
        The level of that comparison.
    """

    verdict: str
    bits: str = ""
    sure: str = ""
    agreement: str = ""
    notes: tuple[str, ...] = ()
    best: tuple[Name, ...] = ()
    level: float | None = None


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
    if ranks is None or scores.primary is None:
        return Head("None of these measures ranks clusterings.", notes=notes)
    # The best by the primary measure, with all that tie with it.
    first = dict(zip(ranks.clusterings, ranks.of(scores.primary) == 1, strict=True))
    ranked = best_first(scores, scores.primary)
    winners = [row.clustering for row in ranked if first[row.clustering]]
    known = scores.comparison is not None or same_objects(scores)
    best = scores.best if known else (winners[0],)
    return Head(
        scores.in_words(write_label),
        f"{_saves(scores, best[0])} {_bits(scores, best[0])}",
        _chance(scores, best[0]),
        _support(winners, opinions) if opinions else "",
        notes,
        best,
        scores.comparison.confidence_level if scores.comparison else None,
    )


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
