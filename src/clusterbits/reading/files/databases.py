"""The rows of a query against a DuckDB or SQLite file; DuckDB counts them itself.

The query is one SELECT statement. The database is opened for reading only, by a connection that
reaches nothing else: no other file, no extension, no setting.
"""

from __future__ import annotations

import re
import sqlite3
from operator import itemgetter

from clusterbits.errors import (
    EngineError,
    FileError,
    error_prefix,
    translating,
)
from clusterbits.labels.tally import Tally
from clusterbits.reading.files.ordered import ROWS, Coded, code_columns
from clusterbits.reading.files.readers import connected
from clusterbits.reading.files.relations import Relation, by_position, count_rows
from clusterbits.reading.files.sources import Source
from clusterbits.reading.label_columns import read_stored
from clusterbits.reading.request import Request, run_roles, tally_rows
from clusterbits.reading.weights import read_weights
from clusterbits.system.threads import call_interruptibly
from clusterbits.table.label_names import as_names

_RESULT = "the query's result"
# Files, extensions, stored secrets and Python variables are out of reach of any query, and of the
# views of a database that someone else made. So is the environment: DuckDB shows its settings to
# every query, and some of them are taken from there.
_RESTRICTIONS = (
    "http_proxy = ''",
    "http_proxy_username = ''",
    "http_proxy_password = ''",
    "secret_directory = ''",
    "python_enable_replacements = false",
    "allow_persistent_secrets = false",
    "enable_external_access = false",
    "lock_configuration = true",
)


def count_query(sources: list[Source], request: Request) -> list[Tally]:
    """Count the class column of a query's result against each of its cluster columns."""
    source, sql = sources[0], request.sql
    if len(sources) > 1 or source.form not in ("duckdb", "sqlite"):
        raise FileError(f"{source}: sql= queries one DuckDB or SQLite file.")
    # Engines may stop reading at a null character, and cannot be sent half a surrogate pair.
    if not isinstance(sql, str) or re.search(r"[\0\ud800-\udfff]", sql):
        raise EngineError(f"sql is {sql!r}, which is not the text of a query.")
    sql = sql.strip().rstrip(";")
    with error_prefix(str(source)):
        count = _read_sqlite if source.form == "sqlite" else _count_in_duckdb
        tallies = count(source, sql, request)
    return [tally._replace(where=str(source)) for tally in tallies]


def _count_in_duckdb(source: Source, sql: str, request: Request) -> list[Tally]:
    def count() -> list[Tally]:
        kinds = [statement.type.name for statement in connection.extract_statements(sql)]
        if kinds != ["SELECT"]:
            raise ValueError("it has to be one SELECT statement")
        relation = connection.sql(f"select * from ({sql}\n)")
        rows = Relation(_RESULT, list(relation.columns), by_position(relation), read_stored)
        return count_rows([rows], request)

    # An absolute path: DuckDB knows names that are not files, such as :memory: and md:.
    with (
        connected(request, str(source.path.absolute())) as connection,
        translating(f"{source} refuses the query", EngineError),
    ):
        for setting in _RESTRICTIONS:
            connection.execute(f"set {setting}")
        return call_interruptibly(count, on_interrupt=connection.interrupt)


def _read_sqlite(source: Source, sql: str, request: Request) -> list[Tally]:
    """Return the rows of a query, each of them an object, for each cluster column or for all."""

    def read() -> dict[str, Coded]:
        connection.execute("pragma trusted_schema = off")  # the views may be someone else's
        connection.set_authorizer(_authorize)
        connection.execute(f"explain {sql}")  # is it a statement by itself?
        cursor = connection.execute(f"select * from ({sql}\n)")
        names = [name for name, *_ in cursor.description]
        chosen = request.choose(_RESULT, names)
        pick = itemgetter(*chosen.values())
        columns = code_columns(
            lambda: [*map(pick, cursor.fetchmany(ROWS))], pick(names), read_stored
        )
        return dict(zip(chosen, columns, strict=True))

    with translating(f"{source} refuses the query", EngineError):
        address = f"{source.path.resolve().as_uri()}?mode=ro"
        connection = sqlite3.connect(address, uri=True, check_same_thread=False)
        try:
            columns = call_interruptibly(read, on_interrupt=connection.interrupt)
        finally:
            connection.close()
    weights = columns.pop("w", None)
    numbers = None
    if weights is not None:
        numbers = read_weights(as_names(weights.values)[weights.codes]).numbers
    names = {role: column.name for role, column in columns.items()}
    labels = {role: column.labels() for role, column in columns.items()}
    runs = run_roles(labels)
    shared = {role: column for role, column in labels.items() if role not in runs}
    return [
        tally_rows(shared | {role: labels[role] for role in roles}, names, weights=numbers)
        for roles in ([runs] if request.jointly else [[role] for role in runs])
    ]


def _authorize(action: int, first: str | None, second: str | None, *_: str | None) -> int:
    """Allow what a SELECT does: no pragma, no other database, no extension."""
    allowed = (
        action in (sqlite3.SQLITE_SELECT, sqlite3.SQLITE_READ, sqlite3.SQLITE_RECURSIVE)
        or (action == sqlite3.SQLITE_FUNCTION and second != "load_extension")
        # How json_each declares its columns. Nothing is written: the file is read-only.
        or (action == sqlite3.SQLITE_UPDATE and first == "sqlite_master")
    )
    return sqlite3.SQLITE_OK if allowed else sqlite3.SQLITE_DENY
