"""Label columns of any kind as integer codes: sequences, pandas, polars, pyarrow, text and JSON.

No dataframe library is ever imported: a column is recognised by the package it comes from.
"""

from __future__ import annotations

import json
import math
import re
import sys
from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from clusterbits.errors import LabelError, first_line
from clusterbits.labels.labeling import (
    FORMS,
    Labels,
    not_whole,
    read_array,
    read_codes,
    read_datetimes,
    read_objects,
    status_or_none,
)
from clusterbits.reading.on_device import copy_to_host
from clusterbits.reading.type_checks import library_type, shape_of, to_list
from clusterbits.table.label_names import name_datetimes
from clusterbits.table.numbering import as_int64, as_objects, factorize_integers


def read_sequence(labels: Any, input_name: str) -> Labels:
    """Read a list, an array or a column as codes."""
    if isinstance(labels, list):
        integers = as_int64(labels)
        return read_objects(labels, input_name) if integers is None else Labels(integers)
    shape = shape_of(labels)
    if shape is not None and len(shape) != 1:
        raise LabelError(f"{input_name} has shape {shape}. {FORMS}")
    if type(labels) is np.ndarray and labels.dtype != object:
        return read_array(labels, input_name)
    if getattr(labels, "dtype", None) is np.dtype(object):
        return read_objects(as_objects(labels), input_name)
    if isinstance(labels, np.ma.MaskedArray):
        filled = read_array(labels.filled(), input_name)
        return replace(filled, status=status_or_none(np.ma.getmaskarray(labels) | ~filled.known))
    package, _ = library_type(labels)
    if not package:
        return read_array(as_array(labels, input_name), input_name)
    if not hasattr(labels, _COLUMNS_HAVE[package]):
        raise LabelError(
            f"{input_name} is a {type(labels).__name__}, which is not a column. {FORMS}"
        )
    try:
        return _READERS[package](labels, input_name)
    except UnicodeDecodeError as error:  # Arrow's memory is not checked by whoever makes it
        raise LabelError(f"{input_name} holds text that is not UTF-8: {error}.") from None


def as_array(labels: Any, input_name: str) -> NDArray[Any]:
    """Return a tensor on any device, or another array, as one of numpy's."""
    labels = copy_to_host(labels, input_name)
    try:
        plain = hasattr(labels, "__array__") or isinstance(labels, memoryview)
        return np.asarray(labels) if plain else np.from_dlpack(labels)
    except Exception as error:  # a tensor on another device, or one that needs its gradient
        raise LabelError(
            f"{input_name} is a {type(labels).__name__} that numpy cannot read: "
            f"{first_line(error)} Pass it on the CPU and detached."
        ) from None


def read_stored(labels: Any, input_name: str) -> Labels:
    """Read the labels of a Parquet file or a database, None or masked for missing.

    Large floats are errors: an integer may have become one when files were put together.
    """
    refuse_inexact(to_list(labels), input_name, exact_below(getattr(labels, "dtype", np.float64)))
    return read_sequence(labels, input_name)


def exact_below(dtype: Any) -> float:
    """Return the limit from which on floats skip integers: 2**53, or less for smaller floats."""
    try:
        return 2.0 ** min(np.finfo(str(dtype).lower()).nmant + 1, 53)
    except (TypeError, ValueError):  # no float
        return 2.0**53


def refuse_inexact(values: Iterable[Any], input_name: str, limit: float) -> None:
    """Raise if a float stands for several integers."""
    for value in values:
        if isinstance(value, float) and limit <= abs(value) < math.inf:
            raise inexact_error(value, input_name)


def inexact_error(value: float, input_name: str) -> LabelError:
    """Return the error for a float that stands for several integers."""
    return LabelError(
        f"{input_name} holds {value!r}, a float so large that different integers become the same "
        "float. Write integers, or text."
    )


def read_text(labels: Any, input_name: str) -> Labels:
    """Read labels written as text, None for missing; if all are integers, as integers.

    Labels are compared as they are written, so ``01`` and ``1`` are two labels, unless all
    labels of the column are integers as a program writes them: ``1``, or ``1.0`` as frame
    libraries do if a label is missing.
    """
    return read_objects(to_list(labels), input_name, lambda names: _as_integers(names, input_name))


def read_json(labels: Any, input_name: str) -> Labels:
    """Read labels written as JSON: text, numbers, booleans, null for missing."""

    def meant(names: list[str | None]) -> list[Any]:
        try:
            values = [None if name is None else json.loads(name) for name in names]
        except ValueError:
            digits = sys.get_int_max_str_digits()
            raise LabelError(
                f"{input_name} holds an integer of more than {digits:,} digits."
            ) from None
        for value in values:
            if isinstance(value, list | dict):
                raise LabelError(
                    f"{input_name} holds {json.dumps(value)[:60]}; a label is one value."
                )
        refuse_inexact(values, input_name, exact_below(np.float64))
        return values

    return read_objects(to_list(labels), input_name, meant)


# As a program writes it, or a frame library if a label is missing; -0.0 is a float's zero.
_INTEGER = re.compile(r"(?:0|-?[1-9][0-9]{0,999})(?:\.0+)?|-0\.0+")
_NUMBER = re.compile(r"-?[0-9]+(?:\.[0-9]+)?")


