"""Progress bars on stderr: where somebody watches, from the first second on, gone at the end.

Here it is decided whether to draw: in a terminal or a notebook, if the main thread asks
for it. The bar is one short line of ASCII that ends where it began, so that whatever is printed
next covers it.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from contextlib import suppress
from threading import current_thread, main_thread
from time import monotonic
from typing import TypeVar

from clusterbits.interrupts import cleaning_up

Item = TypeVar("Item")

# Seconds before the first bar, and between two.
_PATIENCE, _PAUSE = 1.0, 0.1
_CELLS = 12


def progress_bar(items: Iterable[Item], label: str = "computing") -> Iterator[Item]:
    """Return the items, drawing how many are done where somebody watches."""
    return _drawn(list(items), label) if _is_watched() else iter(items)


def _drawn(items: list[Item], label: str) -> Iterator[Item]:
    line = _Line(label)
    due = monotonic() + _PATIENCE
    with cleaning_up(line.erase):
        for done, item in enumerate(items):
            if monotonic() >= due:
                line.draw(done / len(items))
                due = monotonic() + _PAUSE
            try:
                yield item
            except GeneratorExit:  # of a call that failed, maybe long ago: the line is not ours
                line.length = 0
                raise


def _is_watched() -> bool:
    """Whether stderr is a terminal or a notebook's, and this is the main thread of no worker."""
    notebook = type(sys.stderr).__module__.startswith("ipykernel.")
    processes = sys.modules.get("multiprocessing")
    return (
        (notebook or (sys.stderr is not None and sys.stderr.isatty()))
        and current_thread() is main_thread()
        and (processes is None or processes.parent_process() is None)
    )


class _Line:
    """The line of one bar."""

    def __init__(self, label: str) -> None:
        self.label, self.length = label, 0

    def draw(self, share: float) -> None:
        share = min(max(share, 0.0), 1.0)
        bar = "#" * round(share * _CELLS)
        text = f"{self.label} [{bar:.<{_CELLS}}] {share:4.0%}"
        self.length = len(text)
        self._write(text)

    def erase(self) -> None:
        if self.length:
            self._write(" " * self.length)
        self.length = 0

    def _write(self, text: str) -> None:
        with suppress(OSError, ValueError):  # a closed stream costs nobody the result
            sys.stderr.write(f"\r{text}\r")
            sys.stderr.flush()
