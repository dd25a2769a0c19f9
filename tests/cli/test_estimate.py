"""The command estimate: what `cb.records.estimate` finds, from any files."""

import json
import re

import pandas as pd
import pytest

import clusterbits as cb

PRED = {1: "a", 2: "a", 3: "b", 4: "c", 5: "b", 6: "d", 7: "d", 8: "d"}
SAMPLE = {1: "Ann", 2: "Ann", 3: "Ann", 4: "Bob", 5: "Bob", 8: "Cid"}
COLUMNS = ("--truth", "person", "--pred", "cluster")
JOINED = ("estimate", "sample.csv", "pred.csv", "--on", "record", *COLUMNS)


@pytest.fixture
def here(run, tmp_path):
    """Return `run` in a folder with a sample, all clusters, and both in one file."""
    for name, column, labels in (("sample", "person", SAMPLE), ("pred", "cluster", PRED)):
        frame = pd.DataFrame({"record": list(labels), column: list(labels.values())})
        frame.to_csv(tmp_path / f"{name}.csv", index=False)
        frame.to_parquet(tmp_path / f"{name}.parquet")
    one = {"person": map(SAMPLE.get, PRED), "cluster": PRED.values()}
    pd.DataFrame(one).to_csv(tmp_path / "one.csv", index=False)
    return run


def test_every_way_to_hand_over_a_sample(here):
    expected = cb.records.estimate(SAMPLE, PRED).to_dicts()
    for words in (
        JOINED,
        ("estimate", "sample.parquet", "pred.csv", "--on", "record", *COLUMNS),
        ("estimate", "one.csv", *COLUMNS),
    ):
        code, out, err = here(*words, "--json")
        assert (code, err) == (0, "")
        rows = json.loads(out)["rows"]
        assert [{key: row[key] for key in expected[0]} for row in rows] == expected


def test_saved_tables(here):
    code, _, _ = here("score", *JOINED[1:], "--unmatched", "class", "--save", "table.json")
    assert code == 0
    code, out, err = here("estimate", "table.json", "--json")
    assert (code, err) == (0, "")
    assert out == here(*JOINED, "--json")[1]
    code, _, err = here("estimate", "table.json", "--missing", "drop")
    assert code == 2
    assert "saved table, to which --missing does not apply" in err


def test_options(here):
    code, out, err = here(
        *JOINED, "-m", "pairs", "--sampling", "cluster_size", "--confidence-level", "0.5"
    )
    assert (code, err) == (0, "")
    assert out.startswith("3 sampled entities of about 4 (6 of 8 records), 50 % intervals\n")
    found = cb.records.estimate(
        SAMPLE, PRED, "pairs", sampling="cluster_size", confidence_level=0.5
    )
    for row in found.rows:
        assert f"{row.measure:<14}  {row.value:.4f}" in out
        assert f"{row.low:.4f}" in out


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ((), "which file?"),
        (("pred.csv", "sample.csv", "--on", "record", "--truth", "cluster", "--pred", "person"),
         r"after the sample\) has 2 missing labels. Pass --missing "),
        ((*JOINED[1:], "-m", "ari"), "adjusted_rand cannot be estimated from"),
        ((*JOINED[1:], "--confidence-level", "95"), "got 95.0"),
        ((*JOINED[1:], "--unmatched", "drop"), "Unknown option: \"?--unmatched"),
        ((*JOINED[1:], "--weights", "record"), "Unknown option: \"?--weights"),
    ],
)  # fmt: skip
def test_wrong_words(here, words, message):
    code, out, err = here("estimate", *words)
    assert (code, out) == (2, "")
    assert err.count("\n") == 1
    assert re.search(message, err)


def test_records_without_a_cluster_may_be_dropped(here, tmp_path):
    (tmp_path / "pred.csv").write_text("record,cluster\n1,a\n2,a\n3,\n5,b\n6,d\n7,d\n8,d\n")
    code, out, _ = here(*JOINED, "--missing", "drop", "--json")
    known = {record: name for record, name in SAMPLE.items() if record not in (3, 4)}
    pred = {record: PRED[record] for record in (1, 2, 5, 6, 7, 8)}
    assert code == 0
    found = json.loads(out)["rows"][0]
    assert found["value"] == cb.records.estimate(known, pred).rows[0].value
    assert found["of_records"] == 6
