"""What public functions take: a table, or two labelings and how to read them."""

from __future__ import annotations

from typing import Any

from clusterbits.core.policy import LabelOptions
from clusterbits.core.table import Contingency
from clusterbits.errors import MeasureError


def as_table(truth: Any, pred: Any, labels: LabelOptions) -> Contingency:
    """Return the table itself, or count two labelings."""
    if not isinstance(truth, Contingency):
        if pred is None:
            raise MeasureError(
                "one argument must be a Contingency; for labels pass both, truth and pred."
            )
        return Contingency(truth, pred, **labels)
    if pred is not None:
        raise MeasureError("a table holds truth and pred already: pass it alone.")
    if labels:
        raise MeasureError(f"{', '.join(labels)}: how labels are read; a table holds none.")
    return truth
