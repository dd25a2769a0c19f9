"""Clusterings of the same objects compared."""

import itertools
import math
from collections import Counter

import numpy as np
import pandas as pd
import pytest
import scipy.stats
from support.runs import noisy_runs

import clusterbits as cb
from clusterbits.errors import ClusterbitsError, ClusterbitsWarning, LabelError, MeasureError
from clusterbits.measures.catalogue import get_measure


def test_two_clusterings():
    truth, preds = noisy_runs()
    options = {"measure": "q2", "rng": 0}
    found = cb.compare(truth, preds["fair"], preds["good"], **options)
    assert found["a"].value == cb.q2(truth, preds["fair"])
    difference = found.difference("b", "a")
    assert difference.value == pytest.approx(found["b"].value - found["a"].value)
    assert 0 < difference.low < difference.value < difference.high
    assert found.best == ("b",)
    assert found == cb.compare(truth, {"a": preds["fair"], "b": preds["good"]}, **options)
    back = found.difference("a", "b")
    assert (back.low, back.high) == pytest.approx((-difference.high, -difference.low))
    near = cb.compare(truth, preds["good"], preds["as good"], **options)
    assert near.best == ("a", "b")
    with pytest.raises(LabelError, match="Did you mean 'a'"):
        near["A"]


def test_pairing_narrows_the_interval():
    truth, preds = noisy_runs()
    paired = cb.compare(truth, preds["good"], preds["as good"], measure="ari", rng=0)
    own = cb.interval(cb.Contingency.from_labels(truth, preds["good"]), measure="ari", rng=0)
    difference = paired.difference("b", "a")
    assert difference.high - difference.low < 0.5 * (own.high - own.low)


def misassign(truth, pred, balanced=False):
    """Return clusters with one object of the largest cell in the largest other cluster.

    With balanced classes the cell is the largest one of the rarest class.
    """
    pairs = list(zip(truth.tolist(), pred.tolist(), strict=True))
    sizes = Counter(sorted(truth.tolist()))
    rarest = min(sizes, key=sizes.get)
    cells = Counter(sorted(pair for pair in pairs if not balanced or pair[0] == rarest))
    cell = max(cells, key=cells.get)
    others = Counter(sorted(k for k in pred.tolist() if k != cell[1]))
    changed = pred.copy()
    changed[pairs.index(cell)] = max(others, key=others.get)
    return changed


@pytest.mark.parametrize("measure", ["jaccard", "q0", "ami", "purity"])
def test_the_standard_error_is_that_of_the_jackknife(measure):
    """Against scores without each object, with the number of classes kept.

    The change that one misassigned object makes is added in quadrature.
    """
    truth, preds = noisy_runs(90)
    a, b = preds["good"], preds["fair"]
    score = get_measure(measure)
    options = {"n_classes": 4} if "n_classes" in score.parameters else {}
    others = [np.delete(np.arange(90), i) for i in range(90)]
    without = np.array(
        [score(truth[i], b[i], **options) - score(truth[i], a[i], **options) for i in others]
    )
    jackknife = 89 / 90 * np.sum((without - without.mean()) ** 2)
    changes = [score(truth, misassign(truth, pred)) - score(truth, pred) for pred in (a, b)]
    error = np.sqrt(jackknife + max(np.square(changes)))
    found = cb.compare(truth, a, b, measure=measure)
    value, low, high = found.difference("b", "a")
    margin = scipy.stats.t.ppf(0.975, 89) * error
    assert (low, high) == pytest.approx((value - margin, value + margin), rel=1e-9)
    assert found.degrees_of_freedom == 89


def test_same_partition_by_other_names():
    truth, preds = noisy_runs()
    a = preds["fair"]
    b = np.array(["w", "z", "a", "m"])[a]
    for name in ("q0", "v_measure", "ami"):
        found = cb.compare(truth, a, b, measure=name, rng=0)
        value, low, high = found.difference("b", "a")
        assert (value, low) == (pytest.approx(0, abs=1e-15), pytest.approx(-high))
        assert found.best == ("a", "b")


