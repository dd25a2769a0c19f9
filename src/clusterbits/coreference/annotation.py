"""One side of a comparison, and two of them aligned: which mentions their entities share."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import count
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from clusterbits.core.cells import count_sorted
from clusterbits.display.tables import short
from clusterbits.errors import LabelError
from clusterbits.measures.alignment import Alignment

Indices = NDArray[np.intp]
# Above this, start and end of a span do not fit into one integer.
LONGEST = 2**31


@dataclass(frozen=True)
class Annotation:
    """The mentions of key or response: which entity each is in, and which document that is in."""

    # "the key" or "the response", or the file: for messages.
    name: str
    documents: Sequence[Any]
    # The document of each entity, and the entity of each mention.
    entity_documents: Indices
    entities: Indices
    # Start and end of each mention, in a column each, or any values that tell mentions apart.
    mentions: NDArray[np.int64] | Sequence[Any]
    # Says where a mention stands, for messages.
    locate: Callable[[int], str]
    # The number of tokens in each document, where the file has them.
    tokens: NDArray[np.int64] | None = None

    @property
    def sizes(self) -> Indices:
        """The mentions in each entity."""
        return np.bincount(self.entities, minlength=len(self.entity_documents))

    def only(self, keep: NDArray[np.bool_]) -> Annotation:
        """Return some of the mentions, in entities numbered anew without empty ones."""
        mentions = self.mentions
        places = np.flatnonzero(keep)
        if not isinstance(mentions, np.ndarray):
            mentions = [mentions[place] for place in places.tolist()]
        else:
            mentions = mentions[places]
        left, entities = np.unique(self.entities[places], return_inverse=True)
        return replace(
            self,
            entity_documents=self.entity_documents[left],
            entities=entities.astype(np.intp),
            mentions=mentions,
            locate=lambda mention: self.locate(int(places[mention])),
        )

    def in_order_of(self, documents: Sequence[Any]) -> Annotation:
        """Return the same with the documents in another order."""
        place = {name: number for number, name in enumerate(documents)}
        moved = np.array([place[name] for name in self.documents], dtype=np.intp)
        tokens = None if self.tokens is None else self.tokens[np.argsort(moved)]
        return replace(
            self,
            documents=documents,
            entity_documents=moved[self.entity_documents],
            tokens=tokens,
        )

    def describe(self, mention: int) -> str:
        """Return a mention in words: the mention at tokens 3–5 of document x."""
        value = self.mentions[mention]
        if isinstance(self.mentions, np.ndarray):
            start, end = value.tolist()
            where = f"token {start}" if start == end else f"tokens {start}–{end}"
            what = f"the mention at {where}"
        else:
            what = f"the mention {short(repr(value))}"
        document = self.documents[self.entity_documents[self.entities[mention]]]
        return f"{what} of document {short(repr(document))}"


class Pair(NamedTuple):
    """Key and response, with mentions as numbers that mean the same in both."""

    key: Annotation
    response: Annotation
    key_codes: Indices
    response_codes: Indices


def align(key: Annotation, response: Annotation, singletons: str, repeated: str) -> Alignment:
    """Return the entities of both sides and what they share.

    `singletons` and `repeated` are those of `clusterbits.coref`.
    """
    response = _same_documents(key, response)
    codes = _number_mentions(key, response)
    key, first = _clean(key, codes[0], singletons, repeated)
    response, second = _clean(response, codes[1], singletons, repeated)
    both, order = _sort(np.concatenate([first, second]))
    # A mention that both sides have stands there twice, that of the key first.
    shared = np.flatnonzero(both[1:] == both[:-1])
    places, others = order[shared], order[shared + 1] - len(first)
    width = max(len(response.entity_documents), 1)
    cells, counts = count_sorted(np.sort(key.entities[places] * width + response.entities[others]))
    rows = cells // width
    return Alignment(
        rows,
        cells - rows * width,
        counts,
        key.sizes,
        response.sizes,
        key.entity_documents,
        response.entity_documents,
        len(key.documents),
    )


def _same_documents(key: Annotation, response: Annotation) -> Annotation:
    """Return the response with its documents in the key's order; refuse other documents."""
    for one, other in ((key, response), (response, key)):
        known = set(other.documents)
        if alone := [name for name in one.documents if name not in known]:
            more = f" and {len(alone) - 1} more" * (len(alone) > 1)
            raise LabelError(
                f"{one.name} has document {short(repr(alone[0]))}{more}, which {other.name} lacks. "
                "Both sides need the same documents; one without mentions is an empty one."
            )
    response = response.in_order_of(key.documents)
    if key.tokens is not None and response.tokens is not None:
        wrong = np.flatnonzero(key.tokens != response.tokens)
        if len(wrong):
            first = wrong[0]
            raise LabelError(
                f"document {short(repr(key.documents[first]))} has {key.tokens[first]:,} tokens in "
                f"{key.name} and {response.tokens[first]:,} in {response.name}: mentions are "
                "compared by their tokens, so both sides need the same text."
            )
    return response


