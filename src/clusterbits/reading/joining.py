"""Several labelings of the same objects, brought into one order: by position, or joined on ids.

Ids are declared (a mapping, sets, a column of ids) or offered (a pandas index, names of vertices).

- Declared on any side: joined, and a side without ids is an error.
- Offered on several sides: by position where they are equal, else joined.
- Offered on one side: by position. A default index, 0, 1, 2, ..., offers no ids; against a
  permutation of it nobody knows what is meant, and it is refused.

With ``align=True`` what is offered, default indexes included, is declared. The rule is for all
labelings of a call together, also if they are counted in pairs.
"""

from __future__ import annotations

from collections.abc import Mapping, Sized
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from clusterbits.errors import LabelError, NothingToCountError
from clusterbits.labels.labeling import Ids, Labels, several_clusterings
from clusterbits.labels.options import PLAIN, LabelPolicy
from clusterbits.reading.ids import find_repeated, read_ids, show_id
from clusterbits.reading.type_checks import column_type
from clusterbits.reading.weights import Weights
from clusterbits.table.numbering import IdNames, number_objects
from clusterbits.text.tables import counted

# Ids that an error names.
_EXAMPLES = 3


class Joined(NamedTuple):
    """Labels of the same objects in one order.

    `weights` are those of the objects, if any were given. After a join on ids `positions` are those
    of the objects in each labeling, -1 for one that is UNMATCHED there; else None.
    """

    labels: list[Labels]
    weights: NDArray[Any] | None = None
    positions: list[NDArray[np.int64]] | None = None


def join_labels(
    labelings: dict[str, Labels], policy: LabelPolicy | None = None, weights: Weights | None = None
) -> Joined:
    """Return labelings and weights in one order: of all objects that some labeling has.

    Without a policy the caller has no options, so errors advise none.
    """
    for input_name, labels in labelings.items():
        if len(labels.codes) == 0:
            raise NothingToCountError(
                f"{input_name} is empty: at least one labelled object is needed."
            )
    if joins_on_ids(labelings, policy or PLAIN, weights):
        return _join(labelings, policy, weights)
    check_lengths(labelings)
    every = list(labelings.values())
    return Joined(every, None if weights is None else weights.one_each(len(every[0])))


def _sides(
    labelings: Mapping[str, Labels], weights: Weights | None
) -> Mapping[str, Labels | Weights]:
    """Return all that may have ids, by what errors call it."""
    return labelings if weights is None else {**labelings, "weights": weights}


def joins_on_ids(
    labelings: Mapping[str, Labels], policy: LabelPolicy, weights: Weights | None = None
) -> bool:
    """Whether labelings are joined on their ids; refuse where some have none."""
    sides = _sides(labelings, weights)
    found = [ids for side in sides.values() if (ids := side.ids) is not None]
    if not found and not policy.align:
        return False
    known = [ids for ids in found if policy.align or not is_default(ids)]
    declared = policy.align or any(not ids.implicit for ids in found)
    if not declared and all(_equal(known[0].values, ids.values) for ids in known[1:]):
        for ids in known[:1]:
            _refuse_permutation(ids.values, sides)
        return False
    for input_name, side in sides.items():
        if not any(side.ids is ids for ids in known):
            for labels in labelings.values():
                refuse_runs(labels, len(side.numbers if isinstance(side, Weights) else side))
            what = "weights" if input_name == "weights" else "labels"
            raise LabelError(
                f"{input_name} has no ids to join on, and another side has. A mapping of ids to {what} "
                "has some; with align=True the default index 0, 1, 2, ... is ids."
            )
    return True


def refuse_runs(labels: Labels, n: int) -> None:
    """Raise if clusters of n ids each, of n objects, are several clusterings by name."""
    if labels.has_explicit_ids and labels.names is not None:
        positions, names = labels.named()
        if n > 1 and (np.bincount(positions) == n).all():
            raise several_clusterings(names.tolist())


def is_default(ids: Ids) -> bool:
    """Whether ids are the default index of pandas: 0, 1, 2, ..."""
    index = ids.values
    if not ids.implicit or type(index).__name__ != "RangeIndex":
        return False
    return (index.start, index.step) == (0, 1)


def _refuse_permutation(index: Any, sides: Mapping[str, Labels | Weights]) -> None:
    """Refuse an index that has the numbers of a default one in another order."""
    default = [input_name for input_name, side in sides.items() if side.ids is not None and is_default(side.ids)]
    if not default or not column_type(index).startswith(("int", "uint")):
        return
    numbers, default_index = np.asarray(index), np.arange(len(index))
    if np.array_equal(numbers, default_index):
        return
    if np.array_equal(np.sort(numbers), default_index):
        raise LabelError(
            f"{default[0]} has the default index 0, 1, 2, ... and another side the same numbers in "
            "another order. Pass align=True to join on them, or .reset_index(drop=True) where the "
            "positions are right."
        )


def _equal(ids: Any, other: Any) -> bool:
    if hasattr(ids, "equals") and hasattr(other, "equals"):  # pandas indexes
        return bool(ids.equals(other))
    return list(ids) == list(other)


def check_lengths(labelings: Mapping[str, Sized]) -> None:
    """Raise where labelings do not have equally many labels."""
    first, *others = labelings
    n = len(labelings[first])
    for input_name in others:
        if len(labelings[input_name]) != n:
            raise LabelError(
                f"{first} has {counted(n, 'label')} and {input_name} has {len(labelings[input_name]):,}: they "
                "must label the same objects, in the same order, or have ids to join on."
            )


