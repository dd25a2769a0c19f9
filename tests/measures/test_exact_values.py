"""Values known exactly: 50-digit references, mpmath, printed numbers, definitions, brute force."""

import json
import math
from fractions import Fraction
from itertools import permutations
from pathlib import Path

import mpmath
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.samples import labels_of, tables

import clusterbits as cb
from clusterbits.errors import MeasureError
from clusterbits.measures.catalogue import get_measure

REFERENCE = json.loads(Path(__file__).parents[1].joinpath("data/reference.json").read_text())

# Names of the reference that are not measures of the catalogue.
DERIVED = {
    "q0_data": cb.conditional_entropy,
    "q0_model": cb.Contingency.table_bits,
    "best_bits": lambda t: cb.best_bits(t.class_sizes),
    "worst_bound": lambda t: t.class_entropy + math.log2(t.shape[0]),
    "worst_exact": lambda t: cb.worst_clustering(t.class_sizes).bits,
    "q2_exact": lambda t: cb.q2(t, worst="exact"),
}


@pytest.mark.parametrize(
    ("table", "name"),
    [(table, name) for table, entry in REFERENCE.items() for name in entry["values"]],
)
def test_reference(table, name):
    counts = cb.Contingency.from_counts(REFERENCE[table]["counts"])
    function = DERIVED.get(name) or get_measure(name)
    expected = REFERENCE[table]["values"][name]
    # Values of 1e-51 are zeros of the 50-digit arithmetic.
    assert function(counts) == pytest.approx(expected, rel=1e-12, abs=1e-13)


def q0_by_mpmath(counts, n_classes=None):
    """Equation (5), term by term in 60 digits: data and model."""
    with mpmath.workdps(60):
        columns = list(zip(*counts, strict=True))
        n = mpmath.mpf(sum(map(sum, counts)))
        classes = n_classes or sum(1 for row in counts if any(row))
        data = model = mpmath.mpf(0)
        for column in columns:
            size = mpmath.mpf(sum(column))
            data += sum(h * mpmath.log(size / h, 2) for h in map(mpmath.mpf, column) if h)
            model += (
                mpmath.loggamma(size + classes)
                - mpmath.loggamma(size + 1)
                - mpmath.loggamma(classes)
            ) / mpmath.log(2)
        return data / n, model / n


