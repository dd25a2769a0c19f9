"""`--groups`: scores of each group, from every kind of input, as `evaluate` has them."""

import csv
import io
import json
import sqlite3

import duckdb
import numpy as np
import pandas as pd
import pytest

import clusterbits as cb

N = 120
RNG = np.random.default_rng(11)
TRUTH = RNG.integers(0, 4, N)
FRAME = pd.DataFrame(
    {
        "id": np.arange(N),
        "t": TRUTH,
        "k1": np.where(RNG.random(N) < 0.8, TRUTH, 7),
        "k2": np.where(RNG.random(N) < 0.2, -1, TRUTH % 3),
        "doc": np.array(["x", "y", "z"])[RNG.integers(0, 3, N)],
        "w": RNG.integers(1, 5, N),
        "real": RNG.random(N).round(6),  # JSON keeps ten digits
    }
)
GAPS = FRAME.assign(
    t=FRAME["t"].astype("Int64").mask(RNG.random(N) < 0.1),
    k1=FRAME["k1"].astype("Int64").mask(RNG.random(N) < 0.1),
)
QUERY = "select * from labels"
MEASURES = "q0,ari,rand"


def write_sqlite(frame, path):
    connection = sqlite3.connect(path)
    frame.to_sql("labels", connection, index=False)
    connection.close()


def write_duckdb(frame, path):
    with duckdb.connect(str(path)) as connection:
        connection.sql("create table labels as select * from frame")


def write_two(frame, path):
    """Write classes and groups in one file, clusters and weights in another order in the other."""
    path.mkdir()
    frame[["id", "t", "doc"]].to_csv(path / "truth.csv", index=False)
    frame[["id", "k1", "k2", "w", "real"]][::-1].to_parquet(path / "pred.parquet")


def write_turned(frame, path):
    """Write classes in one file, and clusters, weights and groups in the other."""
    path.mkdir()
    frame[["id", "t"]].to_csv(path / "truth.csv", index=False)
    frame.drop(columns="t")[::-1].to_json(path / "pred.jsonl", orient="records", lines=True)


FILES = {
    "csv": (lambda f, p: f.to_csv(p, index=False), ["labels.csv"]),
    "csv.gz": (lambda f, p: f.to_csv(p, index=False), ["labels.csv.gz"]),
    "parquet": (lambda f, p: f.to_parquet(p), ["labels.parquet"]),
    "jsonl": (lambda f, p: f.to_json(p, orient="records", lines=True), ["labels.jsonl"]),
    "sqlite": (write_sqlite, ["labels.sqlite", "--sql", QUERY]),
    "duckdb": (write_duckdb, ["labels.duckdb", "--sql", QUERY]),
    "join": (write_two, ["two/truth.csv", "two/pred.parquet", "--on", "id"]),
    "turned join": (write_turned, ["two/truth.csv", "two/pred.jsonl", "--on", "id"]),
}
OPTIONS = {
    "plain": (FRAME, {}, []),
    "noise drop": (FRAME, {"noise": "drop"}, ["--noise", "drop"]),
    "singletons": (FRAME, {"noise": "singletons"}, ["--noise", "singletons"]),
    "weights": (FRAME, {"weights": "w"}, ["--weights", "w"]),
    "real weights": (FRAME, {"weights": "real"}, ["--weights", "real"]),
    "missing drop": (GAPS, {"missing": "drop"}, ["--missing", "drop"]),
    "missing class": (GAPS, {"missing": "class"}, ["--missing", "class"]),
    "truth noise": (FRAME, {"truth_noise": [1, 3]}, ["--truth-noise", "1", "--truth-noise", "3"]),
}


def assert_same(found, expected):
    """Compare tidy rows: CSV brings all labels as text, and adds real weights in another order."""
    keys = ("scope", "group", "clustering", "measure")
    assert [[row[key] for key in keys] for row in found] == [
        [row[key] for key in keys] for row in expected
    ]
    for key in ("value", "low", "high"):
        values = [[row.get(key) for row in rows] for rows in (found, expected)]
        known = [[np.nan if value is None else value for value in some] for some in values]
        np.testing.assert_allclose(*known, rtol=1e-12)


