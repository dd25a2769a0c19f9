"""What commands do with files that are one file, or no file."""

import os

import pytest

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


@pytest.mark.parametrize(
    "arguments",
    [
        ("score", "/dev/zero"),
        ("decode", "/dev/zero", "labels.csv"),
        ("decode", "labels.csv", "/dev/zero"),
    ],
    ids=" ".join,
)
def test_devices_are_refused_at_once(run, tmp_path, arguments):
    (tmp_path / "labels.csv").write_text("t,k\na,1\n")
    code, _, err = run(*arguments)
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
