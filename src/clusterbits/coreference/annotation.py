"""One side of a comparison, and two of them aligned: which mentions their entities share."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from operator import index
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from clusterbits.coreference.mention_counts import Alignment
from clusterbits.errors import LabelError
from clusterbits.table.cells import count_sorted
from clusterbits.table.numbering import CodeBook, code_objects
from clusterbits.text.tables import short

Indices = NDArray[np.intp]
# From here on, start and end of a span do not fit into one integer.
LONGEST = 2**31


@dataclass(frozen=True)
class Annotation:
    """The mentions of key or response, their entities, and the documents of these.

    `name` ("the key", or a file) and `locate` (of a mention) are for messages. Mentions are spans,
    start and end in two columns, or any values. Files of columns have the number of `tokens` in
    each document.
    """

    name: str
    documents: Sequence[Any]
    entity_documents: Indices
    entities: Indices
    mentions: NDArray[np.int64] | Sequence[Any]
    locate: Callable[[int], str]
    tokens: NDArray[np.int64] | None = None

    def describe(self, mention: int) -> str:
        """Return a mention in words: the mention at tokens 3–5 of document x."""
        if isinstance(self.mentions, np.ndarray):
            start, end = self.mentions[mention].tolist()
            words = f"at token {start}" if start == end else f"at tokens {start}–{end}"
        else:
            words = short(repr(self.mentions[mention]))
        document = self.documents[self.entity_documents[self.entities[mention]]]
        return f"the mention {words} of document {short(repr(document))}"


def align(key: Annotation, response: Annotation, singletons: str, repeated: str) -> Alignment:
    """Return the entities of both sides and what they share; the options are those of `score`."""
    response = _in_key_order(key, response)
    _check_texts(key, response)
    codes = np.split(_factorize_mentions(key, response), [len(key.entities)])
    true = Side.from_annotation(key, codes[0], singletons, repeated)
    predicted = Side.from_annotation(response, codes[1], singletons, repeated)
    _, rows, columns = np.intersect1d(
        true.mentions, predicted.mentions, assume_unique=True, return_indices=True
    )
    width = max(len(predicted.sizes), 1)
    cells, counts = count_sorted(np.sort(true.entities[rows] * width + predicted.entities[columns]))
    return Alignment(
        cells // width,
        cells % width,
        counts,
        true.sizes,
        predicted.sizes,
        true.entity_documents,
        predicted.entity_documents,
        len(key.documents),
    )


class Side(NamedTuple):
    """The mentions that count, as codes, and their entities, none of them empty."""

    mentions: Indices
    entities: Indices
    sizes: Indices
    entity_documents: Indices

    @classmethod
    def from_annotation(
        cls, annotation: Annotation, codes: Indices, singletons: str, repeated: str
    ) -> Side:
        """Return a side with each mention once."""
        mentions, first = np.unique(codes, return_index=True)
        if repeated == "error" and len(mentions) < len(codes):
            raise _repeated_mention(annotation, codes)
        entities = annotation.entities[first]
        if singletons == "drop":
            keep = np.bincount(entities)[entities] > 1
            mentions, entities = mentions[keep], entities[keep]
        counted, entities, sizes = np.unique(entities, return_inverse=True, return_counts=True)
        return cls(mentions, entities, sizes, annotation.entity_documents[counted])


def _in_key_order(key: Annotation, response: Annotation) -> Annotation:
    """Return the response with its documents in the key's order; other documents are an error."""
    for side, partner in ((key, response), (response, key)):
        partner_documents = set(partner.documents)
        if unmatched := [name for name in side.documents if name not in partner_documents]:
            more = f" and {len(unmatched) - 1} more" * (len(unmatched) > 1)
            raise LabelError(
                f"{side.name} has document {short(repr(unmatched[0]))}{more}, which {partner.name} "
                "lacks. Both sides need the same documents; one without mentions is an empty one."
            )
    positions = {name: position for position, name in enumerate(key.documents)}
    moved = np.array([positions[name] for name in response.documents], dtype=np.intp)
    return replace(
        response,
        documents=key.documents,
        entity_documents=moved[response.entity_documents],
        tokens=None if response.tokens is None else response.tokens[np.argsort(moved)],
    )


def _check_texts(key: Annotation, response: Annotation) -> None:
    """Raise unless both sides have the same numbers of tokens, or mentions within those of one."""
    if key.tokens is None or response.tokens is None:
        _refuse_outside(key, response)
        _refuse_outside(response, key)
        return
    for name, in_key, in_response in zip(key.documents, key.tokens, response.tokens, strict=True):
        if in_key != in_response:
            raise LabelError(
                f"document {short(repr(name))} has {in_key:,} tokens in {key.name} and "
                f"{in_response:,} in {response.name}: mentions are compared by their tokens, so "
                "both sides need the same text."
            )


def _refuse_outside(side: Annotation, partner: Annotation) -> None:
    """Raise for mentions that are not in the text, if only the partner has it."""
    if partner.tokens is None:
        return
    lengths = partner.tokens[side.entity_documents[side.entities]].tolist()
    for i, (mention, length) in enumerate(zip(_as_list(side.mentions), lengths, strict=True)):
        if not _is_in(mention, length):
            raise LabelError(
                f"{side.locate(i)}: {side.describe(i)} is not in its text, which has {length:,} "
                f"tokens in {partner.name}. A mention is [start, end]: its first and its last "
                "token, counted from 0."
            )


def _is_in(mention: Any, length: int) -> bool:
    """Whether a mention is a span of a text of this length."""
    try:
        start, end = map(index, mention)
        return 0 <= start <= end < length
    except (TypeError, ValueError):
        return False


def _factorize_mentions(key: Annotation, response: Annotation) -> Indices:
    """Return codes of the mentions of the key, then of the response, unique across documents."""
    sides = key, response
    documents = np.concatenate([side.entity_documents[side.entities] for side in sides])
    if all(isinstance(side.mentions, np.ndarray) for side in sides):
        spans = np.concatenate([np.asarray(side.mentions) for side in sides])
        width = 1 + int(spans.max(initial=0))
        if len(key.documents) * width**2 < 2**62:  # document, start and end in one integer
            return np.asarray((documents * width + spans[:, 0]) * width + spans[:, 1])
    mentions = [mention for side in sides for mention in _as_list(side.mentions)]
    book = CodeBook()
    codes = code_objects(mentions, book)
    return np.asarray(documents * len(book) + codes)


def _as_list(mentions: NDArray[np.int64] | Sequence[Any]) -> list[Any]:
    if isinstance(mentions, np.ndarray):
        return [(start, end) for start, end in mentions.tolist()]
    return list(mentions)


def _repeated_mention(side: Annotation, codes: Indices) -> LabelError:
    """Return the error for the first duplicate mention."""
    _, first_of, inverse = np.unique(codes, return_index=True, return_inverse=True)
    firsts = first_of[inverse]
    duplicate = int(np.flatnonzero(firsts < np.arange(len(codes)))[0])
    first = int(firsts[duplicate])
    same = side.entities[first] == side.entities[duplicate]
    return LabelError(
        f"{side.locate(duplicate)}: {side.describe(duplicate)} is "
        f"{'twice in an entity' if same else 'in two entities'}; first at {side.locate(first)}. A "
        "mention is in one entity, once. Pass repeated='first' to keep the first."
    )
