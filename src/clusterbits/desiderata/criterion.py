"""A criterion: one demand on how a measure behaves, and the function that judges measures by it."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from clusterbits.desiderata.judge import Judge
from clusterbits.desiderata.verdict import Verdict, Witness


@dataclass(frozen=True)
class Criterion:
    """One demand on a measure. Call it with a judge for the verdict.

    `meaning` is what it demands of values, `matters` when a failure should worry you.
    """

    name: str
    meaning: str
    matters: str
    function: Callable[[Judge], Verdict]

    def __call__(self, judge: Judge) -> Verdict:
        """Return the verdict on a measure."""
        return self.function(judge)

    def verdict(
        self,
        judge: Judge,
        tested: int,
        losses: Iterable[tuple[float, Witness]],
        note: str = "",
        sequences: int = 0,
        violated_sequences: int = 0,
    ) -> Verdict:
        """Return the verdict on comparisons of which some were lost; the greatest loss first."""
        witnesses = tuple(witness for _, witness in sorted(losses, key=lambda item: -item[0]))
        return Verdict(
            self.name,
            judge.name,
            "fail" if witnesses else "pass",
            tested,
            len(witnesses),
            sequences,
            violated_sequences,
            note,
            witnesses,
        )

    def does_not_apply(self, judge: Judge, note: str) -> Verdict:
        """Return the verdict on a measure that the criterion has nothing to say about."""
        return Verdict(self.name, judge.name, "n/a", note=note)


def criterion(
    name: str, meaning: str, matters: str
) -> Callable[[Callable[[Judge], Verdict]], Criterion]:
    """Make a criterion of a function that judges; its name, meaning and use stand above it."""
    return lambda function: Criterion(name, meaning, matters, function)
