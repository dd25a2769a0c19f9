"""Files that commands write: never over an input, with the old mode, in folders that exist."""

import os
import stat
from contextlib import closing
from itertools import product

import pytest
from support.texts import write_texts

import clusterbits as cb
from clusterbits.errors import FileError

ROWS = "c,k\na,1\na,1\nb,2\nb,1\n"


@pytest.fixture
def folder(run, tmp_path):
    """Return a folder with every kind of input."""
    import sqlite3

    write_texts(tmp_path, labels=ROWS, truth="id,c\n1,a\n2,b\n", pred="id,k\n1,1\n2,2\n")
    (tmp_path / "days").mkdir()
    for day in ("monday", "tuesday"):
        cb.Contingency.from_labels(["a", "b"], [1, 2]).save(tmp_path / "days" / f"{day}.json")
    (tmp_path / "code.clb").write_bytes(cb.codec.encode(list("aabb"), [1, 1, 2, 1]))
    with closing(sqlite3.connect(tmp_path / "labels.db")) as connection:
        connection.execute("create table t as select 1 as c, 2 as k")
        connection.commit()
    return tmp_path


# Commands, and all of their inputs.
READERS = [
    (("score", "labels.csv"), "--save", ["labels.csv"]),
    (("score", "days"), "--save", ["days/monday.json", "days/tuesday.json"]),
    (("score", "days/*.json"), "--save", ["days/monday.json", "days/tuesday.json"]),
    (("score", "truth.csv", "pred.csv", "--on", "id"), "--save", ["truth.csv", "pred.csv"]),
    (("score", "labels.db", "--sql", "select * from t"), "--save", ["labels.db"]),
    (("report", "labels.csv"), "-o", ["labels.csv"]),
    (("report", "truth.csv", "pred.csv", "--on", "id"), "-o", ["truth.csv", "pred.csv"]),
    (("code", "encode", "labels.csv"), "-o", ["labels.csv"]),
    (("code", "decode", "code.clb", "labels.csv", "--pred", "k"), "-o", ["code.clb", "labels.csv"]),
]


@pytest.mark.parametrize(("command", "option", "inputs"), READERS)
def test_inputs_are_never_overwritten(run, folder, command, option, inputs):
    for path, name in product(inputs, ["./itself", "link", "hard link"]):
        before = (folder / path).read_bytes()
        output = f"days/../{path}" if name == "./itself" else "out.json"
        if name == "link":
            (folder / output).symlink_to(folder / path)
        elif name == "hard link":
            os.link(folder / path, folder / output)
        code, out, err = run(*command, option, output)
        assert (code, out, len(err.splitlines())) == (2, "", 1)
        assert f"{output} is the input" in err
        assert (folder / path).read_bytes() == before
        (folder / "out.json").unlink(missing_ok=True)


WRITERS = [
    ("report", "labels.csv", "-o"),
    ("code", "encode", "labels.csv", "-o"),
    ("code", "decode", "code.clb", "labels.csv", "--pred", "k", "-o"),
    ("paper", "explore", "-o"),
    ("demo", "--data"),
    ("demo", "--report"),
]


@pytest.mark.parametrize("command", WRITERS)
def test_places_that_cannot_be_written_to(run, folder, command):
    for output, message in [
        ("missing/file.json", f"there is no folder {folder / 'missing'}"),
        ("days", "it is a folder"),
        ("labels.csv/file.json", "is not a folder"),
        ("x" * 300, "too long"),
    ]:
        before = sorted(folder.iterdir())
        code, out, err = run(*command, output)
        assert (code, out, len(err.splitlines())) == (2, "", 1)
        assert message in err
        assert sorted(folder.iterdir()) == before


@pytest.mark.parametrize("output", ["missing/t.json", "t.txt"])
def test_scores_are_printed_although_saving_fails(run, folder, output):
    expected = run("score", "labels.csv", "-f", "json")[1]
    code, out, err = run("score", "labels.csv", "-f", "json", "--save", output)
    assert (code, out, len(err.splitlines())) == (1, expected, 1)
    assert output in err


@pytest.mark.parametrize("command", [("score", "labels.csv", "--save"), *WRITERS[:5]])
def test_old_modes_and_links_stay(run, folder, command):
    target, link = folder / "target.json", folder / "link.json"
    target.touch()
    target.chmod(0o640)
    link.symlink_to(target)
    assert run(*command, link)[0] == 0
    assert link.is_symlink()
    assert target.stat().st_size > 0
    assert stat.S_IMODE(target.stat().st_mode) == 0o640


def test_python_makes_no_folders_either(tmp_path):
    table = cb.Contingency.from_labels(["a", "b"], [1, 2])
    for write in (
        lambda: table.save(tmp_path / "new" / "t.json"),
        lambda: cb.evaluate(table).report(tmp_path / "new" / "r.html"),
    ):
        with pytest.raises(FileError, match="there is no folder"):
            write()
    assert list(tmp_path.iterdir()) == []


def test_a_baseline_is_not_replaced(run, tmp_path):
    """A gate that failed would pass the next time."""
    (tmp_path / "x.csv").write_text("t,p\nx,1\ny,2\n")
    assert run("score", "x.csv", "--save", "base.json", "-m", "ari")[0] == 0
    (tmp_path / "link.json").symlink_to("base.json")
    before = (tmp_path / "base.json").read_bytes()
    for output in ("base.json", "link.json"):
        code, _, err = run("score", "x.csv", "--baseline", "base.json", "--save", output)
        assert (code, "is the input" in err) == (2, True)
    assert (tmp_path / "base.json").read_bytes() == before
