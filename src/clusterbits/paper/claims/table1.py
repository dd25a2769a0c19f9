"""Section 6.1: the family, and Table 1: |K_u| = |C| = 5, |K_n| = 3, ε1 = 0.2 and ε2 = 0.3."""

import math
from itertools import chain

from clusterbits.paper.claims.claim import Claim
from clusterbits.paper.family import Grid, Model
from clusterbits.text.tables import Records

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
    """Return the claims: models as specified, the formula for class 2, the 40 cells."""
    cells = chain.from_iterable(MODEL.joint().tolist())
    same = sum(f"{p:.2f}" == printed for p, printed in zip(cells, chain(*PRINTED), strict=True))
    models = list(Grid().models())
    specified = sum(map(_errors_add_up, models))
    title = "models with errors of ε1 + ε2, ε2 of them in noise"
    return [
        Claim("§6.1", title, str(len(models)), str(specified)),
        _second_class(),
        Claim("Table 1", "the 40 cells of p(c,k)", "40", str(same)),
    ]


def _errors_add_up(model: Model) -> bool:
    """Whether p(c,k) outside K(c) adds up to ε1 + ε2, and noise clusters to ε2."""
    p = model.joint()
    right = sum(
        p[c, list(clusters)].sum() for c, clusters in enumerate(model.clusters_of_classes())
    )
    noise = p[:, model.useful :]
    return (
        math.isclose(1 - right, model.epsilon1 + model.epsilon2, abs_tol=1e-12)
        and math.isclose(noise.sum(), model.epsilon2, abs_tol=1e-12)
        and bool((abs(noise - noise.mean(axis=0)) < 1e-12).all() if model.noise else True)
    )


def _second_class() -> Claim:
    """Return the claim that the formula for class 2 deals clusters as the rule in words does."""
    beyond = [Model(useful=useful) for useful in Grid().useful if useful > Model().classes]
    by_rule = {m.useful: len(m.clusters_of_classes()[1]) for m in beyond}
    # |C(k)| = 1 for every cluster if there are more clusters than classes.
    by_formula = {m.useful: math.ceil((m.useful - 1) / (m.classes - 1)) for m in beyond}
    wrong = [useful for useful in by_rule if by_rule[useful] != by_formula[useful]]
    return Claim(
        "§6.1",
        "⌈(|K_u| − |C(1)|)/(|C| − 1)⌉ clusters for class 2",
        "as the rule",
        f"not at {', '.join(map(str, wrong))}",
        f"With |K_u| = {wrong[0]} the formula deals {by_formula[wrong[0]]} clusters to class 2, "
        f"the rule in words {by_rule[wrong[0]]}. |K(1)| must be meant.",
    )
