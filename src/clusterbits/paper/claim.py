"""A claim of the paper beside what the counts give."""

from __future__ import annotations

from typing import NamedTuple

# The seven measures of section 7, in the paper's order.
MEASURES = ("q0", "q2", "rand", "fowlkes_mallows", "hubert_gamma", "jaccard", "hamming")
RIVALS = MEASURES[2:]


class Claim(NamedTuple):
    """What the paper prints, what we get, and, where they differ, what a reader should know."""

    artefact: str
    claim: str
    printed: str
    found: str
    remark: str = ""
    holds: bool | None = None

    @property
    def agrees(self) -> bool:
        """Whether the paper is confirmed; by equality where not said otherwise."""
        return self.printed == self.found if self.holds is None else self.holds
