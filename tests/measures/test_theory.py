"""Attempts to refute the theory page: each test belongs to a theorem or a step of its proof."""

import math
import re
from itertools import permutations
from pathlib import Path

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from support.worst_program import column_cost

import clusterbits as cb
from clusterbits.measures.code_length import no_clusters_bits
from clusterbits.paper.cards.partitions import partitions
from clusterbits.paper.family import Grid
from clusterbits.table.log_factorials import log2_choose

counts = st.one_of(st.integers(0, 3), st.integers(0, 200))


def f(s, n_classes):
    return float(log2_choose(s, n_classes - 1))


# --- what merging does ---------------------------------------------------------------------------


@given(
    st.floats(0.1, 1e6), st.floats(0.1, 1e6), st.one_of(st.integers(2, 40), st.integers(2, 10**6))
)
def test_naming_one_long_column_is_cheaper_than_two(s, t, n_classes):
    saved = f(s, n_classes) + f(t, n_classes) - f(s + t, n_classes)
    assert saved > 0
    # f(s)/s falls: more columns for the same objects cost more.
    assert f(s + t, n_classes) / (s + t) < f(s, n_classes) / s


@given(st.lists(st.tuples(counts, counts), min_size=1, max_size=6), st.integers(0, 9))
def test_merging_identity(pairs, unseen):
    x, y = map(list, zip(*pairs, strict=True))
    s, t = sum(x), sum(y)
    assume(s and t)
    n_classes = len(x) + unseen
    merged = [a + b for a, b in pairs]
    table = cb.Contingency.from_counts([pair for pair in pairs if any(pair)])
    saved = f(s, n_classes) + f(t, n_classes) - f(s + t, n_classes)
    expected = column_cost(x, n_classes) + column_cost(y, n_classes)
    expected += (s + t) * table.mutual_information - saved
    assert column_cost(merged, n_classes) == pytest.approx(expected, rel=1e-12, abs=1e-10)


@given(
    st.lists(st.integers(0, 20), min_size=2, max_size=6).filter(any),
    st.integers(1, 30),
    st.integers(1, 30),
)
def test_columns_of_the_same_proportions_are_better_merged(column, a, b):
    apart = [column_cost([k * x for x in column], len(column)) for k in (a, b)]
    together = column_cost([(a + b) * x for x in column], len(column))
    assert together < sum(apart)


@given(
    st.lists(st.integers(1, 10**6), min_size=1, max_size=4),
    st.lists(st.integers(1, 10**6), min_size=1, max_size=4),
    st.integers(0, 10**4),
)
def test_merging_clusters_without_a_common_class_costs_bits(x, y, unseen):
    n_classes = len(x) + len(y) + unseen
    apart = column_cost(x, n_classes) + column_cost(y, n_classes)
    assert column_cost(x + y, n_classes) > apart * (1 + 1e-15)


# --- the minimum ---------------------------------------------------------------------------------


@given(st.lists(counts, min_size=2, max_size=6).filter(any), st.integers(0, 9))
def test_a_column_costs_at_least_its_pure_parts(column, unseen):
    n_classes = len(column) + unseen
    cost, pure = column_cost(column, n_classes), sum(f(x, n_classes) for x in column)
    if sum(x > 0 for x in column) > 1:
        assert cost > pure
    else:
        assert cost == pytest.approx(pure, rel=1e-12)


@pytest.mark.parametrize("unseen", [0, 1, 4])
@pytest.mark.parametrize(
    "sizes", [(1, 1), (2, 1), (4, 3), (3, 2, 2), (7, 1), (2, 2, 2, 2), (1,) * 7]
)
def test_only_the_classes_themselves_are_cheapest(sizes, unseen):
    n_classes = len(sizes) + unseen
    truth = np.repeat(np.arange(len(sizes)), sizes).tolist()
    least = cb.best_bits(sizes, n_classes)
    cheapest = []
    for pred in partitions(len(truth)):
        cost = _q0(truth, pred, n_classes)
        assert cost >= least - 1e-12
        if cost < least + 1e-9:
            cheapest.append(pred)
    assert cheapest == [tuple(truth)]


def _q0(truth, pred, n_classes):
    columns = {}
    for c, k in zip(truth, pred, strict=True):
        columns.setdefault(k, [0] * (max(truth) + 1))[c] += 1
    return sum(column_cost(column, n_classes) for column in columns.values()) / len(truth)


