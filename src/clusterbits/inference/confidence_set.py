"""The model confidence set: which of several clusterings may be the best, from paired errors."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from clusterbits.inference.resampling import seed_sequence
from clusterbits.inference.score_errors import Difference, ScoreErrors, student_quantile
from clusterbits.inference.verdict import Decision
from clusterbits.measures.declaration import Better
from clusterbits.system.limits import check_memory
from clusterbits.table.label_names import Name
from clusterbits.table.log_factorials import FloatArray
from clusterbits.text.results import Keyed, RowsResult
from clusterbits.text.tables import html_table

# Draws of the multivariate t whose largest deviations are the critical values: for many
# clusterings fewer, so that about as many numbers are drawn.
_DRAWS, _MIN_DRAWS, _MAX_DRAWN = 10_000, 1_000, 200_000
# Weight of the mean variance of all pairs, in units. Among many pairs of few units some have a
# small standard error by chance, and exclude a best clustering: without this weight in up to 12 %
# of samples.
_PRIOR_UNITS = 30
# Standard errors of differences below this share of the largest error of a value are rounding, as
# those of two equal clusterings are.
_LOST = 1e-6


@dataclass(frozen=True, eq=False, repr=False)
class ConfidenceSet(Keyed, RowsResult):
    """Clusterings that were compared pair by pair, the best value first.

    Attributes
    ----------
    measure : str
        Full name of the measure.
    confidence_level : float
        How often `best` contains all clusterings that are truly the best.
    rows : tuple of named tuples
        One for each clustering, the best value first.
    decision : Decision
        Which clustering to take: `verdict` and all other outputs show it.
    better : "higher" or "lower"
        Which values are better.
    """

    measure: str
    confidence_level: float
    rows: tuple[Any, ...]
    decision: Decision
    better: Better | None
    _errors: ScoreErrors  # in the order of the rows

    @property
    def best(self) -> tuple[Name, ...]:
        """The model confidence set, the best value first."""
        return self.decision.confidence_set

    @property
    def method(self) -> str:
        """The "jackknife", of large tables the "grouped jackknife"; or "paired over tasks"."""
        return self._errors.method

    @property
    def degrees_of_freedom(self) -> float:
        """The degrees of freedom of Student's t: the effective number of units, minus one."""
        return self._errors.degrees_of_freedom

    def difference(self, first: Name, second: Name) -> Difference:
        """Return the value of one clustering minus that of another, with its paired interval.

        The interval is for these two only. Among many pairs some differ by chance; `best` allows
        for that.

        >>> import clusterbits as cb
        >>> runs = {"a": [0, 0, 1, 1] * 9, "b": [0, 0, 0, 1] * 9}
        >>> cb.compare([0, 0, 1, 1] * 9, runs, measure="rand").difference("b", "a")
        Difference(value=-0.385..., low=-0.579..., high=-0.192...)
        """
        names = self._key(first), self._key(second)
        return self._errors.difference(*names, self.confidence_level)

    @property
    def title(self) -> str:
        """The verdict."""
        return self.verdict

    @property
    def verdict(self) -> str:
        """The clustering with the best value, and those that are not significantly worse."""
        return self.decision.text()

    def _html_table(self) -> str:
        return html_table(self._shown(), {"value": self.better})


def find_confidence_set(
    errors: ScoreErrors, sign: int, level: float, rng: int | None
) -> tuple[set[Name], float]:
    """Return the clusterings in the model confidence set, and the critical value among all.

    The critical value is the difference, in standard errors, beyond which one is eliminated.
    """
    generator = np.random.default_rng(seed_sequence(rng))
    freedom, n = errors.degrees_of_freedom, len(errors.values)
    n_draws = max(_MIN_DRAWS, min(_DRAWS, _MAX_DRAWN // n))
    check_memory(3 * 8 * n * n_draws, f"{n_draws:,} draws of {n:,} clusterings")
    powers, axes = np.linalg.eigh(errors.covariance)
    draws = (axes * np.sqrt(np.maximum(powers, 0))) @ generator.standard_normal((n, n_draws))
    with np.errstate(divide="ignore"):
        draws *= np.sqrt(freedom / generator.chisquare(freedom, n_draws))
    least = _LOST * np.sqrt(np.diag(errors.covariance).max())
    members, criticals = np.arange(n), list[float]()
    while len(members) > 1:
        spread = np.maximum(errors.moderated(members, _PRIOR_UNITS), least)
        values = sign * errors.values[members]
        with np.errstate(invalid="ignore"):
            behind = np.nanmax((values - values[:, None]) / spread, axis=1, initial=0)
        # Never less than what two clusterings need, which is the paired t-test.
        critical = student_quantile(level, freedom)
        if len(members) > 2:
            largest = _largest_differences(draws[members], spread)
            critical = max(critical, float(np.quantile(largest, level)))
        criticals.append(critical)
        remaining = members[behind <= critical]
        if len(remaining) == len(members):
            break
        members = remaining
    return {errors.names[i] for i in members}, criticals[0]


def compare_with_best(
    errors: ScoreErrors, decision: Decision, level: float
) -> Iterator[tuple[Any, ...]]:
    """Yield the columns of all comparisons, the best clustering first."""
    values, best = errors.by_name(), decision.order[0]
    for name in decision.order:
        difference = errors.difference(name, best, level)
        yield name, values[name], *difference, name in decision.confidence_set


def _largest_differences(draws: FloatArray, spread: FloatArray) -> FloatArray:
    """Return the largest difference of two clusterings in each draw, in standard errors."""
    largest = np.zeros(draws.shape[1])
    for i in range(1, len(draws)):
        with np.errstate(invalid="ignore"):
            differences = np.abs(draws[:i] - draws[i]) / spread[i, :i, None]
        largest = np.fmax(largest, np.fmax.reduce(differences))
    return largest
