"""Weights of objects: how much each counts."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from clusterbits.errors import LabelError, first_line
from clusterbits.labels.labeling import Ids
from clusterbits.labels.options import LabelPolicy
from clusterbits.reading.on_device import copy_to_host
from clusterbits.reading.type_checks import index_of
from clusterbits.table.cells import check_total


@dataclass(frozen=True, eq=False)
class Weights:
    """A number for each object, int64 if all are integers; and the ids of the objects, if any."""

    numbers: NDArray[Any]
    ids: Ids | None

    def __len__(self) -> int:
        return len(self.numbers)


def chosen_weights(options: LabelPolicy) -> Weights | None:
    """Return the weights of objects in the options; None without any, and for balanced ones."""
    if options.weights is None or options.balanced:
        return None
    return read_weights(options.weights)


def read_weights(weights: Any) -> Weights:
    """Read a sequence of non-negative numbers, or a mapping of ids to such."""
    ids = index_of(weights)
    if isinstance(weights, Mapping):
        weights, ids = list(weights.values()), Ids(list(weights))
    array = read_numbers(weights, "weights")
    wrong = ~(np.isfinite(array) & (array >= 0))
    if wrong.any():
        position = int(wrong.argmax())
        raise LabelError(
            f"weights holds {array[position]} at position {position}; weights are finite numbers "
            "that are not negative, and 0 leaves an object out."
        )
    return Weights(as_weights(array), ids)


def as_weights(numbers: NDArray[Any]) -> NDArray[Any]:
    """Return weights as int64, or as float64 if one is not an integer."""
    if numbers.dtype.kind == "f" and not (numbers == np.floor(numbers)).all():
        return numbers.astype(np.float64)
    check_total(numbers)
    return numbers.astype(np.int64)


def read_numbers(values: Any, input_name: str) -> NDArray[Any]:
    """Return numbers as an array, NaN for a missing one."""
    try:
        array = np.asarray(copy_to_host(values, input_name))
        if np.ma.is_masked(values):
            array = np.where(np.ma.getmaskarray(values), np.nan, array)
        if array.dtype == object:  # integers stay exact
            array = np.array(array.tolist())
        if array.dtype == object:  # decimals and fractions, or None
            array = array.astype(np.float64)
    except Exception as error:  # of any library
        raise LabelError(
            f"{input_name} is not a sequence of numbers: {first_line(error)}"
        ) from None
    if array.ndim != 1 or array.dtype.kind not in "biuf":
        raise LabelError(
            f"{input_name} must be a sequence of numbers, not an array of shape {array.shape} and "
            f"dtype {array.dtype}."
        )
    return array


# The columns of weights that an engine answers with: see `checked_sums`.
SUMS = ("total", "fraction", "minimum", "absent")


def checked_sums(
    column: str, total: list[Any], fraction: list[Any], minimum: list[Any], absent: list[Any]
) -> NDArray[Any]:
    """Return the weights of groups, added up in floating point by an engine: exact below 2^53.

    They are integers if all weights are, whose `fraction` then is zero. `minimum` is the smallest
    weight of each group, and `absent` counts the missing ones.
    """
    holds = f"column {column!r} holds"
    if any(absent):
        raise LabelError(f"{holds} weights that are missing or no numbers; leave those rows out.")
    if not all(map(math.isfinite, total)):
        raise LabelError(f"{holds} NaN or an infinite weight; use finite ones.")
    if min(minimum, default=0) < 0:
        raise LabelError(f"{holds} {min(minimum)}; weights are not negative.")
    exact = not any(fraction) and max(total, default=0) < 2**53
    sums = np.array(total, dtype=np.int64 if exact else np.float64)
    check_total(sums)
    return sums
