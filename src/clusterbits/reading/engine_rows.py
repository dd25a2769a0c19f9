"""Rows of a source, as they are or grouped and counted by an engine, as a tally."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from clusterbits.errors import NothingToCountError
from clusterbits.labels.labeling import Labels
from clusterbits.labels.tally import Tally
from clusterbits.reading.request import run_roles

# Reads a column as labels; the second argument is its name in errors.
Reader = Callable[[Any, str], Labels]


def tally_groups(answer: Mapping[str, Any], names: Mapping[str, str], read: Reader) -> Tally:
    """Return the groups of an engine: by role their labels, n (objects) and w (weights) if any."""
    labels = {role: read(answer[role], f"column {name!r}") for role, name in names.items()}
    return tally_rows(labels, names, np.asarray(answer["n"]).astype(np.int64), answer.get("w"))


def tally_rows(
    labels: Mapping[str, Labels],
    names: Mapping[str, str],
    objects: NDArray[np.int64] | None = None,
    weights: NDArray[Any] | None = None,
    joined: bool = False,
) -> Tally:
    """Return labels by role: classes (c), clusters (k...) and groups (b) if any."""
    if len(labels["c"]) == 0:
        raise NothingToCountError("there are no rows to count.")
    roles = [role for role in ("c", *run_roles(labels), "b") if role in labels]
    return Tally(
        labels["c"],
        {names[role]: labels[role] for role in run_roles(labels)},
        [f"column {names[role]!r}" for role in roles],
        labels.get("b"),
        objects,
        weights,
        joined,
    )
