"""Which clustering is better: the order by one measure, ranks by several, and what they dispute."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from clusterbits.errors import MeasureError
from clusterbits.inference.verdict import NO_DIRECTION, rank_values
from clusterbits.measures.named_values import ByMeasure
from clusterbits.system.immutable import read_only
from clusterbits.table.label_names import Name
from clusterbits.table.log_factorials import FloatArray
from clusterbits.text.results import Result

if TYPE_CHECKING:
    from clusterbits.scoring.scores import Score, Scores


class Dispute(NamedTuple):
    """Two clusterings that two measures rank the other way round.

    Attributes
    ----------
    measure, rival : str
        The two measures.
    tau : float
        Kendall's tau-b of their ranks: 1 where they agree about every pair, nan where one of
        them ties all clusterings.
    preferred, instead : name or None
        The clustering that `measure` prefers and the one that `rival` prefers to it: of all such
        pairs the one where both rank highest, as that concerns who takes the best. None where they
        dispute nothing.
    disputed : int
        How many pairs of clusterings they dispute.
    """

    measure: str
    rival: str
    tau: float
    preferred: Name | None
    instead: Name | None
    disputed: int


@dataclass(frozen=True, eq=False, repr=False)
class Ranks(ByMeasure, Result):
    """The places of the clusterings by each measure that ranks: 1 is best. Made by `Scores.ranks`.

    By name it has those of a measure: ``ranks["q0"]``. Clusterings that tie share the best of
    their places: 1, 1, 1, 4.

    >>> import clusterbits as cb
    >>> runs = {"a": [0, 0, 0, 1], "b": [0, 0, 1, 1]}
    >>> ranks = cb.evaluate([0, 0, 1, 1], runs, ["q0", "purity"]).ranks()
    >>> ranks["q0"]
    {'a': 2, 'b': 1}
    >>> ranks
    clustering  q0  purity
    a            2       2
    b            1       1
    """

    clusterings: tuple[Name, ...]
    measures: tuple[str, ...]
    values: FloatArray

    def to_dicts(self) -> list[dict[str, Any]]:
        """Return a row for each clustering: its place by each measure."""
        places = self.values.T.astype(int).tolist()
        return [
            {"clustering": name, **dict(zip(self.measures, row, strict=True))}
            for name, row in zip(self.clusterings, places, strict=True)
        ]

    def of(self, measure: str) -> FloatArray:
        """Return the places of the clusterings by one measure, as an array."""
        return np.asarray(self.values[self.measures.index(self._key(measure))])

    def _of(self, measure: str) -> dict[Name, int]:
        return dict(zip(self.clusterings, self.of(measure).astype(int).tolist(), strict=True))

    def ties_all(self, measure: str) -> bool:
        """Return whether the measure tells no two clusterings apart."""
        return bool(np.ptp(self.of(measure)) == 0)

    def tau(self, first: str, second: str) -> float:
        """Return Kendall's tau-b of two measures; nan where one of them ties all clusterings."""
        from scipy.stats import kendalltau

        return float(kendalltau(self.of(first), self.of(second)).statistic)

    def dispute(self, measure: str, rival: str) -> Dispute:
        """Return what two measures dispute."""
        measure, rival = self._key(measure), self._key(rival)
        a, b = self.of(measure), self.of(rival)
        reversed_ = (a[:, None] < a[None, :]) & (b[:, None] > b[None, :])
        pair: tuple[Name | None, Name | None] = (None, None)
        if reversed_.any():
            height = np.where(reversed_, a[:, None] + b[None, :], np.inf)
            i, j = np.unravel_index(height.argmin(), height.shape)
            pair = self.clusterings[i], self.clusterings[j]
        disputed = int(reversed_.sum())
        return Dispute(measure, rival, self.tau(measure, rival), *pair, disputed)

    def plot(self, ax: Any = None) -> Any:
        """Draw a named line for each clustering from measure to measure, and return the axes.

        >>> import clusterbits as cb
        >>> runs = {"a": [0, 0, 0, 1], "b": [0, 0, 1, 1]}
        >>> ax = cb.evaluate([0, 0, 1, 1], runs, ["q0", "ari"]).ranks().plot()
        >>> [label.get_text() for label in ax.get_yticklabels()]
        ['a', 'b']
        """
        from clusterbits.plots.rank_plot import draw_ranks

        return draw_ranks(self, ax)


def places_of(scores: Scores, measure: str) -> dict[Name, int]:
    """Return the place of each clustering by one measure."""
    rows = scores.rows_for(measure)
    values = {row.clustering: row.value for row in rows}
    return rank_values(values, scores.scales[rows[0].measure])


def best_first(scores: Scores, measure: str) -> list[Score]:
    """Return the rows of one measure, from the best to the worst clustering.

    Those of the measure that decides are in the order of the verdict.
    """
    rows, decision = scores.rows_for(measure), scores.decision
    if rows[0].measure == decision.measure and len(decision.order) == len(rows):
        return sorted(rows, key=lambda row: decision.order.index(row.clustering))
    places = places_of(scores, measure)
    return sorted(rows, key=lambda row: places[row.clustering])


def rank(scores: Scores) -> Ranks:
    """Rank the clusterings by each measure that has a direction: see `Scores.ranks`."""
    measures = tuple(name for name in scores.measures if scores.scales[name].better is not None)
    if not measures:
        raise MeasureError(NO_DIRECTION)
    rows = [list(places_of(scores, name).values()) for name in measures]
    return Ranks(scores.clusterings, measures, read_only(np.array(rows, dtype=np.float64)))
