"""Report cards that come with the package: judging the whole catalogue anew takes a minute."""

from __future__ import annotations

import json
from functools import cache
from importlib.resources import files

from clusterbits.desiderata.amigo import CONSTRAINTS
from clusterbits.desiderata.dom import CRITERIA

# What each criterion of a card demands of a measure, in the order of the cards.
MEANINGS = {
    **{criterion.name: criterion.meaning for criterion in CRITERIA},
    **{name: meaning for name, (meaning, *_) in CONSTRAINTS.items()},
    "maximal agreement": "the classes themselves are better than any other clustering",
    "symmetry": "the same value with classes and clusters exchanged",
    "monotonicity": "better after a perfect split or merge",
    "triangle inequality": "no detour is shorter than the direct way (distances only)",
    "constant baseline": "random clusters have the same mean, however many there are",
}


@cache
def shipped_cards() -> dict[str, dict[str, str]]:
    """Return the marks of every measure that ranks, by criterion: ✓, – or ✗ with a count.

    ``make docs`` writes them. They are `Cards.overview` with the usual grid.
    """
    text = files("clusterbits").joinpath("data/cards.json").read_text(encoding="utf-8")
    cards: dict[str, dict[str, str]] = json.loads(text)
    return cards
