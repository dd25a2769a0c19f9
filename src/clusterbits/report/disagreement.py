"""Where measures agree and disagree: their orders, and which depart from the primary one."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np

from clusterbits.inference.verdict import have_same_class_sizes
from clusterbits.measures.catalogue import get_measure
from clusterbits.report.words import linked, write_label
from clusterbits.scoring.ranking import Ranks
from clusterbits.scoring.scores import Scores
from clusterbits.table.label_names import Name


class Order(NamedTuple):
    """An order of the clusterings: the first measure that has it, and those that must follow."""

    measure: str
    followers: tuple[str, ...]


class MeasureAgreement(NamedTuple):
    """The orders of the measures, the primary one's first, and which of them differ.

    `tied` are the measures that tell no two clusterings apart: they have no say. `supporters` put
    the best clustering first, `dissenters` do not. `departing` are those that rank the clusterings
    otherwise than the primary one does.
    """

    orders: tuple[Order, ...]
    tied: tuple[str, ...]
    supporters: tuple[str, ...]
    dissenters: tuple[str, ...]
    departing: tuple[str, ...]

    @property
    def several(self) -> bool:
        """Whether there are several measures to compare."""
        return len(self.orders) + len(self.tied) > 1

    def describe_support(self, best: tuple[Name, ...]) -> str:
        """Return a sentence on the measures that put the best first; each order counts once."""
        if len(self.supporters + self.dissenters) < 2 or len(best) > 1:
            return ""
        name = write_label(best[0])
        if not self.dissenters:
            return f"All measures put {name} first."
        first = "puts" if len(self.supporters) == 1 else "put"
        prefer = "prefers another" if len(self.dissenters) == 1 else "prefer others"
        supporters, dissenters = linked(self.supporters), linked(self.dissenters)
        return f"{supporters} {first} {name} first; {dissenters} {prefer}."


def find_agreement(scores: Scores, ranks: Ranks) -> MeasureAgreement | None:
    """Return the agreement of the measures; None if there is nothing to compare."""
    primary, decision = scores.primary, scores.decision
    same = have_same_class_sizes(scores.tables.values())
    if primary is None or len(decision.order) < 2 or not same:
        return None
    tied = tuple(name for name in ranks.measures if np.ptp(ranks.of(name)) == 0)
    orders = _orders(primary, [name for name in ranks.measures if name not in tied])
    names = [order.measure for order in orders]
    winner = ranks.clusterings.index(decision.best[0])
    return MeasureAgreement(
        orders,
        tied,
        tuple(name for name in names if ranks.of(name)[winner] == 1),
        tuple(name for name in names if ranks.of(name)[winner] != 1),
        tuple(name for name in names if not np.array_equal(ranks.of(primary), ranks.of(name))),
    )


def _orders(primary: str, names: Iterable[str]) -> tuple[Order, ...]:
    """Return the measures with orders of their own, the primary one first, and their followers."""
    groups: dict[str, list[str]] = {}
    for name in sorted(names, key=lambda name: name != primary):
        groups.setdefault(get_measure(name).orders_like, []).append(name)
    return tuple(Order(first, tuple(followers)) for first, *followers in groups.values())