def _number_mentions(key: Annotation, response: Annotation) -> list[Indices]:
    """Return a number for each mention of key and response, the same for the same mention."""
    sides = key, response
    documents = [side.entity_documents[side.entities] for side in sides]
    if all(isinstance(side.mentions, np.ndarray) for side in sides):
        spans = [np.asarray(side.mentions) for side in sides]
        width = 1 + max(int(some.max(initial=0)) for some in spans)
        if len(key.documents) * width**2 < 2**62:  # start and end, and the document before them
            return [
                (place * width + some[:, 0]) * width + some[:, 1]
                for place, some in zip(documents, spans, strict=True)
            ]
    listed = [_as_list(side.mentions) for side in sides]
    numbers = dict(zip(dict.fromkeys(listed[0] + listed[1]), count()))
    return [
        place * len(numbers) + np.array([numbers[one] for one in some], dtype=np.intp)
        for place, some in zip(documents, listed, strict=True)
    ]


def _sort(codes: Indices) -> tuple[Indices, Indices]:
    """Return the codes in ascending order, and where each was; equal ones stay in order."""
    bits = len(codes).bit_length()
    if int(codes.max(initial=0)).bit_length() + bits > 62:
        order = np.argsort(codes, kind="stable")
        return codes[order], order
    # Numbers are sorted faster than the order of them: each has its place in the last bits.
    both = np.sort((codes << bits) + np.arange(len(codes)))
    return both >> bits, both & ((1 << bits) - 1)


def _as_list(mentions: NDArray[np.int64] | Sequence[Any]) -> list[Any]:
    if isinstance(mentions, np.ndarray):
        return [(start, end) for start, end in mentions.tolist()]
    return list(mentions)


def _clean(
    side: Annotation, codes: Indices, singletons: str, repeated: str
) -> tuple[Annotation, Indices]:
    """Return a side with each mention once, and with or without entities of one mention."""
    ascending, order = _sort(codes)
    again = order[1:][ascending[1:] == ascending[:-1]]
    if len(again):
        if repeated == "error":
            raise _refuse_repeated(side, codes, int(again.min()))
        keep = np.ones(len(codes), dtype=np.bool_)
        keep[again] = False
        side, codes = side.only(keep), codes[keep]
    if singletons == "drop":
        keep = side.sizes[side.entities] > 1
        side, codes = side.only(keep), codes[keep]
    return side, codes


def _refuse_repeated(side: Annotation, codes: Indices, place: int) -> LabelError:
    first = int(np.flatnonzero(codes == codes[place])[0])
    how = (
        "in two entities" if side.entities[first] != side.entities[place] else "twice in an entity"
    )
    return LabelError(
        f"{side.locate(place)}: {side.describe(place)} is {how}; first at {side.locate(first)}. A "
        "mention is in one entity, once. repeated='first' keeps the first, as the reference scorer "
        "does in a response."
    )
