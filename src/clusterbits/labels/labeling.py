"""One label sequence, of whatever kind, read as integer codes and a way to name them.

Integers are their own codes, categoricals bring theirs, strings and other objects are hashed.
Only codes are ever counted, so nothing about a dtype can change the answer, and only labels that
occur in a cell are ever named.
"""

from __future__ import annotations

import datetime
from collections.abc import Callable, Iterable, Mapping, Sequence, Set
from contextlib import suppress
from dataclasses import dataclass, replace
from itertools import chain
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from clusterbits.errors import LabelError, translating
from clusterbits.table.label_names import (
    FRACTIONAL,
    as_label,
    as_names,
    find_mixed_numbers,
    is_label,
    is_missing,
    name_datetimes,
    name_order,
)
from clusterbits.table.numbering import (
    CodeBook,
    IntArray,
    ObjectLabels,
    code_objects,
    code_strings,
    factorize_integers,
    inverse,
)

# What is read as labels, for errors.
FORMS = (
    "Labels are one for each object, in a sequence, an array or a column; ids with labels, in a "
    "mapping or a frame of two columns; clusters of ids, as sets or in a mapping; a fitted "
    "estimator; or a clustering of igraph or CDlib. Several clusterings go to evaluate(truth, "
    "runs). The page 'labels' has all forms: https://clusterbits.github.io/clusterbits/howto/labels"
)
# The status of an object without a label: it has none, or a join found the object elsewhere only.
MISSING, UNMATCHED = 1, 2
# Integers that are written as floats fit int64 below this.
_EXACT_FLOAT = 2.0**62


class Ids(NamedTuple):
    """The ids of objects, as they were given: they are read where two labelings are joined.

    Ids are explicit, as those of a mapping or a column of ids; or `implicit`, as a pandas index
    or the names of vertices, and then count only where the other labeling has ids, too.
    """

    values: Any
    implicit: bool = False


@dataclass(frozen=True, eq=False)
class Labels:
    """Labels of objects as integer codes: what every form of labels is read into.

    Attributes
    ----------
    codes : ndarray of int
        The label of each object: its position in `names`, or the label itself.
    names : ndarray or None
        The names of the codes; None where labels are integers, which are their own codes.
    in_order : bool
        Whether the names are in the order that tables show.
    status : ndarray of int8 or None
        0 for an object with a label, else MISSING or UNMATCHED; the codes of the latter mean
        nothing. None if all have a label.
    ids : Ids or None
        The ids of the objects; None where objects are known by their position alone.
    """

    codes: IntArray
    names: NDArray[Any] | None = None
    in_order: bool = True
    status: NDArray[np.int8] | None = None
    ids: Ids | None = None

    @classmethod
    def from_clusters(cls, clusters: Any) -> Labels:
        """Read clusters of ids: a mapping of clusters to ids, or sets or lists of ids.

        Examples
        --------
        >>> import clusterbits as cb
        >>> truth = {"ann": "x", "bob": "x", "cid": "y"}
        >>> cb.rand(truth, cb.Labels.from_clusters([["bob", "ann"], ["cid"]]))
        1.0
        """
        named = isinstance(clusters, Mapping)
        members = [as_members(some) for some in (clusters.values() if named else clusters)]
        sizes = np.fromiter(map(len, members), dtype=np.int64, count=len(members))
        codes, ids = np.repeat(np.arange(len(members)), sizes), Ids(_concatenated(members))
        if not named:
            return cls(codes, ids=ids)
        return replace(read_codes(codes, list(clusters), "clusters", in_order=False), ids=ids)

    def __len__(self) -> int:
        return len(self.codes)

    def name(self, codes: NDArray[Any]) -> NDArray[Any]:
        """Return the names of codes."""
        return codes if self.names is None else self.names[codes]

    @property
    def known(self) -> NDArray[np.bool_]:
        """The mask of the objects with a label."""
        return np.ones(len(self), dtype=np.bool_) if self.status is None else self.status == 0

    def subset(self, keep: NDArray[np.bool_ | np.integer[Any]]) -> Labels:
        """Return the labels of some objects, given by a mask or by their positions."""
        status = None if self.status is None else status_or_none(self.status[keep])
        return replace(self, codes=self.codes[keep], status=status, ids=None)

    def take(self, positions: NDArray[np.int64]) -> Labels:
        """Return the labels at these positions; at -1 is an object that is UNMATCHED here."""
        own = np.zeros(len(self), dtype=np.int8) if self.status is None else self.status
        status = np.where(positions < 0, np.int8(UNMATCHED), own[positions])
        return replace(self, codes=self.codes[positions], status=status_or_none(status), ids=None)

    def named(self) -> tuple[NDArray[np.intp], NDArray[Any]]:
        """Return the position of each label among the names in order, and the names that occur.

        The position of an object without a label is the number of names.
        """
        if self.status is None:
            return self.in_name_order(*factorize_integers(self.codes))
        known = self.status == 0
        ranks, names = self.in_name_order(*factorize_integers(self.codes[known]))
        positions = np.full(len(self), len(names), dtype=np.intp)
        positions[known] = ranks
        return positions, names

    def in_name_order(
        self, positions: NDArray[np.intp], codes: NDArray[Any]
    ) -> tuple[NDArray[np.intp], NDArray[Any]]:
        """Return positions in these codes as positions in their names in order, and the names."""
        names = self.name(codes)
        if not self.in_order:
            order = name_order(names.tolist())
            names, positions = names[order], inverse(order)[positions]
        return positions, names

    def with_none(self) -> Labels:
        """Return the labels with None as the label of the objects that have none."""
        if self.status is None:
            return self
        positions, names = self.named()
        return Labels(positions, as_names([*names.tolist(), None]), ids=self.ids)

    @property
    def has_explicit_ids(self) -> bool:
        """Whether the objects have ids of their own, on which labelings are joined."""
        return self.ids is not None and not self.ids.implicit


