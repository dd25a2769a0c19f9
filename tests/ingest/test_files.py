"""Files of any kind, joined on ids or not; saved tables, batches; what happens when things fail."""

from __future__ import annotations

import csv
import datetime as dt
import gzip
import itertools
import json
import random
import resource
import signal
import sqlite3
import subprocess
import sys
import time

import duckdb
import numpy as np
import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.samples import tables

import clusterbits as cb
from clusterbits.errors import ClusterbitsError, ColumnError, EngineError, FileError, LabelError
from clusterbits.ingest.files import relations
from clusterbits.ingest.files.joins import _record_count

TRUTH = ["cat", "dog", "cat", "cat", "é;", "dog"]
PRED = [0, 1, 0, 1, 2, 1]
EXPECTED = cb.Contingency.from_labels(TRUTH, PRED)


def _csv(path, columns, delimiter=",", opened=open):
    with opened(path, "wt", newline="", encoding="utf-8") as stream:
        writer = csv.writer(stream, delimiter=delimiter)
        writer.writerow(columns)
        writer.writerows(zip(*columns.values(), strict=True))
    return path


COLUMNS = {"species": TRUTH, "cluster": PRED}


def _parquet(path, columns):
    pa.parquet.write_table(pa.table(columns), path)
    return path


def _zstd(path, columns):
    _csv(path.with_suffix(""), columns)
    with pa.OSFile(str(path), "wb") as raw, pa.CompressedOutputStream(raw, "zstd") as stream:
        stream.write(path.with_suffix("").read_bytes())
    path.with_suffix("").unlink()
    return path


def _lines(path, columns, opened=open):
    with opened(path, "wt", encoding="utf-8") as stream:
        for row in zip(*columns.values(), strict=True):
            stream.write(json.dumps(dict(zip(columns, row, strict=True))) + "\n")
    return path


def _array(path, columns):
    rows = [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]
    path.write_text(json.dumps(rows))
    return path


FORMATS = {
    "labels.csv": _csv,
    "labels.tsv": lambda path, columns: _csv(path, columns, "\t"),
    "labels.txt": lambda path, columns: _csv(path, columns, "|"),
    "labels.csv.gz": lambda path, columns: _csv(path, columns, opened=gzip.open),
    "labels.csv.zst": _zstd,
    "labels.parquet": _parquet,
    "labels.jsonl": _lines,
    "labels.jsonl.gz": lambda path, columns: _lines(path, columns, gzip.open),
    "labels.json": _array,
}


@pytest.mark.parametrize("name", FORMATS)
def test_formats(tmp_path, name):
    path = FORMATS[name](tmp_path / name, COLUMNS)
    assert cb.Contingency.from_file(path, "species", "cluster") == EXPECTED
    assert cb.Contingency.from_file(path) == EXPECTED
    assert cb.Contingency.from_file(str(path)).clusters == (0, 1, 2)


def test_any_delimiter(tmp_path):
    path = _csv(tmp_path / "labels.csv", COLUMNS, "§")
    assert cb.Contingency.from_file(path, delimiter="§") == EXPECTED
    with pytest.raises(ColumnError, match="one column"):
        cb.Contingency.from_file(path)
    with pytest.raises(FileError, match="one character"):
        cb.Contingency.from_file(path, delimiter="§§")
    with pytest.raises(FileError, match="only CSV"):
        cb.Contingency.from_file(_parquet(tmp_path / "l.parquet", COLUMNS), delimiter=";")


@pytest.mark.parametrize(
    ("write", "ending"), [(_csv, "csv"), (_parquet, "parquet"), (_lines, "jsonl")]
)
def test_folders_and_patterns(tmp_path, write, ending):
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
    write(folder / "other.csv", {"x": [1], "y": [2]})
    with pytest.raises(
        ClusterbitsError,
        match=r"one format|differ in their columns|no column|cannot be|missing label",
    ):
        cb.Contingency.from_file(tmp_path / "parts", "species", "cluster")


