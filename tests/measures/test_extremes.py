"""The worst clustering: its theorem against searches, a linear program and random columns."""

import math
from fractions import Fraction
from itertools import pairwise

import mpmath
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.worst_program import (
    column_cost,
    worst_by_linear_program,
    worst_by_search,
)

import clusterbits as cb
from clusterbits.errors import TableError

sizes_lists = st.lists(
    st.one_of(st.integers(1, 4), st.integers(1, 60), st.integers(1, 10**6)), min_size=1, max_size=12
)


@given(st.lists(st.integers(1, 6), min_size=1, max_size=4), st.integers(0, 8))
def test_exhaustive_search(sizes, unseen):
    n_classes = len(sizes) + unseen
    if math.prod(size + 1 for size in sizes) > 300:
        return
    worst = cb.worst_clustering(sizes, n_classes)
    assert worst.bits == pytest.approx(worst_by_search(sizes, n_classes), rel=1e-12, abs=1e-12)


@given(sizes_lists, st.one_of(st.just(0), st.integers(0, 30)))
def test_linear_program(sizes, unseen):
    n_classes = len(sizes) + unseen
    if n_classes == 1:
        return
    worst = cb.worst_clustering(sizes, n_classes)
    lower, upper = worst_by_linear_program(sizes, n_classes)
    assert worst.bits == pytest.approx(lower, abs=1e-9)
    assert worst.bits <= upper + 1e-9


@given(st.data(), sizes_lists, st.one_of(st.just(0), st.integers(0, 10**4)))
def test_no_column_costs_more_than_its_prices(data, sizes, unseen):
    n_classes = len(sizes) + unseen
    prices = cb.worst_clustering(sizes, n_classes).prices
    count = st.one_of(st.integers(0, 2), st.integers(0, 5), st.integers(0, 1000))
    for _ in range(5):
        column = data.draw(st.lists(count, min_size=len(sizes), max_size=len(sizes)).filter(any))
        cheapest = sorted(column, reverse=True)  # most objects of the class with the least price
        paid = math.fsum(x * price for x, price in zip(cheapest, sorted(prices), strict=True))
        assert column_cost(column, n_classes) <= paid * (1 + 1e-13) + 1e-12


@pytest.mark.parametrize("n_classes", [2, 3, 4, 5, 8, 20])
def test_every_small_column_is_covered(n_classes):
    """All descending columns of up to 14 objects, for every number of moved objects."""

    def descending(left, most, classes):
        yield ()
        for x in range(1, min(left, most) + 1) if classes else ():
            for rest in descending(left - x, x, classes - 1):
                yield (x, *rest)

    ladder = [2**i for i in range(n_classes - 1, -1, -1)]
    for top in (0, 1, 3, 10**6):  # few single objects of the largest class, or more than can move
        sizes = [ladder[0] + top, *ladder[1:]] if n_classes > 2 else [1 + top, 1]
        prices = sorted(cb.worst_clustering(sizes).prices)
        for column in descending(14, 14, n_classes):
            if column:
                paid = math.fsum(x * p for x, p in zip(column, prices, strict=False))
                assert column_cost(column, n_classes) <= paid + 1e-11


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


@pytest.mark.parametrize("classes", [1, 2, 3, 17, 1000, 10**6])
def test_equal_classes(classes):
    with mpmath.workdps(40):
        choose = mpmath.loggamma(2 * classes) - mpmath.loggamma(classes)
        choose -= mpmath.loggamma(classes + 1)
        expected = (mpmath.log(classes) + choose / classes) / mpmath.log(2)
    worst = cb.worst_clustering([7] * classes)
    assert worst.bits == pytest.approx(float(expected), rel=1e-14)
    assert set(worst.prices) == {worst.prices[0]}
    assert worst.prices[0] == pytest.approx(float(expected), rel=1e-14)
    assert worst.shapes == ((classes, 7, 0),)


def worst_by_mpmath(sizes, n_classes):
    """The theorem, term by term in 60 digits and whole numbers."""
    with mpmath.workdps(60):
        big_n = mpmath.mpf(n_classes)
        h = [*sorted(sizes, reverse=True), 0]
        d = [a - b for a, b in pairwise(h)]
        total, left = d[0] * mpmath.log(big_n, 2), d[0]
        for j in range(len(sizes), 1, -1):
            choose = mpmath.loggamma(j + big_n) - mpmath.loggamma(j + 1) - mpmath.loggamma(big_n)
            total += d[j - 1] * (j * mpmath.log(j, 2) + choose / mpmath.log(2))
            w = j * mpmath.log(1 + mpmath.mpf(1) / j, 2) + mpmath.log(1 + j / big_n, 2) - 2
            u = min(left, d[j - 1]) if w > 0 else 0
            total, left = total + u * w, left - u
        return float(total / sum(sizes))


@pytest.mark.parametrize(
    ("sizes", "n_classes"),
    [
        ([10**15, 10**14, 3], 3),
        ([10**15 + 7] * 3 + [10**15], 4),
        ([2**62, 2**62 - 9, 5], 3),
        ([2**63 - 2, 1], 2),
        ([5, 4, 1], 10**15),
        ([10**15 // rank for rank in range(1, 1500)], 1499),
        ([10**15 // rank for rank in range(1, 1500)], 2000),
        ([rank**3 for rank in range(1, 700)], 10**9),
        ([rank**3 for rank in range(1, 700)], 10**15),
    ],
)
def test_digits(sizes, n_classes):
    worst = cb.worst_clustering(sizes, n_classes)
    assert worst.bits == pytest.approx(worst_by_mpmath(sizes, n_classes), rel=1e-14)
    by_prices = sum(Fraction(p) * size for p, size in zip(worst.prices, sizes, strict=True))
    assert float(by_prices / sum(sizes)) == pytest.approx(worst.bits, rel=1e-14)
    assert worst.upper == pytest.approx(worst.bits, rel=1e-14)
    assert sum(shape.clusters for shape in worst.shapes) == worst.clusters
    objects = sum(shape.classes * shape.clusters + shape.doubled for shape in worst.shapes)
    assert objects == sum(sizes)


def test_a_million_classes():
    sizes = np.random.default_rng(0).integers(1, 10**9, 10**6)
    worst = cb.worst_clustering(sizes)
    by_prices = math.fsum((np.array(worst.prices) * sizes).tolist()) / sizes.sum()
    assert by_prices == pytest.approx(worst.bits, rel=1e-14)
    assert cb.worst_clustering(np.sort(sizes)).bits == worst.bits


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
        assert 0 <= worst.upper - worst.bits < 1e-13, sizes
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


def test_a_single_class_costs_nothing():
    worst = cb.worst_clustering([7])
    assert worst.bits == worst.upper == 0
    assert worst.prices == (0,)
    assert worst.table.n == 7
    assert cb.worst_clustering([7], n_classes=3).bits == pytest.approx(math.log2(3))


@pytest.mark.parametrize(
    "sizes",
    [
        *(
            [],
            [0, 1],
            [1.5, 2],
            [-1],
            5,
            ["a"],
            "ab",
            [[1, 2]],
            [[1], [1, 2]],
            {3: 1},
            [2, ""],
        ),
        *([float("nan")], [math.inf, 1], [None], [Fraction(1, 2)]),
    ],
)
def test_wrong_sizes(sizes):
    with pytest.raises(TableError):
        cb.worst_clustering(sizes)


def test_sizes_beyond_any_table():
    with pytest.raises(TableError, match=r"below 2\^63"):
        cb.worst_clustering([10**101])
