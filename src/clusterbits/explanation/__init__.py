r"""Where the bits go, cluster by cluster and class by class, and what would save some.

q0 is a sum over clusters: cluster k pays for its labels, and for its column of the table,

.. math:: Q_0 = \frac1n \sum_k \Bigl[ \sum_c h(c,k) \log \frac{h(k)}{h(c,k)} + f(h(k)) \Bigr].

These terms are the parts of each cluster. By class, class c pays for its own labels
h(c,k) log(h(k)/h(c,k)), and the objects of a cluster share its column equally, so class c pays
h(c,k)/h(k) of it. Either way the parts add up to q0. Everything is in q0's own unit, bits per
object of the whole table.

`explain` (in `explaining`) makes an `Explanation` (`explained`) of these parts and single errors
(`parts`), merges and their path (`merging`, `overlap`), and sentences (`advice`).
"""

from clusterbits.explanation.explained import (
    ClassBits,
    ClusterBits,
    Confusion,
    Explanation,
    FalseMerge,
    FalseSplit,
    Merge,
    PathStep,
    Split,
)
from clusterbits.explanation.explaining import explain
from clusterbits.explanation.matches import Match, match

__all__ = [
    "ClassBits",
    "ClusterBits",
    "Confusion",
    "Explanation",
    "FalseMerge",
    "FalseSplit",
    "Match",
    "Merge",
    "PathStep",
    "Split",
    "explain",
    "match",
]
