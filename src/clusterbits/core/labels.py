"""One label sequence, of whatever kind, read as integer codes and a way to name them.

Integers are their own codes, categoricals bring theirs, strings and other objects are hashed.
Only codes are ever counted, so nothing about a dtype can change the answer, and only labels that
occur in a cell are ever named.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Set
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from clusterbits.core.cells import as_names
from clusterbits.core.counting import IntArray, rank
from clusterbits.errors import LabelError

# Whole floats below this are exact and leave room for a code that stands for "missing".
_EXACT_FLOAT = 2.0**62


@dataclass(frozen=True)
class Labels:
    """Labels as integer codes.

    `name` turns an ascending array of codes into their names. `missing` marks objects without a
    label, whose codes mean nothing; None where all have one. `in_order` says that ascending codes
    already name labels in the order a reader expects.
    """

    codes: IntArray
    name: Callable[[NDArray[Any]], NDArray[Any]]
    in_order: bool = True
    missing: NDArray[np.bool_] | None = None

    def __len__(self) -> int:
        return len(self.codes)

    @property
    def absent(self) -> NDArray[np.bool_]:
        """Which objects have no label, also where all have one."""
        return np.zeros(len(self), dtype=np.bool_) if self.missing is None else self.missing

    def only(self, keep: NDArray[np.bool_ | np.integer[Any]]) -> Labels:
        """Return the labels of some objects, given by a mask or by their positions."""
        missing = None if self.missing is None else _if_any(self.missing[keep])
        return replace(self, codes=self.codes[keep], missing=missing)


class GroupedColumn(str):
    """What to call a column whose rows are groups of objects: positions in it mean nothing."""

    __slots__ = ()


def read_labels(labels: Any, who: str) -> Labels:
    """Read any one-dimensional sequence of labels as codes; labels that were read stay."""
    if isinstance(labels, Labels):
        return labels
    if isinstance(labels, str | bytes | Mapping | Set):
        raise LabelError(
            f"{who} is a {type(labels).__name__}; labels are a 1-D sequence, one per object, "
            "such as a list, a numpy array or a data-frame column."
        )
    shape = getattr(labels, "shape", None)
    if shape is not None and len(shape) != 1:
        raise LabelError(
            f"{who} has shape {tuple(shape)}; labels are 1-D, one per object. "
            "Pass one column, or use .ravel() or .argmax(axis=1) on an array."
        )
    read = _READERS.get(type(labels).__module__.partition(".")[0])
    if read is not None:
        return read(labels, who)
    if isinstance(labels, np.ma.MaskedArray):
        found = _read_array(labels.filled(), who)
        return replace(found, missing=_if_any(np.ma.getmaskarray(labels) | found.absent))
    if isinstance(labels, np.ndarray) or hasattr(labels, "__array__"):
        return _read_array(np.asarray(labels), who)
    if not isinstance(labels, Iterable):
        raise LabelError(f"{who} is {labels!r}; labels are a 1-D sequence, one per object.")
    return _read_list(list(labels), who)


def _read_array(labels: NDArray[Any], who: str) -> Labels:
    kind = labels.dtype.kind
    if kind == "b":
        return Labels(labels.view(np.uint8), lambda codes: codes.astype(np.bool_))
    if kind in "iu":
        return Labels(labels, _themselves)
    if kind == "f":
        return _read_floats(labels, who)
    if kind in "mM":
        return _read_dates(labels)
    if kind == "U":
        return _read_strings(labels)
    if kind == "S":
        try:
            return _read_strings(labels.astype(np.str_))
        except UnicodeDecodeError:  # not ASCII: they stay bytes
            return _read_objects(labels.tolist(), who)
    if kind in "OT":
        return _read_objects(labels.tolist(), who)
    raise LabelError(
        f"{who} has dtype {labels.dtype}; labels are integers, strings, booleans, dates, "
        "categoricals or whole floats."
    )


def _if_any(mask: NDArray[np.bool_]) -> NDArray[np.bool_] | None:
    return mask if mask.any() else None


def _themselves(codes: NDArray[Any]) -> NDArray[Any]:
    return codes


def _read_list(labels: list[Any], who: str) -> Labels:
    # np.asarray would turn [1, "1"] into two equal strings: look at the types first.
    types = set(map(type, labels))
    if types == {bool} or types == {float}:
        return _read_array(np.array(labels), who)
    if types == {int} and min(labels) >= -(2**63) and max(labels) < 2**63:
        return _read_array(np.array(labels, dtype=np.int64), who)
    if len(types) == 1:
        (kind,) = types
        # numpy's fixed-width strings would lose trailing NULs.
        if issubclass(kind, np.generic) and not issubclass(kind, np.character):
            return _read_array(np.array(labels), who)
    return _read_objects(labels, who)


def _read_floats(labels: NDArray[Any], who: str) -> Labels:
    missing = _if_any(np.isnan(labels))
    known = labels if missing is None else np.where(missing, 0, labels)
    whole = known == np.floor(known)
    whole &= np.isfinite(known)
    if not whole.all():
        first = int(np.flatnonzero(~whole)[0])
        raise _not_whole(who, labels[first].item(), first)
    if len(known) and float(np.abs(known).max()) >= _EXACT_FLOAT:
        return _read_objects(labels.tolist(), who)
    return Labels(known.astype(np.int64), _themselves, missing=missing)


def _not_whole(who: str, value: object, position: int) -> LabelError:
    where = "" if isinstance(who, GroupedColumn) else f" at position {position}"
    return LabelError(
        f"{who} holds {value!r}{where}: labels name classes or clusters, and a number that is not "
        "whole looks like a distance or a probability. If it is a name, pass it as a string."
    )


def _read_dates(labels: NDArray[Any]) -> Labels:
    dtype = labels.dtype.newbyteorder("=")
    codes = labels.astype(dtype, copy=False).view(np.int64)

    def name(codes: NDArray[Any]) -> NDArray[Any]:
        dates = codes.astype(np.int64).view(dtype)
        # Nanoseconds have no Python type: .tolist() would give bare integers.
        python = np.datetime_data(dtype)[0] not in ("ns", "ps", "fs", "as")
        return as_names(dates.tolist() if python else list(dates))

    return Labels(codes, name, missing=_if_any(np.isnat(labels)))


def _read_strings(labels: NDArray[Any]) -> Labels:
    """Hash fixed-width strings column by column; compare each with its namesake to be certain."""
    width = labels.dtype.itemsize // 4
    if width == 0:
        return _read_objects(labels.tolist(), "labels")
    native = np.ascontiguousarray(labels, dtype=labels.dtype.newbyteorder("="))
    characters = native.view(np.uint32).reshape(len(labels), width)
    hashes = np.zeros(len(labels), dtype=np.uint64)
    for piece in _pieces(len(labels)):
        some = hashes[piece]
        for column in characters[piece].T:
            some += column
            some *= np.uint64(0x9E3779B97F4A7C15)
            some ^= some >> np.uint64(32)
    codes, distinct = rank(hashes)
    example = np.empty(len(distinct), dtype=np.intp)
    example[codes] = np.arange(len(codes))
    names = native[example]
    if not all(np.array_equal(names[codes[p]], native[p]) for p in _pieces(len(labels))):
        return _read_objects(labels.tolist(), "labels")  # two strings with one hash
    return Labels(codes, lambda present: as_names(names[present].tolist()), in_order=False)


def _pieces(n: int, size: int = 1 << 14) -> Iterator[slice]:
    """Yield slices short enough for their strings to stay in a core's cache."""
    return (slice(begin, begin + size) for begin in range(0, n, size))