@pytest.mark.parametrize("n", [10, 10**3, 10**6, 10**9, 10**12, 10**15])
@pytest.mark.parametrize("n_classes", [2, 3, 17, 18, 1000, 10**5])
def test_q0_against_mpmath(n, n_classes):
    counts = [[n, 3, 1], [1, n // 2, 0]]
    table = cb.Contingency.from_counts(counts)
    data, model = q0_by_mpmath(counts, n_classes)
    assert cb.conditional_entropy(table) == pytest.approx(float(data), rel=1e-12)
    assert table.table_bits(n_classes) == pytest.approx(float(model), rel=1e-12)
    assert cb.q0(table, n_classes=n_classes) == pytest.approx(float(data + model), rel=1e-12)


@given(tables(max_count=12))
def test_enumerative_code_counts_arrangements(table):
    bits = sum(
        math.log2(math.factorial(sum(column)))
        - sum(math.log2(math.factorial(h)) for h in column)
        + math.log2(math.comb(sum(column) + table.shape[0] - 1, table.shape[0] - 1))
        for column in table.to_dense().T.tolist()
    )
    assert cb.q0_enumerative(table) == pytest.approx(bits / table.n, rel=1e-12, abs=1e-14)
    assert cb.q0_enumerative(table) <= cb.q0(table) + 1e-12


def test_the_papers_example_of_500_objects():
    five = np.eye(5) / 5
    pure = cb.Contingency.expected(five, n=500)
    assert cb.q0(pure) == pytest.approx(0.221326, abs=5e-7)
    assert cb.q0_asymptotic(pure) == pytest.approx(0.359, abs=5e-4)
    noisy = cb.Contingency.expected(five * (0.8 - 0.05) + 0.05 / 5, n=500)
    expected = {
        "q0": 1.343254, "q2": 0.746315, "rand": 0.86, "fowlkes_mallows": 0.65,
        "hubert_gamma": 0.5625, "jaccard": 0.481481, "hamming_similarity": 0.8,
    }  # fmt: skip
    for name, value in expected.items():
        assert get_measure(name)(noisy) == pytest.approx(value, abs=5e-7), name


def test_table_1_of_the_paper():
    p = np.full((5, 8), 0.01)
    p[:, 5:] = 0.02
    np.fill_diagonal(p, 0.10)
    table = cb.Contingency.expected(p, n=500)
    expected = {
        "q0": 2.011727, "q2": 0.595164, "rand": 0.788, "fowlkes_mallows": 0.3625,
        "hubert_gamma": 0.242450, "jaccard": 0.214815, "hamming_similarity": 0.53,
    }  # fmt: skip
    for name, value in expected.items():
        assert get_measure(name)(table) == pytest.approx(value, abs=5e-7), name


def emi_by_definition(a_sizes, b_sizes):
    with mpmath.workdps(40):
        n, total = sum(a_sizes), mpmath.mpf(0)
        for a in a_sizes:
            for b in b_sizes:
                for x in range(max(1, a + b - n), min(a, b) + 1):
                    p = mpmath.binomial(a, x) * mpmath.binomial(n - a, b - x)
                    p /= mpmath.binomial(n, b)
                    total += p * x / n * mpmath.log(mpmath.mpf(n) * x / (a * b), 2)
        return float(total)


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ([1, 1], [1, 1]),
        ([3, 5, 7], [5, 10]),
        ([1000, 3], [500, 503]),
        ([500, 500], [250, 750]),
        ([1] * 30, [15, 15]),
        ([6000, 5, 1], [3000, 3006]),
        ([4000, 2000], [3000, 3000]),  # sampled at a stride
    ],
)
def test_expected_mutual_information(a, b):
    table = table_with_margins(a, b)
    assert cb.expected_mutual_information(table) == pytest.approx(
        emi_by_definition(a, b), rel=1e-12
    )


def table_with_margins(a, b):
    a, b = list(a), list(b)
    counts = [[0] * len(b) for _ in a]
    i = j = 0
    while i < len(a) and j < len(b):
        moved = min(a[i], b[j])
        counts[i][j] += moved
        a[i] -= moved
        b[j] -= moved
        if a[i]:
            j += 1
        else:
            i += 1
    return cb.Contingency.from_counts(counts)


# --- definitions ---------------------------------------------------------------------------------


@given(tables(max_count=7))
def test_identities(table):
    joint = table.class_entropy + table.cluster_entropy_given_class
    vi = cb.variation_of_information(table)
    if joint > 0:
        assert cb.nmi(table, average_method="joint") == pytest.approx(
            1 - cb.normalized_variation_of_information(table), abs=1e-12
        )
    if table.n > 1:
        assert cb.nvi(table, average_method="objects") == pytest.approx(
            vi / math.log2(table.n), abs=1e-12
        )
    assert cb.v_measure(table) == pytest.approx(cb.nmi(table), abs=1e-12)
    assert cb.purity(table) == pytest.approx(1 - cb.classification_error(table))
    assert cb.van_dongen(table) == pytest.approx(1 - cb.hamming_similarity(table))
    assert cb.wallace(table) == cb.pair_recall(table)
    assert cb.wallace(table, given="clusters") == cb.pair_precision(table)
    rand = cb.rand(table)
    assert cb.rogers_tanimoto(table) == pytest.approx(rand / (2 - rand))
    jaccard = cb.jaccard(table)
    assert cb.pair_f1(table) == pytest.approx(2 * jaccard / (1 + jaccard))
    assert cb.sokal_sneath_doubled(table) == pytest.approx(jaccard / (2 - jaccard))
    assert cb.hamann(table) == pytest.approx(2 * rand - 1)
    assert cb.gower_legendre(table) == pytest.approx(2 * rand / (1 + rand))
    one, other = cb.adjusted_wallace(table), cb.adjusted_wallace(table, given="clusters")
    if one > 0:
        assert cb.adjusted_rand(table) == pytest.approx(2 * one * other / (one + other))
    n = table.n
    assert cb.transfer_distance(table) == pytest.approx(n * (1 - cb.accuracy(table)), abs=1e-9)
    assert cb.mirkin(table) == pytest.approx((1 - rand) * (n - 1) / n)


