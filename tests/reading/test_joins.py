"""Two files joined on ids: as Python would, unmatched and repeated ids, missing labels."""

from __future__ import annotations

import pytest
from support.files import EXPECTED, FORMATS, PRED, TRUTH, write_csv, write_parquet

import clusterbits as cb
from clusterbits.errors import ClusterbitsError, ColumnError, FileError, LabelError
from clusterbits.labels.options import LabelPolicy
from clusterbits.reading.files.counted_files import count_files
from clusterbits.reading.request import Request

IDS = ["a", "b", "c", "d", "e", "f"]


@pytest.fixture(
    params=[
        ("labels.csv", "labels.parquet"),
        ("labels.parquet", "labels.jsonl"),
        ("labels.jsonl.gz", "labels.csv.gz"),
    ],
    ids=" ".join,
)
def two_files(request, tmp_path):
    left, right = request.param
    for folder in ("t", "p"):
        (tmp_path / folder).mkdir()

    def write(truth, pred):
        return [
            FORMATS[left](tmp_path / "t" / left, truth),
            FORMATS[right](tmp_path / "p" / right, pred),
        ]

    return write


def test_joined(two_files):
    order = [3, 0, 5, 1, 2, 4]
    numbers = [*range(5), 10**12]
    for ids in (IDS, numbers):
        paths = two_files(
            {"id": ids, "species": TRUTH},
            {"cluster": [PRED[i] for i in order], "id": [ids[i] for i in order]},
        )
        assert cb.Contingency.from_file(paths, "species", "cluster", on="id") == EXPECTED
        assert cb.Contingency.from_file(paths, on="id") == EXPECTED


def test_unmatched(tmp_path):
    paths = [
        write_csv(tmp_path / "truth.csv", {"id": ["a", "b", "c", "x"], "c": ["u", "u", "v", "v"]}),
        write_csv(tmp_path / "pred.csv", {"id": ["c", "b", "a", "y", "z"], "k": [1, 2, 2, 3, 2]}),
    ]
    with pytest.raises(
        LabelError,
        match=r"1 only in .*truth.csv \(such as id 'x'\) and 2 only in "
        r".*pred.csv \(such as id 'y'\); 3 in both.*unmatched",
    ):
        cb.Contingency.from_file(paths, on="id")
    table = cb.Contingency.from_file(paths, on="id", unmatched="drop")
    assert table == cb.Contingency.from_labels(["u", "u", "v"], [2, 2, 1])
    assert table.coverage == (3, 6, 2, 3)
    table = cb.Contingency.from_file(paths, on="id", unmatched="class")
    truth, pred = ["u", "u", "v", "v", None, None], [2, 2, 1, None, 3, 2]
    assert table == cb.Contingency.from_labels(truth, pred, missing="class")
    assert table.coverage is None
    with pytest.raises(ClusterbitsError, match="unmatched: 'x'"):
        cb.Contingency.from_file(paths, on="id", unmatched="x")


def test_missing_labels_when_joining(tmp_path):
    paths = [
        write_csv(tmp_path / "t.csv", {"id": ["a", "b", "c", "x"], "c": ["u", "", "v", ""]}),
        write_csv(tmp_path / "p.csv", {"id": ["c", "b", "a", "y"], "k": ["", 2, 2, 9]}),
    ]
    with pytest.raises(LabelError, match="column 'c' has 1 missing label"):
        cb.Contingency.from_file(paths, on="id", unmatched="drop")
    table = cb.Contingency.from_file(paths, on="id", unmatched="drop", missing="drop")
    assert table == cb.Contingency.from_labels(["u"], [2])
    assert table.coverage == (1, 5, 1, 2)
    table = cb.Contingency.from_file(paths, on="id", unmatched="class", missing="drop")
    assert table == cb.Contingency.from_labels(["u", None], [2, 9], missing="class")


@pytest.mark.parametrize(
    ("repeated", "unmatched"),
    [
        ("truth in both", "error"),
        ("pred in both", "drop"),
        ("truth alone", "drop"),
        ("pred alone", "class"),
    ],
)
def test_repeated_ids(tmp_path, repeated, unmatched):
    truth, pred = ["a", "b", "c"], ["a", "b", "c"]
    if "both" not in repeated:
        truth.append("t")
        pred.append("p")
    side = truth if "truth" in repeated else pred
    side.append(side[-1])
    paths = [
        write_csv(tmp_path / "truth.csv", {"id": truth, "c": range(len(truth))}),
        write_csv(tmp_path / "pred.csv", {"id": pred, "k": range(len(pred))}),
    ]
    who = "truth" if side is truth else "pred"
    with pytest.raises(LabelError, match=f"{who}.csv: id '{side[-1]}' stands in 2 rows"):
        cb.Contingency.from_file(paths, on="id", unmatched=unmatched)


