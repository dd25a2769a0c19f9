"""Gates for pipelines: `score --require` and `score --baseline`, by exit code and message."""

import functools
import json
import re

import numpy as np
import pandas as pd
import pytest

import clusterbits as cb

TRUTH, PRED = [*"aaabbb"], [1, 1, 2, 2, 2, 2]
TABLE = cb.Contingency.from_labels(TRUTH, PRED)
ARI = cb.adjusted_rand(TABLE)


@pytest.fixture(autouse=True)
def labels(tmp_path):
    lines = "".join(f"{c},{k},{c},1\n" for c, k in zip(TRUTH, PRED, strict=True))
    (tmp_path / "x.csv").write_text("c,k,same,one\n" + lines)
    TABLE.save(tmp_path / "saved.json")


# The last ranks nothing, and so cannot be worse.
MEASURES = "q0,ari,expected_mutual_information"
SCORE = ("score", "x.csv", "--truth", "c", "--pred")


@pytest.mark.parametrize(
    ("required", "code"),
    [
        ([f"ari>={ARI}"], 0),
        ([f"ari > {ARI}"], 1),
        ([f"adjusted_rand<={ARI}", "q0 < 9"], 0),
        ([f"ari<{ARI}", "q0<9", "nmi>1"], 2),
        (["ari>0.1,ari<0.2"], 1),
        (["ari>=-inf"], 0),
    ],
)
def test_requirements(run, required, code):
    """The expected code is the number of failures: each is one line, and the exit code is 1."""
    options = [word for text in required for word in ("--require", text)]
    found, out, err = run(*SCORE, "k", *options, "-m", "q0", "--json")
    assert found == min(code, 1)
    assert len(err.splitlines()) == code
    rows = {row["measure"]: row for row in json.loads(out)["rows"]}
    assert sum(row["met"] is False for row in rows.values()) == code
    for text in required:
        if "ari" in text or "adjusted" in text:  # computed, though nobody listed it
            assert rows["adjusted_rand"]["value"] == ARI
            assert rows["adjusted_rand"]["required"]
    if not any("q0" in text for text in required):
        assert rows["q0"]["met"] is rows["q0"]["required"] is None
    assert run(*SCORE, "k", *options)[0] == found


def test_requirements_of_several_columns(run):
    """Each clustering must meet the requirement; the one that does not is named."""
    columns = (*SCORE, "k,same", "-m", "ari")
    code, out, err = run(*columns, "--require", "ari>=0.9", "--json")
    assert code == 1
    assert err == f"clusterbits: k: adjusted_rand is {ARI:.4f}, required >= 0.9.\n"
    met = {row["clustering"]: row["met"] for row in json.loads(out)["rows"]}
    assert met == {"k": False, "same": True}
    code, _, err = run(*columns, "--require", f"ari>={ARI}")
    assert (code, err) == (0, "")


def test_requirements_on_ends_of_intervals(run):
    """The ends are those of `interval`, made because they are required."""
    interval = cb.interval(TABLE, measure="share_saved")
    for end, sign in (("low", ">="), ("high", "<=")):
        bound = getattr(interval, end)
        gate = f"share_saved.{end}{sign}{bound!r}"
        assert run(*SCORE, "k", "--require", gate)[0] == 0
        beyond = bound + (0.001 if end == "low" else -0.001)
        code, _, err = run(*SCORE, "k", "--require", f"share_saved.{end}{sign}{beyond!r}")
        assert code == 1
        assert f"share_saved.{end} is " in err
    code, out, _ = run(*SCORE, "k", "--require", "share_saved.low>=-99", "--json")
    (row,) = [row for row in json.loads(out)["rows"] if row["measure"] == "share_saved"]
    assert (row["required"], row["met"], row["confidence_level"]) == (".low >= -99.0", True, 0.95)


def test_requirements_on_parameters(run):
    value = cb.q2.using(worst="exact")(TABLE)
    assert run(*SCORE, "k", "--require", f"q2(worst='exact')>={value!r}")[0] == 0
    assert run(*SCORE, "k", "--require", f"q2(worst='exact')>{value!r}")[0] == 1


def test_a_measure_that_is_also_required_is_shown_once(run):
    name = "q2(n_classes=(4), worst='exact')"
    _, out, _ = run(*SCORE, "k", "-m", f"{name},ari", "--require", f"{name}>=0", "--json")
    measures = [row["measure"] for row in json.loads(out)["rows"]]
    assert measures == ["q2(n_classes=4, worst='exact')", "adjusted_rand"]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("ari.mid>=1", "such as 'ari>=0.8'"),
        ("aru>=1", "Did you mean 'ari'?"),
        ("q0(n_classes=2, n_classes=3)<1", "parameters are written by name, each once"),
        ("q0(2)<1", "as in q0(n_classes=10)"),
        ("q0(n_classes=x)<1", "as in q0(n_classes=10)"),
        ("q0(n_clases=2)<1", "Did you mean 'n_classes'?"),
        ("ari>=nan", "such as 'ari>=0.8'"),
    ],
)
def test_bad_requirements(run, text, said):
    # Found before anything is read.
    code, out, err = run("score", "nowhere.csv", "--require", text)
    assert (code, out) == (2, "")
    assert said in err