def test_many_columns_in_one_pass(tmp_path, monkeypatch):
    rng = np.random.default_rng(1)
    columns = {"c": rng.integers(0, 4, 200).tolist()}
    columns |= {f"k{i}": rng.integers(0, i + 1, 200).tolist() for i in range(9)}
    columns["name"] = [f"n{i % 3}" for i in range(200)]
    monkeypatch.setattr(relations, "_AT_A_TIME", 4)
    for path in (_csv(tmp_path / "a.csv", columns), _parquet(tmp_path / "a.parquet", columns)):
        found = cb.Contingency.from_file(path, "c", ["k*", "name"])
        assert list(found) == [*(f"k{i}" for i in range(9)), "name"]
        for name, table in found.items():
            assert table == cb.Contingency.from_labels(columns["c"], columns[name])


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
    table = cb.Contingency.from_file(_parquet(tmp_path / "a.parquet", columns), missing="drop")
    assert table.classes == (day,)
    assert table.clusters == (1, 2)
    assert str(table.coverage) == "scored 2 of 3 objects (0.667) in 2 of 2 clusters"


def test_weights(tmp_path):
    columns = {"c": ["a", "b", "a"], "k": [1, 1, 1], "w": [2**60, 7, 2**60]}
    for path in (_csv(tmp_path / "a.csv", columns), _parquet(tmp_path / "a.parquet", columns)):
        table = cb.Contingency.from_file(path, "c", "k", weights="w")
        assert table == cb.Contingency.from_labels(columns["c"], columns["k"], weights=columns["w"])
    path = _csv(tmp_path / "b.csv", {**columns, "w": ["0.5", "1", "x"]})
    with pytest.raises(LabelError, match="no numbers"):
        cb.Contingency.from_file(path, "c", "k", weights="w")
    with pytest.raises(ColumnError, match="no column 'z'"):
        cb.Contingency.from_file(path, "c", "k", weights="z")


# --- two files -----------------------------------------------------------------------------------

IDS = ["a", "b", "c", "d", "e", "f"]


@pytest.fixture(
    params=itertools.product(FORMATS, ["labels.csv", "labels.parquet", "labels.jsonl"]),
    ids=" ".join,
)
def two_files(request, tmp_path):
    left, right = request.param
    for folder in ("t", "p"):
        (tmp_path / folder).mkdir()

    def write(truth, pred):
        return [
            FORMATS[left](tmp_path / "t" / left, truth),
            FORMATS[right](tmp_path / "p" / right, pred),
        ]

    return write


def test_joined(two_files):
    order = [3, 0, 5, 1, 2, 4]
    numbers = [*range(5), 10**12]
    for ids in (IDS, numbers):
        paths = two_files(
            {"id": ids, "species": TRUTH},
            {"cluster": [PRED[i] for i in order], "id": [ids[i] for i in order]},
        )
        assert cb.Contingency.from_file(paths, "species", "cluster", on="id") == EXPECTED
        assert cb.Contingency.from_file(paths, on="id") == EXPECTED


def test_unmatched(tmp_path):
    paths = [
        _csv(tmp_path / "truth.csv", {"id": ["a", "b", "c", "x"], "c": ["u", "u", "v", "v"]}),
        _csv(tmp_path / "pred.csv", {"id": ["c", "b", "a", "y", "z"], "k": [1, 2, 2, 3, 2]}),
    ]
    with pytest.raises(
        LabelError,
        match=r"1 only in .*truth.csv \(such as id 'x'\) and 2 only in "
        r".*pred.csv \(such as id 'y'\); 3 in both.*unmatched",
    ):
        cb.Contingency.from_file(paths, on="id")
    table = cb.Contingency.from_file(paths, on="id", unmatched="drop")
    assert table == cb.Contingency.from_labels(["u", "u", "v"], [2, 2, 1])
    assert table.coverage == (3, 6, 2, 3)
    table = cb.Contingency.from_file(paths, on="id", unmatched="class")
    truth, pred = ["u", "u", "v", "v", None, None], [2, 2, 1, None, 3, 2]
    assert table == cb.Contingency.from_labels(truth, pred, missing="class")
    assert table.coverage is None
    with pytest.raises(ClusterbitsError, match="unmatched='x'"):
        cb.Contingency.from_file(paths, on="id", unmatched="x")