# Readers do not know of options: each of both once.
TRIED = [
    ("csv", "plain"),
    ("csv.gz", "singletons"),
    ("parquet", "noise drop"),
    ("jsonl", "weights"),
    ("sqlite", "missing drop"),
    ("duckdb", "truth noise"),
    ("join", "real weights"),
    ("turned join", "missing class"),
]


@pytest.mark.parametrize(("file", "options"), TRIED)
def test_every_input_and_every_option(run, tmp_path, file, options):
    (write, arguments), (frame, given, words) = FILES[file], OPTIONS[options]
    write(frame, tmp_path / arguments[0].partition("/")[0])
    asked = [*arguments, "--truth", "t", "--groups", "doc", "-m", MEASURES, *words, "--json"]
    code, out, err = run("compare", *asked, "--pred", "k*")
    assert (code, err) == (0, "")
    expected = cb.evaluate(frame, truth="t", pred=["k*"], groups="doc", measures=MEASURES, **given)
    assert_same(json.loads(out)["rows"], expected.sorted_by("q0").to_dicts())
    code, out, err = run("score", *asked, "--pred", "k2")
    assert (code, err) == (0, "")
    expected = cb.evaluate(frame, truth="t", pred="k2", groups="doc", measures=MEASURES, **given)
    rows = json.loads(out)["rows"]
    assert_same(rows, expected.to_dicts())
    assert_true_coverage(rows)


def assert_true_coverage(rows):
    """What is known of all objects is not told of groups, unless nothing was left out."""
    for row in rows:
        whole = rows[0]["coverage"] == 1
        assert row["scope"] == "pooled" or (row["coverage"] in ((1, None) if whole else (None,)))
        if row["coverage"] is not None:
            assert row["coverage"] == row["objects_scored"] / row["objects_given"]
    groups = [row["objects_scored"] for row in rows if row["scope"] == "group"]
    assert sum(groups[::3]) == pytest.approx(rows[0]["objects_scored"])


def test_every_format_says_the_same(run, tmp_path):
    FRAME.to_csv(tmp_path / "x.csv", index=False)
    asked = ("score", "x.csv", "--truth", "t", "--pred", "k1", "--groups", "doc", "-m", MEASURES)
    asked += ("--confidence-level", "0.9", "--rng", "3")
    expected = cb.evaluate(
        FRAME, truth="t", pred="k1", groups="doc", measures=MEASURES, confidence_level=0.9, rng=3
    )
    rows = json.loads(run(*asked, "--json")[1])["rows"]
    assert_same(rows, expected.to_dicts())
    assert rows[0]["low"] < rows[0]["value"] < rows[0]["high"]
    table = list(csv.DictReader(io.StringIO(run(*asked, "--csv")[1])))
    assert [float(row["value"]) for row in table] == [row["value"] for row in rows]
    assert [float(row["low"]) for row in table[:3]] == [row["low"] for row in rows[:3]]
    assert {row["low"] for row in table[3:]} <= {""}
    markdown = [x for x in run(*asked, "-f", "markdown")[1].splitlines() if x.startswith("|")]
    assert len(markdown) == 2 + len(rows) // 3
    assert f"| {rows[0]['value']:.2f} \\[" in markdown[2]
    out = run(*asked)[1]
    said = "3 groups, which weigh the same in the mean; intervals by resampling whole groups"
    assert said in " ".join(out.split())
    assert [line.split()[0] for line in out.splitlines()[-5:-3]] == ["pooled", "mean"]


def test_pooled_rows_have_the_comparison(run, tmp_path):
    FRAME.to_csv(tmp_path / "labels.csv", index=False)
    asked = ("compare", "labels.csv", "--truth", "t", "--pred", "k1,k2", "--groups", "doc")
    code, out, _ = run(*asked, "-m", "q0")
    assert code == 0
    assert "; groups with the worst q0 first." in " ".join(out.split())
    heading = next(line for line in out.splitlines() if line.startswith("group "))
    assert heading.endswith("in set")
    ends = [line.split()[0 :: len(line.split()) - 1] for line in out.splitlines()[-10:]]
    assert ends[:2] == [["pooled", "yes"], ["pooled", "no"]]
    assert {end for _, end in ends[2:]} == {"–"}
    rows = run(*asked, "-m", "q0", "--format", "markdown")[1].partition("\n\n|")[2].splitlines()
    assert rows[0].split("|")[-2].strip() == "in set"


