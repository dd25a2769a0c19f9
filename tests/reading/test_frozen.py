"""Fixed inputs keep their answers to the last digits, while the counting behind them changes.

Another order of classes, clusters or rows would draw other resamples. CLUSTERBITS_FREEZE=1 writes
the answers of today into frozen.json.
"""

import csv
import gzip
import json
import os
from pathlib import Path

import pytest

import clusterbits as cb

FROZEN = Path(__file__).with_name("frozen.json")
DIGITS = Path(cb.__file__).parent / "data" / "digits.csv.gz"
DRAWS = {"n_resamples": 300, "rng": 1}


def read_digits():
    with gzip.open(DIGITS, "rt") as stream:
        rows = list(csv.DictReader(stream))
    return {name: [int(row[name]) for row in rows] for name in rows[0]}


def mixed(names, a, b, n=60):
    """Return labels without an order or a period that is easy to see."""
    return [names[(a * i * i + b * i + i // 7) % 101 % len(names)] for i in range(n)]


def by_id(labels, lacks):
    return {f"id{i}": label for i, label in enumerate(labels) if i % 11 != lacks}


DIGIT = read_digits()
TRUTH = mixed(["pear", "fig", "apple"], 3, 5)
RUNS = {
    "noisy": [
        t[0] if i % 5 else k
        for i, (t, k) in enumerate(zip(TRUTH, mixed(["p", "-1"], 7, 2), strict=True))
    ],
    "coarse": [len(t) // 4 if i % 4 else -1 for i, t in enumerate(TRUTH)],
    "fine": mixed([10, 9, -1, 2], 1, 0),
}
HOLES = [None if i % 9 == 4 else t for i, t in enumerate(TRUTH)]
HOLED = {
    name: [None if i % 13 == 2 else k for i, k in enumerate(run)] for name, run in RUNS.items()
}
GROUPS = mixed("zyxw", 2, 9)
IDS = by_id(TRUTH, 3), {name: by_id(run, j) for j, (name, run) in enumerate(RUNS.items())}
DIGIT_RUNS = {name: DIGIT[name] for name in ("kmeans_10", "ward_10", "kmeans_20")}
INPUTS = {
    "digits": (DIGIT["digit"], DIGIT_RUNS, {}),
    "digits, balanced": (DIGIT["digit"], DIGIT_RUNS, {"weights": "balanced"}),
    "digits in groups": (DIGIT["digit"], DIGIT_RUNS, {"groups": [i // 60 for i in range(1797)]}),
    "text": (TRUTH, RUNS, {}),
    "noise singletons": (TRUTH, RUNS, {"noise": "singletons"}),
    "noise dropped": (TRUTH, RUNS, {"noise": "drop", "truth_noise": "fig"}),
    "noise singletons in groups": (TRUTH, RUNS, {"noise": "singletons", "groups": GROUPS}),
    "missing dropped": (HOLES, HOLED, {"missing": "drop"}),
    "missing as class": (HOLES, HOLED, {"missing": "class", "noise": "singletons"}),
    "missing in groups": (HOLES, HOLED, {"missing": "class", "groups": GROUPS}),
    "unmatched dropped": (*IDS, {"unmatched": "drop", "noise": "singletons"}),
    "unmatched as class": (*IDS, {"unmatched": "class"}),
    "balanced in groups": (TRUTH, RUNS, {"weights": "balanced", "groups": GROUPS}),
    "weights": (TRUTH, RUNS, {"weights": [i % 4 for i in range(60)], "noise": "singletons"}),
}


def answer(truth, runs, options):
    """Return all that is frozen of one input, as JSON has it."""
    drawn = not isinstance(options.get("weights"), list)  # objects with weights are not drawn
    level = {"confidence_level": 0.9, **DRAWS} if drawn else {}
    scores = cb.evaluate(truth, runs, measures="q0", **options)
    first = cb.evaluate(truth, next(iter(runs.values())), **level, **options)
    found = {"text": str(first).splitlines(), "tables": {}, "intervals": {}, "rows": []}
    for name, run in runs.items():
        table = scores.tables[name]
        cells = [x.tolist() for x in (table.rows, table.columns, table.counts)]
        labels = [[*map(repr, names)] for names in (table.classes, table.clusters)]
        found["tables"][name] = [*labels, *cells, str(table.coverage)]
        for measure in ("q0", "v_measure") if drawn else ():
            one = cb.interval(truth, run, measure=measure, **DRAWS, **options)
            limits = [one.value, one.low, one.high, one.standard_error, one.bias]
            found["intervals"][f"{name}, {measure}"] = limits
    if drawn:
        found["rows"] = [row[:4] for row in cb.compare(truth, runs, **options).rows]
    return json.loads(json.dumps(found))


@pytest.fixture(scope="module")
def frozen():
    if "CLUSTERBITS_FREEZE" in os.environ:
        lines = [f"{json.dumps(x)}: {json.dumps(answer(*INPUTS[x]))}" for x in INPUTS]
        FROZEN.write_text("{\n" + ",\n".join(lines) + "\n}\n", "utf-8")
    return json.loads(FROZEN.read_text("utf-8"))


def assert_same(found, expected):
    """Compare what JSON holds: numbers to twelve digits, all else to the letter."""
    if isinstance(expected, dict | list):
        assert len(found) == len(expected)
        if isinstance(expected, dict):
            assert [*found] == [*expected]
            found, expected = found.values(), expected.values()
        for one, other in zip(found, expected, strict=True):
            assert_same(one, other)
    elif isinstance(expected, float):
        assert found == pytest.approx(expected, rel=1e-12, abs=0)
    else:
        assert found == expected


@pytest.mark.parametrize("name", INPUTS)
def test_frozen(name, frozen):
    assert_same(answer(*INPUTS[name]), frozen[name])


def test_files_are_resampled_alike(frozen):
    """DuckDB returns cells in any order."""
    for run in DIGIT_RUNS:
        scores = cb.evaluate(
            DIGITS,
            truth="digit",
            pred=run,
            measures=["q0", "v_measure"],
            confidence_level=0.95,
            **DRAWS,
        )
        for row in scores.rows:
            assert_same([*row[2:]], frozen["digits"]["intervals"][f"{run}, {row.measure}"][:3])
