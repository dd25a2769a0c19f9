"""The clusters as a partition: numbered in the order in which they first appear.

Encoder and decoder both have the clusters, by whatever names. Numbers by first appearance depend
on the partition only, and so does the fingerprint that tells it from others.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from clusterbits.codec.rans import Ints
from clusterbits.core import kernels
from clusterbits.core.coding import SMALL_SPAN, distinct_labels, find_range, finder, shifted
from clusterbits.core.labels import Labels
from clusterbits.errors import LabelError

# Objects looked at together: enough for numpy, few enough for the memory.
CHUNK = 1 << 20
# Places in a column are numbered with 32 bits.
_MOST_OBJECTS = 1 << 31


@dataclass(frozen=True)
class Partition:
    """Which objects share a cluster.

    `find` returns the places of codes in `numbers`, which are those of the clusters by first
    appearance, or -1 where there is none; places ascend with the codes. `sizes` is in the order of
    the numbers.
    """

    labels: Labels
    numbers: Ints
    find: Callable[[NDArray[Any]], Ints]
    sizes: Ints
    fingerprint: bytes

    @property
    def n(self) -> int:
        """Number of objects."""
        return len(self.labels)

    def of(self, objects: slice | Ints) -> Ints:
        """Return the cluster numbers of some objects."""
        return self.numbers[self.find(self.labels.codes[objects])]


def read_partition(labels: Labels) -> Partition:
    """Number the clusters, count their objects and take the fingerprint."""
    if len(labels) >= _MOST_OBJECTS:
        raise LabelError(
            f"there are {len(labels):,} objects; a code holds fewer than {_MOST_OBJECTS:,}. "
            "Encode them in parts."
        )
    places = _places(labels.codes)
    find = finder(places)
    numbers = np.full(len(places), -1, dtype=np.int64)
    sizes = np.zeros(len(places), dtype=np.int64)
    digest = hashlib.blake2b(digest_size=8)
    count = 0
    for begin in range(0, len(labels), CHUNK):
        positions = find(labels.codes[begin : begin + CHUNK])
        clusters = np.empty(len(positions), dtype=np.uint32)
        if kernels.native is None:
            count = _number(positions, numbers, sizes, count, clusters)
        else:
            count = kernels.native.number_clusters(positions, numbers, sizes, count, clusters)
        digest.update(clusters.astype("<u4", copy=False).data)
    return Partition(labels, numbers, find, sizes[:count], digest.digest())


def _places(codes: NDArray[Any]) -> NDArray[Any]:
    """Return codes in order, among them all that occur: a whole range where it is short."""
    low, high = find_range(codes)
    if high - low >= max(SMALL_SPAN, len(codes) // 8):
        return distinct_labels(codes)
    return shifted(np.arange(high - low + 1), low, high + 1)


def _number(positions: Ints, numbers: Ints, sizes: Ints, count: int, out: NDArray[Any]) -> int:
    """Number clusters by first appearance, after `count` that are known; count their objects."""
    unseen = positions[numbers[positions] < 0]
    new, first = np.unique(unseen, return_index=True)
    numbers[new[np.argsort(first)]] = np.arange(count, count + len(new))
    out[:] = numbers[positions]
    sizes += np.bincount(out, minlength=len(sizes))
    return count + len(new)
