"""Input from pipes and standard input, output to standard output, and text in any encoding."""

import gzip
import json
import os
import signal
import subprocess
import sys
import tempfile
import threading
import time

import pytest
from support.files import write_lines, write_parquet
from support.processes import start

import clusterbits as cb
from clusterbits.errors import ColumnError

COLUMNS = {"id": [1, 2, 3, 4], "c": ["é", "é", "b", "b"], "k": [0, 0, 1, 0]}
CSV = "id,c,k\n1,é,0\n2,é,0\n3,b,1\n4,b,0\n"
TABLE = cb.Contingency.from_labels(COLUMNS["c"], COLUMNS["k"])
NAMES = ("--truth", "c", "--pred", "k")
SCORE = ("-m", "q0", "--json")


@pytest.fixture(autouse=True)
def spill(tmp_path, monkeypatch):
    """Return the folder for temporary files, which have to be gone at the end."""
    folder = tmp_path / "spill"
    folder.mkdir()
    monkeypatch.setenv("TMPDIR", str(folder))
    monkeypatch.setattr(tempfile, "tempdir", None)  # what it was before, kept by this process
    yield folder
    assert list(folder.iterdir()) == []


@pytest.fixture
def run_with_input(run, monkeypatch):
    """Return a function that runs a command with a pipe as standard input."""

    def call(content, *arguments):
        assert len(content) <= 4096, "nobody reads yet: more may not fit into the pipe"
        before, (reader, writer) = os.dup(0), os.pipe()
        os.dup2(reader, 0)
        os.close(reader)
        try:
            with open(writer, "wb") as stream:
                stream.write(content)
            with open(0, closefd=False) as stream:
                monkeypatch.setattr("sys.stdin", stream)
                return run(*arguments)
        finally:
            os.dup2(before, 0)
            os.close(before)

    return call


def contents(folder):
    write_parquet(folder / "x.parquet", COLUMNS)
    write_lines(folder / "x.jsonl", COLUMNS)
    TABLE.save(folder / "table.json")
    return {
        "csv": CSV.encode(),
        "gzip": gzip.compress(CSV.encode()),
        "parquet": (folder / "x.parquet").read_bytes(),
        "json lines": (folder / "x.jsonl").read_bytes(),
        "table": (folder / "table.json").read_bytes(),
    }


@pytest.mark.parametrize("kind", ["csv", "gzip", "parquet", "json lines", "table"])
def test_standard_input(run_with_input, tmp_path, kind):
    content = contents(tmp_path)[kind]
    names = () if kind == "table" else NAMES
    code, out, err = run_with_input(content, "score", "-", *names, *SCORE)
    assert (code, err) == (0, "")
    (row,) = json.loads(out)["rows"]
    assert row["value"] == cb.q0(TABLE)


def test_pipes_by_name(run, tmp_path):
    os.mkfifo(tmp_path / "pipe")
    content = contents(tmp_path)["gzip"]
    writer = threading.Thread(target=(tmp_path / "pipe").write_bytes, args=[content])
    writer.start()
    code, out, err = run("score", "pipe", *NAMES, *SCORE)
    writer.join()
    assert (code, err) == (0, "")
    assert json.loads(out)["rows"][0]["value"] == cb.q0(TABLE)


def test_process_substitution(tmp_path):
    (tmp_path / "x.csv.gz").write_bytes(gzip.compress(CSV.encode()))
    call = f"{sys.executable} -m clusterbits score"
    both = "<(zcat x.csv.gz | cut -d, -f1,2) <(zcat x.csv.gz | cut -d, -f1,3)"
    command = f"{call} {both} --on id -m q0 --csv"
    found = subprocess.run(
        ["bash", "-c", command], capture_output=True, text=True, check=False, cwd=tmp_path
    )
    assert (found.returncode, found.stderr) == (0, "")
    assert f"q0,{cb.q0(TABLE)}," in found.stdout