def best_by_brute_force(weights):
    rows, columns = weights.shape
    if rows > columns:
        return best_by_brute_force(weights.T)
    return max(weights[range(rows), list(p)].sum() for p in permutations(range(columns), rows))


@given(tables(max_count=7))
def test_matching_by_brute_force(table):
    counts = table.to_dense().astype(float)
    a, b = counts.sum(axis=1, keepdims=True), counts.sum(axis=0, keepdims=True)
    assert cb.accuracy(table) == pytest.approx(best_by_brute_force(counts) / table.n)
    if table.shape[0] > 1:
        expected = (best_by_brute_force(counts / a) - 1) / (table.shape[0] - 1)
        assert cb.normalized_clustering_accuracy(table) == pytest.approx(expected, abs=1e-12)
    f = 2 * counts / (a + b)
    expected = float((a.ravel() * f.max(axis=1)).sum()) / table.n
    assert cb.class_f(table) == pytest.approx(expected)


@given(tables(max_count=7).map(labels_of))
def test_bcubed_and_element_centric_by_definition(labels):
    truth, pred = labels
    n, alpha = len(truth), 0.9
    precision = recall = similarity = 0.0
    for i in range(n):
        same_class = {j for j in range(n) if truth[j] == truth[i]}
        same_cluster = {j for j in range(n) if pred[j] == pred[i]}
        both = len(same_class & same_cluster)
        precision += both / len(same_cluster) / n
        recall += both / len(same_class) / n
        distance = 0.0
        for j in range(n):
            p = alpha * (j in same_class) / len(same_class) + (1 - alpha) * (i == j)
            q = alpha * (j in same_cluster) / len(same_cluster) + (1 - alpha) * (i == j)
            distance += abs(p - q)
        similarity += (1 - distance / (2 * alpha)) / n
    assert cb.bcubed_precision(truth, pred) == pytest.approx(precision)
    assert cb.bcubed_recall(truth, pred) == pytest.approx(recall)
    f1 = 2 * precision * recall / (precision + recall)
    assert cb.bcubed_f1(truth, pred) == pytest.approx(f1)
    assert cb.element_centric(truth, pred) == pytest.approx(similarity)


def test_amigos_constraints_by_bcubed():
    from clusterbits.paper.cards.amigo import PAIRS

    expected = [(0.6433, 0.6946), (0.7039, 0.7232), (0.6567, 0.7143), (0.8182, 0.9344)]
    for pair, values in zip(PAIRS.values(), expected, strict=True):
        found = [cb.bcubed_f1(cb.Contingency.from_counts(counts)) for counts in pair]
        assert found == pytest.approx(values, abs=5e-5)


