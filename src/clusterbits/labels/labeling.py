"""Labels of objects as integer codes with names.

Integers are their own codes, categoricals have theirs, strings and other objects are hashed.
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

# The forms of labels, for errors.
FORMS = (
    "Labels are one for each object, in a sequence, an array or a column; ids with labels, in a "
    "mapping or a frame of two columns; clusters of ids, as sets or in a mapping; a fitted "
    "estimator; or a clustering of igraph or CDlib. Several clusterings go to evaluate(truth, "
    "runs). The page 'labels' has all forms: https://clusterbits.github.io/clusterbits/howto/labels"
)
# The status of an object without a label: it has none, or only the other side of a join has it.
MISSING, UNMATCHED = 1, 2
# Integer floats below this fit int64.
_MAX_INT64_FLOAT = 2.0**62


class Ids(NamedTuple):
    """The ids of objects, which are read only if labelings are joined.

    Ids are explicit, as those of a mapping or a column of ids; or `implicit`, as a pandas index
    or the names of vertices, and then count only where the other labeling has ids, too.
    """

    values: Any
    implicit: bool = False


@dataclass(frozen=True, eq=False)
class Labels:
    """Labels of objects as integer codes.

    Attributes
    ----------
    codes : ndarray of int
        The label of each object: its index in `names`, or the label itself.
    names : ndarray or None
        The names of the codes; None if labels are integers, which are their own codes.
    in_order : bool
        Whether the names are in the order that tables show.
    status : ndarray of int8 or None
        0 for an object with a label, else MISSING or UNMATCHED, whose codes mean nothing. None if
        all have a label.
    ids : Ids or None
        The ids of the objects, if they have any.
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
        members = [_as_members(ids) for ids in (clusters.values() if named else clusters)]
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
        """Return the labels of the objects selected by a mask or indices."""
        status = None if self.status is None else status_or_none(self.status[keep])
        return replace(self, codes=self.codes[keep], status=status, ids=None)

    def take(self, positions: NDArray[np.int64]) -> Labels:
        """Return the labels at these indices; an object at -1 is UNMATCHED."""
        before = np.zeros(len(self), dtype=np.int8) if self.status is None else self.status
        status = np.where(positions < 0, np.int8(UNMATCHED), before[positions])
        return replace(self, codes=self.codes[positions], status=status_or_none(status), ids=None)

    def named(self) -> tuple[NDArray[np.intp], NDArray[Any]]:
        """Return the code of each label in the ordered names that occur, and these names.

        The code of an object without a label is the number of names.
        """
        if self.status is None:
            return self.in_name_order(*factorize_integers(self.codes))
        present = self.status == 0
        present_codes, names = self.in_name_order(*factorize_integers(self.codes[present]))
        codes = np.full(len(self), len(names), dtype=np.intp)
        codes[present] = present_codes
        return codes, names

    def in_name_order(
        self, index: NDArray[np.intp], codes: NDArray[Any]
    ) -> tuple[NDArray[np.intp], NDArray[Any]]:
        """Return indices into these codes as indices into their ordered names, and the names."""
        names = self.name(codes)
        if not self.in_order:
            order = name_order(names.tolist())
            names, index = names[order], inverse(order)[index]
        return index, names

    def with_none(self) -> Labels:
        """Return the labels with None as the label of the objects that have none."""
        if self.status is None:
            return self
        codes, names = self.named()
        return Labels(codes, as_names([*names.tolist(), None]), ids=self.ids)

    def to_list(self) -> list[Any]:
        """Return the label of each object by name; None if it has none."""
        known = self.with_none()
        return list(known.name(known.codes).tolist())

    @property
    def has_explicit_ids(self) -> bool:
        """Whether the objects have ids of their own, on which labelings are joined."""
        return self.ids is not None and not self.ids.implicit


def positions(n: int, ids: Ids | None) -> Labels:
    """Return the indices of n objects as labels, which can be joined on their ids."""
    return Labels(np.arange(n), ids=ids)


