"""Noise objects as singletons: each is a cluster of its own, with a name that says so."""

from __future__ import annotations

from itertools import count, islice
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from clusterbits.system.limits import check_memory
from clusterbits.table.label_names import as_names

# Bytes of a noise singleton's name and cell.
_SINGLETON_BYTES = 200


class NoiseSingleton(NamedTuple):
    """The name of a noise object that is a cluster of its own: its label, and a number.

    The number means nothing outside the table: tables that are added up number them anew.
    """

    label: Any
    number: int

    def __repr__(self) -> str:
        return f"({self.label!r}, {self.number})"


def repeat_noise(noise: NDArray[np.bool_], counts: NDArray[Any]) -> NDArray[np.intp]:
    """Return the index of each row, those of noise once for each of their objects.

    >>> repeat_noise(np.array([True, False]), np.array([3, 2])).tolist()
    [0, 0, 0, 1]
    """
    n_singletons = sum(counts[noise].tolist())
    check_memory(_SINGLETON_BYTES * int(n_singletons), f"noise as {n_singletons:,} singletons")
    return np.repeat(np.arange(len(noise)), np.where(noise, counts, 1).astype(np.int64))


def name_singletons(
    columns: NDArray[Any], noise: NDArray[np.bool_], names: NDArray[Any], label: Any
) -> tuple[NDArray[Any], NDArray[Any]]:
    """Return positions of clusters, those of the noise rows one each, and the names of all."""
    known = names.tolist()
    taken = {name for name in known if isinstance(name, tuple)}  # a cluster may be called (-1, 1)
    free = (NoiseSingleton(label, i) for i in count(1) if (label, i) not in taken)
    n_singletons = int(np.count_nonzero(noise))
    columns = columns.copy()
    columns[noise] = len(known) + np.arange(n_singletons)
    return columns, as_names([*known, *islice(free, n_singletons)])
