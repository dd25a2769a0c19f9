"""The report cards that come with the package: judging the whole catalogue takes half a minute."""

import json
from functools import cache
from importlib.resources import files

from clusterbits.desiderata.registry import CRITERIA

# What each criterion of a card demands of a measure, in the order of the cards.
MEANINGS = {criterion.name: criterion.meaning for criterion in CRITERIA}


@cache
def shipped_cards() -> dict[str, dict[str, str]]:
    """Return the marks of every measure that ranks, by criterion, as `verdict.LEGEND` explains.

    They are `Cards.overview` with the default grid; ``make data`` writes them.
    """
    text = files("clusterbits").joinpath("data/cards.json").read_text(encoding="utf-8")
    cards: dict[str, dict[str, str]] = json.loads(text)
    return cards
