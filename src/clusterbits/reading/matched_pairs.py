"""Matches as pairs of ids, as entity resolution has them, counted as two clusterings.

The clusters are the connected components of the pairs. The ids of both lists are numbered together
and in order, so that the smallest id of a component names it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence, Set
from typing import Any

import numpy as np
from numpy.typing import NDArray

from clusterbits.errors import LabelError, NothingToCountError
from clusterbits.labels.labeling import Labels
from clusterbits.reading.dataframes import column_names, split_ids
from clusterbits.reading.forms import holds_many, read_labels
from clusterbits.reading.ids import refuse_large_floats
from clusterbits.reading.label_columns import read_sequence
from clusterbits.reading.memory import tally_labels
from clusterbits.reading.type_checks import as_narwhals, is_own_frame
from clusterbits.system import kernels
from clusterbits.table.cells import Cells
from clusterbits.table.label_names import as_names, name_order
from clusterbits.table.numbering import (
    CodeBook,
    code_objects,
    factorize_integers,
    first_occurrences,
    inverse,
)
from clusterbits.text.tables import counted

IdArray = NDArray[np.int64]


def count_matches(truth_pairs: Any, pred_pairs: Any, ids: Any = None) -> Cells:
    """Count the components of the true matches against those of the predicted ones."""
    columns = read_pairs(truth_pairs, "truth_pairs") + read_pairs(pred_pairs, "pred_pairs")
    if ids is not None:
        columns.append(read_ids_of(ids, "ids"))
    return count_components(columns)


def count_components(columns: Sequence[Labels], as_text: bool = False) -> Cells:
    """Count the components of two lists of pairs.

    Their columns are the two ids of the true matches, the two ids of the predicted ones and, where
    they are known, the ids of all objects. With `as_text`, ids of several types are compared as
    text.
    """
    ids, numbered = number_ids(columns, as_text)
    if len(ids) == 0:
        raise NothingToCountError("there are no pairs and no ids: nothing to count.")
    for known in numbered[4:]:
        _refuse_unknown(ids, known)
    classes, clusters = (
        Labels(_components(numbered[i], numbered[i + 1], len(ids)), ids) for i in (0, 2)
    )
    return tally_labels(classes, {"pred": clusters}).cells()


def _components(left: IdArray, right: IdArray, n: int) -> NDArray[np.int64]:
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
) -> tuple[NDArray[Any], list[IdArray]]:
    """Return all ids that occur, in order, and each column as positions among them."""
    filled = [column.codes for column in columns if len(column)]
    integers = all(column.names is None for column in columns if len(column))
    # Integers are their own codes, unless no one type of numpy holds all.
    if filled and integers and np.result_type(*filled).kind != "f":
        positions, ids = factorize_integers(np.concatenate(filled))
        return ids, np.split(positions, np.cumsum([len(column) for column in columns])[:-1])
    ranked = [factorize_integers(column.codes) for column in columns]
    own = [column.name(here).tolist() for column, (_, here) in zip(columns, ranked, strict=True)]
    examples = {type(name): name for names in own for name in names}
    if len(examples) > 1 and not as_text:
        (one, name), (other, another) = list(examples.items())[:2]
        raise LabelError(
            f"the ids are of several types, such as the {one.__name__} {name!r} and the "
            f"{other.__name__} {another!r}; one object has one id in all lists. Convert them, "
            "such as with .astype(str)."
        )
    if len(examples) > 1:
        own = [list(map(str, names)) for names in own]
    book = CodeBook()
    codes = [code_objects(names, book) for names in own]
    order = name_order(list(book))
    place = inverse(order)
    numbers = [place[some][ranks] for some, (ranks, _) in zip(codes, ranked, strict=True)]
    return as_names(list(book))[order], numbers


def _refuse_unknown(ids: NDArray[Any], known: IdArray) -> None:
    """Raise where pairs have ids that are not among those of all objects."""
    seen = np.zeros(len(ids), dtype=np.bool_)
    seen[known] = True
    unknown = ids[~seen]
    if len(unknown):
        raise LabelError(
            f"the pairs have {counted(len(unknown), 'id')} that ids lacks, such as "
            f"{unknown[:1].tolist()[0]!r}; ids names all objects. Add them, or leave their "
            "pairs out."
        )


def refuse_missing_ids(columns: Sequence[Labels], who: str) -> None:
    """Raise where an id is missing."""
    absent = ~np.logical_and.reduce([column.known for column in columns])
    if absent.any():
        many, first = int(absent.sum()), int(np.flatnonzero(absent)[0])
        what = "pair" if len(columns) > 1 else "object"
        raise LabelError(
            f"{who} has {counted(many, what)} with a missing id, the first at position {first}. "
            "Leave them out first."
        )


# --- pairs ---------------------------------------------------------------------------------------


def read_pairs(pairs: Any, who: str) -> list[Labels]:
    """Return the ids of both ends of each pair."""
    columns = [_read_ids(column, who) for column in _two_columns(pairs, who)]
    _check_pairs(columns, who)
    return columns


def read_ids_of(objects: Any, who: str) -> Labels:
    """Return the ids of objects: those in a labeling, or ids themselves."""
    ids = _read_ids(_ids_of(objects), who)
    refuse_missing_ids([ids], who)
    return ids


def _check_pairs(columns: Sequence[Labels], who: str) -> None:
    """Raise where two columns are not those of pairs: as long as each other, with all ids."""
    if len(columns[0]) != len(columns[1]):
        raise LabelError(
            f"{who} has two columns of {len(columns[0]):,} and {len(columns[1]):,} ids; "
            "each row is a pair."
        )
    refuse_missing_ids(columns, who)


def _ids_of(objects: Any) -> Any:
    """Return the ids in a labeling: the keys of a mapping, those of a frame; others are ids."""
    if is_own_frame(objects):
        ids, columns = split_ids(objects)
        if ids is None and not columns:
            raise LabelError("ids is a frame without columns; pass one of ids.")
        return next(iter(columns.values())) if ids is None else ids
    if isinstance(objects, Mapping) and any(map(holds_many, objects.values())):
        raise LabelError(
            "ids maps names to several values each; where these are the ids of clusters, pass "
            "[id for cluster in ids.values() for id in cluster]."
        )
    return list(objects) if isinstance(objects, Mapping) else objects


def _read_ids(ids: Any, who: str) -> Labels:
    """Read one column of ids; a list of lists is refused, though it could be clusters."""
    plain = isinstance(ids, Iterable) and not isinstance(ids, str | bytes | Mapping)
    column = not plain or hasattr(ids, "shape") or hasattr(ids, "to_pylist")
    if not column:
        ids = list(ids)
    found = read_labels(ids, who) if column else read_sequence(ids, who)
    refuse_large_floats(ids, who)
    return found


def _two_columns(pairs: Any, who: str) -> Sequence[Any]:
    if hasattr(type(pairs), "columns"):
        return _frame_columns(pairs, who)
    # The edges of a networkx graph are a mapping and a set.
    is_mapping = isinstance(pairs, Mapping) and not isinstance(pairs, Set)
    if is_mapping or isinstance(pairs, str | bytes) or not isinstance(pairs, Iterable):
        raise LabelError(f"{who} is a {type(pairs).__name__}; {_ALLOWED}.")
    if isinstance(pairs, tuple) and len(pairs) == 2 and not isinstance(pairs[0], tuple):
        return pairs
    shape = getattr(pairs, "shape", None)
    if isinstance(shape, tuple) and len(shape) == 2 and hasattr(pairs, "__array__"):
        _refuse_width(shape[1], who)
        array = pairs if isinstance(pairs, np.ndarray) else np.asarray(pairs)  # it may be masked
        return array[:, 0], array[:, 1]
    return _row_columns(pairs, who)


def _row_columns(pairs: Iterable[Any], who: str) -> Sequence[list[Any]]:
    """Return the two columns of rows: tuples, lists or arrays of two ids."""
    try:
        rows = list(pairs)
    except TypeError:  # an array without axes
        raise LabelError(f"{who} is {pairs!r:.60}; {_ALLOWED}.") from None
    for kind, row in {type(row): row for row in rows}.items():
        if issubclass(kind, str | bytes) or not issubclass(kind, Sequence | np.ndarray):
            raise LabelError(f"{who} holds {row!r:.60}; {_ALLOWED}.")
    for axes, row in {np.ndim(row): row for row in rows if isinstance(row, np.ndarray)}.items():
        if axes != 1:
            raise LabelError(f"{who} holds an array of shape {row.shape}; {_ALLOWED}.")
    for width in {len(row) for row in rows}:
        _refuse_width(width, who)
    return [row[0] for row in rows], [row[1] for row in rows]


def _frame_columns(frame: Any, who: str) -> list[Any]:
    import narwhals as nw

    names = column_names(frame)
    _refuse_width(len(names), who)
    found = as_narwhals(frame)
    if not isinstance(found, nw.DataFrame):
        raise LabelError(
            f"{who} is a {type(frame).__name__}, whose rows are elsewhere; collect it into a frame "
            "of pandas, polars or pyarrow first."
        )
    return [found.get_column(name).to_native() for name in names]


_ALLOWED = (
    "pairs are a list of tuples of two ids, an array or a frame with two columns, or a tuple of "
    "two columns"
)


def _refuse_width(width: int, who: str) -> None:
    if width != 2:
        raise LabelError(
            f"{who} has {counted(width, 'column')}; {_ALLOWED}. Where there is a score or a "
            "probability, keep the rows that are matches, and of those the two columns of ids."
        )
