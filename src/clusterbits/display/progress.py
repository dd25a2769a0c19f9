"""Progress bars on stderr, drawn only where stderr is a terminal."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager, contextmanager
from threading import Event, Thread
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


def polled_bar(label: str) -> Callable[[Callable[[], float]], AbstractContextManager[None]]:
    """Return a context manager that polls a percentage and draws it, after the first second."""

    @contextmanager
    def watch(percentage: Callable[[], float]) -> Iterator[None]:
        if not sys.stderr.isatty():
            yield
            return
        done = Event()
        thread = Thread(target=_draw, args=(label, percentage, done), daemon=True)
        thread.start()
        try:
            yield
        finally:
            done.set()
            thread.join()

    return watch


def _draw(label: str, percentage: Callable[[], float], done: Event) -> None:
    if done.wait(1):
        return
    from rich.console import Console
    from rich.progress import Progress

    console = Console(stderr=True)
    with cleaning_up(console.show_cursor), Progress(console=console, transient=True) as bar:
        task = bar.add_task(label, total=100)
        while not done.wait(0.1):
            bar.update(task, completed=max(percentage(), 0))
