"""Objects without a label: refused, left out, or a class (or cluster) of their own."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from clusterbits.core.cells import Coverage, as_names
from clusterbits.core.coding import rank
from clusterbits.core.labels import Labels
from clusterbits.core.policy import LabelPolicy
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


def treat_missing(
    classes: Labels, clusters: Labels, weights: NDArray[Any] | None, policy: LabelPolicy
) -> tuple[Labels, Labels, NDArray[np.bool_] | slice, Coverage | None]:
    """Return the labels to count, which rows they come from, and the coverage if rows were dropped.

    Missing labels form a class (or cluster) of their own, unless they are dropped.
    """
    keep: NDArray[np.bool_] | slice = slice(None)
    coverage = None
    if policy.missing == "class":
        classes, clusters = missing_as_class(classes), missing_as_class(clusters)
    elif policy.missing == "drop" and (classes.missing is not None or clusters.missing is not None):
        keep, every = ~(classes.absent | clusters.absent), clusters
        classes, clusters = classes.only(keep), clusters.only(keep)
        coverage = Coverage(
            len(classes) if weights is None else sum(weights[keep].tolist()),
            len(keep) if weights is None else sum(weights.tolist()),
            clusters.distinct,
            every.distinct,
        )
    if len(classes) == 0 or (weights is not None and not weights[keep].any()):
        raise NothingToCountError(
            "no object has two labels and a weight above zero: nothing to count."
        )
    return classes, clusters, keep, coverage


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
