"""All artefacts together."""

from dataclasses import dataclass
from types import ModuleType
from typing import Any

from clusterbits.display.results import Result
from clusterbits.display.tables import Records
from clusterbits.paper import (
    bound,
    equation6,
    figure1,
    figure2,
    large_n,
    sweep,
    table1,
    table2,
    violations,
)
from clusterbits.paper.claim import Claim
from clusterbits.parallel import Progress

ARTEFACTS: dict[str, ModuleType] = {
    module.__name__.rpartition(".")[2]: module
    for module in (
        bound, table1, figure1, sweep, figure2, violations, table2, equation6, large_n
    )
}  # fmt: skip


@dataclass(frozen=True, repr=False)
class Reproduction(Result):
    """The paper's claims beside what was computed, and the tidy rows behind them."""

    claims: tuple[Claim, ...]
    rows: dict[str, Records]

    @property
    def disagreements(self) -> tuple[Claim, ...]:
        """The claims that are not confirmed."""
        return tuple(claim for claim in self.claims if not claim.agrees)

    def to_dicts(self) -> list[dict[str, Any]]:
        """Return one row per claim."""
        return [
            {
                "artefact": claim.artefact,
                "claim": claim.claim,
                "paper": claim.printed,
                "clusterbits": claim.found,
                "agree": "yes" if claim.agrees else "NO",
            }
            for claim in self.claims
        ]


def reproduce(progress: Progress = iter) -> Reproduction:
    """Compute every table, figure and count of the paper.

    Examples
    --------
    >>> import clusterbits.paper
    >>> [claim.claim for claim in clusterbits.paper.reproduce().disagreements]
    ['Rand: sequences over ε2 violated', 'Q0: P1.2 for large n']
    """
    claims: list[Claim] = []
    rows: dict[str, Records] = {}
    for name in progress(list(ARTEFACTS)):
        rows[name] = ARTEFACTS[name].rows()
        claims += ARTEFACTS[name].claims(rows[name])
    return Reproduction(tuple(claims), rows)
