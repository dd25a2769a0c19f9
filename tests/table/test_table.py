"""The contingency table: exact, sparse, immutable."""

import datetime
import pickle
from fractions import Fraction

import narwhals as nw
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import csr_array
from support.samples import DEGENERATE, labels_of, tables

import clusterbits as cb
from clusterbits.errors import CostError, TableError

from_counts = cb.Contingency.from_counts


def pairs_by_brute_force(truth, pred):
    from itertools import combinations

    counts = {(i, j): 0 for i in (0, 1) for j in (0, 1)}
    for (c1, k1), (c2, k2) in combinations(zip(truth, pred, strict=True), 2):
        counts[int(c1 != c2), int(k1 != k2)] += 1
    return counts[0, 0], counts[0, 1], counts[1, 0], counts[1, 1]


@given(tables(max_count=5))
def test_pairs(table):
    assert tuple(table.pairs) == pairs_by_brute_force(*labels_of(table))


@given(st.lists(st.integers(0, 2**60), min_size=6, max_size=6).filter(any))
def test_pairs_are_exact_at_any_size(cells):
    rows = [cells[:3], cells[3:]]
    pairs = from_counts(rows).pairs
    n = sum(cells)

    def choose(sizes):
        return sum(size * (size - 1) // 2 for size in sizes)

    together = choose(cells)
    same_class = choose(map(sum, rows))
    same_cluster = choose(map(sum, zip(*rows, strict=True)))
    assert pairs.a00 == together
    assert pairs.same_class == same_class
    assert pairs.same_cluster == same_cluster
    assert pairs.total == n * (n - 1) // 2
    assert all(isinstance(count, int) for count in pairs)


@given(tables())
def test_margins_and_entropies(table):
    dense = table.to_dense()
    assert (table.class_sizes == dense.sum(axis=1)).all()
    assert (table.cluster_sizes == dense.sum(axis=0)).all()
    assert table.n == dense.sum()
    joint = dense[dense > 0] / table.n
    assert table.class_entropy_given_cluster == pytest.approx(
        -(joint * np.log2(joint)).sum() - table.cluster_entropy, abs=1e-12
    )
    assert table.mutual_information == pytest.approx(
        table.class_entropy - table.class_entropy_given_cluster, abs=1e-12
    )
    assert table.cluster_entropy_given_class == pytest.approx(
        table.cluster_entropy - table.mutual_information, abs=1e-12
    )


def test_independent_labels_share_exactly_nothing():
    assert from_counts([[4, 8], [2, 4]]).mutual_information == 0
    big = 10**14
    assert from_counts([[4 * big, 8 * big], [2 * big, 4 * big]]).mutual_information == 0


def test_tiny_mutual_information_keeps_its_digits():
    import mpmath

    rows = [[10**9 + 1, 10**9], [10**9, 10**9 + 1]]
    with mpmath.workdps(60):
        n = mpmath.mpf(sum(map(sum, rows)))
        value = sum(
            h / n * mpmath.log(n * h / (sum(row) * sum(r[j] for r in rows)), 2)
            for row in rows
            for j, h in enumerate(map(mpmath.mpf, row))
        )
    assert from_counts(rows).mutual_information == pytest.approx(float(value), rel=1e-12)


@pytest.mark.parametrize("name", DEGENERATE)
def test_degenerate_tables(name):
    table = from_counts(DEGENERATE[name])
    assert table.n == sum(map(sum, DEGENERATE[name]))
    assert table.to_dense().tolist() == DEGENERATE[name]
    assert repr(table).startswith(f"<Contingency: {table.n:,} object")
    assert table._repr_html_().count("<tr>") == 1 + len(DEGENERATE[name])


@given(tables())
def test_transpose(table):
    assert table.transpose().to_dense().tolist() == table.to_dense().T.tolist()
    assert table.transpose().transpose() == table


def test_immutable():
    table = from_counts([[1, 2], [3, 4]])
    with pytest.raises(AttributeError, match="counts"):
        table.counts = np.array([1])
    for array in (table.counts, table.rows, table.class_sizes, table.cells.classes):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 7


def test_the_callers_array_is_left_alone():
    names = np.array([10, 20])
    counts = np.array([[1, 2], [3, 4]])
    table = from_counts(counts, classes=names)
    counts[0, 0] = names[0] = 5  # still writeable
    assert table.to_dense().tolist() == [[1, 2], [3, 4]]
    assert table.classes == (10, 20)
    labels = np.array([1, 2, 3])
    table = cb.Contingency.from_labels(labels, labels)
    labels[0] = 9
    assert table.classes == table.clusters == (1, 2, 3)


def test_equality():
    table = from_counts([[1, 2], [3, 4]], classes="ab", clusters="xy")
    turned = from_counts([[4, 3], [2, 1]], classes="ba", clusters="yx")
    assert table == turned
    assert table != from_counts([[1, 2], [3, 4]], classes="ab", clusters="xz")
    assert table != from_counts([[1, 2], [3, 5]], classes="ab", clusters="xy")
    assert table != from_counts([[1, 2, 1], [3, 4, 1]])
    assert table != "table"
    with pytest.raises(TypeError, match="unhashable"):
        hash(table)
    assert pickle.loads(pickle.dumps(table)) == table


def test_shares_of_one_object_still_have_pair_measures():
    half = cb.Contingency.from_labels([0, 0, 1], [0, 1, 1], weights=[0.25, 0.25, 0.25])
    double = cb.Contingency.from_labels([0, 0, 1], [0, 1, 1], weights=[2.5, 2.5, 2.5])
    assert cb.adjusted_rand(half) == pytest.approx(cb.adjusted_rand(double))


def test_giant_tables_stay_sparse():
    labels = np.arange(10**6)
    table = cb.Contingency.from_labels(labels, labels // 2)
    assert len(table.counts) == 10**6
    with pytest.raises(CostError, match=r"dense copy.* 4,000 GB of memory"):
        table.to_dense()
    assert table._repr_html_().count("<tr>") <= 20


def test_to_frame():
    frame = nw.from_native(from_counts([[1, 0], [2, 3]], classes="ab").to_frame())
    assert frame["class"].to_list() == ["a", "b", "b"]
    assert frame["count"].to_list() == [1, 2, 3]


@pytest.mark.parametrize(
    ("labels", "expected"),
    [
        ([-1, -1, 2], ["2", "(-1, 1)", "(-1, 2)"]),
        (["\ud800", "b", "b"], ["b", "b", "\\ud800"]),
        ([1, "1", "b"], ["1", "1", "b"]),
        ([2**70, 1, 2], ["1", "2", str(2**70)]),
        ([True, "5", "5"], ["True", "5", "5"]),
        ([b"\xff", b"a", b"a"], ["b'a'", "b'a'", "b'\\xff'"]),
        ([datetime.date(2024, 1, 1)] * 2 + [datetime.datetime(2024, 1, 1)], None),
        ([None, 1, 1], None),
    ],
    ids=str,
)
def test_any_labels_make_a_frame(labels, expected, monkeypatch):
    monkeypatch.setattr("clusterbits.text.tables._BACKENDS", ("polars",))
    table = cb.Contingency.from_labels([0, 1, 2], labels, noise="singletons", missing="class")
    names = nw.from_native(table.to_frame()).get_column("cluster").to_list()
    assert len(names) == 3
    if expected is not None:
        assert sorted(map(str, names)) == sorted(expected)


def test_the_constructor_counts_labels():
    truth, pred = ["a", "a", "b"], [1, 2, -1]
    options = {"noise": "drop", "weights": [1, 2, 3]}
    table = cb.Contingency(truth, pred, **options)
    assert table == cb.Contingency.from_labels(truth, pred, **options)
    assert table.coverage.of_objects == 6
    with pytest.raises(TypeError, match=r"no option 'nosie'\. Did you mean 'noise'"):
        cb.Contingency(truth, pred, nosie="drop")


@pytest.mark.parametrize("span", [1e-3, 1e-7, 1e-11])
def test_pairs_of_real_counts_are_exact_however_much_they_differ(span):
    rng = np.random.default_rng(0)
    for _ in range(20):
        counts = span ** rng.random((3, 4))
        pairs = from_counts(counts).pairs
        exact = [[Fraction(count) for count in row] for row in counts.tolist()]
        kinds = [(c, k, exact[c][k]) for c in range(3) for k in range(4)]
        n = sum(weight for *_, weight in kinds)
        total = max(n * (n - 1) / 2, Fraction(1))
        expected = [Fraction(0)] * 4
        for c, k, weight_a in kinds:
            for d, m, weight_b in kinds:
                expected[2 * (c != d) + (k != m)] += total * weight_a * weight_b / n**2
        assert list(pairs) == expected


def test_weights_that_sums_of_floats_lose_are_refused():
    truth, pred = [0, 0, 1, 1], [0, 1, 1, 1]
    assert 0.7 < cb.adjusted_rand(truth, pred, weights=[1, 1e-8, 1e-8, 1e-8]) < 0.9
    with pytest.raises(TableError, match="but the largest have 2e-16, and the smallest"):
        cb.adjusted_rand(truth, pred, weights=[1, 1e-16, 1e-16, 1e-16])
    # Beside two large classes nothing depends on a small one.
    assert cb.homogeneity([0, 1, 2], [0, 1, 1], weights=[1, 1, 1e-20]) == 1
    # Parts of a table are no table yet.
    parts = [
        cb.Contingency([0, 1], [0, 1], weights=weights) for weights in ([1.5, 1e-10], [1e-10, 1.5])
    ]
    assert cb.adjusted_rand(parts[0] + parts[1]) == 1
    with pytest.raises(TableError, match="the smallest has 1e-170"):
        cb.mutual_information(from_counts([[1, 0.5, 0], [0.3, 1, 0], [0, 0, 1e-170]]))


def test_sparse_matrices_with_memory_to_spare():
    matrix = csr_array(np.array([[1, 0], [0, 1], [0, 1]]))
    matrix.data = np.r_[matrix.data, 9, 9]
    matrix.indices = np.r_[matrix.indices, np.zeros(2, matrix.indices.dtype)]
    assert from_counts(matrix).to_dense().tolist() == [[1, 0], [0, 1], [0, 1]]
