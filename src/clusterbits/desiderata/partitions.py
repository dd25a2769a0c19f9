"""Properties tried by brute force on all partitions of a few objects.

*Maximal agreement*: no clustering is as good as the classes themselves. *Symmetry*: classes and
clusters may change places. *Monotonicity* (Gösgens et al. 2021): every perfect split (of a cluster,
between classes) and every perfect merge (of two clusters of one class) is an improvement. *Triangle
inequality*, for distances. Agreement and monotonicity are asked, as there, of truths that are
neither one class nor all single objects, where there is nothing to find.

M. M. Gösgens, A. Tikhonov, L. Prokhorenkova (2021). Systematic analysis of cluster similarity
indices: how to validate validation measures. ICML.
https://proceedings.mlr.press/v139/gosgens21a.html
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from itertools import combinations, product

from clusterbits.core.table import Contingency
from clusterbits.desiderata.judge import Judge
from clusterbits.desiderata.verdict import TIE, Verdict, Witness

OBJECTS = 6
TRIANGLE_OBJECTS = 5

# A partition of objects 0, 1, 2, ... as the group number of each, groups numbered as they appear.
GroupNumbers = tuple[int, ...]


def partitions(objects: int) -> list[GroupNumbers]:
    """Return all partitions of so many objects."""
    found: list[GroupNumbers] = [()]
    for _ in range(objects):
        found = [(*p, g) for p in found for g in range(max(p, default=-1) + 2)]
    return found


def shapes(objects: int) -> list[GroupNumbers]:
    """Return one partition for each multiset of group sizes: others only permute the objects."""
    found = {tuple(sorted(map(p.count, set(p)))): p for p in reversed(partitions(objects))}
    return list(found.values())


def table_of(truth: GroupNumbers, pred: GroupNumbers) -> Contingency:
    """Return the counts, rows and columns in an order that makes like tables equal."""
    return Contingency.from_counts(_like(truth, pred))


@cache
def _like(truth: GroupNumbers, pred: GroupNumbers) -> tuple[tuple[int, ...], ...]:
    counts = [[0] * (max(pred) + 1) for _ in range(max(truth) + 1)]
    for c, k in zip(truth, pred, strict=True):
        counts[c][k] += 1
    columns = sorted(zip(*sorted(counts, reverse=True), strict=True), reverse=True)
    return tuple(sorted(zip(*columns, strict=True), reverse=True))


def improvements(truth: GroupNumbers, pred: GroupNumbers) -> Iterator[GroupNumbers]:
    """Yield the clusterings one perfect split or one perfect merge away."""
    groups = sorted(set(pred))
    classes = {g: sorted({c for c, k in zip(truth, pred, strict=True) if k == g}) for g in groups}
    new = max(pred) + 1
    for g in groups:
        others = classes[g][1:]  # the first class stays
        for choice in product((False, True), repeat=len(others)):
            leaving = {c for c, leaves in zip(others, choice, strict=True) if leaves}
            if leaving:
                yield tuple(
                    new if k == g and c in leaving else k for c, k in zip(truth, pred, strict=True)
                )
    for a, b in combinations(groups, 2):
        if len(classes[a]) == 1 and classes[a] == classes[b]:
            yield tuple(a if k == b else k for k in pred)


def judge_partitions(judge: Judge) -> list[Verdict]:
    """Judge a measure by all four properties."""

    @cache
    def value_of(counts: tuple[tuple[int, ...], ...]) -> float:
        return judge.value(Contingency.from_counts(counts))

    def value(truth: GroupNumbers, pred: GroupNumbers) -> float:
        return value_of(_like(truth, pred))

    def verdict(name: str, tested: int, wrong: list[tuple[float, Witness]]) -> Verdict:
        ordered = tuple(step for _, step in sorted(wrong, key=lambda item: -item[0]))
        return Verdict(
            name,
            judge.name,
            "fail" if wrong else "pass",
            tested,
            len(wrong),
            note=f"all partitions of {OBJECTS} objects",
            violations=ordered,
        )

    every = partitions(OBJECTS)
    truths = [truth for truth in shapes(OBJECTS) if 0 < max(truth) < OBJECTS - 1]

    def maximal_agreement() -> Verdict:
        tested, wrong = 0, []
        for truth, pred in product(truths, every):
            if _like(truth, pred) == _like(truth, truth):
                continue
            tested += 1
            loss = judge.gain(value(truth, truth), value(truth, pred))
            if loss >= 0:
                tables = table_of(truth, truth), table_of(truth, pred)
                values = value(truth, truth), value(truth, pred)
                demand = "the classes themselves are better than any other clustering"
                wrong.append((loss, Witness(*tables, *values, demand)))
        return verdict("maximal agreement", tested, wrong)

    def symmetry() -> Verdict:
        tested, wrong = 0, []
        for truth, pred in product(shapes(OBJECTS), every):
            tested += 1
            there, back = value(truth, pred), value(pred, truth)
            if gap := abs(judge.gain(there, back)):
                tables = table_of(truth, pred), table_of(pred, truth)
                demand = "the same value with classes and clusters exchanged"
                wrong.append((gap, Witness(*tables, there, back, demand)))
        return verdict("symmetry", tested, wrong)

    def monotonicity() -> Verdict:
        tested, wrong = 0, []
        for truth, pred in product(truths, every):
            for other in improvements(truth, pred):
                tested += 1
                before, after = value(truth, pred), value(truth, other)
                if (loss := -judge.gain(before, after)) >= 0:
                    tables = table_of(truth, pred), table_of(truth, other)
                    demand = "better after a perfect split or merge"
                    wrong.append((loss, Witness(*tables, before, after, demand)))
        return verdict("monotonicity", tested, wrong)

    def triangle() -> Verdict:
        if not judge.distance:
            return Verdict("triangle inequality", judge.name, "n/a", note="not a distance")
        tested, wrong = 0, []
        few = partitions(TRIANGLE_OBJECTS)
        for a, b, c in product(shapes(TRIANGLE_OBJECTS), few, few):
            tested += 1
            direct, detour = value(a, c), value(a, b) + value(b, c)
            if direct > detour + TIE:
                demand = f"no longer than {value(a, b):.12g} + {value(b, c):.12g} by way of {b}"
                step = Witness(table_of(a, b), table_of(a, c), detour, direct, demand)
                wrong.append((direct - detour, step))
        found = verdict("triangle inequality", tested, wrong)
        return replace(found, note=f"all partitions of {TRIANGLE_OBJECTS} objects")

    return [maximal_agreement(), symmetry(), monotonicity(), triangle()]
