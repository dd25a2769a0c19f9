"""Bits as evidence: the code is a probability, chance saves t bits at most 2^-t of the time."""

import math
from collections import Counter
from functools import cache
from itertools import permutations, product

import mpmath
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import hypergeom
from support.hostile import examples
from support.samples import DEGENERATE, tables

import clusterbits as cb
from clusterbits.errors import LabelError, MeasureError
from clusterbits.paper.cards.partitions import partitions
from clusterbits.table.log_factorials import log_multichoose

ALPHAS = [mpmath.mpf(10) ** (mpmath.mpf(i) / 4) for i in range(-16, 17)]
PAIRS = np.repeat(np.arange(500), 2)
# A partition of six objects for each of the sizes that groups can have.
SIX = {tuple(sorted(np.bincount(labels))): tuple(labels) for labels in partitions(6)}
SHAPES = [tuple(sorted(labels)) for labels in SIX.values()]


# --- the formula ---------------------------------------------------------------------------------


def bits_by_mpmath(counts, n_classes=None):
    """L and S, term by term in 60 digits."""
    with mpmath.workdps(60):
        rows = [row for row in counts if any(row)]
        columns = [column for column in zip(*rows, strict=True) if any(column)]
        classes, lg = n_classes or len(rows), mpmath.loggamma
        total = mpmath.mpf(0)
        for alpha in ALPHAS:
            nats = mpmath.mpf(0)
            for column in columns:
                nats += lg(classes * alpha) - lg(sum(column) + classes * alpha)
                nats += sum(lg(x + alpha) - lg(alpha) for x in column)
            total += mpmath.exp(nats)
        length = -mpmath.log(total / 33, 2)
        sizes = [sum(row) for row in rows]
        without = (lg(sum(sizes) + 1) - sum(lg(size + 1) for size in sizes)) / mpmath.log(2)
        return float(length), float(without - length)


def check(counts, n_classes=None):
    table = cb.Contingency.from_counts(counts)
    length, saved = bits_by_mpmath(counts, n_classes)
    assert cb.q0_mixture(table, n_classes=n_classes) * table.n == pytest.approx(
        length, rel=2e-12, abs=1e-11
    )
    found = cb.evidence(table, n_classes=n_classes)
    # No digits are lost that counts of this size do not lose in n I(C;K) itself.
    assert found == pytest.approx(saved, rel=1e-11, abs=1e-11 * len(table.counts))
    return found


@pytest.mark.parametrize("counts", DEGENERATE.values(), ids=DEGENERATE)
@pytest.mark.parametrize("unseen", [0, 2])
def test_degenerate_tables_against_mpmath(counts, unseen):
    found = check(counts, len(counts) + unseen)
    if len(counts) == 1 and not unseen:
        assert found == 0


@examples(25)
@given(tables(max_count=1000), st.sampled_from([0, 1, 50, 10**6]))
def test_random_tables_against_mpmath(table, unseen):
    check(table.to_dense().tolist(), table.shape[0] + unseen)


@examples(25)
@given(st.lists(st.integers(0, 10**18), min_size=6, max_size=6).filter(any))
def test_huge_tables_against_mpmath(cells):
    check([cells[:3], cells[3:]])


@pytest.mark.parametrize("a", [1e-4, 0.3, 1.0, 16.0, 1e4, 1e9, 1e19])
def test_log_multichoose_against_mpmath(a):
    sizes = [0.0, 0.5, 1.0, 2.0, 15.0, 17.0, 1e4, 1e9, 1e18]
    with mpmath.workdps(60):
        lg, a_exact = mpmath.loggamma, mpmath.mpf(a)
        expected = [float(lg(m + a_exact) - lg(a_exact) - lg(mpmath.mpf(m) + 1)) for m in sizes]
    assert log_multichoose(sizes, a) == pytest.approx(expected, rel=1e-13, abs=3e-14)


def test_values_of_pairs():
    rng = np.random.default_rng(0)
    half = PAIRS.copy()
    half[:500:2] = 1000 + np.arange(250)  # of the pairs
    quarter = PAIRS.copy()
    quarter[:750:2] = 1000 + np.arange(375)
    assert cb.evidence(PAIRS, PAIRS) == pytest.approx(3506.34, abs=0.01)
    assert cb.evidence(PAIRS, half) == pytest.approx(1282.45, abs=0.01)
    assert cb.evidence(PAIRS, quarter) == pytest.approx(197, abs=60)
    assert cb.evidence(PAIRS, rng.permutation(PAIRS)) == pytest.approx(-937, abs=15)
    assert cb.evidence(PAIRS, range(1000)) == pytest.approx(-936.39, abs=0.01)
    # Dom's own code is weak where classes are small.
    whole = math.lgamma(1001) / math.log(2) - 500
    assert whole - 1000 * cb.q0(PAIRS, PAIRS) == pytest.approx(-438, abs=1)


