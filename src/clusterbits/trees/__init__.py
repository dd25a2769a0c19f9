"""Trees of clusters: hierarchical clusterings, scored at every cut and as a whole.

The paper's measure is of flat clusterings; `choosing` says what it means for a tree.
"""

from clusterbits.trees.agreement import (
    FowlkesMallowsCurve,
    dendrogram_purity,
    fowlkes_mallows_curve,
)
from clusterbits.trees.choosing import BestCut, NodeBits, best_cut, q0_tree
from clusterbits.trees.cutting import Cuts, cuts
from clusterbits.trees.tree import Tree

__all__ = [
    "BestCut",
    "Cuts",
    "FowlkesMallowsCurve",
    "NodeBits",
    "Tree",
    "best_cut",
    "cuts",
    "dendrogram_purity",
    "fowlkes_mallows_curve",
    "q0_tree",
]


def __dir__() -> list[str]:
    return __all__
