"""Files of any kind, hostile and broken ones too; what happens when reading fails."""

from __future__ import annotations

import datetime as dt
from itertools import cycle

import numpy as np
import pyarrow as pa
import pytest
from support.files import COLUMNS, EXPECTED, FORMATS, write_csv, write_lines, write_parquet

import clusterbits as cb
from clusterbits.errors import ClusterbitsError, ColumnError, FileError, LabelError
from clusterbits.reading.files import relations


@pytest.mark.parametrize("name", FORMATS)
def test_formats(tmp_path, name):
    path = FORMATS[name](tmp_path / name, COLUMNS)
    assert cb.Contingency.from_file(path, "species", "cluster") == EXPECTED
    assert cb.Contingency.from_file(path) == EXPECTED
    assert cb.Contingency.from_file(str(path)).clusters == (0, 1, 2)


def test_any_delimiter(tmp_path):
    path = write_csv(tmp_path / "labels.csv", COLUMNS, "§")
    assert cb.Contingency.from_file(path, delimiter="§") == EXPECTED
    with pytest.raises(ColumnError, match="one column"):
        cb.Contingency.from_file(path)
    with pytest.raises(FileError, match="one character"):
        cb.Contingency.from_file(path, delimiter="§§")
    with pytest.raises(FileError, match="only CSV"):
        cb.Contingency.from_file(write_parquet(tmp_path / "l.parquet", COLUMNS), delimiter=";")


@pytest.mark.parametrize(
    ("write", "ending", "odd_one_out"),
    [
        (write_csv, "csv", "no column 'species'"),
        (write_parquet, "parquet", "no column 'species'"),
        (write_lines, "jsonl", "have one format"),  # JSON called .csv
    ],
)
def test_folders_and_patterns(tmp_path, write, ending, odd_one_out):
    folder = tmp_path / "parts" / "deeper"
    folder.mkdir(parents=True)
    write(tmp_path / "parts" / f"a.{ending}", COLUMNS)
    reordered = {name: COLUMNS[name] for name in reversed(COLUMNS)}
    write(folder / f"b [1].{ending}", reordered)
    (folder / "_SUCCESS").write_text("")
    (folder / f".hidden.{ending}").write_text("nothing of ours")
    for given_path in (
        tmp_path / "parts",
        f"{tmp_path}/parts/**/*.{ending}",
        [tmp_path / "parts" / f"a.{ending}", folder / f"b [1].{ending}"],
    ):
        table = cb.Contingency.from_file(given_path, "species", "cluster")
        assert table == EXPECTED + EXPECTED
    with pytest.raises(FileError, match="no file matches"):
        cb.Contingency.from_file(f"{tmp_path}/*.none")
    other = folder / ("other.csv" if ending == "jsonl" else f"other.{ending}")
    write(other, {"x": [1], "y": [2]})
    with pytest.raises(ClusterbitsError, match=odd_one_out):
        cb.Contingency.from_file(tmp_path / "parts", "species", "cluster")


@pytest.mark.parametrize("many", [256, 5], ids=["of the file", "of a table"])
def test_many_columns_in_several_passes(tmp_path, monkeypatch, many):
    rng = np.random.default_rng(1)
    columns = {"c": rng.integers(0, 4, 200).tolist(), "w": rng.integers(1, 5, 200).tolist()}
    columns |= {f"k{i}": rng.integers(0, i + 1, 200).tolist() for i in range(9)}
    columns["k3"][5:9] = [None] * 4
    columns["name"] = [f"n{i % 3}" for i in range(200)]
    monkeypatch.setattr(relations, "_AT_A_TIME", 4)
    monkeypatch.setattr(relations, "_MANY", many)
    for path in (
        write_csv(tmp_path / "a.csv", columns),
        write_parquet(tmp_path / "a.parquet", columns),
    ):
        found = cb.Contingency.from_file(path, "c", ["k*", "name"], missing="drop", weights="w")
        assert list(found) == [*(f"k{i}" for i in range(9)), "name"]
        for name, table in found.items():
            labels = columns["c"], columns[name]
            weights = columns["w"]
            assert table == cb.Contingency.from_labels(*labels, missing="drop", weights=weights)


def test_hundreds_of_columns_of_joined_files(tmp_path):
    classes = write_csv(tmp_path / "classes.csv", {"id": [3, 1, 2], "c": [2, 1, 1]})
    clusters = {"id": [1, 2, 3]} | {f"k{i}": [i, i % 2, 7] for i in range(300)}
    paths = [classes, write_parquet(tmp_path / "clusters.parquet", clusters)]
    tables = cb.Contingency.from_file(paths, "c", ["k*"], on="id")
    assert list(tables) == [f"k{i}" for i in range(300)]
    assert tables["k299"] == cb.Contingency.from_labels([1, 1, 2], [299, 1, 7])


def test_json_keeps_types_and_missing_keys(tmp_path):
    path = tmp_path / "labels.jsonl"
    path.write_text('{"c": 1, "k": "x"}\n{"c": "1", "k": "x"}\n{"k": "x"}\n{"c": null, "k": 2.0}\n')
    table = cb.Contingency.from_file(path, "c", "k", missing="class")
    assert set(table.classes) == {1, "1", None}
    assert set(table.clusters) == {"x", 2}
    path.write_text('{"c": [1], "k": "x"}\n')
    with pytest.raises(LabelError, match="one value"):
        cb.Contingency.from_file(path, "c", "k")


