"""Files of pairs on the command line: the table of `from_pairs`, whatever the format."""

import json
import re

import pandas as pd
import pytest

import clusterbits as cb

TRUTH, PRED, IDS = [(1, 2), (2, 3), (9, 10)], [(2, 1), (10, 11)], [*range(1, 13)]
TABLE = cb.Contingency.from_pairs(TRUTH, PRED, IDS)


def write(path, rows, names):
    frame = pd.DataFrame(rows, columns=names)
    if path.suffix == ".parquet":
        frame.to_parquet(path)
    elif path.suffix == ".jsonl":
        frame.to_json(path, orient="records", lines=True)
    else:
        frame.to_csv(path, index=False)
    return path


@pytest.fixture
def files(tmp_path):
    def make(truth="csv", pred="csv", ids="csv"):
        return (
            write(tmp_path / f"truth.{truth}", TRUTH, ["l", "r"]),
            write(tmp_path / f"pred.{pred}", PRED, ["l", "r"]),
            "--pairs",
            "--ids",
            write(tmp_path / f"ids.{ids}", IDS, ["id"]),
        )

    return make


@pytest.mark.parametrize(("truth", "pred"), [("csv.gz", "parquet"), ("jsonl", "csv")])
def test_every_format(run, files, tmp_path, truth, pred):
    saved = tmp_path / "table.json"
    code, out, err = run(
        "score", *files(truth, pred), "-m", "q0,pair_precision", "-f", "json", "--save", saved
    )
    assert (code, err) == (0, "")
    values = {row["measure"]: row["value"] for row in json.loads(out)["rows"]}
    assert values == {"q0": cb.q0(TABLE), "pair_precision": 0.5}
    assert cb.Contingency.load(saved) == TABLE


def test_objects_in_pairs_only(run, files):
    code, out, err = run("score", *files()[:3])
    assert (code, err) == (0, "")
    assert "6 objects, 3 classes × 4 clusters" in out


def test_ids_are_compared_as_text_where_some_are(run, tmp_path):
    truth = write(tmp_path / "truth.csv", [("1", "2"), ("2", "a")], ["l", "r"])
    pred = write(tmp_path / "pred.parquet", [(1, 2)], ["l", "r"])
    code, out, err = run("score", truth, pred, "--pairs")
    assert (code, err) == (0, "")
    assert "3 objects, 1 class × 2 clusters" in out


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("l,r,score\n1,2,0.5\n", "other.csv has 3 columns; two columns of ids"),
        ("l,r\n1,\n2,3\n", "other.csv has 1 pair with a missing id, the first at position 0"),
        ("l,r\n1,99\n", "the pairs have 1 id that ids lacks, such as 99"),
    ],
)
def test_wrong_files(run, files, tmp_path, text, message):
    truth, _, *options = files()
    other = tmp_path / "other.csv"
    other.write_text(text)
    code, out, err = run("score", truth, other, *options)
    assert (code, out) == (2, "")
    assert re.search(message, " ".join(err.split()))


def test_no_match_was_found(run, files, tmp_path):
    truth, _, *options = files()
    (tmp_path / "none.csv").write_text("l,r\n")
    code, out, err = run("score", truth, tmp_path / "none.csv", *options, "-m", "pair_recall")
    assert (code, err) == (0, "")
    assert re.search(r"pair_recall +0.0000", out)


@pytest.mark.parametrize(
    ("drop", "more", "message"),
    [
        (1, (), "--pairs takes two files, true and predicted matches, not 1"),
        (0, ("--on", "id"), "--on does not apply"),
        (0, ("--noise", "drop"), "--noise does not apply"),
    ],
)
def test_wrong_options(run, files, drop, more, message):
    code, out, err = run("score", *files()[drop:3], *more)
    assert (code, out) == (2, "")
    assert message in " ".join(err.split())


def test_no_input_is_overwritten(run, files):
    *before, ids = files(ids="csv")
    code, _, err = run("score", *before, ids, "--save", ids)
    assert code == 2
    assert "is the input" in " ".join(err.split())