def test_joined_objects_that_one_file_lacks(run, tmp_path):
    FRAME[["id", "t", "doc"]][10:].to_csv(tmp_path / "truth.csv", index=False)
    FRAME[["id", "k1"]][:100].to_csv(tmp_path / "pred.csv", index=False)
    asked = ("score", "truth.csv", "pred.csv", "--on", "id", "--truth", "t", "--groups", "doc")
    asked += ("-m", "rand", "--truth-noise", "2")
    code, out, _ = run(*asked, "--unmatched", "drop", "--json")
    assert code == 0
    both = FRAME[10:100]
    expected = cb.evaluate(
        both["t"], {"k1": both["k1"]}, groups=both["doc"], measures="rand", truth_noise=2
    )
    assert_same(json.loads(out)["rows"], expected.to_dicts())
    FRAME[["id", "t", "doc"]][10:].assign(doc=FRAME["doc"].where(FRAME["id"] < 110, "late")).to_csv(
        tmp_path / "truth.csv", index=False
    )
    late = pd.read_csv(tmp_path / "truth.csv").set_index("id")
    expected = cb.evaluate(
        late["t"],
        FRAME.set_index("id")[["k1"]][:100],
        groups=late["doc"],
        measures="rand",
        truth_noise=2,
        align=True,
        unmatched="drop",
    )
    rows = json.loads(run(*asked, "--unmatched", "drop", "--json")[1])["rows"]
    assert_same(rows, expected.to_dicts())  # a group without an object that counts has no value
    assert [row["value"] for row in rows if row["group"] == "late"] == [None]
    kept = int((both["t"] != 2).sum())
    assert f"Scored {kept} of 120 objects" in run(*asked, "--unmatched", "drop")[1]
    code, _, err = run(*asked, "--unmatched", "class")
    assert (code, "--unmatched class cannot be combined" in err) == (2, True)


def test_gates_are_for_the_pooled_value(run, tmp_path):
    FRAME.to_csv(tmp_path / "x.csv", index=False)
    cb.Contingency.from_labels(FRAME["t"], FRAME["k1"]).save(tmp_path / "s.json")
    asked = ("score", "x.csv", "--truth", "t", "--pred", "k1", "--groups", "doc", "-m", "rand")
    code, out, err = run(*asked, "--require", "rand>2", "--json")
    assert code == 1
    assert len(err.splitlines()) == 1
    met = {(row["scope"], row["group"]): row["met"] for row in json.loads(out)["rows"]}
    assert met.pop(("pooled", None)) is False
    assert set(met.values()) == {None}
    for words in (["-f", "markdown"], []):
        lines = run(*asked, "--require", "rand>2", "--baseline", "s.json", *words)[1].splitlines()
        (pooled,) = (line for line in lines if line.strip("| ").startswith("pooled"))
        assert "> 2" in pooled
        assert "rand_required" in "".join(lines)
        assert "rand_worse" in "".join(lines)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["x.csv", "--groups", "dok"], "Did you mean 'doc'?"),
        (["x.csv", "--groups", "gap"], "column 'gap' has 1 missing label"),
        (["x.csv", "--groups", "one", "--confidence-level", "0.9"], "all objects are in one group"),
        (["s.json", "--groups", "doc"], "groups needs labels: a table"),
    ],
)
def test_wrong_groups(run, tmp_path, arguments, said):
    gap = FRAME.assign(gap=FRAME["doc"].where(FRAME["id"] > 0), one=1)
    gap.to_csv(tmp_path / "x.csv", index=False)
    cb.Contingency.from_labels([1, 2], [1, 2]).save(tmp_path / "s.json")
    labels = ["--truth", "t", "--pred", "k1"] if arguments[0] == "x.csv" else []
    code, out, err = run("score", *arguments, *labels)
    assert (code, out) == (2, "")
    assert said in err
    assert len(err.splitlines()) == 1
