"""Bits over the number of clusters: what the labels and the table of each clustering cost.

The plot that chooses among clusterings of different sizes. `Scores.plot`, the report and the
demo draw it from the same numbers.
"""

from __future__ import annotations

import math
import re
from contextlib import suppress
from typing import NamedTuple

from clusterbits.errors import LabelError
from clusterbits.inference.verdict import have_same_class_sizes
from clusterbits.measures.code_length import no_clusters_bits
from clusterbits.scoring.scores import Scores
from clusterbits.table.label_names import Name


class BitsBar(NamedTuple):
    """One clustering: its clusters, its bits in two parts, and the interval of q0 if computed.

    The `number` in its name stands in place of the star of a pattern, if one was given.
    """

    clustering: Name
    clusters: int
    label_bits: float
    table_bits: float
    low: float | None = None
    high: float | None = None
    number: float | None = None

    @property
    def bits(self) -> float:
        """Bits per object: q0."""
        return self.label_bits + self.table_bits


class BitsOverClusters(NamedTuple):
    """The clusterings by their number of clusters, and the levels between which they lie.

    `best` are those that the verdict names. `no_clusters` is q0 of one cluster or of singletons,
    whichever is less, and `perfect` that of the classes as clusters; both are None if classes have
    different sizes. The bars are in the order of the numbers that the pattern `over` names, if it
    is given.
    """

    bars: tuple[BitsBar, ...]
    best: tuple[Name, ...]
    no_clusters: float | None
    perfect: float | None
    over: str = ""

    @property
    def differ(self) -> bool:
        """Whether the numbers of clusters differ."""
        return len({bar.clusters for bar in self.bars}) > 1


def bits_over_clusters(scores: Scores, over: str = "") -> BitsOverClusters:
    """Return the bits of every clustering, the fewest clusters first.

    >>> import clusterbits as cb
    >>> runs = {"k2": [0, 0, 0, 0, 1, 1], "k3": [0, 0, 1, 1, 2, 2]}
    >>> bits = bits_over_clusters(cb.evaluate([0, 0, 1, 1, 2, 2], runs, ["q0"]))
    >>> [(bar.clustering, round(bar.bits, 3)) for bar in bits.bars], bits.best
    ([('k2', 1.749), ('k3', 1.292)], ('k3',))
    """
    limits = {row.clustering: row[3:] for row in scores.rows if row.measure == "q0"}
    bars = [
        BitsBar(
            name,
            table.shape[1],
            table.class_entropy_given_cluster,
            table.table_bits(),
            *limits.get(name, (None, None)),
            _number(name, over) if over else None,
        )
        for name, table in scores.tables.items()
    ]
    bars.sort(key=lambda bar: (bar.number or 0, bar.clusters, bar.bits))
    table = next(iter(scores.tables.values()))
    shared = have_same_class_sizes(scores.tables.values())
    return BitsOverClusters(
        bars=tuple(bars),
        best=scores.decision.best,
        no_clusters=no_clusters_bits(table) if shared else None,
        perfect=table.perfect_bits() if shared else None,
        over=over,
    )


def _number(name: Name, pattern: str) -> float:
    """Return the number in a name in place of the pattern's star.

    >>> _number("size_1_000", "size_*"), _number("size_0_95", "size_*")  # Splink's name for 0.95
    (1000.0, 0.95)
    """
    before, star, after = map(re.escape, pattern.partition("*"))
    match = re.fullmatch(f"{before}(.*){after}", str(name), re.DOTALL) if star else None
    text = match[1] if match else ""
    with suppress(ValueError):
        number = float(text.replace("_", ".") if re.fullmatch(r"0_\d+|1_0", text) else text)
        if math.isfinite(number):
            return number
    raise LabelError(
        f"over is {pattern!r}; the clustering {str(name)!r} has no number in place of a star."
    )
