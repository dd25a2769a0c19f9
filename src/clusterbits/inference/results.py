"""What a comparison of clusterings of the same objects finds: a difference, or a ranking."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from clusterbits.display.results import Result
from clusterbits.display.tables import html_table, percent, show
from clusterbits.inference.differences import Standing
from clusterbits.ingest.runs import Name
from clusterbits.measures.catalogue import find


@dataclass(frozen=True, eq=False, repr=False)
class Comparison(Result):
    """The paired difference of two clusterings of the same objects.

    Attributes
    ----------
    measure : str
        Full name of the measure.
    value_a, value_b : float
        Its values for the two clusterings.
    difference : float
        ``value_b - value_a``.
    low, high : float
        Its confidence limits.
    confidence_level : float
        The confidence level.
    probability : float
        Share of the resamples, before centring, in which b is better than a; ties count half.
    method : str
        "centred"; or "jackknife" for large tables, as in `Interval`.
    n_resamples : int
        The number of resamples; by the jackknife, of sums of groups' effects.
    """

    measure: str
    value_a: float
    value_b: float
    difference: float
    low: float
    high: float
    confidence_level: float
    probability: float
    method: str
    n_resamples: int

    @property
    def better(self) -> str | None:
        """The better clustering, "a" or "b"; None where the interval contains 0."""
        if self.low <= 0 <= self.high:
            return None
        return "b" if (self.low > 0) == (find(self.measure).better == "higher") else "a"

    @property
    def title(self) -> str:
        """The difference with its interval, and the verdict."""
        verdict = f"{self.better} is better" if self.better else "they cannot be told apart"
        return (
            f"b - a = {show(self.difference)}, {percent(self.confidence_level)} interval "
            f"{show(self.low)} … {show(self.high)}: {verdict}"
        )

    def __repr__(self) -> str:
        """Return the values, the title and the share of resamples, one line each."""
        of_what = " of groups (jackknife)" if self.method == "jackknife" else ""
        return (
            f"{self.measure}: a {show(self.value_a)}, b {show(self.value_b)}\n"
            f"{self.title}\n"
            f"b is better than a in {percent(self.probability, 1)} of the resamples{of_what}"
        )

    def plot(self, ax: Any = None) -> Any:
        """Draw the difference with its confidence interval, and return the axes.

        >>> import clusterbits as cb
        >>> cb.compare([0, 0, 1, 1], [0, 0, 1, 1], [0, 0, 0, 1], "q0", rng=1).plot().get_xlabel()
        'difference of q0, with its 95 % confidence interval'
        """
        from clusterbits.display.plots import draw_comparison

        return draw_comparison(self, ax)


@dataclass(frozen=True, eq=False, repr=False)
class Ranking(Result):
    """Several clusterings of the same objects, the best first, and which may be the best.

    Attributes
    ----------
    measure : str
        Full name of the measure.
    confidence_level : float
        The confidence level; at least this often the truly best clustering is among
        `indistinguishable`.
    rows : tuple of Standing
        For each clustering: its ``value`` with its own confidence limits; ``may_be_best``, whether
        ``behind_low`` is 0; how much worse it is than the best (``behind``), with limits that allow
        for any clustering being the truly best; and the ``probability`` of being the best, as a
        share of the resamples (ties share one equally).
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

    @property
    def best(self) -> Name:
        """The clustering with the best value."""
        return self.rows[0].clustering

    @property
    def indistinguishable(self) -> tuple[Name, ...]:
        """The clusterings that may be the best, the best by value among them."""
        return tuple(row.clustering for row in self.rows if row.may_be_best)

    def to_dicts(self) -> list[dict[str, Any]]:
        """Return tidy rows: one dictionary per clustering."""
        return [row._asdict() for row in self.rows]

    @property
    def title(self) -> str:
        """The best clustering, or how many may be the best."""
        several = len(self.indistinguishable)
        verdict = f"{several} of {len(self.rows)} may be the best"
        if several == 1:
            verdict = f"{self.best} is the best"
        how = ", jackknife" if self.method == "jackknife" else ""
        return f"{self.measure}, {percent(self.confidence_level)}{how}: {verdict}"

    def _html_table(self) -> str:
        return html_table(self._shown(), {"value": find(self.measure).better})

    def plot(self, ax: Any = None) -> Any:
        """Draw the clusterings with their intervals, and return the axes.

        >>> import clusterbits as cb
        >>> runs = {"a": [0, 0, 0, 1], "b": [0, 0, 1, 1]}
        >>> ax = cb.compare([0, 0, 1, 1], runs, measure="q0", rng=1).plot()
        >>> [label.get_text() for label in ax.get_yticklabels()]
        ['b', 'a']
        """
        from clusterbits.display.plots import draw_ranking

        return draw_ranking(self, ax)
