"""Sweeps: runs whose names differ in one real number, such as the resolution in leiden_0.5."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import NamedTuple

from clusterbits.core.table import Contingency
from clusterbits.display.tables import counted, short
from clusterbits.ingest.runs import Name
from clusterbits.measures.pairs import adjusted_rand

_NUMBER = re.compile(r"(\d+(?:\.\d+)?)")


class Sweep(NamedTuple):
    """Runs over a real parameter: its value in each, and the adjusted Rand index of each.

    `pattern` is their name with a star in the place of the number.
    """

    pattern: str
    values: Mapping[Name, float]
    adjusted_rand: Mapping[Name, float]

    @property
    def highest(self) -> Name:
        """The run of the highest adjusted Rand index."""
        return max(self.adjusted_rand, key=self.adjusted_rand.__getitem__)


def find_sweep(tables: Mapping[Name, Contingency]) -> Sweep | None:
    """Return the sweep that several runs are; None where their names are not of this form.

    Whole numbers alone are none: they number clusters, or runs. Nor are versions and dates, such
    as v1.10.2, nor fewer than three runs.

    >>> table = Contingency.from_counts([[2, 0], [1, 1]])
    >>> find_sweep(dict.fromkeys(["res_0.50", "res_1", "res_2"], table)).values
    {'res_0.50': 0.5, 'res_1': 1.0, 'res_2': 2.0}
    >>> find_sweep(dict.fromkeys(["kmeans_2", "kmeans_3", "kmeans_4"], table))
    """
    parts = [_NUMBER.split(str(name)) for name in tables]
    if len(parts) < 3 or len({len(some) for some in parts}) > 1:
        return None
    places = [i for i, some in enumerate(zip(*parts, strict=True)) if len(set(some)) > 1]
    if len(places) != 1 or places[0] % 2 == 0 or not any("." in some[places[0]] for some in parts):
        return None
    (place,) = places
    pattern = "".join("*" if i == place else part for i, part in enumerate(parts[0]))
    values = dict(zip(tables, (float(some[place]) for some in parts), strict=True))
    # A point alone between two numbers: a version or a date.
    if "." in parts[0][place - 1 : place + 2 : 2] or len({*values.values()}) < len(values):
        return None
    return Sweep(pattern, values, {name: adjusted_rand.of(tables[name]) for name in tables})


def describe_choice(tables: Mapping[Name, Contingency], best: Name) -> str:
    """Return a sentence on whether the adjusted Rand index prefers the same run of a sweep.

    Empty where the runs are no sweep, or the index prefers none.
    """
    sweep = None if tables[best].shape[0] == 1 else find_sweep(tables)
    if sweep is None or len({*sweep.adjusted_rand.values()}) == 1:
        return ""
    if sweep.adjusted_rand[best] >= sweep.adjusted_rand[sweep.highest]:
        return " The adjusted Rand index prefers it, too."
    other = sweep.highest
    many = counted(tables[other].shape[1], "cluster")
    return f" The adjusted Rand index prefers {short(other)} ({many})."
