"""What public functions take: a table, or two labelings and how to read them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

from clusterbits.core.policy import LabelPolicy, Missing, Noise
from clusterbits.core.table import Contingency
from clusterbits.errors import MeasureError


class GivenOptions(NamedTuple):
    """How labels are read, in functions that name each option."""

    noise: Noise | None = None
    missing: Missing = "error"
    weights: Any = None
    noise_label: Any = -1
    align: bool = False
    unmatched: Missing = "error"
    truth_noise: Any = None

    @property
    def policy(self) -> LabelPolicy:
        """What missing labels and noise mean."""
        return LabelPolicy(**self._asdict() | {"weights": None})

    @property
    def given(self) -> list[str]:
        """The names of the options that were set."""
        return [
            name
            for name, default in self._field_defaults.items()
            # Only plain values are compared: an array has no single answer.
            if type(value := getattr(self, name)) is not type(default) or value != default
        ]


PLAIN = GivenOptions()


def list_iterator(weights: Any) -> Any:
    """Return weights that can be read several times: an iterator as a list, others as they are."""
    return list(weights) if isinstance(weights, Iterator) else weights


def as_table(truth: Any, pred: Any = None, options: GivenOptions = PLAIN) -> Contingency:
    """Return the table itself, or count two labelings."""
    if isinstance(truth, Contingency):
        if pred is not None:
            raise MeasureError("a table holds truth and pred already: pass it alone.")
        if options.given:
            words = ", ".join(options.given)
            raise MeasureError(f"{words}: options of Contingency.from_labels, not of a table.")
        return truth
    if pred is None:
        raise MeasureError(
            "one argument must be a Contingency; for labels pass both, truth and pred."
        )
    return Contingency(truth, pred, **{word: getattr(options, word) for word in options.given})
