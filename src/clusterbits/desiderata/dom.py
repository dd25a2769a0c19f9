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
from functools import cached_property, lru_cache
from itertools import chain, pairwise
from typing import NamedTuple

from clusterbits.core.table import Contingency
from clusterbits.desiderata.criterion import Criterion
from clusterbits.desiderata.family import Grid, Model
from clusterbits.desiderata.judge import Judge, Wanted
from clusterbits.desiderata.verdict import Verdict, Witness

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


class Setting:
    """The tables of a grid's models as one judge sees them."""

    def __init__(self, judge: Judge, large: bool) -> None:
        self.judge = judge
        self.grid = judge.grid
        self.n = large_n(self.grid) if large else self.grid.n

    def __str__(self) -> str:
        """Return what the tables are."""
        kind = "whole" if self.judge.whole else "expected"
        return f"{kind} counts, n = {self.n:,.10g}"

    @cached_property
    def problem(self) -> str:
        """Why the measure cannot be judged on these tables; empty where it can."""
        if self.judge.whole and self.n % whole_n(self.grid):
            return f"it needs whole counts: {self.n:,.10g} objects do not divide evenly"
        applies_to = self.judge.applies_to
        if applies_to and not all(applies_to(self.table(model)) for model in self.grid.models()):
            return f"{self}: too large for it"
        return ""

    def table(self, model: Model) -> Contingency:
        """Return the table of a model."""
        return table_of_model(model, self.n, self.judge.whole)

    def value(self, model: Model) -> float:
        """Return the measure's value for a model."""
        return self.judge.value_once((model, self.n), lambda _: self.table(model))


def follow(
    criterion: Criterion, desideratum: Desideratum, judge: Judge, large: bool = False
) -> Verdict:
    """Return the verdict on the steps of concern, in all sequences over the parameter."""
    setting = Setting(judge, large)
    sequences = [
        steps
        for run in sequences_of(judge.grid, desideratum.parameter)
        if (steps := [step for step in pairwise(run) if desideratum.concerns(*step)])
    ]
    if problem := setting.problem or ("" if sequences else "the grid has no such sequence"):
        return criterion.does_not_apply(judge, problem)
    losses = [list(_losses(desideratum, setting, steps)) for steps in sequences]
    worst = [max(loss for loss, _ in one) for one in losses if one]
    reversals = sum(loss > 0 for loss in worst)
    counts = len(sequences), reversals, len(worst) - reversals
    return criterion.verdict(judge, sum(map(len, sequences)), chain(*losses), str(setting), counts)


def _losses(
    desideratum: Desideratum, setting: Setting, steps: list[tuple[Model, Model]]
) -> Iterator[tuple[float, Witness]]:
    for step in steps:
        before, after = map(setting.value, step)
        if (loss := setting.judge.loss(desideratum.wanted, before, after)) is not None:
            first, second = map(setting.table, step)
            way = f"from {step[0]} to {step[1]}"
            yield loss, Witness(first, second, before, after, desideratum.meaning, way, step)


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
