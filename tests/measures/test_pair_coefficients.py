"""Coefficients of pairs against textbook formulas, with pairs of objects counted one by one."""

import math
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from support.samples import labels_of, tables

import clusterbits as cb
from clusterbits.measures.catalogue import get_measure

# By a, b, c, d: pairs together in both, by class only, by cluster only, in neither.
FORMULAS = {
    "sokal_sneath_doubled": lambda a, b, c, d: a / (a + 2 * (b + c)),
    "sokal_sneath_mean": lambda a, b, c, d: (
        (a / (a + b) + a / (a + c) + d / (b + d) + d / (c + d)) / 4
    ),
    "sokal_sneath_product": lambda a, b, c, d: (
        a * d / math.sqrt((a + b) * (a + c) * (b + d) * (c + d))
    ),
    "gower_legendre": lambda a, b, c, d: (a + d) / (a + (b + c) / 2 + d),
    "hamann": lambda a, b, c, d: (a + d - b - c) / (a + b + c + d),
    "mcconnaughey": lambda a, b, c, d: (a * a - b * c) / ((a + b) * (a + c)),
    "peirce": lambda a, b, c, d: (a * d - b * c) / ((a + b) * (c + d)),
    "yule_q": lambda a, b, c, d: (a * d - b * c) / (a * d + b * c),
    "baulieu_1": lambda a, b, c, d: (
        1 - (b + c) / (a + b + c + d) + ((b - c) / (a + b + c + d)) ** 2
    ),
    "baulieu_2": lambda a, b, c, d: (a * d - b * c) / (a + b + c + d) ** 2,
    "russell_rao": lambda a, b, c, d: a / (a + b + c + d),
    "fager_mcgowan": lambda a, b, c, d: (
        a / math.sqrt((a + b) * (a + c)) - 1 / (2 * math.sqrt(a + b))
    ),
    "adjusted_wallace": lambda a, b, c, d: (
        (a / (a + b) - (a + c) / (a + b + c + d)) / (1 - (a + c) / (a + b + c + d))
    ),
}


def pair_counts(truth, pred):
    counts = {}
    for (c, k), (other_c, other_k) in combinations(zip(truth, pred, strict=True), 2):
        kind = (c == other_c, k == other_k)
        counts[kind] = counts.get(kind, 0) + 1
    kinds = [(True, True), (True, False), (False, True), (False, False)]
    return [counts.get(kind, 0) for kind in kinds]


@pytest.mark.parametrize("name", FORMULAS)
@given(labels=tables(max_count=5).map(labels_of))
def test_textbook_formulas(name, labels):
    try:
        expected = FORMULAS[name](*pair_counts(*labels))
    except ZeroDivisionError:
        return  # the conventions are tested by the catalogue
    assert get_measure(name)(*labels) == pytest.approx(expected, rel=1e-12, abs=1e-14)


@given(labels=tables(max_count=5).map(labels_of))
def test_rv_is_the_cosine_of_co_memberships(labels):
    same = [np.equal.outer(*[np.unique(x, return_inverse=True)[1]] * 2) for x in labels]
    x, y = (matrix.astype(float).ravel() for matrix in same)
    expected = x @ y / math.sqrt((x @ x) * (y @ y))
    assert cb.rv_coefficient(*labels) == pytest.approx(expected, rel=1e-12)


def test_conventions_without_pairs():
    one_group, singles = [0, 0, 0], [0, 1, 2]
    for name in FORMULAS:
        values = get_measure(name)(one_group, singles), get_measure(name)(singles, one_group)
        assert all(map(math.isfinite, values)), name
    assert cb.baulieu_1(one_group, singles) == 1  # as its docstring warns
    assert cb.sokal_sneath_mean(one_group, singles) == 0.5
    assert cb.mcconnaughey(one_group, singles) == 0


def test_large_counts_keep_their_digits():
    h = 10**18
    table = cb.Contingency.from_counts([[h, 0], [h, 2 * h]])
    # Shares of pairs: 6 together in both, 4 + 2 by one only, of 16.
    limits = [value / 16 for value in (6, 4, 2, 4)]
    for name, formula in FORMULAS.items():
        if name != "fager_mcgowan":
            assert get_measure(name)(table) == pytest.approx(formula(*limits), rel=1e-14), name


@given(tables(max_count=5))
def test_goodman_and_kruskal_by_prediction(table):
    h = table.to_dense().astype(float)
    n, classes, clusters = h.sum(), h.sum(axis=1), h.sum(axis=0)
    wrong = n - classes.max()
    if wrong == 0:
        assert cb.goodman_kruskal_lambda(table) == cb.goodman_kruskal_tau(table) == 1
        return
    prevented = h.max(axis=0).sum() - classes.max()
    assert cb.goodman_kruskal_lambda(table) == pytest.approx(prevented / wrong, abs=1e-14)
    blind = 1 - ((classes / n) ** 2).sum()
    informed = (clusters / n * (1 - ((h / clusters) ** 2).sum(axis=0))).sum()
    assert cb.goodman_kruskal_tau(table) == pytest.approx(1 - informed / blind, abs=1e-13)
