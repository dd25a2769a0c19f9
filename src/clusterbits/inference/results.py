"""What a comparison of clusterings of the same objects finds: which of them may be the best."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, NamedTuple

from clusterbits.display.results import RowsResult
from clusterbits.display.tables import html_table, percent
from clusterbits.errors import LabelError, did_you_mean
from clusterbits.inference.differences import PairedScores, Standing
from clusterbits.ingest.runs import Name
from clusterbits.measures.catalogue import get_measure


class Difference(NamedTuple):
    """The paired difference of two clusterings, and its confidence limits."""

    value: float
    low: float
    high: float


@dataclass(frozen=True, eq=False, repr=False)
class Comparison(RowsResult):
    """Clusterings of the same objects, the best first, and which of them may be the best.

    Attributes
    ----------
    measure : str
        Full name of the measure.
    confidence_level : float
        The confidence level; at least this often the truly best clustering is among `best`.
    rows : tuple of Standing
        For each clustering: its number of ``clusters``; its ``value`` with its own confidence
        limits; ``may_be_best``, whether ``behind_low`` is 0; how much worse it is than the best
        (``behind``), with limits that allow for any clustering being the truly best; and the
        ``probability`` of being the best, as a share of the resamples (ties share one equally).
    method : str
        "centred"; or "jackknife" for large tables, as in `Interval`.
    n_resamples : int
        The number of resamples; by the jackknife, of sums of groups' effects.
    """

    measure: str
    confidence_level: float
    rows: tuple[Standing, ...]
    method: str
    n_resamples: int
    names: tuple[Name, ...] = field(compare=False)
    scores: PairedScores = field(compare=False)

    def __getitem__(self, clustering: Name) -> Standing:
        """Return the row of a clustering."""
        return self.rows[[row.clustering for row in self.rows].index(self._known(clustering))]

    @property
    def best(self) -> tuple[Name, ...]:
        """The clusterings that may be the best, the simplest (fewest clusters) first."""
        rows = [row for row in self.rows if row.may_be_best]
        return tuple(row.clustering for row in sorted(rows, key=lambda row: row.clusters))

    def difference(self, one: Name, other: Name) -> Difference:
        """Return the value of one clustering minus that of another, with its paired interval.

        >>> import clusterbits as cb
        >>> found = cb.compare([0, 0, 1, 1] * 9, [0, 0, 1, 1] * 9, [0, 0, 0, 1] * 9, measure="rand")
        >>> found.difference("b", "a")
        Difference(value=-0.385..., low=-0.518..., high=-0.204...)
        """
        i, j = (self.names.index(self._known(name)) for name in (one, other))
        found = self.scores.difference(i, j)
        return Difference(found.value, *found.interval(self.confidence_level))

    def _known(self, name: Name) -> Name:
        if name in self.names:
            return name
        hint = did_you_mean(str(name), map(str, self.names))
        raise LabelError(f"there is no clustering {name!r}.{hint}")

    @property
    def title(self) -> str:
        """The best clustering, or how many may be the best."""
        several = len(self.best)
        verdict = f"{several} of {len(self.rows)} may be the best"
        if several == 1:
            verdict = f"{self.best[0]} is the best"
        how = ", jackknife" if self.method == "jackknife" else ""
        return f"{self.measure}, {percent(self.confidence_level)}{how}: {verdict}"

    def _html_table(self) -> str:
        return html_table(self._shown(), {"value": get_measure(self.measure).better})

    def plot(self, ax: Any = None) -> Any:
        """Draw the clusterings with their intervals, and return the axes.

        >>> import clusterbits as cb
        >>> runs = {"a": [0, 0, 0, 1], "b": [0, 0, 1, 1]}
        >>> ax = cb.compare([0, 0, 1, 1], runs, measure="q0", rng=1).plot()
        >>> [label.get_text() for label in ax.get_yticklabels()]
        ['b', 'a']
        """
        from clusterbits.display.plots.rows import draw_comparison

        return draw_comparison(self, ax)
