"""What an engine returns after a group-by-count: rows of class, cluster and how many objects.

They are counted like labels, each row as much as it weighs, so that missing labels, noise and
whole floats mean the same wherever the counting was done.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from clusterbits.core.cells import Cells, as_names
from clusterbits.core.labels import GroupedColumn, Labels
from clusterbits.core.policy import LabelPolicy
from clusterbits.errors import LabelError, NothingToCountError
from clusterbits.ingest.arrays import count_read, missing_labels
from clusterbits.ingest.columns import read_labels

Reader = Callable[[Any, str], Labels]


class Groups(NamedTuple):
    """Three columns of equal length: the classes and clusters that meet, and their objects."""

    classes: Any
    clusters: Any
    counts: NDArray[Any]


class WeightSums(NamedTuple):
    """What an engine says of the weights in each group, none of which it need send.

    `totals` are their sums, exact integers where the column has an integer type; `fractions` is
    zero where all weights are whole; `least` the least weight; `absent` how many are missing.
    """

    totals: list[Any]
    fractions: list[Any]
    least: list[Any]
    absent: list[Any]

    def checked(self, column: str) -> NDArray[Any]:
        """Return the weight of each group: integers where all weights are whole."""
        where = f"column {column!r} holds"
        if any(self.absent):
            raise LabelError(
                f"{where} weights that are missing or no numbers; leave such rows out."
            )
        if not all(math.isfinite(total) for total in self.totals):
            raise LabelError(f"{where} NaN or an infinite weight; use finite ones.")
        if self.least and (least := min(self.least)) < 0:
            raise LabelError(f"{where} {least}; weights are not negative.")
        total = sum(self.totals)
        if any(self.fractions) or (isinstance(total, float) and total >= 2**53):
            return np.array([float(total) for total in self.totals])
        whole = [int(total) for total in self.totals]
        return np.array(whole, dtype=np.int64) if total < 2**53 else as_names(whole)


def count_groups(
    groups: Groups, names: tuple[str, str], policy: LabelPolicy, read: Reader = read_labels
) -> Cells:
    """Return the cells of grouped rows; `names` are those of the two columns."""
    if len(groups.counts) == 0:
        raise NothingToCountError("there are no rows to count.")
    classes, clusters = (
        read(values, GroupedColumn(f"column {name!r}"))
        for values, name in zip((groups.classes, groups.clusters), names, strict=True)
    )
    for labels, name in zip((classes, clusters), names, strict=True):
        if policy.missing == "error" and labels.missing is not None:
            raise missing_labels(f"column {name!r}", sum(groups.counts[labels.missing].tolist()))
    return count_read(classes, clusters, groups.counts, policy)
