"""What random clusters save of one large class among singletons: the limit on the theory page."""

from pathlib import Path

import mpmath
import pytest

PAGE = (Path(__file__).parents[2] / "docs/explanation/theory.md").read_text(encoding="utf-8")
SAID = " ".join(PAGE.split())


def share_saved(digits, times, clusters):
    """Return the mean share saved by equal random clusters of n = 10**digits objects.

    The large class has the share times / log n. The mean of x log x over its objects in a cluster
    is expanded to second order, which is enough for so many.
    """
    with mpmath.workdps(digits + 40):
        n, k = mpmath.mpf(10) ** digits, mpmath.mpf(clusters)
        large = n * times / mpmath.log(n, 2)
        classes, size = n - large + 1, n / k

        def table(s):
            lg = mpmath.loggamma
            return (lg(s + classes) - lg(s + 1) - lg(classes)) / mpmath.log(2)

        def x_log_x(x):
            return x * mpmath.log(x, 2)

        mean = large / k
        variance = size * (large / n) * (1 - large / n) * (n - size) / (n - 1)
        expected = x_log_x(mean) + variance / (2 * mean * mpmath.log(2))
        cost = k * (x_log_x(size) - expected + table(size)) / n
        together = (x_log_x(n) - x_log_x(large) + table(n)) / n
        without = min(together, mpmath.log(classes, 2))
        perfect = (table(large) + (classes - 1) * table(1)) / n
        return float((without - cost) / (without - perfect))


def test_the_expansion_agrees_with_the_exact_mean():
    # The last row of the table, which test_theory.py computes exactly.
    times = 0.122 * float(mpmath.log(10**6, 2))
    assert share_saved(6, times, 4) == pytest.approx(0.098835, abs=1e-6)


def test_what_random_clusters_save_of_very_many_objects():
    assert "10 % for 10⁶ objects, 14 % for 10⁹, 22 % for 10³⁰" in SAID
    assert share_saved(6, 2.43, 4) == pytest.approx(0.10, abs=0.005)
    assert share_saved(9, 2.33, 6) == pytest.approx(0.14, abs=0.005)
    assert share_saved(30, 2.13, 25) == pytest.approx(0.22, abs=0.005)


def test_the_limit():
    limit = (2 - float(mpmath.log(mpmath.e, 2))) / 2
    assert f"{2 * limit:.3f} of 2 bits, {limit:.0%}".replace("%", " %") in SAID
    assert limit - 0.005 < share_saved(1000, 2.01, 900) < limit
