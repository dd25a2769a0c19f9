"""Saved tables that were edited, and labels that cannot be saved."""

import json

import pandas as pd
import pytest

import clusterbits as cb
from clusterbits.errors import ClusterbitsError, FileError

MALFORMED = r"damaged or .*: it is not a table|damaged or .*: its content is not"
OTHER_COUNTS = r"its counts (are not|differ from) those"


@pytest.mark.parametrize(
    ("key", "value", "message"),
    [
        ("coverage", [1, 2], MALFORMED),
        ("coverage", "abcd", MALFORMED),
        ("rows", "011", MALFORMED),
        ("rows", [0.9, 1.9, 1.9], MALFORMED),
        ("rows", [[0], [1], [1]], MALFORMED),
        ("classes", [{"foo": 1}, "b"], MALFORMED),
        ("counts", ["1", "1", "1"], MALFORMED),
        ("classes", ["b", "a"], OTHER_COUNTS),
        ("counts", [3, 0, 0], OTHER_COUNTS),
        ("columns", [0, 0, 0], OTHER_COUNTS),
        ("digest", 0, OTHER_COUNTS),
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