def test_reduced_mutual_information_known_values():
    truth, pred = [1, 1, 2, 2, 2, 3, 3, 3], [1, 1, 1, 2, 2, 2, 2, 2]
    table = cb.Contingency.from_labels(truth, pred)
    assert 8 * cb.mutual_information(table) == pytest.approx(4.88058, abs=5e-6)
    emi = 8 * cb.expected_mutual_information(table)
    from clusterbits.measures.dirichlet import arrangement_bits
    from clusterbits.measures.reduced import _flat_table_bits

    assert arrangement_bits(table) == pytest.approx(4.22239, abs=5e-6)
    assert 8 * cb.mutual_information(table) - emi == pytest.approx(2.74404, abs=5e-6)
    assert cb.rmi(table, method="flat") == pytest.approx(1.07763, abs=5e-6)
    assert cb.rmi(table) == pytest.approx(0.160127, abs=5e-7)
    assert cb.normalized_reduced_mutual_information(table) == pytest.approx(0.0202079, abs=5e-8)
    # Classes' sizes are (5,2,2,3), clusters' (1,3,4,4): any table with these margins.
    margins = cb.Contingency.from_counts([[1, 3, 1, 0], [0, 0, 2, 0], [0, 0, 1, 1], [0, 0, 0, 3]])
    assert _flat_table_bits(margins) == pytest.approx(9.4314, abs=5e-5)
    singles = cb.Contingency.from_labels(range(8), [0] * 4 + [1] * 4)
    assert _flat_table_bits(singles) == pytest.approx(math.log2(70), abs=1e-10)


def test_standardized_by_all_permutations():
    for truth, pred in [
        ([0, 0, 0, 1, 1, 2], [0, 0, 1, 1, 1, 2]),
        ([0, 0, 1, 1, 1, 1, 1], [0, 0, 0, 1, 1, 2, 2]),
        ([0, 1, 2, 3, 3, 3], [0, 0, 1, 1, 2, 2]),
    ]:
        values = np.array([cb.mutual_information(truth, list(p)) for p in set(permutations(pred))])
        own = cb.mutual_information(truth, pred)
        expected = (own - values.mean()) / values.std()
        assert cb.standardized_mutual_information(truth, pred) == pytest.approx(expected, abs=1e-9)


def test_standardized_is_zero_where_information_is_constant():
    assert cb.standardized_mutual_information([0, 0, 1, 1], [0, 0, 1, 0]) == 0
    assert cb.standardized_mutual_information([0, 1, 2, 3], [0, 0, 1, 1]) == 0
    assert cb.standardized_mutual_information([0, 0, 0, 0], [0, 0, 1, 1]) == 0


@pytest.mark.parametrize("truth", [[0, 1, 2, 3, 4, 5], [3, 3, 0, 1, 1, 0]])
def test_adjusted_information_is_exactly_zero_where_no_clustering_has_more(truth):
    """One object apart from all others: every arrangement of these sizes has as much."""
    assert cb.adjusted_mutual_information(truth, [0, 1, 1, 1, 1, 1]) == 0


@pytest.mark.parametrize(("size", "other"), [(3, 5), (2, 8), (1, 4)])
def test_a_variance_lost_in_rounding_is_refused(size, other):
    objects = np.arange(20_000)
    with pytest.raises(MeasureError, match="lost in rounding"):
        cb.standardized_mutual_information(
            objects // size, np.random.default_rng(0).permutation(objects) // other
        )


def test_ten_billion_objects():
    """Peers overflow here; mpmath does not."""
    rows = [[6 * 10**9, 10**8, 0], [3, 2 * 10**9, 7], [10**9, 0, 9 * 10**8]]
    table = cb.Contingency.from_counts(rows)
    with mpmath.workdps(50):

        def pairs(sizes):
            return sum(mpmath.mpf(s) * (s - 1) / 2 for s in sizes)

        n = sum(map(sum, rows))
        both = pairs(h for row in rows for h in row)
        a, b, m = pairs(map(sum, rows)), pairs(map(sum, zip(*rows, strict=True))), pairs([n])
        rand = (m - a - b + 2 * both) / m
        ari = (both - a * b / m) / ((a + b) / 2 - a * b / m)
        fm = both / mpmath.sqrt(a * b)
    assert cb.rand(table) == pytest.approx(float(rand), rel=1e-14)
    assert cb.adjusted_rand(table) == pytest.approx(float(ari), rel=1e-14)
    assert cb.fowlkes_mallows(table) == pytest.approx(float(fm), rel=1e-14)
    # Far from small numbers the expectation is (|C|-1)(|K|-1)/2n nats, to first order.
    expected = 4 / (2 * n) / math.log(2)
    assert cb.expected_mutual_information(table) == pytest.approx(expected, rel=1e-4)
    assert 0 < cb.adjusted_mutual_information(table) < 1
    for score in cb.evaluate(table, measures="all").rows:
        assert math.isfinite(score.value), score


