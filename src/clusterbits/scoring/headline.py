"""What share of the bits clusters save, and what the scores are of."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

from clusterbits.core.table import Contingency
from clusterbits.display.tables import percent, short
from clusterbits.inference.verdict import describe_chance, nothing_to_save
from clusterbits.ingest.runs import Name
from clusterbits.measures.code_length import no_clusters_bits, q0, share_saved

if TYPE_CHECKING:
    from clusterbits.scoring.scores import Scores


def describe_saved(scores: Scores, best: Name | None = None) -> str:
    """Return what the clusters of the best clustering save, or else those that save most."""
    if not (tables := scores.tables):
        return "No object was counted."
    if best is None:
        best = max(tables, key=lambda name: share_saved.of(tables[name]))
    said = headline(tables[best], len(tables), bool(scores.groups))
    single = len(tables) == 1 or nothing_to_save(tables[best])
    return said if single else f"{short(best)}: {said}"


def headline(table: Contingency, runs: int = 1, grouped: bool = False) -> str:
    """Return the bits that the clusters save, and how likely random clusters do as well.

    >>> headline(Contingency.from_counts([[30, 5], [10, 55]]))
    '1.00 → 0.69 bits per object: 35 % of what can be saved.'
    >>> headline(Contingency.from_counts([[5, 5], [5, 5]]))
    '1.00 → 1.35 bits per object: the clusters cost more than they save. Bits alone do not ...'
    """
    if why := nothing_to_save(table):
        return why
    share = share_saved.of(table)
    saved = f"{percent(share, 0)} of what can be saved"
    if share <= 0:
        saved = f"the clusters {'cost more than they save' if share else 'save nothing'}"
    bits = f"{no_clusters_bits(table):.2f} → {q0.of(table):.2f} bits per object"
    return f"{bits}: {saved}. {describe_chance(table, runs, grouped)}".rstrip()


def describe_coverages(tables: Mapping[Name, Contingency]) -> list[str]:
    """Return lines on the clusterings that were scored on part of the objects.

    >>> part = Contingency.from_labels([0, 0, 1], [1, None, 2], missing="drop")
    >>> describe_coverages({"k2": part})
    ['Scored 2 of 3 objects (0.667) in 2 of 2 clusters']
    """
    several = len(tables) > 1
    found = [
        f"{short(name)}: {table.coverage}" if several else f"{table.coverage}".capitalize()
        for name, table in tables.items()
        if table.coverage is not None
    ]
    more = [f"... and {len(found) - 5} more on part of the objects"] if found[5:] else []
    return found[:5] + more


def describe_intervals(level: float | None, methods: Iterable[str]) -> str:
    """Return the level of confidence intervals, and which are by the jackknife; "" without any.

    >>> describe_intervals(0.95, ["centred"]), describe_intervals(0.9, ["jackknife"])
    ('95 % intervals', '90 % intervals, jackknife')
    >>> describe_intervals(0.95, ["centred", "jackknife", "centred"])
    '95 % intervals, jackknife for 1 of 3 clusterings'
    """
    if level is None:
        return ""
    methods = list(methods)
    many = methods.count("jackknife")
    how = ", jackknife" if many else ""
    if 0 < many < len(methods):
        how += f" for {many:,} of {len(methods):,} clusterings"
    return f"{percent(level)} intervals{how}"
