"""Wrong or unclear answers that a review of files, frames and saved tables found; each once."""

from __future__ import annotations

import json
import os

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet
import pytest

import clusterbits as cb
from clusterbits.__main__ import main
from clusterbits.errors import ClusterbitsError, ColumnError, EngineError, FileError, LabelError

C = cb.Contingency


def written(folder, **files):
    paths = []
    for name, text in files.items():
        path = folder / f"{name}.csv"
        path.write_text(text, newline="")
        paths.append(path)
    return paths if len(paths) > 1 else paths[0]


@pytest.fixture
def command(capsys):
    def run(*arguments):
        with pytest.raises(SystemExit) as stopped:
            main([str(argument) for argument in arguments])
        out, err = capsys.readouterr()
        return stopped.value.code or 0, out, err

    return run


@pytest.mark.parametrize("start", ["\n", "\r\n", "\n\n", "\ufeff\n"])
def test_a_blank_first_line_is_no_header(tmp_path, start):
    with pytest.raises(FileError, match="first line is empty"):
        C.from_file(written(tmp_path, x=f"{start}t,k\na,1\n"), "t", "k")


def test_noise_stays_alone_in_sums(tmp_path):
    parts = written(tmp_path, a="t,k\na,-1\nb,1\n", b="t,k\nb,-1\nb,1\n")
    whole = C.from_file(parts, noise="singletons")
    tables = [C.from_file(part, noise="singletons") for part in parts]
    assert tables[0] + tables[1] == tables[1] + tables[0] == whole
    assert sum(tables, start=tables[0]).cluster_sizes.max() == 3  # cluster 1, and noise alone
    for i, table in enumerate(tables):
        table.save(tmp_path / f"{i}.json")
    assert sum(C.load(tmp_path / f"{i}.json") for i in range(2)) == whole


def test_integers_and_text_meet_as_text(tmp_path):
    parts = written(tmp_path, a="t,k\n1,01\n2,10\n", b="t,k\n1,10\nunknown,11\n")
    whole = C.from_file(parts)
    one, other = (C.from_file(part) for part in parts)
    assert one + other == other + one == whole
    assert whole.classes == ("1", "2", "unknown")
    mixed = C.from_labels([1, "1"], [0, 0])
    assert (mixed + mixed).classes == mixed.classes


def test_repeated_ids_behind_blank_lines(tmp_path):
    left, right = written(tmp_path, left="id,t\n1,a\n1,b\n", right="id,k\r\n1,x\r\n\r\n")
    with pytest.raises(LabelError, match="stands in 2 rows"):
        C.from_file([left, right], on="id")


def test_repeated_ids_of_json(tmp_path):
    (tmp_path / "t.jsonl").write_text('{"id":1,"t":"a"}\n{"id":"1","t":"b"}\n')
    (tmp_path / "p.jsonl").write_text('{"id":1,"k":1}\n')
    with pytest.raises(LabelError, match="stands in 2 rows"):
        C.from_file([tmp_path / "t.jsonl", tmp_path / "p.jsonl"], on="id")


def test_nanoseconds(tmp_path):
    stamps = [pd.Timestamp("2020-01-01") + pd.Timedelta(i, "ns") for i in (1, 2)]
    with pytest.raises(ClusterbitsError, match=r"Timestamp|datetime64"):
        C.from_labels(stamps, [0, 1]).save(tmp_path / "a.json")
    relation = duckdb.connect()
    rows = relation.sql(
        "select unnest([timestamp_ns '2020-01-01 00:00:00.000000001', "
        "timestamp_ns '2020-01-01 00:00:00.000000002']) as t, 1 as k"
    )
    assert len(C.from_frame(rows, "t", "k").classes) == 2


def test_time_zones_need_no_other_package(tmp_path):
    stamps = pa.array([0, 10**6], pa.timestamp("us", "Europe/Zurich"))
    pyarrow.parquet.write_table(pa.table({"t": stamps, "k": [1, 2]}), tmp_path / "a.parquet")
    assert C.from_file(tmp_path / "a.parquet").shape == (2, 2)


