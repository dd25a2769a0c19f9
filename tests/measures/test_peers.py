"""The rest of the catalogue against peers, definitions and brute force."""

import math
from itertools import permutations

import clustering_mi
import genieclust.compare_partitions as genie
import igraph
import mpmath
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import linear_sum_assignment
from sklearn import metrics as sk
from sklearn.metrics.cluster import contingency_matrix, pair_confusion_matrix
from support.samples import labels_of, tables

import clusterbits as cb
from clusterbits.errors import MeasureError
from clusterbits.measures import assignment

SMALL = tables(max_count=7)
LABELS = SMALL.map(labels_of)


@given(SMALL)
def test_scikit_learn_functions_that_are_no_numbers(table):
    truth, pred = labels_of(table)
    assert contingency_matrix(truth, pred).tolist() == table.to_dense().tolist()
    a00, a01, a10, a11 = table.pairs
    expected = pair_confusion_matrix(truth, pred).tolist()
    assert [[2 * a11, 2 * a10], [2 * a01, 2 * a00]] == expected
    triple = sk.homogeneity_completeness_v_measure(truth, pred)
    own = cb.homogeneity(table), cb.completeness(table), cb.v_measure(table)
    assert own == pytest.approx(triple, abs=1e-10)


@pytest.mark.parametrize("average", ["arithmetic", "geometric", "min", "max"])
@given(table=SMALL)
@settings(max_examples=40)
def test_normalized_mutual_information(average, table):
    truth, pred = labels_of(table)
    expected = sk.normalized_mutual_info_score(truth, pred, average_method=average)
    own = cb.normalized_mutual_information(table, average=average)
    if table.is_perfect:
        assert own == 1
    else:
        assert own == pytest.approx(expected, abs=1e-10)


@given(SMALL)
def test_identities(table):
    joint = table.class_entropy + table.cluster_entropy_given_class
    vi = cb.variation_of_information(table)
    if joint > 0:
        assert cb.nmi(table, average="joint") == pytest.approx(
            1 - cb.normalized_variation_of_information(table), abs=1e-12
        )
    if table.n > 1:
        assert cb.nvi(table, average="objects") == pytest.approx(vi / math.log2(table.n), abs=1e-12)
    assert cb.mutual_info_score(table) == pytest.approx(
        sk.mutual_info_score(*labels_of(table)), abs=1e-10
    )
    assert cb.v_measure(table) == pytest.approx(cb.nmi(table), abs=1e-12)
    assert cb.purity(table) == pytest.approx(1 - cb.classification_error(table))
    assert cb.van_dongen(table) == pytest.approx(1 - cb.hamming(table))
    assert cb.wallace(table) == cb.pair_recall(table)
    assert cb.wallace(table, given="clusters") == cb.pair_precision(table)
    rand = cb.rand(table)
    assert cb.rogers_tanimoto(table) == pytest.approx(rand / (2 - rand))
    jaccard = cb.jaccard(table)
    assert cb.pair_f1(table) == pytest.approx(2 * jaccard / (1 + jaccard))
    assert cb.sokal_sneath(table) == pytest.approx(jaccard / (2 - jaccard))
    n = table.n
    assert cb.mirkin(table) == pytest.approx((1 - rand) * (n - 1) / n)


@given(SMALL.filter(lambda t: min(t.shape) > 1 and t.pairs.a00 > 0))
def test_genieclust(table):
    counts = table.to_dense().astype(float)
    assert cb.adjusted_fowlkes_mallows(table) == pytest.approx(
        genie.adjusted_fm_score(counts), abs=1e-10
    )
    assert cb.psi(table) == pytest.approx(genie.pair_sets_index(counts), abs=1e-10)
    assert cb.mi_score(table) == pytest.approx(genie.mi_score(counts), abs=1e-10)
    assert cb.nmi(table) == pytest.approx(genie.normalized_mi_score(counts), abs=1e-10)
    if table.shape[0] == table.shape[1]:
        expected = genie.normalized_clustering_accuracy(counts)
        assert cb.nca(table) == pytest.approx(expected, abs=1e-10)
        expected = genie.normalized_pivoted_accuracy(counts)
        assert cb.npa(table) == pytest.approx(expected, abs=1e-10)