@pytest.mark.parametrize("weights", [[0.5, 1, 1], [2, 1, 3]])
def test_weights_are_no_evidence(weights):
    with pytest.raises(MeasureError, match="this table has expected or weighted ones"):
        cb.evidence(["a", "a", "b"], [1, 1, 2], weights=weights)


# --- the code ------------------------------------------------------------------------------------


@cache
def length(columns, n_classes):
    """Bits in all, of a table given by its columns in any order."""
    table = cb.Contingency.from_counts(np.array(columns).T)
    return cb.q0_mixture(table, n_classes=n_classes) * table.n


def columns_of(truth, pred, n_classes):
    columns = {}
    for c, k in zip(truth, pred, strict=True):
        columns.setdefault(k, [0] * n_classes)[c] += 1
    # The order of the classes does not matter either.
    rows = sorted(zip(*columns.values(), strict=True), reverse=True)
    return tuple(sorted(zip(*rows, strict=True)))


@pytest.mark.parametrize(
    ("pred", "n_classes"), [("aabbb", 3), ("aaaaaa", 2), ("abcde", 2), ("aabbcc", 3), ("a", 4)]
)
def test_lengths_are_those_of_a_probability(pred, n_classes):
    """Kraft's inequality, with equality: over all class sequences, 2^-L adds up to 1."""
    sequences = product(range(n_classes), repeat=len(pred))
    total = math.fsum(2 ** -length(columns_of(c, pred, n_classes), n_classes) for c in sequences)
    assert total == pytest.approx(1, rel=1e-12)


@pytest.mark.parametrize("unseen", [0, 3])
def test_no_clustering_is_shorter_than_the_classes(unseen):
    for truth in SHAPES:
        n_classes = max(truth) + 1 + unseen
        least = length(columns_of(truth, truth, n_classes), n_classes)
        for pred in partitions(6):
            found = length(columns_of(truth, pred, n_classes), n_classes)
            assert found >= least - 1e-12
            assert n_classes == 1 or tuple(pred) == tuple(truth) or found > least + 1e-9


@examples(25)
@given(tables(max_count=300))
def test_the_mixture_is_hardly_longer_than_its_member(table):
    bits = (cb.q0_mixture(table) - cb.q0_enumerative(table)) * table.n
    assert bits <= math.log2(33) + 1e-9


# --- evidence ------------------------------------------------------------------------------------


def check_evidence(law):
    """E[2^S] ≤ 1 and P(S ≥ s) ≤ 2^-s, of values and their probabilities; return E[2^S]."""
    as_good = 0.0
    for bits, probability in sorted(law, reverse=True):
        as_good += probability
        assert as_good <= 2**-bits * (1 + 1e-12)
    mean = math.fsum(2**bits * probability for bits, probability in law)
    assert mean <= 1 + 1e-12
    assert math.fsum(bits * probability for bits, probability in law) <= 1e-12
    return mean


@pytest.mark.parametrize("unseen", [0, 2])
def test_chance_saves_no_bits_by_all_arrangements(unseen):
    means = []
    for truth in SHAPES:
        classes = max(truth) + 1
        without = math.log2(720 / math.prod(map(math.factorial, np.bincount(truth))))
        arrangements = set(permutations(truth))
        for pred in SHAPES:
            tried = Counter(columns_of(c, pred, classes + unseen) for c in arrangements)
            law = [
                (without - length(columns, classes + unseen), times / len(arrangements))
                for columns, times in tried.items()
            ]
            means.append(check_evidence(law))
    assert max(means) == pytest.approx(1) if not unseen else max(means) < 0.9


def law_of_two_by_two(n, class_size, cluster_size):
    """The values of S over all 2 × 2 tables with these margins, and their probabilities."""
    rule = hypergeom(n, class_size, cluster_size)
    low, high = rule.support()
    counts = [
        [[x, class_size - x], [cluster_size - x, n - class_size - cluster_size + x]]
        for x in range(low, high + 1)
    ]
    bits = [cb.evidence(cb.Contingency.from_counts(some)) for some in counts]
    return list(zip(bits, rule.pmf(range(low, high + 1)), strict=True))


@pytest.mark.parametrize("margins", [(60, 30, 30), (60, 10, 30), (500, 250, 100), (2000, 9, 900)])
def test_chance_saves_no_bits_in_two_by_two_tables(margins):
    check_evidence(law_of_two_by_two(*margins))


