"""The command diff: what it prints, what it writes, what it refuses, and its exit codes."""

import csv
import json

import numpy as np
import pandas as pd
import pytest
from support.files import write_csv, write_parquet

import clusterbits as cb
from clusterbits.cli.demo import load_digits

RNG = np.random.default_rng(4)
OLD = {f"doc {i}": f"topic {k}" for i, k in enumerate(RNG.integers(0, 6, 120).tolist())}
NEW = {i: k if n % 3 else "topic 0" for n, (i, k) in enumerate(OLD.items()) if n < 100}
NEW |= {"doc new": "topic 9", "doc odd": "topic 1"}


@pytest.fixture(autouse=True)
def nights(tmp_path):
    for name, labels in (("old", OLD), ("new", NEW)):
        columns = {"id": list(labels), "topic": list(labels.values())}
        write_csv(tmp_path / f"{name}.csv", columns)
        write_parquet(tmp_path / f"{name}.parquet", columns)
    shared = [i for i in OLD if i in NEW]
    both = {
        "monday": [OLD[i] for i in shared],
        "tuesday": [NEW[i] for i in shared],
        "country": ["AB"[len(i) % 2] for i in shared],
        "views": [len(i) for i in shared],
    }
    write_csv(tmp_path / "both.csv", both)


DIFF = ("diff", "old.csv", "new.csv", "--on", "id", "--label", "topic")
EXPECTED = cb.diff(OLD, NEW)


def rates(out):
    return {row["measure"]: row["value"] for row in json.loads(out)["rows"]}


@pytest.mark.parametrize("files", [("old.csv", "new.csv"), ("old.parquet", "new.csv")])
def test_two_files(run, files):
    code, out, err = run("diff", *files, "--on", "id", "--json")
    assert (code, err) == (0, "")
    (numbers,) = EXPECTED.to_dicts()
    assert rates(out) == numbers
    assert json.loads(out)["verdict"] == EXPECTED.title.partition("\n")[0]
    code, out, err = run(*DIFF)
    assert (code, err) == (0, "")
    assert out.startswith(EXPECTED.title.partition("\n")[0])
    assert max(map(len, out.splitlines())) <= 80
    assert "split_rate" in out
    assert "topic 0" in out


def test_one_file(run):
    columns = pd.read_csv("both.csv")
    code, out, _ = run("diff", "both.csv", "--old", "monday", "--new", "tuesday", "--json")
    assert code == 0
    assert rates(out)["arrived"] == 0
    assert rates(out) == cb.diff(columns["monday"], columns["tuesday"]).to_dicts()[0]
    named = ("diff", "both.csv", "--old", "monday", "--new", "tuesday")
    code, out, _ = run(*named, "--groups", "country", "--part", "groups", "--csv")
    assert code == 0
    assert [row["group"] for row in csv.DictReader(out.splitlines())] == ["A", "B"]
    assert run(*named, "--weights", "views")[0] == 0
    assert run(*named, "--weights", "balanced")[0] == 2


@pytest.mark.parametrize("part", ["old", "new", "names"])
@pytest.mark.parametrize("form", ["json", "csv", "markdown", "table"])
def test_parts(run, part, form):
    code, out, err = run(*DIFF, "--part", part, "--format", form)
    assert (code, err) == (0, "")
    if form == "json":
        expected = {
            "old": EXPECTED.old.to_dicts(),
            "new": EXPECTED.new.to_dicts(),
            "names": [{"cluster": k, "name": name} for k, name in EXPECTED.names.items()],
        }
        assert json.loads(out)["rows"] == expected[part]
    elif form == "table" and part != "names":
        assert " share " in out


