"""What intervals and permutation tests are given: tables or labels, measures, options."""

import pandas as pd
import pytest

import clusterbits as cb
from clusterbits.errors import ClusterbitsError, CostError, LabelError, MeasureError

TABLE = cb.Contingency.from_counts([[30, 5, 2], [10, 55, 0], [1, 4, 20]])


TRUTH = [0, 0, 0, 0, 1, 1, 1, 2, 2, 2]
PRED = [0, 0, 1, -1, 1, 1, -1, 2, 2, 0]
BOTH = pytest.mark.parametrize("function", [cb.interval, cb.permutation_test])


@BOTH
@pytest.mark.parametrize("measure", ["q2", cb.q2])
def test_a_table_and_its_labels_are_alike(function, measure):
    table = cb.Contingency.from_labels(TRUTH, PRED)
    options = {"rng": 0, "n_resamples": 20}
    found = function(table, measure="q2", **options)
    assert found.measure == "q2"
    assert found.value == cb.q2(TRUTH, PRED)
    assert found == function(table, measure=measure, **options)
    assert found == function(truth=table, measure=measure, **options)
    assert found == function(TRUTH, PRED, measure=measure, **options)
    assert found == function(truth=TRUTH, pred=PRED, measure=measure, **options)
    assert function(TRUTH, PRED, **options) == function(table, measure="q0", **options)
    assert function(TRUTH, PRED, **options).measure == function(table, **options).measure == "q0"


@BOTH
@pytest.mark.parametrize(
    "options",
    [
        {"noise": "drop"},
        {"noise": "singletons"},
        {"noise": "drop", "noise_label": 2},
    ],
)
def test_label_options_are_those_of_tables(function, options):
    table = cb.Contingency.from_labels(TRUTH, PRED, **options)
    assert table != cb.Contingency.from_labels(TRUTH, PRED)
    found = function(TRUTH, PRED, measure="ari", rng=0, n_resamples=20, **options)
    assert found == function(table, measure="ari", rng=0, n_resamples=20)


@BOTH
def test_missing_labels_and_indexes(function):
    options = {"rng": 0, "n_resamples": 20}
    absent = [None if label == -1 else label for label in PRED]
    with pytest.raises(LabelError, match="pred has 2 missing labels"):
        function(TRUTH, absent, **options)
    dropped = function(TRUTH, absent, missing="drop", **options)
    assert dropped == function(TRUTH, PRED, noise="drop", **options)
    truth, pred = pd.Series(TRUTH), pd.Series(PRED)[::-1]
    with pytest.raises(LabelError, match="Pass align=True"):
        function(truth, pred, **options)
    assert function(truth, pred, align=True, **options) == function(TRUTH, PRED, **options)


@BOTH
@pytest.mark.parametrize(
    ("given", "options", "message"),
    [
        ((TABLE, TRUTH), {}, "a Contingency already contains pred"),
        ((TABLE, "q2"), {}, "a Contingency already contains pred"),
        ((TRUTH,), {}, "pred is missing"),
        ((TRUTH,), {"measure": "q2"}, "pred is missing"),
        ((TRUTH, PRED[1:]), {}, "truth has 10 labels and pred has 9"),
        ((TRUTH, PRED), {"measure": "q33"}, "there is no measure 'q33'"),
        ((TRUTH, PRED), {"measure": TRUTH}, "one measure is needed"),
        ((TABLE,), {"noise": "drop"}, "noise cannot be used with a Contingency"),
        ((TABLE,), {"align": True, "weights": PRED}, "align, weights cannot be used"),
        ((TRUTH, PRED), {"noise": "drops"}, "Did you mean 'drop'"),
        ((TRUTH, PRED), {"nosie": "drop"}, "Did you mean 'noise'"),
        ((TRUTH, PRED), {"n_resample": 9}, "Did you mean 'n_resamples'"),
        ((TRUTH, PRED), {"weights": [0.5] * 10}, "draws objects, and these have weights"),
    ],
)
def test_wrong_calls(function, given, options, message):
    with pytest.raises((ClusterbitsError, TypeError), match=message):
        function(*given, **options)


def test_tables_without_objects_to_draw():
    real = cb.Contingency.expected([[0.4, 0.1], [0.1, 0.4]], n=10)
    for function in (cb.interval, cb.permutation_test):
        with pytest.raises(MeasureError, match="whole counts"):
            function(real)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"confidence_level": 95}, "between 0 and 1"),
        ({"confidence_level": "0.95"}, "between 0 and 1"),
        ({"n_resamples": 1}, "at least 2"),
        ({"n_resamples": 1e3}, "whole number, .* got 1000.0"),
        ({"method": "percentil"}, "Did you mean 'percentile'"),
        ({"rng": -1}, "rng must be .* got -1"),
        ({"rng": "x"}, "rng must be .* got 'x'"),
        ({"rng": 1.5}, "rng must be .* got 1.5"),
        ({"metod": "centred"}, "Did you mean 'method'"),
    ],
)
def test_wrong_options(options, message):
    with pytest.raises((ClusterbitsError, TypeError), match=message):
        cb.interval(TABLE, measure="q2", **options)


RESAMPLING = {
    "interval": lambda **options: cb.interval(TRUTH, PRED, measure="ari", **options),
    "permutation_test": lambda **options: cb.permutation_test(
        TRUTH, PRED, measure="ari", **options
    ),
    "evaluate": lambda **options: cb.evaluate(TRUTH, PRED, "ari", confidence_level=0.9, **options),
}


@pytest.mark.parametrize("call", RESAMPLING.values(), ids=RESAMPLING)
def test_resamples_that_cost_too_much_are_refused(call):
    with pytest.raises(CostError, match=r"resamples would take about [\d,]+ GB of memory"):
        call(n_resamples=10**12)
