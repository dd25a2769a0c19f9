"""Progress bars on stderr, drawn only where stderr is a terminal."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from typing import TypeVar

from clusterbits.interrupts import cleaning_up

Item = TypeVar("Item")


def progress_bar(items: Iterable[Item], label: str) -> Iterator[Item]:
    """Yield the items and draw how many are done."""
    if not sys.stderr.isatty():
        yield from items
        return
    from rich.console import Console
    from rich.progress import track

    console = Console(stderr=True)
    with cleaning_up(console.show_cursor):
        yield from track(items, description=label, console=console, transient=True)
