"""All criteria, in the order of a report card."""

from clusterbits.desiderata import amigo, dom, partitions
from clusterbits.desiderata.baseline import constant_baseline

DOM_CRITERIA = (dom.p1_1, dom.p1_2, dom.p2, dom.p3_1, dom.p3_2)
CRITERIA = (
    *DOM_CRITERIA,
    amigo.homogeneity,
    amigo.completeness,
    amigo.rag_bag,
    amigo.size_vs_quantity,
    partitions.maximal_agreement,
    partitions.symmetry,
    partitions.monotonicity,
    partitions.triangle_inequality,
    constant_baseline,
)
