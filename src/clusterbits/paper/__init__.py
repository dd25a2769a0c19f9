"""The paper's world: its family p(c,k), report cards of measures, and the paper reproduced.

``Model`` and ``Grid`` are the family of section 6.1. ``check(measure)`` gives a measure's report
card: Dom's desiderata, and later axioms. ``reproduce()`` computes every claim of the paper.
"""

from clusterbits.paper.cards.card import CRITERIA, Card, Cards, check
from clusterbits.paper.cards.criterion import Criterion, Verdict, Witness
from clusterbits.paper.cards.dom import DOM_CRITERIA
from clusterbits.paper.cards.judge import Judge, as_judge
from clusterbits.paper.claims.claim import Claim
from clusterbits.paper.claims.reproduction import ARTEFACTS, Reproduction, reproduce
from clusterbits.paper.family import Grid, Model

__all__ = [
    "ARTEFACTS",
    "CRITERIA",
    "DOM_CRITERIA",
    "Card",
    "Cards",
    "Claim",
    "Criterion",
    "Grid",
    "Judge",
    "Model",
    "Reproduction",
    "Verdict",
    "Witness",
    "as_judge",
    "check",
    "reproduce",
]


def __dir__() -> list[str]:
    return __all__
