"""What a report says: chosen, computed and put into words before anything is drawn.

Everything here is bounded, so that a report of 200 clusterings or of 5,000 clusters remains
readable. What is left out is counted.
"""

from __future__ import annotations

import inspect
import math
import platform
import re
from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from clusterbits.core.excerpt import Excerpt
from clusterbits.core.table import Contingency
from clusterbits.desiderata.dom import LARGE_N
from clusterbits.desiderata.shipped import MEANINGS, shipped_cards
from clusterbits.display.plots.canvas import LINEAR
from clusterbits.display.tables import counted, with_commas
from clusterbits.explanation import ClusterBits, Explanation, explain
from clusterbits.explanation.explaining import seconds_to_explain
from clusterbits.ingest.runs import Name
from clusterbits.limits import check_cost
from clusterbits.measures.catalogue import Measure, find
from clusterbits.parallel import Progress, track
from clusterbits.scoring.headline import headline
from clusterbits.scoring.ranks import Dispute, Ranks, ranks_of
from clusterbits.scoring.scores import Score, Scores

# Clusterings are explained, best first, while they have no more clusters than this in total.
_MOST_CLUSTERS = 20_000
# Cells of all heatmaps together, and the fewest and the most of one.
_CELLS, _FEWEST_CELLS, _MOST_CELLS = 40_000, 300, 1_600
# Columns of a heatmap for each of its rows.
_ASPECT = 1.6
# Points of a drawn path.
_POINTS = 200
# Clusters listed with what they cost.
_COSTLIEST = 12
# Clusterings whose ranks are shown side by side.
_RANKED = 25
# What a section takes beside its explanation: 400 small ones took 4.6 seconds.
_SECTION_SECONDS = 0.01
_FORMULA = re.compile(r"\.\. math:: (.*?)\n\n", re.DOTALL)


class BoardRow(NamedTuple):
    """One clustering of the leaderboard: its values, and its rank by each measure that ranks."""

    name: Name
    table: Contingency
    values: tuple[Score, ...]
    ranks: dict[str, int]

    @property
    def best(self) -> set[str]:
        """The measures that rank it first, of those with a value."""
        defined = {row.measure for row in self.values if not math.isnan(row.value)}
        return {name for name, rank in self.ranks.items() if rank == 1 and name in defined}


class MergePath(NamedTuple):
    """The merge path as drawn: clusters and q0 of each point, and which has the fewest bits."""

    points: tuple[tuple[int, float], ...]
    best: int
    logarithmic: bool


class Section(NamedTuple):
    """One clustering explained: where its bits go, its heatmap, the path of its merges."""

    row: BoardRow
    why: Explanation
    excerpt: Excerpt
    path: MergePath
    costliest: tuple[ClusterBits, ...]


class Rival(NamedTuple):
    """A measure that ranks differently from the lead, and why."""

    dispute: Dispute
    reason: str


class Entry(NamedTuple):
    """A measure of the glossary."""

    measure: Measure
    formula: str
    card: dict[str, str]


class Content(NamedTuple):
    """Everything a report says. The lead is the measure that orders its leaderboard, best first."""

    title: str
    headline: str
    level: float | None
    lead: Measure | None
    board: dict[Name, BoardRow]
    rivals: tuple[Rival, ...]
    agreeing: tuple[str, ...]
    sections: tuple[Section, ...]
    glossary: tuple[Entry, ...]
    criteria: dict[str, str]
    made: tuple[tuple[str, str], ...]
    # Limits, for what is said of what was left out.
    most_clusters: int
    most_ranked: int


