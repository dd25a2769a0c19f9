"""The conclusion: which clusterings may be the best, and what share of the bits clusters save."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING

from clusterbits.core.table import Contingency
from clusterbits.display.tables import chance_bound, percent, short
from clusterbits.errors import ClusterbitsError
from clusterbits.inference.comparison import Comparison
from clusterbits.ingest.runs import Name
from clusterbits.measures.catalogue import Measure
from clusterbits.measures.code_length import evidence, no_clusters_bits, q0, share_saved
from clusterbits.scoring.ranks import check_same_objects

if TYPE_CHECKING:
    from clusterbits.scoring.scores import Scores

# How much of what can be saved that is, from these shares on. The thresholds are ours.
SCALE = ((1.0, "all of it"), (0.9, "nearly all of it"), (0.5, "most of it"), (0.0, "some of it"))


def conclude(
    scores: Scores,
    measure: str | Measure | None = None,
    write: Callable[[Name], str] = short,
    shared: bool = False,
) -> tuple[Comparison | None, str]:
    """Return clusterings compared and the verdict in words, or None and why they were not.

    Those of different objects are not, unless they are to be compared on the `shared` ones.
    """
    if len(scores.tables) < 2 or all(map(nothing_to_save, scores.tables.values())):
        return None, ""
    try:
        if not shared:
            check_same_objects(scores)
        found = scores.compare(measure)
    except ClusterbitsError as error:
        return None, f"Not compared: {error}"
    return found, found.in_words(write)


def describe_saved(scores: Scores, found: Comparison | None = None) -> str:
    """Return what the clusters save: the simplest of the best, or else those that save most."""
    if not (tables := scores.tables):
        return "No object was counted."
    most = max(tables, key=lambda name: share_saved.of(tables[name]))
    best = found.best[0] if found else most
    said = headline(tables[best], len(tables), bool(scores.groups))
    alone = len(tables) == 1 or nothing_to_save(tables[best])
    return said if alone else f"{short(best)}: {said}"


def headline(table: Contingency, runs: int = 1, grouped: bool = False) -> str:
    """Return what the clusters save, as a share of what can be saved, and what that means.

    >>> print(headline(Contingency.from_counts([[30, 5], [10, 55]])))
    1.00 → 0.69 bits per object: 35 % of what can be saved. The clusters save some of it. Chance
    does as well with probability at most 2⁻²³.
    """
    if why := nothing_to_save(table):
        return why
    share = share_saved.of(table)
    saved = (
        f"{no_clusters_bits(table):.2f} → {q0.of(table):.2f} bits per object: "
        f"{percent(share, 0)} of what can be saved. The clusters save {in_words(share)}."
    )
    return f"{saved} {describe_chance(table, runs, grouped)}".rstrip()


def describe_chance(table: Contingency, runs: int = 1, grouped: bool = False) -> str:
    """Return how likely chance does as well, by the evidence.

    Nothing where objects are weighted, or where those of one group may be alike.

    Of several runs the best has the evidence of one less log2(runs): the mean of e-values is one.

    >>> describe_chance(Contingency.from_counts([[12, 3], [3, 12]]))
    'Bits alone do not exclude chance: see permutation_test.'
    """
    if grouped or table.weighted or not table.exact:
        return ""
    bits = evidence.of(table) - math.log2(runs)
    if bits < 1:
        return "Bits alone do not exclude chance: see permutation_test."
    return f"Chance does as well with probability at most {chance_bound(bits)}."


def nothing_to_save(table: Contingency) -> str:
    """Return why no clusters could save bits, where none could; else nothing.

    >>> nothing_to_save(Contingency.from_counts([[1, 0], [1, 0], [0, 1]]))
    'No class has more than one object: nothing can be saved.'
    """
    if table.shape[0] == 1:
        return "There is one class: nothing can be saved."
    if table.class_sizes.max() <= 1:
        return "No class has more than one object: nothing can be saved."
    return ""


def in_words(share: float) -> str:
    """Return how much of the bits that can be saved that is.

    >>> [in_words(share) for share in (0.95, 0.87, 0.1)]
    ['nearly all of it', 'most of it', 'some of it']
    >>> in_words(-0.2)
    'none of it: they cost more than they tell'
    """
    if share <= 0:
        why = "they cost more than they tell" if share < 0 else "they are as good as no clusters"
        return f"none of it: {why}"
    return next(words for least, words in SCALE if share >= least)


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
