"""What public functions take: a table, or two label sequences and how to read them."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import Any, NamedTuple, ParamSpec, TypeVar

from clusterbits.core.policy import Missing, Noise
from clusterbits.core.table import Contingency
from clusterbits.errors import MeasureError, did_you_mean

P = ParamSpec("P")
T = TypeVar("T")


class LabelOptions(NamedTuple):
    """How labels are read: the options of `Contingency.from_labels`, in their usual order."""

    noise: Noise | None = None
    missing: Missing = "error"
    weights: Any = None
    noise_label: Any = -1
    align: bool = False

    @property
    def given(self) -> list[str]:
        """The names of the options that were set."""
        return [
            name
            for name, default in self._field_defaults.items()
            if (value := getattr(self, name)) is not default
            and (name == "weights" or value != default)
        ]


PLAIN = LabelOptions()


def as_table(truth: Any, pred: Any = None, options: LabelOptions = PLAIN) -> Contingency:
    """Return the table itself, or count two label sequences."""
    if isinstance(truth, Contingency):
        if pred is not None:
            raise MeasureError("a table holds truth and pred already: pass it alone.")
        if options.given:
            words = ", ".join(options.given)
            raise MeasureError(f"{words}: options of Contingency.from_labels, not of a table.")
        return truth
    if pred is None:
        raise MeasureError(
            "one argument must be a Contingency; for labels pass both, truth and pred."
        )
    return Contingency.from_labels(truth, pred, **options._asdict())


def friendly(function: Callable[P, T]) -> Callable[P, T]:
    """Let a function answer wrong arguments in words, with the nearest name, not by a TypeError.

    >>> @friendly
    ... def score(truth, *, noise=None):
    ...     return truth
    >>> score([1], nosie="drop")
    Traceback (most recent call last):
    clusterbits.errors.MeasureError: score has no option 'nosie'; it takes truth, noise. Did you ...
    """
    signature = inspect.signature(function)
    words = [word for word in signature.parameters if word not in ("self", "cls")]

    @functools.wraps(function)
    def call(*args: P.args, **options: P.kwargs) -> T:
        try:
            signature.bind(*args, **options)
        except TypeError as error:
            unknown = [word for word in options if word not in words]
            if not unknown:
                raise MeasureError(f"{function.__name__}: {error}.") from None
            raise MeasureError(
                f"{function.__name__} has no option {unknown[0]!r}; it takes {', '.join(words)}."
                + did_you_mean(unknown[0], words)
            ) from None
        return function(*args, **options)

    return call
