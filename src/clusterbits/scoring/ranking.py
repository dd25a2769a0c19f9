"""The ranks of clusterings by several measures, and how far these agree."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from clusterbits.measures.catalogue import ByMeasure
from clusterbits.table.label_names import Name
from clusterbits.text.results import Result

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
    values: NDArray[np.int64]

    def to_dicts(self) -> list[dict[str, Any]]:
        """Return a row for each clustering: its rank by each measure."""
        return [
            {"clustering": name, **dict(zip(self.measures, row, strict=True))}
            for name, row in zip(self.clusterings, self.values.T.tolist(), strict=True)
        ]

    def of(self, measure: str) -> NDArray[np.int64]:
        """Return the ranks of the clusterings by one measure, as an array."""
        return np.asarray(self.values[self.measures.index(self._key(measure))])

    def _of(self, measure: str) -> dict[Name, int]:
        return dict(zip(self.clusterings, self.of(measure).tolist(), strict=True))

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
