"""Ctrl-C and SIGTERM end the command at once, without a traceback or half-written files.

Only the command: in a program that imports the library, signals do what that program wants.
"""

import _thread
import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

# What has to be undone where the command ends early.
_actions: list[Callable[[], object]] = []
# Hold this to make a file that is cleaned up. Once the command is ending, nobody else gets it: no
# file is made, nor missed, after the cleaning up.
creating = _thread.allocate_lock()


@contextmanager
def cleaning_up(action: Callable[[], object]) -> Iterator[None]:
    """Call `action` at the end of a block, also where a signal ends the command in it."""
    _actions.append(action)
    try:
        yield
    finally:
        try:
            action()
        finally:
            _actions.remove(action)


def _end_at_signals() -> None:
    """Let SIGINT and SIGTERM end the process, from now on."""
    try:
        import signal

        _reserve_standard_streams()
        read, write = os.pipe()
        if hasattr(os, "set_blocking"):  # not on Windows before Python 3.12
            os.set_blocking(write, False)
        signal.set_wakeup_fd(write, warn_on_full_buffer=False)
        for number in (signal.SIGINT, signal.SIGTERM):
            if signal.getsignal(number) != signal.SIG_IGN:  # as for a job in the background
                signal.signal(number, lambda *_: None)
        # A thread need not wait until the main thread returns from numpy, SQLite or DuckDB, and no
        # exception is raised where an import, a destructor or a callback would swallow it.
        _thread.start_new_thread(_wait_and_end, (read,))
    except KeyboardInterrupt:
        os._exit(130)


def _reserve_standard_streams() -> None:
    """Open what is closed, or the next file to be opened would be taken for stdout or stderr."""
    for number in range(3):
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, os.O_RDWR)


def _is_command() -> bool:
    """Whether this process is `clusterbits` or `python -m clusterbits`."""
    if sys.argv[:1] == ["-m"]:  # Python is looking for the module to run
        before, _, named = " ".join(sys.orig_argv).partition(" -m")
        return bool(before) and named.split()[:1] == ["clusterbits"]
    script = os.path.basename(getattr(sys.modules["__main__"], "__file__", None) or "")
    return script.removesuffix(".exe") == "clusterbits"


def _wait_and_end(wakeups: int) -> None:
    import signal
    from contextlib import suppress

    # Signals that others have a handler for are reported, too.
    while (number := os.read(wakeups, 1)[0]) not in (signal.SIGINT, signal.SIGTERM):
        pass
    try:
        creating.acquire()
        for action in reversed(_actions):
            with suppress(Exception):
                action()
        os.write(2, b"Interrupted.\n")
    finally:
        os._exit(128 + number)


if _is_command():
    _end_at_signals()
