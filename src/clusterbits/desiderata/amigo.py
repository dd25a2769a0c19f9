"""Amigó's four constraints: pairs of clusterings of which anybody would prefer the second.

E. Amigó, J. Gonzalo, J. Artiles, F. Verdejo (2009). A comparison of extrinsic clustering evaluation
metrics based on formal constraints. Inf. Retr. 12. https://doi.org/10.1007/s10791-008-9066-8
"""

from clusterbits.desiderata.criterion import Criterion, criterion
from clusterbits.desiderata.judge import Judge
from clusterbits.desiderata.verdict import Verdict

_SMALL = 4  # classes of two objects in the last pair

# Rows are classes: the worse clustering, then the better one.
PAIRS = {
    "homogeneity": (
        [[4, 1, 0], [0, 2, 4], *[[0, 0, 1]] * 3],
        [[4, 1, 0, 0], [0, 0, 2, 4], *[[0, 0, 0, 1]] * 3],
    ),
    "completeness": (
        [[4, 1, 2, 0], [0, 0, 0, 4], *[[0, 0, 0, 1]] * 3],
        [[4, 3, 0], [0, 0, 4], *[[0, 0, 1]] * 3],
    ),
    "rag bag": ([[4, 0], [1, 0], *[[0, 1]] * 4], [[4, 0], *[[0, 1]] * 5]),
    "size vs. quantity": (
        [[5] + [0] * 2 * _SMALL]
        + [[0] + [int(j // 2 == i) for j in range(2 * _SMALL)] for i in range(_SMALL)],
        [[4, 1] + [0] * _SMALL]
        + [[0, 0] + [2 * (j == i) for j in range(_SMALL)] for i in range(_SMALL)],
    ),
}


@criterion(
    "homogeneity",
    "better when a cluster of two classes is divided between them",
    "when a cluster that mixes classes does harm",
)
def homogeneity(judge: Judge) -> Verdict:
    return _compare_pair(homogeneity, judge)


@criterion(
    "completeness",
    "better when two clusters of one class are joined",
    "when a class scattered over clusters does harm",
)
def completeness(judge: Judge) -> Verdict:
    return _compare_pair(completeness, judge)


@criterion(
    "rag bag",
    "better when a stray object is in a mixed cluster than in a clean one",
    "when some objects belong nowhere and a bin for them is welcome",
)
def rag_bag(judge: Judge) -> Verdict:
    return _compare_pair(rag_bag, judge)


@criterion(
    "size vs. quantity",
    "better when one object leaves a large class than when many small classes break",
    "when small classes count as much as large ones",
)
def size_vs_quantity(judge: Judge) -> Verdict:
    return _compare_pair(size_vs_quantity, judge)


def _compare_pair(constraint: Criterion, judge: Judge) -> Verdict:
    worse, better = (tuple(map(tuple, counts)) for counts in PAIRS[constraint.name])
    return constraint.compare(judge, "better", [(worse, better)])
