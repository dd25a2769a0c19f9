"""What the functions of this room check: groups, tables, levels and numbers of resamples."""

from __future__ import annotations

from numbers import Real
from typing import Any

import numpy as np

from clusterbits.core.table import Contingency
from clusterbits.errors import ClusterbitsError, LabelError, MeasureError
from clusterbits.limits import check_memory


def check_groups(groups: list[Any]) -> None:
    """Refuse groups that cannot be resampled: with one of them, all resamples are alike."""
    if len(groups) < 2:
        raise LabelError(
            f"all objects are in one group, {groups[0]!r}: at least two are needed to "
            "resample groups. Without groups, objects are resampled."
        )


def check_drawable(who: str, table: Contingency) -> Contingency:
    """Return the table if its objects can be drawn."""
    if not table.exact:
        raise MeasureError(
            f"{who} needs whole counts, because it draws objects; this table has expected or "
            "weighted ones."
        )
    return table


# What is kept of each resample: its value, and what limits are computed from.
_RESAMPLE_BYTES = 64


def check_numbers(confidence_level: float, n_resamples: int | None, clusterings: int = 1) -> float:
    """Refuse a level outside 0 … 1, and too few or too many resamples; return the level."""
    if not (isinstance(confidence_level, Real) and 0 < confidence_level < 1):
        raise ClusterbitsError(
            f"confidence_level={confidence_level!r} is not between 0 and 1; 0.95 is usual."
        )
    if n_resamples is None:  # the usual number
        return float(confidence_level)
    whole = isinstance(n_resamples, int | np.integer) and not isinstance(n_resamples, bool)
    if not (whole and n_resamples >= 2):
        raise ClusterbitsError(f"n_resamples={n_resamples!r}: a whole number, at least 2.")
    memory = _RESAMPLE_BYTES * int(n_resamples) * clusterings
    check_memory(memory, f"{n_resamples:,} resamples")
    return float(confidence_level)
