"""Section 6.3 concludes that Q0 satisfies all five desiderata for large n. P1.2 is the exception.

The paper argues that H(C|K) rises beyond |K_u| = |C|. It falls: the sixth useful cluster, which
takes half of a class, is a purer place for the errors. Once n is large enough for the table's cost
not to matter, q0 prefers six useful clusters to five. The cause is the family: where errors spread
over the other classes instead of the other clusters, H(C|K) is constant from there on, and P1.2
holds for every n.
"""

from bisect import bisect_left
from dataclasses import replace

from clusterbits.measures.code_length import q0
from clusterbits.paper.cards.criterion import Verdict
from clusterbits.paper.claims.claim import Claim
from clusterbits.paper.claims.violations import verdicts
from clusterbits.paper.family import ErrorsOver, Grid, Model
from clusterbits.text.shortened import listed
from clusterbits.text.tables import Records

EPSILONS = Grid().epsilon1[1:]
USEFUL = (5, 6, 7, 8, 9, 10)
MOST = 10**6
SIZES = (50, 500, 10**4, 10**6, 10**9)
FAMILIES: tuple[ErrorsOver, ...] = ("clusters", "classes")
SECTION = "§6.3"


def rows() -> Records:
    """Return one row per family, ε1 and |K_u|: the entropy and the code length at two sizes."""
    return [
        {
            "errors_over": family,
            "epsilon1": epsilon1,
            "useful": useful,
            "conditional_entropy": model.expected(500).class_entropy_given_cluster,
            "q0_at_500": q0.score_table(model.expected(500)),
            "q0_at_100000": q0.score_table(model.expected(100_000)),
        }
        for family in FAMILIES
        for epsilon1 in EPSILONS
        for useful in USEFUL
        for model in [Model(useful=useful, epsilon1=epsilon1, errors_over=family)]
    ]


def q0_verdicts(n: float, family: ErrorsOver) -> dict[str, Verdict]:
    """Return Dom's five verdicts on q0, for n objects."""
    return verdicts("q0", Grid(n=n, errors_over=family))


def first_failure(epsilon1: float) -> int:
    """Return the least n at which q0 prefers six useful clusters to five, by bisection."""
    five = Model(useful=5, epsilon1=epsilon1)
    sizes = range(500, MOST)
    return sizes[bisect_left(sizes, True, key=lambda n: _prefers_six(five, n))]


def _prefers_six(five: Model, n: int) -> bool:
    return q0.score_table(replace(five, useful=6).expected(n)) < q0.score_table(five.expected(n))


def claims(found: Records) -> list[Claim]:
    """Return P1.1 and P1.2 at growing n, in both families, and all five desiderata together."""
    return [
        Claim(
            SECTION,
            "Q0: P1.2 between |K_u| = 5 and 6 at n = 500",
            "holds",
            "fails" if any(_prefers_six(Model(epsilon1=e), 500) for e in EPSILONS) else "holds",
        ),
        _at_every_n("P1.1", "clusters"),
        _p1_2(),
        _at_every_n("P1.2", "classes"),
        _all_five(),
    ]


def _at_every_n(criterion: str, family: ErrorsOver) -> Claim:
    """Return whether q0 satisfies a desideratum at every n tried."""
    broken = any(q0_verdicts(n, family)[criterion].violated for n in SIZES)
    return Claim(
        SECTION,
        f"Q0: {criterion} at n = {SIZES[0]} … {SIZES[-1]:.0e}"
        + (", errors over other classes" if family == "classes" else ""),
        "holds",
        "violated" if broken else "holds",
    )


def _p1_2() -> Claim:
    """Return what becomes of P1.2 in the paper's family, with its witness."""
    starts = {epsilon1: first_failure(epsilon1) for epsilon1 in EPSILONS}
    n = min(starts.values())
    five = Model(useful=5, epsilon1=EPSILONS[-1])
    values = [q0.score_table(replace(five, useful=useful).expected(n)) for useful in (5, 6)]
    other = [
        q0.score_table(replace(five, useful=useful, errors_over="classes").expected(SIZES[-1]))
        - q0.score_table(five.expected(SIZES[-1]))
        for useful in (6, 10)
    ]
    witness = (
        "Q0 breaks P1.2 between |K_u| = 5 and 6 from "
        + listed([f"n = {start:,} on for ε1 = {e:.4f}" for e, start in starts.items()])
        + f" (at n = {n:,}: {values[0]:.6f} → {values[1]:.6f}). Sequences violated: "
        + listed([f"{q0_verdicts(n, 'clusters')['P1.2'].fraction} at n = {n:,}" for n in SIZES])
        + ". It is a property of the family, not only of Q0: with the errors spread over the other "
        "classes, "
        + listed([f"{q0_verdicts(n, 'classes')['P1.2'].fraction} at n = {n:,}" for n in SIZES])
        + f", and at n = {SIZES[-1]:.0e} 6 and 10 useful clusters still cost {other[0]:.1e} and "
        f"{other[1]:.1e} bits per object more than 5."
    )
    return Claim(SECTION, "Q0: P1.2 for large n", "holds", f"fails at n ≥ {n:,}", witness)


def _all_five() -> Claim:
    """Return the conclusion of the section: all five desiderata hold asymptotically."""
    n = SIZES[-1]
    found = q0_verdicts(n, "clusters")
    broken = [f"{name} {v.mark}" for name, v in found.items() if v.violated]
    kept = [name for name, v in found.items() if not v.violated]
    left = sum(v.violated_sequences for v in q0_verdicts(n, "classes").values())
    return Claim(
        SECTION,
        f"Q0: all five desiderata asymptotically, n = {n:.0e}",
        "satisfied",
        ", ".join(broken) or "satisfied",
        f"On the grid of section 7 the others hold: {listed(kept)}. With errors over the other "
        f"classes all five have {left} violations.",
    )
