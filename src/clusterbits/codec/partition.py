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
from clusterbits.core.labels import Labels
from clusterbits.core.ranking import distinct_labels, finder
from clusterbits.errors import LabelError

# Objects looked at together: enough for numpy, few enough for the memory.
CHUNK = 1 << 20
# Places in a column are numbered with 32 bits.
_MOST_OBJECTS = 1 << 31


@dataclass(frozen=True)
class Partition:
    """Which objects share a cluster.

    `numbers` are those of the clusters by first appearance, in the order of their codes; `sizes` is
    in the order of the numbers. `find` returns the position of codes among all.
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
    known = distinct_labels(labels.codes)
    find = finder(known)
    numbers = np.full(len(known), -1, dtype=np.int64)
    sizes = np.zeros(len(known), dtype=np.int64)
    digest = hashlib.blake2b(digest_size=8)
    count = 0
    for begin in range(0, len(labels), CHUNK):
        positions = find(labels.codes[begin : begin + CHUNK])
        if count < len(known):
            unseen = positions[numbers[positions] < 0]
            new, first = np.unique(unseen, return_index=True)
            numbers[new[np.argsort(first)]] = np.arange(count, count + len(new))
            count += len(new)
        clusters = numbers[positions]
        sizes += np.bincount(clusters, minlength=len(sizes))
        digest.update(clusters.astype("<u4").tobytes())
    return Partition(labels, numbers, find, sizes, digest.digest())
