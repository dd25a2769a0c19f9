"""Several labelings of the same objects, brought into one order: by position, or joined on ids.

Ids are explicit (a mapping, sets, a column of ids) or implicit (a pandas index, names of vertices).

- Explicit in any input: joined, and an input without ids is an error.
- Implicit in several inputs: by position if they are equal, else joined.
- Implicit in one input: by position. A default index, 0, 1, 2, ..., is no ids; next to a
  permutation of it nobody knows what is meant, so that is an error.

With ``align=True`` implicit ids, default indexes included, are explicit. The rule is for all
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
from clusterbits.reading.weights import Weights, as_weights, chosen_weights
from clusterbits.table.numbering import IdNames, number_objects
from clusterbits.text.tables import counted

# Ids that an error names.
_EXAMPLES = 3


class Joined(NamedTuple):
    """Labels of the same objects in one order.

    `weights` are those of the objects, if there are any. After a join on ids `positions` are those
    of the objects in each labeling, -1 if UNMATCHED there; else None.
    """

    labels: list[Labels]
    weights: NDArray[Any] | None = None
    positions: list[NDArray[np.int64]] | None = None


def join_labels(labelings: dict[str, Labels], policy: LabelPolicy | None = None) -> Joined:
    """Return labelings and weights in one order: of all objects that some labeling has.

    Without a policy the caller has no options, so errors advise none.
    """
    for input_name, labels in labelings.items():
        if len(labels.codes) == 0:
            raise NothingToCountError(
                f"{input_name} is empty: at least one labelled object is needed."
            )
    inputs = _inputs(labelings, policy or PLAIN)
    weights = inputs.get("weights")
    if _joins_on_ids(inputs, policy or PLAIN):
        return _join(labelings, policy, inputs)
    check_lengths(inputs)
    numbers = weights.numbers if isinstance(weights, Weights) else None
    return Joined([*labelings.values()], numbers)


def _inputs(labelings: Mapping[str, Labels], policy: LabelPolicy) -> dict[str, Labels | Weights]:
    """Return all that may have ids, by its name in errors: labelings, and weights if any."""
    weights = chosen_weights(policy)
    return {**labelings, **({} if weights is None else {"weights": weights})}


def joins_on_ids(labelings: Mapping[str, Labels], policy: LabelPolicy) -> bool:
    """Whether labelings and weights are joined on their ids; raise if some have none."""
    return _joins_on_ids(_inputs(labelings, policy), policy)


def _joins_on_ids(inputs: Mapping[str, Labels | Weights], policy: LabelPolicy) -> bool:
    all_ids = [item.ids for item in inputs.values() if item.ids is not None]
    if not all_ids and not policy.align:
        return False
    usable = [ids for ids in all_ids if policy.align or not is_default(ids)]
    explicit = policy.align or any(not ids.implicit for ids in all_ids)
    if not explicit and all(_equal(usable[0].values, ids.values) for ids in usable[1:]):
        for ids in usable[:1]:
            _refuse_permutation(ids.values, inputs)
        return False
    for input_name, item in inputs.items():
        if not any(item.ids is ids for ids in usable):
            for labels in inputs.values():
                refuse_runs(labels, len(item))
            value = "weight" if input_name == "weights" else "label"
            raise LabelError(
                f"{input_name} has no ids to join on, and another input has. Pass a mapping "
                f"{{id: {value}}}, or align=True to use the default index 0, 1, 2, ... as ids."
            )
    return True


def refuse_runs(labels: Labels | Weights, n: int) -> None:
    """Raise if clusters of n ids each, of n objects, are several clusterings by name."""
    if isinstance(labels, Labels) and labels.has_explicit_ids and labels.names is not None:
        positions, names = labels.named()
        if n > 1 and (np.bincount(positions) == n).all():
            raise several_clusterings(names.tolist())


def is_default(ids: Ids) -> bool:
    """Whether ids are the default index of pandas: 0, 1, 2, ..."""
    index = ids.values
    if not ids.implicit or type(index).__name__ != "RangeIndex":
        return False
    return (index.start, index.step) == (0, 1)


def _refuse_permutation(index: Any, inputs: Mapping[str, Labels | Weights]) -> None:
    """Raise for an index that has the numbers of a default one in another order."""
    names = [name for name, item in inputs.items() if item.ids is not None and is_default(item.ids)]
    if not names or not column_type(index).startswith(("int", "uint")):
        return
    numbers, default_index = np.asarray(index), np.arange(len(index))
    if np.array_equal(numbers, default_index):
        return
    if np.array_equal(np.sort(numbers), default_index):
        raise LabelError(
            f"{names[0]} has the default index 0, 1, 2, ... and another input the same numbers in "
            "another order. Pass align=True to join on them, or .reset_index(drop=True) if the "
            "positions are right."
        )


def _equal(ids: Any, other: Any) -> bool:
    if hasattr(ids, "equals") and hasattr(other, "equals"):  # pandas indexes
        return bool(ids.equals(other))
    return list(ids) == list(other)


def check_lengths(labelings: Mapping[str, Sized]) -> None:
    """Raise if labelings do not have equally many labels."""
    first = next(iter(labelings))
    n = len(labelings[first])
    for input_name, labels in labelings.items():
        if len(labels) != n:
            raise LabelError(
                f"{first} has {counted(n, 'label')} and {input_name} has {len(labels):,}: they "
                "must label the same objects, in the same order, or have ids to join on."
            )


# --- joined on ids -------------------------------------------------------------------------------


def _join(
    labelings: dict[str, Labels],
    options: LabelPolicy | None,
    inputs: Mapping[str, Labels | Weights],
) -> Joined:
    """Return the labels of all objects; raise for unmatched ones unless the options allow them."""
    weights = inputs.get("weights")
    join = _ObjectJoin.on_ids(labelings, inputs)
    matched = np.logical_and.reduce([positions >= 0 for positions in join.positions])
    unmatched = "error" if options is None else options.unmatched
    if unmatched == "error" and not matched.all():
        raise join.unmatched_error(matched, options is not None)
    counted_objects = matched if unmatched == "drop" else np.ones_like(matched)
    advice = "" if matched.any() else join.type_advice()
    if advice or not counted_objects.any():
        raise NothingToCountError(
            f"no id is in all of {', '.join(labelings)} with a label: nothing to count.{advice}"
        )
    numbers = None
    if isinstance(weights, Weights):
        join.check_weights(counted_objects)
        numbers = as_weights(np.where(counted_objects, weights.numbers[join.weights], 0))
    labels = [
        labels.take(positions)
        for labels, positions in zip(labelings.values(), join.positions, strict=True)
    ]
    return Joined(labels, numbers, join.positions)


def join_complete(labelings: dict[Any, Labels]) -> dict[Any, Labels] | None:
    """Return labelings with explicit ids joined, if all have the same objects; else None."""
    if not all(labels.has_explicit_ids for labels in labelings.values()):
        return None
    by_name = {f"labeling {name!r}": labels for name, labels in labelings.items()}
    joined = join_labels(by_name, LabelPolicy(unmatched="class"))
    assert joined.positions is not None
    if any((positions < 0).any() for positions in joined.positions):
        return None
    return dict(zip(labelings, joined.labels, strict=True))


class _ObjectJoin(NamedTuple):
    """The objects of several labelings, and their ids.

    `positions` are those of all objects in each labeling, -1 if it lacks the object; `weights`
    those in the weights, if there are any.
    """

    labelings: dict[str, Labels]
    ids: list[IdNames]
    positions: list[NDArray[np.int64]]
    weights: NDArray[np.int64] | None

    @classmethod
    def on_ids(
        cls, labelings: dict[str, Labels], inputs: Mapping[str, Labels | Weights]
    ) -> _ObjectJoin:
        ids = [read_ids(item.ids, input_name) for input_name, item in inputs.items()]
        numbers, total = number_objects(ids)
        columns = []
        for input_name, own_ids, objects in zip(inputs, ids, numbers, strict=True):
            positions = np.full(total, -1)
            positions[objects] = np.arange(len(objects))
            if np.count_nonzero(positions >= 0) < len(objects):
                repeated = find_repeated(objects)
                assert repeated is not None
                raise LabelError(
                    f"{input_name} has the id {show_id(own_ids, repeated[0])} twice: each object "
                    "has one label. Overlapping clusters are for clusterbits.covers."
                )
            columns.append(positions)
        in_weights = None
        if "weights" in inputs:  # which may be of other objects, too
            labelled = np.logical_or.reduce([positions >= 0 for positions in columns[:-1]])
            *columns, in_weights = (positions[labelled] for positions in columns)
        return cls(labelings, ids, columns, in_weights)

    def check_weights(self, objects: NDArray[np.bool_]) -> None:
        """Raise if one of these objects has no weight."""
        assert self.weights is not None
        without = np.flatnonzero((self.weights < 0) & objects)
        if len(without):
            raise LabelError(
                f"weights has no weight for {counted(len(without), 'object')}, such as the id "
                f"{self._name(int(without[0]))}; 0 leaves an object out."
            )

    def unmatched_error(self, matched: NDArray[np.bool_], has_options: bool) -> LabelError:
        """Return the error with the number of unmatched objects in each labeling, and examples."""
        parts = []
        for input_name, positions in zip(self.labelings, self.positions, strict=True):
            objects = np.flatnonzero((positions >= 0) & ~matched).tolist()
            if objects:
                examples = ", ".join(map(self._name, objects[:_EXAMPLES]))
                parts.append(f"{len(objects):,} of {input_name} (such as {examples})")
        advice = self.type_advice()
        if not advice and has_options:
            advice = " Pass unmatched='drop', or unmatched='class' to count them as a class."
        return LabelError(
            f"the ids do not match: {' and '.join(parts)} are not in all; "
            f"{np.count_nonzero(matched):,} are.{advice}"
        )

    def _name(self, number: int) -> str:
        """Return the id of an object as text."""
        columns = zip(self.ids, self.positions, strict=False)
        ids, positions = next(pair for pair in columns if pair[1][number] >= 0)
        return show_id(ids, int(positions[number]))

    def type_advice(self) -> str:
        """Return what to do if ids are equal as text only, such as 1 and "1"; else ""."""
        ids = [set(names) for names in self.ids[: len(self.positions)]]
        if set.intersection(*ids) or not set.intersection(*(set(map(str, x)) for x in ids)):
            return ""
        return " They differ in type only: make them all text, or all numbers."
