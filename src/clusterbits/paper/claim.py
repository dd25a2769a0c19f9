"""A claim of the paper beside what we compute."""

from typing import NamedTuple

# The seven measures of section 7, in the paper's order.
MEASURES = ("q0", "q2", "rand", "fowlkes_mallows", "hubert_gamma", "jaccard", "hamming")
RIVALS = MEASURES[2:]


class Claim(NamedTuple):
    """What the paper prints, what we find, and a remark where they differ."""

    artefact: str
    claim: str
    printed: str
    found: str
    remark: str = ""
    holds: bool | None = None

    @property
    def agrees(self) -> bool:
        """Whether the paper is confirmed: `holds` where given, else equality."""
        return self.printed == self.found if self.holds is None else self.holds
