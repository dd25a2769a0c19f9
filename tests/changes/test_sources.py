"""`diff` of files and engines: the same as of labels in memory, and the objects of drawn pairs."""

import pickle

import numpy as np
import pyarrow as pa
import pytest
from support.engines import ENGINES, every_engine
from support.files import write_csv, write_parquet

import clusterbits as cb
from clusterbits.errors import (
    ClusterbitsError,
    FileError,
    LabelError,
    MeasureError,
    NothingToCountError,
)

RNG = np.random.default_rng(11)
IDS = [f"doc {i}" for i in range(300)]
OLD = {i: int(k) for i, k in zip(IDS[:280], RNG.integers(0, 9, 280), strict=True)}
NEW = {i: int(k) for i, k in zip(IDS[30:], RNG.integers(-1, 8, 270), strict=True)}
NEW |= {i: OLD[i] for i in IDS[60:240] if OLD[i] % 3}
SHARED = [i for i in OLD if i in NEW]
COLUMNS = {
    "monday": [OLD[i] for i in SHARED],
    "tuesday": [NEW[i] for i in SHARED],
    "country": ["ABC"[len(i) % 3] for i in SHARED],
    "views": [len(i) for i in SHARED],
}


def columns(labels):
    return {"id": list(labels), "topic": list(labels.values())}


def shuffled(values):
    order = np.random.default_rng(0).permutation(len(values["id"]))
    return {name: [column[i] for i in order] for name, column in values.items()}


def of_files(old, new, **options):
    return cb.diff([old, new], on="id", **options)


def same(changes, expected):
    assert changes.to_dicts() == expected.to_dicts()
    assert changes.old.to_dicts() == expected.old.to_dicts()
    assert changes.new.to_dicts() == expected.new.to_dicts()
    assert changes.names == expected.names
    assert repr(changes) == repr(expected)


@pytest.mark.parametrize("write", [write_csv, write_parquet])
@pytest.mark.parametrize("options", [{}, {"noise": "drop"}, {"noise": "singletons"}])
def test_two_files(tmp_path, write, options):
    old, new = tmp_path / "old", tmp_path / "new"
    write(old, columns(OLD))
    write(new, shuffled(columns(NEW)))
    changes = of_files(old, new, **options)
    same(changes, cb.diff(OLD, NEW, **options))
    assert pickle.loads(pickle.dumps(changes)) == changes
    with pytest.raises(MeasureError, match="not kept"):
        changes.labels  # noqa: B018


@pytest.mark.parametrize("write", [write_csv, write_parquet])
@pytest.mark.parametrize("noise", [None, "drop"])
def test_objects_of_two_files_are_drawn(tmp_path, write, noise):
    old, new = tmp_path / "old", tmp_path / "new"
    write(old, shuffled(columns(OLD)))
    write(new, columns(NEW))
    changes = of_files(old, new, noise=noise)
    asked = changes.questions(150)
    assert len(asked) == 150
    for row in asked.itertuples():
        assert row.a != row.b
        assert (OLD[row.a], OLD[row.b]) == (row.old_a, row.old_b)
        assert (NEW[row.a], NEW[row.b]) == (row.new_a, row.new_b)
    write(old, columns(OLD))  # the order of the rows changes nothing
    assert changes.questions(150).equals(asked)
    asked["together"] = "yes"
    assert changes.judged(asked) == cb.diff(OLD, NEW, noise=noise).judged(asked)


def test_ids_of_two_columns_are_tuples(tmp_path):
    files = [tmp_path / "old", tmp_path / "new"]
    for file, labels in zip(files, (OLD, NEW), strict=True):
        write_csv(file, {"day": ["mon"] * len(labels), **columns(labels)})
    asked = cb.diff(files, old="topic", new="topic", on=["day", "id"]).questions(20)
    assert all(OLD[row.a[1]] == row.old_a and row.b[0] == "mon" for row in asked.itertuples())
    assert asked["a"].isin([("mon", i) for i in OLD]).all()


def test_the_only_label_that_is_text_left(tmp_path):
    """What is left of the column is numbers, and the clusters are text all the same."""
    write_csv(tmp_path / "old", {"id": [1, 2, 3, 4], "topic": [1, 1, 2, "x"]})
    write_csv(tmp_path / "new", {"id": [1, 2, 3, 5], "topic": [1, 3, 3, 4]})
    asked = of_files(tmp_path / "old", tmp_path / "new").questions(9)
    assert {*asked["old_a"]} == {"1", "2"}
    assert {*asked["a"]} == {"1", "2", "3"}


