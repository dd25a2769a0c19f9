r"""False merges and false splits: the single errors that the merge and split bits consist of.

Let the classes of a cluster join it one after the other, largest first. When h objects join the m
that are there, m·h pairs come together that do not belong together, and naming the classes of
these objects takes

.. math:: \varphi(m, h) = m \log \frac{m+h}{m} + h \log \frac{m+h}{h}

bits more. So there is one false merge for every cell but the largest of a cluster, and these add
up: their pairs to a10, their bits to H(C|K). False splits are the same with classes and clusters
exchanged, and add up to a01 and H(K|C). Work grows with the cells, not with the pairs of them.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from clusterbits.core.combinatorics import BITS_PER_NAT
from clusterbits.core.table import Contingency
from clusterbits.explanation.results import FalseMerge, FalseSplit

# A name of a group, its largest member and one that joined it; objects, wrong pairs and bits.
_Row = tuple[Any, tuple[Any, Any], int | float, int | float, float]


def list_false_merges(table: Contingency, top: int) -> tuple[FalseMerge, ...]:
    """Return the classes that cost most bits by being in a cluster with a larger one."""
    return tuple(map(FalseMerge._make, _costliest(table, top)))


def list_false_splits(table: Contingency, top: int) -> tuple[FalseSplit, ...]:
    """Return the pieces of classes that cost most bits by not being with the largest piece."""
    return tuple(map(FalseSplit._make, _costliest(table.transpose(), top)))


def _costliest(table: Contingency, top: int) -> Iterator[_Row]:
    """Yield the cells that cost most bits by joining their cluster, after its larger cells."""
    order = np.lexsort((-table.counts.astype(np.float64), table.columns))
    group, member, counts = table.columns[order], table.rows[order], table.counts[order]
    first = np.flatnonzero(np.diff(group, prepend=-1))
    start = np.repeat(first, np.diff(first, append=len(group)))
    later = np.flatnonzero(start != np.arange(len(group)))
    before = np.cumsum(counts) - counts
    # At least the cell before: differences of sums of real-valued counts lose digits.
    there = np.maximum(before[later] - before[start[later]], counts[later - 1])
    m, h = there.astype(np.float64), counts[later].astype(np.float64)
    nats = m * np.log1p(h / m) + h * np.log1p(m / h)
    best = np.argsort(-nats, kind="stable")[:top]
    at = later[best]
    objects, joined = counts[at].tolist(), there[best].tolist()
    # Real-valued tables have expectations over pairs: see `PairCounts`.
    scale = 1 if table.exact else 2 * table.pairs.total / table.n**2
    names = table.cells.classes
    yield from zip(
        table.cells.clusters[group[at]].tolist(),
        zip(names[member[start[at]]].tolist(), names[member[at]].tolist(), strict=True),
        objects,
        [there * many * scale for there, many in zip(joined, objects, strict=True)],
        (nats[best] * (BITS_PER_NAT / float(table.n))).tolist(),
        strict=True,
    )
