"""The application that commands add themselves to, and the options they share."""

from __future__ import annotations

import textwrap
from collections.abc import Collection, Iterable
from pathlib import Path
from typing import Annotated

from cyclopts import App, Group, Parameter

import clusterbits as cb
from clusterbits.cli.outputs import STANDARD_OUTPUT
from clusterbits.display.terminal import Format, terminal_width
from clusterbits.ingest.files.streams import STANDARD_INPUT
from clusterbits.scoring.grouped import describe_groups

app = App(
    name="clusterbits",
    version=cb.__version__,
    version_flags=["--version", "-V"],
    help="How many bits do your clusters save? Scores a clustering against known classes.\n\n"
    "Example: clusterbits score labels.csv --truth species --pred cluster",
    group_commands=Group("Options", sort_key=9),
    suppress_keyboard_interrupt=False,
)

# How the help groups the commands, in this order.
SCORE, SHAPES, LAB, CODES = (
    Group(name, sort_key=place)
    for place, name in enumerate(
        ("Score", "Shapes and fields", "Measures and the paper", "Codes"), start=1
    )
)

app.register_install_completion_command(
    help="Let the shell (bash, zsh, fish) complete commands and options with the Tab key."
)

_FILES = (
    "CSV, Parquet or JSON lines, plain or compressed; NumPy, Arrow, AnnData; a folder or a quoted "
    "pattern; - for standard input. Two files with --on, classes first; a database with --sql; two "
    "label images (.npy, TIFF, PNG, Zarr; FILE.h5:DATASET), the true one first. "
    "Saved tables are "
)
SummedFiles = Annotated[str, Parameter(help=_FILES + "added up.")]
ComparedFiles = Annotated[str, Parameter(help=_FILES + "compared, by file name.")]
FormatOption = Annotated[
    Format,
    Parameter(
        name=["--format", "-f"],
        help="Output format, or --json or --csv for short; only the table rounds, and only JSON is "
        "exact for any label.",
    ),
]
MeasureOption = Annotated[
    list[str] | None,
    Parameter(
        name=["--measure", "-m"],
        negative=(),
        help='Names, aliases, families such as "pairs", repeated or separated by commas; "all" for '
        "every measure; module:function for one of your own, declared with @clusterbits.measure.",
    ),
]
IntervalOption = Annotated[
    float | None, Parameter(help="Level of confidence intervals, such as 0.95.")
]
GroupOption = Annotated[
    str | None,
    Parameter(
        help="Column of groups, such as documents, batches or donors: each is scored by itself, "
        "beside all objects pooled and the mean over groups. Intervals resample whole groups.",
    ),
]
SeedOption = Annotated[
    int | None,
    Parameter(help="Random seed of the intervals: the same one gives the same intervals."),
]
OutputOption = Annotated[
    Path, Parameter(name=["--output", "-o"], help="The file to write, - for stdout.")
]


# Longer lines are hard to read.
_WIDEST = 80
# How usage lines name the arguments of a command that reads labels.
USAGE = "Usage: clusterbits {} [OPTIONS] FILE..."
_STREAMS = {
    "-o": STANDARD_OUTPUT,
    "--output": STANDARD_OUTPUT,
    "--data": STANDARD_OUTPUT,
    "--ids": STANDARD_INPUT,
    "--baseline": STANDARD_INPUT,
}
_SHORT = {"--json": "--format=json", "--csv": "--format=csv"}


def spell_out_arguments(given: Iterable[str], flags: Collection[str]) -> list[str]:
    """Return arguments with their short forms written out: --json, --csv, and - for a stream.

    A `-` after an option is left alone, as it may be the value, unless the option names a file or
    is one of the `flags`, which take none.
    """
    arguments: list[str] = []
    for argument in given:
        before = arguments[-1] if arguments else ""
        option, _, value = argument.partition("=")
        if argument == "-" and before in _STREAMS:
            argument = _STREAMS[before]
        elif value == "-" and option in _STREAMS:
            argument = f"{option}={_STREAMS[option]}"
        elif argument == "-" and (before[:1] != "-" or "=" in before or before in flags):
            argument = STANDARD_INPUT
        arguments.append(_SHORT.get(argument, argument))
    return arguments


def folded(text: str) -> str:
    """Return prose as lines for a terminal."""
    return textwrap.fill(text, width=min(terminal_width(), _WIDEST))


def print_conclusion(scores: cb.Scores, format: Format, verdict: str = "") -> None:
    """Print the conclusion above a table for people, a verdict, and what to know of the groups."""
    if format == "table":
        print(folded(scores.conclusion))
        if verdict:
            print(folded(verdict))
        if scores.groups:
            print(folded(describe_groups(scores)))
        print()
