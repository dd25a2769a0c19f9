"""Table 2: of 120 sequences over |K_n|, those in which a measure does not fall throughout (P2)."""

from clusterbits.display.tables import Records
from clusterbits.paper.claim import RIVALS, Claim
from clusterbits.paper.violations import verdicts

PRINTED = {
    "rand": 120,
    "fowlkes_mallows": 103,
    "hubert_gamma": 120,
    "jaccard": 80,
    "hamming_similarity": 120,
}


def rows() -> Records:
    """Return one row per rival."""
    return [
        {
            "measure": rival,
            "printed": PRINTED[rival],
            "violated": verdicts()[rival, "P2"].violated_sequences,
            "sequences": verdicts()[rival, "P2"].sequences,
        }
        for rival in RIVALS
    ]


def claims(found: Records) -> list[Claim]:
    """Return the five counts beside the printed ones."""
    return [
        Claim("Table 2", f"{row['measure']}: P2 violated, of {row['sequences']}",
              str(row["printed"]), str(row["violated"]))
        for row in found
    ]  # fmt: skip
