"""What each measure of memberships declares of itself, kept beside its formula, for the tests.

These measures take memberships, not tables, so they are not in the catalogue.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple, TypeVar

F = TypeVar("F", bound=Callable[..., float])


class Declaration(NamedTuple):
    """A measure and its properties, as those of `Measure`.

    `flat` is the measure of partitions that it equals for those; "" where there is none.
    """

    function: Callable[..., float]
    bounds: tuple[float, float]
    better: str
    symmetric: bool
    perfect: float | None
    flat: str


DECLARED: dict[str, Declaration] = {}


def declare(
    *,
    bounds: tuple[float, float],
    better: str,
    symmetric: bool = False,
    perfect: float | None = None,
    flat: str = "",
) -> Callable[[F], F]:
    """Enter a measure into the declarations."""

    def enter(function: F) -> F:
        name: Any = function.__name__
        DECLARED[name] = Declaration(function, bounds, better, symmetric, perfect, flat)
        return function

    return enter
