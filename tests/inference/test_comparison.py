"""Clusterings of the same objects compared."""

import itertools
import math

import numpy as np
import pandas as pd
import pytest
from support.runs import noisy_runs

import clusterbits as cb
from clusterbits.errors import ClusterbitsError, LabelError, MeasureError
from clusterbits.inference import comparison
from clusterbits.inference.resampling import Objects, View
from clusterbits.inference.samples import Sample
from clusterbits.measures.catalogue import get_measure


def test_two_clusterings():
    truth, preds = noisy_runs()
    options = {"measure": "q2", "rng": 0, "n_resamples": 500}
    found = cb.compare(truth, preds["fair"], preds["good"], **options)
    assert found["a"].value == cb.q2(truth, preds["fair"])
    difference = found.difference("b", "a")
    assert difference.value == pytest.approx(found["b"].value - found["a"].value)
    assert 0 < difference.low < difference.value < difference.high
    assert found["b"].probability == 1
    assert found.best == ("b",)
    assert found == cb.compare(truth, {"a": preds["fair"], "b": preds["good"]}, **options)
    back = found.difference("a", "b")
    assert (back.low, back.high) == pytest.approx((-difference.high, -difference.low), rel=0.1)
    near = cb.compare(truth, preds["good"], preds["as good"], **options)
    assert near.best == ("a", "b")
    assert 0 < near["b"].probability < 0.5
    with pytest.raises(LabelError, match="Did you mean 'a'"):
        near["A"]


def test_pairing_narrows_the_interval():
    truth, preds = noisy_runs()
    paired = cb.compare(truth, preds["good"], preds["as good"], measure="ari", rng=0)
    own = cb.interval(cb.Contingency.from_labels(truth, preds["good"]), measure="ari", rng=0)
    difference = paired.difference("b", "a")
    assert difference.high - difference.low < 0.5 * (own.high - own.low)


def test_the_joint_table_stands_for_the_objects():
    truth, preds = noisy_runs(150)
    a, b = preds["good"], preds["fair"]
    rng = np.random.default_rng(0)
    drawn = rng.integers(0, 150, (800, 150))
    peer = [cb.jaccard(truth[i], b[i]) - cb.jaccard(truth[i], a[i]) for i in drawn]
    found = cb.compare(truth, a, b, measure="jaccard", rng=0).difference("b", "a")
    moved = np.array(peer) - np.mean(peer) + found.value
    width = found.high - found.low
    assert np.quantile(moved, [0.025, 0.975]) == pytest.approx(
        [found.low, found.high], abs=0.1 * width
    )


def test_same_partition_by_other_names():
    truth, preds = noisy_runs()
    a = preds["fair"]
    b = np.array(["w", "z", "a", "m"])[a]
    for name in ("q0", "v_measure", "ami"):
        found = cb.compare(truth, a, b, measure=name, rng=0, n_resamples=20)
        value, low, high = found.difference("b", "a")
        assert (value, low) == (0, pytest.approx(-high))
        assert [row.probability for row in found.rows] == [0.5, 0.5]


def test_many_clusterings():
    truth, preds = noisy_runs()
    found = cb.compare(truth, preds | {"good too": 9 - preds["good"]}, measure="q0", rng=0)
    assert found.rows[0].clustering == "good"
    assert set(found.best) == {"good", "as good", "good too"}
    first, last = found.rows[0], found.rows[-1]
    assert first.behind == 0
    assert last.clustering == "bad"
    assert last.behind_low > 0
    assert sum(row.probability for row in found.rows) == pytest.approx(1)
    assert all(row.low < row.value < row.high for row in found.rows)
    assert first.value == cb.q0(truth, preds["good"])
    higher = cb.compare(truth, preds, measure="ari", rng=0)
    assert set(higher.best) == {"good", "as good"}


HALVES = [0] * 20 + [1] * 20
NEAR, FAR = [0] * 18 + [1] * 22, [0] * 15 + [1] * 25


def test_the_best_by_value_may_always_be_the_best():
    found = cb.compare(HALVES, {"perfect": HALVES, "one": [0] * 40}, measure="ari", rng=0)
    assert found.best == ("perfect",)
    found = cb.compare(HALVES, dict.fromkeys("abc", FAR), rng=0, n_resamples=50)
    assert found.best == ("a", "b", "c")
    assert [row.probability for row in found.rows] == pytest.approx([1 / 3] * 3)
    truth, preds = noisy_runs(60)
    found = cb.compare(truth, preds, rng=0, n_resamples=50, confidence_level=0.01)
    assert found.rows[0].may_be_best