def make_content(
    scores: Scores, title: str, facts: Mapping[str, str], progress: Progress = iter
) -> Content:
    """Return what a report of these scores says; `Scores.report` describes the parameters."""
    ranking = scores.ranking_measures
    lead = find("q0" if "q0" in ranking else ranking[0]) if ranking else None
    order = tuple(scores.ranking(lead.name)) if lead else scores.clusterings
    ranks = ranks_of(scores) if lead else None
    board = _board(scores, ranks, order)
    chosen = _chosen(board)
    check_cost(
        f"a report that explains {counted(len(chosen), 'clustering')}",
        "report on fewer of them, or explain one by one",
        seconds=sum(_SECTION_SECONDS + seconds_to_explain(row.table) for row in chosen),
    )
    cells = min(max(_CELLS // len(chosen), _FEWEST_CELLS), _MOST_CELLS)
    rivals, agreeing = _rivals(scores, ranks, lead)
    return Content(
        title=title,
        headline=headline(scores.tables[order[0]]),
        level=scores.level,
        lead=lead,
        board=board,
        rivals=rivals,
        agreeing=agreeing,
        sections=tuple(_section(row, cells) for row in track(progress, chosen)),
        glossary=tuple(
            Entry(entry, _formula(entry), shipped_cards().get(entry.name, {}))
            for entry in map(find, scores.measures)
        ),
        criteria=MEANINGS,
        made=_made(scores, facts),
        most_clusters=_MOST_CLUSTERS,
        most_ranked=_RANKED,
    )


def _board(scores: Scores, ranks: Ranks | None, order: tuple[Name, ...]) -> dict[Name, BoardRow]:
    """Return the rows of the leaderboard by clustering, best first."""
    values: dict[Name, list[Score]] = {name: [] for name in scores.clusterings}
    for row in scores.rows:
        values[row.clustering].append(row)
    places: dict[Name, dict[str, int]] = {name: {} for name in scores.clusterings}
    if ranks is not None:
        columns = ranks.values.astype(int).T.tolist()
        for name, column in zip(ranks.clusterings, columns, strict=True):
            places[name] = dict(zip(ranks.measures, column, strict=True))
    return {
        name: BoardRow(name, scores.tables[name], tuple(values[name]), places[name])
        for name in order
    }


def _chosen(board: dict[Name, BoardRow]) -> list[BoardRow]:
    """Return the clusterings to explain, best first: all that fit into the limit, at least one."""
    chosen, room = [], _MOST_CLUSTERS
    for row in board.values():
        if (clusters := row.table.shape[1]) <= room:
            chosen.append(row)
            room -= clusters
    return chosen or [next(iter(board.values()))]


def _section(row: BoardRow, cells: int) -> Section:
    table = row.table
    why = explain(table)
    columns = min(table.shape[1], round((cells * _ASPECT) ** 0.5))
    rows = min(table.shape[0], cells // columns)
    columns = min(table.shape[1], cells // rows)
    costliest = why.costliest[:_COSTLIEST]
    return Section(row, why, table.excerpt(rows, columns), _path(why), costliest)


def _path(why: Explanation) -> MergePath:
    """Return enough points of the merge path to draw it, its minimum among them."""
    steps, best = why.path, why.best_step
    if len(steps) > _POINTS:
        spread = np.geomspace(1, len(steps), _POINTS).round().astype(int)
        places = {len(steps) - place for place in spread.tolist()} | {0}
        steps = tuple(step for i, step in enumerate(steps) if i in places or step is best)
    points = tuple((step.clusters, step.q0) for step in steps)
    return MergePath(points, steps.index(best), logarithmic=points[0][0] > LINEAR)


def spoken(measure: str) -> str:
    """Return the name of a measure as words."""
    return measure.replace("_", " ")


def _formula(entry: Measure) -> str:
    """Return the LaTeX of the docstring's formula."""
    found = _FORMULA.search(inspect.getdoc(entry.function) or "")
    return " ".join(found[1].split()) if found else ""


def _made(scores: Scores, facts: Mapping[str, str]) -> tuple[tuple[str, str], ...]:
    from clusterbits import __version__

    tables = list(scores.tables.values())
    objects = sorted({table.n for table in tables})
    return (
        *facts.items(),
        ("objects", " to ".join(map(with_commas, dict.fromkeys((objects[0], objects[-1]))))),
        ("classes", ", ".join(sorted({f"{table.shape[0]:,}" for table in tables}))),
        ("clusterings", f"{len(tables):,}"),
        ("clusterbits", __version__),
        ("Python", platform.python_version()),
        ("numpy", np.__version__),
    )


# Criteria whose failure makes a measure prefer more clusters, or fewer. Two are tried on all small
# partitions: only a failure in most cases tells how a measure behaves.
_IN_MOST_CASES = ("homogeneity", "completeness")
_PREFERS_MORE = {
    "completeness": "It does not penalise splitting a class",
    "P1.2": "It can prefer more clusters than classes",
    "P2": "It can prefer more noise clusters",
    "constant baseline": "Its value for random clusters depends on how many there are",
}
_PREFERS_FEWER = {
    "homogeneity": "It does not penalise clusters that mix classes",
    "P1.1": "It can prefer that useful clusters are merged",
}
# What a class split into pure parts costs, by the family of the measure.
_SPLITS = {
    "pairs": "It counts pairs of objects: splitting a class loses all pairs between its parts, "
    "however pure they are.",
    "matching": "It matches clusters with classes: of a split class, only the largest part counts "
    "in full.",
    "elements": "It asks how much of an object's class shares its cluster: splitting a class "
    "lowers that, however pure the parts are.",
    "information": "It penalises the bits that name a cluster: finer clusters need more of them, "
    "however pure they are.",
}


def _rivals(
    scores: Scores, ranks: Ranks | None, lead: Measure | None
) -> tuple[tuple[Rival, ...], tuple[str, ...]]:
    """Return the measures that rank differently from the lead, and the names of those that do not.

    Measures by which all clusterings tie come first, then those that disagree most.
    """
    if ranks is None or lead is None or len(ranks.clusterings) < 2:
        return (), ()
    others = [name for name in ranks.measures if name != lead.name]
    agreeing = tuple(name for name in others if np.array_equal(ranks.of(name), ranks.of(lead.name)))
    disputes = [ranks.dispute(lead.name, name) for name in others if name not in agreeing]
    disputes.sort(key=lambda dispute: -math.inf if math.isnan(dispute.tau) else dispute.tau)
    return tuple(Rival(each, _reason(scores, ranks, each)) for each in disputes), agreeing


def _reason(scores: Scores, ranks: Ranks, dispute: Dispute) -> str:
    """Return why the rival ranks differently, by its report card where that tells."""
    if ranks.ties_all(dispute.rival):
        return "All clusterings tie."
    if ranks.ties_all(dispute.measure):
        return f"All clusterings tie by {spoken(dispute.measure)}, but not by this measure."
    if dispute.preferred is None or dispute.instead is None:
        return "No pair is reversed, but one of the two ties clusterings that the other does not."
    rival = find(dispute.rival)
    card = shipped_cards().get(rival.name)
    if card is None:
        return "clusterbits has no report card for it; clusterbits.desiderata.check makes one."
    ours, theirs = (scores.tables[name].shape[1] for name in (dispute.preferred, dispute.instead))
    failures = _PREFERS_MORE if theirs > ours else _PREFERS_FEWER if theirs < ours else {}
    for criterion, meaning in failures.items():
        if shows_failure(card, criterion):
            return f"{meaning} (fails {criterion})."
    if theirs < ours and rival.family in _SPLITS:
        return _SPLITS[rival.family]
    return "Its report card does not explain this: the two weigh the same mistakes differently."


def shows_failure(card: dict[str, str], criterion: str) -> bool:
    """Return whether the mark by a criterion shows a failure that may explain a dispute."""
    mark = card.get(criterion, "–")
    if mark == "–":  # measures that need whole counts have marks for a large n only
        mark = card.get(criterion + LARGE_N, "–")
    if criterion not in _IN_MOST_CASES:
        return mark.startswith("✗")
    counts = [tuple(map(int, part[2:].split("/"))) for part in mark.split(", ") if "/" in part]
    return any(2 * sum(failed for failed, _ in counts) > cases for _, cases in counts)
