"""Attempts to refute sections 8 and 9 of the theory page: monotonicity, moves, and axioms."""

import math
from functools import cache
from itertools import product
from pathlib import Path

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import clusterbits as cb
from clusterbits.paper.cards.partitions import count, improvements, nontrivial_shapes, partitions
from clusterbits.table.log_factorials import log2_choose, log2_nml_normalizer

PAGE = (Path(__file__).parents[2] / "docs/explanation/theory.md").read_text(encoding="utf-8")
SAID = " ".join(PAGE.split())
CODES = (cb.q0, cb.q0_enumerative, cb.q0_mixture, cb.q0_nml)
MONOTONE = (*CODES, cb.reduced_mutual_information)


def bits(measure, columns, unseen=0):
    """Return the length in total bits of a table given by its columns; of a gain, less it."""
    table = cb.Contingency.from_counts(np.array(columns).T)
    if measure is cb.reduced_mutual_information:
        return -measure(table)
    return measure(table, n_classes=table.shape[0] + unseen) * table.n


# --- perfect splits and merges -------------------------------------------------------------------


@cache
def small_improvements():
    """Return tables before and after each perfect split or merge, of 3 to 6 objects."""
    return sorted(
        {
            (count(truth, pred), count(truth, better))
            for objects in range(3, 7)
            for truth in nontrivial_shapes(objects)
            for pred in partitions(objects)
            for better in improvements(truth, pred)
        }
    )


def gains(measure):
    tables = {counts for pair in small_improvements() for counts in pair}
    sign = 1 if measure.better == "higher" else -1
    values = {counts: sign * measure(cb.Contingency.from_counts(counts)) for counts in tables}
    return np.array([values[after] - values[before] for before, after in small_improvements()])


@pytest.mark.parametrize("measure", MONOTONE, ids=lambda one: one.name)
def test_every_perfect_split_and_merge_of_few_objects_is_better(measure):
    assert f"All {len(small_improvements())} perfect splits and merges of 3 to 6 objects" in SAID
    assert gains(measure).min() > 1e-5


def test_measures_adjusted_for_chance_are_not_monotone():
    assert "adjusted mutual information is lower after 2 of them" in SAID
    assert (gains(cb.adjusted_mutual_information) < -1e-12).sum() == 2
    assert "`q2_adjusted` after 9" in SAID
    assert (gains(cb.q2_adjusted) < -1e-12).sum() == 9


sizes = st.one_of(st.integers(0, 3), st.integers(0, 500))
columns_of_six = st.lists(sizes, min_size=6, max_size=6)
# Clusters that do not change: the codes with a common α depend on them.
others = st.lists(columns_of_six.filter(any), max_size=3)


@given(columns_of_six, st.sets(st.integers(0, 5)), others, st.sampled_from([0, 1, 1000]))
def test_a_perfect_split_of_any_cluster_is_better(column, leaving, rest, unseen):
    leaves = np.isin(range(6), list(leaving))
    x, y = np.where(leaves, 0, column), np.where(leaves, column, 0)
    assume(x.any() and y.any())
    for measure in MONOTONE:
        before, after = (bits(measure, [*rest, *some], unseen) for some in ([x + y], [x, y]))
        assert after < before - 1e-6, measure.name


@given(
    st.integers(1, 500),
    st.integers(1, 500),
    st.lists(columns_of_six.filter(any), min_size=1, max_size=3),
    st.sampled_from([0, 1, 1000]),
)
def test_a_perfect_merge_of_any_clusters_is_better(s, t, rest, unseen):
    x, y = np.array([s, 0, 0, 0, 0, 0]), np.array([t, 0, 0, 0, 0, 0])
    assume(np.sum([x, *rest], axis=0)[1:].any())  # two classes or more
    for measure in MONOTONE:
        before, after = (bits(measure, [*rest, *some], unseen) for some in ([x, y], [x + y]))
        # With α near 1e-4 a merge saves little.
        assert after < before - 1e-9, measure.name


@given(st.integers(1, 400), st.integers(1, 400), st.integers(2, 60))
def test_steps_of_the_proof_for_normalized_maximum_likelihood(s, t, n_classes):
    one, other, both = log2_nml_normalizer(np.array([s, t, s + t], float), n_classes)
    share = s / (s + t)
    entropy = -share * math.log2(share) - (1 - share) * math.log2(1 - share)
    assert both < one + other < both + (s + t) * entropy


# --- moves ---------------------------------------------------------------------------------------