def test_shares_are_counted_on_the_resamples_as_drawn():
    rng = np.random.default_rng(0)
    drawn = rng.integers(0, 40, (2000, 40))
    # Without one of the two wrong objects a resample scores 1, and ties with the classes.
    better = np.isin(drawn, [18, 19]).any(axis=1).mean()
    found = cb.compare(HALVES, NEAR, HALVES, measure="ari", rng=0)
    assert found["b"].probability == pytest.approx(better + (1 - better) / 2, abs=0.03)


@pytest.mark.parametrize("measure", ["q0", "ari", "hamming_similarity"])
@pytest.mark.parametrize("level", [0.1, 0.9])
def test_columns_of_a_ranking_agree(measure, level):
    truth, preds = noisy_runs(60)
    options = {"measure": measure, "rng": 0, "n_resamples": 60, "confidence_level": level}
    for row in cb.compare(truth, preds, **options).rows:
        assert row.may_be_best == (row.behind_low <= 0 <= row.behind_high)
        assert row.behind_low <= row.behind <= row.behind_high
        assert row.low <= row.value <= row.high
    for a, b in itertools.combinations(preds, 2):
        two = cb.compare(truth, preds[a], preds[b], **options)
        difference = two.difference("b", "a")
        apart = not difference.low <= 0 <= difference.high
        assert len(two.best) == (1 if apart else 2)
        if apart:
            ends = sorted(abs(end) for end in difference[1:])
            assert [two.rows[1].behind_low, two.rows[1].behind_high] == pytest.approx(ends)


def test_the_best_is_kept_as_often_as_promised():
    rng = np.random.default_rng(0)
    kept = 0
    for seed in range(40):
        truth = rng.integers(0, 3, 150)
        # Three clusterings of the same quality: by symmetry "x" may be the best.
        preds = {
            name: np.where(rng.random(150) < 0.3, rng.integers(0, 3, 150), truth) for name in "xyz"
        }
        found = cb.compare(truth, preds, measure="ari", rng=seed, n_resamples=150)
        kept += "x" in found.best
    assert kept >= 40 * 0.95 - 3 * math.sqrt(40 * 0.95 * 0.05)


@pytest.mark.parametrize(("best", "gap"), [(12, 0), (2, 5)])
def test_of_equal_clusterings_hardly_any_is_set_aside(best, gap):
    rng = np.random.default_rng(0)
    table = cb.Contingency.from_counts([[1]])
    objects = Objects(table.counts, [View(table, None)] * 12)
    lost = aside = 0
    for _ in range(100):
        # Twelve scores with errors of 1, which the resamples know; the best come first.
        values = rng.normal(size=12) - gap * (np.arange(12) >= best)
        samples = [
            Sample(value, value + some, np.zeros(1), np.ones(1), "centred", [100], np.zeros((1, 2)))
            for value, some in zip(values, rng.normal(size=(12, 300)), strict=True)
        ]
        found = comparison._compared(get_measure("ari"), [*range(12)], objects, samples, 0.95)
        lost += not set(range(best)) <= set(found.best)
        aside += len(set(range(best, 12)) - set(found.best)) / 10
    # 5 %, and three standard errors; 0.2 where each was compared with all others at 97.5 %.
    assert lost / 100 < 0.05 + 3 * math.sqrt(0.05 * 0.95 / 100)
    assert aside / 100 > (0.8 if gap else -1)  # 0.7 if those set aside still counted


def test_missing_labels():
    truth, a, b = ["x", "x", "y", None], [1, 1, 2, 2], [1, None, 2, 2]
    with pytest.raises(LabelError, match=r"truth has 1 missing label"):
        cb.compare(truth, a, b)
    dropped = cb.compare(truth, a, b, missing="drop", n_resamples=5)
    assert dropped["a"].value == cb.q0(["x", "y"], [1, 2])
    kept = cb.compare(truth, a, b, missing="class", n_resamples=5)
    assert kept["b"].value == cb.q0(truth, b, missing="class")
    with pytest.raises(LabelError, match="no object has all its labels"):
        cb.compare([None, 1], [1, None], [1, 1], missing="drop")


