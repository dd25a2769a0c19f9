"""Errors caused by input: each says what was given, what is allowed, and what would work."""

from __future__ import annotations

import inspect
import os
import stat
import sys
import warnings
from collections.abc import Callable, Collection, Iterable, Iterator
from contextlib import contextmanager
from difflib import get_close_matches
from importlib import import_module
from pathlib import Path
from typing import Any

__all__ = [
    "ClusterbitsError",
    "ClusterbitsWarning",
    "CodeError",
    "ColumnError",
    "CostError",
    "EngineError",
    "FileError",
    "LabelError",
    "MeasureError",
    "MissingExtraError",
    "MissingLabelError",
    "NothingToCountError",
    "TableError",
]


def __dir__() -> list[str]:
    return __all__


class ClusterbitsError(ValueError):
    """Base class of errors caused by input. Every error this library raises is one of these."""


class ClusterbitsWarning(UserWarning):
    """Input that is allowed, and yet likely a slip."""


def warn(message: str) -> None:
    """Warn at the line that called this package, whichever of its functions notices."""
    frame, level = inspect.currentframe(), 0
    # By module, not by file: what dataclasses generate has no file.
    while frame and f"{frame.f_globals.get('__name__')}.".startswith("clusterbits."):
        frame, level = frame.f_back, level + 1
    warnings.warn(message, ClusterbitsWarning, stacklevel=level + 1)


class LabelError(ClusterbitsError):
    """Labels that cannot be compared: unequal lengths, missing values, probabilities."""


class MissingLabelError(LabelError):
    """Objects without a label, where they are neither dropped nor a class of their own."""


class NothingToCountError(LabelError):
    """No object is left to count: none was given, or all lack a label or weigh nothing."""


@contextmanager
def error_prefix(what: str) -> Iterator[None]:
    """Let errors begin with what they are about, if anything is said: a file, one of several runs.

    >>> with error_prefix("clustering 'k10'"):
    ...     raise LabelError("pred is empty.")
    Traceback (most recent call last):
    clusterbits.errors.LabelError: clustering 'k10': pred is empty.
    """
    try:
        yield
    except (LabelError, TableError, MeasureError) as error:
        if not what:
            raise
        raise type(error)(f"{what}: {error}") from None


class TableError(ClusterbitsError):
    """Counts that are not a contingency table: negative, not a number, empty."""


class MeasureError(ClusterbitsError):
    """An unknown measure or parameter, or a table that the measure is not defined for."""


class ColumnError(ClusterbitsError):
    """A column that does not exist, or exists twice."""


class FileError(ClusterbitsError):
    """A file that cannot be read as labels, or cannot be written."""


class EngineError(ClusterbitsError):
    """A dataframe engine or database that failed while counting."""


class CodeError(ClusterbitsError):
    """A code that cannot be decoded: truncated, changed, foreign, or made with other clusters."""


class CostError(ClusterbitsError):
    """A call that would take too much memory; the message says how much."""


class MissingExtraError(ClusterbitsError, ImportError):
    """An optional dependency is not installed; the message has the line that installs it."""

    def __init__(self, what: str, extra: str) -> None:
        super().__init__(f"{what} needs an extra: pip install 'clusterbits[{extra}]'")


def import_extra(package: str, what: str, extra: str) -> Any:
    """Return a package, or say that `what` needs an extra, and which.

    A package that is installed and fails to import is not missing: its own error says what is.
    It is imported in a thread, as Ctrl-C interrupts only the main one: packages in C++ abort where
    their import is interrupted.
    """
    if sys.modules.get(package):
        return sys.modules[package]
    from concurrent.futures import ThreadPoolExecutor

    try:
        with ThreadPoolExecutor(1) as thread:
            return thread.submit(import_module, package).result()
    except ModuleNotFoundError as error:
        if not f"{package}.".startswith(f"{error.name}."):
            raise
        raise MissingExtraError(what, extra) from None


def did_you_mean(given: object, allowed: Iterable[object]) -> str:
    """Return `` Did you mean 'rand'?`` for the nearest allowed name, or an empty string.

    Of names that differ in capitals only it is the first.

    >>> did_you_mean("randd", ["rand", "jaccard", "Rand"])
    " Did you mean 'rand'?"
    """
    by_folded = {str(name).casefold(): name for name in reversed([*allowed])}
    nearest = get_close_matches(str(given).casefold(), by_folded, n=1)
    return f" Did you mean {by_folded[nearest[0]]!r}?" if nearest else ""


def check_choice(what: str, given: object, allowed: tuple[str, ...]) -> None:
    """Refuse an option that is not one of the allowed words."""
    if not isinstance(given, str) or given not in allowed:
        words = ", ".join(repr(word) for word in allowed)
        hint = did_you_mean(given, allowed)
        raise ClusterbitsError(f"{what}: {given!r} is not one of {words}.{hint}")


def check_flag(what: str, given: object) -> None:
    """Refuse an option that is neither True nor False: the word "no" would be true."""
    if type(given).__name__ != "bool":  # numpy's is called so, too
        raise ClusterbitsError(f"{what}: {given!r} is neither True nor False.")


def no_file(path: Path, otherwise: str = "") -> FileError:
    """Return the error for a file that is not there, with the nearest name beside it.

    Where no name is near, it ends with `otherwise`.
    """
    neighbours = [one.name for one in path.parent.iterdir()] if path.parent.is_dir() else []
    return FileError(f"there is no file {path}.{did_you_mean(path.name, neighbours) or otherwise}")


def refuse_device(path: str | os.PathLike[str]) -> None:
    """Refuse a pipe, a socket or a device, which could be read for ever."""
    try:
        mode = os.stat(path).st_mode
    except (OSError, ValueError):  # opening it says why
        return
    if not stat.S_ISREG(mode) and not stat.S_ISDIR(mode):
        raise FileError(f"{path} is a pipe or a device; write it to a file first.")


def first_line(error: BaseException) -> str:
    """Return the first line of an error's message; its type where there is no message."""
    return str(error).strip().partition("\n")[0] or type(error).__name__


@contextmanager
def translating(what: str, kind: type[ClusterbitsError] = FileError) -> Iterator[None]:
    r"""Raise whatever another library raises as one line of ours, which begins with `what`.

    >>> with translating("labels.csv cannot be read"):
    ...     raise OSError("a block is lost\nPossible fixes: many")
    Traceback (most recent call last):
    clusterbits.errors.FileError: labels.csv cannot be read: a block is lost
    """
    try:
        yield
    except ClusterbitsError:
        raise
    except Exception as error:
        if type(error).__name__ == "InterruptException" or str(error) == "Query interrupted":
            raise KeyboardInterrupt from None  # as DuckDB reports Ctrl-C
        # The system's words, without the path of a copy or of a folder of ours.
        words = getattr(error, "strerror", None) or str(error)
        text = words.partition("Possible ")[0] or type(error).__name__
        raise kind(f"{what}: {' '.join(text.split())[:400]}") from error


def refuse_unknown(
    function: Callable[..., Any], given: Iterable[str], known: Collection[str], otherwise: str = ""
) -> None:
    """Raise where a function is given a keyword that it does not have, with the nearest it has.

    Where none is near, the error ends with `otherwise`.
    """
    for word in given:
        if word not in known:
            hint = did_you_mean(word, known) or otherwise
            raise TypeError(f"{function.__qualname__}() has no option {word!r}.{hint}")
