"""The code length of soft clusters: values, its minimum and certificate, hard clusters."""

import math
from itertools import combinations, product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize
from scipy.special import gammaln
from support.covers import random_degrees, random_sets

import clusterbits as cb
from clusterbits.covers import minimum
from clusterbits.covers.integer_columns import assign_objects, column_sums


def literal_bits(truth, degrees, proportions):
    """Return the code length at these class proportions, classes × clusters, by the formula."""
    n_classes = len(proportions)
    sums = np.ceil(degrees.sum(axis=0) - 1 / (degrees.shape[1] + 1))
    table = gammaln(sums + n_classes) - gammaln(sums + 1) - gammaln(n_classes)
    mixed = [proportions[c] @ row for c, row in zip(truth, degrees, strict=True)]
    with np.errstate(divide="ignore"):
        return (table.sum() - np.log(mixed).sum()) / len(truth) / math.log(2)


def bits_at_best_proportions(truth, degrees):
    """Return the fewest bits at any class proportions, from a general minimizer."""
    shape = len(set(truth)), degrees.shape[1]

    def bits(x):
        weights = np.exp(x.reshape(shape))
        return literal_bits(truth, degrees, weights / weights.sum(axis=0))

    return minimize(bits, np.zeros(shape).ravel(), method="L-BFGS-B", options={"maxiter": 2000}).fun


# --- values --------------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize(
    ("components", "hard", "soft", "flat"), [(10, 1.0253, 0.9345, 1.80), (15, 0.9451, 0.8635, 1.60)]
)
def test_digits(components, hard, soft, flat):
    """Diagonal Gaussian mixtures on 15 principal components of scikit-learn's digits."""
    from sklearn.datasets import load_digits
    from sklearn.decomposition import PCA
    from sklearn.mixture import GaussianMixture

    data, truth = load_digits(return_X_y=True)
    data = PCA(15, random_state=0).fit_transform(data)
    model = GaussianMixture(components, covariance_type="diag", random_state=0).fit(data)
    posteriors = model.predict_proba(data)
    code = cb.covers.soft_code(truth, cb.covers.Memberships(posteriors))
    assert code.hardened == cb.q0(truth, model.predict(data))
    assert code.hardened == pytest.approx(hard, abs=5e-5)
    assert code.bits == pytest.approx(soft, abs=5e-5)
    assert code.gap < 3e-4
    tempered = np.exp(np.log(np.maximum(posteriors, 1e-300)) / 10)
    flattened = cb.covers.soft_code(truth, cb.covers.Memberships(tempered, normalize=True))
    assert flattened.bits == pytest.approx(flat, abs=5e-3)
    assert code.gained > 0 > flattened.gained


@pytest.mark.parametrize("seed", range(6))
def test_the_minimum_is_that_of_a_general_minimizer(seed):
    rng = np.random.default_rng(seed)
    truth, degrees = rng.integers(0, 3, 25).tolist(), random_degrees(rng, 25, 4, seed / 10)
    code = cb.covers.soft_code(truth, degrees)
    minimum_bits = bits_at_best_proportions(truth, degrees)
    assert code.bits >= minimum_bits - 1e-5
    assert minimum_bits - 2e-5 <= code.bits - code.gap <= minimum_bits + 1e-9


@pytest.mark.parametrize("seed", range(4))
def test_the_lower_bound_holds_after_any_number_of_steps(seed, monkeypatch):
    rng = np.random.default_rng(seed)
    truth, degrees = rng.integers(0, 4, 60).tolist(), random_degrees(rng, 60, 6, 0.5)
    best = cb.covers.soft_code(truth, degrees)
    for steps in (1, 2, 3, 5, 9, 20):
        monkeypatch.setattr(minimum, "_MAX_STEPS", steps)
        code = cb.covers.soft_code(truth, degrees)
        assert code.bits - code.gap <= best.bits - best.gap + 1e-6
        assert code.bits >= best.bits - best.gap
    assert code.gap < best.gap + 1e-2


# --- a code that can be sent ----------------------------------------------------------------------


def compositions(total, parts):
    """Yield all tuples of so many non-negative integers with this sum."""
    for bars in combinations(range(total + parts - 1), parts - 1):
        yield np.diff((-1, *bars, total + parts - 1)) - 1


