"""The rows of a query against a DuckDB or SQLite file, counted inside the database.

The query is the user's own and is run as it is, on a database that is opened for reading only.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from clusterbits.core.cells import Cells, as_names
from clusterbits.core.policy import LabelPolicy
from clusterbits.errors import EngineError, FileError, LabelError, first_line
from clusterbits.ingest.files.readers import Resources, connected
from clusterbits.ingest.files.relations import count_relation
from clusterbits.ingest.files.sources import find_sources
from clusterbits.ingest.groups import Groups, WeightSums, count_groups
from clusterbits.ingest.selection import ColumnChoice, choose_columns


def count_query(
    path: Any,
    sql: str,
    truth: Any,
    pred: Any,
    policy: LabelPolicy,
    weight: Any,
    resources: Resources,
) -> dict[str, Cells]:
    """Count the class column of a query's result against each of its cluster columns."""
    policy.check()
    sources = find_sources(path)
    if len(sources) > 1:
        raise FileError(f"sql asks one database; {len(sources)} files were given.")
    source = sources[0]
    if source.form not in ("duckdb", "sqlite"):
        raise FileError(f"{source} is {source.form}; sql asks a DuckDB or SQLite file.")
    query = sql.strip().rstrip(";")

    def choose(names: list[str]) -> ColumnChoice:
        return choose_columns("the query's result", names, truth, pred, weight)

    try:
        if source.form == "sqlite":
            return _ask_sqlite(source.path, query, choose, policy)
        with connected(resources, str(source)) as connection:
            return _ask_duckdb(connection, source.path, query, choose, policy)
    except LabelError as error:
        raise LabelError(f"{source}: {error}") from None


Choose = Callable[[list[str]], ColumnChoice]


def _ask_duckdb(
    connection: Any, path: Path, sql: str, choose: Choose, policy: LabelPolicy
) -> dict[str, Cells]:
    import duckdb

    try:
        rows = connection.sql(f"select * from ({sql}\n)")
        return count_relation(rows, choose(list(rows.columns)), policy)
    except duckdb.InterruptException:
        raise KeyboardInterrupt from None
    except duckdb.Error as error:
        raise EngineError(f"{path} refuses the query: {first_line(error)}") from None


def _ask_sqlite(path: Path, sql: str, choose: Choose, policy: LabelPolicy) -> dict[str, Cells]:
    connection = sqlite3.connect(f"{path.resolve().as_uri()}?mode=ro", uri=True)
    counted = {}
    try:
        found = connection.execute(f"select * from ({sql}\n) limit 0").description
        columns = choose([name for name, *_ in found])
        names, at = columns.names, columns.truth
        renamed = ", ".join(f"c{i}" for i in range(len(names)))
        for i in columns.preds:
            # A common table expression renames by position: names are only data.
            rows = connection.execute(
                f"with rows({renamed}) as ({sql}\n) "
                f"select c{at}, c{i}, {_sums(columns.weight)} from rows group by c{at}, c{i}"
            ).fetchall()
            values = [list(column) for column in zip(*rows, strict=True)] or [[]] * 6
            if columns.weight_name is None:
                counts = np.array(values[2], dtype=np.int64)
            else:
                counts = WeightSums(*values[2:]).checked(columns.weight_name)
            groups = Groups(as_names(values[0]), as_names(values[1]), counts)
            counted[names[i]] = count_groups(groups, (names[at], names[i]), policy)
    except sqlite3.Error as error:
        raise EngineError(f"{path} refuses the query: {error}") from None
    finally:
        connection.close()
    return counted


def _sums(weight: int | None) -> str:
    """Return what SQLite adds up: rows, or weights and what is to be known of them."""
    if weight is None:
        return "count(*)"
    w = f"c{weight}"
    return (
        # A sum of integers past int64 is an error in SQLite, not a wrong number.
        f"coalesce(sum({w}), 0), total({w} - cast({w} as integer)), min({w}), "
        f"sum(typeof({w}) not in ('integer', 'real'))"
    )
