"""Key and response, from files or memory, scored: all documents pooled, and each separately."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from operator import itemgetter
from os import PathLike
from typing import Any, Literal, NamedTuple

from clusterbits.coreference.annotation import Annotation, align
from clusterbits.coreference.clusters import read_clusters
from clusterbits.coreference.mention_counts import (
    TALLIES,
    Alignment,
    MentionTally,
    Quality,
    rate,
    rate_blanc,
)
from clusterbits.errors import LabelError, MeasureError, check_choice, did_you_mean
from clusterbits.measures.catalogue import look_up, normalize_name, parse_measures
from clusterbits.text.results import Keyed, RowsResult
from clusterbits.text.tables import counted, short, show

# Titles by name or alias in the catalogue, but for the mentions: those are no clustering.
_TITLES = {
    "conll": "CoNLL",
    "muc": "MUC",
    "bcubed": "B³",
    "ceaf_e": "CEAF-e",
    "ceaf_m": "CEAF-m",
    "blanc": "BLANC",
    "lea": "LEA",
    "mentions": "mentions",
}
MEASURES = tuple(_TITLES)
# The three whose mean is the CoNLL score.
_AVERAGED = ("muc", "bcubed", "ceaf_e")
# Documents that are printed, the worst first.
SHOWN = 10

Tallies = Mapping[str, tuple[MentionTally, ...]]


def find_measure(name: str) -> tuple[str, str]:
    """Return the measure and the field that a name means: muc, muc_f1, B3-recall.

    >>> find_measure("B3-recall"), find_measure("CEAF-e F1"), find_measure("muc")
    (('bcubed', 'recall'), ('ceaf_e', 'f1'), ('muc', 'f1'))
    """
    key = normalize_name(name)
    stem, _, field = key.rpartition("_")
    if field not in Quality._fields:
        stem, field = key, "f1"
    entry = look_up(stem)
    names = (stem,) if entry is None else (entry.name, *entry.aliases)
    for measure in MEASURES:
        if measure in names:
            return measure, field
    raise MeasureError(
        f"no coreference score is called {short(repr(name))}; there are "
        f"{', '.join(MEASURES)}.{did_you_mean(stem, MEASURES)}"
    )


def _count_mentions(entities: Alignment, measures: tuple[str, ...]) -> Tallies:
    """Return numerators and denominators by measure, and always the number of mentions."""
    parts = _AVERAGED if "conll" in measures else ()
    names = [name for name in TALLIES if name in (*measures, *parts, "mentions")]
    return {name: tuple(count(entities) for count in TALLIES[name]) for name in names}


def _rate_all(tallies: Tallies) -> dict[str, Quality]:
    """Return precision, recall and F1 by measure: numbers, or arrays over documents."""
    qualities = {
        name: rate_blanc(kinds, by_key=True) if name == "blanc" else rate(kinds[0])
        for name, kinds in tallies.items()
    }
    if qualities.keys() >= {*_AVERAGED}:
        averaged = zip(*(qualities[name] for name in _AVERAGED), strict=True)
        qualities["conll"] = Quality(*(sum(values) / len(_AVERAGED) for values in averaged))
    return qualities


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
class CorefScores(Keyed, RowsResult):
    """Precision, recall and F1 of a response, over all documents; made by `score`.

    By name it has scores (``scores["lea_recall"]``), of which ``dict(scores)`` has each F1.

    Attributes
    ----------
    documents : tuple
        The names of the documents.
    tallies : mapping of str to tuple of MentionTally
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

    @cached_property
    def qualities(self) -> dict[str, Quality]:
        """Precision, recall and F1 by measure, of counts summed over all documents."""
        sums = {
            name: tuple(kind.pooled() for kind in kinds) for name, kinds in self.tallies.items()
        }
        return {name: Quality(*map(float, values)) for name, values in _rate_all(sums).items()}

    @cached_property
    def rows(self) -> tuple[CorefScore, ...]:  # type: ignore[override]
        """For each measure its ``precision``, ``recall`` and ``f1``."""
        return tuple(CorefScore(name, *self.qualities[name]) for name in self.measures)

    def _key(self, name: str) -> tuple[str, str]:
        """Return measure and field of "muc_f1", "b3_recall"; F1 if the name has no more."""
        measure, field = find_measure(name)
        if measure not in self.qualities:
            raise MeasureError(
                f"{measure} was not computed; these were: {', '.join(self.qualities)}."
            )
        return measure, field

    def _of(self, key: tuple[str, str]) -> float:
        measure, field = key
        return float(getattr(self.qualities[measure], field))

    @property
    def by_document(self) -> DocumentScores:
        """The scores of each document separately."""
        return DocumentScores(self)

    @property
    def title(self) -> str:
        """The conclusion: the first score, the parts of its mean, and how much was scored."""
        first, size = self.measures[0], self.size
        parts = [f"{_TITLES[name]} {self[name]:.4f}" for name in _AVERAGED if first == "conll"]
        mean = f", the mean of {', '.join(parts)}" if parts else ""
        return (
            f"{_TITLES[first]} F1 {self[first]:.4f}{mean}.\n"
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


@dataclass(frozen=True, eq=False, repr=False)
class DocumentScores(RowsResult):
    """Precision, recall and F1 of each document separately, by the measures of the `pooled` scores.

    Documents are ranked by the first of these measures.
    """

    pooled: CorefScores

    @cached_property
    def qualities(self) -> dict[str, Quality]:
        """By measure, arrays of precision, recall and F1 over documents."""
        return _rate_all(self.pooled.tallies)

    @property
    def score_name(self) -> str:
        """What documents are ranked by: CoNLL F1."""
        return f"{_TITLES[self.pooled.measures[0]]} F1"

    @property
    def title(self) -> str:
        """The conclusion: the worst and the best document."""
        ranked, measure = self.list_documents(), self.pooled.measures[0]
        n_empty = len(self.pooled.documents) - len(ranked)
        empty = counted(n_empty, "document") + " without mentions"
        if not ranked:
            return f"{empty}."
        excluded = f"; {empty} left out" if n_empty else ""
        values = [f"{show(row[measure])} ({short(row['document'])})" for row in ranked]
        span = f"from {values[0]} to {values[-1]}" if len(ranked) > 1 else values[0]
        truncated = f"\nThe worst {SHOWN} of them:" if len(ranked) > SHOWN else ""
        return f"{counted(len(ranked), 'document')}: {self.score_name} {span}{excluded}.{truncated}"

    @cached_property
    def rows(self) -> tuple[DocumentScore, ...]:  # type: ignore[override]
        """A row for each document and measure."""
        qualities = self.qualities
        return tuple(
            DocumentScore(document, name, *(float(values[i]) for values in qualities[name]))
            for i, document in enumerate(self.pooled.documents)
            for name in self.pooled.measures
        )

    def list_documents(self) -> list[dict[str, Any]]:
        """Return a row for each document that has mentions, the worst first: F1 by each measure."""
        pooled, qualities = self.pooled, self.qualities
        (mentions,) = pooled.tallies["mentions"]
        rows = [
            {"document": document, "key": int(key), "response": int(response)}
            | {name: float(qualities[name].f1[i]) for name in pooled.measures}
            for i, (document, key, response) in enumerate(
                zip(pooled.documents, mentions.recall_of, mentions.precision_of, strict=True)
            )
            if key + response
        ]
        return sorted(rows, key=itemgetter(pooled.measures[0]))

    def _shown(self) -> list[dict[str, Any]]:
        return self.list_documents()[:SHOWN]


def score(
    key: Any,
    response: Any,
    measures: Any = None,
    *,
    singletons: Literal["keep", "drop"] = "keep",
    repeated: Literal["error", "first"] = "error",
) -> CorefScores:
    """Return MUC, B³, CEAF, BLANC, LEA and the CoNLL score of a coreference response.

    Numerators and denominators are summed over documents before they are divided, and mentions that
    only one side has lower the scores, both as in the reference scorer of CoNLL (version 8; see
    `conll_f1`). LEA, which that lacks, is as its authors compute it.

    Parameters
    ----------
    key, response : path, or clusters of mentions
        The true entities, and those of a system: a file in the columns of CoNLL-2012, a JSON file,
        either in gzip or not, or a folder of such files. JSON has clusters of ``[start, end]``
        spans, a mapping of documents to clusters, or a record (a line) for each document with
        ``doc_key`` and ``clusters``; of a response, ``predicted_clusters`` if any has them. Or
        the same in memory: a list of clusters, each a list or set of mentions, or a mapping of
        documents to such lists. A mention is a span, or anything that can be a dictionary's key;
        arrays and tensors are compared by their values.
    measures : names, optional
        What to compute, of "conll", "muc", "bcubed", "ceaf_e", "ceaf_m", "blanc", "lea" and
        "mentions"; by default all. By the first, documents are ranked.
    singletons : "keep" or "drop"
        Whether entities of one mention count, in key and response. Keep them if they are
        annotated; drop them if only one side has them.
    repeated : "error" or "first"
        What to do with a mention that a side has twice: refuse it, or keep it in the first entity:
        of a file in columns, the one that the document mentions first. The reference scorer does so
        if the key has the mention once; else it counts the mention in both entities.

    Returns
    -------
    CorefScores
        Precision, recall and F1 by measure, and ``.by_document``.

    Examples
    --------
    >>> import clusterbits as cb
    >>> key = [["a"], ["b", "c"], ["d", "e", "f"]]
    >>> response = [["a"], ["b", "c", "x"], ["d", "y"], ["z"]]
    >>> scores = cb.coreference.score(key, response)
    >>> scores
    CoNLL F1 0.4767, the mean of MUC 0.3333, B³ 0.4683, CEAF-e 0.6286.
    1 document: 6 mentions of 3 entities in the key, 7 mentions of 4 entities in the response, 4 ...
    measure   precision  recall      f1
    conll        0.4294  0.5407  0.4767
    muc          0.3333  0.3333  0.3333
    bcubed       0.4048  0.5556  0.4683
    ceaf_e       0.5500  0.7333  0.6286
    ceaf_m       0.5714  0.6667  0.6154
    blanc        0.2721  0.3523  0.3036
    lea          0.2857  0.5000  0.3636
    mentions     0.5714  0.6667  0.6154
    >>> scores["b3_recall"]
    0.5555555555555556
    """
    check_choice("singletons", singletons, ("keep", "drop"))
    check_choice("repeated", repeated, ("error", "first"))
    names = tuple(
        dict.fromkeys(find_measure(name)[0] for name in parse_measures(measures) or MEASURES)
    )
    true = _read(key, "the key", is_key=True)
    predicted = _read(response, "the response", key if _is_path(key) else None)
    entities = align(true, predicted, singletons, repeated)
    tallies = _count_mentions(entities, names)
    return CorefScores(tuple(true.documents), tallies, *entities.shape, names)


def _is_path(value: Any) -> bool:
    return isinstance(value, str | PathLike)


def _read(value: Any, name: str, key: Any = None, *, is_key: bool = False) -> Annotation:
    if _is_path(value):
        from clusterbits.coreference.documents import read_annotation

        annotation = read_annotation(value, key, is_key=is_key)
    else:
        annotation = read_clusters(value, name)
    if not annotation.documents:
        raise LabelError(f"{annotation.name} has no documents.")
    return annotation
