"""A progress bar on stderr, for a person at a terminal and nobody else."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from typing import TypeVar

Item = TypeVar("Item")


def progress_bar(items: Iterable[Item], label: str) -> Iterator[Item]:
    """Yield the items and draw how many are done; draws nothing where stderr is no terminal."""
    if not sys.stderr.isatty():
        yield from items
        return
    from rich.console import Console
    from rich.progress import track

    yield from track(items, description=label, console=Console(stderr=True), transient=True)
