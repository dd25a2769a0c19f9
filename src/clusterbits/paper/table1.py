"""Table 1: p(c,k) with |K_u| = |C| = 5, |K_n| = 3, ε1 = 0.2 and ε2 = 0.3."""

from clusterbits.desiderata import Model
from clusterbits.display.tables import Records
from clusterbits.paper.claim import Claim

MODEL = Model(classes=5, useful=5, noise=3, epsilon1=0.2, epsilon2=0.3)
PRINTED = tuple(
    tuple("0.10" if k == c else "0.01" if k < 5 else "0.02" for k in range(8)) for c in range(5)
)


def rows() -> Records:
    """Return one row per cell."""
    return [
        {"class": c + 1, "cluster": k + 1, "probability": float(p)}
        for c, row in enumerate(MODEL.joint())
        for k, p in enumerate(row)
    ]


def claims(_: Records) -> list[Claim]:
    """Return how many of the 40 cells agree."""
    found = tuple(tuple(f"{p:.2f}" for p in row) for row in MODEL.joint())
    same = sum(
        a == b for x, y in zip(found, PRINTED, strict=True) for a, b in zip(x, y, strict=True)
    )
    return [Claim("Table 1", "the 40 cells of p(c,k)", "40", str(same))]
