"""The output for programs: output.schema.json holds for every command; CSV has the keys."""

import csv
import io
import json
import re
from pathlib import Path

import pytest

import clusterbits as cb
from clusterbits.cli import COMMANDS as LISTED
from clusterbits.cli.printed_rows import score_rows
from clusterbits.explanation.explained import PARTS
from clusterbits.text.terminal import render_rows

DOCS = Path(__file__).parents[2] / "docs/reference"
SCHEMA = json.loads((DOCS / "output.schema.json").read_text(encoding="utf-8"))
KINDS = {
    "object": dict,
    "array": list,
    "string": str,
    "boolean": bool,
    "number": (int, float),
    "integer": int,
    "null": type(None),
}
ROWS = "id,c,k,x\n1,a,1,1\n2,a,1,2\n3,b,2,2\n4,b,2,2\n5,b,,1\n"
SCORE = ("score", "x.csv", "--truth", "c", "--pred", "k", "--missing", "drop")
COMPARE = ("compare", "x.csv", "--truth", "c", "--pred", "k,x", "--missing", "drop")
EXPLAIN = ("explain", "x.csv", "--truth", "c", "--pred", "x", "--part")
DIFF = ("diff", "x.csv", "--old", "c", "--new", "x", "--missing", "drop")
LIMITS = ("--confidence-level", "0.9")
COMMANDS = [
    SCORE,
    (*SCORE, "-m", "all"),
    (*SCORE, *LIMITS, "-m", "q0", "--require", "ari>0", "--baseline", "saved.json"),
    (*SCORE, *LIMITS, "--groups", "x", "-m", "q0", "--require", "ari>0"),
    (*SCORE, "--baseline-pred", "x", "-m", "q0,expected_mutual_information"),
    COMPARE,
    (*COMPARE, "--groups", "x"),
    (*COMPARE, *LIMITS, "-m", "ari"),
    ("estimate", "x.csv", "--truth", "k", "--pred", "c"),
    *((*EXPLAIN, part) for part in PARTS),
    *((*DIFF, "--groups", "id", "--part", part) for part in ("rates", "old", "new", "groups")),
    (*DIFF, "--part", "names"),
    (*DIFF, "--require", "split_rate<2"),
    (*DIFF, "--answers", "answers.csv", "--require", "delta_precision.low>-9"),
    ("code", "encode", "x.csv", "--truth", "c", "--pred", "x", "-o", "x.clb"),
    ("tree", "x.csv", "--level", "c,id", "--truth", "x"),
    ("tree", "pairs.csv", "--edges", "a,b,score", "--truth", "x.csv:c", "--on", "id"),
    ("tree", "x.csv", "--level", "c", "--truth", "x", "--part", "clusters"),
    ("coref", "clusters.json", "found.json"),
    ("coref", "clusters.json", "found.json", "--groups", "document"),
    ("consensus", "x.csv", "--pred", "c,x"),
    ("consensus", "x.csv", "--pred", "c,x", "--part", "runs"),
    ("measures",),
    ("measures", "ari"),
    ("paper", "cards"),
    ("paper", "cards", "rand"),
    ("paper", "reproduce"),
    ("demo",),
]
# Commands that print no rows.
OTHERS = {"report", "code decode", "paper explore"}


def name_of(command):
    """Return the words that name a command, without its arguments."""
    return " ".join(command[: 2 if command[0] in ("code", "paper") else 1])


def faults(value, schema, where="$"):
    """Return where a value breaks a schema, for the words of JSON Schema that ours uses."""
    words = {"description", "title", "$schema", "$defs", "$ref", "oneOf", "enum", "type"}
    assert schema.keys() <= words | {"properties", "required", "additionalProperties", "items"}
    if "$ref" in schema:
        return faults(value, SCHEMA["$defs"][schema["$ref"].rpartition("/")[2]], where)
    if "oneOf" in schema:
        found = [faults(value, one, where) for one in schema["oneOf"]]
        return [] if found.count([]) == 1 else min(found, key=len) or [f"{where} fits several"]
    if "enum" in schema and value not in schema["enum"]:
        return [f"{where}: {value!r} is none of {schema['enum']}"]
    kinds = schema.get("type", list(KINDS))
    kinds = [kinds] if isinstance(kinds, str) else kinds
    if not any(isinstance(value, KINDS[kind]) for kind in kinds) or (
        isinstance(value, bool) and "boolean" not in kinds
    ):
        return [f"{where}: {value!r} is not {kinds}"]
    if isinstance(value, list):
        return [
            f for i, one in enumerate(value) for f in faults(one, schema["items"], f"{where}[{i}]")
        ]
    if not isinstance(value, dict):
        return []
    known = schema["properties"]
    found = [f"{where}: no {key}" for key in schema["required"] if key not in value]
    for key, one in value.items():
        found += faults(one, known[key], f"{where}.{key}") if key in known else [f"{where}: {key}?"]
    return found


