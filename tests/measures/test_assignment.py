"""The best one-to-one matching, against scipy's solver on the whole table."""

import tracemalloc

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import linear_sum_assignment

import clusterbits as cb
from clusterbits.measures import assignment, declaration


@pytest.mark.parametrize("limits", [(250_000, 4), (0, 4), (0, 0)], ids=["one", "mixed", "sparse"])
@given(seed=st.integers(0, 10**6))
@settings(max_examples=25)
def test_the_best_match_of_dense_and_of_sparse_components(limits, seed):
    rng = np.random.default_rng(seed)
    n = 60
    truth = rng.integers(0, 25, n)
    pred = np.where(rng.random(n) < rng.uniform(0, 1), truth, rng.integers(0, 30, n))
    table = cb.Contingency.from_labels(truth, pred)
    weights = rng.random(len(table.counts)) * 10.0 ** rng.integers(-30, 9)
    dense = np.zeros(table.shape)
    dense[table.rows, table.columns] = weights
    expected = dense[linear_sum_assignment(dense, maximize=True)].sum()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(assignment, "_DENSE", limits[0])
        patch.setattr(assignment, "_CELLS_PER_COUNT", limits[1])
        cells = assignment.assigned_cells(table, weights)
        assert assignment.best_assignment(table, weights) == pytest.approx(expected)
    assert weights[cells].sum() == pytest.approx(expected)
    for groups in (table.rows, table.columns):
        assert len(np.unique(groups[cells])) == len(cells)


def test_a_long_chain_of_groups_is_matched():
    """One component of 100,000 groups, as a document of entities that overlap by turns."""
    objects = np.arange(100_000)
    assert cb.accuracy(objects // 2, (objects + 1) // 2) == 0.5


def test_families_leave_matching_out_where_it_is_too_large(monkeypatch):
    monkeypatch.setattr(declaration, "MOST_STEPS", 80**3 - 1)
    rng = np.random.default_rng(0)
    table = cb.Contingency.from_labels(rng.integers(0, 80, 5000), rng.integers(0, 80, 5000))
    assert not cb.accuracy.applies_to(table)
    assert "accuracy" not in cb.evaluate(table, measures="matching").measures
    assert 0 < cb.accuracy(table) < 1
    monkeypatch.setattr(assignment, "_DENSE", 0)
    assert assignment.assignment_steps(table) == 80**3


def test_one_component_is_dense_at_a_time():
    """What the cost names is the largest component, not all of them together."""
    many, size = 40, 300
    # In each, all classes share the first cluster and have one more of their own.
    truth = np.repeat(np.arange(many * size), 2)
    pred = np.where(np.arange(len(truth)) % 2, truth, truth - truth % size)
    table = cb.Contingency.from_labels(truth, pred)
    tracemalloc.start()
    assert cb.accuracy(table) > 0.5
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < many * size * size * 8 / 2


@pytest.mark.parametrize("share", [1, 0.1])
def test_memory_is_asked_for_before_it_is_taken(share, monkeypatch):
    asked, rng, size = [], np.random.default_rng(0), 700
    counts = rng.integers(1, 9, (size, size)) * (rng.random((size, size)) < share)
    table = cb.Contingency.from_counts(counts)
    cb.accuracy(table)  # imports
    monkeypatch.setattr(assignment, "check_memory", lambda n_bytes, what: asked.append(n_bytes))
    tracemalloc.start()
    cb.accuracy(table)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    copy = 8 * size * size * (share == 1)  # that of the dense solver, which is not traced
    assert peak + copy <= 1.1 * sum(asked)
