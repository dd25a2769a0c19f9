"""Section 4: H(C) + log|C|, "a fairly tight upper bound" on the worst code length."""

import math

from clusterbits.core.table import Contingency
from clusterbits.display.tables import Records
from clusterbits.measures.extremes import worst_clustering
from clusterbits.paper.claim import Claim

CLASS_SIZES = ((100,) * 5, (90, 10), (59, 71, 48), (1000, 10, 10, 10), (1000, 300, 100, 30, 10))


def rows() -> Records:
    """Return one row per vector of class sizes."""
    return [
        {
            "class_sizes": " ".join(map(str, sizes)),
            "worst": worst_clustering(sizes).bits,
            "bound": table.class_entropy + math.log2(len(sizes)),
        }
        for sizes in CLASS_SIZES
        for table in [Contingency.from_counts([[size] for size in sizes])]
    ]


def claims(found: Records) -> list[Claim]:
    """Return whether it is a bound, and how tight."""
    above = [row["bound"] / row["worst"] - 1 for row in found]
    return [
        Claim(
            "Section 4",
            "H(C) + log|C| over the true worst code length",
            "≥, fairly tight",
            f"{min(above):.0%} to {max(above):.0%} above",
            holds=min(above) >= 0,
        )
    ]
