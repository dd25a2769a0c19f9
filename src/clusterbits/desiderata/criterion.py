"""A criterion: one demand on how a measure behaves, and the function that judges measures by it."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import lru_cache

from clusterbits.core.table import Contingency
from clusterbits.desiderata.judge import Judge, Wanted
from clusterbits.desiderata.verdict import Outcome, Verdict, Witness

# A small table that can be looked up: one row per class.
Counts = tuple[tuple[int, ...], ...]


@lru_cache(maxsize=8192)  # every measure is judged on the same small tables
def table_of_counts(counts: Counts) -> Contingency:
    """Return the table of these counts."""
    return Contingency.from_counts(counts)


@dataclass(frozen=True)
class Criterion:
    """One demand on a measure. Call it with a judge for the verdict.

    `meaning` says what it demands, `matters` when a failure should worry you.
    """

    name: str
    meaning: str
    matters: str
    function: Callable[[Judge], Verdict]

    def __call__(self, judge: Judge) -> Verdict:
        """Return the verdict on a measure."""
        return self.function(judge)

    def compare(
        self, judge: Judge, wanted: Wanted, pairs: Iterable[tuple[Counts, Counts]], note: str = ""
    ) -> Verdict:
        """Return the verdict on pairs of tables, whose second value should be as wanted."""
        tested, losses = 0, []
        for pair in pairs:
            tested += 1
            before, after = (judge.value_once(counts, table_of_counts) for counts in pair)
            if (loss := judge.loss(wanted, before, after)) is not None:
                first, second = map(table_of_counts, pair)
                losses.append((loss, Witness(first, second, before, after, self.meaning)))
        return self.verdict(judge, tested, losses, note)

    def verdict(
        self,
        judge: Judge,
        tested: int,
        losses: Iterable[tuple[float, Witness]],
        note: str = "",
        sequences: tuple[int, int, int] = (0, 0, 0),
    ) -> Verdict:
        """Return the verdict on so many comparisons; greatest losses first, ties have a loss of 0.

        `sequences` counts sequences: all of them, those with a reversal, those with ties only.
        """
        losses = sorted(losses, key=lambda item: -item[0])
        witnesses = tuple(witness for _, witness in losses)
        reversals = sum(loss > 0 for loss, _ in losses)
        outcome: Outcome = "fail" if reversals else "ties" if losses else "pass"
        counts = tested, reversals, len(losses) - reversals, *sequences
        return Verdict(self.name, judge.name, outcome, *counts, note, witnesses)

    def find(self, judge: Judge, finding: str, tested: int, note: str) -> Verdict:
        """Return a verdict that says what was found, where nothing is demanded."""
        return Verdict(self.name, judge.name, "found", tested, note=note, finding=finding)

    def does_not_apply(self, judge: Judge, note: str) -> Verdict:
        """Return the verdict on a measure that the criterion is not meant for."""
        return Verdict(self.name, judge.name, "n/a", note=note)


def criterion(
    name: str, meaning: str, matters: str
) -> Callable[[Callable[[Judge], Verdict]], Criterion]:
    """Return a decorator that makes a criterion of a function."""
    return lambda function: Criterion(name, meaning, matters, function)


def name_direction(changes: Iterable[float]) -> str:
    """Return whether values rise, fall, stay constant, or do different things."""
    directions = {change > 0 for change in changes if change}
    if len(directions) == 2:
        return "mixed"
    return "rises" if True in directions else "falls" if directions else "constant"
