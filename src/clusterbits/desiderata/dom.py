"""Dom's five desiderata (section 6.2): how a measure should move along the family p(c,k).

Each follows sequences of models in which one parameter rises and the others stay. Every step must
be an improvement (P1.1) or a loss (the others). The paper counts a sequence once, however many of
its steps are wrong; both counts are kept.
"""

from collections.abc import Callable, Iterable
from itertools import chain, pairwise

from clusterbits.desiderata.criterion import Criterion, criterion
from clusterbits.desiderata.family import Model
from clusterbits.desiderata.judge import Judge, Wanted
from clusterbits.desiderata.verdict import Verdict, Witness


@criterion(
    "P1.1",
    "better with more useful clusters, up to the number of classes",
    "when there may be fewer clusters than classes",
)
def p1_1(judge: Judge) -> Verdict:
    return _follow(p1_1, judge, "useful", "better", lambda _, after: after.useful <= after.classes)


@criterion(
    "P1.2",
    "worse with more useful clusters than classes",
    "when the measure chooses the number of clusters",
)
def p1_2(judge: Judge) -> Verdict:
    return _follow(
        p1_2, judge, "useful", "worse", lambda before, _: before.useful >= before.classes
    )


@criterion(
    "P2",
    "worse with more noise clusters",
    "when an algorithm leaves many clusters that mean nothing",
)
def p2(judge: Judge) -> Verdict:
    return _follow(p2, judge, "noise", "worse", lambda *_: True)


@criterion(
    "P3.1",
    "worse with more objects in wrong clusters",
    "always: it is the least to ask of a measure",
)
def p3_1(judge: Judge) -> Verdict:
    return _follow(p3_1, judge, "epsilon1", "worse", lambda before, _: before.useful > 1)


@criterion(
    "P3.2", "worse with more objects in noise clusters", "when an algorithm may give up on objects"
)
def p3_2(judge: Judge) -> Verdict:
    return _follow(p3_2, judge, "epsilon2", "worse", lambda before, _: before.noise > 0)


def _follow(
    desideratum: Criterion,
    judge: Judge,
    parameter: str,
    wanted: Wanted,
    concerns: Callable[[Model, Model], bool],
) -> Verdict:
    """Return the verdict on the steps of concern, in all sequences over the parameter."""
    if not judge.models_are_feasible():
        return desideratum.does_not_apply(judge, f"{judge.setting}: too large for it")
    sequences = [
        steps
        for run in judge.grid.sequences(parameter)
        if (steps := [step for step in pairwise(run) if concerns(*step)])
    ]
    if not sequences:
        return desideratum.does_not_apply(judge, "the grid has no such sequence")
    losses = [list(_losses(desideratum, judge, wanted, steps)) for steps in sequences]
    tested, violated_sequences = sum(map(len, sequences)), sum(map(bool, losses))
    return desideratum.verdict(
        judge, tested, chain(*losses), judge.setting, len(sequences), violated_sequences
    )


def _losses(
    desideratum: Criterion, judge: Judge, wanted: Wanted, steps: Iterable[tuple[Model, Model]]
) -> Iterable[tuple[float, Witness]]:
    for step in steps:
        before, after = (judge.value_once(model, judge.table_of) for model in step)
        if (loss := judge.loss(wanted, before, after)) is not None:
            first, second = map(judge.table_of, step)
            way = f"from {step[0]} to {step[1]}"
            yield loss, Witness(first, second, before, after, desideratum.meaning, way, step)
