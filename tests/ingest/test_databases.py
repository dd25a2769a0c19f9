"""Queries of DuckDB and SQLite files are counted and change nothing."""

from __future__ import annotations

import sqlite3

import duckdb
import pytest
from support.files import COLUMNS, EXPECTED, PRED, TRUTH, write_csv

import clusterbits as cb
from clusterbits.errors import EngineError, FileError


@pytest.fixture(params=["duckdb", "sqlite"])
def database(request, tmp_path):
    path = tmp_path / f"labels.{request.param}"
    connection = duckdb.connect(str(path)) if request.param == "duckdb" else sqlite3.connect(path)
    connection.execute('create table labels ("spe""cies" text, cluster integer, w integer)')
    for row in zip(TRUTH, PRED, range(1, 7), strict=True):
        connection.execute("insert into labels values (?, ?, ?)", row)
    connection.commit()
    connection.close()
    return path


def test_queries(database):
    sql = 'select "spe""cies", cluster from labels'
    assert cb.Contingency.from_file(database, sql=sql) == EXPECTED
    assert cb.Contingency.from_file(database, sql=sql + " -- the end\n;\n") == EXPECTED
    weighted = cb.Contingency.from_file(
        database, 'spe"cies', "cluster", sql="select * from labels", weights="w"
    )
    assert weighted == cb.Contingency.from_labels(TRUTH, PRED, weights=range(1, 7))
    many = cb.Contingency.from_file(
        database, 'spe"cies', ["cluster", "one"], sql="select *, 1 as one from labels"
    )
    assert many["cluster"] == EXPECTED
    assert many["one"].shape == (3, 1)


def test_a_query_runs_once_for_many_columns(database):
    sql = "select cast(1e9 * random() as bigint) as c, w as a, w + 1 as b from labels"
    tables = cb.Contingency.from_file(database, "c", ["a", "b"], sql=sql)
    assert tables["a"].classes == tables["b"].classes


def test_queries_change_nothing(database):
    before = database.read_bytes()
    for sql in (
        "drop table labels",
        "select 1; drop table labels",
        "insert into labels values (1,2,3)",
        "select nothing from labels",
        "",
        "select * from labels) x; drop table labels; --",
    ):
        with pytest.raises(EngineError, match="refuses the query"):
            cb.Contingency.from_file(database, sql=sql)
    assert database.read_bytes() == before
    with pytest.raises(FileError, match="--sql"):
        cb.Contingency.from_file(database)


def test_sql_needs_a_database(tmp_path):
    path = write_csv(tmp_path / "labels.csv", COLUMNS)
    with pytest.raises(FileError, match="DuckDB or SQLite"):
        cb.Contingency.from_file(path, sql="select 1")


def test_unreadable_query_of_the_engine():
    connection = duckdb.connect()
    connection.execute("create table t as select 'x' || i as k from range(3) r(i)")
    relation = connection.sql("select 1 as c, cast(k as integer) as k from t")
    with pytest.raises(EngineError, match="duckdb could not count"):
        cb.Contingency.from_frame(relation, "c", "k")
