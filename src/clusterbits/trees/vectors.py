"""The formulas of measures, applied to many tables at once.

A formula is written for one table: it compares, chooses and divides numbers. Given arrays in place
of numbers, it works on all tables at once as long as they all take the same branch. Where they do
not, they are split and each part is tried again, so that no formula is ever written twice.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NoReturn

import numpy as np
from numpy.typing import NDArray

from clusterbits.errors import MeasureError


class BranchError(Exception):
    """A formula takes different branches for some tables."""

    def __init__(self, mask: NDArray[np.bool_]) -> None:
        self.mask = mask


class ScalarError(Exception):
    """A formula needs a single number, such as for ``math.sqrt``."""


class Vector(np.ndarray[Any, Any]):
    """Numbers of many tables in place of one: true where all are, false where none is."""

    def __bool__(self) -> bool:
        mask = np.asarray(self).astype(np.bool_)
        if mask.all():
            return True
        if not mask.any():
            return False
        raise BranchError(mask)

    def __float__(self) -> NoReturn:
        raise ScalarError

    __int__ = __index__ = __float__


def as_vector(values: NDArray[Any]) -> Vector:
    """Return an array as a vector."""
    return values.view(Vector)


def apply_formula(
    formula: Callable[[Any], float], choose: Callable[[NDArray[np.intp] | int], Any], many: int
) -> NDArray[np.float64]:
    """Return the formula's value for each of so many tables; `choose` returns some, or one.

    >>> numbers = as_vector(np.arange(-2.0, 3.0))
    >>> apply_formula(lambda x: x / 2 if x > 0 else 0.0, lambda which: numbers[which], 5).tolist()
    [0.0, 0.0, 0.0, 0.5, 1.0]
    """
    values = np.empty(many)
    waiting = [np.arange(many)]
    while waiting:
        some = waiting.pop()
        try:
            values[some] = formula(choose(some))
        except BranchError as branch:
            waiting += [some[branch.mask], some[~branch.mask]]
        except (ScalarError, MeasureError):  # a parameter that is no single number is refused
            values[some] = [formula(choose(one)) for one in some.tolist()]
    return values
