"""Dom's five desiderata (section 6.2): how a measure should move along the family p(c,k).

Each follows sequences of models in which one parameter rises and the others stay, and demands
that every step be judged better (P1.1) or worse (the others). The paper counts a sequence once,
however many of its steps are wrong; both counts are kept.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from itertools import pairwise
from typing import NamedTuple

from clusterbits.core.table import Contingency
from clusterbits.desiderata.family import Grid, Model
from clusterbits.desiderata.judge import Judge
from clusterbits.desiderata.verdict import Verdict, Witness


class Criterion(NamedTuple):
    """One desideratum: the parameter that rises, the steps it speaks of, and its demand."""

    name: str
    parameter: str
    better: bool
    speaks_of: Callable[[Model, Model], bool]
    meaning: str


CRITERIA = (
    Criterion(
        "P1.1",
        "useful",
        True,
        lambda before, after: after.useful <= before.classes,
        "better with more useful clusters, up to the number of classes",
    ),
    Criterion(
        "P1.2",
        "useful",
        False,
        lambda before, after: before.useful >= before.classes,
        "worse with more useful clusters than classes",
    ),
    Criterion("P2", "noise", False, lambda before, after: True, "worse with more noise clusters"),
    Criterion(
        "P3.1",
        "epsilon1",
        False,
        lambda before, after: before.useful > 1,
        "worse with more objects in wrong clusters",
    ),
    Criterion(
        "P3.2",
        "epsilon2",
        False,
        lambda before, after: before.noise > 0,
        "worse with more objects in noise clusters",
    ),
)


def judge_dom(judge: Judge, grid: Grid | None = None) -> list[Verdict]:
    """Judge a measure by all five; each model of the grid is evaluated once."""
    grid = grid or Grid()
    n = grid.whole_n() if judge.whole else grid.n
    note = f"whole counts, n = {n:,}" if judge.whole else f"expected counts, n = {n:,.10g}"

    def table(model: Model) -> Contingency:
        return model.whole(int(n)) if judge.whole else model.expected(n)

    if judge.feasible and not all(judge.feasible(table(model)) for model in grid.models()):
        too_large = f"{note}: too large for it"
        return [Verdict(c.name, judge.name, "n/a", note=too_large) for c in CRITERIA]

    @cache
    def value(model: Model) -> float:
        return judge.value(table(model))

    def verdict(criterion: Criterion) -> Verdict:
        tested = sequences = violated_sequences = 0
        wrong: list[tuple[float, Model, Model]] = []
        for run in grid.sequences(criterion.parameter):
            steps = [step for step in pairwise(run) if criterion.speaks_of(*step)]
            losses = [
                (loss, *step)
                for step in steps
                if (loss := _loss(judge, criterion, value(step[0]), value(step[1]))) is not None
            ]
            tested += len(steps)
            sequences += bool(steps)
            violated_sequences += bool(losses)
            wrong += losses
        wrong.sort(key=lambda item: -item[0])
        return Verdict(
            criterion.name,
            judge.name,
            "fail" if wrong else "pass" if tested else "n/a",
            tested,
            len(wrong),
            sequences,
            violated_sequences,
            note if tested else "the grid has no such sequence",
            tuple(
                Witness(
                    table(before),
                    table(after),
                    value(before),
                    value(after),
                    criterion.meaning,
                    f"from {before} to {after}",
                    (before, after),
                )
                for _, before, after in wrong
            ),
        )

    return [verdict(criterion) for criterion in CRITERIA]


def _loss(judge: Judge, criterion: Criterion, before: float, after: float) -> float | None:
    """Return how far a step went the wrong way (0 for a tie), or None where it was right."""
    gain = judge.gain(before, after)
    loss = -gain if criterion.better else gain
    return None if loss < 0 else loss
