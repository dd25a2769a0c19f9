"""Label columns of files, row by row, for uses of the labels of each object in order."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from clusterbits.errors import ColumnError, LabelError, NothingToCountError
from clusterbits.labels.labeling import Labels, read_objects
from clusterbits.reading.files.readers import open_relations
from clusterbits.reading.files.relations import as_column, column_types, fetchable, select
from clusterbits.reading.files.sources import find_sources, name_together
from clusterbits.reading.request import (
    Chosen,
    Reader,
    Request,
    free_columns,
    matching_columns,
    one_column,
    only_column,
)
from clusterbits.table.label_names import as_names
from clusterbits.table.numbering import CodeBook, code_objects
from clusterbits.text.tables import counted

# Rows fetched at once.
ROWS = 1 << 16
# The types of DuckDB that are integers of numpy.
_INTEGERS = {"TINYINT", "SMALLINT", "INTEGER", "BIGINT"}


def read_clustering(request: Request) -> tuple[list[str], list[Labels]]:
    """Return the names and the labels of the class column and the cluster column.

    With `on` the second file has the clusters, and the columns of ids come before them.
    """
    extras = request.extras

    def choose(where: str, names: list[str]) -> Chosen:
        if request.on is not None:
            return request.choose_pred(where, names, {})
        chosen = request.choose(where, names)
        return {role: i for role, i in chosen.items() if role not in extras}

    files = request.data if request.on is None else request.data[1]
    return _read(files, request.columns, choose)


def read_columns_of(path: Any, names: list[str | None], role: str = "pred") -> list[Labels]:
    """Return the labels of columns; one may be unnamed if it is the only other one."""

    def choose(where: str, columns: list[str]) -> Chosen:
        positions = [only_column(where, columns, name, role, names) for name in names]
        return {f"k{j}": i for j, i in enumerate(positions)}

    return _read(path, names, choose)[1]


def read_id_columns(path: Any, width: int) -> list[Labels]:
    """Return the columns of a file of ids: two if its rows are pairs, else one."""

    def choose(where: str, names: list[str]) -> Chosen:
        free = free_columns(names, ())
        if len(free) != width:
            what = "a column of ids" if width == 1 else "two columns of ids, one pair in each row"
            raise ColumnError(
                f"{where} has {counted(len(names), 'column')}; {what}, is all it may have."
            )
        return {f"id{j}": i for j, i in enumerate(free)}

    try:
        return _read(path, [None] * width, choose)[1]
    except NothingToCountError:
        if width == 1:
            raise
        return [read_objects([], "ids"), read_objects([], "ids")]  # nothing matches


def read_run_columns(
    path: Any, names: list[str] | None, on: str | None
) -> tuple[Labels | None, dict[str, Labels]]:
    """Return the ids, if they have a column, and the labels of runs, by names or patterns."""

    def choose(where: str, columns: list[str]) -> Chosen:
        ids = {} if on is None else {"id0": one_column(where, columns, on, "on")}
        if names is None:
            runs = free_columns(columns, [on])
        else:
            runs = matching_columns(where, columns, names, "pred", [on])
        return ids | {f"k{j}": i for j, i in enumerate(runs)}

    chosen, labels = _read(path, [*([] if on is None else [on]), *(names or [])], choose)
    columns = dict(zip(chosen, labels, strict=True))
    return (None if on is None else columns.pop(on)), columns


def read_scored_pairs(path: Any, names: Sequence[str]) -> tuple[Labels, Labels, NDArray[Any]]:
    """Return the ids of both ends of each pair, and its score: a number, whatever its type."""
    _, _, scored = names

    def choose(where: str, columns: list[str]) -> Chosen:
        positions = [one_column(where, columns, name, "edges") for name in names]
        return dict(zip(("k0", "k1", "w"), positions, strict=True))

    with _in_order(path, [*names], choose) as rows:
        scores = rows.relation.project("try_cast(w as double) as w").fetchnumpy()["w"]
        if np.ma.is_masked(scores):
            raise LabelError(
                f"column {scored!r} has no number in row {int(scores.mask.argmax()) + 1}: exclude "
                "pairs that were not scored."
            )
        left, right = rows.labels(["k0", "k1"])
    return left, right, np.asarray(scores)


def _read(
    path: Any, wanted: list[str | None], choose: Callable[[str, list[str]], Chosen]
) -> tuple[list[str], list[Labels]]:
    """Return the names of the chosen columns, and their labels."""
    with _in_order(path, wanted, choose) as rows:
        return list(rows.names.values()), rows.labels(list(rows.names))


class Rows(NamedTuple):
    """The rows of files in order: a relation of DuckDB, and the name of each column by role."""

    where: str
    connection: Any
    relation: Any
    names: dict[str, str]
    read: Reader

    def labels(self, roles: list[str]) -> list[Labels]:
        """Return the labels of columns."""
        relation = self.relation.project(", ".join(roles))
        types = column_types(relation)
        if {*types.values()} <= _INTEGERS:  # ten times faster than values of Python
            arrays = relation.fetchnumpy()
            if len(arrays[roles[0]]) and not any(map(np.ma.is_masked, arrays.values())):
                return [Labels(np.asarray(arrays[role])) for role in roles]
        fetchable(relation).create_view("labels")
        self.connection.execute("select * from labels")
        coded = code_columns(lambda: self.connection.fetchmany(ROWS), range(len(roles)))
        if len(coded[0].codes) == 0:
            raise NothingToCountError(f"{self.where}: there are no rows.")
        labels = []
        for role, (values, codes) in zip(roles, coded, strict=True):
            # Only distinct labels are parsed.
            column = f"column {self.names[role]!r}"
            labels.append(self.read(as_column(values, types[role]), column).subset(codes))
        return labels


@contextmanager
def _in_order(
    path: Any, wanted: Sequence[str | None], choose: Callable[[str, list[str]], Chosen]
) -> Iterator[Rows]:
    """Yield the chosen columns, row by row."""
    sources = find_sources(path)
    with open_relations(Request(), (sources, [*wanted])) as (connection, (parts,)):
        connection.execute("set preserve_insertion_order = true")
        relation, names = select(parts, choose)
        yield Rows(name_together(sources), connection, relation, names, parts[0].read)


class Coded(NamedTuple):
    """A column of rows: its distinct values, and the position of each row's value among them."""

    values: list[Any]
    codes: NDArray[np.int32]

    def decoded(self) -> NDArray[Any]:
        """Return the value of each row."""
        return as_names(self.values)[self.codes]


def code_columns(
    fetch: Callable[[], list[tuple[Any, ...]]], positions: Sequence[int]
) -> list[Coded]:
    """Return the columns at these positions of all rows, which are fetched in batches."""
    books = [CodeBook() for _ in positions]
    codes: list[list[NDArray[np.int32]]] = [[np.empty(0, dtype=np.int32)] for _ in books]
    while rows := fetch():
        columns = list(zip(*rows, strict=True))
        for i, book, parts in zip(positions, books, codes, strict=True):
            parts.append(_code(list(columns[i]), book))
    return [Coded([*book], np.concatenate(parts)) for book, parts in zip(books, codes, strict=True)]


def _code(column: list[Any], book: CodeBook) -> NDArray[np.int32]:
    try:
        return code_objects(column, book).astype(np.int32)
    except TypeError:
        raise LabelError(
            "a label is a list or another value without a hash; each object has one label."
        ) from None
