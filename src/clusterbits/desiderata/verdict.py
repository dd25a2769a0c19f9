"""Verdicts: what a criterion says of a measure, with the witness for a failure."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from clusterbits.core.table import Contingency
from clusterbits.desiderata.family import Model

Outcome = Literal["pass", "fail", "n/a"]

# Values closer than this are a tie, which is a violation wherever a change is demanded.
TIE = 1e-12


@dataclass(frozen=True)
class Witness:
    """Two tables and their values: the second should have been judged as `demand` says.

    `models` are the distributions that the tables were expected from, where they were.
    """

    before: Contingency
    after: Contingency
    value_before: float
    value_after: float
    demand: str
    context: str = ""
    models: tuple[Model, Model] | None = None

    def __str__(self) -> str:
        """Return the step as lines that can be checked by hand."""
        lines = [self.context] if self.context else []
        lines.append(f"demanded: {self.demand}")
        for name, table, value in (
            ("first", self.before, self.value_before),
            ("second", self.after, self.value_after),
        ):
            lines.append(f"{name}: {value:.12g}  for {written(table)}")
        return "\n".join(lines)


@dataclass(frozen=True)
class Verdict:
    """What one criterion says of one measure.

    Attributes
    ----------
    criterion : str
        Its short name, such as "P2".
    measure : str
        The measure judged.
    outcome : "pass", "fail" or "n/a"
        "n/a" where the criterion does not apply; `note` says why.
    tested, violated : int
        Single comparisons made, and those that came out wrong.
    sequences, violated_sequences : int
        The same counted by sequence, as the paper does; zero for criteria without sequences.
    note : str
        What a reader should know: why it does not apply, on which tables it was tried.
    violations : tuple of Witness
        The comparisons that came out wrong, the clearest first.
    """

    criterion: str
    measure: str
    outcome: Outcome
    tested: int = 0
    violated: int = 0
    sequences: int = 0
    violated_sequences: int = 0
    note: str = ""
    violations: tuple[Witness, ...] = ()

    @property
    def witness(self) -> Witness | None:
        """The clearest violation."""
        return self.violations[0] if self.violations else None

    def __str__(self) -> str:
        """Return one line."""
        if self.outcome == "n/a":
            return f"{self.criterion}: does not apply ({self.note})"
        if self.sequences:
            counted = (
                f"{self.violated_sequences} of {self.sequences} sequences, "
                f"{self.violated} of {self.tested} differences"
            )
        else:
            counted = f"{self.violated} of {self.tested}"
        note = f" [{self.note}]" if self.note else ""
        return f"{self.criterion}: {self.outcome}, violated in {counted}{note}"


def written(table: Contingency) -> str:
    """Write a small table out, classes in rows; describe a large one."""
    if table.shape[0] * table.shape[1] > 120:
        return repr(table)
    rows = (
        "[" + ", ".join(f"{count:.6g}" for count in row) + "]" for row in table.to_dense().tolist()
    )
    return "[" + ", ".join(rows) + "]"
