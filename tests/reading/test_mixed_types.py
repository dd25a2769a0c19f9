"""Files that are read as one and differ in the types of their columns."""

import datetime as dt
from itertools import pairwise

import numpy as np
import pyarrow as pa
import pyarrow.feather
import pyarrow.parquet
import pytest

import clusterbits as cb
from clusterbits.errors import ColumnError
from clusterbits.reading.files.ordered import read_columns_of

from_file = cb.Contingency.from_file
NOON = dt.datetime(2024, 5, 1, 12)
KINDS = {
    "naive": pa.array([NOON, NOON]),
    "aware": pa.array([NOON, NOON], pa.timestamp("us", "UTC")),
    "nanoseconds": pa.array([NOON, NOON], pa.timestamp("ns")),
    "date": pa.array([NOON.date(), NOON.date()]),
    "time": pa.array([NOON.time(), NOON.time()]),
    "number": pa.array([1, 0]),
    "text": pa.array(["1", "1.0"]),
    "bytes": pa.array([b"1", b"0"]),
    "boolean": pa.array([True, False]),
    "decimal": pa.array([1, 0], pa.decimal128(3, 1)),
}
WRITERS = {
    "parquet": pa.parquet.write_table,
    "arrow": lambda table, path: pa.feather.write_feather(table, str(path)),
}


def write(path, form, **columns):
    WRITERS[form](pa.table(columns), path)
    return path


@pytest.mark.parametrize(("one", "other"), [*pairwise(KINDS)])
def test_types_that_differ_between_files_are_refused_by_name(tmp_path, one, other):
    form = "parquet"
    files = [
        write(tmp_path / f"{kind}.{form}", form, t=KINDS[kind], p=[1, 2]) for kind in (one, other)
    ]
    with pytest.raises(ColumnError, match="it has one type") as caught:
        from_file(files, truth="t", pred="p")
    assert all(str(file) in str(caught.value) for file in files)


@pytest.mark.parametrize("form", WRITERS)
def test_every_column_that_is_read_is_checked_and_no_other(tmp_path, form):
    good = {"id": [1, 2], "t": ["a", "b"], "p": [1, 2], "w": [1, 1], "other": [1, 1]}
    one = write(tmp_path / f"one.{form}", form, **good)
    alone = write(tmp_path / f"alone.{form}", form, id=[1, 2, 3, 4], t=list("abcd"))
    for column in good:
        odd = good | {"id": [3, 4], column: ["3", "4"] if column != "t" else [3, 4]}
        other = write(tmp_path / f"other.{form}", form, **odd)
        calls = {
            "tpw": lambda other=other: from_file([one, other], truth="t", pred="p", weights="w"),
            "idp": lambda other=other: from_file([alone, [one, other]], "t", "p", on="id"),
            "p": lambda other=other: read_columns_of([one, other], ["p"]),
        }
        for read, call in calls.items():
            if column in read:
                with pytest.raises(ColumnError, match=f"column '{column}' is "):
                    call()
            else:
                call()


def test_numbers_of_any_width_and_columns_without_values_go_together(tmp_path):
    kinds = (pa.int8(), pa.uint64(), pa.int32(), pa.float64(), pa.float32(), pa.null())
    for form in WRITERS:
        files = []
        for kind in kinds:
            values = [None, None] if kind == pa.null() else [1, 2]
            column = pa.array(values, kind)
            files.append(write(tmp_path / f"{kind}.{form}", form, t=column, p=[1, 2]))
        table = from_file(files, truth="t", pred="p", missing="drop")
        assert (table.classes, table.n) == ((1, 2), 10)


def test_names_in_other_capitals_are_refused(tmp_path):
    files = [
        write(tmp_path / "one.parquet", "parquet", t=[1, 2], p=[1, 2]),
        write(tmp_path / "other.parquet", "parquet", T=[1, 2], p=[1, 2]),
    ]
    with pytest.raises(ColumnError, match="no column 't'"):
        from_file(files, truth="t", pred="p")


@pytest.mark.parametrize(("one", "other"), [*pairwise(["i8", "?", "U3", "S3"])])
def test_arrays_of_two_types_are_refused(tmp_path, one, other):
    for kind in (one, other):
        np.savez(tmp_path / f"{kind[0]}.npz", t=np.array([1, 0]).astype(kind), p=[1, 2])
    with pytest.raises(ColumnError, match="column 't' is "):
        from_file(sorted(tmp_path.iterdir()), truth="t", pred="p")