def test_pandas_are_joined_on_their_index():
    truth, preds = noisy_runs(50)
    series = {name: pd.Series(labels)[::-1] for name, labels in preds.items()}
    found = cb.compare(pd.Series(truth), series, align=True, rng=0, n_resamples=20)
    assert found == cb.compare(truth, preds, rng=0, n_resamples=20)
    with pytest.raises(LabelError, match="Pass align=True"):
        cb.compare(pd.Series(truth), series)


NOISY = {
    "a": [-1, 0, 0, 0, 1, 1, -1, 1, 2, 2, 2, -1] * 3,
    "b": [0, 0, -1, 0, 1, 1, 1, -1, 2, 0, 2, -1] * 3,
    "c": [0, 1, 0, 1, 1, 1, 2, 2, 2, 0, 2, 2] * 3,
}
CLASSES = [0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2] * 3


def renamed(pred, noise):
    return [noise(i) if label == -1 else label for i, label in enumerate(pred)]


@pytest.mark.parametrize("measure", ["q0", "ari"])
def test_noise_is_dropped_from_all_clusterings(measure):
    options = {"measure": measure, "rng": 0, "n_resamples": 60}
    absent = {name: renamed(pred, lambda i: None) for name, pred in NOISY.items()}
    found = cb.compare(CLASSES, NOISY, noise="drop", **options)
    assert found == cb.compare(CLASSES, absent, missing="drop", **options)
    two = cb.compare(CLASSES, NOISY["a"], NOISY["b"], noise="drop", **options)
    assert two == cb.compare(CLASSES, absent["a"], absent["b"], missing="drop", **options)
    # Where only one of them has noise, the others lose those objects too.
    kept = [i for i, label in enumerate(NOISY["a"]) if label != -1]
    one = cb.compare(CLASSES, NOISY["a"], NOISY["c"], noise="drop", **options)
    truth, c = ([labels[i] for i in kept] for labels in (CLASSES, NOISY["c"]))
    assert one["b"].value == get_measure(measure)(truth, c)


@pytest.mark.parametrize("measure", ["q0", "ari"])
def test_noise_objects_are_singletons_in_their_clustering(measure):
    options = {"measure": measure, "rng": 0, "n_resamples": 60}
    alone = {name: renamed(pred, lambda i: 100 + i) for name, pred in NOISY.items()}
    found = cb.compare(CLASSES, NOISY, noise="singletons", **options)
    assert found == cb.compare(CLASSES, alone, **options)
    for row in found.rows:
        expected = get_measure(measure)(CLASSES, NOISY[row.clustering], noise="singletons")
        assert row.value == pytest.approx(expected, rel=1e-14)


def test_noise_label_and_missing_labels():
    options = {"rng": 0, "n_resamples": 20}
    words = {name: renamed(pred, lambda i: "noise") for name, pred in NOISY.items()}
    for noise in ("drop", "singletons"):
        found = cb.compare(CLASSES, words, noise=noise, noise_label="noise", **options)
        assert found == cb.compare(CLASSES, NOISY, noise=noise, **options)
        # Classes have no noise, whatever they are called.
        classes = [-1 if label == 0 else label for label in CLASSES]
        assert cb.compare(classes, NOISY, noise=noise, **options) == found
    assert cb.compare(CLASSES, words, noise="drop", **options) == cb.compare(
        CLASSES, words, **options
    )
    truth, a, b = [0, 0, 1, 1, None], [1, -1, 2, 2, 2], [1, 1, None, 2, -1]
    with pytest.raises(LabelError, match=r"truth has 1 missing label"):
        cb.compare(truth, a, b, noise="drop")
    both = cb.compare(truth, a, b, noise="drop", missing="drop", **options)
    assert both["a"].value == cb.q0([0, 1], [1, 2])
    kept = cb.compare(truth, a, b, noise="singletons", missing="class", **options)
    expected = cb.q0(truth, b, noise="singletons", missing="class")
    assert kept["b"].value == pytest.approx(expected, rel=1e-14)


