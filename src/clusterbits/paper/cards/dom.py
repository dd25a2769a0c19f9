"""Dom's five desiderata (section 6.2): how a measure should move along the family p(c,k).

Each follows sequences of models in which one parameter rises and the others stay. Every step must
be an improvement (P1.1) or a loss (the others). The paper counts a sequence once, however many of
its steps are wrong; both counts are kept.

Every measure is judged twice, on the same models: with the grid's n, 500 in the paper, and with a
large n, as some hold for few objects only. Tables have expected counts, or whole ones for measures
that need them; these are judged only where n divides evenly.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import lru_cache, partial
from itertools import chain, pairwise
from typing import NamedTuple

from clusterbits.paper.cards.criterion import Criterion, Verdict, Witness
from clusterbits.paper.cards.judge import Judge, Wanted
from clusterbits.paper.family import Grid, Model
from clusterbits.table.contingency import Contingency

# A large n is the least n from here that divides evenly: 189,000 for the paper's grid.
LARGE = 100_000
# Where odd shares divide evenly only from here, nothing divides.
MOST = 10**12
# What is added to the name of a criterion that is tried with a large n.
LARGE_N = " large n"


class Desideratum(NamedTuple):
    """Which steps of which sequences concern a desideratum, and what it wants of them."""

    name: str
    meaning: str
    matters: str
    parameter: str
    wanted: Wanted
    concerns: Callable[[Model, Model], bool]


DESIDERATA = (
    Desideratum(
        "P1.1",
        "better with more useful clusters, up to the number of classes",
        "when there may be fewer clusters than classes",
        "useful",
        "better",
        lambda _, after: after.useful <= after.classes,
    ),
    Desideratum(
        "P1.2",
        "worse with more useful clusters than classes",
        "when the measure chooses the number of clusters",
        "useful",
        "worse",
        lambda before, _: before.useful >= before.classes,
    ),
    Desideratum(
        "P2",
        "worse with more noise clusters",
        "when an algorithm leaves many clusters that mean nothing",
        "noise",
        "worse",
        lambda *_: True,
    ),
    Desideratum(
        "P3.1",
        "worse with more objects in wrong clusters",
        "always: it is the least to ask of a measure",
        "epsilon1",
        "worse",
        lambda before, _: before.useful > 1,
    ),
    Desideratum(
        "P3.2",
        "worse with more objects in noise clusters",
        "when an algorithm may give up on objects",
        "epsilon2",
        "worse",
        lambda before, _: before.noise > 0,
    ),
)


def follow(
    criterion: Criterion, desideratum: Desideratum, judge: Judge, large: bool = False
) -> Verdict:
    """Return the verdict on the steps of concern, in all sequences over the parameter."""
    n = large_n(judge.grid) if large else judge.grid.n
    table = partial(table_of_model, n=n, whole=judge.whole)
    sequences = [
        steps
        for run in sequences_of(judge.grid, desideratum.parameter)
        if (steps := [step for step in pairwise(run) if desideratum.concerns(*step)])
    ]
    note = f"{'whole' if judge.whole else 'expected'} counts, n = {n:,.10g}"
    if judge.whole and n % whole_n(judge.grid):
        problem = f"it needs whole counts: {n:,.10g} objects do not divide evenly"
    elif judge.applies_to and not all(judge.applies_to(table(m)) for m in judge.grid.models()):
        problem = f"{note}: too large for it"
    else:
        problem = "" if sequences else "the grid has no such sequence"
    if problem:
        return criterion.does_not_apply(judge, problem)

    def losses(steps: list[tuple[Model, Model]]) -> Iterator[tuple[float, Witness]]:
        for step in steps:
            before, after = (judge.value_once((one, n), partial(table, one)) for one in step)
            if (loss := judge.loss(desideratum.wanted, before, after)) is not None:
                way = f"from {step[0]} to {step[1]}"
                first, second = map(table, step)
                yield loss, Witness(first, second, before, after, desideratum.meaning, way, step)

    found = [list(losses(steps)) for steps in sequences]
    worst = [max(loss for loss, _ in one) for one in found if one]
    reversals = sum(loss > 0 for loss in worst)
    counts = len(sequences), reversals, len(worst) - reversals
    return criterion.verdict(judge, sum(map(len, sequences)), chain(*found), note, counts)


# Grids and tables are shared by all measures.
@lru_cache(maxsize=64)
def sequences_of(grid: Grid, parameter: str) -> tuple[tuple[Model, ...], ...]:
    """Return the sequences of a grid over a parameter."""
    return tuple(grid.sequences(parameter))


@lru_cache(maxsize=64)
def whole_n(grid: Grid) -> int:
    """Return the least n that divides evenly over all models of a grid."""
    return grid.whole_n()


def large_n(grid: Grid) -> int:
    """Return the least n from 100,000, and from the grid's own, that divides evenly."""
    least, n = whole_n(grid), int(max(LARGE, grid.n))
    return -(-n // least) * least if least < MOST else n


@lru_cache(maxsize=4096)
def table_of_model(model: Model, n: float, whole: bool) -> Contingency:
    """Return a model's expected counts, or whole ones."""
    return model.whole(int(n)) if whole else model.expected(n)


def _criterion(desideratum: Desideratum, large: bool) -> Criterion:
    name, meaning, matters = desideratum[:3]
    if large:
        matters = f"as {name}, where there are many objects"
        name, meaning = name + LARGE_N, f"{meaning}, for many objects"
    one = Criterion(
        name, meaning, matters, lambda judge: follow(one, desideratum, judge, large=large)
    )
    return one


DOM_CRITERIA = tuple(_criterion(each, large=False) for each in DESIDERATA)
LARGE_DOM_CRITERIA = tuple(_criterion(each, large=True) for each in DESIDERATA)
