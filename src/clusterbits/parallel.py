"""Progress of tasks, and a thread pool with progress."""

from collections.abc import Callable, Iterable, Sequence
from typing import Any, Literal, TypeVar

from clusterbits.errors import ClusterbitsError

Task = TypeVar("Task")

# Wraps the tasks, to draw a progress bar; None or False for no bar.
Progress = Callable[[Iterable[Any]], Iterable[Any]] | Literal[False] | None


def check_progress(given: object) -> None:
    """Refuse a `progress` that is no callable and does not mean none."""
    if given is not None and given is not False and not callable(given):
        raise ClusterbitsError(
            f"progress={given!r} is not a callable, such as tqdm; None or False means no bar."
        )


def track(progress: Progress, tasks: Iterable[Any]) -> Iterable[Any]:
    """Return the tasks, wrapped in a progress bar if there is one."""
    check_progress(progress)
    return progress(tasks) if progress else tasks


def run_in_threads(
    work: Callable[[Task], None],
    tasks: Sequence[Task],
    threads: int,
    progress: Progress,
) -> None:
    """Run `work` on every task in a thread pool; the first error cancels the rest."""
    if threads == 1:
        for task in track(progress, tasks):
            work(task)
        return
    from concurrent.futures import ThreadPoolExecutor

    with ThreadPoolExecutor(threads) as pool:
        waiting = [pool.submit(work, task) for task in tasks]
        try:
            for task in track(progress, waiting):
                task.result()
        except BaseException:
            pool.shutdown(cancel_futures=True)  # also on Ctrl-C
            raise
