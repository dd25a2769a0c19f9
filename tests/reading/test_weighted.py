"""Tables of weights say so, wherever they are counted: a weight is not a number of objects."""

import copy
import sqlite3

import duckdb
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from support.engines import ENGINES

import clusterbits as cb
from clusterbits.errors import MeasureError

TRUTH, PRED = [0, 0, 0, 1, 1, 1], [0, 0, 1, 1, 1, 1]
HEAVY = [100] * 6
PLAIN, WEIGHTED = cb.Contingency(TRUTH, PRED), cb.Contingency(TRUTH, PRED, weights=HEAVY)
COLUMNS = {"id": range(6), "c": TRUTH, "k": PRED, "w": HEAVY, "b": list("xxyyzz")}
FRAME = pd.DataFrame(COLUMNS)
FAST = [engine for engine in ENGINES if engine not in ("dask", "spark")]


# --- what is about objects -----------------------------------------------------------------------


def test_chance_is_not_said_of_weights():
    assert "chance" in str(cb.evaluate(TRUTH, PRED))
    assert "chance" not in str(cb.evaluate(TRUTH, PRED, weights=HEAVY))
    few = cb.Contingency.from_counts([[17, 3], [0, 20]])
    assert "Random clusters have as much evidence" in str(cb.evaluate(few))


@pytest.mark.parametrize("weights", [HEAVY, [1] * 6, [0.5] * 6])
def test_objects_with_weights_are_not_drawn(weights):
    assert cb.permutation_test(TRUTH, PRED).p_value == pytest.approx(0.4, abs=0.02)
    for function in (cb.interval, cb.permutation_test):
        with pytest.raises(MeasureError, match=r"an object of weight 100 is not a hundred objects"):
            function(TRUTH, PRED, weights=weights)
    with pytest.raises(MeasureError, match=r"^interval draws objects, and these have weights"):
        cb.evaluate(TRUTH, PRED, weights=weights, confidence_level=0.95)
    with pytest.raises(MeasureError, match=r"^clustering 'a': interval draws objects"):
        cb.evaluate(TRUTH, {"a": PRED, "b": TRUTH}, weights=weights, confidence_level=0.95)
    with pytest.raises(MeasureError, match="these have weights"):
        cb.interval(cb.Contingency(TRUTH, PRED, weights=weights).balanced())
    with pytest.raises(MeasureError, match="expected or weighted ones"):
        cb.records.estimate(cb.Contingency(TRUTH, PRED, weights=weights))


def test_measures_of_objects_take_no_weights():
    none = [row["name"] for row in cb.list_measures() if row["weights"] == "none"]
    assert "evidence" in none
    for name in none:
        cb.get_measure(name).score_table(PLAIN)
        with pytest.raises(MeasureError, match="this table has expected or weighted ones"):
            cb.get_measure(name).score_table(WEIGHTED)
    every = cb.evaluate(TRUTH, PRED, "all", weights=HEAVY).measures
    assert every
    assert not {*every} & {*none}


def test_rows_that_stand_for_several_objects_are_counts():
    """The message shows how."""
    rows = FRAME.groupby(["c", "k"], as_index=False)["w"].sum()
    rows.columns = ["class", "cluster", "n"]
    frame = rows.sample(frac=1, random_state=1)
    counts = frame.pivot_table("n", "class", "cluster", "sum", fill_value=0)
    table = cb.Contingency.from_counts(counts)
    assert table == WEIGHTED
    assert not table.weighted
    assert cb.interval(table).low < cb.q0(table)
    with pytest.raises(MeasureError) as error:
        cb.interval(WEIGHTED)
    assert "from_counts(frame.pivot_table('n', 'class', 'cluster', 'sum', fill_value=0))" in str(
        error.value
    )


# --- wherever they are counted -------------------------------------------------------------------


@pytest.mark.parametrize("weights", [HEAVY, [1] * 6, [1.0] * 6, range(6)])
@pytest.mark.parametrize(
    "options",
    [{}, {"noise": "singletons", "noise_label": 1}, {"noise": "drop", "noise_label": 0}],
)
def test_labels(weights, options):
    assert cb.Contingency(TRUTH, PRED, weights=weights, **options).weighted
    assert not cb.Contingency(TRUTH, PRED, **options).weighted


@pytest.mark.parametrize("options", [{}, {"missing": "drop"}, {"unmatched": "drop"}])
def test_labels_with_ids(options):
    truth, pred = (dict(zip("abcdef", side, strict=True)) for side in (TRUTH, PRED))
    if "missing" in options:
        pred["b"] = None
    if "unmatched" in options:
        del pred["b"]
    table = cb.Contingency(truth, pred, weights=dict.fromkeys(truth, 0.5), **options)
    assert table.weighted
    assert not cb.Contingency(truth, pred, **options).weighted


def test_other_tables_have_no_weights():
    assert not PLAIN.weighted
    assert not PLAIN.balanced().weighted
    assert not cb.Contingency(TRUTH, PRED, weights="balanced").weighted
    assert not cb.Contingency.from_counts([[3, 1], [0, 2]]).weighted
    assert not cb.Contingency.expected([[0.5, 0.1], [0.1, 0.3]], n=10).weighted
    assert cb.interval(TRUTH, PRED, weights="balanced").low <= cb.q0(
        TRUTH, PRED, weights="balanced"
    )


