"""One side of a comparison, and two of them aligned: which mentions their entities share."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import count
from operator import index
from typing import Any

import numpy as np
from numpy.typing import NDArray

from clusterbits.core.cells import count_sorted
from clusterbits.coreference.mention_counts import Alignment
from clusterbits.display.tables import short
from clusterbits.errors import LabelError

Indices = NDArray[np.intp]
# From here on, start and end of a span do not fit into one integer.
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
            self, documents=documents, entity_documents=moved[self.entity_documents], tokens=tokens
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


def align(key: Annotation, response: Annotation, singletons: str, repeated: str) -> Alignment:
    """Return the entities of both sides and what they share.

    `singletons` and `repeated` are those of `clusterbits.coreference.score`.
    """
    response = _in_key_order(key, response)
    codes = _number_mentions(key, response)
    order = np.argsort(codes, kind="stable")
    same = np.flatnonzero(codes[order[1:]] == codes[order[:-1]])
    # A mention stands beside its twin: that of the key first, then that of the response.
    one, other = order[same], order[same + 1]
    n = len(key.entities)
    twice = other[(one < n) == (other < n)]
    if len(twice):
        if repeated == "error":
            raise _repeated_mention(key, response, codes, int(twice.min()))
        keep = np.ones(len(codes), dtype=np.bool_)
        keep[twice] = False
        return align(key.only(keep[:n]), response.only(keep[n:]), singletons, repeated)
    if singletons == "drop":
        key, response = (side.only(side.sizes[side.entities] > 1) for side in (key, response))
        return align(key, response, "keep", repeated)
    width = max(len(response.entity_documents), 1)
    cells, counts = count_sorted(np.sort(key.entities[one] * width + response.entities[other - n]))
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


def _in_key_order(key: Annotation, response: Annotation) -> Annotation:
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
    for side, other in ((key, response), (response, key)):
        if side.tokens is None and other.tokens is not None:
            _refuse_outside(side, other, other.tokens)
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


def _refuse_outside(side: Annotation, other: Annotation, tokens: NDArray[np.int64]) -> None:
    """Refuse mentions that are not in the text, which only the other side has."""
    lengths = tokens[side.entity_documents[side.entities]]
    if isinstance(side.mentions, np.ndarray):
        starts, ends = side.mentions.T
        wrong = np.flatnonzero((starts > ends) | (ends >= lengths))
    else:
        pairs = zip(side.mentions, lengths.tolist(), strict=True)
        wrong = np.array([i for i, (one, length) in enumerate(pairs) if not _is_in(one, length)])
    if len(wrong):
        first = int(wrong[0])
        raise LabelError(
            f"{side.locate(first)}: {side.describe(first)} is not in its text, which has "
            f"{lengths[first]:,} tokens in {other.name}. A mention is [start, end]: its first and "
            "its last token, counted from 0."
        )


def _is_in(mention: Any, length: int) -> bool:
    """Whether a mention is a span of a text of so many tokens."""
    try:
        start, end = map(index, mention)
        return 0 <= start <= end < length
    except (TypeError, ValueError):
        return False


def _number_mentions(key: Annotation, response: Annotation) -> Indices:
    """Return a number for each mention of the key, then of the response; equal for equal ones."""
    sides = key, response
    documents = np.concatenate([side.entity_documents[side.entities] for side in sides])
    if all(isinstance(side.mentions, np.ndarray) for side in sides):
        spans = np.concatenate([np.asarray(side.mentions) for side in sides])
        width = 1 + int(spans.max(initial=0))
        if len(key.documents) * width**2 < 2**62:  # start and end, and the document before them
            return np.asarray((documents * width + spans[:, 0]) * width + spans[:, 1])
    mentions = [one for side in sides for one in _as_list(side.mentions)]
    numbers = dict(zip(dict.fromkeys(mentions), count()))
    codes = np.array([numbers[one] for one in mentions], dtype=np.intp)
    return np.asarray(documents * len(numbers) + codes)


def _as_list(mentions: NDArray[np.int64] | Sequence[Any]) -> list[Any]:
    if isinstance(mentions, np.ndarray):
        return [(start, end) for start, end in mentions.tolist()]
    return list(mentions)


def _repeated_mention(
    key: Annotation, response: Annotation, codes: Indices, place: int
) -> LabelError:
    """Return the error of a mention that its side has before; both sides are numbered on."""
    n = len(key.entities)
    side, start = (key, 0) if place < n else (response, n)
    first = int(np.flatnonzero(codes[start:] == codes[place])[0])
    again = place - start
    how = (
        "in two entities" if side.entities[first] != side.entities[again] else "twice in an entity"
    )
    return LabelError(
        f"{side.locate(again)}: {side.describe(again)} is {how}; first at {side.locate(first)}. A "
        "mention is in one entity, once. repeated='first' keeps the first of them."
    )
