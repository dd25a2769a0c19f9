"""Where measures agree and disagree: what all say, then the pairs that some reverse, and why."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import NamedTuple

import numpy as np

from clusterbits.desiderata.dom import LARGE_N
from clusterbits.desiderata.shipped import shipped_cards
from clusterbits.ingest.runs import Name
from clusterbits.measures.catalogue import Measure, find
from clusterbits.report.words import spoken
from clusterbits.scoring.ranks import Ranks, ranks_of
from clusterbits.scoring.scores import Scores

# Disagreements described in words; the table of ranks has all.
_MOST_PAIRS = 3
_AS_ABOVE = "For a reason given above."
# Measures that put clusterings of the same classes in the same order, because each is a growing or
# falling function of the others.
SAME_ORDER: tuple[tuple[str, ...], ...] = (
    ("q0", "bits_saved", "share_saved", "q2", "q2_2001"),
    ("bcubed_precision", "goodman_kruskal_tau"),
    ("homogeneity", "conditional_entropy", "mutual_information", "mutual_info_score"),
    ("v_measure", "normalized_mutual_information", "normalized_variation_of_information"),
    ("purity", "classification_error", "directional_hamming", "goodman_kruskal_lambda"),
    ("van_dongen", "hamming", "split_join"),
    ("accuracy", "transfer_distance"),
    ("rand", "mirkin", "rogers_tanimoto", "gower_legendre", "hamann"),
    ("jaccard", "pair_f1", "sokal_sneath_doubled"),
    ("hubert_gamma", "correlation_distance"),
    ("pair_recall", "wallace", "russell_rao"),
    ("kulczynski", "mcconnaughey"),
    ("peirce", "baulieu_2"),
)

# The lead's choice and the rival's; None where they reverse no pair.
Pair = tuple[Name | None, Name | None]


class Opinion(NamedTuple):
    """An order of the clusterings, and the measures that have it by construction."""

    measure: str
    followers: tuple[str, ...]


class Disagreement(NamedTuple):
    """Two clusterings that some measures and the lead rank the other way round, and why.

    `preferred` is the lead's, `instead` is theirs; None where no pair is reversed. `reasons` has
    the measures that share one, and it. `tau` is the lowest of their Kendall correlations.
    """

    preferred: Name | None
    instead: Name | None
    reasons: tuple[tuple[tuple[str, ...], str], ...]
    tau: float

    @property
    def measures(self) -> tuple[str, ...]:
        """The measures that rank the two the other way round."""
        return tuple(name for names, _ in self.reasons for name in names)


class Views(NamedTuple):
    """The opinions of the measures, the lead's first, and where they agree and disagree.

    `supporters` put the lead's best clustering first, `dissenters` do not. `last` are the
    clusterings that all put last. `agreed` of `pairs` pairs are ranked the same way by all.
    `untold` measures are in disagreements left out.
    """

    opinions: tuple[Opinion, ...]
    supporters: tuple[str, ...]
    dissenters: tuple[str, ...]
    last: tuple[Name, ...]
    agreed: int
    pairs: int
    disagreements: tuple[Disagreement, ...]
    untold: int


def find_views(scores: Scores, lead: Measure | None) -> Views | None:
    """Return where the measures agree and disagree; None where there is nothing to compare."""
    if lead is None or len(scores.clusterings) < 2:
        return None
    ranks = ranks_of(scores)
    opinions = _opinions(scores, ranks, lead)
    names = [opinion.measure for opinion in opinions]
    winner = ranks.clusterings.index(scores.best(lead.name))
    supporters = tuple(name for name in names if ranks.of(name)[winner] == 1)
    agreed, last = _agreement(ranks, names)
    found = _by_pair(scores, ranks, lead, [n for n in names[1:] if _differs(ranks, lead, n)])
    return Views(
        opinions,
        supporters,
        tuple(name for name in names if name not in supporters),
        last,
        agreed,
        math.comb(len(ranks.clusterings), 2),
        found[:_MOST_PAIRS],
        sum(len(each.measures) for each in found[_MOST_PAIRS:]),
    )


def _opinions(scores: Scores, ranks: Ranks, lead: Measure) -> tuple[Opinion, ...]:
    """Return the measures with orders of their own, the lead first, and those that follow them."""
    tables = list(scores.tables.values())
    shared = all(np.array_equal(tables[0].class_sizes, one.class_sizes) for one in tables)
    kin = {name: group for group in SAME_ORDER for name in group} if shared else {}
    followers: dict[str, list[str]] = {}
    for name in dict.fromkeys((lead.name, *ranks.measures)):
        leader = next((one for one in followers if one in kin.get(name, ())), None)
        if leader is None:
            followers[name] = []
        else:
            followers[leader].append(name)
    return tuple(Opinion(name, tuple(some)) for name, some in followers.items())


def _agreement(ranks: Ranks, names: Iterable[str]) -> tuple[int, tuple[Name, ...]]:
    """Return how many pairs all rank the same way, and which clusterings all put last."""
    orders = [ranks.of(name) for name in names]
    ahead = np.logical_and.reduce([order[:, None] < order[None, :] for order in orders])
    last = np.logical_and.reduce([order == order.max() for order in orders])
    return int(ahead.sum()), tuple(ranks.clusterings[i] for i in np.flatnonzero(last))


def _differs(ranks: Ranks, lead: Measure, rival: str) -> bool:
    return not np.array_equal(ranks.of(lead.name), ranks.of(rival))


def _by_pair(
    scores: Scores, ranks: Ranks, lead: Measure, rivals: Iterable[str]
) -> tuple[Disagreement, ...]:
    """Return the disagreements, the strongest first: each pair and each reason is told once."""
    groups: dict[Pair, list[tuple[float, str]]] = {}
    for rival in rivals:
        tau = ranks.tau(lead.name, rival)
        strength = math.inf if math.isnan(tau) else tau  # ties of all come last
        groups.setdefault(_reversed_pair(ranks, lead.name, rival), []).append((strength, rival))
    found, told = [], set[str]()
    for pair, some in sorted(groups.items(), key=lambda group: min(group[1])[0]):
        reasons: dict[str, list[str]] = {}
        for _, rival in some:
            reason = _reason(scores, ranks, lead.name, rival, pair)
            reasons.setdefault(_AS_ABOVE if reason in told else reason, []).append(rival)
        told |= set(reasons)
        why = tuple((tuple(names), reason) for reason, names in reasons.items())
        found.append(Disagreement(*pair, why, min(some)[0]))
    return tuple(found)


def _reversed_pair(ranks: Ranks, lead: str, rival: str) -> Pair:
    """Return two clusterings that the lead and the rival rank the other way round.

    Of all such pairs, the one where the lead's choice and the rival's stand highest: that is
    where a reader who takes the best would notice.
    """
    a, b = ranks.of(lead), ranks.of(rival)
    disputed = (a[:, None] < a[None, :]) & (b[:, None] > b[None, :])
    if not disputed.any():
        return None, None
    height = np.where(disputed, a[:, None] + b[None, :], np.inf)
    i, j = np.unravel_index(height.argmin(), height.shape)
    return ranks.clusterings[i], ranks.clusterings[j]


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


def _reason(scores: Scores, ranks: Ranks, lead: str, rival: str, pair: Pair) -> str:
    """Return why the rival ranks differently, by its report card where that tells."""
    if ranks.ties_all(rival):
        return "All clusterings tie."
    if ranks.ties_all(lead):
        return f"All clusterings tie by {spoken(lead)}, but not here."
    preferred, instead = pair
    if preferred is None or instead is None:
        return "No pair is reversed, but some clusterings tie for one and not for the other."
    entry = find(rival)
    card = shipped_cards().get(entry.name)
    if card is None:
        return "clusterbits has no report card for it; clusterbits.desiderata.check makes one."
    ours, theirs = (scores.tables[name].shape[1] for name in (preferred, instead))
    failures = PREFERS_MORE if theirs > ours else PREFERS_FEWER if theirs < ours else {}
    for criterion, meaning in failures.items():
        if shows_failure(card, criterion):
            return f"{meaning} (fails {criterion})."
    if theirs < ours and entry.family in _SPLITS:
        return _SPLITS[entry.family]
    return "The same mistakes are weighed differently; no report card explains it."


def shows_failure(card: dict[str, str], criterion: str) -> bool:
    """Return whether the mark by a criterion shows a failure that may explain a disagreement."""
    mark = card.get(criterion, "–")
    if mark == "–":  # measures that need whole counts have marks for a large n only
        mark = card.get(criterion + LARGE_N, "–")
    if criterion not in _IN_MOST_CASES:
        return mark.startswith("✗")
    counts = [tuple(map(int, part[2:].split("/"))) for part in mark.split(", ") if "/" in part]
    return any(2 * sum(failed for failed, _ in counts) > cases for _, cases in counts)