@pytest.mark.parametrize("options", [{}, {"noise": "singletons"}, {"noise": "drop"}])
@pytest.mark.parametrize("as_text", [False, True])
def test_the_order_of_the_objects_changes_nothing(as_text, options):
    rng = np.random.default_rng(0)
    truth = rng.integers(0, 3, 60)
    preds = [np.where(rng.random(60) < 0.3, -1, rng.integers(0, 3, 60)) for _ in range(2)]
    found = []
    for order in (np.arange(60), rng.permutation(60), np.arange(60)[::-1]):
        columns = [some[order].tolist() for some in (truth, *preds)]
        columns = [[*map(str, some)] for some in columns] if as_text else columns
        label = {"noise_label": "-1"} if as_text and options else {}
        found.append(cb.compare(*columns, measure="ari", n_resamples=50, **options, **label))
        groups = ["even" if i % 2 else "odd" for i in order]
        found[-1] = (
            found[-1],
            cb.compare(*columns, groups=groups, n_resamples=50, **options, **label),
        )
    assert found[0] == found[1] == found[2]


def test_wrong_noise():
    with pytest.raises(LabelError, match=r"every object is noise \(cluster -1\) in some"):
        cb.compare([0, 1], [-1, 0], [0, -1], noise="drop")
    with pytest.raises(ClusterbitsError, match="Did you mean 'drop'"):
        cb.compare(CLASSES, NOISY, noise="drops")
    with pytest.raises(TypeError, match="Did you mean 'groups'"):
        cb.compare(CLASSES, NOISY, group=CLASSES)
    with pytest.raises(TypeError, match="Did you mean 'noise'"):
        cb.compare(CLASSES, NOISY, nosie="drop")
    with pytest.raises(MeasureError, match=r"takes no weights: .* each of which counts once"):
        cb.compare(CLASSES, NOISY, weights=CLASSES)


def test_tables_do_not_say_which_objects_they_share():
    table = cb.Contingency.from_labels(CLASSES, NOISY["a"])
    for given in (
        (table, table),
        (table, CLASSES, CLASSES),
        ({"a": table, "b": table},),
    ):
        with pytest.raises(LabelError, match="tables do not say which objects they share"):
            cb.compare(*given)


def test_wrong_comparisons():
    truth, preds = noisy_runs(20)
    with pytest.raises(LabelError, match="two clusterings or more"):
        cb.compare(truth, preds["good"])
    with pytest.raises(LabelError, match="two clusterings or more"):
        cb.compare(truth, {"a": truth})
    with pytest.raises(LabelError, match="its own name"):
        cb.compare(truth, {1: truth, "1": truth, "b": truth})
    with pytest.raises(LabelError, match="clustering 'b' has 19"):
        cb.compare(truth, truth, truth[1:])
    series = pd.Series(truth)
    with pytest.raises(LabelError, match="another order"):
        cb.compare(series, series, series[::-1])
    with pytest.raises(MeasureError, match="ranks nothing"):
        cb.compare(truth, truth, truth, measure="emi")


# --- groups, balanced classes --------------------------------------------------------------------


def grouped_runs(groups=40, objects=15, seed=0):
    """Return classes, two clusterings and groups: objects of a group are right together."""
    rng = np.random.default_rng(seed)
    truth = rng.integers(0, 3, (groups, 1)) * np.ones((1, objects), dtype=int)
    a, b = (
        np.where(
            rng.random((groups, objects)) < rng.beta(right, 1, (groups, 1)),
            truth,
            rng.integers(0, 3, (groups, 1)),
        )
        for right in (1, 3)
    )
    return truth.ravel(), a.ravel(), b.ravel(), np.repeat(np.arange(groups), objects)


@pytest.mark.parametrize(("measure", "weights"), [("ari", None), ("q0", "balanced")])
def test_groups_are_drawn_whole_for_both(measure, weights):
    """The interval against one whose resamples are put together object by object."""
    truth, a, b, groups = grouped_runs()
    score, names = get_measure(measure), np.arange(40)
    compared = cb.compare(truth, a, b, measure=measure, rng=1, groups=groups, weights=weights)
    found = compared.difference("b", "a")

    def difference(drawn):
        rows = np.concatenate([np.flatnonzero(groups == one) for one in drawn])
        values = [score(truth[rows], pred[rows], weights=weights) for pred in (a, b)]
        return values[1] - values[0]

    assert found.value == pytest.approx(difference(names), rel=1e-12)
    rng = np.random.default_rng(0)
    drawn = np.array([difference(rng.choice(names, 40)) for _ in range(1000)])
    left_out = np.array([difference(np.delete(names, one)) for one in names])
    sample = Sample(found.value, drawn, left_out, np.ones(40), "centred", [40], np.zeros((1, 2)))
    expected = sample.centred()
    low, high = expected.interval(0.95)
    assert found.low == pytest.approx(low, abs=0.3 * expected.standard_error)
    assert found.high == pytest.approx(high, abs=0.3 * expected.standard_error)
    better = (drawn > 0) if get_measure(measure).better == "higher" else (drawn < 0)
    assert compared["b"].probability == pytest.approx(better.mean(), abs=0.03)
    plain = cb.compare(truth, a, b, measure=measure, rng=1, weights=weights).difference("b", "a")
    assert found.value == plain.value
    assert found.high - found.low > 1.2 * (plain.high - plain.low)