def test_baseline(run, tmp_path):
    same = run(*SCORE, "k", "--baseline", "saved.json", "--json")
    assert (same[0], same[2]) == (0, "")
    for row in json.loads(same[1])["rows"]:
        assert (row["baseline"], row["worse"]) == (row["value"], False)
    assert run(*SCORE, "same", "--baseline", "saved.json")[0] == 0
    code, out, err = run(*SCORE, "one", "--baseline", "saved.json", "-m", MEASURES)
    assert code == 1
    assert [line.split()[1] for line in err.splitlines()] == ["q0", "adjusted_rand"]
    q0 = cb.q0(TRUTH, [1] * 6), cb.q0(TABLE)
    assert "q0 is {:.4f}, worse than the baseline's {:.4f}.".format(*q0) in err
    assert run(*SCORE, "one", "--baseline", "saved.json", "-m", "rand", "--require", "q0<9")[0] == 1
    other = cb.Contingency.from_labels([*"ab"], [1, 1])
    other.save(tmp_path / "other.json")
    code, _, err = run(*SCORE, "k", "--baseline", "other.json", "-m", "ari")
    assert (code, "the classes of the baseline have other sizes" in err) == (0, True)
    for file, said in [("x.csv", "not a table saved"), ("nowhere.json", "there is no file")]:
        code, out, err = run(*SCORE, "k", "--baseline", file)
        assert (code, out) == (2, "")
        assert said in err


def test_a_balanced_table_is_not_worse_than_itself(run, tmp_path):
    pd.DataFrame({"c": [*"aaaaaabb"], "k": [1, 1, 1, 2, -1, -1, 2, 2]}).to_csv(
        tmp_path / "uneven.csv", index=False
    )
    options = "--truth", "c", "--pred", "k", "--weights", "balanced", "--noise", "singletons"
    command = "score", "uneven.csv", *options, "-m", "usual,adjusted_mutual_information", "--json"
    code, saved, _ = run(*command, "--save", "balanced.json")
    assert code == 0
    code, out, err = run(*command, "--baseline", "balanced.json")
    assert (code, err) == (0, "")
    for row, before in zip(json.loads(out)["rows"], json.loads(saved)["rows"], strict=True):
        assert (row["value"], row["baseline"], row["worse"]) == (before["value"],) * 2 + (False,)


# --- another clustering of the same objects ------------------------------------------------------

RNG = np.random.default_rng(4)
CLASSES = RNG.integers(0, 3, 200)
OLD = np.where(RNG.random(200) < 0.9, CLASSES, 7)
OLD[RNG.random(200) < 0.05] = -1
FRAME = pd.DataFrame(
    {
        "id": np.arange(200),
        "t": CLASSES,
        "old": OLD,
        "worse": np.where(RNG.random(200) < 0.7, CLASSES, -1),
        "alike": np.where(RNG.random(200) < 0.9, CLASSES, 8),
        "better": CLASSES,
    }
)
PAIRED = ("--truth", "t", "--baseline-pred", "old", "--rng", "1", "-m", MEASURES, "--json")


# Gaps in each column, in different rows.
GAPS = FRAME.convert_dtypes()
for column in ("t", "old", "worse", "alike"):
    GAPS[column] = GAPS[column].mask(RNG.random(200) < 0.1)


@functools.cache
def difference(name, measure, noise, missing):
    frame = FRAME if missing == "error" else GAPS
    return cb.compare(
        *(frame[column] for column in ("t", "old", name)),
        measure=measure,
        rng=1,
        noise=noise,
        missing=missing,
    )


