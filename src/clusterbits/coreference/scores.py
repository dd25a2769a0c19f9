"""The scores of coreference: all documents pooled, and each by itself."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from clusterbits.display.results import Result
from clusterbits.display.tables import counted, short, show
from clusterbits.errors import MeasureError, did_you_mean
from clusterbits.measures.alignment import (
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

# The three whose mean is the CoNLL score.
_AVERAGED = ("muc", "bcubed", "ceaf_e")
MEASURES = ("conll", *_AVERAGED, "ceaf_m", "blanc", "lea", "mentions")
_TITLES = {"muc": "MUC", "bcubed": "B³", "ceaf_e": "CEAF-e"}
_SYNONYMS = {"b3": "bcubed", "b_cubed": "bcubed", "ceafe": "ceaf_e", "ceafm": "ceaf_m"}
# Documents that are printed, the worst first.
_SHOWN = 10


def find_measure(name: str) -> tuple[str, str]:
    """Return the measure and the field of it that a name means: muc, muc_f1, B3-recall.

    >>> find_measure("B3-recall"), find_measure("muc")
    (('bcubed', 'recall'), ('muc', 'f1'))
    """
    key = name.strip().lower().replace("-", "_").replace("³", "3")
    measure, _, field = key.rpartition("_")
    if field not in Quality._fields:
        measure, field = key, "f1"
    measure = _SYNONYMS.get(measure, measure)
    if measure not in MEASURES:
        raise MeasureError(
            f"there is no score of coreference {short(repr(name))}: they are "
            f"{', '.join(MEASURES)}.{did_you_mean(measure, MEASURES)}"
        )
    return measure, field


@dataclass(frozen=True, eq=False, repr=False)
class CorefScores(Result):
    """Precision, recall and F1 of a response, over all documents; made by `coref`.

    Attributes
    ----------
    documents : tuple
        The names of the documents.
    tallies : mapping of str to tuple of Tally
        Numerators and denominators of each measure, one of each document. BLANC has two of them:
        of coreference links, and of pairs that are not linked.
    """

    documents: tuple[Any, ...]
    tallies: Mapping[str, tuple[Tally, ...]]

    @classmethod
    def of(cls, documents: tuple[Any, ...], entities: Alignment) -> CorefScores:
        """Return the scores of aligned documents."""
        return cls(
            documents,
            {
                "muc": (tally_muc(entities),),
                "bcubed": (tally_bcubed(entities),),
                "ceaf_e": (tally_ceaf_e(entities),),
                "ceaf_m": (tally_ceaf_m(entities),),
                "blanc": tally_blanc(entities),
                "lea": (tally_lea(entities),),
                "mentions": (entities.mentions,),
            },
        )

    @cached_property
    def qualities(self) -> dict[str, Quality]:
        """Precision, recall and F1 by measure, of counts summed over all documents."""
        pooled = {name: tuple(t.pooled() for t in own) for name, own in self.tallies.items()}
        return {
            name: Quality(*(float(part) for part in own)) for name, own in _rate_all(pooled).items()
        }

    @property
    def conll_f1(self) -> float:
        """The CoNLL score: the mean F1 of MUC, B³ and CEAF-e."""
        return float(self["conll"])

    def __getitem__(self, name: str) -> float:
        """Return a score by its name: "muc_f1", "b3_recall"; F1 where the name has no more."""
        measure, field = find_measure(name)
        return float(getattr(self.qualities[measure], field))

    @cached_property
    def by_document(self) -> DocumentScores:
        """The scores of each document by itself."""
        return DocumentScores(self.documents, _rate_all(self.tallies), self.tallies["mentions"][0])

    @property
    def title(self) -> str:
        """The conclusion: the CoNLL score, its parts, and how much was scored."""
        parts = ", ".join(f"{_TITLES[name]} {self[name]:.4f}" for name in _AVERAGED)
        mentions, entities = (self.tallies[name][0].pooled() for name in ("mentions", "ceaf_e"))
        return (
            f"CoNLL F1 {self.conll_f1:.4f}, the mean of {parts}.\n"
            f"{counted(len(self.documents), 'document')}: {counted(mentions.recall_of, 'mention')} "
            f"of {_entities(entities.recall_of)} in the key, "
            f"{counted(mentions.precision_of, 'mention')} of {_entities(entities.precision_of)} in "
            f"the response, {counted(mentions.recall_hits, 'mention')} in both."
        )

    def to_dicts(self) -> list[dict[str, Any]]:
        """Return a row for each measure: its name, precision, recall and F1."""
        return [{"measure": name} | self.qualities[name]._asdict() for name in MEASURES]

    def plot(self, ax: Any = None) -> Any:
        """Draw precision, recall and F1 of each measure, and return the axes."""
        from clusterbits.display.plots import draw_coreference

        return draw_coreference(self, ax)


@dataclass(frozen=True, eq=False, repr=False)
class DocumentScores(Result):
    """Precision, recall and F1 of each document by itself.

    Attributes
    ----------
    documents : tuple
        Their names.
    qualities : mapping of str to Quality
        For each measure, arrays of precision, recall and F1, in the order of the documents.
    mentions : Tally
        How many mentions each document has in key and response, and in both.
    """

    documents: tuple[Any, ...]
    qualities: Mapping[str, Quality]
    mentions: Tally

    @property
    def title(self) -> str:
        """The conclusion: the worst and the best document."""
        f1 = self.qualities["conll"].f1
        worst, best = int(np.argmin(f1)), int(np.argmax(f1))
        number = counted(len(self.documents), "document")
        if len(self.documents) == 1:
            return f"{number}: CoNLL F1 {f1[0]:.4f}."
        some = f"\nThe worst {_SHOWN} of them:" if len(self.documents) > _SHOWN else ""
        return (
            f"{number}: CoNLL F1 from {show(float(f1[worst]))} ({short(self.documents[worst])}) to "
            f"{show(float(f1[best]))} ({short(self.documents[best])}).{some}"
        )

    def to_dicts(self) -> list[dict[str, Any]]:
        """Return a row for each document and measure."""
        return [
            {"document": document, "measure": name}
            | {field: float(values[i]) for field, values in self.qualities[name]._asdict().items()}
            for i, document in enumerate(self.documents)
            for name in MEASURES
        ]

    def list_documents(self) -> list[dict[str, Any]]:
        """Return a row for each document, the worst first: its mentions, and F1 by each measure."""
        order = np.argsort(self.qualities["conll"].f1, kind="stable")
        return [
            {
                "document": self.documents[i],
                "key": int(self.mentions.recall_of[i]),
                "response": int(self.mentions.precision_of[i]),
            }
            | {name: float(self.qualities[name].f1[i]) for name in MEASURES}
            for i in order.tolist()
        ]

    def list_worst(self) -> list[dict[str, Any]]:
        """Return the first rows of `list_documents`, as many as are printed."""
        return self.list_documents()[:_SHOWN]

    def _shown(self) -> list[dict[str, Any]]:
        return self.list_worst()

    def plot(self, ax: Any = None) -> Any:
        """Draw the CoNLL score of each document, the worst on top, and return the axes."""
        from clusterbits.display.plots import draw_documents

        return draw_documents(self, ax)


def _entities(number: int) -> str:
    return "1 entity" if number == 1 else f"{number:,} entities"


def _rate_all(tallies: Mapping[str, tuple[Tally, ...]]) -> dict[str, Quality]:
    """Return precision, recall and F1 by measure, with the CoNLL score."""
    rated = {name: rate(own[0]) for name, own in tallies.items() if name != "blanc"}
    rated["blanc"] = rate_blanc(tallies["blanc"], by_key=True)
    parts = zip(*(rated[name] for name in _AVERAGED), strict=True)
    return {"conll": Quality(*(sum(part) / len(_AVERAGED) for part in parts)), **rated}
