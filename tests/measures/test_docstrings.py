"""What the docstrings of measures say about them, tried on all partitions of a few objects."""

import re
from itertools import product
from statistics import mean

import numpy as np
import pytest

import clusterbits as cb
from clusterbits.measures.catalogue import get_measure
from clusterbits.paper.cards.card import shipped_cards
from clusterbits.paper.cards.partitions import partitions

CLOSE = 1e-12


FIVE = [tuple(labels) for labels in partitions(5)]
TABLES = {pair: cb.Contingency.from_labels(*pair) for pair in product(FIVE, FIVE)}


def values(name):
    """Return the measure of all pairs of partitions of five objects."""
    return {pair: get_measure(name).score_table(table) for pair, table in TABLES.items()}


def trivial(labels):
    """Return whether there is one group, or each object is its own."""
    return len(set(labels)) in (1, len(labels))


def refines(fine, coarse):
    return len(set(zip(fine, coarse, strict=True))) == len(set(fine))


SPLITS = [(fine, coarse) for fine, coarse in product(FIVE, FIVE) if refines(fine, coarse)]


@pytest.mark.parametrize(
    "name",
    ["purity", "mutual_information", "homogeneity", "goodman_kruskal_tau", "classification_error"],
)
def test_splitting_clusters_never_makes_these_worse(name):
    sign = 1 if get_measure(name).better == "higher" else -1
    of = values(name)
    for truth, (fine, coarse) in product(FIVE, SPLITS):
        assert sign * (of[truth, fine] - of[truth, coarse]) >= -CLOSE


def test_rand_loses_by_pure_splits_and_may_gain_by_mixed_ones():
    of = values("rand")
    for truth, (fine, coarse) in product(FIVE, SPLITS):
        if fine != coarse and refines(coarse, truth):
            assert of[truth, fine] < of[truth, coarse]
    assert cb.rand([0, 0, 1, 1], [0, 0, 1, 1]) > cb.rand([0, 0, 1, 1], [0, 0, 0, 0])


@pytest.mark.parametrize(
    ("lower", "higher"),
    [
        ("sokal_sneath_doubled", "jaccard"),
        ("rand", "gower_legendre"),
        ("pair_f1", "kulczynski"),
        ("q0_enumerative", "q0"),
    ],
)
def test_measures_that_are_never_above_others(lower, higher):
    below, above = values(lower), values(higher)
    assert all(below[pair] <= above[pair] + CLOSE for pair in TABLES)
    assert any(below[pair] < above[pair] - CLOSE for pair in TABLES)


@pytest.mark.parametrize("name", ["hubert_gamma", "adjusted_fowlkes_mallows"])
def test_equal_to_adjusted_rand_for_equally_many_pairs(name):
    of, adjusted = values(name), values("adjusted_rand")
    alike = {
        pair
        for pair, table in TABLES.items()
        if sorted(table.class_sizes.tolist()) == sorted(table.cluster_sizes.tolist())
    }
    assert all(of[pair] == pytest.approx(adjusted[pair], abs=CLOSE) for pair in alike)
    assert any(abs(of[pair] - adjusted[pair]) > 0.1 for pair in TABLES.keys() - alike)


def test_means_of_random_clusters():
    """Over all clusterings of the same sizes, trivial ones left out."""
    levels = {"sokal_sneath_mean": 0.5, "peirce": 0, "baulieu_2": 0, "adjusted_wallace": 0}
    for name, level in levels.items():
        of = values(name)
        for truth in FIVE:
            by_sizes = {}
            for pred in FIVE:
                by_sizes.setdefault(tuple(sorted(np.bincount(pred))), []).append(of[truth, pred])
            for sizes, found in by_sizes.items():
                if not trivial(truth) and 1 < len(sizes) < 5:
                    assert mean(found) == pytest.approx(level, abs=CLOSE)
    assert cb.sokal_sneath_mean([0, 0, 1, 1, 2], [0] * 5) > 0.5


def test_yules_q_of_refinements():
    of = values("yule_q")
    for fine, coarse in SPLITS:
        if fine != coarse:
            expected = 0 if trivial(fine) or trivial(coarse) else 1
            assert of[fine, coarse] == of[coarse, fine] == expected


def test_extremes_that_docstrings_warn_of():
    one, single = [0] * 5, range(5)
    assert cb.baulieu_1(one, single) == cb.baulieu_1(single, one) == 1
    rao = values("russell_rao")
    assert all(max(rao[truth, pred] for pred in FIVE) == rao[truth, (0,) * 5] for truth in FIVE)
    # the same largest class in every cluster
    assert cb.goodman_kruskal_lambda(cb.Contingency.from_counts([[9, 5, 3], [0, 4, 2]])) == 0
    assert cb.goodman_kruskal_tau(cb.Contingency.from_counts([[9, 5, 3], [0, 4, 2]])) > 0.1
    # where the objects outside the match are
    together, spread = [[8, 2, 0], [0, 8, 0], [0, 0, 8]], [[8, 1, 1], [0, 8, 0], [0, 0, 8]]
    assert cb.hamming_similarity(cb.Contingency.from_counts(together)) == pytest.approx(
        cb.hamming_similarity(cb.Contingency.from_counts(spread))
    )
    halves = [0] * 6 + [1] * 6
    assert cb.normalized_reduced_mutual_information(halves, range(12), method="flat") < 0
    fifths = [0, 1, 2, 3, 4] * 2
    assert cb.q0_asymptotic(fifths, [0] * 10) < cb.q0_asymptotic(fifths, fifths)