# --- P2 ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("n", [0.5, 1, 10, 500, 2375, 1e5, 1e7, 1e9])
@pytest.mark.parametrize("classes", [2, 5, 9])
def test_more_noise_clusters_cost_more_at_every_n(classes, n):
    for sequence in Grid(classes=classes).sequences("noise"):
        tables = [model.expected(n) for model in sequence]
        values = [cb.q0(table) for table in tables]
        assert all(np.diff(values) > 0), sequence
        labels = [cb.conditional_entropy(table) for table in tables]
        assert labels == pytest.approx([labels[0]] * len(labels), rel=1e-12)


# --- the zero of bits_saved ----------------------------------------------------------------------


def partitions_of(n, most):
    """Yield the sizes of n objects in groups of up to `most`."""
    if n == 0:
        yield ()
    for size in range(min(n, most), 0, -1):
        yield from ((size, *rest) for rest in partitions_of(n - size, size))


def expected_saving(class_sizes, cluster_sizes):
    """Return the mean of bits_saved over all permutations; only I(C;K) is random."""
    truth, pred = (np.repeat(np.arange(len(s)), s) for s in (class_sizes, cluster_sizes))
    table = cb.Contingency(truth, pred)
    return cb.bits_saved(table) - table.mutual_information + table.expected_information


def test_random_clusters_save_nothing_on_average():
    """All class sizes and cluster sizes of up to 8 objects."""
    for n in range(1, 9):
        for classes in partitions_of(n, n):
            means = [expected_saving(classes, clusters) for clusters in partitions_of(n, n)]
            assert max(means) == pytest.approx(0, abs=1e-13)


