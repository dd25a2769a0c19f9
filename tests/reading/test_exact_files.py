"""Numbers and names in files are compared exactly, or refused."""

import os
import sqlite3

import duckdb
import pyarrow as pa
import pytest
from support.files import DATABASES, FORMATS, write_csv, write_lines, write_parquet

import clusterbits as cb
from clusterbits.errors import ColumnError, FileError, LabelError, NothingToCountError, TableError
from clusterbits.reading.files.ordered import read_clustering
from clusterbits.reading.request import Request

from_file = cb.Contingency.from_file
LARGE = 2**53
WRITERS = {"csv": write_csv, "jsonl": write_lines, "parquet": write_parquet}


def _write_database(path, columns):
    connection = duckdb.connect(path) if path.suffix == ".duckdb" else sqlite3.connect(path)
    kinds = {str: "text", int: "bigint", float: "double"}
    named = ", ".join(f"{name} {kinds[type(values[0])]}" for name, values in columns.items())
    connection.execute(f"create table labels ({named})")
    marks = ", ".join("?" * len(columns))
    for row in zip(*columns.values(), strict=True):
        connection.execute(f"insert into labels values ({marks})", row)
    connection.commit()
    connection.close()
    return path


@pytest.fixture(params=[*WRITERS, "duckdb", "sqlite"])
def count(request, tmp_path):
    """Return a function that writes columns to a file and counts them."""

    def write_and_count(columns, **options):
        path = tmp_path / f"labels.{request.param}"
        if request.param in WRITERS:
            WRITERS[request.param](path, columns)
        else:
            path.unlink(missing_ok=True)
            _write_database(path, columns)
            options["sql"] = "select * from labels"
        return from_file(path, "t", "k", **options)

    return write_and_count


def test_large_integers_stay_apart(count):
    assert count({"t": [LARGE, LARGE + 1], "k": [1, 1]}).classes == (LARGE, LARGE + 1)


@pytest.mark.parametrize("value", [float(LARGE), 1e300])
def test_large_floats_are_no_labels(count, request, value):
    columns = {"t": [value, 1.0], "k": [1, 2]}
    if "csv" in request.node.name:  # text, compared as it is written
        assert len(count(columns).classes) == 2
        return
    with pytest.raises(LabelError, match="a float so large"):
        count(columns)


@pytest.mark.parametrize(("kind", "limit"), [(pa.float64(), LARGE), (pa.float32(), 2**24)], ids=str)
def test_parts_of_two_number_types(tmp_path, kind, limit):
    for ones, fails in (([1, 2], False), ([limit + 1, 2], True)):
        write_parquet(tmp_path / "1.parquet", {"t": pa.array(ones, pa.int64()), "k": ["a", "b"]})
        write_parquet(tmp_path / "2.parquet", {"t": pa.array([1.0], kind), "k": ["a"]})
        if fails:
            with pytest.raises(LabelError, match="a float so large"):
                from_file(tmp_path, "t", "k")
        else:
            assert from_file(tmp_path, "t", "k").class_sizes.tolist() == [2, 1]


@pytest.mark.parametrize(
    ("kind", "limit", "beside"),
    [("DOUBLE", LARGE, "INTEGER"), ("DOUBLE", LARGE, "VARCHAR"), ("FLOAT", 2**24, "TIMESTAMP")],
)
def test_the_limit_of_floats_is_that_of_their_type(tmp_path, kind, limit, beside):
    other = "'2024-05-01'" if beside == "TIMESTAMP" else "'7'"
    for value, fails in ((limit - 1, False), (limit, True)):
        path, database = tmp_path / f"{value}.parquet", tmp_path / f"{value}.duckdb"
        with duckdb.connect(database) as connection:
            rows = f"(values ({value}::{kind}, {other}::{beside}), (null, {other})) as rows(a, b)"
            connection.execute(f"create table labels as select * from {rows}")
            connection.table("labels").write_parquet(str(path))
        counts = [
            lambda path=path: from_file(path, "a", "b", missing="drop"),
            lambda path=path: from_file(path, "b", "a", missing="drop"),
            lambda db=database: from_file(db, sql="select * from labels", missing="drop"),
            lambda path=path: read_clustering(Request(path, "a", "b"))[1],
        ]
        for count in counts:
            if fails:
                with pytest.raises(LabelError, match="a float so large"):
                    count()
            else:
                count()