def test_types_of_parquet(tmp_path):
    day = dt.date(2024, 2, 29)
    columns = {"c": [day, day, None], "k": pa.array([1, 2, 2], pa.decimal128(9, 0))}
    table = cb.Contingency.from_file(write_parquet(tmp_path / "a.parquet", columns), missing="drop")
    assert table.classes == (day,)
    assert table.clusters == (1, 2)
    assert str(table.coverage) == "scored 2 of 3 objects (0.667) in 2 of 2 clusters"


def test_weights(tmp_path):
    columns = {"c": ["a", "b", "a"], "k": [1, 1, 1], "w": [2**51, 7, 2**52 - 1]}
    for path in (
        write_csv(tmp_path / "a.csv", columns),
        write_parquet(tmp_path / "a.parquet", columns),
    ):
        table = cb.Contingency.from_file(path, "c", "k", weights="w")
        assert table == cb.Contingency.from_labels(columns["c"], columns["k"], weights=columns["w"])
    path = write_csv(tmp_path / "b.csv", {**columns, "w": ["0.5", "1", "x"]})
    with pytest.raises(LabelError, match="no numbers"):
        cb.Contingency.from_file(path, "c", "k", weights="w")
    with pytest.raises(ColumnError, match="no column 'z'"):
        cb.Contingency.from_file(path, "c", "k", weights="z")


def test_lines_that_end_in_two_ways(tmp_path):
    path = tmp_path / "labels.csv"
    path.write_bytes(b"c,k\r\na,1\r\nb,2\nc,3\r\n")
    with pytest.raises(FileError, match=r"sed 's/\\r\$//' FILE > NEW"):
        cb.Contingency.from_file(path)


# --- hostile names and broken files ---------------------------------------------------------------

HOSTILE = [
    "'; drop table t; --",
    'a"b',
    "new\nline",
    "k*",
    "[0-9]",
    "$1 %s {x}",
    "`x`.y",
    "naïve 🦆",
    " ",
]


@pytest.mark.parametrize(("name", "ending"), [*zip(HOSTILE, cycle(["csv", "parquet", "jsonl"]))])
def test_hostile_names(tmp_path, ending, name):
    """In column names, ids, labels and paths."""
    write = FORMATS[f"labels.{ending}"]
    folder = tmp_path / name.replace("/", "")
    folder.mkdir()
    labels = [name, "plain", name, "plain"]
    columns = {name: labels, "k": [1, 2, 1, 1]}
    path = write(folder / f"{name}.{ending}", columns)
    expected = cb.Contingency.from_labels(labels, columns["k"])
    assert cb.Contingency.from_file(path, name, "k") == expected
    assert cb.Contingency.from_file([path], "k", [name])[name] == expected.transpose()
    ids = [name, name + "'", name + '"', "d"]
    truth = write(folder / f"truth.{ending}", {name + "id": ids, "c": labels})
    pred = write(
        folder / f"pred {name}.{ending}", {name + "id": ids[::-1], name: columns["k"][::-1]}
    )
    assert cb.Contingency.from_file([truth, pred], "c", name, on=name + "id") == expected
    expected.save(folder / f"table {name}.json")
    assert cb.Contingency.load(folder / f"table {name}.json") == expected


# --- faults --------------------------------------------------------------------------------------


def test_a_file_that_changes_while_it_is_read(tmp_path, monkeypatch):
    path = write_csv(tmp_path / "labels.csv", COLUMNS)
    count = relations.group_by_count

    def meanwhile(*arguments):
        answer = count(*arguments)
        with path.open("a") as stream:
            stream.write("fox,1\r\n")
        return answer

    monkeypatch.setattr(relations, "group_by_count", meanwhile)
    with pytest.raises(FileError, match="changed while it was read"):
        cb.Contingency.from_file(path)
    monkeypatch.undo()
    assert cb.Contingency.from_file(path).n == 7


def test_memory_and_spill(tmp_path):
    path = write_csv(tmp_path / "labels.csv", COLUMNS)
    spill = tmp_path / "spill; it's"
    spill.mkdir()
    assert cb.Contingency.from_file(path, memory_limit="200MB", spill=spill) == EXPECTED
    assert list(spill.iterdir()) == []
    with pytest.raises(FileError, match="lots"):
        cb.Contingency.from_file(path, memory_limit="lots")
    with pytest.raises(FileError, match="delimiter=5"):
        cb.Contingency.from_file(path, delimiter=5)
    with pytest.raises(FileError, match="spill"):
        cb.Contingency.from_file(path, spill=tmp_path / "absent")


def test_labels_that_coincide_once_read_are_added_exactly(tmp_path):
    path = tmp_path / "labels.jsonl"
    path.write_text(
        f'{{"c": 1, "k": null, "w": {2**52 + 1}}}\n{{"c": 1.0, "w": {2**52 + 2}}}\n'
        '{"c": 2, "k": 3, "w": 0}\n'
    )
    table = cb.Contingency.from_file(path, "c", "k", weights="w", missing="class")
    assert (table.classes, table.clusters, table.n) == ((1,), (None,), 2**53 + 3)