@pytest.mark.parametrize(
    "truth", [np.arange(400) % 5, PAIRS[:400], np.repeat([0, 1, 2], [380, 15, 5])]
)
@pytest.mark.parametrize("clusters", [2, 200])
def test_chance_saves_no_bits_in_larger_tables(truth, clusters):
    rng = np.random.default_rng(0)
    pred = np.arange(400) % clusters
    found = [cb.evidence(truth, rng.permutation(pred)) for _ in range(60)]
    # Any of 60 runs above 10 bits would be a surprise of 60/1024 at most.
    assert max(found) < 10
    assert np.mean(np.exp2(found)) < 1
    assert np.mean(found) < 0


def test_bits_of_batches_add_up_and_looking_often_is_allowed():
    bits, probability = map(np.array, zip(*law_of_two_by_two(16, 8, 8), strict=True))
    both = np.add.outer(bits, bits).ravel(), np.multiply.outer(probability, probability).ravel()
    check_evidence(list(zip(*map(np.ndarray.tolist, both), strict=True)))
    # Whoever stops at the best of 50 looks is fooled no more often (Ville's inequality).
    rng = np.random.default_rng(0)
    batches = rng.choice(bits, (20_000, 50), p=probability / probability.sum())
    best = batches.cumsum(axis=1).max(axis=1)
    for t in (1, 2, 3, 5):
        assert (best >= t).mean() <= 2.0**-t
    # Where clusters tell something, batches that say little alone say much together.
    assert 20 * cb.evidence(cb.Contingency.from_counts([[24, 6], [6, 24]])) > 100


# --- evidence beyond another clustering -----------------------------------------------------------


def beyond_by_mpmath(truth, pred, beyond):
    """S = L0(A) - L(A×B), term by term in 60 digits."""
    rows = Counter(zip(truth, beyond, pred, strict=True))
    classes, columns = sorted(set(truth)), sorted({(a, b) for _, a, b in rows})
    with mpmath.workdps(60):
        lg = mpmath.loggamma
        without = mpmath.mpf(0)
        for a in set(beyond):
            sizes = Counter(c for c, other in zip(truth, beyond, strict=True) if other == a)
            without += lg(sum(sizes.values()) + 1) - sum(lg(size + 1) for size in sizes.values())
        table = [[rows[c, a, b] for a, b in columns] for c in classes]
        return float(without / mpmath.log(2)) - bits_by_mpmath(table)[0]


def random_labels(rng, n, *groups):
    return [rng.integers(0, many, n).tolist() for many in groups]


@pytest.mark.parametrize("n", [1, 2, 30, 400])
def test_evidence_beyond_is_the_sum_by_hand(n):
    rng = np.random.default_rng(n)
    for groups in [(3, 4, 5), (1, 3, 2), (6, 1, 4), (2, 20, 1)]:
        truth, pred, beyond = random_labels(rng, n, *groups)
        found = cb.evidence(truth, pred, beyond=beyond)
        assert found == pytest.approx(beyond_by_mpmath(truth, pred, beyond), rel=1e-11, abs=1e-10)


@examples(25)
@given(tables(max_count=30))
def test_beyond_one_cluster_is_evidence(table):
    rows, columns = (np.repeat(some, table.counts) for some in (table.rows, table.columns))
    known = cb.evidence(rows, columns)
    assert cb.evidence(rows, columns, beyond=None) == known
    one = cb.evidence(rows, columns, beyond=np.zeros_like(rows))
    assert one == pytest.approx(known, rel=1e-11, abs=1e-10)


def arrangements_within(truth, beyond):
    """All labelings with as many objects of each class in each cluster of `beyond`."""
    members = [[i for i, a in enumerate(beyond) if a == some] for some in sorted(set(beyond))]
    orders = [sorted(set(permutations([truth[i] for i in some]))) for some in members]
    for chosen in product(*orders):
        labels = list(truth)
        for some, classes in zip(members, chosen, strict=True):
            for i, c in zip(some, classes, strict=True):
                labels[i] = c
        yield labels


def test_chance_tells_nothing_beyond_a_clustering_by_all_arrangements():
    rng = np.random.default_rng(0)
    means = []
    for _ in range(40):
        n = int(rng.integers(3, 9))
        truth, pred, beyond = random_labels(rng, n, *rng.integers(2, 4, 3))
        bits = [
            cb.evidence(classes, pred, beyond=beyond)
            for classes in arrangements_within(truth, beyond)
        ]
        means.append(check_evidence([(some, 1 / len(bits)) for some in bits]))
    assert 0 < max(means) <= 1


