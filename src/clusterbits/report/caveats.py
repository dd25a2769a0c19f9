"""Caveats: which failures of the measures matter for these clusterings."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from clusterbits.core.table import Contingency
from clusterbits.desiderata.card import shipped_cards
from clusterbits.ingest.runs import Name
from clusterbits.report.disagreement import PREFERS_FEWER, PREFERS_MORE, shows_failure
from clusterbits.scoring.scores import Scores


class Caveat(NamedTuple):
    """Something that measures get wrong and that matters here, in a sentence."""

    words: str
    measures: tuple[str, ...]


def list_caveats(scores: Scores, noisy: bool) -> tuple[Caveat, ...]:
    """Return the first caveat of each measure; `noisy` says whether clusters look like noise."""
    conditions, meanings = _conditions(scores.tables, noisy), PREFERS_MORE | PREFERS_FEWER
    found: dict[str, list[str]] = {}
    for name in scores.measures:
        card = shipped_cards().get(name, {})
        failed = (one for one in conditions if conditions[one] and shows_failure(card, one))
        if criterion := next(failed, None):
            found.setdefault(criterion, []).append(name)
    return tuple(
        Caveat(f"{meanings[criterion]}, and {conditions[criterion]}.", tuple(names))
        for criterion, names in found.items()
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
