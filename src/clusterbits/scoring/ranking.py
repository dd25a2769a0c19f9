"""Which clustering is better: the order by one measure, and ranks by several."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from clusterbits.errors import MeasureError
from clusterbits.inference.verdict import NO_DIRECTION, rank_values
from clusterbits.measures.catalogue import ByMeasure
from clusterbits.system.immutable import read_only
from clusterbits.table.label_names import Name
from clusterbits.table.log_factorials import FloatArray
from clusterbits.text.results import Result

if TYPE_CHECKING:
    from clusterbits.scoring.scores import Score, Scores


# The clusterings that the first of two measures and the second prefer to each other.
Pair = tuple[Name, Name]


@dataclass(frozen=True, eq=False, repr=False)
class Ranks(ByMeasure, Result):
    """The ranks of the clusterings by each measure that ranks: 1 is best. Made by `Scores.ranks`.

    ``ranks["q0"]`` has those by one measure. Clusterings that tie share the best rank: 1, 1, 1, 4.

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
        """Return a row for each clustering: its rank by each measure."""
        ranks = self.values.T.astype(int).tolist()
        return [
            {"clustering": name, **dict(zip(self.measures, row, strict=True))}
            for name, row in zip(self.clusterings, ranks, strict=True)
        ]

    def of(self, measure: str) -> FloatArray:
        """Return the ranks of the clusterings by one measure, as an array."""
        return np.asarray(self.values[self.measures.index(self._key(measure))])

    def _of(self, measure: str) -> dict[Name, int]:
        return dict(zip(self.clusterings, self.of(measure).astype(int).tolist(), strict=True))

    def tau(self, first: str, second: str) -> float:
        """Return Kendall's tau-b of two measures; nan if one of them ties all clusterings."""
        from scipy.stats import kendalltau

        return float(kendalltau(self.of(first), self.of(second)).statistic)

    def dispute(self, first: str, second: str) -> Pair | None:
        """Return the clusterings that two measures rank the other way round, or None.

        Each measure prefers its own of the two. If there are several such pairs, it is the one
        with the highest ranks by both, as that concerns the best.
        """
        a, b = self.of(first), self.of(second)
        reversed_ = (a[:, None] < a[None, :]) & (b[:, None] > b[None, :])
        if not reversed_.any():
            return None
        height = np.where(reversed_, a[:, None] + b[None, :], np.inf)
        i, j = np.unravel_index(height.argmin(), height.shape)
        return self.clusterings[i], self.clusterings[j]


def _ranks_by(scores: Scores, measure: str) -> dict[Name, int]:
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
    ranks = _ranks_by(scores, measure)
    return sorted(rows, key=lambda row: ranks[row.clustering])


def rank(scores: Scores) -> Ranks:
    """Rank the clusterings by each measure that has a direction: see `Scores.ranks`."""
    measures = tuple(name for name in scores.measures if scores.scales[name].better is not None)
    if not measures:
        raise MeasureError(NO_DIRECTION)
    rows = [list(_ranks_by(scores, name).values()) for name in measures]
    return Ranks(scores.clusterings, measures, read_only(np.array(rows, dtype=np.float64)))
