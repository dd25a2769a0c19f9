"""Clusterings without truth: what changed between two (`diff`), what many share (`consensus`).

`diff` counts one table, old clusters in rows and new ones in columns, and all else follows from it.
*How much* changed are means over objects (`Changes`): the share of its old companions that an
object lost, and the share of its new ones that it gained. They are the impact measures of ABCDE
(van Staden and Grubb 2024, https://arxiv.org/abs/2407.21430). *What* changed is told by majorities
(`fates`): each old cluster has one fate, each new one one origin, and names are carried over. MONIC
(Spiliopoulou et al. 2006, https://doi.org/10.1145/1150402.1150491) also tells what happened to each
cluster, with one threshold of overlap for survival and one for splits. Majorities need none, and a
change read backwards has the mirrored events. Whether a change is *good* is estimated from judged
pairs of objects (`questions`, `judgements`), as in ABCDE, with exact limits for each kind of
pair.
"""

from clusterbits.changes.changed import Changes
from clusterbits.changes.consensus import Consensus, consensus
from clusterbits.changes.diff import diff
from clusterbits.changes.fates import Clusters
from clusterbits.changes.judgements import JudgedChanges, JudgedRate

__all__ = [
    "Changes",
    "Clusters",
    "Consensus",
    "JudgedChanges",
    "JudgedRate",
    "consensus",
    "diff",
]
