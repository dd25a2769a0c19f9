"""Label columns of files, row by row, for uses of the labels of each object in order."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
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
from clusterbits.table.numbering import CodeBook, code_objects
from clusterbits.text.tables import counted

# Rows fetched at once.
ROWS = 1 << 16
# The types of DuckDB that are integers of numpy.
_INTEGERS = {"TINYINT", "SMALLINT", "INTEGER", "BIGINT"}


# Returns the positions of columns among all columns of a file, which comes first.
Choose = Callable[[str, list[str]], Iterable[int]]


def read_clustering(request: Request) -> tuple[list[str], list[Labels]]:
    """Return the names and the labels of the class column and the cluster column.

    With `on` the second file has the clusters, and the columns of ids come before them.
    """

    def choose(where: str, names: list[str]) -> Iterable[int]:
        if request.on is not None:
            return request.choose_side("k", {}, where, names).values()
        chosen = request.choose(where, names)
        return [i for role, i in chosen.items() if role not in request.extras]

    files = request.data if request.on is None else request.data[1]
    columns = _read(files, request.columns, choose)
    return [column.name for column in columns], [column.labels() for column in columns]


def read_columns_of(path: Any, names: list[str | None], role: str = "pred") -> list[Labels]:
    """Return the labels of columns; one may be unnamed if it is the only other one."""

    def choose(where: str, columns: list[str]) -> list[int]:
        return [only_column(where, columns, name, role, names) for name in names]

    return [column.labels() for column in _read(path, names, choose)]


def read_id_columns(path: Any, width: int) -> list[Labels]:
    """Return the columns of a file of ids: two if its rows are pairs, else one."""

    def choose(where: str, names: list[str]) -> list[int]:
        free = free_columns(names, ())
        if len(free) != width:
            what = "a column of ids" if width == 1 else "two columns of ids, one pair in each row"
            raise ColumnError(
                f"{where} has {counted(len(names), 'column')}; {what}, is all it may have."
            )
        return free

    try:
        return [column.labels() for column in _read(path, [None] * width, choose)]
    except NothingToCountError:
        if width == 1:
            raise
        return [read_objects([], "ids"), read_objects([], "ids")]  # nothing matches


def read_run_columns(
    path: Any, names: list[str], on: str | None
) -> tuple[Labels | None, dict[str, Labels]]:
    """Return the ids, if they have a column, and the labels of runs, by names or patterns."""
    ids = [] if on is None else [on]

    def choose(where: str, columns: list[str]) -> list[int]:
        positions = [one_column(where, columns, name, "on") for name in ids]
        return positions + matching_columns(where, columns, names, "pred", ids)

    columns = _read(path, [*ids, *names], choose)
    labels = {column.name: column.labels() for column in columns}
    return (None if on is None else labels.pop(on)), labels


def read_scored_pairs(path: Any, names: Sequence[str]) -> tuple[Labels, Labels, NDArray[Any]]:
    """Return the ids of both ends of each pair, and its score: a number, whatever its type."""

    def choose(where: str, columns: list[str]) -> list[int]:
        return [one_column(where, columns, name, "edges") for name in names]

    left, right, scored = _read(path, [*names], choose, n_labels=2)
    if (unscored := np.isnan(scored.values)).any():
        raise LabelError(
            f"column {scored.name!r} has no number in row {int(unscored.argmax()) + 1}: exclude "
            "pairs that were not scored."
        )
    return left.labels(), right.labels(), scored.values


class Coded(NamedTuple):
    """A column of rows: its distinct values, and the position of each row's value among them.

    Integers and other numbers have no `codes`: a value for each row. `read` reads labels.
    """

    name: str
    values: Any
    codes: NDArray[np.int32] | None
    read: Reader

    def labels(self) -> Labels:
        """Return the label of each row; only distinct ones are parsed."""
        if self.codes is None:
            return Labels(self.values)
        return self.read(self.values, f"column {self.name!r}").subset(self.codes)


def _read(
    path: Any, wanted: Sequence[Any], choose: Choose, n_labels: int | None = None
) -> list[Coded]:
    """Return the chosen columns of files, row by row; after the first `n_labels` as numbers."""

    def as_roles(where: str, columns: list[str]) -> Chosen:
        return {f"k{j}": i for j, i in enumerate(choose(where, columns))}

    sources = find_sources(path)
    with open_relations(Request(), (sources, [*wanted])) as (connection, (parts,)):
        connection.execute("set preserve_insertion_order = true")
        relation, names = select(parts, as_roles)
        roles, read = [*names], parts[0].read
        labels = relation.project(", ".join(roles[:n_labels]))
        of_labels, types = [names[role] for role in roles[:n_labels]], column_types(labels).values()
        # Ten times faster than values of Python.
        arrays = [*labels.fetchnumpy().values()] if {*types} <= _INTEGERS else []
        if arrays and not any(map(np.ma.is_masked, arrays)):
            columns = [
                Coded(name, np.asarray(array), None, read)
                for name, array in zip(of_labels, arrays, strict=True)
            ]
        else:
            fetchable(labels).create_view("labels")
            connection.execute("select * from labels")
            coded = code_columns(lambda: connection.fetchmany(ROWS), of_labels, read)
            columns = [
                column._replace(values=as_column(column.values, kind))
                for column, kind in zip(coded, types, strict=True)
            ]
        if len(columns[0].values) == 0:
            raise NothingToCountError(f"{name_together(sources)}: there are no rows.")
        for role in roles[len(columns) :]:
            numbers = relation.project(f"try_cast({role} as double) as x").fetchnumpy()["x"]
            columns.append(Coded(names[role], np.ma.filled(numbers, np.nan), None, read))
    return columns


def code_columns(
    fetch: Callable[[], list[tuple[Any, ...]]], names: Sequence[str], read: Reader
) -> list[Coded]:
    """Return the columns of all rows, which are fetched in batches."""
    books = [CodeBook() for _ in names]
    codes: list[list[NDArray[np.int32]]] = [[np.empty(0, dtype=np.int32)] for _ in names]
    while rows := fetch():
        for column, book, parts in zip(zip(*rows, strict=True), books, codes, strict=True):
            parts.append(_code(list(column), book))
    return [
        Coded(name, [*book], np.concatenate(parts), read)
        for name, book, parts in zip(names, books, codes, strict=True)
    ]


def _code(column: list[Any], book: CodeBook) -> NDArray[np.int32]:
    try:
        return code_objects(column, book).astype(np.int32)
    except TypeError:
        raise LabelError(
            "a label is a list or another value without a hash; each object has one label."
        ) from None