def test_missing_labels_and_ids_when_joining(tmp_path):
    paths = [
        _csv(tmp_path / "t.csv", {"id": ["a", "b", "c", "x"], "c": ["u", "", "v", ""]}),
        _csv(tmp_path / "p.csv", {"id": ["c", "b", "a", ""], "k": ["", 2, 2, 9]}),
    ]
    with pytest.raises(LabelError, match="column 'c' has 1 missing label"):
        cb.Contingency.from_file(paths, on="id", unmatched="drop")
    table = cb.Contingency.from_file(paths, on="id", unmatched="drop", missing="drop")
    assert table == cb.Contingency.from_labels(["u"], [2])
    assert table.coverage == (1, 5, 1, 2)
    table = cb.Contingency.from_file(paths, on="id", unmatched="class", missing="drop")
    assert table == cb.Contingency.from_labels(["u", None, None], [2, None, 9], missing="class")


@pytest.mark.parametrize("unmatched", ["error", "drop", "class"])
@pytest.mark.parametrize("repeated", ["truth in both", "pred in both", "truth alone", "pred alone"])
def test_repeated_ids(tmp_path, repeated, unmatched):
    truth, pred = ["a", "b", "c"], ["a", "b", "c"]
    if "both" not in repeated:
        truth.append("t")
        pred.append("p")
    side = truth if "truth" in repeated else pred
    side.append(side[-1])
    paths = [
        _csv(tmp_path / "truth.csv", {"id": truth, "c": range(len(truth))}),
        _csv(tmp_path / "pred.csv", {"id": pred, "k": range(len(pred))}),
    ]
    who = "truth" if side is truth else "pred"
    with pytest.raises(LabelError, match=f"{who}.csv: id '{side[-1]}' stands in 2 rows"):
        cb.Contingency.from_file(paths, on="id", unmatched=unmatched)


def test_several_id_columns_and_predictions(tmp_path):
    truth = {"day": [1, 1, 2], "no": ["x", "y", "x"], "c": ["a", "b", "b"], "w": [1, 2, 3]}
    pred = {"no": ["x", "x", "y"], "day": [2, 1, 1], "k1": [5, 6, 6], "k2": [7, 7, 7]}
    paths = [_csv(tmp_path / "t.csv", truth), _parquet(tmp_path / "p.parquet", pred)]
    found = cb.Contingency.from_file(paths, "c", "k*", on=["day", "no"])
    assert list(found) == ["k1", "k2"]
    assert found["k1"] == cb.Contingency.from_labels(["a", "b", "b"], [6, 6, 5])
    weighted = cb.Contingency.from_file(paths, "c", "k1", on=["day", "no"], weights="w")
    assert weighted == cb.Contingency.from_labels(["a", "b", "b"], [6, 6, 5], weights=[1, 2, 3])
    with pytest.raises(LabelError, match=r"pred|stands in 2 rows"):
        cb.Contingency.from_file(paths, "c", "k1", on="day")
    with pytest.raises(FileError, match="joins two sources"):
        cb.Contingency.from_file(paths[0], on="day")
    with pytest.raises(ColumnError, match=r"no column 'dya'.*Did you mean 'day'"):
        cb.Contingency.from_file(paths, on="dya")


def test_ids_as_written(tmp_path):
    """01 and 1 are two ids; so are 7.5 and 8."""
    paths = [
        _csv(tmp_path / "t.csv", {"id": ["01", "1", "7.5", "8"], "c": list("abcd")}),
        _csv(tmp_path / "p.csv", {"id": ["8", "7.5", "1", "01"], "k": list("dcba")}),
    ]
    assert cb.ari(cb.Contingency.from_file(paths, on="id")) == 1


@given(
    st.lists(st.sampled_from(["a,1", "b,2", "", '"q\nr",3', "c,4\r"]), max_size=8), st.booleans()
)
def test_line_counts_never_lie(tmp_path_factory, lines, ending):
    path = tmp_path_factory.mktemp("lines") / "labels.csv"
    path.write_text("\n".join(["id,c", *lines]) + "\n" * ending, newline="")
    count = _record_count(path)
    assert count is None or count - 1 == sum(1 for line in lines if line)


