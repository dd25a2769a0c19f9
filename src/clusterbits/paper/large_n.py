"""Section 6.3 argues that P1.2 holds for large n because H(C|K) rises beyond |K_u| = |C|.

It does not: the sixth useful cluster, which takes half of a class, is a purer place for the errors,
and H(C|K) falls. Once n is large enough for the table's cost not to matter, q0 prefers six useful
clusters to five.
"""

from dataclasses import replace

from clusterbits.desiderata import Grid, Model
from clusterbits.display.tables import Records
from clusterbits.measures.code_length import q0
from clusterbits.paper.claim import Claim

EPSILONS = Grid().epsilon1[1:]
USEFUL = (5, 6, 7, 8, 9, 10)
MOST = 10**6


def rows() -> Records:
    """Return one row per ε1 and |K_u|: the entropy and the code length at two sizes."""
    return [
        {
            "epsilon1": epsilon1,
            "useful": useful,
            "conditional_entropy": model.expected(500).class_entropy_given_cluster,
            "q0_at_500": q0.of(model.expected(500)),
            "q0_at_100000": q0.of(model.expected(100_000)),
        }
        for epsilon1 in EPSILONS
        for useful in USEFUL
        for model in [Model(useful=useful, epsilon1=epsilon1)]
    ]


def first_failure(epsilon1: float) -> int:
    """Return the least n at which q0 prefers six useful clusters to five, by bisection."""
    five = Model(useful=5, epsilon1=epsilon1)
    low, high = 500, MOST
    while high - low > 1:
        middle = (low + high) // 2
        if _prefers_six(five, middle):
            high = middle
        else:
            low = middle
    return high


def _prefers_six(five: Model, n: int) -> bool:
    return q0.of(replace(five, useful=6).expected(n)) < q0.of(five.expected(n))


def claims(found: Records) -> list[Claim]:
    """Return the finding with its witness, and what holds at n = 500."""
    entropy = {
        row["useful"]: row["conditional_entropy"] for row in found if row["epsilon1"] == EPSILONS[0]
    }
    starts = {epsilon1: first_failure(epsilon1) for epsilon1 in EPSILONS}
    n = starts[EPSILONS[-1]]
    five = Model(useful=5, epsilon1=EPSILONS[-1])
    values = [q0.of(replace(five, useful=useful).expected(n)) for useful in (5, 6)]
    remark = (
        "The paper argues that P1.2 holds for large n because H(C|K) rises beyond |C|. It falls: "
        f"with ε1 = {EPSILONS[0]:.4f} and no noise it is "
        + ", ".join(f"{entropy[k]:.5f} at |K_u| = {k}" for k in (5, 6, 7, 10))
        + ". So q0 itself breaks P1.2 between 5 and 6 from "
        + ", ".join(
            f"n = {start:,} on for ε1 = {epsilon1:.4f}" for epsilon1, start in starts.items()
        )
        + f" (at n = {n:,}: {values[0]:.6f} → {values[1]:.6f}). At the paper's n = 500 it holds."
    )
    return [
        Claim(
            "Section 6.3",
            "Q0: P1.2 for large n",
            "holds",
            "fails from n = " + ", ".join(f"{start:,}" for start in starts.values()),
            remark,
        ),
        Claim(
            "Section 6.3",
            "Q0: P1.2 between |K_u| = 5 and 6 at n = 500",
            "holds",
            "fails" if any(_prefers_six(Model(epsilon1=e), 500) for e in EPSILONS) else "holds",
        ),
    ]
