"""The rows of a query against a DuckDB or SQLite file, counted inside the database.

The query is one SELECT statement. The database is opened for reading only, by a connection that
reaches nothing else: no other file, no extension, no setting.
"""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import repeat
from pathlib import Path
from typing import Any

import numpy as np

from clusterbits.core.cells import as_names
from clusterbits.core.duckdb import import_duckdb, restrict_access, translating_errors
from clusterbits.errors import EngineError, FileError, LabelError, first_line
from clusterbits.ingest.columns import read_stored
from clusterbits.ingest.files.readers import Request, connected
from clusterbits.ingest.files.relations import count_relation
from clusterbits.ingest.files.sources import Source, Watched, find_sources
from clusterbits.ingest.groups import Groups, T, WeightSums
from clusterbits.ingest.selection import ColumnChoice
from clusterbits.parallel import call_interruptibly

_Answer = list[list[Any]]
# SQLite joins up to 500 selects in one statement.
_AT_A_TIME = 500


def count_query(given: list[list[Source]], sql: str, request: Request[T]) -> dict[str, T]:
    """Count the class column of a query's result against each of its cluster columns."""
    sources = find_sources(given)
    if len(sources) > 1:
        raise FileError(f"sql queries one database; {len(sources)} files were given.")
    source = sources[0]
    if source.form not in ("duckdb", "sqlite"):
        raise FileError(f"{source} is {source.form}; sql queries a DuckDB or SQLite file.")
    ask = _ask_sqlite if source.form == "sqlite" else _ask_duckdb
    try:
        return ask(source, _checked_text(sql), request)
    except LabelError as error:
        raise type(error)(f"{source}: {error}") from None


def _checked_text(sql: Any) -> str:
    """Return a query without the semicolons at its end."""
    # Engines may stop reading at a null character, and cannot be sent half a surrogate pair.
    if not isinstance(sql, str) or re.search(r"[\0\ud800-\udfff]", sql):
        raise EngineError(f"sql={sql!r} is not the text of a query.")
    return sql.strip().rstrip(";")


def _refused(source: Source, reason: str) -> EngineError:
    return EngineError(f"{source} refuses the query: {reason}")


_RESULT = "the query's result"


def _ask_duckdb(source: Source, sql: str, request: Request[T]) -> dict[str, T]:
    duckdb = import_duckdb("reading files")

    def count() -> dict[str, T]:
        kinds = [statement.type for statement in connection.extract_statements(sql)]
        if kinds != [duckdb.StatementType.SELECT]:
            found = " and ".join(str(kind.name) for kind in kinds) or "nothing"
            raise _refused(source, f"it has to be one SELECT statement, and is {found}.")
        rows = connection.sql(f"select * from ({sql}\n)")
        columns = request.choose(_RESULT, list(rows.columns))
        return count_relation(rows, columns, request.policy, read_stored, request.count_one)

    # An absolute path: DuckDB knows names that are no files, such as :memory: and md:.
    with (
        connected(request.resources, str(source.path.absolute())) as connection,
        translating_errors(lambda error: _refused(source, first_line(error))),
    ):
        restrict_access(connection)
        return call_interruptibly(count, on_interrupt=connection.interrupt)


def _ask_sqlite(source: Source, sql: str, request: Request[T]) -> dict[str, T]:
    def count() -> tuple[ColumnChoice, list[_Answer]]:
        connection.execute(f"explain {sql}")  # is it a statement by itself?
        found = connection.execute(f"select * from ({sql}\n) limit 0").description
        columns = request.choose(_RESULT, [name for name, *_ in found])
        return columns, _group_in_sqlite(connection, sql, columns)

    try:
        with _connected_to_sqlite(source) as connection:
            columns, answers = call_interruptibly(count, on_interrupt=connection.interrupt)
    except (sqlite3.Error, sqlite3.Warning) as error:  # the latter for two statements, once
        raise _refused(source, f"{error}.") from None
    names, counted = columns.names, {}
    for i, rows in zip(columns.preds, answers, strict=True):
        called = columns.labels_of(i)
        found = [list(column) for column in zip(*rows, strict=True)] or [[]] * 7
        labels, sums = map(as_names, found[: len(called)]), found[len(called) :]
        if columns.weights_name is None:
            counts = np.array(sums[0], dtype=np.int64)
        else:
            counts = WeightSums(*sums[:4]).checked(columns.weights_name)
        groups = Groups.read([*labels], counts, called, repeat(read_stored))
        counted[names[i]] = request.count_one(groups, request.policy, None)
    return counted


@contextmanager
def _connected_to_sqlite(source: Source) -> Iterator[sqlite3.Connection]:
    """Yield a connection that can only select, and close it afterwards."""
    watched = Watched([source])
    alone = _has_idle_log(source.path)
    # Of such a database SQLite would otherwise make a new log, and leave it there.
    mode = "mode=ro&immutable=1" if alone else "mode=ro"
    address = f"{source.path.resolve().as_uri()}?{mode}"
    connection = sqlite3.connect(address, uri=True, check_same_thread=False)
    try:
        connection.execute("pragma trusted_schema = off")  # the views may be someone else's
        connection.set_authorizer(_authorize)
        yield connection
    finally:
        connection.close()
    if alone:
        watched.check()


def _has_idle_log(path: Path) -> bool:
    """Return whether a database keeps a write-ahead log and nobody is writing one."""
    with path.open("rb") as stream:
        logged = stream.read(20)[18:] == b"\2\2"
    return logged and not path.resolve().with_name(f"{path.resolve().name}-wal").exists()


def _authorize(action: int, first: str | None, second: str | None, *_: str | None) -> int:
    """Allow what a SELECT does: no pragma, no other database, no extension."""
    allowed = (
        action in (sqlite3.SQLITE_SELECT, sqlite3.SQLITE_READ, sqlite3.SQLITE_RECURSIVE)
        or (action == sqlite3.SQLITE_FUNCTION and second != "load_extension")
        # How json_each declares its columns. Nothing is written: the file is read-only.
        or (action == sqlite3.SQLITE_UPDATE and first == "sqlite_master")
    )
    return sqlite3.SQLITE_OK if allowed else sqlite3.SQLITE_DENY


def _group_in_sqlite(
    connection: sqlite3.Connection, sql: str, columns: ColumnChoice
) -> list[_Answer]:
    """Return the rows class, cluster, group if any, sums for each cluster column.

    One statement counts many columns: the query runs once, and all see the same rows.
    """
    # A common table expression renames by position: names are only data.
    renamed = ", ".join(f"c{i}" for i in range(len(columns.names)))
    sums = _sums(columns.weights)
    answers: list[_Answer] = [[] for _ in columns.preds]
    for begin in range(0, len(answers), _AT_A_TIME):
        selects = []
        for number, i in enumerate(columns.preds[begin : begin + _AT_A_TIME], begin):
            keys = [f"c{j}" for j in (columns.truth, i, columns.groups) if j is not None]
            # A column's own collation would make 'A' and 'a' one label.
            exact = ", ".join(f"{key} collate binary" for key in keys)
            selects.append(f"select {number}, {', '.join(keys)}, {sums} from rows group by {exact}")
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
