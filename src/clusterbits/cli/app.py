"""The application that commands add themselves to, and the options they share."""

from __future__ import annotations

import textwrap
from pathlib import Path
from typing import Annotated

from cyclopts import App, Parameter

import clusterbits as cb
from clusterbits.display.terminal import Format

app = App(
    name="clusterbits",
    version=cb.__version__,
    help="How many bits do your clusters save? Scores a clustering against known classes.\n\n"
    "Example: clusterbits score labels.csv --truth species --pred cluster",
)

_FILES = (
    "CSV, Parquet or JSON lines, plain or compressed; a folder or a quoted pattern. Two files with "
    "--on, classes first; a database with --sql. Saved tables are "
)
SummedFiles = Annotated[str, Parameter(help=_FILES + "added up.")]
ComparedFiles = Annotated[str, Parameter(help=_FILES + "compared, by file name.")]
FormatOption = Annotated[
    Format,
    Parameter(
        name=["--format", "-f"],
        help="Output format; only the table rounds, and only JSON is exact for any label.",
    ),
]
MeasureOption = Annotated[
    list[str] | None,
    Parameter(
        name=["--measure", "-m"],
        negative=(),
        help='Names or aliases, repeated or separated by commas; "all" for every measure.',
    ),
]
IntervalOption = Annotated[
    float | None, Parameter(help="Confidence level of bootstrap intervals, such as 0.95.")
]
SeedOption = Annotated[int | None, Parameter(help="Random seed of the intervals.")]
OutputOption = Annotated[Path, Parameter(name=["--output", "-o"], help="The file to write.")]


def folded(text: str) -> str:
    """Return prose as lines for a terminal."""
    return textwrap.fill(text, width=88)


def print_conclusion(scores: cb.Scores, format: Format) -> None:
    """Print the conclusion above a table for people."""
    if format == "table":
        print(folded(scores.title) + "\n")