def status_or_none(status: NDArray[np.bool_ | np.int8]) -> NDArray[np.int8] | None:
    """Return a status, or a mask of missing labels, as `Labels.status`."""
    return status.view(np.int8) if status.any() else None


def _as_members(cluster: Any) -> Any:
    """Return the ids of one cluster as a collection or an array."""
    is_array = isinstance(cluster, np.ndarray) and cluster.ndim == 1
    if is_array or isinstance(cluster, (list, tuple, set, frozenset)):
        return cluster
    if isinstance(cluster, str | bytes) or not isinstance(cluster, Iterable):
        raise LabelError(f"a cluster is {cluster!r:.60}; it is a list, a set or an array of ids.")
    with translating(f"a {type(cluster).__name__} is no cluster of ids", LabelError):
        return list(cluster.tolist() if hasattr(cluster, "tolist") else cluster)


def _concatenated(members: list[Any]) -> list[Any] | NDArray[Any]:
    dtypes = {ids.dtype if isinstance(ids, np.ndarray) else None for ids in members}
    # Arrays of different types may have no common type but float.
    if len(dtypes) == 1 and None not in dtypes:
        return np.concatenate(members)
    lists = (ids.tolist() if isinstance(ids, np.ndarray) else ids for ids in members)
    return list(chain.from_iterable(lists))


# --- arrays of numpy -----------------------------------------------------------------------------


def read_array(labels: NDArray[Any], input_name: str) -> Labels:
    """Read an array of one axis, by the kind of its elements."""
    kind = labels.dtype.kind
    if kind == "b":
        codes = labels.view(np.uint8)
        if len(codes) and codes.max() > 1:  # as in masks of other programs, in which 255 is true
            codes = (codes != 0).view(np.uint8)
        return Labels(codes, np.array([False, True]))
    if kind in "iu":
        return Labels(labels if labels.dtype.isnative else labels.astype(labels.dtype.type))
    if kind == "f":
        return _read_floats(labels, input_name)
    if kind in "mM":
        return read_datetimes(labels)
    if kind == "U":
        return _read_strings(labels)
    if kind in "SOT":
        return read_objects(labels.tolist(), input_name)
    raise LabelError(
        f"{input_name} has dtype {labels.dtype}; labels are integers, strings, booleans, dates, "
        "categoricals or integer floats."
    )


def _read_floats(labels: NDArray[Any], input_name: str) -> Labels:
    status = status_or_none(np.isnan(labels))
    numbers = labels if status is None else np.where(status, 0, labels)
    integers = (numbers == np.floor(numbers)) & np.isfinite(numbers)
    if not integers.all():
        raise not_whole(input_name, labels[~integers][0].item())
    if len(numbers) and float(np.abs(numbers).max()) >= _MAX_INT64_FLOAT:
        return read_objects(labels.tolist(), input_name)
    return Labels(numbers.astype(np.int64), status=status)


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
    labels: ObjectLabels, input_name: str, decode: Callable[[list[Any]], list[Any]] = list
) -> Labels:
    """Read hashable objects; `decode` turns the distinct ones into names."""
    book = CodeBook()
    codes = None
    with suppress(TypeError):  # some cannot be hashed, or compared with others
        codes = code_objects(labels, book)
    # True and 1 share a code, so the types of all labels are checked if 0 or 1 occurs.
    unsure = codes is None or 0 in book or 1 in book
    types = set(map(type, labels if unsure else book))
    if codes is None or any(map(_is_named_first, types)):
        labels, book = [name_label(label, input_name) for label in labels], CodeBook()
        types = set(map(type, labels))
        try:
            codes = code_objects(labels, book)
        except TypeError:
            odd = next((label for label in labels if not is_label(label)), labels[0])
            raise no_label(input_name, type(odd)) from None
    if nested := next((kind for kind in types if issubclass(kind, tuple | Set)), None):
        raise no_label(input_name, nested)
    if any(issubclass(kind, bool | np.bool_) for kind in types):
        _refuse_mixed_numbers(labels, input_name)
    return read_codes(codes, decode(list(book)), input_name, in_order=False)