def _as_integers(names: list[str | None], input_name: str) -> list[Any]:
    texts = [name for name in names if name is not None]
    if all(map(_INTEGER.fullmatch, texts)):
        return [None if name is None else int(name.partition(".")[0]) for name in names]
    if all(map(_NUMBER.fullmatch, texts)):
        for text in texts:
            if text.partition(".")[2].strip("0"):
                advice = f"write it as text that is not a number, such as 'v{text}'"
                raise not_whole(input_name, float(text), advice)
    return names


def _read_pandas(labels: Any, input_name: str) -> Labels:
    dtype = labels.dtype
    if isinstance(dtype, np.dtype):
        return read_array(labels.to_numpy(), input_name)
    if hasattr(dtype, "categories"):
        values = getattr(labels, "cat", labels)
        names = values.categories.tolist()
        return read_codes(np.asarray(values.codes), names, input_name, in_order=bool(dtype.ordered))
    # pandas itself would cut nanoseconds off the times of a day.
    if hasattr(dtype, "pyarrow_dtype") or getattr(dtype, "storage", None) == "pyarrow":
        return _read_arrow(getattr(labels, "array", labels).__arrow_array__(), input_name)
    if getattr(dtype, "kind", None) == "O":  # Python's objects: pandas 2 would cut text at NUL
        return read_objects(as_objects(labels), input_name)
    if getattr(dtype, "tz", None) is not None:
        return read_datetimes(np.asarray(labels, dtype=f"M8[{dtype.unit}]"), aware=True)
    try:
        codes, names = labels.factorize()
    except NotImplementedError:  # Arrow's lists and structs
        return read_objects(labels.tolist(), input_name)
    return read_codes(codes, names.tolist(), input_name, in_order=False)


def _read_polars(labels: Any, input_name: str) -> Labels:
    dtype = str(labels.dtype)
    if dtype == "String":
        labels = labels.cast(sys.modules["polars"].Categorical)
    if dtype.startswith(("String", "Categorical", "Enum")):
        # Physical codes may be shared with other columns: only those that occur are named.
        codes, present = factorize_integers(labels.to_physical().cast(int).fill_null(-1).to_numpy())
        example = np.empty(len(present), dtype=np.int64)
        example[codes] = np.arange(len(codes))
        # An Enum's codes follow the order it declares; a categorical's follow nothing.
        return read_codes(
            codes, labels.gather(example).to_list(), input_name, dtype.startswith("Enum")
        )
    if labels.null_count() and dtype in _POLARS_NUMBERS and "Int" in dtype:
        absent = labels.is_null().to_numpy()
        return replace(
            read_array(labels.fill_null(0).to_numpy(), input_name), status=status_or_none(absent)
        )
    if dtype in _POLARS_NUMBERS:
        return read_array(labels.to_numpy(), input_name)
    if dtype.startswith(("Datetime", "Duration", "Date")):
        aware = getattr(labels.dtype, "time_zone", None) is not None
        return read_datetimes(labels.to_numpy(), aware)
    if dtype == "Time":
        _refuse_nanoseconds(labels.to_physical().drop_nulls().to_numpy(), input_name)
    return read_objects(labels.to_list(), input_name)


def _read_arrow(labels: Any, input_name: str) -> Labels:
    if hasattr(labels, "combine_chunks"):
        labels = labels.unify_dictionaries().combine_chunks()
        if hasattr(labels, "chunks"):  # no chunks at all stay a chunked array
            return read_objects(labels.to_pylist(), input_name)
    if labels.null_count == 0 and str(labels.type) in _ARROW_NUMBERS:
        return read_array(labels.to_numpy(zero_copy_only=False), input_name)
    try:
        encoded = labels if hasattr(labels, "dictionary") else labels.dictionary_encode()
    except NotImplementedError:  # lists, run-end encoded and other unusual types
        return read_objects(labels.to_pylist(), input_name)
    codes = encoded.indices.cast("int64").fill_null(-1).to_numpy(zero_copy_only=False)
    names, kind = encoded.dictionary, str(encoded.dictionary.type)
    ordered = encoded.type.ordered
    if kind.startswith(("timestamp", "duration", "date")):
        times = names.to_numpy(zero_copy_only=False)
        times = times.astype("M8[D]") if kind.startswith("date") else times
        return read_codes(codes, name_datetimes(times, aware="tz=" in kind), input_name, ordered)
    if kind == "time64[ns]":
        _refuse_nanoseconds(names.view("int64").to_numpy(), input_name)
    return read_codes(codes, names.to_pylist(), input_name, ordered)


def _refuse_nanoseconds(times: NDArray[np.int64], input_name: str) -> None:
    """Raise for times of day that Python's own type would round."""
    if (times % 1000).any():
        raise nanoseconds_error(input_name)


def nanoseconds_error(input_name: str) -> LabelError:
    """Return the error for times that would be rounded, so that two became one label."""
    return LabelError(f"{input_name} holds nanoseconds; round them to microseconds first.")


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
# A scalar, a query or a type of that package does not.
_COLUMNS_HAVE = {"pandas": "factorize", "polars": "to_list", "pyarrow": "null_count"}
