"""Sharing work among threads, with an end in sight: portions, and a way to watch them go."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any, TypeVar

Portion = TypeVar("Portion")

# Wrapped around the portions of some work, to draw a progress bar.
Progress = Callable[[Iterable[Any]], Iterable[Any]]


def run_in_threads(
    work: Callable[[Portion], None],
    portions: Sequence[Portion],
    threads: int,
    progress: Progress,
) -> None:
    """Do the work for all portions, in as many threads as asked; the first error ends it."""
    if threads == 1:
        for portion in progress(portions):
            work(portion)
        return
    from concurrent.futures import ThreadPoolExecutor

    with ThreadPoolExecutor(threads) as pool:
        waiting = [pool.submit(work, portion) for portion in portions]
        try:
            for portion in progress(waiting):
                portion.result()
        except BaseException:
            pool.shutdown(cancel_futures=True)  # an error, or Ctrl-C: the rest is in vain
            raise
