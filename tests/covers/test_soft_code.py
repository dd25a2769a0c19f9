"""The code length of soft clusters: values, its minimum and certificate, hard clusters."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize
from scipy.special import gammaln
from support.covers import random_degrees, random_sets

import clusterbits as cb
from clusterbits.covers import minimum
from clusterbits.covers.soft_code import column_sums
from clusterbits.errors import ClusterbitsWarning


def literal_bits(truth, degrees, proportions):
    """Return the code length at these class proportions, classes × clusters, by the formula."""
    classes = sorted(set(truth))
    sums, many = np.maximum(np.floor(degrees.sum(axis=0) + 0.5), 1), len(classes)
    table = gammaln(sums + many) - gammaln(sums + 1) - gammaln(many)
    mixed = [proportions[classes.index(c)] @ row for c, row in zip(truth, degrees, strict=True)]
    return (table.sum() - np.log(mixed).sum()) / len(truth) / math.log(2)


def best_proportions(truth, degrees):
    """Return the best class proportions that a general minimiser finds, and their bits."""
    shape = len(set(truth)), degrees.shape[1]

    def bits(x):
        weights = np.exp(x.reshape(shape))
        return literal_bits(truth, degrees, weights / weights.sum(axis=0))

    found = minimize(bits, np.zeros(shape).ravel(), method="L-BFGS-B", options={"maxiter": 2000})
    return found.fun


# --- values --------------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize(
    ("components", "hard", "soft", "flat"), [(10, 1.0253, 0.9341, 1.80), (15, 0.9451, 0.8628, 1.60)]
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
    found = cb.covers.soft_code(truth, cb.covers.Memberships.from_estimator(model, data))
    assert found.hardened == cb.q0(truth, model.predict(data))
    assert found.hardened == pytest.approx(hard, abs=5e-5)
    assert found.bits == pytest.approx(soft, abs=5e-5)
    assert found.converged
    assert found.steps < 100
    tempered = np.exp(np.log(np.maximum(posteriors, 1e-300)) / 10)
    flattened = cb.covers.soft_code(truth, cb.covers.Memberships(tempered, normalize=True))
    assert flattened.bits == pytest.approx(flat, abs=5e-3)
    assert found.gained > 0 > flattened.gained


@pytest.mark.parametrize("seed", range(6))
def test_the_minimum_is_that_of_a_general_minimiser(seed):
    rng = np.random.default_rng(seed)
    truth, degrees = rng.integers(0, 3, 25).tolist(), random_degrees(rng, 25, 4, seed / 10)
    found = cb.covers.soft_code(truth, degrees)
    least = best_proportions(truth, degrees)
    assert found.converged
    assert found.bits <= least + 1e-9
    assert least - found.bits < 1e-5  # of the minimiser, at the edges


@pytest.mark.parametrize("seed", range(4))
def test_the_certificate_bounds_the_minimum_after_any_number_of_steps(seed, monkeypatch):
    rng = np.random.default_rng(seed)
    truth, degrees = rng.integers(0, 4, 60).tolist(), random_degrees(rng, 60, 6, 0.5)
    best = cb.covers.soft_code(truth, degrees)
    before = math.inf
    for steps in (1, 2, 3, 5, 9, 20):
        monkeypatch.setattr(minimum, "_MOST_STEPS", steps)
        found = cb.covers.soft_code(truth, degrees)
        assert found.bits - found.gap <= best.bits + 1e-12
        assert best.bits - best.gap <= found.bits <= before + 1e-12
        before = found.bits
    assert before - best.bits < 1e-3


def test_what_does_not_converge_says_so(monkeypatch):
    rng = np.random.default_rng(0)
    truth, degrees = rng.integers(0, 4, 60).tolist(), random_degrees(rng, 60, 6)
    best = cb.covers.q0_soft(truth, degrees)
    monkeypatch.setattr(minimum, "_MOST_STEPS", 3)
    with pytest.warns(ClusterbitsWarning, match=r"q0_soft did not reach .* up to \d"):
        found = cb.covers.q0_soft(truth, degrees)
    assert found > best
    code = cb.covers.soft_code(truth, degrees)
    assert not code.converged
    assert "the minimum was not reached" in code.title


def test_rounding_to_counts_is_cheap():
    """Proportions rounded to counts of the columns that are paid for: a code that can be sent."""
    rng = np.random.default_rng(5)
    truth = np.repeat([0, 1, 2], 200)
    degrees = rng.dirichlet([0.4] * 3, 600)
    degrees[:, 0] += 3 * (truth == 0)
    degrees[:, 1] += 3 * (truth == 1)
    degrees /= degrees.sum(axis=1, keepdims=True)
    found = cb.covers.soft_code(truth, degrees)
    sums = column_sums(degrees.sum(axis=0))
    expected = np.array([[degrees[truth == c, k].sum() for k in range(3)] for c in range(3)])
    theta = expected / expected.sum(axis=0)
    for _ in range(2000):  # plain EM
        mixed = (theta[truth] * degrees).sum(axis=1)
        gains = np.array([(degrees[truth == c] / mixed[truth == c, None]).sum(0) for c in range(3)])
        theta = theta * gains / (theta * gains).sum(axis=0)
    assert literal_bits(truth.tolist(), degrees, theta) == pytest.approx(found.bits, abs=2e-9)
    counts = np.maximum(np.rint(theta * sums), 1)
    rounded = literal_bits(truth.tolist(), degrees, counts / counts.sum(axis=0))
    assert 0 <= rounded - found.bits < 0.01


# --- hard clusters -------------------------------------------------------------------------------

LABELS = st.lists(st.tuples(st.integers(0, 3), st.integers(0, 4)), min_size=1, max_size=30)


@given(LABELS)
@settings(max_examples=40, deadline=None)
def test_hard_clusters_cost_q0_to_the_last_digit(pairs):
    truth, pred = (list(side) for side in zip(*pairs, strict=True))
    hot = np.eye(5)[pred]
    found = cb.covers.soft_code(truth, hot)
    assert found.bits == found.hardened == cb.q0(truth, pred)
    assert cb.covers.q0_soft(truth, pred) == cb.q0(truth, pred)
    assert cb.covers.q0_soft(truth, hot, n_classes=7) == cb.q0(truth, pred, n_classes=7)
    assert found.plug_in == found.bits
    assert found.bits_saved == pytest.approx(cb.bits_saved(truth, pred), abs=1e-12)
    assert found.share_saved == pytest.approx(cb.share_saved(truth, pred), abs=1e-9)
    if cb.Contingency.from_labels(truth, pred).is_perfect:
        assert found.share_saved == 1


def test_almost_hard_clusters_cost_almost_as_much():
    rng = np.random.default_rng(1)
    truth, pred = rng.integers(0, 3, 200), rng.integers(0, 4, 200)
    degrees = np.eye(4)[pred] + 1e-9
    found = cb.covers.soft_code(truth, cb.covers.Memberships(degrees, normalize=True))
    assert found.bits == pytest.approx(cb.q0(truth, pred), abs=1e-6)
    assert found.steps > 0


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
    found = cb.covers.soft_code(truth, memberships)
    degrees = memberships.to_dense()
    rng = np.random.default_rng(0)
    # Objects in another order give the same digits, clusters almost.
    order = rng.permutation(len(truth))
    assert cb.covers.q0_soft(np.array(truth)[order], degrees[order]) == found.bits
    columns = rng.permutation(degrees.shape[1])
    assert cb.covers.q0_soft(truth, degrees[:, columns]) == pytest.approx(found.bits, abs=1e-7)
    renamed = [f"class {(c + 1) % 3}" for c in truth]
    assert cb.covers.q0_soft(renamed, degrees) == pytest.approx(found.bits, abs=1e-7)
    assert found.plug_in >= found.bits - found.gap
    assert found.bits >= 0
    assert found.share_saved <= 1
    # Two halves of a cluster: the labels cost the same, the table more.
    halves = np.hstack([degrees[:, 1:], degrees[:, :1] / 2, degrees[:, :1] / 2])
    split = cb.covers.soft_code(truth, halves)
    assert split.label_bits == pytest.approx(found.label_bits, abs=1e-7)
    assert split.table_bits >= found.table_bits


def test_small_clusters_pay_for_a_column():
    """Ten clusters for each object, of a tenth each, name every class, but not for free."""
    truth = [0, 1] * 20
    degrees = np.kron(np.eye(40), np.full((1, 10), 0.1))
    found = cb.covers.soft_code(truth, degrees)
    assert found.label_bits == pytest.approx(0, abs=1e-7)
    assert found.table_bits == 10  # one bit for each of ten clusters
    assert found.bits_saved < 0


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


def test_one_class():
    found = cb.covers.soft_code([5, 5, 5], [[0.5, 0.5], [0.2, 0.8], [1.0, 0.0]])
    assert (found.bits, found.bits_saved, found.share_saved) == (0, 0, 0)
    assert cb.covers.soft_code([5, 5], [[1.0], [1.0]]).share_saved == 1
    single = [cb.covers.soft_code([5, 6], some) for some in (np.eye(2), np.full((2, 2), 0.5))]
    assert [found.share_saved for found in single] == [1, 0]
    assert cb.covers.soft_code([5], [[0.5, 0.5]]).bits == 0
