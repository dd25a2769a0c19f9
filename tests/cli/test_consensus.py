"""The command consensus."""

import csv
import json

import pytest

import clusterbits as cb

RUNS = {"a": [0, 0, 1, 1], "b": [5, 5, 6, 6], "other": [1, 2, 1, 2]}


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "runs.csv"
    rows = zip("wxyz", *RUNS.values(), strict=True)
    lines = [["id", *RUNS], *rows]
    path.write_text("\n".join(",".join(map(str, line)) for line in lines))
    return path


def test_it_says_what_the_function_says(run, file):
    expected = cb.consensus(RUNS)
    code, out, _ = run("consensus", file, "--pred", "*", "--on", "id", "--json")
    assert code == 0
    found = json.loads(out)
    assert (found["medoid"], found["bits"]) == (expected.medoid, expected.bits)
    assert found["rows"] == expected.to_dicts()
    code, out, _ = run("consensus", file, "--pred", "a", "--pred", "b")
    assert "2 of 2 clusters are in nearly every run" in out
    code, out, _ = run("consensus", file, "--pred", "[ab]", "--part", "runs", "--csv")
    assert [row["run"] for row in csv.DictReader(out.splitlines())] == ["a", "b"]


def test_labels_are_written_with_their_ids(run, file, tmp_path):
    written = tmp_path / "labels.csv"
    assert run("consensus", file, "--on", "id", "--pred", "a,b", "-o", written)[0] == 0
    rows = list(csv.DictReader(written.read_text().splitlines()))
    assert [row["id"] for row in rows] == [*"wxyz"]
    assert [row["cluster"] for row in rows] == ["0", "0", "1", "1"]
    assert {float(row["stability"]) for row in rows} == {1}
    code, _, err = run("consensus", file, "--pred", "a,b", "-o", file)
    assert code == 2
    assert "is the input" in err


def test_wrong_words_are_one_line(run, file):
    for options, message in (
        (["--pred", "a"], "two or more labelings, got one"),
        (["--pred", "nix"], "no column 'nix'"),
        (["--pred", "a,b", "--on", "nix"], "no column 'nix'"),
        ([], "--pred is missing"),  # else a column of ids were a run
    ):
        code, _, err = run("consensus", file, *options)
        assert code == 2
        assert message in err
        assert err.count("\n") == 1
