"""Noise objects: as singletons, each a cluster of its own, or as one cluster, which is noted."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import count, islice
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from clusterbits.system.limits import check_memory
from clusterbits.table.label_names import NoiseSingleton, as_names, as_written
from clusterbits.text.shortened import listed
from clusterbits.text.tables import percent, short

if TYPE_CHECKING:
    from clusterbits.table.contingency import Contingency

# The label that many programs give to noise.
NOISE_LABEL = -1
# Bytes of a noise singleton's name and cell.
_SINGLETON_BYTES = 200


def repeat_noise(noise: NDArray[np.bool_], counts: NDArray[Any]) -> NDArray[np.intp]:
    """Return the index of each row, repeated for each object if the row is noise.

    >>> repeat_noise(np.array([True, False]), np.array([3, 2])).tolist()
    [0, 0, 0, 1]
    """
    n_singletons = sum(counts[noise].tolist())
    check_memory(_SINGLETON_BYTES * int(n_singletons), f"noise as {n_singletons:,} singletons")
    return np.repeat(np.arange(len(noise)), np.where(noise, counts, 1).astype(np.int64))


def name_singletons(
    columns: NDArray[Any], noise: NDArray[np.bool_], names: NDArray[Any], label: Any
) -> tuple[NDArray[Any], NDArray[Any]]:
    """Return columns with a code of its own for each noise row, and the names of all codes."""
    known = names.tolist()
    taken = {name for name in known if isinstance(name, tuple)}  # a cluster may be called (-1, 1)
    free = (NoiseSingleton(label, i) for i in count(1) if (label, i) not in taken)
    n_singletons = int(np.count_nonzero(noise))
    columns = columns.copy()
    columns[noise] = len(known) + np.arange(n_singletons)
    return columns, as_names([*known, *islice(free, n_singletons)])


def describe_noise(tables: Mapping[Any, Contingency]) -> str:
    """Return one line if clusters are called -1, as they are unless `noise` is given; else "".

    >>> import clusterbits as cb
    >>> describe_noise({"k2": cb.Contingency([0, 0, 1, 1], [0, -1, 1, 1])})
    "The label -1 (25 % of the objects) is counted as one cluster; noise='drop' excludes it."
    """
    shares = []
    for name, table in tables.items():
        noise = [as_written(cluster) == str(NOISE_LABEL) for cluster in table.clusters]
        size = float(table.cluster_sizes[noise].sum())
        if size:
            objects = short(name) if len(tables) > 1 else "the objects"
            shares.append(f"{percent(size / table.n, 0)} of {objects}")
    if not shares:
        return ""
    return (
        f"The label {NOISE_LABEL} ({listed(shares, 'clustering')}) is counted as one cluster; "
        "noise='drop' excludes it."
    )
