"""Rows that an engine has grouped and counted, as a tally."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from clusterbits.errors import NothingToCountError
from clusterbits.labels.labeling import Labels
from clusterbits.labels.tally import Tally
from clusterbits.reading.request import run_roles
from clusterbits.table.label_names import Name

# Reads a column as labels; the second argument is its name in errors.
Reader = Callable[[Any, str], Labels]


def tally_rows(
    answer: Mapping[str, Any],
    names: Mapping[str, str],
    read: Reader | Mapping[str, Reader],
) -> Tally:
    """Return what an engine has grouped by classes (c), clusters (k...) and groups (b), if any.

    Parameters
    ----------
    answer : mapping of roles to columns
        The labels of each row, n, the number of its objects, and w, the sum of their weights if
        they have any.
    names : mapping of roles to str
        The names of the columns of labels.
    read : function, or mapping of roles to functions
        Readers of the columns.
    """
    if len(answer["n"]) == 0:
        raise NothingToCountError("there are no rows to count.")
    labels = {}
    for role, name in names.items():
        reader = read[role] if isinstance(read, Mapping) else read
        labels[role] = reader(answer[role], f"column {name!r}")
    runs: dict[Name, Labels] = {names[role]: labels[role] for role in run_roles(names)}
    return Tally(
        labels["c"],
        runs,
        [f"column {names[role]!r}" for role in ("c", *run_roles(names), *("b" * ("b" in names)))],
        labels.get("b"),
        np.asarray(answer["n"]).astype(np.int64),
        answer.get("w"),
    )
