"""The application that commands add themselves to, and the options they share."""

from __future__ import annotations

import textwrap
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

FormatOption = Annotated[Format, Parameter(name=["--format", "-f"])]
MeasureOption = Annotated[list[str] | None, Parameter(name=["--measure", "-m"], negative=())]


def folded(text: str) -> str:
    """Return prose as lines for a terminal."""
    return textwrap.fill(text, width=88)