@pytest.mark.parametrize(
    ("file", "noise", "missing"),
    [
        ("csv", None, "error"),
        ("parquet", "drop", "class"),
        ("join", "singletons", "drop"),
    ],
)
def test_paired_baselines(run, tmp_path, file, noise, missing):
    """The column of an older clustering: worse only where the paired interval says so."""
    frame = FRAME if missing == "error" else GAPS
    frame.to_csv(tmp_path / "y.csv", index=False)
    frame[::-1].to_parquet(tmp_path / "y.parquet")
    frame[["id", "t"]].to_csv(tmp_path / "t.csv", index=False)
    frame.drop(columns="t")[::-1].to_csv(tmp_path / "k.csv", index=False)
    files = ["t.csv", "k.csv", "--on", "id"] if file == "join" else [f"y.{file}"]
    words = ["--missing", missing] + (["--noise", noise] if noise else [])
    for name in ("worse", "alike") if missing == "error" else ("worse",):
        code, out, err = run("score", *files, "--pred", name, *PAIRED, *words)
        rows = {row["measure"]: row for row in json.loads(out)["rows"]}
        for measure in ("q0", "adjusted_rand"):
            row, found = rows[measure], difference(name, measure, noise, missing)
            limits = row["difference"], row["difference_low"], row["difference_high"]
            assert limits == pytest.approx(found.difference("b", "a"), rel=1e-9)
            assert row["baseline"] == pytest.approx(found["a"].value)
            assert row["value"] - row["baseline"] == pytest.approx(row["difference"], abs=1e-12)
            assert row["worse"] is (found.best == ("a",))
        assert rows["expected_mutual_information"]["worse"] is None
        assert code == any(row["worse"] is True for row in rows.values())
        assert len(err.splitlines()) == sum(row["worse"] is True for row in rows.values())
        assert not re.search(r"\.\d{6}", err)
        both = [name, "old"]
        keep = frame[["t", *both]].notna().all(axis=1) | (missing != "drop")
        keep &= ~(frame[both] == -1).fillna(False).any(axis=1) | (noise != "drop")
        assert (row["n"], row["objects_given"]) == (keep.sum(), 200)
        assert row["coverage"] == keep.sum() / 200
        if noise is None and missing == "drop":
            assert row["clusters_given"] == frame[name].nunique()


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--baseline-pred", "odl"], "Did you mean 'old'?"),
        (["--baseline-pred", "gap"], "column 'gap' has 1 missing label. Pass --missing "),
        (["--baseline-pred", "old", "--weights", "id"], "compare takes no weights"),
        (["--baseline-pred", "old", "--baseline", "saved.json"], "do not go together"),
    ],
)
def test_wrong_paired_baselines(run, tmp_path, words, said):
    FRAME.assign(gap=FRAME["old"].where(FRAME["id"] > 0)).to_csv(tmp_path / "y.csv", index=False)
    code, out, err = run("score", "y.csv", "--truth", "t", "--pred", "worse", *words)
    assert (code, out) == (2, "")
    assert said in err
    assert len(err.splitlines()) == 1


def test_paired_baselines_are_scored_on_shared_objects(run, tmp_path):
    """Each column lacks other labels: value, baseline and difference are of the same objects."""
    rng = np.random.default_rng(0)
    truth = rng.integers(0, 3, 100)
    new, old = (np.where(rng.random(100) < 0.2, 0, truth).astype(object) for _ in range(2))
    new[:10] = old[50:70] = None
    pd.DataFrame({"t": truth, "new": new, "old": old}).to_csv(tmp_path / "gaps.csv", index=False)
    words = ("score", "gaps.csv", "--truth", "t", "--pred", "new", "--baseline-pred", "old")
    code, out, err = run(*words, "--missing", "drop", "-m", "accuracy", "--json")
    assert (code, err) == (0, "")
    (row,) = json.loads(out)["rows"]
    assert (row["objects_scored"], row["objects_given"]) == (70, 100)
    assert row["value"] - row["baseline"] == pytest.approx(row["difference"])


def test_reports_of_weights_have_no_intervals(run, tmp_path):
    (tmp_path / "w.csv").write_text("c,k,w\na,1,2\na,1,1\nb,2,3\nb,1,1\n")
    words = ("report", "w.csv", "--truth", "c", "--pred", "k", "--weights", "w", "-o", "w.html")
    assert run(*words)[0] == 0
    code, _, err = run(*words, "--confidence-level", "0.9")
    assert (code, "have weights" in err) == (2, True)


def test_balanced_tables_of_other_objects_are_not_compared(run, tmp_path):
    for name, counts in {"a": [[3, 1], [1, 3]], "b": [[1, 1], [3, 3]]}.items():
        cb.Contingency.from_counts(counts).balanced().save(tmp_path / f"{name}.json")
    code, _, err = run("compare", "a.json", "b.json")
    assert code == 2
    assert "their classes differ in size" in err


def test_a_balanced_baseline_is_for_balanced_tables(run):
    balanced = ("--weights", "balanced")
    assert run(*SCORE, "k", *balanced, "--save", "balanced.json")[0] == 0
    for given, baseline in (((), "balanced.json"), (balanced, "saved.json")):
        code, _, err = run(*SCORE, "k", *given, "--baseline", baseline)
        assert code == 2
        assert "pass --weights balanced for both, or for neither" in err
