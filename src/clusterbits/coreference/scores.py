"""The scores of coreference: all documents pooled, and each by itself."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property, partial
from operator import itemgetter
from typing import Any, NamedTuple, TypeVar

from clusterbits.core.immutable import read_only
from clusterbits.coreference.mention_counts import (
    Alignment,
    Quality,
    Tally,
    rate,
    rate_blanc,
    tally_apart,
    tally_bcubed,
    tally_ceaf_e,
    tally_ceaf_m,
    tally_lea,
    tally_links,
    tally_mentions,
    tally_muc,
)
from clusterbits.display.results import RowsResult
from clusterbits.display.tables import counted, short, show
from clusterbits.errors import MeasureError, did_you_mean

T = TypeVar("T")
# The three whose mean is the CoNLL score.
_AVERAGED = ("muc", "bcubed", "ceaf_e")
# How the scores are called where people read them.
TITLES = {
    "conll": "CoNLL",
    "muc": "MUC",
    "bcubed": "B³",
    "ceaf_e": "CEAF-e",
    "ceaf_m": "CEAF-m",
    "blanc": "BLANC",
    "lea": "LEA",
    "mentions": "mentions",
}
MEASURES = tuple(TITLES)
_TALLIES: dict[str, tuple[Callable[[Alignment], Tally], ...]] = {
    "muc": (tally_muc,),
    "bcubed": (tally_bcubed,),
    "ceaf_e": (tally_ceaf_e,),
    "ceaf_m": (tally_ceaf_m,),
    "blanc": (tally_links, tally_apart),
    "lea": (tally_lea,),
    "mentions": (tally_mentions,),
}
_SYNONYMS = {"b3": "bcubed", "b_cubed": "bcubed", "ceafe": "ceaf_e", "ceafm": "ceaf_m"}
# Documents that are printed, the worst first.
SHOWN = 10


def find_measure(name: str) -> tuple[str, str]:
    """Return the measure and the field of it that a name means: muc, muc_f1, B3-recall.

    >>> find_measure("B3-recall"), find_measure("CEAF-e F1"), find_measure("muc")
    (('bcubed', 'recall'), ('ceaf_e', 'f1'), ('muc', 'f1'))
    """
    key = re.sub(r"[\s_-]+", "_", str(name).strip().lower()).replace("³", "3")
    measure, _, field = key.rpartition("_")
    if field not in Quality._fields:
        measure, field = key, "f1"
    measure = _SYNONYMS.get(measure, measure)
    if measure not in MEASURES:
        raise MeasureError(
            f"no coreference score is called {short(repr(name))}; there are "
            f"{', '.join(MEASURES)}.{did_you_mean(measure, MEASURES)}"
        )
    return measure, field


class OnDemand(Mapping[str, T]):
    """Values by name, each computed when it is first asked for.

    Matching entities, for CEAF, takes longer than all the others, and large documents have too many
    of them.
    """

    def __init__(self, names: Iterable[str], compute: Callable[[str], T]) -> None:
        self._names, self._compute = tuple(names), compute
        self._known: dict[str, T] = {}

    def __getitem__(self, name: str) -> T:
        if name not in self._known:
            self._known[name] = self._compute(name)
        return self._known[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __len__(self) -> int:
        return len(self._names)

    def __reduce__(self) -> tuple[type, tuple[Any, ...]]:
        """Copy and pickle without what was computed, which is computed again."""
        return OnDemand, (self._names, self._compute)


Tallies = OnDemand[tuple[Tally, ...]]
Qualities = OnDemand[Quality]


def count_entities(entities: Alignment) -> Tallies:
    """Return numerators and denominators by measure, one of each document."""
    return OnDemand(_TALLIES, partial(_tally, entities))


def _tally(entities: Alignment, name: str) -> tuple[Tally, ...]:
    return tuple(Tally(*map(read_only, count(entities))) for count in _TALLIES[name])


def _rate(tallies: Tallies, pooled: bool, name: str) -> Quality:
    """Return precision, recall and F1: of all documents pooled, or arrays over documents."""
    if name == "conll":
        parts = [_rate(tallies, pooled, one) for one in _AVERAGED]
        found = Quality(*(sum(part) / len(parts) for part in zip(*parts, strict=True)))
    else:
        own = [tally.pooled() for tally in tallies[name]] if pooled else tallies[name]
        found = rate_blanc(own, by_key=True) if name == "blanc" else rate(own[0])
    return Quality(*map(float if pooled else read_only, found))


class CorefScore(NamedTuple):
    """Precision, recall and F1 of one measure."""

    measure: str
    precision: float
    recall: float
    f1: float


class DocumentScore(NamedTuple):
    """Precision, recall and F1 of one document, by one measure."""

    document: Any
    measure: str
    precision: float
    recall: float
    f1: float


@dataclass(frozen=True, eq=False, repr=False)
class CorefScores(RowsResult):
    """Precision, recall and F1 of a response, over all documents; made by `score`.

    By name it has scores (``scores["lea_recall"]``), of which ``dict(scores)`` has each F1. Each is
    computed when it is first asked for.

    Attributes
    ----------
    documents : tuple
        The names of the documents.
    tallies : mapping of str to tuple of Tally
        Numerators and denominators of each measure, one of each document. BLANC has two of them:
        of coreference links, and of pairs that are not linked.
    key_entities, response_entities : int
        How many entities there are.
    measures : tuple of str
        The measures that are shown, the first in the title.
    """

    documents: tuple[Any, ...]
    tallies: Tallies
    key_entities: int
    response_entities: int
    measures: tuple[str, ...] = MEASURES

    def only(self, first: str, *others: str) -> CorefScores:
        """Return the same with some measures shown; by the first, documents are ranked."""
        names = dict.fromkeys(find_measure(name)[0] for name in (first, *others))
        return replace(self, measures=tuple(names))

    @cached_property
    def qualities(self) -> Qualities:
        """Precision, recall and F1 by measure, of counts summed over all documents."""
        return OnDemand(MEASURES, partial(_rate, self.tallies, True))

    @cached_property
    def rows(self) -> tuple[CorefScore, ...]:  # type: ignore[override]
        """For each measure its ``precision``, ``recall`` and ``f1``."""
        return tuple(CorefScore(name, *self.qualities[name]) for name in self.measures)

    @property
    def conll_f1(self) -> float:
        """The CoNLL score: the mean F1 of MUC, B³ and CEAF-e."""
        return self["conll"]

    def __getitem__(self, name: str) -> float:
        """Return a score by its name: "muc_f1", "b3_recall"; F1 where the name has no more."""
        measure, field = find_measure(name)
        return float(getattr(self.qualities[measure], field))

    def __contains__(self, name: object) -> bool:
        """Whether there is a score of that name."""
        try:
            find_measure(name)  # type: ignore[arg-type]
        except MeasureError:
            return False
        return True

    def keys(self) -> tuple[str, ...]:
        """Return the names of the measures."""
        return self.measures

    @cached_property
    def by_document(self) -> DocumentScores:
        """The scores of each document by itself."""
        return DocumentScores(self.documents, self.tallies, self.measures)

    @property
    def title(self) -> str:
        """The conclusion: the first score, the parts of its mean, and how much was scored."""
        first = self.measures[0]
        parts = ", ".join(
            f"{TITLES[name]} {self[name]:.4f}" for name in _AVERAGED if first == "conll"
        )
        mean = f", the mean of {parts}" * bool(parts)
        size = self.size
        return (
            f"{TITLES[first]} F1 {self[first]:.4f}{mean}.\n"
            f"{counted(size['documents'], 'document')}: {counted(size['key_mentions'], 'mention')} "
            f"of {counted(size['key_entities'], 'entity')} in the key, "
            f"{counted(size['response_mentions'], 'mention')} of "
            f"{counted(size['response_entities'], 'entity')} in the response, "
            f"{counted(size['mentions_in_both'], 'mention')} in both."
        )

    @property
    def size(self) -> dict[str, Any]:
        """How many documents, mentions and entities there are, by name."""
        mentions = self.tallies["mentions"][0].pooled()
        return {
            "documents": len(self.documents),
            "key_mentions": mentions.recall_of,
            "response_mentions": mentions.precision_of,
            "mentions_in_both": mentions.recall_hits,
            "key_entities": self.key_entities,
            "response_entities": self.response_entities,
        }

    def plot(self, ax: Any = None) -> Any:
        """Draw precision, recall and F1 of each measure, and return the axes."""
        from clusterbits.display.plots.rows import draw_coreference

        return draw_coreference(self, ax)


@dataclass(frozen=True, eq=False, repr=False)
class DocumentScores(RowsResult):
    """Precision, recall and F1 of each document by itself.

    Attributes
    ----------
    documents : tuple
        Their names.
    tallies : mapping of str to tuple of Tally
        Numerators and denominators of each measure, one of each document.
    measures : tuple of str
        The measures that are shown; by the first, documents are ranked.
    """

    documents: tuple[Any, ...]
    tallies: Tallies
    measures: tuple[str, ...] = MEASURES

    @cached_property
    def qualities(self) -> Qualities:
        """For each measure, arrays of precision, recall and F1, in the order of the documents."""
        return OnDemand(MEASURES, partial(_rate, self.tallies, False))

    @property
    def score_name(self) -> str:
        """What documents are ranked by: CoNLL F1."""
        return f"{TITLES[self.measures[0]]} F1"

    @property
    def title(self) -> str:
        """The conclusion: the worst and the best document."""
        ranked = self.list_documents()
        without = counted(len(self.documents) - len(ranked), "document") + " without mentions"
        if not ranked:
            return f"{without}."
        besides = f"; {without} left out" * (len(ranked) < len(self.documents))
        values = [f"{show(row[self.measures[0]])} ({short(row['document'])})" for row in ranked]
        span = f"from {values[0]} to {values[-1]}" if len(ranked) > 1 else values[0]
        some = f"\nThe worst {SHOWN} of them:" if len(ranked) > SHOWN else ""
        return f"{counted(len(ranked), 'document')}: {self.score_name} {span}{besides}.{some}"

    @cached_property
    def rows(self) -> tuple[DocumentScore, ...]:  # type: ignore[override]
        """A row for each document and measure."""
        return tuple(
            DocumentScore(document, name, *(float(values[i]) for values in self.qualities[name]))
            for i, document in enumerate(self.documents)
            for name in self.measures
        )

    def list_documents(self) -> list[dict[str, Any]]:
        """Return a row for each document that has mentions, the worst first: F1 by each measure."""
        mentions = self.tallies["mentions"][0]
        rows = [
            {"document": document, "key": int(key), "response": int(response)}
            | {name: float(self.qualities[name].f1[i]) for name in self.measures}
            for i, (document, key, response) in enumerate(
                zip(self.documents, mentions.recall_of, mentions.precision_of, strict=True)
            )
            if key + response
        ]
        return sorted(rows, key=itemgetter(self.measures[0]))

    def _shown(self) -> list[dict[str, Any]]:
        return self.list_documents()[:SHOWN]

    def plot(self, ax: Any = None) -> Any:
        """Draw the first score of each document, the worst on top, and return the axes."""
        from clusterbits.display.plots.rows import draw_documents

        return draw_documents(self, ax)