def small_cases(rng, number):
    """Yield classes and memberships with few columns of counts: soft, overlapping, all alike."""
    while number:
        n, clusters = int(rng.integers(2, 7)), int(rng.integers(1, 4))
        degrees = [
            rng.dirichlet([0.2] * clusters, n),
            rng.dirichlet([2] * clusters, n),
            np.maximum(rng.random((n, clusters)) < 0.5, np.eye(clusters)[rng.integers(clusters)]),
            np.ones((n, clusters)),
        ][int(rng.integers(4))]
        degrees = degrees / degrees.sum(axis=1, keepdims=True)
        degrees = degrees[:, degrees.sum(axis=0) > 0]
        truth = np.unique(rng.integers(0, 4, n), return_inverse=True)[1]
        sums, rest = column_sums(degrees.sum(axis=0)), truth.max()
        if math.prod(math.comb(int(total) + rest, rest) for total in sums) < 400:
            number -= 1
            yield truth, degrees


def test_the_columns_are_close_to_the_best_of_all():
    """No columns cost less than the lower bound, and the rounded ones are mostly the best."""
    best = 0
    for truth, degrees in small_cases(np.random.default_rng(0), 100):
        sums, n_classes = column_sums(degrees.sum(axis=0)), truth.max() + 1
        fewest = min(
            literal_bits(truth, degrees, np.transpose(counts) / np.maximum(sums, 1))
            for counts in product(*(compositions(int(total), n_classes) for total in sums))
        )
        code = cb.covers.soft_code(truth, degrees)
        assert fewest - 1e-9 <= code.bits < fewest + 0.3
        assert code.bits - code.gap <= fewest + 1e-9
        best += code.bits < fewest + 1e-9
    assert best >= 85


@pytest.mark.parametrize("seed", range(3))
def test_all_classes_can_be_sent(seed):
    """Kraft: messages of these lengths, one for each sequence of classes, can be told apart."""
    rng = np.random.default_rng(seed)
    degrees = random_degrees(rng, 4, 3, 0.3)
    lengths = [
        4 * cb.covers.q0_soft(list(truth), degrees, n_classes=3)
        for truth in product(range(3), repeat=4)
    ]
    assert 0.01 < math.fsum(2**-length for length in lengths) <= 1


def test_every_class_gets_a_probability():
    """Four classes in three clusters of 4/3 each: with sums of 1, one class could not be sent."""
    code = cb.covers.soft_code([0, 1, 2, 3], np.full((4, 3), 1 / 3))
    assert code.label_bits < 3
    assert column_sums(np.full(3, 4 / 3)).tolist() == [2, 2, 2]


@pytest.mark.parametrize("seed", range(20))
def test_sums_are_enough_for_every_kind_of_objects(seed):
    """All objects can be assigned to clusters, and have a probability, if each has its class."""
    from scipy.sparse import csr_array

    rng = np.random.default_rng(seed)
    n, clusters = int(rng.integers(2, 40)), int(rng.integers(2, 20))
    members = rng.random((n, clusters)) < rng.choice([0.2, 0.5])
    members[np.arange(n), rng.integers(0, clusters, n)] = True
    degrees = members / members.sum(axis=1, keepdims=True)
    rows, columns = np.nonzero(degrees[:, members.any(axis=0)])
    sums = column_sums(degrees.sum(axis=0)[members.any(axis=0)])
    order = np.lexsort((rows, columns))
    cells = csr_array((np.ones(len(rows)), (rows[order], np.arange(len(rows)))))
    counts = assign_objects(cells, columns[order], sums)
    assert (cells @ counts > 0).all()
    assert (np.bincount(columns[order], weights=counts) <= sums).all()
    assert math.isfinite(cb.covers.q0_soft(list(range(n)), degrees))


# --- hard clusters -------------------------------------------------------------------------------

LABELS = st.lists(st.tuples(st.integers(0, 3), st.integers(0, 4)), min_size=1, max_size=30)


@given(LABELS)
@settings(max_examples=40, deadline=None)
def test_hard_clusters_cost_exactly_q0(pairs):
    truth, pred = (list(side) for side in zip(*pairs, strict=True))
    hot = np.eye(5)[pred]
    code = cb.covers.soft_code(truth, hot)
    assert code.bits == code.hardened == cb.q0(truth, pred)
    assert cb.covers.q0_soft(truth, pred) == cb.q0(truth, pred)
    assert cb.covers.q0_soft(truth, hot, n_classes=7) == cb.q0(truth, pred, n_classes=7)
    assert code.gap == 0
    assert code.bits_saved == pytest.approx(cb.bits_saved(truth, pred), abs=1e-12)
    assert code.share_saved == pytest.approx(cb.share_saved(truth, pred), abs=1e-9)
    if cb.Contingency.from_labels(truth, pred).is_perfect:
        assert code.share_saved == 1


