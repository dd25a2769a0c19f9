"""Pair counts of any two graphs, in place of those of two partitions.

"Together" makes a graph of a partition, and for a measure that is computed from pair counts any
graph will do. A graph's complement agrees with it on no pair. Partitions hardly get there: from
three objects on, only one group of everything and single objects disagree on every pair.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from itertools import product
from typing import cast

from clusterbits.core.sums import PairCounts
from clusterbits.core.table import Contingency


@dataclass(frozen=True)
class GraphPairs:
    """Pair counts of two graphs over n objects, with what measures of pairs ask of a table."""

    pairs: PairCounts
    n: int
    exact = True

    @property
    def is_perfect(self) -> bool:
        """Whether the graphs are the same."""
        return not (self.pairs.a01 or self.pairs.a10)

    def __str__(self) -> str:
        """Return the counts by name."""
        counts = ", ".join(f"{name} = {count}" for name, count in self.pairs._asdict().items())
        return f"two graphs over {self.n} objects with {counts}"


@cache
def graph_tables(n: int) -> dict[PairCounts, Contingency]:
    """Return all pair counts of two graphs over n objects, neither empty nor complete.

    The values are not tables, but measures of pairs cannot tell.

    >>> len(graph_tables(3))
    8
    """
    total = n * (n - 1) // 2
    found = (
        PairCounts(both, together - both, in_second, total - together - in_second)
        for together in range(1, total)
        for both, in_second in product(range(together + 1), range(total - together + 1))
        if 0 < both + in_second < total
    )
    return {pairs: cast("Contingency", GraphPairs(pairs, n)) for pairs in found}
