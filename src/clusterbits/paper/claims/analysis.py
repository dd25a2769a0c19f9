"""Section 6.3: how H(C|K) and the table's cost change with each parameter of the family.

Every step is tried on the grid of section 7, the errors ε1 and ε2 also far beyond it.
"""

from collections.abc import Callable, Mapping
from dataclasses import replace
from itertools import pairwise
from typing import Any

from clusterbits.paper.cards.judge import SizedModel, make_table
from clusterbits.paper.claims.claim import Claim, N, score_model
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


def entropy(model: Model) -> float:
    """Return H(C|K), which does not depend on n."""
    return score_model("conditional_entropy", model)


def cost(model: Model) -> float:
    """Return the table's cost, the second term of (5), at the n of section 7."""
    return make_table(SizedModel(model, N)).table_bits()


# The statements of 6.3: quantity, parameter, which steps, and the direction of the quantity.
ARGUMENT = (
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
            "where": side,
            "printed": printed,
            "steps": len(steps),
            **count_directions(steps, QUANTITIES[quantity]),
        }
        for quantity, parameter, side, printed in ARGUMENT
        for steps in [_steps(parameter, side)]
    ]


def _steps(parameter: str, side: str) -> Steps:
    """Return the grid's steps over the parameter, all or on one side of |K_u| = |C|."""
    steps = [step for models in Grid().sequences(parameter) for step in pairwise(models)]
    if not side:
        return steps
    beyond = side == "beyond |C|"
    return [(a, b) for a, b in steps if (a.useful >= a.classes) == beyond]


def count_directions(steps: Steps, quantity: Callable[[Model], float]) -> dict[str, int]:
    """Return the numbers of steps in which a quantity rises, falls and stays."""
    changes = [quantity(after) - quantity(before) for before, after in steps]
    rises, falls = sum(c >= 1e-12 for c in changes), sum(c <= -1e-12 for c in changes)
    return {"rises": rises, "falls": falls, "stays": len(steps) - rises - falls}


def claims(records: Records) -> list[Claim]:
    """Return the statements of the section, and how often they come true."""
    models = [Model(noise=1, epsilon1=a, epsilon2=b) for a in (0, 0.2) for b in (0.1, 0.3)]
    slopes = [slope(model) for model in models]
    same = max(slopes) - min(slopes) < TOLERANCE
    effect = "none" if same else listed([f"{s:.4f}" for s in slopes])
    title = "effect of ε1, ε2 on the table's asymptotic cost"
    return [*map(_claim, records), Claim(SECTION, title, "none", effect)]


def _claim(row: Mapping[str, Any]) -> Claim:
    parameter, steps, printed = row["parameter"], row["steps"], row["printed"]
    title = f"{row['quantity']} as {LETTERS[parameter]} rises {row['where']}".rstrip()
    holds = row[printed] == steps
    if parameter in PAST_CHANCE:
        return _past_chance(title, parameter, steps if holds else 0)
    witness = ""
    if not holds:
        witness = f"It falls in {row['falls']} steps, stays in {row['stays']}. {_beyond()}"
    computed = f"{printed} {row[printed]} of {steps}"
    return Claim(SECTION, title, printed, computed, witness, holds=holds)


def _beyond() -> str:
    """Return H(C|K) beyond |K_u| = |C|, in both families."""
    model = Model(epsilon1=Grid().epsilon1[1])
    shown = (5, 6, 7, 10)
    clusters, classes = (
        [entropy(replace(model, useful=k, errors_over=family)) for k in shown]
        for family in ("clusters", "classes")
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
    largest = max(map(len, Model(useful=useful).clusters_of_classes()))
    return (1 - epsilon2) * (useful - largest) / useful


def steps_up_to_chance(parameter: str) -> Steps:
    """Return steps over ε1 or ε2 in which ε1 stays at or below the level of chance."""
    steps: Steps = []
    for useful in Grid().useful:
        for epsilon2 in Grid().epsilon2:
            start = Model(useful=useful, noise=int(epsilon2 > 0), epsilon2=epsilon2)
            chance = chance_level(useful, epsilon2)
            models = [replace(start, epsilon1=chance * i / STEPS) for i in range(STEPS + 1)]
            if parameter == "epsilon1":
                steps += pairwise(models)
            elif epsilon2:
                steps += [(replace(model, epsilon2=epsilon2 / 2), model) for model in models]
    return steps


def _past_chance(title: str, parameter: str, on_grid: int) -> Claim:
    """Return the claim on an error parameter: true up to the level of chance, not past it."""
    before, after = PAST_CHANCE[parameter]
    values = entropy(before), entropy(after)
    steps = steps_up_to_chance(parameter)
    up_to_chance = count_directions(steps, entropy)["rises"] == len(steps)
    within = (
        f"in all {on_grid} steps of the grid, and in all {len(steps)} steps tried up to the level "
        "of chance, where a class is as frequent in a wrong useful cluster as in its own"
    )
    return Claim(
        SECTION,
        title,
        "rises",
        "up to chance" if up_to_chance else "not even up to chance",
        f"Past it H(C|K) falls: from {before} to {after}, {values[0]:.3f} → {values[1]:.3f}.",
        holds=values[1] > values[0],
        within=within if on_grid and up_to_chance else "",
    )
