"""Section 6.3 concludes that Q0 satisfies all five desiderata for large n. P1.2 is the exception.

The paper argues that H(C|K) rises beyond |K_u| = |C|. It falls: the sixth useful cluster, which
takes half of a class, gets purer errors. Once n is large enough for the table's cost not to matter,
q0 prefers six useful clusters to five. The cause is the family: if errors spread over the other
classes instead of the other clusters, H(C|K) is constant from there on, and P1.2 holds for every n.
"""

from bisect import bisect_left

from clusterbits.paper.cards.criterion import Verdict
from clusterbits.paper.claims.claim import Claim, score_model
from clusterbits.paper.claims.violations import verdicts
from clusterbits.paper.family import ErrorsOver, Grid, Model
from clusterbits.text.shortened import listed
from clusterbits.text.tables import Records

EPSILONS = Grid().epsilon1[1:]
USEFUL = (5, 6, 7, 8, 9, 10)
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
            "conditional_entropy": score_model("conditional_entropy", model),
            "q0_at_500": score_model("q0", model),
            "q0_at_100000": score_model("q0", model, 100_000),
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
    sizes = range(500, 10**6)
    return sizes[bisect_left(sizes, True, key=lambda n: _prefers_six(epsilon1, n))]


def _bits(useful: int, epsilon1: float, n: int, family: ErrorsOver = "clusters") -> float:
    return score_model("q0", Model(useful=useful, epsilon1=epsilon1, errors_over=family), n)


def _prefers_six(epsilon1: float, n: int) -> bool:
    return _bits(6, epsilon1, n) < _bits(5, epsilon1, n)


def claims(_: Records) -> list[Claim]:
    """Return P1.1 and P1.2 at growing n, in both families, and all five desiderata together."""
    fails = any(_prefers_six(epsilon1, 500) for epsilon1 in EPSILONS)
    title = "Q0: P1.2 between |K_u| = 5 and 6 at n = 500"
    return [
        Claim(SECTION, title, "holds", "fails" if fails else "holds"),
        _at_every_n("P1.1", "clusters"),
        _p1_2(),
        _at_every_n("P1.2", "classes"),
        _all_five(),
    ]


def _at_every_n(criterion: str, family: ErrorsOver) -> Claim:
    """Return the claim that q0 satisfies a desideratum at every n tried."""
    violated = any(q0_verdicts(n, family)[criterion].violated for n in SIZES)
    title = f"Q0: {criterion} at n = {SIZES[0]} … {SIZES[-1]:.0e}"
    title += ", errors over other classes" * (family == "classes")
    return Claim(SECTION, title, "holds", "violated" if violated else "holds")


def _p1_2() -> Claim:
    """Return P1.2 in the paper's family, with its witness."""
    starts = {epsilon1: first_failure(epsilon1) for epsilon1 in EPSILONS}
    n, epsilon1, large = min(starts.values()), EPSILONS[-1], SIZES[-1]
    five, six = (_bits(useful, epsilon1, n) for useful in (5, 6))
    more = [_bits(k, epsilon1, large, "classes") - _bits(5, epsilon1, large) for k in (6, 10)]
    violated = {
        family: listed([f"{q0_verdicts(n, family)['P1.2'].fraction} at n = {n:,}" for n in SIZES])
        for family in FAMILIES
    }
    witness = (
        "Q0 breaks P1.2 between |K_u| = 5 and 6 from "
        + listed([f"n = {start:,} on for ε1 = {e:.4f}" for e, start in starts.items()])
        + f" (at n = {n:,}: {five:.6f} → {six:.6f}). Sequences violated: {violated['clusters']}. "
        "It is a property of the family, not only of Q0: with the errors spread over the other "
        f"classes, {violated['classes']}, and at n = {large:.0e} 6 and 10 useful clusters still "
        f"cost {more[0]:.1e} and {more[1]:.1e} bits per object more than 5."
    )
    return Claim(SECTION, "Q0: P1.2 for large n", "holds", f"fails at n ≥ {n:,}", witness)


def _all_five() -> Claim:
    """Return the conclusion of the section: all five desiderata hold asymptotically."""
    n = SIZES[-1]
    by_name = q0_verdicts(n, "clusters")
    broken = [f"{name} {verdict.mark}" for name, verdict in by_name.items() if verdict.violated]
    satisfied = [name for name, verdict in by_name.items() if not verdict.violated]
    over_classes = sum(v.violated_sequences for v in q0_verdicts(n, "classes").values())
    return Claim(
        SECTION,
        f"Q0: all five desiderata asymptotically, n = {n:.0e}",
        "satisfied",
        ", ".join(broken) or "satisfied",
        f"On the grid of section 7 the others hold: {listed(satisfied)}. With errors over the "
        f"other classes all five have {over_classes} violations.",
    )
