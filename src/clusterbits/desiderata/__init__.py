"""Judging measures by how they behave: the paper's section 6 as a tool, and later axioms.

``check(measure)`` gives a measure's report card: Dom's five desiderata on the family p(c,k),
Amigó's four constraints, and properties tried by brute force on all small partitions. A failure
comes with a witness: tables, values and parameters that a reader can verify by hand.
"""

from clusterbits.desiderata.card import Card, Cards, check
from clusterbits.desiderata.dom import CRITERIA as DOM_CRITERIA
from clusterbits.desiderata.dom import judge_dom
from clusterbits.desiderata.family import Grid, Model
from clusterbits.desiderata.judge import Judge, as_judge
from clusterbits.desiderata.verdict import Verdict, Witness

__all__ = [
    "DOM_CRITERIA",
    "Card",
    "Cards",
    "Grid",
    "Judge",
    "Model",
    "Verdict",
    "Witness",
    "as_judge",
    "check",
    "judge_dom",
]