def test_entity_resolution():
    """200,000 entities, almost block-diagonal: every measure answers from the non-zero cells."""
    rng = np.random.default_rng(0)
    truth = rng.integers(0, 200_000, 500_000)
    pred = np.where(rng.random(500_000) < 0.97, truth, rng.integers(0, 200_000, 500_000))
    table = cb.Contingency.from_labels(truth, pred)
    keys, h = np.unique(truth * 200_000 + pred, return_counts=True)
    c, k = keys // 200_000, keys % 200_000
    a, b = np.bincount(truth)[c], np.bincount(pred)[k]
    pairs = sum((x * (x - 1)).sum() for x in (np.bincount(truth), np.bincount(pred)))
    precision, recall = ((h * h / size).sum() / len(truth) for size in (b, a))
    expected = {
        "exact_cluster_f1": 2 * ((h == a) & (h == b)).sum() / sum(table.shape),
        "pair_f1": 2 * (h * (h - 1)).sum() / pairs,
        "bcubed_f1": 2 * precision * recall / (precision + recall),
        "element_centric": (h * h / np.maximum(a, b)).sum() / len(truth),
        "conditional_entropy": (h * np.log2(b / h)).sum() / len(truth),
    }
    for name, value in expected.items():
        assert get_measure(name)(table) == pytest.approx(value, rel=1e-12), name
    assert cb.q0(table) > expected["conditional_entropy"]
    assert 0.9 < cb.ami(table) < 1


def trivial(table):
    """Return the two clusterings that know nothing: all objects together, and each alone."""
    sizes = table.class_sizes
    truth = np.repeat(np.arange(len(sizes)), sizes)
    return cb.Contingency.from_counts(sizes[:, None]), cb.Contingency(truth, range(len(truth)))


@given(tables(), st.integers(0, 3))
def test_bits_saved_beside_the_cheaper_of_together_and_alone(table, unseen):
    more = {"n_classes": table.shape[0] + unseen}
    bits = [cb.q0(one, **more) for one in trivial(table)]
    assert bits[1] == pytest.approx(math.log2(more["n_classes"]), abs=1e-12)
    saved, room = (
        min(bits) - some
        for some in (cb.q0(table, **more), cb.best_bits(table.class_sizes, more["n_classes"]))
    )
    assert cb.bits_saved(table, **more) == pytest.approx(saved, abs=1e-12)
    share = 1 if table.is_perfect else saved / room if room > 1e-9 else 0
    assert cb.share_saved(table, **more) == pytest.approx(share, abs=1e-9)


@given(tables(), st.integers(0, 3))
def test_the_cheaper_of_together_and_alone_saves_exactly_nothing(table, unseen):
    more = {"n_classes": table.shape[0] + unseen}
    together, alone = (cb.bits_saved(one, **more) for one in trivial(table))
    assert max(together, alone) == 0
    for one in trivial(table):
        assert cb.share_saved(one, **more) <= 0 or one.is_perfect