@pytest.mark.parametrize(
    ("first", "floats", "limit"),
    [
        (pa.int64(), pa.float64(), LARGE),
        (pa.uint64(), pa.float32(), 2**24),
        (pa.decimal128(20, 0), pa.float64(), LARGE),
        (pa.float64(), pa.float32(), 2**24),
    ],
)
def test_ids_that_floats_cannot_tell_apart(tmp_path, first, floats, limit):
    ids = pa.array([limit, limit + 2], pa.int64()).cast(first, safe=False)
    truth = write_parquet(tmp_path / "t.parquet", {"id": ids, "t": ["a", "b"]})
    found = pa.array([float(limit), float(limit + 2)], floats)
    pred = write_parquet(tmp_path / "p.parquet", {"id": found, "k": [1, 2]})
    for paths, names in (([truth, pred], "tk"), ([pred, truth], "kt")):
        with pytest.raises(LabelError, match="a float so large"):
            from_file(paths, *names, on="id", unmatched="drop")


@pytest.mark.parametrize(
    "kinds",
    [
        (pa.int64(), pa.uint64()),
        (pa.decimal128(20, 0), pa.int64()),
        (pa.decimal128(22, 2), pa.decimal128(20, 0)),
    ],
    ids=str,
)
def test_ids_of_exact_types(tmp_path, kinds):
    ids = [LARGE, LARGE + 1]
    for name, kind, column in zip("tp", kinds, ({"t": ["a", "b"]}, {"k": [1, 2]}), strict=True):
        write_parquet(tmp_path / f"{name}.parquet", {"id": pa.array(ids).cast(kind), **column})
    table = from_file([tmp_path / "t.parquet", tmp_path / "p.parquet"], on="id")
    assert table == cb.Contingency.from_labels(["a", "b"], [1, 2])


@pytest.mark.parametrize("weight", [1e-320, 1e101])
def test_weights_beyond_floating_point(count, weight):
    columns = {"t": ["a", "b", "b"], "k": [1, 2, 2], "w": [weight] * 3}
    with pytest.raises((TableError, LabelError), match=r"1e-100|infinite"):
        count(columns, weights="w")


@pytest.mark.parametrize("weight", [1e15, 0.5e-90])
def test_large_and_small_weights_count(count, weight):
    columns = {"t": ["a", "a", "b"], "k": [1, 1, 2], "w": [weight, 0.0, weight]}
    assert count(columns, weights="w").class_sizes.tolist() == [weight, weight]


def test_a_large_weight_beside_a_small_one(count):
    columns = {"t": ["a", "a", "b"], "k": [1, 1, 2], "w": [1e15, 1.0, 3.0]}
    assert count(columns, weights="w").class_sizes.tolist() == [10**15 + 1, 3]


@pytest.mark.parametrize(("ending", "side"), [("duckdb", "t"), ("sqlite", "k")])
def test_capitals_matter_whatever_the_collation(tmp_path, ending, side):
    path = tmp_path / f"labels.{ending}"
    connection = duckdb.connect(path) if ending == "duckdb" else sqlite3.connect(path)
    kinds = {"t": "text", "k": "text"} | {side: "text collate nocase"}
    connection.execute(f"create table x (t {kinds['t']}, k {kinds['k']})")
    connection.execute("insert into x values ('A', 'A'), ('a', 'a')")
    connection.commit()
    connection.close()
    assert from_file(path, sql="select * from x").shape == (2, 2)
    assert from_file(path, sql=f"select {side}, 1 as one from x").shape == (2, 1)
    wide = ", ".join(f"{side} as k{i}" for i in range(300))
    tables = from_file(path, "t", ["k*"], sql=f"select t, {wide} from x")
    assert {table.shape for table in tables.values()} == {(2, 2)}


def test_parquet_columns_of_one_name(tmp_path):
    columns = [pa.array(["a", "b", "b"]), pa.array([1, 2, 2]), pa.array([1, 1, 2])]
    path, other = tmp_path / "a.parquet", tmp_path / "b.parquet"
    pa.parquet.write_table(pa.table(columns, names=["t", "k", "k"]), path)
    for pred in ("k", "k*"):
        with pytest.raises(ColumnError, match="2 columns called 'k'"):
            from_file(path, "t", pred)
    pa.parquet.write_table(pa.table(columns, names=["t", "k", "K"]), path)
    assert list(from_file(path, "t", ["*"])) == ["k", "K"]
    write_parquet(other, {"t": ["a"], "k": [1]})
    assert from_file([path, other], "t", "k").n == 4


def test_keys_that_come_after_the_sample(tmp_path):
    path = tmp_path / "late.jsonl"
    path.write_text('{"t":"a","k":1}\n' * 30_000 + '{"t":"b","k":2,"k2":5}\n')
    with pytest.raises(ColumnError, match="which column is truth"):
        from_file(path)
    assert list(from_file(path, "t", ["k*"], missing="drop")) == ["k", "k2"]
    assert from_file(path, "t", "k").n == 30_001


@pytest.mark.parametrize("first", ["5,3", "setosa,0", "-1.5,x", "1e3,y"])
def test_data_in_the_place_of_a_header(tmp_path, first):
    path = tmp_path / "labels.csv"
    path.write_text(f"{first}\n1,2\n2,2\n")
    with pytest.raises(ColumnError, match="may lack a header"):
        from_file(path)
    assert from_file(path, *first.split(",")).n == 2