def test_what_is_told_beyond_a_clustering():
    """Of 1,000 objects: nothing by coarser or random clusters, much by clusters that know more."""
    rng = np.random.default_rng(0)
    for _ in range(10):
        truth = rng.integers(0, 5, 1000)
        noisy = np.where(rng.random(1000) < 0.7, truth, rng.integers(0, 5, 1000))
        fine = noisy * 4 + rng.integers(0, 4, 1000)
        assert cb.evidence(truth, noisy, beyond=fine) < -100  # a coarsening
        assert cb.evidence(truth, fine, beyond=noisy) < -50  # a random refinement
        useful = noisy * 5 + np.where(rng.random(1000) < 0.8, truth, rng.integers(0, 5, 1000))
        assert cb.evidence(truth, useful, beyond=noisy) > 300


def test_a_coarsening_tells_nothing_even_if_the_classes_depend_on_it():
    rng = np.random.default_rng(1)
    for _ in range(50):
        a = rng.integers(0, 50, 1000)
        b = a // 10
        truth = np.where(rng.random(1000) < 0.6, b, rng.integers(0, 5, 1000))
        assert cb.q0_mixture(truth, b) < cb.q0_mixture(truth, a)  # and yet:
        assert cb.evidence(truth, b, beyond=a) < 0
        assert cb.evidence(truth, b) > 100


def test_options_apply_to_all_three_labelings():
    truth = {"a": 0, "b": 0, "c": 1, "d": 1, "e": 1, "f": 0}
    pred = {"f": 7, "e": 5, "d": 5, "c": 6, "b": 6, "a": 6}
    beyond = {"a": 1, "b": 1, "c": 1, "d": 2, "e": None, "g": 3}
    found = cb.evidence(truth, pred, beyond=beyond, missing="drop", unmatched="drop")
    assert found == cb.evidence([0, 0, 1, 1], [6, 6, 6, 5], beyond=[1, 1, 1, 2])
    labels = [0, 0, 1, 1, 1], [1, 1, -1, 2, 2], [4, 4, -1, -1, 3]
    found = cb.evidence(*labels[:2], beyond=labels[2], noise="drop")
    assert found == cb.evidence([0, 0, 1], [1, 1, 2], beyond=[4, 4, 3])
    found = cb.evidence(*labels[:2], beyond=labels[2], noise="singletons", n_classes=4)
    assert found == cb.evidence(labels[0], [1, 1, 9, 2, 2], beyond=[4, 4, 8, 7, 3], n_classes=4)


def test_beyond_needs_labels_of_objects():
    truth, pred = [0, 0, 1], [1, 1, 2]
    with pytest.raises(MeasureError, match=r"pass evidence\(truth, pred, beyond=other\)"):
        cb.evidence(cb.Contingency(truth, pred), beyond=pred)
    with pytest.raises(MeasureError, match=r"pass evidence\(truth, pred, beyond=other\)"):
        cb.evidence.using(beyond=pred)
    with pytest.raises(MeasureError, match="each of which counts once"):
        cb.evidence(truth, pred, beyond=pred, weights=[1, 2, 1])
    with pytest.raises(MeasureError, match="each of which counts once"):
        cb.evidence(truth, pred, beyond=pred, weights="balanced")
    with pytest.raises(LabelError, match="truth has 3 labels and beyond has 2"):
        cb.evidence(truth, pred, beyond=[1, 2])
    with pytest.raises(TypeError, match="q0 has no parameter 'beyond'"):
        cb.q0(truth, pred, beyond=pred)


# --- two clusterings ------------------------------------------------------------------------------


@pytest.mark.parametrize(("a", "b"), [("aabbb", "aaabb"), ("aaaaa", "aabbc"), ("abcde", "aabbb")])
def test_the_better_of_two_codes_by_all_sequences(a, b):
    """Classes drawn as A's code says: B is D bits shorter with probability at most 2^-D."""
    law = []
    for c in product(range(3), repeat=5):
        of_a, of_b = (length(columns_of(c, some, 3), 3) for some in (a, b))
        law.append((of_a - of_b, 2**-of_a))
    assert check_evidence(law) == pytest.approx(1)


def test_a_sample_that_grows_may_be_looked_at_often():
    """2^S is at most the ratio of two probabilities, and the code's is one of a sequence."""
    rng = np.random.default_rng(0)
    for _ in range(20):
        truth, pred = rng.integers(0, 3, 12).tolist(), rng.integers(0, 4, 13).tolist()
        so_far = len(truth) * cb.q0_mixture(truth, pred[:-1], n_classes=3)
        next_ones = [cb.q0_mixture([*truth, c], pred, n_classes=3) * len(pred) for c in range(3)]
        assert sum(2.0 ** (so_far - bits) for bits in next_ones) == pytest.approx(1, rel=1e-12)
        drawn = np.log2(rng.dirichlet([1, 1, 1]))[truth].sum()
        assert cb.evidence(truth, pred[:-1], n_classes=3) <= -so_far - drawn
