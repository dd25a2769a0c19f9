"""The study: its labelling against brute force, and its page against its results."""

import itertools
import re
from pathlib import Path

import numpy as np
import pytest
from alike import REASONS, groups
from labelling import Labelling, halve, spread
from page import MARKED, Tables, fill
from results import BASELINES, Results, equal_studies, excludes_zero, pick

import clusterbits as cb

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
    assert len(MARKED.findall(PAGE)) == 12
    assert fill(PAGE, tables) == PAGE


def test_the_words_have_the_numbers_of_the_tables(tables):
    regret = dict(zip(tables.names, tables.regret.mean(axis=0), strict=True))
    halves = dict(zip(tables.names, tables.results.halves.mean(axis=0), strict=True))
    others = len(tables.names) - 4  # Without q0 and the three rules that need no measure.
    protocol, protocol_halves = re.findall(r"^\| [a-z ]+ \| (\d+)", tables.verdict(), re.MULTILINE)
    near, near_halves = (
        len(tables.comparison_of(regret).best) - 1
        for regret in (tables.regret, tables.results.halves)
    )
    worse = ("homogeneity", "accuracy", "pair_f1", "element_centric", "bcubed_f1")
    worse += ("fowlkes_mallows", "variation_of_information")
    comparison = tables.comparison_of(tables.regret)
    assert not any(comparison[name].in_set for name in worse)
    assert comparison["q0"].in_set
    median = dict(zip(tables.names, np.median(tables.regret, axis=0), strict=True))
    best, second = (tables.names[i] for i in tables.order[:2])
    assert list(tables.order).index(tables.q0) == 8
    assert f"| `{best}` | 0.016 | 0.005 | 13 | 22 | 7 |" in tables.protocol()
    said = " ".join(PAGE.split())
    for words in (
        f"Eight of {others} other rankings have a lower one.",
        f"the clustering that `q0` picks is {regret['q0']:.3f} in accuracy below the best one; "
        f"`{best}` and `{second}` lose {regret[best]:.3f}, Rand {regret['rand']:.3f}, "
        f"`q0_nml` {regret['q0_nml']:.3f}, purity {regret['purity']:.3f} "
        f"({regret['purity']:.4f} where `q0` has {regret['q0']:.4f}). "
        f"V loses {regret['v_measure']:.3f}.",
        f"On the others `{best}` is better on 13 and `q0` on 7. "
        f"Medians: {median[best]:.3f} and {median['q0']:.3f}.",
        f"**`q0` beats {protocol} others** by the same rule",
        f"adjusted mutual information ({regret['adjusted_mutual_information']:.3f}) and "
        f"{others - int(protocol) - 2 - 4} more.",
        f"**Not significantly worse than the best**, `{best}`, are {near} of the {others} others, "
        "`q0` among them",
        f"variation of information and {others - near - len(worse)} more.",
        f"`q0` loses {halves['q0']:.3f}, `{best}` {halves[best]:.3f}, "
        f"and `q0` beats {protocol_halves}. Then {near_halves} are not significantly worse",
        f"needs no labels, loses {regret['kmeans_4']:.3f}, a clustering picked at random "
        f"{regret['at_random']:.3f}. BCubed F1 ({regret['bcubed_f1']:.3f})",
        f"all measures with a direction but one, {len(tables.results.alike)}.",
    ):
        assert words in said
    readme, paper = (
        " ".join((ROOT / name).read_text(encoding="utf-8").split())
        for name in ("README.md", "paper/paper.md")
    )
    assert (
        f"`q0` lost: it picks a clustering that is {regret['q0']:.3f} in accuracy below the best, "
        f"and eight of {others} other rankings lose less, among them `{best}` and reduced mutual "
        f"information (both {regret[best]:.3f}; median {median[best]:.3f}, "
        f"`q0` {median['q0']:.3f}), Rand ({regret['rand']:.3f}) and purity "
        f"({regret['purity']:.3f}). V ({regret['v_measure']:.3f}), "
        f"AMI ({regret['adjusted_mutual_information']:.3f}), "
        f"ARI ({regret['adjusted_rand']:.3f}), BCubed F1 ({regret['bcubed_f1']:.3f}) and a random "
        f"pick ({regret['at_random']:.3f}) lose more."
    ) in readme
    assert (
        f"$Q_0$ picks one that is {regret['q0']:.3f} in accuracy below the best (median "
        f"{median['q0']:.3f}). Eight of {others} other rankings lose less: the mixture above and "
        f"reduced mutual information {regret[best]:.3f} (median {median[best]:.3f}), "
        f"Rand {regret['rand']:.3f}, purity {regret['purity']:.3f}; V loses "
        f"{regret['v_measure']:.3f}."
    ) in paper
    advice = (ROOT / "docs/howto/which_measure.md").read_text(encoding="utf-8")
    assert (
        f"`rmi` lost {regret[second]:.3f} in accuracy, `share_saved` {regret['q0']:.3f})"
    ) in advice
    assert f"$Q_0$ beats {protocol} rankings and two beat it" in paper
    assert (
        f"{near} measures are not significantly worse than the mixture, $Q_0$ among them" in paper
    )
    assert f"and {others - near} are." in paper


def test_how_often_the_rules_err_if_no_measure_is_better(tables):
    errors = []
    for regrets in equal_studies(tables.regret, 100):
        least = regrets.min()
        shifted = (regrets - least) / (regrets.max() - least)
        protocol = excludes_zero(np.delete(regrets - regrets[:, [tables.q0]], tables.q0, axis=1))
        excluded = len(tables.comparison_of(shifted).best) < len(tables.names) - len(BASELINES)
        errors.append((protocol.any(), excluded))
    protocol, excluded = np.mean(errors, axis=0)
    for page in (PAGE, (ROOT / "paper/paper.md").read_text(encoding="utf-8")):
        text = " ".join(page.split())
        said = re.search(r"(?:a difference|from `q0`) in ([\d.]+) of", text)[1]
        assert float(said) == pytest.approx(protocol, abs=0.1)
    assert "excludes a measure in 0.09, not in 0.05" in " ".join(PAGE.split())
    assert excluded == pytest.approx(0.09, abs=0.06)


def test_all_measures_with_a_direction_are_in_but_one(tables):
    directed = {row["name"] for row in cb.list_measures() if row["better"] is not None}
    studied = {row["measure"] for row in tables.results.alike}
    assert directed - studied == {"standardized_mutual_information"}
    assert studied <= directed


def test_every_ranking_that_measures_declare_to_share_has_its_reason():
    declared = {
        row["orders_like"] for row in cb.list_measures() if row["orders_like"] != row["name"]
    }
    assert set(REASONS) == declared


def test_groups_hold_measures_that_are_all_alike():
    alike = np.array([[1, 0.995, 0.98], [0.995, 1, 0.995], [0.98, 0.995, 1]])
    assert groups(["a", "b", "c"], alike, 0.99) in (
        {"a": "a", "b": "a", "c": "c"},
        {"a": "a", "b": "b", "c": "b"},
    )
    assert groups(["a", "b", "c"], alike, 0.98) == {"a": "a", "b": "a", "c": "a"}


def test_halves_share_every_class():
    first = halve(CLASSES, 0)
    assert first.sum() == 4
    assert set(CLASSES[first]) == set(CLASSES[~first]) == {0, 1, 2}
