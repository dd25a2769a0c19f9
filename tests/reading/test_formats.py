"""Files of arrays, and files that hold no labels, recognised by content, not by name."""

import bz2
import io
import lzma
import pickle
import sys
import zipfile

import duckdb
import numpy as np
import pytest
from support.files import write_csv

import clusterbits as cb
from clusterbits.errors import CostError, FileError
from clusterbits.reading.files.ordered import read_clustering
from clusterbits.reading.request import Request

from_file = cb.Contingency.from_file
TRUTH, PRED = ["a", "a", "b", "é"], [1, 1, -2, 1]
TABLE = cb.Contingency.from_labels(TRUTH, PRED)
NUMBERS = np.array([[1, 5], [1, 5], [2, 5], [2, 6]])


@pytest.mark.parametrize("dtype", ["i1", ">i4", "u8", "f2", ">f8"])
def test_columns_of_a_matrix_go_by_number(tmp_path, dtype):
    expected = cb.Contingency.from_labels(*NUMBERS.T)
    np.save(tmp_path / "x.npy", NUMBERS.astype(dtype))
    assert from_file(tmp_path / "x.npy") == expected
    assert from_file(tmp_path / "x.npy", "1", "2") == expected
    np.save(tmp_path / "x.npy", np.asfortranarray(NUMBERS.astype(dtype)))
    assert from_file(tmp_path / "x.npy", "1", ["*"]) == {"2": expected}


@pytest.mark.parametrize("text", ["U1", ">U3", "S2"])
def test_structured_arrays_and_archives(tmp_path, text):
    names = np.char.encode(TRUTH, "utf-8") if text[0] == "S" else np.array(TRUTH)
    expected = cb.Contingency.from_labels(names, PRED)
    rows = np.array(list(zip(names, PRED, strict=True)), [("truth", text), ("pred", ">i2")])
    np.save(tmp_path / "x.npy", rows)
    assert from_file(tmp_path / "x.npy") == expected
    # Saved in the other order, and under a name that says nothing.
    for save in (np.savez, np.savez_compressed):
        save(tmp_path / "x.npz", pred=PRED, truth=rows["truth"])
        (tmp_path / "x.npz").replace(tmp_path / "x.dat")
        assert from_file(tmp_path / "x.dat") == expected
        assert from_file(tmp_path / "x.dat", "truth", ["p*"]) == {"pred": expected}


@pytest.mark.parametrize("suffix", ["npy", "npz"])
def test_two_files_of_arrays_are_joined(tmp_path, suffix):
    """The second does not take the place of the first."""
    sides = {"truth": (range(4), [0, 0, 1, 1]), "pred": (range(3, -1, -1), [5, 5, 6, 7])}
    for name, (ids, labels) in sides.items():
        if suffix == "npz":
            np.savez(tmp_path / f"{name}.npz", id=ids, labels=labels)
        else:
            rows = np.array(list(zip(ids, labels, strict=True)), [("id", "i8"), ("labels", "i8")])
            np.save(tmp_path / f"{name}.npy", rows)
    paths = [tmp_path / f"{name}.{suffix}" for name in sides]
    expected = cb.Contingency.from_labels([0, 0, 1, 1], [7, 6, 5, 5])
    assert from_file(paths, "labels", "labels", on="id") == expected


def write_arrow(path, form, columns):
    pyarrow = pytest.importorskip("pyarrow")
    table = pyarrow.table(list(columns.values()), names=list(columns))
    if form == "feather":
        from pyarrow import feather

        feather.write_feather(table, path)
        return
    opened = pyarrow.ipc.new_file if form == "file" else pyarrow.ipc.new_stream
    with opened(str(path), table.schema) as writer:
        writer.write_table(table)


@pytest.mark.parametrize("form", ["file", "stream", "feather"])
def test_arrow(tmp_path, form):
    pyarrow = pytest.importorskip("pyarrow")
    path = tmp_path / "x.arrow"
    write_arrow(path, form, {"t": pyarrow.array(TRUTH).dictionary_encode(), "k": PRED})
    assert from_file(path) == TABLE
    write_arrow(path, form, {"t": TRUTH, "k": [1, None, -2, 1]})
    assert from_file(path, missing="drop").n == 3
    write_csv(tmp_path / "ids.csv", {"id": [3, 2, 1, 0], "k": PRED[::-1]})
    write_arrow(path, form, {"id": range(4), "t": TRUTH})
    assert from_file([path, tmp_path / "ids.csv"], on="id") == TABLE
    path.write_bytes(path.read_bytes()[:-100])
    with pytest.raises(FileError, match="cannot be read"):
        from_file(path, "t", "id")


def test_arrow_without_pyarrow(tmp_path, monkeypatch):
    write_arrow(tmp_path / "x.arrow", "file", {"t": TRUTH, "k": PRED})
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(FileError, match="needs pyarrow"):
        from_file(tmp_path / "x.arrow")