def _random_sides(seed):
    chance = random.Random(seed)
    ids = [str(i) for i in range(chance.randint(1, 12))]
    truth = {i: chance.choice("ab") for i in ids if chance.random() < 0.8}
    pred = {i: str(chance.randint(0, 2)) for i in ids if chance.random() < 0.8}
    return truth | {"both": "a"}, pred | {"both": "1"}


@pytest.mark.parametrize("seed", range(25))
def test_joins_like_python(tmp_path, seed):
    truth, pred = _random_sides(seed)
    paths = [
        _csv(tmp_path / "t.csv", {"id": list(truth), "c": list(truth.values())}),
        _csv(tmp_path / "p.csv", {"id": list(pred), "k": list(pred.values())}),
    ]
    both = [i for i in truth if i in pred]
    expected = cb.Contingency.from_labels([truth[i] for i in both], [int(pred[i]) for i in both])
    found = cb.Contingency.from_file(paths, on="id", unmatched="drop")
    assert found == expected
    if len(both) < len({*truth, *pred}):
        judged = len({pred[i] for i in both})
        assert found.coverage == (len(both), len({*truth, *pred}), judged, len({*pred.values()}))


# --- databases -----------------------------------------------------------------------------------


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
        with pytest.raises(ClusterbitsError):
            cb.Contingency.from_file(database, sql=sql)
    assert database.read_bytes() == before
    with pytest.raises(FileError, match="--sql"):
        cb.Contingency.from_file(database)


def test_sql_needs_a_database(tmp_path):
    path = _csv(tmp_path / "labels.csv", COLUMNS)
    with pytest.raises(FileError, match="DuckDB or SQLite"):
        cb.Contingency.from_file(path, sql="select 1")


# --- saved tables and batches --------------------------------------------------------------------


@pytest.mark.parametrize("ending", ["json", "parquet"])
@settings(max_examples=25)
@given(table=tables())
def test_saved_tables_come_back(tmp_path_factory, ending, table):
    path = tmp_path_factory.mktemp("saved") / f"table.{ending}"
    table.save(path)
    found = cb.Contingency.load(path)
    assert found == table
    assert found.classes == table.classes
    assert found.clusters == table.clusters
    assert found.exact == table.exact
    assert found.n == table.n


NAMES = [
    None,
    True,
    0,
    2**70,
    "it's",
    'x"\n;',
    dt.date(2024, 1, 1),
    dt.datetime(2024, 1, 1, 5),
    b"\x00",
    (-1, 3),
]


@pytest.mark.parametrize("ending", ["json", "parquet"])
def test_saved_labels(tmp_path, ending):
    path = tmp_path / f"it's a *table*.{ending}"
    table = cb.Contingency.from_counts(np.eye(len(NAMES)) * 2.0**60, NAMES, NAMES[::-1])
    table.save(path)
    found = cb.Contingency.load(path)
    assert found == table
    assert found.classes == tuple(NAMES)
    assert found.clusters == tuple(NAMES[::-1])
    assert list(map(type, found.classes)) == list(map(type, NAMES))
    odd = cb.Contingency.from_counts([[1]], [frozenset("a")], ["x"])
    with pytest.raises(ClusterbitsError, match="frozenset"):
        odd.save(tmp_path / f"odd.{ending}")
    assert not (tmp_path / f"odd.{ending}").exists()


def test_saved_coverage(tmp_path):
    table = cb.Contingency.from_labels(["a", None, "b"], [1, 2, 1], missing="drop")
    assert table.coverage == (2, 3, 1, 2)
    table.save(tmp_path / "table.json")
    assert cb.Contingency.load(tmp_path / "table.json").coverage == table.coverage