@pytest.mark.parametrize("engine", FAST)
@pytest.mark.filterwarnings("ignore")
def test_frames_and_groups(engine):
    frame = ENGINES[engine](pa.table({name: list(values) for name, values in COLUMNS.items()}))
    found = cb.Contingency.from_frame(frame, "c", ["k", "id"], weights="w")
    assert found["k"] == WEIGHTED
    assert all(table.weighted for table in found.values())
    assert not cb.Contingency.from_frame(frame, "c", "k").weighted
    assert not cb.Contingency.from_frame(frame, "c", "k", weights="balanced").weighted
    grouped = cb.evaluate(frame, truth="c", pred="k", weights="w", groups="b")
    assert grouped.tables["k"].weighted
    assert all(scores.tables["k"].weighted for scores in grouped.groups.values())
    plain = cb.evaluate(frame, truth="c", pred="k", groups="b")
    assert not any(scores.tables["k"].weighted for scores in plain.groups.values())
    with pytest.raises(MeasureError, match="these have weights"):
        cb.evaluate(frame, truth="c", pred="k", weights="w", groups="b", confidence_level=0.9)


def write_joined(path):
    FRAME[["id", "c"]].to_csv(path / "truth.csv", index=False)
    FRAME[["id", "k", "w"]].to_parquet(path / "pred.parquet")
    return [path / "truth.csv", path / "pred.parquet"], {"on": "id"}


def write_csv(path):
    FRAME.to_csv(path / "x.csv", index=False)
    return path / "x.csv", {}


def write_parquet(path):
    FRAME.to_parquet(path / "x.parquet")
    return path / "x.parquet", {}


def write_duckdb(path):
    with duckdb.connect(str(path / "x.duckdb")) as connection:
        connection.register("frame", FRAME)
        connection.sql("create table labels as select * from frame")
    return path / "x.duckdb", {"sql": "select * from labels"}


def write_sqlite(path):
    connection = sqlite3.connect(path / "x.sqlite")
    FRAME.to_sql("labels", connection, index=False)
    connection.close()
    return path / "x.sqlite", {"sql": "select * from labels"}


@pytest.mark.parametrize(
    "write", [write_joined, write_csv, write_parquet, write_duckdb, write_sqlite]
)
def test_files(tmp_path, write):
    path, options = write(tmp_path)
    table = cb.Contingency.from_file(path, "c", "k", weights="w", **options)
    assert table == WEIGHTED
    assert table.weighted
    assert not cb.Contingency.from_file(path, "c", "k", **options).weighted


@pytest.mark.parametrize(
    "make", [pd.DataFrame, pl.DataFrame, lambda rows: pl.DataFrame(rows).lazy()]
)
def test_batches(make):
    batches = [make({**COLUMNS, "id": list(range(6))}) for _ in range(2)]
    found = cb.Contingency.from_batches(batches, "c", "k", weights="w")
    assert found == WEIGHTED + WEIGHTED
    assert found.weighted
    assert not cb.Contingency.from_batches(batches, "c", "k").weighted
    assert cb.Contingency.from_batches([PLAIN, WEIGHTED]).weighted


def test_cuts_of_trees():
    tree = cb.trees.Tree.from_newick("((1,2),(3,4));")
    truth = dict(zip("1234", "aabb", strict=True))
    assert cb.trees.cuts(truth, tree, measures=["evidence"], k=[2])
    with pytest.raises(MeasureError, match="weighted ones"):
        cb.trees.cuts(truth, tree, measures=["evidence"], k=[2], weights=dict.fromkeys(truth, 9))


# --- what is made of them ------------------------------------------------------------------------


def test_sums_and_other_forms():
    for table in (
        WEIGHTED + PLAIN,
        PLAIN + WEIGHTED,
        sum([PLAIN, WEIGHTED, PLAIN]),
        WEIGHTED.transpose(),
        WEIGHTED.balanced(),
        WEIGHTED.with_counts(WEIGHTED.counts // 100),
        copy.deepcopy(WEIGHTED),
    ):
        assert table.weighted
    assert not (PLAIN + PLAIN).weighted
    assert not PLAIN.transpose().weighted


@pytest.mark.parametrize("table", [PLAIN, WEIGHTED], ids=["plain", "weighted"])
def test_saved_tables(tmp_path, table):
    path = tmp_path / "table.json"
    table.save(path)
    found = cb.Contingency.load(path)
    assert found == table
    assert found.weighted is table.weighted


def test_the_mark_of_weights_is_under_the_checksum(tmp_path):
    path = tmp_path / "table.json"
    WEIGHTED.save(path)
    path.write_text(path.read_text().replace('"weighted":true', '"weighted":false'))
    with pytest.raises(cb.errors.FileError, match="differs from what was saved"):
        cb.Contingency.load(path)


# --- the command line ----------------------------------------------------------------------------


def test_commands(run, tmp_path):
    FRAME.assign(k2=TRUTH).to_csv(tmp_path / "x.csv", index=False)
    asked = ("x.csv", "--truth", "c", "--pred", "k,k2", "--weights", "w")
    for command in ("score", "compare"):
        code, out, err = run(command, *asked)
        assert (code, err) == (0, "")
        assert "chance" not in out.lower()
        code, out, err = run(command, *asked, "--confidence-level", "0.9")
        assert (code, out) == (2, "")
        assert err.startswith(
            "clusterbits: clustering 'k': interval draws objects, and these have weights"
        )
        assert err.count("\n") == 1
