"""Properties tried by brute force on all partitions of a few objects.

Maximal agreement and monotonicity (Gösgens et al. 2021) are asked, as there, of truths that are
neither one class nor all singletons. Minimal agreement (ibid.) is asked of measures of pairs, on
all graphs instead of partitions.

M. M. Gösgens, A. Tikhonov, L. Prokhorenkova (2021). Systematic analysis of cluster similarity
indices: how to validate validation measures. ICML.
https://proceedings.mlr.press/v139/gosgens21a.html
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from itertools import combinations, compress, permutations, product

from clusterbits.paper.cards.criterion import Criterion, Verdict, Witness, criterion
from clusterbits.paper.cards.judge import Counts, Demand, Judge, difference, make_table
from clusterbits.table.statistics import PairCounts

OBJECTS = 6
TRIANGLE_OBJECTS = 5
NOTE = f"all partitions of {OBJECTS} objects"

# A partition of objects 0, 1, 2, ... as the group number of each, groups numbered as they appear.
GroupNumbers = tuple[int, ...]


@criterion(
    "maximal agreement",
    "the classes themselves are better than any other clustering",
    "when a perfect value should mean a perfect clustering",
)
def maximal_agreement(criterion: Criterion, judge: Judge) -> Verdict:
    pairs = [(count(truth, truth), count(truth, pred)) for truth, pred in _all_pairs()]
    imperfect = [(perfect, counts) for perfect, counts in pairs if counts != perfect]
    return criterion.compare(judge, "worse", imperfect, NOTE)


@criterion(
    "minimal agreement",
    "one worst value, reached where no pair of objects is treated alike and nowhere else "
    "(functions of pair counts only)",
    "when the worst value should mean that nothing agrees",
)
def minimal_agreement(criterion: Criterion, judge: Judge) -> Verdict:
    measure = judge.measure
    try:
        values = {
            graphs: float(measure.function(graphs, **measure.bound_parameters))
            for graphs in pairs_of_graphs(OBJECTS)
        }
    except (ArithmeticError, AttributeError, TypeError) as error:
        # There are no counts to ask for, and no tables to loop over.
        undefined = isinstance(error, ArithmeticError)
        note = "undefined on some graphs" if undefined else "not computed from pair counts alone"
        return criterion.does_not_apply(judge, note)
    agreements = {graphs: graphs.pairs.a00 + graphs.pairs.a11 for graphs in values}
    complements = {graphs.pairs.same_class: graphs for graphs in values if not agreements[graphs]}
    witnesses = []
    for graphs, value in values.items():
        # Complements all have the same value, which other graphs exceed.
        demand: Demand = "better" if agreements[graphs] else "same"
        first = complements[graphs.pairs.same_class if demand == "better" else 1]
        if not judge.meets(demand, values[first], value):
            demanded = f"{demand} value in the second"
            witnesses.append(Witness(first, graphs, values[first], value, demanded))
    note = f"all graphs over {OBJECTS} objects"
    return criterion.verdict(judge, len(values), witnesses, note)


@criterion(
    "symmetry",
    "the same value with classes and clusters exchanged",
    "when neither side is the truth, such as two runs of an algorithm",
)
def symmetry(criterion: Criterion, judge: Judge) -> Verdict:
    pairs = product(shapes(OBJECTS), partitions(OBJECTS))
    exchanged = ((count(truth, pred), count(pred, truth)) for truth, pred in pairs)
    return criterion.compare(judge, "same", exchanged, NOTE)


@criterion(
    "monotonicity",
    "better after a perfect split or merge",
    "when a clustering is improved step by step",
)
def monotonicity(criterion: Criterion, judge: Judge) -> Verdict:
    return criterion.compare(judge, "better", improved_pairs(improvements), NOTE)


@criterion(
    "strong monotonicity",
    "better where more pairs of objects agree and fewer disagree, whatever the classes "
    "(functions of pair counts only)",
    "when values for different classes, or different numbers of objects, are compared",
)
def strong_monotonicity(criterion: Criterion, judge: Judge) -> Verdict:
    values: dict[tuple[float, ...], float] = {}
    for counts, pairs in small_pair_counts():
        value = judge.value_of(counts)
        if difference(value, values.setdefault(pairs, value)):
            return criterion.does_not_apply(judge, "not a function of pair counts")
    tables = {pairs: counts for counts, pairs in small_pair_counts()}
    dominated = (
        (tables[worse], tables[better])
        for worse, better in permutations(tables, 2)
        if any(worse[1:3])  # perfect clusterings are all alike
        and all(a <= b for a, b in zip(worse, better, strict=True))
    )
    note = f"all partitions of up to {OBJECTS} objects, without trivial ones"
    return criterion.compare(judge, "better", dominated, note)


@criterion(
    "doubling",
    "found, not demanded: does the value rise or fall when every object is doubled?",
    "when values for data sets of different sizes are compared",
)
def doubling(criterion: Criterion, judge: Judge) -> Verdict:
    tables = {count(truth, pred) for truth, pred in _all_pairs()}
    changes = []
    for counts in tables:
        doubled = tuple(tuple(2 * cell for cell in row) for row in counts)
        changes.append(difference(judge.value_of(counts), judge.value_of(doubled)))
    return criterion.find(judge, changes, len(tables), NOTE)


@criterion(
    "triangle inequality",
    "no detour is shorter than the direct way (distances only)",
    "when clusterings are searched, embedded or averaged by distance",
)
def triangle_inequality(criterion: Criterion, judge: Judge) -> Verdict:
    measure = judge.measure
    if not (measure.better == "lower" and measure.perfect == 0 and measure.symmetric):
        return criterion.does_not_apply(judge, "not a distance")
    ends = partitions(TRIANGLE_OBJECTS)
    triangles = list(product(shapes(TRIANGLE_OBJECTS), ends, ends))
    witnesses = []
    for a, b, c in triangles:
        a_b, b_c, a_c = (judge.value_of(count(*pair)) for pair in ((a, b), (b, c), (a, c)))
        if difference(a_b + b_c, a_c) > 0:
            demand = f"no longer than {a_b:.12g} + {b_c:.12g} by way of {b}"
            tables = make_table(count(a, b)), make_table(count(a, c))
            witnesses.append(Witness(*tables, a_b + b_c, a_c, demand))
    note = f"all partitions of {TRIANGLE_OBJECTS} objects"
    return criterion.verdict(judge, len(triangles), witnesses, note)


@cache
def improved_pairs(
    improve: Callable[[GroupNumbers, GroupNumbers], Iterator[GroupNumbers]],
) -> list[tuple[Counts, Counts]]:
    """Return the tables of all clusterings of a few objects and of their improvements."""
    return [
        (count(truth, pred), count(truth, improved))
        for truth, pred in _all_pairs()
        for improved in improve(truth, pred)
    ]


def _all_pairs() -> Iterator[tuple[GroupNumbers, GroupNumbers]]:
    return product(nontrivial_shapes(OBJECTS), partitions(OBJECTS))


@cache
def small_pair_counts() -> list[tuple[Counts, tuple[float, ...]]]:
    """Return the tables of two nontrivial partitions of up to a few objects, with pair counts.

    Disagreeing pairs are negative, so that more is better for all four.
    """
    tables = {
        count(truth, pred)
        for objects in range(2, OBJECTS + 1)
        for truth, pred in product(nontrivial_shapes(objects), partitions(objects))
        if is_nontrivial(pred)
    }
    pairs = ((counts, make_table(counts).pairs) for counts in sorted(tables))
    return [(counts, (p[0], -p[1], -p[2], p[3])) for counts, p in pairs]


@cache
def count(truth: GroupNumbers, pred: GroupNumbers) -> Counts:
    """Return the counts, rows and columns in an order that makes most like tables equal."""
    counts = [[0] * (max(pred) + 1) for _ in range(max(truth) + 1)]
    for c, k in zip(truth, pred, strict=True):
        counts[c][k] += 1
    columns = sorted(zip(*sorted(counts, reverse=True), strict=True), reverse=True)
    return tuple(sorted(zip(*columns, strict=True), reverse=True))


def partitions(objects: int) -> list[GroupNumbers]:
    """Return all partitions of this number of objects."""
    grown: list[GroupNumbers] = [()]
    for _ in range(objects):
        grown = [(*p, g) for p in grown for g in range(max(p, default=-1) + 2)]
    return grown


def shapes(objects: int) -> list[GroupNumbers]:
    """Return one partition for each multiset of group sizes; the rest permutes the objects."""
    return list({sizes_of(p): p for p in reversed(partitions(objects))}.values())


def nontrivial_shapes(objects: int) -> list[GroupNumbers]:
    """Return the shapes that are neither one class nor all singletons."""
    return [truth for truth in shapes(objects) if is_nontrivial(truth)]


def is_nontrivial(partition: GroupNumbers) -> bool:
    """Whether a partition is neither one group nor all singletons."""
    return 0 < max(partition) < len(partition) - 1


def sizes_of(partition: GroupNumbers) -> tuple[int, ...]:
    """Return the sizes of the groups, smallest first."""
    return tuple(sorted(map(partition.count, set(partition))))


def improvements(truth: GroupNumbers, pred: GroupNumbers) -> Iterator[GroupNumbers]:
    """Yield the clusterings one perfect split or one perfect merge away."""
    yield from perfect_splits(truth, pred)
    yield from perfect_merges(truth, pred)


def perfect_splits(truth: GroupNumbers, pred: GroupNumbers) -> Iterator[GroupNumbers]:
    """Yield the clusterings in which one cluster is split between its classes."""
    new = max(pred) + 1
    for g, classes in _classes_of_groups(truth, pred).items():
        rest = classes[1:]  # the first class stays
        for choice in product((False, True), repeat=len(rest)):
            if leaving := set(compress(rest, choice)):
                yield tuple(
                    new if k == g and c in leaving else k for c, k in zip(truth, pred, strict=True)
                )


def perfect_merges(truth: GroupNumbers, pred: GroupNumbers) -> Iterator[GroupNumbers]:
    """Yield the clusterings in which two clusters of one and the same class are merged."""
    classes = _classes_of_groups(truth, pred)
    for a, b in combinations(classes, 2):
        if len(classes[a]) == 1 and classes[a] == classes[b]:
            yield tuple(a if k == b else k for k in pred)


def _classes_of_groups(truth: GroupNumbers, pred: GroupNumbers) -> dict[int, list[int]]:
    return {
        g: sorted({c for c, k in zip(truth, pred, strict=True) if k == g})
        for g in sorted(set(pred))
    }


@dataclass(frozen=True)
class GraphPairs:
    """Pair counts of any two graphs over n objects, with what measures of pairs ask of a table.

    For a measure of pair counts, any graph stands for a partition. A graph's complement agrees with
    it on no pair; of partitions, only one cluster and all singletons disagree on every pair.
    """

    pairs: PairCounts
    n: int
    exact = True

    @property
    def is_perfect(self) -> bool:
        """Whether the graphs are the same."""
        return not (self.pairs.a01 or self.pairs.a10)

    def __str__(self) -> str:
        """Return the counts by name."""
        counts = ", ".join(f"{name} = {count}" for name, count in self.pairs._asdict().items())
        return f"two graphs over {self.n} objects with {counts}"


def pairs_of_graphs(n: int) -> list[GraphPairs]:
    """Return all pair counts of two graphs over n objects, neither empty nor complete.

    >>> len(pairs_of_graphs(3))
    8
    """
    total = n * (n - 1) // 2
    return [
        GraphPairs(PairCounts(a00, in_first - a00, a10, total - in_first - a10), n)
        for in_first in range(1, total)
        for a00, a10 in product(range(in_first + 1), range(total - in_first + 1))
        if 0 < a00 + a10 < total
    ]
