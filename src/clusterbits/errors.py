"""Errors caused by input: each names the requirement, the value, and a fix."""

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
from numbers import Integral, Real
from pathlib import Path
from typing import Any


def __dir__() -> list[str]:
    return [name for name in globals() if name.endswith(("Error", "Warning"))]


class ClusterbitsError(ValueError):
    """Base class of errors caused by input. Every error this library raises is one of these."""


class ClusterbitsWarning(UserWarning):
    """Input that is allowed, and yet likely a mistake."""


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
    """Objects without a label that are neither dropped nor a class of their own."""


class NothingToCountError(LabelError):
    """No object is left to count: there is none, or all lack a label or have weight 0."""


@contextmanager
def error_prefix(subject: str) -> Iterator[None]:
    """Let errors begin with their subject, unless it is empty: a file, one of several runs.

    >>> with error_prefix("clustering 'k10'"):
    ...     raise LabelError("pred is empty.")
    Traceback (most recent call last):
    clusterbits.errors.LabelError: clustering 'k10': pred is empty.
    """
    try:
        yield
    except (LabelError, TableError, MeasureError) as error:
        if not subject:
            raise
        raise type(error)(f"{subject}: {error}") from None


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
    """Return a package, or raise because `what` needs an extra.

    A package that is installed and fails to import is not missing: its own error says what is.
    It is imported in a thread, as Ctrl-C interrupts only the main one: packages in C++ abort if
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


def did_you_mean(name: object, allowed: Iterable[object]) -> str:
    """Return `` Did you mean 'rand'?`` for the nearest allowed name, or an empty string.

    Of names that differ in capitals only it is the first.
    """
    by_folded = {str(choice).casefold(): choice for choice in reversed([*allowed])}
    nearest = get_close_matches(str(name).casefold(), by_folded, n=1)
    return f" Did you mean {by_folded[nearest[0]]!r}?" if nearest else ""


def check_choice(option: str, value: object, allowed: tuple[str, ...]) -> None:
    """Raise for an option that is not one of the allowed words."""
    if not isinstance(value, str) or value not in allowed:
        words = ", ".join(repr(word) for word in allowed)
        hint = did_you_mean(value, allowed)
        raise ClusterbitsError(f"{option}: {value!r} is not one of {words}.{hint}")


def check_flag(option: str, value: object) -> None:
    """Raise for an option that is neither True nor False: the word "no" would be true."""
    if type(value).__name__ not in ("bool", "bool_"):  # Python's, or numpy's
        raise ClusterbitsError(f"{option}: {value!r} is neither True nor False.")


def check_integer(option: str, value: Any, minimum: int) -> None:
    """Raise for an option that is not an integer, or less than the minimum."""
    if not isinstance(value, Integral) or isinstance(value, bool) or value < minimum:
        raise ClusterbitsError(
            f"{option} must be a whole number, at least {minimum}, got {value!r}."
        )


def check_level(confidence_level: Any) -> float:
    """Return a confidence level; raise for one that is not between 0 and 1."""
    if not isinstance(confidence_level, Real) or not 0 < float(confidence_level) < 1:
        raise ClusterbitsError(
            f"confidence_level must lie between 0 and 1, such as 0.95, got {confidence_level!r}."
        )
    return float(confidence_level)


def no_file(path: Path) -> FileError:
    """Return the error for a missing file, with the nearest name in its folder."""
    neighbours = [file.name for file in path.parent.iterdir()] if path.parent.is_dir() else []
    return FileError(f"there is no file {path}.{did_you_mean(path.name, neighbours)}")


def refuse_device(path: str | os.PathLike[str]) -> None:
    """Raise for a pipe, a socket or a device, which could be read for ever."""
    try:
        mode = os.stat(path).st_mode
    except (OSError, ValueError):  # opening it says why
        return
    if not stat.S_ISREG(mode) and not stat.S_ISDIR(mode):
        raise FileError(f"{path} is a pipe or a device; write it to a file first.")


def first_line(error: BaseException) -> str:
    """Return the first line of an error's message; its type if there is no message."""
    return str(error).strip().partition("\n")[0] or type(error).__name__


@contextmanager
def translating(what: str, kind: type[ClusterbitsError] = FileError) -> Iterator[None]:
    r"""Raise errors of other libraries as ours, in one line that begins with `what`.

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
        # The system's message, without the path of a temporary copy.
        message = getattr(error, "strerror", None) or str(error)
        text = message.partition("Possible ")[0] or type(error).__name__
        raise kind(f"{what}: {' '.join(text.split())[:400]}") from error


def refuse_unknown(
    function: Callable[..., Any],
    keywords: Iterable[str],
    allowed: Collection[str],
    otherwise: str = "",
) -> None:
    """Raise for a keyword that a function does not have, with the nearest one, or `otherwise`."""
    for keyword in keywords:
        if keyword not in allowed:
            hint = did_you_mean(keyword, allowed) or otherwise
            raise TypeError(f"{function.__qualname__}() has no option {keyword!r}.{hint}")