@pytest.mark.parametrize("name", ["x.npy", "x.npz", "x.arrow"])
def test_rows_come_in_order(tmp_path, name):
    labels = np.random.default_rng(0).integers(0, 9, (70_000, 2))
    if name == "x.npy":
        np.save(tmp_path / name, labels)
    elif name == "x.npz":
        np.savez(tmp_path / name, a=labels[:, 0], b=labels[:, 1])
    else:
        write_arrow(tmp_path / name, "file", {"a": labels[:, 0], "b": labels[:, 1]})
    read = read_clustering(Request(tmp_path / name))[1]
    for column, expected in zip(read, labels.T, strict=True):
        assert (column.name(column.codes) == expected).all()


def saved(save, *given, **named):
    target = io.BytesIO()
    save(target, *given, **named)
    return target.getvalue()


def zipped(*names):
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w") as archive:
        for name in names:
            archive.writestr(name, "x")
    return target.getvalue()


CSV = b"t,k\na,1\nb,2\n"
FOREIGN = {
    "zip": (zipped("labels.csv"), "a zip archive, .* save the labels in it as CSV"),
    "workbook": (zipped("docProps/app.xml", "xl/workbook.xml"), "such as an Excel workbook"),
    "foreign npz": (zipped("a.npy", "labels.csv"), "cannot be read"),
    "pickle": (pickle.dumps([1, 2]), "not UTF-8 text"),
    "xz": (lzma.compress(CSV), "compressed with xz; gzip is read"),
    "bzip2": (bz2.compress(CSV), "compressed with bzip2; gzip is read"),
    "zstd": (b"\x28\xb5\x2f\xfd" + CSV, "compressed with zstd; gzip is read"),
    "utf-16": (CSV.decode().encode("utf-16"), "not UTF-8 text.*encoding='utf-16'"),
    "cut npy": (saved(np.save, NUMBERS)[:-9], "cannot be read"),
    "cut npz": (saved(np.savez, a=NUMBERS[:, 0], b=NUMBERS[:, 1])[:-60], "cannot be read"),
    "objects": (saved(np.save, np.array([{}, 1], object)), "cannot be read"),
    "objects in npz": (
        saved(np.savez, truth=np.array([{}, 1], object), pred=[1, 2]),
        "cannot be read",
    ),
    "cube": (saved(np.save, np.zeros((2, 2, 2))), r"shape \(2, 2, 2\)"),
    "matrices": (saved(np.savez, truth=NUMBERS, pred=PRED), "'truth' has the shape"),
    "lengths": (saved(np.savez, truth=TRUTH, pred=[1]), "differ in length: 'truth' 4, 'pred' 1"),
    "complex": (saved(np.save, NUMBERS * 1j), "holds complex128; labels are"),
    "dates": (saved(np.save, np.zeros((2, 2), "M8[D]")), r"holds datetime64\[D\]"),
}


@pytest.mark.parametrize("kind", FOREIGN)
def test_what_cannot_be_read_is_refused_in_one_line(tmp_path, kind):
    content, said = FOREIGN[kind]
    for name in ("labels", "labels.csv"):
        (tmp_path / name).write_bytes(content)
        with pytest.raises(FileError, match=said) as caught:
            from_file(tmp_path / name)
        assert "\n" not in str(caught.value)


def test_mixed_line_ends_are_refused_unless_duckdb_reads_them(tmp_path):
    (tmp_path / "labels.csv").write_bytes(b"t,k\na,1\r\nb,2\n")
    if duckdb.__version__.startswith("1."):
        assert from_file(tmp_path / "labels.csv") == cb.Contingency(["a", "b"], [1, 2])
        return
    with pytest.raises(FileError, match=r"some lines end with \\r\\n and others with \\n"):
        from_file(tmp_path / "labels.csv")


def test_an_archive_larger_than_memory_is_refused(tmp_path, monkeypatch):
    np.savez(tmp_path / "x.npz", a=TRUTH, b=PRED)
    monkeypatch.setattr("clusterbits.system.limits._machine_memory", lambda: 100)
    with pytest.raises(CostError, match="its arrays would take"):
        from_file(tmp_path / "x.npz")


def test_folders_are_not_searched_for_arrays(tmp_path):
    (tmp_path / "x.csv").write_bytes(CSV)
    np.save(tmp_path / "embedding.npy", NUMBERS)
    assert from_file(tmp_path).n == 2


@pytest.mark.parametrize("header", ["PAR1,PAR2", "species,DUCK", "A,B", "BZ,h1"])
def test_headers_that_begin_like_other_formats_are_csv(tmp_path, header):
    path = tmp_path / "labels.csv"
    path.write_text(f"{header}\n2,1\n3,1\n")
    assert cb.Contingency.from_file(path, *header.split(",")).n == 2
