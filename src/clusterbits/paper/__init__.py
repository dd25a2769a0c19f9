"""The paper, reproduced: one module per table, figure or argument of sections 4 to 8.

Each has ``rows()``, tidy rows of what was computed, and ``claims(rows)``, what the paper prints
beside what was found, with a verdict. Only the printed values are typed in.
"""

from clusterbits.paper.claim import Claim
from clusterbits.paper.reproduction import ARTEFACTS, Reproduction, reproduce

__all__ = ["ARTEFACTS", "Claim", "Reproduction", "reproduce"]


def __dir__() -> list[str]:
    return __all__
