"""Label columns of files, row by row, for what needs each object's labels in order."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from clusterbits.core.cells import as_names
from clusterbits.core.labels import CodeBook, GroupedColumn, Labels
from clusterbits.errors import LabelError
from clusterbits.ingest.files.readers import FileRows, Resources, connected, open_files, reading
from clusterbits.ingest.files.sources import find_sources
from clusterbits.ingest.selection import label_columns, one_column, only_column

# Rows fetched at once.
_ROWS = 1 << 16


def read_classes_and_clusters(
    path: Any, truth: str | None, pred: str | None, delimiter: str | None
) -> list[Labels]:
    """Return the labels of the class column and of the cluster column."""
    return _read(path, delimiter, lambda rows: _both(rows, truth, pred))


def read_clusters(path: Any, pred: str | None, delimiter: str | None) -> Labels:
    """Return the labels of the cluster column, which may be the only one."""
    (labels,) = _read(
        path, delimiter, lambda rows: [only_column(rows.where, rows.names, pred, "pred", [])]
    )
    return labels


def _both(rows: FileRows, truth: str | None, pred: str | None) -> list[int]:
    if truth is None and pred is None:
        at, preds = label_columns(rows.where, rows.names, truth, pred)
        return [at, *preds]
    return [
        one_column(rows.where, rows.names, truth, "truth"),
        one_column(rows.where, rows.names, pred, "pred"),
    ]


def _read(
    path: Any, delimiter: str | None, choose: Callable[[FileRows], list[int]]
) -> list[Labels]:
    sources = find_sources(path)
    with connected(Resources()) as connection:
        connection.execute("set preserve_insertion_order = true")
        rows = open_files(connection, sources, delimiter, [])
        chosen = choose(rows)
        books = [CodeBook() for _ in chosen]
        codes: list[list[NDArray[np.int32]]] = [[] for _ in chosen]
        with reading(rows.sources):
            columns = ", ".join(f"#{i + 1} as c{i}" for i in chosen)
            rows.relation.project(columns).create_view("labels")
            connection.execute("select * from labels")
            while some := connection.fetchmany(_ROWS):
                for column, book, found in zip(zip(*some, strict=True), books, codes, strict=True):
                    found.append(_coded(column, book))
    if not codes[0]:
        raise LabelError(f"{rows.where}: there are no rows.")
    # Only distinct labels are parsed.
    return [
        rows.read(as_names(list(book)), GroupedColumn(f"column {rows.names[i]!r}")).only(
            np.concatenate(found)
        )
        for i, book, found in zip(chosen, books, codes, strict=True)
    ]


def _coded(column: tuple[Any, ...], book: CodeBook) -> NDArray[np.int32]:
    try:
        return np.fromiter(map(book.__getitem__, column), np.int32, len(column))
    except TypeError:
        raise LabelError(
            "a label is a list or another value without a hash; each object has one label."
        ) from None
