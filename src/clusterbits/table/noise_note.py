"""The label -1, which many programs give to noise: a line where it is counted as a cluster."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from clusterbits.table.label_names import as_written
from clusterbits.text.shortened import listed
from clusterbits.text.tables import percent, short

if TYPE_CHECKING:
    from clusterbits.table.contingency import Contingency


def describe_noise(tables: Mapping[Any, Contingency]) -> str:
    """Return one line where clusters are called -1, as they are unless `noise` is given; else "".

    >>> import clusterbits as cb
    >>> describe_noise({"k2": cb.Contingency([0, 0, 1, 1], [0, -1, 1, 1])})
    "The label -1 (25 % of the objects) is counted as one cluster; noise='drop' excludes it."
    """
    several = len(tables) > 1
    found = [
        f"{percent(size / table.n, 0)} of {short(name) if several else 'the objects'}"
        for name, table in tables.items()
        if (size := _objects(table))
    ]
    if not found:
        return ""
    who = listed(found, "clustering")
    return f"The label -1 ({who}) is counted as one cluster; noise='drop' excludes it."


def _objects(table: Contingency) -> float:
    """Return how many objects have the label -1, however it is written."""
    columns = [i for i, name in enumerate(table.clusters) if as_written(name) == "-1"]
    return float(table.cluster_sizes[columns].sum())