def test_many_clusterings():
    truth, preds = noisy_runs()
    found = cb.compare(truth, preds | {"good too": 9 - preds["good"]}, measure="q0", rng=0)
    assert found.rows[0].clustering == "good"
    assert set(found.best) == {"good", "as good", "good too"}
    first, last = found.rows[0], found.rows[-1]
    assert first[3:6] == (0, 0, 0)
    assert last.clustering == "bad"
    assert last.difference_low > 0
    assert last[3:6] == pytest.approx(found.difference("bad", "good"))
    assert first.clustering == found.best[0]
    assert first.value == cb.q0(truth, preds["good"])
    higher = cb.compare(truth, preds, measure="ari", rng=0)
    assert set(higher.best) == {"good", "as good"}


HALVES = [0] * 20 + [1] * 20
NEAR, FAR = [0] * 18 + [1] * 22, [0] * 15 + [1] * 25


def test_the_best_by_value_may_always_be_the_best():
    found = cb.compare(HALVES, {"perfect": HALVES, "one": [0] * 40}, measure="ari", rng=0)
    assert found.best == ("perfect",)
    found = cb.compare(HALVES, dict.fromkeys("abc", FAR), rng=0)
    assert found.best == ("a", "b", "c")
    truth, preds = noisy_runs(60)
    found = cb.compare(truth, preds, rng=0, confidence_level=0.01)
    assert found.rows[0].in_set


def test_few_objects_do_not_make_a_difference_certain():
    """Classes of equal size, a perfect run and one cluster: no object has an influence."""
    for n, best in ((2, 2), (40, 1)):
        truth = [0] * n + [1] * n
        found = cb.compare(truth, {"perfect": truth, "one": [0] * 2 * n})
        assert len(found.best) == best
        assert found.best[0] == "perfect"


@pytest.mark.parametrize("measure", ["q0", "ari", "hamming_similarity"])
@pytest.mark.parametrize("level", [0.1, 0.9])
def test_columns_of_a_ranking_agree(measure, level):
    truth, preds = noisy_runs(60)
    options = {"measure": measure, "rng": 0, "confidence_level": level}
    for row in cb.compare(truth, preds, **options).rows:
        assert row.difference_low <= row.difference <= row.difference_high
    for a, b in itertools.combinations(preds, 2):
        two = cb.compare(truth, preds[a], preds[b], **options)
        difference = two.difference("b", "a")
        apart = not difference.low <= 0 <= difference.high
        assert len(two.best) == (1 if apart else 2)


def exchangeable(rng, n, runs, wrong, groups=0):
    """Return classes, runs of the same quality, and groups in which errors come together."""
    truth = rng.integers(0, 4, n)
    if not groups:
        return truth, rng.random((runs, n)) < wrong, None
    members = np.arange(n) % groups
    rates = rng.beta(1, 3, (runs, groups))[:, members]
    return rng.integers(0, 4, groups)[members], rng.random((runs, n)) < rates, members


@pytest.fixture
def few_draws(monkeypatch):
    """Draw 1,000 differences for each critical value, in place of 10,000."""
    monkeypatch.setattr("clusterbits.inference.confidence_set._DRAWS", 1000)


@pytest.mark.usefixtures("few_draws")
@pytest.mark.parametrize(
    ("n", "runs", "groups", "measure"),
    [(40, 10, 0, "q0"), (40, 10, 0, "ari"), (100, 5, 10, "q0"), (100, 12, 20, "ari")],
)
def test_the_model_confidence_set_keeps_its_level(n, runs, groups, measure):
    """Nominal 5 %; by the bootstrap that was used before, 11 to 27 % in these settings."""
    rng = np.random.default_rng([n, runs, groups])
    lost, samples = 0, 120
    for _ in range(samples):
        truth, wrong, members = exchangeable(rng, n, runs, 0.3, groups)
        others = rng.integers(0, 4, wrong.shape)
        preds = dict(enumerate(np.where(wrong, others, truth)))
        found = cb.compare(truth, preds, measure=measure, groups=members)
        lost += len(found.best) < runs
    assert lost / samples <= 0.08 + 3 * math.sqrt(0.05 * 0.95 / samples) / 2


@pytest.mark.usefixtures("few_draws")
def test_worse_clusterings_are_found():
    rng = np.random.default_rng(0)
    found = np.zeros(3)
    for _ in range(60):
        truth = rng.integers(0, 4, 300)
        rates = np.array([0.05, 0.1, 0.15])
        wrong = rng.random((3, 300)) < rates[:, None]
        preds = np.where(wrong, (truth + rng.integers(1, 4, wrong.shape)) % 4, truth)
        best = cb.compare(truth, dict(enumerate(preds))).best
        found += [name not in best for name in range(3)]
    assert found[0] == 0
    assert found[1] > 0.4 * 60
    assert found[2] > 0.8 * 60


