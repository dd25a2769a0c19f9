"""Errors that name the fault itself, not what follows from it."""

import duckdb
import pyarrow as pa
import pytest
from support.files import write_csv, write_lines, write_parquet

import clusterbits as cb
from clusterbits.errors import ColumnError, FileError, LabelError, MissingLabelError

from_file = cb.Contingency.from_file


def test_a_column_for_labels_and_weights(tmp_path):
    for write in (write_csv, write_lines, write_parquet):
        path = write(tmp_path / write.__name__, {"t": [1, 2], "p": [1, 2]})
        for named in ("t", "p"):
            with pytest.raises(ColumnError, match=f"'{named}' is named twice"):
                from_file(path, truth="t", pred="p", weights=named)


def test_a_label_that_is_not_whole_beside_a_missing_one(tmp_path):
    path = write_csv(tmp_path / "l.csv", {"t": [1, "", "0.5"], "p": [1, 2, 3]})
    for missing in ("error", "drop"):
        with pytest.raises(LabelError, match=r"such as 'v0\.5'\.$"):
            from_file(path, truth="t", pred="p", missing=missing)
    write_csv(path, {"t": [1, "", "v0.5"], "p": [1, 2, 3]})
    assert from_file(path, truth="t", pred="p", missing="drop").classes == ("1", "v0.5")
    with pytest.raises(MissingLabelError, match=r"The first is in row 2\.$"):
        from_file(path, truth="t", pred="p")


@pytest.mark.parametrize("kept", [0.2, 0.5, 0.9])
def test_a_cut_file(tmp_path, kept):
    path = tmp_path / "l.csv.zst"
    with pa.OSFile(str(path), "wb") as raw, pa.CompressedOutputStream(raw, "zstd") as stream:
        stream.write(b"t,p\n" + b"".join(b"%d,%d\n" % (i, i * i) for i in range(99)))
    whole = path.read_bytes()
    path.write_bytes(whole[: int(kept * len(whole))])
    with pytest.raises(FileError, match="is damaged or incomplete"):
        from_file(path, truth="t", pred="p")


def test_keys_in_other_capitals(tmp_path):
    path = write_lines(tmp_path / "l.jsonl", {"t": [1, 2], "T": [5, 5], "p": [1, 2]})
    if int(duckdb.__version__.partition(".")[0]) < 2:  # tells them apart
        assert from_file(path, truth="t", pred="p").classes == (1, 2)
        return
    with pytest.raises(FileError, match=r"'T' and 't'.*Rename one of them\.$"):
        from_file(path, truth="t", pred="p")


def test_an_id_that_is_nan(tmp_path):
    one = write_parquet(tmp_path / "one.parquet", {"id": [1.0, 2.0], "t": [1, 2]})
    other = write_parquet(tmp_path / "other.parquet", {"id": [1.0, float("nan")], "p": [1, 2]})
    with pytest.raises(LabelError, match="id has a missing id"):
        from_file([one, other], truth="t", pred="p", on="id")
