"""Bits over the number of clusters: what the labels and the table of each clustering cost.

The picture that chooses among clusterings of different sizes. `Scores.plot`, the report and the
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
from clusterbits.measures.pairs import adjusted_rand
from clusterbits.scoring.scores import Scores
from clusterbits.table.label_names import Name

# A number in a name, which is no part of a date or a version, and has no sign: that may be a dash.
_NUMBER = re.compile(r"(?<![\d.-])(\d+\.\d+|0_\d+|1_0|\d+)(?!\.?\d)")


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

    `best` are those that the verdict names. `no_clusters` is q0 of one cluster or of singletons,
    whichever is less, and `perfect` that of the classes as clusters; both are None if classes have
    different sizes. In a `sweep` the bars are in the order of its values.
    """

    bars: tuple[BitsBar, ...]
    best: tuple[Name, ...]
    no_clusters: float | None
    perfect: float | None
    sweep: Sweep | None = None

    @property
    def differ(self) -> bool:
        """Whether there is something to draw them over: numbers of clusters, or a sweep."""
        return self.sweep is not None or len({bar.clusters for bar in self.bars}) > 1


def bits_over_clusters(scores: Scores, over: str | None = None) -> BitsOverClusters:
    """Return the bits of every clustering, the fewest clusters first.

    Names that differ in a decimal number, such as leiden_0.5 and leiden_1, are a sweep; with
    `over` they have a number in the place of its star.

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
    table = next(iter(scores.tables.values()))
    shared = have_same_class_sizes(scores.tables.values())
    bars.sort(key=lambda bar: (bar.clusters, bar.bits))
    sweep = None
    if pattern := over or _find_pattern(scores.tables):
        values = _numbers(scores.tables, pattern)
        agreement = {
            name: adjusted_rand.score_table(table) for name, table in scores.tables.items()
        }
        sweep = Sweep(pattern, values, agreement)
        bars.sort(key=lambda bar: values[bar.clustering])
    return BitsOverClusters(
        bars=tuple(bars),
        best=scores.decision.best,
        no_clusters=no_clusters_bits(table) if shared else None,
        perfect=table.perfect_bits() if shared else None,
        sweep=sweep,
    )


def _numbers(names: Iterable[Name], pattern: str) -> dict[Name, float]:
    """Return the number that stands in each name in the place of the pattern's star."""
    before, star, after = pattern.partition("*")
    found = {}
    for name in names:
        text = str(name)
        try:
            if not (star and text.startswith(before) and text.endswith(after)):
                raise ValueError
            found[name] = _read_number(text[len(before) : len(text) - len(after)])
        except ValueError:
            raise LabelError(
                f"over is {pattern!r}; the clustering {text!r} has no number in place of a star."
            ) from None
    return found


def _read_number(text: str) -> float:
    """Return the number that is written; Splink writes 0.95 as 0_95, which is 95 to `float`."""
    found = float(text.replace("_", ".") if re.fullmatch(r"0_\d+|1_0", text) else text)
    if not math.isfinite(found):
        raise ValueError(text)
    return found


def _find_pattern(names: Iterable[Name]) -> str:
    """Return the pattern of names that differ in one number; "" where they do not.

    One of the numbers must be decimal: whole ones may be those of clusters, seeds or runs.

    >>> _find_pattern(["leiden_0.5_n15", "leiden_1_n15"])
    'leiden_*_n15'
    >>> _find_pattern(["k10", "k12"]), _find_pattern(["ward_0.5", "leiden_0.7"])
    ('', '')
    """
    parts = [_NUMBER.split(str(name)) for name in names]
    if len({*map(len, parts)}) > 1:
        return ""
    columns = list(zip(*parts, strict=True))
    differing = [i for i, column in enumerate(columns) if len(set(column)) > 1]
    if len(differing) != 1 or not (at := differing[0]) % 2 or "".join(columns[at]).isdecimal():
        return ""
    if len({*map(_read_number, columns[at])}) < len(columns[at]):
        return ""
    before, after = "".join(parts[0][:at]), "".join(parts[0][at + 1 :])
    return "" if "*" in before else f"{before}*{after}"
