"""Amigó's four constraints: pairs of clusterings of which anybody would prefer the second.

E. Amigó, J. Gonzalo, J. Artiles, F. Verdejo (2009). A comparison of extrinsic clustering evaluation
metrics based on formal constraints. Inf. Retr. 12. https://doi.org/10.1007/s10791-008-9066-8
"""

from clusterbits.paper.cards.criterion import Criterion, Verdict, criterion
from clusterbits.paper.cards.judge import Counts, Judge
from clusterbits.paper.cards.partitions import NOTE, improved_pairs, perfect_merges, perfect_splits

# The n of Amigó's rag bag and size vs. quantity; for 1 the two clusterings are equal.
NUMBERS = tuple(range(2, 11))


def rag_bags(number: int) -> tuple[Counts, Counts]:
    """Return a stray object in a clean cluster of n objects, and in a rag bag of n objects."""
    clean, bag = (number, 0), ((0, 1),) * number
    return (clean, *bag, (1, 0)), (clean, *bag, (0, 1))


def broken_classes(number: int) -> tuple[Counts, Counts]:
    """Return n broken classes of two objects, and a class of n + 1 that lost one object."""
    small = range(number)
    halves = ((0, *(int(j // 2 == i) for j in range(2 * number))) for i in small)
    pairs = ((0, 0, *(2 * (j == i) for j in small)) for i in small)
    return (((number + 1, *[0] * 2 * number), *halves), ((number, 1, *[0] * number), *pairs))


# One pair for each constraint, as drawn by Amigó et al.: the worse clustering, then the better one.
PAIRS: dict[str, tuple[Counts, Counts]] = {
    "homogeneity": (
        ((4, 1, 0), (0, 2, 4), *((0, 0, 1),) * 3),
        ((4, 1, 0, 0), (0, 0, 2, 4), *((0, 0, 0, 1),) * 3),
    ),
    "completeness": (
        ((4, 1, 2, 0), (0, 0, 0, 4), *((0, 0, 0, 1),) * 3),
        ((4, 3, 0), (0, 0, 4), *((0, 0, 1),) * 3),
    ),
    "rag bag": rag_bags(4),
    "size vs. quantity": broken_classes(4),
}
_DRAWN = "the published pair, and "
_SIZES = f"n = {NUMBERS[0]} to {NUMBERS[-1]}"


@criterion(
    "homogeneity",
    "better when a cluster of several classes is divided between them",
    "when a cluster that mixes classes does harm",
)
def homogeneity(criterion: Criterion, judge: Judge) -> Verdict:
    pairs = [PAIRS["homogeneity"], *improved_pairs(perfect_splits)]
    return criterion.compare(judge, "better", pairs, _DRAWN + NOTE)


@criterion(
    "completeness",
    "better when two clusters of one class are joined",
    "when a class scattered over clusters does harm",
)
def completeness(criterion: Criterion, judge: Judge) -> Verdict:
    pairs = [PAIRS["completeness"], *improved_pairs(perfect_merges)]
    return criterion.compare(judge, "better", pairs, _DRAWN + NOTE)


@criterion(
    "rag bag",
    "better when a stray object is in a mixed cluster than in a clean one",
    "when some objects belong nowhere and a bin for them is welcome",
)
def rag_bag(criterion: Criterion, judge: Judge) -> Verdict:
    return criterion.compare(judge, "better", map(rag_bags, NUMBERS), _SIZES)


@criterion(
    "size vs. quantity",
    "better when one object leaves a large class than when many small classes break",
    "when small classes count as much as large ones",
)
def size_vs_quantity(criterion: Criterion, judge: Judge) -> Verdict:
    return criterion.compare(judge, "better", map(broken_classes, NUMBERS), _SIZES)
