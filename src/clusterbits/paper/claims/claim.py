"""A claim of the paper, and what was computed."""

from typing import Literal, NamedTuple

from clusterbits.measures.catalogue import get_measure
from clusterbits.paper.cards.judge import SizedModel, make_table
from clusterbits.paper.family import Model

# The seven measures of section 7, in the paper's order.
MEASURES = ("q0", "q2", "rand", "fowlkes_mallows", "hubert_gamma", "jaccard", "hamming_similarity")
RIVALS = MEASURES[2:]
# The two of section 5 that section 7 leaves out.
LEFT_OUT = ("conditional_entropy", "classification_error")

# The n of section 7.
N = 500

ClaimVerdict = Literal["holds", "fails", "holds within a range"]


class Claim(NamedTuple):
    """What the paper prints, and what was computed.

    `holds` is whether the paper is confirmed, if that is not equality of the two. `within` is the
    range in which a claim holds that does not hold throughout, `witness` has the numbers to check.
    """

    artefact: str
    claim: str
    printed: str
    computed: str
    witness: str = ""
    holds: bool | None = None
    within: str = ""

    @property
    def verdict(self) -> ClaimVerdict:
        """Whether the claim holds, fails, or holds within a range."""
        if self.printed == self.computed if self.holds is None else self.holds:
            return "holds"
        return "holds within a range" if self.within else "fails"

    @property
    def mark(self) -> str:
        """The verdict as a sign: ✓, ✗, or ~ within a range."""
        return {"holds": "✓", "fails": "✗"}.get(self.verdict, "~")

    @property
    def remark(self) -> str:
        """The range and the witness of a claim that does not simply hold."""
        if self.verdict == "holds":
            return ""
        within = f"Holds {self.within}. " if self.within else ""
        return within + self.witness


def score_model(measure: str, model: Model, n: float = N) -> float:
    """Return a measure's value on a model's table of expected counts."""
    return get_measure(measure).score_table(make_table(SizedModel(model, n)))
