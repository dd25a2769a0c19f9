"""Measures of entity resolution, against their definitions on sets and a search of all paths."""

import heapq
import math
from itertools import combinations

import numpy as np
import pytest

import clusterbits as cb
from clusterbits.errors import MeasureError
from clusterbits.paper.cards.partitions import partitions

FIVE = [tuple(labels) for labels in partitions(5)]


def sets_of(labels):
    """Return the groups of objects, as sets."""
    groups = {}
    for i, label in enumerate(labels):
        groups.setdefault(label, set()).add(i)
    return [frozenset(group) for group in groups.values()]


def jaccard(a, b):
    return len(a & b) / len(a | b)


def test_definitions_on_sets():
    for truth in FIVE[::3]:
        for pred in FIVE[::2]:
            entities, clusters = sets_of(truth), sets_of(pred)
            table = cb.Contingency.from_labels(truth, pred)
            same = len(set(entities) & set(clusters))
            assert cb.records.exact_cluster_precision(table) == same / len(clusters)
            assert cb.records.exact_cluster_recall(table) == same / len(entities)
            records = sum(len(c) for c in set(entities) & set(clusters))
            assert cb.records.exact_cluster_recall(table, by="records") == records / 5
            closest = sum(max(jaccard(k, c) for c in entities) for k in clusters) / len(clusters)
            assert cb.records.closest_cluster_precision(table) == pytest.approx(closest, abs=1e-12)
            turned = table.transpose()
            assert cb.records.closest_cluster_recall(
                turned
            ) == cb.records.closest_cluster_precision(table)
            pieces = {c & k for c in entities for k in clusters} - {frozenset()}
            index = math.sqrt(len(entities) * len(clusters)) / len(pieces)
            assert cb.records.talburt_wang(table) == pytest.approx(index, abs=1e-12)


@pytest.mark.parametrize("kind", ["exact_cluster", "closest_cluster"])
def test_f1_is_the_harmonic_mean(kind):
    truth, pred = [0, 0, 0, 1, 1, 2, 3], [0, 0, 1, 1, 1, 2, 4]
    precision, recall, f1 = (
        cb.get_measure(f"{kind}_{what}")(truth, pred) for what in ("precision", "recall", "f1")
    )
    assert f1 == pytest.approx(2 * precision * recall / (precision + recall), abs=1e-15)


# --- merge distance ------------------------------------------------------------------------------

COSTS = {
    1: lambda x, y: 1,
    0: lambda x, y: 0,
    2.5: lambda x, y: 2.5,
    "product": lambda x, y: x * y,
    "entropy": lambda x, y: sum(
        sign * z * math.log2(z) for sign, z in ((1, x + y), (-1, x), (-1, y))
    ),
}


def slice_distance(truth, pred, merge, split):
    """Return the distance by the Slice algorithm: one pass over the pieces of each cluster."""
    merged, total = {}, 0.0
    for cluster in sets_of(pred):
        pieces, rest = {}, 0
        for i in cluster:
            pieces[truth[i]] = pieces.get(truth[i], 0) + 1
        for entity, size in pieces.items():
            total += split(size, rest) if rest else 0
            total += merge(size, merged[entity]) if entity in merged else 0
            rest += size
            merged[entity] = merged.get(entity, 0) + size
    return total


def cheapest_path(start, goal, merge, split):
    """Return the least cost from one partition to the other, by splits and then merges."""
    goal, queue, done = frozenset(goal), [(0.0, 0, frozenset(start), True)], set()
    pushed = 0
    while True:
        cost, _, partition, may_split = heapq.heappop(queue)
        if partition == goal:
            return cost
        if (partition, may_split) in done:
            continue
        done.add((partition, may_split))
        steps = [({a, b}, {a | b}, merge(len(a), len(b)), 0) for a, b in combinations(partition, 2)]
        for group in partition if may_split else ():
            for size in range(1, len(group) // 2 + 1):
                for part in map(frozenset, combinations(sorted(group), size)):
                    rest = group - part
                    steps.append(({group}, {part, rest}, split(len(part), len(rest)), 1))
        for old, new, more, splits in steps:
            pushed += 1
            heapq.heappush(queue, (cost + more, pushed, (partition - old) | new, bool(splits)))


@pytest.mark.parametrize("merge", COSTS)
@pytest.mark.parametrize("split", COSTS)
def test_merge_distance_is_that_of_slice(merge, split):
    rng = np.random.default_rng(0)
    for _ in range(20):
        truth, pred = rng.integers(0, 6, (2, 40)).tolist()
        distance = cb.records.generalized_merge_distance(truth, pred, merge=merge, split=split)
        assert distance == pytest.approx(
            slice_distance(truth, pred, COSTS[merge], COSTS[split]), rel=1e-12, abs=1e-12
        )


@pytest.mark.parametrize("cost", [1, "product", "entropy"])
def test_merge_distance_is_the_cheapest_path(cost):
    four = [tuple(labels) for labels in partitions(4)]
    for truth in four:
        for pred in four:
            cheapest = cheapest_path(sets_of(pred), sets_of(truth), COSTS[cost], COSTS[cost])
            assert cb.records.generalized_merge_distance(
                truth, pred, merge=cost, split=cost
            ) == pytest.approx(cheapest, abs=1e-12)


def test_merge_distances_that_have_other_names():
    table = cb.Contingency.from_counts([[8, 1, 0, 1], [2, 6, 1, 0], [0, 2, 5, 3]])
    pairs = table.pairs
    assert (
        cb.records.generalized_merge_distance(table, merge="product", split="product")
        == pairs.a01 + pairs.a10
    )
    wrong = cb.records.generalized_merge_distance(table, merge=0, split="product")
    assert cb.pair_precision(table) == pytest.approx(1 - wrong / pairs.same_cluster)
    missed = cb.records.generalized_merge_distance(table, merge="product", split=0)
    assert cb.pair_recall(table) == pytest.approx(1 - missed / pairs.same_class)
    entropies = cb.records.generalized_merge_distance(table, merge="entropy", split="entropy")
    assert cb.variation_of_information(table) == pytest.approx(entropies / table.n)


@pytest.mark.parametrize(
    "cost",
    [
        -1,
        math.nan,
        math.inf,
        None,
        "pairs",
        [1],
        pytest.param(10**400, id="huge"),
        np.array([1, 2]),
        np.array(["product"]),
    ],
)
def test_wrong_costs(cost):
    for what in ("merge", "split"):
        with pytest.raises(MeasureError, match=f"{what} is .*'product'"):
            cb.records.generalized_merge_distance([0, 1], [0, 0], **{what: cost})


def test_large_counts_are_exact():
    big = 10**18
    table = cb.Contingency.from_counts([[big, 1], [0, big]])
    assert cb.records.exact_cluster_f1(table) == 0
    assert cb.records.generalized_merge_distance(table, merge=0, split="product") == float(big)
    assert cb.records.closest_cluster_f1(table) <= 1
