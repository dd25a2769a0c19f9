"""The rows of a query against a DuckDB or SQLite file, counted inside the database.

The query is one SELECT statement. The database is opened for reading only, by a connection that
reaches nothing else: no other file, no extension, no setting.
"""

from __future__ import annotations

import re
import sqlite3
from typing import Any

import numpy as np

from clusterbits.errors import EngineError, FileError, error_prefix, import_extra, translating
from clusterbits.labels.tally import Tally
from clusterbits.reading.engine_rows import tally_rows
from clusterbits.reading.files.readers import connected
from clusterbits.reading.files.relations import Relation, by_position, count_rows
from clusterbits.reading.files.sources import Source
from clusterbits.reading.label_columns import read_stored
from clusterbits.reading.request import Request, run_roles
from clusterbits.reading.weights import WeightSums
from clusterbits.system.threads import call_interruptibly
from clusterbits.table.label_names import as_names

_RESULT = "the query's result"
# SQLite joins up to 500 selects in one statement.
_AT_A_TIME = 500
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
        ask = _ask_sqlite if source.form == "sqlite" else _ask_duckdb
        tallies = ask(source, sql, request)
    return [tally._replace(where=str(source)) for tally in tallies]


def _ask_duckdb(source: Source, sql: str, request: Request) -> list[Tally]:
    duckdb = import_extra("duckdb", "reading files", "files")

    def count() -> list[Tally]:
        kinds = [statement.type for statement in connection.extract_statements(sql)]
        if kinds != [duckdb.StatementType.SELECT]:
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


def _ask_sqlite(source: Source, sql: str, request: Request) -> list[Tally]:
    def count() -> tuple[list[str], dict[str, int], list[list[Any]]]:
        connection.execute("pragma trusted_schema = off")  # the views may be someone else's
        connection.set_authorizer(_authorize)
        connection.execute(f"explain {sql}")  # is it a statement by itself?
        columns = connection.execute(f"select * from ({sql}\n) limit 0").description
        names = [name for name, *_ in columns]
        chosen = request.choose(_RESULT, names)
        return names, chosen, _group_in_sqlite(connection, sql, chosen, names, request.jointly)

    with translating(f"{source} refuses the query", EngineError):
        address = f"{source.path.resolve().as_uri()}?mode=ro"
        connection = sqlite3.connect(address, uri=True, check_same_thread=False)
        try:
            names, chosen, answers = call_interruptibly(count, on_interrupt=connection.interrupt)
        finally:
            connection.close()
    weights = names[chosen["w"]] if "w" in chosen else None
    tallies = []
    for roles, rows in zip(_grouped_roles(chosen, request.jointly), answers, strict=True):
        columns = [list(column) for column in zip(*rows, strict=True)] or [[]] * (len(roles) + 5)
        answer: dict[str, Any] = dict(zip(roles, map(as_names, columns), strict=False))
        n_objects, *sums = columns[len(roles) :]
        answer["n"] = np.array(n_objects, dtype=np.int64)
        if weights is not None:
            answer["w"] = WeightSums(*sums).checked(weights)
        called = {role: names[chosen[role]] for role in roles}
        tallies.append(tally_rows(answer, called, read_stored))
    return tallies


def _grouped_roles(chosen: dict[str, int], jointly: bool) -> list[list[str]]:
    """Return the columns to group by, for each cluster column or for all."""
    runs = run_roles(chosen)
    others = [role for role in ("c", "b") if role in chosen]
    return [[*others, *runs]] if jointly else [[*others, run] for run in runs]


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
    connection: sqlite3.Connection,
    sql: str,
    chosen: dict[str, int],
    names: list[str],
    jointly: bool,
) -> list[list[Any]]:
    """Return the rows of each grouping: labels, number of rows, and sums of weights if any.

    One statement counts many columns: the query runs once, and all see the same rows.
    """
    # A common table expression renames by position: names are only data.
    renamed = ", ".join(f"c{i}" for i in range(len(names)))
    sums = _sums(chosen.get("w"))
    groupings = _grouped_roles(chosen, jointly)
    answers: list[list[Any]] = [[] for _ in groupings]
    for begin in range(0, len(answers), _AT_A_TIME):
        selects = []
        for number, roles in enumerate(groupings[begin : begin + _AT_A_TIME], begin):
            keys = [f"c{chosen[role]}" for role in roles]
            # A column's own collation would make 'A' and 'a' one label.
            exact = ", ".join(f"{key} collate binary" for key in keys)
            selects.append(f"select {number}, {', '.join(keys)}, {sums} from rows group by {exact}")
        query = f"with rows({renamed}) as ({sql}\n) {' union all '.join(selects)}"
        for number, *row in connection.execute(query):
            answers[number].append(row)
    return answers


def _sums(weights: int | None) -> str:
    """Return what SQLite adds up: rows, and weights with what has to be known of them."""
    if weights is None:
        return "count(*)"
    w = f"c{weights}"
    return (
        # A sum of integers past int64 is an error in SQLite, not a wrong number.
        f"count(*), coalesce(sum({w}), 0), total({w} - cast({w} as integer)), min({w}), "
        f"sum(typeof({w}) not in ('integer', 'real'))"
    )
