"""What report cards say of a measure here: the failures that matter for these clusterings."""

from __future__ import annotations

from clusterbits.paper.cards.card import shipped_cards
from clusterbits.paper.cards.dom import LARGE_N
from clusterbits.scoring.scores import Scores

# What the failure of a criterion means where it matters.
_CAVEATS = {
    "homogeneity": "Clusters that mix classes are not penalized, and clusters here mix classes.",
    "completeness": "Splitting a class is not penalized, and classes here are split.",
    "P2": "More noise clusters can score better, and some clusters here look like noise.",
    "P1.2": "More clusters than classes can score better, and there are more here.",
    "P1.1": "Merging useful clusters can score better, and there are fewer clusters than classes "
    "here.",
    "constant baseline": "The value of random clusters depends on how many there are, and these "
    "clusterings have different numbers.",
}
# Two are tried on all small partitions: only a failure in most cases tells how a measure behaves.
_IN_MOST_CASES = ("homogeneity", "completeness")
# The marks for many objects hold from here on: q0 fails P1.2 from 2,375 objects on.
_MANY_OBJECTS = 2_375


def _shows_failure(card: dict[str, str], criterion: str) -> bool:
    """Whether the mark by a criterion shows a failure."""
    mark = card.get(criterion, "–")
    if mark == "–":  # measures that need integer counts have marks for a large n only
        mark = card.get(criterion + LARGE_N, "–")
    if criterion not in _IN_MOST_CASES:
        return mark.startswith("✗")
    counts = [tuple(map(int, part[2:].split("/"))) for part in mark.split(", ") if "/" in part]
    return any(2 * sum(failed for failed, _ in counts) > cases for _, cases in counts)


def list_caveats(scores: Scores, noisy: bool) -> tuple[str, ...]:
    """Return the failures of the primary measure that matter for these clusterings.

    `noisy` says whether clusters look like noise. Marks are known for 500 and for 189,000 objects.
    """
    if scores.primary is None:
        return ()
    tables = scores.tables.values()
    card = shipped_cards().get(scores.primary, {})
    if max(table.n for table in tables) >= _MANY_OBJECTS:
        large = {name: mark for name in card if (mark := card.get(name + LARGE_N, "–")) != "–"}
        card = card | large
    shapes = [table.shape for table in tables]
    matters = {
        # More cells than clusters: one mixes classes. More cells than classes: one is split.
        "homogeneity": any(len(table.counts) > table.shape[1] for table in tables),
        "completeness": any(len(table.counts) > table.shape[0] for table in tables),
        "P2": noisy,
        "P1.2": any(clusters > classes for classes, clusters in shapes),
        "P1.1": any(clusters < classes for classes, clusters in shapes),
        "constant baseline": len({clusters for _, clusters in shapes}) > 1,
    }
    return tuple(
        text
        for criterion, text in _CAVEATS.items()
        if matters[criterion] and _shows_failure(card, criterion)
    )
