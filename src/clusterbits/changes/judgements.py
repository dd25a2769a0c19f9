"""Whether a change is good, from answers to `questions`: do two objects belong together?

Each stratum is a mean of draws that are 0 or 1, times its mass, so that the sums are unbiased.
Limits are the exact ones of Clopper and Pearson for each stratum: Wilson's are narrower, and cover
as little as 84 % if nearly all of a few pairs are alike. Those of a sum of strata combine their
distances from the estimate (Zou and Donner 2008, https://doi.org/10.1002/sim.3095), so that a
stratum in which all answers are the same still has limits.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from clusterbits.changes.questions import (
    GREW,
    KINDS,
    MERGE,
    SHRUNK,
    SPLIT,
    check_countable,
    weigh_cells,
)
from clusterbits.errors import LabelError
from clusterbits.reading.dataframes import column_names, read_columns
from clusterbits.reading.type_checks import to_list
from clusterbits.table.contingency import Contingency
from clusterbits.table.label_names import as_written, is_missing
from clusterbits.text.results import RowsResult
from clusterbits.text.tables import counted, percent

_YES, _NO = {"yes", "y", "true", "1", "1.0"}, {"no", "n", "false", "0", "0.0"}
_UNSURE = {"", "?", "unsure", "unknown", "maybe", "nan", "none", "null", "<na>"}
_CLUSTERS = ("old_a", "old_b", "new_a", "new_b")


class JudgedRate(NamedTuple):
    """An estimate with its confidence limits."""

    name: str
    value: float
    low: float
    high: float


@dataclass(frozen=True, eq=False, repr=False)
class JudgedChanges(RowsResult):
    """How much of a change is good, estimated from judged pairs.

    Attributes
    ----------
    good_split_rate, bad_split_rate : JudgedRate
        The part of the split rate due to pairs that belong apart, and to pairs that belong
        together.
    good_merge_rate, bad_merge_rate : JudgedRate
        The part of the merge rate due to pairs that belong together, and to pairs that do not.
    delta_precision : JudgedRate
        The precision of the new clusters less that of the old ones. Precision is the mean over
        objects of the share of its companions, itself included, that belong with it.
    judged, unanswered : int
        How many pairs were judged, and how many were not.
    confidence_level : float
        That of the limits, one by one.
    """

    good_split_rate: JudgedRate
    bad_split_rate: JudgedRate
    good_merge_rate: JudgedRate
    bad_merge_rate: JudgedRate
    delta_precision: JudgedRate
    judged: int
    unanswered: int
    confidence_level: float

    @property
    def rows(self) -> tuple[JudgedRate, ...]:  # type: ignore[override]
        """The five estimates."""
        splits, merges = (
            (self.good_split_rate, self.bad_split_rate),
            (self.good_merge_rate, self.bad_merge_rate),
        )
        return (*splits, *merges, self.delta_precision)

    @property
    def verdict(self) -> str:
        """Whether the new clusters are better, in one sentence."""
        _, value, low, high = self.delta_precision
        if low > 0:
            return f"better by {low:.3f} … {high:.3f} in precision"
        if high < 0:
            return f"worse by {-high:.3f} … {-low:.3f} in precision"
        return f"not clearly better or worse: {value:+.3f} ({low:+.3f} … {high:+.3f}) in precision"

    @property
    def title(self) -> str:
        """The verdict, the level of the limits, and how many pairs were judged."""
        asked = self.judged + self.unanswered
        return (
            f"{self.verdict}\n{percent(self.confidence_level)} confidence limits; "
            f"{self.judged:,} of {counted(asked, 'pair')} judged"
        )


def judge(table: Contingency, answers: Any, confidence_level: float) -> JudgedChanges:
    """Return what the answers say of the change between rows and columns of a table."""
    check_countable(table)
    if not 0 < confidence_level < 1:
        raise LabelError(f"confidence_level must be between 0 and 1, got {confidence_level!r}.")
    columns = _read_answers(answers)
    together = [_read_answer(value) for value in columns["together"]]
    strata = _find_strata(table, columns)
    answered = [i for i, value in enumerate(together) if value is not None]
    masses = weigh_cells(table).sum(axis=1) / table.n
    shares = []
    for stratum, mass in enumerate(masses.tolist()):
        values = [together[i] for i in answered if strata[i] == stratum]
        if mass and not values:
            side = {SHRUNK: " in a cluster that shrank", GREW: " in a cluster that grew"}
            raise LabelError(
                f"no {KINDS[stratum]} pair{side.get(stratum, '')} was judged, so that the change "
                "cannot be: answer at least one."
            )
        shares.append(estimate_share(values, confidence_level))
    split, merge, shrunk, grew = masses.tolist()
    # Each object is a companion of itself, which belongs.
    own = (table.shape[1] - table.shape[0]) / table.n

    def rate(name: str, mass: float, stratum: int, good: bool) -> JudgedRate:
        value, low, high = shares[stratum]
        if not good:
            value, low, high = 1 - value, 1 - high, 1 - low
        return JudgedRate(name, mass * value, mass * low, mass * high)

    return JudgedChanges(
        rate("good_split_rate", split, SPLIT, False),
        rate("bad_split_rate", split, SPLIT, True),
        rate("good_merge_rate", merge, MERGE, True),
        rate("bad_merge_rate", merge, MERGE, False),
        JudgedRate("delta_precision", *_combine([-split, merge, shrunk, -grew], shares, own)),
        len(answered),
        len(together) - len(answered),
        confidence_level,
    )


class _Share(NamedTuple):
    """The share of pairs that belong together, with its limits."""

    value: float
    low: float
    high: float


def estimate_share(values: Sequence[bool | None], confidence_level: float) -> _Share:
    """Return a share with its exact limits; without values it may be anything."""
    from scipy.special import betaincinv

    n, n_together = len(values), sum(map(bool, values))
    tail = (1 - confidence_level) / 2
    low = float(betaincinv(n_together, n - n_together + 1, tail)) if n_together else 0.0
    high = float(betaincinv(n_together + 1, n - n_together, 1 - tail)) if n_together < n else 1.0
    return _Share(n_together / max(n, 1), low, high)


def _combine(
    masses: Sequence[float], shares: Sequence[_Share], start: float
) -> tuple[float, float, float]:
    """Return a sum of shares times masses, and its limits."""
    value, below, above = start, 0.0, 0.0
    for mass, share in zip(masses, shares, strict=True):
        value += mass * share.value
        ends = sorted((mass * share.low, mass * share.high))
        below += (mass * share.value - ends[0]) ** 2
        above += (ends[1] - mass * share.value) ** 2
    return value, value - math.sqrt(below), value + math.sqrt(above)


# --- what was answered ---------------------------------------------------------------------------


def _read_answers(answers: Any) -> dict[str, list[Any]]:
    """Return the columns of a frame or a mapping."""
    if isinstance(answers, Mapping):
        columns = {str(name): list(values) for name, values in answers.items()}
    else:
        column_names(answers)  # raises for what is no frame
        columns = {str(name): to_list(column) for name, column in read_columns(answers).items()}
    for name in (*_CLUSTERS, "together"):
        if name not in columns:
            raise LabelError(f"answers has no column {name!r}: pass the questions, answered.")
    return columns


def _read_answer(value: Any) -> bool | None:
    """Return whether a pair belongs together; None if nobody knows."""
    text = "" if is_missing(value) else str(value).strip().lower()
    if text in _YES or text in _NO:
        return text in _YES
    if text in _UNSURE:
        return None
    raise LabelError(f"together holds {value!r}; answer yes or no, or leave it empty.")


def _find_strata(table: Contingency, columns: Mapping[str, Sequence[Any]]) -> NDArray[np.intp]:
    """Return the stratum of each pair, from the clusters of its objects."""
    known = {
        side: {as_written(name): position for position, name in enumerate(names)}
        for side, names in (("old", table.classes), ("new", table.clusters))
    }
    strata = []
    for pair in zip(*(columns[name] for name in _CLUSTERS), strict=True):
        places = []
        for name, value in zip(_CLUSTERS, pair, strict=True):
            text = None if is_missing(value) or value == "" else as_written(value)
            place = known[name[:3]].get(text)
            if place is None:
                raise LabelError(f"{name} holds {value!r}, which is no {name[:3]} cluster here.")
            places.append(place)
        strata.append(_stratum(table, places))
    return np.array(strata, dtype=np.intp)


def _stratum(table: Contingency, places: Sequence[int]) -> int:
    old_a, old_b, new_a, new_b = places
    if old_a == old_b and new_a == new_b:
        return SHRUNK if table.class_sizes[old_a] > table.cluster_sizes[new_a] else GREW
    if old_a == old_b:
        return SPLIT
    if new_a == new_b:
        return MERGE
    raise LabelError(
        "a pair is together neither in the old nor in the new clustering: these are not questions "
        "of this change."
    )