# --- joined on ids -------------------------------------------------------------------------------


def _join(
    labelings: dict[str, Labels], given: LabelPolicy | None, weights: Weights | None
) -> Joined:
    """Return the labels of all objects; raise for unmatched ones, if that is asked for."""
    policy = given or PLAIN
    join = _ObjectJoin.on_ids(labelings, weights)
    if policy.unmatched == "error" and join.lacking.any():
        raise join.unmatched(given is not None)
    numbers = None
    if policy.unmatched == "drop":  # then unmatched objects need no weight
        matched = join.subset(~join.lacking)
        if weights is not None:
            matched.places_in_weights()
            numbers = np.where(join.lacking, 0, weights.numbers[join.weights])
    elif weights is not None:
        numbers = weights.numbers[join.places_in_weights()]
    places = zip(labelings.values(), join.places, strict=True)
    return Joined([labels.take(at) for labels, at in places], numbers, join.places)


def join_complete(labelings: dict[Any, Labels]) -> dict[Any, Labels] | None:
    """Return labelings with declared ids joined, if all have the same objects; else None."""
    if not all(labels.has_explicit_ids for labels in labelings.values()):
        return None
    try:
        read = {f"labeling {name!r}": labels for name, labels in labelings.items()}
        joined = join_labels(read, LabelPolicy(unmatched="drop"))
    except NothingToCountError:
        return None
    assert joined.positions is not None
    if any((at < 0).any() for at in joined.positions):
        return None
    return dict(zip(labelings, joined.labels, strict=True))


class _ObjectJoin(NamedTuple):
    """The objects of several labelings: input_name has the labelings, their ids, and where each object is.

    `places` are the positions of all objects in each labeling, -1 where it lacks the object;
    `weights` are those in the weights, if there are any.
    """

    labelings: dict[str, Labels]
    ids: list[IdNames]
    places: list[NDArray[np.int64]]
    weights: NDArray[np.int64] | None

    @classmethod
    def on_ids(cls, labelings: dict[str, Labels], weights: Weights | None) -> _ObjectJoin:
        sides = _sides(labelings, weights)
        ids = [read_ids(some.ids, input_name) for input_name, some in sides.items()]
        numbers, total = number_objects(ids)
        places = []
        for input_name, some, own in zip(sides, numbers, ids, strict=True):
            at = np.full(total, -1)
            at[some] = np.arange(len(some))
            if np.count_nonzero(at >= 0) < len(some) and (twice := find_repeated(some)):
                raise LabelError(
                    f"{input_name} has the id {show_id(own, twice[0])} twice: each object has one label. "
                    "Clusters that overlap are for the measures of clusterbits.covers."
                )
            places.append(at)
        in_weights = None if weights is None else places.pop()
        join = cls(labelings, ids, places, in_weights)
        labelled = np.logical_or.reduce([at >= 0 for at in places])
        return join if labelled.all() else join.subset(labelled)

    def subset(self, keep: NDArray[np.bool_]) -> _ObjectJoin:
        """Return the join of some of the objects."""
        if not keep.any():
            raise NothingToCountError(
                f"no id is in all of {', '.join(self.labelings)} with a label: nothing to count."
                f"{self._types_differ()}"
            )
        weights = None if self.weights is None else self.weights[keep]
        return self._replace(places=[at[keep] for at in self.places], weights=weights)

    @property
    def lacking(self) -> NDArray[np.bool_]:
        """Which objects some labeling lacks."""
        return np.array(np.logical_or.reduce([at < 0 for at in self.places]))

    def name(self, place: int) -> str:
        """Return the id of an object as text."""
        side = next(i for i, at in enumerate(self.places) if at[place] >= 0)
        return show_id(self.ids[side], int(self.places[side][place]))

    def unmatched(self, has_options: bool) -> LabelError:
        """Return the error that says how many objects are not in all labelings, with examples."""
        found = []
        for i, input_name in enumerate(self.labelings):
            alone = np.flatnonzero((self.places[i] >= 0) & self.lacking)
            if len(alone):
                some = ", ".join(self.name(place) for place in alone[:_EXAMPLES].tolist())
                found.append(f"{len(alone):,} of {input_name} (such as {some})")
        matched = np.count_nonzero(~self.lacking)
        advice = self._types_differ()
        if not advice and has_options:
            advice = " Pass unmatched='drop', or unmatched='class' to count them as a class."
        return LabelError(
            f"the ids do not match: {' and '.join(found)} are not in all; {matched:,} are.{advice}"
        )

    def _types_differ(self) -> str:
        """Return what to do where ids are the same as text, such as 1 and "1"; "" elsewhere."""
        sides = [set(ids) for ids in self.ids[: len(self.places)]]
        if set.intersection(*sides) or not set.intersection(*({*map(str, x)} for x in sides)):
            return ""
        return " They differ in type only: make them all text, or all numbers."

    def places_in_weights(self) -> NDArray[np.int64]:
        """Return where in the weights each object is; refuse objects without a weight."""
        assert self.weights is not None
        without = np.flatnonzero(self.weights < 0)
        if len(without):
            raise LabelError(
                f"weights has no weight for {counted(len(without), 'object')}, such as the id "
                f"{self.name(int(without[0]))}; 0 leaves an object out."
            )
        return self.weights
