"""A criterion: one demand on how a measure behaves, and the function that judges measures by it."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from clusterbits.core.table import Contingency
from clusterbits.desiderata.judge import Judge, Wanted
from clusterbits.desiderata.verdict import Outcome, Verdict, Witness

# A small table that can be looked up: one row per class.
Counts = tuple[tuple[int, ...], ...]


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
            before, after = (judge.value_once(counts, Contingency.from_counts) for counts in pair)
            if (loss := judge.loss(wanted, before, after)) is not None:
                first, second = map(Contingency.from_counts, pair)
                losses.append((loss, Witness(first, second, before, after, self.meaning)))
        return self.verdict(judge, tested, losses, note)

    def verdict(
        self,
        judge: Judge,
        tested: int,
        losses: Iterable[tuple[float, Witness]],
        note: str = "",
        sequences: int = 0,
        violated_sequences: int = 0,
    ) -> Verdict:
        """Return the verdict on so many comparisons; greatest losses first."""
        witnesses = tuple(witness for _, witness in sorted(losses, key=lambda item: -item[0]))
        outcome: Outcome = "fail" if witnesses else "pass"
        counts = tested, len(witnesses), sequences, violated_sequences
        return Verdict(self.name, judge.name, outcome, *counts, note, witnesses)

    def does_not_apply(self, judge: Judge, note: str) -> Verdict:
        """Return the verdict on a measure that the criterion is not meant for."""
        return Verdict(self.name, judge.name, "n/a", note=note)


def criterion(
    name: str, meaning: str, matters: str
) -> Callable[[Callable[[Judge], Verdict]], Criterion]:
    """Return a decorator that makes a criterion of a function."""
    return lambda function: Criterion(name, meaning, matters, function)