@given(st.lists(counts.filter(bool), min_size=1, max_size=9), st.data())
def test_what_random_clusters_save_is_bounded(classes, data):
    n, clusters = sum(classes), []
    while rest := n - sum(clusters):
        clusters.append(data.draw(st.integers(max(rest // 4, 1), rest)))
    orders = math.lgamma(n + 1) - math.fsum(math.lgamma(h + 1) for h in classes)
    one = cb.Contingency.from_counts([[h] for h in classes])
    bound = no_clusters_bits(one) - orders / math.log(2) / n
    assert expected_saving(classes, clusters) <= bound + 1e-12


def test_a_large_class_among_single_objects_is_the_exception():
    page = (Path(__file__).parents[2] / "docs/explanation/theory.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| ([\d,]+) \| ([\d,]+) \| (\d) \| ([\d.]+) \| (\d+) % \|$", page, re.M)
    assert len(rows) == 4
    for objects, large, clusters, bits, share in rows:
        n, size = int(objects.replace(",", "")), int(large.replace(",", ""))
        equal = [n // int(clusters)] * int(clusters)
        equal[0] += n - sum(equal)
        saving = expected_saving([size] + [1] * (n - size), equal)
        assert f"{saving:.3f}" == bits
        classes = cb.Contingency.from_counts(np.array([[size]] + [[1]] * (n - size)))
        room = no_clusters_bits(classes) - cb.best_bits(classes.class_sizes)
        assert f"{100 * saving / room:.0f}" == share


@given(st.lists(st.floats(0.01, 20), min_size=2, max_size=12).filter(lambda w: max(w) > 1))
def test_weights_of_more_than_one_unit_per_class_leave_room(weights):
    """So `share_saved` divides by what is above 0; below one unit per class it raises."""
    labels = range(len(weights))
    table = cb.Contingency(labels, labels, weights=weights)
    assume(not table.too_light)
    assert table.n > len(weights) or table.exact
    assert no_clusters_bits(table) > table.perfect_bits()


# --- chance --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("truth", "pred"),
    [
        ("aabbb", "xxyyy"),
        ("aabbcc", "xyyyzz"),
        ("aaabbcd", "xxxxyyz"),
        ("aabbbb", "xxxxxx"),
        ("abcdef", "xxyyzz"),
    ],
)
@pytest.mark.parametrize("unseen", [0, 3])
def test_expectation_by_all_permutations(truth, pred, unseen):
    n_classes = len(set(truth)) + unseen
    numbers = [sorted(set(truth)).index(c) for c in truth]
    costs = [_q0(shuffled, pred, n_classes) for shuffled in permutations(numbers)]
    mean = math.fsum(costs) / len(costs)
    table = cb.Contingency.from_labels(list(truth), list(pred))
    expected = table.class_entropy - cb.expected_mutual_information(table)
    expected += table.table_bits(n_classes)
    assert mean == pytest.approx(expected, rel=1e-12)
    least = cb.best_bits(table.class_sizes, n_classes)
    adjusted = (mean - cb.q0(table, n_classes=n_classes)) / (mean - least)
    assert cb.q2_adjusted(table, n_classes=n_classes) == pytest.approx(adjusted, abs=1e-12)


# --- the maximum: steps of its proof --------------------------------------------------------------


def growth(s):
    """γ(s) = s log(1 + 1/s)."""
    return s * math.log1p(1 / s) / math.log(2) if s else 0.0


def one_more(s, a, n_classes):
    """What an object adds to a column of s objects, a of them of its class."""
    return growth(s) + math.log2(n_classes + s) - growth(a) - (math.log2(a + 1) if a else 0)


@given(st.integers(1, 10**4), st.integers(0, 10**6))
def test_how_fast_growth_slows(a, further):
    s = a + further
    assert growth(s) - growth(a) <= 0.5 * math.log2(s * (a + 1) / ((s + 1) * a)) + 1e-15
    assert growth(s) < math.log2(math.e)


@given(st.lists(st.integers(1, 50), min_size=2, max_size=30), st.integers(0, 30))
def test_prices_ascend_with_falling_size(sizes, unseen):
    """Step 0; averages over equal classes ascend as well."""
    sizes.sort(reverse=True)
    prices = cb.worst_clustering(sizes, len(sizes) + unseen).prices
    assert all(np.diff(prices) > -1e-12)


@given(st.lists(counts, min_size=1, max_size=6).filter(any), st.integers(0, 9))
def test_what_one_more_object_adds(column, unseen):
    n_classes = len(column) + unseen
    more = [column[0] + 1, *column[1:]]
    added = one_more(sum(column), column[0], n_classes)
    expected = column_cost(more, n_classes) - column_cost(column, n_classes)
    assert added == pytest.approx(expected, abs=1e-10)


def level_bits(s, q, t, n_classes):
    """g(y + 1_t) - g(y) - g_t: y has q levels and s objects."""
    added = sum(one_more(s + i, q, n_classes) for i in range(t))
    return added - sum(one_more(i, 0, n_classes) for i in range(t))


SMALL = [(n, q) for n in range(2, 13) for q in range(1, 9)]


@pytest.mark.parametrize(("n_classes", "q"), [*SMALL, (60, 1), (60, 2), (300, 1), (300, 7)])
def test_a_further_level_never_pays(n_classes, q):
    """Step 1, and step 2 with a single object on top."""
    for t in {2, 3, 4, n_classes // 2, n_classes - 1, n_classes}:
        if not 2 <= t <= n_classes:
            continue
        for s in {q * t, (q * t + q * n_classes) // 2, q * n_classes}:
            level = level_bits(s, q, t, n_classes)
            assert level < 0
            single = one_more(s + t, q + 1, n_classes) - math.log2(n_classes)
            assert level + single < 0


@pytest.mark.parametrize("n_classes", [2, 3, 4, 5, 10, 100, 10**6])
def test_a_second_single_object_never_pays(n_classes):
    """Step 3: on p levels and one single object or more."""
    for p in [*range(20), 100, 10**4]:
        for a in [p + 1, p + 2, p + 3, 2 * p + 5, 10 * p + 100]:
            for s in {2 * p + a - p, p * n_classes + a - p}:
                assert one_more(s, a, n_classes) < math.log2(n_classes)


def test_margins_of_the_second_step():
    e, two, three = math.log2(math.e), growth(2), growth(3)
    assert 3 * e - 1 - 2 * two - three < -0.25
    assert 4 * e - 4 - 2 * two < -0.56
    assert 3 * e - 3 - two + math.log2(8 / 9) < -0.01
    assert column_cost([3, 2], 2) == pytest.approx(7.440, abs=5e-4)
    assert 2 * column_cost([1, 1], 2) + 1 == pytest.approx(8.170, abs=5e-4)


@pytest.mark.parametrize("n_classes", [2, 3, 5, 40, 1000])
def test_what_a_moved_object_gains(n_classes):
    gains = []
    for j in range(1, n_classes + 1):
        gain = math.log2((1 + 1 / j) ** j * (1 + j / n_classes) / 4)
        moved = column_cost([2] + [1] * (j - 1), n_classes)
        stays = column_cost([1] * j, n_classes) + math.log2(n_classes)
        assert gain == pytest.approx(moved - stays, abs=1e-9)
        gains.append(gain)
    assert gains == sorted(gains)
    assert gains[0] < 0
    assert gains[-1] < math.log2(math.e) - 1


def test_no_trivial_clustering_of_balanced_classes_saves_bits():
    truth = np.repeat([0, 1, 2], [900, 80, 20])
    rng = np.random.default_rng(0)
    assert cb.share_saved(truth, truth, weights="balanced") == 1
    assert cb.share_saved(truth, range(1000), weights="balanced") == 0
    for many in (1, 2, 30, 1000):
        assert cb.share_saved(truth, rng.integers(0, many, 1000), weights="balanced") < 0