def positions(n: int, ids: Ids | None) -> Labels:
    """Return the positions of n objects as labels, which can be joined on their ids."""
    return Labels(np.arange(n), ids=ids)


def status_or_none(status: NDArray[np.bool_ | np.int8]) -> NDArray[np.int8] | None:
    """Return a status, or a mask of missing labels, as `Labels.status`; None if all are 0."""
    return status.view(np.int8) if status.any() else None


def as_members(cluster: Any) -> Any:
    """Return the ids of one cluster as a collection, an array as it is."""
    if isinstance(cluster, (list, tuple, set, frozenset)):
        return cluster
    if isinstance(cluster, np.ndarray) and cluster.ndim == 1:
        return cluster
    if isinstance(cluster, str | bytes) or not isinstance(cluster, Iterable):
        raise LabelError(f"a cluster is {cluster!r:.60}; it is a list, a set or an array of ids.")
    with translating(f"a {type(cluster).__name__} is no cluster of ids", LabelError):
        return list(cluster.tolist() if hasattr(cluster, "tolist") else cluster)


def _concatenated(members: list[Any]) -> list[Any] | NDArray[Any]:
    kinds = {*map(type, members)}
    if np.ndarray not in kinds:
        return list(chain.from_iterable(members))
    # Two types may have none in common but that of floats.
    if kinds == {np.ndarray} and len({some.dtype for some in members}) == 1:
        return np.concatenate(members)
    lists = (some.tolist() if isinstance(some, np.ndarray) else some for some in members)
    return list(chain.from_iterable(lists))


# --- arrays of numpy -----------------------------------------------------------------------------


def read_array(labels: NDArray[Any], who: str) -> Labels:
    """Read an array of one axis, by the kind of its elements."""
    kind = labels.dtype.kind
    if kind == "b":
        codes = labels.view(np.uint8)
        if len(codes) and codes.max() > 1:  # as in masks of other programs, where 255 is true
            codes = (codes != 0).view(np.uint8)
        return Labels(codes, np.array([False, True]))
    if kind in "iu":
        return Labels(labels if labels.dtype.isnative else labels.astype(labels.dtype.type))
    if kind == "f":
        return _read_floats(labels, who)
    if kind in "mM":
        return read_datetimes(labels)
    if kind == "U":
        return _read_strings(labels)
    if kind in "SOT":
        return read_objects(labels.tolist(), who)
    raise LabelError(
        f"{who} has dtype {labels.dtype}; labels are integers, strings, booleans, dates, "
        "categoricals or whole floats."
    )


def _read_floats(labels: NDArray[Any], who: str) -> Labels:
    status = status_or_none(np.isnan(labels))
    known = labels if status is None else np.where(status, 0, labels)
    whole = known == np.floor(known)
    whole &= np.isfinite(known)
    if not whole.all():
        raise not_whole(who, labels[~whole][0].item())
    if len(known) and float(np.abs(known).max()) >= _EXACT_FLOAT:
        return read_objects(labels.tolist(), who)
    return Labels(known.astype(np.int64), status=status)


def _read_strings(labels: NDArray[Any]) -> Labels:
    """Read fixed-width strings, by their hashes."""
    if labels.dtype.itemsize == 0:
        return read_objects(labels.tolist(), "labels")
    codes, names = code_strings(np.ascontiguousarray(labels, dtype=labels.dtype.newbyteorder("=")))
    return Labels(codes, as_names(names), in_order=False)


def read_datetimes(labels: NDArray[Any], aware: bool = False) -> Labels:
    """Read numpy's timestamps and durations; `aware` ones are instants, in UTC."""
    times = labels.astype(labels.dtype.newbyteorder("="), copy=False)
    codes, present = factorize_integers(times.view(np.int64))
    names = as_names(name_datetimes(present.view(times.dtype), aware))
    return Labels(codes, names, status=status_or_none(np.isnat(labels)))


# --- objects, and codes that come with names -----------------------------------------------------


