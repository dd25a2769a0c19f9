"""Values that others computed: 50-digit references, the paper, mpmath, scikit-learn, genieclust."""

import json
import math
from pathlib import Path

import genieclust.compare_partitions as genie
import mpmath
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn import metrics as sk
from support.samples import DEGENERATE, labels_of, tables

import clusterbits as cb
from clusterbits.measures.catalogue import find

REFERENCE = json.loads(Path(__file__).parents[1].joinpath("data/reference.json").read_text())

# Names of the reference that are not measures of the catalogue.
DERIVED = {
    "q0_data": cb.conditional_entropy,
    "q0_model": cb.model_bits,
    "best_bits": lambda t: cb.best_bits(t.class_sizes),
    "worst_bound": lambda t: t.class_entropy + math.log2(t.shape[0]),
    "worst_exact": lambda t: cb.worst_clustering(t.class_sizes).bits,
    "q2_exact": lambda t: cb.q2(t, worst="exact"),
}


@pytest.mark.parametrize(
    ("table", "name"),
    [(table, name) for table, entry in REFERENCE.items() for name in entry["values"]],
)
def test_reference(table, name):
    counts = cb.Contingency.from_counts(REFERENCE[table]["counts"])
    function = DERIVED.get(name) or find(name)
    expected = REFERENCE[table]["values"][name]
    # Values of 1e-51 are zeros of the 50-digit arithmetic.
    assert function(counts) == pytest.approx(expected, rel=1e-12, abs=1e-13)


def q0_by_mpmath(counts, n_classes=None):
    """Equation (5), term by term in 60 digits: data and model."""
    with mpmath.workdps(60):
        columns = list(zip(*counts, strict=True))
        n = mpmath.mpf(sum(map(sum, counts)))
        classes = n_classes or sum(1 for row in counts if any(row))
        data = model = mpmath.mpf(0)
        for column in columns:
            size = mpmath.mpf(sum(column))
            data += sum(h * mpmath.log(size / h, 2) for h in map(mpmath.mpf, column) if h)
            model += (
                mpmath.loggamma(size + classes)
                - mpmath.loggamma(size + 1)
                - mpmath.loggamma(classes)
            ) / mpmath.log(2)
        return data / n, model / n