def test_options_that_cannot_apply(command, tmp_path):
    C.from_labels(["a", "b"], [1, 2]).save(tmp_path / "s.json")
    for option in (("--truth", "x"), ("--weights", "w"), ("--missing", "drop"), ("--sql", "x")):
        code, _, err = command("score", tmp_path / "s.json", *option)
        assert (code, len(err.splitlines())) == (2, 1)
        assert option[0] in err
    with pytest.raises(FileError, match="sql"):
        C.from_file(tmp_path / "s.json", sql="select 1", on="t")
    path = written(tmp_path, x="t,k\na,1\n")
    with pytest.raises(FileError, match="unmatched"):
        C.from_file(path, unmatched="drop")


def test_noise_labels_as_written(command, tmp_path):
    path = written(tmp_path, x="t,k\na,007\nb,007\na,x\n")
    code, out, _ = command("score", path, "--noise", "drop", "--noise-label", "007", "-m", "q0")
    assert code == 0
    assert out.startswith("1 object,")
    assert C.from_labels([1, 2, 3], [-1, "-1", 0], noise="drop").n == 1


def test_coverage_counts_dropped_noise():
    table = C.from_labels(["a", "b", None, "a"], [1, -1, 1, 1], noise="drop", missing="drop")
    assert table.coverage == (table.n, 4, 1, 2)


def test_one_file_named_twice_is_one(tmp_path):
    path = written(tmp_path, x="t,k\na,1\n")
    os.symlink(path, tmp_path / "link.csv")
    assert C.from_file([path, tmp_path / "." / "x.csv", tmp_path / "link.csv"]).n == 1


def test_leaderboards_of_different_objects(command, tmp_path):
    C.from_labels(["a", "b"], [1, 2]).save(tmp_path / "s.json")
    C.from_labels(["a", "a"], [1, 2]).save(tmp_path / "t.json")
    code, _, err = command("compare", tmp_path / "s.json", tmp_path / "t.json")
    assert code == 2
    assert "not clusterings of the same objects" in err


def test_leaderboards_where_one_column_is_partial(command, tmp_path):
    path = written(tmp_path, x="t,k1,k2\na,1,1\nb,1,2\na,2,\na,2,1\nb,1,2\n")
    arguments = ("compare", path, "--truth", "t", "--pred", "k*", "--missing", "drop")
    code, out, _ = command(*arguments)
    assert code == 0
    assert "4 of 5" in out
    assert "5 of 5" in out
    code, out, _ = command(*arguments, "--measure", "all", "-f", "json")
    assert code == 0
    assert len(json.loads(out)[0]) > len(cb.list_measures())


def test_encode_takes_one_column(command, tmp_path):
    path = written(tmp_path, x="t,k1,k2\na,1,1\nb,2,2\n")
    code, _, err = command("encode", path, "--truth", "t", "--pred", "k*", "-o", tmp_path / "o")
    assert code == 2
    assert "no column 'k*'" in err


def test_batches_may_be_empty_but_not_all():
    empty = pa.table({"c": pa.array([], pa.int64()), "k": pa.array([], pa.int64())})
    some = pa.table({"c": [1], "k": [2]})
    assert C.from_batches([empty, some, empty], "c", "k").n == 1
    with pytest.raises(LabelError, match="no batch has"):
        C.from_batches([empty], "c", "k")
    with pytest.raises(ColumnError, match="one cluster column"):
        C.from_batches([some], "c", ["k"])


def test_odd_frames():
    assert C.from_frame(pd.DataFrame([[1, 2], [2, 3]]), 0, 1).shape == (2, 2)
    with pytest.raises(ColumnError, match=r"one name|2 columns"):
        C.from_frame(pd.DataFrame([[1, 2]], columns=["a", "a"]), "a", "a")
    with pytest.raises(ClusterbitsError):
        C.from_frame(
            pd.DataFrame([[1, 2]], columns=pd.MultiIndex.from_tuples([(1, 2), (1, 3)])), "a"
        )
    with pytest.raises(EngineError, match="polars could not count"):
        C.from_frame(pl.scan_parquet("nowhere.parquet"), "a", "b")


