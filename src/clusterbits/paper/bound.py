"""Section 4: H(C) + log|C|, "a fairly tight upper bound" on the worst code length."""

from __future__ import annotations

import math

from clusterbits.core.table import Contingency
from clusterbits.measures.extremes import worst_clustering
from clusterbits.paper.claim import Claim, Rows

CLASS_SIZES = ((100,) * 5, (90, 10), (59, 71, 48), (1000, 10, 10, 10), (1000, 300, 100, 30, 10))


def rows() -> Rows:
    """Return one row per vector of class sizes."""
    found: Rows = []
    for sizes in CLASS_SIZES:
        worst = worst_clustering(sizes)
        entropy = Contingency.from_counts([[size] for size in sizes]).class_entropy
        bound = entropy + math.log2(len(sizes))
        found.append(
            {"class_sizes": " ".join(map(str, sizes)), "worst": worst.bits, "bound": bound}
        )
    return found


def claims() -> list[Claim]:
    """Check that it bounds, and say how tightly."""
    table = rows()
    above = [row["bound"] / row["worst"] - 1 for row in table]
    return [
        Claim(
            "Section 4",
            "H(C) + log|C| over the true worst code length",
            "≥, fairly tight",
            f"{min(above):.0%} to {max(above):.0%} above",
            holds=min(above) >= 0,
        )
    ]
