"""The rows of a query against a DuckDB or SQLite file, counted inside the database.

The query is the user's own and is run as it is, on a database that is opened for reading only.
"""

from __future__ import annotations

import sqlite3
from pathlib import Path
from typing import Any

import numpy as np

from clusterbits.errors import EngineError, FileError, LabelError
from clusterbits.ingest.cells import Cells, Treatment, as_names
from clusterbits.ingest.columns import label_columns, one_column
from clusterbits.ingest.files import Resources, connected
from clusterbits.ingest.groups import Groups, WeightSums, count_groups
from clusterbits.ingest.relations import count_relation
from clusterbits.ingest.sources import find_sources


def count_query(
    path: Any,
    sql: str,
    truth: Any,
    pred: Any,
    treatment: Treatment,
    weight: Any,
    resources: Resources,
) -> dict[str, Cells]:
    """Count the class column of a query's result against each of its cluster columns."""
    treatment.check()
    sources = find_sources(path)
    if len(sources) > 1:
        raise FileError(f"sql asks one database; {len(sources)} files were given.")
    source = sources[0]
    if source.form not in ("duckdb", "sqlite"):
        raise FileError(f"{source} is {source.form}; sql asks a DuckDB or SQLite file.")
    ask = _ask_duckdb if source.form == "duckdb" else _ask_sqlite
    try:
        return ask(source.path, sql.strip().rstrip(";"), truth, pred, treatment, weight, resources)
    except LabelError as error:
        raise LabelError(f"{source}: {error}") from None


def _ask_duckdb(
    path: Path,
    sql: str,
    truth: Any,
    pred: Any,
    treatment: Treatment,
    weight: Any,
    resources: Resources,
) -> dict[str, Cells]:
    with connected(resources, str(path)) as connection:
        import duckdb

        try:
            rows = connection.sql(f"select * from ({sql}\n)")
            names = list(rows.columns)
            at, preds, weight_at = _columns(names, truth, pred, weight)
            return count_relation(rows, names, at, preds, weight_at, treatment)
        except duckdb.InterruptException:
            raise KeyboardInterrupt from None
        except duckdb.Error as error:
            reason = str(error).strip().partition("\n")[0]
            raise EngineError(f"{path} refuses the query: {reason}") from None


def _columns(
    names: list[str], truth: Any, pred: Any, weight: Any
) -> tuple[int, list[int], int | None]:
    where = "the query's result"
    at, preds = label_columns(where, names, truth, pred, [] if weight is None else [weight])
    return at, preds, None if weight is None else one_column(where, names, weight, "weight")


def _ask_sqlite(
    path: Path,
    sql: str,
    truth: Any,
    pred: Any,
    treatment: Treatment,
    weight: Any,
    resources: Resources,
) -> dict[str, Cells]:
    connection = sqlite3.connect(f"{path.resolve().as_uri()}?mode=ro", uri=True)
    counted = {}
    try:
        names = [d[0] for d in connection.execute(f"select * from ({sql}\n) limit 0").description]
        at, preds, weight_at = _columns(names, truth, pred, weight)
        renamed = ", ".join(f"c{i}" for i in range(len(names)))
        for i in preds:
            # A common table expression renames by position: names are only data.
            rows = connection.execute(
                f"with rows({renamed}) as ({sql}\n) "
                f"select c{at}, c{i}, {_sums(weight_at)} from rows group by c{at}, c{i}"
            ).fetchall()
            columns = [list(column) for column in zip(*rows, strict=True)] or [[]] * 6
            if weight_at is None:
                counts = np.array(columns[2], dtype=np.int64)
            else:
                counts = WeightSums(*columns[2:]).checked(names[weight_at])
            groups = Groups(as_names(columns[0]), as_names(columns[1]), counts)
            counted[names[i]] = count_groups(groups, (names[at], names[i]), treatment)
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
