"""The paper's world: its family p(c,k), report cards of measures, and the paper reproduced.

``Model`` and ``Grid`` are the family of section 6.1. ``check(measure)`` gives a measure's report
card: Dom's desiderata, and later axioms. ``reproduce()`` computes every claim of the paper.
"""

from clusterbits.paper.cards.card import CRITERIA, Card, Cards, check
from clusterbits.paper.cards.criterion import Verdict, Witness
from clusterbits.paper.claims.claim import Claim
from clusterbits.paper.claims.reproduction import Reproduction, reproduce
from clusterbits.paper.family import Grid, Model

__all__ = [
    "CRITERIA",
    "Card",
    "Cards",
    "Claim",
    "Grid",
    "Model",
    "Reproduction",
    "Verdict",
    "Witness",
    "check",
    "reproduce",
]


def __dir__() -> list[str]:
    return __all__
