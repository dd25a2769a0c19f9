"""Trees of clusters: hierarchical clusterings, scored at every cut and as a whole.

The paper's measure is of flat clusterings; `choosing` says what it means for a tree.
"""

from clusterbits.trees.choosing import BestCut, NodeBits, best_cut, q0_tree
from clusterbits.trees.cutting import Cuts, cuts
from clusterbits.trees.purity import dendrogram_purity
from clusterbits.trees.tree import Tree

__all__ = [
    "BestCut",
    "Cuts",
    "NodeBits",
    "Tree",
    "best_cut",
    "cuts",
    "dendrogram_purity",
    "q0_tree",
]


def __dir__() -> list[str]:
    return __all__
