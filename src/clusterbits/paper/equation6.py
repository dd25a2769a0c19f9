"""Equation (6), the code length for very many objects, against (5) as n grows."""

from __future__ import annotations

from clusterbits.desiderata import Model
from clusterbits.measures.code_length import q0, q0_asymptotic
from clusterbits.paper.claim import Claim, Rows

MODELS = {
    "five pure clusters": Model(),
    "ε1 = 0.2": Model(epsilon1=0.2),
    "Table 1": Model(noise=3, epsilon1=0.2, epsilon2=0.3),
}
SIZES = tuple(10**e for e in range(2, 13))


def rows() -> Rows:
    """Return one row per model and n."""
    found: Rows = []
    for name, model in MODELS.items():
        for n in SIZES:
            exact = q0.of(model.expected(n))
            asymptotic = q0_asymptotic.of(model.expected(n))
            found.append(
                {
                    "model": name,
                    "n": n,
                    "q0": exact,
                    "q0_asymptotic": asymptotic,
                    "excess": asymptotic - exact,
                }
            )
    return found


def claims() -> list[Claim]:
    """Check that the difference vanishes."""
    last = max(abs(row["excess"]) for row in rows() if row["n"] == SIZES[-1])
    return [
        Claim(
            "Equation (6)",
            f"differs from (5) by, at n = {SIZES[-1]:.0e}",
            "→ 0",
            f"{last:.1e} bits",
            holds=last < 1e-8,
        )
    ]