class CodeBook(dict[Any, int]):
    """Gives each new key the next code."""

    def __missing__(self, key: Any) -> int:
        code = self[key] = len(self)
        return code


def _read_objects(
    labels: list[Any], who: str, meant: Callable[[list[Any]], list[Any]] = list
) -> Labels:
    """Read hashable objects; `meant` says what the distinct ones mean."""
    book = CodeBook()
    try:
        codes = np.fromiter(map(book.__getitem__, labels), dtype=np.int64, count=len(labels))
    except TypeError:
        bad = next(label for label in labels if not _hashable(label))
        raise LabelError(
            f"{who} holds a {type(bad).__name__}; each object has one label, "
            "such as a string or a number. Labels are 1-D."
        ) from None
    return _read_codes(codes, meant(list(book)), who, in_order=False)


def read_text(labels: Any, who: str) -> Labels:
    """Read labels written as text, None for missing; where all are integers, as integers.

    Labels are compared as they are written, so ``01`` and ``1`` are two labels, unless all
    labels of the column are integers as a program writes them: ``1``, or ``1.0`` as frame
    libraries do where a label is missing.
    """
    return _read_objects(_listed(labels), who, lambda names: _as_integers(names, who))


def read_json(labels: Any, who: str) -> Labels:
    """Read labels written as JSON: text, numbers, booleans, null for missing."""

    def meant(names: list[str | None]) -> list[Any]:
        found = [None if name is None else json.loads(name) for name in names]
        for value in found:
            if isinstance(value, list | dict):
                raise LabelError(f"{who} holds {json.dumps(value)[:60]}; a label is one value.")
        return found

    return _read_objects(_listed(labels), who, meant)


def _listed(labels: Any) -> list[Any]:
    """Return a column as a list, with None where it is masked."""
    found: list[Any] = labels.tolist()  # a masked array gives None
    return found


_INTEGER = re.compile(r"(?:0|-?[1-9][0-9]{0,999})(?:\.0+)?")
_NUMBER = re.compile(r"-?[0-9]+(?:\.[0-9]+)?")


def _as_integers(names: list[str | None], who: str) -> list[Any]:
    given = [name for name in names if name is not None]
    if all(_INTEGER.fullmatch(name) for name in given):
        return [None if name is None else int(name.partition(".")[0]) for name in names]
    if all(_NUMBER.fullmatch(name) for name in given):
        for position, name in enumerate(given):
            if name.partition(".")[2].strip("0"):
                raise _not_whole(who, float(name), position)
    return names


