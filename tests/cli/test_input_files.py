"""Commands given files that are one file, or no file, and disks and options that do not fit."""

import csv
import os

import pytest
from support.processes import start
from support.texts import write_texts

import clusterbits as cb


@pytest.mark.parametrize("command", ["score", "compare"])
def test_a_saved_table_counts_once(run, tmp_path, command):
    cb.Contingency.from_labels(list("aabb"), [1, 1, 2, 2]).save(tmp_path / "a.json")
    os.link(tmp_path / "a.json", tmp_path / "hard.json")
    os.symlink("a.json", tmp_path / "soft.json")
    for other in ("a.json", "hard.json", "soft.json"):
        code, out, err = run(command, "a.json", other)
        assert (code, out) == (2, "")
        assert f"a.json and {other} are one file" in err


@pytest.mark.parametrize("arguments", ["score /dev/zero", "decode labels.csv /dev/zero"])
def test_devices_are_refused_at_once(run, tmp_path, arguments):
    (tmp_path / "labels.csv").write_text("t,k\na,1\n")
    code, _, err = run(*arguments.split())
    assert code == 2
    assert "is a pipe or a device" in err


@pytest.mark.parametrize("command", ["score", "compare", "explain"])
def test_a_file_is_named_once(run, tmp_path, command):
    (tmp_path / "a.csv").write_text("id,t,k\n1,a,1\n2,b,2\n")
    os.link(tmp_path / "a.csv", tmp_path / "b.csv")
    columns = ("--truth", "t", "--pred", "k")
    for files in (("a.csv", "a.csv"), ("a.csv", "b.csv")):
        for options in (columns, ("--on", "id"), ("--on", "id", "--truth", "t", "--pred", "t")):
            code, out, err = run(command, *files, *options)
            assert (code, out) == (2, "")
            assert "are one file; name it once" in err
        # Joined with itself on purpose.
        assert run(command, *files, "--on", "id", *columns)[0] == 0


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="needs a device that is full")
def test_a_full_disk():
    with open("/dev/full", "w") as full:
        done = start("measures", stdout=full)
    assert done.returncode == 2
    assert "cannot be written" in done.stderr
    assert len(done.stderr.splitlines()) == 1


def test_options_that_do_not_apply_to_saved_tables(run, tmp_path):
    cb.Contingency.from_labels(["a", "b"], [1, 2]).save(tmp_path / "s.json")
    for option in (("--truth", "x"), ("--weights", "w"), ("--missing", "drop"), ("--sql", "x")):
        code, _, err = run("score", tmp_path / "s.json", *option)
        assert (code, len(err.splitlines())) == (2, 1)
        assert option[0] in err


def test_leaderboards_of_different_objects(run, tmp_path):
    cb.Contingency.from_labels(["a", "b"], [1, 2]).save(tmp_path / "s.json")
    cb.Contingency.from_labels(["a", "a"], [1, 2]).save(tmp_path / "t.json")
    code, _, err = run("compare", tmp_path / "s.json", tmp_path / "t.json")
    assert code == 2
    assert "not clusterings of the same objects" in err


def test_leaderboards_where_one_column_is_partial(run, tmp_path):
    path = write_texts(tmp_path, x="t,k1,k2\na,1,1\nb,1,2\na,2,\na,2,1\nb,1,2\n")
    arguments = ("compare", path, "--truth", "t", "--pred", "k*", "--missing", "drop")
    code, out, _ = run(*arguments)
    assert code == 0
    assert "4 of 5" in out
    assert "5 of 5" in out


def test_folders_and_patterns_of_saved_tables(run, tmp_path):
    folder = tmp_path / "days"
    folder.mkdir()
    for day in range(3):
        cb.Contingency.from_labels(["a", "b"], [1, 2]).save(folder / f"{day}.parquet")
    for given in (folder, f"{folder}/*.parquet"):
        code, out, _ = run("score", given, "-m", "q0")
        assert code == 0
        assert "\n6 objects" in out


def test_carriage_returns_in_decoded_classes(run, tmp_path):
    truth, pred = ["a\rb", "c"] * 2, [1, 2] * 2
    (tmp_path / "code").write_bytes(cb.codec.encode(truth, pred))
    clusters = write_texts(tmp_path, k="k\n1\n2\n1\n2\n")
    assert run("decode", tmp_path / "code", clusters, "-o", tmp_path / "out.csv")[0] == 0
    with (tmp_path / "out.csv").open(newline="") as stream:
        assert [row[0] for row in csv.reader(stream)] == ["truth", *truth]
