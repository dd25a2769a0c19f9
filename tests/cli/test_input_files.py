"""Commands given files that are one file, or no file, and disks and options that do not fit."""

import csv
import json
import os

import numpy as np
import pandas as pd
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


@pytest.mark.parametrize("arguments", ["score /dev/zero", "code decode labels.csv /dev/zero"])
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


def test_the_index_of_pandas_is_no_label(run, tmp_path):
    labels = pd.DataFrame({"id": [5, 6, 7], "t": ["a", "b", "b"], "k": [1, 2, 2]}, index=[2, 0, 1])
    for write, ending in ((pd.DataFrame.to_csv, "csv"), (pd.DataFrame.to_parquet, "parquet")):
        for columns in ("tk", ["id", "t"], ["id", "k"]):
            write(labels[[*columns]], f"{''.join(columns)}.{ending}")
        for files in ([f"tk.{ending}"], [f"idt.{ending}", f"idk.{ending}", "--on", "id"]):
            rows = json.loads(run("score", *files, "--json")[1])["rows"]
            assert {row["clustering"] for row in rows} == {"k"}
    pd.DataFrame({"a": [5], "b": [6]}).to_csv("pairs.csv")
    pd.DataFrame({"a": [5], "b": [6]}).to_csv("found.csv")
    assert run("score", "pairs.csv", "found.csv", "--pairs")[0] == 0


def test_a_column_against_itself_passes_no_gate(run, tmp_path):
    (tmp_path / "a.csv").write_text("t,k\na,1\nb,2\n")
    code, out, err = run("score", "a.csv", "--truth", "t", "--pred", "t", "--require", "ari>=1")
    assert (code, out) == (2, "")
    assert "column 't' is both truth and pred. Pass --pred with another column" in err


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


def test_leaderboards_of_weights_added_up_in_another_order(run, tmp_path):
    for name, pred in (("s", [0, 0, 0, 1, 1, 1]), ("t", [0, 1, 2, 0, 1, 2])):
        table = cb.Contingency.from_labels(["a"] * 6, pred, weights=[1, 0.9, 0.1, 1, 0.1, 0.8])
        table.save(tmp_path / f"{name}.json")
    code, _, err = run("compare", tmp_path / "s.json", tmp_path / "t.json")
    assert (code, err) == (0, "")


def test_leaderboards_where_one_column_is_partial(run, tmp_path):
    path = write_texts(tmp_path, x="t,k1,k2\na,1,1\nb,1,2\na,2,\na,2,1\nb,1,2\n")
    arguments = ("compare", path, "--truth", "t", "--pred", "k*", "--missing", "drop")
    code, out, _ = run(*arguments)
    assert code == 0
    assert out.count("4 of 5") == 2


def test_folders_and_patterns_of_saved_tables(run, tmp_path):
    folder = tmp_path / "days"
    folder.mkdir()
    for day in range(3):
        cb.Contingency.from_labels(["a", "b"], [1, 2]).save(folder / f"{day}.json")
    for given in (folder, f"{folder}/*.json"):
        code, out, _ = run("score", given, "-m", "q0")
        assert code == 0
        assert "\n6 objects" in out


def test_carriage_returns_in_decoded_classes(run, tmp_path):
    truth, pred = ["a\rb", "c"] * 2, [1, 2] * 2
    (tmp_path / "code").write_bytes(cb.codec.encode(truth, pred))
    clusters = write_texts(tmp_path, k="k\n1\n2\n1\n2\n")
    assert run("code", "decode", tmp_path / "code", clusters, "-o", tmp_path / "out.csv")[0] == 0
    with (tmp_path / "out.csv").open(newline="") as stream:
        assert [row[0] for row in csv.reader(stream)] == ["truth", *truth]


def test_clusterings_are_compared_on_the_objects_that_all_have(run, tmp_path):
    rng = np.random.default_rng(0)
    truth, hard = rng.integers(0, 3, 400), np.arange(400) >= 200
    easy = np.where(hard, -1, np.where(rng.random(400) < 0.93, truth, 0))
    whole = np.where(hard, rng.integers(0, 3, 400), truth)
    columns = {"t": truth, "easy": easy, "whole": whole}
    rows = zip(*columns.values(), strict=True)
    text = "\n".join(",".join(map(str, row)) for row in ([*columns], *rows))
    (tmp_path / "x.csv").write_text(text + "\n")
    compare = ("compare", "x.csv", "--truth", "t", "--pred", "easy,whole", "--noise", "drop")
    _, out, _ = run(*compare, "-m", "q0", "--format", "json")
    found = cb.compare(truth, {"easy": easy, "whole": whole}, noise="drop")
    rows = json.loads(out)["rows"]
    assert [row["clustering"] for row in rows] == ["whole", "easy"]
    values = [row.value for row in found.rows]
    assert [row["value"] for row in rows] == pytest.approx(values, rel=1e-12)
    assert {row["coverage"] for row in rows} == {0.5}
    assert found.best == ("whole",)