def test_a_file_named_twice_is_one(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    path = write_csv(tmp_path / "a.csv", {"t": ["x", "y"], "k": [1, 2]})
    os.link("a.csv", "b.csv")
    os.symlink("a.csv", "link.csv")
    assert from_file(["a.csv", "./a.csv", path, "b.csv", "link.csv"]).n == 2
    with pytest.raises(FileError, match="'' is not a path"):
        from_file(["a.csv", ""])


@pytest.mark.parametrize("end", ["\n", "\r\n"])
@pytest.mark.parametrize(("name", "label"), [("k", "a\r\nb"), ("k", "\x1f,"), ("k\nk", "a\rb")])
def test_line_ends_inside_quotes(tmp_path, end, label, name):
    text = end.join([f'c,"{name}"', f'0,"{label}"', '0,"b"', ""]).encode()
    path = tmp_path / "labels.csv"
    path.write_bytes(text)
    assert from_file(path, "c", name) == cb.Contingency.from_labels([0, 0], [label, "b"])


@pytest.mark.parametrize("name", ["labels.csv", "labels.parquet", "labels.jsonl", *DATABASES])
def test_nothing_to_count(tmp_path, name):
    path = (FORMATS | DATABASES)[name](tmp_path / name, {"c": ["a", None], "k": [None, "b"]})
    sql = {"sql": "select * from labels"} if name in DATABASES else {}
    with pytest.raises(NothingToCountError, match=name):
        from_file(path, "c", "k", missing="drop", **sql)


def test_keys_in_other_capitals(tmp_path):
    path = write_lines(tmp_path / "l.jsonl", {"t": [1, 2], "T": [5, 5], "p": [1, 2]})
    if int(duckdb.__version__.partition(".")[0]) < 2:  # tells them apart
        assert cb.Contingency.from_file(path, truth="t", pred="p").classes == (1, 2)
        return
    with pytest.raises(FileError, match="'T' and 't'"):
        cb.Contingency.from_file(path, truth="t", pred="p")


def test_long_numbers_stay_apart(tmp_path):
    path = write_csv(
        tmp_path / "labels.csv", {"c": ["9" * 20 + ".0", "9" * 19 + "8.0"], "k": [1, 2]}
    )
    assert len(from_file(path).classes) == 2
    for label in ("1.5e999", "9" * 5001):
        assert from_file(write_csv(path, {"c": [label, label], "k": [1, 2]})).classes == (label,)


@pytest.mark.parametrize("start", ["\n", "\r\n", "\ufeff\n"])
def test_a_blank_first_line_is_no_header(tmp_path, start):
    path = tmp_path / "labels.csv"
    path.write_text(f"{start}t,k\na,1\n", newline="")
    with pytest.raises(FileError, match="first line is empty"):
        from_file(path, "t", "k")


def test_repeated_ids_however_they_are_written(tmp_path):
    (tmp_path / "t.csv").write_text("id,t\n1,a\n1,b\n")
    (tmp_path / "p.csv").write_text("id,k\r\n1,x\r\n\r\n", newline="")  # as many lines
    (tmp_path / "t.jsonl").write_text('{"id":1,"t":"a"}\n{"id":"1","t":"b"}\n')
    (tmp_path / "p.jsonl").write_text('{"id":1,"k":1}\n')
    for ending in ("csv", "jsonl"):
        with pytest.raises(LabelError, match="stands in 2 rows"):
            from_file([tmp_path / f"t.{ending}", tmp_path / f"p.{ending}"], on="id")


def test_ids_of_two_number_types(tmp_path):
    ids = pa.array([1, 2], pa.int32())
    truth = write_parquet(tmp_path / "t.parquet", {"id": ids, "t": ["a", "b"]})
    pred = write_parquet(tmp_path / "p.parquet", {"id": [2.0, 1.0], "k": [1, 2]})
    assert from_file([truth, pred], on="id") == cb.Contingency.from_labels(["a", "b"], [2, 1])
    write_parquet(pred, {"id": [1.0, float("nan")], "k": [1, 2]})
    with pytest.raises(LabelError, match="id"):
        from_file([truth, pred], on="id", unmatched="drop")


def test_labels_are_compared_as_they_are_written(tmp_path):
    path = write_csv(tmp_path / "labels.csv", {"a": ["01", "1", "1"], "b": ["1.0", "2.0", "1"]})
    assert (from_file(path).classes, from_file(path).clusters) == (("01", "1"), (1, 2))
    path = write_csv(path, {"a": [-1, 3], "b": [10, 9]})
    assert (from_file(path).classes, from_file(path).clusters) == ((-1, 3), (9, 10))
