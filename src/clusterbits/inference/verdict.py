"""Which clustering to take: one value, which every output shows."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterable, Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from clusterbits.measures.code_length import (
    bits_saved,
    evidence,
    no_clusters_bits,
    q0,
    share_saved,
)
from clusterbits.measures.declaration import Measure, Scale
from clusterbits.table.contingency import Contingency
from clusterbits.table.label_names import Name
from clusterbits.text.shortened import listed
from clusterbits.text.tables import (
    chance_bound,
    is_tie,
    percent,
    short,
    show,
)

NO_DIRECTION = "None of the measures has a direction; add one, such as q0."
DIFFERENT_OBJECTS = "Not compared: the clusterings were counted on different objects."
# The rest of the model confidence set, in words.
NEAR = "not significantly worse"
# Relative difference of sums of weights that the order of their terms explains.
_SUMMED = 1e-9
# More names than this are counted.
_MAX_NAMES = 12
# Bits of evidence: with fewer, random clusters are not excluded; with more, they need no mention.
_MIN_EVIDENCE, _MUCH_EVIDENCE = 5, 20


class Decision(NamedTuple):
    """Which of several clusterings has the best value, and which are not significantly worse.

    Attributes
    ----------
    measure : str or None
        The primary measure; None if none has a direction.
    by_q0 : bool
        Whether that measure orders clusterings as q0 does.
    order : tuple of names
        All clusterings, the best value first; ties are in the order given.
    best : tuple of names
        The clusterings with the best value: several if they tie. Like `order` it is empty if no
        clustering is named, as the `reason` says.
    claim : str
        The best value in words, such as "the fewest bits (q0 0.66)".
    level : float or None
        The confidence level of the comparison, if there was one.
    near : tuple of names
        The rest of the model confidence set, the best value first.
    reason : str
        Why no clustering is named, or why none saves bits.
    objects : str
        The objects that clusterings were compared on, if some were excluded.
    saving : str
        What the first of the best saves; empty in a `Comparison`, and if nothing can be saved.
    """

    measure: str | None = None
    by_q0: bool = False
    order: tuple[Name, ...] = ()
    best: tuple[Name, ...] = ()
    claim: str = ""
    level: float | None = None
    near: tuple[Name, ...] = ()
    reason: str = ""
    objects: str = ""
    saving: str = ""

    @property
    def confidence_set(self) -> tuple[Name, ...]:
        """The model confidence set, the best value first; without a level the best alone."""
        return self.best + self.near

    def text(self, write: Callable[[Name], str] = short) -> str:
        """Return the verdict in sentences; empty for one clustering. `write` returns a name."""
        sentences = [self.reason]
        if len(self.order) > 1:
            sentences += [self._name_best(write), self.describe_near(write)]
        return " ".join(filter(None, [*sentences, self.objects]))

    def _name_best(self, write: Callable[[Name], str]) -> str:
        names = listed([*map(write, self.best)], "clustering")
        return f"{names} {'has' if len(self.best) == 1 else 'have'} {self.claim}."

    def describe_near(self, write: Callable[[Name], str] = short) -> str:
        """Return a sentence on the rest of the model confidence set; empty without a level."""
        if self.level is None or len(self.best) == len(self.order):
            return ""
        if not self.near:
            return f"All others are significantly worse ({percent(self.level)})."
        names = [write(name) for name in self.near]
        text = listed(names, "clustering") if len(names) > _MAX_NAMES else ", ".join(names)
        return f"{NEAR.capitalize()} ({percent(self.level)}): {text}."

    def conclusion(self, write: Callable[[Name], str] = short) -> str:
        """Return the bits that the best clustering saves, after its name if there are several."""
        named = self.saving and len(self.order) > 1
        return f"{write(self.best[0])}: {self.saving}" if named else self.saving


def make_decision(
    measure: Measure | None,
    values: Mapping[Name, float],
    tables: Mapping[Name, Contingency],
    *,
    level: float | None = None,
    members: Collection[Name] = (),
) -> Decision:
    """Return the verdict on clusterings from their values by the primary measure.

    >>> tables = {"a": Contingency.from_counts([[8, 2], [2, 8]])}
    >>> tables["b"] = Contingency.from_counts([[9, 1], [2, 8]])
    >>> values = {name: q0(table) for name, table in tables.items()}
    >>> make_decision(q0, values, tables, level=0.95, members=["a", "b"]).text()
    'b has the fewest bits (q0 0.9480). Not significantly worse (95 %): a.'
    """
    name, by_q0 = (None, False) if measure is None else (measure.name, measure.orders_like == "q0")
    if len(tables) < 2:
        return Decision(name, by_q0, tuple(tables), tuple(tables))
    if measure is None:
        return Decision(reason=NO_DIRECTION)
    if not have_same_class_sizes(tables.values()):
        return Decision(name, by_q0, reason=DIFFERENT_OBJECTS)
    decision = order_by_value(values, measure.scale, level, members)
    first, objects, reason = decision.order[0], "", ""
    if level is None and any(table.coverage is not None for table in tables.values()):
        objects = "Each was scored on part of the objects, which may differ."
    if by_q0 and all(bits_saved.score_table(table) <= 0 for table in tables.values()):
        reason = _explain_none(tables[first])
    claim = _describe_value(measure, values[first])
    return decision._replace(by_q0=by_q0, claim=claim, objects=objects, reason=reason)


def order_by_value(
    values: Mapping[Name, float],
    scale: Scale,
    level: float | None,
    members: Collection[Name] = (),
) -> Decision:
    """Return the clusterings in order, the best ones, and the rest of the confidence set."""
    ranks = rank_values(values, scale)
    order = tuple(sorted(values, key=ranks.__getitem__))
    best = tuple(x for x in order if ranks[x] == 1)
    near = tuple(x for x in order if x in members and x not in best)
    return Decision(scale.measure, order=order, best=best, level=level, near=near)


def _describe_value(measure: Measure, value: float) -> str:
    """Return the best value in words."""
    if measure.family == "code_length" and measure.better == "lower":
        return f"the fewest bits ({measure.name} {show(value)})"
    extreme = "highest" if measure.better == "higher" else "lowest"
    return f"the {extreme} {measure.name} ({show(value)})"


def _explain_none(table: Contingency) -> str:
    """Return the reason why no clustering of these classes saves bits."""
    without = f"{show(no_clusters_bits(table))} without clusters"
    return explain_no_saving(table) or f"No clustering saves bits: it takes {without}."


def rank_values(values: Mapping[Name, float], scale: Scale) -> dict[Name, int]:
    """Return the rank of each clustering: 1 is the best value, ties share a rank, nan is last.

    >>> rank_values({"a": 0.5, "b": 0.1 + 0.2, "c": math.nan, "d": 0.3}, q0.scale)
    {'a': 3, 'b': 1, 'c': 4, 'd': 1}
    """
    sign = scale.sign()
    worth = {x: -math.inf if math.isnan(value) else sign * value for x, value in values.items()}
    order = sorted(worth, key=worth.__getitem__, reverse=True)
    ranks, leader = dict.fromkeys(values, 1), order[0]
    for rank, name in enumerate(order, 1):
        if is_tie(worth[name], worth[leader]):
            ranks[name] = ranks[leader]
        else:
            ranks[name], leader = rank, name
    return ranks


def have_same_class_sizes(tables: Iterable[Contingency]) -> bool:
    """Whether classes have the same sizes in all tables, so that bits compare."""
    first, *rest = (table.class_sizes for table in tables)
    return all(equal_sizes(first, sizes) for sizes in rest)


def equal_sizes(a: NDArray[Any], b: NDArray[Any]) -> bool:
    """Whether class sizes are equal; non-integer weights but for the order of their sums."""
    if a.shape != b.shape or {a.dtype.kind, b.dtype.kind} != {"f"}:
        return np.array_equal(a, b)
    return bool(np.allclose(a, b, rtol=_SUMMED, atol=0))


def describe_saving(table: Contingency, runs: int = 1, grouped: bool = False) -> str:
    """Return a sentence on the bits that the clusters save, and on chance if that matters.

    >>> describe_saving(Contingency.from_counts([[30, 5], [10, 55]]))
    '1.00 → 0.69 bits per object: 35 % of the maximum saving.'
    >>> describe_saving(Contingency.from_counts([[5, 5], [5, 5]]))
    '1.00 → 1.35 bits per object: the clusters cost more than they save. Bits alone do not ...'
    """
    if reason := explain_no_saving(table):
        return reason
    share = share_saved.score_table(table)
    saved = f"{percent(share, 0)} of the maximum saving"
    if share <= 0:
        saved = f"the clusters {'cost more than they save' if share else 'save nothing'}"
    bits = f"{no_clusters_bits(table):.2f} → {q0.score_table(table):.2f} bits per object"
    return f"{bits}: {saved}. {_describe_chance(table, runs, grouped)}".rstrip()


def _describe_chance(table: Contingency, runs: int, grouped: bool) -> str:
    """Return a bound on the probability that random clusters have as many bits of `evidence`.

    It is "" if objects are weighted or grouped. The best of several runs has its own evidence minus
    log2(runs): the mean of e-values is an e-value.
    """
    if grouped or table.weighted or not table.exact:
        return ""
    bits = evidence.score_table(table) - math.log2(runs)
    if bits < _MIN_EVIDENCE:
        return "Bits alone do not exclude chance."
    if bits < _MUCH_EVIDENCE:
        return (
            f"Random clusters have as much evidence with probability at most {chance_bound(bits)}."
        )
    return ""


def explain_no_saving(table: Contingency) -> str:
    """Return the reason why no clusters could save bits; "" if some could.

    >>> explain_no_saving(Contingency.from_counts([[1, 0], [1, 0], [0, 1]]))
    'No class has more than one object: nothing can be saved.'
    """
    if table.shape[0] == 1:
        return "There is one class: nothing can be saved."
    if table.too_light:
        return f"A code length {table.too_light}"
    if table.class_sizes.max() <= 1:
        return "No class has more than one object: nothing can be saved."
    return ""
