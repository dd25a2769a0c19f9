"""Consensus of runs: against definitions, and against all partitions of few objects."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from support.hostile import examples

import clusterbits as cb
from clusterbits.changes.consensus import consensus
from clusterbits.errors import LabelError, MissingLabelError

RNG = np.random.default_rng(0)


def noisy_runs(n_objects, n_runs, n_clusters, noise, rng):
    base = rng.integers(0, n_clusters, n_objects)
    runs = {}
    for i in range(n_runs):
        moved = rng.random(n_objects) < noise
        runs[f"run{i}"] = np.where(moved, rng.integers(0, n_clusters + 1, n_objects), base)
    return runs


def partitions(n):
    """Return all partitions of n objects, as rows of labels."""
    labels = [[0]]
    for _ in range(n - 1):
        labels = [[*start, new] for start in labels for new in range(max(start) + 2)]
    return np.array(labels)


def entropies(labels):
    """Return the entropy of each row of labels, from the share of objects with the same label."""
    return -np.log2((labels[:, :, None] == labels[:, None, :]).mean(axis=2)).mean(axis=1)


def mean_distance(labels, runs):
    return np.mean([cb.variation_of_information(labels, run) for run in runs.values()])


def largest_overlap(objects, clusters):
    return max(len(objects & cluster) / len(objects | cluster) for cluster in clusters)


@st.composite
def runs_of_objects(draw):
    n_objects, n_runs = draw(st.integers(1, 30)), draw(st.integers(2, 6))
    labels = st.lists(st.integers(0, 4), min_size=n_objects, max_size=n_objects)
    return {f"r{i}": draw(labels) for i in range(n_runs)}


@examples(60)
@given(runs_of_objects())
def test_every_number_is_that_of_its_definition(runs):
    result = consensus(runs)
    distances = cb.pairwise(runs, measure="variation_of_information").values
    ami = cb.pairwise(runs, measure="adjusted_mutual_information").values
    n_runs, n_objects = len(runs), len(runs["r0"])
    bits = distances.sum(axis=1) / (n_runs - 1)
    assert [run.bits for run in result.runs.rows] == pytest.approx(bits.tolist(), abs=1e-12)
    others = (ami.sum(axis=1) - ami.diagonal()) / (n_runs - 1)
    assert [run.ami for run in result.runs.rows] == pytest.approx(others.tolist(), abs=1e-9)
    assert bits[list(runs).index(result.medoid)] == pytest.approx(bits.min(), abs=1e-12)
    assert result.bits == pytest.approx(mean_distance(result.labels, runs), abs=1e-12)
    assert result.bits <= mean_distance(runs[result.medoid], runs) + 1e-12
    members = {name: [set(np.flatnonzero(np.array(r) == x)) for x in r] for name, r in runs.items()}
    for i in range(n_objects):
        shares = [
            len(members[a][i] & members[b][i]) / len(members[a][i] | members[b][i])
            for a, b in combinations(runs, 2)
        ]
        assert result.stability[i] == pytest.approx(np.mean(shares), abs=1e-12)
    for cluster, size, stability in result.clusters:
        objects = set(np.flatnonzero(result.labels == cluster))
        assert len(objects) == size
        overlaps = sorted(largest_overlap(objects, r) for r in members.values())
        assert stability == pytest.approx(np.mean(overlaps[:-1]), abs=1e-12)


def test_it_is_the_best_of_all_partitions_nine_times_in_ten():
    every, best = partitions(7), 0
    own_entropies = entropies(every)
    assert len(every) == 877
    for _ in range(60):
        runs = noisy_runs(7, int(RNG.integers(3, 8)), 3, RNG.choice([0.25, 1.0]), RNG)
        result = consensus(runs)
        distances = [
            2 * entropies(10 * every + run) - own_entropies - entropies(run[None])
            for run in runs.values()
        ]
        best += result.bits <= np.mean(distances, axis=0).min() + 1e-9
    assert best >= 54


@examples(30)
@given(runs_of_objects(), st.randoms(use_true_random=False))
def test_names_of_clusters_and_order_of_objects_change_nothing(runs, random):
    n_objects = len(runs["r0"])
    order = list(range(n_objects))
    random.shuffle(order)
    other = {name: [f"x{labels[i] * 7 % 5}" for i in order] for name, labels in runs.items()}
    first, second = consensus(runs), consensus(other)
    assert first.medoid == second.medoid
    assert first.bits == pytest.approx(second.bits, abs=1e-12)
    assert first.stability[order] == pytest.approx(second.stability, abs=1e-12)


def test_runs_that_share_nothing_are_nearest_to_one_cluster():
    rng = np.random.default_rng(0)
    result = cb.consensus(list(rng.integers(0, 30, (20, 20_000))))
    assert len(result.clusters) == 1
    assert result.bits < 5 < min(run.bits for run in result.runs)


def test_repeated_objects_change_nothing():
    runs = noisy_runs(50, 5, 4, 0.2, RNG)
    thrice = {name: np.repeat(labels, 3) for name, labels in runs.items()}
    first, second = consensus(runs), consensus(thrice)
    assert np.array_equal(np.repeat(first.labels, 3), second.labels)
    assert second.bits == pytest.approx(first.bits)
    sizes = [3 * cluster.size for cluster in first.clusters]
    assert [cluster.size for cluster in second.clusters] == sizes


@pytest.mark.parametrize("n_runs", [2, 3, 10])
@pytest.mark.parametrize("noise", [0.1, 1.0])
def test_the_stability_of_clusters_is_that_in_one_more_run(n_runs, noise):
    """Having made the consensus does not make a run's clusters stable."""
    rng = np.random.default_rng(n_runs)
    runs = noisy_runs(400, n_runs + 30, 4, noise, rng)
    used = dict(list(runs.items())[:n_runs])
    clusters = [
        [set(np.flatnonzero(labels == x)) for x in np.unique(labels)]
        for name, labels in runs.items()
        if name not in used
    ]
    result = consensus(used)
    for cluster, size, stability in result.clusters:
        if size > 20:
            objects = set(np.flatnonzero(result.labels == cluster))
            fresh = np.mean([largest_overlap(objects, run) for run in clusters])
            assert abs(stability - fresh) < 0.08


