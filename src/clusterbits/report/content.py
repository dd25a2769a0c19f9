"""What a report says: chosen, computed and put into words before anything is drawn.

Everything here is bounded, so that a report of 200 clusterings or of 5,000 clusters remains
readable. Omissions are counted.
"""

from __future__ import annotations

import math
import platform
from collections.abc import Mapping
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from clusterbits.explanation import ClusterBits, Explanation, explain
from clusterbits.explanation.advice import Action, list_actions, list_remarks
from clusterbits.inference.verdict import Decision
from clusterbits.measures.catalogue import get_measure
from clusterbits.measures.declaration import Measure
from clusterbits.report.caveats import list_caveats
from clusterbits.report.disagreement import MeasureAgreement, find_agreement
from clusterbits.report.words import write_label
from clusterbits.scoring.bits_over_clusters import BitsOverClusters, bits_over_clusters
from clusterbits.scoring.ranking import Ranks
from clusterbits.scoring.scores import Score, Scores
from clusterbits.system.progress import Progress, track
from clusterbits.table.contingency import Contingency
from clusterbits.table.excerpt import Excerpt, excerpt_of
from clusterbits.table.label_names import Name
from clusterbits.text.tables import counted, with_commas

# Clusterings are explained, best first, while they have no more clusters than this in total.
MAX_CLUSTERS = 20_000
# Cells of all heatmaps together, and the fewest and the most of one.
_CELLS, _FEWEST_CELLS, _MOST_CELLS = 40_000, 300, 1_600
# Columns of a heatmap for each of its rows.
_ASPECT = 1.6
# Clusters listed with what they cost.
_COSTLIEST = 12
# Clusterings whose ranks are shown side by side.
MAX_RANKED = 25


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


class Section(NamedTuple):
    """One clustering explained: its bits, actions, remarks and heat map."""

    name: Name
    why: Explanation
    actions: tuple[Action, ...]
    remarks: tuple[str, ...]
    excerpt: Excerpt
    costliest: tuple[ClusterBits, ...]


class Content(NamedTuple):
    """Everything a report says; `verdict`, `saving` and `support` are HTML.

    The primary measure is None if none has a direction. The leaderboard is in the order of the
    verdict.
    """

    title: str
    subject: str
    decision: Decision
    verdict: str
    saving: str
    support: str
    notes: tuple[str, ...]
    bits: BitsOverClusters
    level: float | None
    primary: Measure | None
    measures: tuple[Measure, ...]
    board: dict[Name, BoardRow]
    agreement: MeasureAgreement | None
    sections: tuple[Section, ...]
    caveats: tuple[str, ...]
    made: tuple[tuple[str, str], ...]


def make_content(
    scores: Scores, title: str, facts: Mapping[str, str], progress: Progress = False
) -> Content:
    """Return the content of a report of these scores; `Scores.report` describes the parameters."""
    # The column that orders the leaderboard is its first.
    rows = sorted(scores.rows, key=lambda row: row.measure != scores.primary)
    scores = replace(scores, rows=tuple(rows))
    primary = get_measure(scores.primary) if scores.primary else None
    decision = scores.decision
    order = decision.order or scores.clusterings
    chosen = _chosen(order, scores.tables)
    cells = min(max(_CELLS // len(chosen), _FEWEST_CELLS), _MOST_CELLS)
    sections = tuple(_section(x, scores.tables[x], cells) for x in track(progress, chosen))
    noisy = any(section.why.kinds["noise-like"] for section in sections)
    ranks = scores.ranks() if primary else None
    agreement = find_agreement(scores, ranks) if ranks else None
    named, saving = decision.text(write_label), decision.conclusion(write_label)
    return Content(
        title=title,
        subject=_subject(scores),
        decision=decision,
        verdict=named or saving,
        saving=saving if named else "",
        support=agreement.describe_support(decision.best) if agreement else "",
        notes=scores.notes,
        bits=bits_over_clusters(scores),
        level=scores.confidence_level,
        primary=primary,
        measures=tuple(map(get_measure, scores.measures)),
        board=_board(scores, ranks, order),
        agreement=agreement,
        sections=sections,
        caveats=list_caveats(scores, noisy),
        made=_made(scores, facts),
    )


def _board(scores: Scores, ranks: Ranks | None, order: tuple[Name, ...]) -> dict[Name, BoardRow]:
    """Return the rows of the leaderboard by clustering, best first."""
    values: dict[Name, list[Score]] = {name: [] for name in scores.clusterings}
    for row in scores.rows:
        values[row.clustering].append(row)
    by_measure = {} if ranks is None else dict(ranks)
    return {
        name: BoardRow(
            name,
            scores.tables[name],
            tuple(values[name]),
            {measure: by_name[name] for measure, by_name in by_measure.items()},
        )
        for name in order
    }


def _chosen(order: tuple[Name, ...], tables: Mapping[Name, Contingency]) -> list[Name]:
    """Return the clusterings to explain, best first: all that fit into the limit, at least one."""
    chosen, n_left = [], MAX_CLUSTERS
    for name in order:
        if (clusters := tables[name].shape[1]) <= n_left:
            chosen.append(name)
            n_left -= clusters
    return chosen or [order[0]]


def _section(name: Name, table: Contingency, cells: int) -> Section:
    why = explain(table)
    columns = min(table.shape[1], round((cells * _ASPECT) ** 0.5))
    rows = min(table.shape[0], cells // columns)
    columns = min(table.shape[1], cells // rows)
    return Section(
        name,
        why,
        tuple(list_actions(why, write_label)),
        tuple(list_remarks(why, write_label)),
        excerpt_of(table, rows, columns),
        why.costliest[:_COSTLIEST],
    )


def _subject(scores: Scores) -> str:
    """Return the numbers of objects, classes and clusterings in words."""
    tables = list(scores.tables.values())
    objects = sorted({table.n for table in tables})
    classes = max(table.shape[0] for table in tables)
    low, high = map(with_commas, (objects[0], objects[-1]))
    beginning = f"{low} to " if low != high else ""
    counts = counted(objects[-1], "object"), counted(classes, "class")
    return f"{beginning}{' in '.join(counts)}, {counted(len(tables), 'clustering')}"


def _made(scores: Scores, facts: Mapping[str, str]) -> tuple[tuple[str, str], ...]:
    """Return facts on the making of the report, and a sentence for a paper."""
    from clusterbits import __version__

    named = scores.primary is not None and scores.decision.best
    return (
        *facts.items(),
        *([("in a paper", scores.statement().replace("https://", ""))] if named else []),
        ("clusterbits", __version__),
        ("Python", platform.python_version()),
        ("numpy", np.__version__),
    )
