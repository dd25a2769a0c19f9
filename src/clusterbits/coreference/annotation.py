"""One side of a comparison, and two of them aligned: which mentions their entities share."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import count
from operator import index
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from clusterbits.coreference.mention_counts import Alignment
from clusterbits.errors import LabelError
from clusterbits.table.cells import count_sorted
from clusterbits.text.tables import short

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
    numbers = np.split(_number_mentions(key, response), [len(key.entities)])
    one, other = (
        Side.of(side, codes, singletons, repeated)
        for side, codes in zip((key, response), numbers, strict=True)
    )
    _, rows, columns = np.intersect1d(
        one.mentions, other.mentions, assume_unique=True, return_indices=True
    )
    width = max(len(other.sizes), 1)
    cells, counts = count_sorted(np.sort(one.entities[rows] * width + other.entities[columns]))
    return Alignment(
        cells // width,
        cells % width,
        counts,
        one.sizes,
        other.sizes,
        one.entity_documents,
        other.entity_documents,
        len(key.documents),
    )


class Side(NamedTuple):
    """The mentions that count, by number, in entities without empty ones."""

    mentions: Indices
    entities: Indices
    sizes: Indices
    entity_documents: Indices

    @classmethod
    def of(cls, side: Annotation, numbers: Indices, singletons: str, repeated: str) -> Side:
        """Return a side with each mention once."""
        mentions, first = np.unique(numbers, return_index=True)
        if repeated == "error" and len(mentions) < len(numbers):
            raise _repeated_mention(side, numbers)
        entities = side.entities[first]
        if singletons == "drop":
            keep = np.bincount(entities)[entities] > 1
            mentions, entities = mentions[keep], entities[keep]
        left, entities = np.unique(entities, return_inverse=True)
        sizes = np.bincount(entities, minlength=len(left))
        return cls(mentions, entities, sizes, side.entity_documents[left])


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
    place = {name: number for number, name in enumerate(key.documents)}
    moved = np.array([place[name] for name in response.documents], dtype=np.intp)
    tokens = None if response.tokens is None else response.tokens[np.argsort(moved)]
    entity_documents = moved[response.entity_documents]
    response = replace(
        response, documents=key.documents, entity_documents=entity_documents, tokens=tokens
    )
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
    lengths = tokens[side.entity_documents[side.entities]].tolist()
    for place, mention in enumerate(_as_list(side.mentions)):
        if not _is_in(mention, lengths[place]):
            raise LabelError(
                f"{side.locate(place)}: {side.describe(place)} is not in its text, which has "
                f"{lengths[place]:,} tokens in {other.name}. A mention is [start, end]: its first "
                "and its last token, counted from 0."
            )


def _is_in(mention: Any, length: int) -> bool:
    """Whether a mention is a span of a text of this length."""
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


def _repeated_mention(side: Annotation, numbers: Indices) -> LabelError:
    """Return the error of the first mention that its side has before."""
    _, first_of, of = np.unique(numbers, return_index=True, return_inverse=True)
    again = int(np.flatnonzero(first_of[of] < np.arange(len(of)))[0])
    first = int(first_of[of[again]])
    same = side.entities[first] == side.entities[again]
    return LabelError(
        f"{side.locate(again)}: {side.describe(again)} is "
        f"{'twice in an entity' if same else 'in two entities'}; first at {side.locate(first)}. A "
        "mention is in one entity, once. Pass repeated='first' to keep the first."
    )
