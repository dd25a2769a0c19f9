"""The ids of a few objects of files, by their labels: one more query, and nothing else in memory.

DuckDB numbers the unique label rows; the objects of each are in the order of their ids, or of the
rows of the file. So a cell of the table and an index within it are an object.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from clusterbits.errors import MeasureError
from clusterbits.reading.files.joins import joining
from clusterbits.reading.files.readers import open_relations
from clusterbits.reading.files.relations import fetched, select
from clusterbits.reading.files.sources import find_sources
from clusterbits.reading.request import Reader, Request
from clusterbits.table.contingency import Contingency
from clusterbits.table.label_names import NoiseSingleton, as_names, as_written

_LABEL_ROWS = """create temp table label_rows as select *, row_number() over () as label_row
from (select c, k, count(*) as n from label_columns group by c, k)"""
_OBJECTS = """select cell, i, {ids} from (
    select cell, row_number() over (partition by cell order by {ids}) - 1 as i, {ids}
    from label_columns o join label_rows r
    on o.c is not distinct from r.c and o.k is not distinct from r.k
    join drawn_cells using (label_row)
) join drawn_objects using (cell, i)"""


class _View(NamedTuple):
    """The view `label_columns` of DuckDB: labels c and k, with their readers, and ids."""

    connection: Any
    readers: dict[str, Reader]
    ids: list[str]


def fetch_objects(
    request: Request, table: Contingency, cells: NDArray[np.intp], indices: NDArray[np.int64]
) -> NDArray[Any]:
    """Return the ids of objects, given by their cells of the table and their indices within.

    Without ids they are the positions of rows, from 0.
    """
    if any(isinstance(name, NoiseSingleton) for name in (*table.classes, *table.clusters)):
        raise MeasureError(
            "objects of files cannot be drawn if each noise object is a cluster. Pass noise='drop'."
        )
    with _opened(request) as view:
        connection = view.connection
        connection.execute(_LABEL_ROWS)
        label_rows = fetched(connection.sql("select c, k, n, label_row from label_rows"))
        of_rows = _find_cells(view, label_rows, table)
        counts = np.bincount(of_rows + 1, label_rows["n"], len(table.counts) + 1)[1:]
        if not np.array_equal(counts[cells], table.counts[cells]):
            raise MeasureError(
                "the files do not have the objects that were counted: they changed meanwhile, or "
                "unmatched objects were made a class."
            )
        drawn = np.isin(of_rows, cells)
        label_row = label_rows["label_row"][drawn]
        connection.register("drawn_cells", {"cell": of_rows[drawn], "label_row": label_row})
        drawn_objects = list(zip(cells.ravel().tolist(), indices.ravel().tolist(), strict=True))
        cell, i = np.array([*{*drawn_objects}]).T.copy()
        connection.register("drawn_objects", {"cell": cell, "i": i})
        rows = connection.sql(_OBJECTS.format(ids=", ".join(view.ids))).fetchall()
    ids = {(cell, i): id[0] if len(id) == 1 else tuple(id) for cell, i, *id in rows}
    return as_names([ids[key] for key in drawn_objects]).reshape(cells.shape)


def _find_cells(
    view: _View, label_rows: dict[str, NDArray[Any]], table: Contingency
) -> NDArray[np.int64]:
    """Return the cell of each unique label row, -1 if it is in none.

    Several rows may be of one cell, such as labels 1 and 1.0. Labels are compared as text: a column
    of text is one of numbers if what is left of it after a join is numbers.
    """
    keys = np.zeros(len(label_rows["n"]), dtype=np.int64)
    known = np.ones(len(keys), dtype=np.bool_)
    for column, names in (("c", table.classes), ("k", table.clusters)):
        positions = {as_written(name): i for i, name in enumerate(names)}
        labels = view.readers[column](label_rows[column], f"column {column}")
        of_labels = [positions.get(as_written(name), -1) for name in labels.to_list()]
        keys = keys * len(names) + of_labels
        known &= np.array(of_labels) >= 0
    cell_keys = table.rows.astype(np.int64) * table.shape[1] + table.columns
    cells = np.minimum(np.searchsorted(cell_keys, keys), len(cell_keys) - 1)
    return np.where(known & (cell_keys[cells] == keys), cells, -1)


@contextmanager
def _opened(request: Request) -> Iterator[_View]:
    """Yield the label columns of the objects of one source, or of both of two."""
    if request.sql is not None:
        raise MeasureError("a query does not say which objects it has: write it to a file first.")
    if request.on is not None:
        with joining(request) as join:
            truth, pred = join.truth.view, join.pred.view
            ids = ", ".join(f"{truth}.{name}" for name in join.truth.ids)
            join.connection.execute(
                f"create temp view label_columns as select c, k0 as k, {ids} from "
                f"{truth} join {pred} on {join.conditions}"
            )
            readers = {"c": join.truth.read, "k": join.pred.read}
            yield _View(join.connection, readers, join.truth.ids)
        return
    sources = find_sources(request.data)
    with open_relations(request, (sources, request.columns)) as (connection, (parts,)):
        connection.execute("set preserve_insertion_order = true")
        relation, _ = select(parts, request.choose)
        numbered = relation.project("c, k0 as k, row_number() over () - 1 as id0")
        numbered.create_view("label_columns")
        yield _View(connection, {"c": parts[0].read, "k": parts[0].read}, ["id0"])