def test_label_options_with_groups():
    truth, a, b, groups = grouped_runs(20, 8)
    rng = np.random.default_rng(3)
    noisy = np.where(rng.random(len(a)) < 0.2, -1, a)
    options = {"measure": "ari", "rng": 0, "n_resamples": 50}

    def compared(kept, first=a):
        return cb.compare(truth[kept], first[kept], b[kept], groups=groups[kept], **options)

    found = cb.compare(truth, noisy, b, groups=groups, noise="drop", **options)
    assert found == compared(noisy != -1)
    found = cb.compare(truth, a, b, groups=groups, truth_noise=1, **options)
    assert found == compared(truth != 1)
    gaps = [None if label == -1 else label for label in noisy.tolist()]
    found = cb.compare(truth, gaps, b, groups=groups, missing="drop", **options)
    assert found == compared(noisy != -1)
    alone = np.where(noisy == -1, 100 + np.arange(len(a)), noisy)
    found = cb.compare(truth, noisy, b, groups=groups, noise="singletons", **options)
    assert found == cb.compare(truth, alone, b, groups=groups, **options)
    ids = rng.permutation(len(truth)).tolist()
    joined = [dict(zip(ids, labels.tolist(), strict=True)) for labels in (truth, a, b, groups)]
    turned = dict(reversed(joined[2].items()))
    assert cb.compare(*joined[:2], turned, groups=joined[3], **options) == cb.compare(
        truth, a, b, groups=groups, **options
    )
    runs = cb.compare(truth, {"a": a, "b": b, "noisy": noisy}, groups=groups, **options)
    assert {row.clustering: row.value for row in runs.rows} == {
        name: pytest.approx(cb.ari(truth, pred))
        for name, pred in {"a": a, "b": b, "noisy": noisy}.items()
    }


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"groups": [0, 0, 0]}, "all objects are in one group, 0"),
        ({"groups": [0, 1]}, "truth has 3 labels and groups has 2"),
        ({"groups": [0, 1, None]}, "groups has 1 missing label"),
        ({"groups": [0, 0, 1], "truth_noise": 1}, "all objects are in one group, 0"),
        ({"groups": [0, 0, 1], "truth_noise": [0, 1]}, "every object is in a class of truth_noise"),
        ({"groups": [0, 0, 1], "unmatched": "class"}, "option unmatched"),
        ({"weights": "balance"}, "balanced lets every class count the same"),
    ],
)
def test_wrong_groups(options, said):
    with pytest.raises(ClusterbitsError, match=said):
        cb.compare([0, 0, 1], [0, 0, 1], [0, 1, 1], measure="ari", **options)


def test_two_clusterings_are_some_bits_apart():
    truth = [0] * 40 + [1] * 40
    a, b = [0] * 30 + [1] * 50, [0] * 38 + [1] * 42
    found = cb.compare(truth, a, b, n_resamples=50)
    bits = 80 * (cb.q0_mixture(truth, a) - cb.q0_mixture(truth, b))
    assert found.bits_apart("b", "a") == pytest.approx(bits) == -found.bits_apart("a", "b")
    assert found.bits_apart("b", "a") == pytest.approx(
        cb.evidence(truth, b) - cb.evidence(truth, a)
    )
    assert "By q0_mixture b saves 25.1 bits more than a: " in found.title
    assert found.title.endswith("with probability at most 2⁻²⁵.")
    same = cb.compare(truth, a, a, n_resamples=50)
    assert same.title.endswith("a and b are less than a bit apart.")
    # Of more than two, and of balanced classes that differ in size, nothing is said.
    more = cb.compare(truth, {"a": a, "b": b, "c": b}, n_resamples=50)
    assert more.title == more.verdict
    balanced = cb.compare([0] * 38 + [1] * 42, a, b, n_resamples=50, weights="balanced")
    assert balanced.title == balanced.verdict
