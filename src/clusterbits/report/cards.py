"""The glossary: what each measure is, and which of its failures matters for these clusterings."""

from __future__ import annotations

import inspect
import re
from collections.abc import Mapping
from typing import NamedTuple

from clusterbits.core.table import Contingency
from clusterbits.desiderata.card import shipped_cards
from clusterbits.ingest.runs import Name
from clusterbits.measures.catalogue import Measure
from clusterbits.report.disagreement import PREFERS_FEWER, PREFERS_MORE, shows_failure
from clusterbits.scoring.scores import Scores

_FORMULA = re.compile(r"\.\. math:: (.*?)\n\n", re.DOTALL)
_BASELINES = ("constant baseline", "asymptotic constant baseline")


class Entry(NamedTuple):
    """A measure of the glossary, its report card, and what of it matters here."""

    measure: Measure
    formula: str
    card: dict[str, str]
    matters: str


def make_entry(measure: Measure, scores: Scores, noisy: bool) -> Entry:
    """Return the glossary's entry; `noisy` is whether a cluster holds noise."""
    card = shipped_cards().get(measure.name, {})
    return Entry(measure, _formula(measure), card, _what_matters(measure, card, scores, noisy))


def _formula(entry: Measure) -> str:
    """Return the LaTeX of the docstring's formula."""
    found = _FORMULA.search(inspect.getdoc(entry.function) or "")
    return " ".join(found[1].split()) if found else ""


def _what_matters(measure: Measure, card: dict[str, str], scores: Scores, noisy: bool) -> str:
    """Return the failure that matters most for these clusterings, in a sentence."""
    if not card:
        return ""
    for criterion, here in _conditions(scores.tables, noisy).items():
        if here and shows_failure(card, criterion):
            meaning = (PREFERS_MORE | PREFERS_FEWER)[criterion]
            return (
                f"Matters here: {meaning[0].lower()}{meaning[1:]} (fails {criterion}), and {here}."
            )
    if _sizes_differ(scores.tables) and any(shows_failure(card, name) for name in _BASELINES):
        return _unadjusted(measure)
    return ""


def _conditions(tables: Mapping[Name, Contingency], noisy: bool) -> dict[str, str]:
    """Return when each criterion matters, in words; empty where it does not."""
    many, all_of = len(tables) > 1, len(tables)
    more = sum(table.shape[1] > table.shape[0] for table in tables.values())
    fewer = sum(table.shape[1] < table.shape[0] for table in tables.values())

    # More cells than clusters: one holds several classes. More than classes: one is split.
    mixed = any(len(table.counts) > table.shape[1] for table in tables.values())
    split = any(len(table.counts) > table.shape[0] for table in tables.values())

    def share(count: int, words: str) -> str:
        if not count:
            return ""
        return f"{count} of {all_of} have {words}" if many else f"there are {words}"

    return {
        "homogeneity": "clusters here mix classes" if mixed else "",
        "completeness": "classes here are split" if split else "",
        "P2": "some clusters here look like noise" if noisy else "",
        "P1.2": share(more, "more clusters than classes"),
        "P1.1": share(fewer, "fewer clusters than classes"),
    }


def _sizes_differ(tables: Mapping[Name, Contingency]) -> bool:
    return len({table.shape[1] for table in tables.values()}) > 1


def _unadjusted(measure: Measure) -> str:
    """Return what it means that a measure is not adjusted for chance."""
    if measure.family == "code_length":
        return (
            "Matters here: bits are not adjusted for chance (fails constant baseline). Where "
            "clusterings may be random, see q2 adjusted; share saved is 0 without clusters."
        )
    return (
        "Matters here: the value of random clusters depends on how many there are (fails constant "
        "baseline), and these clusterings have different numbers."
    )