def test_a_cluster_of_objects_that_one_run_has_is_not_called_stable():
    runs = {"a": {"x": 0, "y": 0}, "b": {"x": 0, "y": 0}, "c": {"x": 0, "y": 0, "v": 1}}
    result = consensus(runs, unmatched="drop")
    assert result.clusters[0].stability == 1
    assert np.isnan(result.clusters[1].stability)
    assert result.mean_stability == 1  # of x and y
    assert result.title.startswith("1 of 2 clusters is in nearly every run")
    result.plot()


def test_the_mean_stability_is_not_that_of_the_ids():
    runs = {"a": {10: 0, 20: 0, 30: 1}, "b": {10: 0, 20: 1, 30: 1}}
    assert consensus(runs).mean_stability == pytest.approx((1 / 2 + 1 / 3 + 1 / 2) / 3)


def test_equal_runs_agree_exactly():
    result = consensus([[0, 0, 1, 1], ["b", "b", "a", "a"]])
    assert (result.bits, result.medoid, result.mean_stability) == (0, 0, 1)
    assert [(run.bits, run.ami) for run in result.runs.rows] == [(0, 1), (0, 1)]
    assert result.title.startswith(
        "2 of 2 clusters are in nearly every run; an object's clusters in two runs overlap by 100 %"
    )