def test_almost_hard_clusters_cost_almost_as_much():
    rng = np.random.default_rng(1)
    truth, pred = rng.integers(0, 3, 200), rng.integers(0, 4, 200)
    degrees = np.eye(4)[pred] + 1e-9
    code = cb.covers.soft_code(truth, cb.covers.Memberships(degrees, normalize=True))
    assert code.bits == pytest.approx(cb.q0(truth, pred), abs=1e-6)
    assert code.bits != cb.q0(truth, pred)


# --- properties ----------------------------------------------------------------------------------


def samples():
    rng = np.random.default_rng(7)
    for i in range(8):
        n = int(rng.integers(5, 40))
        truth = rng.integers(0, 3, n).tolist()
        if i % 2:
            yield truth, cb.covers.Memberships.from_label_sets(random_sets(rng, n, 5, 3))
        else:
            yield truth, cb.covers.Memberships(random_degrees(rng, n, 4, 0.3))


@pytest.mark.parametrize(("truth", "memberships"), list(samples()))
def test_properties(truth, memberships):
    code = cb.covers.soft_code(truth, memberships)
    degrees = memberships.to_dense()
    rng = np.random.default_rng(0)
    # Objects in another order give the same digits, clusters may lead to other columns.
    order = rng.permutation(len(truth))
    assert cb.covers.q0_soft(np.array(truth)[order], degrees[order]) == code.bits
    columns = rng.permutation(degrees.shape[1])
    near = code.gap + 1e-6
    assert cb.covers.q0_soft(truth, degrees[:, columns]) == pytest.approx(code.bits, abs=near)
    renamed = [f"class {(c + 1) % 3}" for c in truth]
    assert cb.covers.q0_soft(renamed, degrees) == pytest.approx(code.bits, abs=near)
    assert code.bits >= 0
    assert code.share_saved <= 1
    # Two halves of a cluster: the labels cost at least the same, the table more.
    halves = np.hstack([degrees[:, 1:], degrees[:, :1] / 2, degrees[:, :1] / 2])
    split = cb.covers.soft_code(truth, halves)
    lower_bound = code.label_bits - code.gap
    assert split.label_bits - split.gap == pytest.approx(lower_bound, abs=5e-5)
    assert split.table_bits >= code.table_bits


def test_small_clusters_pay_for_a_column():
    """Ten clusters for each object, of a tenth each, name every class, but not for free."""
    truth = [0, 1] * 20
    degrees = np.kron(np.eye(40), np.full((1, 10), 0.1))
    code = cb.covers.soft_code(truth, degrees)
    assert code.label_bits == pytest.approx(0, abs=1e-7)
    assert code.table_bits == 10  # one bit for each of ten clusters
    assert code.bits_saved < 0


@pytest.mark.parametrize("options", [{}, {"truth_noise": 2}])
def test_an_object_of_weight_2_is_two_objects(options):
    rng = np.random.default_rng(3)
    truth, degrees = rng.integers(0, 3, 30), random_degrees(rng, 30, 4, 0.3)
    weights = rng.integers(0, 4, 30)
    for soft in (degrees, np.eye(4)[degrees.argmax(axis=1)]):
        weighted = cb.covers.soft_code(truth, soft, weights=weights, **options)
        again = np.repeat(np.arange(30), weights)
        repeated = cb.covers.soft_code(truth[again], soft[again], **options)
        assert weighted.n == repeated.n
        assert weighted.bits == pytest.approx(repeated.bits, abs=1e-9)
        assert weighted.to_dicts()[1] == pytest.approx(repeated.to_dicts()[1], abs=1e-12)


def test_many_classes_and_clusters():
    """More than 2^31 cells: 50,000 objects in two clusters each, and of a class of their own."""
    n = 50_000
    clusters = [{i, (i + 1) % n} for i in range(n)]
    code = cb.covers.soft_code(range(n), cb.covers.Memberships.from_label_sets(clusters))
    assert code.label_bits == pytest.approx(1)
    assert code.table_bits == pytest.approx(math.log2(n))
    assert code.gap < 1e-6


def test_one_class():
    code = cb.covers.soft_code([5, 5, 5], [[0.5, 0.5], [0.2, 0.8], [1.0, 0.0]])
    assert (code.bits, code.bits_saved, code.share_saved) == (0, 0, 0)
    assert cb.covers.soft_code([5, 5], [[1.0], [1.0]]).share_saved == 1
    single = [np.eye(2), np.full((2, 2), 0.5)]
    assert [cb.covers.soft_code([5, 6], degrees).share_saved for degrees in single] == [1, 0]
    assert cb.covers.soft_code([5], [[0.5, 0.5]]).bits == 0
