"""All claims of the paper, in its order."""

from dataclasses import dataclass
from types import ModuleType
from typing import Any

from clusterbits.paper.claims import (
    analysis,
    bound,
    equation6,
    figure1,
    large_n,
    section4,
    section5,
    sweep,
    table1,
    violations,
)
from clusterbits.paper.claims.claim import Claim
from clusterbits.system.progress import Progress, track
from clusterbits.text.results import Result
from clusterbits.text.tables import Records

ARTEFACTS: dict[str, ModuleType] = {
    module.__name__.rpartition(".")[2]: module
    for module in (
        section4, bound, equation6, section5, table1, analysis, large_n, figure1, sweep,
        violations,
    )
}  # fmt: skip


@dataclass(frozen=True, eq=False, repr=False)
class Reproduction(Result):
    """The paper's claims with their verdicts, and the tidy rows behind them."""

    claims: tuple[Claim, ...]
    rows: dict[str, Records]

    @property
    def disagreements(self) -> tuple[Claim, ...]:
        """The claims that do not simply hold."""
        return tuple(claim for claim in self.claims if claim.verdict != "holds")

    @property
    def title(self) -> str:
        """How many claims hold."""
        marks = [claim.mark for claim in self.claims]
        return (
            f"{marks.count('✓')} of {len(marks)} claims hold (✓), {marks.count('~')} hold within a "
            f"range (~), {marks.count('✗')} fail (✗)."
        )

    def to_dicts(self) -> list[dict[str, Any]]:
        """Return one row per claim, with the range in which it holds and the witness."""
        return [
            {
                "artefact": claim.artefact,
                "claim": claim.claim,
                "paper": claim.printed,
                "clusterbits": claim.computed,
                "verdict": claim.verdict,
                "range": claim.within,
                "witness": claim.witness,
            }
            for claim in self.claims
        ]

    def summary(self) -> list[dict[str, Any]]:
        """Return one short row per claim."""
        keys = ("artefact", "claim", "paper", "clusterbits")
        rows = zip(self.claims, self.to_dicts(), strict=True)
        return [{"holds": claim.mark} | {key: row[key] for key in keys} for claim, row in rows]

    _shown = summary


def reproduce(progress: Progress = None) -> Reproduction:
    """Compute every table, figure, count and other checkable claim of the paper.

    Examples
    --------
    >>> import clusterbits.paper
    >>> result = clusterbits.paper.reproduce()
    >>> len(result.claims), len(result.disagreements)
    (72, 15)
    >>> [claim.claim for claim in result.disagreements if claim.artefact == "§7.0.1, P3"]
    ['Rand: sequences over ε2 violated']
    """
    claims: list[Claim] = []
    rows: dict[str, Records] = {}
    for name in track(progress, list(ARTEFACTS)):
        rows[name] = ARTEFACTS[name].rows()
        claims += ARTEFACTS[name].claims(rows[name])
    return Reproduction(tuple(claims), rows)
