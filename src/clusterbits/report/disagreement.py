"""Where measures agree and disagree: the orders they have, the pairs that some reverse, and why."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import NamedTuple

import numpy as np

from clusterbits.inference.verdict import have_same_class_sizes
from clusterbits.measures.catalogue import get_measure
from clusterbits.paper.cards.card import shipped_cards
from clusterbits.report.caveats import PREFERS_FEWER, PREFERS_MORE, shows_failure
from clusterbits.report.words import linked, write_label
from clusterbits.scoring.ranking import Pair, Ranks
from clusterbits.scoring.scores import Scores
from clusterbits.table.label_names import Name

# Reasons described in words, and pairs of clusterings under each; the table of ranks has all.
_MAX_REASONS, _MAX_PAIRS = 3, 2


class Order(NamedTuple):
    """An order of the clusterings: the first measure that has it, and those that must follow."""

    measure: str
    followers: tuple[str, ...]


class Reversal(NamedTuple):
    """Measures that rank two clusterings the other way round; None if they differ in ties only."""

    measures: tuple[str, ...]
    pair: Pair | None


class Disagreement(NamedTuple):
    """Why some measures depart from the primary one, and the pairs that they reverse."""

    reason: str
    reversals: tuple[Reversal, ...]


class MeasureAgreement(NamedTuple):
    """The orders of the measures, the primary one's first, and where they disagree.

    `tied` are the measures that tell no two clusterings apart: they have no say. `supporters` put
    the best clustering first, `dissenters` do not.
    """

    orders: tuple[Order, ...]
    tied: tuple[str, ...]
    supporters: tuple[str, ...]
    dissenters: tuple[str, ...]
    disagreements: tuple[Disagreement, ...]

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


def find_agreement(
    scores: Scores, ranks: Ranks, noisy: Collection[Name] = ()
) -> MeasureAgreement | None:
    """Return the agreement of the measures; None if there is nothing to compare.

    `noisy` are the clusterings with noise-like clusters.
    """
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
        () if primary in tied else _find_disagreements(scores, primary, ranks, names, noisy),
    )


def _orders(primary: str, names: Iterable[str]) -> tuple[Order, ...]:
    """Return the measures with orders of their own, the primary one first, and their followers."""
    groups: dict[str, list[str]] = {}
    for name in sorted(names, key=lambda name: name != primary):
        groups.setdefault(get_measure(name).orders_like, []).append(name)
    return tuple(Order(first, tuple(followers)) for first, *followers in groups.values())


def _find_disagreements(
    scores: Scores, primary: str, ranks: Ranks, names: Iterable[str], noisy: Collection[Name]
) -> tuple[Disagreement, ...]:
    """Return the disagreements by reason, and the pairs of each, the strongest first."""
    dissenters = [name for name in names if not np.array_equal(ranks.of(primary), ranks.of(name))]
    reasons: dict[str, dict[Pair | None, list[str]]] = {}
    for name in sorted(dissenters, key=lambda name: ranks.tau(primary, name)):
        pair = ranks.dispute(primary, name)
        pairs = reasons.setdefault(_find_reason(scores, name, pair, noisy), {})
        pairs.setdefault(pair, []).append(name)
    disagreements = []
    for reason, pairs in reasons.items():
        reversals = [Reversal(tuple(measures), pair) for pair, measures in pairs.items()]
        disagreements.append(Disagreement(reason, tuple(reversals[:_MAX_PAIRS])))
    return tuple(disagreements[:_MAX_REASONS])


# What a class split into pure parts costs, by the family of the measure.
_SPLITS = {
    "pairs": "Counting pairs of objects, a split class loses all pairs between its parts, however "
    "pure they are.",
    "matching": "Matching clusters with classes, only the largest part of a split class counts in "
    "full.",
    "elements": "Where an object shares its cluster with less of its class, the value falls, "
    "however pure the parts of a split class are.",
    "information": "The bits that name a cluster are penalised: finer clusters need more of them, "
    "however pure they are.",
}


def _find_reason(scores: Scores, name: str, pair: Pair | None, noisy: Collection[Name]) -> str:
    """Return why a measure reverses a pair, by its report card if that tells."""
    if pair is None:
        return "No pair is reversed, but some clusterings tie for one and not for the other."
    entry = get_measure(name)
    card = shipped_cards().get(entry.name)
    if card is None:
        return "clusterbits has no report card for it; clusterbits.paper.cards.check makes one."
    _, preferred = pair
    (_, clusters), (classes, more) = (scores.tables[name].shape for name in pair)
    failures = PREFERS_MORE if more > clusters else PREFERS_FEWER if more < clusters else {}
    # What a failure needs in the clustering that the measure prefers.
    needs = {"P1.2": more > classes, "P2": preferred in noisy}
    for criterion, meaning in failures.items():
        if needs.get(criterion, True) and shows_failure(card, criterion):
            return f"{meaning}."
    if more < clusters and entry.family in _SPLITS:
        return _SPLITS[entry.family]
    return "The same mistakes are weighed differently."
