"""The ids of a few objects of files, by their labels: one more query, and nothing else in memory.

DuckDB numbers the unique label rows; the objects of each are in the order of their ids, or of the
rows of the file. So a cell of the table and an index within it are an object.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any

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
_OBJECTS = """with drawn_rows(cell, label_row) as (values {rows}),
drawn_objects(cell, i) as (values {objects})
select cell, i, {ids} from (
    select cell, row_number() over (partition by cell order by {ids}) - 1 as i, {ids}
    from label_columns o join label_rows r
    on o.c is not distinct from r.c and o.k is not distinct from r.k
    join drawn_rows using (label_row)
) join drawn_objects using (cell, i)"""


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
    objects = list(zip(cells.ravel().tolist(), indices.ravel().tolist(), strict=True))
    with _opened(request) as (connection, readers, id_columns):
        connection.execute(_LABEL_ROWS)
        query = _OBJECTS.format(
            rows=_as_sql(_find_label_rows(connection, readers, table, np.unique(cells))),
            objects=_as_sql({*objects}),
            ids=", ".join(id_columns),
        )
        rows = connection.sql(query).fetchall()
    ids = {(cell, i): id[0] if len(id) == 1 else tuple(id) for cell, i, *id in rows}
    return as_names([ids[key] for key in objects]).reshape(cells.shape)


def _as_sql(pairs: Iterable[tuple[int, int]]) -> str:
    return ", ".join(f"({first}, {second})" for first, second in pairs)


def _find_label_rows(
    connection: Any, readers: list[Reader], table: Contingency, drawn: NDArray[np.intp]
) -> list[tuple[int, int]]:
    """Return the drawn cells with the numbers of their unique label rows.

    Several rows may be of one cell, such as labels 1 and 1.0. Labels are compared as text: a column
    of text is one of numbers if what is left of it after a join is numbers.
    """
    cell_of = {
        (as_written(table.classes[row]), as_written(table.clusters[column])): cell
        for cell, row, column in zip(drawn, table.rows[drawn], table.columns[drawn], strict=True)
    }
    answer = fetched(connection.sql("select c, k, n, label_row from label_rows"))
    texts = [
        map(as_written, read(answer[column], f"column {column}").to_list())
        for column, read in zip("ck", readers, strict=True)
    ]
    of_rows = np.array([cell_of.get(labels, -1) for labels in zip(*texts, strict=True)])
    counts = np.bincount(of_rows + 1, answer["n"], len(table.counts) + 1)[1:]
    if not np.array_equal(counts[drawn], table.counts[drawn]):
        raise MeasureError(
            "the files do not have the objects that were counted: they changed meanwhile, or "
            "unmatched objects were made a class."
        )
    numbers = answer["label_row"][of_rows >= 0].tolist()
    return list(zip(of_rows[of_rows >= 0].tolist(), numbers, strict=True))


@contextmanager
def _opened(request: Request) -> Iterator[tuple[Any, list[Reader], list[str]]]:
    """Yield a connection to DuckDB with a view `label_columns`, the readers of c and k, and ids.

    The view has the labels c and k and the ids of the objects of one source, or of both of two.
    """
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
            yield join.connection, [join.truth.read, join.pred.read], join.truth.ids
        return
    sources = find_sources(request.data)
    with open_relations(request, (sources, request.columns)) as (connection, (parts,)):
        connection.execute("set preserve_insertion_order = true")
        relation, _ = select(parts, request.choose)
        numbered = relation.project("c, k0 as k, row_number() over () - 1 as id0")
        numbered.create_view("label_columns")
        yield connection, [parts[0].read] * 2, ["id0"]
