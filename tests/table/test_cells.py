"""Cells: one canonical form, whatever order, width or type the counts came in."""

from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from clusterbits.errors import TableError
from clusterbits.table.cells import Cells, checked_counts
from clusterbits.table.label_names import as_names, name_order

CLASSES, CLUSTERS = as_names(["a", "b", "c"]), as_names(["w", "x", "y", "z"])
TRIPLES = st.lists(st.tuples(st.integers(0, 2), st.integers(0, 3), st.integers(0, 5)), max_size=20)


def cells_of(triples, dtype=np.int64):
    rows, columns, counts = np.array(triples, dtype=np.int64).reshape(-1, 3).T
    return Cells(CLASSES, CLUSTERS, rows, columns, counts.astype(dtype))


def by_name(cells):
    names = zip(cells.classes[cells.rows], cells.clusters[cells.columns], strict=True)
    return dict(zip(names, cells.counts.tolist(), strict=True))


@given(TRIPLES.filter(lambda triples: any(count for _, _, count in triples)))
def test_canonical_form(triples):
    expected = Counter()
    for row, column, count in triples:
        expected[CLASSES[row], CLUSTERS[column]] += count
    canonical = cells_of(triples).in_canonical_form()
    assert by_name(canonical) == {key: count for key, count in expected.items() if count}
    assert (np.diff(canonical.keys) > 0).all()
    assert set(canonical.rows) == set(range(len(canonical.classes)))
    assert set(canonical.columns) == set(range(len(canonical.clusters)))
    assert canonical.canonical
    assert canonical.in_canonical_form() is canonical


@pytest.mark.parametrize(
    ("dtype", "count", "expected"),
    [
        (np.uint8, 200, np.int64),
        (np.uint64, 2**61, np.int64),
        (np.int64, 2**61, np.int64),
        (np.float64, 0.5, np.float64),
    ],
)
def test_sums_have_room(dtype, count, expected):
    counts = np.array([count, count], dtype=dtype)
    cells = Cells(CLASSES, CLUSTERS, np.zeros(2, int), np.zeros(2, int), counts).in_canonical_form()
    assert cells.counts.tolist() == [2 * count]
    assert cells.counts.dtype == expected


def test_counts_keep_their_type():
    assert checked_counts(np.array([1.0, 2.0])).dtype == np.int64
    assert checked_counts(np.array([1.5, 2.0])).dtype == np.float64
    assert checked_counts(np.array([True, False])).tolist() == [1, 0]
    assert checked_counts(np.array([2.0**62])).tolist() == [2**62]
    assert checked_counts(np.array([2**53 + 1, 1.0], dtype=object)).tolist() == [2**53 + 1, 1]
    assert checked_counts(np.array([2**63 - 2, 1], dtype=np.uint64)).tolist() == [2**63 - 2, 1]
    with pytest.raises(TableError, match="the table holds -1: counts must be finite"):
        checked_counts(np.array([1, -1]))


@pytest.mark.parametrize("counts", [[2**63], [2**62, 2**62], [2.0**62, 2.0**62 + 0.5], [10**400]])
def test_totals_from_2_63_on_are_refused(counts):
    for dtype in (None, object):
        with pytest.raises(TableError, match=r"add up to .* below 2\^63"):
            checked_counts(np.array(counts, dtype=dtype))


@pytest.mark.parametrize(
    ("names", "ordered"),
    [
        (["b", "a"], ["a", "b"]),
        ([None, 2, 1], [1, 2, None]),
        (["x", 2, 10, None, "a"], [2, 10, "a", "x", None]),
        ([(2, "a"), (1, "b")], [(1, "b"), (2, "a")]),
        ([{2}, {1}], [{2}, {1}]),  # sets are not in line
    ],
)
def test_order_of_names(names, ordered):
    assert [names[i] for i in name_order(names)] == ordered