@pytest.mark.parametrize("ending", ["json", "parquet"])
def test_cut_and_foreign_tables(tmp_path, ending):
    path = tmp_path / f"table.{ending}"
    EXPECTED.save(path)
    whole = path.read_bytes()
    for length in [*range(0, len(whole) - 1, max(len(whole) // 40, 1)), len(whole) - 1]:
        path.write_bytes(whole[:length])
        with pytest.raises(FileError):
            cb.Contingency.load(path)
    for foreign in (
        b"",
        b"[]",
        b"{}",
        b"hello",
        b"\xff\xfe",
        b'{"clusterbits": 99}',
        b"[" * 100_000,
        b'{"clusterbits":1,"cells":1,"n":1}',
        b"PAR1",
    ):
        path.write_bytes(foreign)
        with pytest.raises(FileError):
            cb.Contingency.load(path)
    _parquet(tmp_path / "labels.parquet", COLUMNS)
    with pytest.raises(FileError, match="no table saved by clusterbits"):
        cb.Contingency.load(tmp_path / "labels.parquet")
    with pytest.raises(FileError, match="cannot be read"):
        cb.Contingency.load(tmp_path / "absent.json")
    with pytest.raises(FileError, match=r"\.json or \.parquet"):
        EXPECTED.save(tmp_path / "table.xlsx")


def test_a_changed_digit_is_noticed(tmp_path):
    path = tmp_path / "table.json"
    EXPECTED.save(path)
    text = path.read_text()
    content = json.loads(text)
    content["counts"][0] += 1
    path.write_text(json.dumps(content))
    with pytest.raises(FileError, match="counts are not those"):
        cb.Contingency.load(path)


@settings(max_examples=40)
@given(st.lists(tables(), min_size=1, max_size=6), st.randoms(use_true_random=False))
def test_sums_do_not_depend_on_order(parts, chance):
    total = sum(parts)
    shuffled = chance.sample(parts, len(parts))
    merged = cb.Contingency.from_batches(shuffled)
    if all(part.exact for part in parts):
        assert merged == total
        assert (parts[0] + total) == (total + parts[0])
    assert merged.n == pytest.approx(total.n)


def test_batches():
    rng = np.random.default_rng(0)
    truth, pred = rng.integers(0, 5, 1000), rng.integers(-1, 7, 1000)
    parts = [slice(i, i + 90) for i in range(0, 1000, 90)]
    whole = cb.Contingency.from_labels(truth, pred)
    assert cb.Contingency.from_batches((truth[p], pred[p]) for p in parts) == whole
    frames = [pa.table({"c": truth[p], "k": pred[p]}) for p in parts]
    assert cb.Contingency.from_batches(frames, "c", "k") == whole
    batches = pa.Table.from_batches([b for f in frames for b in f.to_batches()]).to_reader(50)
    assert cb.Contingency.from_batches(batches, "c", "k") == whole
    alone = cb.Contingency.from_batches(((truth[p], pred[p]) for p in parts), noise="singletons")
    assert alone == cb.Contingency.from_labels(truth, pred, noise="singletons")
    with pytest.raises(LabelError, match="no batch has"):
        cb.Contingency.from_batches([])


# --- hostile names -------------------------------------------------------------------------------

HOSTILE = [
    "'; drop table t; --",
    'a"b',
    "a;b",
    "new\nline",
    "k*",
    "[0-9]",
    "select 1",
    "#1",
    "c0",
    "$1 %s {x}",
    "`x`.y",
    "naïve 🦆",
    " ",
    "\\t",
]


@pytest.mark.parametrize("write", [_csv, _parquet, _lines], ids=["csv", "parquet", "jsonl"])
@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_names(tmp_path, write, name):
    """In column names, ids, labels and paths."""
    ending = {"_csv": "csv", "_parquet": "parquet", "_lines": "jsonl"}[write.__name__]
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
    expected.save(folder / f"{name}.json")
    expected.save(folder / f"table {name}.parquet")
    assert cb.Contingency.load(folder / f"table {name}.parquet") == expected


@pytest.mark.parametrize("seed", range(150))
def test_broken_files_are_refused_in_one_line(tmp_path, seed):
    """Files with bytes flipped, cut and inserted: a table or a clear error, nothing else."""
    chance = random.Random(seed)
    name = chance.choice(list(FORMATS))
    path = FORMATS[name](tmp_path / name, COLUMNS)
    content = bytearray(path.read_bytes())
    for _ in range(chance.randint(1, 6)):
        at = chance.randrange(len(content))
        match chance.randrange(4):
            case 0:
                content[at] ^= 1 << chance.randrange(8)
            case 1:
                del content[at : at + chance.randint(1, 9)]
            case 2:
                content[at:at] = chance.randbytes(chance.randint(1, 5))
            case 3:
                content[at:at] = chance.choice([b'"', b"\n", b",", b"\x00", b"\r", b"{", b"\\"])
        if not content:
            break
    path.write_bytes(content)
    try:
        cb.Contingency.from_file(path, missing=chance.choice(["error", "drop", "class"]))
    except ClusterbitsError as error:
        if len(str(error)) > 1000:
            pytest.fail("an error that nobody reads")


# --- faults --------------------------------------------------------------------------------------


def test_a_file_that_changes_while_it_is_read(tmp_path, monkeypatch):
    path = _csv(tmp_path / "labels.csv", COLUMNS)
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
    path = _csv(tmp_path / "labels.csv", COLUMNS)
    spill = tmp_path / "spill; it's"
    spill.mkdir()
    assert cb.Contingency.from_file(path, memory_limit="200MB", spill=spill) == EXPECTED
    assert list(spill.iterdir()) == []
    with pytest.raises(FileError, match="lots"):
        cb.Contingency.from_file(path, memory_limit="lots")
    with pytest.raises(FileError, match="spill"):
        cb.Contingency.from_file(path, spill=tmp_path / "absent")


def _small_files():
    """Refuse files of more than 1,000 bytes, as a full disk does."""
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))


SAVE = """
import sys
import clusterbits as cb
try:
    cb.Contingency.from_labels(range(3000), range(3000)).save(sys.argv[1])
except cb.errors.FileError as error:
    print(error)
    sys.exit(2)
"""


@pytest.mark.parametrize("ending", ["json", "parquet"])
def test_a_full_disk_while_saving(tmp_path, ending):
    path = tmp_path / f"table.{ending}"
    EXPECTED.save(path)
    before = path.read_bytes()
    done = subprocess.run(
        [sys.executable, "-c", SAVE, path], preexec_fn=_small_files, capture_output=True, text=True
    )
    assert done.returncode == 2, done.stderr
    assert "cannot be written" in done.stdout
    assert path.read_bytes() == before
    assert list(tmp_path.iterdir()) == [path]


def test_interrupted(tmp_path):
    """Ctrl-C while counting: exit code 130, no output, nothing left behind."""
    path = tmp_path / "labels.csv"
    with path.open("w") as stream:
        stream.write("c,k\n")
        for _ in range(60):
            stream.write("".join(f"{i},{i * 7919 % 99991}\n" for i in range(100_000)))
    spill = tmp_path / "spill"
    spill.mkdir()
    process = subprocess.Popen(
        [
            sys.executable,
            "-m",
            "clusterbits",
            "score",
            path,
            "--save",
            tmp_path / "out.json",
            "--spill",
            spill,
        ],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    while not any(spill.iterdir()) and process.poll() is None:
        time.sleep(0.01)  # the spill folder appears when counting begins
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=60)
    assert process.returncode == 130, err.decode()
    assert out == b""
    assert b"Traceback" not in err
    assert not (tmp_path / "out.json").exists()
    assert list(spill.iterdir()) == []


def test_unreadable_query_of_the_engine():
    connection = duckdb.connect()
    connection.execute("create table t as select 'x' || i as k from range(3) r(i)")
    relation = connection.sql("select 1 as c, cast(k as integer) as k from t")
    with pytest.raises(EngineError, match="duckdb could not count"):
        cb.Contingency.from_frame(relation, "c", "k")


def test_lines_that_end_in_two_ways(tmp_path):
    path = tmp_path / "labels.csv"
    path.write_bytes(b"c,k\r\na,1\r\nb,2\nc,3\r\n")
    with pytest.raises(FileError, match="end in two ways"):
        cb.Contingency.from_file(path)