def test_several_id_columns_and_predictions(tmp_path):
    truth = {"day": [1, 1, 2], "no": ["x", "y", "x"], "c": ["a", "b", "b"], "w": [1, 2, 3]}
    pred = {"no": ["x", "x", "y"], "day": [2, 1, 1], "k1": [5, 6, 6], "k2": [7, 7, 7]}
    paths = [write_csv(tmp_path / "t.csv", truth), write_parquet(tmp_path / "p.parquet", pred)]
    found = cb.Contingency.from_file(paths, "c", "k*", on=["day", "no"])
    assert list(found) == ["k1", "k2"]
    assert found["k1"] == cb.Contingency.from_labels(["a", "b", "b"], [6, 6, 5])
    weighted = cb.Contingency.from_file(paths, "c", "k1", on=["day", "no"], weights="w")
    assert weighted == cb.Contingency.from_labels(["a", "b", "b"], [6, 6, 5], weights=[1, 2, 3])
    with pytest.raises(LabelError, match="stands in 2 rows"):
        cb.Contingency.from_file(paths, "c", "k1", on="day")
    with pytest.raises(FileError, match="joins two sources"):
        cb.Contingency.from_file(paths[0], on="day")
    with pytest.raises(ColumnError, match=r"no column 'dya'.*Did you mean 'day'"):
        cb.Contingency.from_file(paths, on="dya")


def test_ids_as_written(tmp_path):
    """01 and 1 are two ids; so are 7.5 and 8."""
    paths = [
        write_csv(tmp_path / "t.csv", {"id": ["01", "1", "7.5", "8"], "c": list("abcd")}),
        write_csv(tmp_path / "p.csv", {"id": ["8", "7.5", "1", "01"], "k": list("dcba")}),
    ]
    assert cb.ari(cb.Contingency.from_file(paths, on="id")) == 1


def test_a_pattern_never_names_the_classes(tmp_path):
    (tmp_path / "t.csv").write_text("id,t\n1,a\n2,b\n")
    (tmp_path / "p.csv").write_text("id,t,k\n1,a,0\n2,b,1\n")
    paths = [tmp_path / "t.csv", tmp_path / "p.csv"]
    tables = cb.Contingency.from_file(paths, truth="t", pred=["*"], on="id")
    assert list(tables) == ["k"]


def test_groups_and_weights_of_files_are_columns(tmp_path):
    (tmp_path / "l.csv").write_text("t,a,b\n1,1,1\n2,2,1\n1,1,2\n")
    options = {"truth": "t", "pred": ["a", "b"]}
    for option in ({"groups": [0, 1, 1]}, {"weights": [1, 1, 2]}):
        for verb in (cb.evaluate, cb.compare):
            with pytest.raises(cb.errors.ClusterbitsError):
                verb(tmp_path / "l.csv", **options, **option)


@pytest.mark.parametrize("unmatched", ["error", "drop", "class"])
def test_a_missing_id_is_an_error(tmp_path, unmatched):
    """As in memory: nobody knows which object a row without an id is."""
    truth, pred = tmp_path / "truth.csv", tmp_path / "pred.csv"
    truth.write_text("id,t\n1,a\n,b\n2,b\n")
    pred.write_text("id,k\n1,1\n2,2\n")
    with pytest.raises(LabelError, match=r"truth.csv has 1 row with a missing id\. Leave"):
        cb.Contingency.from_file([truth, pred], on="id", unmatched=unmatched)
    with pytest.raises(LabelError, match="a missing value, at position 1"):
        cb.q0({1: "a", None: "b", 2: "b"}, {1: 1, 2: 2}, unmatched=unmatched)


def test_ids_that_match_nowhere_differ_in_type(tmp_path):
    write_parquet(tmp_path / "pred.parquet", {"id": [1.0, 2.0], "k": [1, 2]})
    (tmp_path / "truth.csv").write_text("id,t\n1,a\n2,b\n")
    with pytest.raises(LabelError, match="Their types are DOUBLE and VARCHAR: write them alike"):
        cb.Contingency.from_file([tmp_path / "truth.csv", tmp_path / "pred.parquet"], on="id")


def test_clusterings_of_a_joined_file_are_in_the_order_asked_for(two_files):
    names = [f"k{i}" for i in range(8)]
    paths = two_files({"id": IDS, "species": TRUTH}, {"id": IDS} | dict.fromkeys(names, PRED))
    for order in (names, names[::-1]):
        request = Request(paths, "species", order, on="id", jointly=True)
        (tally,) = count_files(request, LabelPolicy())
        assert list(tally.runs) == order
