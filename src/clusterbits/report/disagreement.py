"""Where measures agree and disagree: what all say, then the pairs that some reverse, and why."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable
from typing import NamedTuple

import numpy as np

from clusterbits.inference.verdict import have_same_class_sizes
from clusterbits.measures.catalogue import get_measure
from clusterbits.paper.cards.card import shipped_cards
from clusterbits.paper.cards.dom import LARGE_N
from clusterbits.report.words import linked, write_label
from clusterbits.scoring.ranking import Ranks
from clusterbits.scoring.scores import Scores
from clusterbits.table.label_names import Name

# Reasons described in words, and pairs of clusterings under each; the table of ranks has all.
_MOST_REASONS, _MOST_PAIRS = 3, 2
# The lead's choice and the rival's; None where they reverse no pair.
Pair = tuple[Name | None, Name | None]


class Order(NamedTuple):
    """An order of the clusterings: the first measure that has it, and those that must follow."""

    measure: str
    followers: tuple[str, ...]


class Reversal(NamedTuple):
    """Two clusterings that some measures and the lead rank the other way round.

    `preferred` is the lead's, `instead` is theirs; None where no pair is reversed. `tau` is the
    lowest of their Kendall correlations with the lead.
    """

    measures: tuple[str, ...]
    preferred: Name | None
    instead: Name | None
    tau: float


class Disagreement(NamedTuple):
    """Why some measures depart from the lead, and the pairs that they reverse."""

    reason: str
    reversals: tuple[Reversal, ...]


class MeasureAgreement(NamedTuple):
    """The orders of the measures, the lead's first, and where they agree and disagree.

    `tied` are the measures that tell no two clusterings apart: they have no say. `supporters` put
    the lead's best clustering first, `dissenters` do not. `last` are the clusterings that all put
    last. `agreed` of `pairs` pairs are ranked the same way by all. `untold` measures are in
    disagreements left out.
    """

    orders: tuple[Order, ...]
    tied: tuple[str, ...]
    supporters: tuple[str, ...]
    dissenters: tuple[str, ...]
    last: tuple[Name, ...]
    agreed: int
    pairs: int
    disagreements: tuple[Disagreement, ...]
    untold: int

    @property
    def several(self) -> bool:
        """Whether there are several measures to compare."""
        return len(self.orders) + len(self.tied) > 1

    def describe_support(self, best: tuple[Name, ...]) -> str:
        """Return which measures put the best first, counting those with the same order once."""
        if len(self.supporters + self.dissenters) < 2 or len(best) > 1:
            return ""
        name = write_label(best[0])
        if not self.dissenters:
            return f"All measures put {name} first."
        first = "puts" if len(self.supporters) == 1 else "put"
        prefer = "prefers another" if len(self.dissenters) == 1 else "prefer others"
        supporters, dissenters = linked(self.supporters), linked(self.dissenters)
        return f"{supporters} {first} {name} first; {dissenters} {prefer}."


def find_opinions(
    scores: Scores, ranks: Ranks, noisy: Collection[Name] = ()
) -> MeasureAgreement | None:
    """Return where the measures agree and disagree; None where there is nothing to compare.

    `noisy` are the clusterings with noise-like clusters.
    """
    lead, decision = scores.primary, scores.decision
    same = have_same_class_sizes(scores.tables.values())
    if lead is None or len(decision.order) < 2 or not same:
        return None
    tied = tuple(name for name in ranks.measures if ranks.ties_all(name))
    orders = _orders(scores, [name for name in ranks.measures if name not in tied])
    names = [order.measure for order in orders]
    winner = ranks.clusterings.index(decision.best[0])
    supporters = tuple(name for name in names if ranks.of(name)[winner] == 1)
    agreed, last = _agreement(ranks, names)
    rivals = [name for name in names if not np.array_equal(ranks.of(lead), ranks.of(name))]
    found = () if lead in tied else _by_reason(scores, ranks, rivals, noisy)
    told = tuple(each._replace(reversals=each.reversals[:_MOST_PAIRS]) for each in found)
    told = told[:_MOST_REASONS]
    said = sum(len(pair.measures) for each in told for pair in each.reversals)
    return MeasureAgreement(
        orders,
        tied,
        supporters,
        tuple(name for name in names if name not in supporters),
        last,
        agreed,
        math.comb(len(ranks.clusterings), 2),
        told,
        len(rivals) - said if found else 0,
    )


def _orders(scores: Scores, names: Iterable[str]) -> tuple[Order, ...]:
    """Return the measures with orders of their own, the lead first, and those that follow them."""
    groups: dict[str, list[str]] = {}
    lead = scores.primary
    for name in sorted(names, key=lambda name: name != lead):
        groups.setdefault(get_measure(name).orders_like, []).append(name)
    return tuple(Order(first, tuple(followers)) for first, *followers in groups.values())


def _agreement(ranks: Ranks, names: Iterable[str]) -> tuple[int, tuple[Name, ...]]:
    """Return how many pairs all rank the same way, and which clusterings all put last."""
    orders = [ranks.of(name) for name in names]
    if not orders:
        return 0, ()
    ahead = np.logical_and.reduce([order[:, None] < order[None, :] for order in orders])
    last = np.logical_and.reduce([order == order.max() for order in orders])
    return int(ahead.sum()), tuple(ranks.clusterings[i] for i in np.flatnonzero(last))


def _by_reason(
    scores: Scores, ranks: Ranks, rivals: Iterable[str], noisy: Collection[Name]
) -> tuple[Disagreement, ...]:
    """Return the disagreements by reason, and the pairs of each, the strongest first."""
    lead = scores.primary or ""
    groups: dict[str, dict[Pair, list[str]]] = {}
    taus: dict[str, float] = {}
    for rival in rivals:
        dispute = ranks.dispute(lead, rival)
        taus[rival] = dispute.tau
        pair = (dispute.preferred, dispute.instead)
        pairs = groups.setdefault(_reason(scores, rival, pair, noisy), {})
        pairs.setdefault(pair, []).append(rival)
    found = []
    for reason, pairs in groups.items():
        reversals = [
            Reversal(tuple(names), *pair, min(taus[name] for name in names))
            for pair, names in pairs.items()
        ]
        found.append(Disagreement(reason, tuple(sorted(reversals, key=lambda each: each.tau))))
    return tuple(sorted(found, key=lambda each: each.reversals[0].tau))


# Criteria whose failure makes a measure prefer more clusters, or fewer. Two are tried on all small
# partitions: only a failure in most cases tells how a measure behaves.
_IN_MOST_CASES = ("homogeneity", "completeness")
PREFERS_MORE = {
    "completeness": "Splitting a class is not penalised",
    "P1.2": "More clusters than classes can score better",
    "P2": "More noise clusters can score better",
    "constant baseline": "The value of random clusters depends on how many there are",
}
PREFERS_FEWER = {
    "homogeneity": "Clusters that mix classes are not penalised",
    "P1.1": "Merging useful clusters can score better",
}
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


def _reason(scores: Scores, rival: str, pair: Pair, noisy: Collection[Name]) -> str:
    """Return why the rival ranks differently, by its report card where that tells."""
    preferred, instead = pair
    if preferred is None or instead is None:
        return "No pair is reversed, but some clusterings tie for one and not for the other."
    entry = get_measure(rival)
    card = shipped_cards().get(entry.name)
    if card is None:
        return "clusterbits has no report card for it; clusterbits.paper.cards.check makes one."
    ours, theirs = (scores.tables[name].shape[1] for name in (preferred, instead))
    failures = PREFERS_MORE if theirs > ours else PREFERS_FEWER if theirs < ours else {}
    # What a failure needs in the clustering that the rival prefers.
    needs = {"P1.2": theirs > scores.tables[instead].shape[0], "P2": instead in noisy}
    for criterion, meaning in failures.items():
        if needs.get(criterion, True) and shows_failure(card, criterion):
            return f"{meaning}."
    if theirs < ours and entry.family in _SPLITS:
        return _SPLITS[entry.family]
    return "The same mistakes are weighed differently."


def shows_failure(card: dict[str, str], criterion: str) -> bool:
    """Return whether the mark by a criterion shows a failure that may explain a disagreement."""
    mark = card.get(criterion, "–")
    if mark == "–":  # measures that need whole counts have marks for a large n only
        mark = card.get(criterion + LARGE_N, "–")
    if criterion not in _IN_MOST_CASES:
        return mark.startswith("✗")
    counts = [tuple(map(int, part[2:].split("/"))) for part in mark.split(", ") if "/" in part]
    return any(2 * sum(failed for failed, _ in counts) > cases for _, cases in counts)
