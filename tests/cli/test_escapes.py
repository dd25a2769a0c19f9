"""Hostile names and labels: nothing that a terminal would obey reaches stdout or stderr."""

import csv
import io
import json
import os
import re
import subprocess
import sys

import pytest
from support.processes import start

import clusterbits as cb

EVIL = "\x1b[31m\x9b2J\u202e\u2066\u2028\x7f|<script>"
UNSEEN = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\u2028\u2029]")
FORMATS = ("table", "json", "csv", "markdown")
LABELS = ("--truth", f"c{EVIL}", "--pred", f"k{EVIL}")


@pytest.fixture
def file(run, tmp_path):
    path = tmp_path / f"{EVIL.replace('/', '')}.csv"
    with path.open("w", newline="", encoding="utf-8") as stream:
        writer = csv.writer(stream)
        writer.writerow([f"c{EVIL}", f"k{EVIL}", f"k2{EVIL}"])
        writer.writerows(
            [[f"{EVIL}{i % 3}\n", f"{i % 2}\n{EVIL}", f"{i % 4}{EVIL}"] for i in range(12)]
        )
    cb.Contingency.from_file(path, LABELS[1], LABELS[3]).save(tmp_path / f"{EVIL}.json")
    return path


@pytest.mark.parametrize("form", FORMATS)
def test_results_hold_no_controls(run, file, form):
    saved = file.with_suffix(".json")
    both = ("--truth", LABELS[1], "--pred", "k*")
    for command in [
        ("score", file, *LABELS),
        ("compare", file, *both),
        ("compare", saved),
        *(
            ("explain", file, *LABELS, "--part", part)
            for part in ("clusters", "merges", "confused")
        ),
        ("explain", saved),
        ("code", "encode", file, *LABELS, "-o", f"{EVIL}.clb"),
    ]:
        code, out, err = run(*command, "-f", form)
        assert (code, err) == (0, ""), command
        assert not UNSEEN.search(out), command
        if form == "json":
            json.loads(out)
        elif form == "csv":
            assert len({len(row) for row in csv.reader(io.StringIO(out))}) == 1
        elif form == "markdown":
            rows = [line for line in out.splitlines() if line.startswith("|")]
            assert len({len(re.findall(r"(?<!\\)\|", row)) for row in rows}) == 1
            assert not re.search(r"(?<!\\)[<\[`*]", out), command


def test_errors_and_notes_hold_no_controls(run, file):
    none = f"none{EVIL}.csv"
    for command in [
        ("score", none),
        ("score", file, "--truth", f"x{EVIL}", "--pred", "k*"),
        ("score", file, *LABELS, "-m", EVIL),
        ("score", file, *LABELS, f"--{EVIL}"),
        ("score", file, *LABELS, "--save", f"{EVIL}.x"),
        ("compare", file, "--truth", "c*", "--pred", EVIL),
        ("report", file, *LABELS, "-o", f"{EVIL}.html"),
        ("code", "encode", file, *LABELS, "-o", file),
        ("code", "decode", file, file, "--pred", LABELS[3]),
        ("measures", EVIL),
        ("paper", "cards", f"{EVIL}:f"),
        ("paper", "reproduce", "--out", EVIL),
        (EVIL,),
    ]:
        _, out, err = run(*command)
        assert not UNSEEN.search(out + err), command
        assert len(err.splitlines()) == 1, command
        assert "internal error" not in err


@pytest.mark.parametrize(
    ("arguments", "closed", "code"),
    [
        ("score x.csv", "2>&-", 0),
        ("score x.csv", "<&- >&- 2>&-", 2),
        ("report x.csv -o r.html", "<&- >&- 2>&-", 0),
    ],
)
def test_closed_streams(tmp_path, arguments, closed, code):
    (tmp_path / "x.csv").write_text("c,k\na,1\nb,2\n")
    command = f"cd {tmp_path} && {sys.executable} -m clusterbits {arguments} {closed}"
    done = subprocess.run(["sh", "-c", command], capture_output=True, text=True, check=False)
    assert done.returncode == code, done.stderr
    assert "Traceback" not in done.stderr
    assert len(done.stderr.splitlines()) <= 1
    if "report" in arguments:
        assert (tmp_path / "r.html").read_text().startswith("<!")


@pytest.mark.parametrize("form", FORMATS)
def test_labels_are_the_same_whatever_the_encoding_of_the_terminal(tmp_path, form):
    (tmp_path / "x.csv").write_text("c,k\na,α\na,alpha\nb,×\nb,x\n", encoding="utf-8")
    command = ("explain", "x.csv", "--truth", "c", "--pred", "k", "-f", form)
    outputs = []
    for encoding in ("utf-8", "ascii"):
        environment = {**os.environ, "PYTHONIOENCODING": encoding}
        found = start(*command, env=environment, cwd=tmp_path, text=False)
        assert (found.returncode, found.stderr) == (0, b"")
        outputs.append(found.stdout)
    assert outputs[0] == outputs[1]


def test_names_that_are_not_utf8(run, tmp_path):
    bad = os.fsencode(tmp_path) + b"/\xff.csv"
    try:
        with open(bad, "w") as stream:
            stream.write("c,k\na,1\nb,2\n")
    except OSError:
        pytest.skip("this file system has only UTF-8 names")
    for arguments in [("score", bad), ("report", bad, "-o", "x.html"), ("measures", b"\xff")]:
        code, _, err = run(*map(os.fsdecode, arguments))
        assert (code, len(err.splitlines())) == (2, 1)
        assert "internal error" not in err


def test_integers_of_many_digits(run, tmp_path):
    (tmp_path / "x.jsonl").write_text('{"c": %s, "k": 1}\n{"c": 2, "k": 1}\n' % ("1" * 5000))
    for command in [("score", "x.jsonl"), ("code", "encode", "x.jsonl", "-o", "x.clb")]:
        code, _, err = run(*command)
        assert code == 2
        assert "more than 4,300 digits" in err
