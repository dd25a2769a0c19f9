"""Amigó's four constraints: pairs of clusterings of which anybody would prefer the second.

E. Amigó, J. Gonzalo, J. Artiles, F. Verdejo (2009). A comparison of extrinsic clustering evaluation
metrics based on formal constraints. Inf. Retr. 12. https://doi.org/10.1007/s10791-008-9066-8
"""

from __future__ import annotations

from clusterbits.core.table import Contingency
from clusterbits.desiderata.judge import Judge
from clusterbits.desiderata.verdict import Verdict, Witness

_ALONE = 4  # pairs of objects that the size constraint splits

# Rows are classes: the worse clustering, then the better one.
CONSTRAINTS = {
    "homogeneity": (
        "better when a cluster of two classes is divided between them",
        [[4, 1, 0], [0, 2, 4], *[[0, 0, 1]] * 3],
        [[4, 1, 0, 0], [0, 0, 2, 4], *[[0, 0, 0, 1]] * 3],
    ),
    "completeness": (
        "better when two clusters of one class are joined",
        [[4, 1, 2, 0], [0, 0, 0, 4], *[[0, 0, 0, 1]] * 3],
        [[4, 3, 0], [0, 0, 4], *[[0, 0, 1]] * 3],
    ),
    "rag bag": (
        "better when a stray object is in a mixed cluster than in a clean one",
        [[4, 0], [1, 0], *[[0, 1]] * 4],
        [[4, 0], *[[0, 1]] * 5],
    ),
    "size vs. quantity": (
        "better when one object leaves a large class than when many small classes break",
        [[5] + [0] * 2 * _ALONE]
        + [[0] + [int(j // 2 == i) for j in range(2 * _ALONE)] for i in range(_ALONE)],
        [[4, 1] + [0] * _ALONE]
        + [[0, 0] + [2 * (j == i) for j in range(_ALONE)] for i in range(_ALONE)],
    ),
}


def judge_amigo(judge: Judge) -> list[Verdict]:
    """Judge a measure by all four."""
    verdicts = []
    for name, (meaning, worse, better) in CONSTRAINTS.items():
        tables = Contingency.from_counts(worse), Contingency.from_counts(better)
        before, after = (judge.value(table) for table in tables)
        right = judge.gain(before, after) > 0
        steps = () if right else (Witness(*tables, before, after, meaning),)
        verdicts.append(
            Verdict(name, judge.name, "pass" if right else "fail", 1, len(steps), violations=steps)
        )
    return verdicts
