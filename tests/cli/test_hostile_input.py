"""Commands given what does not fit: options, files, terminals and disks."""

import csv
import json
import os

import pytest
from support.processes import start
from support.texts import write_texts

import clusterbits as cb


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


def test_noise_labels_as_written(run, tmp_path):
    path = write_texts(tmp_path, x="t,k\na,007\nb,007\na,x\n")
    code, out, _ = run("score", path, "--noise", "drop", "--noise-label", "007", "-m", "q0")
    assert code == 0
    assert out.startswith("There is one class: nothing can be saved.\n\n1 object,")


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
    code, out, _ = run(*arguments, "--measure", "all", "-f", "json")
    assert code == 0
    names = {row["measure"] for row in json.loads(out)["rows"]}
    assert names == {row["name"] for row in cb.list_measures()}


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
