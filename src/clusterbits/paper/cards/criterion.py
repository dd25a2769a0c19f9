"""Criteria, each one demand on how a measure behaves, and verdicts by them, with witnesses."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, Literal

from clusterbits.paper.cards.judge import Counts, Demand, Judge, SizedModel, difference, write_out
from clusterbits.paper.family import Model

Outcome = Literal["pass", "fail", "ties", "found", "n/a"]

# What the marks of a card mean.
LEGEND = (
    "✓ passes; ✗ a/b: the wrong way in a of b cases; = a/b: no change in a of b cases where one is "
    "demanded, a weaker failure; a word: what was found; –: does not apply."
)


@dataclass(frozen=True)
class Witness:
    """Two tables and their values, which break the `demand`.

    `models` are the distributions behind the tables of Dom's desiderata. For "minimal agreement"
    the tables are the pair counts of two graphs.
    """

    before: Any
    after: Any
    value_before: float
    value_after: float
    demand: str
    context: str = ""
    models: tuple[Model, ...] = ()

    @property
    def loss(self) -> float:
        """How far the values are apart; 0 for a tie."""
        return abs(difference(self.value_before, self.value_after))

    def __str__(self) -> str:
        """Return lines that can be checked by hand."""
        lines = [self.context] if self.context else []
        lines.append(f"demanded: {self.demand}")
        for name, table, value in (
            ("first", self.before, self.value_before),
            ("second", self.after, self.value_after),
        ):
            lines.append(f"{name}: {value:.12g}  for {write_out(table)}")
        return "\n".join(lines)


# Two tables to compare.
Pair = tuple[Counts, Counts] | tuple[SizedModel, SizedModel]


@dataclass(frozen=True, repr=False)
class Verdict:
    """How one measure does by one criterion.

    Attributes
    ----------
    criterion : str
        Its short name, such as "P2".
    measure : str
        Name of the measure.
    outcome : "pass", "fail", "ties", "found" or "n/a"
        "fail" if a comparison came out the wrong way round; "ties", a weaker failure, if values
        only stayed the same though a change is demanded; "found" if nothing is demanded; "n/a" if
        the criterion does not apply.
    tested, reversed, tied : int
        Numbers of comparisons, of reversed ones, and of wrong ties.
    sequences, reversed_sequences, tied_sequences : int
        The same by sequence, as the paper counts; zero for criteria without sequences. A sequence
        with a reversal is reversed, whatever ties it has.
    note : str
        The tables that were tried, or why it does not apply.
    witnesses : tuple of Witness
        The comparisons that came out wrong, the clearest first.
    finding : str
        "rises", "falls", "mixed" or "constant", if nothing is demanded.

    Examples
    --------
    >>> import clusterbits as cb
    >>> cb.paper.check("rand")["rag bag"]
    <Verdict on rand: rag bag: ties, reversed in 0 and tied in 9 of 9 [n = 2 to 10]>
    """

    criterion: str
    measure: str
    outcome: Outcome
    tested: int = 0
    reversed: int = 0
    tied: int = 0
    sequences: int = 0
    reversed_sequences: int = 0
    tied_sequences: int = 0
    note: str = ""
    witnesses: tuple[Witness, ...] = ()
    finding: str = ""

    @property
    def violated(self) -> int:
        """Number of comparisons that came out wrong: reversed or tied."""
        return self.reversed + self.tied

    @property
    def violated_sequences(self) -> int:
        """Number of sequences with a comparison that came out wrong."""
        return self.reversed_sequences + self.tied_sequences

    @property
    def witness(self) -> Witness | None:
        """The clearest violation."""
        return self.witnesses[0] if self.witnesses else None

    @property
    def counts(self) -> tuple[int, int, int]:
        """Reversals, ties and comparisons, by sequence if there are sequences."""
        if self.sequences:
            return self.reversed_sequences, self.tied_sequences, self.sequences
        return self.reversed, self.tied, self.tested

    @property
    def fraction(self) -> str:
        """Reversals and ties over comparisons, by sequence if there are sequences."""
        reversals, ties, of = self.counts
        return f"{reversals + ties}/{of}"

    @property
    def mark(self) -> str:
        """The verdict in a cell, as `LEGEND` explains."""
        reversals, ties, of = self.counts
        marks = [f"✗ {reversals}/{of}"] * bool(reversals) + [f"= {ties}/{of}"] * bool(ties)
        return self.finding or ", ".join(marks) or ("–" if self.outcome == "n/a" else "✓")

    def __str__(self) -> str:
        """Return one line."""
        if self.outcome == "n/a":
            return f"{self.criterion}: does not apply ({self.note})"
        note = f" [{self.note}]" if self.note else ""
        if self.outcome == "found":
            return f"{self.criterion}: {self.finding}{note}"
        reversals, ties, of = self.counts
        counted = f"reversed in {reversals} and tied in {ties} of {of}"
        if self.sequences:
            counted += f" sequences ({self.reversed} and {self.tied} of {self.tested} differences)"
        return f"{self.criterion}: {self.outcome}, {counted}{note}"

    def __repr__(self) -> str:
        """Return one line with the measure, without the witnesses, which may be thousands."""
        return f"<Verdict on {self.measure}: {self}>"


@dataclass(frozen=True)
class Criterion:
    """One demand on a measure. Call it with a judge for the verdict.

    `meaning` is the demand, `matters` when a failure should worry you. The function takes the
    criterion and a judge.
    """

    name: str
    meaning: str
    matters: str
    function: Callable[[Any, Judge], Verdict]

    def __call__(self, judge: Judge) -> Verdict:
        """Return the verdict on a measure."""
        return self.function(self, judge)

    def violations(self, judge: Judge, demand: Demand, pairs: Iterable[Pair]) -> list[Witness]:
        """Return the pairs of tables whose second value is not as demanded."""
        witnesses = []
        for pair in pairs:
            before, after = map(judge.value_of, pair)
            if not judge.meets(demand, before, after):
                models = tuple(source.model for source in pair if isinstance(source, SizedModel))
                context = f"from {models[0]} to {models[1]}" if models else ""
                first, second = map(judge.table_of, pair)
                values = before, after, self.meaning, context, models
                witnesses.append(Witness(first, second, *values))
        return witnesses

    def compare(self, judge: Judge, demand: Demand, pairs: Iterable[Pair], note: str) -> Verdict:
        """Return the verdict on pairs of tables, with a demand on the second value."""
        pairs = list(pairs)
        return self.verdict(judge, len(pairs), self.violations(judge, demand, pairs), note)

    def verdict(
        self,
        judge: Judge,
        tested: int,
        witnesses: Iterable[Witness],
        note: str,
        sequences: tuple[int, int, int] = (0, 0, 0),
    ) -> Verdict:
        """Return the verdict on all comparisons, of which the witnesses came out wrong.

        `sequences` counts sequences: all of them, those with a reversal, those with ties only.
        """
        witnesses = tuple(sorted(witnesses, key=lambda witness: -witness.loss))
        reversals = sum(witness.loss > 0 for witness in witnesses)
        outcome: Outcome = "fail" if reversals else "ties" if witnesses else "pass"
        counts = tested, reversals, len(witnesses) - reversals, *sequences
        return Verdict(self.name, judge.measure.name, outcome, *counts, note, witnesses)

    def find(self, judge: Judge, changes: Iterable[float], tested: int, note: str) -> Verdict:
        """Return a verdict that demands nothing: the direction in which values change."""
        ways = {"rises" if change > 0 else "falls" for change in changes if change}
        finding = "mixed" if len(ways) > 1 else next(iter(ways), "constant")
        return Verdict(self.name, judge.measure.name, "found", tested, note=note, finding=finding)

    def does_not_apply(self, judge: Judge, note: str) -> Verdict:
        """Return the verdict "n/a", with its reason."""
        return Verdict(self.name, judge.measure.name, "n/a", note=note)


def criterion(
    name: str, meaning: str, matters: str
) -> Callable[[Callable[[Any, Judge], Verdict]], Criterion]:
    """Return a decorator that makes a criterion of a function."""
    return lambda function: Criterion(name, meaning, matters, function)
