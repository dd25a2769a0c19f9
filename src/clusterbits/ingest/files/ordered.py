"""Label columns of files, row by row, for what needs each object's labels in order."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable
from contextlib import ExitStack
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from clusterbits.core.coding import CodeBook
from clusterbits.core.labels import Labels, read_objects
from clusterbits.display.tables import counted
from clusterbits.errors import ColumnError, LabelError, NothingToCountError
from clusterbits.ingest.files.readers import Reading, connected, open_files, reading
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

    def choose(where: str, names: list[str]) -> list[int]:
        if truth is None and pred is None:
            at, preds = label_columns(where, names, truth, pred)
            return [at, *preds]
        roles = {"truth": truth, "pred": pred}
        return [one_column(where, names, name, role) for role, name in roles.items()]

    return _read(path, delimiter, [truth, pred], choose)


def read_columns_of(
    path: Any, names: list[str | None], delimiter: str | None, role: str = "pred"
) -> list[Labels]:
    """Return the labels of columns; one may be unnamed, where it is the only one beside them."""

    def choose(where: str, columns: list[str]) -> list[int]:
        return [only_column(where, columns, name, role, names) for name in names]

    return [column.labels for column in _read(path, delimiter, names, choose)]


def read_ids(path: Any, width: int, delimiter: str | None) -> list[Labels]:
    """Return the columns of a file of ids: two where its rows are pairs, else one."""

    def choose(where: str, names: list[str]) -> list[int]:
        if len(names) != width:
            what = "a column of ids" if width == 1 else "two columns of ids, one pair in each row"
            raise ColumnError(
                f"{where} has {counted(len(names), 'column')}; {what}, is all it may have."
            )
        return list(range(width))

    try:
        return [column.labels for column in _read(path, delimiter, [None] * width, choose)]
    except NothingToCountError:
        if width == 1:
            raise
        return [read_objects([], "ids"), read_objects([], "ids")]  # nothing matches


def _read(
    path: Any,
    delimiter: str | None,
    wanted: list[str | None],
    choose: Callable[[str, list[str]], list[int]],
) -> list[OrderedColumn]:
    sources = find_sources(path)
    with ExitStack() as files, connected(Reading()) as connection, reading(sources):
        connection.execute("set preserve_insertion_order = true")
        rows = open_files(connection, sources, delimiter, wanted, files)
        chosen = rows.select(lambda *given: {f"c{at}": i for at, i in enumerate(choose(*given))})
        books = [CodeBook() for _ in chosen.names]
        codes: list[list[NDArray[np.int32]]] = [[] for _ in books]
        fetchable(chosen.relation).create_view("labels")
        connection.execute("select * from labels")
        while some := connection.fetchmany(_ROWS):
            for column, book, found in zip(zip(*some, strict=True), books, codes, strict=True):
                found.append(_coded(column, book))
        if not codes[0]:
            raise NothingToCountError(f"{rows.where}: there are no rows.")
        read = []
        for (key, name), book, found in zip(chosen.names.items(), books, codes, strict=True):
            # Only distinct labels are parsed.
            values = as_column(list(book), chosen.types[key])
            distinct = rows.read(values, f"column {name!r}")
            labels = distinct.only(np.concatenate(found))
            in_json = sources[0].form == "json"
            read.append(OrderedColumn(labels, values.tolist(), distinct, in_json))
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