def best_by_brute_force(weights):
    rows, columns = weights.shape
    if rows > columns:
        return best_by_brute_force(weights.T)
    return max(weights[range(rows), list(p)].sum() for p in permutations(range(columns), rows))


@given(SMALL)
def test_matching_by_brute_force(table):
    counts = table.to_dense().astype(float)
    a, b = counts.sum(axis=1, keepdims=True), counts.sum(axis=0, keepdims=True)
    assert cb.accuracy(table) == pytest.approx(best_by_brute_force(counts) / table.n)
    if table.shape[0] > 1:
        expected = (best_by_brute_force(counts / a) - 1) / (table.shape[0] - 1)
        assert cb.nca(table) == pytest.approx(expected, abs=1e-12)
    f = 2 * counts / (a + b)
    expected = float((a.ravel() * f.max(axis=1)).sum()) / table.n
    assert cb.class_f(table) == pytest.approx(expected)


@given(SMALL.filter(lambda t: t.n > 1))
def test_igraph(table):
    truth, pred = labels_of(table)
    vi = igraph.compare_communities(truth, pred, method="vi") / math.log(2)
    assert cb.vi(table) == pytest.approx(vi, abs=1e-9)
    assert cb.split_join(table) == igraph.compare_communities(truth, pred, method="split-join")
    assert cb.rand(table) == pytest.approx(
        igraph.compare_communities(truth, pred, method="rand"), abs=1e-9
    )


@given(LABELS)
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
    from clusterbits.desiderata.amigo import PAIRS

    expected = [(0.6433, 0.6946), (0.7039, 0.7232), (0.6567, 0.7143), (0.8182, 0.9344)]
    for pair, values in zip(PAIRS.values(), expected, strict=True):
        found = [cb.bcubed_f1(cb.Contingency.from_counts(counts)) for counts in pair]
        assert found == pytest.approx(values, abs=5e-5)


def test_exact_clusters():
    truth, pred = [0, 0, 1, 1, 2, 3], [5, 5, 6, 7, 8, 8]
    assert cb.exact_cluster_f1(truth, pred) == 2 * 1 / (4 + 4)
    assert cb.exact_cluster_f1([1, 2, 3], [7, 8, 9]) == 1


RMI = {"stirling": None, "traditional": None, "reduced_flat": "flat", "reduced": "dirichlet"}


def test_reduced_mutual_information_known_values():
    truth, pred = [1, 1, 2, 2, 2, 3, 3, 3], [1, 1, 1, 2, 2, 2, 2, 2]
    table = cb.Contingency.from_labels(truth, pred)
    assert 8 * cb.mutual_information(table) == pytest.approx(4.88058, abs=5e-6)
    emi = 8 * cb.expected_mutual_information(table)
    from clusterbits.measures.reduced import _arrangement_bits, _flat_table_bits

    assert _arrangement_bits(table) == pytest.approx(4.22239, abs=5e-6)
    assert 8 * cb.mutual_information(table) - emi == pytest.approx(2.74404, abs=5e-6)
    assert cb.rmi(table, method="flat") == pytest.approx(1.07763, abs=5e-6)
    assert cb.rmi(table) == pytest.approx(0.160127, abs=5e-7)
    assert cb.normalized_rmi(table) == pytest.approx(0.0202079, abs=5e-8)
    # Classes' sizes are (5,2,2,3), clusters' (1,3,4,4): any table with these margins.
    margins = cb.Contingency.from_counts([[1, 3, 1, 0], [0, 0, 2, 0], [0, 0, 1, 1], [0, 0, 0, 3]])
    assert _flat_table_bits(margins) == pytest.approx(9.4314, abs=5e-5)
    singles = cb.Contingency.from_labels(range(8), [0] * 4 + [1] * 4)
    assert _flat_table_bits(singles) == pytest.approx(math.log2(70), abs=1e-10)


