"""All criteria, in the order of a report card, and the cards that come with the package."""

import json
from functools import cache
from importlib.resources import files

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
# What each criterion demands of a measure.
MEANINGS = {criterion.name: criterion.meaning for criterion in CRITERIA}


def list_criteria() -> list[dict[str, str]]:
    """Return one row per criterion: what it demands, and when that matters."""
    return [
        {"criterion": one.name, "demand": one.meaning, "it matters": one.matters}
        for one in CRITERIA
    ]


@cache
def shipped_cards() -> dict[str, dict[str, str]]:
    """Return the marks of every measure that ranks, by criterion, as `verdict.LEGEND` explains.

    They are `Cards.overview` with the default grid, which takes half a minute; ``make data`` writes
    them.
    """
    text = files("clusterbits").joinpath("data/cards.json").read_text(encoding="utf-8")
    cards: dict[str, dict[str, str]] = json.loads(text)
    return cards
