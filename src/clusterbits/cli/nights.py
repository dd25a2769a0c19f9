"""What the command diff reads: two files that are joined, or two columns of one."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, fields
from itertools import chain
from pathlib import Path
from typing import Annotated, Any

from cyclopts import Group, Parameter

from clusterbits.cli.inputs import as_delimiter
from clusterbits.cli.outputs import protect_inputs
from clusterbits.cli.shared_options import DelimiterOption, EncodingOption
from clusterbits.errors import FileError
from clusterbits.labels.options import OPTIONS, Missing, Noise
from clusterbits.reading.files.streams import opening
from clusterbits.reading.request import Request

NightFiles = Annotated[
    str,
    Parameter(
        help="Two files, the old one first, with --on; or one with --old and --new. CSV, Parquet "
        "or JSON lines, plain or compressed; NumPy, Arrow, AnnData; a folder or a quoted pattern; "
        "- for standard input; a database with --sql."
    ),
]


@Parameter(name="*", group=Group("Input", sort_key=1))
@dataclass(frozen=True)
class Nights:
    """Where the old and the new labels are, and how to read them.

    Parameters
    ----------
    old
        Column of the old clusters.
    new
        Column of the new clusters.
    label
        Column of the clusters in both files.
    on
        Column that identifies an object in both of two files; may be repeated.
    unmatched
        What to do with ids in one file only: drop and count them, refuse, or make them a class.
    weights
        Column of weights: how much each row counts.
    missing
        What to do with rows without a label: refuse, drop them, or make them a class.
    noise
        What to do with the noise cluster of both: make its objects singletons, or drop them. By
        default it is a cluster like any other.
    noise_label
        The label of the noise cluster; by default -1.
    sql
        Query of a DuckDB or SQLite file.
    memory_limit
        Memory for reading, such as 2GB; the rest spills to disk.
    spill
        Folder to spill to, and for copies of piped input.
    """

    old: str | None = None
    new: str | None = None
    label: str | None = None
    on: list[str] | None = None
    unmatched: Missing = "drop"
    weights: str | None = None
    missing: Missing = "error"
    noise: Noise | None = None
    noise_label: str | None = None
    delimiter: DelimiterOption = None
    no_header: Annotated[
        bool,
        Parameter(help="CSV files have no line with names; columns go by number, from 1: --old 1."),
    ] = False
    encoding: EncodingOption = None
    sql: str | None = None
    memory_limit: str | None = None
    spill: Path | None = None

    @contextmanager
    def reading(self, files: Sequence[str], outputs: Sequence[Path]) -> Iterator[Request]:
        """Yield the request for the columns of one file, or of two that are joined."""
        if len(files) not in (1, 2):
            raise FileError(
                "diff compares two files with --on, or two columns of one file with --old and "
                f"--new; {len(files)} were named."
            )
        if len(files) == 2 and not self.on:
            raise FileError("two files are joined: pass --on with the column of ids.")
        if len(files) == 1 and self.on:
            raise FileError("--on joins two files, and one was named.")
        if self.label is not None and (self.old or self.new or len(files) == 1):
            raise FileError("--label names the column of both files: it replaces --old and --new.")
        with opening(
            files,
            spill=self.spill,
            encoding=self.encoding,
            header=not self.no_header,
            delimiter=as_delimiter(self.delimiter),
        ) as sources:
            for output in outputs:
                protect_inputs((source.path for source in chain(*sources)), output)
            identities = [source.identity for source in chain(*sources)]
            if len(set(identities)) < len(identities):
                raise FileError("a file was named twice: name it once, without --on.")
            yield Request(
                sources,
                self.old or self.label,
                self.new or self.label,
                on=self.on,
                sql=self.sql,
                memory_limit=self.memory_limit,
                spill=self.spill,
                progress=None,
            )

    @property
    def labels(self) -> Any:
        """The options for labels that were given: see `ChangeOptions`."""
        return {
            option.name: getattr(self, option.name)
            for option in fields(self)
            if option.name in OPTIONS and getattr(self, option.name) != option.default
        }


# What is read if no option says otherwise.
NIGHTS = Nights()
