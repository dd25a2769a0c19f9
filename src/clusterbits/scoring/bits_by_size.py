"""Bits over the number of clusters: what the labels and the table of each clustering cost.

The plot that chooses among clusterings of different sizes. `Scores.plot`, the report and the
demo draw it from the same numbers.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping
from typing import NamedTuple

from clusterbits.errors import LabelError
from clusterbits.inference.verdict import have_same_class_sizes
from clusterbits.measures.code_length import no_clusters_bits
from clusterbits.scoring.scores import Scores
from clusterbits.table.label_names import Name


class BitsBar(NamedTuple):
    """One clustering: its clusters, its bits in two parts, and the interval of q0 if computed."""

    clustering: Name
    clusters: int
    label_bits: float
    table_bits: float
    low: float | None = None
    high: float | None = None

    @property
    def bits(self) -> float:
        """Bits per object: q0."""
        return self.label_bits + self.table_bits


class BitsOverClusters(NamedTuple):
    """The clusterings by their number of clusters, and the levels between which they lie.

    `best` are those that the verdict names. `no_clusters` is q0 of one cluster or of singletons,
    whichever is less, and `perfect` that of the classes as clusters; both are None if classes have
    different sizes. The bars are in the order of their `values`, the numbers in place of the star
    of the pattern `over`, if there is one.
    """

    bars: tuple[BitsBar, ...]
    best: tuple[Name, ...]
    no_clusters: float | None
    perfect: float | None
    over: str = ""
    values: Mapping[Name, float] = {}

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
        )
        for name, table in scores.tables.items()
    ]
    bars.sort(key=lambda bar: (bar.clusters, bar.bits))
    values = _numbers(scores.tables, over) if over else {}
    if over:
        bars.sort(key=lambda bar: values[bar.clustering])
    table = next(iter(scores.tables.values()))
    shared = have_same_class_sizes(scores.tables.values())
    return BitsOverClusters(
        bars=tuple(bars),
        best=scores.decision.best,
        no_clusters=no_clusters_bits(table) if shared else None,
        perfect=table.perfect_bits() if shared else None,
        over=over,
        values=values,
    )


def _numbers(names: Iterable[Name], pattern: str) -> dict[Name, float]:
    """Return the number in each name in place of the pattern's star.

    >>> _numbers(["size_1_000", "size_0_95"], "size_*")  # Splink writes 0.95 as 0_95
    {'size_1_000': 1000.0, 'size_0_95': 0.95}
    """
    before, star, after = pattern.partition("*")
    numbers = {}
    for name in names:
        text = str(name)
        try:
            if not (star and text.startswith(before) and text.endswith(after)):
                raise ValueError
            number = text[len(before) : len(text) - len(after)]
            decimal = re.fullmatch(r"0_\d+|1_0", number)
            numbers[name] = float(number.replace("_", ".") if decimal else number)
            if not math.isfinite(numbers[name]):
                raise ValueError
        except ValueError:
            raise LabelError(
                f"over is {pattern!r}; the clustering {text!r} has no number in place of a star."
            ) from None
    return numbers
