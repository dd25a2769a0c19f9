"""Several labelings of the same objects, brought into one order: by position, or joined on ids."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence, Sized
from dataclasses import replace
from functools import partial
from typing import Any, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from clusterbits.core.coding import IdNames, number_objects
from clusterbits.core.labels import Ids, Labels, if_any
from clusterbits.core.policy import LabelPolicy
from clusterbits.display.tables import counted
from clusterbits.errors import LabelError, NothingToCountError
from clusterbits.ingest.devices import DeviceLabels
from clusterbits.ingest.missing import missing_as_class, refuse_missing
from clusterbits.ingest.numbering import find_repeated, read_ids, show_id
from clusterbits.ingest.refusals import OVERLAPPING, name_in_code
from clusterbits.ingest.weighting import Weighting

Key = TypeVar("Key", bound=Hashable)
# Who has ids, and which; labelings first, in order, then the weights.
Sides = list[tuple[str, Ids | None]]
# Ids that an error names.
_EXAMPLES = 3


class Matched(NamedTuple):
    """Labels of the same objects in one order, as `unmatched` says.

    `places` are the objects' positions in the weights, None where those are in order already;
    `of_objects` is how many there are with those that were left out, None without a join that may
    leave some out.
    """

    labels: list[Labels]
    places: NDArray[np.int64] | None = None
    of_objects: int | None = None


def match_objects(
    labelings: dict[str, Labels],
    policy: LabelPolicy | None,
    align: bool = False,
    weights: Weighting | None = None,
    *,
    may_overlap: bool = True,
) -> Matched:
    """Return labelings in one order: joined where one has ids of its own, or with `align`.

    Without a policy the caller has no options, so errors advise none. `may_overlap` says whether
    the caller has a counterpart for overlapping clusters.
    """
    sides: Sides = [(who, labels.ids) for who, labels in labelings.items()]
    own = [] if weights is None else [("weights", weights.ids)]
    if align or any(ids is not None and not ids.soft for _, ids in sides + own):
        _require_ids(sides, own, labelings)
        return _join(labelings, policy, weights, may_overlap)
    _check_indexes(sides + own, policy is not None)
    check_lengths(labelings)
    return Matched(list(labelings.values()))


def _require_ids(sides: Sides, weights: Sides, labelings: dict[str, Labels]) -> None:
    """Raise where objects are known by id in one labeling and by position in another."""
    known = [who for who, ids in sides + weights if ids is not None and not ids.soft]
    for what, some in (("labels", sides), ("weights", weights if known else [])):
        for who in (who for who, ids in some if ids is None):
            if not known:
                raise LabelError(
                    "align=True joins labelings on their ids, such as a pandas index, and "
                    f"{who} has none. Pass two pandas Series."
                )
            owner = next(ids for side, ids in sides + weights if side == known[0])
            numbered = owner is not None and _are_positions(read_ids(owner.values, known[0]))
            cure = f"dict(enumerate({what}))" if numbered else f"dict(zip(ids, {what}))"
            raise LabelError(
                f"{known[0]} knows its objects by id, and {who} has no ids: pass {cure} for {who}, "
                f"one id for each of its {what}."
                f"{_runs_instead(labelings.get(known[0]), labelings.get(who))}"
            )


def _are_positions(ids: IdNames) -> bool:
    """Whether ids are 0, 1, 2, ... in any order, as those of rows."""
    return isinstance(ids, np.ndarray) and np.array_equal(np.sort(ids), np.arange(len(ids)))


def _runs_instead(clusters: Labels | None, other: Labels | None) -> str:
    """Return what to say where clusters of ids may be runs: each is as long as the other side."""
    if clusters is None or other is None or len(clusters) != clusters.distinct * len(other):
        return ""
    return " Where these are not clusters of ids but several runs, use evaluate(truth, runs)."


def check_lengths(labelings: Mapping[str, Sized]) -> None:
    """Raise where labelings do not have equally many labels."""
    first = next(iter(labelings))
    n = len(labelings[first])
    for who, labels in labelings.items():
        if len(labels) != n:
            both = "both" if len(labelings) == 2 else "all"
            raise LabelError(
                f"{first} has {counted(n, 'label')} and {who} has {len(labels)}: {both} must "
                "label the same objects, in the same order. To join on ids, pass "
                "dict(zip(ids, labels)) for each."
            )


# --- by position ---------------------------------------------------------------------------------


def in_one_order(labelings: Sequence[Labels | DeviceLabels]) -> bool:
    """Whether no ids contradict that labelings are in the same order."""
    found = [labels.ids for labels in labelings if labels.ids is not None]
    return all(ids.soft and _equal(found[0].values, ids.values) for ids in found)


def _equal(ids: Any, other: Any) -> bool:
    if hasattr(ids, "equals") and hasattr(other, "equals"):  # pandas indexes
        return bool(ids.equals(other))
    return list(ids) == list(other)


def _check_indexes(sides: Sides, has_options: bool) -> None:
    """Refuse indexes that contradict an order by position.

    Series are compared by position where their indexes are equal, and where one has the default
    index 0, 1, 2, ... and the other has names of its own, as after scikit-learn's predict().
    """
    soft = [(who, ids.values) for who, ids in sides if ids is not None]
    # A default index says nothing, so all must agree with one that does.
    soft.sort(key=lambda item: _is_default(item[1]))
    for who, other in soft[1:]:
        first, index = soft[0]
        if _equal(index, other):
            continue
        numbers, _ = number_objects([read_ids(index, first), read_ids(other, who)])
        unmatched = len(np.setxor1d(numbers[0], numbers[1]))
        if unmatched and len(index) == len(other) and _one_is_default(index, other):
            continue
        one, two = (name for name, _ in sides if name in (first, who))
        raise _other_order(f"{one} and {two}", [index, other], unmatched, has_options)


def _other_order(who: str, indexes: list[Any], unmatched: int, has_options: bool) -> LabelError:
    """Return the error about indexes, or names of igraph's vertices, that differ."""
    what, where, otherwise = "id", "ids", "the labels alone, as lists,"
    if all(hasattr(index, "equals") for index in indexes):
        what, where, otherwise = "index label", "the index", ".reset_index(drop=True)"
    differ = f"the same {what}s in another order"
    if unmatched:
        verb = "is" if unmatched == 1 else "are"
        differ = f"different {what}s: {counted(unmatched, what)} {verb} in only one of them"
    common = " (unmatched='drop' for the common ones)" if unmatched else ""
    joined = (
        f"align=True to join on {where}{common}" if has_options else "mappings of ids to labels"
    )
    return LabelError(
        f"{who} have {differ}, so comparing them by position would pair the wrong objects. Pass "
        f"{joined}, or {otherwise} if the positions are right."
    )