def test_edited_tables(tmp_path):
    path = tmp_path / "table.json"
    C.from_labels(["a", "b", "b"], [1, 2, 3]).save(path)
    content = json.loads(path.read_text())
    for key, value in [
        ("coverage", [1, 2]),
        ("coverage", "abcd"),
        ("rows", "012"),
        ("rows", [0.9, 1.9, 2.9]),
        ("rows", [[0], [1], [2]]),
        ("classes", [{"foo": 1}, "b"]),
        ("classes", ["b", "a"]),
        ("counts", ["1", "1", "1"]),
        ("counts", [3, 0, 0]),
        ("columns", [0, 0, 0]),
        ("clusterbits", 2),
        ("digest", 0),
    ]:
        path.write_text(json.dumps(content | {key: value}))
        with pytest.raises(FileError):
            C.load(path)
    path.write_text(json.dumps(content))
    assert C.load(path).n == 3
    with pytest.raises(FileError, match="cannot be a file"):
        C.load("a\0b")


def test_odd_labels_and_paths(tmp_path, monkeypatch):
    path = written(tmp_path, x=f"t,k\n{'9' * 5001},1\n")
    assert C.from_file(path).classes == ("9" * 5001,)
    path = written(tmp_path, y=f"t,k\n{'x' * 200_000},1\n")
    assert len(C.from_file(path).classes[0]) == 200_000
    monkeypatch.chdir(tmp_path)
    written(tmp_path, **{"~x": "t,k\na,1\n"})
    assert C.from_file("~x.csv").n == 1
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(FileError, match="is a pipe"):
        C.from_file(tmp_path / "pipe")


def test_ids_of_two_number_types(tmp_path):
    for name, columns in {
        "t": {"id": pa.array([1, 2], pa.int32()), "t": ["a", "b"]},
        "p": {"id": pa.array([2.0, 1.0]), "k": [1, 2]},
    }.items():
        pyarrow.parquet.write_table(pa.table(columns), tmp_path / f"{name}.parquet")
    table = C.from_file([tmp_path / "t.parquet", tmp_path / "p.parquet"], on="id")
    assert table == C.from_labels(["a", "b"], [2, 1])


def test_weights_need_no_other_names(tmp_path):
    left, right = written(tmp_path, left="id,t,w\n1,a,2\n2,b,3\n", right="id,k\n1,x\n2,y\n")
    table = C.from_file([left, right], on="id", weights="w")
    assert table == C.from_labels(["a", "b"], ["x", "y"], weights=[2, 3])


def test_folders_and_patterns_of_saved_tables(command, tmp_path):
    folder = tmp_path / "days"
    folder.mkdir()
    for day in range(3):
        C.from_labels(["a", "b"], [1, 2]).save(folder / f"{day}.parquet")
    for given in (folder, f"{folder}/*.parquet"):
        code, out, _ = command("score", given, "-m", "q0")
        assert code == 0
        assert out.startswith("6 objects")


def test_json_keys_that_come_late(tmp_path):
    path = tmp_path / "late.jsonl"
    lines = ['{"k": 1}'] * 30_000 + ['{"k": 1, "t": "a"}']
    path.write_text("\n".join(lines))
    assert C.from_file(path, "t", "k", missing="drop").n == 1
    with pytest.raises(ColumnError, match="no column 'z'"):
        C.from_file(path, "z", "k")


def test_carriage_returns_in_decoded_classes(command, tmp_path):
    truth, pred = ["a\rb", "c"] * 2, [1, 2] * 2
    (tmp_path / "code").write_bytes(cb.encode(truth, pred))
    clusters = written(tmp_path, k="k\n1\n2\n1\n2\n")
    assert command("decode", tmp_path / "code", clusters, "-o", tmp_path / "out.csv")[0] == 0
    import csv

    with (tmp_path / "out.csv").open(newline="") as stream:
        assert [row[0] for row in csv.reader(stream)] == ["truth", *truth]


def test_line_ends_in_header_names(tmp_path):
    path = written(tmp_path, x='"t\nx",k\na,1\nb,2,3\nc,3\n')
    with pytest.raises(FileError, match="cannot be read"):
        C.from_file(path)
    assert np.array_equal(
        C.from_file(written(tmp_path, y='"t\nx",k\r\na,1\r\nc,3\r\n')).to_dense(), np.eye(2)
    )
