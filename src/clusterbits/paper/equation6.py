"""Equation (6), the code length for very many objects, against (5) as n grows."""

from clusterbits.desiderata import Model
from clusterbits.display.tables import Records
from clusterbits.measures.code_length import q0, q0_asymptotic
from clusterbits.paper.claim import Claim

MODELS = {
    "five pure clusters": Model(),
    "ε1 = 0.2": Model(epsilon1=0.2),
    "Table 1": Model(noise=3, epsilon1=0.2, epsilon2=0.3),
}
SIZES = tuple(10**e for e in range(2, 13))


def rows() -> Records:
    """Return one row per model and n."""
    return [
        {
            "model": name,
            "n": n,
            "q0": q0.of(table),
            "q0_asymptotic": q0_asymptotic.of(table),
            "excess": q0_asymptotic.of(table) - q0.of(table),
        }
        for name, model in MODELS.items()
        for n in SIZES
        for table in [model.expected(n)]
    ]


def claims(found: Records) -> list[Claim]:
    """Return the difference at the largest n."""
    last = max(abs(row["excess"]) for row in found if row["n"] == SIZES[-1])
    return [
        Claim(
            "Equation (6)",
            f"differs from (5) by, at n = {SIZES[-1]:.0e}",
            "→ 0",
            f"{last:.1e} bits",
            holds=last < 1e-8,
        )
    ]
