"""Whether a change is good, from answers to `questions`: do two objects belong together?

Each stratum is a mean of draws that are 0 or 1, times its mass, so that the sums are unbiased.
Limits of one stratum are the exact ones of Clopper and Pearson: Wilson's are narrower, and cover as
little as 84 % if nearly all of a few pairs are alike. Limits of a sum of strata are melded (Fay,
Proschan and Brittain 2015, https://doi.org/10.1111/biom.12231): quantiles of the sum of variables
with the beta distributions whose quantiles are the limits of each stratum.
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
    number_by_text,
    weigh_cells,
)
from clusterbits.errors import LabelError, check_level
from clusterbits.reading.dataframes import column_names, read_columns
from clusterbits.reading.type_checks import to_list
from clusterbits.table.contingency import Contingency
from clusterbits.table.label_names import as_written, is_missing
from clusterbits.text.results import RowsResult
from clusterbits.text.tables import counted, decimals_of, percent

_ANSWERS = (
    dict.fromkeys(("yes", "y", "true", "1", "1.0"), 1.0)
    | dict.fromkeys(("no", "n", "false", "0", "0.0"), 0.0)
    | dict.fromkeys(
        ("", "?", "unsure", "unknown", "maybe", "nan", "none", "null", "<na>"), math.nan
    )
)
# Cells that a sum of strata is computed on, and what is rounding in it.
_CELLS, _ROUNDING = 1 << 14, 1e-12
_CLUSTERS = ("old_a", "old_b", "new_a", "new_b")
# The columns of answers that are read.
ANSWERED = (*_CLUSTERS, "kind", "together")
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
        The precision of the new clusters less that of the old ones, on shared objects. Precision is
        the mean over objects of the share of its companions, itself included, that belong with it.
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
        """Whether precision is better, in one sentence; bad splits may still be many."""
        _, value, low, high = self.delta_precision
        digits = max(3, decimals_of(high - low))
        if low > 0:
            return f"better by {low:.{digits}f} … {high:.{digits}f} in precision"
        if high < 0:
            return f"worse by {-high:.{digits}f} … {-low:.{digits}f} in precision"
        limits = f"{low:+.{digits}f} … {high:+.{digits}f}"
        return f"not clearly better or worse in precision: {value:+.{digits}f} ({limits})"

    @property
    def title(self) -> str:
        """The verdict, the bad splits and merges, and how many pairs were judged."""
        asked = self.judged + self.unanswered
        splits = _bad_share(self.good_split_rate, self.bad_split_rate)
        merges = _bad_share(self.good_merge_rate, self.bad_merge_rate)
        return (
            f"{self.verdict}; bad splits: {splits}, bad merges: {merges}\n"
            f"{percent(self.confidence_level)} confidence limits; "
            f"{self.judged:,} of {counted(asked, 'pair')} judged"
        )


def _bad_share(good: JudgedRate, bad: JudgedRate) -> str:
    total = good.value + bad.value
    return percent(bad.value / total, 0) if total > 0 else "none"


def judge(table: Contingency, answers: Any, confidence_level: float) -> JudgedChanges:
    """Return what the answers say of the change between rows and columns of a table."""
    check_countable(table)
    confidence_level = check_level(confidence_level)
    columns = _read_answers(answers)
    together = np.array([_read_answer(value) for value in columns["together"]], dtype=np.float64)
    strata = _find_strata(table, columns)
    masses = weigh_cells(table).sum(axis=1) / table.n
    counts = np.zeros((len(KINDS), 2), dtype=np.int64)
    for stratum, mass in enumerate(masses.tolist()):
        values = together[(strata == stratum) & ~np.isnan(together)]
        if mass and np.isnan(together).all():
            raise LabelError("no question is answered: fill the column together with yes or no.")
        if mass and not len(values):
            side = {SHRUNK: " in a cluster that shrank", GREW: " in a cluster that grew"}
            raise LabelError(
                f"no {KINDS[stratum]} pair{side.get(stratum, '')} was judged, so that the change "
                "cannot be: answer at least one."
            )
        counts[stratum] = values.sum(), len(values)
    n_unanswered = int(np.isnan(together).sum())
    return JudgedChanges(
        **_combine(masses, counts, (table.shape[1] - table.shape[0]) / table.n, confidence_level),
        judged=len(together) - n_unanswered,
        unanswered=n_unanswered,
        confidence_level=confidence_level,
    )


def limit_sum(
    masses: NDArray[np.float64], counts: NDArray[np.int64], confidence_level: float
) -> tuple[float, float]:
    """Return limits of a sum of shares times their masses, which may be negative.

    `counts` has, for each share, the pairs that belong together and all judged pairs. One share has
    the exact limits of Clopper and Pearson; a sum has melded ones.
    """
    together, judged = counts[masses != 0].T
    masses = masses[masses != 0]
    apart = judged - together
    # A negative share counts as the share of the other answer, less all.
    least, sizes = masses[masses < 0].sum(), np.abs(masses)
    hits, misses = np.where(masses < 0, [apart, together], [together, apart])
    tail = (1 - confidence_level) / 2
    low = _lower_limit(sizes, hits, judged, tail)
    high = sizes.sum() - _lower_limit(sizes, misses, judged, tail)
    return float(least + low), float(least + high)


def _lower_limit(
    masses: NDArray[np.float64], hits: NDArray[np.int64], judged: NDArray[np.int64], tail: float
) -> float:
    """Return the quantile of the sum of beta variables times their masses, on a grid from below."""
    from scipy.special import betainc, betaincinv

    # The lower limit of a share without a hit is 0.
    masses, hits, judged = masses[hits > 0], hits[hits > 0], judged[hits > 0]
    misses = judged - hits
    if len(masses) < 2:
        return float((masses * betaincinv(hits, misses + 1, tail)).sum())
    step = masses.sum() / _CELLS
    transform = np.ones(_CELLS + 1, dtype=np.complex128)
    for mass, n_hits, n_misses in zip(masses, hits, misses, strict=True):
        ends = np.arange(_CELLS + 1) * step / mass
        ends = np.append(ends[ends < 1], 1)
        transform *= np.fft.rfft(np.diff(betainc(n_hits, n_misses + 1, ends)), 2 * _CELLS)
    below = np.cumsum(np.fft.irfft(transform, 2 * _CELLS))
    return float(step * np.searchsorted(below, tail))


def _combine(
    masses: NDArray[np.float64], counts: NDArray[np.int64], own: float, confidence_level: float
) -> dict[str, JudgedRate]:
    """Return the estimates; `own` is the change in precision of each object with itself."""
    split, merge, _, _ = masses.tolist()
    constants = {"good_split_rate": split, "bad_merge_rate": merge, "delta_precision": own}
    shares = counts[:, 0] / np.maximum(counts[:, 1], 1)
    estimates = {}
    for name, signs in ESTIMATES.items():
        signed, constant = np.array(signs) * masses, constants.get(name, 0.0)
        ends = limit_sum(signed, counts, confidence_level)
        sums = (constant + total for total in (float(signed @ shares), *ends))
        value, low, high = (0.0 if abs(total) < _ROUNDING else total for total in sums)
        estimates[name] = JudgedRate(name, value, min(low, value), max(high, value))
    return estimates


# --- what was answered ---------------------------------------------------------------------------


def _read_answers(answers: Any) -> dict[str, list[Any]]:
    """Return the columns of a DataFrame or a mapping."""
    if not isinstance(answers, Mapping):
        column_names(answers)  # raises for what is no DataFrame
        answers = read_columns(answers)
    columns = {str(name): to_list(values) for name, values in answers.items()}
    for name in ANSWERED:
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
    positions = {"old": number_by_text(table.classes), "new": number_by_text(table.clusters)}

    def find(column: str) -> NDArray[np.intp]:
        run, _, _ = column.partition("_")
        texts = [None if is_missing(x) or x == "" else as_written(x) for x in columns[column]]
        for value, text in zip(columns[column], texts, strict=True):
            if text not in positions[run]:
                raise LabelError(f"{column} holds {value!r}, which is no {run} cluster here.")
        return np.array([positions[run][text] for text in texts], dtype=np.intp)

    old_a, old_b, new_a, new_b = map(find, _CLUSTERS)
    same_old, same_new = old_a == old_b, new_a == new_b
    shrunk = table.class_sizes[old_a] > table.cluster_sizes[new_a]
    kept = np.where(shrunk, SHRUNK, GREW)
    strata = np.where(same_old & same_new, kept, np.where(same_old, SPLIT, MERGE))
    asked = np.array(KINDS)[strata] == np.array([str(kind) for kind in columns["kind"]])
    if not (asked & (same_old | same_new)).all():
        raise LabelError(
            f"the pair at position {int((asked & (same_old | same_new)).argmin())} was not asked "
            "about this change: pass the answers to its own questions()."
        )
    return strata
