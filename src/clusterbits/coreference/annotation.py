"""One side of a comparison, and two of them aligned: which mentions their entities share."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from clusterbits.coreference.mention_counts import Alignment
from clusterbits.errors import LabelError
from clusterbits.table.cells import count_sorted
from clusterbits.table.numbering import CodeBook, code_objects
from clusterbits.text.tables import short

Indices = NDArray[np.intp]


@dataclass(frozen=True)
class Annotation:
    """The mentions of key or response, their entities, and the documents of these.

    Mentions are spans, start and end in two columns, or any values. `name` ("the key", or a file)
    and where each of the `documents` is are for messages. Files of columns have the number of
    `tokens` in each document.
    """

    name: str
    documents: Mapping[Any, str]
    entity_documents: Indices
    entities: Indices
    mentions: NDArray[np.int64] | Sequence[Any]
    tokens: NDArray[np.int64] | None = None

    def describe(self, mention: int) -> str:
        """Return a mention in words: key.conll, line 1: the mention at tokens 3–5 of document x."""
        if isinstance(self.mentions, np.ndarray):
            start, end = self.mentions[mention].tolist()
            words = f"at token {start}" if start == end else f"at tokens {start}–{end}"
        else:
            words = short(repr(self.mentions[mention]))
        name, location = [*self.documents.items()][self.entity_documents[self.entities[mention]]]
        return f"{location}: the mention {words} of document {short(repr(name))}"


def repeat_positions(groups: Sequence[Any]) -> Indices:
    """Return the position of its group for each member."""
    sizes = np.fromiter(map(len, groups), dtype=np.intp, count=len(groups))
    return np.repeat(np.arange(len(groups)), sizes)


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
        if unmatched := [name for name in side.documents if name not in partner.documents]:
            more = f" and {len(unmatched) - 1} more" * (len(unmatched) > 1)
            raise LabelError(
                f"{side.name} has document {short(repr(unmatched[0]))}{more}, which {partner.name} "
                "lacks. Both sides need the same documents; one without mentions is an empty one."
            )
    positions = {name: position for position, name in enumerate(key.documents)}
    moved = np.array([positions[name] for name in response.documents], dtype=np.intp)
    return replace(
        response,
        documents={name: response.documents[name] for name in key.documents},
        entity_documents=moved[response.entity_documents],
        tokens=None if response.tokens is None else response.tokens[np.argsort(moved)],
    )


def _check_texts(key: Annotation, response: Annotation) -> None:
    """Raise unless both sides have the same numbers of tokens, or mentions within those of one."""
    if key.tokens is None or response.tokens is None:
        _refuse_outside(key, response.tokens, response.name)
        _refuse_outside(response, key.tokens, key.name)
        return
    for name, in_key, in_response in zip(key.documents, key.tokens, response.tokens, strict=True):
        if in_key != in_response:
            raise LabelError(
                f"document {short(repr(name))} has {in_key:,} tokens in {key.name} and "
                f"{in_response:,} in {response.name}: mentions are compared by their tokens, so "
                "both sides need the same text."
            )


def _refuse_outside(side: Annotation, tokens: NDArray[np.int64] | None, text_name: str) -> None:
    """Raise for mentions that are not in the text, if only the other side has it."""
    if tokens is None:
        return
    advice = "A mention is [start, end]: its first and its last token, counted from 0."
    if not isinstance(side.mentions, np.ndarray):
        raise LabelError(
            f"{side.name} has mentions that are not spans of tokens, as in {text_name}. {advice}"
        )
    lengths = tokens[side.entity_documents[side.entities]]
    start, end = side.mentions.T
    outside = np.flatnonzero((start > end) | (end >= lengths))
    if len(outside):
        raise LabelError(
            f"{side.describe(outside[0])} is not in its text, which has {lengths[outside[0]]:,} "
            f"tokens in {text_name}. {advice}"
        )


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
    return [*map(tuple, mentions.tolist())] if isinstance(mentions, np.ndarray) else [*mentions]


def _repeated_mention(side: Annotation, codes: Indices) -> LabelError:
    """Return the error for the first duplicate mention."""
    _, first_of, inverse = np.unique(codes, return_index=True, return_inverse=True)
    firsts = first_of[inverse]
    duplicate = np.flatnonzero(firsts < np.arange(len(codes)))[0]
    same = side.entities[firsts[duplicate]] == side.entities[duplicate]
    return LabelError(
        f"{side.describe(duplicate)} is {'twice in an entity' if same else 'in two entities'}. A "
        "mention is in one entity, once. Pass repeated='first' to keep the first."
    )
