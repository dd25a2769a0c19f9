"""What commands print: rows of scores, tidy for programs or one line each for people."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import clusterbits as cb
from clusterbits.cli.flags import as_flags
from clusterbits.measures.catalogue import get_measure
from clusterbits.scoring.score_rows import board_rows, group_rows, shown_columns
from clusterbits.scoring.scores import Score
from clusterbits.table.cells import Coverage
from clusterbits.text.tables import ValueWithLimits, decimals_of
from clusterbits.text.terminal import Format, render_rows

# Formats for programs, which are exact: docs/reference/json.md describes their rows.
TIDY = ("json", "csv")
# Columns of each clustering and measure.
Gates = Mapping[tuple[Any, str], Mapping[str, Any]]


def print_rows(
    command: str,
    rows: list[dict[str, Any]],
    format: Format,
    title: str = "",
    columns: Sequence[str] = (),
    **facts: Any,
) -> None:
    """Print the rows of a command; JSON says which command and version wrote it."""
    facts = {"version": cb.__version__, "command": command, **facts}
    print(render_rows(rows, format, as_flags(title), facts, columns), flush=True)


def print_scores(
    command: str, scores: cb.Scores, format: Format, gates: Gates | None = None
) -> None:
    """Print the verdict and the scores: by measure, by group, or as a leaderboard."""
    description = next(iter(scores.tables.values())).description
    if len(scores.tables) > 1:
        description = description.partition(" × ")[0]
        if scores.primary is not None and scores.decision.best:
            scores = scores.sorted_by(scores.primary)
            description += f": best {scores.primary} first"
    if format in TIDY:
        rows = score_rows(scores, gates)
    elif scores.groups:
        rows = _grouped_rows(scores, gates)
    elif len(scores.tables) > 1:
        rows = _board_rows(scores)
    else:
        rows = _measure_rows(scores, gates)
    facts = {"verdict": scores.verdict} if scores.verdict else {}
    print_rows(command, rows, format, f"{scores.title}\n\n{description}", **facts)


def table_facts(table: cb.Contingency, complete: bool = True) -> dict[str, Any]:
    """Return the size of a table, and its coverage unless it is only a part of the data."""
    n, (classes, clusters) = table.n, table.shape
    facts: dict[str, Any] = {"n": n, "classes": classes, "clusters": clusters}
    coverage = table.coverage or Coverage(n, n, clusters, clusters)
    return facts | {
        "objects_scored": coverage.objects,
        "objects_given": coverage.of_objects if complete else None,
        "clusters_given": coverage.of_clusters if complete else None,
        "coverage": coverage.objects / coverage.of_objects if complete else None,
    }


def score_rows(scores: cb.Scores, gates: Gates | None = None) -> list[dict[str, Any]]:
    """Return tidy rows: score, table size, the columns of gates, and those of the comparison.

    Only rows of all objects pooled have gates and are compared.
    """
    beside = {key: dict(columns) for key, columns in (gates or {}).items()}
    for row in scores.comparison or ():
        columns = {key: getattr(row, key) for key in _COMPARED}
        beside.setdefault((row.clustering, scores.primary or ""), {}).update(columns)
    facts = {("pooled", None, name): _facts(table) for name, table in scores.tables.items()}
    for group, group_scores in scores.groups.items():
        for name, table in group_scores.tables.items():
            # Excluded objects are known in total, not for each group.
            complete = scores.tables[name].coverage is None
            facts["group", group, name] = _facts(table, complete)
    nothing = dict.fromkeys(next(iter(facts.values())))  # of a mean, or of an empty group
    more = dict.fromkeys(key for columns in beside.values() for key in columns)
    rows = []
    for tidy in scores.to_dicts():
        scope, name, measure = tidy.get("scope", "pooled"), tidy["clustering"], tidy["measure"]
        table_columns = facts.get((scope, tidy.get("group"), name), nothing)
        own = beside.get((name, measure), {}) if scope == "pooled" else {}
        if scores.confidence_level is not None:
            tidy |= {"confidence_level": scores.confidence_level, "method": scores.methods[name]}
        better = get_measure(measure).better
        rows.append({**tidy, "better": better, **table_columns, **more, **own})
    return rows


# The columns of a comparison for programs.
_COMPARED = ("difference", "difference_low", "difference_high", "in_set")


def _facts(table: cb.Contingency, complete: bool = True) -> dict[str, Any]:
    """Return the facts of a table, and the two parts of its q0."""
    parts = {"label_bits": table.class_entropy_given_cluster, "table_bits": table.table_bits()}
    return table_facts(table, complete) | parts


def _measure_rows(scores: cb.Scores, gates: Gates | None) -> list[dict[str, Any]]:
    """Return a row for each measure of one clustering: its value, and what it means."""
    return [
        {
            "measure": row.measure,
            "value": row.value,
            **({} if row.low is None else {"low": row.low, "high": row.high}),
            **(gates or {}).get(row[:2], {}),
            "better": get_measure(row.measure).better,
            "summary": get_measure(row.measure).summary.rpartition(": ")[2].rstrip("."),
        }
        for row in scores.rows
    ]


def _board_rows(scores: cb.Scores) -> list[dict[str, Any]]:
    """Return a leaderboard, with the two parts of q0 beside it, and the comparison."""
    value_columns = shown_columns(scores.rows)

    def columns(score: Score) -> dict[str, Any]:
        if score.measure != "q0":
            return value_columns(score)
        table = scores.tables[score.clustering]
        parts = {"labels": table.class_entropy_given_cluster, "table": table.table_bits()}
        return value_columns(score) | parts

    board = board_rows(scores, columns, "k")
    rows = [row | _compared(scores, row["clustering"]) for row in board]
    return with_short_names(rows, scores.measures)


def _grouped_rows(scores: cb.Scores, gates: Gates | None) -> list[dict[str, Any]]:
    """Return the rows of some groups, after pooled ones, which have gates and the comparison."""
    rows = group_rows(scores, gates)
    for i, row in enumerate(rows):
        pooled = _compared(scores, row.get("clustering", scores.clusterings[0]))
        row |= pooled if i < len(scores.clusterings) else dict.fromkeys(pooled)
    return with_short_names(rows, scores.measures)


def _compared(scores: cb.Scores, name: Any) -> dict[str, Any]:
    """Return the difference from the best with its limits, and whether it is in the set, if any."""
    if scores.comparison is None:
        return {}
    row = scores.comparison[name]
    ends = row.difference_low, row.difference_high
    limits = ValueWithLimits(row.difference, *ends, decimals_of(ends[1] - ends[0]))
    return {
        "difference": 0.0 if ends == (0, 0) else limits,
        "in set": "yes" if row.in_set else "no",
    }


def with_short_names(rows: list[dict[str, Any]], measures: Iterable[str]) -> list[dict[str, Any]]:
    """Return rows with the short names of measures for columns."""
    short = {name: get_measure(name).short_name for name in measures}
    return [{short.get(key, key): value for key, value in row.items()} for row in rows]
