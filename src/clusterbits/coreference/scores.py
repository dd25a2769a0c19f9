"""The scores of coreference: all documents pooled, and each by itself."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from clusterbits.core.immutable import read_only
from clusterbits.coreference.mention_counts import (
    Alignment,
    Quality,
    Tally,
    rate,
    rate_blanc,
    tally_bcubed,
    tally_blanc,
    tally_ceaf_e,
    tally_ceaf_m,
    tally_lea,
    tally_muc,
)
from clusterbits.display.results import Result
from clusterbits.display.tables import counted, short, show
from clusterbits.errors import MeasureError, did_you_mean

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
_TALLIES: dict[str, Callable[[Alignment], tuple[Tally, ...]]] = {
    "muc": lambda entities: (tally_muc(entities),),
    "bcubed": lambda entities: (tally_bcubed(entities),),
    "ceaf_e": lambda entities: (tally_ceaf_e(entities),),
    "ceaf_m": lambda entities: (tally_ceaf_m(entities),),
    "blanc": tally_blanc,
    "lea": lambda entities: (tally_lea(entities),),
    "mentions": lambda entities: (entities.mentions,),
}
_SYNONYMS = {"b3": "bcubed", "b_cubed": "bcubed", "ceafe": "ceaf_e", "ceafm": "ceaf_m"}
# Documents that are printed, the worst first.
_SHOWN = 10


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


class Tallies(Mapping[str, tuple[Tally, ...]]):
    """Numerators and denominators by measure, counted when they are asked for.

    Matching entities, for CEAF, takes longer than all the others, and large documents have too many
    of them.
    """

    def __init__(self, entities: Alignment) -> None:
        self.entities = entities
        self._known: dict[str, tuple[Tally, ...]] = {}

    def __getitem__(self, name: str) -> tuple[Tally, ...]:
        """Return the counts of a measure, one of each document."""
        if name not in self._known:
            self._known[name] = tuple(Tally(*map(_fixed, t)) for t in _TALLIES[name](self.entities))
        return self._known[name]

    def __reduce__(self) -> tuple[type, tuple[Alignment]]:
        """Copy and pickle by the entities: what was counted is counted again."""
        return Tallies, (self.entities,)

    def __iter__(self) -> Iterator[str]:
        """Iterate over the names."""
        return iter(_TALLIES)

    def __len__(self) -> int:
        """Return how many there are."""
        return len(_TALLIES)


def _fixed(part: Any) -> Any:
    """Return an array that cannot be written to, and a number as it is."""
    return read_only(part) if isinstance(part, np.ndarray) else part


class Qualities(Mapping[str, Quality]):
    """Precision, recall and F1 by measure: of all documents pooled, or arrays over documents."""

    def __init__(self, tallies: Tallies, pooled: bool) -> None:
        self._tallies, self._pooled = tallies, pooled
        self._known: dict[str, Quality] = {}

    def __getitem__(self, name: str) -> Quality:
        """Return those of a measure."""
        if name not in self._known:
            self._known[name] = self._rate(name)
        return self._known[name]

    def __reduce__(self) -> tuple[type, tuple[Tallies, bool]]:
        """Copy and pickle by the counts."""
        return Qualities, (self._tallies, self._pooled)

    def _rate(self, name: str) -> Quality:
        if name == "conll":
            parts = zip(*(self[one] for one in _AVERAGED), strict=True)
            return Quality(*(_fixed(sum(part) / len(_AVERAGED)) for part in parts))
        own = self._tallies[name]
        if self._pooled:
            own = tuple(tally.pooled() for tally in own)
        found = rate_blanc(own, by_key=True) if name == "blanc" else rate(own[0])
        return Quality(*map(float if self._pooled else _fixed, found))

    def __iter__(self) -> Iterator[str]:
        """Iterate over the names."""
        return iter(MEASURES)

    def __len__(self) -> int:
        """Return how many there are."""
        return len(MEASURES)


@dataclass(frozen=True, eq=False, repr=False)
class CorefScores(Result):
    """Precision, recall and F1 of a response, over all documents; made by `coref`.

    By name it has scores (``scores["lea_recall"]``), of which ``dict(scores)`` has each F1. Each is
    computed when it is first asked for.

    Attributes
    ----------
    documents : tuple
        The names of the documents.
    tallies : mapping of str to tuple of Tally
        Numerators and denominators of each measure, one of each document. BLANC has two of them:
        of coreference links, and of pairs that are not linked.
    measures : tuple of str
        The measures that are shown, the first in the title.
    """

    documents: tuple[Any, ...]
    tallies: Tallies
    measures: tuple[str, ...] = MEASURES

    def only(self, first: str, *others: str) -> CorefScores:
        """Return the same with some measures shown; by the first, documents are ranked."""
        names = dict.fromkeys(find_measure(name)[0] for name in (first, *others))
        return replace(self, measures=tuple(names))

    @cached_property
    def qualities(self) -> Qualities:
        """Precision, recall and F1 by measure, of counts summed over all documents."""
        return Qualities(self.tallies, pooled=True)

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
        key_entities, response_entities = self.tallies.entities.shape
        return {
            "documents": len(self.documents),
            "key_mentions": mentions.recall_of,
            "response_mentions": mentions.precision_of,
            "mentions_in_both": mentions.recall_hits,
            "key_entities": key_entities,
            "response_entities": response_entities,
        }

    def to_dicts(self) -> list[dict[str, Any]]:
        """Return a row for each measure: its name, precision, recall and F1."""
        return [{"measure": name} | self.qualities[name]._asdict() for name in self.measures]

    def plot(self, ax: Any = None) -> Any:
        """Draw precision, recall and F1 of each measure, and return the axes."""
        from clusterbits.display.plots.rows import draw_coreference

        return draw_coreference(self, ax)


@dataclass(frozen=True, eq=False, repr=False)
class DocumentScores(Result):
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
        return Qualities(self.tallies, pooled=False)

    @property
    def mentions(self) -> Tally:
        """How many mentions each document has in key and response, and in both."""
        return self.tallies["mentions"][0]

    @cached_property
    def ranking(self) -> list[int]:
        """The places of documents, the worst first; without those that have no mentions."""
        scored = np.flatnonzero(self.mentions.recall_of + self.mentions.precision_of)
        f1 = self.qualities[self.measures[0]].f1[scored]
        return [int(place) for place in scored[np.argsort(f1, kind="stable")]]

    @property
    def score_name(self) -> str:
        """What documents are ranked by: CoNLL F1."""
        return f"{TITLES[self.measures[0]]} F1"

    @property
    def title(self) -> str:
        """The conclusion: the worst and the best document."""
        number, left_out = len(self.ranking), len(self.documents) - len(self.ranking)
        empty = f"{counted(left_out, 'document')} without mentions"
        if not number:
            return f"{empty}."
        f1 = self.qualities[self.measures[0]].f1
        besides = f"; {empty} left out" * bool(left_out)
        if number == 1:
            return f"1 document: {self.score_name} {f1[self.ranking[0]]:.4f}{besides}."
        worst, best = (
            f"{show(float(f1[place]))} ({short(self.documents[place])})"
            for place in (self.ranking[0], self.ranking[-1])
        )
        some = f"\nThe worst {_SHOWN} of them:" if number > _SHOWN else ""
        own = f"{counted(number, 'document')}: {self.score_name}"
        return f"{own} from {worst} to {best}{besides}.{some}"

    def to_dicts(self) -> list[dict[str, Any]]:
        """Return a row for each document and measure."""
        return [
            {"document": document, "measure": name}
            | {field: float(values[i]) for field, values in self.qualities[name]._asdict().items()}
            for i, document in enumerate(self.documents)
            for name in self.measures
        ]

    def list_documents(self) -> list[dict[str, Any]]:
        """Return a row for each document that has mentions, the worst first: F1 by each measure."""
        return self._rows_of(self.ranking)

    def list_worst(self) -> list[dict[str, Any]]:
        """Return the first rows of `list_documents`, as many as are printed."""
        return self._rows_of(self.ranking[:_SHOWN])

    def _rows_of(self, places: list[int]) -> list[dict[str, Any]]:
        return [
            {
                "document": self.documents[i],
                "key": int(self.mentions.recall_of[i]),
                "response": int(self.mentions.precision_of[i]),
            }
            | {name: float(self.qualities[name].f1[i]) for name in self.measures}
            for i in places
        ]

    def _shown(self) -> list[dict[str, Any]]:
        return self.list_worst()

    def plot(self, ax: Any = None) -> Any:
        """Draw the first score of each document, the worst on top, and return the axes."""
        from clusterbits.display.plots.rows import draw_documents

        return draw_documents(self, ax)
