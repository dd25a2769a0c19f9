"""Matches as pairs of ids, as entity resolution has them, counted as two clusterings.

The clusters are the connected components of the pairs. The ids of both lists are numbered together
and in order, so that the smallest id of a component names it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence, Set
from itertools import chain
from typing import Any

import numpy as np
from numpy.typing import NDArray

from clusterbits.errors import LabelError, NothingToCountError
from clusterbits.labels.labeling import Labels
from clusterbits.reading.dataframes import read_columns, split_ids
from clusterbits.reading.forms import read_labels
from clusterbits.reading.ids import refuse_large_floats
from clusterbits.reading.label_columns import read_sequence
from clusterbits.reading.memory import tally_labels
from clusterbits.reading.type_checks import is_own_frame
from clusterbits.system import kernels
from clusterbits.table.cells import Cells
from clusterbits.table.label_names import as_names, name_order
from clusterbits.table.numbering import (
    CodeBook,
    Integers,
    code_objects,
    factorize_integers,
    first_occurrences,
    inverse,
)
from clusterbits.text.tables import counted


def count_matches(truth_pairs: Any, pred_pairs: Any, ids: Any = None) -> Cells:
    """Count the components of the true matches against those of the predicted ones."""
    columns = read_pairs(truth_pairs, "truth_pairs") + read_pairs(pred_pairs, "pred_pairs")
    if ids is not None:
        columns.append(read_ids_of(ids, "ids"))
    return count_components(columns)


def count_components(columns: Sequence[Labels], as_text: bool = False) -> Cells:
    """Count the components of two lists of pairs.

    Their columns are the two ids of the true matches, the two ids of the predicted ones and the
    ids of all objects, if known. With `as_text`, ids of several types are compared as text.
    """
    ids, numbered = number_ids(columns, as_text)
    if len(ids) == 0:
        raise NothingToCountError("there are no pairs and no ids: nothing to count.")
    for objects in numbered[4:]:
        _refuse_unknown(ids, objects)
    classes, clusters = (
        Labels(_components(numbered[i], numbered[i + 1], len(ids)), ids) for i in (0, 2)
    )
    return tally_labels({"truth": classes, "pred": clusters}).cells()


def _components(left: Integers, right: Integers, n: int) -> NDArray[np.int64]:
    """Return for each of n objects the first object of its connected component."""
    if kernels.native is not None:
        first = np.arange(n)
        kernels.native.join_pairs(left, right, first)
        return first
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    # scipy's graphs have 32-bit positions while that will do.
    ends = (end.astype(np.int32 if n < 2**31 else np.int64, copy=False) for end in (left, right))
    graph = coo_array((np.ones(len(left)), tuple(ends)), shape=(n, n))
    graph.has_canonical_format = True  # adding up repeated pairs takes time and changes nothing
    _, component = connected_components(graph.tocsr(), directed=False)
    first = first_occurrences(component, int(component.max()) + 1)
    return np.asarray(first[component])


# --- ids -----------------------------------------------------------------------------------------


def number_ids(
    columns: Sequence[Labels], as_text: bool = False
) -> tuple[NDArray[Any], list[Integers]]:
    """Return all ids that occur, in order, and each column as positions among them."""
    filled = [column.codes for column in columns if len(column)]
    integers = all(column.names is None for column in columns if len(column))
    # Integers are their own codes, unless no one type of numpy holds all.
    if filled and integers and np.result_type(*filled).kind != "f":
        positions, ids = factorize_integers(np.concatenate(filled))
        return ids, np.split(positions, np.cumsum([len(column) for column in columns])[:-1])
    factorized = [factorize_integers(column.codes) for column in columns]
    names = [
        column.name(codes).tolist() for column, (_, codes) in zip(columns, factorized, strict=True)
    ]
    examples = {type(name): name for name in chain.from_iterable(names)}
    if len(examples) > 1:
        if not as_text:
            (first, name), (second, other) = list(examples.items())[:2]
            raise LabelError(
                f"the ids are of several types, such as the {first.__name__} {name!r} and the "
                f"{second.__name__} {other!r}; one object has one id in all lists. Convert them, "
                "such as with .astype(str)."
            )
        names = [list(map(str, column)) for column in names]
    book = CodeBook()
    numbers = [code_objects(column, book) for column in names]
    order = name_order(list(book))
    rank = inverse(order)
    ranks = [
        rank[codes][positions] for codes, (positions, _) in zip(numbers, factorized, strict=True)
    ]
    return as_names(list(book))[order], ranks


def _refuse_unknown(ids: NDArray[Any], objects: Integers) -> None:
    """Raise if pairs have ids that are not among those of all objects."""
    unknown = np.delete(ids, objects)
    if len(unknown):
        raise LabelError(
            f"the pairs have {counted(len(unknown), 'id')} that ids lacks, such as "
            f"{unknown[:1].tolist()[0]!r}; ids names all objects. Add them, or leave their "
            "pairs out."
        )


def refuse_missing_ids(columns: Sequence[Labels], input_name: str) -> None:
    """Raise if an id is missing."""
    missing = ~np.logical_and.reduce([column.known for column in columns])
    if missing.any():
        rows = counted(int(missing.sum()), "pair" if len(columns) > 1 else "object")
        raise LabelError(
            f"{input_name} has {rows} with a missing id, the first at position "
            f"{missing.argmax()}. Leave them out first."
        )


# --- pairs ---------------------------------------------------------------------------------------


def read_pairs(pairs: Any, input_name: str) -> list[Labels]:
    """Return the ids of both ends of each pair."""
    columns = [_read_ids(column, input_name) for column in _two_columns(pairs, input_name)]
    _check_pairs(columns, input_name)
    return columns


def read_ids_of(objects: Any, input_name: str) -> Labels:
    """Return the ids of objects: those in a labeling, or ids themselves."""
    ids = _read_ids(_ids_of(objects), input_name)
    refuse_missing_ids([ids], input_name)
    return ids


def _check_pairs(columns: Sequence[Labels], input_name: str) -> None:
    """Raise where two columns are not those of pairs: as long as each other, with all ids."""
    if len(columns[0]) != len(columns[1]):
        raise LabelError(
            f"{input_name} has two columns of {len(columns[0]):,} and {len(columns[1]):,} ids; "
            "each row is a pair."
        )
    refuse_missing_ids(columns, input_name)


def _ids_of(objects: Any) -> Any:
    """Return the ids in a labeling: the keys of a mapping, those of a frame; others are ids."""
    if is_own_frame(objects):
        ids, columns = split_ids(objects)
        if ids is None and not columns:
            raise LabelError("ids is a frame without columns; pass one of ids.")
        return next(iter(columns.values())) if ids is None else ids
    return list(objects) if isinstance(objects, Mapping) else objects


def _read_ids(ids: Any, input_name: str) -> Labels:
    """Read one column of ids; a list of lists is refused, though it could be clusters."""
    plain = isinstance(ids, Iterable) and not isinstance(ids, str | bytes | Mapping)
    column = not plain or hasattr(ids, "shape") or hasattr(ids, "to_pylist")
    if not column:
        ids = list(ids)
    labels = read_labels(ids, input_name) if column else read_sequence(ids, input_name)
    refuse_large_floats(ids, input_name)
    return labels


def _two_columns(pairs: Any, input_name: str) -> Sequence[Any]:
    if hasattr(type(pairs), "columns"):
        columns = list(read_columns(pairs).values())
        _refuse_width(len(columns), input_name)
        return columns
    # The edges of a networkx graph are a mapping and a set.
    is_mapping = isinstance(pairs, Mapping) and not isinstance(pairs, Set)
    if is_mapping or isinstance(pairs, str | bytes) or not isinstance(pairs, Iterable):
        raise LabelError(f"{input_name} is a {type(pairs).__name__}; {_ALLOWED}.")
    if isinstance(pairs, tuple) and len(pairs) == 2 and not isinstance(pairs[0], tuple):
        return pairs
    shape = getattr(pairs, "shape", None)
    if isinstance(shape, tuple) and len(shape) == 2 and hasattr(pairs, "__array__"):
        _refuse_width(shape[1], input_name)
        array = pairs if isinstance(pairs, np.ndarray) else np.asarray(pairs)  # it may be masked
        return array[:, 0], array[:, 1]
    return _row_columns(pairs, input_name)


def _row_columns(pairs: Iterable[Any], input_name: str) -> Sequence[list[Any]]:
    """Return the two columns of rows: tuples, lists or arrays of two ids."""
    rows = list(pairs)
    for kind, row in {type(row): row for row in rows}.items():
        if issubclass(kind, str | bytes) or not issubclass(kind, Sequence | np.ndarray):
            raise LabelError(f"{input_name} holds {row!r:.60}; {_ALLOWED}.")
    for width in {len(row) for row in rows}:
        _refuse_width(width, input_name)
    return [row[0] for row in rows], [row[1] for row in rows]


_ALLOWED = (
    "pairs are a list of tuples of two ids, an array or a frame with two columns, or a tuple of "
    "two columns"
)


def _refuse_width(width: int, input_name: str) -> None:
    if width != 2:
        raise LabelError(
            f"{input_name} has {counted(width, 'column')}; {_ALLOWED}. Where there is a score or a "
            "probability, keep the rows that are matches, and of those the two columns of ids."
        )