@pytest.mark.parametrize(
    ("arguments", "content", "said"),
    [
        (("score", "-"), "", "standard input is empty"),
        (("score", "-", "--truth", "z", "--pred", "k"), CSV, "standard input has no column 'z'"),
        (("score", "-", *NAMES), "c,k\na,1\nb,1,2,3\n", "standard input cannot be read"),
        (("score", "-", "-", "--on", "id"), CSV, "standard input was given twice"),
        (("code", "decode", "-", "-"), CSV, "standard input is the code or the clusters, not both"),
        (("score", "-", *NAMES, "--save", "-"), CSV, "--save"),
    ],
)
def test_errors_name_standard_input(run_with_input, arguments, content, said):
    code, out, err = run_with_input(content.encode(), *arguments)
    assert (code, out) == (2, "")
    assert said in err
    assert "clusterbits-" not in err  # the folder of the copy
    assert len(err.splitlines()) == 1


def test_a_code_is_not_written_to_a_terminal(tmp_path):
    pty = pytest.importorskip("pty")
    (tmp_path / "x.csv").write_text(CSV)
    main, terminal = pty.openpty()
    found = start("code", "encode", "x.csv", *NAMES, "-o", "-", stdout=terminal, cwd=tmp_path)
    os.close(terminal)
    os.close(main)
    assert found.returncode == 2
    assert "binary data" in found.stderr


def test_outputs_to_standard_output(run_with_input, tmp_path):
    (tmp_path / "x.csv").write_text(CSV)
    code = start("code", "encode", "x.csv", *NAMES, "-o", "-", text=False, cwd=tmp_path).stdout
    assert code == cb.codec.encode(COLUMNS["c"], COLUMNS["k"])
    decode = ("code", "decode", "-", "x.csv", "--pred", "k", "-o", "-")
    assert run_with_input(code, *decode) == (0, "truth\né\né\nb\nb\n", "")
    status, page, errors = run_with_input(CSV.encode(), "report", "-", *NAMES, "-o", "-")
    assert (status, errors) == (0, "")
    assert page.startswith("<!doctype html>")
    assert "<title>standard input</title>" in page
    assert sorted(path.name for path in tmp_path.iterdir()) == ["spill", "x.csv"]


@pytest.mark.parametrize(
    ("named", "encoding"), [("latin-1", "latin-1"), ("UTF_16", "utf-16"), ("utf8", "utf-8-sig")]
)
def test_encodings(run, tmp_path, named, encoding):
    packed = named != "latin-1"
    content = CSV.replace("\n", "\r\n").encode(encoding)
    (tmp_path / "x.csv").write_bytes(gzip.compress(content) if packed else content)
    for command in ("score", "compare"):
        code, out, err = run(command, "x.csv", *NAMES, *SCORE, "--encoding", named)
        assert (code, err) == (0, "")
    assert run("code", "encode", "x.csv", *NAMES, "--encoding", named, "-o", "code")[0] == 0
    code, out, _ = run("code", "decode", "code", "x.csv", "--pred", "k", "--encoding", named)
    assert out == "truth\né\né\nb\nb\n"
    from_file = cb.Contingency.from_file
    assert from_file(tmp_path / "x.csv", "c", "k", encoding=named) == TABLE
    (tmp_path / "y.csv").write_bytes(CSV.encode(encoding))
    both = [tmp_path / "x.csv", tmp_path / "y.csv"]
    assert from_file(both, "c", "k", encoding=named) == TABLE + TABLE
    assert from_file(both, "c", "k", on="id", encoding=named) == TABLE


def test_wrong_encodings(run, tmp_path):
    (tmp_path / "x.csv").write_bytes(CSV.encode("latin-1"))
    write_parquet(tmp_path / "x.parquet", COLUMNS)
    for file, encoding, said in [
        ("x.csv", (), "latin-1"),
        ("x.csv", ("--encoding", "utf-8"), "x.csv cannot be read as 'utf-8' text"),
        ("x.csv", ("--encoding", "latin-11"), "unknown encoding"),
    ]:
        code, _, err = run("score", file, *NAMES, *encoding)
        assert code == 2
        assert said in err
        assert len(err.splitlines()) == 1


