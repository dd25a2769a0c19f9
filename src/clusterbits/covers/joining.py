"""Two sides of a comparison brought into one order: by position, or joined on ids."""

from __future__ import annotations

from typing import Any, Unpack

from clusterbits.core.policy import JoinOptions, LabelPolicy
from clusterbits.core.table import Contingency
from clusterbits.covers.memberships import Memberships
from clusterbits.covers.reading import read_clusters
from clusterbits.ingest.classes import joined_places
from clusterbits.ingest.join import join_labels
from clusterbits.ingest.kinds import library_type


def as_memberships(given: Any, who: str) -> Memberships:
    """Return memberships as they are, a matrix as memberships, or clusters that may overlap."""
    if isinstance(given, Memberships):
        return given
    if _holds_degrees(given):
        return Memberships(given)
    return Memberships.of_matrix(read_clusters(given, who))


def _holds_degrees(given: Any) -> bool:
    """Whether a value is a matrix of degrees; others are labels, or clusters of ids.

    Rows in a list are degrees where some are floats, and two columns of a frame where all are
    floats, 0 or 1; else they are clusters of ids, and ids with clusters.

    >>> _holds_degrees([[1, 0], [0.5, 0.5]]), _holds_degrees([[1, 0], [2]])
    (True, False)
    """
    if isinstance(given, list | tuple):
        rows = all(isinstance(row, list | tuple) for row in given)
        return rows and any(isinstance(x, float) for row in given for x in row)
    shape: Any = getattr(given, "shape", ())
    if library_type(given)[1] == "DataFrame" and shape[1] == 2:
        values = given.to_numpy().ravel().tolist()
        return all(isinstance(value, float) or value in (0, 1) for value in values)
    return hasattr(given, "tocsr") or (isinstance(shape, tuple) and len(shape) == 2)


def join_covers(a: Any, b: Any, **labels: Unpack[JoinOptions]) -> tuple[Memberships, Memberships]:
    """Return two memberships of the same objects, in one order."""
    sides = {"a": as_memberships(a, "a"), "b": as_memberships(b, "b")}
    objects = {who: side.objects for who, side in sides.items()}
    one, two = join_labels(objects, LabelPolicy(**labels)).labels
    return sides["a"].only(joined_places(one)), sides["b"].only(joined_places(two))


def flat_table(a: Memberships, b: Memberships) -> Contingency | None:
    """Return the table of two partitions; None where an object is in several clusters."""
    if not (a.is_hard and b.is_hard):
        return None
    return Contingency.from_labels(a.columns, b.columns)
