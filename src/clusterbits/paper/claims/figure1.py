"""Figure 1: the measures over ε1 in [0, 0.8], with |C| = |K| = |K_u| = 5 and n = 500."""

from itertools import pairwise

from clusterbits.measures.catalogue import get_measure
from clusterbits.paper.cards.judge import as_judge
from clusterbits.paper.claims.claim import MEASURES, Claim
from clusterbits.paper.family import Model
from clusterbits.text.tables import Records

STEPS = 80


def rows() -> Records:
    """Return one row per ε1 and measure."""
    return [
        {
            "epsilon1": model.epsilon1,
            "measure": name,
            "value": get_measure(name).score_table(model.expected(500)),
        }
        for model in (Model(epsilon1=0.8 * i / STEPS) for i in range(STEPS + 1))
        for name in MEASURES
    ]


def claims(found: Records) -> list[Claim]:
    """Return how many measures worsen with every error added."""
    falling = [
        name
        for name in MEASURES
        if all(
            as_judge(name).gain(a["value"], b["value"]) < 0
            for a, b in pairwise(row for row in found if row["measure"] == name)
        )
    ]
    return [
        Claim(
            "Figure 1",
            "measures that worsen throughout as ε1 rises",
            "all 7",
            f"all {len(falling)}",
        )
    ]
