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

_ANSWERS = (
    dict.fromkeys(("yes", "y", "true", "1", "1.0"), 1.0)
    | dict.fromkeys(("no", "n", "false", "0", "0.0"), 0.0)
    | dict.fromkeys(
        ("", "?", "unsure", "unknown", "maybe", "nan", "none", "null", "<na>"), math.nan
    )
)
_CLUSTERS = ("old_a", "old_b", "new_a", "new_b")
# The sign of the pairs that belong together in each stratum: split, merge, and kept in a cluster
# that shrank or grew. An estimate is the sum of their signed masses, and a constant.
ESTIMATES = {
    "good_split_rate": (-1, 0, 0, 0),  # and all split pairs
    "bad_split_rate": (1, 0, 0, 0),
    "good_merge_rate": (0, 1, 0, 0),
    "bad_merge_rate": (0, -1, 0, 0),  # and all merge pairs
    "delta_precision": (-1, 1, 1, -1),  # and each object with itself
}


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
        return tuple(getattr(self, name) for name in ESTIMATES)

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
    together = np.array([_read_answer(value) for value in columns["together"]], dtype=np.float64)
    strata = _find_strata(table, columns)
    masses = weigh_cells(table).sum(axis=1) / table.n
    shares = np.empty((len(KINDS), 3))
    for stratum, mass in enumerate(masses.tolist()):
        values = together[(strata == stratum) & ~np.isnan(together)]
        if mass and not len(values):
            side = {SHRUNK: " in a cluster that shrank", GREW: " in a cluster that grew"}
            raise LabelError(
                f"no {KINDS[stratum]} pair{side.get(stratum, '')} was judged, so that the change "
                "cannot be: answer at least one."
            )
        shares[stratum] = estimate_share(int(values.sum()), len(values), confidence_level)
    n_unanswered = int(np.isnan(together).sum())
    return JudgedChanges(
        **_combine(masses, shares, (table.shape[1] - table.shape[0]) / table.n),
        judged=len(together) - n_unanswered,
        unanswered=n_unanswered,
        confidence_level=confidence_level,
    )


def estimate_share(n_together: int, n: int, confidence_level: float) -> tuple[float, float, float]:
    """Return a share with its exact limits; without pairs it may be anything."""
    from scipy.special import betaincinv

    tail = (1 - confidence_level) / 2
    low = float(betaincinv(n_together, n - n_together + 1, tail)) if n_together else 0.0
    high = float(betaincinv(n_together + 1, n - n_together, 1 - tail)) if n_together < n else 1.0
    return n_together / max(n, 1), low, high


def _combine(
    masses: NDArray[np.float64], shares: NDArray[np.float64], own: float
) -> dict[str, JudgedRate]:
    """Return the estimates; `own` is the change in precision of each object with itself."""
    split, merge, _, _ = masses.tolist()
    constants = {"good_split_rate": split, "bad_merge_rate": merge, "delta_precision": own}
    estimates = {}
    for name, signs in ESTIMATES.items():
        values = np.array(signs) * masses * shares.T
        below, above = values.min(axis=0) - values[0], values.max(axis=0) - values[0]
        value = constants.get(name, 0.0) + float(values[0].sum())
        low, high = value - math.sqrt(below @ below), value + math.sqrt(above @ above)
        estimates[name] = JudgedRate(name, value, low, high)
    return estimates


# --- what was answered ---------------------------------------------------------------------------


def _read_answers(answers: Any) -> dict[str, list[Any]]:
    """Return the columns of a DataFrame or a mapping."""
    if not isinstance(answers, Mapping):
        column_names(answers)  # raises for what is no DataFrame
        answers = read_columns(answers)
    columns = {str(name): to_list(values) for name, values in answers.items()}
    for name in (*_CLUSTERS, "together"):
        if name not in columns:
            raise LabelError(f"answers has no column {name!r}: pass the questions, answered.")
    return columns


def _read_answer(value: Any) -> float:
    """Return whether a pair belongs together, 1 or 0; nan if nobody knows."""
    text = "" if is_missing(value) else str(value).strip().lower()
    if text not in _ANSWERS:
        raise LabelError(f"together holds {value!r}; answer yes or no, or leave it empty.")
    return _ANSWERS[text]


def _find_strata(table: Contingency, columns: Mapping[str, Sequence[Any]]) -> NDArray[np.intp]:
    """Return the stratum of each pair, from the clusters of its objects."""
    positions = {
        "old": {as_written(name): i for i, name in enumerate(table.classes)},
        "new": {as_written(name): i for i, name in enumerate(table.clusters)},
    }

    def find(column: str) -> NDArray[np.intp]:
        run, _, _ = column.partition("_")
        texts = [None if is_missing(x) or x == "" else as_written(x) for x in columns[column]]
        for value, text in zip(columns[column], texts, strict=True):
            if text not in positions[run]:
                raise LabelError(f"{column} holds {value!r}, which is no {run} cluster here.")
        return np.array([positions[run][text] for text in texts], dtype=np.intp)

    old_a, old_b, new_a, new_b = map(find, _CLUSTERS)
    same_old, same_new = old_a == old_b, new_a == new_b
    if not (same_old | same_new).all():
        raise LabelError(
            "a pair is together neither in the old nor in the new clustering: these are not "
            "questions of this change."
        )
    shrunk = table.class_sizes[old_a] > table.cluster_sizes[new_a]
    kept = np.where(shrunk, SHRUNK, GREW)
    return np.where(same_old & same_new, kept, np.where(same_old, SPLIT, MERGE))
