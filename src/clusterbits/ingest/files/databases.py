"""The rows of a query against a DuckDB or SQLite file, counted inside the database.

The query is the user's own and is run as it is, on a database that is opened for reading only.
"""

from __future__ import annotations

import sqlite3
from pathlib import Path
from typing import Any

import numpy as np

from clusterbits.core.cells import Cells, as_names
from clusterbits.core.duckdb import import_duckdb
from clusterbits.errors import EngineError, FileError, LabelError, first_line
from clusterbits.ingest.columns import read_stored
from clusterbits.ingest.files.readers import Request, connected
from clusterbits.ingest.files.relations import count_relation, raise_interrupt
from clusterbits.ingest.files.sources import find_sources
from clusterbits.ingest.groups import Groups, WeightSums, count_groups
from clusterbits.ingest.selection import ColumnChoice

_Answer = list[list[Any]]
# SQLite joins up to 500 selects in one statement.
_AT_A_TIME = 500


def count_query(path: Any, sql: str, request: Request) -> dict[str, Cells]:
    """Count the class column of a query's result against each of its cluster columns."""
    sources = find_sources(path)
    if len(sources) > 1:
        raise FileError(f"sql asks one database; {len(sources)} files were given.")
    source = sources[0]
    if source.form not in ("duckdb", "sqlite"):
        raise FileError(f"{source} is {source.form}; sql asks a DuckDB or SQLite file.")
    ask = _ask_sqlite if source.form == "sqlite" else _ask_duckdb
    try:
        return ask(source.path, sql.strip().rstrip(";"), request)
    except LabelError as error:
        raise LabelError(f"{source}: {error}") from None


_RESULT = "the query's result"


def _ask_duckdb(path: Path, sql: str, request: Request) -> dict[str, Cells]:
    duckdb = import_duckdb("reading files")
    with connected(request.resources, str(path)) as connection:
        try:
            rows = connection.sql(f"select * from ({sql}\n)")
            columns = request.choose(_RESULT, list(rows.columns))
            return count_relation(rows, columns, request.policy, read_stored)
        except (duckdb.Error, RuntimeError) as error:
            raise_interrupt(error)
            raise EngineError(f"{path} refuses the query: {first_line(error)}") from None


def _ask_sqlite(path: Path, sql: str, request: Request) -> dict[str, Cells]:
    connection = sqlite3.connect(f"{path.resolve().as_uri()}?mode=ro", uri=True)
    try:
        found = connection.execute(f"select * from ({sql}\n) limit 0").description
        columns = request.choose(_RESULT, [name for name, *_ in found])
        answers = _group_in_sqlite(connection, sql, columns)
    except sqlite3.Error as error:
        raise EngineError(f"{path} refuses the query: {error}") from None
    finally:
        connection.close()
    names, counted = columns.names, {}
    for i, rows in zip(columns.preds, answers, strict=True):
        classes, clusters, *sums = [list(column) for column in zip(*rows, strict=True)] or [[]] * 6
        if columns.weights_name is None:
            counts = np.array(sums[0], dtype=np.int64)
        else:
            counts = WeightSums(*sums).checked(columns.weights_name)
        labels = as_names(classes), as_names(clusters)
        called = names[columns.truth], names[i]
        groups = Groups.read(labels, counts, called, (read_stored, read_stored))
        counted[names[i]] = count_groups(groups, request.policy)
    return counted


def _group_in_sqlite(
    connection: sqlite3.Connection, sql: str, columns: ColumnChoice
) -> list[_Answer]:
    """Return the rows class, cluster, sums for each cluster column.

    One statement counts many columns: the query runs once, and all see the same rows.
    """
    # A common table expression renames by position: names are only data.
    renamed = ", ".join(f"c{i}" for i in range(len(columns.names)))
    c, sums = f"c{columns.truth}", _sums(columns.weights)
    answers: list[_Answer] = [[] for _ in columns.preds]
    for begin in range(0, len(answers), _AT_A_TIME):
        selects = [
            # A column's own collation would make 'A' and 'a' one label.
            f"select {begin + number}, {c}, c{i}, {sums} from rows "
            f"group by {c} collate binary, c{i} collate binary"
            for number, i in enumerate(columns.preds[begin : begin + _AT_A_TIME])
        ]
        query = f"with rows({renamed}) as ({sql}\n) {' union all '.join(selects)}"
        for number, *row in connection.execute(query):
            answers[number].append(row)
    return answers


def _sums(weights: int | None) -> str:
    """Return what SQLite adds up: rows, or weights and what has to be known of them."""
    if weights is None:
        return "count(*)"
    w = f"c{weights}"
    return (
        # A sum of integers past int64 is an error in SQLite, not a wrong number.
        f"coalesce(sum({w}), 0), total({w} - cast({w} as integer)), min({w}), "
        f"sum(typeof({w}) not in ('integer', 'real'))"
    )