@pytest.mark.parametrize("n", [10, 10**3, 10**6, 10**9, 10**12, 10**15])
@pytest.mark.parametrize("n_classes", [2, 3, 17, 18, 1000, 10**5])
def test_q0_against_mpmath(n, n_classes):
    counts = [[n, 3, 1], [1, n // 2, 0]]
    table = cb.Contingency.from_counts(counts)
    data, model = q0_by_mpmath(counts, n_classes)
    assert cb.conditional_entropy(table) == pytest.approx(float(data), rel=1e-12)
    assert cb.model_bits(table, n_classes) == pytest.approx(float(model), rel=1e-12)
    assert cb.q0(table, n_classes=n_classes) == pytest.approx(float(data + model), rel=1e-12)


@given(
    st.lists(st.integers(0, 10**15), min_size=4, max_size=4).filter(any),
    st.integers(2, 10**5),
)
def test_q0_against_mpmath_anywhere(cells, n_classes):
    counts = [cells[:2], cells[2:]]
    data, model = q0_by_mpmath(counts, n_classes)
    value = cb.q0(cb.Contingency.from_counts(counts), n_classes=n_classes)
    assert value == pytest.approx(float(data + model), rel=1e-12)


@given(tables(max_count=12))
def test_enumerative_code_counts_arrangements(table):
    bits = sum(
        math.log2(math.factorial(sum(column)))
        - sum(math.log2(math.factorial(h)) for h in column)
        + math.log2(math.comb(sum(column) + table.shape[0] - 1, table.shape[0] - 1))
        for column in table.to_dense().T.tolist()
    )
    assert cb.q0_enumerative(table) == pytest.approx(bits / table.n, rel=1e-12, abs=1e-14)
    assert cb.q0_enumerative(table) <= cb.q0(table) + 1e-12


@pytest.mark.parametrize("sizes", [(5, 3), (10, 5), (500, 5), (7, 2), (300, 4)])
def test_nml_normaliser(sizes):
    m, classes = sizes
    known = {(5, 3): 8.5104, (10, 5): 86.82868, (500, 5): 95818.794}
    with mpmath.workdps(40):
        before, now = (
            mpmath.mpf(1),
            mpmath.fsum(
                mpmath.binomial(m, j)
                * (mpmath.mpf(j) / m) ** j
                * (mpmath.mpf(m - j) / m) ** (m - j)
                for j in range(m + 1)
            ),
        )
        for r in range(1, classes - 1):
            before, now = now, now + mpmath.mpf(m) / r * before
    if sizes in known:
        assert float(now) == pytest.approx(known[sizes], rel=1e-7)
    pure = cb.Contingency.from_counts([[m]])
    assert 2 ** (cb.q0_nml(pure, n_classes=classes) * m) == pytest.approx(float(now), rel=1e-10)


def test_the_papers_example_of_500_objects():
    five = np.eye(5) / 5
    pure = cb.Contingency.expected(five, n=500)
    assert cb.q0(pure) == pytest.approx(0.221326, abs=5e-7)
    assert cb.q0_asymptotic(pure) == pytest.approx(0.359, abs=5e-4)
    noisy = cb.Contingency.expected(five * (0.8 - 0.05) + 0.05 / 5, n=500)
    expected = {
        "q0": 1.343254, "q2": 0.746315, "rand": 0.86, "fowlkes_mallows": 0.65,
        "hubert_gamma": 0.5625, "jaccard": 0.481481, "hamming": 0.8,
    }  # fmt: skip
    for name, value in expected.items():
        assert find(name)(noisy) == pytest.approx(value, abs=5e-7), name


def test_table_1_of_the_paper():
    p = np.full((5, 8), 0.01)
    p[:, 5:] = 0.02
    np.fill_diagonal(p, 0.10)
    table = cb.Contingency.expected(p, n=500)
    expected = {
        "q0": 2.011727, "q2": 0.595164, "rand": 0.788, "fowlkes_mallows": 0.3625,
        "hubert_gamma": 0.242450, "jaccard": 0.214815, "hamming": 0.53,
    }  # fmt: skip
    for name, value in expected.items():
        assert find(name)(table) == pytest.approx(value, abs=5e-7), name


SKLEARN = {
    "rand": sk.rand_score,
    "adjusted_rand": sk.adjusted_rand_score,
    "fowlkes_mallows": sk.fowlkes_mallows_score,
    "homogeneity": sk.homogeneity_score,
    "completeness": sk.completeness_score,
    "v_measure": sk.v_measure_score,
    "adjusted_mutual_information": sk.adjusted_mutual_info_score,
    "mutual_information": lambda a, b: sk.mutual_info_score(a, b) / math.log(2),
}


@pytest.mark.parametrize("name", SKLEARN)
@given(table=tables(max_count=9))
def test_scikit_learn(name, table):
    check_against_scikit_learn(name, table)


@pytest.mark.parametrize("name", SKLEARN)
@pytest.mark.parametrize("kind", [k for k, v in DEGENERATE.items() if sum(map(sum, v)) < 100])
def test_scikit_learn_on_degenerate_tables(name, kind):
    check_against_scikit_learn(name, cb.Contingency.from_counts(DEGENERATE[kind]))


def check_against_scikit_learn(name, table):
    truth, pred = labels_of(table)
    if name == "fowlkes_mallows" and table.is_perfect and table.pairs.a00 == 0:
        assert cb.fowlkes_mallows(table) == 1  # scikit-learn: 0 for a perfect clustering
        return
    # scikit-learn's own expected mutual information holds about 1e-10.
    assert find(name)(table) == pytest.approx(SKLEARN[name](truth, pred), rel=1e-9, abs=1e-9)


@pytest.mark.parametrize("average", ["arithmetic", "geometric", "min", "max"])
def test_adjusted_mutual_information_averages(average):
    truth, pred = [0, 0, 0, 1, 1, 2, 2, 2, 2], [0, 0, 1, 1, 1, 1, 2, 3, 3]
    expected = sk.adjusted_mutual_info_score(truth, pred, average_method=average)
    assert cb.adjusted_mutual_information(truth, pred, average=average) == pytest.approx(expected)


@given(table=tables(max_count=9).filter(lambda t: min(t.shape) > 1 and t.pairs.a00 > 0))
def test_genieclust(table):
    truth, pred = labels_of(table)
    assert cb.rand(table) == pytest.approx(genie.rand_score(truth, pred))
    assert cb.adjusted_rand(table) == pytest.approx(
        genie.adjusted_rand_score(truth, pred), abs=1e-12
    )
    assert cb.fowlkes_mallows(table) == pytest.approx(genie.fm_score(truth, pred), abs=1e-12)


def emi_by_definition(a_sizes, b_sizes):
    with mpmath.workdps(40):
        n, total = sum(a_sizes), mpmath.mpf(0)
        for a in a_sizes:
            for b in b_sizes:
                for x in range(max(1, a + b - n), min(a, b) + 1):
                    p = mpmath.binomial(a, x) * mpmath.binomial(n - a, b - x)
                    p /= mpmath.binomial(n, b)
                    total += p * x / n * mpmath.log(mpmath.mpf(n) * x / (a * b), 2)
        return float(total)


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ([1, 1], [1, 1]),
        ([3, 5, 7], [5, 10]),
        ([1000, 3], [500, 503]),
        ([500, 500], [250, 750]),
        ([1] * 30, [15, 15]),
        ([6000, 5, 1], [3000, 3006]),
        ([4000, 2000], [3000, 3000]),  # sampled at a stride
    ],
)
def test_expected_mutual_information(a, b):
    table = table_with_margins(a, b)
    assert cb.expected_mutual_information(table) == pytest.approx(
        emi_by_definition(a, b), rel=1e-12
    )


def table_with_margins(a, b):
    a, b = list(a), list(b)
    counts = [[0] * len(b) for _ in a]
    i = j = 0
    while i < len(a) and j < len(b):
        moved = min(a[i], b[j])
        counts[i][j] += moved
        a[i] -= moved
        b[j] -= moved
        if a[i]:
            j += 1
        else:
            i += 1
    return cb.Contingency.from_counts(counts)
