"""Files that nobody would write on purpose: odd headers, numbers, line ends, ids and paths."""

import os

import numpy as np
import pyarrow as pa
import pyarrow.parquet
import pytest
from support.texts import write_texts

import clusterbits as cb
from clusterbits.errors import ColumnError, FileError, LabelError

from_file = cb.Contingency.from_file


def test_noise_in_text_columns(tmp_path):
    table = from_file(write_texts(tmp_path, x="c,k\nx,-1\ny,-1\nx,A\ny,B\n"), noise="drop")
    assert (table.n, cb.rand(table)) == (2, 1)


def test_long_numbers_stay_apart(tmp_path):
    path = tmp_path / "labels.csv"
    path.write_text("c,k\n99999999999999999999.0,1\n99999999999999999998.0,2\n")
    assert len(from_file(path).classes) == 2
    path.write_text("c,k\n1.5e999,1\n2,2\n")
    assert from_file(path).classes == ("1.5e999", "2")


def test_headers_without_names(tmp_path):
    path = tmp_path / "labels.csv"
    path.write_text("\n\n\n")
    with pytest.raises(FileError, match="header"):
        from_file(path)
    path.write_text("a,b\n1,2\n")
    with pytest.raises(ColumnError, match="no column 0"):
        from_file(path, truth=0, pred=1)


@pytest.mark.parametrize("start", ["\n", "\r\n", "\n\n", "\ufeff\n"])
def test_a_blank_first_line_is_no_header(tmp_path, start):
    with pytest.raises(FileError, match="first line is empty"):
        from_file(write_texts(tmp_path, x=f"{start}t,k\na,1\n"), "t", "k")


def test_line_ends_in_header_names(tmp_path):
    path = write_texts(tmp_path, x='"t\nx",k\na,1\nb,2,3\nc,3\n')
    with pytest.raises(FileError, match="cannot be read"):
        from_file(path)
    assert np.array_equal(
        from_file(write_texts(tmp_path, y='"t\nx",k\r\na,1\r\nc,3\r\n')).to_dense(), np.eye(2)
    )


def test_repeated_ids_behind_blank_lines(tmp_path):
    left, right = write_texts(tmp_path, left="id,t\n1,a\n1,b\n", right="id,k\r\n1,x\r\n\r\n")
    with pytest.raises(LabelError, match="stands in 2 rows"):
        from_file([left, right], on="id")


def test_repeated_ids_of_json(tmp_path):
    (tmp_path / "t.jsonl").write_text('{"id":1,"t":"a"}\n{"id":"1","t":"b"}\n')
    (tmp_path / "p.jsonl").write_text('{"id":1,"k":1}\n')
    with pytest.raises(LabelError, match="stands in 2 rows"):
        from_file([tmp_path / "t.jsonl", tmp_path / "p.jsonl"], on="id")


def test_ids_of_two_number_types(tmp_path):
    for name, columns in {
        "t": {"id": pa.array([1, 2], pa.int32()), "t": ["a", "b"]},
        "p": {"id": pa.array([2.0, 1.0]), "k": [1, 2]},
    }.items():
        pyarrow.parquet.write_table(pa.table(columns), tmp_path / f"{name}.parquet")
    table = from_file([tmp_path / "t.parquet", tmp_path / "p.parquet"], on="id")
    assert table == cb.Contingency.from_labels(["a", "b"], [2, 1])


def test_one_file_named_twice_is_one(tmp_path):
    path = write_texts(tmp_path, x="t,k\na,1\n")
    os.symlink(path, tmp_path / "link.csv")
    assert from_file([path, tmp_path / "." / "x.csv", tmp_path / "link.csv"]).n == 1


def test_long_labels_and_odd_paths(tmp_path, monkeypatch):
    path = write_texts(tmp_path, x=f"t,k\n{'9' * 5001},1\n")
    assert from_file(path).classes == ("9" * 5001,)
    path = write_texts(tmp_path, y=f"t,k\n{'x' * 200_000},1\n")
    assert len(from_file(path).classes[0]) == 200_000
    monkeypatch.chdir(tmp_path)
    write_texts(tmp_path, **{"~x": "t,k\na,1\n"})
    assert from_file("~x.csv").n == 1


def test_joins_with_weights_find_their_columns(tmp_path):
    left, right = write_texts(tmp_path, left="id,t,w\n1,a,2\n2,b,3\n", right="id,k\n1,x\n2,y\n")
    table = from_file([left, right], on="id", weights="w")
    assert table == cb.Contingency.from_labels(["a", "b"], ["x", "y"], weights=[2, 3])


def test_json_keys_that_come_late(tmp_path):
    path = tmp_path / "late.jsonl"
    lines = ['{"k": 1}'] * 30_000 + ['{"k": 1, "t": "a"}']
    path.write_text("\n".join(lines))
    assert from_file(path, "t", "k", missing="drop").n == 1
    with pytest.raises(ColumnError, match="no column 'z'"):
        from_file(path, "z", "k")
