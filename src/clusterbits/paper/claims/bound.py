"""Section 4: the extremes of Q0 between which Q2 lies, and the upper bound the paper uses."""

import math

from clusterbits.measures.code_length import q2
from clusterbits.measures.extremes import worst_clustering
from clusterbits.paper.claims.claim import Claim
from clusterbits.table.contingency import Contingency
from clusterbits.text.shortened import listed
from clusterbits.text.tables import Records

EQUAL = (5, 10, 100, 1000)  # numbers of classes, of 100 objects each
UNEQUAL = ((90, 10), (59, 71, 48), (1000, 10, 10, 10), (1000, 300, 100, 30, 10))
# A tight bound exceeds the maximum by no more than this share.
TIGHT = 0.1


def rows() -> Records:
    """Return one row per vector of class sizes."""
    cases = {f"{count} × 100": (100,) * count for count in EQUAL}
    cases |= {" ".join(map(str, sizes)): sizes for sizes in UNEQUAL}
    return [{"class_sizes": name, **_compare(sizes)} for name, sizes in cases.items()]


def _compare(sizes: tuple[int, ...]) -> dict[str, float]:
    """Return the maximum of Q0, the bound, the gap, and Q2 of the worst clustering by each."""
    worst = worst_clustering(sizes)
    classes = Contingency.from_counts([[size] for size in sizes])
    bound = classes.class_entropy + math.log2(len(sizes))
    return {
        "classes": len(sizes),
        "worst": worst.bits,
        "bound": bound,
        "gap": bound / worst.bits - 1,
        "q2_of_worst": q2.score_table(worst.table),
        "q2_exact_of_worst": q2.score_table(worst.table, worst="exact"),
    }


def claims(records: Records) -> list[Claim]:
    """Return the claims on the bound, its tightness, and Q2 of the worst clustering."""
    gaps = [row["gap"] for row in records]
    equal = records[: len(EQUAL)]
    by_classes = listed([f"{row['gap']:.0%} at {row['classes']}" for row in equal])
    by_score = listed([f"{row['q2_of_worst']:.2f} at {row['classes']}" for row in equal])
    lowest = [row["q2_of_worst"] for row in records]
    tightest = min(records, key=lambda row: row["gap"])
    exact = max(abs(row["q2_exact_of_worst"]) for row in records)
    return [
        Claim(
            "§4",
            "H(C) + log|C| against the maximum of Q0",
            "upper bound",
            "upper bound" if min(gaps) >= 0 else "exceeded",
        ),
        Claim(
            "§4",
            "the bound is tight",
            "fairly",
            f"{min(gaps):.0%} to {max(gaps):.0%} above",
            f"The bound exceeds the maximum by {by_classes} equal classes: for five of 100, "
            f"{equal[0]['bound']:.4f} bits against {equal[0]['worst']:.4f}. It nears twice the "
            "maximum as |C| grows: 2 log|C| against log|C| + 2. The least gap is "
            f"{tightest['gap']:.0%}, at the class sizes {tightest['class_sizes']}; tight means "
            f"{TIGHT:.0%} at most here.",
            holds=max(gaps) <= TIGHT,
        ),
        Claim(
            "§4",
            "Q2 of the worst clustering",
            "0",
            f"{min(lowest):.2f} to {max(lowest):.2f}",
            "With the bound in place of the maximum, the worst clustering scores "
            f"{by_score} equal classes.",
            within="with the true maximum in (7)" if exact < 1e-9 else "",
        ),
    ]
