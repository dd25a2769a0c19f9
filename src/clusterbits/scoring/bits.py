"""Bits over the number of clusters: what the labels and the table of each clustering cost.

The picture that chooses among clusterings of different sizes. `Scores.plot`, the report and the
demo draw it from the same numbers.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from clusterbits.errors import LabelError
from clusterbits.ingest.runs import Name
from clusterbits.measures.code_length import model_bits, no_clusters_bits
from clusterbits.measures.pairs import adjusted_rand
from clusterbits.scoring.ranks import same_objects
from clusterbits.scoring.scores import Scores


class BitsBar(NamedTuple):
    """One clustering: its clusters, its bits in two parts, and their interval where known.

    `low` and `high` are those of q0.
    """

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


class Sweep(NamedTuple):
    """Runs over a parameter: its value in each, and the adjusted Rand index of each.

    `pattern` is their name with a star in the place of the value.
    """

    pattern: str
    values: Mapping[Name, float]
    adjusted_rand: Mapping[Name, float]

    @property
    def highest(self) -> Name:
        """The run of the highest adjusted Rand index."""
        return max(self.adjusted_rand, key=self.adjusted_rand.__getitem__)


class BitsOverClusters(NamedTuple):
    """The clusterings by their number of clusters, and the levels between which they lie.

    `no_clusters` is q0 of all objects together or of each alone, whichever is less, and `perfect`
    that of the classes as clusters; both are None where the clusterings were counted on different
    objects. In a `sweep` the bars are in the order of its values.
    """

    bars: tuple[BitsBar, ...]
    fewest: BitsBar
    no_clusters: float | None
    perfect: float | None
    sweep: Sweep | None = None


def bits_over_clusters(scores: Scores) -> BitsOverClusters:
    """Return the bits of every clustering, the fewest clusters first.

    >>> import clusterbits as cb
    >>> runs = {"k2": [0, 0, 0, 0, 1, 1], "k3": [0, 0, 1, 1, 2, 2]}
    >>> bits = bits_over_clusters(cb.evaluate([0, 0, 1, 1, 2, 2], runs, ["q0"]))
    >>> [(bar.clustering, round(bar.bits, 3)) for bar in bits.bars], bits.fewest.clustering
    ([('k2', 1.749), ('k3', 1.292)], 'k3')
    """
    limits = {row.clustering: row[3:] for row in scores.rows if row.measure == "q0"}
    bars = [
        BitsBar(
            name,
            table.shape[1],
            table.class_entropy_given_cluster,
            model_bits(table),
            *limits.get(name, (None, None)),
        )
        for name, table in scores.tables.items()
    ]
    fewest = min(bars, key=_by_bits)
    table = scores.tables[fewest.clustering]
    shared = same_objects(scores)
    return BitsOverClusters(
        bars=tuple(sorted(bars, key=lambda bar: (bar.clusters, bar.bits))),
        fewest=fewest,
        no_clusters=no_clusters_bits(table) if shared else None,
        perfect=table.least_bits() if shared else None,
    )


def bits_over(scores: Scores, pattern: str) -> BitsOverClusters:
    """Return the bits of every clustering, in the order of the number in its name."""
    bits, values = bits_over_clusters(scores), _numbers(scores, pattern)
    bars = sorted(bits.bars, key=lambda bar: values[bar.clustering])
    agreement = {name: adjusted_rand.of(table) for name, table in scores.tables.items()}
    sweep = Sweep(pattern, values, agreement)
    return bits._replace(bars=tuple(bars), sweep=sweep)


def _numbers(scores: Scores, pattern: str) -> dict[Name, float]:
    """Return the number that stands in each name in the place of the star.

    Splink writes 0.95 as 0_95, which float alone takes for 95.
    """
    before, star, after = pattern.partition("*")
    found = {}
    for name in scores.tables:
        text = str(name)
        try:
            if not (star and text.startswith(before) and text.endswith(after)):
                raise ValueError
            found[name] = float(text[len(before) : len(text) - len(after)].replace("_", "."))
        except ValueError:
            raise LabelError(
                f"over is {pattern!r}; the clustering {text!r} has no number in place of a star."
            ) from None
    return found


def _by_bits(bar: BitsBar) -> tuple[float, int]:
    return bar.bits, bar.clusters
