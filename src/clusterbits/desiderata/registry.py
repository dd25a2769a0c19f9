"""All criteria, in the order of a report card."""

from clusterbits.desiderata import amigo, baseline, partitions
from clusterbits.desiderata.dom import DOM_CRITERIA, LARGE_DOM_CRITERIA

CRITERIA = (
    *(each for both in zip(DOM_CRITERIA, LARGE_DOM_CRITERIA, strict=True) for each in both),
    amigo.homogeneity,
    amigo.completeness,
    amigo.rag_bag,
    amigo.size_vs_quantity,
    partitions.maximal_agreement,
    partitions.minimal_agreement,
    partitions.symmetry,
    partitions.monotonicity,
    partitions.strong_monotonicity,
    partitions.triangle_inequality,
    baseline.constant_baseline,
    baseline.asymptotic_constant_baseline,
    baseline.bias,
    partitions.doubling,
)


def list_criteria() -> list[dict[str, str]]:
    """Return one row per criterion: what it demands, and when that matters."""
    return [
        {"criterion": one.name, "demand": one.meaning, "it matters": one.matters}
        for one in CRITERIA
    ]
