"""The study: its labelling against brute force, and its page against its results."""

import itertools
from pathlib import Path

import numpy as np
import pytest
from labelling import Labelling, spread
from page import MARKED, Tables, fill
from results import Results, pick

ROOT = Path(__file__).parents[1]
PAGE = (ROOT / "docs/explanation/study.md").read_text(encoding="utf-8")

CLASSES = np.array([0, 0, 0, 1, 1, 2, 2, 2])
CLUSTERS = np.array([0, 0, 0, 0, 1, 1, 1, 2])


@pytest.fixture(scope="module")
def tables():
    return Tables(Results())


def outcome_by_hand(labelled):
    """Return accuracy and balanced accuracy for one choice of objects, ties in expectation."""
    votes_of_all = np.bincount(CLASSES[labelled], minlength=3)
    rest = np.setdiff1d(np.arange(8), labelled)
    right = []
    for i in rest:
        beside = [j for j in labelled if CLUSTERS[j] == CLUSTERS[i]]
        votes = np.bincount(CLASSES[beside], minlength=3) if beside else votes_of_all
        winners = np.flatnonzero(votes == votes.max())
        right.append((CLASSES[i] in winners) / len(winners))
    right = np.array(right)
    recalls = [right[CLASSES[rest] == c].mean() for c in np.unique(CLASSES[rest])]
    return right.mean(), np.mean(recalls)


def expected(given):
    """Return the mean outcomes over all choices of so many objects of each cluster."""
    members = [np.flatnonzero(k == CLUSTERS) for k in range(len(given))]
    choices = itertools.product(*map(itertools.combinations, members, given))
    return np.mean([outcome_by_hand(np.array([*itertools.chain(*one)])) for one in choices], axis=0)


def test_labels_go_to_each_cluster_first_and_then_by_size():
    sizes = np.array([5, 10, 1, 4])
    assert spread(sizes, 2).tolist() == [1, 1, 0, 0]
    assert spread(sizes, 4).tolist() == [1, 1, 1, 1]
    assert spread(sizes, 6).tolist() == [2, 2, 1, 1]
    assert spread(sizes, 100).tolist() == sizes.tolist()


def test_labelling_agrees_with_brute_force():
    labelling = Labelling(CLASSES, draws=20_000)
    found = labelling.outcomes(CLUSTERS)
    given = spread(np.bincount(CLUSTERS), 6)
    assert given.tolist() == [3, 2, 1]
    assert found["spread_2"] == pytest.approx(expected(given)[0], abs=0.01)
    assert found["each_1"] == pytest.approx(expected([1, 1, 1])[0], abs=0.01)
    assert found["each_3"] == pytest.approx(expected([3, 3, 1])[0], abs=0.01)
    choices = [np.array(one) for one in itertools.combinations(range(8), 6)]
    by_hand = np.mean([outcome_by_hand(one) for one in choices], axis=0)
    assert found["random_2"] == pytest.approx(by_hand[0], abs=0.01)


def test_a_cluster_without_a_label_and_balanced_accuracy_agree_with_brute_force():
    labelling = Labelling(CLASSES, draws=20_000)
    labelled = labelling.by_cluster(CLUSTERS)[:, [0, 4]]
    assert labelling.accuracy(CLUSTERS, labelled) == pytest.approx(expected([1, 1, 0]), abs=0.01)


def test_the_pick_of_a_measure_is_the_mean_over_ties():
    assert pick(np.array([1.0, 3.0, 3.0]), np.array([0.9, 0.5, 0.7])) == pytest.approx(0.6)


def test_the_page_shows_the_tables_of_the_results(tables):
    assert len(MARKED.findall(PAGE)) == 9
    assert fill(PAGE, tables) == PAGE
