"""Two sides of a comparison brought into one order: by position, or joined on ids."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from clusterbits.core.labels import Labels, positions
from clusterbits.core.policy import LabelPolicy, Missing
from clusterbits.core.table import Contingency
from clusterbits.covers.memberships import Memberships
from clusterbits.covers.reading import is_igraph_cover, read_clusters
from clusterbits.errors import LabelError
from clusterbits.ingest.arrays import name_codes, refuse_empty
from clusterbits.ingest.join import join_labels, name_repeated
from clusterbits.ingest.kinds import library_type
from clusterbits.ingest.missing import refuse_missing, treat_missing
from clusterbits.ingest.reading import holds_many, read_labels


class ClassesAndMemberships(NamedTuple):
    """The class of each object, as a position in `classes`, and its memberships."""

    positions: NDArray[np.intp]
    classes: NDArray[Any]
    memberships: Memberships


def as_memberships(given: Any, who: str) -> Memberships:
    """Return memberships as they are, a matrix as memberships, or clusters that may overlap."""
    if isinstance(given, Memberships):
        return given
    shape: Any = getattr(given, "shape", ())
    wide = isinstance(shape, tuple) and len(shape) == 2
    if hasattr(given, "tocsr") or (wide and not _names_objects(given)) or _holds_floats(given):
        return Memberships(given)
    return Memberships.of_entries(read_clusters(given, who))


def _names_objects(given: Any) -> bool:
    """Whether two columns are the ids and the clusters of a frame, not degrees of two clusters."""
    if library_type(given)[1] != "DataFrame" or given.shape[1] != 2:
        return False
    if all(str(kind).casefold().startswith(("float", "double")) for kind in given.dtypes):
        return False
    values = given.to_numpy().ravel().tolist()
    return not all(isinstance(value, int | float) and 0 <= value <= 1 for value in values)


def _holds_floats(given: Any) -> bool:
    """Whether a list of rows holds degrees, and no ids: some are floats.

    >>> _holds_floats([[1, 0], [0.5, 0.5]]), _holds_floats([[1, 0], [2]])
    (True, False)
    """
    rows = isinstance(given, list | tuple) and all(isinstance(row, list | tuple) for row in given)
    return rows and any(isinstance(x, float) for row in given for x in row)


def join_covers(
    a: Any, b: Any, *, align: bool = False, unmatched: Missing = "error"
) -> tuple[Memberships, Memberships]:
    """Return two memberships of the same objects, in one order."""
    sides = {"a": as_memberships(a, "a"), "b": as_memberships(b, "b")}
    _refuse_sets_of_both(a, b, *sides.values())
    _refuse_repeated_rows(sides, align)
    read = {who: positions(len(side), side.ids) for who, side in sides.items()}
    _require_ids({who: side.ids for who, side in sides.items()}, ("a", "b"))
    matched = join_labels(read, LabelPolicy(unmatched=unmatched, align=align))
    both = zip(sides.values(), matched.labels, strict=True)
    first, second = (side.only(_places(labels)) for side, labels in both)
    return first, second


def join_classes(
    truth: Any,
    memberships: Any,
    *,
    missing: Missing = "error",
    align: bool = False,
    unmatched: Missing = "error",
) -> ClassesAndMemberships:
    """Return the classes and the memberships of the same objects, in one order."""
    if isinstance(truth, Memberships) or is_igraph_cover(truth):
        raise _no_classes(f"is a {type(truth).__name__}")
    side = as_memberships(memberships, "memberships")
    policy = LabelPolicy(missing=missing, unmatched=unmatched, align=align)
    read = {"truth": read_labels(truth, "truth"), "memberships": positions(len(side), side.ids)}
    refuse_empty(read["truth"])
    ids = read["truth"].ids
    if ids is not None and (align or not ids.offered) and (twice := name_repeated(ids, "truth")):
        raise _no_classes(f"has the id {twice} twice")
    _refuse_repeated_rows({"memberships": side}, align)
    _require_ids({who: labels.ids for who, labels in read.items()}, ("memberships",))
    classes, objects = join_labels(read, policy).labels
    if missing == "error":
        refuse_missing(classes, "truth")
    classes, objects, _, _ = treat_missing(classes, objects, None, policy)
    codes, names = name_codes(classes.codes, classes)
    return ClassesAndMemberships(codes, names, side.only(_places(objects)))


def _no_classes(what: str) -> LabelError:
    return LabelError(
        f"truth {what}; each object has one class. Between two memberships use omega, "
        "overlapping_nmi or bcubed_extended (covers), fuzzy_rand or frobenius_adjusted_rand."
    )


def _refuse_repeated_rows(sides: dict[str, Memberships], align: bool) -> None:
    """Raise where rows cannot be joined, since several have one label in the index."""
    for who, side in sides.items():
        # Ids of their own were checked when the memberships were made.
        soft = align and side.ids is not None and side.ids.offered
        if side.ids is not None and soft and (twice := name_repeated(side.ids, who)):
            raise LabelError(
                f"{who} has the index label {twice} twice, so it cannot be joined on its index: "
                "each object has one row. Pass Memberships(matrix, ids=ids)."
            )


def _refuse_sets_of_both(a: Any, b: Any, one: Memberships, two: Memberships) -> None:
    """Raise where two mappings look like the clusters of each object, not the ids of each cluster.

    They have the same keys, none of which is an id, and more keys than ids.
    """
    if not isinstance(a, Mapping) or not isinstance(b, Mapping) or a.keys() != b.keys():
        return
    several = all(any(map(holds_many, some.values())) for some in (a, b))
    if not several or len(a) <= max(len(one), len(two)):
        return
    if not any({*a} & {*list(side.ids.values)} for side in (one, two) if side.ids is not None):
        raise LabelError(
            "a and b map the same keys to fewer ids than there are keys. If these are the clusters "
            "of each object: Memberships.from_label_sets(a); for clusters of ids "
            "Memberships.from_clusters(a); and the same for b."
        )


def flat_table(a: Memberships, b: Memberships) -> Contingency | None:
    """Return the table of two partitions; None where an object is in several clusters."""
    if not (a.is_hard and b.is_hard):
        return None
    return Contingency.from_labels(a.columns, b.columns)


def _places(labels: Labels) -> NDArray[np.int64]:
    """Return the position of each object after a join; -1 where its side does not have it."""
    if labels.names is None:
        return labels.codes.astype(np.int64)
    names = [-1 if name is None else name for name in labels.names.tolist()]
    return np.array(names)[labels.codes]


def _require_ids(sides: dict[str, Any], memberships: tuple[str, ...]) -> None:
    """Raise where memberships have no ids and the other side knows its objects by id."""
    known = [who for who, ids in sides.items() if ids is not None and not ids.offered]
    for who in memberships:
        if known and sides[who] is None:
            raise LabelError(
                f"{known[0]} knows its objects by id, and {who} has no ids: pass "
                f"Memberships(matrix, ids=ids) for {who}, or dict(zip(ids, labels))."
            )
