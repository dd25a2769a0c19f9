"""Label columns of files, row by row, for what needs each object's labels in order."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import ExitStack
from typing import Any

import numpy as np
from numpy.typing import NDArray

from clusterbits.errors import ColumnError, LabelError, NothingToCountError
from clusterbits.labels.labeling import Labels, read_objects
from clusterbits.reading.files.readers import connected, open_files, reading
from clusterbits.reading.files.relations import as_column, column_types, fetchable, select
from clusterbits.reading.files.sources import find_sources, name_together
from clusterbits.reading.request import (
    Request,
    as_list,
    free_columns,
    label_columns,
    matching_columns,
    one_column,
    only_column,
    run_roles,
)
from clusterbits.table.numbering import CodeBook
from clusterbits.text.tables import counted

# Rows fetched at once.
_ROWS = 1 << 16


def read_classes_and_clusters(
    path: Any, truth: str | None, pred: str | None, delimiter: str | None
) -> list[Labels]:
    """Return the class column and the cluster column."""

    def choose(where: str, names: list[str]) -> list[int]:
        if truth is None and pred is None:
            at, preds = label_columns(where, names, truth, pred)
            return [at, *preds]
        roles = {"truth": truth, "pred": pred}
        return [one_column(where, names, name, role) for role, name in roles.items()]

    return _read(path, delimiter, [truth, pred], choose)


def read_clustering(request: Request) -> tuple[list[str], list[Labels]]:
    """Return the names and the labels of the class column and the cluster column.

    With `on` the second file has the clusters, and the columns of ids come before them.
    """
    on = None if request.on is None else as_list(request.on)

    def choose(where: str, names: list[str]) -> list[int]:
        if on is None:
            chosen = request.choose(where, names)
            return [chosen["c"], *(chosen[role] for role in run_roles(chosen))]
        ids = [one_column(where, names, name, "on") for name in on]
        named = [*on, *request.others]
        if request.pred is None:
            return [*ids, only_column(where, names, None, "pred", named)]
        return [*ids, *matching_columns(where, names, request.pred, [*named, request.truth])]

    files = request.data if on is None else request.data[1]
    return _read_named(files, request.delimiter, [*(on or []), *request.columns], choose)


def read_columns_of(
    path: Any, names: list[str | None], delimiter: str | None, role: str = "pred"
) -> list[Labels]:
    """Return the labels of columns; one may be unnamed, where it is the only one beside them."""

    def choose(where: str, columns: list[str]) -> list[int]:
        return [only_column(where, columns, name, role, names) for name in names]

    return _read(path, delimiter, names, choose)


def read_id_columns(path: Any, width: int, delimiter: str | None) -> list[Labels]:
    """Return the columns of a file of ids: two where its rows are pairs, else one."""

    def choose(where: str, names: list[str]) -> list[int]:
        free = free_columns(names, ())
        if len(free) != width:
            what = "a column of ids" if width == 1 else "two columns of ids, one pair in each row"
            raise ColumnError(
                f"{where} has {counted(len(names), 'column')}; {what}, is all it may have."
            )
        return free

    try:
        return _read(path, delimiter, [None] * width, choose)
    except NothingToCountError:
        if width == 1:
            raise
        return [read_objects([], "ids"), read_objects([], "ids")]  # nothing matches


def _read(
    path: Any,
    delimiter: str | None,
    wanted: list[str | None],
    choose: Callable[[str, list[str]], list[int]],
) -> list[Labels]:
    return _read_named(path, delimiter, wanted, choose)[1]


def _read_named(
    path: Any,
    delimiter: str | None,
    wanted: list[str | None],
    choose: Callable[[str, list[str]], list[int]],
) -> tuple[list[str], list[Labels]]:
    """Return the names of the chosen columns, and their labels."""
    sources = find_sources(path)
    with ExitStack() as files, connected(Request()) as connection, reading(sources):
        connection.execute("set preserve_insertion_order = true")
        parts = open_files(connection, sources, delimiter, wanted, files)
        relation, names = select(
            parts, lambda *columns: {f"c{role}": i for role, i in enumerate(choose(*columns))}
        )
        books = [CodeBook() for _ in names]
        codes: list[list[NDArray[np.int32]]] = [[] for _ in books]
        fetchable(relation).create_view("labels")
        connection.execute("select * from labels")
        while some := connection.fetchmany(_ROWS):
            for column, book, found in zip(zip(*some, strict=True), books, codes, strict=True):
                found.append(_coded(column, book))
        if not codes[0]:
            raise NothingToCountError(f"{name_together(sources)}: there are no rows.")
        labels, types = [], column_types(relation)
        for (role, name), book, found in zip(names.items(), books, codes, strict=True):
            # Only distinct labels are parsed.
            values = as_column(list(book), types[role])
            distinct = parts[0].read(values, f"column {name!r}")
            labels.append(distinct.subset(np.concatenate(found)))
    return list(names.values()), labels


def _coded(column: tuple[Any, ...], book: CodeBook) -> NDArray[np.int32]:
    try:
        return np.fromiter(map(book.__getitem__, column), np.int32, len(column))
    except TypeError:
        raise LabelError(
            "a label is a list or another value without a hash; each object has one label."
        ) from None
