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


def as_memberships(given: Any, who: str) -> Memberships:
    """Return memberships as they are, a matrix as memberships, or clusters that may overlap."""
    if isinstance(given, Memberships):
        return given
    if _is_matrix(given):
        return Memberships(given)
    return Memberships.of_matrix(read_clusters(given, who))


def _is_matrix(given: Any) -> bool:
    """Whether a value has rows and columns, which are degrees; others are clusters, or labels."""
    if isinstance(given, list | tuple):
        return len(given) > 0 and all(isinstance(x, list | tuple | np.ndarray) for x in given)
    return hasattr(given, "tocsr") or len(shape_of(given) or ()) == 2


def join_covers(a: Any, b: Any, **labels: Unpack[JoinOptions]) -> tuple[Memberships, Memberships]:
    """Return two memberships of the same objects, in one order."""
    sides = {"a": as_memberships(a, "a"), "b": as_memberships(b, "b")}
    objects = {name: side.objects for name, side in sides.items()}
    in_a, in_b = join_positions(objects, LabelPolicy(**labels))
    return sides["a"].subset(in_a), sides["b"].subset(in_b)


def flat_table(a: Memberships, b: Memberships) -> Contingency | None:
    """Return the table of two partitions; None where an object is in several clusters."""
    if not (a.is_hard and b.is_hard):
        return None
    return Contingency.from_labels(a.columns, b.columns)


def code_rows(memberships: Memberships) -> NDArray[np.int64]:
    """Return a code for each object: equal codes for equal memberships, in order of contents."""
    starts, counts = memberships.starts, memberships.counts
    codes = factorize_integers(counts)[0].copy()
    levels = np.unique(memberships.degrees, return_inverse=True)[1]
    held = np.arange(len(codes))
    for place in range(int(counts.max())):
        # Objects in more clusters have higher codes, so only those at the end are told apart.
        held = held[counts[held] > place]
        at = starts[held] + place
        entry = memberships.columns[at] * (int(levels.max()) + 1) + levels[at]
        base = int(codes[held].min())
        told = pair_codes(codes[held] - base, entry)
        codes[held] = base + told
        if int(told.max()) + 1 == len(held):  # all differ already
            break
    return codes
