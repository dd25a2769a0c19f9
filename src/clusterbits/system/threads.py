"""Work in threads that Ctrl-C does not wait for: a pool with progress, and single calls."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

from clusterbits.system.progress import Progress, track

if TYPE_CHECKING:
    from concurrent.futures import Future

Task = TypeVar("Task")
T = TypeVar("T")


def count_threads(work: int, min_work: int) -> int:
    """Return the number of threads for this work, each with at least `min_work`."""
    return max(1, min(os.cpu_count() or 1, work // min_work))


def run_in_threads(
    work: Callable[[Task], None],
    tasks: Sequence[Task],
    threads: int,
    progress: Progress,
) -> None:
    """Run `work` on every task in a thread pool; the first error, or Ctrl-C, cancels the others."""
    if threads == 1:
        for task in track(progress, tasks):
            work(task)
        return
    from concurrent.futures import ThreadPoolExecutor

    pool = ThreadPoolExecutor(threads)
    try:
        for answer in track(progress, [pool.submit(work, task) for task in tasks]):
            _wait(answer)
    finally:
        pool.shutdown(wait=False, cancel_futures=True)


def call_interruptibly(
    function: Callable[..., T],
    *arguments: Any,
    on_interrupt: Callable[[], object] | None = None,
    **options: Any,
) -> T:
    """Return ``function(*arguments, **options)``; for compiled code that checks no signals.

    Ctrl-C calls `on_interrupt` until the function ends. Without one it leaves the thread behind,
    which ends with its result or with the process.
    """
    from concurrent.futures import Future, wait
    from threading import Thread

    answer: Future[T] = Future()

    def run() -> None:
        try:
            answer.set_result(function(*arguments, **options))
        except BaseException as error:
            answer.set_exception(error)

    Thread(target=run, daemon=True).start()  # a process does not wait for it to exit
    try:
        return _wait(answer)
    except KeyboardInterrupt:
        while on_interrupt is not None and not answer.done():
            on_interrupt()  # again, as the function may have been between two queries
            wait([answer], 0.1)
        raise


def _wait(answer: Future[T]) -> T:
    from concurrent.futures import wait

    while not answer.done():
        wait([answer], 0.1)  # without a limit, Windows would not see Ctrl-C
    return answer.result()
