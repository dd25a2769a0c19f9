"""The ids of a few objects of files, by their labels: one more query, and nothing else in memory.

DuckDB numbers the unique label rows; the objects of each are in the order of their ids, or of the
rows of the file. So a place within a cell of the table is an object.
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
from clusterbits.table.label_names import NoiseSingleton, as_names

_GROUPS = """create temp table label_rows as select *, row_number() over () as g
from (select c, k, count(*) as n from label_columns group by c, k)"""
_OBJECTS = """select g, place, {ids} from (
    select g, row_number() over (partition by g order by {ids}) - 1 as place, {ids}
    from label_columns o join label_rows r
    on o.c is not distinct from r.c and o.k is not distinct from r.k
    where g in (select g from wanted)
) join wanted using (g, place)"""


class _View(NamedTuple):
    """The view `label_columns` of DuckDB: labels c and k, with their readers, and ids."""

    connection: Any
    readers: dict[str, Reader]
    ids: list[str]


def fetch_objects(
    request: Request, table: Contingency, cells: NDArray[np.intp], places: NDArray[np.int64]
) -> NDArray[Any]:
    """Return the ids of objects, given by their cells of the table and their places within.

    Without ids they are the positions of rows, from 0.
    """
    if any(isinstance(name, NoiseSingleton) for name in (*table.classes, *table.clusters)):
        raise MeasureError(
            "objects of files cannot be drawn if each noise object is a cluster. Pass noise='drop'."
        )
    with _opened(request) as view:
        view.connection.execute(_GROUPS)
        answer = fetched(view.connection.sql("select c, k, n, g from label_rows order by g"))
        wanted = _locate(view, answer, table, cells, places)
        view.connection.execute("create temp table wanted (g bigint, place bigint)")
        view.connection.executemany("insert into wanted values (?, ?)", sorted({*wanted}))
        rows = view.connection.sql(_OBJECTS.format(ids=", ".join(view.ids))).fetchall()
    of_places = {(g, place): ids[0] if len(ids) == 1 else ids for g, place, *ids in rows}
    return as_names([of_places[key] for key in wanted]).reshape(cells.shape)


def _locate(
    view: _View,
    answer: dict[str, NDArray[Any]],
    table: Contingency,
    cells: NDArray[np.intp],
    places: NDArray[np.int64],
) -> list[tuple[int, int]]:
    """Return the unique label row of each object, and its place within that.

    Several rows may be of one cell, such as labels 1 and 1.0.
    """
    positions = []
    for column, names in (("c", table.classes), ("k", table.clusters)):
        of_names = {name: i for i, name in enumerate(names)}
        labels = view.readers[column](answer[column], f"column {column}").with_none()
        known = [of_names.get(name, -1) for name in labels.name(labels.codes).tolist()]
        positions.append(np.array(known, dtype=np.int64))
    rows, columns = positions
    width = table.shape[1]
    keys = np.where((rows < 0) | (columns < 0), -1, rows * width + columns)
    order = np.argsort(keys, kind="stable")
    sizes = np.asarray(answer["n"], dtype=np.int64)[order]
    ends = np.cumsum(sizes)
    drawn_keys = table.rows[cells].astype(np.int64) * width + table.columns[cells]
    first = np.searchsorted(keys[order], drawn_keys)
    last = np.searchsorted(keys[order], drawn_keys, side="right")
    counts = np.append(0, ends)[last] - np.append(0, ends)[first]
    if not np.array_equal(counts, table.counts[cells]):
        raise MeasureError(
            "the files do not have the objects that were counted: they changed meanwhile, or "
            "unmatched objects were made a class."
        )
    objects = (ends - sizes)[first] + places
    label_rows = np.searchsorted(ends, objects, side="right")
    groups = np.asarray(answer["g"])[order[label_rows]]
    within = objects - (ends - sizes)[label_rows]
    return list(zip(groups.ravel().tolist(), within.ravel().tolist(), strict=True))


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
