"""What commands print: rows of scores, tidy for programs or one line each for people."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import clusterbits as cb
from clusterbits.core.cells import Coverage
from clusterbits.display.tables import show
from clusterbits.display.terminal import Format, render_rows
from clusterbits.measures.catalogue import find
from clusterbits.scoring.grouped import columns_of
from clusterbits.scoring.scores import Score

# Formats for programs: docs/json.md describes their rows.
TIDY = ("json", "csv")


def print_rows(
    command: str, rows: list[dict[str, Any]], format: Format, title: str = "", **facts: Any
) -> None:
    """Print the rows of a command; JSON says which command and version wrote it."""
    facts = {"version": cb.__version__, "command": command, **facts}
    print(render_rows(rows, format, title, facts), flush=True)


def table_facts(table: cb.Contingency | None) -> dict[str, Any]:
    """Return the size of a table, and how much of the data it holds; None for no table."""
    keys = ("n", "classes", "clusters", "objects_given", "clusters_given", "coverage")
    if table is None:
        return dict.fromkeys(keys)
    n, (classes, clusters) = table.n, table.shape
    given = table.coverage or Coverage(n, n, clusters, clusters)
    share = given.objects / given.of_objects
    return dict(
        zip(keys, (n, classes, clusters, given.of_objects, given.of_clusters, share), strict=True)
    )


def score_rows(
    scores: cb.Scores, beside: Mapping[str, Mapping[str, Any]] | None = None
) -> list[dict[str, Any]]:
    """Return tidy rows: a score, the table it is of, and what stands beside its pooled value."""
    sources: dict[Any, cb.Scores] = {("group", name): one for name, one in scores.by_group}
    sources["pooled", None] = scores
    rows = []
    for row in scores.to_dicts():
        source = sources.get((row.get("scope", "pooled"), row.get("group")))  # a mean has none
        table = None if source is None else source.tables.get(row["clustering"])
        parts = (table.class_entropy_given_cluster, cb.model_bits(table)) if table else (None,) * 2
        rows.append(
            {
                **row,
                **({} if scores.level is None else {"level": scores.level}),
                "better": scores.better(row["measure"]),
                **table_facts(table),
                **dict(zip(("label_bits", "table_bits"), parts, strict=True)),
                **{
                    key: value if source is scores else None
                    for key, value in (beside or {}).get(row["measure"], {}).items()
                },
            }
        )
    return rows


def measure_rows(
    scores: cb.Scores, beside: Mapping[str, Mapping[str, Any]]
) -> list[dict[str, Any]]:
    """Return a row for each measure of one clustering: its value, and what it means."""
    (table,) = scores.tables.values()
    return [
        {
            "measure": row.measure,
            "value": row.value,
            **({} if row.low is None else {"low": row.low, "high": row.high}),
            **beside[row.measure],
            **({} if table.coverage is None else scored(table)),
            "better": scores.better(row.measure),
            "summary": find(row.measure).summary.partition(": ")[2].rstrip("."),
        }
        for row in scores.rows
    ]


def board_rows(scores: cb.Scores, format: Format) -> list[dict[str, Any]]:
    """Return a leaderboard: one row per clustering; the terminal has short names for columns."""
    short = format == "table"
    board = {
        name: {"clustering": name, "k" if short else "clusters": table.shape[1]}
        for name, table in scores.tables.items()
    }
    for score in scores.rows:
        board[score.clustering] |= _short_column(score) if short else columns_of(score)
        if score.measure == "q0":
            table = scores.tables[score.clustering]
            board[score.clustering] |= {
                "labels" if short else "label_bits": table.class_entropy_given_cluster,
                "table" if short else "table_bits": cb.model_bits(table),
            }
    if any(table.coverage is not None for table in scores.tables.values()):
        for name, table in scores.tables.items():
            board[name] |= scored(table)
    return list(board.values())


def _short_column(score: Score) -> dict[str, Any]:
    """Return a score under its short name; its interval in the same cell, to stay beside it."""
    name = find(score.measure).short_name
    if score.low is None:
        return {name: score.value}
    return {name: f"{show(score.value)} [{show(score.low)}, {show(score.high)}]"}


def scored(table: cb.Contingency) -> dict[str, str]:
    """Return how many objects were scored, for a row of a table that lacks some."""
    facts = table_facts(table)
    count = facts["n"] if table.coverage is None else table.coverage.objects
    return {"scored": f"{count:,} of {facts['objects_given']:,}"}
