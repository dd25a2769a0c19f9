"""Judged pairs: the estimates against the truth, exactly, and over many draws."""

import math
from itertools import product

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy.stats import binom

import clusterbits as cb
from clusterbits.changes.judgements import judge, limit_sum
from clusterbits.changes.questions import draw_pairs, find_objects, question_columns, weigh_cells
from clusterbits.errors import ClusterbitsError, LabelError, MeasureError


def brute_rates(old, new, truth):
    """Return the five numbers from all pairs of objects: the judge knows the truth."""
    together = truth[:, None] == truth
    before, after = old[:, None] == old, new[:, None] == new
    n = len(old)

    def rate(pairs, clusters):
        return float((pairs / clusters.sum(axis=1)[:, None]).sum() / n)

    def precision(clusters):
        return rate(clusters & together, clusters)

    lost, gained = before & ~after, after & ~before
    return (
        rate(lost & ~together, before),
        rate(lost & together, before),
        rate(gained & together, after),
        rate(gained & ~together, after),
        precision(after) - precision(before),
    )


def heavy_tailed(rng, n, exponent=1.3):
    """Return labels whose cluster sizes have a heavy tail, a few of them very large."""
    return np.repeat(np.arange(n), np.minimum(rng.zipf(exponent, n), n // 5))[:n]


def nights(setting, rng, n=1500):
    """Return the truth, an old and a new clustering of one setting."""
    if setting == "heavy":
        truth = heavy_tailed(rng, n)
        new = np.where(rng.random(n) < 0.05, rng.integers(0, truth.max() + 1, n), truth)
        old = np.where(rng.random(n) < 0.10, rng.integers(0, truth.max() + 1, n), truth)
    elif setting == "merges":  # large clusters split in two at random, and some are put right,
        # others merged with the next
        truth = heavy_tailed(rng, n, 1.6)
        halves = 2 * truth + rng.integers(0, 2, n)
        right = rng.random(truth.max() + 1) < 0.3
        wrong = rng.random(truth.max() + 1) < 0.1
        merged = np.where(right[truth], 2 * truth, halves)
        old, new = halves, np.where(wrong[truth], merged + 2, merged)
    elif setting == "few":  # of ten questions on merges nearly all are good
        truth = np.repeat(np.arange(n // 10), 10)
        apart = np.where(np.arange(n) % 250 == 0, n + np.arange(n), truth)
        halves = truth + n * (np.arange(n) % 2) * (truth % 2)
        old, new = apart, np.where(truth == 3, 4, np.where(truth % 2, halves, truth))
        new = np.where(np.arange(n) % 1000 == 0, truth + 1, new)
    elif setting == "rare":  # a small part changes, all for the worse
        truth = np.repeat(np.arange(n // 5), 5)
        old, new = truth, np.where(rng.random(n) < 0.02, rng.integers(0, n // 5, n), truth)
    else:
        truth = rng.integers(0, 30, n)
        old, new = rng.integers(0, 40, n) // 2 + truth // 3, rng.integers(0, 3, n) + truth
    return truth, old, new


def answer(table, objects, truth, n, rng):
    pairs = draw_pairs(table, n, rng)
    positions = find_objects(objects, pairs)
    columns = question_columns(table, pairs, positions)
    columns["together"] = (truth[positions[0]] == truth[positions[1]]).tolist()
    return columns


SETTINGS = ("heavy", "merges", "few", "rare", "mixed")


@pytest.mark.slow
@pytest.mark.parametrize("setting", SETTINGS)
def test_simulated_judgements_are_unbiased_and_cover_the_truth(setting):
    rng = np.random.default_rng(7)
    truth, old, new = nights(setting, rng)
    changes = cb.diff(old, new)
    expected = brute_rates(old, new, truth)
    estimates = []
    for _ in range(2000):
        columns = answer(changes.table, changes.objects, truth, 200, rng)
        estimates.append([row[1:] for row in judge(changes.table, columns, 0.95).rows])
    values, low, high = np.moveaxis(np.array(estimates), 2, 0)
    errors = values.std(axis=0) / math.sqrt(len(values))
    assert (np.abs(values.mean(axis=0) - expected) <= 4 * errors + 1e-12).all()
    covered = ((low - 1e-12 <= expected) & (expected <= high + 1e-12)).mean(axis=0)
    print(setting, np.round(expected, 4), covered, values.std(axis=0).round(4))
    assert (covered >= 0.93).all()


@pytest.mark.parametrize("n", [1, 10, 40, 200])
def test_limits_of_a_share_are_exact(n):
    """Whatever the share, the limits cover it with probability 95 % at least."""
    low, high = np.array([limit_sum(np.ones(1), np.array([[k, n]]), 0.95) for k in range(n + 1)]).T
    for share in np.linspace(0, 1, 501):
        probabilities = binom.pmf(np.arange(n + 1), n, share)
        assert probabilities[(low <= share) & (share <= high)].sum() >= 0.95 - 1e-9


@pytest.mark.parametrize("setting", SETTINGS)
def test_masses_are_the_rates_and_all_answers_give_the_truth(setting):
    """With every pair judged, weighted as it is drawn, the estimates are exact."""
    _, old, new = nights(setting, np.random.default_rng(3), n=300)
    changes = cb.diff(old, new)
    split, merge, shrunk, grew = weigh_cells(changes.table).sum(axis=1) / 300
    assert split == pytest.approx(changes.split_rate, abs=1e-12)
    assert merge == pytest.approx(changes.merge_rate, abs=1e-12)
    # All belong together: precision cannot change.
    own = (changes.table.shape[1] - changes.table.shape[0]) / 300
    assert merge - split + shrunk - grew + own == pytest.approx(0, abs=1e-12)


def test_the_estimate_of_every_pair_is_exact():
    """Draw probabilities times values add up to the truth: the estimates are unbiased."""
    truth, old, new = nights("mixed", np.random.default_rng(3), n=120)
    changes = cb.diff(old, new)
    n, table = 120, changes.table
    sums = np.zeros(4)
    for i in range(n):
        for j in range(n):
            if i != j and truth[i] == truth[j]:
                b, e = np.sum(old == old[i]), np.sum(new == new[i])
                same = old[i] == old[j], new[i] == new[j]
                sums[0] += (same == (True, False)) / b
                sums[1] += (same == (False, True)) / e
                sums[2] += (same == (True, True)) * max(1 / e - 1 / b, 0)
                sums[3] += (same == (True, True)) * max(1 / b - 1 / e, 0)
    split, merge, shrunk, grew = sums / n
    own = (table.shape[1] - table.shape[0]) / n
    expected = brute_rates(old, new, truth)
    assert (split, merge) == pytest.approx((expected[1], expected[2]), abs=1e-12)
    assert merge - split + shrunk - grew + own == pytest.approx(expected[4], abs=1e-12)


@pytest.mark.parametrize("stratum", range(4))
def test_pairs_are_drawn_as_they_weigh(stratum):
    """Each ordered pair of objects comes as often as its weight says."""
    rng = np.random.default_rng(5)
    old, new = rng.integers(0, 3, 14), rng.integers(0, 4, 14)
    changes = cb.diff(old, new)
    pairs = draw_pairs(changes.table, 60_000, rng)
    positions = find_objects(changes.objects, pairs)[:, pairs.strata == stratum]
    drawn = np.zeros((14, 14))
    np.add.at(drawn, tuple(positions), 1 / positions.shape[1])
    before = 1 / np.array([np.sum(old == label) for label in old])[:, None]
    after = 1 / np.array([np.sum(new == label) for label in new])[:, None]
    same_old, same_new = old[:, None] == old, new[:, None] == new
    kept = same_old & same_new & ~np.eye(14, dtype=bool)
    weights = (
        (same_old & ~same_new) * before,
        (same_new & ~same_old) * after,
        kept * np.maximum(after - before, 0),
        kept * np.maximum(before - after, 0),
    )[stratum]
    expected = weights / weights.sum()
    assert (drawn[expected == 0] == 0).all()
    assert np.abs(drawn - expected).max() < 5 * math.sqrt(expected.max() / positions.shape[1])


# --- questions and answers ----------------------------------------------------------------------

OLD = {"ann": 1, "bob": 1, "cid": 1, "dan": 2, "eve": 2, "fay": 3, "hal": 2}
NEW = {"gus": 8, "ann": 7, "bob": 7, "cid": 9, "dan": 9, "eve": 9, "hal": 7}


def test_questions_name_objects_and_their_clusters():
    changes = cb.diff(OLD, NEW)
    asked = changes.questions(60)
    names = ["a", "b", "kind", "old_a", "old_b", "new_a", "new_b", "together"]
    assert list(asked.columns) == names
    assert len(asked) == 60
    for row in asked.itertuples():
        assert row.a != row.b
        assert (OLD[row.a], OLD[row.b]) == (row.old_a, row.old_b)
        assert (NEW[row.a], NEW[row.b]) == (row.new_a, row.new_b)
        kinds = {(True, False): "split", (False, True): "merge", (True, True): "kept"}
        assert row.kind == kinds[row.old_a == row.old_b, row.new_a == row.new_b]
        assert row.together is None
    assert asked.equals(changes.questions(60, rng=0))
    assert not asked.equals(changes.questions(60, rng=1))


def test_objects_without_ids_are_positions():
    old, new = list(OLD.values()), [1, 1, 2, 2, 2, 3, 1]
    for row in cb.diff(old, new).questions(30).itertuples():
        assert (old[row.a], new[row.b]) == (row.old_a, row.new_b)


def test_questions_after_objects_were_left_out():
    old = [1, 1, -1, 1, 2, 2, 2, 1, 2]
    new = [5, 5, 5, None, 6, 6, -1, 6, 5]
    for noise in ("drop", "singletons"):
        changes = cb.diff(old, new, noise=noise, missing="drop")
        for row in changes.questions(50).itertuples():
            for i, before, after in ((row.a, row.old_a, row.new_a), (row.b, row.old_b, row.new_b)):
                assert old[i] == (before if old[i] > 0 else before.label)
                assert new[i] == (after if new[i] > 0 else after.label)


def answered(words):
    changes = cb.diff(OLD, NEW)
    asked = changes.questions(60)
    asked["together"] = [words[row.kind] for row in asked.itertuples()]
    return changes, asked


@pytest.mark.parametrize(
    ("yes", "no"),
    [("yes", "no"), (True, False), (1, 0), ("TRUE", "False "), (1.0, 0.0), ("y", "0")],
)
def test_forms_of_answers(yes, no):
    changes, asked = answered({"split": no, "merge": yes, "kept": yes})
    judged = changes.judged(asked)
    assert judged.good_split_rate.value == pytest.approx(changes.split_rate)
    assert judged.bad_split_rate.value == 0
    assert judged.good_merge_rate.value == pytest.approx(changes.merge_rate)
    assert (judged.judged, judged.unanswered) == (60, 0)
    for row in judged.rows:
        assert row.low <= row.value <= row.high
        assert row.low < row.high
    assert changes.judged(pl.from_pandas(asked.astype(str))) == judged
    assert changes.judged(asked.to_dict("list")) == judged
    assert changes.judged(asked.sample(frac=1, random_state=0)).rows == judged.rows


def test_unanswered_ones_are_counted():
    changes, asked = answered({"split": "no", "merge": "yes", "kept": "yes"})
    asked.loc[:9, "together"] = ["", None, "unsure", "?", float("nan"), *[""] * 5]
    judged = changes.judged(asked)
    assert (judged.judged, judged.unanswered) == (50, 10)
    assert "50 of 60 pairs judged" in repr(judged)


def test_answers_that_say_nothing_are_refused():
    changes, asked = answered(dict.fromkeys(("split", "merge", "kept"), ""))
    with pytest.raises(LabelError, match="no question is answered"):
        changes.judged(asked)
    changes, asked = answered({"split": "no", "merge": "", "kept": "yes"})
    with pytest.raises(LabelError, match="no merge pair was judged"):
        changes.judged(asked)
    asked["together"] = "yess"
    with pytest.raises(LabelError, match="together holds 'yess'"):
        changes.judged(asked)
    with pytest.raises(LabelError, match="answers has no column 'together'"):
        changes.judged(asked.drop(columns="together"))
    with pytest.raises(ClusterbitsError, match="confidence_level must lie between 0 and 1"):
        changes.judged(asked, confidence_level=95)


def test_answers_to_another_change_are_refused():
    changes, asked = answered({"split": "no", "merge": "yes", "kept": "yes"})
    asked["new_a"] = 77
    with pytest.raises(LabelError, match="new_a holds 77, which is no new cluster here"):
        changes.judged(asked)
    asked["new_a"], asked["new_b"], asked["old_a"], asked["old_b"] = 7, 9, 1, 2
    with pytest.raises(LabelError, match="was not asked about this change"):
        changes.judged(asked)


@pytest.mark.parametrize("n_strata", [3, 4])
@pytest.mark.parametrize("level", [0.95, 0.99])
def test_limits_of_sums_cover_rare_answers_in_several_strata(n_strata, level):
    """The hardest case: answers of one direction are rare in every stratum."""
    rng = np.random.default_rng(n_strata)
    masses = np.array([1.0, -1.0, 1.0, -1.0])[:n_strata]
    n = np.full(n_strata, 100 // n_strata)
    shares = np.where(masses > 0, 0.02, 0.98)
    covered = 0
    for _ in range(400):
        counts = np.stack([rng.binomial(n, shares), n], axis=1)
        low, high = limit_sum(masses, counts, level)
        covered += low <= masses @ shares <= high
    assert covered / 400 >= level - 0.02


@pytest.mark.parametrize("masses", [(1.0, 1.0), (1.0, -1.0), (1.0, -0.2), (-1.0, 0.05)])
@pytest.mark.parametrize("n", [(1, 1), (8, 8), (3, 20)])
def test_limits_of_sums_cover_by_all_outcomes(masses, n):
    """Not by draws: the probabilities of all answers whose limits hold the truth are added."""
    answers = [np.arange(size + 1) for size in n]
    limits = [
        limit_sum(np.array(masses), np.array([(i, n[0]), (j, n[1])]), 0.95)
        for i in answers[0]
        for j in answers[1]
    ]
    low, high = np.array(limits).T
    for shares in product((0, 0.01, 0.05, 0.2, 0.5, 0.8, 0.95, 0.99, 1), repeat=2):
        truth = np.dot(masses, shares)
        first, second = (binom.pmf(*each) for each in zip(answers, n, shares, strict=True))
        probabilities = np.outer(first, second).ravel()
        assert probabilities[(low <= truth + 1e-12) & (truth - 1e-12 <= high)].sum() >= 0.95
        assert probabilities[low > truth + 1e-12].sum() <= 0.025 + 1e-9  # "better", and is not


@pytest.mark.parametrize("level", [0.5, 0.95, 0.9999, 1 - 1e-9])
def test_limits_of_sums_are_exact_at_any_level(level):
    """Of one answer each, two lower limits add up to a triangular distribution."""
    low, high = limit_sum(np.array([1.0, -1.0]), np.array([[1, 1], [1, 1]]), level)
    assert low == pytest.approx(-high, abs=1e-12)  # the same answers, the other way round
    # The lower share has the distribution beta(1, 1), the other one is 1.
    assert low == pytest.approx((1 - level) / 2 - 1, abs=1e-12)
    low, high = limit_sum(np.array([1.0, 1.0]), np.array([[1, 1], [1, 1]]), level)
    assert low == pytest.approx(math.sqrt(1 - level), abs=3 * 2 / 2**14)
    assert high == 2


def test_clusters_written_alike_are_refused():
    changes = cb.diff([1, "1", 1, "1", 2, 2], ["a", "a", "b", "b", "a", "b"])
    with pytest.raises(LabelError, match="clusters 1 and '1' are written alike"):
        changes.questions(40)


def test_objects_of_one_clustering_are_not_drawn():
    old, new = {1: "a", 2: "a", 3: "b"}, {2: "a", 3: "b", 4: "b"}
    with pytest.raises(MeasureError, match="pass unmatched='drop'"):
        cb.diff(old, new, unmatched="class").questions(40)


def test_verdicts():
    rng = np.random.default_rng(0)
    truth, _, worse = nights("rare", rng)
    changes = cb.diff(truth, worse)
    columns = answer(changes.table, changes.objects, truth, 200, rng)
    assert changes.judged(columns).verdict.startswith("worse by 0.0")
    back = cb.diff(worse, truth)
    columns = answer(back.table, back.objects, truth, 200, rng)
    assert back.judged(columns).verdict.startswith("better by 0.0")
    assert "in precision" in repr(back.judged(pd.DataFrame(columns)))


def test_what_cannot_be_asked():
    with pytest.raises(MeasureError, match="nothing changed"):
        cb.diff([1, 1, 2], [3, 3, 4]).questions()
    with pytest.raises(MeasureError, match="objects with weights"):
        cb.diff([1, 1, 2], [3, 4, 4], weights=[1, 1, 2]).questions()
    with pytest.raises(MeasureError, match="n must be at least"):
        cb.diff([1, 1, 2], [3, 4, 4]).questions(1)