def test_splits_and_merges_of_perfect_clusters():
    f = values("purity_f")
    for fine, coarse in SPLITS:
        if fine == coarse:
            continue
        assert f[fine, coarse] < 1
        assert f[coarse, fine] < 1
        split, merged = TABLES[coarse, fine], TABLES[fine, coarse]
        assert cb.directional_hamming_distance(merged, of="clusters") > 0
        assert cb.directional_hamming_distance(merged, of="classes") == 0
        assert cb.directional_hamming_distance(split, of="classes") > 0
        assert cb.directional_hamming_distance(split, of="clusters") == 0


def test_merging_clusters_without_a_common_class_costs_bits():
    of = values("q0")
    for truth, (fine, coarse) in product(FIVE, SPLITS):
        if len(set(fine)) != len(set(coarse)) + 1:
            continue
        clusters = {}  # the classes of each fine cluster, by the cluster that it becomes part of
        for k, label, c in zip(coarse, fine, truth, strict=True):
            clusters.setdefault(k, {}).setdefault(label, set()).add(c)
        (merged,) = [tuple(parts.values()) for parts in clusters.values() if len(parts) == 2]
        if not merged[0] & merged[1]:
            assert of[truth, coarse] > of[truth, fine]
        elif merged[0] == merged[1] and len(merged[0]) == 1 < len(set(truth)):  # a pure split
            assert of[truth, fine] > of[truth, coarse]
    # clusters that merely differ may be better merged
    assert cb.q0([0] * 5 + [1] * 5, [0] * 10) < cb.q0([0] * 5 + [1] * 5, [0, 0, 0, 1, 1] * 2)


@pytest.mark.parametrize(
    ("name", "grows"),
    [
        ("normalized_mutual_information", True),
        ("v_measure", True),
        ("variation_of_information", True),
        ("fowlkes_mallows", False),
    ],
)
def test_random_labels_by_the_number_of_clusters(name, grows):
    rng = np.random.default_rng(5)
    truth = np.arange(200) % 5
    means = [
        mean(
            get_measure(name).score_table(
                cb.Contingency.from_labels(truth, rng.integers(0, k, 200))
            )
            for _ in "12345"
        )
        for k in (2, 5, 20, 60)
    ]
    assert means == sorted(means, reverse=not grows)


def test_few_objects_favour_many_clusters_unless_standardised():
    rng = np.random.default_rng(1)
    truth, numbers = np.arange(100) % 4, (2, 3, 4, 6, 12, 33)
    many = {"adjusted_mutual_information": 0, "standardized_mutual_information": 0}
    for _ in range(300):
        tables = [
            cb.Contingency.from_labels(truth, rng.permutation(np.arange(100) % k)) for k in numbers
        ]
        for name in many:  # is the best of six random ones among the three with most clusters?
            many[name] += np.argmax([get_measure(name).score_table(table) for table in tables]) >= 3
    assert many["adjusted_mutual_information"] > 180
    assert 120 < many["standardized_mutual_information"] < 180


def test_standardised_mutual_information_grows_with_n():
    counts = np.array([[6, 2], [2, 6]])
    scores = [
        cb.standardized_mutual_information(cb.Contingency.from_counts(counts * m))
        for m in (1, 2, 4)
    ]
    assert scores == sorted(scores)
    assert scores[2] > 3 * scores[0]


def test_what_docstrings_say_of_report_cards():
    cards = shipped_cards()
    constraints = ("homogeneity", "completeness", "rag bag", "size vs. quantity")
    passing = [name for name, card in cards.items() if {card[c] for c in constraints} == {"✓"}]
    assert passing == ["bcubed_f1"]
    metrics = [
        name
        for name in cards
        if " metric" in (get_measure(name).__doc__ or "").partition("Returns")[0]
    ]
    assert len(metrics) >= 7
    assert all(cards[name]["triangle inequality"] == "✓" for name in metrics)


def test_noise_clusters_may_look_better_where_docstrings_say_so():
    cards = shipped_cards()
    warned = [
        name
        for name in cards
        if "ore noise clusters may" in " ".join((get_measure(name).__doc__ or "").split())
    ]
    assert len(warned) >= 5
    assert all("✗" in cards[name]["P2"] for name in warned)
    large = [
        name
        for name in cards
        if re.search("ew large clusters score\\s+high by chance", get_measure(name).__doc__ or "")
    ]
    assert len(large) >= 3
    assert all(cards[name]["bias"] == "falls" for name in large)
    # agreement on pairs rises, and adjusted_rand may fall
    assert cards["hubert_gamma"]["strong monotonicity"] == "✓"
    assert "✗" in cards["adjusted_rand"]["strong monotonicity"]