def test_columns_by_number(run, tmp_path):
    lines = CSV.splitlines(keepends=True)[1:]
    (tmp_path / "x.csv").write_text("".join(lines))
    (tmp_path / "y.csv").write_text("".join(reversed(lines)))
    numbers = ("--no-header", "--truth", "2", "--pred", "3")
    code, out, _ = run("score", "x.csv", *numbers, *SCORE)
    assert (code, json.loads(out)["rows"][0]["value"]) == (0, cb.q0(TABLE))
    code, out, _ = run("score", "x.csv", "y.csv", "--on", "1", *numbers, *SCORE)
    assert (code, json.loads(out)["rows"][0]["value"]) == (0, cb.q0(TABLE))
    weighted = cb.Contingency.from_labels(*list(COLUMNS.values())[1:], weights=[1, 2, 3, 4])
    code, out, _ = run("score", "x.csv", *numbers, "--weights", "1", *SCORE)
    assert (code, json.loads(out)["rows"][0]["value"]) == (0, cb.q0(weighted))
    code, _, err = run("score", "x.csv", "--no-header", "--truth", "2", "--pred", "4")
    assert "has no column '4'" in err
    assert run("code", "encode", "x.csv", *numbers, "-o", "code")[0] == 0
    code, out, _ = run("code", "decode", "code", "x.csv", "--no-header", "--pred", "3")
    assert out == "truth\né\né\nb\nb\n"
    (tmp_path / "z.csv").write_text("1,2\n1,2\n3,1\n")
    assert "pass --no-header." in run("score", "z.csv")[2]
    assert "\n3 objects" in run("score", "z.csv", "--no-header")[1]
    from_file = cb.Contingency.from_file
    assert from_file(tmp_path / "x.csv", "2", "3", header=False) == TABLE
    both = [tmp_path / "x.csv", tmp_path / "y.csv"]
    assert from_file(both, "2", "3", header=False) == TABLE + TABLE
    assert from_file(both, "2", "3", header=False, on="1") == TABLE
    assert from_file(tmp_path / "z.csv", header=False).n == 3
    with pytest.raises(ColumnError, match="pass header=False"):
        from_file(tmp_path / "z.csv")


def test_options_read_standard_input(run_with_input, tmp_path):
    for name in ("a.csv", "b.csv"):
        (tmp_path / name).write_text("l,r\n1,2\n")
    asked = ("score", "a.csv", "b.csv", "--pairs", "--ids", "-", *SCORE)
    code, out, err = run_with_input(b"id\n1\n2\n3\n", *asked)
    assert (code, err) == (0, "")
    table = cb.Contingency.from_pairs([(1, 2)], [(1, 2)], [1, 2, 3])
    assert json.loads(out)["rows"][0]["value"] == cb.q0(table)
    TABLE.save(tmp_path / "table.json")
    (tmp_path / "x.csv").write_text(CSV)
    asked = ("score", "x.csv", *NAMES, "--baseline=-", *SCORE)
    code, out, err = run_with_input((tmp_path / "table.json").read_bytes(), *asked)
    assert (code, err) == (0, "")
    assert json.loads(out)["rows"][0]["baseline"] == cb.q0(TABLE)


@pytest.mark.skipif(not os.path.exists("/proc/self/status"), reason="needs /proc")
def test_a_signal_removes_the_copy(spill):
    number = signal.SIGTERM
    command = [sys.executable, "-m", "clusterbits", "score", "-", *NAMES]
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stderr=subprocess.PIPE)
    process.stdin.write(CSV.encode())
    process.stdin.flush()
    while not list(spill.glob("*/*/*")):  # until the copy has begun
        assert process.poll() is None
        time.sleep(0.01)
    process.send_signal(number)
    assert process.wait(timeout=60) == 128 + number
    process.stdin.close()
    process.stderr.close()
    assert list(spill.iterdir()) == []
