"""Caveats: which failures of the measures matter for these clusterings."""

from __future__ import annotations

from collections.abc import Mapping

from clusterbits.paper.cards.card import shipped_cards
from clusterbits.paper.cards.dom import LARGE_N
from clusterbits.report.disagreement import PREFERS_FEWER, PREFERS_MORE, shows_failure
from clusterbits.scoring.scores import Scores
from clusterbits.table.contingency import Contingency
from clusterbits.table.label_names import Name

# The marks for many objects hold from here on: q0 fails P1.2 from 2,375 objects on.
_MANY_OBJECTS = 2_375


def list_caveats(scores: Scores, noisy: bool) -> tuple[str, ...]:
    """Return the caveats of the primary measure at this number of objects.

    `noisy` says whether clusters look like noise. Marks are known for 500 and for 189,000 objects.
    """
    if scores.primary is None:
        return ()
    conditions, meanings = _conditions(scores.tables, noisy), PREFERS_MORE | PREFERS_FEWER
    card = shipped_cards().get(scores.primary, {})
    if max(table.n for table in scores.tables.values()) >= _MANY_OBJECTS:
        large = {name: mark for name in card if (mark := card.get(name + LARGE_N, "–")) != "–"}
        card = card | large
    return tuple(
        f"{meanings[criterion]}, and {why}."
        for criterion, why in conditions.items()
        if why and shows_failure(card, criterion)
    )


def _conditions(tables: Mapping[Name, Contingency], noisy: bool) -> dict[str, str]:
    """Return when each criterion matters, in words; empty where it does not."""
    more = sum(table.shape[1] > table.shape[0] for table in tables.values())
    fewer = sum(table.shape[1] < table.shape[0] for table in tables.values())
    sizes = {table.shape[1] for table in tables.values()}

    # More cells than clusters: one holds several classes. More than classes: one is split.
    mixed = any(len(table.counts) > table.shape[1] for table in tables.values())
    split = any(len(table.counts) > table.shape[0] for table in tables.values())

    def share(count: int, words: str) -> str:
        some = f"{count} of {len(tables)} have" if len(tables) > 1 else "there are"
        return f"{some} {words}" if count else ""

    return {
        "homogeneity": "clusters here mix classes" if mixed else "",
        "completeness": "classes here are split" if split else "",
        "P2": "some clusters here look like noise" if noisy else "",
        "P1.2": share(more, "more"),
        "P1.1": share(fewer, "fewer clusters than classes"),
        "constant baseline": "these clusterings have different numbers" if len(sizes) > 1 else "",
    }
