"""Objects without a label: refused, left out, or a class (or cluster) of their own."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from clusterbits.core.cells import Cells
from clusterbits.core.coding import rank
from clusterbits.core.labels import Labels
from clusterbits.core.naming import as_names
from clusterbits.core.noise import leave_out
from clusterbits.display.tables import counted
from clusterbits.errors import MissingLabelError, NothingToCountError

_MISSING_OPTION = (
    "Pass missing='drop' to leave such objects out, "
    "or 'class' to let them form a class (or cluster) of their own."
)


def refuse_missing(
    labels: Labels, who: str, counts: NDArray[Any] | None = None, advice: str = _MISSING_OPTION
) -> None:
    """Raise where a label is missing; `counts` are the objects in each row of a group-by."""
    if labels.missing is None:
        return
    positions = np.flatnonzero(labels.missing)
    lacking, where = len(positions), f", the first at position {positions[0]}"
    if counts is not None:
        lacking, where = sum(counts[positions].tolist()), ""
    raise MissingLabelError(f"{who} has {counted(lacking, 'missing label')}{where}. {advice}")


def leave_out_missing(cells: Cells) -> Cells:
    """Leave out the objects without a label, which `missing_as_class` has named None."""
    named = _is_named(cells.classes)[cells.rows] & _is_named(cells.clusters)[cells.columns]
    return leave_out(cells, named, "without a class or a cluster")


def _is_named(names: NDArray[Any]) -> NDArray[np.bool_]:
    return np.array([name is not None for name in names.tolist()], dtype=np.bool_)


def refuse_weightless(weights: NDArray[Any]) -> None:
    """Raise where no object counts."""
    if not weights.any():
        raise NothingToCountError("no object with labels has a weight above 0: nothing to count.")


def missing_as_class(labels: Labels) -> Labels:
    """Return labels in which the missing ones are named None, with the code after the last."""
    if labels.missing is None:
        return labels
    known = ~labels.missing
    ranks, present = rank(labels.codes[known])
    codes = np.full(len(labels), len(present), dtype=np.int64)
    codes[known] = ranks
    names = as_names([*labels.name(present).tolist(), None])
    return Labels(codes, names, labels.in_order)
