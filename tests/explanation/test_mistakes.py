"""False merges and false splits: they add up, and are those that one finds by hand."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from support.samples import DEGENERATE, tables

import clusterbits as cb
from clusterbits.explanation.parts import costliest_cells

from_counts = cb.Contingency.from_counts
TINY = cb.Contingency.expected([[0.5, 0.5 - 3e-8, 0], [0, 1e-8, 2e-8], [0, 1e-40, 0]], n=100)
REAL = cb.Contingency.expected([[0.3, 0.05, 0.02], [0.01, 0.4, 0.22]], n=123.4)


def merges_by_hand(table):
    """Return cluster, largest class, other class, objects, pairs and bits, without an order."""
    found = []
    for name, column in zip(table.clusters, table.to_dense().T.tolist(), strict=True):
        cells = sorted((-h, c) for c, h in zip(table.classes, column, strict=True) if h)
        for i in range(1, len(cells)):
            h, larger = -cells[i][0], [-cell[0] for cell in cells[:i]]
            m = math.fsum(larger) if isinstance(h, float) else sum(larger)
            nats = m * math.log1p(h / m) + h * math.log1p(m / h)
            row = name, cells[0][1], cells[i][1], h, m * h, nats / math.log(2) / table.n
            found.append(row)
    return found


def check(table):
    why = cb.explain(table, top=len(table.counts))
    merges, splits = why.false_merges, why.false_splits
    near = {"rel": 1e-9, "abs": 1e-12}
    assert math.fsum(row.bits for row in merges) == pytest.approx(cb.images.vi_merge(table), **near)
    assert math.fsum(row.bits for row in splits) == pytest.approx(cb.images.vi_split(table), **near)
    wrong = sum(row.pairs for row in merges), sum(row.pairs for row in splits)
    pairs = table.pairs.a10, table.pairs.a01
    assert wrong == (pairs if table.exact else pytest.approx(pairs, **near))
    for rows in (merges, splits):
        assert [row.bits for row in rows] == sorted((row.bits for row in rows), reverse=True)
    scale = 1 if table.exact else 2 * table.pairs.total / table.n**2
    for merge, expected in zip(sorted(merges), sorted(merges_by_hand(table)), strict=True):
        assert merge[:4] == expected[:4]
        assert merge[4] == pytest.approx(expected[4] * scale, rel=1e-14)
        assert merge[5] == pytest.approx(expected[5], rel=1e-12)


@settings(max_examples=60)
@given(tables())
def test_they_add_up(table):
    check(table)


@pytest.mark.parametrize("name", DEGENERATE)
def test_degenerate_tables(name):
    check(from_counts(DEGENERATE[name]))


HUGE = from_counts([[2**60, 3, 2**54], [2**55, 2**56, 1]])


@pytest.mark.parametrize("table", [REAL, TINY, HUGE], ids=["real", "tiny", "huge"])
def test_large_and_real_valued_tables(table):
    check(table)


def test_merged_and_split_objects_are_named():
    counts = [[90, 10, 0], [0, 0, 50], [0, 0, 40]]
    table = from_counts(counts, ["left", "middle", "right"], ["a", "b", "c"])
    why = cb.explain(table)
    (merge,), (split,) = why.false_merges, why.false_splits
    assert merge[:5] == ("c", "middle", "right", 40, 2000)
    assert split[:5] == ("left", "a", "b", 10, 900)
    assert merge.bits == pytest.approx(cb.images.vi_merge(table))
    assert split.bits == pytest.approx(cb.images.vi_split(table))
    merges, splits = why.advice()[-2:]
    assert merges.endswith(": class middle and class right in cluster c (40 objects).")
    assert splits.endswith(": class left in cluster a and cluster b (10 objects).")
    assert list(why.to_frame("false_splits").columns) == [
        *("name", "first", "second", "objects", "pairs", "bits")
    ]


def test_a_slip_at_the_border_costs_less_than_a_merge():
    """Bits rank: of wrong pairs, the sliver of a large object has more."""
    slip, merge = [[10**6, 0], [10**3, 0]], [[0, 10**4], [0, 10**4]]
    rows = cb.explain(from_counts(np.vstack([slip, merge]))).false_merges
    assert [row.cluster for row in rows] == [1, 0]
    assert rows[0].pairs < rows[1].pairs


def test_the_costliest_of_many():
    rng = np.random.default_rng(0)
    truth, pred = rng.integers(0, 3000, 30_000), rng.integers(0, 3000, 30_000)
    table = cb.Contingency.from_labels(truth, pred)
    cells = [*costliest_cells(table, len(table.counts))]
    assert len(cells) == len(table.counts) - table.shape[1]
    assert [*costliest_cells(table, 7)] == cells[:7]
