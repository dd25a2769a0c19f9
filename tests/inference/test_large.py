"""q0 of large tables, resampled by cluster sizes."""

import math

import numpy as np
import pytest
from scipy import stats

import clusterbits as cb
from clusterbits.inference import large, resampling

TABLE = cb.Contingency.from_counts([[30, 5, 2], [10, 55, 0], [1, 4, 20]])


def as_large(table):
    return large.LargeTable(
        table.cluster_sizes.astype(float), table.counts.astype(float), table.columns,
        table.shape[0], 1.0,
    )  # fmt: skip


@pytest.mark.parametrize("mean", [2, 40])
def test_resamples_by_cluster_sizes_are_those_by_cells(mean):
    rng = np.random.default_rng(mean)
    table = cb.Contingency.from_counts(rng.poisson(rng.gamma(0.7, mean / 0.7, (50, 60))))
    score = resampling.as_statistic(cb.q0, table, {})
    views = [resampling.View(table)]
    cells = resampling.bootstrap(table.counts, views, score, 1000, 0, iter)[:, 0]
    sizes = as_large(table).bootstrap(6000, 0, iter)
    assert stats.ks_2samp(cells, sizes).pvalue > 0.01
    assert sizes.mean() == pytest.approx(cells.mean(), abs=0.1 * cells.std())
    assert sizes.std() == pytest.approx(cells.std(), rel=0.05)


def test_large_tables_leave_out_the_same():
    score = resampling.as_statistic(cb.q0, TABLE, {})
    slow = resampling.jackknife(TABLE.counts, [resampling.View(TABLE)], score, 100, 0, iter)
    fast = as_large(TABLE).jackknife()
    assert fast.deviations == pytest.approx(slow.deviations, abs=1e-12)
    assert fast.standard_error == pytest.approx(slow.standard_error, rel=1e-9)


@pytest.mark.parametrize("h", [1.0, 7.0, 399.0, 400.0, 1000.0])
def test_moments_of_the_fit(h):
    x = np.arange(0, h + 60 * math.sqrt(h))
    p = stats.poisson.pmf(x, h)
    fit = np.where(x > 0, x * np.log(np.maximum(x, 1) / h), 0) - x + h
    mean = p @ fit
    assert [float(m[0]) for m in large._fit_moments(np.array([h]))] == pytest.approx(
        [mean, p @ (fit - mean) ** 2, p @ ((x - h) * fit)], abs=1e-7
    )
    assert p @ np.abs(fit - mean) ** 3 < large._THIRD_MOMENT


def test_only_tables_that_are_as_good_as_normal_count_as_large():
    rng = np.random.default_rng(0)
    assert large.large_table(TABLE, 3, 2) is None
    assert large.large_table(cb.Contingency.from_counts(rng.poisson(9, (150, 150))), 150, 2) is None
    few = cb.Contingency.from_counts(rng.poisson(2, (5, 40_000)))  # clusters of ten objects
    assert large.large_table(few, 5, 2) is None
    many = cb.Contingency.from_counts(rng.poisson(50, (500, 500)))
    assert large.large_table(many, 500, 2) is not None
    found = cb.interval(many, "q0", seed=0)
    assert found.low < found.value < found.high
    assert found.bias < -10 * found.standard_error
    nats = cb.interval(many, "q0", seed=0, base=math.e)
    assert nats.low == pytest.approx(found.low * math.log(2))
