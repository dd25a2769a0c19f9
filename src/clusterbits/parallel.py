"""A thread pool with progress."""

from collections.abc import Callable, Iterable, Sequence
from typing import Any, TypeVar

Task = TypeVar("Task")

# Wraps the tasks, to draw a progress bar.
Progress = Callable[[Iterable[Any]], Iterable[Any]]


def run_in_threads(
    work: Callable[[Task], None],
    tasks: Sequence[Task],
    threads: int,
    progress: Progress,
) -> None:
    """Run `work` on every task in a thread pool; the first error cancels the rest."""
    if threads == 1:
        for task in progress(tasks):
            work(task)
        return
    from concurrent.futures import ThreadPoolExecutor

    with ThreadPoolExecutor(threads) as pool:
        waiting = [pool.submit(work, task) for task in tasks]
        try:
            for task in progress(waiting):
                task.result()
        except BaseException:
            pool.shutdown(cancel_futures=True)  # also on Ctrl-C
            raise
