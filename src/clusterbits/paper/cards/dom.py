"""Dom's five desiderata (section 6.2): how a measure should move along the family p(c,k).

Each follows sequences of models in which one parameter rises and the others stay. Every step must
be an improvement (P1.1) or a loss (the others). The paper counts a sequence once, however many of
its steps are wrong; both counts are kept.

Every measure is judged twice, on the same models: with the grid's n, 500 in the paper, and with a
large n, as some hold for few objects only. Tables have expected counts, or whole ones for measures
that need them; these are judged only if n divides evenly.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from itertools import chain, pairwise

from clusterbits.paper.cards.criterion import Criterion, Verdict
from clusterbits.paper.cards.judge import Demand, Judge, SizedModel
from clusterbits.paper.family import Grid, Model

# A large n is the least n from here that divides evenly: 189,000 for the paper's grid.
LARGE = 100_000
# If odd shares divide evenly only from here, nothing divides.
MAX_N = 10**12
# The ending of the name of a criterion that is tried with a large n.
LARGE_N = " large n"


@dataclass(frozen=True)
class Desideratum(Criterion):
    """A criterion on the steps of sequences over a parameter; `concerns` tells which of them."""

    parameter: str
    demand: Demand
    concerns: Callable[[Model, Model], bool] = lambda *_: True
    large: bool = False


def follow(desideratum: Desideratum, judge: Judge) -> Verdict:
    """Return the verdict on the steps of concern, in all sequences over the parameter."""
    n = large_n(judge.grid) if desideratum.large else judge.grid.n
    note = f"{'whole' if judge.needs_integers else 'expected'} counts, n = {n:,.10g}"
    if judge.needs_integers and n % judge.grid.integer_n():
        problem = f"it needs whole counts: {n:,.10g} objects do not divide evenly"
        return desideratum.does_not_apply(judge, problem)
    tables = (judge.table_of(SizedModel(model, n)) for model in judge.grid.models())
    if not all(map(judge.measure.applies_to, tables)):
        return desideratum.does_not_apply(judge, f"{note}: too large for it")
    sequences = [
        [(SizedModel(a, n), SizedModel(b, n)) for a, b in steps]
        for models in judge.grid.sequences(desideratum.parameter)
        if (steps := [step for step in pairwise(models) if desideratum.concerns(*step)])
    ]
    if not sequences:
        return desideratum.does_not_apply(judge, "the grid has no such sequence")
    violations = [desideratum.violations(judge, desideratum.demand, s) for s in sequences]
    losses = [max(witness.loss for witness in wrong) for wrong in violations if wrong]
    reversals = sum(loss > 0 for loss in losses)
    counts = len(sequences), reversals, len(losses) - reversals
    return desideratum.verdict(judge, sum(map(len, sequences)), chain(*violations), note, counts)


def large_n(grid: Grid) -> int:
    """Return the least n from 100,000, and from the grid's own, that divides evenly."""
    divisor, n = grid.integer_n(), int(max(LARGE, grid.n))
    return -(-n // divisor) * divisor if divisor < MAX_N else n


# P3 is about |K_u| > 1 and |K_n| > 0: only such models have errors.
DOM_CRITERIA = (
    Desideratum(
        "P1.1",
        "better with more useful clusters, up to the number of classes",
        "when there may be fewer clusters than classes",
        follow,
        "useful",
        "better",
        lambda _, after: after.useful <= after.classes,
    ),
    Desideratum(
        "P1.2",
        "worse with more useful clusters than classes",
        "when the measure chooses the number of clusters",
        follow,
        "useful",
        "worse",
        lambda before, _: before.useful >= before.classes,
    ),
    Desideratum(
        "P2",
        "worse with more noise clusters",
        "when an algorithm leaves many clusters that mean nothing",
        follow,
        "noise",
        "worse",
    ),
    Desideratum(
        "P3.1",
        "worse with more objects in wrong clusters",
        "always: it is the least to ask of a measure",
        follow,
        "epsilon1",
        "worse",
    ),
    Desideratum(
        "P3.2",
        "worse with more objects in noise clusters",
        "when an algorithm may give up on objects",
        follow,
        "epsilon2",
        "worse",
    ),
)
LARGE_DOM_CRITERIA = tuple(
    replace(
        desideratum,
        name=desideratum.name + LARGE_N,
        matters=f"as {desideratum.name}, where there are many objects",
        large=True,
    )
    for desideratum in DOM_CRITERIA
)