def read_codes(codes: IntArray, names: list[Any], input_name: str, in_order: bool) -> Labels:
    """Read codes that index names, -1 for missing: hashed objects, categoricals, dictionaries.

    Names that occur are named as by every reader (see `as_label`), or missing. Equal names are one
    label.
    """
    codes = codes.astype(np.intp, copy=False)  # which numpy indexes by at once
    occurs = np.zeros(len(names) + 1, dtype=np.bool_)
    occurs[codes] = True  # -1 is the last
    present = np.flatnonzero(occurs[:-1]).tolist()
    new_codes = np.append(np.arange(len(names)), -1)
    first: dict[Any, int] = {}
    names = list(names)
    for code in present:
        name = names[code]
        if is_missing(name):
            new_codes[code] = -1
            continue
        names[code] = name = as_label(name)
        if isinstance(name, FRACTIONAL):
            raise not_whole(input_name, name)
        try:
            new_codes[code] = first.setdefault(name, code)
        except TypeError:
            raise no_label(input_name, type(name)) from None
    if True in first or False in first:  # or 1, or 0
        _refuse_mixed_numbers([names[code] for code in present], input_name)
    if (new_codes[:-1] != np.arange(len(names))).any():
        codes = new_codes[codes]
    status = status_or_none(codes < 0) if occurs[-1] or (new_codes[:-1] < 0).any() else None
    return Labels(codes, as_names(names), in_order, status)


def is_array_type(kind: type) -> bool:
    """Whether a type is one of arrays or tensors, which may hold a single number.

    >>> [is_array_type(kind) for kind in (np.ndarray, np.int64, list)]
    [True, False, False]
    """
    offered = hasattr(kind, "__array__") or hasattr(kind, "__dlpack__")
    return offered and not issubclass(kind, np.generic)


def _is_named_first(kind: type) -> bool:
    """Whether values of a type must be named before they are compared.

    Tensors compare by their address. Timestamps ignore `fold`: within a zone, 2:30 equals itself an
    hour later when clocks go back.
    """
    return is_array_type(kind) or issubclass(kind, datetime.datetime)


def name_label(value: Any, input_name: str) -> Any:
    """Return a label as every reader names it; a tensor of one number is that number."""
    if not is_array_type(type(value)):
        return as_label(value)
    with translating(f"{input_name} holds a {type(value).__name__} that has no value", LabelError):
        if value.shape == ():
            return as_label(value.item())
    raise no_label(input_name, type(value))


# --- errors --------------------------------------------------------------------------------------


def not_whole(
    input_name: str,
    value: object,
    advice: str = "write it as text; q0_soft scores degrees of membership",
) -> LabelError:
    """Return the error for a label such as 0.5."""
    return LabelError(
        f"{input_name} holds {value!r}: labels name classes or clusters, and a number that is not "
        f"whole looks like a distance or a probability. If it is a name, {advice}."
    )


def no_label(input_name: str, kind: type) -> LabelError:
    """Return the error for labels that hold a list, a tuple, an array, ..."""
    return LabelError(f"{input_name} holds a {kind.__name__}, which is not a label. {FORMS}")


def several_clusterings(names: Sequence[Any]) -> LabelError:
    """Return the error for several clusterings if one is needed."""
    return LabelError(
        f"clusterings by name were given, and this takes one: pass runs[{names[0]!r}], or "
        "evaluate(truth, runs) for all."
    )


def _refuse_mixed_numbers(labels: Iterable[Any], input_name: str) -> None:
    """Raise for booleans next to other numbers: True equals 1, and would be one label with it."""
    if numbers := find_mixed_numbers(labels):
        raise LabelError(
            f"{input_name} holds {numbers[0]} and {numbers[1]}, a boolean and a number. They would "
            "be one label, as True equals 1. Convert them to one type, such as text."
        )
