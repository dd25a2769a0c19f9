"""Log-factorials, binomials and normalizers against mpmath."""

import mpmath
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import clusterbits as cb
from clusterbits.errors import MeasureError
from clusterbits.table.log_factorials import (
    factorial_remainder,
    log2_choose,
    log2_nml_normalizer,
    relative_entropy_term,
    surprise,
)

SIZES = st.one_of(st.floats(0, 40), st.floats(0, 1e15), st.integers(0, 10**15).map(float))


@given(SIZES)
def test_factorial_remainder(x):
    with mpmath.workdps(60):
        m = mpmath.mpf(x)
        expected = mpmath.loggamma(m + 1) - (m * mpmath.log(m) - m if x else 0)
    assert float(factorial_remainder(x)) == pytest.approx(float(expected), rel=1e-12, abs=1e-13)


@given(SIZES, st.integers(0, 10**5))
def test_log2_choose(m, r):
    with mpmath.workdps(60):
        x = mpmath.mpf(m)
        expected = (
            mpmath.loggamma(x + r + 1) - mpmath.loggamma(x + 1) - mpmath.loggamma(r + 1)
        ) / mpmath.log(2)
    assert float(log2_choose(m, r)) == pytest.approx(float(expected), rel=1e-12, abs=1e-13)


@given(st.one_of(st.floats(-1, 1e6), st.floats(-0.05, 0.05)))
def test_relative_entropy_term(x):
    with mpmath.workdps(700):  # x² of the smallest x
        y = mpmath.mpf(x)
        expected = (1 + y) * mpmath.log(1 + y) - y if x > -1 else mpmath.mpf(1)
    value = float(relative_entropy_term(np.array([x]))[0])
    assert value == pytest.approx(float(expected), rel=1e-12, abs=1e-300)
    assert value >= 0


@pytest.mark.parametrize("sizes", [(5, 3), (10, 5), (500, 5), (7, 2), (300, 4)])
def test_nml_normalizer(sizes):
    m, classes = sizes
    known = {(5, 3): 8.5104, (10, 5): 86.82868, (500, 5): 95818.794}
    with mpmath.workdps(40):
        one_class, expected = mpmath.mpf(1), nml_of_two_classes(m)
        for r in range(1, classes - 1):
            one_class, expected = expected, expected + mpmath.mpf(m) / r * one_class
    if sizes in known:
        assert float(expected) == pytest.approx(known[sizes], rel=1e-7)
    value = float(log2_nml_normalizer(np.array([float(m)]), classes)[0])
    assert value == pytest.approx(float(mpmath.log(expected, 2)), rel=1e-12)
    pure = cb.Contingency.from_counts([[m]])
    assert 2 ** (cb.q0_nml(pure, n_classes=classes) * m) == pytest.approx(
        float(expected), rel=1e-10
    )


@pytest.mark.parametrize("classes", [256, 1000, 100_000])
@pytest.mark.parametrize("m", [0, 1, 7, 300])
def test_nml_normalizer_of_many_classes(m, classes):
    """Against Σ_j C(r-2+j, j) m(m-1)…(m-j+1)/m^j, the sum the recurrence stands for."""
    with mpmath.workdps(40):
        term, total = mpmath.mpf(1), mpmath.mpf(0)
        for j in range(m + 1):
            total += term
            term *= mpmath.mpf(classes - 1 + j) / (j + 1) * (m - j) / max(m, 1)
        expected = float(mpmath.log(total, 2))
    value = float(log2_nml_normalizer(np.array([float(m)]), classes)[0])
    assert value == pytest.approx(expected, rel=1e-13, abs=0)


@pytest.mark.parametrize("m", [1e-9, 0.3, 3.7, 50.5, 300.25])
def test_nml_normalizer_of_real_numbers(m):
    """By Ramanujan's integral for two classes, and the same recurrence for more."""
    with mpmath.workdps(30):
        y = mpmath.mpf(m)
        two = 1 + mpmath.quad(lambda x: (1 + x / y) ** (y - 1) * mpmath.exp(-x), [0, 1, mpmath.inf])
        three = two + y
    for classes, expected in ((1, 1), (2, two), (3, three)):
        value = 2 ** float(log2_nml_normalizer(np.array([m]), classes)[0])
        assert value == pytest.approx(float(expected), rel=1e-13)


def test_real_weights_near_whole_ones_cost_nearly_the_same():
    truth, pred, weights = [0, 0, 1, 1, 2, 2], [0, 1, 1, 1, 0, 2], np.array([3, 1, 2, 5, 4, 300])
    for measure in (
        cb.q0_nml,
        cb.q0_enumerative,
        cb.reduced_mutual_information,
        cb.normalized_reduced_mutual_information,
    ):
        expected = measure(truth, pred, weights=weights)
        assert measure(truth, pred, weights=weights + 1e-9) == pytest.approx(expected, rel=1e-7)
    with pytest.raises(MeasureError, match="whole numbers"):
        cb.reduced_mutual_information(truth, pred, weights=weights + 0.5, method="flat")


def nml_of_two_classes(m):
    """Return Σ C(m, j) (j/m)^j ((m-j)/m)^(m-j)."""
    shares = ((j, mpmath.mpf(j) / m, mpmath.mpf(m - j) / m) for j in range(m + 1))
    return mpmath.fsum(mpmath.binomial(m, j) * p**j * q ** (m - j) for j, p, q in shares)


def test_pure_clusters_surprise_nobody():
    assert surprise(np.array([3, 10**18]), np.array([3, 10**18])).tolist() == [0, 0]
    nearly = float(surprise(np.array([10**15]), np.array([10**15 + 1]))[0])
    assert nearly == pytest.approx(1, rel=1e-14)
