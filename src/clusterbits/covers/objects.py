"""The objects of two covers: in one order, and those with equal memberships grouped."""

from __future__ import annotations

from typing import Any, Unpack

import numpy as np
from numpy.typing import NDArray

from clusterbits.covers.membership_forms import read_clusters
from clusterbits.covers.memberships import Memberships
from clusterbits.labels.options import JoinOptions, LabelPolicy
from clusterbits.reading.memory import join_positions
from clusterbits.reading.type_checks import shape_of
from clusterbits.table.contingency import Contingency
from clusterbits.table.numbering import factorize_integers, pair_codes


def as_memberships(value: Any, input_name: str) -> Memberships:
    """Return memberships as they are; read others as a matrix of degrees, or as clusters."""
    if isinstance(value, Memberships):
        return value
    if _is_matrix(value):
        return Memberships(value)
    rows, names, ids = read_clusters(value, input_name)
    return Memberships(rows, normalize=True, ids=ids, clusters=names)


def _is_matrix(value: Any) -> bool:
    """Whether a value has rows and columns, which are degrees; others are clusters, or labels."""
    if isinstance(value, list | tuple):
        return len(value) > 0 and all(isinstance(row, list | tuple | np.ndarray) for row in value)
    return hasattr(value, "tocsr") or len(shape_of(value) or ()) == 2


def join_covers(a: Any, b: Any, **labels: Unpack[JoinOptions]) -> tuple[Memberships, Memberships]:
    """Return two memberships of the same objects, in one order."""
    a, b = as_memberships(a, "a"), as_memberships(b, "b")
    in_a, in_b = join_positions({"a": a.objects, "b": b.objects}, LabelPolicy(**labels))
    return a.subset(in_a), b.subset(in_b)


def flat_table(a: Memberships, b: Memberships) -> Contingency | None:
    """Return the table of two partitions; None if an object is in several clusters."""
    return Contingency.from_labels(a.columns, b.columns) if a.is_hard and b.is_hard else None


def code_rows(memberships: Memberships) -> NDArray[np.int64]:
    """Return a code for each object: equal codes for equal memberships, in order of contents."""
    starts, counts = memberships.starts, memberships.counts
    codes = factorize_integers(counts)[0].copy()
    levels = np.unique(memberships.degrees, return_inverse=True)[1]
    entries = memberships.columns * (int(levels.max()) + 1) + levels
    objects = np.arange(len(codes))
    for index in range(int(counts.max())):
        # Objects in more clusters have higher codes, so only the last codes are divided.
        objects = objects[counts[objects] > index]
        first_code = int(codes[objects].min())
        divided = pair_codes(codes[objects] - first_code, entries[starts[objects] + index])
        codes[objects] = first_code + divided
        if int(divided.max()) + 1 == len(objects):  # all differ already
            break
    return codes