def test_objects_of_files_that_changed_are_not_drawn(tmp_path):
    old, new = tmp_path / "old.csv", tmp_path / "new.csv"
    write_csv(old, columns(OLD))
    write_csv(new, columns(NEW))
    changes = of_files(old, new)
    write_csv(new, columns({i: k // 2 for i, k in NEW.items()}))
    with pytest.raises(MeasureError, match="they changed meanwhile"):
        changes.questions()
    alone = of_files(old, new, noise="singletons")
    with pytest.raises(MeasureError, match="Pass noise='drop'"):
        alone.questions()


@pytest.mark.parametrize("write", [write_csv, write_parquet])
def test_one_file(tmp_path, write):
    write(tmp_path / "nights", COLUMNS)
    changes = cb.diff(tmp_path / "nights", old="monday", new="tuesday", groups="country")
    expected = cb.diff(COLUMNS["monday"], COLUMNS["tuesday"], groups=COLUMNS["country"])
    same(changes, expected)
    assert changes.groups == expected.groups
    for row in changes.questions(60).itertuples():
        assert COLUMNS["monday"][row.a] == row.old_a
        assert COLUMNS["tuesday"][row.b] == row.new_b


def test_rows_of_a_large_file_are_in_order(tmp_path):
    n = 400_000
    old = np.arange(n) % 1000
    new = np.where(np.arange(n) % 7 == 0, 0, old)
    write_parquet(tmp_path / "large", {"a": old.tolist(), "b": new.tolist()})
    changes = cb.diff(tmp_path / "large", old="a", new="b")
    for row in changes.questions(100).itertuples():
        assert (old[row.a], new[row.b]) == (row.old_a, row.new_b)


@pytest.mark.parametrize("engine", every_engine())
def test_engines(engine):
    frame = ENGINES[engine](pa.table(COLUMNS))
    changes = cb.diff(frame, old="monday", new="tuesday", groups="country")
    expected = cb.diff(COLUMNS["monday"], COLUMNS["tuesday"], groups=COLUMNS["country"])
    same(changes, expected)
    assert changes.groups == expected.groups
    weighted = cb.diff(frame, old="monday", new="tuesday", weights="views")
    same(weighted, cb.diff(COLUMNS["monday"], COLUMNS["tuesday"], weights=COLUMNS["views"]))


def test_weights_of_files_concern_shared_objects(tmp_path):
    write_csv(tmp_path / "old", columns(OLD) | {"views": [len(i) for i in OLD]})
    write_csv(tmp_path / "new", columns(NEW))
    files = [tmp_path / "old", tmp_path / "new"]
    changes = cb.diff(files, old="topic", new="topic", on="id", weights="views")
    expected = cb.diff(OLD, NEW, weights={i: len(i) for i in SHARED})
    assert changes.to_dicts() == expected.to_dicts()


@pytest.mark.parametrize("write", [write_csv, write_parquet])
def test_names_of_files_are_those_of_labels(tmp_path, write):
    """Noise is named as it is written, and labels of weight 0 have names, too."""
    labels = {"a": ["-1", "x", "y", "x"], "b": ["-1", "x", "z", "x"], "views": [1, 1, 0, 2]}
    write(tmp_path / "nights", labels)
    options = {"noise": "singletons"}
    changes = cb.diff(tmp_path / "nights", old="a", new="b", weights="views", **options)
    same(changes, cb.diff(labels["a"], labels["b"], weights=labels["views"], **options))
    assert changes.names == {"-1": "-1", "x": "x", "z": "z"}


def test_files_in_another_encoding(tmp_path):
    (tmp_path / "nights").write_bytes("a;b\né;1\né;1\nè;2\nè;1\n".encode("latin-1"))
    changes = cb.diff(tmp_path / "nights", old="a", new="b", encoding="latin-1", delimiter=";")
    assert changes.names == {1: "é", 2: "2"}
    with pytest.raises(FileError, match="nights was read by a temporary copy, which is gone"):
        changes.questions()


def test_changes_of_files_are_values(tmp_path):
    """They keep names of files, and no function of the caller's."""
    write_csv(tmp_path / "nights.csv", COLUMNS)
    path = tmp_path / "nights.csv"
    changes = cb.diff(path, old="monday", new="tuesday", progress=lambda tasks: tasks)
    copy = pickle.loads(pickle.dumps(changes))
    assert repr(copy) == repr(changes)
    assert copy.question_columns(9) == changes.question_columns(9)
    path.unlink()
    with pytest.raises(FileError, match="there is no file"):
        copy.questions()


def test_one_clear_error(tmp_path):
    old, new = tmp_path / "old.csv", tmp_path / "new.csv"
    write_csv(old, {"id": [1, 1, 2], "topic": [1, 2, 2]})
    write_csv(new, {"id": [1, 2], "topic": [1, 2]})
    with pytest.raises(LabelError, match="id '1' stands in 2 rows"):
        of_files(old, new)
    write_csv(old, {"id": [3], "topic": [1]})
    with pytest.raises(NothingToCountError, match="every object is unmatched"):
        of_files(old, new)
    write_csv(old, {"id": [], "topic": []})
    with pytest.raises(ClusterbitsError):
        of_files(old, new)
    with pytest.raises(ClusterbitsError, match=r"no column 'monda'. Did you mean 'monday'"):
        cb.diff(pa.table(COLUMNS), old="monda", new="tuesday")
    with pytest.raises(ClusterbitsError, match="name them by old= and new="):
        cb.diff(pa.table(COLUMNS), old="monday")
    with pytest.raises(ClusterbitsError, match="a Table is not a path"):
        cb.diff([pa.table(COLUMNS), pa.table(COLUMNS)], on="country")
    with pytest.raises(ClusterbitsError, match="new means 2 columns"):
        cb.diff(pa.table(COLUMNS), old="monday", new=["tuesday", "views"])
