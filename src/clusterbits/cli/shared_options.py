"""The options that commands share."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from clusterbits.text.terminal import Format

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
        help="Output format, or --json or --csv for short, which do not round; only JSON is exact "
        "for any label.",
    ),
]
MeasureOption = Annotated[
    list[str] | None,
    Parameter(
        name=["--measure", "-m"],
        help='Names, aliases, families such as "pairs", repeated or separated by commas; "all" for '
        "every measure.",
    ),
]
IntervalOption = Annotated[
    float | None,
    Parameter(help="Confidence level of intervals and of the comparison, such as 0.95."),
]
GroupOption = Annotated[
    str | None,
    Parameter(
        help="Column of groups, such as documents, batches or donors: each is scored by itself, "
        "beside all objects pooled and the mean over groups. They are then the units of intervals "
        "and of the comparison, in place of objects.",
    ),
]
SeedOption = Annotated[
    int | None,
    Parameter(help="Random seed: the same one gives the same intervals and the same comparison."),
]
OutputOption = Annotated[
    Path, Parameter(name=["--output", "-o"], help="The file to write, - for stdout.")
]
