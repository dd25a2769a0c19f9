"""Which clustering to take: the sentences that the terminal, notebooks, plots and reports share."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Mapping

from clusterbits.core.table import Contingency
from clusterbits.display.names import listed
from clusterbits.display.tables import chance_bound, counted, percent, short, show
from clusterbits.ingest.runs import Name
from clusterbits.measures.catalogue import Measure
from clusterbits.measures.code_length import bits_saved, evidence, no_clusters_bits

# Values closer than this are a tie: they differ by rounding.
_TIE = 1e-12
# A clustering with fewer clusters is named if it keeps this share of the saving.
_KEPT = 0.8
# Bits of evidence: with fewer, random clusters are not excluded; with more, nothing needs saying.
_CHANCE, _NO_CHANCE = 5, 20


def order_values(values: Mapping[Name, float], measure: Measure) -> list[Name]:
    """Return the clusterings, the best value first; undefined values are last.

    Those that tie with the best stay in the order given.
    """
    sign = measure.sign()
    order = sorted(values, key=lambda name: (math.isnan(values[name]), -sign * values[name]))
    ties = find_ties(values, order[0])
    return [*ties, *(name for name in order if name not in ties)]


def find_ties(values: Mapping[Name, float], best: Name) -> list[Name]:
    """Return the best clustering and those that differ from it by rounding only."""
    return [x for x in values if x == best or abs(values[x] - values[best]) <= _TIE]


def make_verdict(
    measure: Measure,
    values: Mapping[Name, float],
    tables: Mapping[Name, Contingency],
    write: Callable[[Name], str] = short,
    *,
    level: float | None = None,
    confidence_set: Collection[Name] = (),
) -> str:
    """Return which of several clusterings has the best value, and which are not worse.

    The model confidence set is that of `level`; None if there is none.

    >>> from clusterbits import Contingency, q0
    >>> tables = {"a": Contingency.from_counts([[8, 2], [2, 8]])}
    >>> tables["b"] = Contingency.from_counts([[9, 1], [2, 8]])
    >>> values = {name: q0(table) for name, table in tables.items()}
    >>> make_verdict(q0, values, tables, level=0.95, confidence_set=["a", "b"])
    'b has the fewest bits (q0 0.9480). Not significantly worse (95 %): a.'
    """
    if all(map(nothing_to_save, tables.values())):
        return ""
    order = order_values(values, measure)
    best = find_ties(values, first := order[0])
    in_bits = measure.family == "code_length"
    saved = {name: bits_saved.of(table) for name, table in tables.items()} if in_bits else {}
    sentences = [_name_best(measure, [*map(write, best)], values[first])]
    if in_bits and max(saved.values()) <= 0:
        without = f"{show(no_clusters_bits(tables[first]))} without clusters"
        sentences.insert(0, f"No clustering saves bits: it takes {without}.")
    if level is not None:
        near = [write(name) for name in order if name in confidence_set and name not in best]
        if near:
            sentences.append(f"Not significantly worse ({percent(level)}): {_names(near)}.")
        elif len(best) < len(values):
            sentences.append(f"All others are significantly worse ({percent(level)}).")
    if in_bits and (smaller := _find_smaller(first, saved, tables)) is not None:
        kept, clusters = saved[smaller] / saved[first], tables[smaller].shape[1]
        sentences.append(
            f"{write(smaller)}, with {counted(clusters, 'cluster')}, saves "
            f"{percent(math.floor(100 * kept) / 100, 0)} as much."
        )
    return " ".join(sentences)


def _name_best(measure: Measure, names: list[str], value: float) -> str:
    have = f"{_names(names, 'and')} {'has' if len(names) == 1 else 'have'}"
    if measure.family == "code_length" and measure.better == "lower":
        return f"{have} the fewest bits ({measure.name} {show(value)})."
    extreme = "highest" if measure.better == "higher" else "lowest"
    return f"{have} the {extreme} {measure.name} ({show(value)})."


def _names(names: list[str], last: str = "") -> str:
    """Return names with commas; of many some, and how many more."""
    if last or len(names) > 12:
        return listed(names, "clustering")
    return ", ".join(names)


def _find_smaller(
    best: Name, saved: Mapping[Name, float], tables: Mapping[Name, Contingency]
) -> Name | None:
    """Return the clustering with the fewest clusters that keeps most of the best one's saving.

    A code length charges ever less for a cluster as objects grow in number. So this is asked only
    if the best one has more clusters than there are classes.
    """
    n_classes, n_clusters = tables[best].shape
    if saved[best] <= 0 or n_clusters <= n_classes:
        return None
    keeping = [name for name in saved if saved[name] >= _KEPT * saved[best]]
    smallest = min(keeping, key=lambda name: (tables[name].shape[1], -saved[name]))
    return smallest if tables[smallest].shape[1] < n_clusters else None


def describe_chance(table: Contingency, runs: int = 1, grouped: bool = False) -> str:
    """Return how likely random clusters do as well, if that matters.

    Nothing is said if objects are weighted, or if those of one group may be alike. The best of
    several runs has the evidence of one minus log2(runs): the mean of e-values is one.

    >>> describe_chance(Contingency.from_counts([[12, 3], [3, 12]]))
    'Bits alone do not exclude chance.'
    >>> describe_chance(Contingency.from_counts([[18, 4], [3, 25]]))
    'Random clusters do as well with probability at most 2⁻⁹.'
    >>> describe_chance(Contingency.from_counts([[30, 5], [10, 55]]))
    ''
    """
    if grouped or table.weighted or not table.exact:
        return ""
    bits = evidence.of(table) - math.log2(runs)
    if bits < _CHANCE:
        return "Bits alone do not exclude chance."
    if bits < _NO_CHANCE:
        return f"Random clusters do as well with probability at most {chance_bound(bits)}."
    return ""


def nothing_to_save(table: Contingency) -> str:
    """Return why no clusters could save bits, if none could; else nothing.

    >>> nothing_to_save(Contingency.from_counts([[1, 0], [1, 0], [0, 1]]))
    'No class has more than one object: nothing can be saved.'
    """
    if table.shape[0] == 1:
        return "There is one class: nothing can be saved."
    if table.class_sizes.max() <= 1:
        return "No class has more than one object: nothing can be saved."
    return ""