def test_objects_that_a_run_lacks_count_in_the_others():
    runs = {
        "a": {"x": 0, "y": 0, "z": 1, "w": 1},
        "b": {"x": 5, "y": 5, "z": 6},
        "c": {"x": 1, "y": 1, "z": 2, "v": 2},
    }
    with pytest.raises(LabelError, match="unmatched='drop'"):
        consensus(runs)
    result = consensus(runs, unmatched="drop")
    assert set(result.labels) == {*"xyzwv"}
    assert result.labels["x"] == result.labels["y"] != result.labels["z"]
    assert result.bits == 0
    assert np.isnan(result.stability["w"])  # no pair of runs has it
    square = cb.pairwise(runs, measure="ami", unmatched="drop").values
    assert result.runs["a"].ami == pytest.approx((square[0, 1] + square[0, 2]) / 2)


def test_no_object_need_be_in_all_runs():
    runs = {"a": {1: 0, 2: 0}, "b": {2: 0, 3: 0}, "c": {3: 0, 1: 0}}
    result = consensus(runs, unmatched="drop")
    assert (result.bits, result.labels) == (0, {1: 0, 2: 0, 3: 0})


@examples(60)
@given(runs_of_objects(), st.data())
def test_each_run_counts_the_objects_that_it_has(runs, data):
    """Distances are of the objects of a run, and runs weigh alike, whatever they lack."""
    for labels in runs.values():
        labels[data.draw(st.integers(0, len(labels) - 1))] = -1
    runs["complete"] = data.draw(st.permutations(next(iter(runs.values()))))
    runs["complete"] = [max(label, 0) for label in runs["complete"]]
    has = np.array([*runs.values()]) >= 0
    assume((has[:, None] & has).any(axis=2).all())  # two runs share an object
    result = consensus(runs, noise="drop")
    distances = []
    for labels in runs.values():
        has = np.array(labels) >= 0
        distances.append(cb.variation_of_information(result.labels[has], np.array(labels)[has]))
    assert result.bits == pytest.approx(np.mean(distances), abs=1e-12)
    complete = np.array(runs["complete"])
    others = [
        cb.variation_of_information(complete[has := np.array(labels) >= 0], np.array(labels)[has])
        for labels in runs.values()
    ]
    if result.medoid == "complete":
        assert result.bits <= np.mean(others) + 1e-12


def test_runs_without_a_shared_object_are_an_error():
    with pytest.raises(LabelError, match="'a' and 'b' share no object"):
        consensus({"a": [0, 1, -1, -1], "b": [-1, -1, 0, 1], "c": [0, 0, 1, 1]}, noise="drop")


def test_missing_labels_and_noise_are_of_each_run():
    a, b = [0, 0, 1, 1, None], [0, 0, 1, -1, -1]
    with pytest.raises(MissingLabelError, match="labeling 'a' has 1 missing label"):
        consensus({"a": a, "b": b})
    result = consensus({"a": a, "b": b}, missing="drop", noise="drop")
    assert result.bits == 0
    assert result.labels.tolist() == [0, 0, 1, 1, -1]
    assert result.stability[:3].tolist() == [1, 1, 1]
    alone = consensus({"a": [0, 0, 1], "b": [-1, -1, 1]}, noise="singletons")
    assert alone.runs["b"].clusters == 3


def test_wrong_input_is_one_clear_error():
    for wrong in ([[0, 1, 2]], [0, 1, 2], {}, None):
        with pytest.raises(LabelError, match="runs must be two or more labelings"):
            consensus(wrong)
    with pytest.raises(LabelError, match="2 labels"):
        consensus([[0, 1], [0, 1, 2]])
    with pytest.raises(TypeError, match="weights"):
        consensus([[0, 1], [0, 1]], weights=[1, 2])


def test_it_prints_and_pickles_as_a_value():
    import pickle

    result = consensus(noisy_runs(40, 4, 3, 0.1, RNG))
    copy = pickle.loads(pickle.dumps(result))
    assert copy == result
    assert repr(copy) == repr(result)
    assert list(result.to_dicts()[0]) == ["cluster", "size", "stability"]
    with pytest.raises(ValueError, match="read-only"):
        result.labels[0] = 1
