"""The label -1, which many programs give to noise: said where it is counted as a cluster."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from clusterbits.display.names import listed
from clusterbits.display.tables import counted, percent, short

if TYPE_CHECKING:
    from clusterbits.core.table import Contingency

# Clusterings named in a sentence.
_NAMED = 3


def describe_noise(tables: Mapping[Any, Contingency]) -> str:
    """Return one line where clusters are called -1, as they are unless `noise` is given; else "".

    >>> import clusterbits as cb
    >>> describe_noise({"k2": cb.Contingency([0, 0, 1, 1], [0, -1, 1, 1])})
    'Label -1 of 1 object (25 %) is counted as one cluster, unless the option noise says otherwise.'
    """
    several = len(tables) > 1
    found = [
        f"{short(name) if several else counted(size, 'object')} ({percent(size / table.n, 0)})"
        for name, table in tables.items()
        if (size := _objects(table))
    ]
    if not found:
        return ""
    who = listed(found, _NAMED, "clustering")
    return f"Label -1 of {who} is counted as one cluster, unless the option noise says otherwise."


def _objects(table: Contingency) -> float:
    """Return how many objects have the label -1, or "-1" as files have it."""
    places = [table.clusters.index(label) for label in (-1, "-1") if label in table.clusters]
    return float(table.cluster_sizes[places].sum())