def _hashable(label: Any) -> bool:
    try:
        hash(label)
    except TypeError:
        return False
    return True


def _is_missing(key: Any) -> bool:
    if key is None or type(key).__name__ in ("NAType", "NaTType"):  # pandas's, without pandas
        return True
    try:
        return bool(key != key)
    except (TypeError, ValueError):
        return False


def _name_from(names: list[Any] | dict[int, Any]) -> Callable[[NDArray[Any]], NDArray[Any]]:
    return lambda codes: as_names([names[code] for code in codes.tolist()])


def _read_codes(codes: IntArray, names: list[Any], who: str, in_order: bool) -> Labels:
    """Codes that index names, -1 for missing: hashed objects, categoricals, dictionaries.

    Only names that occur are looked at. Missing ones are found, whole floats become integers, and a
    name that stands twice is one label.
    """
    occurs = np.zeros(len(names) + 1, dtype=np.bool_)
    occurs[codes] = True  # -1 marks the place after the last name
    place = np.append(np.arange(len(names)), -1)
    first: dict[Any, int] = {}
    clean = list(names)
    for code in np.flatnonzero(occurs[:-1]).tolist():
        name = names[code]
        if _is_missing(name):
            place[code] = -1
        else:
            if isinstance(name, float | np.floating):
                if not math.isfinite(name) or name != math.floor(name):
                    position = int(np.flatnonzero(codes == code)[0])
                    raise _not_whole(who, name, position)
                clean[code] = name = int(name)
            place[code] = first.setdefault(name, code)
    if (place[:-1] != np.arange(len(names))).any():
        codes = place[codes]
    missing = _if_any(codes < 0) if occurs[-1] or (place[:-1] < 0).any() else None
    return Labels(codes, _name_from(clean), in_order, missing)


def _read_pandas(labels: Any, who: str) -> Labels:
    dtype = labels.dtype
    if isinstance(dtype, np.dtype):
        return _read_array(labels.to_numpy(), who)
    if hasattr(dtype, "categories"):
        values = getattr(labels, "cat", labels)
        names = values.categories.tolist()
        return _read_codes(np.asarray(values.codes), names, who, in_order=bool(dtype.ordered))
    codes, names = labels.factorize()
    return _read_codes(codes, names.tolist(), who, in_order=False)


def _read_polars(labels: Any, who: str) -> Labels:
    dtype = str(labels.dtype)
    if dtype.startswith(("Categorical", "Enum")):
        # Physical codes may be shared with other columns: only those that occur are named.
        own = labels.unique().drop_nulls()
        physical, names = own.to_physical().to_numpy(), own.to_list()
        known = dict(zip(physical.tolist(), names, strict=True))
        codes = labels.to_physical().cast(int).fill_null(-1).to_numpy()
        # An Enum's codes follow the order it declares; a categorical's follow nothing.
        in_order = dtype.startswith("Enum")
        return Labels(codes, _name_from(known), in_order, missing=_if_any(codes < 0))
    if labels.null_count() and dtype in _POLARS_NUMBERS and "Int" in dtype:
        absent = labels.is_null().to_numpy()
        return replace(_read_array(labels.fill_null(0).to_numpy(), who), missing=absent)
    if dtype in _POLARS_NUMBERS:
        return _read_array(labels.to_numpy(), who)
    return _read_objects(labels.to_list(), who)


def _read_arrow(labels: Any, who: str) -> Labels:
    if hasattr(labels, "combine_chunks"):
        labels = labels.unify_dictionaries().combine_chunks()
        if hasattr(labels, "chunks"):  # no chunks at all stay a chunked array
            return _read_objects(labels.to_pylist(), who)
    if labels.null_count == 0 and str(labels.type) in _ARROW_NUMBERS:
        return _read_array(labels.to_numpy(zero_copy_only=False), who)
    try:
        encoded = labels if hasattr(labels, "dictionary") else labels.dictionary_encode()
    except NotImplementedError:  # lists, run-end encoded and other unusual types
        return _read_objects(labels.to_pylist(), who)
    codes = encoded.indices.cast("int64").fill_null(-1).to_numpy(zero_copy_only=False)
    return _read_codes(codes, encoded.dictionary.to_pylist(), who, encoded.type.ordered)


_POLARS_NUMBERS = {
    *(f"{sign}Int{bits}" for sign in ("", "U") for bits in (8, 16, 32, 64)),
    *("Float32", "Float64"),
}
_ARROW_NUMBERS = {
    *(f"{sign}int{bits}" for sign in ("", "u") for bits in (8, 16, 32, 64)),
    *("halffloat", "float", "double", "bool"),
}

# Looked up by the package a label column comes from, so that none of them is ever imported.
_READERS: dict[str, Callable[[Any, str], Labels]] = {
    "pandas": _read_pandas,
    "polars": _read_polars,
    "pyarrow": _read_arrow,
}
