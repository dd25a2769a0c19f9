"""What a report says, before it is drawn: chosen, computed and put into words.

Everything here is bounded, so that a report of 200 clusterings or of 5,000 clusters stays a page
that can be read: what is left out is counted.
"""

from __future__ import annotations

import inspect
import math
import platform
import re
from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from clusterbits.core.excerpt import Excerpt, excerpt_of
from clusterbits.core.table import Contingency
from clusterbits.desiderata.shipped import MEANINGS, shipped_cards
from clusterbits.explanation import Explanation, explain
from clusterbits.measures.catalogue import Measure, find
from clusterbits.parallel import Progress
from clusterbits.scoring.ranks import Dispute, Ranks, ranks_of
from clusterbits.scoring.scores import Score, Scores

# Clusterings are explained, best first, that have so many clusters together.
_MOST_CLUSTERS = 20_000
# Cells of all heatmaps together, and the least and the most that one has.
_CELLS, _FEWEST_CELLS, _MOST_CELLS = 40_000, 300, 1_600
# Columns of a heatmap for each of its rows.
_ASPECT = 1.6
# Points of a drawn path.
_POINTS = 200
# Clusterings whose ranks are shown side by side.
_RANKED = 25
_FORMULA = re.compile(r"\.\. math:: (.*?)\n\n", re.DOTALL)


class Section(NamedTuple):
    """One clustering: its table, where its bits go, and its values."""

    name: str
    table: Contingency
    why: Explanation
    excerpt: Excerpt
    path: tuple[tuple[int, float], ...]
    values: tuple[Score, ...]


class Rival(NamedTuple):
    """A measure that ranks otherwise than the lead: what it disputes, and why by its card."""

    dispute: Dispute
    reason: str


class Entry(NamedTuple):
    """A measure of the glossary."""

    measure: Measure
    formula: str
    card: dict[str, str]


class Summary(NamedTuple):
    """All that a report says."""

    title: str
    scores: Scores
    lead: Measure | None
    order: tuple[str, ...]
    ranks: Ranks | None
    rivals: tuple[Rival, ...]
    agreeing: tuple[str, ...]
    sections: tuple[Section, ...]
    glossary: tuple[Entry, ...]
    criteria: dict[str, str]
    made: tuple[tuple[str, str], ...]

    @property
    def room(self) -> int:
        """The clusters that explained clusterings may have together."""
        return _MOST_CLUSTERS

    @property
    def ranked(self) -> tuple[str, ...]:
        """The clusterings whose ranks are shown side by side."""
        return self.order[:_RANKED]