@given(
    st.integers(0, 300),
    st.integers(0, 300),
    st.integers(0, 300),
    st.integers(0, 300),
    others,
    st.sampled_from([0, 1, 1000]),
)
def test_a_move_to_no_fewer_of_its_class_and_no_more_of_others_is_better(a, o, b, p, rest, unseen):
    b, p = max(a, b), min(o, p)
    assume((a, o) != (b, p))
    source, target = np.array([a, o, 0, 0, 0, 0]), np.array([b, p, 0, 0, 0, 0])
    moved = np.eye(6, dtype=int)[0]
    rest = [*rest, [0, 1, 0, 0, 0, 0]]  # two classes or more

    def total(measure, *some):
        return bits(measure, [column for column in (*some, *rest) if np.any(column)], unseen)

    for measure in MONOTONE:
        before = total(measure, source + moved, target)
        assert total(measure, source, target + moved) < before + 1e-9, measure.name
        if measure in (cb.q0, cb.q0_enumerative):
            assert total(measure, source, target + moved) < before - 1e-9


@pytest.mark.parametrize("n_classes", [2, 3, 10, 300])
def test_what_the_move_needs_of_normalized_maximum_likelihood(n_classes):
    """What an object adds rises with the objects of other classes, and falls with its own."""
    s = np.arange(202.0)
    normaliser = log2_nml_normalizer(s, n_classes)
    log = np.log2(np.maximum(s, 1))
    label, column = np.diff(s * log), np.diff(normaliser)
    own, other = np.ogrid[:100, :100]
    adds = label[own + other] + column[own + other] - label[own]
    assert np.diff(adds, axis=1).min() > 0
    assert np.diff(adds, axis=0).max() < 0


def test_a_move_to_a_larger_share_may_cost():
    costs = {one: bits(one, [[59, 40], [3, 1]]) - bits(one, [[60, 40], [2, 1]]) for one in MONOTONE}
    assert f"costs {costs[cb.q0]:.3f} bits by Q0" in SAID
    assert f"{costs[cb.q0_mixture]:.3f} by the mixture" in SAID
    assert f"{costs[cb.reduced_mutual_information]:.3f} by reduced mutual information" in SAID
    assert f"saves {-costs[cb.q0_enumerative]:.3f} by the enumerative code" in SAID
    assert f"{-costs[cb.q0_nml]:.3f} by normalized maximum likelihood" in SAID
    assert "From (65, 35) to (2, 1) it costs bits by all five" in SAID
    for one in MONOTONE:
        assert bits(one, [[64, 35], [3, 1]]) > bits(one, [[65, 35], [2, 1]])


# --- axioms --------------------------------------------------------------------------------------


def sequences(length, n_classes):
    """Yield the counts of all class sequences of one cluster."""
    for labels in product(range(n_classes), repeat=length):
        yield tuple(np.bincount(labels, minlength=n_classes))


@pytest.mark.parametrize(("length", "n_classes"), [(2, 2), (5, 2), (3, 3), (4, 4)])
def test_kraft_sums_of_one_cluster(length, n_classes):
    @cache
    def probability(measure, column):
        table = cb.Contingency.from_counts([[x] for x in column if x])
        return 2 ** -(length * measure(table, n_classes=n_classes))

    for measure in CODES:
        total = math.fsum(probability(measure, one) for one in sequences(length, n_classes))
        if measure is cb.q0:
            normaliser = log2_nml_normalizer(np.array([float(length)]), n_classes)[0]
            short = normaliser - float(log2_choose(length, n_classes - 1))
            assert total == pytest.approx(2**short)
            assert total < 1
            if (length, n_classes) == (2, 2):
                assert total == pytest.approx(5 / 6)
                assert "two objects and two classes 5/6" in SAID
        else:
            assert total == pytest.approx(1)


@given(st.lists(st.integers(0, 50), min_size=3, max_size=6))
def test_a_uniform_table_is_the_rule_of_succession(column):
    """The next object has its class with probability (a + 1)/(s + N): a Dirichlet code, α = 1."""
    more = [column[0] + 1, *column[1:]]

    def length(some):
        if not any(some):
            return 0.0
        table = cb.Contingency.from_counts([[x] for x in some if x])
        return cb.q0_enumerative(table, n_classes=len(some)) * sum(some)

    adds = length(more) - length(column)
    expected = math.log2((sum(column) + len(column)) / (column[0] + 1))
    assert adds == pytest.approx(expected, abs=1e-9)


def test_normalized_maximum_likelihood_is_no_code_of_a_growing_cluster():
    """The probability of a sequence is not the sum over its continuations."""

    def probability(column):
        table = cb.Contingency.from_counts([[x] for x in column if x])
        return 2 ** -(sum(column) * cb.q0_nml(table, n_classes=2))

    assert "have probability 2/5, and all their continuations by a third object 31/78" in SAID
    assert probability([2, 0]) == pytest.approx(2 / 5)
    assert probability([3, 0]) + probability([2, 1]) == pytest.approx(31 / 78)
