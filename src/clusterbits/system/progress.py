"""Progress bars, by tqdm: if somebody watches, from the first second on, removed at the end."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from threading import current_thread, main_thread
from typing import Any

# Whether to draw a bar: if somebody watches (None or True), never (False), or a function to wrap
# around the tasks instead, such as the user's own tqdm.
Progress = Callable[[Iterable[Any]], Iterable[Any]] | bool | None

# Seconds before a bar is drawn.
_PATIENCE = 1.0


def track(progress: Progress, tasks: Iterable[Any]) -> Iterable[Any]:
    """Return the tasks; going through them draws a bar, if there is one."""
    if callable(progress):
        return progress(tasks)
    bar = None if progress is False else _find_bar()
    if bar is None:
        return tasks
    with_bar: Iterable[Any] = bar(tasks, delay=_PATIENCE, leave=False, file=sys.stderr)
    return with_bar


@contextmanager
def watching(progress: Progress, percentage: Callable[[], float]) -> Iterator[None]:
    """Draw a progress bar of 100 steps for a block of work that only reports a percentage."""
    from threading import Event, Thread

    # Made here: a bar may depend on the thread that asks for it.
    steps, ended = track(progress, range(100)), Event()

    def draw() -> None:
        for percent in steps:
            # The block may start again from 0; the last step is its end.
            while not ended.is_set() and min(percentage(), 99) <= percent:
                ended.wait(0.1)

    if progress is False:
        yield
        return
    drawing = Thread(target=draw, daemon=True)
    drawing.start()
    try:
        yield
    finally:
        ended.set()
        drawing.join()


def _find_bar() -> Any:
    """Return tqdm's bar for a terminal, its widget for a notebook; None if nobody watches.

    Nothing goes to the stderr of a kernel, which a notebook would keep.
    """
    in_kernel = type(sys.stderr).__module__.startswith("ipykernel.")
    watched = find_spec("ipywidgets") if in_kernel else sys.stderr and sys.stderr.isatty()
    if not watched or not find_spec("tqdm") or current_thread() is not main_thread():
        return None
    if in_kernel:
        from tqdm.notebook import tqdm as widget

        return widget
    from tqdm import tqdm

    return tqdm
