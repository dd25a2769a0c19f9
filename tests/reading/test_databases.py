"""Queries of DuckDB and SQLite files are counted, change nothing and reach nothing else."""

from __future__ import annotations

import os
import signal
import sqlite3
import subprocess
import sys
import time

import duckdb
import pytest
from support.files import COLUMNS, EXPECTED, PRED, TRUTH, write_csv

import clusterbits as cb
from clusterbits.errors import EngineError, FileError, NothingToCountError


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


ESCAPES = [
    # more than one statement
    "select 1 a, 2 b); copy (select 42) to 'out.csv'; select (1",
    "select 1 a, 2 b; copy (select 42) to 'out.csv'",
    "select 1 a, 2 b) x; create table t(i int); select * from (select 1 a, 2 b",
    "select 1 a, 2 b) x, (select 3 c",
    "select 1 a, 2 b; select 3 c, 4 d",
    "select * from labels) x; drop table labels; --",
    # another kind of statement
    "drop table labels",
    "insert into labels values (1, 2, 3)",
    "copy labels to 'out.csv'",
    "export database 'out'",
    "vacuum into 'out.db'",
    "attach 'out.db' as other",
    "install httpfs",
    "load 'secret.csv'",
    "set enable_external_access = true",
    "pragma table_info('labels')",
    "pragma writable_schema = 1",
    "create temp table t(i int)",
    "update labels set cluster = 7",
    "with t as (select 1) delete from labels",
    "explain select * from labels",
    # a SELECT of other files, settings and the environment
    "select * from 'secret.csv'",
    "select * from read_csv('secret.csv')",
    "select content, 1 as b from read_text('secret.csv')",
    "select * from read_blob('secret.csv')",
    "select * from parquet_metadata('secret.csv')",
    "select file, 1 as b from glob('*')",
    "select getenv('HOME') as a, 1 as b",
    "select readfile('secret.csv') as a, 1 as b",
    "select writefile('out.csv', 'x') as a, 1 as b",
    "select load_extension('secret.csv') as a, 1 as b",
    "select * from enable_logging(storage='file', storage_config={'path': 'out'})",
    "select * from enable_profiling()",
    "select compile_options, 1 as b from pragma_compile_options",
    "with t as (insert into labels values ('x', 1, 1) returning *) select * from t",
    "select * from sqlite_scan('secret.sqlite', 't')",
    "select * from python_variable",
    # no SQL at all
    "",
    ";",
    "-- nothing",
    "select 1 a, 2 b /*",
    "select 1 a, 2 b\0; copy labels to 'out.csv'",
    "select '\ud800' a, 2 b",
    "select ? a, 2 b",
    5,
    b"select 1 a, 2 b",
]


def test_queries_change_nothing_and_reach_nothing_else(database, monkeypatch):
    python_variable = {"a": [1], "b": [2]}  # DuckDB would find it by its name
    monkeypatch.chdir(database.parent)
    (database.parent / "secret.csv").write_text("a,b\nhush,1\n")
    before = {path.name: path.read_bytes() for path in database.parent.iterdir()}
    for sql in ESCAPES:
        with pytest.raises(EngineError, match=r"refuses the query: |is not the text") as caught:
            cb.Contingency.from_file(database.name, sql=sql)
        assert "hush" not in str(caught.value)
        assert "\n" not in str(caught.value)
    assert {path.name: path.read_bytes() for path in database.parent.iterdir()} == before
    assert python_variable


def test_queries_see_no_environment(tmp_path, monkeypatch):
    proxies = ("http_proxy", "HTTP_PROXY", "https_proxy", "HTTPS_PROXY", "all_proxy")
    secrets = ("AWS_SECRET_ACCESS_KEY", "MOTHERDUCK_TOKEN", "motherduck_token", "USER")
    for name in proxies:
        monkeypatch.setenv(name, "http://user:hush@localhost:1")
    for name in secrets:
        monkeypatch.setenv(name, "hush")
    monkeypatch.setenv("HOME", str(tmp_path / "hush"))
    path = tmp_path / "labels.duckdb"
    with duckdb.connect(str(path)) as connection:
        connection.execute("create view v as select name as a, value as b from duckdb_settings()")
        functions = connection.sql(
            "select distinct function_name from duckdb_functions() where function_type = 'table' "
            "and len(parameters) = 0 and regexp_matches(function_name, 'sett|secr|var|env|log')"
        ).fetchall()
    answers = 0
    for source in ("v", "pg_settings", *(f"{name}()" for (name,) in functions)):
        sql = f"select x::varchar as a, 1 as b from (select * from {source}) as x"
        try:
            table = cb.Contingency.from_file(path, sql=sql, missing="class")
        except (EngineError, NothingToCountError):
            continue
        assert "hush" not in str(table.classes), source
        answers += 1
    assert answers > 3