def read_objects(
    labels: ObjectLabels, who: str, meant: Callable[[list[Any]], list[Any]] = list
) -> Labels:
    """Read hashable objects; `meant` says what the distinct ones mean."""
    book = CodeBook()
    codes = None
    with suppress(TypeError):  # some cannot be hashed, or compared with others
        codes = code_objects(labels, book)
    # Equal labels share a code, and True equals 1: then those of all labels are looked at.
    unsure = codes is None or 0 in book or 1 in book
    types = set(map(type, labels if unsure else book))
    if codes is None or any(map(_is_named_first, types)):
        labels, book = [name_label(label, who) for label in labels], CodeBook()
        types = set(map(type, labels))
        try:
            codes = code_objects(labels, book)
        except TypeError:
            odd = next((label for label in labels if not is_label(label)), labels[0])
            raise no_label(who, type(odd)) from None
    if nested := next((kind for kind in types if issubclass(kind, tuple | Set)), None):
        raise no_label(who, nested)
    if any(issubclass(kind, bool | np.bool_) for kind in types):
        _refuse_mixed_numbers(labels, who)
    return read_codes(codes, meant(list(book)), who, in_order=False)


def read_codes(codes: IntArray, names: list[Any], who: str, in_order: bool) -> Labels:
    """Read codes that index names, -1 for missing: hashed objects, categoricals, dictionaries.

    Only names that occur are looked at. Missing ones are found, others are named as by every
    reader (see `as_label`), and a name that stands twice is one label.
    """
    codes = codes.astype(np.intp, copy=False)  # which numpy indexes by at once
    occurs = np.zeros(len(names) + 1, dtype=np.bool_)
    occurs[codes] = True  # -1 is the last
    present = np.flatnonzero(occurs[:-1]).tolist()
    place = np.append(np.arange(len(names)), -1)
    first: dict[Any, int] = {}
    clean = list(names)
    for code in present:
        name = names[code]
        if is_missing(name):
            place[code] = -1
        else:
            clean[code] = name = as_label(name)
            if isinstance(name, FRACTIONAL):
                raise not_whole(who, name)
            try:
                place[code] = first.setdefault(name, code)
            except TypeError:
                raise no_label(who, type(name)) from None
    if True in first or False in first:  # or 1, or 0
        _refuse_mixed_numbers([clean[code] for code in present], who)
    if (place[:-1] != np.arange(len(names))).any():
        codes = place[codes]
    status = status_or_none(codes < 0) if occurs[-1] or (place[:-1] < 0).any() else None
    return Labels(codes, as_names(clean), in_order, status)


def is_array_type(kind: type) -> bool:
    """Whether a type is one of arrays or tensors, which may be of a single number.

    >>> [is_array_type(kind) for kind in (np.ndarray, np.int64, list)]
    [True, False, False]
    """
    offered = hasattr(kind, "__array__") or hasattr(kind, "__dlpack__")
    return offered and not issubclass(kind, np.generic)


def _is_named_first(kind: type) -> bool:
    """Whether values of a type must be named before they are compared.

    Tensors compare by their address. Moments ignore `fold`: both 2:30s of the night when clocks go
    back are equal within a zone.
    """
    return is_array_type(kind) or issubclass(kind, datetime.datetime)


def name_label(value: Any, who: str) -> Any:
    """Return a label as every reader names it, that of a tensor of one number included."""
    if not is_array_type(type(value)):
        return as_label(value)
    with translating(f"{who} holds a {type(value).__name__} that has no value", LabelError):
        if value.shape == ():
            return as_label(value.item())
    raise no_label(who, type(value))


# --- what is not a label -------------------------------------------------------------------------


def not_whole(
    who: str,
    value: object,
    advice: str = "write it as text; q0_soft scores degrees of membership",
) -> LabelError:
    """Return the error for a label such as 0.5."""
    return LabelError(
        f"{who} holds {value!r}: labels name classes or clusters, and a number that is not "
        f"whole looks like a distance or a probability. If it is a name, {advice}."
    )


def no_label(who: str, kind: type) -> LabelError:
    """Return the error for labels that hold a list, a tuple, an array, ..."""
    return LabelError(f"{who} holds a {kind.__name__}, which is not a label. {FORMS}")


def several_clusterings(names: Sequence[Any]) -> LabelError:
    """Return the error for runs by name, where one clustering is needed."""
    return LabelError(
        f"clusterings by name were given, and this takes one: pass runs[{names[0]!r}], or "
        "evaluate(truth, runs) for all."
    )


def _refuse_mixed_numbers(labels: Iterable[Any], who: str) -> None:
    """Refuse booleans beside other numbers: True equals 1, and would be one label with it."""
    if found := find_mixed_numbers(labels):
        raise LabelError(
            f"{who} holds {found[0]} and {found[1]}, a boolean and a number, which are not "
            "told apart: True equals 1. Make them one kind, such as text."
        )
