"""The worst clustering: brute force, printed values, certificates."""

import math
from functools import lru_cache
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import clusterbits as cb
from clusterbits.errors import TableError
from clusterbits.measures import extremes


def set_partitions(objects):
    """All ways to group objects."""
    if not objects:
        yield []
        return
    first, *rest = objects
    for groups in set_partitions(rest):
        yield [[first], *groups]
        for i, group in enumerate(groups):
            yield [*groups[:i], [first, *group], *groups[i + 1 :]]


def code_length(columns, n_classes):
    total = 0.0
    for column in columns:
        s = sum(column)
        total += s * math.log2(s) - sum(x * math.log2(x) for x in column if x)
        total += math.log2(math.comb(s + n_classes - 1, n_classes - 1))
    return total


@pytest.mark.parametrize(
    "sizes",
    [
        (1, 1),
        (2, 1),
        (3, 3),
        (4, 3, 2),
        (5, 1, 1),
        (2, 2, 2),
        (6, 3),
        (1,) * 6,
        (3, 2, 2, 1),
        (8, 1),
    ],
)
def test_brute_force_over_set_partitions(sizes):
    objects = [c for c, size in enumerate(sizes) for _ in range(size)]
    worst = max(
        code_length([[g.count(c) for c in range(len(sizes))] for g in groups], len(sizes))
        for groups in set_partitions(objects)
    )
    assert cb.worst_clustering(sizes).bits == pytest.approx(worst / len(objects), abs=1e-12)


def worst_by_dynamic_programming(sizes, n_classes):
    """The same over multisets of columns: reaches a few more objects."""
    columns = [x for x in product(*(range(size + 1) for size in sizes)) if any(x)]
    cost = {x: code_length([x], n_classes) for x in columns}

    @lru_cache(None)
    def best(left):
        if not any(left):
            return 0.0
        first = next(i for i, size in enumerate(left) if size)
        return max(
            cost[x] + best(tuple(size - a for size, a in zip(left, x, strict=True)))
            for x in columns
            if x[first] and all(a <= size for a, size in zip(x, left, strict=True))
        )

    return best(tuple(sizes)) / sum(sizes)


@given(st.lists(st.integers(1, 5), min_size=1, max_size=4), st.integers(0, 4))
def test_dynamic_programming(sizes, unseen):
    n_classes = len(sizes) + unseen
    if math.prod(size + 1 for size in sizes) > 300:
        return
    worst = cb.worst_clustering(sizes, n_classes)
    assert worst.bits == pytest.approx(worst_by_dynamic_programming(sizes, n_classes), abs=1e-9)


@pytest.mark.parametrize(
    ("sizes", "bits"),
    [
        ((59, 71, 48), 2.5847339109),
        ((90, 10), 1.1754887502),
        ((100,) * 5, 3.7173840796),
        ((4, 3, 2), 2.5076298548),
        ((1000, 10, 10, 10), 2.0525921883),
    ],
)
def test_known_values(sizes, bits):
    assert cb.worst_clustering(sizes).bits == pytest.approx(bits, abs=5e-11)


def random_sizes():
    rng = np.random.default_rng(0)
    for i in range(200):
        classes = int(rng.integers(2, 61))
        yield [
            rng.integers(1, 1000, classes),
            (1000 / np.arange(1, classes + 1) ** rng.uniform(0.5, 2)).astype(int) + 1,
            np.full(classes, rng.integers(1, 100)),
            rng.integers(1, 6, classes),
        ][i % 4]


def test_ends_agree_and_the_table_is_real():
    for sizes in random_sizes():
        worst = cb.worst_clustering(sizes)
        assert 0 <= worst.upper - worst.lower < 1e-9, sizes
        assert worst.table.class_sizes.tolist() == sizes.tolist()
        assert worst.table.shape[1] == worst.clusters
        assert cb.q0(worst.table) == pytest.approx(worst.bits, abs=1e-12)
        assert cb.q2(worst.table, worst="exact") == pytest.approx(0, abs=1e-12)
        entropy = worst.table.class_entropy
        assert worst.bits <= entropy + math.log2(len(sizes)) + 1e-12  # the paper's bound
        equal = math.log2(len(sizes)) + math.log2(math.comb(2 * len(sizes) - 1, len(sizes))) / len(
            sizes
        )
        assert worst.bits <= equal + 1e-12  # equal sizes are the worst of all


@pytest.mark.parametrize("classes", [200, 1000])
def test_zipf_sizes(classes):
    sizes = [10**6 // rank for rank in range(1, classes + 1)]
    worst = cb.worst_clustering(sizes)
    assert worst.upper - worst.lower < 1e-9
    assert worst.clusters < sum(sizes)


def test_many_classes_of_two_sizes():
    worst = cb.worst_clustering([100] * 20 + [99] * 20)
    assert worst.upper - worst.lower < 1e-9


def test_a_single_class_costs_nothing():
    worst = cb.worst_clustering([7])
    assert worst.bits == worst.upper == 0
    assert worst.table.n == 7
    assert cb.worst_clustering([7], n_classes=3).bits == pytest.approx(math.log2(3))


def test_columns_are_priced_in_when_the_staircase_is_too_short(monkeypatch):
    """Column generation, forced by starting from single objects only."""
    start = extremes._Program.__init__

    def single_objects(self, groups, n_classes):
        start(self, groups, n_classes)
        self.stairs = self.stairs[:, self.stairs[1] == 0]

    expected = cb.worst_clustering([4, 3, 2]).bits, cb.worst_clustering([90, 10]).bits
    monkeypatch.setattr(extremes._Program, "__init__", single_objects)
    for sizes, bits in zip(([4, 3, 2], [90, 10]), expected, strict=True):
        worst = cb.worst_clustering(sizes)
        assert worst.bits == pytest.approx(bits, abs=1e-9)
        assert worst.upper >= worst.lower


def test_fractional_solutions_are_made_whole():
    groups = extremes._Groups((5, 3, 3))
    program = extremes._Program(groups, 3)
    uses, _ = program.solve()
    columns = program.whole(uses * 0.8)
    total = sum(use * column for use, column in columns)
    assert total.tolist() == groups.totals.tolist()


def test_too_large_to_write_out():
    worst = cb.worst_clustering([10**12, 10**11])
    assert worst.upper - worst.lower < 1e-9
    with pytest.raises(TableError, match="about as many cells"):
        _ = worst.table


@pytest.mark.parametrize("sizes", [[], [0, 1], [1.5, 2], [-1], 5, ["a"], [float("nan")]])
def test_wrong_sizes(sizes):
    with pytest.raises(TableError, match="class_sizes"):
        cb.worst_clustering(sizes)


def test_exact_q2_needs_whole_classes():
    table = cb.Contingency.expected([[0.3, 0.1], [0.2, 0.4]], n=37.5)
    assert 0 < cb.q2(table) < 1
    with pytest.raises(TableError, match="whole objects"):
        cb.q2(cb.Contingency.expected([[0.33, 0.1], [0.2, 0.37]], n=37), worst="exact")
