"""Small label files of every format."""

from __future__ import annotations

import csv
import gzip
import json
import sqlite3

import duckdb
import pyarrow as pa
import pyarrow.parquet

import clusterbits as cb

TRUTH = ["cat", "dog", "cat", "cat", "é;", "dog"]
PRED = [0, 1, 0, 1, 2, 1]
EXPECTED = cb.Contingency.from_labels(TRUTH, PRED)


def write_csv(path, columns, delimiter=",", opened=open):
    with opened(path, "wt", newline="", encoding="utf-8") as stream:
        writer = csv.writer(stream, delimiter=delimiter)
        writer.writerow(columns)
        writer.writerows(zip(*columns.values(), strict=True))
    return path


COLUMNS = {"species": TRUTH, "cluster": PRED}


def write_parquet(path, columns):
    pa.parquet.write_table(pa.table(columns), path)
    return path


def write_lines(path, columns, opened=open):
    with opened(path, "wt", encoding="utf-8") as stream:
        for row in zip(*columns.values(), strict=True):
            stream.write(json.dumps(dict(zip(columns, row, strict=True))) + "\n")
    return path


def _array(path, columns):
    rows = [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]
    path.write_text(json.dumps(rows))
    return path


def write_duckdb(path, columns):
    with duckdb.connect(path) as connection:
        connection.from_arrow(pa.table(columns)).create("labels")
    return path


def write_sqlite(path, columns):
    connection = sqlite3.connect(path)
    connection.execute(f"create table labels ({', '.join(columns)})")
    places = ", ".join("?" * len(columns))
    rows = zip(*columns.values(), strict=True)
    connection.executemany(f"insert into labels values ({places})", rows)
    connection.commit()
    connection.close()
    return path


# Their table is called labels.
DATABASES = {"labels.duckdb": write_duckdb, "labels.sqlite": write_sqlite}
FORMATS = {
    "labels.csv": write_csv,
    "labels.tsv": lambda path, columns: write_csv(path, columns, "\t"),
    "labels.txt": lambda path, columns: write_csv(path, columns, "|"),
    "labels.csv.gz": lambda path, columns: write_csv(path, columns, opened=gzip.open),
    "labels.parquet": write_parquet,
    "labels.jsonl": write_lines,
    "labels.jsonl.gz": lambda path, columns: write_lines(path, columns, gzip.open),
    "labels.json": _array,
}
