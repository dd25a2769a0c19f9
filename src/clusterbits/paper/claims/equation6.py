"""Equation (6), the code length for very many objects, against (5) as n grows.

That the two converge says little: H(C|K) alone converges as well. What (6) adds is how the cost of
the table grows, |K|(|C| − 1) bits for each doubling of n. That slope is tested.
"""

import math

from clusterbits.paper.claims.claim import Claim, score_model
from clusterbits.paper.family import Model
from clusterbits.text.tables import Records

MODELS = {
    "five pure clusters": Model(),
    "ε1 = 0.2": Model(epsilon1=0.2),
    "Table 1": Model(noise=3, epsilon1=0.2, epsilon2=0.3),
}
SIZES = tuple(10**e for e in range(2, 13))
CODE_LENGTHS = ("q0", "conditional_entropy", "q0_asymptotic")
# From here to ten times as many: large enough for (6), small enough for rounding.
SLOPE_AT = 10**7
TOLERANCE = 1e-3


def rows() -> Records:
    """Return one row per model and n."""
    return [
        {"model": name, "n": n, **values, "excess": values["q0_asymptotic"] - values["q0"]}
        for name, model in MODELS.items()
        for n in SIZES
        for values in [{measure: score_model(measure, model, n) for measure in CODE_LENGTHS}]
    ]


def slope(model: Model) -> float:
    """Return the slope of n·(Q0 − H(C|K)) in log n, between SLOPE_AT and 10 times as many."""
    return (_table_cost(model, 10 * SLOPE_AT) - _table_cost(model, SLOPE_AT)) / math.log2(10)


def _table_cost(model: Model, n: int) -> float:
    return n * (score_model("q0", model, n) - score_model("conditional_entropy", model, n))


def claims(records: Records) -> list[Claim]:
    """Return the slope for each model, and the difference at the largest n."""
    return [*(_slope(name, model) for name, model in MODELS.items()), _limit(records)]


def _slope(name: str, model: Model) -> Claim:
    expected, computed = model.clusters * (model.classes - 1), slope(model)
    return Claim(
        "Equation (6)",
        f"slope of n (Q0 − H(C|K)) in log n, {name}",
        str(expected),
        f"{computed:.4f}",
        holds=abs(computed - expected) < TOLERANCE,
    )


def _limit(records: Records) -> Claim:
    last = [row for row in records if row["n"] == SIZES[-1]]
    noisy = [row for row in last if row["conditional_entropy"] > 1e-9]
    ratio = max(row["q0"] / row["conditional_entropy"] for row in noisy)
    pure = [row["q0"] for row in last if row not in noisy]
    return Claim(
        "Equation (6)",
        f"Q0 ~ H(C|K) for very large n: ratio, n = {SIZES[-1]:.0e}",
        "1",
        f"1 + {ratio - 1:.0e}",
        f"With pure clusters H(C|K) = 0 and Q0 is the table's cost at every n: {max(pure):.1e} "
        f"bits at n = {SIZES[-1]:.0e}.",
        within="where H(C|K) > 0" if ratio - 1 < 1e-8 else "",
    )
