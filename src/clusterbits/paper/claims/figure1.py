"""Figure 1: the measures over ε1 in [0, 0.8], with |C| = |K| = |K_u| = 5 and n = 500."""

from itertools import pairwise

from clusterbits.measures.catalogue import get_measure
from clusterbits.paper.cards.judge import Judge
from clusterbits.paper.claims.claim import MEASURES, Claim, score_model
from clusterbits.paper.family import Model
from clusterbits.text.tables import Records

STEPS = 80


def rows() -> Records:
    """Return one row per ε1 and measure."""
    return [
        {"epsilon1": model.epsilon1, "measure": name, "value": score_model(name, model)}
        for model in (Model(epsilon1=0.8 * i / STEPS) for i in range(STEPS + 1))
        for name in MEASURES
    ]


def claims(records: Records) -> list[Claim]:
    """Return the number of measures that worsen with every error added."""
    worsening = 0
    for name in MEASURES:
        judge = Judge(get_measure(name))
        values = [row["value"] for row in records if row["measure"] == name]
        worsening += all(judge.gain(before, after) < 0 for before, after in pairwise(values))
    title = "measures that worsen throughout as ε1 rises"
    return [Claim("Figure 1", title, "all 7", f"all {worsening}")]