@pytest.mark.parametrize(
    ("required", "code"),
    [
        (["split_rate<1"], 0),
        (["split_rate<0.02"], 1),
        (["split_rate<0.02", "moved<=0"], 2),
        (["left>=20,arrived<3"], 0),
        (["old_clusters>=6", "new_clusters<7"], 1),
    ],
)
def test_requirements(run, required, code):
    """The expected code is the number of failures: each is one line, and the exit code is 1."""
    options = [word for text in required for word in ("--require", text)]
    found, out, err = run(*DIFF, *options, "--json")
    assert found == min(code, 1)
    assert len(err.splitlines()) == code
    met = {row["measure"]: row["met"] for row in json.loads(out)["rows"]}
    assert list(met.values()).count(False) == code
    assert run(*DIFF, *options)[0] == found


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--require", "split_rat<1"], "Did you mean 'split_rate'?"),
        (["--require", "split_rate"], "pass a measure, one of >= <= > <"),
        (["--require", "split_rate.low<1"], "no estimate and has no interval"),
        (["--require", "delta_precision>0"], "pass --answers"),
        (["--part", "groups"], "--groups with a column"),
        (["--groups", "country"], "no column 'country'"),
        (["--noise", "gone"], "noise"),
        (["--labels-out", "old.csv"], "old.csv is the input old.csv"),
        (["--questions-out", "old.csv"], "old.csv exists, and may have answers"),
        (["--questions", "20"], "--questions needs --questions-out"),
        (["--confidence-level", "0.9"], "--confidence-level needs --answers"),
        (["--labels-out", "new.csv"], "new.csv is the input new.csv"),
        (["--output", "old.csv"], "old.csv is the input old.csv"),
        (["--answers", "both.csv", "-o", "both.csv"], "both.csv is the input"),
        (["-o", "x.html", "--labels-out", "x.html"], "named for two outputs"),
        (["-o", "no/folder/x.html"], "no/folder"),
        (["--questions-out", "q.csv", "--questions", "0"], "n must be a whole number, at least 1"),
        (["--questions-out", "q.csv", "--rng", "-1"], "rng must be a whole number, at least 0"),
        (["--old", "topic"], "--label names the column of both files"),
        (["--truth-noise", "x"], "--truth-noise"),
    ],
)
def test_one_line_of_refusal(run, options, message):
    code, out, err = run(*DIFF, *options)
    assert (code, out) == (2, "")
    assert message in err
    assert len(err.splitlines()) == 1
    assert "Traceback" not in err


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((), "0 were named"),
        (("old.csv",), "name them by --old and --new"),
        (("old.csv", "new.csv"), "pass --on"),
        (("both.csv", "--on", "id"), "--on joins two files"),
        (("old.csv", "old.csv", "--on", "id"), "are one file"),
        (("old.csv", "new.csv", "both.csv", "--on", "id"), "3 were named"),
        (("old.csv", "missing.csv", "--on", "id"), "missing.csv"),
        (("both.csv", "--old", "monday", "--new", "monday"), "is both old and new"),
    ],
)
def test_what_to_compare(run, arguments, message):
    code, out, err = run("diff", *arguments)
    assert (code, out) == (2, "")
    assert message in err


def test_labels_are_written_with_their_names(run, tmp_path):
    assert run(*DIFF, "--labels-out", "ids.csv")[0] == 0
    frame = pd.read_csv(tmp_path / "ids.csv")
    assert list(frame.columns) == ["id", "topic", "topic_carried"]
    assert dict(zip(frame["id"], frame["topic_carried"], strict=True)) == EXPECTED.labels
    code, out, _ = run(
        "diff", "both.csv", *("--old", "monday", "--new", "tuesday"), *("--labels-out", "-")
    )
    assert code == 0
    assert out.splitlines()[0] == "monday,tuesday,tuesday_carried"


def test_questions_and_answers(run, tmp_path):
    assert run(*DIFF, "--questions-out", "ask.csv", "--questions", "50")[0] == 0
    asked = pd.read_csv(tmp_path / "ask.csv")
    assert len(asked) == 50
    assert asked["together"].isna().all()
    assert all(OLD[row.a] == row.old_a and NEW[row.b] == row.new_b for row in asked.itertuples())
    asked["together"] = np.where(asked["kind"] == "split", "no", "yes")
    asked.to_csv(tmp_path / "ask.csv", index=False)
    answered = (*DIFF, "--answers", "ask.csv")
    code, out, err = run(*answered, "--json", "--require", "delta_precision.low>0")
    rows = {row["measure"]: row for row in json.loads(out)["rows"]}
    judged = EXPECTED.judged(asked)
    assert rows["delta_precision"]["value"] == judged.delta_precision.value
    assert (code == 0) is (judged.delta_precision.low > 0)
    assert bool(err) is (code == 1)
    assert judged.verdict in run(*answered)[1].replace("\n", " ")
    assert run(*DIFF, "--answers", "both.csv")[0] == 2
    assert run(*answered, "--questions-out", "ask.csv")[0] == 2
    assert run(*answered, "--confidence-level", "2")[0] == 2


def test_page(run, tmp_path):
    assert run(*DIFF, "-o", "changes.html")[0] == 0
    html = (tmp_path / "changes.html").read_text()
    assert EXPECTED.title.partition("\n")[0] in html
    assert "<svg" in html
    assert "http" not in html.partition("</style>")[2].replace("http-equiv", "")
    run(*DIFF, "-o", "again.html")
    again = (tmp_path / "again.html").read_text()
    assert again.replace("again.html", "changes.html") == html
    code, out, _ = run(*DIFF, "-o", "-")
    assert code == 0
    assert out.startswith("<!doctype html>")


@pytest.mark.slow
def test_the_demo_is_made_as_it_was_stored(run, tmp_path):
    """The gate of our own: the clusterings that are shipped, against those made today.

    Versions of scikit-learn may move an object or two.
    """
    from sklearn.cluster import AgglomerativeClustering, KMeans
    from sklearn.datasets import load_digits as load_pixels

    pixels = load_pixels().data
    stored = load_digits()
    made = {
        "ward_12": AgglomerativeClustering(12).fit_predict(pixels),
        "kmeans_10": KMeans(10, n_init=10, random_state=0).fit_predict(pixels),
    }
    for name, labels in made.items():
        ids = list(range(len(labels)))
        write_csv(tmp_path / "stored.csv", {"id": ids, "cluster": stored[name]})
        write_csv(tmp_path / "made.csv", {"id": ids, "cluster": labels.tolist()})
        code, _, err = run(
            *("diff", "stored.csv", "made.csv", "--on", "id"),
            *("--require", "jaccard_distance<=0.01", "--require", "moved<=9"),
        )
        assert (code, err) == (0, ""), name