@pytest.mark.usefixtures("few_draws")
def test_one_better_clustering_is_found_among_many():
    """One of twelve has 5 % errors, the others 10 %: about one of four of these is eliminated."""
    rng = np.random.default_rng(0)
    eliminated = 0.0
    for _ in range(25):
        truth = rng.integers(0, 4, 300)
        wrong = rng.random((12, 300)) < np.array([0.05] + [0.1] * 11)[:, None]
        preds = np.where(wrong, (truth + rng.integers(1, 4, wrong.shape)) % 4, truth)
        best = cb.compare(truth, dict(enumerate(preds))).best
        assert 0 in best
        eliminated += (12 - len(best)) / 11 / 25
    assert eliminated > 0.1


def test_a_rare_balanced_class_is_not_certain():
    """Of five objects none is wrong, of 995 others 36: with balanced classes that says little."""
    rng = np.random.default_rng(0)
    excluded = 0
    for _ in range(60):
        truth = rng.choice(4, 1000, p=[0.6, 0.3, 0.095, 0.005])
        a, b = truth.copy(), truth.copy()
        a[(truth == 3) & (rng.random(1000) < 0.2)] = 0
        wrong = (truth != 3) & (rng.random(1000) < 0.036)
        b[wrong] = (b[wrong] + 1) % 3
        excluded += "b" not in cb.compare(truth, a, b, weights="balanced").best
    assert excluded <= 6


def test_effective_number_of_groups():
    """Groups of very different size are few, whatever their number."""
    rng = np.random.default_rng(0)
    sizes = np.array([200, 100, 60, 40, 20])
    groups = np.repeat(np.arange(5), sizes)
    truth = rng.integers(0, 3, len(groups))
    a, b = (np.where(rng.random(len(groups)) < 0.3, 0, truth) for _ in range(2))
    found = cb.compare(truth, a, b, groups=groups)
    assert found.degrees_of_freedom == pytest.approx(420**2 / (sizes**2).sum() - 1)


def test_missing_labels():
    truth, a, b = ["x", "x", "y", None], [1, 1, 2, 2], [1, None, 2, 2]
    with pytest.raises(LabelError, match=r"truth has 1 missing label"):
        cb.compare(truth, a, b)
    dropped = cb.compare(truth, a, b, missing="drop")
    assert dropped["a"].value == cb.q0(["x", "y"], [1, 2])
    kept = cb.compare(truth, a, b, missing="class")
    assert kept["b"].value == cb.q0(truth, b, missing="class")
    with pytest.raises(LabelError, match="no object has all its labels"):
        cb.compare([None, 1], [1, None], [1, 1], missing="drop")


def test_pandas_are_joined_on_their_index():
    truth, preds = noisy_runs(50)
    series = {name: pd.Series(labels)[::-1] for name, labels in preds.items()}
    found = cb.compare(pd.Series(truth), series, align=True, rng=0)
    assert found == cb.compare(truth, preds, rng=0)
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
    options = {"measure": measure, "rng": 0}
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
    options = {"measure": measure, "rng": 0}
    alone = {name: renamed(pred, lambda i: 100 + i) for name, pred in NOISY.items()}
    found = cb.compare(CLASSES, NOISY, noise="singletons", **options)
    assert found.rows == cb.compare(CLASSES, alone, **options).rows
    for row in found.rows:
        expected = get_measure(measure)(CLASSES, NOISY[row.clustering], noise="singletons")
        assert row.value == pytest.approx(expected, rel=1e-14)


