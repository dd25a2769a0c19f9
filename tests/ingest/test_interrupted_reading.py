"""Ctrl-C at any call of DuckDB is Ctrl-C, and no error of the file."""

import itertools
from functools import partial

import duckdb
import pytest
from support.files import COLUMNS, DATABASES, FORMATS

import clusterbits as cb
from clusterbits.ingest.files.ordered import read_classes_and_clusters

# DuckDB reports it in two ways.
INTERRUPTS = [duckdb.InterruptException("stop"), RuntimeError("Query interrupted")]


class Counted:
    """A connection or relation whose calls are counted, those of its relations, too."""

    def __init__(self, real, count):
        self.real, self.count = real, count

    def __enter__(self):
        return self

    def __exit__(self, *error):
        return self.real.__exit__(*error)

    def __getattr__(self, name):
        found = getattr(self.real, name)
        if not callable(found) or name == "query_progress":  # asked by the bar's own thread
            return found

        def call(*arguments, **options):
            self.count()
            plain = [a.real if isinstance(a, Counted) else a for a in arguments]
            result = found(*plain, **options)
            kinds = duckdb.DuckDBPyConnection, duckdb.DuckDBPyRelation
            return Counted(result, self.count) if isinstance(result, kinds) else result

        return call


def interruptions(monkeypatch, work):
    """Interrupt the first call of DuckDB, then the second, until the work is done."""
    connect = duckdb.connect
    for number in itertools.count():
        calls = itertools.count()

        def count(calls=calls, number=number):
            if next(calls) == number:
                raise INTERRUPTS[number % 2]

        made = partial(lambda count, *a, **o: Counted(connect(*a, **o), count), count)
        monkeypatch.setattr(duckdb, "connect", made)
        try:
            work()
        except KeyboardInterrupt:
            continue
        finally:
            monkeypatch.undo()
        return number
    raise AssertionError("unreachable")


# Other formats are opened by the same calls.
NAMES = [f"labels.{ending}" for ending in ("csv", "csv.zst", "parquet", "jsonl", "duckdb")]


@pytest.mark.parametrize("name", NAMES)
def test_reading(name, tmp_path, monkeypatch):
    path = (FORMATS | DATABASES)[name](tmp_path / name, COLUMNS)
    sql = {"sql": "select * from labels"} if name in DATABASES else {}
    many = interruptions(monkeypatch, lambda: cb.Contingency.from_file(path, *COLUMNS, **sql))
    assert many > 3
    if not sql:
        interruptions(monkeypatch, lambda: read_classes_and_clusters(path, *COLUMNS, None))


def test_joins(tmp_path, monkeypatch):
    paths = [FORMATS[n](tmp_path / n, COLUMNS | {"id": range(6)}) for n in list(FORMATS)[:2]]
    work = lambda: cb.Contingency.from_file(paths, *COLUMNS, on="id")  # noqa: E731
    assert interruptions(monkeypatch, work) > 3


def test_saved_tables(tmp_path, monkeypatch):
    table, path = cb.Contingency.from_labels(*COLUMNS.values()), tmp_path / "table.parquet"
    assert interruptions(monkeypatch, lambda: table.save(path)) > 1
    assert interruptions(monkeypatch, lambda: cb.Contingency.load(path)) > 1
