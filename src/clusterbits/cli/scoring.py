"""Commands that score labels: score, compare, explain, report."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path
from typing import Annotated, Any

from cyclopts import Parameter

import clusterbits as cb
from clusterbits.cli.app import FormatOption, MeasureOption, app, folded
from clusterbits.cli.inputs import LABELS, Input, split_names
from clusterbits.core.cells import Coverage
from clusterbits.display.progress import progress_bar
from clusterbits.display.terminal import Format, render_rows
from clusterbits.explanation.results import PartName, readable
from clusterbits.measures.catalogue import find

# What a leaderboard shows beside q0 where nothing else is asked for.
COMPARED = ("q2", "adjusted_rand", "adjusted_mutual_information", "v_measure")


@app.command
def score(
    *file: str,
    input: Input = LABELS,
    measure: MeasureOption = None,
    interval: float | None = None,
    seed: int | None = None,
    save: Path | None = None,
    format: FormatOption = "table",
) -> None:
    """Score one clustering against the true classes.

    Example: clusterbits score labels.csv --truth species --pred cluster

    Example: clusterbits score truth.csv pred.parquet --on id --truth species --pred cluster

    Parameters
    ----------
    file
        CSV, Parquet or JSON lines, plain or compressed; a folder or a quoted pattern; or saved
        tables, which are added up. With --on two, classes first; with --sql a database.
    input
        Where the labels are, and how to read them.
    measure
        Measures to print, by name or alias, repeated or separated by commas; "all" for every one.
    interval
        Level of an interval for each value, such as 0.95, by drawing the objects anew.
    seed
        For the intervals: the same seed gives the same ones.
    save
        Keep the table in this .json or .parquet file, to be scored again or added to others.
    format
        How to print: table, json, csv or markdown. Only the table rounds.
    """
    table = input.table(file)
    scores = cb.evaluate(
        table,
        measures=split_names(measure),
        interval=interval,
        seed=seed,
        progress=lambda asked: progress_bar(asked, "scoring"),
    )
    rows = [
        {
            "measure": row.measure,
            "value": row.value,
            **({} if interval is None else {"low": row.low, "high": row.high}),
            **({} if table.coverage is None else _judged(table, format)),
            "better": find(row.measure).better or "–",
            "summary": find(row.measure).summary.partition(": ")[2].rstrip("."),
        }
        for row in scores.rows
    ]
    if save is not None:
        table.save(save)
    print(render_rows(rows, format, _described(table)))


@app.command
def compare(
    *file: str,
    input: Input = LABELS,
    measure: MeasureOption = None,
    sort: str | None = None,
    format: FormatOption = "table",
) -> None:
    """Compare many clusterings of the same objects: a leaderboard.

    Example: clusterbits compare runs.parquet --truth label --pred 'k*' --sort ari

    Parameters
    ----------
    file
        As for score. Saved tables are clusterings to compare, called by their files' names.
    input
        Where the labels are, and how to read them.
    measure
        Measures to print beside q0, by name or alias, repeated or separated by commas.
    sort
        The measure that decides the order; q0 by default.
    format
        How to print: table, json, csv or markdown. Only the table rounds.
    """
    order = find(sort or "q0")
    tables = input.tables(file)
    asked = [order.name, *(split_names(measure) or COMPARED)]
    ranked = cb.evaluate(tables, measures=["q0", *asked]).sorted_by(order.name)
    partial = any(table.coverage is not None for table in tables.values())
    rows = []
    for row in ranked.leaderboard():
        table = tables[row["clustering"]]
        rows.append(
            {
                "clustering": row.pop("clustering"),
                "clusters": row.pop("clusters"),
                "q0": row.pop("q0"),
                "q0 labels": table.class_entropy_given_cluster,
                "q0 table": cb.model_bits(table),
                **row,
                **(_judged(table, format) if partial else {}),
            }
        )
    first = next(iter(tables.values()))
    title = f"{_described(first).partition(' × ')[0]}: best {order.name} first"
    print(render_rows(rows, format, title))


def _described(table: cb.Contingency) -> str:
    text = repr(table).strip("<>").partition(": ")[2]
    return text if table.coverage is None else f"{text}; {table.coverage}"


def _judged(table: cb.Contingency, format: Format) -> dict[str, Any]:
    """Return what stands beside a score where not all objects were judged."""
    clusters = table.shape[1]
    coverage = table.coverage or Coverage(table.n, table.n, clusters, clusters)
    if format in ("json", "csv"):
        return {f"judged_{key}": value for key, value in coverage._asdict().items()}
    return {"judged": f"{coverage.objects:,} of {coverage.of_objects:,}"}


@app.command
def explain(
    *file: str,
    input: Input = LABELS,
    part: PartName = "clusters",
    top: int = 10,
    format: FormatOption = "table",
) -> None:
    """Say where the bits of a clustering go, and what would save some.

    Example: clusterbits explain labels.csv --truth species --pred cluster

    Parameters
    ----------
    file
        As for score.
    input
        Where the labels are, and how to read them.
    part
        Which rows to print: the bits of clusters or classes, merges, splits, scattered or
        confused classes, or the path of merges.
    top
        How many merges, splits, scattered and confused classes to look for; and how many
        clusters or classes the table shows, the costliest first.
    format
        How to print: table, json, csv or markdown. Only the table rounds, and adds what to do.
    """
    table = input.table(file)
    why = cb.explain(table, top=top)
    rows = why.to_dicts(part)
    if format != "table":
        print(render_rows(rows, format))
        return
    if part in ("clusters", "classes"):
        rows = sorted(rows, key=lambda row: -row["bits"])[:top]
    shown = render_rows(readable(rows), format) if rows else "(none)"
    print("\n\n".join([why.title, shown, "\n".join(map(folded, why.advice()))]))


@app.command
def report(
    *file: str,
    output: Annotated[Path, Parameter(name=["--output", "-o"])],
    input: Input = LABELS,
    measure: MeasureOption = None,
    title: str | None = None,
    interval: float | None = None,
    seed: int | None = 0,
) -> None:
    """Write a report of one clustering or several: one HTML file that needs nothing else.

    Example: clusterbits report labels.csv --truth species --pred k10 --pred k20 -o report.html

    Parameters
    ----------
    file
        As for compare.
    output
        The HTML file to write.
    input
        Where the labels are, and how to read them.
    measure
        Measures to show, by name or alias, repeated or separated by commas; "all" for every one.
    title
        The heading; by default the names of the files.
    interval
        Level of an interval for each value, such as 0.95, by drawing the objects anew.
    seed
        For the intervals: the same seed gives the same ones.
    """
    from clusterbits.report.page import make_report

    tables = input.tables(file)
    scores = cb.evaluate(
        tables,
        measures=split_names(measure),
        interval=interval,
        seed=seed,
        progress=lambda asked: progress_bar(asked, "scoring"),
    )
    names = ", ".join(Path(name).name for name in file)
    facts = {"input": names, "command": shlex.join(["clusterbits", *sys.argv[1:]])}
    first = next(iter(tables.values()))
    if first.coverage is not None:
        facts["coverage"] = str(first.coverage)
    if interval is not None:
        facts["intervals"] = f"{interval:.4g} by the bootstrap over objects, seed {seed}"
    made = make_report(
        scores,
        title=title or names,
        facts=facts,
        progress=lambda asked: progress_bar(asked, "explaining"),
    )
    made.write(output)
    print(f"the report is in {output}", file=sys.stderr)
