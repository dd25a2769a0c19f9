"""Section 6.3: how H(C|K) and the table's cost change with each parameter of the family.

Every step is tried on the grid of section 7, the errors ε1 and ε2 also far beyond it.
"""

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import lru_cache
from itertools import pairwise
from typing import Any

from clusterbits.paper.claims.claim import Claim
from clusterbits.paper.claims.equation6 import TOLERANCE, slope
from clusterbits.paper.family import Grid, Model
from clusterbits.text.shortened import listed
from clusterbits.text.tables import Records

SECTION = "§6.3"
STEPS = 20  # from no errors to the level of chance
# A step over each error parameter past the level of chance.
PAST_CHANCE = {
    "epsilon1": (Model(useful=2, epsilon1=0.5), Model(useful=2, epsilon1=0.9)),
    "epsilon2": (Model(5, 2, 1, 0.85, 0.05), Model(5, 2, 1, 0.85, 0.15)),
}
LETTERS = {"useful": "|K_u|", "noise": "|K_n|", "epsilon1": "ε1", "epsilon2": "ε2"}
Steps = list[tuple[Model, Model]]


@lru_cache(maxsize=4096)
def entropy(model: Model) -> float:
    """Return H(C|K), which does not depend on n."""
    return model.expected(Grid().n).class_entropy_given_cluster


@lru_cache(maxsize=4096)
def cost(model: Model) -> float:
    """Return the table's cost, the second term of (5), at the n of section 7."""
    return model.expected(Grid().n).table_bits()


# What 6.3 says: quantity, parameter, the steps it speaks of, and the way the quantity goes.
ARGUMENT: tuple[tuple[str, str, str, str], ...] = (
    ("H(C|K)", "useful", "beyond |C|", "rises"),
    ("table's cost", "useful", "beyond |C|", "rises"),
    ("H(C|K)", "useful", "up to |C|", "falls"),
    ("table's cost", "useful", "up to |C|", "rises"),
    ("table's cost", "noise", "", "rises"),
    ("H(C|K)", "noise", "", "stays"),
    ("H(C|K)", "epsilon1", "", "rises"),
    ("H(C|K)", "epsilon2", "", "rises"),
)
QUANTITIES: dict[str, Callable[[Model], float]] = {"H(C|K)": entropy, "table's cost": cost}


def rows() -> Records:
    """Return one row per statement: in how many steps the quantity rises, falls and stays."""
    return [
        {
            "quantity": quantity,
            "parameter": parameter,
            "where": where,
            "printed": printed,
            "steps": len(steps),
            **ways(steps, QUANTITIES[quantity]),
        }
        for quantity, parameter, where, printed in ARGUMENT
        for steps in [_steps(parameter, where)]
    ]


def _steps(parameter: str, where: str) -> Steps:
    """Return the grid's steps over the parameter, all or on one side of |K_u| = |C|."""
    steps = [step for run in Grid().sequences(parameter) for step in pairwise(run)]
    if not where:
        return steps
    beyond = where == "beyond |C|"
    return [(a, b) for a, b in steps if (a.useful >= a.classes) == beyond]


def ways(steps: Steps, quantity: Callable[[Model], float]) -> dict[str, int]:
    """Return in how many steps a quantity rises, falls and stays."""
    changes = [quantity(after) - quantity(before) for before, after in steps]
    counts = Counter(
        "stays" if abs(change) < 1e-12 else "rises" if change > 0 else "falls" for change in changes
    )
    return {way: counts[way] for way in ("rises", "falls", "stays")}


def claims(found: Records) -> list[Claim]:
    """Return the statements of the section beside how often they come true."""
    return [*map(_claim, found), _asymptotic_cost()]


def _asymptotic_cost() -> Claim:
    models = [Model(noise=1, epsilon1=a, epsilon2=b) for a in (0, 0.2) for b in (0.1, 0.3)]
    slopes = [slope(model) for model in models]
    same = max(slopes) - min(slopes) < TOLERANCE
    return Claim(
        SECTION,
        "effect of ε1, ε2 on the table's asymptotic cost",
        "none",
        "none" if same else listed([f"{s:.4f}" for s in slopes]),
    )


def _claim(row: Mapping[str, Any]) -> Claim:
    parameter, steps, printed = row["parameter"], row["steps"], row["printed"]
    title = f"{row['quantity']} as {LETTERS[parameter]} rises {row['where']}".rstrip()
    on_grid = row[printed] == steps
    if parameter in PAST_CHANCE:
        return _past_chance(title, parameter, steps if on_grid else 0)
    return Claim(
        SECTION,
        title,
        printed,
        f"{printed} {row[printed]} of {steps}",
        ""
        if on_grid
        else f"It falls in {row['falls']} steps, stays in {row['stays']}. {_beyond()}",
        holds=on_grid,
    )


def _beyond() -> str:
    """Return H(C|K) beyond |K_u| = |C|, in both families."""
    model = Model(epsilon1=Grid().epsilon1[1])
    shown = (5, 6, 7, 10)
    clusters, classes = (
        [entropy(replace(model, useful=k, errors_over=over)) for k in shown]
        for over in ("clusters", "classes")
    )
    return (
        f"With ε1 = {model.epsilon1:.4f} and no noise H(C|K) is "
        + ", ".join(f"{h:.5f} at |K_u| = {k}" for k, h in zip(shown, clusters, strict=True))
        + ". That is due to the family, whose errors go evenly to the other clusters; were they "
        "to go evenly to the other classes, it would be "
        + ", ".join(f"{h:.5f}" for h in classes)
        + "."
    )


def chance_level(useful: int, epsilon2: float = 0.0) -> float:
    """Return the ε1 at which a class is as frequent in other useful clusters as in its own."""
    own = max(map(len, Model(useful=useful).clusters_of_classes()))
    return (1 - epsilon2) * (useful - own) / useful


def steps_up_to_chance(parameter: str) -> Steps:
    """Return steps over ε1 or ε2 in which ε1 stays at or below the level of chance."""
    steps: Steps = []
    for useful in Grid().useful:
        for epsilon2 in Grid().epsilon2:
            start = Model(useful=useful, noise=int(epsilon2 > 0), epsilon2=epsilon2)
            top = chance_level(useful, epsilon2)
            run = [replace(start, epsilon1=top * i / STEPS) for i in range(STEPS + 1)]
            if parameter == "epsilon1":
                steps += pairwise(run)
            elif epsilon2:
                half = epsilon2 / 2
                steps += [(replace(model, epsilon2=half), model) for model in run]
    return steps


def _past_chance(title: str, parameter: str, on_grid: int) -> Claim:
    """Return the claim on an error parameter: true up to the level of chance, not past it."""
    before, after = PAST_CHANCE[parameter]
    values = entropy(before), entropy(after)
    steps = steps_up_to_chance(parameter)
    up_to_chance = ways(steps, entropy)["rises"] == len(steps)
    return Claim(
        SECTION,
        title,
        "rises",
        "up to chance" if up_to_chance else "not even up to chance",
        f"Past it H(C|K) falls: from {before} to {after}, {values[0]:.3f} → {values[1]:.3f}.",
        holds=values[1] > values[0],
        within=f"in all {on_grid} steps of the grid, and in all {len(steps)} steps tried up to the "
        "level of chance, where a class is as frequent in a wrong useful cluster as in its own"
        if on_grid and up_to_chance
        else "",
    )