@given(SMALL.filter(lambda t: min(t.shape) > 1 and max(t.class_sizes) > 1))
@settings(max_examples=40)
def test_clustering_mi(table):
    # Its columns are the first labeling (the clusters), its rows the second (the truth).
    counts = table.to_dense()
    for variation, method in (("reduced_flat", "flat"), ("reduced", "dirichlet")):
        expected = clustering_mi.mutual_information(counts, variation=variation)
        own = cb.rmi(table, method=method)
        assert own == pytest.approx(expected, rel=1e-6, abs=1e-6), variation
    if max(table.cluster_sizes) > 1:
        for normalization, average in (
            ("second", "truth"),
            ("mean", "arithmetic"),
            ("min", "min"),
            ("max", "max"),
        ):
            expected = clustering_mi.normalized_mutual_information(
                counts, variation="reduced", normalization=normalization
            )
            own = cb.normalized_rmi(table, average=average)
            if math.isfinite(expected) and not table.is_perfect:
                assert own == pytest.approx(expected, rel=1e-5, abs=1e-6), average


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


def test_standardized_by_shuffling():
    rng = np.random.default_rng(0)
    truth, pred = rng.integers(0, 4, 120), rng.integers(0, 5, 120)
    values = [cb.mutual_information(truth, rng.permutation(pred)) for _ in range(4000)]
    expected = (cb.mutual_information(truth, pred) - np.mean(values)) / np.std(values)
    assert cb.smi(truth, pred) == pytest.approx(expected, abs=0.1)


def test_standardized_is_zero_where_information_is_constant():
    assert cb.smi([0, 0, 1, 1], [0, 0, 1, 0]) == 0
    assert cb.smi([0, 1, 2, 3], [0, 0, 1, 1]) == 0
    assert cb.smi([0, 0, 0, 0], [0, 0, 1, 1]) == 0


def test_standardized_says_when_it_is_too_large():
    rng = np.random.default_rng(0)
    table = cb.Contingency.from_labels(rng.integers(0, 300, 10**6), rng.integers(0, 300, 10**6))
    assert not cb.smi.applies_to(table)
    with pytest.raises(MeasureError, match="permutation_test"):
        cb.smi(table)
    assert "standardized_mutual_information" not in cb.evaluate(table, measures="all").measures


# --- size ----------------------------------------------------------------------------------------


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


@given(st.integers(0, 10**6))
@settings(max_examples=25)
def test_assignment_by_components(seed):
    rng = np.random.default_rng(seed)
    n = 60
    truth = rng.integers(0, 25, n)
    pred = np.where(rng.random(n) < 0.85, truth, rng.integers(0, 30, n))
    table = cb.Contingency.from_labels(truth, pred)
    weights = rng.random(len(table.counts))
    dense = np.zeros(table.shape)
    dense[table.rows, table.columns] = weights
    expected = dense[linear_sum_assignment(dense, maximize=True)].sum()
    component = assignment._components(table)
    assert len(component) == table.shape[0]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(assignment, "_WHOLE", 0)
        assert assignment.best_assignment(table, weights) == pytest.approx(expected)


def test_entity_resolution():
    """200,000 entities, almost block-diagonal: every measure answers from the non-zero cells."""
    rng = np.random.default_rng(0)
    truth = rng.integers(0, 200_000, 500_000)
    pred = np.where(rng.random(500_000) < 0.97, truth, rng.integers(0, 200_000, 500_000))
    table = cb.Contingency.from_labels(truth, pred)
    for name in ("exact_cluster_f1", "pair_f1", "bcubed_f1", "q0", "ami", "element_centric"):
        assert 0 <= cb.evaluate(table, measures=name)[name] < 50


def test_matching_says_when_it_is_too_large(monkeypatch):
    monkeypatch.setattr(assignment, "_DENSE_LIMIT", 1000)
    monkeypatch.setattr(assignment, "_WHOLE", 0)
    rng = np.random.default_rng(0)
    table = cb.Contingency.from_labels(rng.integers(0, 80, 5000), rng.integers(0, 80, 5000))
    assert not cb.accuracy.applies_to(table)
    with pytest.raises(MeasureError, match="assignment solver"):
        cb.accuracy(table)


def test_names_people_type():
    names = """ari ami nmi fmi vi rmi psi nca smi emi mi b3 bcubed dice max_matching split_join
        adjusted_rand_score rand_score v_measure_score homogeneity_score completeness_score
        adjusted_mutual_info_score normalized_mutual_info_score mutual_info_score
        fowlkes_mallows_score"""
    for name in names.split():
        assert getattr(cb, name)([0, 0, 1, 1], [0, 0, 1, 1]) >= 0, name
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        _ = cb.nothing
