"""Two label sequences counted: dense or sparse, in chunks, in threads; all give one table."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

import clusterbits as cb
from clusterbits.core import counting

from_labels = cb.Contingency.from_labels


def set_chunks(monkeypatch, small, large):
    monkeypatch.setattr(counting, "SMALL_CHUNK", small)
    monkeypatch.setattr(counting, "LARGE_CHUNK", large)


INTEGER_DTYPES = st.sampled_from(["i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8"])


@st.composite
def label_pairs(draw):
    n = draw(st.integers(1, 60))
    arrays = []
    for _ in range(2):
        dtype = np.dtype(draw(INTEGER_DTYPES))
        info = np.iinfo(dtype)
        extremes = st.sampled_from([info.min, info.max, 0, 1])
        small = st.integers(max(info.min, -3), 9)
        values = st.one_of(small, extremes, st.integers(info.min, info.max))
        arrays.append(draw(hnp.arrays(dtype, n, elements=values)))
    return arrays


@pytest.mark.parametrize(("chunk", "dense"), [(4, 0), (4, 1 << 22), (1 << 16, 0)])
def test_counting_by_every_route(chunk, dense, monkeypatch, kernel_path):
    set_chunks(monkeypatch, chunk, chunk)
    monkeypatch.setattr(counting, "DENSE_CELLS", dense)

    @given(label_pairs(), st.booleans())
    def check(pair, weighted):
        c, k = pair
        weights = list(range(len(c))) if weighted else None
        expected: dict = {}
        for i, key in enumerate(zip(c.tolist(), k.tolist(), strict=True)):
            expected[key] = expected.get(key, 0) + (i if weighted else 1)
        expected = {key: count for key, count in expected.items() if count}
        if not expected:
            return
        table = from_labels(c, k, weights=weights)
        found = zip(table.rows, table.columns, table.counts.tolist(), strict=True)
        assert {(table.classes[r], table.clusters[j]): n for r, j, n in found} == expected
        assert list(table.classes) == sorted(table.classes)

    check()


def test_threads_count_shares(monkeypatch, kernel_path):
    set_chunks(monkeypatch, 100, 1000)
    monkeypatch.setattr(counting.os, "cpu_count", lambda: 4)
    rng = np.random.default_rng(0)
    c, k = rng.integers(-3, 5, 10_000), rng.integers(0, 4, 10_000)
    for outlier in (None, 5000, 9500):
        if outlier is not None:
            c[outlier] = 77
        table = from_labels(c, k)
        assert table.n == 10_000
        for row, name in enumerate(table.classes):
            assert table.class_sizes[row] == (c == name).sum()
    weighted = from_labels(c, k, weights=np.arange(10_000) / 4)
    assert weighted.n == np.arange(10_000).sum() / 4
