"""Properties tried by brute force on all partitions of a few objects.

Maximal agreement and monotonicity (Gösgens et al. 2021) are asked, as there, of truths that are
neither one class nor all single objects, where there is nothing to find.

M. M. Gösgens, A. Tikhonov, L. Prokhorenkova (2021). Systematic analysis of cluster similarity
indices: how to validate validation measures. ICML.
https://proceedings.mlr.press/v139/gosgens21a.html
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from itertools import combinations, product

from clusterbits.core.table import Contingency
from clusterbits.desiderata.criterion import Counts, criterion
from clusterbits.desiderata.judge import TIE, Judge
from clusterbits.desiderata.verdict import Verdict, Witness

OBJECTS = 6
TRIANGLE_OBJECTS = 5
_NOTE = f"all partitions of {OBJECTS} objects"

# A partition of objects 0, 1, 2, ... as the group number of each, groups numbered as they appear.
GroupNumbers = tuple[int, ...]


@criterion(
    "maximal agreement",
    "the classes themselves are better than any other clustering",
    "when a perfect value should mean a perfect clustering",
)
def maximal_agreement(judge: Judge) -> Verdict:
    others = (
        (_counts(truth, truth), _counts(truth, pred))
        for truth, pred in product(_truths(), partitions(OBJECTS))
        if _counts(truth, pred) != _counts(truth, truth)
    )
    return maximal_agreement.compare(judge, "worse", others, _NOTE)


@criterion(
    "symmetry",
    "the same value with classes and clusters exchanged",
    "when neither side is the truth, such as two runs of an algorithm",
)
def symmetry(judge: Judge) -> Verdict:
    pairs = product(shapes(OBJECTS), partitions(OBJECTS))
    exchanged = ((_counts(truth, pred), _counts(pred, truth)) for truth, pred in pairs)
    return symmetry.compare(judge, "same", exchanged, _NOTE)


@criterion(
    "monotonicity",
    "better after a perfect split or merge",
    "when a clustering is improved step by step",
)
def monotonicity(judge: Judge) -> Verdict:
    improved = (
        (_counts(truth, pred), _counts(truth, other))
        for truth, pred in product(_truths(), partitions(OBJECTS))
        for other in improvements(truth, pred)
    )
    return monotonicity.compare(judge, "better", improved, _NOTE)


@criterion(
    "triangle inequality",
    "no detour is shorter than the direct way (distances only)",
    "when clusterings are searched, embedded or averaged by distance",
)
def triangle_inequality(judge: Judge) -> Verdict:
    if not judge.distance:
        return triangle_inequality.does_not_apply(judge, "not a distance")
    tested, losses = 0, []
    few = partitions(TRIANGLE_OBJECTS)
    for a, b, c in product(shapes(TRIANGLE_OBJECTS), few, few):
        tested += 1
        direct, there, onwards = (
            judge.value_once(_counts(*pair), Contingency.from_counts)
            for pair in ((a, c), (a, b), (b, c))
        )
        detour = there + onwards
        if direct > detour + TIE:
            demand = f"no longer than {there:.12g} + {onwards:.12g} by way of {b}"
            first, second = (Contingency.from_counts(_counts(a, other)) for other in (b, c))
            losses.append((direct - detour, Witness(first, second, detour, direct, demand)))
    note = f"all partitions of {TRIANGLE_OBJECTS} objects"
    return triangle_inequality.verdict(judge, tested, losses, note)


@cache
def _counts(truth: GroupNumbers, pred: GroupNumbers) -> Counts:
    """Return the counts, rows and columns in an order that makes most like tables equal."""
    counts = [[0] * (max(pred) + 1) for _ in range(max(truth) + 1)]
    for c, k in zip(truth, pred, strict=True):
        counts[c][k] += 1
    columns = sorted(zip(*sorted(counts, reverse=True), strict=True), reverse=True)
    return tuple(sorted(zip(*columns, strict=True), reverse=True))


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


def _truths() -> list[GroupNumbers]:
    """Return the shapes with something to find: neither one class nor all single objects."""
    return [truth for truth in shapes(OBJECTS) if 0 < max(truth) < OBJECTS - 1]


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