@pytest.fixture
def here(run, tmp_path):
    """Return `run` in a folder with labels and a saved table."""
    (tmp_path / "x.csv").write_text(ROWS)
    cb.Contingency.from_labels([*"aabb"], [1, 1, 2, 2]).save(tmp_path / "saved.json")
    run(*DIFF, "--questions-out", "asked.csv", "--questions", "12")
    asked = (tmp_path / "asked.csv").read_text().splitlines()
    answers = [asked[0], *(f"{line}yes" for line in asked[1:])]
    (tmp_path / "answers.csv").write_text("\n".join(answers))
    (tmp_path / "pairs.csv").write_text("a,b,score\n1,2,0.9\n3,2,0.25\n")
    for name in ("clusters.json", "found.json"):
        (tmp_path / name).write_text('{"d": [[[0, 1], [5, 5]]], "e": []}')
    return run


@pytest.mark.parametrize("command", COMMANDS, ids=" ".join)
def test_json_follows_the_schema_and_csv_the_json(here, command, request, monkeypatch):
    if command == ("paper", "reproduce"):
        reproduction = request.getfixturevalue("reproduction")
        monkeypatch.setattr(cb.paper, "reproduce", lambda: reproduction)
    code, out, _ = here(*command, "--json")
    assert code == 0
    found = json.loads(out)
    assert faults(found, SCHEMA) == []
    assert (found["version"], found["command"]) == (cb.__version__, name_of(command))
    keys = {key for row in found["rows"] for key in row}
    assert all(re.fullmatch("[a-z][a-z0-9_]*", key) for key in {*found, *keys})
    # The slow ones run once.
    slow = command[0] in ("demo", "paper")
    text = render_rows(found["rows"], "csv") if slow else here(*command, "--csv")[1]
    lines = list(csv.reader(io.StringIO(text)))
    assert lines[0] == list(found["rows"][0])
    assert len(lines) == 1 + len(found["rows"])


def test_every_command_with_rows_is_tried():
    names = {name for group in LISTED.values() for name in group}
    assert set(map(name_of, COMMANDS)) | OTHERS == names


def test_scores_by_group_follow_the_schema():
    runs = {"a": [1, 1, 2, 2, 3], "b": [1, 2, 1, 2, 1]}
    scores = cb.evaluate(
        [*"aabba"], runs, ["q0", "ari"], groups=["x", "x", "y", "y", 7], confidence_level=0.9
    )
    rows = score_rows(scores)
    out = render_rows(rows, "json", facts={"version": "0", "command": "score"})
    assert faults(json.loads(out), SCHEMA) == []
    assert [row["scope"] for row in rows[::4]] == ["pooled", "mean", "group", "group", "group"]
    assert [row["n"] for row in rows[::4]] == [5, None, 1, 2, 2]


@pytest.mark.parametrize("words", [(), ("--weights", "w")])
@pytest.mark.parametrize("more", [(), ("--groups", "c"), ("--truth-noise", "a")])
def test_objects_scored_and_given_have_one_unit(run, tmp_path, words, more):
    (tmp_path / "t.csv").write_text("id,c\n1,a\n2,b\n3,b\n4,b\n")
    (tmp_path / "p.csv").write_text("id,k,w\n1,1,2\n2,1,2\n3,2,2\n5,2,9\n")
    asked = ("score", "t.csv", "p.csv", "--on", "id", "--unmatched", "drop", "-m", "rand")
    asked += ("--truth", "c", "--pred", "k")
    row = json.loads(run(*asked, *words, *more, "--json")[1])["rows"][0]
    objects = 2 if "--truth-noise" in more else 3
    assert row["n"] == objects * (2 if words else 1)
    assert (row["objects_scored"], row["objects_given"]) == (objects, 5)
    assert row["coverage"] == objects / 5
    assert row["clustering"] == "k"


def test_the_page_names_every_key_of_a_score():
    page = (DOCS / "json.md").read_text(encoding="utf-8")
    table = "".join(line.split(" | ")[0] for line in page.splitlines() if line.startswith("| `"))
    assert set(re.findall(r"`(\w+)`", table)) == set(SCHEMA["$defs"]["score"]["properties"])
    shown = re.search(r"```json\n(.*?)```", page, re.DOTALL).group(1)
    assert faults(json.loads(shown), SCHEMA) == []


def test_the_same_call_gives_the_same_interval_in_python(here):
    table = cb.Contingency.from_labels([*"aabb"], [1, 1, 2, 2])
    options = ("-m", "q0,rand", *LIMITS, "--json")
    score, compare = (json.loads(here(*x, *options)[1])["rows"] for x in (SCORE, COMPARE))
    limits = [(row["low"], row["high"]) for row in score]
    assert limits == [(row["low"], row["high"]) for row in compare if row["clustering"] == "k"]
    scores = cb.evaluate(table, measures=["q0", "rand"], confidence_level=0.9)
    assert limits == [(row.low, row.high) for row in scores]
    intervals = (cb.interval(table, measure=x, confidence_level=0.9) for x in ("q0", "rand"))
    assert limits == [(interval.low, interval.high) for interval in intervals]