def _one_is_default(index: Any, other: Any) -> bool:
    """Whether just one is a range, and that is 0, 1, 2, ...: two ranges are cut from one frame."""
    ranges = [some for some in (index, other) if type(some).__name__ == "RangeIndex"]
    return len(ranges) == 1 and _is_default(ranges[0])


def _is_default(index: Any) -> bool:
    return type(index).__name__ == "RangeIndex" and (index.start, index.step) == (0, 1)


# --- joined on ids -------------------------------------------------------------------------------


def _join(
    labelings: dict[str, Labels],
    given: LabelPolicy | None,
    weights: Weighting | None,
    may_overlap: bool,
) -> Matched:
    """Return labels of all objects, or of those that all labelings have."""
    policy = given or LabelPolicy()
    for who, some in labelings.items():
        if len(some) == 0:
            raise NothingToCountError(f"{who} is empty: at least one labelled object is needed.")
    join = _ObjectJoin.on_ids(labelings, weights, may_overlap)
    lacking = join.lacking
    of_objects = None if policy.unmatched == "error" else len(lacking)
    if policy.unmatched == "error" and lacking.any():
        raise join.unmatched(given is not None)
    if policy.unmatched == "drop" and lacking.any():
        join = join.only(~lacking)
    if policy.missing == "error":
        join.refuse_missing()
    labels = [_take(some, at) for some, at in zip(labelings.values(), join.places, strict=True)]
    if policy.unmatched == "class" and lacking.any():
        both = zip(labels, join.places, strict=True)
        keep = ~np.logical_or.reduce([some.absent & (at >= 0) for some, at in both])
        if policy.missing == "drop" and not keep.all():
            join = join.only(keep)
            labels = [some.only(keep) for some in labels]
        labels = [missing_as_class(some) for some in labels]
    return Matched(labels, join.places_in_weights(), of_objects)


