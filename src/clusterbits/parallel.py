"""Work in threads that Ctrl-C does not wait for: a pool with progress, and single calls."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Literal, TypeVar

from clusterbits.errors import ClusterbitsError

if TYPE_CHECKING:
    from concurrent.futures import Future

Task = TypeVar("Task")
T = TypeVar("T")

# Wraps the tasks, to draw a progress bar; None or False for no bar.
Progress = Callable[[Iterable[Any]], Iterable[Any]] | Literal[False] | None


def track(progress: Progress, tasks: Iterable[Any]) -> Iterable[Any]:
    """Return the tasks, wrapped in a progress bar if there is one."""
    if progress and not callable(progress):
        raise ClusterbitsError(
            f"progress={progress!r} is not a callable, such as tqdm; None or False means no bar."
        )
    return progress(tasks) if progress else tasks


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

    if not progress:
        yield
        return
    drawing = Thread(target=draw, daemon=True)
    drawing.start()
    try:
        yield
    finally:
        ended.set()
        drawing.join()


def run_in_threads(
    work: Callable[[Task], None],
    tasks: Sequence[Task],
    threads: int,
    progress: Progress,
) -> None:
    """Run `work` on every task in a thread pool; the first error, or Ctrl-C, cancels the rest."""
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