def test_queries_need_no_select_keyword(database):
    unnested = {
        "duckdb": "select unnest([1, 1, 2]) as a, 1 as b",
        "sqlite": "select value as a, 1 as b from json_each('[1, 1, 2]')",
    }
    sql = unnested[database.suffix[1:]]
    assert cb.Contingency.from_file(database, sql=sql).class_sizes.tolist() == [2, 1]
    for sql in (
        "values ('a', 1), ('b', 1)",
        "with t(a, b) as (values (1, 2), (2, 2)) select * from t -- all",
    ):
        assert cb.Contingency.from_file(database, sql=sql).shape == (2, 1)


def test_views_cannot_read_other_files(tmp_path):
    secret = write_csv(tmp_path / "secret.csv", {"a": ["hush"], "b": [1]})
    with duckdb.connect(str(tmp_path / "labels.duckdb")) as connection:
        connection.execute(f"create view v as from read_csv('{secret}')")
        connection.execute(f"create macro m() as table from read_csv('{secret}')")
    for sql in ("from v", "from m()"):
        with pytest.raises(EngineError, match="refuses the query") as caught:
            cb.Contingency.from_file(tmp_path / "labels.duckdb", sql=sql)
        assert "hush" not in str(caught.value)
    connection = sqlite3.connect(tmp_path / "labels.sqlite")
    connection.execute("create view v as select load_extension('secret.csv') as a, 1 as b")
    connection.close()
    with pytest.raises(EngineError, match="refuses the query"):
        cb.Contingency.from_file(tmp_path / "labels.sqlite", sql="select * from v")


@pytest.mark.parametrize("name", [":memory:", "it's a?b#c.db", "*.db"])
@pytest.mark.parametrize("engine", ["duckdb", "sqlite"])
def test_databases_by_any_name(tmp_path, monkeypatch, engine, name):
    connect = duckdb.connect if engine == "duckdb" else sqlite3.connect
    connection = connect(str(tmp_path / name))
    connection.execute("create table labels as select 'a' as t, 1 as k")
    connection.commit()
    connection.close()
    monkeypatch.chdir(tmp_path)
    assert cb.Contingency.from_file(name, sql="select * from labels").classes == ("a",)
    assert os.listdir(tmp_path) == [name]


ENDLESS = """
with recursive r(x) as (select cast(1 as numeric) union all select 1 - x from r)
select x as a, x as b from r
"""
ASK = """
import sys
import clusterbits as cb
print("ready", flush=True)
cb.Contingency.from_file(sys.argv[1], sql=sys.argv[2], spill=sys.argv[3])
"""


def test_endless_queries_can_be_interrupted(database, tmp_path):
    spill = tmp_path / "spill"
    spill.mkdir()
    command = [sys.executable, "-c", ASK, str(database), ENDLESS, str(spill)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        try:
            assert process.stdout.readline() == b"ready\n"
            time.sleep(1)
            assert process.poll() is None
            process.send_signal(signal.SIGINT)
            _, errors = process.communicate(timeout=20)
        finally:
            process.kill()
    assert errors.rstrip().endswith(b"KeyboardInterrupt")
    assert not list(spill.iterdir())


def test_sql_needs_a_database(tmp_path):
    path = write_csv(tmp_path / "labels.csv", COLUMNS)
    with pytest.raises(FileError, match="DuckDB or SQLite"):
        cb.Contingency.from_file(path, sql="select 1")


def test_a_database_needs_sql(database):
    with pytest.raises(FileError, match="such as sql="):
        cb.Contingency.from_file(database)
