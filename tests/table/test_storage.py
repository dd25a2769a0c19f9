"""Saved tables come back; damaged, edited and foreign files are refused."""

import datetime as dt
import json
import os
import random
import resource
import signal
import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given, settings
from support.files import COLUMNS, EXPECTED, write_parquet
from support.mutations import mutated
from support.samples import tables

import clusterbits as cb
from clusterbits.errors import ClusterbitsError, FileError


@settings(max_examples=25)
@given(table=tables())
def test_saved_tables_come_back(tmp_path_factory, table):
    path = tmp_path_factory.mktemp("saved") / "table.json"
    table.save(path)
    loaded = cb.Contingency.load(path)
    assert loaded == table
    assert loaded.classes == table.classes
    assert loaded.clusters == table.clusters
    assert loaded.exact == table.exact
    assert loaded.n == table.n


NAMES = [
    None,
    True,
    0,
    2**70,
    "it's",
    'x"\n;',
    dt.date(2024, 1, 1),
    dt.datetime(2024, 1, 1, 5),
    dt.time(5, 30, 0, 1),
    dt.timedelta(days=-1, microseconds=3),
    b"\x00",
    (-1, 3),
]


def test_saved_labels(tmp_path):
    path = tmp_path / "it's a *table*.json"
    table = cb.Contingency.from_counts(np.eye(len(NAMES)) * 2.0**59, NAMES, NAMES[::-1])
    table.save(path)
    loaded = cb.Contingency.load(path)
    assert loaded == table
    assert loaded.classes == tuple(NAMES)
    assert loaded.clusters == tuple(NAMES[::-1])
    assert list(map(type, loaded.classes)) == list(map(type, NAMES))
    odd = cb.Contingency.from_counts([[1]], [frozenset("a")], ["x"])
    with pytest.raises(ClusterbitsError, match="frozenset"):
        odd.save(tmp_path / "odd.json")
    assert not (tmp_path / "odd.json").exists()


def test_truncated_and_foreign_tables(tmp_path):
    path = tmp_path / "table.json"
    EXPECTED.save(path)
    with pytest.raises(FileError, match=r"a saved table, which Contingency\.load reads"):
        cb.Contingency.from_file(path)
    content = path.read_bytes()
    for length in [*range(0, len(content) - 1, max(len(content) // 12, 1)), len(content) - 1]:
        path.write_bytes(content[:length])
        with pytest.raises(FileError, match=r"damaged or incomplete|not a table saved"):
            cb.Contingency.load(path)
    for foreign, message in (
        (b"", "not a table saved by clusterbits"),
        (b"[]", "not a table saved by clusterbits"),
        (b"{}", "not a table saved by clusterbits"),
        (b"hello", "not a table saved by clusterbits"),
        (b"\xff\xfe", "not a table saved by clusterbits"),
        (b'{"clusterbits": 99, "rows":[],"columns":[],"counts":[]}', "version 99"),
        (b'{"clusterbits":6,"classes":["a"]}', "damaged or incomplete"),
        (b'{"clusterbits":6' + b"[" * 100_000, "damaged or incomplete"),
    ):
        path.write_bytes(foreign)
        with pytest.raises(FileError, match=message):
            cb.Contingency.load(path)
    write_parquet(tmp_path / "labels.parquet", COLUMNS)
    with pytest.raises(FileError, match="not a table saved by clusterbits"):
        cb.Contingency.load(tmp_path / "labels.parquet")
    with pytest.raises(FileError, match="cannot be read"):
        cb.Contingency.load(tmp_path / "absent.json")
    with pytest.raises(FileError, match=r"Name the file \*\.json"):
        EXPECTED.save(tmp_path / "table.xlsx")


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


def test_a_full_disk_while_saving(tmp_path):
    path = tmp_path / "table.json"
    EXPECTED.save(path)
    before = path.read_bytes()
    done = subprocess.run(
        # Without -B, Python would cut the files of its modules, too.
        [sys.executable, "-B", "-c", SAVE, path],
        preexec_fn=_small_files,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 2, done.stderr
    assert "cannot be written" in done.stdout
    assert path.read_bytes() == before
    assert list(tmp_path.iterdir()) == [path]


MALFORMED = "is damaged or incomplete: "
OTHER = "its content differs"


@pytest.mark.parametrize(
    ("key", "value", "message"),
    [
        ("coverage", [1, 2], OTHER),
        ("rows", [0, [1], 1], MALFORMED),
        ("rows", [0, 1], OTHER),
        ("classes", [{"foo": 1}, "b"], OTHER),
        ("counts", ["a", "1", "1"], MALFORMED),
        ("classes", ["b", "a"], OTHER),
        ("counts", [3, 0, 0], OTHER),
        ("columns", [0, 0, 0], OTHER),
        ("digest", 0, OTHER),
        ("clusterbits", 1, "version 1 of the format"),
        ("coverage", [3, 3, 3, 3], OTHER),
    ],
)
def test_edited_tables_are_refused(tmp_path, key, value, message):
    path = tmp_path / "table.json"
    table = cb.Contingency.from_labels(["a", "b", "b"], [1, 2, 3])
    table.save(path)
    content = json.loads(path.read_text())
    assert content.get(key) != value
    path.write_text(json.dumps(content | {key: value}))
    with pytest.raises(FileError, match=message):
        cb.Contingency.load(path)
    path.write_text(json.dumps(content))  # in another layout, but the same
    assert cb.Contingency.load(path) == table


# --- tables that were changed: the same table, or one clear error --------------------------------

MIXED = ["a", 7, None, (1, "x"), True, b"\0"]
TABLES = [
    cb.Contingency.from_labels(["a", None, "b", "b"], [1, 2, 1, 3], missing="drop"),
    cb.Contingency.from_counts([[2**60, 1], [0, 3]], MIXED[:2], MIXED[2:4]),
    cb.Contingency.from_counts([[0.5, 1.25, 0], [0, 3, 1]], MIXED[:2], MIXED[3:]),
]
# More seeds: CLUSTERBITS_MUTATIONS=20000 pytest tests/table/test_storage.py
MUTATIONS = int(os.environ.get("CLUSTERBITS_MUTATIONS", "600"))


def load(path, original):
    """Load a changed file: the same table, or one error in words."""
    try:
        loaded = cb.Contingency.load(path)
    except FileError as error:
        assert str(path) in str(error)  # noqa: PT017
        return None
    assert loaded == original
    assert loaded.coverage == original.coverage
    return loaded


def test_changed_bytes(tmp_path):
    rng = random.Random(5)
    originals = []
    for i, table in enumerate(TABLES):
        table.save(tmp_path / f"{i}.json")
        assert load(tmp_path / f"{i}.json", table) == table
        originals.append((tmp_path / f"{i}.json").read_bytes())
    for _ in range(MUTATIONS):
        i = rng.randrange(len(TABLES))
        path = tmp_path / "changed.json"
        path.write_bytes(mutated(originals[i], rng))
        load(path, TABLES[i])


@pytest.mark.parametrize("name", ["\ud800", "a\0b", "", "\uffff", "😀" * 1000])
def test_odd_text_comes_back(tmp_path, name):
    table = cb.Contingency.from_counts([[1, 2]], [name], ["x", name])
    table.save(tmp_path / "table.json")
    assert cb.Contingency.load(tmp_path / "table.json") == table


def test_pipes_are_refused_and_not_waited_for(tmp_path):
    os.mkfifo(tmp_path / "pipe.json")
    for path in (tmp_path / "pipe.json", "/dev/zero"):
        with pytest.raises(FileError, match="pipe or a device"):
            cb.Contingency.load(path)