def summarize(
    scores: Scores, title: str, facts: Mapping[str, str], progress: Progress = iter
) -> Summary:
    """Gather what a report of these scores says.

    Parameters
    ----------
    scores : Scores
        The values, with the tables they came from.
    title : str
        The heading.
    facts : mapping of str to str
        What the reader should know of its making: the inputs, the command.
    progress : callable, optional
        Wrapped around the clusterings to explain, to draw a progress bar.
    """
    ranking = [name for name in scores.measures if find(name).better is not None]
    lead = find("q0" if "q0" in ranking else ranking[0]) if ranking else None
    order = tuple(scores.ranking(lead.name)) if lead else scores.clusterings
    chosen = _chosen(scores, order)
    cells = min(max(_CELLS // len(chosen), _FEWEST_CELLS), _MOST_CELLS)
    ranks = ranks_of(scores) if lead else None
    rivals, agreeing = _rivals(scores, ranks, lead)
    return Summary(
        title=title,
        scores=scores,
        lead=lead,
        order=order,
        ranks=ranks,
        rivals=rivals,
        agreeing=agreeing,
        sections=tuple(_section(scores, name, cells) for name in progress(chosen)),
        glossary=tuple(
            Entry(entry, _formula(entry), shipped_cards().get(entry.name, {}))
            for entry in map(find, scores.measures)
        ),
        criteria=MEANINGS,
        made=_made(scores, facts),
    )


def _chosen(scores: Scores, order: tuple[str, ...]) -> list[str]:
    """Return the clusterings to explain: best first, all that fit into the limit, one at least."""
    chosen, room = [], _MOST_CLUSTERS
    for name in order:
        if (clusters := scores.tables[name].shape[1]) <= room:
            chosen.append(name)
            room -= clusters
    return chosen or [order[0]]


def _section(scores: Scores, name: str, cells: int) -> Section:
    table = scores.tables[name]
    why = explain(table)
    columns = min(table.shape[1], round((cells * _ASPECT) ** 0.5))
    rows = min(table.shape[0], cells // columns)
    columns = min(table.shape[1], cells // rows)
    values = tuple(row for row in scores.rows if row.clustering == name)
    return Section(name, table, why, excerpt_of(table, rows, columns), _thinned(why), values)


def _thinned(why: Explanation) -> tuple[tuple[int, float], ...]:
    """Return enough points of the path to draw it, its minimum among them."""
    steps = why.path
    if len(steps) > _POINTS:
        spread = np.geomspace(1, len(steps), _POINTS).round().astype(int)
        places = {len(steps) - place for place in spread.tolist()} | {0}
        steps = tuple(s for i, s in enumerate(steps) if i in places or s is why.best_step)
    return tuple((step.clusters, step.q0) for step in steps)


def _formula(entry: Measure) -> str:
    """Return the LaTeX of the docstring's formula."""
    found = _FORMULA.search(inspect.getdoc(entry.function) or "")
    return " ".join(found[1].split()) if found else ""


def _made(scores: Scores, facts: Mapping[str, str]) -> tuple[tuple[str, str], ...]:
    from clusterbits import __version__

    tables = list(scores.tables.values())
    objects = sorted({table.n for table in tables})
    counted = f"{objects[0]:,}" + (f" to {objects[-1]:,}" if len(objects) > 1 else "")
    return (
        *facts.items(),
        ("objects", counted),
        ("classes", ", ".join(sorted({f"{table.shape[0]:,}" for table in tables}))),
        ("clusterings", f"{len(tables):,}"),
        ("clusterbits", __version__),
        ("Python", platform.python_version()),
        ("numpy", np.__version__),
    )


# --- why measures disagree -----------------------------------------------------------------------

# Failures that make a measure like more clusters, and fewer: what each means in a sentence.
_LIKES_MORE = {
    "completeness": "It does not mind that a class lies in many clusters",
    "P1.2": "It may gain from more clusters than classes",
    "P2": "It may gain from more clusters of noise",
    "constant baseline": "Random clusters score differently when there are more of them",
}
_LIKES_FEWER = {
    "homogeneity": "It does not mind that a cluster mixes classes",
    "P1.1": "It may gain when useful clusters are put together",
}
# What a class split into pure parts costs, by the family of the measure.
_SPLITS = {
    "pairs": "It counts pairs of objects: the parts of a split class lose all pairs between them, "
    "however pure they are.",
    "matching": "It matches clusters and classes one to one or best to best: of a split class "
    "only the largest part counts fully.",
    "elements": "It asks how much of an object's class is with it: the parts of a split class "
    "lose that, however pure they are.",
    "information": "It counts the bits that name a cluster against a clustering: finer clusters "
    "have more of them, however pure they are.",
}


def _rivals(
    scores: Scores, ranks: Ranks | None, lead: Measure | None
) -> tuple[tuple[Rival, ...], tuple[str, ...]]:
    """Return the measures that rank otherwise than the lead, and the names of those that do not.

    Measures that tie all clusterings come first, then those most at odds.
    """
    if ranks is None or lead is None or len(ranks.clusterings) < 2:
        return (), ()
    others = [name for name in ranks.measures if name != lead.name]
    agreeing = tuple(name for name in others if np.array_equal(ranks.of(name), ranks.of(lead.name)))
    disputes = [ranks.dispute(lead.name, name) for name in others if name not in agreeing]
    disputes.sort(key=lambda dispute: -math.inf if math.isnan(dispute.tau) else dispute.tau)
    return tuple(Rival(dispute, _reason(scores, dispute)) for dispute in disputes), agreeing


def _reason(scores: Scores, dispute: Dispute) -> str:
    """Say in a line what of the rival's report card speaks for its preference."""
    if dispute.preferred is None or dispute.instead is None:
        return ""
    rival = find(dispute.rival)
    card = shipped_cards().get(rival.name)
    if card is None:
        return "It has no report card; clusterbits.desiderata.check makes one."
    ours, theirs = (scores.tables[name].shape[1] for name in (dispute.preferred, dispute.instead))
    likes = _LIKES_MORE if theirs > ours else _LIKES_FEWER if theirs < ours else {}
    for criterion, meaning in likes.items():
        if card.get(criterion, "").startswith("✗"):
            return f"{meaning} (fails {criterion})."
    if theirs < ours and rival.family in _SPLITS:
        return _SPLITS[rival.family]
    return "Nothing on its card explains it: the two weigh the same mistakes differently."