@pytest.mark.parametrize("n", [10, 10**3, 10**6, 10**9, 10**12])
@pytest.mark.parametrize("n_classes", [3, 18, 10**5])
def test_bits_saved_against_mpmath(n, n_classes):
    counts = [[n, 3, 1], [1, n // 2, 0], [0, 0, 1]]
    bits = sum(q0_by_mpmath(counts, n_classes))
    with mpmath.workdps(60):
        together = sum(q0_by_mpmath([[sum(row)] for row in counts], n_classes))
        without = min(together, mpmath.log(n_classes, 2))
        least = sum(sum(q0_by_mpmath([[sum(row)]], n_classes)) * sum(row) for row in counts) / sum(
            map(sum, counts)
        )
        saved, share = float(without - bits), float((without - bits) / (without - least))
    table = cb.Contingency.from_counts(counts)
    assert cb.bits_saved(table, n_classes=n_classes) == pytest.approx(saved, rel=1e-12)
    assert cb.share_saved(table, n_classes=n_classes) == pytest.approx(share, rel=1e-12)


def test_weighted_objects_alone_cost_the_logarithm_per_unit():
    """Three objects of weight 4 in each of two classes: 12 bits of 24 units are saved at most."""
    truth, weights = [0, 0, 0, 1, 1, 1], [4.0] * 6
    table = cb.Contingency.from_labels(truth, range(6), weights=weights)
    assert cb.bits_saved(table) == pytest.approx(1 - math.log2(5) / 4, rel=1e-12)
    halves = cb.Contingency.from_labels(truth, range(6), weights=[0.5] * 6)
    assert cb.bits_saved(halves) == pytest.approx(1 - 2 * math.log2(1.5), rel=1e-12)
    assert cb.bits_saved(halves) < 0


def test_share_saved_of_degenerate_tables():
    for more in ({}, {"n_classes": 9}):
        assert cb.share_saved([0, 0, 0], [0, 0, 0], **more) == 1
        assert cb.share_saved([0, 0, 0], [0, 1, 2], **more) == 0
        assert cb.share_saved(range(7), range(7), **more) == 1
        assert cb.share_saved(range(7), [0, 0, 1, 2, 3, 4, 5], **more) == 0
        assert cb.share_saved([0, 0, 1, 1], [0, 1, 0, 1], **more) < 0
    # One unit of weight to a class, also where weights add up to it only almost.
    thirds = cb.Contingency.from_labels([0, 0, 0, 1], [0, 0, 1, 1], weights=[0.1, 0.2, 0.7, 1.0])
    with pytest.raises(cb.errors.MeasureError, match="more than one unit per class"):
        cb.share_saved(thirds)
    huge = cb.Contingency.from_counts([[2**60, 3], [5, 2**61]])
    assert 0.99 < cb.share_saved(huge) <= 1


def test_linked_pairs():
    """500 people with two records each, as a colleague would check it on paper."""
    people = np.repeat(np.arange(500), 2)
    missed = np.where(np.arange(1000) % 20, people, 500 + np.arange(1000))  # every tenth pair
    rng = np.random.default_rng(0)
    assert cb.share_saved(people, range(1000)) == 0
    assert cb.share_saved(people, missed) == pytest.approx(0.9, abs=1e-12)
    shuffled = [cb.share_saved(people, rng.permutation(people)) for _ in range(20)]
    assert np.mean(shuffled) == pytest.approx(-1, abs=0.01)
    assert cb.share_saved(people, np.zeros(1000)) < -2


@pytest.mark.parametrize(("classes", "one", "worst"), [(5, "0.51", "0.21"), (1000, "0.65", "0.53")])
def test_where_q2_is_not_zero(classes, one, worst):
    sizes = [100] * classes
    assert f"{cb.q2(cb.Contingency.from_counts([[100]] * classes)):.2f}" == one
    found = cb.worst_clustering(sizes)
    assert f"{cb.q2(found.table):.2f}" == worst
    assert cb.q2(found.table, worst="exact") == pytest.approx(0, abs=1e-12)


def test_lambda_of_light_objects_beside_a_heavy_one():
    truth, pred, weights = [0, 0, 1, 1], [0, 1, 1, 0], [1.0, 3e-9, 5e-8, 1e-8]
    wrong, outside = Fraction(5e-8) + Fraction(1e-8), Fraction(3e-9) + Fraction(1e-8)
    found = cb.goodman_kruskal_lambda(truth, pred, weights=weights)
    assert found == pytest.approx(float((wrong - outside) / wrong), rel=1e-15)
