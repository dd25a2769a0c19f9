"""Label columns of files, row by row, for what needs each object's labels in order."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from clusterbits.core.labels import CodeBook, Labels, read_objects
from clusterbits.display.tables import counted
from clusterbits.errors import ColumnError, LabelError, NothingToCountError
from clusterbits.ingest.files.readers import (
    NAME_BOTH,
    FileRows,
    Resources,
    connected,
    open_files,
    reading,
)
from clusterbits.ingest.files.relations import as_column, fetchable
from clusterbits.ingest.files.sources import find_sources
from clusterbits.ingest.selection import label_columns, one_column, only_column

# Rows fetched at once.
_ROWS = 1 << 16


class OrderedColumn(NamedTuple):
    """The labels of a column, and its distinct values as written and as read."""

    labels: Labels
    written: list[Any]
    read: Labels
    in_json: bool

    @property
    def rewritten(self) -> dict[str, str]:
        """The labels that are written in another way once they are read: ``1.0`` is the label 1."""
        names = list(map(str, self.read.name(self.read.codes).tolist()))
        codes = self.read.codes.tolist()
        labels = Counter(name for name, _ in set(zip(names, codes, strict=True)))
        found = {}
        for value, name, absent in zip(self.written, names, self.read.absent.tolist(), strict=True):
            # Where 1 and "1" are two labels, both are written 1: the quotes are lost.
            text = _content(value) if self.in_json and labels[name] == 1 else str(value)
            if text != name and not absent:
                found[text] = name
        return found


def read_classes_and_clusters(
    path: Any, truth: str | None, pred: str | None, delimiter: str | None
) -> list[OrderedColumn]:
    """Return the class column and the cluster column."""
    return _read(path, delimiter, [truth, pred], lambda rows: _both(rows, truth, pred))


def read_columns_of(
    path: Any, names: list[str | None], delimiter: str | None, role: str = "pred"
) -> list[Labels]:
    """Return the labels of columns; one may be unnamed, where it is the only one beside them."""

    def choose(rows: FileRows) -> list[int]:
        return [only_column(rows.where, rows.names, name, role, names) for name in names]

    advice = f"say which one, as {role}='{'CLASSES' if role == 'truth' else 'CLUSTERS'}'"
    return [column.labels for column in _read(path, delimiter, names, choose, advice)]


def read_ids(path: Any, width: int, delimiter: str | None) -> list[Labels]:
    """Return the columns of a file of ids: two where its rows are pairs, else one."""

    def choose(rows: FileRows) -> list[int]:
        if len(rows.names) != width:
            what = "a column of ids" if width == 1 else "two columns of ids, one pair in each row"
            raise ColumnError(
                f"{rows.where} has {counted(len(rows.names), 'column')}; {what}, is all it may "
                "have. Leave out scores and other columns."
            )
        return list(range(width))

    try:
        found = _read(
            path, delimiter, [None] * width, choose, "rename them, such as to id1 and id2"
        )
        return [column.labels for column in found]
    except NothingToCountError:
        if width == 1:
            raise
        return [read_objects([], "ids"), read_objects([], "ids")]  # nothing matches


def _both(rows: FileRows, truth: str | None, pred: str | None) -> list[int]:
    if truth is None and pred is None:
        at, preds = label_columns(rows.where, rows.names, truth, pred)
        return [at, *preds]
    return [
        one_column(rows.where, rows.names, truth, "truth"),
        one_column(rows.where, rows.names, pred, "pred"),
    ]


def _read(
    path: Any,
    delimiter: str | None,
    wanted: list[str | None],
    choose: Callable[[FileRows], list[int]],
    advice: str = NAME_BOTH,
) -> list[OrderedColumn]:
    sources = find_sources(path)
    with connected(Resources()) as connection:
        connection.execute("set preserve_insertion_order = true")
        rows = open_files(connection, sources, delimiter, wanted, advice)
        chosen = choose(rows)
        rows.refuse_mixed_types(chosen)
        types = [str(rows.relation.types[i]) for i in chosen]
        books = [CodeBook() for _ in chosen]
        codes: list[list[NDArray[np.int32]]] = [[] for _ in chosen]
        with reading(rows.sources):
            columns = ", ".join(f"#{i + 1} as c{at}" for at, i in enumerate(chosen))
            fetchable(rows.relation.project(columns)).create_view("labels")
            connection.execute("select * from labels")
            while some := connection.fetchmany(_ROWS):
                for column, book, found in zip(zip(*some, strict=True), books, codes, strict=True):
                    found.append(_coded(column, book))
    if not codes[0]:
        raise NothingToCountError(f"{rows.where}: there are no rows.")
    read = []
    for i, kind, book, found in zip(chosen, types, books, codes, strict=True):
        # Only distinct labels are parsed.
        values = as_column(list(book), kind)
        distinct = rows.read(values, f"column {rows.names[i]!r}")
        labels = distinct.only(np.concatenate(found))
        read.append(OrderedColumn(labels, values.tolist(), distinct, sources[0].form == "json"))
    return read


def _content(text: str | None) -> str:
    """Return a JSON value as it is written, a string without its quotes."""
    return json.loads(text) if text is not None and text.startswith('"') else str(text)


def _coded(column: tuple[Any, ...], book: CodeBook) -> NDArray[np.int32]:
    try:
        return np.fromiter(map(book.__getitem__, column), np.int32, len(column))
    except TypeError:
        raise LabelError(
            "a label is a list or another value without a hash; each object has one label."
        ) from None
