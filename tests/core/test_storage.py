"""Saved tables that were edited, and labels that cannot be saved."""

import json

import pandas as pd
import pytest

import clusterbits as cb
from clusterbits.errors import ClusterbitsError, FileError


@pytest.mark.parametrize(
    ("key", "value", "message"),
    [
        ("coverage", [1, 2], "not a table as clusterbits saves it"),
        ("coverage", "abcd", "not a table as clusterbits saves it"),
        ("rows", "011", "not a table as clusterbits saves it"),
        ("rows", [0.9, 1.9, 1.9], "not a table as clusterbits saves it"),
        ("rows", [[0], [1], [1]], "not a table as clusterbits saves it"),
        ("classes", [{"foo": 1}, "b"], "not a table as clusterbits saves it"),
        ("counts", ["1", "1", "1"], "not a table as clusterbits saves it"),
        ("classes", ["b", "a"], "counts are not those"),
        ("counts", [3, 0, 0], "counts are not those"),
        ("columns", [0, 0, 0], "counts are not those"),
        ("digest", 0, "counts are not those"),
        ("clusterbits", 2, "version 2 of the format"),
    ],
)
def test_edited_tables_are_refused(tmp_path, key, value, message):
    path = tmp_path / "table.json"
    table = cb.Contingency.from_labels(["a", "b", "b"], [1, 2, 3])
    table.save(path)
    content = json.loads(path.read_text())
    assert content[key] != value
    path.write_text(json.dumps(content | {key: value}))
    with pytest.raises(FileError, match=message):
        cb.Contingency.load(path)
    path.write_text(json.dumps(content))  # in another layout, but the same
    assert cb.Contingency.load(path) == table


def test_a_path_that_cannot_be():
    with pytest.raises(FileError, match="cannot be a file"):
        cb.Contingency.load("a\0b")


def test_nanoseconds_are_not_saved(tmp_path):
    stamps = [pd.Timestamp("2020-01-01") + pd.Timedelta(i, "ns") for i in (1, 2)]
    with pytest.raises(ClusterbitsError, match=r"Timestamp|datetime64"):
        cb.Contingency.from_labels(stamps, [0, 1]).save(tmp_path / "a.json")
    assert not list(tmp_path.iterdir())