def join_complete(labelings: dict[Key, Labels]) -> dict[Key, Labels] | None:
    """Return labelings with ids joined, where all have the same objects; else None."""
    ids = [labels.ids for labels in labelings.values()]
    if None in ids or all(some is None or some.soft for some in ids):
        return None
    try:
        read = {f"labeling {name!r}": labels for name, labels in labelings.items()}
        matched = match_objects(read, LabelPolicy(missing="drop", unmatched="drop"))
    except NothingToCountError:
        return None
    if len(matched.labels[0]) != matched.of_objects:
        return None
    return dict(zip(labelings, matched.labels, strict=True))


def _take(labels: Labels, at: NDArray[np.int64]) -> Labels:
    """Return the labels at these positions; -1 is an object without one."""
    return replace(
        labels, codes=labels.codes[at], missing=if_any(labels.absent[at] | (at < 0)), ids=None
    )


class _ObjectJoin(NamedTuple):
    """The objects of several labelings: who has the labelings, their ids, and where each object is.

    `places` are the positions of all objects in each labeling, -1 where it lacks the object;
    `weights` are those in the weights, if there are any.
    """

    labelings: dict[str, Labels]
    ids: list[IdNames]
    places: list[NDArray[np.int64]]
    weights: NDArray[np.int64] | None

    @classmethod
    def on_ids(
        cls, labelings: dict[str, Labels], weights: Weighting | None, may_overlap: bool
    ) -> _ObjectJoin:
        sides: Sides = [(who, labels.ids) for who, labels in labelings.items()]
        if weights is not None:
            sides.append(("weights", weights.ids))
        ids = [read_ids(some.values, who) for who, some in sides if some is not None]
        numbers, total = number_objects(ids)
        places = []
        # Only weights may have no ids.
        for (who, _), some, own in zip(sides, numbers, ids, strict=False):
            at = np.full(total, -1)
            at[some] = np.arange(len(some))
            if np.count_nonzero(at >= 0) < len(some) and (twice := find_repeated(some)):
                raise _repeated(who, own, twice, labelings.get(who), may_overlap)
            places.append(at)
        in_weights = None
        if weights is not None:
            in_weights = places[0] if weights.ids is None else places.pop()
        join = cls(labelings, ids, places, in_weights)
        labelled = np.logical_or.reduce([at >= 0 for at in places])
        return join if labelled.all() else join.only(labelled)

    def only(self, keep: NDArray[np.bool_]) -> _ObjectJoin:
        """Return the join of some of the objects."""
        if not keep.any():
            raise NothingToCountError(
                f"no id is in all of {self._names} with a label: nothing to count."
                f"{self._types_differ()}"
            )
        weights = None if self.weights is None else self.weights[keep]
        return self._replace(places=[at[keep] for at in self.places], weights=weights)

    @property
    def _names(self) -> str:
        *most, last = self.labelings
        return f"{', '.join(most)} and {last}"

    @property
    def lacking(self) -> NDArray[np.bool_]:
        """Which objects some labeling lacks."""
        return np.array(np.logical_or.reduce([at < 0 for at in self.places]))

    def name(self, place: int) -> str:
        """Return the id of an object as text."""
        side = next(i for i, at in enumerate(self.places) if at[place] >= 0)
        return show_id(self.ids[side], int(self.places[side][place]))

    def refuse_missing(self) -> None:
        """Raise where a labeling has an object without a label."""
        for i, (who, labels) in enumerate(self.labelings.items()):
            if labels.missing is not None:
                absent = np.zeros_like(labels.missing)
                absent[self.places[i][self.places[i] >= 0]] = True
                absent &= labels.missing
                name = partial(show_id, self.ids[i])
                refuse_missing(replace(labels, missing=if_any(absent)), who, name=name)

    def unmatched(self, has_options: bool) -> LabelError:
        """Return the error that says how many objects are not in all labelings, with examples."""
        found = []
        for i, who in enumerate(self.labelings):
            alone = np.flatnonzero((self.places[i] >= 0) & self.lacking)
            if len(alone):
                some = ", ".join(self.name(place) for place in alone[:_EXAMPLES].tolist())
                found.append(f"{len(alone):,} only in {who} (such as {some})")
        if len(self.places) > 2:
            found = [text.replace(" only in ", " of ") for text in found]
        both = "both" if len(self.places) == 2 else "all"
        matched = np.count_nonzero(~self.lacking)
        cure = "" if matched else self._types_differ() or self._rows_numbered()
        cure = cure or self._underscores_differ()
        if not cure and has_options:
            cure = (
                f" Pass unmatched='drop' to score those in {both}, or 'class' to let the others "
                "form a class (or cluster) of their own."
            )
        return LabelError(
            f"the ids do not match: {' and '.join(found)}; {matched:,} in {both}."
            + (cure or f" Pass the same objects in {both}.")
        )

    def _underscores_differ(self) -> str:
        """Return what to do where ids differ in underscores, as of Newick's; "" elsewhere."""
        alone = [
            {str(ids[i]).replace("_", " ") for i in at[self.lacking & (at >= 0)].tolist()}
            for ids, at in zip(self.ids, self.places, strict=False)
        ]
        if not set.intersection(*alone):
            return ""
        return (
            " Some differ by an underscore only, which is a blank in Newick's format unless the "
            "name is quoted: quote it, or write the other ids with blanks."
        )

    def _types_differ(self) -> str:
        """Return what to do where ids are the same as text, such as 1 and "1"; "" elsewhere."""
        sides = [list(ids) for ids in self.ids[: len(self.places)]]
        alike = set.intersection(*({*map(str, ids)} for ids in sides))
        if not alike or set.intersection(*map(set, sides)):
            return ""
        who = next(
            who
            for who, ids in zip(self.labelings, sides, strict=True)
            if any(not isinstance(name, str) for name in ids)
        )
        return (
            f" They differ in type only: pass those of {who} as text, as in {{str(id): label for "
            f"id, label in {name_in_code(who)}.items()}}, or .astype(str) of a column or an index."
        )

    def _rows_numbered(self) -> str:
        """Return what to do where the ids of one side are 0, 1, 2, ...; "" elsewhere."""
        numbered = [
            who for who, ids in zip(self.labelings, self.ids, strict=False) if _are_positions(ids)
        ]
        if len(numbered) != 1:
            return ""
        return (
            f" Those of {numbered[0]} number the rows of a frame, it seems: with its ids they are "
            "frame.set_index('id').groupby('cluster').groups."
        )

    def places_in_weights(self) -> NDArray[np.int64] | None:
        """Return where in the weights each object is; refuse objects without a weight."""
        if self.weights is None:
            return None
        without = np.flatnonzero(self.weights < 0)
        if len(without):
            raise LabelError(
                f"weights has no weight for {counted(len(without), 'object')}, such as the id "
                f"{self.name(int(without[0]))}; 0 leaves an object out."
            )
        return self.weights


def _repeated(
    who: str, ids: IdNames, twice: tuple[int, int], labels: Labels | None, may_overlap: bool
) -> LabelError:
    """Return the error that names an id which two objects have."""
    where, name = "", show_id(ids, twice[0])
    if labels is not None and not labels.absent[list(twice)].any():
        one, other = (labels.name(labels.codes[[place]]).tolist()[0] for place in twice)
        where = f", with the labels {one!r} and {other!r}" if one != other else ""
    if labels is not None and labels.ids is not None and labels.ids.soft:
        return LabelError(
            f"{who} has the index label {name} twice{where}, so it cannot be joined on its index: "
            "each object has one row. For objects in one order pass the labels without an index, "
            f"as {name_in_code(who)}.to_numpy()."
        )
    cure = f", and {OVERLAPPING}" if may_overlap else "."
    return LabelError(f"{who} has the id {name} twice{where}: each object has one label{cure}")
