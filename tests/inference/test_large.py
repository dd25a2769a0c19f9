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
        table.cluster_sizes.astype(float), table.counts.astype(float), table.rows, table.columns,
        table.shape[0], table.class_sizes.astype(float), 1.0,
    )  # fmt: skip


@pytest.mark.parametrize("mean", [2, 40])
def test_resamples_by_cluster_sizes_are_those_by_cells(mean):
    rng = np.random.default_rng(mean)
    table = cb.Contingency.from_counts(rng.poisson(rng.gamma(0.7, mean / 0.7, (50, 60))))
    cells = resampling.bootstrap(table.counts, [resampling.View(table)], cb.q0.of, 1000, 0, iter)
    cells = cells[:, 0]
    sizes = as_large(table).bootstrap(6000, 0, iter)
    assert stats.ks_2samp(cells, sizes).pvalue > 0.01
    assert sizes.mean() == pytest.approx(cells.mean(), abs=0.1 * cells.std())
    assert sizes.std() == pytest.approx(cells.std(), rel=0.05)


def test_rare_classes_are_missing_as_often():
    rng = np.random.default_rng(1)
    counts = rng.poisson(40, (50, 60))
    counts[30:] = 0
    counts[np.arange(30, 50), np.arange(20)] = np.repeat([1, 2, 3, 30], 5)
    table = cb.Contingency.from_counts(counts)
    cells = resampling.bootstrap(table.counts, [resampling.View(table)], cb.q0.of, 1000, 0, iter)
    sizes = as_large(table).bootstrap(6000, 0, iter)
    assert stats.ks_2samp(cells[:, 0], sizes).pvalue > 0.01
    assert sizes.std() == pytest.approx(cells.std(), rel=0.05)


@pytest.mark.parametrize("counts", [[[30, 5, 2], [10, 55, 0], [1, 4, 20]],
                                    [[30, 5, 2], [0, 1, 0], [1, 0, 20], [0, 0, 1]]])  # fmt: skip
def test_large_tables_leave_out_the_same(counts):
    table = cb.Contingency.from_counts(counts)
    slow = resampling.jackknife(table.counts, [resampling.View(table)], cb.q0.of, 100, 0, iter)
    fast = as_large(table).jackknife()
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