def test_noise_label_and_missing_labels():
    options = {"rng": 0}
    words = {name: renamed(pred, lambda i: "noise") for name, pred in NOISY.items()}
    for noise in ("drop", "singletons"):
        found = cb.compare(CLASSES, words, noise=noise, noise_label="noise", **options)
        assert found.rows == cb.compare(CLASSES, NOISY, noise=noise, **options).rows
        # Classes have no noise, whatever they are called.
        classes = [-1 if label == 0 else label for label in CLASSES]
        assert cb.compare(classes, NOISY, noise=noise, **options).rows == found.rows
    with pytest.warns(ClusterbitsWarning, match="Pass noise_label='noise'"):
        unchanged = cb.compare(CLASSES, words, noise="drop", **options)
    assert unchanged == cb.compare(CLASSES, words, **options)
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
        found.append(cb.compare(*columns, measure="ari", **options, **label))
        groups = ["even" if i % 2 else "odd" for i in order]
        found[-1] = (
            found[-1],
            cb.compare(*columns, groups=groups, **options, **label),
        )
    for pair in found[1:]:  # but for rounding, as classes have other codes
        for one, other in zip(found[0], pair, strict=True):
            assert one.verdict == other.verdict
            assert [row[1:] for row in one] == [pytest.approx(row[1:]) for row in other]


def test_wrong_noise():
    with pytest.raises(LabelError, match=r"every object is noise \(cluster -1\) in some"):
        cb.compare([0, 1], [-1, 0], [0, -1], noise="drop")
    with pytest.raises(ClusterbitsError, match="Did you mean 'drop'"):
        cb.compare(CLASSES, NOISY, noise="drops")
    with pytest.raises(TypeError, match="Did you mean 'groups'"):
        cb.compare(CLASSES, NOISY, group=CLASSES)
    with pytest.raises(TypeError, match="Did you mean 'noise'"):
        cb.compare(CLASSES, NOISY, nosie="drop")
    with pytest.raises(MeasureError, match=r"takes no weights: an object of weight 100"):
        cb.compare(CLASSES, NOISY, weights=CLASSES)


def test_tables_do_not_say_which_objects_they_share():
    table = cb.Contingency.from_labels(CLASSES, NOISY["a"])
    for given in (
        (table, table),
        (table, CLASSES, CLASSES),
        ({"a": table, "b": table},),
    ):
        with pytest.raises(ClusterbitsError, match="tables do not say which objects they share"):
            cb.compare(*given)


def test_wrong_comparisons():
    truth, preds = noisy_runs(20)
    with pytest.raises(LabelError, match="there is one object"):
        cb.compare([0], [0], [1])
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
    with pytest.raises(MeasureError, match="has no direction"):
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
def test_groups_are_left_out_whole(measure, weights):
    """The interval against one from scores without each group."""
    truth, a, b, groups = grouped_runs()
    score, names = get_measure(measure), np.arange(40)
    compared = cb.compare(truth, a, b, measure=measure, rng=1, groups=groups, weights=weights)
    found = compared.difference("b", "a")

    def difference(drawn):
        rows = np.concatenate([np.flatnonzero(groups == one) for one in drawn])
        values = [score(truth[rows], pred[rows], weights=weights) for pred in (a, b)]
        return values[1] - values[0]

    assert found.value == pytest.approx(difference(names), rel=1e-12)
    left_out = np.array([difference(np.delete(names, one)) for one in names])
    changes = [
        score(truth, misassign(truth, pred, weights is not None), weights=weights)
        - score(truth, pred, weights=weights)
        for pred in (a, b)
    ]
    jackknife = 39 / 40 * np.sum((left_out - left_out.mean()) ** 2)
    error = np.sqrt(jackknife + max(np.square(changes)))
    margin = scipy.stats.t.ppf(0.975, 39) * error
    assert (found.low, found.high) == pytest.approx((found.value - margin, found.value + margin))
    plain = cb.compare(truth, a, b, measure=measure, rng=1, weights=weights).difference("b", "a")
    assert found.value == plain.value
    assert found.high - found.low > 1.2 * (plain.high - plain.low)


def test_label_options_with_groups():
    truth, a, b, groups = grouped_runs(20, 8)
    rng = np.random.default_rng(3)
    noisy = np.where(rng.random(len(a)) < 0.2, -1, a)
    options = {"measure": "ari", "rng": 0}

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
    assert found.rows == cb.compare(truth, alone, b, groups=groups, **options).rows
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
        (
            {"groups": [0, 0, 1], "unmatched": "class"},
            "unmatched='class' cannot be combined with groups",
        ),
        ({"weights": "balance"}, "every class count the same"),
    ],
)
def test_wrong_groups(options, said):
    with pytest.raises(ClusterbitsError, match=said):
        cb.compare([0, 0, 1], [0, 0, 1], [0, 1, 1], measure="ari", **options)
