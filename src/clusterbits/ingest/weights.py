"""Weights of objects: how much each counts."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from clusterbits.core.cells import check_total
from clusterbits.core.labels import Ids
from clusterbits.errors import LabelError, first_line
from clusterbits.ingest.devices import bring, is_on_device
from clusterbits.ingest.kinds import index_of


class Weights(NamedTuple):
    """A number for each object, int64 where all are whole; and the ids of the objects, if given."""

    numbers: NDArray[Any]
    ids: Ids | None

    def one_each(self, n: int) -> NDArray[Any]:
        """Return the numbers; refuse other than one for each of n objects."""
        if len(self.numbers) != n:
            many = len(self.numbers)
            raise LabelError(f"weights has {many} numbers; one weight for each of {n} objects.")
        return self.numbers


def read_weights(weights: Any) -> Weights:
    """Read a sequence of non-negative numbers, or a mapping of ids to such."""
    ids = index_of(weights)
    if isinstance(weights, Mapping):
        weights, ids = list(weights.values()), Ids(list(weights))
    array = _as_numbers(weights)
    wrong = ~(np.isfinite(array) & (array >= 0))
    if wrong.any():
        at = int(wrong.argmax())
        raise LabelError(
            f"weights holds {array[at]} at position {at}; weights are finite numbers that are not "
            "negative, and 0 leaves an object out."
        )
    if array.dtype.kind == "f" and not (array == np.floor(array)).all():
        return Weights(array.astype(np.float64), ids)
    check_total(array)
    return Weights(array.astype(np.int64), ids)


def _as_numbers(weights: Any) -> NDArray[Any]:
    """Return weights as an array of numbers, NaN for a missing one."""
    try:
        array = bring(weights, "weights") if is_on_device(weights) else np.asarray(weights)
        if np.ma.is_masked(weights):
            array = np.where(np.ma.getmaskarray(weights), np.nan, array)
        if array.dtype == object:  # integers stay exact
            array = np.array(array.tolist())
        if array.dtype == object:  # decimals and fractions, or None
            array = array.astype(np.float64)
    except Exception as error:  # of any library
        raise LabelError(f"weights is not a sequence of numbers: {first_line(error)}") from None
    if array.ndim != 1 or array.dtype.kind not in "biuf":
        raise LabelError(
            f"weights has shape {array.shape} and dtype {array.dtype}; one non-negative number for "
            "each object."
        )
    return array
