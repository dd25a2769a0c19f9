"""Verdicts: whether a measure meets a criterion, with witnesses where it does not."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from clusterbits.core.table import Contingency
from clusterbits.desiderata.family import Model

Outcome = Literal["pass", "fail", "n/a"]


@dataclass(frozen=True)
class Witness:
    """Two tables and their values, which break the `demand`.

    `models` are the distributions behind the tables, where there are any.
    """

    before: Contingency
    after: Contingency
    value_before: float
    value_after: float
    demand: str
    context: str = ""
    models: tuple[Model, Model] | None = None

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


@dataclass(frozen=True)
class Verdict:
    """How one measure does by one criterion.

    Attributes
    ----------
    criterion : str
        Its short name, such as "P2".
    measure : str
        Name of the measure.
    outcome : "pass", "fail" or "n/a"
        "n/a" where the criterion does not apply; `note` says why.
    tested, violated : int
        Number of comparisons, and of those that came out wrong.
    sequences, violated_sequences : int
        The same by sequence, as the paper counts; zero for criteria without sequences.
    note : str
        On which tables it was tried, or why it does not apply.
    witnesses : tuple of Witness
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
    witnesses: tuple[Witness, ...] = ()

    @property
    def witness(self) -> Witness | None:
        """The clearest violation."""
        return self.witnesses[0] if self.witnesses else None

    @property
    def fraction(self) -> str:
        """Violations over comparisons, by sequence where there are sequences."""
        if self.outcome == "n/a":
            return "–"
        if self.sequences:
            return f"{self.violated_sequences}/{self.sequences}"
        return f"{self.violated}/{self.tested}"

    @property
    def mark(self) -> str:
        """The verdict in a cell: ✓, – or ✗ with how often the criterion was violated."""
        return {"pass": "✓", "n/a": "–", "fail": f"✗ {self.fraction}"}[self.outcome]

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


def write_out(table: Contingency) -> str:
    """Return the counts of a small table, classes in rows; a description of a large one."""
    if table.shape[0] * table.shape[1] > 120:
        return repr(table)
    rows = (
        "[" + ", ".join(f"{count:.6g}" for count in row) + "]" for row in table.to_dense().tolist()
    )
    return "[" + ", ".join(rows) + "]"
