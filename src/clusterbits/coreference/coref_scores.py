"""Key and response, from files or from memory, scored: all documents pooled, and each by itself."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property, partial
from operator import itemgetter
from os import PathLike
from typing import Any, Literal, NamedTuple, TypeVar

from clusterbits.coreference.annotation import Annotation, align
from clusterbits.coreference.clusters import read_clusters
from clusterbits.coreference.mention_counts import (
    Alignment,
    MentionTally,
    Quality,
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
from clusterbits.errors import LabelError, MeasureError, check_choice, did_you_mean
from clusterbits.measures.catalogue import look_up, normalize_name
from clusterbits.system.immutable import read_only
from clusterbits.text.results import Keyed, RowsResult
from clusterbits.text.tables import counted, short, show

T = TypeVar("T")
# The three whose mean is the CoNLL score.
_AVERAGED = ("muc", "bcubed", "ceaf_e")


class _Score(NamedTuple):
    """What people call a score, and what it counts in each document."""

    title: str
    tallies: tuple[Callable[[Alignment], MentionTally], ...] = ()


# By name or alias in the catalogue, but for the mentions: those are no clustering.
_SCORES = {
    "conll": _Score("CoNLL"),
    "muc": _Score("MUC", (tally_muc,)),
    "bcubed": _Score("B³", (tally_bcubed,)),
    "ceaf_e": _Score("CEAF-e", (tally_ceaf_e,)),
    "ceaf_m": _Score("CEAF-m", (tally_ceaf_m,)),
    "blanc": _Score("BLANC", (tally_links, tally_apart)),
    "lea": _Score("LEA", (tally_lea,)),
    "mentions": _Score("mentions", (tally_mentions,)),
}
MEASURES = tuple(_SCORES)
# Documents that are printed, the worst first.
SHOWN = 10


def find_measure(name: str) -> tuple[str, str]:
    """Return the measure and the field of it that a name means: muc, muc_f1, B3-recall.

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


class LazyMapping(Mapping[str, T]):
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
        return LazyMapping, (self._names, self._compute)


Tallies = LazyMapping[tuple[MentionTally, ...]]
Qualities = LazyMapping[Quality]


def _tally(entities: Alignment, name: str) -> tuple[MentionTally, ...]:
    """Return numerators and denominators of a measure, one of each document."""
    return tuple(MentionTally(*map(read_only, count(entities))) for count in _SCORES[name].tallies)


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
class CorefScores(Keyed, RowsResult):
    """Precision, recall and F1 of a response, over all documents; made by `score`.

    By name it has scores (``scores["lea_recall"]``), of which ``dict(scores)`` has each F1. Each is
    computed when it is first asked for.

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

    def subset(self, first: str, *others: str) -> CorefScores:
        """Return the same with some measures shown; by the first, documents are ranked."""
        names = dict.fromkeys(find_measure(name)[0] for name in (first, *others))
        return replace(self, measures=tuple(names))

    @cached_property
    def qualities(self) -> Qualities:
        """Precision, recall and F1 by measure, of counts summed over all documents."""
        return LazyMapping(MEASURES, partial(_rate, self.tallies, True))

    @cached_property
    def rows(self) -> tuple[CorefScore, ...]:  # type: ignore[override]
        """For each measure its ``precision``, ``recall`` and ``f1``."""
        return tuple(CorefScore(name, *self.qualities[name]) for name in self.measures)

    @property
    def conll_f1(self) -> float:
        """The CoNLL score: the mean F1 of MUC, B³ and CEAF-e."""
        return self._of(self._key("conll"))

    def keys(self) -> tuple[str, ...]:
        """Return the names of the measures."""
        return self.measures

    def _key(self, name: str) -> tuple[str, str]:
        """Return measure and field of "muc_f1", "b3_recall"; F1 where the name has no more."""
        return find_measure(name)

    def _of(self, key: tuple[str, str]) -> float:
        return float(getattr(self.qualities[key[0]], key[1]))

    @cached_property
    def by_document(self) -> DocumentScores:
        """The scores of each document by itself."""
        return DocumentScores(self.documents, self.tallies, self.measures)

    @property
    def title(self) -> str:
        """The conclusion: the first score, the parts of its mean, and how much was scored."""
        first = self.measures[0]
        parts = ", ".join(
            f"{_SCORES[name].title} {self[name]:.4f}" for name in _AVERAGED if first == "conll"
        )
        mean = f", the mean of {parts}" * bool(parts)
        size = self.size
        return (
            f"{_SCORES[first].title} F1 {self[first]:.4f}{mean}.\n"
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
    """Precision, recall and F1 of each document by itself.

    Attributes
    ----------
    documents : tuple
        Their names.
    tallies : mapping of str to tuple of MentionTally
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
        return LazyMapping(MEASURES, partial(_rate, self.tallies, False))

    @property
    def score_name(self) -> str:
        """What documents are ranked by: CoNLL F1."""
        return f"{_SCORES[self.measures[0]].title} F1"

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


def score(
    key: Any,
    response: Any,
    *,
    singletons: Literal["keep", "drop"] = "keep",
    repeated: Literal["error", "first"] = "error",
) -> CorefScores:
    """Return MUC, B³, CEAF, BLANC, LEA and the CoNLL score of a coreference response.

    Numerators and denominators are summed over documents before they are divided, and mentions that
    only one side has lower the scores, both as in the reference scorer of CoNLL (version 8). LEA,
    which that lacks, is as its authors compute it.

    Parameters
    ----------
    key, response : path, or clusters of mentions
        The true entities, and those of a system: a file in the columns of CoNLL-2012, a JSON file,
        either in gzip or not, or a folder of such files. JSON has clusters of ``[start, end]``
        spans, a mapping of documents to clusters, or a record (a line) for each document with
        ``doc_key`` and ``clusters``; of a response, ``predicted_clusters`` where any has them. Or
        the same in memory: a list of clusters, each a list or set of mentions, or a mapping of
        documents to such lists. A mention is a span, or anything that can be a dictionary's key;
        arrays and tensors are compared by their values.
    singletons : "keep" or "drop"
        Whether entities of one mention count, in key and response. Keep them where they are
        annotated; drop them where only one side has them.
    repeated : "error" or "first"
        What to do with a mention that a side has twice: refuse it, or keep it in the first entity:
        of a file in columns, the one that the document mentions first. The reference scorer does so
        where the key has the mention once; else it counts the mention in both entities.

    Returns
    -------
    CorefScores
        Precision, recall and F1 by measure, and ``.by_document``.

    References
    ----------
    .. [1] S. Pradhan, X. Luo, M. Recasens, E. Hovy, V. Ng, M. Strube (2014). Scoring coreference
           partitions of predicted mentions: a reference implementation. ACL.
           https://doi.org/10.3115/v1/P14-2006

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
    true = _read(key, "the key", is_key=True)
    found = _read(response, "the response", key if _is_path(key) else None)
    entities = align(true, found, singletons, repeated)
    return CorefScores(
        tuple(true.documents), LazyMapping(MEASURES[1:], partial(_tally, entities)), *entities.shape
    )


def _is_path(given: Any) -> bool:
    return isinstance(given, str | PathLike)


def _read(given: Any, name: str, key: Any = None, *, is_key: bool = False) -> Annotation:
    if _is_path(given):
        from clusterbits.coreference.documents import read_annotation

        found = read_annotation(given, key, is_key=is_key)
    else:
        found = read_clusters(given, name)
    if not found.documents:
        raise LabelError(f"{found.name} has no documents.")
    return found
